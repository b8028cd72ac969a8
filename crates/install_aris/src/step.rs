//! What an install is made from, and what it is made of.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::SystemTime;

use aris_contract::artifact::install::{Content, InstallManifest};

use crate::cli::{Cli, MigrateCopy};
use crate::project::Project;
use crate::records::Records;
use crate::report::Log;
use crate::source::Source;
use crate::wanted::{Choices, Wanted};

/// One change of the disk.
#[derive(Debug)]
pub(crate) enum Step {
    /// Takes away what is still as recorded.
    Remove { path: String, content: Content },
    /// Puts a wanted entry where nothing is.
    Create { path: String },
    /// Puts a wanted entry in the place of something else.
    Replace { path: String, was: Was },
    /// Moves something of an older install away.
    Move { from: String, to: String },
    /// Rewrites or makes an instruction file.
    Edit(Edit),
}

/// What a replaced path must still be.
#[derive(Debug)]
pub(crate) enum Was {
    /// As recorded or seen.
    Known(Content),
    /// Something of the user's, which is moved away whole: where to, relative to the project.
    Edited { kept: String },
}

/// Everything an install does, decided.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) wanted: BTreeMap<String, Wanted>,
    /// Folders to make, outer ones first.
    pub(crate) folders: Vec<String>,
    /// Folders that were made for hosts that are no longer served, inner ones last.
    pub(crate) obsolete: Vec<String>,
    /// Folders in which things are made ready.
    pub(crate) stages: BTreeSet<String>,
    pub(crate) steps: Vec<Step>,
    /// What is the user's until the run is through.
    pub(crate) given: BTreeMap<String, Option<String>>,
    /// The record afterwards.
    pub(crate) manifest: InstallManifest,
    pub(crate) log: Log,
}

/// What the plan is made from.
#[derive(Debug)]
pub(crate) struct Inputs<'a> {
    pub(crate) project: &'a Project,
    pub(crate) source: &'a Source,
    pub(crate) choices: &'a Choices,
    pub(crate) records: &'a Records,
    pub(crate) cli: &'a Cli,
    /// RFC 3339, UTC.
    pub(crate) now: &'a str,
}

/// One change of an instruction file.
#[derive(Debug)]
pub(crate) struct Edit {
    /// The file itself, links followed; inside the project.
    pub(crate) file: PathBuf,
    /// Digest of what it must still hold; `None` when it must still be absent.
    pub(crate) seen: Option<String>,
    pub(crate) action: Action,
}

/// What happens to the file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// New bytes, and a time for the file.
    Write(Vec<u8>, Option<SystemTime>),
    SetTime(SystemTime),
    Remove,
}

/// What becomes of a nested copy, when the user has said it.
pub(crate) fn migrates(cli: &Cli, choice: MigrateCopy) -> bool {
    cli.from_old && cli.migrate_copy == Some(choice)
}
