//! One attempt of a job on this machine. One part is the runner that carries it out. The other part is for a manager: to start the attempt,
//! see its end, find it again after a restart, and lease cards for it.
//!
//! Both parts communicate only through the attempt's folder ([`crate::format`]), so a manager may be killed at any moment and the next one
//! finds everything there.
//!
//! It works on Linux only: it needs inotify, pidfds, and children that outlive their parents.

#![warn(missing_docs)]

pub mod cards;
mod clock;
mod error;
pub mod format;
mod handoff;
mod launch;
mod outputs;
mod processes;
mod records;
pub mod runner;
mod standing;
mod watch;

pub use error::AttemptError;
pub use launch::{Runner, Waiting, log_of, prepare};
pub use outputs::{Before, Pattern, files as output_files, would_match};
pub use processes::{boot_id, runs};
pub use runner::record::touch;
pub use standing::{Standing, cancel, end_orphan, end_strays, standing, withdraw};
pub use watch::{SWEEP, Seen, Watch};

/// The name of this machine.
pub fn host() -> String {
    let uname = rustix::system::uname();
    uname.nodename().to_string_lossy().into_owned()
}
