//! The managed block in an instruction file, from bytes to bytes. Everything outside the markers belongs to the user and stays
//! byte for byte.

use std::ops::Range;
use std::time::{Duration, SystemTime};

use aris_audit::Digest;
use aris_contract::artifact::block;
use aris_contract::artifact::install::{Block, Host};

use crate::step::Action;

/// A kind of instruction file that gets a block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BlockKind {
    /// The host that reads it.
    pub(crate) host: Host,
    /// File name, at the top of the project.
    pub(crate) path: &'static str,
    markers: [&'static str; 2],
    /// Whether the file is created when absent. Claude Code finds its skills without a block, so its file is not created.
    pub(crate) is_made: bool,
}

/// All instruction files.
pub(crate) const KINDS: [BlockKind; 3] = [
    BlockKind {
        host: Host::Codex,
        path: "AGENTS.md",
        markers: block::CODEX,
        is_made: true,
    },
    BlockKind {
        host: Host::Claude,
        path: "CLAUDE.md",
        markers: block::OTHERS,
        is_made: false,
    },
    BlockKind {
        host: Host::Gemini,
        path: "GEMINI.md",
        markers: block::OTHERS,
        is_made: true,
    },
];

/// An instruction file before the edit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before<'a> {
    pub(crate) text: &'a [u8],
    /// Modification time in nanoseconds since 1970.
    pub(crate) modified: Option<u128>,
}

const DAMAGED: &str = "its markers are damaged, or there is more than one block";
const EDITED: &str = "its block was edited";
const NOT_TEXT: &str = "it is not a text file";

/// Puts a block with the lines `body` into a file. `known` are the records of earlier blocks in this file, newest last. `None`
/// when the block is already there.
///
/// **Errors**: the reason why the file is not touched.
pub(crate) fn put(
    kind: &BlockKind,
    before: Option<Before<'_>>,
    body: &[&str],
    known: &[&Block],
) -> Result<(Option<Vec<u8>>, Block), &'static str> {
    let [begin, end] = kind.markers;
    let lines: Vec<&str> = [&[begin], body, &[end]].concat();
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
        return Ok((Some(format!("{wanted}\n").into_bytes()), block));
    };
    let Some(range) = find(kind, text)? else {
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
        let added = [before.as_str(), &in_style, style].concat();
        return Ok((Some([text, added.as_bytes()].concat()), block));
    };
    let (head, current, tail) = parts(text, range);
    let in_style = wanted.replace('\n', line_end(current));
    let current = digest(current);
    let matching = known.iter().rev().find(|block| block.digest == current);
    if matching.is_none() && !known.is_empty() {
        return Err(EDITED);
    }
    let earlier = matching.map_or_else(|| record("", ""), |block| (*block).clone());
    let block = Block {
        digest: digest(wanted.as_bytes()),
        ..earlier
    };
    let is_new = block.digest != current;
    let bytes = is_new.then(|| [head, in_style.as_bytes(), tail].concat());
    Ok((bytes, block))
}

/// Removes the block from a file. `known` are the records of blocks in this file, newest last. `None` when there is nothing to
/// do.
///
/// **Errors**: the reason why the file is not touched.
pub(crate) fn take(
    kind: &BlockKind,
    before: Before<'_>,
    known: &[&Block],
) -> Result<Option<Action>, &'static str> {
    let Before { text, modified } = before;
    let original_time = |bytes: &[u8]| {
        let digest = Digest::of(bytes).to_string();
        let block = known
            .iter()
            .find(|block| block.original_digest.as_ref() == Some(&digest))?;
        block.original_modified.as_ref()?.parse::<u128>().ok()
    };
    let Some(range) = find(kind, text)? else {
        // A run may have been killed between writing the file and setting its time.
        let time = original_time(text).filter(|time| modified != Some(*time));
        return Ok(time.map(|time| Action::SetTime(moment(time))));
    };
    let (head, current, tail) = parts(text, range);
    // If an editor changed the line ends inside the block, it changed those around the block too.
    let style = line_end(current);
    let in_style = |line_ends: &str| line_ends.replace("\r\n", "\n").replace('\n', style);
    let current = digest(current);
    let block = known.iter().rev().find(|block| block.digest == current);
    let block = block.ok_or(EDITED)?;
    let head = head
        .strip_suffix(in_style(&block.before).as_bytes())
        .unwrap_or(head);
    let tail = tail
        .strip_prefix(in_style(&block.after).as_bytes())
        .unwrap_or(tail);
    let bytes = [head, tail].concat();
    Ok(Some(if block.created && bytes.is_empty() {
        Action::Remove
    } else {
        let time = original_time(&bytes).map(moment);
        Action::Write(bytes, time)
    }))
}

/// The byte range of the block, including its markers.
fn find(kind: &BlockKind, text: &[u8]) -> Result<Option<Range<usize>>, &'static str> {
    if text.contains(&0) {
        return Err(NOT_TEXT);
    }
    block::find(text, kind.markers).map_err(|_at| DAMAGED)
}

/// The bytes before, in and after a range.
fn parts(text: &[u8], range: Range<usize>) -> (&[u8], &[u8], &[u8]) {
    let (before, rest) = text.split_at(range.start.min(text.len()));
    let (inside, after) = rest.split_at(range.len().min(rest.len()));
    (before, inside, after)
}

fn digest(block: &[u8]) -> String {
    Digest::of(&block::without_style(block)).to_string()
}

/// Line end of the first line.
fn line_end(text: &[u8]) -> &'static str {
    let mut lines = text.split_inclusive(|byte| *byte == b'\n');
    match lines.next() {
        Some([.., b'\r', b'\n']) => "\r\n",
        _ => "\n",
    }
}

/// The time that many nanoseconds after the beginning of 1970.
fn moment(nanoseconds: u128) -> SystemTime {
    let whole = u64::try_from(nanoseconds / 1_000_000_000).unwrap_or(0);
    let rest = u32::try_from(nanoseconds % 1_000_000_000).unwrap_or(0);
    SystemTime::UNIX_EPOCH + Duration::new(whole, rest)
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
            Ok((Some(bytes), block)) => (bytes, block),
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
                Ok((None, newer.clone()))
            );
            assert_eq!(
                take(claude(), before, &[&block, &newer]),
                Ok(Some(Action::Write(text.to_vec(), TIME.map(moment))))
            );
        }
    }

    #[test]
    fn a_file_made_for_the_block_goes_with_it_unless_something_was_added() {
        let Ok((Some(bytes), block)) = put(claude(), None, &["x"], &[]) else {
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
        assert_eq!(taken(&bytes), Ok(Some(Action::Remove)));
        assert_eq!(
            taken(&[&bytes, b"mine".as_slice()].concat()),
            Ok(Some(Action::Write(b"mine".to_vec(), None)))
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
            assert_eq!(take(claude(), before, &[&block]), Err(reason), "{text}");
            assert_eq!(
                put(claude(), Some(before), &["two"], &[&block]),
                Err(reason),
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
            Ok(Some(Action::Write(b"mine\r\n".to_vec(), None)))
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
            Ok(TIME.map(|time| Action::SetTime(moment(time))))
        );
    }

    proptest! {
        #[test]
        fn what_is_put_in_comes_out_again(text in prop::collection::vec(prop_oneof![Just(b'\r'), Just(b'\n'), any::<u8>()], 0..60)) {
            if let Ok((Some(bytes), block)) = put(claude(), Some(Before { text: &text, modified: None }), &["x"], &[]) {
                let taken = take(claude(), Before { text: &bytes, modified: None }, &[&block]);
                prop_assert_eq!(taken, Ok(Some(Action::Write(text, None))));
            }
        }

        #[test]
        fn no_bytes_make_it_panic(pieces in prop::collection::vec(prop_oneof![
            Just("<!-- ARIS:BEGIN -->"), Just("<!-- ARIS:END -->"), Just("\r\n"), Just("x")
        ], 0..8)) {
            let text = pieces.concat().into_bytes();
            let before = Before { text: &text, modified: None };
            let _taken = take(claude(), before, &[]);
            let _put = put(claude(), Some(before), &["x"], &[]);
        }
    }
}
