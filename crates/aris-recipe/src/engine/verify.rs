//! Whether a state is what its journal says.

use super::machine::Machine;
use super::state::{Event, State, Status, digest_of};

/// Why a state cannot be gone on with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// An entry was changed, added or taken out.
    #[error("entry {seq} of the journal does not follow from the one before: it was edited or cut")]
    Chain {
        /// Its number.
        seq: usize,
    },
    /// The journal ends elsewhere than the state says.
    #[error("the journal ends with entry {entries}, and not where the state says: it was cut")]
    Head {
        /// Entries there are.
        entries: usize,
    },
    /// Something beside the journal says something else than the journal.
    #[error("{what} is not what the journal says: it was edited")]
    Differs {
        /// What.
        what: &'static str,
    },
    /// The journal has entries and no beginning.
    #[error("the state has a journal and no start: it was edited")]
    NoStart,
}

impl Machine {
    /// Folds the journal again and compares.
    ///
    /// What follows from the recipe alone, the counts of bounded steps, is not compared but counted anew: the recipe may be another
    /// one than the journal was written under.
    ///
    /// **Errors**: the first difference.
    pub fn verify(&self, state: &mut State) -> Result<(), Broken> {
        let Some(start) = &state.start else {
            let is_new = state.journal.is_empty();
            return is_new.then_some(()).ok_or(Broken::NoStart);
        };
        let mut head = Self::start_digest(state, start);
        let mut folded = State {
            context: start.context.clone(),
            cursor: Some(start.step.clone()),
            attempts: state.attempts,
            ..State::default()
        };
        for (at, entry) in state.journal.iter().enumerate() {
            if entry.prev.as_ref() != Some(&head) || entry.seq != at as u64 + 1 {
                return Err(Broken::Chain { seq: at + 1 });
            }
            head = digest_of(entry);
            let target = entry.target.as_deref();
            let target = target.and_then(|name| self.recipe.target(name));
            self.fold(&mut folded, entry, target.as_ref());
            if let (None, Some(name)) = (target, &entry.target) {
                // A step that the recipe no longer has.
                folded.cursor = Some(name.clone());
                folded.status = Status::Running;
            }
        }
        if state.head.as_ref() != Some(&head) {
            return Err(Broken::Head {
                entries: state.journal.len(),
            });
        }
        let stands = |status: Status| match status {
            Status::Waiting | Status::LoopGuard => Status::Running,
            other => other,
        };
        let last = state.journal.last();
        let stopped = last.is_some_and(|last| last.event == Event::Stop);
        for (same, what) in [
            (folded.context == state.context, "the context"),
            (folded.cursor == state.cursor, "the cursor"),
            (folded.visits == state.visits, "the number of visits"),
            (stands(folded.status) == stands(state.status), "the status"),
            (!stopped || state.cursor.is_none(), "the cursor"),
        ] {
            if !same {
                return Err(Broken::Differs { what });
            }
        }
        state.budget = folded.budget;
        Ok(())
    }
}
