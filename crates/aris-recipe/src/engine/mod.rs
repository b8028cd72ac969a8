//! The engine: from a state and an outcome to the next state and one more entry of the journal. Pure; the caller knows the time.
//!
//! A state is what its journal says: [`Machine::verify`] folds the journal again and compares. Whatever was changed by hand is
//! found, whatever was cut off, too.

mod capture;
mod lenses;
mod machine;
pub mod outcome;
mod question;
mod render;
pub mod resume;
mod routing;
pub mod script;
pub mod state;
pub mod tokens;
mod values;
mod verify;

pub use lenses::Lens;
pub use machine::{Machine, Poll};
pub use outcome::{Outcome, OutcomeStatus};
pub use question::Question;
pub use script::Script;
pub use state::{Entry, Event, State, Status};
