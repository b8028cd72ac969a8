//! Placeholders for authors, editors and titles.

use super::{Fact, FactKind, fact};
use crate::bib::{Field, Resolved};
use crate::names::{Name, NameList, parse_list};
use crate::tables::words;
use crate::titles::{fold, normalise};

pub(super) fn check(entry: &Resolved<'_>, found: &mut Vec<Fact>) {
    for name in ["author", "editor"] {
        if let Some(field) = entry.field(name) {
            check_list(field, &parse_list(&field.raw), found);
        }
    }
    if let Some(field) = entry.field("title") {
        let title = normalise(&field.text);
        let crossed_out = !title.is_empty() && title.chars().all(|c| c == 'x') && title.len() >= 3;
        if crossed_out
            || words("no title").contains(&title.as_str())
            || title.starts_with("lorem ipsum")
        {
            let message = format!("`{}` is a placeholder, not a title", field.text);
            found.push(fact(FactKind::PlaceholderTitle, field, message));
        }
    }
}

fn check_list(field: &Field, list: &NameList, found: &mut Vec<Fact>) {
    if list.names.is_empty() {
        if list.others {
            let message = format!("`{}` names nobody", field.text);
            found.push(fact(FactKind::NoNamedAuthor, field, message));
        }
        return;
    }
    if let Some(name) = list.names.iter().find(|name| is_nobody(name)) {
        let message = format!("`{}` is a placeholder, not a person", name.display());
        found.push(fact(FactKind::PlaceholderAuthor, field, message));
    } else if list.names.iter().any(|name| {
        matches!(
            key(name).as_str(),
            "anonymous" | "anon" | "anonymous author" | "anonymous authors"
        )
    }) {
        let message =
            "the author is given as anonymous; name the authors if the work has any".to_owned();
        found.push(fact(FactKind::AnonymousAuthor, field, message));
    }
    if has_et_al(&field.text) {
        let message =
            "the list ends in a literal \"et al.\"; name the authors, or write `and others`"
                .to_owned();
        found.push(fact(FactKind::LiteralEtAl, field, message));
    }
}

/// The folded name in reading order: words of letters and digits.
fn key(name: &Name) -> String {
    let folded = fold(&name.display());
    let words = folded.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

fn is_nobody(name: &Name) -> bool {
    let key = key(name);
    if words("nobody").contains(&key.as_str()) || key.chars().all(|c| c == 'x') && key.len() >= 3 {
        return true;
    }
    let words: Vec<&str> = key.split(' ').collect();
    match words.as_slice() {
        // `B. Author`, `Author C`, `Alice Example`
        [first, "author"] => first.chars().count() == 1,
        ["author", last] => last.chars().count() == 1,
        [_, "example"] => true,
        _ => false,
    }
}

fn has_et_al(text: &str) -> bool {
    let folded = fold(text);
    let words: Vec<&str> = folded
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty())
        .collect();
    words
        .windows(2)
        .any(|pair| matches!(pair, ["et", "al" | "al."]))
        || words.contains(&"et.al.")
}

#[cfg(test)]
mod tests {
    use crate::facts::tests::kinds;

    #[test]
    fn names_of_nobody() {
        let nobody = [
            "A. Author and B. Author",
            "Author, A.",
            "John Doe",
            "Doe, Jane",
            "First Last",
            "Firstname Lastname",
            "TODO",
            "{TBD}",
            "XXX",
            "Real Person and Second Author",
            "Author 1 and Author 2",
            "Your Name",
            "Alice Example and Bob Fiction",
            "Unknown Author",
        ];
        for author in nobody {
            let found = kinds(&format!(
                "@misc{{k, author = {{{author}}}, title = {{T x}}}}"
            ));
            assert_eq!(found, ["placeholder_author"], "{author}");
        }
        let people = [
            "Charles Author",
            "Author, Jean",
            "John Donne",
            "Jane Dow",
            "Yann LeCun",
            "{OpenAI}",
            "Wei Xxu",
            "Kim, A.",
            "Today, A.",
            "A. Authors",
            "Na, X.",
            "Plato",
            "王 小明",
            "{A. Author Group Inc}",
        ];
        for author in people {
            assert!(
                kinds(&format!("@misc{{k, author = {{{author}}}}}")).is_empty(),
                "{author}"
            );
        }
    }

    #[test]
    fn other_lists_and_titles() {
        let cases = [
            ("author = {others}", "no_named_author"),
            ("author = {Anonymous}", "anonymous_author"),
            ("author = {{Anonymous Authors}}", "anonymous_author"),
            ("author = {Vaswani, A. et al.}", "literal_et_al"),
            ("author = {Ashish Vaswani and et al}", "literal_et_al"),
            ("title = {TODO}", "placeholder_title"),
            ("title = {{Paper Title}}", "placeholder_title"),
            ("title = {Lorem ipsum dolor}", "placeholder_title"),
        ];
        for (fields, id) in cases {
            assert_eq!(kinds(&format!("@misc{{k, {fields}}}")), [id], "{fields}");
        }
        for fields in [
            "author = {A. Smith and others}",
            "title = {The title of nobility}",
            "title = {Todos los gatos}",
        ] {
            assert!(
                kinds(&format!("@misc{{k, {fields}}}")).is_empty(),
                "{fields}"
            );
        }
    }
}
