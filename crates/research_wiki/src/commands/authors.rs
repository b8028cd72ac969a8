//! The list of authors that a caller gives.

use aris_paper::names::{split_and, split_top};
use aris_wiki::page::one_line;

use crate::error::Error;
use crate::slug::is_suffix;

/// Parses a list of author names, in reading order. Commas, semicolons, `&` and the word "and" separate names. A name is "First Last".
/// It may also be "Last, First" or "Last, Jr., First" when semicolons or "and" separate the names, or when initials follow each comma.
/// Braces hold a name together.
///
/// **Errors**: a usage error for `Michel, Paul`, which may be one person or two.
pub(super) fn authors(text: &str) -> Result<Vec<String>, Error> {
    let text = text.replace(" & ", " and ");
    let text = text.replace(['、', '，'], " and ").replace('；', ";");
    let text = without_others(&text);
    let by_semicolon = text.contains(';');
    let people = if by_semicolon {
        split_top(text, |sign| sign == ';')
    } else {
        split_and(text)
    };
    let people: Vec<Vec<String>> = people
        .into_iter()
        .map(names)
        .filter(|names| !names.is_empty())
        .collect();
    let one_word = |names: &Vec<String>| names.iter().all(|name| !name.contains(' '));
    if let [names] = people.as_slice()
        && names.len() == 2
        && one_word(names)
        && !by_semicolon
    {
        return Err(Error::usage(
            format!("--authors '{}' is one person or two", names.join(", ")),
            "write 'First Last', or 'Last, First;' with a semicolon",
        ));
    }
    // "Ann Lee, Bo Cy and Di Ek" is a list with commas: one part has more than two names, or two full names.
    let is_list = |names: &Vec<String>| match names.as_slice() {
        [first, second] => first.contains(' ') && second.contains(' '),
        names => {
            names.len() > 2
                && !(names.len() == 3 && names.get(1).is_some_and(|name| is_suffix(name)))
        }
    };
    let in_order = |names: &Vec<String>| {
        let name = aris_paper::names::parse(&names.join(", ")).listed();
        vec![one_line(&name)]
    };
    let names = people.iter().flat_map(|names| {
        let initials = names
            .iter()
            .skip(1)
            .step_by(2)
            .all(|name| is_initials(name));
        if names.len() > 1 && names.len() % 2 == 0 && initials {
            return names
                .chunks(2)
                .map(<[String]>::to_vec)
                .flat_map(|pair| in_order(&pair))
                .collect();
        }
        if !by_semicolon && (people.len() < 2 || people.iter().any(is_list)) {
            return joined_suffixes(names);
        }
        in_order(names)
    });
    Ok(names.filter(|name| !name.is_empty()).collect())
}

/// The list without an ending such as "et al." or "and others".
fn without_others(mut text: &str) -> &str {
    loop {
        let all = text.trim_end_matches(|sign: char| sign.is_whitespace() || ",;".contains(sign));
        let ends = [" and others", " et al.", " et al", " and"];
        let shorter = ends.iter().find_map(|end| all.strip_suffix(end));
        match shorter {
            Some(shorter) => text = shorter,
            // A trailing semicolon stays: it marks a single "Last, First".
            None => return text,
        }
    }
}

/// The non-empty parts of a text between commas.
fn names(person: &str) -> Vec<String> {
    let parts = split_top(person, |sign| sign == ',').into_iter();
    let parts = parts.map(one_line);
    parts.filter(|part| !part.is_empty()).collect()
}

/// Joins "Jr." and the like to the name before it, and removes braces inside names.
fn joined_suffixes(names: &[String]) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for name in names {
        match joined.last_mut() {
            Some(last) if is_suffix(name) => *last = format!("{last} {name}"),
            _ => {
                let read = aris_paper::names::parse(name);
                joined.push(if read.corporate {
                    read.listed()
                } else {
                    name.replace(['{', '}'], "")
                });
            }
        }
    }
    joined
}

/// Whether the text is initials: `Y.`, `J.-P.`, `A. B.`
fn is_initials(name: &str) -> bool {
    name.contains('.')
        && name
            .split(|sign: char| matches!(sign, '.' | '-') || sign.is_whitespace())
            .all(|part| part.chars().count() < 2 && part.chars().all(char::is_uppercase))
}
