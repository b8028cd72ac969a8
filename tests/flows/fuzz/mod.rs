//! Parsers on unexpected bytes: random changes of the files in `corpus/`.
//!
//! In the tests each target runs for a second with a fixed seed, so that every run gives the same result. `ARIS_FUZZ_SECONDS=60
//! ARIS_SEED=7 cargo test -p aris-tests --test flows fuzz::` runs longer, and `cargo xtask fuzz` is guided by coverage. The
//! current input of a target is in `target/tmp/fuzz/<target>`, in case the target hangs.

mod growth;
mod targets;

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use aris_testkit::{Mutator, setting};

use targets::{TARGETS, Target};

/// Longest time for one input: more than any parser needs for the largest input on a busy machine.
const HANGS: Duration = Duration::from_mins(2);

/// The targets whose name contains `ARIS_FUZZ_TARGET`.
fn chosen() -> impl Iterator<Item = Target> {
    let part = std::env::var("ARIS_FUZZ_TARGET").unwrap_or_default();
    TARGETS
        .into_iter()
        .filter(move |(name, _)| name.contains(&part))
}

/// The seed inputs of a target.
fn seeds(name: &str) -> Vec<Vec<u8>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("flows/fuzz/corpus");
    let entries = fs::read_dir(corpus.join(name)).expect("a folder for each target");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
        .iter()
        .map(|path| fs::read(path).expect("a file"))
        .collect()
}

#[test]
fn no_parser_panics_or_hangs_on_bytes_of_others() {
    let seed = setting("ARIS_SEED", 22);
    let time = Duration::from_secs(setting("ARIS_FUZZ_SECONDS", 1));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
    fs::create_dir_all(&folder).expect("folder");
    println!("ARIS_SEED={seed}");
    let mut faults = Vec::new();
    for (name, parse) in chosen() {
        let input = folder.join(name);
        let seeds = seeds(name);
        let path = input.clone();
        let (done, outcome) = mpsc::channel();
        thread::spawn(move || {
            let mut mutator = Mutator::new(seed, &seeds);
            let start = Instant::now();
            let mut runs = 0;
            let mut each = seeds.iter();
            while start.elapsed() < time {
                let bytes = each.next().cloned().unwrap_or_else(|| mutator.input());
                fs::write(&path, &bytes).expect("input");
                if panic::catch_unwind(AssertUnwindSafe(|| parse(&bytes))).is_err() {
                    return done.send(Err(runs));
                }
                runs += 1;
            }
            done.send(Ok(runs))
        });
        match outcome.recv_timeout(time + HANGS) {
            Ok(Ok(runs)) => println!("{name}: {runs} runs"),
            Ok(Err(runs)) => {
                faults.push(format!("{name} panics at run {runs}: {}", input.display()));
            }
            Err(_) => faults.push(format!("{name} does not end: {}", input.display())),
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
