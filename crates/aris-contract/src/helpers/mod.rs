//! The helper table, typed: one row for each helper, compiled in.
//!
//! `skills/shared-references/helpers.toml` is the only place where a helper's row is written. `table.rs` is generated from it
//! by `cargo xtask sync`, and `cargo xtask verify` fails when the two differ.

mod table;

use crate::policy::Policy;

/// One helper, as the table describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Helper {
    /// Canonical name = crate = binary = launcher.
    pub name: &'static str,
    /// Legacy names that resolve to the same helper, `save_trace.sh`.
    pub aliases: &'static [&'static str],
    /// Skill that cannot work without it; its `scripts/` holds the launcher.
    pub owner: &'static str,
    /// Skills that call it.
    pub callers: &'static [&'static str],
    /// What a caller does when it is missing or fails.
    pub policy: Policy,
    /// Why this policy.
    pub rationale: &'static str,
    /// What a caller does without it.
    pub fallback: &'static str,
}

impl Helper {
    /// Canonical name and aliases, in the order the resolver tries them.
    pub fn names(&self) -> Vec<&'static str> {
        let mut names = vec![self.name];
        names.extend_from_slice(self.aliases);
        names
    }
}

/// All helpers, by name.
pub fn all() -> &'static [Helper] {
    table::HELPERS
}

/// The helper that goes by `name`, canonical or legacy.
pub fn find(name: &str) -> Option<&'static Helper> {
    all()
        .iter()
        .find(|helper| helper.name == name || helper.aliases.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_means_two_helpers() {
        let mut names: Vec<&str> = all().iter().flat_map(Helper::names).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert_eq!(
            find("save_trace.sh").map(|helper| helper.name),
            Some("save_trace")
        );
    }
}
