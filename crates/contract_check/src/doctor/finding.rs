//! One fault of an installation.

use aris_contract::text::shell_line;
use aris_fs::FsError;
use serde::Serialize;

/// A fault. Ordered by severity, then by path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Finding {
    /// How bad it is.
    pub(crate) severity: Severity,
    /// The file or folder, as it was looked at.
    pub(crate) path: String,
    /// What kind of fault it is.
    pub(crate) id: Id,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do.
    pub(crate) hint: String,
}

/// How bad a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    /// Something does not work.
    Error,
    /// Something works otherwise than it seems.
    Warning,
}

/// The kinds of faults; their words are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Id {
    /// Nothing is installed here, and no helper is found.
    NotInstalled,
    /// A record of an installation cannot be read as one.
    ManifestInvalid,
    /// Things are installed and no record says so.
    ManifestMissing,
    /// The record is of another project.
    ManifestForeign,
    /// The two records disagree.
    ManifestsDisagree,
    /// What the skills came from is gone.
    RepoRootGone,
    /// Parts of different versions.
    VersionMismatch,
    /// Something that was installed is gone.
    EntryMissing,
    /// Something else stands where a link was installed.
    EntryReplaced,
    /// A link leads elsewhere than it was installed.
    LinkElsewhere,
    /// A link leads to nothing.
    LinkDangling,
    /// A file is not what was installed.
    DigestMismatch,
    /// A file lost its execute bit.
    NotExecutable,
    /// A launcher is not one.
    LauncherBroken,
    /// There is no binary for this machine.
    BinaryMissing,
    /// A binary does not start, or does not say its version.
    BinaryBroken,
    /// A shipped helper is not found.
    HelperUnresolved,
    /// A file of a helper's name is in the way and cannot be used.
    HelperUnusable,
    /// Another version of a helper is hidden behind the one that is used.
    HelperShadowed,
    /// A program on `PATH` has a helper's name and other content.
    PathDiffers,
    /// A host does not see a skill that was installed for it.
    HostMissesSkill,
    /// The markers of a managed block do not match.
    BlockDamaged,
    /// A managed block that was installed is gone.
    BlockMissing,
    /// A managed block was edited.
    BlockEdited,
    /// Something could not be looked at.
    Unreadable,
}

/// The faults of an installation.
#[derive(Debug, Default)]
pub(crate) struct Findings(pub(crate) Vec<Finding>);

impl Findings {
    pub(crate) fn error(
        &mut self,
        id: Id,
        path: impl ToString,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.add(Severity::Error, id, path, message, hint);
    }

    pub(crate) fn warning(
        &mut self,
        id: Id,
        path: impl ToString,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.add(Severity::Warning, id, path, message, hint);
    }

    pub(crate) fn add(
        &mut self,
        severity: Severity,
        id: Id,
        path: impl ToString,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.0.push(Finding {
            severity,
            path: path.to_string(),
            id,
            message: message.into(),
            hint: hint.into(),
        });
    }

    pub(crate) fn unreadable(&mut self, path: impl ToString, error: &FsError, hint: &str) {
        self.error(Id::Unreadable, path, error.to_string(), hint);
    }

    pub(crate) fn not_executable(&mut self, path: &str) {
        let message = "lost its execute bit; it still works through sh";
        let hint = format!("chmod +x {}", shell_line(&[path]));
        self.warning(Id::NotExecutable, path, message, hint);
    }
}
