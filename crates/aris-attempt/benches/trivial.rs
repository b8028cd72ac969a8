//! Measures the overhead of an attempt: runs trivial commands, several at a time, each with a real runner.
//!
//! **Usage**: `cargo bench -p aris-attempt --bench trivial -- [JOBS [PARALLEL [COMMAND]]]` (default: 1000 2 `:`). Works in a new folder
//! below the system's temporary folder, which should be on a disk.
//!
//! **Output**, one line each: wall time of all jobs; mean per job; CPU time per job of runner and command; time from the decision to the
//! start of the command (start record), and from its end until the manager sees it (exit record), each as median and 95th percentile by
//! nearest rank. **Units**: milliseconds, except for the first line, which is in seconds.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use aris_attempt::format::{Command, SPEC_SCHEMA, Spec};
use aris_attempt::{Runner, Standing, Watch, prepare};
use jiff::Timestamp;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    let jobs: u64 = words.next().map_or(Ok(1000), |word| word.parse())?;
    let parallel: usize = words.next().map_or(Ok(2), |word| word.parse())?;
    let command = words.next().unwrap_or_else(|| String::from(":"));
    let place = tempfile::tempdir()?;
    let runner = Runner {
        program: PathBuf::from(env!("CARGO_BIN_EXE_attempt_runner")),
        arguments: Vec::new(),
    };
    let mut watch = Watch::new()?;
    let mut decided: BTreeMap<u64, Timestamp> = BTreeMap::new();
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    let (mut next, mut done) = (0, 0);
    let (before, began) = (children_ticks()?, Instant::now());
    while done < jobs {
        while next < jobs && watch.len() < parallel {
            let folder = place.path().join(format!("a/{:02x}/{next}/1", next % 256));
            decided.insert(next, now());
            prepare(&folder, &spec(place.path(), &command))?;
            watch.launch(next, &runner, &folder, &[])?;
            next += 1;
        }
        for (key, seen) in watch.seen() {
            match seen {
                Ok(Standing::Running { .. }) => {}
                Ok(Standing::Ended(exit)) => {
                    if let (Some(started), Some(decided)) = (exit.started, decided.get(&key)) {
                        starts.push(span(*decided, started));
                    }
                    ends.push(span(exit.ended, now()));
                    done += 1;
                }
                other => return Err(format!("job {key}: {other:?}").into()),
            }
        }
        let second = Timespec {
            tv_sec: 1,
            tv_nsec: 0,
        };
        let fd = PollFd::from_borrowed_fd(watch.fd(), PollFlags::IN);
        poll(&mut [fd], Some(&second))?;
    }
    let wall = began.elapsed();
    let ticks = children_ticks()?.saturating_sub(before);
    let mut out = std::io::stdout().lock();
    let per_job = wall.as_secs_f64() * 1000.0 / as_f64(jobs);
    writeln!(
        out,
        "{jobs} jobs, {parallel} at a time: {:.3} s, {per_job:.2} ms each",
        wall.as_secs_f64()
    )?;
    writeln!(
        out,
        "processor time per job: {:.2} ms",
        as_f64(ticks) * 10.0 / as_f64(jobs)
    )?;
    for (what, spans) in [
        ("decision to start", &mut starts),
        ("end to manager", &mut ends),
    ] {
        spans.sort();
        let rank = |part: usize| spans.get((spans.len() * part / 100).min(spans.len() - 1));
        let [median, high] =
            [50, 95].map(|part| rank(part).map_or(0.0, |span| span.as_secs_f64() * 1000.0));
        writeln!(out, "{what}: median {median:.2} ms, p95 {high:.2} ms")?;
    }
    Ok(())
}

fn spec(place: &Path, command: &str) -> Spec {
    Spec {
        schema: String::from(SPEC_SCHEMA),
        id: String::from("job"),
        attempt: 1,
        command: Command::Shell(String::from(command)),
        setup: Vec::new(),
        cwd: place.to_path_buf(),
        env: BTreeMap::new(),
        outputs: Vec::new(),
        output_wait_ms: 0,
        time_limit_ms: Some(3_600_000),
        notice: None,
        kill_grace_ms: 30_000,
        linger_ms: 10_000,
        oom_patterns: Vec::new(),
        log: place.join("log"),
        leases: Vec::new(),
        ledger: None,
        cards: 0,
    }
}

#[expect(clippy::disallowed_methods, reason = "records carry the time of day")]
fn now() -> Timestamp {
    Timestamp::now()
}

fn span(from: Timestamp, to: Timestamp) -> Duration {
    Duration::try_from(to.duration_since(from)).unwrap_or_default()
}

/// CPU time of child processes that have ended, in hundredths of a second: fields 16 and 17 of `/proc/self/stat`, proc(5).
fn children_ticks() -> Result<u64, Box<dyn Error>> {
    let text = aris_fs::read_text(Path::new("/proc/self/stat"))?;
    let fields = text
        .rsplit_once(") ")
        .map_or("", |(_, rest)| rest)
        .split(' ');
    let ticks = fields.skip(13).take(2).map(str::parse::<u64>);
    Ok(ticks.sum::<Result<u64, _>>()?)
}

#[expect(clippy::cast_precision_loss, reason = "counts of jobs are small")]
fn as_f64(count: u64) -> f64 {
    count as f64
}
