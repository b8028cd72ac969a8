//! The input and the content of a plan.

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
    /// Removes content that is still as recorded.
    Remove { path: String, content: Content },
    /// Puts a wanted entry where nothing is.
    Create { path: String },
    /// Puts a wanted entry in the place of other content.
    Replace { path: String, was: Was },
    /// Moves a part of an older install away.
    Move { from: String, to: String },
    /// Rewrites or creates an instruction file.
    Edit(Edit),
}

/// What the replaced path must still contain.
#[derive(Debug)]
pub(crate) enum Was {
    /// The recorded or seen content.
    Known(Content),
    /// Content that the user edited. It is moved as a whole to `kept`, relative to the project.
    Edited { kept: String },
}

/// The complete plan of an install.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) wanted: BTreeMap<String, Wanted>,
    /// Folders to create, outer ones first.
    pub(crate) folders: Vec<String>,
    /// Folders that were created for hosts that are no longer chosen, inner ones last.
    pub(crate) obsolete: Vec<String>,
    /// Stage folders.
    pub(crate) stages: BTreeSet<String>,
    pub(crate) steps: Vec<Step>,
    /// Content that belongs to the user until the run ends; see `records::Intent::given`.
    pub(crate) given: BTreeMap<String, Option<String>>,
    /// The record after the run.
    pub(crate) manifest: InstallManifest,
    pub(crate) log: Log,
}

/// The input of a plan.
#[derive(Debug)]
pub(crate) struct Inputs<'a> {
    pub(crate) project: &'a Project,
    pub(crate) source: &'a Source,
    pub(crate) choices: &'a Choices,
    pub(crate) records: &'a Records,
    pub(crate) cli: &'a Cli,
    /// Current time, RFC 3339, UTC.
    pub(crate) now: &'a str,
}

/// One change of an instruction file.
#[derive(Debug)]
pub(crate) struct Edit {
    /// The file itself, links followed; inside the project.
    pub(crate) file: PathBuf,
    /// Digest of the content that it must still have; `None` when it must still be absent.
    pub(crate) seen: Option<String>,
    pub(crate) action: Action,
}

/// The change to the file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// New content, and a modification time for the file.
    Write(Vec<u8>, Option<SystemTime>),
    SetTime(SystemTime),
    Remove,
}

/// Whether the user chose this for a nested copy.
pub(crate) fn migrates(cli: &Cli, choice: MigrateCopy) -> bool {
    cli.from_old && cli.migrate_copy == Some(choice)
}
