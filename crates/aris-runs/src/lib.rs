//! Which run made which file: the record that a run leaves, and the ledger of a project that keeps the records.
//!
//! ```text
//! <project>/.aris/runs/
//!     runs                 one line for each run: its id, when it was over, its job
//!     outputs              one line for each file that a run wrote: SHA-256, the run's id, path relative to the project
//!     <hh>/<id>.json       the record of a run, [`Run`] and very many files in lines after it; its id is the SHA-256 of the first line
//!     <hh>/<id>.patch      what the work tree had beyond its commit, as `git diff --binary` prints it; named by its SHA-256
//! ```
//!
//! A record is named by its digest, so that an edited one no longer has its name. The two logs are only appended to, by any number
//! of runs at once; what they say follows from the records.
//!
//! Recording never fails a run: what could not be learnt is left out, and a file without a record is unexplained.

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
