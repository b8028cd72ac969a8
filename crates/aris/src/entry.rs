//! The program's description of each helper.

use aris_cli::{Process, Spec};
use aris_contract::Exit;
use clap::Command;

/// Helpers for the same job.
pub(crate) struct Group {
    /// The job, as a heading.
    pub(crate) title: &'static str,
    /// Sorted by name.
    pub(crate) entries: &'static [Entry],
}

/// One helper.
pub(crate) struct Entry {
    pub(crate) spec: &'static Spec,
    /// What it does for a person; empty if the table has no such text.
    pub(crate) brief: &'static str,
    /// Its `main`.
    pub(crate) run: fn(Process) -> Exit,
    /// Its parser.
    pub(crate) parser: fn() -> Command,
}

/// Makes the entry of a helper from its crate.
macro_rules! entry {
    ($helper:ident, $brief:literal) => {
        $crate::entry::Entry {
            spec: &$helper::SPEC,
            brief: $brief,
            run: |process| aris_cli::run(&$helper::SPEC, $helper::run, process),
            parser: || aris_cli::parser(&$helper::SPEC, $helper::run),
        }
    };
}
pub(crate) use entry;
