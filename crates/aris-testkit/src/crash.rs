//! Crashes before every change of the disk.

use aris_proc::End;

use crate::helper::Call;
use crate::run::Run;

/// SIGABRT: what `ARIS_FAULT_AT` ends a helper with.
const ABORT: i32 = 6;

/// More changes of the disk than any helper makes in one call.
const MANY: u64 = 10_000;

/// What a series of crashes gave.
#[derive(Debug)]
pub struct Crashes {
    /// Number of crashes = number of changes of the disk that one run makes.
    pub count: u64,
    /// The run after them, which was not interrupted.
    pub last: Run,
}

/// Runs a helper again and again, aborting it before its first, second, … change of the disk, until a run gets through.
///
/// `call(n)` prepares run number `n` (from 1), usually in a fresh project; the helper comes from
/// [`Helper::with_faults`](crate::Helper::with_faults). `check(n, run)` looks at what crash number `n` left. Panics when no run crashed: then the helper
/// changed nothing, or has no crash points compiled in, and the test would prove nothing.
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

#[cfg(test)]
mod tests {
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
    #[should_panic(expected = "no crash at the first change")]
    fn a_helper_without_crash_points_proves_nothing() {
        crash_at_every_change(|_| Helper::at("/bin/true").call("/"), |_, _| {});
    }
}
