//! Finds identifiers in bytes that arrive in pieces.
//!
//! Few bytes belong to an identifier, so the grammar examines only *cores*: a dot between two groups of four digits, or a slash before
//! seven digits.

use crate::grammar::{CONTEXT, Hit, resolve};

/// Scans a text that arrives in pieces of any size; the result is the same as for the whole text.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    buffer: Vec<u8>,
    /// Cores before this offset of the buffer have been examined.
    done: usize,
    /// Number of line feeds before the offset `counted` of the buffer. Counted only when a line number is needed.
    feeds: u64,
    counted: usize,
}

impl Stream {
    /// Adds the next piece. Calls `each` in order with every hit and a function that computes its line.
    pub(crate) fn feed(&mut self, piece: &[u8], each: impl FnMut(Hit, &mut dyn FnMut() -> u64)) {
        self.buffer.extend_from_slice(piece);
        // A core can be resolved once its context has arrived.
        self.advance(self.buffer.len().saturating_sub(CONTEXT), each);
        let keep = self.done.saturating_sub(CONTEXT);
        self.line(keep);
        self.counted -= keep;
        self.buffer.drain(..keep);
        self.done -= keep;
    }

    /// Ends the text and examines the rest.
    pub(crate) fn finish(mut self, each: impl FnMut(Hit, &mut dyn FnMut() -> u64)) {
        self.advance(self.buffer.len(), each);
    }

    fn advance(&mut self, to: usize, mut each: impl FnMut(Hit, &mut dyn FnMut() -> u64)) {
        for at in self.done..to {
            if is_core(&self.buffer, at)
                && let Some(hit) = resolve(&self.buffer, at)
            {
                each(hit, &mut || self.line(at));
            }
        }
        self.done = self.done.max(to);
    }

    /// Line number of the byte at `at`, from 1. Offsets must not decrease between calls.
    fn line(&mut self, at: usize) -> u64 {
        let next = self.buffer.get(self.counted..at).unwrap_or_default();
        self.feeds += next.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.counted = self.counted.max(at);
        self.feeds + 1
    }
}

/// Whether `at` is a dot between two groups of four digits or a slash before seven digits.
pub(crate) fn is_core(bytes: &[u8], at: usize) -> bool {
    let digits = |from: usize, count: usize| {
        let run = bytes.get(from..from + count);
        run.is_some_and(|run| run.iter().all(u8::is_ascii_digit))
    };
    match bytes.get(at) {
        Some(b'.') => at >= 4 && digits(at - 4, 4) && digits(at + 1, 4),
        Some(b'/') => digits(at + 1, 7),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use aris_contract::ids::arxiv_mentions;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::grammar::Named;

    type Found = Vec<(Named, bool, u64)>;

    fn whole(bytes: &[u8]) -> Found {
        (0..bytes.len())
            .filter(|&at| is_core(bytes, at))
            .filter_map(|at| Some((at, resolve(bytes, at)?)))
            .map(|(at, hit)| {
                let before = &bytes[..at];
                let line = 1 + before.iter().filter(|byte| **byte == b'\n').count() as u64;
                (hit.id, hit.announced, line)
            })
            .collect()
    }

    fn in_pieces(bytes: &[u8], sizes: &[usize]) -> Found {
        let mut found = Vec::new();
        let mut stream = Stream::default();
        let mut rest = bytes;
        let mut sizes = sizes.iter().cycle();
        while !rest.is_empty() {
            let size = sizes.next().copied().unwrap_or(1).clamp(1, rest.len());
            let (piece, tail) = rest.split_at(size);
            stream.feed(piece, |hit, line| {
                found.push((hit.id, hit.announced, line()));
            });
            rest = tail;
        }
        stream.finish(|hit, line| found.push((hit.id, hit.announced, line())));
        found
    }

    /// Texts with many identifiers, parts of identifiers and typical surroundings.
    fn texts() -> impl Strategy<Value = Vec<u8>> {
        let pieces = select(vec![
            "arXiv:",
            "arxiv.org/abs/",
            "https://",
            "10.48550/arXiv.",
            "eprint = {",
            "}",
            "\"",
            ": ",
            "2401.00001",
            "1706.03762v5",
            "0704.0001",
            "2413.00001",
            "hep-th/9901001",
            "cs/0601001",
            "path/1234567",
            "1012.5512",
            "\n",
            "\n\n",
            " ",
            ".",
            "/",
            "-",
            "_",
            "v2",
            "9",
            "12",
            "345",
            "0601001",
            "x",
            "见",
            "\u{feff}",
            "\0",
            "\r\n",
            "abs/",
            "%",
            ",",
        ]);
        let piece = prop_oneof![
            8 => pieces.prop_map(|text| text.as_bytes().to_vec()),
            1 => vec(any::<u8>(), 0..80),
        ];
        vec(piece, 0..60).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(bytes in texts(), sizes in vec(1_usize..200, 1..8)) {
            prop_assert_eq!(in_pieces(&bytes, &sizes), whole(&bytes));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in vec(any::<u8>(), 0..400), sizes in vec(1_usize..200, 1..8)) {
            prop_assert_eq!(in_pieces(&bytes, &sizes), whole(&bytes));
        }

        #[test]
        fn every_announced_identifier_is_found(bytes in texts()) {
            let text = String::from_utf8_lossy(&bytes);
            let found = whole(text.as_bytes());
            for mention in arxiv_mentions(&text) {
                if let Ok(id) = mention.id {
                    let named = Named::Id(id.without_version());
                    let announced = found.iter().any(|hit| hit.0 == named && hit.1);
                    prop_assert!(announced, "{} in {:?}", id, text);
                }
            }
        }
    }
}
