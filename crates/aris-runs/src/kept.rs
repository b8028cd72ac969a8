//! A record's file.
//!
//! Its first line is the [`Run`], and the id of the record is the SHA-256 of this line. If a run wrote more than [`INLINE`] files, the
//! following lines name them, one JSON object each, sorted by path, and the run contains the SHA-256 of each block of these lines: so one
//! file among 100,000 can be looked up without reading the others.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use aris_contract::hex::hex;
use aris_fs::FsError;
use sha2::{Digest as _, Sha256};

use crate::record::{Block, FileSeen, Run};

/// Most output files in the first line.
const INLINE: usize = 256;
/// Files per block; its lines take some 150 KB.
const BLOCK: usize = 1_000;
/// Longest first line that is read, in bytes.
const LIMIT: usize = 256 << 20;

/// Why a record cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// It is not there.
    #[error("it is gone")]
    Gone,
    /// Its content does not match its id: it was edited.
    #[error("the record was edited: its digest is not its name")]
    Edited,
    /// It cannot be read.
    #[error("the record cannot be read: {0}")]
    Unreadable(String),
}

/// A record whose content matches its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The run.
    pub run: Run,
    /// The lines that name its output files.
    lines: Lines,
    /// The files of each block, read on demand.
    blocks: Vec<OnceCell<Result<Vec<FileSeen>, Damage>>>,
    /// The digests of all output files; read when a file is not at the path where the run wrote it.
    digests: OnceCell<Result<BTreeSet<String>, Damage>>,
}

/// The place of a record's lines.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Lines {
    Bytes(Vec<u8>),
    /// In this file, from this byte offset on.
    File(PathBuf, u64),
}

impl Lines {
    fn part(&self, begin: u64, length: u64) -> Result<Vec<u8>, Damage> {
        match self {
            Self::Bytes(bytes) => {
                let begin = usize::try_from(begin).unwrap_or(usize::MAX);
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                let part = bytes.get(begin..begin.saturating_add(length));
                part.map(<[u8]>::to_vec).ok_or(Damage::Edited)
            }
            Self::File(path, first) => aris_fs::open(path)
                .and_then(|file| file.read_from(first.saturating_add(begin), length))
                .map_err(|error| Damage::Unreadable(error.to_string())),
        }
    }
}

impl Record {
    /// The id and the bytes of the record of a run that wrote these files.
    pub(crate) fn of(run: &Run, mut outputs: Vec<FileSeen>) -> (String, Vec<u8>) {
        let mut run = run.clone();
        let mut files = Vec::new();
        if outputs.len() > INLINE {
            outputs.sort();
            for block in outputs.chunks(BLOCK) {
                let lines: Vec<u8> = block.iter().flat_map(line).collect();
                run.output_blocks.push(Block {
                    first: block
                        .first()
                        .map_or_else(String::new, |file| file.path.clone()),
                    files: block.len() as u64,
                    bytes: lines.len() as u64,
                    sha256: hex(&Sha256::digest(&lines)),
                });
                files.extend(lines);
            }
        } else {
            run.outputs = outputs;
        }
        let mut bytes = line(&run);
        let id = hex(&Sha256::digest(&bytes));
        bytes.extend(files);
        (id, bytes)
    }

    /// The record with this id. **Errors**: the bytes do not match the id. The lines with its files are checked only when they are used.
    pub fn read(id: &str, mut bytes: Vec<u8>) -> Result<Self, Damage> {
        let lines = bytes.split_off(end_of_line(&bytes));
        let length = lines.len() as u64;
        Self::with(id, &bytes, Lines::Bytes(lines), length)
    }

    /// The record with this id in a file. **Errors**: as for [`read`](Self::read), and disk errors.
    pub(crate) fn open(id: &str, path: &Path) -> Result<Self, Damage> {
        let failed = |error: FsError| {
            if error.is_not_found() {
                Damage::Gone
            } else {
                Damage::Unreadable(error.to_string())
            }
        };
        let file = aris_fs::open(path).map_err(failed)?;
        let length = file.metadata().len();
        let mut first = Vec::new();
        let mut is_whole = false;
        let read = file.stream_while(&mut vec![0; 1 << 16], |piece| {
            let end = end_of_line(piece);
            let piece = piece.get(..end).unwrap_or_default();
            first.extend_from_slice(piece);
            is_whole = piece.ends_with(b"\n");
            !is_whole && first.len() < LIMIT
        });
        read.map_err(failed)?;
        let begin = first.len() as u64;
        let lines = Lines::File(path.to_path_buf(), begin);
        Self::with(id, &first, lines, length.saturating_sub(begin))
    }

    fn with(id: &str, first: &[u8], lines: Lines, length: u64) -> Result<Self, Damage> {
        if hex(&Sha256::digest(first)) != id {
            return Err(Damage::Edited);
        }
        let run: Run = serde_json::from_slice(first).map_err(unreadable)?;
        let lengths = run.output_blocks.iter().map(|block| block.bytes);
        if lengths.fold(0, u64::saturating_add) != length {
            return Err(Damage::Edited);
        }
        Ok(Self {
            blocks: vec![OnceCell::new(); run.output_blocks.len()],
            digests: OnceCell::new(),
            run,
            lines,
        })
    }

    /// Number of files that the run wrote, without files that were not hashed.
    pub fn count(&self) -> usize {
        let blocks = self.run.output_blocks.iter().map(|block| block.files);
        let in_blocks = usize::try_from(blocks.fold(0, u64::saturating_add));
        let in_blocks = in_blocks.unwrap_or(usize::MAX);
        self.run.outputs.len().saturating_add(in_blocks)
    }

    /// The files that the run wrote. **Errors**: the lines that name them were edited.
    pub fn outputs(&self) -> Result<Vec<FileSeen>, Damage> {
        let mut all = self.run.outputs.clone();
        for at in 0..self.blocks.len() {
            all.extend_from_slice(self.block(at)?);
        }
        Ok(all)
    }

    /// The file that the run wrote at this path. **Errors**: the lines that would name it were edited.
    pub fn at(&self, path: &str) -> Result<Option<&FileSeen>, Damage> {
        let blocks = &self.run.output_blocks;
        let after = blocks.partition_point(|block| block.first.as_str() <= path);
        let named = match after.checked_sub(1) {
            Some(at) => self.block(at)?,
            None => &self.run.outputs,
        };
        Ok(named.iter().find(|file| file.path == path))
    }

    /// Whether the run wrote this content, at this path or at another one: on another machine the paths may differ. **Errors**: the lines
    /// that would say so were edited.
    pub fn wrote(&self, path: &str, sha256: &str) -> Result<bool, Damage> {
        if self.at(path)?.is_some_and(|file| file.sha256 == sha256) {
            return Ok(true);
        }
        let digests = self.digests.get_or_init(|| {
            let all = self.outputs()?.into_iter();
            Ok(all.map(|file| file.sha256).collect())
        });
        match digests {
            Ok(digests) => Ok(digests.contains(sha256)),
            Err(damage) => Err(damage.clone()),
        }
    }

    fn block(&self, at: usize) -> Result<&[FileSeen], Damage> {
        let Some(block) = self.blocks.get(at) else {
            return Ok(&[]);
        };
        match block.get_or_init(|| self.read_block(at)) {
            Ok(files) => Ok(files),
            Err(damage) => Err(damage.clone()),
        }
    }

    fn read_block(&self, at: usize) -> Result<Vec<FileSeen>, Damage> {
        let mut blocks = self.run.output_blocks.iter();
        let before = blocks.by_ref().take(at).map(|block| block.bytes);
        let begin = before.fold(0, u64::saturating_add);
        let Some(block) = blocks.next() else {
            return Ok(Vec::new());
        };
        let lines = self.lines.part(begin, block.bytes)?;
        if hex(&Sha256::digest(&lines)) != block.sha256 {
            return Err(Damage::Edited);
        }
        let files = serde_json::Deserializer::from_slice(&lines).into_iter();
        files.collect::<Result<_, _>>().map_err(unreadable)
    }
}

/// End of the first line, including its line feed.
fn end_of_line(bytes: &[u8]) -> usize {
    let end = bytes.iter().position(|byte| *byte == b'\n');
    end.map_or(bytes.len(), |end| end + 1)
}

fn unreadable(error: serde_json::Error) -> Damage {
    Damage::Unreadable(error.to_string())
}

/// A value as one line of JSON. Records are plain structures with text keys, so serialisation cannot fail.
fn line(value: &impl serde::Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn files(count: usize) -> Vec<FileSeen> {
        let file = |at: usize| FileSeen {
            path: format!("results/{}.csv", at * 7_919 % 100_003),
            sha256: hex(&Sha256::digest(at.to_string())),
            bytes: at as u64,
        };
        (0..count).map(file).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn every_file_is_found_and_no_other(count in prop_oneof![0..10usize, 250..260usize, 990..3_010usize]) {
            let wrote = files(count);
            let (id, bytes) = Record::of(&Run::default(), wrote.clone());
            let record = Record::read(&id, bytes).expect("whole");
            prop_assert_eq!(record.count(), count);
            for file in wrote.iter().step_by(1 + count / 50) {
                let found = record.at(&file.path).expect("whole");
                prop_assert_eq!(found, Some(file));
            }
            for path in ["", "results", "results/50.csvx", "z"] {
                prop_assert_eq!(record.at(path), Ok(None));
            }
            let mut all = record.outputs().expect("whole");
            let mut wrote = wrote;
            all.sort();
            wrote.sort();
            prop_assert_eq!(all, wrote);
        }

        #[test]
        fn no_byte_can_be_changed(at in 0..1_000_000usize, count in prop_oneof![Just(3usize), Just(2_500)]) {
            let (id, mut bytes) = Record::of(&Run::default(), files(count));
            let at = at % bytes.len();
            bytes[at] ^= 1;
            prop_assert!(Record::read(&id, bytes.clone()).and_then(|record| record.outputs()).is_err());
            bytes[at] ^= 1;
            bytes.truncate(at);
            prop_assert!(Record::read(&id, bytes).is_err());
        }
    }
}
