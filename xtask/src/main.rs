//! The workspace's own tools, called as `cargo xtask <command>`: they write or check generated files, put binaries beside their launchers,
//! and verify the structure of the tree.
//!
//! Exit codes: 0 done, 1 a step failed, 2 bad arguments, 10 something is out of date or breaks a rule.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool for people at a terminal, not a helper with a data product"
)]

mod bench;
mod cargo;
mod demo;
mod dist;
mod fault;
mod fuzz;
mod install;
mod new_helper;
mod schemas;
mod size;
mod sync;
#[cfg(test)]
mod tests;
mod verify;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use fault::Fault;
use workspace::Workspace;

/// Exit code for findings, as in the helpers.
const FINDINGS: u8 = 10;

#[derive(Parser)]
#[command(name = "xtask", about = "Tools of this workspace")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Gate the example paper in a temporary project, with its faults and without
    Demo(demo::Args),
    /// Measure speed and accuracy, beside a peer or a limit
    Bench {
        /// What to measure
        #[arg(value_enum, default_value = "all")]
        topic: bench::Topic,
        /// Folder of papers: for `claims` with data and claims.toml [default: ../shared/fixtures/papers], for `style` PDFs beside their sources
        #[arg(long, value_name = "DIR")]
        papers: Option<std::path::PathBuf>,
    },
    /// Measure the layout of the gallery and of 1,000 generated figures: crossings, bends, overlaps and each other problem
    Figures,
    /// Write what is generated from helpers.toml and from the helpers themselves
    Sync {
        /// Write nothing; list what is stale and exit 10
        #[arg(long)]
        check: bool,
    },
    /// Write the JSON schemas from the Rust types
    Schemas {
        /// Write nothing; fail when a schema is stale
        #[arg(long)]
        check: bool,
    },
    /// Build the helpers and place them beside their launchers
    InstallSkills(install::Args),
    /// Build release archives, one for each target, and the tree that holds all of them
    Dist(dist::Args),
    /// Run the parsers of tests/flows/fuzz under a fuzzer that coverage guides
    Fuzz(fuzz::Args),
    /// Count the lines of each crate, beside those of the last release
    Size(size::Args),
    /// Check the structure of the tree; exit 10 on findings
    Verify,
    /// Create a new helper: crate, table row, launcher, schema
    NewHelper(new_helper::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli.command) {
        Ok(code) => ExitCode::from(code),
        Err(fault) => {
            eprintln!("xtask: error: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<u8, Fault> {
    let workspace = Workspace::load(&workspace::root())?;
    match command {
        Command::Demo(args) => demo::run(&workspace, &args),
        Command::Bench { topic, papers } => bench::run(&workspace, topic, papers.as_deref()),
        Command::Figures => bench::figures(&workspace),
        Command::Sync { check } => sync::run(&workspace, check),
        Command::Schemas { check } => schemas::run(&workspace, check),
        Command::InstallSkills(args) => install::run(&workspace, &args),
        Command::Dist(args) => dist::run(&workspace, &args),
        Command::Fuzz(args) => fuzz::run(&workspace, &args),
        Command::Size(args) => size::run(&workspace, &args),
        Command::Verify => verify::run(&workspace),
        Command::NewHelper(args) => new_helper::run(&workspace, &args),
    }
}
