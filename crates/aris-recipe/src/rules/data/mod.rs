//! What a recipe is checked against besides itself: skill contracts, tools, budgets, texts of skills, contract cards.
//!
//! The types are filled from texts that the caller has read; nothing here touches the disk. JSON is read as well as YAML.

mod budgets;
mod contracts;
mod exempt;
mod fields;
mod manifest;
mod skills;
mod tools;

use std::collections::BTreeMap;

pub use budgets::{Budget, Budgets};
pub use contracts::{BlockFingerprint, Card, CardStep, Contracts};
pub use exempt::Exemptions;
pub use fields::DataError;
pub use manifest::{Manifest, SkillContract, SkillInput, SkillOutput};
pub use skills::Skills;
pub use tools::{Tool, Tools};

/// Everything a recipe may be checked against. What is absent was not given: the rules that need it are reported as skipped.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// Contracts of skills.
    pub manifest: Option<Manifest>,
    /// Tools and their parameters.
    pub tools: Option<Tools>,
    /// Budgets of blocks.
    pub budgets: Option<Budgets>,
    /// The skills that are there, with their texts.
    pub skills: Option<Skills>,
    /// The sub-recipes that are there; for each, the names of the sub-recipes that it places itself.
    pub sub_recipes: Option<BTreeMap<String, Vec<String>>>,
    /// Captures that are kept for people and may stay unread.
    pub exempt: Exemptions,
    /// Stored contract card and diagram of this recipe.
    pub contracts: Option<Contracts>,
}
