//! Crashes a helper before every change of the disk.

use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use aris_proc::End;

use crate::helper::Call;
use crate::run::Run;

/// SIGABRT, with which `ARIS_FAULT_AT` ends a helper.
const ABORT: i32 = 6;

/// More changes of the disk than any helper makes in one call.
const MANY: u64 = 10_000;

/// Crashes that run in parallel. A helper that waits for a server needs no processor.
const AT_ONCE: usize = 8;

/// The result of a series of crashes.
#[derive(Debug)]
pub struct Crashes {
    /// Number of crashes, which is the number of changes of the disk in one run.
    pub count: u64,
    /// The first run that was not interrupted.
    pub last: Run,
}

/// Runs a helper repeatedly and aborts it before its first, second, … change of the disk, until a run completes.
///
/// `call(n)` prepares run number `n` (from 1), usually in a fresh project. `check(n, run)` examines what crash number `n` left.
/// Panics when no run crashed: then the helper changes nothing or is a release build without crash points, and the test would
/// prove nothing.
pub fn crash_at_every_change(
    mut call: impl FnMut(u64) -> Call,
    mut check: impl FnMut(u64, &Run),
) -> Crashes {
    for number in 1..=MANY {
        let run = call(number).env("ARIS_FAULT_AT", number.to_string()).run();
        if run.end() != End::Signalled(ABORT) {
            assert!(
                number > 1,
                "no crash at the first change of the disk: {run}"
            );
            return Crashes {
                count: number - 1,
                last: run,
            };
        }
        check(number, &run);
    }
    panic!("still crashing at change {MANY} of the disk");
}

/// The same for a helper that mostly waits: several crashes run in parallel, each in a `prepare(n)`, which `check(n, prepared,
/// run)` examines.
pub fn crash_at_every_change_at_once<P>(
    prepare: impl Fn(u64) -> (P, Call) + Sync,
    check: impl Fn(u64, P, &Run) + Sync,
) -> Crashes {
    let next = AtomicU64::new(1);
    let through: Mutex<Option<Crashes>> = Mutex::new(None);
    let work = || {
        while through.lock().expect("no worker failed").is_none() {
            let number = next.fetch_add(1, Ordering::SeqCst);
            assert!(
                number <= MANY,
                "still crashing at change {MANY} of the disk"
            );
            let (prepared, call) = prepare(number);
            let run = call.env("ARIS_FAULT_AT", number.to_string()).run();
            if run.end() == End::Signalled(ABORT) {
                check(number, prepared, &run);
                continue;
            }
            assert!(
                number > 1,
                "no crash at the first change of the disk: {run}"
            );
            let mut through = through.lock().expect("no worker failed");
            // Runs with higher numbers may have completed first.
            if through.as_ref().is_none_or(|first| number <= first.count) {
                *through = Some(Crashes {
                    count: number - 1,
                    last: run,
                });
            }
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            if let Err(panic) = worker.join() {
                resume_unwind(panic);
            }
        }
    });
    let through = through.into_inner().expect("no worker failed");
    through.expect("workers end when a run got through")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Helper;

    #[test]
    fn a_run_crashes_once_for_each_change_and_then_gets_through() {
        let script = r#"[ "$ARIS_FAULT_AT" -gt 3 ] || kill -ABRT $$; exit 7"#;
        let mut seen = Vec::new();
        let crashes = crash_at_every_change(
            |_| Helper::at("/bin/sh").call("/").args(["-c", script]),
            |number, _| seen.push(number),
        );
        assert_eq!(
            (crashes.count, crashes.last.code(), seen),
            (3, 7, vec![1, 2, 3])
        );
    }

    #[test]
    fn several_at_once_miss_no_change() {
        let script = r#"[ "$ARIS_FAULT_AT" -gt 20 ] || kill -ABRT $$; exit 7"#;
        let seen = Mutex::new(BTreeSet::new());
        let crashes = crash_at_every_change_at_once(
            |number| (number, Helper::at("/bin/sh").call("/").args(["-c", script])),
            |number, prepared, _| {
                assert_eq!(number, prepared);
                assert!(seen.lock().expect("seen").insert(number));
            },
        );
        assert_eq!((crashes.count, crashes.last.code()), (20, 7));
        let all: BTreeSet<u64> = (1..=20).collect();
        assert_eq!(seen.into_inner().expect("seen"), all);
    }

    #[test]
    #[should_panic(expected = "no crash at the first change")]
    fn a_helper_without_crash_points_proves_nothing() {
        crash_at_every_change(|_| Helper::at("/bin/true").call("/"), |_, _| {});
    }
}
