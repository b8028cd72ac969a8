//! The common part of every helper's `main`: builds the command, parses, runs, prints, and maps the result to an exit code.
//!
//! A helper is a [`Spec`] and a function from parsed arguments and a [`Context`] to an [`Outcome`] or a
//! [`Failure`](aris_contract::Failure). stdout carries the data product only, or with `--json` exactly one envelope line;
//! everything else goes to stderr.

#![warn(missing_docs)]

mod command;
mod context;
mod contract;
mod emit;
mod run;
pub mod sarif;
mod shown;
mod sink;
mod spec;
mod style;

pub use command::parser;
pub use context::{Clock, Context, Process};
pub use emit::{Outcome, Product, Shown, Stream};
pub use run::deadline::seconds;
pub use run::{main, run};
pub use sink::Sink;
pub use spec::{CommandSpec, DEADLINE, Network, Sample, Spec};
pub use style::Style;

/// The commit this workspace was built from, or `unknown`.
pub const COMMIT: &str = env!("ARIS_COMMIT");
