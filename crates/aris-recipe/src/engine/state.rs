//! The state of a run, kept on disk between two steps.

use std::collections::BTreeMap;

use aris_contract::hex::hex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::expression::Scope;
use crate::model::Via;
use crate::value::sorted_json;

/// Schema id of [`State`].
pub const STATE_SCHEMA: &str = "aris.recipe_runner.state/v1";
/// Entries of a journal after which a run is stopped, unless the user says otherwise.
pub const MAX_STEPS: u64 = 500;

/// Status of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Between two steps.
    #[default]
    Running,
    /// Ended at a stop step or at `done`.
    Completed,
    /// Ended for a person to look at.
    Escalated,
    /// The recipe does not say where to go.
    Halted,
    /// The next outcome must come from outside.
    Waiting,
    /// Too many steps.
    LoopGuard,
}

impl Status {
    /// As printed.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Whether nothing follows.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Escalated | Self::Halted)
    }
}

/// What happened to a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// It was executed, in as many attempts as it took.
    #[default]
    Executed,
    /// It was skipped.
    Skipped,
    /// It has used up its executions.
    Exhausted,
    /// The run ended there.
    Stop,
}

/// One entry of the journal; without its last three fields one entry of a trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// From 1.
    pub seq: u64,
    /// The step.
    pub step: String,
    /// What happened.
    pub event: Event,
    /// `success`, `failure`, `context_limit`, `exhausted`, or null where nothing was executed.
    pub status: Option<String>,
    /// Executions of the step so far, this one included.
    pub visit: u32,
    /// Tries that this execution took.
    pub attempts: u32,
    /// The route that was taken; null at an end.
    #[schemars(with = "Option<String>")]
    pub edge: Option<Via>,
    /// Where it led; null at an end.
    pub target: Option<String>,
    /// Context variables that were written, with their values.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub captured: Map<String, Value>,
    /// How the target of a skip was found, where the recipe leaves it open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inferred: Option<String>,
    /// What a reader should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Digest of the outcome that was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// When, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Digest of the entry before, or of the start of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prev: Option<String>,
}

impl Entry {
    /// The entry as a trace shows it.
    #[must_use]
    pub fn shown(&self) -> Self {
        Self {
            outcome: None,
            at: None,
            prev: None,
            ..self.clone()
        }
    }
}

/// The recipe that a state belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecipeRef {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// The file.
    pub path: String,
    /// Digest of the file; empty when it is not known.
    #[serde(default)]
    pub sha256: String,
    /// Digests of the sub-recipes in it, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sub_recipes: BTreeMap<String, String>,
    /// Where sub-recipes were looked for besides the folder beside the recipe.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sub_recipes_dirs: Vec<String>,
    /// What replaced the placeholder of the folder for temporary files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temp_dir: Option<String>,
    /// Where the run was started: relative folders of its steps, and files of its secrets, are below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The contracts of skills that answers are compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<FileRef>,
}

/// A file that a run depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileRef {
    /// The file.
    pub path: String,
    /// Digest of its bytes.
    pub sha256: String,
}

/// Where a journal begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The step.
    pub step: String,
    /// What was captured before, by another run.
    #[serde(default)]
    pub context: Map<String, Value>,
}

/// The state of a run. Only `recipe.path` is required; a field that is missing is as at the beginning of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Schema id.
    #[serde(default)]
    pub schema: String,
    /// The recipe.
    pub recipe: RecipeRef,
    /// Inputs; frozen.
    #[serde(default)]
    pub inputs: BTreeMap<String, String>,
    /// What steps captured: texts and lists of texts.
    #[serde(default)]
    pub context: Map<String, Value>,
    /// Declared classes of variables.
    #[serde(default)]
    pub classes: BTreeMap<String, String>,
    /// Executions of each step.
    #[serde(default)]
    pub visits: BTreeMap<String, u32>,
    /// Executions of each bounded step in this section of the run.
    #[serde(default)]
    pub budget: BTreeMap<String, u32>,
    /// The step that is next.
    #[serde(default)]
    pub cursor: Option<String>,
    /// Attempts of that step that will be repeated.
    #[serde(default)]
    pub attempts: u32,
    /// Notes about those attempts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Status of the run.
    #[serde(default)]
    pub status: Status,
    /// Why it halted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halt: Option<String>,
    /// Whether a session changed what it must not.
    #[serde(default)]
    pub tainted: bool,
    /// Whether it ended at a stop step that is declared as a failure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// Entries of the journal after which the run is stopped.
    #[serde(default = "max_steps")]
    pub max_steps: u64,
    /// Where the journal begins; absent before the first run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Start>,
    /// Digest of the last entry, or of the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// What happened, in order; grows only.
    #[serde(default)]
    pub journal: Vec<Entry>,
}

fn max_steps() -> u64 {
    MAX_STEPS
}

impl State {
    /// What conditions and templates read, with the result of the step at hand.
    pub(crate) fn scope<'a>(&'a self, result: &'a Value) -> Scope<'a> {
        Scope {
            inputs: &self.inputs,
            context: &self.context,
            result,
        }
    }

    /// The state of a run that has not begun.
    pub fn new(recipe: RecipeRef, inputs: BTreeMap<String, String>, max_steps: u64) -> Self {
        Self {
            schema: STATE_SCHEMA.to_owned(),
            recipe,
            inputs,
            max_steps,
            ..Self::default()
        }
    }

    /// The journal without times and digests.
    pub fn trace(&self) -> Vec<Entry> {
        self.journal.iter().map(Entry::shown).collect()
    }

    /// Where the run ended: a stop step, `done`, `escalate`, or nothing.
    pub fn terminal(&self) -> Option<&str> {
        let last = self.journal.last()?;
        match (self.status, last.event) {
            (Status::Completed, Event::Stop) => Some(&last.step),
            (Status::Completed | Status::Escalated, _) => last.target.as_deref(),
            _ => None,
        }
    }
}

/// SHA-256 of bytes, in hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// SHA-256 of the JSON of something, keys sorted, in hexadecimal digits.
pub fn digest_of(value: &impl Serialize) -> String {
    // Our types have only texts as keys, so they always have a JSON form.
    let value = serde_json::to_value(value).unwrap_or_default();
    sha256_hex(sorted_json(&value).as_bytes())
}
