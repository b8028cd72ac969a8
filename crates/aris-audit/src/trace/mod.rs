//! Review traces: `<project>/.aris/traces/<skill>/<YYYY-MM-DD>_runNN/`.
//!
//! [`record`] adds a record under a lock of the skill's folder; [`read()`] returns everything in a trace and whether its chain is
//! valid.

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
/// Value of `event` in events about traces.
const EVENT: &str = "review_trace";
/// File name of a run's chain.
pub const CHAIN: &str = "chain.jsonl";
/// File name of a run's description.
pub const RUN_META: &str = "run.meta.json";

/// File name of the note that names the record being written.
const PENDING: &str = ".pending";
/// Most bytes of a prompt or response: 64 MiB, some hundred times the longest context window.
pub const TEXT_LIMIT: u64 = 64 << 20;
/// Limits of a request: the longest prompt in base64, which is a third longer, and the other fields.
const REQUEST: Limits = Limits {
    bytes: 96 << 20,
    ..Limits::ARTIFACT
};

/// File prefix of a record, `001-round-1-review`.
pub fn prefix(number: u64, purpose: &str) -> String {
    format!("{number:03}-{purpose}")
}
