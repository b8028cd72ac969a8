//! Shared parts of the helpers' tests: the helper's binary, a sample project, one run with its envelope, snapshots that prove
//! that nothing else was written, crashes at every change of the disk, a loopback server with faults on request, schemas, a
//! browser, and optional fixtures.
//!
//! Only for tests: everything here panics with a message about what was expected.
//!
//! ```no_run
//! use aris_testkit::{Helper, Project};
//!
//! let project = Project::new().file("paper/main.tex", r"\documentclass{article}");
//! let run = Helper::named("verify_paper_audits").call(project.path()).args(["--json", "paper"]).run();
//! assert_eq!((run.code(), run.envelope()["meta"]["helper"].as_str()), (0, Some("verify_paper_audits")));
//! ```

#![warn(missing_docs)]
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "test support: it prepares files directly, reads the environment of the test run, and fails by panicking"
)]

mod browser;
mod build;
mod crash;
mod files;
mod fixtures;
mod forge;
mod gh;
mod gitlab;
mod golden;
mod helper;
mod mutate;
mod project;
mod run;
mod schema;
mod server;
mod snapshot;
mod sshd;

pub use browser::Browser;
pub use crash::{Crashes, crash_at_every_change, crash_at_every_change_at_once};
pub use fixtures::{setting, shared, stories, workspace_root};
pub use forge::{Forge, Pull, Refused};
pub use gh::{fake_gh, keeps};
pub use gitlab::{GitLab, Merge};
pub use golden::check_golden;
pub use helper::{Call, Helper};
pub use mutate::Mutator;
pub use project::{Project, brought, executable};
pub use run::Run;
pub use schema::{assert_follows, assert_valid, check_schema, follows};
pub use server::{Answer, Received, Server};
pub use snapshot::Snapshot;
pub use sshd::Sshd;
