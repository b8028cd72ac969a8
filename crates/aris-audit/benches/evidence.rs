//! Measures the cost of durable evidence on this machine; its files are the raw results of the example paper.
//!
//! **Usage**: `cargo bench -p aris-audit --bench evidence -- --out DIR [--scratch DIR] [--runs N] [--samples N] [--only N]`
//!
//! A run works in a fresh folder below the scratch folder (default: the system's temporary folder, which must not be in
//! memory). Use a new folder at the top of the disk: without a journal, ext4 is slow to create files where many were
//! deleted in the last minutes. A run visits every cell (method × size) once per round, in an order drawn from its own
//! seed, so that a slow moment of the disk affects all cells alike. The first rounds are a warm-up and are not counted, nor
//! is a whole run before the first that is kept. `--only` measures a single run of the series, for machines that are
//! quiet for short times only. Only the call is timed: payloads are made before, and files are removed afterwards.
//!
//! | method | what is timed |
//! |---|---|
//! | `plain` | one ordinary write of a new file, no sync |
//! | `atomic` | `aris_fs::write_atomic` of a new file: write, sync, rename, sync of the folder |
//! | `chained` | `aris_audit::trace::record` with the payload as response: three files, a chain line and an event |
//! | `append` | `aris_fs::append_line` of one short line to a growing log, synced |
//! | `hash` | SHA-256 over files in the page cache: one worker, and `digest_files` on all processors |
//! | `verify` | `aris_audit::trace::read` over all records of one `chained` folder, from the page cache |
//!
//! **Output**: `DIR/config.json` and `DIR/<method>/run_<n>.json`. **Units**: `_ms` milliseconds with all six decimals that the
//! clock gives; `mb_per_s` 10⁶ bytes per second. `median` of an even number of samples is the mean of the middle two;
//! `p95` is the nearest rank.

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use aris_audit::trace::{self, Chain, NewRecord, RunChoice};
use aris_audit::{Digest, digest_files};
use aris_contract::artifact::Slug;
use aris_contract::artifact::trace::TraceMode;
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Sizes of payloads: a verdict, a long review, a review with its attachments.
const SIZES: [(&str, usize); 3] = [("small", 1 << 10), ("medium", 64 << 10), ("large", 1 << 20)];
/// Size of a compact JSON event.
const LINE_BYTES: usize = 256;
/// Number of files that are hashed.
const HASH_FILES: usize = 64;
const HASH_FILE_MIB: usize = 4;
const HASH_SAMPLES: usize = 8;
const VERIFY_SAMPLES: usize = 8;
/// Rounds of the warm-up.
const WARM_UP: usize = 5;
/// The same as the buffer of `digest_files`.
const BUFFER: usize = 256 << 10;
/// The fixed time of all records, 2026-11-20T00:00:00Z, so that only the stopwatch reads a clock.
const MOMENT: i64 = 1_795_132_800;

struct Options {
    out: PathBuf,
    scratch: PathBuf,
    runs: usize,
    samples: usize,
    only: Option<usize>,
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --all-targets` starts benches as well, without this flag; then nothing is measured.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let Some(options) = options(&arguments)? else {
        return Ok(writeln!(
            std::io::stdout(),
            "nothing measured: give -- --out DIR"
        )?);
    };
    aris_fs::create_dir(&options.out)?;
    store(&options.out.join("config.json"), &config(&options))?;
    let wanted = |run: &usize| *run == 0 || options.only.is_none_or(|only| only == *run);
    for run in (0..=options.runs).filter(wanted) {
        let started = Instant::now();
        let results = measure(&options, run)?;
        // Run 0 is not kept: it pays for memory that the system, or its hypervisor, has not allocated yet.
        for (method, result) in results.into_iter().filter(|_| run > 0) {
            let folder = options.out.join(method);
            aris_fs::create_dir(&folder)?;
            store(&folder.join(format!("run_{run}.json")), &result)?;
        }
        let seconds = started.elapsed().as_secs();
        writeln!(
            std::io::stdout(),
            "run {run} of {}: {seconds} s",
            options.runs
        )?;
    }
    Ok(())
}

fn options(arguments: &[String]) -> Outcome<Option<Options>> {
    let (mut out, mut scratch, mut runs, mut samples) = (None, std::env::temp_dir(), 5, 100);
    let mut only = None;
    let mut rest = arguments.iter().filter(|argument| *argument != "--bench");
    while let Some(flag) = rest.next() {
        let value = rest.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--out" => out = Some(PathBuf::from(value)),
            "--scratch" => scratch = PathBuf::from(value),
            "--runs" => runs = value.parse()?,
            "--only" => only = Some(value.parse()?),
            "--samples" => samples = value.parse::<usize>()?.max(1),
            _ => return Err(format!("unknown flag {flag}").into()),
        }
    }
    Ok(out.map(|out| Options {
        out,
        scratch,
        runs,
        samples,
        only,
    }))
}

/// All results of one run: (method, result).
fn measure(options: &Options, run: usize) -> Outcome<Vec<(&'static str, Value)>> {
    let scratch = tempfile::Builder::new()
        .prefix("evidence.")
        .tempdir_in(&options.scratch)?;
    let seed = run as u64;
    let mut random = Random(seed);
    let payloads: Vec<Vec<u8>> = SIZES.iter().map(|(_, size)| random.text(*size)).collect();
    let line = String::from_utf8(random.text(LINE_BYTES))?.replace('\n', " ");
    let mut cells = Vec::new();
    for method in ["plain", "atomic", "chained"] {
        for (at, (name, _)) in SIZES.iter().enumerate() {
            let folder = scratch.path().join(format!("{method}-{name}"));
            aris_fs::create_dir(&folder)?;
            cells.push((method, at, folder));
        }
    }
    let log = scratch.path().join("log.jsonl");
    cells.push(("append", 0, log.clone()));

    let mut samples: BTreeMap<(&str, usize), Vec<u64>> = BTreeMap::new();
    for round in 0..WARM_UP + options.samples {
        random.shuffle(&mut cells);
        for (method, at, place) in &cells {
            let payload = payloads.get(*at).map_or(&[][..], Vec::as_slice);
            let taken = match *method {
                "plain" => once(place, round, |path| {
                    aris_fs::write_unsynced(path, payload).map_err(Into::into)
                })?,
                "atomic" => once(place, round, |path| {
                    aris_fs::write_atomic(path, payload).map_err(Into::into)
                })?,
                "chained" => timed(|| record(place, payload))?.0,
                _ => timed(|| aris_fs::append_line(&log, &line).map_err(Into::into))?.0,
            };
            if round >= WARM_UP {
                samples.entry((method, *at)).or_default().push(taken);
            }
        }
    }

    let mut results = Vec::new();
    for method in ["plain", "atomic", "chained"] {
        let mut result = head(method, run, options.samples);
        for (at, (name, _)) in SIZES.iter().enumerate() {
            let taken = samples.remove(&(method, at)).unwrap_or_default();
            result.insert((*name).to_owned(), latency(taken));
        }
        results.push((method, Value::Object(result)));
    }
    let mut result = head("append", run, options.samples);
    let taken = samples.remove(&("append", 0)).unwrap_or_default();
    result.insert(String::from("line"), latency(taken));
    results.push(("append", Value::Object(result)));
    results.push(("verify", verify(&cells, run)?));
    results.push(("hash", hash(scratch.path(), run, &mut random)?));
    Ok(results)
}

fn head(method: &str, run: usize, samples: usize) -> Map<String, Value> {
    Map::from_iter([
        (String::from("method"), Value::from(method)),
        (String::from("run"), Value::from(run)),
        (String::from("samples"), Value::from(samples)),
    ])
}

/// Times one write of a new file, and removes the file.
fn once(folder: &Path, round: usize, write: impl FnOnce(&Path) -> Outcome<()>) -> Outcome<u64> {
    let path = folder.join(format!("{round:04}"));
    let (taken, ()) = timed(|| write(&path))?;
    aris_fs::remove_file(&path)?;
    Ok(taken)
}

/// Records the payload as the response of a reviewer call in the project `folder`.
fn record(folder: &Path, payload: &[u8]) -> Outcome<()> {
    let skill: Slug = "evidence".parse()?;
    let purpose: Slug = "measurement".parse()?;
    let new = NewRecord {
        skill: &skill,
        purpose: &purpose,
        model: "example-reviewer-1",
        thread_id: "measurement",
        tool: "bench",
        executor: None,
        config: Map::new(),
        files: Vec::new(),
        input_digests: None,
        duration_ms: None,
        status: "ok",
        prompt: b"measure",
        response: payload,
        mode: TraceMode::Full,
        run: RunChoice::Latest,
    };
    trace::record(folder, &new, Timestamp::from_second(MOMENT)?)?;
    Ok(())
}

/// Reads every trace and checks its chain.
fn verify(cells: &[(&str, usize, PathBuf)], run: usize) -> Outcome<Value> {
    let mut result = head("verify", run, VERIFY_SAMPLES);
    let mut found = BTreeMap::new();
    for (_, at, project) in cells.iter().filter(|(method, ..)| *method == "chained") {
        let skill = project.join(trace::FOLDER).join("evidence");
        let entries = aris_fs::list_sorted(&skill)?;
        let folder = entries
            .iter()
            .find(|entry| entry.kind == aris_fs::EntryKind::Folder)
            .ok_or("no trace was written")?;
        let folder = skill.join(&folder.name);
        let mut samples = Vec::new();
        let mut records = 0;
        for repetition in 0..=VERIFY_SAMPLES {
            let (taken, trace) = timed(|| Ok(trace::read(&folder, Some(project))?))?;
            if !matches!(trace.chain, Chain::Valid { .. }) {
                return Err("a chain that nobody touched does not hold".into());
            }
            records = trace.records.len();
            // The first repetition brings the files into the page cache.
            if repetition > 0 {
                samples.push(taken);
            }
        }
        found.insert(*at, (records, latency(samples)));
    }
    for (at, (records, latency)) in found {
        result.insert(String::from("records"), Value::from(records));
        if let Some((name, _)) = SIZES.get(at) {
            result.insert((*name).to_owned(), latency);
        }
    }
    Ok(Value::Object(result))
}

/// Hashes the files with one worker and with all processors.
fn hash(scratch: &Path, run: usize, random: &mut Random) -> Outcome<Value> {
    let folder = scratch.join("hash");
    aris_fs::create_dir(&folder)?;
    let mut paths = Vec::new();
    for file in 0..HASH_FILES {
        let path = folder.join(format!("{file:02}"));
        aris_fs::write_unsynced(&path, &random.text(HASH_FILE_MIB << 20))?;
        paths.push(path);
    }
    let bytes = (HASH_FILES * HASH_FILE_MIB) as u64 * (1 << 20);
    let (mut single, mut parallel) = (Vec::new(), Vec::new());
    let mut buffer = vec![0_u8; BUFFER];
    for repetition in 0..=HASH_SAMPLES {
        let (one, first) = timed(|| {
            let mut digests = Vec::new();
            for path in &paths {
                let mut hasher = Sha256::new();
                aris_fs::open(path)?.stream(&mut buffer, |piece| hasher.update(piece))?;
                digests.push(Digest::from_bytes(hasher.finalize().into()));
            }
            Ok(digests)
        })?;
        let (all, second) = timed(|| {
            Ok(digest_files(&paths)
                .into_iter()
                .collect::<Result<Vec<_>, _>>()?)
        })?;
        if first != second {
            return Err("one worker and many disagree on a digest".into());
        }
        if repetition > 0 {
            single.push(one);
            parallel.push(all);
        }
    }
    let mut result = head("hash", run, HASH_SAMPLES);
    let workers = thread::available_parallelism().map_or(1, usize::from);
    for (name, taken) in [
        (String::from("1_worker"), single),
        (format!("{workers}_workers"), parallel),
    ] {
        let median = middle(&sorted(taken));
        let tenths = bytes.saturating_mul(10_000) / median.max(1);
        let rate = decimal(tenths, 1);
        result.insert(name, json!({ "mb_per_s": rate }));
    }
    Ok(Value::Object(result))
}

/// The time of a call in nanoseconds, and its result.
fn timed<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<(u64, T)> {
    let start = Instant::now();
    let result = black_box(work()?);
    Ok((u64::try_from(start.elapsed().as_nanos())?, result))
}

fn latency(samples: Vec<u64>) -> Value {
    let samples = sorted(samples);
    let count = samples.len() as u64;
    let rank = (samples.len() * 95).div_ceil(100).saturating_sub(1);
    let p95 = samples.get(rank).copied().unwrap_or_default();
    let mean = (samples.iter().sum::<u64>() + count / 2) / count.max(1);
    json!({
        "median_ms": decimal(middle(&samples), 6),
        "p95_ms": decimal(p95, 6),
        "mean_ms": decimal(mean, 6),
    })
}

fn sorted(mut samples: Vec<u64>) -> Vec<u64> {
    samples.sort_unstable();
    samples
}

fn middle(sorted: &[u64]) -> u64 {
    let at = |index: usize| sorted.get(index).copied().unwrap_or_default();
    let half = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) {
        u64::midpoint(at(half.saturating_sub(1)), at(half))
    } else {
        at(half)
    }
}

/// `units` of the last of `places` decimals as a JSON number, without rounding.
fn decimal(units: u64, places: u32) -> Value {
    let scale = 10_u64.pow(places);
    let width = places as usize;
    let text = format!("{}.{:0width$}", units / scale, units % scale);
    text.parse::<f64>().map_or(Value::Null, Value::from)
}

/// The settings, and facts about the machine that matter and do not identify it.
fn config(options: &Options) -> Value {
    let text = |path: &str| aris_fs::read_text(Path::new(path)).unwrap_or_default();
    let cpu = text("/proc/cpuinfo");
    let flag = |name: &str| cpu.split_ascii_whitespace().any(|word| word == name);
    let release = text("/proc/sys/kernel/osrelease");
    // Only the version, because the suffixes of distributors say where a machine runs.
    let kernel = release
        .split(|part: char| !part.is_ascii_digit() && part != '.')
        .next();
    let disk = file_system(&text("/proc/self/mounts"), &options.scratch);
    let sizes: Map<String, Value> = SIZES
        .iter()
        .map(|(name, size)| ((*name).to_owned(), Value::from(*size)))
        .collect();
    json!({
        "program": format!("{}@{}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
        "runs": options.runs,
        "samples": options.samples,
        "discarded_runs": 1,
        "warm_up_rounds": WARM_UP,
        "payload_bytes": sizes,
        "line_bytes": LINE_BYTES,
        "hash": { "files": HASH_FILES, "mib_per_file": HASH_FILE_MIB, "samples": HASH_SAMPLES },
        "verify": { "samples": VERIFY_SAMPLES },
        "cpus": thread::available_parallelism().map_or(1, usize::from),
        "sha_extensions": flag("sha_ni") || flag("sha2"),
        "virtual_machine": flag("hypervisor"),
        "kernel": kernel.filter(|version| !version.is_empty()),
        "file_system": disk.as_ref().map(|(_, kind)| kind),
        "journal": disk.as_ref().map(|(device, _)| has_journal(device)),
    })
}

/// Device and type of the file system of `folder`: those of the longest mount point above it.
fn file_system(mounts: &str, folder: &Path) -> Option<(String, String)> {
    mounts
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(' ');
            Some((fields.next()?, fields.next()?, fields.next()?))
        })
        .filter(|(_, point, _)| folder.starts_with(point))
        .max_by_key(|(_, point, _)| point.len())
        .map(|(device, _, kind)| (device.to_owned(), kind.to_owned()))
}

/// Whether ext4 has a journal on `device`; the kernel lists journals by the device's name.
fn has_journal(device: &str) -> bool {
    let name = device.rsplit('/').next().unwrap_or(device);
    aris_fs::list_sorted(Path::new("/proc/fs/jbd2"))
        .unwrap_or_default()
        .iter()
        .filter_map(|entry| entry.name.to_str()?.strip_prefix(name))
        .any(|rest| rest.starts_with('-'))
}

fn store(path: &Path, value: &Value) -> Outcome<()> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    Ok(aris_fs::write_atomic(path, &text)?)
}

/// **Source**: `SplitMix64` (Steele, Lea and Flood, 2014): good enough to shuffle and to fill payloads.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Printable ASCII that does not compress well.
    fn text(&mut self, size: usize) -> Vec<u8> {
        let mut text = Vec::with_capacity(size + 8);
        while text.len() < size {
            text.extend(self.next().to_le_bytes().map(|byte| b' ' + byte % 95));
        }
        text.truncate(size);
        text
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.next() % (last as u64 + 1);
            items.swap(last, usize::try_from(other).unwrap_or(last));
        }
    }
}
