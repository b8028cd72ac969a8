//! The skills that are installed.

use std::collections::{BTreeMap, BTreeSet};

/// Names of skills, and the texts of those that a recipe calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skills {
    /// All that are there.
    pub names: BTreeSet<String>,
    /// `SKILL.md` by name, at least for the skills that [`super::super::called_skills`] gives.
    pub texts: BTreeMap<String, String>,
}
