//! The faults that `doctor` reports.

use aris_contract::text::shell_line;
use serde::Serialize;
use strum::EnumMessage;

/// A fault. Ordered by severity, then by path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Finding {
    /// Its severity.
    pub(crate) severity: Severity,
    /// The file or folder, as it was checked.
    pub(crate) path: String,
    /// What kind of fault it is.
    pub(crate) id: Id,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do.
    pub(crate) hint: String,
}

/// Severity of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    /// Something does not work.
    Error,
    /// Something works, but not as it appears to.
    Warning,
}

// Each `message` is the usual hint for the fault.
/// The kinds of faults; their words are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, EnumMessage)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Id {
    /// Nothing is installed here, and no helper is found.
    #[strum(
        message = "run install_aris in the project, or set ARIS_REPO to a repository with a tools folder"
    )]
    NotInstalled,
    /// A record of an installation cannot be read as one.
    #[strum(message = "restore the file from a backup, or move it away and install again")]
    ManifestInvalid,
    /// Entries are installed without a record.
    #[strum(message = "run install_aris in the project again")]
    ManifestMissing,
    /// The record belongs to another project.
    #[strum(message = "remove the record that was copied here, and install into this project")]
    ManifestForeign,
    /// The two records disagree.
    #[strum(message = "run install_aris in the project again")]
    ManifestsDisagree,
    /// The source of the skills is gone.
    #[strum(
        message = "put the repository back, or install again from where it is now (--aris-repo); copies need it for updates only"
    )]
    RepoRootGone,
    /// Parts have different versions.
    #[strum(message = "install the skill again, with the binaries of the same version")]
    VersionMismatch,
    /// An installed entry is gone.
    #[strum(message = "run install_aris --reconcile in the project")]
    EntryMissing,
    /// Something else is in the place of an installed link.
    #[strum(message = "move it away if it is yours, then run install_aris --reconcile")]
    EntryReplaced,
    /// A link has another target than the installed one.
    #[strum(message = "run install_aris --reconcile in the project")]
    LinkElsewhere,
    /// A link is dangling.
    #[strum(message = "remove it, or put back what it leads to")]
    LinkDangling,
    /// A file differs from the installed one.
    #[strum(
        message = "keep your copy elsewhere if the change is yours, then run install_aris --reconcile"
    )]
    DigestMismatch,
    /// A file lost its execute bit.
    NotExecutable,
    /// A launcher's file is not a launcher.
    #[strum(message = "install the skill again")]
    LauncherBroken,
    /// There is no binary for this machine.
    #[strum(
        message = "run cargo xtask install-skills in the repository the skills came from, or install a release for this machine"
    )]
    BinaryMissing,
    /// A binary does not start, or does not print its version.
    #[strum(
        message = "run cargo xtask install-skills in the repository the skills came from, or install a release for this machine"
    )]
    BinaryBroken,
    /// A shipped helper is not found.
    #[strum(message = "run install_aris --reconcile in the project")]
    HelperUnresolved,
    /// A file with a helper's name comes first in the chain and cannot be used.
    #[strum(message = "repair or remove it; until then the helper counts as missing")]
    HelperUnusable,
    /// Another version of a helper is hidden by the one that is used.
    #[strum(message = "remove the one you do not mean")]
    HelperShadowed,
    /// A program on `PATH` has a helper's name and different content.
    #[strum(message = "remove it from PATH, or install the same version")]
    PathDiffers,
    /// A host does not see a skill that was installed for it.
    #[strum(message = "run install_aris --reconcile in the project")]
    HostMissesSkill,
    /// The markers of a managed block do not match.
    #[strum(
        message = "remove the marker that is left over; text outside the block is yours and stays"
    )]
    BlockDamaged,
    /// A managed block that was installed is gone.
    #[strum(message = "run install_aris --reconcile, with --no-doc to leave the file alone")]
    BlockMissing,
    /// A managed block was edited.
    #[strum(message = "move your own text out of the block; what is inside is replaced")]
    BlockEdited,
    /// A path could not be examined.
    #[strum(message = "make it a readable file")]
    Unreadable,
}

impl Id {
    /// Its usual severity.
    const fn severity(self) -> Severity {
        match self {
            Self::ManifestInvalid
            | Self::ManifestForeign
            | Self::RepoRootGone
            | Self::EntryMissing
            | Self::LinkDangling
            | Self::LauncherBroken
            | Self::BinaryMissing
            | Self::BinaryBroken
            | Self::HelperUnusable
            | Self::HostMissesSkill
            | Self::BlockDamaged
            | Self::Unreadable => Severity::Error,
            _ => Severity::Warning,
        }
    }
}

/// The faults of an installation.
#[derive(Debug, Default)]
pub(crate) struct Findings(pub(crate) Vec<Finding>);

impl Findings {
    pub(crate) fn add(
        &mut self,
        id: Id,
        path: impl ToString,
        message: impl Into<String>,
    ) -> &mut Finding {
        self.0.push_mut(Finding {
            severity: id.severity(),
            path: path.to_string(),
            id,
            message: message.into(),
            hint: id.get_message().unwrap_or_default().to_owned(),
        })
    }

    pub(crate) fn not_executable(&mut self, path: &str) {
        let message = "lost its execute bit; it still works through sh";
        let hint = format!("chmod +x {}", shell_line(&[path]));
        self.add(Id::NotExecutable, path, message).hint(hint);
    }
}

impl Finding {
    /// Replaces the usual hint.
    pub(crate) fn hint(&mut self, hint: impl Into<String>) {
        self.hint = hint.into();
    }
}
