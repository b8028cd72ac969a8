//! The managed block in an instruction file: bytes in, bytes out. What is not between the markers is the user's, byte for byte.
//!
//! **Source**: the reference's markers, so that its blocks are recognised, and ours by it.

use aris_audit::Digest;
use aris_contract::artifact::install::{Block, Host};

/// An instruction file that gets a block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BlockKind {
    /// The host that reads it.
    pub(crate) host: Host,
    /// Its name, at the top of the project.
    pub(crate) path: &'static str,
    begin: &'static str,
    end: &'static str,
    /// Whether it is made when absent. Claude Code finds its skills without, as the reference relies on.
    pub(crate) is_made: bool,
}

/// All instruction files.
pub(crate) const KINDS: [BlockKind; 3] = [
    BlockKind {
        host: Host::Codex,
        path: "AGENTS.md",
        begin: "<!-- ARIS-CODEX:BEGIN -->",
        end: "<!-- ARIS-CODEX:END -->",
        is_made: true,
    },
    BlockKind {
        host: Host::Claude,
        path: "CLAUDE.md",
        begin: "<!-- ARIS:BEGIN -->",
        end: "<!-- ARIS:END -->",
        is_made: false,
    },
    BlockKind {
        host: Host::Gemini,
        path: "GEMINI.md",
        begin: "<!-- ARIS:BEGIN -->",
        end: "<!-- ARIS:END -->",
        is_made: true,
    },
];

/// An instruction file as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before<'a> {
    pub(crate) text: &'a [u8],
    /// Nanoseconds since 1970.
    pub(crate) modified: Option<u128>,
}

/// What to do to bring a block into a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Put {
    /// It is there.
    Keep(Block),
    /// Write these bytes.
    Write(Vec<u8>, Block),
    /// Leave the file alone, because.
    Leave(&'static str),
}

/// What to do to take a block out of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Take {
    /// There is no block.
    Nothing,
    /// Write these bytes, then set this time.
    Write(Vec<u8>, Option<u128>),
    /// Only set the time: a run was killed between the two.
    SetTime(u128),
    /// Remove the file.
    Remove,
    /// Leave the file alone, because.
    Leave(&'static str),
}

const DAMAGED: &str = "its markers are damaged, or there is more than one block";
const EDITED: &str = "its block was edited";
const NOT_TEXT: &str = "it is not a text file";

/// Brings the block with the lines `body` into a file; `known` are the records of earlier blocks in this file, the newest last.
pub(crate) fn put(
    kind: &BlockKind,
    before: Option<Before<'_>>,
    body: &[&str],
    known: &[&Block],
) -> Put {
    let lines: Vec<&str> = [&[kind.begin], body, &[kind.end]].concat();
    let wanted = lines.join("\n");
    let record = |before: &str, after: &str| Block {
        path: kind.path.to_owned(),
        digest: digest(wanted.as_bytes()),
        before: before.to_owned(),
        after: after.to_owned(),
        created: false,
        original_digest: None,
        original_modified: None,
    };
    let Some(Before { text, modified }) = before else {
        let block = Block {
            created: true,
            ..record("", "\n")
        };
        return Put::Write(format!("{wanted}\n").into_bytes(), block);
    };
    match find(kind, text) {
        Found::NotText => Put::Leave(NOT_TEXT),
        Found::Damaged => Put::Leave(DAMAGED),
        Found::None => {
            let style = line_end(text);
            let before = match text {
                [] => String::new(),
                [.., b'\n'] => style.to_owned(),
                _ => style.repeat(2),
            };
            let block = Block {
                original_digest: Some(Digest::of(text).to_string()),
                original_modified: modified.map(|time| time.to_string()),
                ..record(&before, style)
            };
            let in_style = wanted.replace('\n', style);
            let bytes = [
                text,
                before.as_bytes(),
                in_style.as_bytes(),
                style.as_bytes(),
            ]
            .concat();
            Put::Write(bytes, block)
        }
        Found::At(start, end) => {
            let current = text.get(start..end).unwrap_or_default();
            let in_style = wanted.replace('\n', line_end(current));
            let current = digest(current);
            let matching = known.iter().rev().find(|block| block.digest == current);
            if matching.is_none() && !known.is_empty() {
                return Put::Leave(EDITED);
            }
            let earlier = matching.map_or_else(|| record("", ""), |block| (*block).clone());
            let block = Block {
                digest: digest(wanted.as_bytes()),
                ..earlier
            };
            if block.digest == current {
                return Put::Keep(block);
            }
            let (head, tail) = (
                text.get(..start).unwrap_or_default(),
                text.get(end..).unwrap_or_default(),
            );
            Put::Write([head, in_style.as_bytes(), tail].concat(), block)
        }
    }
}

/// Takes the block out of a file; `known` are the records of blocks in this file, the newest last.
pub(crate) fn take(kind: &BlockKind, before: Before<'_>, known: &[&Block]) -> Take {
    let Before { text, modified } = before;
    let original_time = |bytes: &[u8]| {
        let digest = Digest::of(bytes).to_string();
        let block = known
            .iter()
            .find(|block| block.original_digest.as_ref() == Some(&digest))?;
        block.original_modified.as_ref()?.parse::<u128>().ok()
    };
    let (start, end) = match find(kind, text) {
        Found::NotText => return Take::Leave(NOT_TEXT),
        Found::Damaged => return Take::Leave(DAMAGED),
        Found::None => {
            return match original_time(text) {
                Some(time) if modified != Some(time) => Take::SetTime(time),
                _ => Take::Nothing,
            };
        }
        Found::At(start, end) => (start, end),
    };
    let current = text.get(start..end).unwrap_or_default();
    // Line ends around the block were changed together with those in it.
    let style = line_end(current);
    let in_style = |line_ends: &str| line_ends.replace("\r\n", "\n").replace('\n', style);
    let current = digest(current);
    let Some(block) = known.iter().rev().find(|block| block.digest == current) else {
        return Take::Leave(EDITED);
    };
    let (head, tail) = (
        text.get(..start).unwrap_or_default(),
        text.get(end..).unwrap_or_default(),
    );
    let head = head
        .strip_suffix(in_style(&block.before).as_bytes())
        .unwrap_or(head);
    let tail = tail
        .strip_prefix(in_style(&block.after).as_bytes())
        .unwrap_or(tail);
    let bytes = [head, tail].concat();
    if block.created && bytes.is_empty() {
        Take::Remove
    } else {
        let time = original_time(&bytes);
        Take::Write(bytes, time)
    }
}

enum Found {
    None,
    /// First byte of the begin marker, first byte after the end marker.
    At(usize, usize),
    Damaged,
    NotText,
}

fn find(kind: &BlockKind, text: &[u8]) -> Found {
    if text.contains(&0) {
        return Found::NotText;
    }
    let (begins, ends) = (places(text, kind.begin), places(text, kind.end));
    match (begins.as_slice(), ends.as_slice()) {
        ([], []) => Found::None,
        ([begin], [end]) if begin < end => Found::At(*begin, end + kind.end.len()),
        _ => Found::Damaged,
    }
}

/// Where `marker` is, at most twice: more are as wrong as two.
fn places(text: &[u8], marker: &str) -> Vec<usize> {
    let marker = marker.as_bytes();
    let starts = text.windows(marker.len()).enumerate();
    starts
        .filter(|(_, window)| *window == marker)
        .map(|(at, _)| at)
        .take(2)
        .collect()
}

/// The digest does not see in which style lines end: editors and git change that.
fn digest(block: &[u8]) -> String {
    let mut plain = Vec::with_capacity(block.len());
    for (at, byte) in block.iter().enumerate() {
        if *byte != b'\r' || block.get(at + 1) != Some(&b'\n') {
            plain.push(*byte);
        }
    }
    Digest::of(&plain).to_string()
}

/// How the first line ends.
fn line_end(text: &[u8]) -> &'static str {
    let first = text.iter().position(|byte| *byte == b'\n');
    match first
        .and_then(|at| at.checked_sub(1))
        .and_then(|at| text.get(at))
    {
        Some(b'\r') => "\r\n",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TIME: Option<u128> = Some(1_700_000_000_123_456_789);

    fn claude() -> &'static BlockKind {
        KINDS
            .iter()
            .find(|kind| kind.path == "CLAUDE.md")
            .expect("a kind")
    }

    fn written(text: &[u8], body: &[&str], known: &[&Block]) -> (Vec<u8>, Block) {
        match put(
            claude(),
            Some(Before {
                text,
                modified: TIME,
            }),
            body,
            known,
        ) {
            Put::Write(bytes, block) => (bytes, block),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_block_goes_in_and_out_and_nothing_else_changes() {
        for text in [
            "",
            "x",
            "x\n",
            "x\r\ny\r\n",
            "x\r\ny",
            "\n",
            "\n\n",
            "a\nb\r\n",
            "\u{feff}x\n",
            "ä\n\n\n",
        ] {
            let text = text.as_bytes();
            let (with, block) = written(text, &["one", "two"], &[]);
            assert!(with.starts_with(text));
            let style: &[u8] = if text.contains(&b'\r') && text != b"a\nb\r\n" {
                b"one\r\ntwo\r\n"
            } else {
                b"one\ntwo\n"
            };
            assert!(
                with.windows(style.len()).any(|window| window == style),
                "{with:?}"
            );
            let (again, newer) = written(&with, &["three"], &[&block]);
            let before = Before {
                text: &again,
                modified: None,
            };
            assert_eq!(
                put(claude(), Some(before), &["three"], &[&newer]),
                Put::Keep(newer.clone())
            );
            assert_eq!(
                take(claude(), before, &[&block, &newer]),
                Take::Write(text.to_vec(), TIME)
            );
        }
    }

    #[test]
    fn a_file_made_for_the_block_goes_with_it_unless_something_was_added() {
        let Put::Write(bytes, block) = put(claude(), None, &["x"], &[]) else {
            panic!("written")
        };
        let taken = |text: &[u8]| {
            take(
                claude(),
                Before {
                    text,
                    modified: None,
                },
                &[&block],
            )
        };
        assert_eq!(taken(&bytes), Take::Remove);
        assert_eq!(
            taken(&[&bytes, b"mine".as_slice()].concat()),
            Take::Write(b"mine".to_vec(), None)
        );
    }

    #[test]
    fn edited_and_damaged_blocks_are_left_alone() {
        let (with, block) = written(b"mine\n", &["one"], &[]);
        let text = String::from_utf8(with).expect("text");
        for (text, reason) in [
            (text.replace("one", "one, and more"), EDITED),
            (text.replace("<!-- ARIS:END -->", ""), DAMAGED),
            (format!("{text}{text}"), DAMAGED),
            (format!("<!-- ARIS:END -->{text}"), DAMAGED),
            (format!("{text}\0"), NOT_TEXT),
        ] {
            let before = Before {
                text: text.as_bytes(),
                modified: None,
            };
            assert_eq!(
                take(claude(), before, &[&block]),
                Take::Leave(reason),
                "{text}"
            );
            assert_eq!(
                put(claude(), Some(before), &["two"], &[&block]),
                Put::Leave(reason),
                "{text}"
            );
        }
    }

    #[test]
    fn a_block_of_the_reference_is_taken_over() {
        let text = b"mine\n\n<!-- ARIS:BEGIN -->\n## ARIS Skill Scope\n<!-- ARIS:END -->\nmore\n";
        let (with, block) = written(text, &["ours"], &[]);
        assert_eq!(
            with,
            b"mine\n\n<!-- ARIS:BEGIN -->\nours\n<!-- ARIS:END -->\nmore\n"
        );
        assert_eq!(block.original_digest, None);
    }

    #[test]
    fn a_block_whose_line_ends_were_changed_is_still_ours() {
        let (with, block) = written(b"mine\n", &["one"], &[]);
        let converted = String::from_utf8(with).expect("text").replace('\n', "\r\n");
        let before = Before {
            text: converted.as_bytes(),
            modified: None,
        };
        assert_eq!(
            take(claude(), before, &[&block]),
            Take::Write(b"mine\r\n".to_vec(), None)
        );
    }

    #[test]
    fn a_time_that_was_not_restored_yet_is_restored() {
        let (_, block) = written(b"mine\n", &["one"], &[]);
        let before = Before {
            text: b"mine\n",
            modified: Some(5),
        };
        assert_eq!(
            take(claude(), before, &[&block]),
            Take::SetTime(1_700_000_000_123_456_789)
        );
    }

    proptest! {
        #[test]
        fn what_is_put_in_comes_out_again(text in prop::collection::vec(prop_oneof![Just(b'\r'), Just(b'\n'), any::<u8>()], 0..60)) {
            if let Put::Write(bytes, block) = put(claude(), Some(Before { text: &text, modified: None }), &["x"], &[]) {
                let taken = take(claude(), Before { text: &bytes, modified: None }, &[&block]);
                prop_assert_eq!(taken, Take::Write(text, None));
            }
        }

        #[test]
        fn no_bytes_make_it_panic(pieces in prop::collection::vec(prop_oneof![
            Just("<!-- ARIS:BEGIN -->"), Just("<!-- ARIS:END -->"), Just("\r\n"), Just("x")
        ], 0..8)) {
            let text = pieces.concat().into_bytes();
            let before = Before { text: &text, modified: None };
            take(claude(), before, &[]);
            put(claude(), Some(before), &["x"], &[]);
        }
    }
}
