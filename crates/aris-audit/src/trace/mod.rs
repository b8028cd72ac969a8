//! Review traces: `<project>/.aris/traces/<skill>/<YYYY-MM-DD>_runNN/`.
//!
//! [`record`] adds a record under a lock of the skill's folder; [`read()`] gives everything a trace holds and says whether its
//! chain still proves it.

use aris_contract::json::Limits;

mod events;
mod read;
mod reviewed;
mod store;

pub use events::{Elsewhere, elsewhere};
pub use read::{Chain, Trace, TraceRecord, TraceWarning, read};
pub use reviewed::{Reviewed, reviewed};
pub use store::{NewRecord, RunChoice, Saved, TraceError, record};

/// Folder of all traces, relative to the project.
pub const FOLDER: &str = ".aris/traces";
/// Log of events, relative to the project.
pub const EVENTS: &str = ".aris/meta/events.jsonl";
/// What an event of a trace calls itself.
const EVENT: &str = "review_trace";
/// Name of a run's chain.
pub const CHAIN: &str = "chain.jsonl";
/// Name of a run's description.
pub const RUN_META: &str = "run.meta.json";

/// Name of the note that says which record of a run is being written.
const PENDING: &str = ".pending";
/// Bytes of a prompt or response that are kept: 64 MiB, some hundred times the longest context window.
pub const TEXT_LIMIT: u64 = 64 << 20;
/// What a request may be: the longest prompt in base64, a third larger, and the rest.
const REQUEST: Limits = Limits {
    bytes: 96 << 20,
    ..Limits::ARTIFACT
};

/// File prefix of a record, `001-round-1-review`.
pub fn prefix(number: u64, purpose: &str) -> String {
    format!("{number:03}-{purpose}")
}
