//! arXiv identifiers in running text.

use std::ops::Range;

use super::arxiv::{ArxivId, ArxivIdError, PREFIXES, candidate_end, parse_body, shorten};

/// An announced identifier in running text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArxivMention {
    /// Byte range of the identifier, without the announcing prefix.
    pub range: Range<usize>,
    /// The identifier, or why it cannot be one.
    pub id: Result<ArxivId, ArxivIdError>,
}

/// Finds the identifiers that a text announces: `arXiv:…`, an arxiv.org address, arXiv's DOI prefix.
///
/// Bare numbers (`2401.00001` alone) are not reported, because they may mean something else. An identifier ends where the next
/// announcement begins. The result is in order of appearance; the time is linear in the length of the text.
pub fn arxiv_mentions(text: &str) -> Vec<ArxivMention> {
    let folded = text.to_ascii_lowercase();
    let mut found: Vec<ArxivMention> = Vec::new();
    let mut prefix = next_prefix(&folded, 0);
    while let Some(Range { end: start, .. }) = prefix {
        prefix = next_prefix(&folded, start);
        let limit = prefix.as_ref().map_or(text.len(), |next| next.start);
        let rest = text.get(start..limit).unwrap_or_default();
        let body = rest.get(..candidate_end(rest)).unwrap_or_default();
        let body = body.strip_suffix(".pdf").unwrap_or(body);
        let body = body.trim_end_matches(['.', '/', '-']);
        // `arXiv:` in a sentence without a digit after it announces nothing.
        if !body.bytes().any(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let id = parse_body(body).unwrap_or_else(|| Err(ArxivIdError::Shape(shorten(body))));
        found.push(ArxivMention {
            range: start..start + body.len(),
            id,
        });
    }
    found
}

/// Finds the next announcing prefix at or after `from`.
fn next_prefix(folded: &str, from: usize) -> Option<Range<usize>> {
    let mut at = from;
    loop {
        let rest = folded.get(at..)?;
        // Every prefix contains this word; find it first, then determine which prefix it is.
        let word = at + rest.find("arxiv")?;
        let begin = if folded
            .get(..word)
            .is_some_and(|head| head.ends_with("10.48550/"))
        {
            word - "10.48550/".len()
        } else {
            word
        };
        let here = folded.get(begin..)?;
        if let Some(prefix) = PREFIXES.iter().find(|prefix| here.starts_with(**prefix)) {
            return Some(begin..begin + prefix.len());
        }
        at = word + "arxiv".len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_need_an_announcement() {
        let text = "see arXiv:1706.03762v2, (https://arxiv.org/abs/2413.00001) and 10.48550/arXiv.2310.01362. \
                    Not 2401.00001, not arXiv preprint; arxiv.org/pdf/1810.04805.pdf";
        let found = arxiv_mentions(text);
        let shown: Vec<String> = found
            .iter()
            .map(|mention| match &mention.id {
                Ok(id) => id.to_string(),
                Err(error) => format!("! {error}"),
            })
            .collect();
        assert_eq!(shown[0], "1706.03762v2");
        assert!(shown[1].contains("month 13"), "{shown:?}");
        assert_eq!(shown[2..], ["2310.01362", "1810.04805"]);
        let ranges = found.iter().map(|mention| text.get(mention.range.clone()));
        let named: Vec<&str> = ranges.flatten().collect();
        let written = ["1706.03762v2", "2413.00001", "2310.01362", "1810.04805"];
        assert_eq!(named, written);
    }

    #[test]
    fn an_identifier_ends_where_the_next_announcement_begins() {
        let text =
            "arXiv:2401.00001arxiv.org/abs/2401.00002arXiv:hep-th/990100110.48550/arXiv.2310.01362";
        let found = arxiv_mentions(text);
        let shown: Vec<String> = found
            .into_iter()
            .filter_map(|mention| Some(mention.id.ok()?.to_string()))
            .collect();
        assert_eq!(
            shown,
            ["2401.00001", "2401.00002", "hep-th/9901001", "2310.01362"]
        );
    }
}
