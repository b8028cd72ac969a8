//! The helper table as Rust types: one row for each helper, compiled in.
//!
//! `skills/shared-references/helpers.toml` is the only place where a helper's row is written. `table.json` is generated from it
//! by `cargo xtask sync`, and `cargo xtask verify` fails when the two differ.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::policy::Policy;

static TABLE: LazyLock<Vec<Helper>> = LazyLock::new(|| {
    // Tests check that the table parses; if it did not, it would have no rows.
    let mut rows: Vec<Helper> =
        serde_json::from_str(include_str!("table.json")).unwrap_or_default();
    rows.sort_by_key(|helper| !helper.shipped);
    rows
});

/// One helper, as the table describes it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Helper {
    /// Canonical name = crate = binary = launcher.
    pub name: String,
    /// Whether this suite builds it. The contract names helpers that a project may have from elsewhere.
    pub shipped: bool,
    /// Legacy names that resolve to the same helper, `save_trace.sh`; with a folder where it had one below `tools/`.
    pub aliases: Vec<String>,
    /// Skill that cannot work without it; its `scripts/` holds the launcher.
    pub owner: String,
    /// Skills that call it.
    pub callers: Vec<String>,
    /// What a caller does when it is missing or fails.
    pub policy: Policy,
    /// Further policies that the contract allows some callers.
    pub other_policies: Vec<Policy>,
    /// Why this policy.
    pub rationale: String,
    /// What a caller does without it.
    pub fallback: String,
}

impl Helper {
    /// Canonical name and aliases, in the order the resolver tries them.
    pub fn names(&self) -> Vec<&str> {
        let names = std::iter::once(&self.name).chain(&self.aliases);
        names.map(String::as_str).collect()
    }

    /// Whether the contract lets a caller handle this helper by `policy`.
    pub fn allows(&self, policy: Policy) -> bool {
        self.policy == policy || self.other_policies.contains(&policy)
    }
}

/// The helpers that this suite ships, sorted by name.
pub fn all() -> &'static [Helper] {
    let shipped = TABLE.partition_point(|helper| helper.shipped);
    TABLE.get(..shipped).unwrap_or_default()
}

/// Every helper that the contract names: those of [`all`], then those that this suite does not ship, each part sorted by name.
pub fn contract() -> impl Iterator<Item = &'static Helper> {
    TABLE.iter()
}

/// The helper of the contract with the canonical or legacy name `name`.
pub fn find(name: &str) -> Option<&'static Helper> {
    contract()
        .find(|helper| helper.name == name || helper.aliases.iter().any(|alias| alias == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_means_two_helpers() {
        let mut names: Vec<&str> = contract().flat_map(Helper::names).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        let helper = find("save_trace.sh").expect("a row");
        assert_eq!(helper.names(), ["save_trace", "save_trace.sh"]);
    }

    #[test]
    fn what_the_contract_names_is_shipped() {
        assert!(all().len() > 20);
        assert_eq!(contract().count(), all().len());
        let queue = find("experiment_queue/queue_manager.py").expect("a row");
        assert_eq!(
            (queue.name.as_str(), queue.shipped),
            ("queue_manager", true)
        );
        let wiki = find("research_wiki.py").expect("a row");
        assert!(wiki.allows(Policy::A) && wiki.allows(Policy::B) && !wiki.allows(Policy::E));
        let gate = find("verify_paper_audits.sh").expect("a row");
        assert!(!gate.allows(Policy::B));
    }
}
