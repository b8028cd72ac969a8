//! The cards of this machine: what is on them, and who has which.
//!
//! Nothing about a card is guessed: what nvidia-smi does not say, or says in words that are not understood, is unknown. Whether a card is
//! free enough for a job is the scheduler's question.

pub mod lease;
mod monitor;
mod owner;
mod query;
mod text;

use std::collections::BTreeMap;
use std::time::Duration;

pub use monitor::{Monitor, Pace};
pub use owner::{Use, used_by};
pub use query::NvidiaSmi;

/// What nvidia-smi said at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// When it was asked, on the clock of [`now`]: what ended later may still be in it.
    pub asked: Duration,
    /// Cards by their number in PCI order: those it listed, and those that were wanted and not listed.
    pub cards: BTreeMap<u32, Card>,
    /// Processes on the cards; `None`: it did not say.
    pub processes: Option<Vec<Process>>,
    /// What was wrong with the answer as a whole, for people.
    pub problem: Option<String>,
    /// Why there was no answer; `None`: there was one, good or odd.
    pub silence: Option<Silence>,
}

/// Why nvidia-smi did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// It is not installed, or cannot be started.
    Absent,
    /// It left with an error, which may pass.
    Failed,
    /// No answer came in time.
    Late,
}

/// One card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// `GPU-…`, the name of its lease; `None`: unknown, and then it cannot be leased.
    pub uuid: Option<String>,
    /// Its memory.
    pub memory: Memory,
    /// UUIDs of its slices when it is divided (MIG): programs name one of these, not the card. nvidia-smi tells no memory for them.
    pub slices: Vec<String>,
}

/// What is known of a card's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Memory {
    /// In MiB, by all processes together.
    Known {
        /// In use.
        used: u64,
        /// All there is.
        total: u64,
    },
    /// Nothing, for this reason. Nothing new is to start there.
    Unknown(String),
}

/// A process on a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// The card.
    pub uuid: String,
    /// The process, as the driver numbers it: in a container that may be another number.
    pub pid: i32,
    /// Memory in MiB; `None`: not told.
    pub used: Option<u64>,
}

impl Card {
    fn unknown(why: impl Into<String>) -> Self {
        Self {
            uuid: None,
            memory: Memory::Unknown(why.into()),
            slices: Vec::new(),
        }
    }
}

/// Now, on the clock of [`Sample::asked`]: it counts while the machine sleeps, and nobody sets it.
pub fn now() -> Duration {
    crate::clock::steady()
}
