//! The workspace: its root and the helper table.

use std::path::{Path, PathBuf};

use aris_contract::policy::Policy;
use serde::{Deserialize, Serialize};

use crate::fault::Fault;

/// The file with the rows.
pub(crate) const TABLE: &str = "skills/shared-references/helpers.toml";

/// The workspace's root and its helper table.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// The rows of shipped helpers, in the order of the file; generated files are made from these.
    pub(crate) rows: Vec<Row>,
    /// All rows of the contract, in the order of the file.
    pub(crate) contract: Vec<Row>,
}

/// One row of `helpers.toml`; the columns are described at the top of that file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    pub(crate) name: String,
    #[serde(default = "shipped_unless_said")]
    pub(crate) shipped: bool,
    pub(crate) aliases: Vec<String>,
    pub(crate) owner: String,
    pub(crate) callers: Vec<String>,
    #[serde(default, skip_serializing)]
    pub(crate) job: Job,
    #[serde(default, skip_serializing)]
    pub(crate) brief: String,
    pub(crate) policy: Policy,
    #[serde(default)]
    pub(crate) other_policies: Vec<Policy>,
    pub(crate) rationale: String,
    pub(crate) fallback: String,
}

/// The job for which a helper is used; the order is that of `aris help`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Job {
    Paper,
    Review,
    Literature,
    Experiment,
    Suite,
    #[default]
    Other,
}

impl Job {
    pub(crate) const ALL: [Self; 6] = [
        Self::Paper,
        Self::Review,
        Self::Literature,
        Self::Experiment,
        Self::Suite,
        Self::Other,
    ];

    /// The heading in `aris help`.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Paper => "Before a paper is submitted",
            Self::Review => "Reviewing",
            Self::Literature => "Finding and keeping papers",
            Self::Experiment => "Running experiments",
            Self::Suite => "Installing and checking skills",
            Self::Other => "Other helpers",
        }
    }
}

fn shipped_unless_said() -> bool {
    true
}

/// An environment variable.
#[expect(
    clippy::disallowed_methods,
    reason = "xtask is no helper and has no Context"
)]
pub(crate) fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from)
}

/// The current time.
#[expect(
    clippy::disallowed_methods,
    reason = "xtask is no helper and has no Context"
)]
pub(crate) fn now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

/// The current date in UTC.
pub(crate) fn today() -> jiff::civil::Date {
    now().to_zoned(jiff::tz::TimeZone::UTC).date()
}

/// The root of the checkout that xtask runs from.
pub(crate) fn root() -> PathBuf {
    // cargo sets the variable when it runs xtask; the compiled-in path is for a binary that is started directly.
    let manifest =
        variable("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    manifest
        .parent()
        .map_or(manifest.clone(), Path::to_path_buf)
}

impl Workspace {
    /// Reads the helper table below `root`.
    pub(crate) fn load(root: &Path) -> Result<Self, Fault> {
        let text = aris_fs::read_text(&root.join(TABLE))?;
        let contract: Vec<Row> = aris_skills::helpers::rows(text.as_bytes()).map_err(
            |aris_skills::helpers::Problem { line, reason }| {
                Fault::new(format!("{TABLE}:{line}: {reason}"))
            },
        )?;
        Ok(Self {
            root: root.to_path_buf(),
            rows: contract.iter().filter(|row| row.shipped).cloned().collect(),
            contract,
        })
    }

    /// The version of all crates.
    pub(crate) fn version(&self) -> Result<String, Fault> {
        let text = aris_fs::read_text(&self.at("Cargo.toml"))?;
        let manifest = toml_edit::Document::parse(text)
            .map_err(|error| Fault::new(format!("Cargo.toml: {error}")))?;
        let version = ["workspace", "package", "version"]
            .iter()
            .try_fold(manifest.as_item(), |item, key| item.get(key));
        version
            .and_then(toml_edit::Item::as_str)
            .map(str::to_owned)
            .ok_or_else(|| Fault::new("Cargo.toml: [workspace.package] has no version"))
    }

    /// A path below the root.
    pub(crate) fn at(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// The row of `helper`.
    pub(crate) fn row(&self, helper: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == helper)
    }

    /// Whether the table names this helper, shipped or not yet.
    pub(crate) fn is_helper(&self, name: &str) -> bool {
        self.contract.iter().any(|row| row.name == name)
    }

    /// Names of the folders in `relative` that contain `marker`, sorted. None if `relative` does not exist.
    pub(crate) fn folders_with(&self, relative: &str, marker: &str) -> Result<Vec<String>, Fault> {
        let folder = self.at(relative);
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let entries = aris_fs::list_sorted(&folder)?;
        let names = entries
            .into_iter()
            .filter(|entry| entry.path.join(marker).is_file());
        Ok(names
            .map(|entry| entry.name.to_string_lossy().into_owned())
            .collect())
    }

    /// Names of all packages in `crates/`, sorted.
    pub(crate) fn crates(&self) -> Result<Vec<String>, Fault> {
        self.folders_with("crates", "Cargo.toml")
    }
}

impl Row {
    /// Canonical name and aliases.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.name)
            .chain(&self.aliases)
            .map(String::as_str)
    }

    /// The folder of the launcher, `skills/<owner>/scripts`.
    pub(crate) fn scripts(&self) -> String {
        format!("skills/{}/scripts", self.owner)
    }
}
