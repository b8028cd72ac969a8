//! Search for out-of-memory messages in a log of any size and encoding.

use std::path::Path;

use crate::format::OomText;
use aris_fs::FsError;
use regex::bytes::{Regex, RegexBuilder};

/// Bytes that are read at once.
const PIECE: usize = 256 * 1024;

/// Looks for the first of `patterns` in the log, from byte `from` on. `each` is called after each piece that was read.
///
/// It searches bytes, because a log may hold anything. It reads the log once, and keeps about one piece in memory.
pub(super) fn search(
    log: &Path,
    from: u64,
    patterns: &[String],
    mut each: impl FnMut(),
) -> Result<Option<OomText>, FsError> {
    let Some((any, longest)) = compiled(patterns) else {
        return Ok(None);
    };
    let mut buffer = vec![0_u8; PIECE];
    let mut window: Vec<u8> = Vec::new();
    // Offset in the log of the window's first byte.
    let mut begin = 0_u64;
    let mut found = None;
    aris_fs::open(log)?.stream_while(&mut buffer, |piece| {
        window.extend_from_slice(piece);
        let skipped = usize::try_from(from.saturating_sub(begin)).unwrap_or(usize::MAX);
        let looked = window.get(skipped..).unwrap_or_default();
        found = any.find(looked).map(|hit| OomText {
            pattern: String::from_utf8_lossy(hit.as_bytes()).into_owned(),
            offset: begin + (skipped + hit.start()) as u64,
        });
        // A pattern may extend over two pieces.
        let spent = window.len().saturating_sub(longest.saturating_sub(1));
        window.drain(..spent);
        begin += spent as u64;
        each();
        found.is_none()
    })?;
    Ok(found)
}

/// An expression that matches any of the literal patterns, and the length of the longest.
fn compiled(patterns: &[String]) -> Option<(Regex, usize)> {
    let patterns: Vec<&String> = patterns.iter().filter(|text| !text.is_empty()).collect();
    let longest = patterns.iter().map(|pattern| pattern.len()).max()?;
    let alternatives: Vec<String> = patterns.iter().map(|text| regex::escape(text)).collect();
    // Escaped texts always form a valid expression; only its size could make this fail.
    let any = RegexBuilder::new(&alternatives.join("|"))
        .unicode(false)
        .size_limit(usize::MAX)
        .build()
        .ok()?;
    Some((any, longest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked(content: &[u8], from: u64, patterns: &[&str]) -> Option<(String, u64)> {
        let folder = tempfile::tempdir().expect("temp");
        let log = folder.path().join("log");
        aris_fs::write_unsynced(&log, content).expect("written");
        let patterns: Vec<String> = patterns.iter().map(|text| String::from(*text)).collect();
        search(&log, from, &patterns, || {})
            .expect("readable")
            .map(|found| (found.pattern, found.offset))
    }

    #[test]
    fn the_text_is_found_wherever_it_stands() {
        const TEXT: &str = "CUDA out of memory";
        for before in [0, 1, PIECE - 30, PIECE - 9, PIECE - 1, PIECE, 3 * PIECE - 5] {
            let mut content = vec![0xFF_u8; before];
            content.extend_from_slice(TEXT.as_bytes());
            content.resize(before + 2 * PIECE, b'x');
            assert_eq!(
                looked(&content, 0, &["nothing (of it)", TEXT]),
                Some((TEXT.to_owned(), before as u64)),
                "{before}"
            );
            assert_eq!(looked(&content, before as u64 + 1, &[TEXT]), None);
            assert_eq!(
                looked(&content, before as u64, &[TEXT]),
                Some((TEXT.to_owned(), before as u64))
            );
        }
    }

    #[test]
    fn a_pattern_means_itself_and_an_empty_one_nothing() {
        assert_eq!(looked(b"abc", 0, &["a.c", ".*"]), None);
        assert_eq!(looked(b"abc", 0, &[""]), None);
        assert_eq!(looked(b"abc", 0, &[]), None);
        assert_eq!(looked(b"a.c", 0, &["a.c"]), Some(("a.c".to_owned(), 0)));
        assert_eq!(
            looked("Speicher erschöpft".as_bytes(), 0, &["erschöpft"]),
            Some(("erschöpft".to_owned(), 9))
        );
    }
}
