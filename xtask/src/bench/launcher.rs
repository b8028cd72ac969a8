//! What it costs to start a helper as skills do: through its launcher, and through a name under `.aris/tools`.

use super::Binaries;
use super::install::Place;
use super::measure::{Call, heading, pair, row};
use crate::fault::Fault;
use crate::workspace::Workspace;

/// Limit beyond the binary itself, in milliseconds. **Source**: the project's own promise to users.
const LIMIT_MS: f64 = 3.0;

const RUNS: usize = 200;

const LAUNCHER: &str = ".agents/skills/review-tracing/scripts/save_trace";

pub(super) fn run(workspace: &Workspace, binaries: &Binaries) -> Result<(), Fault> {
    heading(&format!(
        "launcher: save_trace --version, {RUNS} runs, min / median / max (limit {LIMIT_MS} ms beyond the binary)"
    ));
    let place = Place::new(workspace, binaries)?;
    place.installed("copy")?;
    let folder = place.project();
    let binary = Call::new(binaries.path("save_trace"), &["--version"], &folder);
    for (name, script) in [
        ("sh launcher", LAUNCHER),
        ("sh .aris/tools/save_trace", ".aris/tools/save_trace"),
        ("sh .aris/tools/save_trace.sh", ".aris/tools/save_trace.sh"),
    ] {
        let call = Call::new("sh", &[script, "--version"], &folder);
        let (ours, theirs) = pair(&call, &binary, RUNS)?;
        let beyond = ours.beyond(&theirs);
        row(name, ours.millis());
        row("  beside the binary", theirs.millis());
        row("  beyond it", beyond.millis());
        row(
            "  limit / median",
            format!("{:.1} x", LIMIT_MS / (beyond.median() * 1e3)),
        );
    }
    Ok(())
}
