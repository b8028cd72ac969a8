//! The audit for leaked tokens over a history of 2,000 commits, beside git's own walk through it and the reference's script.

use std::fmt::Write as _;

use super::Binaries;
use super::measure::{Call, beside_script, heading, pair, row};
use crate::fault::Fault;

/// Limits in seconds: nothing known yet; everything known. **Source**: the project's own promise to users, for two processors.
const COLD: f64 = 0.4;
const KNOWN: f64 = 0.05;

/// Environment variable with the path of the reference's script.
const SCRIPT: &str = "ARIS_REFERENCE_OVERLEAF_AUDIT";

/// A paper of this many files, each of so many lines, of which each commit changes one.
const COMMITS: usize = 2000;
const FILES: usize = 20;
const LINES: usize = 500;
const RUNS: usize = 9;
const RUNS_OF_SCRIPT: usize = 3;

pub(super) fn run(binaries: &Binaries) -> Result<(), Fault> {
    heading(&format!(
        "overleaf_audit: {COMMITS} commits, {FILES} files of {LINES} lines, {RUNS} runs in turn, min / median / max"
    ));
    let temp = tempfile::tempdir().map_err(Fault::from_error)?;
    let paper = temp.path().join("paper");
    aris_fs::create_dir(&paper)?;
    aris_fs::write_unsynced(&temp.path().join("history"), history().as_bytes())?;
    Call::shell(
        "git init -q . && git fast-import --quiet < ../history && git reset -q --hard main && git repack -adq",
        &paper,
    )
    .once()?;
    let program = binaries.path("overleaf_audit");
    let cold = Call::new(&program, &["--no-home", "--no-cache", "-q"], &paper);
    let walk = Call::shell("git log -p --all > /dev/null", &paper);
    let (ours, git) = pair(&cold, &walk, RUNS)?;
    row("overleaf_audit, nothing known", ours.millis());
    row("git log -p --all", git.millis());
    row(
        "overleaf_audit / git, pair by pair",
        ours.over(&git).ratio(),
    );
    row(
        "  limit / median",
        format!("{:.1} x (limit {COLD} s)", COLD / ours.median()),
    );
    let cache = temp.path().join("cache").display().to_string();
    let caching = format!(
        "ARIS_CACHE_DIR='{cache}' '{}' --no-home -q",
        program.display()
    );
    let again = Call::shell(&caching, &paper);
    let count = Call::shell("git rev-list --all --count > /dev/null", &paper);
    let (known, counted) = pair(&again, &count, RUNS)?;
    row("overleaf_audit, nothing new (with sh)", known.millis());
    row("git rev-list --all --count (with sh)", counted.millis());
    row(
        "  limit / median",
        format!("{:.1} x (limit {KNOWN} s)", KNOWN / known.median()),
    );
    beside_script(SCRIPT, "bash", &[], (&paper, &cold), RUNS_OF_SCRIPT)
}

/// The history as `git fast-import` takes it.
fn history() -> String {
    let line = |file: usize, line: usize, version: usize| {
        let value = (file * 7919 + line * 104_729 + version * 1_299_709) % 1_000_003;
        format!(
            "Sentence {line} of part {file} says that the value is {value}, as it stood in version {version} of it.\n"
        )
    };
    let mut files: Vec<Vec<String>> = (0..FILES)
        .map(|file| (0..LINES).map(|at| line(file, at, 0)).collect())
        .collect();
    let mut stream = String::new();
    for commit in 0..COMMITS {
        let message = format!("change {commit}");
        let when = 1_700_000_000 + commit * 600;
        // Writing to a String does not fail.
        let _ = write!(
            stream,
            "commit refs/heads/main\ncommitter A <a@example.org> {when} +0000\ndata {}\n{message}\n",
            message.len()
        );
        let changed = commit * 7 % FILES;
        let at = commit * 193 % LINES;
        if let Some(place) = files.get_mut(changed).and_then(|file| file.get_mut(at)) {
            *place = line(changed, at, commit + 1);
        }
        for (number, file) in files.iter().enumerate() {
            if commit == 0 || number == changed {
                let text = file.concat();
                let size = text.len();
                let _ = write!(
                    stream,
                    "M 100644 inline sections/part{number}.tex\ndata {size}\n{text}\n"
                );
            }
        }
    }
    stream
}
