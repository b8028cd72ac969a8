//! The cards of this machine: what is on them, and who has which.
//!
//! Nothing about a card is guessed: what nvidia-smi or rocm-smi does not say, or says in words that are not understood, is unknown. Whether a card is
//! free enough for a job is the scheduler's question.

mod id;
pub mod lease;
mod monitor;
mod nvidia;
mod owner;
mod query;
mod rocm;

use std::collections::BTreeMap;
use std::time::Duration;

pub use id::{CardId, NoCardId};
pub use monitor::{Monitor, Pace};
pub use owner::used_by;
pub use query::Smi;

/// What nvidia-smi, or rocm-smi where it is not installed, said at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// When it was asked, on the clock of [`now`]: what ended later may still be in it.
    pub asked: Duration,
    /// Cards in PCI order: those it listed, and those that were wanted and not listed. A divided card is not among them, its slices are.
    pub cards: BTreeMap<CardId, Card>,
    /// Processes on the cards; `None`: it did not say, or was not asked.
    pub processes: Option<Vec<Process>>,
    /// What was wrong with the answer as a whole, for people.
    pub problem: Option<String>,
    /// Why there was no answer; `None`: there was one, good or odd.
    pub silence: Option<Silence>,
}

/// Why there was no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// No program is installed that knows cards, or it says that there is none.
    Absent,
    /// It exited with an error, which may pass.
    Failed,
    /// It exited with an error because of one card; the others may answer.
    Lost,
    /// No answer came in time.
    Late,
}

/// Whose card it is: which variables tell a program to use it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Maker {
    /// `CUDA_VISIBLE_DEVICES`.
    #[default]
    Nvidia,
    /// `ROCR_VISIBLE_DEVICES`.
    Amd,
}

/// One card, or one slice of a divided card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// `GPU-…` or `MIG-…`, the name of its lease; `None`: unknown, and then it cannot be leased.
    pub uuid: Option<String>,
    /// Its memory.
    pub memory: Memory,
    /// Of a slice: the UUID of its card.
    pub of: Option<String>,
    /// Whose it is.
    pub maker: Maker,
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

impl Memory {
    /// All there is, in MiB; `None`: nobody knows.
    pub fn total(&self) -> Option<u64> {
        match self {
            Self::Known { total, .. } => Some(*total),
            Self::Unknown(_) => None,
        }
    }
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
            of: None,
            maker: Maker::default(),
        }
    }
}

/// Now, on the clock of [`Sample::asked`]: it counts while the machine sleeps, and nobody sets it.
pub fn now() -> Duration {
    crate::clock::steady()
}
