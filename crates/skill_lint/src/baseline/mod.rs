//! The baseline: recorded findings, which stay hidden until they change.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::finding::Finding;
use crate::suppress::{By, Suppressed};

/// Schema id of the file, which is a list of [`Entry`].
pub const SCHEMA: &str = "aris.skill_lint.baseline/v1";

/// Largest baseline file that is read, in bytes.
const LIMIT: u64 = 64 << 20;

/// A recorded finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The rule.
    pub rule: String,
    /// The file, relative to the root.
    pub path: String,
    /// The finding's fingerprint.
    pub fingerprint: String,
    /// For rules that count: how many there were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

/// Reads a baseline.
pub fn read(path: &Path) -> Result<Vec<Entry>, Error> {
    let bytes = aris_fs::read(path, LIMIT)?;
    serde_json::from_slice(&bytes).map_err(|error| wrong(path, error))
}

fn wrong(path: &Path, error: serde_json::Error) -> Error {
    let path = path.to_path_buf();
    Error::Baseline { path, error }
}

/// By what an earlier baseline is recognised.
pub const FORM: aris_fs::Form<'_> = aris_fs::Form::Json(&["rule", "path", "fingerprint"]);

/// Writes the findings as a baseline, atomically.
pub fn write(path: &Path, items: &[Finding]) -> Result<(), Error> {
    let kept = |item: &&Finding| {
        let by = item.suppressed.as_ref().map(|hidden| hidden.by);
        matches!(by, None | Some(By::Baseline))
    };
    let entry = |item: &Finding| Entry {
        rule: item.rule.to_owned(),
        path: item.path.clone(),
        fingerprint: item.fingerprint.clone(),
        count: item.count,
    };
    let mut entries: Vec<Entry> = items.iter().filter(kept).map(entry).collect();
    entries.sort();
    let text = serde_json::to_string_pretty(&entries).map_err(|error| wrong(path, error))?;
    aris_fs::write_output(path, format!("{text}\n").as_bytes())?;
    Ok(())
}

/// Hides the findings that the baseline records. Each entry hides one finding; an entry with a count hides it only while the
/// count has not grown.
pub fn apply(entries: &[Entry], items: &mut [Finding]) {
    let mut left: BTreeMap<(&str, &str, &str), Vec<Option<u64>>> = BTreeMap::new();
    for entry in entries {
        let key = (&*entry.rule, &*entry.path, &*entry.fingerprint);
        left.entry(key).or_default().push(entry.count);
    }
    for item in items.iter_mut().filter(|item| item.suppressed.is_none()) {
        let fits = |recorded: &Option<u64>| match (recorded, item.count) {
            (Some(before), Some(now)) => now <= *before,
            (None, None) => true,
            _ => false,
        };
        if let Some(recorded) = left.get_mut(&(item.rule, &*item.path, &*item.fingerprint))
            && let Some(at) = recorded.iter().position(fits)
        {
            recorded.swap_remove(at);
            let (by, reason) = (By::Baseline, String::from("in the baseline"));
            item.suppressed = Some(Suppressed { by, reason });
        }
    }
}

#[cfg(test)]
mod tests;
