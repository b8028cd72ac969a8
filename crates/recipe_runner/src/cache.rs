//! Keeps results of steps with `cache: true` for later runs, so that equal work is not done again.
//!
//! Work is equal if the same step does the same kind of work with the same arguments, folder and variables, and the files that it names
//! under `cache` have the same bytes. The author of a step must name every other file that its command reads.

use std::path::{Path, PathBuf};

use aris_contract::hex::hex;
use aris_fs::EntryKind;
use aris_recipe::Step;
use aris_recipe::engine::{Outcome, OutcomeStatus};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::attempt::Request;
use crate::error::Error;
use crate::secret;

/// Largest kept result, in bytes.
const LIMIT: u64 = 256 << 20;

/// A kept result.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// The step that made it.
    step: String,
    /// When, UTC.
    made: String,
    outcome: Outcome,
    /// Digest of the outcome, so that a result that was changed by hand is not used.
    sha256: String,
}

fn digest(outcome: &Outcome) -> Option<String> {
    let text = serde_json::to_value(outcome).ok()?.to_string();
    Some(hex(&Sha256::digest(text)))
}

/// Where results are kept, beside the state.
pub(crate) fn folder_of(state: &Path) -> PathBuf {
    state.with_file_name(".recipe-cache")
}

/// The key of this work's result; `None` where the step does not want it kept.
///
/// **Errors**: a file or folder that the step names is absent or cannot be read whole.
pub(crate) fn key(step: &Step, request: &Request) -> Result<Option<String>, Error> {
    let Some(files) = &step.cache else {
        return Ok(None);
    };
    let mut digests = Vec::new();
    for pattern in files {
        let paths = matching(&request.cwd, pattern)?;
        if paths.is_empty() {
            let (step, cwd) = (&step.name, request.cwd.display());
            let reason =
                format!("step {step}: cache names {pattern}, and no such file is in {cwd}");
            let hint = "name files that the step reads, relative to its cwd";
            return Err(Error::input(reason, hint));
        }
        for path in paths {
            let mut digest = Sha256::new();
            aris_fs::open(&path)?.stream(&mut vec![0; 64 << 10], |piece| digest.update(piece))?;
            digests.push((path.display().to_string(), hex(&digest.finalize())));
        }
    }
    // Other secrets are other work. A digest does not reveal them.
    for (name, reference) in &request.secrets {
        let value = secret::value(reference, &request.cwd).map_err(|why| {
            let reason = format!("step {}: {name} has no value: {why}", step.name);
            Error::input(reason, "set what the secret input names")
        })?;
        digests.push((name.clone(), hex(&Sha256::digest(value))));
    }
    let work = json!([
        2,
        step.name,
        request.worker,
        request.command,
        request.cwd,
        request.env,
        request.secrets,
        request.stdin,
        digests,
    ]);
    Ok(Some(hex(&Sha256::digest(work.to_string()))))
}

/// The files that match a pattern; for a folder, all files below it.
fn matching(cwd: &Path, pattern: &str) -> Result<Vec<PathBuf>, Error> {
    let whole = cwd.join(pattern);
    if whole.is_dir() {
        return below(&whole);
    }
    if whole.is_file() {
        return Ok(vec![whole]);
    }
    let folder = whole.parent().unwrap_or(cwd);
    let name = whole.file_name().unwrap_or_default().to_string_lossy();
    let Ok(glob) = globset::Glob::new(&name) else {
        return Ok(Vec::new());
    };
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let glob = glob.compile_matcher();
    let mut entries = aris_fs::list_sorted(folder)?;
    entries.retain(|entry| glob.is_match(&entry.name) && entry.path.is_file());
    Ok(entries.into_iter().map(|entry| entry.path).collect())
}

/// All files below a folder.
///
/// **Errors**: a folder cannot be listed, or there is a link to a folder: files that the key leaves out could change unnoticed.
fn below(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for entry in aris_fs::walk_sorted(folder, &mut |_| true)? {
        if entry.kind == EntryKind::Link && entry.path.is_dir() {
            let reason = format!("{} is a link to a folder", entry.path.display());
            let hint = "name files and folders under cache that hold no link to a folder";
            return Err(Error::input(reason, hint));
        }
        if entry.path.is_file() {
            files.push(entry.path);
        }
    }
    Ok(files)
}

/// The result that is kept under a key. One that cannot be read does not count, and the work is done again.
pub(crate) fn find(folder: &Path, key: &str) -> Option<Outcome> {
    let bytes = aris_fs::read_optional(&folder.join(format!("{key}.json")), LIMIT).ok()??;
    let kept: Kept = serde_json::from_slice(&bytes).ok()?;
    if kept.sha256 != digest(&kept.outcome)? {
        return None;
    }
    let mut outcome = kept.outcome;
    outcome.note = Some(format!("reused from {}", kept.made));
    Some(outcome)
}

/// Keeps a result, if it is a success. If the cache cannot be written, later runs take longer, but no run fails.
pub(crate) fn keep(
    folder: &Path,
    key: &str,
    step: &str,
    outcome: &Outcome,
    made: String,
) -> Result<(), Error> {
    if outcome.status != OutcomeStatus::Success {
        return Ok(());
    }
    let kept = Kept {
        step: step.to_owned(),
        made,
        outcome: outcome.clone(),
        sha256: digest(outcome).unwrap_or_default(),
    };
    let path = folder.join(format!("{key}.json"));
    let text = serde_json::to_value(&kept).map(|value: Value| value.to_string());
    let text = text.map_err(|error| Error::malformed(&path, error))?;
    aris_fs::create_dir(folder)?;
    Ok(aris_fs::write_atomic(&path, text.as_bytes())?)
}
