//! Decides what a place in a text names: the grammar of arXiv identifiers, applied where the scanner found digits.
//!
//! An identifier is *announced* when the text says that it is one: `arXiv:…`, an arxiv.org address, arXiv's DOI, or a field called
//! `arxiv`, `arxiv_id` or `eprint`. Any other is *bare*: the number may mean something else, so it only counts when it stands alone,
//! not as part of a longer number, word or path, and not as a number in JSON. [`ArxivId`] alone decides which numbers are valid.

use aris_contract::ids::{ArxivId, arxiv_mentions};

/// Bytes on either side of a core that are examined. Twice the length of the longest announcement and identifier:
/// `https://export.arxiv.org/e-print/` is 33 bytes, `supr-con.XX/` 12.
pub(crate) const CONTEXT: usize = 64;

/// Names of fields that hold an arXiv identifier.
const FIELDS: [&[u8]; 7] = [
    b"arxiv",
    b"arxivid",
    b"arxiv_id",
    b"arxiv_ids",
    b"arxiv-id",
    b"arxiv-ids",
    b"eprint",
];

/// An identifier found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    /// The identifier without its version, or the text of one that cannot exist.
    pub(crate) id: Named,
    /// Whether the text announces it.
    pub(crate) announced: bool,
}

/// The identifier, valid or not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Named {
    /// A valid identifier.
    Id(ArxivId),
    /// An announced identifier that cannot exist.
    Impossible {
        /// As written.
        text: String,
        /// The rule that it breaks.
        why: String,
    },
}

/// The identifier at the core `at` of `bytes`. A *core* is a dot between two groups of four digits, or a slash before seven digits;
/// `at` is the offset of the dot or slash. Examines [`CONTEXT`] bytes on either side.
pub(crate) fn resolve(bytes: &[u8], at: usize) -> Option<Hit> {
    let start = at.saturating_sub(CONTEXT);
    let end = bytes.len().min(at + CONTEXT);
    let window = bytes.get(start..end)?;
    let (id, announced) = resolve_window(window, at - start)?;
    Some(Hit { id, announced })
}

fn resolve_window(window: &[u8], at: usize) -> Option<(Named, bool)> {
    let (before, from_core) = window.split_at_checked(at)?;
    if let Some(named) = announced(window, before, at) {
        return Some((named, true));
    }
    let digits = digits_at_start(from_core.get(1..)?);
    let (head, field) = match from_core.first()? {
        b'.' if (4..=5).contains(&digits) => modern_head(before)?,
        b'/' if digits == 7 => legacy_head(before)?,
        _ => return None,
    };
    let after = from_core.get(1 + digits..)?;
    let version = version_length(after);
    if !ends(after.get(version..)?, from_core.first() == Some(&b'/')) {
        return None;
    }
    let token = window.get(head..at + 1 + digits + version)?;
    let id = ArxivId::parse(std::str::from_utf8(token).ok()?).ok()?;
    Some((Named::Id(id.without_version()), field))
}

/// The announced identifier that covers the core, if there is one.
fn announced(window: &[u8], before: &[u8], at: usize) -> Option<Named> {
    if !before
        .windows(5)
        .any(|word| word.eq_ignore_ascii_case(b"arxiv"))
    {
        return None;
    }
    // Each non-ASCII byte becomes one ASCII byte, so that offsets stay; announcements are ASCII only.
    let ascii: String = window
        .iter()
        .map(|&byte| {
            if byte.is_ascii() {
                char::from(byte)
            } else {
                '\u{1a}'
            }
        })
        .collect();
    let mention = arxiv_mentions(&ascii)
        .into_iter()
        .find(|mention| mention.range.contains(&at))?;
    match mention.id {
        Ok(id) => Some(Named::Id(id.without_version())),
        Err(error) if error.is_impossible() => Some(Named::Impossible {
            text: ascii.get(mention.range)?.to_owned(),
            why: error.to_string(),
        }),
        Err(_) => None,
    }
}

/// Offset of an identifier in the new scheme, and whether a field announces it; `None` when the number does not stand alone.
fn modern_head(before: &[u8]) -> Option<(usize, bool)> {
    let head = before.len().checked_sub(4)?;
    let before = before.get(..head)?;
    if in_field(before) {
        return Some((head, true));
    }
    let alone = match before {
        [] => true,
        [.., letter, b'-'] => letter.is_ascii_alphabetic(),
        [.., last] => {
            !(last.is_ascii_alphanumeric() || matches!(last, b'_' | b'.' | b'-' | b'+' | b'$'))
        }
    };
    (alone && !is_json_number(before)).then_some((head, false))
}

/// Offset of an identifier in the old scheme. After a slash it is part of a path, unless the folder is `abs` or `pdf`.
fn legacy_head(before: &[u8]) -> Option<(usize, bool)> {
    let part = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'.');
    let run = before.iter().rev().take_while(|byte| part(byte)).count();
    let (outside, archive) = before.split_at_checked(before.len() - run)?;
    let punctuation = archive
        .iter()
        .take_while(|byte| matches!(byte, b'-' | b'.'))
        .count();
    let (outside, archive) = before.split_at_checked(outside.len() + punctuation)?;
    if !archive.first()?.is_ascii_lowercase() {
        return None;
    }
    let alone = match outside {
        [] => true,
        [.., b'/'] => outside.ends_with(b"/abs/") || outside.ends_with(b"/pdf/"),
        [.., last] => !(last.is_ascii_alphanumeric() || matches!(last, b'_' | b'.' | b'-' | b'~')),
    };
    alone.then(|| (outside.len(), in_field(outside)))
}

/// Whether the text before a value ends with the name of an identifier field: `eprint = {`, `"arxiv_id": "`.
fn in_field(before: &[u8]) -> bool {
    let space = |byte: &u8| {
        matches!(
            byte,
            b' ' | b'\t' | b'"' | b'\'' | b'{' | b'[' | b'(' | b'=' | b':' | b'-' | b'_'
        )
    };
    let gap = before.iter().rev().take_while(|byte| space(byte)).count();
    let before = before.get(..before.len() - gap).unwrap_or_default();
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let length = before.iter().rev().take_while(|byte| word(byte)).count();
    let name = before.get(before.len() - length..).unwrap_or_default();
    gap > 0 && FIELDS.iter().any(|field| name.eq_ignore_ascii_case(field))
}

/// Whether the text before a number makes it a JSON number (`"loss": `). In JSON, identifiers are strings.
fn is_json_number(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    before
        .strip_suffix(b":")
        .is_some_and(|key| key.trim_ascii_end().ends_with(b"\""))
}

/// Whether the number ends before `after`.
fn ends(after: &[u8], legacy: bool) -> bool {
    match after {
        [] => true,
        [b'.' | b'-', next, ..] => !next.is_ascii_digit(),
        [b'/', ..] => !legacy,
        [next, ..] => !(next.is_ascii_alphanumeric() || matches!(next, b'_' | b'%' | b'+')),
    }
}

fn digits_at_start(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count()
}

/// Length of a version such as `v2` at the start of `after`; 0 if there is none.
fn version_length(after: &[u8]) -> usize {
    match after {
        [b'v' | b'V', rest @ ..] => match digits_at_start(rest) {
            0 => 0,
            digits => 1 + digits,
        },
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The identifiers in `text`, with `!` before impossible ones and `?` before bare ones.
    fn names(text: &str) -> Vec<String> {
        (0..text.len())
            .filter(|&at| crate::scanner::is_core(text.as_bytes(), at))
            .filter_map(|at| resolve(text.as_bytes(), at))
            .map(|hit| match (hit.id, hit.announced) {
                (Named::Id(id), true) => id.to_string(),
                (Named::Id(id), false) => format!("?{id}"),
                (Named::Impossible { text, .. }, _) => format!("!{text}"),
            })
            .collect()
    }

    #[test]
    fn what_is_named() {
        let cases: &[(&str, &[&str])] = &[
            // Announced.
            ("arXiv:1706.03762v5.", &["1706.03762"]),
            (
                "https://arxiv.org/pdf/1706.03762v2.pdf?x=1",
                &["1706.03762"],
            ),
            ("doi = {10.48550/arXiv.2310.01362},", &["2310.01362"]),
            ("https://arxiv.org/abs/math.GT/0309136", &["math/0309136"]),
            ("  eprint = {2310.01362},", &["2310.01362"]),
            ("  eprint={hep-th/9901001},", &["hep-th/9901001"]),
            ("{\"arxiv_id\": \"1810.04805\"}", &["1810.04805"]),
            ("{\"arxiv_id\": 1810.04805}", &["1810.04805"]),
            ("arxiv_1810.04805.md", &["1810.04805"]),
            ("arXiv 0704.0001", &["0704.0001"]),
            // Bare.
            ("2401.00001", &["?2401.00001"]),
            (
                "(2401.00001, 2401.00002v3)",
                &["?2401.00001", "?2401.00002"],
            ),
            (
                "id_list=2401.00001,2401.00002",
                &["?2401.00001", "?2401.00002"],
            ),
            (
                "https://huggingface.co/papers/2401.00001/",
                &["?2401.00001"],
            ),
            ("https://www.alphaxiv.org/abs/2401.00001", &["?2401.00001"]),
            (
                "https://scirate.com/abs/hep-th/9901001",
                &["?hep-th/9901001"],
            ),
            ("见2401.00001。", &["?2401.00001"]),
            ("see hep-th/9901001v2.", &["?hep-th/9901001"]),
            ("vaswani-1706.03762", &["?1706.03762"]),
            ("refs/1706.03762.pdf", &["?1706.03762"]),
            // Paths and longer numbers.
            ("path/1234567", &[]),
            ("data/cs/0601001", &[]),
            ("cs/0601001/file", &[]),
            ("cs/06010012", &[]),
            ("Math/0309136", &[]),
            ("foo/9901001", &[]),
            ("12401.00001", &[]),
            ("2401.000011", &[]),
            ("2401.0001", &[]),
            ("1.2401.00001", &[]),
            ("2401.00001.2", &[]),
            ("-1012.5512", &[]),
            ("$1012.5512", &[]),
            ("1012.5512%", &[]),
            ("1012.5512e3", &[]),
            ("x1012.5512", &[]),
            ("1012.5512-1013.1234", &[]),
            ("\"loss\": 1012.5512,", &[]),
            ("\"loss\" : 1012.5512", &[]),
            ("2413.00001", &[]),
            // Announced but impossible.
            ("arXiv:2413.00001", &["!2413.00001"]),
            ("https://arxiv.org/abs/1501.0001", &["!1501.0001"]),
        ];
        for (text, wanted) in cases {
            assert_eq!(names(text), *wanted, "{text}");
        }
    }

    #[test]
    fn a_prefix_of_an_identifier_is_another_one() {
        assert_eq!(names("arXiv:1012.12345"), ["!1012.12345"]);
        assert_eq!(names("arXiv:1412.1234"), ["1412.1234"]);
        assert_eq!(names("arXiv:2501.123456"), Vec::<String>::new());
    }
}
