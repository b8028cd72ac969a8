//! One trace record beside the durable writes it consists of.

use std::path::Path;
use std::time::Instant;

use super::Binaries;
use super::measure::{Call, Figures, heading, row};
use crate::fault::Fault;

/// Limit beyond the durable writes, in milliseconds. **Source**: the project's own promise to users.
const LIMIT_MS: f64 = 3.0;

const RUNS: usize = 60;

pub(super) fn run(binaries: &Binaries) -> Result<(), Fault> {
    heading(&format!(
        "save_trace: one record of 4 KiB, {RUNS} runs, min / median / max"
    ));
    let temp = tempfile::tempdir().map_err(Fault::from_error)?;
    let text = "r".repeat(4096);
    let args = [
        "--skill",
        "bench",
        "--purpose",
        "bench",
        "--prompt",
        &text,
        "--response",
        &text,
        "-q",
    ];
    let call = Call::new(binaries.path("save_trace"), &args, temp.path());
    let nothing = Call::new("true", &[], temp.path());
    let writes = tempfile::tempdir().map_err(Fault::from_error)?;
    call.once()?;
    durable_writes(writes.path(), 0, text.as_bytes())?;
    let (mut record, mut durable, mut start) =
        (Figures::default(), Figures::default(), Figures::default());
    for n in 1..=RUNS {
        record.push(call.once()?);
        let begin = Instant::now();
        durable_writes(writes.path(), n, text.as_bytes())?;
        durable.push(begin.elapsed().as_secs_f64());
        start.push(nothing.once()?);
    }
    row("save_trace", record.millis());
    row("its durable writes alone, no process", durable.millis());
    row("an empty process", start.millis());
    let beyond = record.beyond(&durable);
    row("beyond the durable writes", beyond.millis());
    row(
        "  limit / median",
        format!("{:.1} x", LIMIT_MS / (beyond.median() * 1e3)),
    );
    Ok(())
}

/// The syncs of one record: three files, their folder, a line of the chain, a line of the log.
fn durable_writes(folder: &Path, n: usize, bytes: &[u8]) -> Result<(), Fault> {
    let write = || -> Result<(), aris_fs::FsError> {
        for file in ["request", "response", "meta"] {
            aris_fs::write_new(&folder.join(format!("{n}.{file}")), bytes)?;
        }
        aris_fs::sync_dir(folder)?;
        aris_fs::append_line(&folder.join("chain"), "line")?;
        aris_fs::append_line(&folder.join("events"), "line")
    };
    write().map_err(Fault::from_error)
}
