//! The table of integrations, typed: where one skill relies on another or on state that a project keeps, and the six parts
//! that make it more than prose. Compiled in.
//!
//! `skills/shared-references/integrations.toml` is the only place where a row is written. `table.json` is generated from it by
//! `cargo xtask sync`, which also refuses rows that are incomplete.
//!
//! **Source**: the integration contract: its six required components and its table of known integrations.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

static TABLE: LazyLock<Vec<Integration>> = LazyLock::new(|| {
    // The tests read it; a table that cannot be read has no rows.
    serde_json::from_str(include_str!("table.json")).unwrap_or_default()
});

/// One integration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Integration {
    /// kebab-case, what people call it.
    pub name: String,
    /// What it is, one line.
    pub title: String,
    /// The skill in whose workflow it fires.
    pub caller: String,
    /// Part 1: when it fires.
    pub fires: Predicate,
    /// Part 2: canonical name of its helper.
    pub helper: String,
    /// Part 3: what it leaves; each with part 5, how to make it afterwards.
    pub artifacts: Vec<Artifact>,
    /// Part 4: the lines of the visible checklist.
    pub checklist: Vec<String>,
    /// Part 6: what proves it.
    pub verifier: Verifier,
}

/// An activation predicate: a closed set of questions that can be answered from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Predicate {
    /// There is a folder at this path of the project.
    DirExists(String),
    /// There is a regular file at this path of the project.
    FileExists(String),
    /// The file's text, white space at both ends aside, is `text`.
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
    /// The skill's arguments hold this flag, after any dashes.
    ArgMatches(String),
    /// There is a file that one of these patterns names.
    Files(Vec<String>),
    /// A file that one of these patterns names has one of these words.
    Says {
        /// Patterns.
        files: Vec<String>,
        /// Words, capital letters counting.
        any: Vec<String>,
    },
    /// The branch that is checked out, which a remote has, changes a file that one of these patterns names.
    BranchChanges(Vec<String>),
    /// Every one of these.
    All(Vec<Self>),
    /// At least one of these.
    Any(Vec<Self>),
    /// Not this.
    Not(Box<Self>),
}

/// A file that an integration leaves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    /// Path in the project. A `*` in a folder's name: every such folder needs the file; in the file's name: at least one does.
    pub path: String,
    /// What it must be.
    pub form: Form,
    /// Values that its JSON must have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Expect>,
    /// RFC 6901 pointer to the digests of what it was made from, by path relative to its folder: they must still be those.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hashed: Option<String>,
    /// What its files together must name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covers: Option<Covers>,
    /// How to make it afterwards.
    pub backfill: Step,
}

/// What an artifact's files together must name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Covers {
    /// Every arXiv identifier that files of these patterns announce; the missing ones fill `{arxiv_ids}` of the backfill.
    ArxivIds(Vec<String>),
    /// The folder of each file of this pattern.
    Folders(String),
    /// Each file of some patterns, among the artifact's own digests.
    Inputs {
        /// The patterns.
        files: Vec<String>,
        /// Those that need not be there.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        except: Vec<String>,
        /// RFC 6901 pointer to `true`, where the artifact says that it is about all of them.
        when: String,
    },
}

/// What an artifact must be.
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

/// A string that the JSON of an artifact must have at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// RFC 6901 pointer.
    pub pointer: String,
    /// The string.
    pub is: String,
}

/// What makes an artifact afterwards. In arguments `{project}` is the project's folder, any other `{name}` is given by the caller.
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
    /// A skill, which only an agent can run: `/experiment-queue`.
    Skill {
        /// Its command.
        skill: String,
    },
}

/// What proves an integration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verifier {
    /// Canonical name of the helper.
    pub helper: String,
    /// Its arguments, as in [`Step::Helper`].
    pub args: Vec<String>,
    /// What its exit code decides.
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

/// All integrations, by name.
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
