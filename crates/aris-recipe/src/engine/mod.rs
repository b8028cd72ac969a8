//! The engine: from a state and an outcome it makes the next state and one more entry of the journal. It is pure; the caller passes the
//! time.
//!
//! A state follows from its journal: [`Machine::verify`] replays the journal and compares. So it finds what was changed by hand, and what
//! was cut off.

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
pub use verify::BY_HAND;
