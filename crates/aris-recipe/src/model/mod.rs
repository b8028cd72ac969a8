//! A recipe as typed data, with the faults that were noted while it was read.

mod ingredient;
pub(crate) mod keys;
mod kinds;
mod read;
mod route;
mod state;
mod step;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

use aris_yaml::Text;

use keys::Fault;

pub use ingredient::{Ingredient, is_place};
pub use kinds::Capture;
pub use read::RecipeFile;
pub use read::{Loaded, RecipeKeys, load, parse};
pub use route::{Branch, Condition, OnResult, Target, Via, Written};
pub use state::{Class, Declaration, Tier};
pub(crate) use step::may_be_route;
pub use step::{AGENT_TOOL, COMMAND_TOOL, Kind, Origin, Step, StepKeys};

/// Re-executions after a transient outcome, where a step gives no number.
pub const DEFAULT_RETRIES: u32 = 3;
/// Target that completes a run, unless a step has that name.
pub const DONE: &str = "done";
/// Target that ends a run for a person to look at, unless a step has that name.
pub const ESCALATE: &str = "escalate";

/// A recipe.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Its name; empty when it has none.
    pub name: String,
    /// Its file, where that is known.
    pub file: Option<String>,
    /// What its file says. Steps are in the order of the file, and the first is the entry. Of two steps with one name the later one counts,
    /// in the place of the earlier.
    pub(crate) keys: RecipeKeys,
    /// Where the file differs from the schema.
    pub(crate) faults: Vec<Fault>,
    /// Variables that are captured only by sub-recipes that are not placed yet.
    pub elsewhere: BTreeSet<String>,
    /// Whether composing made routes that lead to `escalate`.
    pub may_escalate: bool,
    index: BTreeMap<String, usize>,
}

impl Deref for Recipe {
    type Target = RecipeKeys;

    fn deref(&self) -> &RecipeKeys {
        &self.keys
    }
}

impl Recipe {
    /// Version of the language it was written for, under either key.
    pub fn version(&self) -> Option<&Text> {
        let version = self.keys.recipe_version.as_ref();
        version.or(self.keys.autoskillit_version.as_ref())
    }

    /// The step of this name.
    pub fn step(&self, name: &str) -> Option<&Step> {
        self.steps.get(self.position(name)?)
    }

    /// The position in the file, from 0, of the step of this name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// The step a run begins with.
    pub fn entry(&self) -> Option<&Step> {
        self.steps.first()
    }

    /// The input of this name.
    pub fn ingredient(&self, name: &str) -> Option<&Ingredient> {
        let mut inputs = self.ingredients.iter();
        inputs.find(|input| input.name.text == name)
    }

    /// The target of a route; `None` when there is no such step. `escalate` is a target everywhere here; a rule reports it outside of
    /// `on_exhausted`.
    pub fn target(&self, route: &str) -> Option<Target> {
        match route {
            name if self.index.contains_key(name) => Some(Target::Step(name.to_owned())),
            DONE => Some(Target::Done),
            ESCALATE => Some(Target::Escalate),
            _ => None,
        }
    }

    /// The position of the step that is a target; `None` for the other targets.
    pub(crate) fn place(&self, target: Option<&Target>) -> Option<usize> {
        self.position(target?.step()?)
    }

    /// The class of a context variable.
    pub fn class(&self, variable: &str) -> Class {
        let mut declarations = self.state.iter().rev();
        let own = declarations.find(|one| one.variable.text == variable);
        own.and_then(|one| one.class).unwrap_or_default()
    }

    /// Replaces the steps.
    pub(crate) fn set_steps(&mut self, steps: Vec<Step>) {
        let names = steps.iter().map(|step| step.name.clone());
        self.index = names.zip(0..).collect();
        self.keys.steps = steps;
    }
}
