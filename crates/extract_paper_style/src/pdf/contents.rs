//! Tables of contents and lists of figures and tables: lines that are neither headings nor running text.

/// Headings above such lists, as [`key`] writes them.
const NAMES: [&str; 16] = [
    "contents",
    "tableofcontents",
    "listoffigures",
    "listoftables",
    "listofalgorithms",
    "listoflistings",
    "inhaltsverzeichnis",
    "abbildungsverzeichnis",
    "tabellenverzeichnis",
    "tabledesmatières",
    "sommaire",
    "índice",
    "indice",
    "inhoudsopgave",
    "目录",
    "目次",
];
/// Points in a row that lead to a page number.
const LEADER: usize = 3;
/// Words of a line that is text and no title, so many lines of text end a list, and so many titles without a page.
const TEXT: (usize, usize, usize) = (9, 2, 60);

/// The letters and digits of a text, in lower case, at most so many.
pub(crate) fn key(text: &str, most: usize) -> String {
    text.chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .take(most)
        .collect()
}

/// Makes the lines of such lists blank: lines in which points lead to a page, and below the heading of a list those that end with a page.
pub(crate) fn remove(lines: &mut [&str]) {
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let is_list = line.len() < 60 && NAMES.contains(&key(line, 60).as_str());
        let end = if is_list {
            list(lines, at + 1)
        } else {
            at + usize::from(leads(line))
        };
        // Two entries at least, or the heading is that of something else.
        if !is_list || end > at + 1 {
            lines.get_mut(at..end).unwrap_or_default().fill("");
        }
        at = end.max(at + 1);
    }
}

/// The end of the list whose entries begin at line `start`; `start` when there are fewer than two.
fn list(lines: &[&str], start: usize) -> usize {
    let (mut end, mut entries, mut text, mut titles) = (start, 0, 0, 0);
    for (at, line) in lines.iter().enumerate().skip(start) {
        if leads(line) || page(line).is_some() {
            (end, text, titles) = (at + 1, 0, 0);
            entries += 1;
        } else if line.split_whitespace().count() >= TEXT.0 {
            text += 1;
        } else {
            // The numbers of the pages may stand below all titles.
            titles += usize::from(!line.is_empty());
        }
        if text >= TEXT.1 || titles >= TEXT.2 {
            break;
        }
    }
    if entries > 1 { end } else { start }
}

/// The text before the number of a page that ends a line, or all of a line that is one.
fn page(line: &str) -> Option<&str> {
    let (before, last) = line.rsplit_once([' ', '.']).unwrap_or(("", line));
    let arabic = last.bytes().all(|byte| byte.is_ascii_digit()) && last.len() <= 4;
    let roman = last.bytes().all(|byte| b"ivxlc".contains(&byte)) && last.len() <= 6;
    (!last.is_empty() && (arabic || roman)).then_some(before)
}

/// Whether points stand at the end of a line or lead to a page there.
fn leads(line: &str) -> bool {
    let rest = page(line).unwrap_or(line);
    let points = rest.chars().rev().take_while(|letter| {
        matches!(letter, '.' | '·' | '…' | '_' | '․') || letter.is_whitespace()
    });
    let count = |letter| match letter {
        '…' => LEADER,
        letter => usize::from(!char::is_whitespace(letter)),
    };
    points.map(count).sum::<usize>() >= LEADER + usize::from(page(line).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_told_from_text() {
        for (text, expected) in [
            (
                "Contents|1 One 3|2 Two|parts 7|Preface ix||One|Text.",
                "||||||One|Text.",
            ),
            ("A . . . . 7|Text...|so|B.....", "|Text...|so|"),
            (
                "Contents|of a bottle|are three|more",
                "Contents|of a bottle|are three|more",
            ),
        ] {
            let mut lines: Vec<&str> = text.split('|').collect();
            remove(&mut lines);
            assert_eq!(lines.join("|"), expected);
        }
    }
}
