//! Where in a shell script a text stands that is quoted as one word.

use std::iter::Peekable;
use std::str::Chars;

/// What is open at a place in a script.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Quote,
    Backquote,
    /// Parentheses.
    Group,
    Arithmetic,
    /// `${…}`, in double quotes or not.
    Brace(bool),
}

/// What a word that begins after `script` stands in, where its quotes do not protect it; `None` where they do.
///
/// **Source**: Bash Reference Manual, "Quoting", "Shell Expansions", "Here Documents".
pub(super) fn around(script: &str) -> Option<&'static str> {
    let mut open: Vec<Open> = Vec::new();
    let mut documents: Vec<(String, bool)> = Vec::new();
    let mut letters = script.chars().peekable();
    let mut before = '\n';
    while let Some(letter) = letters.next() {
        let top = open.last().copied();
        let bare = !matches!(top, Some(Open::Quote | Open::Brace(true)));
        match (letter, top) {
            ('\\', _) => drop(letters.next()),
            ('\'', _) if bare => loop {
                match letters.next() {
                    None => return Some("single quotes"),
                    Some('\'') => break,
                    // `$'…'` has escapes.
                    Some('\\') if before == '$' => drop(letters.next()),
                    Some(_) => {}
                }
            },
            ('"', Some(Open::Quote))
            | ('`', Some(Open::Backquote))
            | ('}', Some(Open::Brace(_))) => {
                open.pop();
            }
            (')', Some(Open::Group | Open::Arithmetic)) => drop(open.pop()),
            ('"', _) => open.push(Open::Quote),
            ('`', _) => open.push(Open::Backquote),
            ('$', _) if letters.next_if_eq(&'{').is_some() => open.push(Open::Brace(!bare)),
            ('(', _) if bare || before == '$' => {
                let double = letters.next_if_eq(&'(').is_some();
                let kind = if double {
                    Open::Arithmetic
                } else {
                    Open::Group
                };
                open.extend(std::iter::repeat_n(kind, 1 + usize::from(double)));
            }
            ('#', _) if bare && (before.is_whitespace() || ";&|(".contains(before)) => {
                while letters.next_if(|letter| *letter != '\n').is_some() {}
                if letters.peek().is_none() {
                    return Some("a comment");
                }
            }
            ('<', _) if bare && top != Some(Open::Arithmetic) && letters.peek() == Some(&'<') => {
                letters.next();
                if letters.next_if_eq(&'<').is_none() {
                    documents.push(delimiter(&mut letters));
                }
            }
            ('\n', _) if bare => {
                for (end, tabs) in documents.drain(..) {
                    if !skip(&mut letters, &end, tabs) {
                        return Some("a here-document");
                    }
                }
            }
            _ => {}
        }
        before = letter;
    }
    match open.last() {
        Some(Open::Quote | Open::Brace(true)) => Some("double quotes"),
        _ if open.contains(&Open::Backquote) => Some("backquotes"),
        _ => None,
    }
}

/// The word that ends a here-document, without quotes, and whether tabs may stand before it.
fn delimiter(letters: &mut Peekable<Chars<'_>>) -> (String, bool) {
    let tabs = letters.next_if_eq(&'-').is_some();
    while letters
        .next_if(|letter| matches!(letter, ' ' | '\t'))
        .is_some()
    {}
    let is_word = |letter: &char| !letter.is_whitespace() && !";&|<>()".contains(*letter);
    let word = std::iter::from_fn(|| letters.next_if(is_word));
    let plain = word.filter(|letter| !matches!(letter, '\'' | '"' | '\\'));
    (plain.collect(), tabs)
}

/// Skips a here-document; returns whether it ends.
fn skip(letters: &mut Peekable<Chars<'_>>, end: &str, tabs: bool) -> bool {
    while letters.peek().is_some() {
        let line: String = letters
            .by_ref()
            .take_while(|letter| *letter != '\n')
            .collect();
        let line = if tabs {
            line.trim_start_matches('\t')
        } else {
            &line
        };
        if line == end {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_where_a_word_stands_alone_its_quotes_protect_it() {
        for (script, wanted) in [
            ("echo ", None),
            ("echo \"", Some("double quotes")),
            ("echo 'a ", Some("single quotes")),
            ("echo \"a\" 'b' ", None),
            ("echo \\\" ", None),
            ("echo \"a\\\" ", Some("double quotes")),
            ("x=\"$(cat ", None),
            ("x=\"$(cat \"", Some("double quotes")),
            ("x=\"$(cat)", Some("double quotes")),
            ("x=`cat ", Some("backquotes")),
            ("x=\"${y:-", Some("double quotes")),
            ("x=${y:-", None),
            ("x=\"${y:-it's}\" ", None),
            ("true # don't ", Some("a comment")),
            ("true # don't\necho ", None),
            ("echo $# a#b ", None),
            ("cat <<E\na ", Some("a here-document")),
            ("cat <<-'E' >f\na\n\tE\necho ", None),
            ("cat <<E ", None),
            ("cat <<<\"a\" ", None),
            ("echo $((1 << 2))\necho ", None),
            ("x=$'it\\'s' ", None),
            ("case $x in a) echo ", None),
        ] {
            assert_eq!(around(script), wanted, "{script}");
        }
    }
}
