//! Finding identifiers in bytes, at the speed of reading them.
//!
//! Nearly no byte belongs to an identifier, so a block of bytes is first asked, with operations that compilers turn into vector
//! instructions, whether it holds a *core* at all: a point between four digits and four digits, or a slash before seven digits.
//! Only cores are looked at by the grammar.

use crate::grammar::{CONTEXT, Hit, resolve};

/// Positions that are asked at once.
const BLOCK: usize = 64;
/// Bytes before a position that belong to a core: four digits.
const BEFORE: usize = 4;
/// Bytes behind a position that belong to a core: seven digits.
const AFTER: usize = 7;
const SPAN: usize = BEFORE + BLOCK + AFTER;

/// Calls `each` with every hit of `bytes` and with a way to learn its line, in order.
pub(crate) fn scan(bytes: &[u8], mut each: impl FnMut(Hit, &mut dyn FnMut() -> u64)) {
    let mut lines = Lines::default();
    hits(bytes, 0, bytes.len(), |hit| {
        let at = hit.at;
        each(hit, &mut || lines.at(bytes, at));
    });
}

/// Scans a text that arrives in pieces of any size, and finds what [`scan`] finds in the whole.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    buffer: Vec<u8>,
    /// Cores before this offset of the buffer are done.
    done: usize,
    lines: Lines,
}

impl Stream {
    /// Takes the next piece.
    pub(crate) fn feed(&mut self, piece: &[u8], each: impl FnMut(Hit, &mut dyn FnMut() -> u64)) {
        self.buffer.extend_from_slice(piece);
        // What a core names is known when its context is there.
        self.advance(self.buffer.len().saturating_sub(CONTEXT), each);
        let keep = self.done.saturating_sub(CONTEXT);
        self.lines.at(&self.buffer, keep);
        self.lines.counted -= keep;
        self.buffer.drain(..keep);
        self.done -= keep;
    }

    /// Says that there are no more pieces.
    pub(crate) fn finish(mut self, each: impl FnMut(Hit, &mut dyn FnMut() -> u64)) {
        self.advance(self.buffer.len(), each);
    }

    fn advance(&mut self, to: usize, mut each: impl FnMut(Hit, &mut dyn FnMut() -> u64)) {
        let (buffer, lines) = (&self.buffer, &mut self.lines);
        hits(buffer, self.done, to, |hit| {
            let at = hit.at;
            each(hit, &mut || lines.at(buffer, at));
        });
        self.done = self.done.max(to);
    }
}

/// Line numbers for ascending offsets, counted only as far as somebody asks.
#[derive(Debug, Default)]
struct Lines {
    counted: usize,
    feeds: u64,
}

impl Lines {
    /// Line of the byte at `at`, from 1.
    fn at(&mut self, bytes: &[u8], at: usize) -> u64 {
        self.feeds += line_feeds(bytes.get(self.counted..at).unwrap_or_default());
        self.counted = self.counted.max(at);
        self.feeds + 1
    }
}

/// Counts line feeds; in blocks that a byte can count, which is several times faster than one by one.
fn line_feeds(bytes: &[u8]) -> u64 {
    bytes
        .chunks(u8::MAX.into())
        .map(|block| {
            let feeds: u8 = block.iter().map(|&byte| u8::from(byte == b'\n')).sum();
            u64::from(feeds)
        })
        .sum()
}

/// Calls `each` with the hits whose cores lie in `from..to`.
fn hits(bytes: &[u8], from: usize, to: usize, mut each: impl FnMut(Hit)) {
    let mut start = from;
    while start < to {
        let flags = block(bytes, start);
        if let Some(flags) = flags {
            let positions = (start..to).zip(flags);
            for (at, _) in positions.filter(|(_, core)| *core != 0) {
                resolve(bytes, at).into_iter().for_each(&mut each);
            }
        }
        start += BLOCK;
    }
}

/// Which of the [`BLOCK`] positions from `start` on are cores; `None` when none is.
fn block(bytes: &[u8], start: usize) -> Option<[u8; BLOCK]> {
    let inside = start
        .checked_sub(BEFORE)
        .and_then(|first| bytes.get(first..first + SPAN)?.first_chunk());
    if let Some(span) = inside {
        return cores(span);
    }
    // At an end of the text: zeros, which are no digits, stand for what is not there.
    let mut span = [0; SPAN];
    let first = start.saturating_sub(BEFORE);
    let there = bytes.get(first..bytes.len().min(start + BLOCK + AFTER))?;
    span.get_mut(BEFORE - (start - first)..)?
        .iter_mut()
        .zip(there)
        .for_each(|(to, from)| *to = *from);
    cores(&span)
}

/// The cores of a span: loops over arrays of fixed size, one after the other, without branches.
fn cores(span: &[u8; SPAN]) -> Option<[u8; BLOCK]> {
    let mut digit = [0_u8; SPAN];
    for (flag, byte) in digit.iter_mut().zip(span) {
        *flag = u8::from(byte.wrapping_sub(b'0') < 10);
    }
    // Four digits from here on.
    let mut four = [0_u8; SPAN - 3];
    for (at, flag) in four.iter_mut().enumerate() {
        *flag = digit[at] & digit[at + 1] & digit[at + 2] & digit[at + 3];
    }
    // Prose has none, and is done here.
    if four.iter().fold(0, |any, flag| any | flag) == 0 {
        return None;
    }
    let mut flags = [0_u8; BLOCK];
    let mut any = 0;
    for (at, flag) in flags.iter_mut().enumerate() {
        let byte = span[at + BEFORE];
        let behind = four[at + BEFORE + 1];
        let new = u8::from(byte == b'.') & four[at] & behind;
        let old = u8::from(byte == b'/') & behind & four[at + BEFORE + 4];
        *flag = new | old;
        any |= *flag;
    }
    (any != 0).then_some(flags)
}

/// The definition of a core, for tests: slow and plain.
#[cfg(test)]
pub(crate) fn is_core(bytes: &[u8], at: usize) -> bool {
    let digits = |from: usize, count: usize| {
        bytes
            .get(from..from + count)
            .is_some_and(|run| run.iter().all(u8::is_ascii_digit))
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

    type Found = Vec<(Hit, u64)>;

    fn fast(bytes: &[u8]) -> Found {
        let mut found = Vec::new();
        scan(bytes, |hit, line| found.push((hit, line())));
        found
    }

    fn slow(bytes: &[u8]) -> Found {
        (0..bytes.len())
            .filter(|&at| is_core(bytes, at))
            .filter_map(|at| resolve(bytes, at))
            .map(|hit| {
                let before = &bytes[..hit.at];
                let line = 1 + before.iter().filter(|byte| **byte == b'\n').count() as u64;
                (hit, line)
            })
            .collect()
    }

    fn in_pieces(bytes: &[u8], sizes: &[usize]) -> Vec<(Named, bool, u64)> {
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

    /// Texts in which identifiers, pieces of them and what surrounds them are frequent.
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
        fn the_fast_scanner_finds_what_the_naive_one_finds(bytes in texts()) {
            prop_assert_eq!(fast(&bytes), slow(&bytes));
        }

        #[test]
        fn pieces_do_not_matter(bytes in texts(), sizes in vec(1_usize..200, 1..8)) {
            let whole: Vec<_> = fast(&bytes).into_iter().map(|(hit, line)| (hit.id, hit.announced, line)).collect();
            prop_assert_eq!(in_pieces(&bytes, &sizes), whole);
        }

        #[test]
        fn every_announced_identifier_is_found(bytes in texts()) {
            let text = String::from_utf8_lossy(&bytes);
            let mut announced = Vec::new();
            scan(text.as_bytes(), |hit, _| if let (Named::Id(id), true) = (hit.id, hit.announced) { announced.push(id) });
            for mention in arxiv_mentions(&text) {
                if let Ok(id) = mention.id {
                    prop_assert!(announced.contains(&id.without_version()), "{} in {:?}", id, text);
                }
            }
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in vec(any::<u8>(), 0..400)) {
            prop_assert_eq!(fast(&bytes), slow(&bytes));
        }
    }

    #[test]
    fn hits_at_both_ends_and_at_every_offset_of_a_block() {
        for pad in 0..2 * BLOCK + 3 {
            let text = format!("{}2401.00001{}", " ".repeat(pad), "\n".repeat(pad % 7));
            assert_eq!(fast(text.as_bytes()).len(), 1, "{pad}");
        }
    }
}
