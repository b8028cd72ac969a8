//! The experiment queue on trivial jobs, beside the least that any manager must do for them.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Instant;

use aris_fs::Log;

use super::Binaries;
use super::measure::{Call, Figures, heading, row};
use crate::fault::Fault;

/// Jobs, runs, and the limit in seconds. **Source**: the project's own promise to users.
const SIZES: [(u32, usize, f64); 3] = [(10, 5, 0.3), (1_000, 3, 3.0), (10_000, 1, 30.0)];

/// Limit on a restart with 10,000 jobs, in seconds, and on memory, in MiB.
const LIMIT_RESTART: f64 = 0.2;
const LIMIT_MIB: f64 = 30.0;

/// Limit between the end of a job and the start of the next on the same card: the 95th percentile, in milliseconds.
const LIMIT_IDLE_MS: f64 = 250.0;

/// Jobs of half a second's tenth on two cards.
const ON_CARDS: usize = 60;

/// Two cards that nobody uses, in the words of nvidia-smi.
const CARDS: &str = "#!/bin/sh
case \"$*\" in
*query-compute-apps*) ;;
*) printf '0, GPU-bench-0, 1, 24576, [N/A]\\n1, GPU-bench-1, 1, 24576, [N/A]\\n' ;;
esac
";

#[expect(clippy::cast_precision_loss, reason = "sizes far below 2^52")]
pub(super) fn run(binaries: &Binaries) -> Result<(), Fault> {
    let program = binaries.path("queue_manager");
    for (jobs, runs, limit) in SIZES {
        heading(&format!(
            "queue: {jobs} trivial jobs one after the other, {runs} runs, min / median / max"
        ));
        let (mut ours, mut floor) = (Figures::default(), Figures::default());
        let mut last = None;
        for _ in 0..runs {
            let place = Place::new(jobs, r#""max_cpu_jobs": 1"#, "true")?;
            ours.push(place.call(&program).once()?);
            floor.push(least(jobs, place.folder.path())?);
            last = Some(place);
        }
        row("queue_manager run", ours.show(1.0, "s"));
        row(
            "bash -c true and one synced line each",
            floor.show(1.0, "s"),
        );
        row("ratio, pair by pair", ours.over(&floor).ratio());
        row(
            "  limit / median",
            format!("{:.1} x", limit / ours.median()),
        );
        if let Some(place) = last.filter(|_| jobs == 10_000) {
            let (mut restart, mut read) = (Figures::default(), Figures::default());
            for _ in 0..5 {
                restart.push(place.call(&program).once()?);
                read.push(place.reading()?);
            }
            row("restart with 10,000 jobs that are over", restart.millis());
            row("  reading its files alone", read.millis());
            row(
                "  limit / median",
                format!("{:.1} x", LIMIT_RESTART / restart.median()),
            );
            let fresh = Place::new(jobs, r#""max_cpu_jobs": 8"#, "true")?;
            let peak = fresh.call(&program).peak_memory()? as f64 / f64::from(1 << 20);
            row(
                "peak memory of a run",
                format!("{peak:.1} MiB (limit {LIMIT_MIB} MiB)"),
            );
        }
    }
    idle(&program)
}

/// How long a card waits between two jobs, with an nvidia-smi that answers at once.
fn idle(program: &Path) -> Result<(), Fault> {
    heading(&format!("queue: {ON_CARDS} jobs of 50 ms on two cards"));
    let jobs = u32::try_from(ON_CARDS).map_err(Fault::from_error)?;
    let command = "echo $GPU $(date +%s%N); sleep 0.05; echo $GPU $(date +%s%N)";
    let place = Place::new(jobs, r#""gpus": [0, 1]"#, command)?;
    let folder = place.folder.path();
    let smi = folder.join("nvidia-smi");
    aris_fs::write_atomic(&smi, CARDS.as_bytes()).map_err(Fault::from_error)?;
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&smi, mode).map_err(Fault::from_error)?;
    let script = format!(
        "ARIS_QUEUE_LEASES=\"$PWD/leases\" PATH=\"$PWD:$PATH\" exec '{}' run --manifest manifest.json -q",
        program.display()
    );
    Call::shell(&script, folder).once()?;
    let mut stays: Vec<(String, u64, u64)> = Vec::new();
    for entry in aris_fs::list_sorted(&folder.join("logs")).map_err(Fault::from_error)? {
        let name = entry.name.to_string_lossy().into_owned();
        if name.ends_with(".1.log") {
            let text = aris_fs::read_text(&entry.path).map_err(Fault::from_error)?;
            let mut words = text.split_whitespace();
            let mut moment = || Some((words.next()?.to_owned(), words.next()?.parse().ok()?));
            if let (Some((card, from)), Some((_, to))) = (moment(), moment()) {
                stays.push((card, from, to));
            }
        }
    }
    stays.sort();
    let mut gaps: Vec<u64> = stays
        .windows(2)
        .filter(|pair| pair[0].0 == pair[1].0)
        .map(|pair| pair[1].1.saturating_sub(pair[0].2))
        .collect();
    gaps.sort_unstable();
    #[expect(clippy::cast_precision_loss, reason = "nanoseconds far below 2^52")]
    let at = |part: usize| {
        let gap = gaps.get((gaps.len() * part / 100).min(gaps.len().saturating_sub(1)));
        gap.map_or(f64::NAN, |gap| *gap as f64 / 1e6)
    };
    row(
        "a card waits between two jobs",
        format!("median {:.1} ms, p95 {:.1} ms", at(50), at(95)),
    );
    row("  limit / p95", format!("{:.1} x", LIMIT_IDLE_MS / at(95)));
    Ok(())
}

/// A folder with a manifest.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new(jobs: u32, settings: &str, command: &str) -> Result<Self, Fault> {
        let folder = tempfile::tempdir().map_err(Fault::from_error)?;
        let cards = u32::from(settings.contains("gpus"));
        let rows: Vec<String> = (0..jobs)
            .map(|job| format!(r#"{{"id": "j{job}", "cmd": "{command}", "gpus": {cards}}}"#))
            .collect();
        let mut text = format!(
            r#"{{"project": "bench", "cwd": "{}", {settings}, "phases": [{{"name": "p", "jobs": ["#,
            folder.path().display()
        );
        write!(text, "{}]}}]}}", rows.join(",\n")).map_err(Fault::from_error)?;
        aris_fs::write_atomic(&folder.path().join("manifest.json"), text.as_bytes())
            .map_err(Fault::from_error)?;
        Ok(Self { folder })
    }

    fn call(&self, program: &Path) -> Call {
        let args = ["run", "--manifest", "manifest.json", "-q"];
        Call::new(program, &args, self.folder.path())
    }

    /// Seconds to read what a restart must read.
    fn reading(&self) -> Result<f64, Fault> {
        let start = Instant::now();
        for file in [
            "manifest.json",
            "queue_state.json",
            ".queue_state.queue/journal.jsonl",
        ] {
            let path = self.folder.path().join(file);
            let bytes = aris_fs::read(&path, Log::LIMIT).map_err(Fault::from_error)?;
            std::hint::black_box(bytes);
        }
        Ok(start.elapsed().as_secs_f64())
    }
}

/// Seconds for as many shells one after the other, each with one line of a journal made durable before it.
fn least(jobs: u32, folder: &Path) -> Result<f64, Fault> {
    let (mut journal, _) = Log::open(&folder.join("least")).map_err(Fault::from_error)?;
    let shell = Call::new("bash", &["-c", "true"], folder);
    let start = Instant::now();
    for _ in 0..jobs {
        journal.append(&[b'x'; 300]).map_err(Fault::from_error)?;
        shell.once()?;
    }
    Ok(start.elapsed().as_secs_f64())
}
