//! Child processes, as helpers may start them: an argument list and never a shell, a working directory and a deadline that
//! cannot be left out, bounded output, and a whole process group that is gone when the deadline is.
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
//! A runner that stands in for another program uses [`Command::run_attached`]: there the streams are its own, and the deadline is
//! optional, because whoever started the runner waits for it.
//!
//! What it does not do: pipelines, terminals, detached processes, or telling whether an exit code is good.

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
