//! Peers of the helpers: another command, or the minimal work that any program must do, done without a process of its own.

use std::path::Path;
use std::time::Instant;

use aris_fs::Log;
use serde::Deserialize;

use super::Bench;
use crate::fault::Fault;

#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Peer {
    Command(String),
    Least(Least),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Least {
    /// The durable writes of one trace record: three files, their folder, a line of the chain, a line of the log.
    Record { bytes: usize },
    /// The same number of shells, one after another, each after one durable journal line.
    Shells { count: usize },
    /// Reads the JSON `f.json` and writes the drawing `f.svg`.
    Drawing {},
}

impl Bench<'_> {
    /// Time of one run of a peer, in seconds.
    pub(super) fn peer(&self, peer: &Peer, folder: &Path) -> Result<f64, Fault> {
        let least = match peer {
            Peer::Command(command) => return self.once(command, folder),
            Peer::Least(least) => *least,
        };
        let place = tempfile::tempdir().map_err(Fault::from_error)?;
        let at = |name: &str| place.path().join(name);
        let (mut journal, _) = Log::open(&at("journal"))?;
        let read = |name: &str| aris_fs::read(&folder.join(name), u64::MAX);
        let svg = match least {
            Least::Drawing {} => read("f.svg")?,
            _ => Vec::new(),
        };
        let start = Instant::now();
        match least {
            Least::Record { bytes } => {
                for file in ["request", "response", "meta"] {
                    aris_fs::write_new(&at(file), &vec![b'r'; bytes])?;
                }
                aris_fs::sync_dir(place.path())?;
                aris_fs::append_line(&at("chain"), "line")?;
                aris_fs::append_line(&at("events"), "line")?;
            }
            Least::Shells { count } => {
                for _ in 0..count {
                    journal.append(&[b'x'; 300])?;
                    self.once("bash -c true", place.path())?;
                }
            }
            Least::Drawing {} => {
                let value: serde_json::Value =
                    serde_json::from_slice(&read("f.json")?).map_err(Fault::from_error)?;
                std::hint::black_box(value);
                aris_fs::write_atomic(&at("f.svg"), &svg)?;
            }
        }
        Ok(start.elapsed().as_secs_f64())
    }
}
