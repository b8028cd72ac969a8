//! The output folder, and the files that one step leaves for the next.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_contract::json::{self, Limits};
use aris_contract::time::stamp;
use aris_review::{Classification, Gate, Grouped, Signal, Skipped, Thread};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Error;

/// Flags of commands that keep files.
#[derive(Debug, clap::Args)]
pub(crate) struct FolderArgs {
    /// Keep files there; default: .aris/temp/resolve-claims-review, for the other gate .aris/temp/resolve-research-review
    #[arg(long, value_name = "DIR")]
    out_dir: Option<PathBuf>,
    /// Which of the two gates
    #[arg(long, default_value = "claims", value_name = "claims|review", value_parser = |text: &str| text.parse::<Gate>())]
    pub(crate) gate: Gate,
}

impl FolderArgs {
    pub(crate) fn folder(&self, context: &Context) -> Folder {
        let default = || PathBuf::from(".aris/temp").join(self.gate.profile().resolve);
        let path = self.out_dir.clone().unwrap_or_else(default);
        Folder {
            path: context.absolute(&path),
            stamp: stamp(context.now()).replace(['-', ':'], ""),
        }
    }
}

/// The comments of a pull request by group, `dimension_groups_{pr}.json`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Fetched {
    /// Whether nothing could be fetched.
    #[serde(default)]
    pub(crate) skipped: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// The pull request.
    #[serde(default)]
    pub(crate) pr: Option<u64>,
    /// Its repository, `owner/name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) repository: Option<String>,
    /// Its branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<String>,
    /// The branch it goes to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) base: Option<String>,
    /// Where it is checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) worktree: Option<String>,
    /// Comments that have to be settled, by group; every group is there.
    #[serde(default)]
    pub(crate) groups: BTreeMap<String, Vec<Grouped>>,
    /// Comments that have not.
    #[serde(default)]
    pub(crate) skipped_counts: Skipped,
    /// Review threads.
    #[serde(default)]
    pub(crate) threads: Vec<Thread>,
    /// What the rules say that only an experiment can mend.
    #[serde(default)]
    pub(crate) signals: Vec<Signal>,
    /// Rules that could not look for signals, and why.
    #[serde(default)]
    pub(crate) signals_not_checked: Vec<String>,
    /// Names of the requests to agents, by group.
    #[serde(default)]
    pub(crate) requests: BTreeMap<String, String>,
    /// What did not work.
    #[serde(default)]
    pub(crate) warnings: Vec<String>,
    /// The token, when nothing could be fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) needs_rerun: Option<bool>,
    /// The token, when nothing could be fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) verdict: Option<String>,
    /// The token, when nothing could be fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fixes_applied: Option<usize>,
}

/// The output folder.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    /// UTC, `YYYYMMDDTHHMMSSZ`.
    stamp: String,
}

impl Folder {
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a file, whole or not at all; one that says the same already stays untouched.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Error> {
        let path = self.at(name);
        aris_fs::write_changed(&path, bytes)?;
        Ok(path)
    }

    pub(crate) fn write_json(&self, name: &str, value: &impl Serialize) -> Result<PathBuf, Error> {
        self.write(name, &pretty(value)?)
    }

    /// Writes `{before}_{pr}_{ts}.{ending}` unless one of another time says the same.
    pub(crate) fn write_dated(
        &self,
        before: &str,
        pr: u64,
        ending: &str,
        bytes: &[u8],
    ) -> Result<PathBuf, Error> {
        if let Some(there) = self
            .dated(before, pr)?
            .into_iter()
            .find(|path| aris_fs::holds(path, bytes))
        {
            return Ok(there);
        }
        self.write(&format!("{before}_{pr}_{}.{ending}", self.stamp), bytes)
    }

    /// Files `{before}_{pr}_…` of earlier calls.
    pub(crate) fn dated(&self, before: &str, pr: u64) -> Result<Vec<PathBuf>, Error> {
        let before = format!("{before}_{pr}_");
        let names = self.names()?;
        Ok(names
            .into_iter()
            .filter(|name| name.starts_with(&before))
            .map(|name| self.at(&name))
            .collect())
    }

    fn names(&self) -> Result<Vec<String>, Error> {
        match aris_fs::list_sorted(&self.path) {
            Ok(entries) => Ok(entries
                .into_iter()
                .map(|entry| entry.name.to_string_lossy().into_owned())
                .collect()),
            Err(error) if error.is_not_found() => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }

    /// The pull request whose files lie here: the given one, or the only one that has a classification.
    pub(crate) fn pull(&self, given: Option<u64>) -> Result<u64, Error> {
        match self.pull_or_none(given)? {
            0 => Err(self.which("none")),
            number => Ok(number),
        }
    }

    /// Like [`Folder::pull`]; 0 when there is none.
    pub(crate) fn pull_or_none(&self, given: Option<u64>) -> Result<u64, Error> {
        if let Some(number) = given {
            return Ok(number);
        }
        let names = self.names()?;
        let mut numbers = names.iter().filter_map(|name| {
            let number = name.strip_prefix("classification_map_")?;
            number.strip_suffix(".json")?.parse().ok()
        });
        match (numbers.next(), numbers.next()) {
            (Some(_), Some(_)) => Err(self.which("several")),
            (number, _) => Ok(number.unwrap_or(0)),
        }
    }

    fn which(&self, found: &'static str) -> Error {
        Error::WhichPull {
            path: self.path.clone(),
            found,
        }
    }

    pub(crate) fn map_path(&self, pr: u64) -> PathBuf {
        self.at(&format!("classification_map_{pr}.json"))
    }

    /// What was fetched; none when it was fetched elsewhere.
    pub(crate) fn groups(&self, pr: u64) -> Result<Option<Fetched>, Error> {
        let path = self.at(&format!("dimension_groups_{pr}.json"));
        if path.exists() {
            read(&path).map(Some)
        } else {
            Ok(None)
        }
    }
}

/// Reads a JSON file strictly.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let bytes = aris_fs::read(path, aris_fs::READ_LIMIT)?;
    json::typed(&bytes, Limits::ARTIFACT).map_err(|source| Error::Json {
        path: path.to_path_buf(),
        source,
    })
}

/// Reads a classification. Keys are numbers of comments.
pub(crate) fn read_map(path: &Path) -> Result<Classification, Error> {
    read(path)
}

/// Reads any list.
pub(crate) fn read_list(path: &Path) -> Result<Vec<Value>, Error> {
    read(path)
}

pub(crate) fn pretty(value: &impl Serialize) -> Result<Vec<u8>, Error> {
    let mut bytes = serde_json::to_vec_pretty(value).map_err(Error::Written)?;
    bytes.push(b'\n');
    Ok(bytes)
}
