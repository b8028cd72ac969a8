//! What was done, or would be.

use std::io::{self, Write};

use aris_cli::{Product, Style};
use aris_contract::artifact::install::{Host, InstallMode};
use aris_contract::text::counted;
use serde::Serialize;

use crate::project::Project;
use crate::records::Records;

/// Schema id of [`Report`].
pub(crate) const SCHEMA: &str = "aris.install_aris.report/v1";

/// The data product.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    /// `install`, `reconcile`, `update`, `check` or `uninstall`.
    pub(crate) action: &'static str,
    /// The project, absolute.
    pub(crate) project: String,
    /// The source, absolute; absent when nothing was to be read from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<String>,
    /// Version that is installed, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) installed_version: Option<String>,
    /// Version of the source, where it says one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<InstallMode>,
    pub(crate) hosts: Vec<Host>,
    /// Whether the changes were made; false for `--dry-run`, `--check` and conflicts.
    pub(crate) applied: bool,
    #[serde(flatten)]
    pub(crate) log: Log,
    /// Lines for `.gitignore` that are not in it.
    pub(crate) ignore: Vec<Ignore>,
}

/// A line for `.gitignore`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Ignore {
    pub(crate) line: String,
    pub(crate) why: &'static str,
}

/// What happens to one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Change {
    pub(crate) what: What,
    /// Relative to the project.
    pub(crate) path: String,
    /// Where an edited copy went, relative to the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kept_as: Option<String>,
}

/// A kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum What {
    /// Something new.
    Create,
    /// Something that is counted as installed from now on.
    Adopt,
    /// Something installed that was gone.
    Repair,
    /// Something installed, by another content.
    Replace,
    /// Something installed that is no longer wanted.
    Remove,
    /// A file, for its block.
    EditBlock,
    /// An old nested copy, moved away.
    Archive,
    /// The record only.
    Record,
}

impl What {
    const fn sign(self) -> &'static str {
        match self {
            Self::Create => "+",
            Self::Adopt => "=",
            Self::Repair => "!",
            Self::Replace => "~",
            Self::Remove => "-",
            Self::EditBlock => "#",
            Self::Archive => ">",
            Self::Record => "*",
        }
    }
}

/// Something that must be decided by the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Conflict {
    /// Relative to the project.
    pub(crate) path: String,
    pub(crate) reason: String,
    pub(crate) hint: String,
}

/// Something that is not touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Left {
    /// Relative to the project.
    pub(crate) path: String,
    pub(crate) reason: String,
}

/// What a run changes and what it leaves.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Log {
    /// Changes in the order they are made.
    pub(crate) changes: Vec<Change>,
    /// What forbids the changes: nothing was done.
    pub(crate) conflicts: Vec<Conflict>,
    /// What was left as it is, with the reason.
    pub(crate) left: Vec<Left>,
}

impl Log {
    pub(crate) fn change(&mut self, what: What, path: &str) -> &mut Change {
        self.changes.push_mut(Change {
            what,
            path: path.to_owned(),
            kept_as: None,
        })
    }

    pub(crate) fn keep(&mut self, what: What, path: &str, kept_as: &str) {
        self.change(what, path).kept_as = Some(kept_as.to_owned());
    }

    pub(crate) fn conflict(
        &mut self,
        path: &str,
        reason: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.conflicts.push(Conflict {
            path: path.to_owned(),
            reason: reason.into(),
            hint: hint.into(),
        });
    }

    pub(crate) fn leave(&mut self, path: &str, reason: impl Into<String>) {
        self.left.push(Left {
            path: path.to_owned(),
            reason: reason.into(),
        });
    }

    pub(crate) fn append(&mut self, mut other: Self) {
        self.changes.append(&mut other.changes);
        self.conflicts.append(&mut other.conflicts);
        self.left.append(&mut other.left);
    }
}

impl Report {
    /// What was done to the install that the records tell of.
    pub(crate) fn new(
        action: &'static str,
        project: &Project,
        records: &Records,
        log: Log,
        applied: bool,
    ) -> Self {
        let manifest = records.manifest.as_ref();
        Self {
            action,
            project: project.text.clone(),
            source: records.repo_root().map(str::to_owned),
            installed_version: manifest.and_then(|manifest| manifest.source_version.clone()),
            source_version: None,
            mode: manifest.map(|manifest| manifest.mode),
            hosts: manifest.map_or_else(Vec::new, |manifest| manifest.hosts.clone()),
            applied,
            log,
            ignore: Vec::new(),
        }
    }
}

impl Product for Report {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        for change in &self.log.changes {
            let (sign, path) = (change.what.sign(), &change.path);
            match &change.kept_as {
                None => writeln!(out, "{sign} {path}")?,
                Some(kept) => writeln!(out, "{sign} {path} (edited; kept as {kept})")?,
            }
        }
        for Left { path, reason } in &self.log.left {
            writeln!(out, "left {path}: {reason}")?;
        }
        for Conflict { path, reason, hint } in &self.log.conflicts {
            writeln!(out, "conflict {path}: {reason}; {hint}")?;
        }
        if let (Some(from), Some(to)) = (&self.installed_version, &self.source_version)
            && from != to
        {
            writeln!(out, "version {from} -> {to}")?;
        }
        let mut why = "";
        for line in &self.ignore {
            if line.why != why {
                why = line.why;
                writeln!(out, "add to .gitignore ({why}):")?;
            }
            writeln!(out, "    {}", line.line)?;
        }
        let count = self.log.changes.len();
        let changes = counted(count, "change");
        let conflicts = self.log.conflicts.len();
        if conflicts > 0 {
            let conflicts = counted(conflicts, "conflict");
            writeln!(out, "{conflicts}, nothing was changed")
        } else if self.applied || count == 0 {
            writeln!(out, "{changes}")
        } else {
            writeln!(out, "{changes} to make, nothing was changed")
        }
    }
}
