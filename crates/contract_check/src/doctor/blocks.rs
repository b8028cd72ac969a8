//! The managed blocks in the hosts' instruction files.

use std::path::Path;

use aris_audit::Digest;
use aris_contract::artifact::block;
use aris_contract::artifact::install::Block;

use super::finding::{Findings, Id};
use super::record::Record;
use crate::project::Project;

/// The instruction files that hosts read.
const FILES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// Largest instruction file that is read, in bytes.
const LIMIT: u64 = 16 << 20;

pub(crate) fn check(project: &Project, record: &Record, findings: &mut Findings) {
    let recorded = record.full.iter().flat_map(|full| &full.blocks);
    let recorded: Vec<&Block> = recorded.collect();
    let others = recorded.iter().map(|block| block.path.as_str());
    let others = others.filter(|path| !FILES.contains(path));
    for file in FILES.into_iter().chain(others) {
        let bytes = match aris_fs::join_inside(&project.root, Path::new(file))
            .and_then(|path| aris_fs::read_optional(&path, LIMIT))
        {
            Ok(bytes) => bytes.unwrap_or_default(),
            Err(error) => {
                findings.add(Id::Unreadable, file, error.to_string());
                continue;
            }
        };
        let block = recorded.iter().find(|block| block.path == file);
        let mut blocks: Vec<Option<Digest>> = Vec::new();
        for [begin, end] in [block::OTHERS, block::CODEX] {
            match block::find(&bytes, [begin, end]) {
                Ok(None) => {}
                Ok(Some(range)) => {
                    let block = bytes.get(range).unwrap_or_default();
                    blocks.push(Some(Digest::of(&block::without_style(block))));
                }
                Err(at) => {
                    let before = bytes.iter().take(at);
                    let line = 1 + before.filter(|byte| **byte == b'\n').count();
                    let message = format!(
                        "line {line}: {begin} and {end} must each occur once, in this order"
                    );
                    findings.add(Id::BlockDamaged, file, message);
                    // A damaged block still exists.
                    blocks.push(None);
                }
            }
        }
        match block {
            Some(_) if blocks.is_empty() => {
                let message = "the block that was installed is gone";
                findings.add(Id::BlockMissing, file, message);
            }
            Some(Block { digest, .. })
                if blocks
                    .iter()
                    .all(|block| block.is_some() && *block != Digest::parse(digest)) =>
            {
                let message = "the block is not what was installed";
                findings.add(Id::BlockEdited, file, message);
            }
            _ => {}
        }
    }
}
