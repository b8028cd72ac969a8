//! What a caller does when a helper is missing or fails: policies A to E. `contract_check run` applies them.
//!
//! **Source**: the integration contract §2, its table of policies.

use serde::{Deserialize, Serialize};

/// The failure policy of a helper's row in the helper table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Policy {
    /// Gate: unresolved is an error, the exit code is passed on.
    A,
    /// Side effect: warn and continue.
    B,
    /// Forensic record: write the artifacts directly, in the same schema.
    C,
    /// Cascade: the next source; an error when none is left.
    D1,
    /// Aggregate: a skipped source is recorded; an error only if none contributed.
    D2,
    /// Diagnostic: the exit code is recorded, never passed on.
    E,
}

impl Policy {
    /// All policies, in the order of the contract's table.
    pub const ALL: [Self; 6] = [Self::A, Self::B, Self::C, Self::D1, Self::D2, Self::E];

    /// The letter used in tables.
    pub const fn letter(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D1 => "D1",
            Self::D2 => "D2",
            Self::E => "E",
        }
    }

    /// The policy's name in prose.
    pub const fn title(self) -> &'static str {
        match self {
            Self::A => "gate",
            Self::B => "side effect",
            Self::C => "forensic",
            Self::D1 => "cascade",
            Self::D2 => "aggregate",
            Self::E => "diagnostic",
        }
    }

    /// What happens when the resolver chain finds nothing usable.
    pub const fn when_unresolved(self) -> &'static str {
        match self {
            Self::A => "stop with an error",
            Self::B => "warn and continue, exit 0",
            Self::C => "write the artifacts yourself, in the same schema",
            Self::D1 => "try the next source; error when none is left",
            Self::D2 => "record the skipped source; error when none contributed",
            Self::E => "warn and continue",
        }
    }

    /// What happens when the helper runs and fails.
    pub const fn when_failed(self) -> &'static str {
        match self {
            Self::A => "its exit code is passed on",
            Self::B => "warn and continue, exit 0",
            Self::C => "write the artifacts yourself, in the same schema",
            Self::D1 => "try the next source; error when none is left",
            Self::D2 => "record it; error only when no source contributed",
            Self::E => "its exit code is recorded in the report, never passed on",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn letters_are_what_serde_writes_and_no_two_policies_say_the_same() {
        for policy in Policy::ALL {
            assert_eq!(serde_json::to_value(policy).expect("JSON"), policy.letter());
        }
        for says in [Policy::title, Policy::when_unresolved, Policy::when_failed] {
            assert_eq!(BTreeSet::from(Policy::ALL.map(says)).len(), 6);
        }
    }
}
