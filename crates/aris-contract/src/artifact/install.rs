//! `.aris/install.json`: records exactly what an installer put into a project, so that it can be checked, repaired and removed.
//!
//! `.aris/installed-skills.txt` beside it has the reference's format; old skills read its `repo_root` row.
//!
//! **Source**: the conventions for install, update and uninstall; the reference's installer (rules S1 to S13).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The record's path, relative to the project.
pub const INSTALL_MANIFEST: &str = ".aris/install.json";

/// Path of the record that old skills read, relative to the project.
pub const INSTALLED_SKILLS: &str = ".aris/installed-skills.txt";

/// The canonical folder of installed skills, relative to the project: Codex, Gemini and Cursor read it.
pub const CANONICAL_SKILLS: &str = ".agents/skills";

/// The folder that Claude Code and Cursor read, relative to the project.
pub const CLAUDE_SKILLS: &str = ".claude/skills";

/// Layer 1 of the resolver chain, relative to the project.
pub const INSTALLED_TOOLS: &str = ".aris/tools";

/// A link to the folder that holds the skills, relative to the project: the same path for all hosts.
pub const LINKED_SKILLS: &str = ".aris/skills";

/// The record of one installation, `.aris/install.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct InstallManifest {
    /// Schema id.
    pub schema: String,
    /// Version of the program that wrote this.
    pub helper_version: String,
    /// Where the skills come from: absolute path of the folder that holds `skills/`.
    pub repo_root: String,
    /// Version of that source, where it says one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_version: Option<String>,
    /// The project, absolute.
    pub project_root: String,
    /// When it was written. RFC 3339, UTC.
    pub generated: String,
    /// Links into the source, or copies.
    pub mode: InstallMode,
    /// Hosts it was made for, sorted.
    pub hosts: Vec<Host>,
    /// The skills that were chosen, sorted; empty: all of the source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// Everything installed, sorted by path.
    pub entries: Vec<Entry>,
    /// Folders that the installer made, relative to the project, sorted.
    pub folders: Vec<String>,
    /// Blocks in the hosts' instruction files, sorted by path.
    pub blocks: Vec<Block>,
}

/// How skills get into a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InstallMode {
    /// Links into the source: changes there are seen at once.
    Symlink,
    /// Copies: the source may go away.
    Copy,
}

impl InstallMode {
    /// The word used in flags and manifests.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Symlink => "symlink",
            Self::Copy => "copy",
        }
    }
}

impl FromStr for InstallMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Symlink, Self::Copy]
            .into_iter()
            .find(|mode| mode.word() == text)
            .ok_or_else(|| format!("{text:?} is not a mode (symlink or copy)"))
    }
}

/// A program that loads skills.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Host {
    /// Claude Code.
    Claude,
    /// Codex CLI.
    Codex,
    /// Cursor.
    Cursor,
    /// Gemini CLI.
    Gemini,
}

impl Host {
    /// All hosts, sorted.
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Cursor, Self::Gemini];

    /// The word used in flags and manifests.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}

impl FromStr for Host {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|host| host.word() == text)
            .ok_or_else(|| format!("{text:?} is not a host (claude, codex, cursor or gemini)"))
    }
}

/// One installed thing: a skill in one place, the shared references, or a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Entry {
    /// Where it is, relative to the project, with `/`.
    pub path: String,
    /// What it is.
    pub kind: EntryKind,
    /// Name of the skill, of the support folder, or the tool's name below `.aris/tools` (`experiment_queue/queue_manager.py`).
    pub name: String,
    /// Where it came from.
    pub origin: Origin,
    /// What was put there.
    pub content: Content,
}

/// What an entry is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// A folder with a `SKILL.md`.
    Skill,
    /// A folder that skills refer to, `shared-references`.
    Support,
    /// A file below `.aris/tools`, that folder itself when it is a link, or `.aris/skills`.
    Tool,
}

impl EntryKind {
    /// The word used in manifests.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Skill => "skill",
            Self::Support => "support",
            Self::Tool => "tool",
        }
    }
}

/// Where an entry came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The source in `repo_root`.
    Source,
    /// An older install from another source, taken over and kept.
    Older,
}

/// What was put at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase", tag = "type")]
pub enum Content {
    /// A symbolic link.
    Link {
        /// Its text.
        target: String,
    },
    /// A file.
    File {
        /// `sha256:<hex>`.
        digest: String,
        /// Whether it got the execute bit. Launchers restore that bit themselves, so a difference here is no change.
        executable: bool,
    },
    /// A folder with files.
    Tree {
        /// Its files, sorted by path.
        files: Vec<TreeFile>,
    },
}

/// One file of a copied folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TreeFile {
    /// Relative to the entry, with `/`.
    pub path: String,
    /// `sha256:<hex>`.
    pub digest: String,
    /// Whether it got the execute bit.
    pub executable: bool,
}

/// A managed block in an instruction file (`CLAUDE.md`, `AGENTS.md`, `GEMINI.md`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Block {
    /// The file, relative to the project.
    pub path: String,
    /// Digest of the block from the begin marker to the end marker, `sha256:<hex>`.
    pub digest: String,
    /// Line ends that were put before the block.
    pub before: String,
    /// Line ends that were put after it.
    pub after: String,
    /// Whether the installer made the file.
    pub created: bool,
    /// Digest of the file before the block came in; absent when the installer made the file or a block was there already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_digest: Option<String>,
    /// Modification time of the file before the block came in, nanoseconds since 1970 as decimal text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_modified: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back() {
        for host in Host::ALL {
            assert_eq!(host.word().parse(), Ok(host));
            assert_eq!(serde_json::to_value(host).expect("JSON"), host.word());
            assert_eq!(host.to_string(), host.word());
        }
        for kind in [EntryKind::Skill, EntryKind::Support, EntryKind::Tool] {
            assert_eq!(serde_json::to_value(kind).expect("JSON"), kind.word());
        }
        for mode in [InstallMode::Symlink, InstallMode::Copy] {
            assert_eq!(mode.word().parse(), Ok(mode));
        }
        assert!("Claude".parse::<Host>().is_err() && "link".parse::<InstallMode>().is_err());
    }

    #[test]
    fn contents_say_their_type() {
        let link = Content::Link {
            target: String::from("x"),
        };
        assert_eq!(
            serde_json::to_string(&link).expect("json"),
            r#"{"type":"link","target":"x"}"#
        );
    }
}
