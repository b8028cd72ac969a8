//! A line of a table of contents: a title, leaders, the number of a page.

/// Points in a row that lead to a page number.
const LEADER: usize = 3;

/// A number of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Number {
    Roman(u32),
    Arabic(u32),
}

/// What a line of a list ends with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ending<'a> {
    pub(crate) title: &'a str,
    /// `None` when it stands on the next line.
    pub(crate) page: Option<Number>,
    pub(crate) leads: bool,
}

/// `Results ..... 41`, `Results 41`, `Results .....`; what stands on other lines is `None`.
pub(crate) fn entry(line: &str) -> Option<Ending<'_>> {
    let start = line
        .char_indices()
        .rev()
        .find(|(_, letter)| !letter.is_ascii_alphanumeric())
        .map_or(0, |(at, letter)| at + letter.len_utf8());
    let (before, last) = line.split_at_checked(start)?;
    let page = number(last);
    let (title, points) = led(if page.is_some() { before } else { line });
    let leads = points >= LEADER;
    let parted = before.ends_with(char::is_whitespace);
    let has_title = title
        .chars()
        .filter(|letter| letter.is_alphabetic())
        .nth(1)
        .is_some();
    (has_title && (leads || page.is_some() && parted)).then_some(Ending { title, page, leads })
}

/// Whether points stand at the end of a line or lead to a page there.
pub(crate) fn leads(line: &str) -> bool {
    entry(line).is_some_and(|ending| ending.leads)
}

/// `..... 41`, where the title stands on the line before.
pub(crate) fn tail(line: &str) -> Option<Number> {
    let page = line.trim_start_matches(|letter: char| is_leader(letter) || letter == ' ');
    let (_, points) = led(line.strip_suffix(page)?);
    number(page).filter(|_| points >= LEADER)
}

fn is_leader(letter: char) -> bool {
    matches!(letter, '.' | '·' | '…' | '_' | '․')
}

/// A text without the points at its end, and how many they are.
fn led(text: &str) -> (&str, usize) {
    let title = text.trim_end_matches(|letter: char| is_leader(letter) || letter.is_whitespace());
    let rest = text.get(title.len()..).unwrap_or_default();
    let points = rest.chars().filter(|letter| is_leader(*letter));
    let count = points
        .map(|letter| if letter == '…' { LEADER } else { 1 })
        .sum();
    (title, count)
}

/// `41`, `xii`.
pub(crate) fn number(text: &str) -> Option<Number> {
    if text.is_empty() || text.len() > 8 {
        return None;
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text
            .parse()
            .ok()
            .filter(|page| *page < 10_000)
            .map(Number::Arabic);
    }
    let value = |byte: u8| match byte {
        b'i' => Some(1),
        b'v' => Some(5),
        b'x' => Some(10),
        b'l' => Some(50),
        b'c' => Some(100),
        _ => None,
    };
    let values: Option<Vec<u32>> = text.bytes().map(value).collect();
    let values = values?;
    let mut sum = 0;
    for (at, one) in values.iter().enumerate() {
        let next = values.get(at + 1).copied().unwrap_or(0);
        sum = if *one < next {
            sum - i64::from(*one)
        } else {
            sum + i64::from(*one)
        };
    }
    u32::try_from(sum).ok().map(Number::Roman)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_numbers_of_pages_are_read() {
        let parts = |line| entry(line).map(|one| (one.title, one.page, one.leads));
        assert_eq!(
            parts("3.2 Results ..... 41"),
            Some(("3.2 Results", Some(Number::Arabic(41)), true))
        );
        assert_eq!(
            parts("Results......41"),
            Some(("Results", Some(Number::Arabic(41)), true))
        );
        assert_eq!(
            parts("Preface ix"),
            Some(("Preface", Some(Number::Roman(9)), false))
        );
        assert_eq!(parts("Results . . . ."), Some(("Results", None, true)));
        for none in ["Results", "Table-41", "41", "", "It ends."] {
            assert_eq!(parts(none), None, "{none}");
        }
        assert_eq!(tail(". . . 7"), Some(Number::Arabic(7)));
        assert_eq!((tail("7"), tail("...")), (None, None));
        assert_eq!(number("xiv"), Some(Number::Roman(14)));
        for none in ["", "12345", "xiv7", "mix", "99999999999999"] {
            assert_eq!(number(none), None, "{none}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_line_makes_it_panic(line in "([0-9ivx. …_é]|\\PC){0,40}") {
            let found = (entry(&line), tail(&line), number(&line));
            proptest::prop_assert!(found.0.is_none_or(|found| line.contains(found.title)));
        }
    }
}
