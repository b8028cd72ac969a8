//! What the client is doing, for a progress display.

use std::time::Duration;

/// Something a person who waits may want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A request goes out.
    Asking {
        /// The host's name.
        host: &'static str,
    },
    /// The host's pace, or a pause it asked for, makes the request wait.
    Waiting {
        /// The host's name.
        host: &'static str,
        /// How long.
        time: Duration,
        /// What for: `its pace`, or what the host answered.
        why: String,
    },
    /// An answer came in.
    Answered {
        /// The host's name.
        host: &'static str,
        /// Whether the cache gave it.
        cached: bool,
    },
}

/// Who listens. Called from the threads that ask.
pub type Listener = dyn Fn(&Event) + Send + Sync;
