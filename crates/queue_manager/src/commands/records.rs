//! Copies records of runs from a server into the local project's ledger.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_runs::{Ledger, Record};

use crate::commands::there::There;
use crate::error::Error;

/// Copied files, by the path on the server of the record of the run that wrote them.
#[derive(Default)]
pub(super) struct Records(BTreeMap<String, Vec<PathBuf>>);

impl Records {
    /// Adds a local file; `record` is the record that `outputs` named on the server.
    pub(super) fn add(&mut self, record: Option<String>, file: &Path) {
        if let Some(record) = record {
            self.0.entry(record).or_default().push(file.to_path_buf());
        }
    }

    /// Copies the records, and gives their number. A file that differs from what its run wrote gets no record. If a record cannot be
    /// copied, that is only a warning, because its files were copied.
    pub(super) fn bring(
        self,
        there: &There<'_>,
        folder: &Path,
        context: &Context,
    ) -> Result<usize, Error> {
        if self.0.is_empty() {
            return Ok(0);
        }
        // Files below the working directory belong to the project that it is in.
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
        // Without its patch, a run would be reported as damaged.
        patch = there.small_file(&path.to_string_lossy())?.ok();
    }
    let taken = ledger.take(&id, bytes.as_deref(), patch.as_deref(), files);
    Ok(taken.map_err(|error| error.to_string()))
}
