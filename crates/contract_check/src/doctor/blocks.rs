//! The managed blocks in the hosts' instruction files.

use std::path::Path;

use aris_audit::Digest;

use super::finding::{Finding, Id};
use super::record::Record;
use crate::project::Project;

/// The files that hosts read.
const FILES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// Marker lines. **Source**: the reference's installers.
const MARKERS: [(&str, &str); 2] = [
    ("<!-- ARIS:BEGIN -->", "<!-- ARIS:END -->"),
    ("<!-- ARIS-CODEX:BEGIN -->", "<!-- ARIS-CODEX:END -->"),
];

/// Bytes of an instruction file.
const LIMIT: u64 = 16 << 20;

pub(crate) fn check(project: &Project, record: &Record, findings: &mut Vec<Finding>) {
    let recorded = record.full.iter().flat_map(|full| &full.blocks);
    let recorded: Vec<(&str, &str)> = recorded
        .map(|block| (block.path.as_str(), block.digest.as_str()))
        .collect();
    let others = recorded
        .iter()
        .map(|(path, _)| *path)
        .filter(|path| !FILES.contains(path));
    for file in FILES.into_iter().chain(others) {
        let bytes = match aris_fs::join_inside(&project.root, Path::new(file))
            .and_then(|path| aris_fs::read_optional(&path, LIMIT))
        {
            Ok(bytes) => bytes.unwrap_or_default(),
            Err(error) => {
                findings.push(Finding::error(
                    Id::Unreadable,
                    file,
                    error.to_string(),
                    "make it a readable file",
                ));
                continue;
            }
        };
        let digest = recorded
            .iter()
            .find(|(path, _)| *path == file)
            .map(|(_, digest)| *digest);
        let mut blocks = Vec::new();
        for (begin, end) in MARKERS {
            match block(&bytes, begin.as_bytes(), end.as_bytes()) {
                Ok(None) => {}
                Ok(Some(block)) => blocks.push(block),
                Err(line) => {
                    findings.push(Finding::error(
                        Id::BlockDamaged,
                        file,
                        format!("line {line}: {begin} and {end} must stand once each, in this order"),
                        "remove the marker that is left over; text outside the block is yours and stays",
                    ));
                    // Damaged is not gone.
                    blocks.push(&[]);
                }
            }
        }
        match digest {
            Some(_) if blocks.is_empty() => findings.push(Finding::warning(
                Id::BlockMissing,
                file,
                "the block that was installed is gone",
                "run install_aris --reconcile, with --no-doc to leave the file alone",
            )),
            Some(digest)
                if blocks.iter().all(|block| {
                    !block.is_empty() && Digest::parse(digest) != Some(Digest::of(block))
                }) =>
            {
                findings.push(Finding::warning(
                    Id::BlockEdited,
                    file,
                    "the block is not what was installed",
                    "move your own text out of the block; what is inside is replaced",
                ));
            }
            _ => {}
        }
    }
}

/// The block with its markers; `None` without any marker. `Err`: the line, from 1, of the marker that is wrong.
fn block<'a>(bytes: &'a [u8], begin: &[u8], end: &[u8]) -> Result<Option<&'a [u8]>, usize> {
    let begins = places(bytes, begin);
    let ends = places(bytes, end);
    let line = |at: usize| 1 + bytes.iter().take(at).filter(|byte| **byte == b'\n').count();
    match (begins.as_slice(), ends.as_slice()) {
        ([], []) => Ok(None),
        ([from], [to]) if from < to => Ok(bytes.get(*from..to + end.len())),
        ([from], []) | ([_, from, ..], _) => Err(line(*from)),
        ([_], [to] | [_, to, ..]) | ([], [to, ..]) => Err(line(*to)),
    }
}

fn places(bytes: &[u8], marker: &[u8]) -> Vec<usize> {
    bytes
        .windows(marker.len())
        .enumerate()
        .filter(|(_, window)| *window == marker)
        .map(|(at, _)| at)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_one_beginning_and_after_it_one_end() {
        let found = |text: &'static str| block(text.as_bytes(), b"<b>", b"<e>");
        assert_eq!(found("no markers"), Ok(None));
        assert_eq!(
            found("x\r\n<b>\r\ny\r\n<e>"),
            Ok(Some(b"<b>\r\ny\r\n<e>".as_slice()))
        );
        for (text, line) in [
            ("x\n<b>\n", 2),
            ("<e>\n", 1),
            ("<e>\n<b>\n", 1),
            ("<b>\n<b>\n<e>\n", 2),
            ("<b>\n<e>\n<e>\n", 3),
        ] {
            assert_eq!(found(text), Err(line), "{text:?}");
        }
    }
}
