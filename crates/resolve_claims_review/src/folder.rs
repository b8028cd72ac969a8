//! The files that one step leaves for the next.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use aris_cli::Context;
use aris_contract::ErrorKind::NotFound;
use aris_fs::Lock;
use aris_gates::{Folder, FolderArgs, Worktree};
use aris_review::{ForgeKind, Grouped, Signal, Skipped, Thread};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Error;

/// The comments of a pull request by group, `dimension_groups_{pr}.json`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Fetched {
    /// Whether nothing could be fetched.
    pub(crate) skipped: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// Whether some comments could not be read: whether they have to be settled is unknown.
    pub(crate) degraded: bool,
    /// The pull request.
    pub(crate) pr: Option<u64>,
    /// Its repository, `owner/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) repository: Option<String>,
    /// The service that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) forge: Option<ForgeKind>,
    /// Its host; absent where the default host is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) host: Option<String>,
    /// Its branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<String>,
    /// The branch it goes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) base: Option<String>,
    /// Where it is checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) worktree: Option<String>,
    /// Comments that have to be settled, by group; every group is there.
    pub(crate) groups: BTreeMap<String, Vec<Grouped>>,
    /// How many other comments there are, by reason.
    pub(crate) skipped_counts: Skipped,
    /// Review threads.
    pub(crate) threads: Vec<Thread>,
    /// Findings of the rules that only a new experiment can settle.
    pub(crate) signals: Vec<Signal>,
    /// Rules that could not look for signals, and why.
    pub(crate) signals_not_checked: Vec<String>,
    /// Names of the requests to agents, by group.
    pub(crate) requests: BTreeMap<String, String>,
    /// What did not work.
    pub(crate) warnings: Vec<String>,
    /// The token, when nothing could be fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) needs_rerun: Option<bool>,
    /// The token, when nothing could be fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) verdict: Option<String>,
    /// The token, when nothing could be fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fixes_applied: Option<usize>,
}

/// Flags of commands that go on with what was fetched.
#[derive(Debug, clap::Args)]
pub(crate) struct WorkArgs {
    /// The git worktree with the report [default: as fetched, else the working directory's]
    #[arg(long, value_name = "DIR")]
    pub(crate) worktree: Option<PathBuf>,
    /// The pull request, where the folder holds more than one [default: as fetched]
    #[arg(long, value_name = "N")]
    pub(crate) pr: Option<u64>,
    #[command(flatten)]
    pub(crate) folder: FolderArgs,
}

impl WorkArgs {
    /// The worktree with the report: as given, else as fetched, else the working directory's.
    pub(crate) fn worktree(
        &self,
        fetched: Option<&str>,
        context: &Context,
    ) -> Result<Worktree, Error> {
        let given = self.worktree.as_deref().map(|path| context.absolute(path));
        let fetched = given.or_else(|| fetched.map(PathBuf::from));
        Worktree::of(fetched.as_deref().unwrap_or(context.cwd()))
    }
}

/// The number of the pull request whose files are in this folder: `given`, else the only one that has a classification.
///
/// **Errors**: no pull request has one, or several have.
pub(crate) fn pull(folder: &Folder, given: Option<u64>) -> Result<u64, Error> {
    match given.map_or_else(|| numbered(folder, "classification_map_"), Ok)? {
        0 => Err(which_pull(&folder.path, "none")),
        number => Ok(number),
    }
}

/// Like [`pull`], but also finds a pull request that was fetched and is not classified yet; 0 when there is none.
pub(crate) fn fetched_or_none(folder: &Folder, given: Option<u64>) -> Result<u64, Error> {
    match given.map_or_else(|| numbered(folder, "classification_map_"), Ok)? {
        0 => numbered(folder, "dimension_groups_"),
        number => Ok(number),
    }
}

pub(crate) fn map_path(folder: &Folder, pr: u64) -> PathBuf {
    folder.at(&format!("classification_map_{pr}.json"))
}

/// What `fetch` wrote about a pull request; `None` when it wrote into another folder.
pub(crate) fn groups(folder: &Folder, pr: u64) -> Result<Option<Fetched>, Error> {
    read_if_there(&folder.at(&format!("dimension_groups_{pr}.json")))
}

/// The number N in the name of the only file `{before}N.json`; 0 when there is none.
///
/// **Errors**: there are several.
fn numbered(folder: &Folder, before: &str) -> Result<u64, Error> {
    let names = folder.names()?;
    let mut numbers = names.iter().filter_map(|name| {
        let number = name.strip_prefix(before)?;
        number.strip_suffix(".json")?.parse().ok()
    });
    match (numbers.next(), numbers.next()) {
        (Some(_), Some(_)) => Err(which_pull(&folder.path, "several")),
        (number, _) => Ok(number.unwrap_or(0)),
    }
}

/// Reads a JSON file strictly.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    aris_gates::read(path, HINT)
}

/// Tells the user what to give when a file is invalid.
pub(crate) const HINT: &str = "give the unchanged file that the previous command wrote; if it is empty or cut, run fetch again";

/// Like [`read`]; `None` where the file is absent.
pub(crate) fn read_if_there<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    aris_gates::read_if_there(path, HINT)
}

/// Waits until no other call changes the classification.
pub(crate) fn lock(folder: &Folder) -> Result<Lock, Error> {
    aris_fs::create_dir(&folder.path)?;
    let patience = Instant::now() + PATIENCE;
    Ok(Lock::acquire_before(&folder.at(".lock"), patience)?)
}

/// Longest wait for the lock: its holder may run git or the validation command for minutes.
const PATIENCE: Duration = Duration::from_mins(15);

/// The error that it is not clear which pull request is meant; `found` is how many classifications there are, in words.
fn which_pull(path: &Path, found: &str) -> Error {
    let message = format!(
        "{} holds {found} of classification_map_N.json",
        path.display()
    );
    let hint = "run fetch and merge first, or name the pull request with --pr";
    Error::refused_at(path, NotFound, message, hint)
}
