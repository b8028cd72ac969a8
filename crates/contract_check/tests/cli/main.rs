//! The program from outside, one module for each subcommand.
#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests prepare files and start processes directly"
)]

mod backfill;
mod doctor;
mod resolve;
mod run;
mod status;

use aris_testkit::{Helper, Project, Run};

fn program() -> Helper {
    Helper::at(env!("CARGO_BIN_EXE_contract_check"))
}

/// Runs the program in `project`.
fn call(project: &Project, args: &[&str]) -> Run {
    program().call(project.path()).args(args).run()
}
