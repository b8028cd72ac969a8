//! The gate over a large paper, beside what the processors can hash at best.

use std::thread;
use std::time::Instant;

use aris_audit::Hasher;

use super::Binaries;
use super::measure::{Call, Figures, heading, row};
use super::paper::Paper;
use crate::fault::Fault;

/// Limit on the time, as a multiple of hashing the same bytes from memory on all processors.
const LIMIT_RATIO: f64 = 1.3;

/// Limit on memory, in MiB.
const LIMIT_MIB: f64 = 40.0;

const FILES: usize = 400;
const RUNS: usize = 5;

#[expect(clippy::cast_precision_loss, reason = "sizes far below 2^52")]
pub(super) fn run(binaries: &Binaries) -> Result<(), Fault> {
    heading(&format!(
        "gate: 1 GiB in {FILES} files, {RUNS} runs, min / median / max"
    ));
    let size = (1 << 30) / FILES;
    let paper = Paper::new(FILES, size)?;
    let report = paper
        .folder()
        .join(".aris/report.json")
        .display()
        .to_string();
    let args = [
        ".",
        "--assurance",
        "submission",
        "--json-out",
        &report,
        "-q",
    ];
    let gate = Call::new(binaries.path("verify_paper_audits"), &args, paper.folder());
    gate.once()?;
    let (mut ours, mut best) = (Figures::default(), Figures::default());
    for _ in 0..RUNS {
        ours.push(gate.once()?);
        best.push(best_rate(FILES * size));
    }
    let rate = |figures: &Figures| (FILES * size) as f64 / figures.median() / 1e9;
    row(
        "verify_paper_audits",
        format!("{} ({:.2} GB/s)", ours.millis(), rate(&ours)),
    );
    row(
        "the same bytes from memory, all processors",
        format!("{} ({:.2} GB/s)", best.millis(), rate(&best)),
    );
    row(
        "gate / memory, pair by pair",
        format!("{} (limit {LIMIT_RATIO} x)", ours.over(&best).ratio()),
    );
    let peak = gate.peak_memory()? as f64 / f64::from(1 << 20);
    row(
        "peak memory",
        format!("{peak:.1} MiB (limit {LIMIT_MIB} MiB)"),
    );
    Ok(())
}

/// Seconds to hash `bytes` from a buffer that stays in the cache, spread over all processors.
fn best_rate(bytes: usize) -> f64 {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let buffer = vec![7_u8; 256 << 10];
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let mut hasher = Hasher::default();
                for _ in 0..bytes / workers / buffer.len() {
                    hasher.update(&buffer);
                }
                std::hint::black_box(hasher.finish());
            });
        }
    });
    start.elapsed().as_secs_f64()
}
