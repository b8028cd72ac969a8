//! Review traces: `<project>/.aris/traces/<skill>/<YYYY-MM-DD>_runNN/`.
//!
//! [`record`] adds a record under a lock of the skill's folder; [`read()`] gives everything a trace holds and says whether its
//! chain still proves it.

mod read;
mod store;

pub use read::{Chain, Trace, TraceRecord, TraceWarning, read};
pub use store::{NewRecord, RunChoice, Saved, TraceError, record};

/// Folder of all traces, relative to the project.
pub const FOLDER: &str = ".aris/traces";
/// Log of events, relative to the project.
pub const EVENTS: &str = ".aris/meta/events.jsonl";
/// Name of a run's chain.
pub const CHAIN: &str = "chain.jsonl";
/// Name of a run's description.
pub const RUN_META: &str = "run.meta.json";

/// File prefix of a record, `001-round-1-review`.
pub fn prefix(number: u64, purpose: &str) -> String {
    format!("{number:03}-{purpose}")
}
