//! The wiki's coverage over many files, beside reading the same files and doing nothing, and beside the reference's script.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use super::Binaries;
use super::measure::{Call, Figures, Random, beside_script, heading, row};
use crate::fault::Fault;

/// Limit on the time, in seconds. **Source**: the project's own promise to users, for two processors and files in memory.
const LIMIT: f64 = 0.4;

/// Limit on memory, in MiB.
const LIMIT_MIB: f64 = 40.0;

/// Environment variable with the path of the reference's script.
const SCRIPT: &str = "ARIS_REFERENCE_COVERAGE";

const FILES: usize = 20_000;
const BYTES: usize = 300 << 20;
const PAGES: usize = 1000;
const RUNS: usize = 9;
const RUNS_OF_SCRIPT: usize = 2;

#[expect(clippy::cast_precision_loss, reason = "sizes far below 2^52")]
pub(super) fn run(binaries: &Binaries) -> Result<(), Fault> {
    heading(&format!(
        "coverage: {} MiB in {FILES} files, {PAGES} pages, {RUNS} runs, min / median / max",
        BYTES >> 20
    ));
    let temp = tempfile::tempdir().map_err(Fault::from_error)?;
    let files = fill(temp.path())?;
    let ours = Call::new(
        binaries.path("verify_wiki_coverage"),
        &["wiki", "--scan", "scan", "-q"],
        temp.path(),
    );
    let (mut time, mut reading) = (Figures::default(), Figures::default());
    ours.once()?;
    read_all(&files)?;
    for _ in 0..RUNS {
        time.push(ours.once()?);
        reading.push(read_all(&files)?);
    }
    row("verify_wiki_coverage", time.millis());
    row("reading the same files, all processors", reading.millis());
    row(
        "coverage / reading, pair by pair",
        time.over(&reading).ratio(),
    );
    row(
        "  limit / median",
        format!("{:.1} x (limit {LIMIT} s)", LIMIT / time.median()),
    );
    let peak = ours.peak_memory()? as f64 / f64::from(1 << 20);
    row(
        "peak memory",
        format!("{peak:.1} MiB (limit {LIMIT_MIB} MiB)"),
    );
    let args = ["wiki", "--scan", "scan"];
    beside_script(SCRIPT, "bash", &args, (temp.path(), &ours), RUNS_OF_SCRIPT)
}

/// Seconds to open and read all files on all processors.
fn read_all(files: &[PathBuf]) -> Result<f64, Fault> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    let work = || -> Result<(), Fault> {
        let mut buffer = vec![0; 256 << 10];
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let file = aris_fs::open(file).map_err(Fault::from_error)?;
            file.stream(&mut buffer, |piece| {
                std::hint::black_box(piece);
            })
            .map_err(Fault::from_error)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| {
            let done = worker.join();
            done.unwrap_or_else(|_| Err(Fault::new("a reader stopped")))
        })
    })?;
    Ok(start.elapsed().as_secs_f64())
}

/// A wiki and files as agents leave them: prose, numbers of all kinds, paths, dates, and an identifier in about every second
/// kilobyte.
fn fill(root: &Path) -> Result<Vec<PathBuf>, Fault> {
    let papers = root.join("wiki/papers");
    aris_fs::create_dir(&papers)?;
    for page in 1..=PAGES {
        let text = format!(
            "---\ntype: paper\nexternal_ids:\n  arxiv: \"2401.{page:05}\"\n---\n\n# Page\n"
        );
        aris_fs::write_unsynced(&papers.join(format!("p{page}.md")), text.as_bytes())?;
    }
    let mut files = Vec::with_capacity(FILES);
    let mut random = Random(7);
    for number in 0..FILES {
        let folder = root.join(format!("scan/{}", number / 100));
        if number % 100 == 0 {
            aris_fs::create_dir(&folder)?;
        }
        let path = folder.join(format!("{number}.md"));
        aris_fs::write_unsynced(&path, text(&mut random, BYTES / FILES).as_bytes())?;
        files.push(path);
    }
    Ok(files)
}

fn text(random: &mut Random, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 100);
    while text.len() < bytes {
        let n = random.below(100_000);
        let line = match random.below(24) {
            0 => format!(
                "loss {}.{n:05} after 2026-11-20T10:{:02}:00Z\n",
                n % 7,
                n % 60
            ),
            1 => format!("\"value\": {}.{}, \"seed\": {n},\n", n % 5000, n),
            2 => format!("see https://example.org/a/b/{n}/file.html and src/model/{n:07}.rs\n"),
            3 if n.is_multiple_of(3) => format!(
                "as in arXiv:24{:02}.{:05}, and more\n",
                1 + n % 12,
                1 + n % 3000
            ),
            _ => String::from(
                "The reviewer asks for an ablation of the second term, and for error bars over five seeds.\n",
            ),
        };
        text.push_str(&line);
    }
    text
}
