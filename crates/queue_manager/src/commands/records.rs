//! Records of runs on a server, brought to the ledger of the project here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_runs::{Ledger, Record};

use crate::commands::there::There;
use crate::error::Error;

/// Files that were brought, by the path of the record there of the run that wrote them.
#[derive(Default)]
pub(super) struct Records(BTreeMap<String, Vec<PathBuf>>);

impl Records {
    /// Adds a file that is here; `record` is what `outputs` said there.
    pub(super) fn add(&mut self, record: Option<String>, file: &Path) {
        if let Some(record) = record {
            self.0.entry(record).or_default().push(file.to_path_buf());
        }
    }

    /// Keeps the records here, and gives how many there are. A file that is not what its run wrote stays unexplained, and so do the
    /// files of a record that cannot be brought: that is a warning, for the files are here.
    pub(super) fn bring(
        self,
        there: &There<'_>,
        folder: &Path,
        context: &Context,
    ) -> Result<usize, Error> {
        if self.0.is_empty() {
            return Ok(0);
        }
        // What lies below the working directory is of the project that it is in.
        let cwd = context.cwd();
        let ledger = Ledger::for_runs_in(if folder.starts_with(cwd) { cwd } else { folder });
        let mut kept = 0;
        for (record, files) in &self.0 {
            match one(there, record, files, &ledger)? {
                Ok(()) => kept += 1,
                Err(why) => context.warn(&format!(
                    "the record of a run: {why}; its files count as unexplained"
                )),
            }
        }
        Ok(kept)
    }
}

fn one(
    there: &There<'_>,
    record: &str,
    files: &[PathBuf],
    ledger: &Ledger,
) -> Result<Result<(), String>, Error> {
    let id = Path::new(record).file_stem().unwrap_or_default();
    let id = id.to_string_lossy();
    let (run, bytes) = if let Ok(record) = ledger.read(&id) {
        (record.run, None)
    } else {
        let bytes = match there.small_file(record)? {
            Ok(bytes) => bytes,
            Err(why) => return Ok(Err(why)),
        };
        match Record::read(&id, bytes.clone()) {
            Ok(record) => (record.run, Some(bytes)),
            Err(damage) => return Ok(Err(format!("{record}: {damage}"))),
        }
    };
    let mut patch = None;
    if let Some(sha256) = run.patch()
        && ledger.check_patch(&run).is_err()
        && let Some(there_ledger) = Path::new(record).ancestors().nth(2)
    {
        let path = Ledger::at(there_ledger).patch(sha256);
        // Without its patch a run is told to be damaged.
        patch = there.small_file(&path.to_string_lossy())?.ok();
    }
    let taken = ledger.take(&id, bytes.as_deref(), patch.as_deref(), files);
    Ok(taken.map_err(|error| error.to_string()))
}
