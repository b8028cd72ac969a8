//! Checks a state against its journal.

use super::machine::Machine;
use super::state::{Event, State, Status, digest_of};

/// Why a state that was written by hand is refused.
pub const BY_HAND: &str = "a state that is written by hand has recipe, inputs and context; what a run adds to them, only a run can add";

impl Machine {
    /// Replays the journal and compares the result with the state.
    ///
    /// The counts of bounded steps follow from the recipe. They are not compared but set, because the recipe may have changed since the
    /// journal was written.
    ///
    /// **Errors**: the first difference, in words; of a state that has not begun, what only a run can add.
    pub fn verify(&self, state: &mut State) -> Result<(), String> {
        let Some(start) = &state.start else {
            let new = State {
                schema: state.schema.clone(),
                recipe: state.recipe.clone(),
                inputs: state.inputs.clone(),
                context: state.context.clone(),
                max_steps: state.max_steps,
                ..State::default()
            };
            return (*state == new)
                .then_some(())
                .ok_or_else(|| BY_HAND.to_owned());
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
                let seq = at + 1;
                return Err(format!(
                    "entry {seq} of the journal does not follow from the one before: it was edited or cut"
                ));
            }
            head = digest_of(entry);
            let target = entry.target.as_deref();
            let target = target.and_then(|name| self.recipe.target(name));
            self.fold(&mut folded, entry, target.as_ref());
            if let (None, Some(name)) = (target, &entry.target) {
                // The recipe no longer has this step.
                folded.cursor = Some(name.clone());
                folded.status = Status::Running;
            }
        }
        if state.head.as_ref() != Some(&head) {
            let entries = state.journal.len();
            return Err(format!(
                "the journal ends with entry {entries}, and not where the state says: it was cut"
            ));
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
                return Err(format!(
                    "{what} is not what the journal says: it was edited"
                ));
            }
        }
        state.budget = folded.budget;
        Ok(())
    }
}
