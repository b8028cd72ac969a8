//! Child processes for helpers: an argument list and never a shell, a mandatory working directory and deadline, bounded output,
//! and a whole process group that is killed at the deadline.
//!
//! ```
//! use std::path::Path;
//! use std::time::Duration;
//!
//! let done = aris_proc::command("printf", Path::new("/")).args(["%s", "a word"]).run(Duration::from_secs(5))?;
//! assert_eq!((done.end, done.stdout.text().as_ref()), (aris_proc::End::Exited(0), "a word"));
//! # Ok::<(), aris_proc::ProcError>(())
//! ```
//!
//! A runner that replaces another program uses [`Command::run_attached`]: the child uses the runner's streams, and the deadline
//! is optional, because the runner's own caller waits for it.
//!
//! Out of scope: pipelines, terminals, detached processes, and the meaning of exit codes.

#![warn(missing_docs)]
#![expect(
    clippy::disallowed_methods,
    reason = "the one crate that may start processes directly"
)]

mod attached;
mod command;
mod error;
mod finished;
mod pipes;
#[cfg(test)]
mod tests;
mod wait;

pub use attached::Stdout;
pub use command::{Command, command};
pub use error::ProcError;
pub use finished::{Captured, End, Finished};
