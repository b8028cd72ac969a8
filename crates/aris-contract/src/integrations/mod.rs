//! The table of integrations as Rust types, compiled in. An integration is a place where one skill relies on another, or on state
//! that a project keeps; its six parts make it checkable.
//!
//! `skills/shared-references/integrations.toml` is the only place where a row is written. `table.json` is generated from it by
//! `cargo xtask sync`, which also refuses rows that are incomplete.
//!
//! **Source**: the integration contract: its six required components and its table of known integrations.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

static TABLE: LazyLock<Vec<Integration>> = LazyLock::new(|| {
    // Tests check that the table parses; if it did not, it would have no rows.
    serde_json::from_str(include_str!("table.json")).unwrap_or_default()
});

/// One integration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Integration {
    /// Name in kebab-case.
    pub name: String,
    /// Description in one line.
    pub title: String,
    /// The skill whose workflow triggers it.
    pub caller: String,
    /// Part 1: the condition that triggers it.
    pub fires: Predicate,
    /// Part 2: canonical name of its helper.
    pub helper: String,
    /// Part 3: the files that it leaves; each with part 5, how to make it later.
    pub artifacts: Vec<Artifact>,
    /// Part 4: the lines of the visible checklist.
    pub checklist: Vec<String>,
    /// Part 6: what verifies it.
    pub verifier: Verifier,
}

/// An activation condition: one of a fixed set of questions that can be answered from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Predicate {
    /// There is a folder at this path of the project.
    DirExists(String),
    /// There is a regular file at this path of the project.
    FileExists(String),
    /// The file's text, trimmed, equals `text`.
    FileEquals {
        /// Path in the project.
        path: String,
        /// The text.
        text: String,
    },
    /// The environment variable is set and not empty.
    EnvSet(String),
    /// The environment variable has this value.
    EnvEquals {
        /// Name of the variable.
        name: String,
        /// The value.
        value: String,
    },
    /// The skill's arguments contain this flag, without leading dashes.
    ArgMatches(String),
    /// A file matches one of these patterns.
    Files(Vec<String>),
    /// A file that matches one of the patterns contains one of the words.
    Says {
        /// Patterns.
        files: Vec<String>,
        /// Words; case matters.
        any: Vec<String>,
    },
    /// The current branch, which a remote has, changes a file that matches one of these patterns.
    BranchChanges(Vec<String>),
    /// All of these hold.
    All(Vec<Self>),
    /// At least one of these holds.
    Any(Vec<Self>),
    /// This does not hold.
    Not(Box<Self>),
}

/// A file that an integration leaves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    /// Path in the project. A `*` in a folder's name: every such folder needs the file. A `*` in the file's name: at least one
    /// must exist.
    pub path: String,
    /// Required form.
    pub form: Form,
    /// Values that its JSON must have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Expect>,
    /// RFC 6901 pointer to the digests of its inputs, an object {path: digest} or a list of {path, sha256}. Paths are relative to
    /// the artifact's folder, for an artifact in `.aris` to the folder of `.aris`. The digests must still match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hashed: Option<String>,
    /// What its files together must cover.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covers: Option<Covers>,
    /// How to make it later.
    pub backfill: Step,
}

/// What an artifact's files together must cover.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Covers {
    /// Every arXiv identifier announced in files that match these patterns. The missing ones fill `{arxiv_ids}` of the backfill.
    ArxivIds(Vec<String>),
    /// The folder of each file that matches this pattern.
    Folders(String),
    /// Each file that matches one of the patterns must be among the artifact's digests.
    Inputs {
        /// The patterns.
        files: Vec<String>,
        /// Patterns of files that need not be covered.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        except: Vec<String>,
        /// RFC 6901 pointer; the rule applies if it points to `true`: then the artifact says that it covers all files. Without a
        /// pointer the rule always applies.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        when: Option<String>,
    },
}

/// The required form of an artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Form {
    /// JSON that follows the schema of this id.
    Schema(String),
    /// JSON of any shape.
    Json,
    /// UTF-8 text that is not empty.
    Text,
    /// A PNG image.
    Png,
}

impl From<String> for Form {
    fn from(text: String) -> Self {
        match text.as_str() {
            "json" => Self::Json,
            "text" => Self::Text,
            "png" => Self::Png,
            _ => Self::Schema(text),
        }
    }
}

impl From<Form> for String {
    fn from(form: Form) -> Self {
        match form {
            Form::Schema(id) => id,
            Form::Json => Self::from("json"),
            Form::Text => Self::from("text"),
            Form::Png => Self::from("png"),
        }
    }
}

/// A string that must occur at a place in an artifact's JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// RFC 6901 pointer.
    pub pointer: String,
    /// The string.
    pub is: String,
}

/// How an artifact is made. In arguments `{project}` is the project's folder; the caller supplies any other `{name}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Step {
    /// A helper's call.
    Helper {
        /// Canonical name.
        helper: String,
        /// Arguments.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        args: Vec<String>,
    },
    /// A skill, which only an agent can run, such as `/experiment-queue`.
    Skill {
        /// Its command.
        skill: String,
    },
}

/// The helper that verifies an integration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verifier {
    /// Canonical name of the helper.
    pub helper: String,
    /// Its arguments, as in [`Step::Helper`].
    pub args: Vec<String>,
    /// The meaning of its exit code.
    pub role: Role,
}

/// What the exit code of a verifier decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(schemars::JsonSchema)]
pub enum Role {
    /// Whether the research result may leave the house: load-bearing.
    Gate,
    /// Whether its own skill may claim success; a calling workflow may go on another way.
    SkillGate,
    /// Nothing: it reports.
    Diagnostic,
}

/// All integrations, sorted by name.
pub fn all() -> &'static [Integration] {
    &TABLE
}

/// The integration called `name`.
pub fn find(name: &str) -> Option<&'static Integration> {
    all().iter().find(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::helpers;

    #[test]
    fn a_row_is_found_by_its_name_and_written_as_it_was_read() {
        for row in all() {
            assert_eq!(find(&row.name), Some(row));
        }
        assert_eq!(find("none"), None);
        let table: serde_json::Value =
            serde_json::from_str(include_str!("table.json")).expect("JSON");
        assert_eq!(serde_json::to_value(all()).expect("JSON"), table);
        for word in ["json", "text", "png", "aris.x.y/v1"] {
            assert_eq!(String::from(Form::from(word.to_owned())), word);
        }
        let forms = ["json", "text", "png"].map(|word| Form::from(word.to_owned()));
        assert_eq!(forms, [Form::Json, Form::Text, Form::Png]);
    }

    #[test]
    fn every_row_has_its_six_parts_and_names_known_helpers() {
        assert!(!all().is_empty());
        for row in all() {
            assert!(
                !row.artifacts.is_empty() && !row.checklist.is_empty(),
                "{}",
                row.name
            );
            let mut named = vec![&row.helper, &row.verifier.helper];
            for artifact in &row.artifacts {
                if let Step::Helper { helper, .. } = &artifact.backfill {
                    named.push(helper);
                }
            }
            for name in named {
                let helper = helpers::find(name).unwrap_or_else(|| panic!("{name} has no row"));
                assert_eq!(&helper.name, name);
            }
        }
    }
}
