//! The gate on a small paper, beside the shell pipeline that anybody would write first.

use super::Binaries;
use super::measure::{Call, heading, pair, row};
use super::paper::Paper;
use crate::fault::Fault;

/// Limit of the gate on this input, in milliseconds. **Source**: the project's own promise to users.
const LIMIT_MS: f64 = 8.0;

const RUNS: usize = 40;

/// Reads each artifact with jq, checks each recorded digest with sha256sum: a part of what the gate does.
const PIPELINE: &str = r#"for a in *_AUDIT.json KILL_ARGUMENT.json; do
  jq -e '.verdict as $v | ["PASS","WARN","NOT_APPLICABLE"] | index($v) != null' "$a" > /dev/null || exit 1
  jq -r '.audited_input_hashes | to_entries[] | (.value | sub("^sha256:"; "")) + "  " + .key' "$a" | sha256sum --quiet -c - || exit 1
done"#;

pub(super) fn run(binaries: &Binaries) -> Result<(), Fault> {
    heading(&format!(
        "gate: 4 audits x 10 files, {RUNS} runs, min / median / max"
    ));
    let paper = Paper::new(10, 4096)?;
    compare(binaries, &paper)?;
    heading(&format!(
        "gate: the same with 20 bound numbers, claims and citations audited by the programs and made again by the gate, {RUNS} runs"
    ));
    let paper = Paper::bound(10, 4096, 20)?;
    for program in ["paper_claim_audit", "citation_audit"] {
        Call::new(binaries.path(program), &["."], paper.folder()).once()?;
    }
    compare(binaries, &paper)
}

fn compare(binaries: &Binaries, paper: &Paper) -> Result<(), Fault> {
    let report = paper.folder().join(".aris/report.json");
    let report = report.display().to_string();
    let args = [
        ".",
        "--assurance",
        "submission",
        "--json-out",
        &report,
        "-q",
    ];
    let gate = Call::new(binaries.path("verify_paper_audits"), &args, paper.folder());
    let shell = Call::shell(PIPELINE, paper.folder());
    let (ours, theirs) = pair(&gate, &shell, RUNS)?;
    row("verify_paper_audits", ours.millis());
    row("jq and sha256sum", theirs.millis());
    row("pipeline / gate, pair by pair", theirs.over(&ours).ratio());
    row(
        "limit / median",
        format!(
            "{:.1} x (limit {LIMIT_MS} ms)",
            LIMIT_MS / (ours.median() * 1e3)
        ),
    );
    Ok(())
}
