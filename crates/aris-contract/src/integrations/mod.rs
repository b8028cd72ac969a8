//! The table of integrations, typed: where one skill relies on another or on state that a project keeps, and the six parts
//! that make it more than prose. Compiled in.
//!
//! `skills/shared-references/integrations.toml` is the only place where a row is written. `table.rs` is generated from it by
//! `cargo xtask sync`, which also refuses rows that are incomplete.
//!
//! **Source**: the integration contract: its six required components and its table of known integrations.

mod table;

use serde::Serialize;

/// One integration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integration {
    /// kebab-case, what people call it.
    pub name: &'static str,
    /// What it is, one line.
    pub title: &'static str,
    /// The skill in whose workflow it fires.
    pub caller: &'static str,
    /// Part 1: when it fires.
    pub fires: Predicate,
    /// Part 2: canonical name of its helper.
    pub helper: &'static str,
    /// Part 3: what it leaves; each with part 5, how to make it afterwards.
    pub artifacts: &'static [Artifact],
    /// Part 4: the lines of the visible checklist.
    pub checklist: &'static [&'static str],
    /// Part 6: what proves it.
    pub verifier: Verifier,
}

/// An activation predicate: a closed set of questions that can be answered from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// There is a folder at this path of the project.
    DirExists(&'static str),
    /// There is a regular file at this path of the project.
    FileExists(&'static str),
    /// The file's text, white space at both ends aside, is `text`.
    FileEquals {
        /// Path in the project.
        path: &'static str,
        /// The text.
        text: &'static str,
    },
    /// The environment variable is set and not empty.
    EnvSet(&'static str),
    /// The environment variable has this value.
    EnvEquals {
        /// Name of the variable.
        name: &'static str,
        /// The value.
        value: &'static str,
    },
    /// The skill's arguments hold this flag, after any dashes.
    ArgMatches(&'static str),
    /// There is a file that one of these patterns names.
    Files(&'static [&'static str]),
    /// A file that one of these patterns names has one of these words.
    Says {
        /// Patterns.
        files: &'static [&'static str],
        /// Words, capital letters counting.
        any: &'static [&'static str],
    },
    /// The branch that is checked out, which a remote has, changes a file that one of these patterns names.
    BranchChanges(&'static [&'static str]),
    /// Every one of these.
    All(&'static [Self]),
    /// At least one of these.
    Any(&'static [Self]),
    /// Not this.
    Not(&'static Self),
}

/// A file that an integration leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Path in the project. A `*` in a folder's name: every such folder needs the file; in the file's name: at least one does.
    pub path: &'static str,
    /// What it must be.
    pub form: Form,
    /// Values that its JSON must have.
    pub expect: &'static [Expect],
    /// RFC 6901 pointer to the digests of what it was made from, by path relative to its folder: they must still be those.
    pub hashed: Option<&'static str>,
    /// What its files together must name.
    pub covers: Option<Covers>,
    /// How to make it afterwards.
    pub backfill: Step,
}

/// What an artifact's files together must name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covers {
    /// Every arXiv identifier that files of these patterns announce; the missing ones fill `{arxiv_ids}` of the backfill.
    ArxivIds(&'static [&'static str]),
    /// The folder of each file of this pattern.
    Folders(&'static str),
    /// Each file of some patterns, among the artifact's own digests.
    Inputs {
        /// The patterns.
        files: &'static [&'static str],
        /// Those that need not be there.
        except: &'static [&'static str],
        /// RFC 6901 pointer to `true`, where the artifact says that it is about all of them.
        when: &'static str,
    },
}

/// What an artifact must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JSON that follows the schema of this id.
    Schema(&'static str),
    /// JSON of any shape.
    Json,
    /// UTF-8 text that is not empty.
    Text,
    /// A PNG image.
    Png,
}

/// A string that the JSON of an artifact must have at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expect {
    /// RFC 6901 pointer.
    pub pointer: &'static str,
    /// The string.
    pub is: &'static str,
}

/// What makes an artifact afterwards. In arguments `{project}` is the project's folder, any other `{name}` is given by the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A helper's call.
    Helper {
        /// Canonical name.
        helper: &'static str,
        /// Arguments.
        args: &'static [&'static str],
    },
    /// A skill, which only an agent can run: `/experiment-queue`.
    Skill(&'static str),
}

/// What proves an integration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verifier {
    /// Canonical name of the helper.
    pub helper: &'static str,
    /// Its arguments, as in [`Step::Helper`].
    pub args: &'static [&'static str],
    /// What its exit code decides.
    pub role: Role,
}

/// What the exit code of a verifier decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    table::INTEGRATIONS
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
    fn every_row_has_its_six_parts_and_names_known_helpers() {
        assert!(!all().is_empty());
        for row in all() {
            assert!(
                !row.artifacts.is_empty() && !row.checklist.is_empty(),
                "{}",
                row.name
            );
            let mut named = vec![row.helper, row.verifier.helper];
            for artifact in row.artifacts {
                if let Step::Helper { helper, .. } = artifact.backfill {
                    named.push(helper);
                }
            }
            for name in named {
                let helper = helpers::find(name).unwrap_or_else(|| panic!("{name} has no row"));
                assert_eq!(helper.name, name);
            }
        }
    }
}
