//! The managed block in a host's instruction file: its position, and its bytes for a digest.
//!
//! **Source**: the markers are the reference's, so that both programs recognise each other's blocks.

use std::ops::Range;

/// The lines around the block for Codex.
pub const CODEX: [&str; 2] = ["<!-- ARIS-CODEX:BEGIN -->", "<!-- ARIS-CODEX:END -->"];

/// The lines around the block for other hosts.
pub const OTHERS: [&str; 2] = ["<!-- ARIS:BEGIN -->", "<!-- ARIS:END -->"];

/// The byte range of the block including its markers; `None` if there is no marker. **Errors**: byte offset of the wrong marker.
pub fn find(text: &[u8], [begin, end]: [&str; 2]) -> Result<Option<Range<usize>>, usize> {
    let (begins, ends) = (places(text, begin), places(text, end));
    match (begins.as_slice(), ends.as_slice()) {
        ([], []) => Ok(None),
        ([from], [to]) if from < to => Ok(Some(*from..to + end.len())),
        ([from], []) | ([_, from, ..], _) => Err(*from),
        ([_], [to] | [_, to, ..]) | ([], [to, ..]) => Err(*to),
    }
}

/// The offsets of `marker`, at most two: more are as wrong as two.
fn places(text: &[u8], marker: &str) -> Vec<usize> {
    let marker = marker.as_bytes();
    let starts = text.windows(marker.len()).enumerate();
    starts
        .filter(|(_, window)| *window == marker)
        .map(|(at, _)| at)
        .take(2)
        .collect()
}

/// The bytes that the digest of a block covers: with `\n` for `\r\n`, because editors and git change line ends.
pub fn without_style(block: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(block.len());
    for (at, byte) in block.iter().enumerate() {
        if *byte != b'\r' || block.get(at + 1) != Some(&b'\n') {
            plain.push(*byte);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_one_beginning_and_after_it_one_end() {
        let found = |text: &'static str| find(text.as_bytes(), ["<b>", "<e>"]);
        assert_eq!(found("no markers"), Ok(None));
        assert_eq!(found("x\r\n<b>\r\ny\r\n<e>"), Ok(Some(3..14)));
        for (text, at) in [
            ("x\n<b>\n", 2),
            ("<e>\n", 0),
            ("<e>\n<b>\n", 0),
            ("<b>\n<b>\n<e>\n", 4),
            ("<b>\n<e>\n<e>\n", 8),
        ] {
            assert_eq!(found(text), Err(at), "{text:?}");
        }
        assert_eq!(without_style(b"a\r\nb\rc\n"), b"a\nb\rc\n");
    }
}
