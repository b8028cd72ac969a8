//! Start-up: `--version` of every helper beside a program that does nothing.

use std::path::Path;

use aris_contract::helpers;

use super::Binaries;
use super::measure::{Call, heading, pair, row};
use crate::fault::Fault;

/// Limit for starting, in milliseconds. **Source**: the project's own promise to users.
const LIMIT_MS: f64 = 1.5;

const RUNS: usize = 200;

pub(super) fn run(binaries: &Binaries) -> Result<(), Fault> {
    heading(&format!(
        "start-up: --version, {RUNS} runs, min / median / max (limit {LIMIT_MS} ms)"
    ));
    let nothing = Call::new("true", &[], Path::new("/"));
    for helper in helpers::all() {
        let call = Call::new(binaries.path(&helper.name), &["--version"], Path::new("/"));
        let (ours, theirs) = pair(&call, &nothing, RUNS)?;
        row(&helper.name, ours.millis());
        row("  beside true", theirs.millis());
        row("  beyond true", ours.beyond(&theirs).millis());
        row(
            "  limit / median",
            format!("{:.1} x", LIMIT_MS / (ours.median() * 1e3)),
        );
    }
    Ok(())
}
