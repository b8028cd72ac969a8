//! The cards of this machine: their memory, the processes on them, and their leases.
//!
//! Nothing about a card is guessed: what nvidia-smi or rocm-smi does not report, or reports in an unknown form, is unknown. The scheduler
//! decides whether a card is free enough for a job.

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

/// What nvidia-smi reported at one moment, or rocm-smi where nvidia-smi is not installed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// When the question began, on the clock of [`now`]; processes that ended later may still be listed.
    pub asked: Duration,
    /// Cards in PCI order: those that were reported, and those that were wanted and not reported. A divided card is replaced by its slices.
    pub cards: BTreeMap<CardId, Card>,
    /// Processes on the cards; `None`: not reported, or not asked for.
    pub processes: Option<Vec<Process>>,
    /// What was wrong with the answer as a whole, for people.
    pub problem: Option<String>,
    /// Why there was no answer; `None`: there was one, valid or not.
    pub silence: Option<Silence>,
}

/// Why there was no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// No program that reports cards is installed, or it says that there is no card.
    Absent,
    /// It exited with an error, which may be temporary.
    Failed,
    /// It exited with an error because of one card; the others may answer.
    Lost,
    /// No answer came in time.
    Late,
}

/// The maker of a card, which decides the variables that give it to a program.
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
    /// `GPU-…`, `MIG-…` or `PCI-…`, which is also the name of its lease; `None`: unknown, and the card cannot be leased.
    pub uuid: Option<String>,
    /// Its memory.
    pub memory: Memory,
    /// For a slice, the UUID of its card.
    pub of: Option<String>,
    /// Its maker.
    pub maker: Maker,
}

/// What is known of a card's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Memory {
    /// In MiB, for all processes together.
    Known {
        /// In use.
        used: u64,
        /// In all.
        total: u64,
    },
    /// Unknown, for this reason. No job may start there.
    Unknown(String),
}

impl Memory {
    /// All of its memory in MiB; `None`: unknown.
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
    /// UUID of the card or slice.
    pub uuid: String,
    /// Process id as the driver reports it; in a container it may differ from the one inside.
    pub pid: i32,
    /// Its memory in MiB; `None`: not reported.
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

/// The current time on the clock of [`Sample::asked`]: monotonic, and it counts while the machine sleeps.
pub fn now() -> Duration {
    crate::clock::steady()
}
