//! One attempt of one job on this machine, from both sides: the runner that carries it out, and what a manager needs to start it, see
//! its end, find it again after its own death, and give it cards that nobody else has.
//!
//! The two sides meet in the attempt's folder ([`crate::format`]) and nowhere else: a manager may be killed at any moment, and the
//! next one finds everything there.
//!
//! Linux alone: inotify, handles on processes, and children that outlive their parents.

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
pub use launch::{Runner, Waiting, prepare};
pub use outputs::{Before, Pattern, files as output_files};
pub use processes::{boot_id, runs};
pub use runner::record::touch;
pub use standing::{Standing, cancel, end_orphan, end_strays, standing, withdraw};
pub use watch::{SWEEP, Seen, Watch};

/// The name of this machine.
pub fn host() -> String {
    let uname = rustix::system::uname();
    uname.nodename().to_string_lossy().into_owned()
}
