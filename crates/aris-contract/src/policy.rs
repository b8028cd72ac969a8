//! What a caller does when a helper is missing or fails: policies A to E.
//!
//! Running a helper gives an [`Attempt`]; a policy turns it into an outcome of the policy's own type. The outcomes
//! have no public constructor, so a side effect can never block, and a gate can never be waved through:
//! handling a helper under the wrong policy does not compile.
//!
//! **Source**: the integration contract §2, its table of policies.

use std::num::NonZeroU8;

use serde::{Deserialize, Serialize};

/// The failure policy of a helper's row in the helper table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Policy {
    /// Gate: unresolved is an error, the exit code is passed on.
    A,
    /// Side effect: warn and go on.
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
            Self::A => "error, exit code other than 0",
            Self::B => "warn and go on, exit 0",
            Self::C => "write the artifacts directly in the same schema",
            Self::D1 => "try the next source; error when none is left",
            Self::D2 => "record the skipped source; error when none contributed",
            Self::E => "warn and go on",
        }
    }

    /// What happens when the helper runs and fails.
    pub const fn when_failed(self) -> &'static str {
        match self {
            Self::A => "its exit code is passed on",
            Self::B => "warn and go on, exit 0",
            Self::C => "write the artifacts directly in the same schema",
            Self::D1 => "try the next source; error when none is left",
            Self::D2 => "record it; error only when no source contributed",
            Self::E => "its exit code is recorded in the report, never passed on",
        }
    }
}

/// What became of one attempt to run a helper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// No layer of the resolver chain had a usable file; the text says what was looked at.
    Unresolved(String),
    /// The process could not be started or was ended by a signal or a deadline.
    NotRun(String),
    /// The helper ran and left with this status.
    Exited(u8),
}

impl Attempt {
    fn failure(&self) -> Option<String> {
        match self {
            Self::Unresolved(why) => Some(format!("helper not found: {why}")),
            Self::NotRun(why) => Some(format!("helper did not finish: {why}")),
            Self::Exited(0) => None,
            Self::Exited(code) => Some(format!("helper left with exit code {code}")),
        }
    }
}

/// Outcome of policy A: either the gate is open, or the caller must leave with this code.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Gate {
    block: Option<(NonZeroU8, String)>,
}

/// Judges a gate (A). Anything but a helper that ran and left with 0 blocks.
pub fn gate(attempt: &Attempt) -> Gate {
    let code = match attempt {
        Attempt::Exited(code) => NonZeroU8::new(*code),
        Attempt::Unresolved(_) | Attempt::NotRun(_) => Some(NonZeroU8::MIN),
    };
    Gate {
        block: code.zip(attempt.failure()),
    }
}

impl Gate {
    /// The exit code to leave with and the reason, unless the gate is open.
    pub fn blocked(&self) -> Option<(NonZeroU8, &str)> {
        self.block.as_ref().map(|(code, why)| (*code, why.as_str()))
    }
}

/// Outcome of policy B: go on; perhaps with a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct SideEffect {
    warning: Option<String>,
}

/// Judges a side effect (B). It never blocks.
pub fn side_effect(attempt: &Attempt) -> SideEffect {
    SideEffect {
        warning: attempt.failure(),
    }
}

impl SideEffect {
    /// The line for stderr when the side effect did not happen.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }
}

/// Outcome of policy C: the record exists, or the caller owes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Forensic {
    /// The helper wrote the record.
    Recorded(Recorded),
    /// The caller must write the artifacts itself, in the same schema.
    WriteDirectly(Owed),
}

/// Proof that a forensic helper succeeded; only [`forensic`] makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded(());

/// A record that the caller has to write itself; only [`forensic`] makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owed(String);

impl Owed {
    /// Why the helper did not write it.
    pub fn reason(&self) -> &str {
        &self.0
    }
}

/// Judges a forensic helper (C).
pub fn forensic(attempt: &Attempt) -> Forensic {
    match attempt.failure() {
        None => Forensic::Recorded(Recorded(())),
        Some(why) => Forensic::WriteDirectly(Owed(why)),
    }
}

/// Outcome of policy D1: the first source that succeeded, and what failed before it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Cascade {
    used: Option<String>,
    failures: Vec<(String, String)>,
}

/// Tries sources in order until one leaves with 0 (D1). `run` is not called again after a success.
pub fn cascade<'a>(
    sources: impl IntoIterator<Item = &'a str>,
    mut run: impl FnMut(&str) -> Attempt,
) -> Cascade {
    let mut failures = Vec::new();
    for source in sources {
        match run(source).failure() {
            None => {
                return Cascade {
                    used: Some(source.to_owned()),
                    failures,
                };
            }
            Some(why) => failures.push((source.to_owned(), why)),
        }
    }
    Cascade {
        used: None,
        failures,
    }
}

impl Cascade {
    /// The source that answered. `None` is an error, never an empty success.
    pub fn used(&self) -> Option<&str> {
        self.used.as_deref()
    }

    /// Sources that failed before it, with reasons, in order.
    pub fn failures(&self) -> &[(String, String)] {
        &self.failures
    }
}

/// Outcome of policy D2: which sources contributed, which were skipped and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Aggregate {
    contributed: Vec<String>,
    skipped: Vec<(String, String)>,
}

/// Runs every source (D2).
pub fn aggregate<'a>(
    sources: impl IntoIterator<Item = &'a str>,
    mut run: impl FnMut(&str) -> Attempt,
) -> Aggregate {
    let mut outcome = Aggregate {
        contributed: Vec::new(),
        skipped: Vec::new(),
    };
    for source in sources {
        match run(source).failure() {
            None => outcome.contributed.push(source.to_owned()),
            Some(why) => outcome.skipped.push((source.to_owned(), why)),
        }
    }
    outcome
}

impl Aggregate {
    /// Sources that left with 0, in order. Empty is an error.
    pub fn contributed(&self) -> &[String] {
        &self.contributed
    }

    /// Sources that did not contribute, with reasons, in order.
    pub fn skipped(&self) -> &[(String, String)] {
        &self.skipped
    }
}

/// Outcome of policy E: a record for the report. It has no way to become an exit code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[must_use]
pub struct Diagnostic {
    exit: Option<u8>,
    note: Option<String>,
}

/// Records a diagnostic (E).
pub fn diagnostic(attempt: &Attempt) -> Diagnostic {
    let exit = match attempt {
        Attempt::Exited(code) => Some(*code),
        Attempt::Unresolved(_) | Attempt::NotRun(_) => None,
    };
    Diagnostic {
        exit,
        note: attempt.failure(),
    }
}

impl Diagnostic {
    /// The exit code the diagnostic left with, for the report; `None` when it did not run.
    pub fn recorded_exit(&self) -> Option<u8> {
        self.exit
    }

    /// What to show when it did not leave with 0.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempts() -> [Attempt; 5] {
        [
            Attempt::Exited(0),
            Attempt::Exited(1),
            Attempt::Exited(10),
            Attempt::Unresolved(String::from("no layer had it")),
            Attempt::NotRun(String::from("killed")),
        ]
    }

    #[test]
    fn a_gate_is_open_only_after_exit_zero() {
        let codes: Vec<Option<u8>> = attempts()
            .iter()
            .map(|attempt| gate(attempt).blocked().map(|(code, _)| code.get()))
            .collect();
        assert_eq!(codes, [None, Some(1), Some(10), Some(1), Some(1)]);
    }

    #[test]
    fn a_side_effect_and_a_diagnostic_say_what_did_not_happen() {
        for attempt in &attempts() {
            let happened = *attempt == Attempt::Exited(0);
            assert_eq!(side_effect(attempt).warning().is_none(), happened);
            assert_eq!(diagnostic(attempt).note().is_none(), happened);
        }
        assert_eq!(diagnostic(&Attempt::Exited(10)).recorded_exit(), Some(10));
    }

    #[test]
    fn a_missing_forensic_helper_leaves_the_record_owed() {
        assert!(matches!(
            forensic(&Attempt::Exited(0)),
            Forensic::Recorded(_)
        ));
        for attempt in attempts().iter().skip(1) {
            assert!(matches!(forensic(attempt), Forensic::WriteDirectly(_)));
        }
    }

    #[test]
    fn a_cascade_stops_at_the_first_success_and_an_aggregate_does_not() {
        let run = |name: &str| {
            if name == "b" {
                Attempt::Exited(0)
            } else {
                Attempt::Exited(7)
            }
        };
        let mut asked = Vec::new();
        let outcome = cascade(["a", "b", "c"], |name| {
            asked.push(name.to_owned());
            run(name)
        });
        assert_eq!(
            (outcome.used(), outcome.failures().len(), asked.len()),
            (Some("b"), 1, 2)
        );
        let outcome = aggregate(["a", "b", "c"], run);
        assert_eq!(
            (outcome.contributed(), outcome.skipped().len()),
            ([String::from("b")].as_slice(), 2)
        );
        assert_eq!(cascade([], run).used(), None);
    }
}
