//! Which run made which file: the record of a run, and a project's ledger of these records.
//!
//! ```text
//! <project>/.aris/runs/
//!     runs                 one line for each run: its id, when it ended, its job
//!     outputs              one line for each file that a run wrote: SHA-256, the run's id, path relative to the project
//!     <hh>/<id>.json       the record of a run: [`Run`], and many files in lines after it; its id is the SHA-256 of the first line
//!     <hh>/<id>.patch      what the work tree had beyond its commit, as from `git diff --binary`; named by its SHA-256
//! ```
//!
//! A record is named by its digest, so an edited record no longer matches its name. Any number of concurrent runs append to the two
//! logs, which can be rebuilt from the records.
//!
//! Recording never makes a run fail: unknown facts are left out, and a file without a record is unexplained.

#![warn(missing_docs)]

mod command;
mod kept;
mod ledger;
mod look;
mod record;
mod secrets;
mod source;

pub use command::{command_line, interpreter};
pub use kept::{Damage, Record};
pub use ledger::{Ledger, Line, RunLine, TakeError};
pub use look::{Look, file_digest};
pub use record::{End, FileSeen, Run, SCHEMA, Source};
pub use source::has_commit;
