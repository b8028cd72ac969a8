//! Whether an attempt completed or failed, and why, from its exit record. A pure function; the tests are the table of queue design §5.

use crate::manifest::{DoneWhen, Retry};
use crate::state::{Outcome, Reason, Spent, Verdict};
use aris_attempt::format::{EndedByUs, Ending, Exit, OomText};

/// SIGKILL, which the kernel sends to a process when memory runs out. **Source**: signal(7).
const KILL: i32 = 9;

/// The exit status with which a job asks to be continued in its next attempt. **Source**: sysexits.h, `EX_TEMPFAIL`.
pub const CONTINUE: i32 = 75;

/// Texts in a job's log that mean that a GPU's memory ran out.
///
/// **Sources**, in order: `PyTorch` from 2.5 on (`torch.OutOfMemoryError`) and before (`RuntimeError: CUDA out of memory`,
/// `c10/cuda/CUDACachingAllocator.cpp`); the CUDA runtime's `cudaErrorMemoryAllocation` text; cuBLAS's status name; `PyTorch` on `ROCm`;
/// XLA and JAX (the absl status code's name with its usual text); TensorFlow's `ResourceExhaustedError` of the same allocator; `CuPy`;
/// Triton; the CUDA driver's result code, as numba and others print it; the result code of the CUDA runtime.
pub const OOM_PATTERNS: [&str; 12] = [
    "torch.OutOfMemoryError",
    "torch.cuda.OutOfMemoryError",
    "CUDA out of memory",
    "CUDA error: out of memory",
    "CUBLAS_STATUS_ALLOC_FAILED",
    "HIP out of memory",
    "RESOURCE_EXHAUSTED: Out of memory",
    "OOM when allocating tensor",
    "cupy.cuda.memory.OutOfMemoryError",
    "Triton Error [CUDA]: out of memory",
    "CUDA_ERROR_OUT_OF_MEMORY",
    "cudaErrorMemoryAllocation",
];

/// Judges an attempt by its exit record. `continues`: the job may exit with [`CONTINUE`]. The record says which outputs are new: the runner
/// compared them on the machine where they were written.
pub fn judge(exit: &Exit, done_when: DoneWhen, continues: bool) -> Verdict {
    let declared = !exit.outputs.is_empty();
    let all_there = declared && exit.outputs.iter().all(|output| output.matches > 0);
    let any_fresh = exit.outputs.iter().any(|output| output.fresh > 0);
    let missing = exit.outputs.iter().filter(|output| output.matches == 0);
    let missing: Vec<&str> = missing.map(|output| output.pattern.as_str()).collect();
    let old = exit.outputs.iter().filter(|output| output.fresh == 0);
    let old: Vec<&str> = old.map(|output| output.pattern.as_str()).collect();
    let how = match &exit.ending {
        Ending::Code(code) => format!("exit status {code}"),
        Ending::Signal(signal) => format!("ended by signal {signal}"),
        Ending::StartFailed(what) => what.clone(),
    };
    let stale = if any_fresh || !declared {
        let old = (!old.is_empty()).then(|| old.join(", "));
        old.map(|old| format!("outputs from before the start of this attempt: {old}"))
    } else {
        let none = "no declared output is newer than the start of the job";
        Some(none.to_owned())
    };
    let log_says = |oom: &OomText| format!("the log says {:?} at byte {}", oom.pattern, oom.offset);
    let mut output_present = false;
    // `Ok`: completed, perhaps with a warning. `Err`: the reason and the error.
    let judged = match (&exit.ending, exit.ended_by_us) {
        (_, EndedByUs::Cancelled) => Err((Reason::Cancelled, format!("cancelled; {how}"))),
        (Ending::StartFailed(_), _) => Err((Reason::StartFailed, how)),
        (_, EndedByUs::TimeLimit) => {
            let seconds = exit.ran_ms / 1000;
            let error = format!("the time limit passed after {seconds} s; {how}");
            Err((Reason::TimeLimit, error))
        }
        (Ending::Code(0), EndedByUs::None) => {
            if !declared || (all_there && any_fresh) {
                Ok(stale)
            } else if !all_there {
                let error = format!("exit status 0, but no file matches {}", missing.join(", "));
                Err(match &exit.oom {
                    // Only the last program of a pipe, such as tee, exited with 0; the one before it failed.
                    Some(oom) => (Reason::GpuOom, format!("{error}; {}", log_says(oom))),
                    None => (Reason::NoOutput, error),
                })
            } else if done_when == DoneWhen::Output {
                Ok(stale)
            } else {
                let error = "exit status 0, but every declared output is from before the start";
                Err((Reason::OutputUnchanged, error.to_owned()))
            }
        }
        (Ending::Code(CONTINUE), EndedByUs::None) if continues => {
            let error = "it exited with 75 to continue in its next attempt (retry: {time_limit: N} says how often it may)";
            Err((Reason::TimeLimit, error.to_owned()))
        }
        (Ending::Code(_) | Ending::Signal(_), EndedByUs::None) => {
            output_present = all_there && any_fresh;
            if let Some(oom) = &exit.oom {
                Err((Reason::GpuOom, format!("{how}; {}", log_says(oom))))
            } else if exit.oom_kill == Some(true) {
                let error = format!("{how}; the machine's memory ran out");
                Err((Reason::HostOom, error))
            } else if exit.ending == Ending::Signal(KILL) {
                let error = format!(
                    "{how}, not sent by this queue: most likely the machine's memory ran out"
                );
                Err((Reason::HostOom, error))
            } else if all_there && done_when == DoneWhen::Output {
                let stale = stale.map_or_else(String::new, |stale| format!("; {stale}"));
                Ok(Some(format!("the outputs are there, but {how}{stale}")))
            } else if matches!(exit.ending, Ending::Signal(_)) {
                Err((Reason::Signal, how))
            } else {
                Err((Reason::Exit, how))
            }
        }
    };
    let mut verdict = match judged {
        Ok(warning) => Verdict::completed(warning),
        Err((reason, error)) => Verdict::failed(reason, error),
    };
    match exit.ending {
        Ending::Code(code) => verdict.exit_code = Some(code),
        Ending::Signal(signal) => verdict.signal = Some(signal),
        Ending::StartFailed(_) => {}
    }
    verdict.output_present = output_present;
    verdict.started = exit.started;
    verdict.ran_ms = Some(exit.ran_ms);
    if exit.left_behind > 0 && verdict.warning.is_none() {
        let what = "processes of the job were still there at its end and were ended";
        verdict.warning = Some(format!("{} {what}", exit.left_behind));
    }
    if let Some(problem) = &exit.record_problem {
        let before = verdict.warning.map(|warning| warning + "; ");
        verdict.warning = Some(before.unwrap_or_default() + problem);
    }
    verdict
}

/// Milliseconds until the next attempt after this verdict; `None`: there is none. `spent` does not include this verdict.
pub fn retry_in_ms(verdict: &Verdict, retry: &Retry, spent: Spent) -> Option<u64> {
    if verdict.outcome == Outcome::Completed {
        return None;
    }
    if verdict.reason == Some(Reason::TimeLimit)
        && let Some(budget) = retry.time_limit
    {
        // At once: waiting would change nothing.
        return (spent.time_limit < budget).then_some(0);
    }
    let other = match retry.time_limit {
        Some(_) => spent.other,
        None => spent.other + spent.time_limit,
    };
    let (spent, budget) = match verdict.reason? {
        Reason::GpuOom | Reason::HostOom => (spent.oom, retry.oom),
        Reason::NodeFail | Reason::Preempted => (spent.infra, retry.infra),
        Reason::Lost => (spent.lost, retry.lost),
        Reason::Exit
        | Reason::Signal
        | Reason::NoOutput
        | Reason::OutputUnchanged
        | Reason::TimeLimit
        | Reason::StartFailed => (other, retry.other),
        Reason::Precondition
        | Reason::Dependency
        | Reason::Cancelled
        | Reason::EngineRejected
        | Reason::Imported => return None,
    };
    if spent >= budget {
        return None;
    }
    let mut delay = std::time::Duration::from_millis(retry.delay_ms).as_secs_f64();
    let longest = std::time::Duration::from_millis(retry.max_delay_ms).as_secs_f64();
    for _ in 0..spent {
        delay = (delay * retry.factor).min(longest);
    }
    let delay = std::time::Duration::from_secs_f64(delay.min(longest));
    u64::try_from(delay.as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use aris_attempt::format::{EXIT_SCHEMA, OutputSeen};

    fn exit(ending: Ending, outputs: &[(u64, u64)]) -> Exit {
        Exit {
            schema: EXIT_SCHEMA.to_owned(),
            ending,
            ended_by_us: EndedByUs::None,
            oom: None,
            oom_kill: None,
            outputs: outputs
                .iter()
                .map(|(matches, fresh)| OutputSeen {
                    pattern: String::from("o*"),
                    matches: *matches,
                    fresh: *fresh,
                })
                .collect(),
            left_behind: 0,
            started: None,
            ended: Timestamp::UNIX_EPOCH,
            ran_ms: 1000,
            log_offset: 0,
            record_problem: None,
        }
    }

    #[test]
    fn the_table_of_the_design() {
        use Outcome::{Completed, Failed};
        use Reason as R;
        let oom = |mut exit: Exit| {
            exit.oom = Some(OomText {
                pattern: String::from("CUDA out of memory"),
                offset: 7,
            });
            exit
        };
        let by = |mut exit: Exit, us| {
            exit.ended_by_us = us;
            exit
        };
        let host = |mut exit: Exit| {
            exit.oom_kill = Some(true);
            exit
        };
        let (code, signal) = (Ending::Code, Ending::Signal);
        // Each row: the record, the verdict with `DoneWhen::Strict`, the verdict with `DoneWhen::Output`.
        let rows = [
            (
                exit(code(0), &[(1, 1)]),
                (Completed, None),
                (Completed, None),
            ),
            (exit(code(0), &[]), (Completed, None), (Completed, None)),
            (
                exit(code(0), &[(0, 0)]),
                (Failed, Some(R::NoOutput)),
                (Failed, Some(R::NoOutput)),
            ),
            (
                exit(code(0), &[(1, 1), (0, 0)]),
                (Failed, Some(R::NoOutput)),
                (Failed, Some(R::NoOutput)),
            ),
            (
                exit(code(0), &[(1, 1), (1, 0)]),
                (Completed, None),
                (Completed, None),
            ),
            (
                exit(code(0), &[(1, 0)]),
                (Failed, Some(R::OutputUnchanged)),
                (Completed, None),
            ),
            (
                oom(exit(code(1), &[(1, 1)])),
                (Failed, Some(R::GpuOom)),
                (Failed, Some(R::GpuOom)),
            ),
            // With exit status 0, a log that mentions memory counts only if outputs are missing.
            (
                oom(exit(code(0), &[(0, 0)])),
                (Failed, Some(R::GpuOom)),
                (Failed, Some(R::GpuOom)),
            ),
            (
                oom(exit(code(0), &[(1, 0)])),
                (Failed, Some(R::OutputUnchanged)),
                (Completed, None),
            ),
            (
                exit(code(3), &[(1, 1)]),
                (Failed, Some(R::Exit)),
                (Completed, None),
            ),
            (
                exit(code(3), &[(1, 1), (0, 0)]),
                (Failed, Some(R::Exit)),
                (Failed, Some(R::Exit)),
            ),
            (
                exit(code(CONTINUE), &[]),
                (Failed, Some(R::Exit)),
                (Failed, Some(R::Exit)),
            ),
            (
                exit(code(3), &[]),
                (Failed, Some(R::Exit)),
                (Failed, Some(R::Exit)),
            ),
            (
                exit(signal(11), &[]),
                (Failed, Some(R::Signal)),
                (Failed, Some(R::Signal)),
            ),
            (
                exit(signal(9), &[]),
                (Failed, Some(R::HostOom)),
                (Failed, Some(R::HostOom)),
            ),
            (
                host(exit(code(1), &[])),
                (Failed, Some(R::HostOom)),
                (Failed, Some(R::HostOom)),
            ),
            (
                by(exit(signal(15), &[]), EndedByUs::TimeLimit),
                (Failed, Some(R::TimeLimit)),
                (Failed, Some(R::TimeLimit)),
            ),
            (
                by(exit(signal(9), &[]), EndedByUs::Cancelled),
                (Outcome::Cancelled, Some(R::Cancelled)),
                (Outcome::Cancelled, Some(R::Cancelled)),
            ),
            (
                exit(Ending::StartFailed(String::from("no cwd")), &[]),
                (Failed, Some(R::StartFailed)),
                (Failed, Some(R::StartFailed)),
            ),
        ];
        for (record, strict, output) in rows {
            for (when, expected) in [(DoneWhen::Strict, strict), (DoneWhen::Output, output)] {
                let verdict = judge(&record, when, false);
                assert_eq!(
                    (verdict.outcome, verdict.reason),
                    expected,
                    "{record:?} {when:?}"
                );
                assert_eq!(verdict.error.is_some(), verdict.outcome != Completed);
            }
        }
        let late = judge(&exit(code(3), &[(1, 1)]), DoneWhen::Strict, false);
        assert!(late.output_present && late.exit_code == Some(3));
        for outputs in [&[(1, 0)][..], &[(1, 1), (0, 0)], &[]] {
            let failed = judge(&exit(code(3), outputs), DoneWhen::Strict, false);
            assert!(!failed.output_present, "{outputs:?}");
        }
        let killed = judge(&exit(signal(11), &[]), DoneWhen::Strict, false);
        assert_eq!((killed.exit_code, killed.signal), (None, Some(11)));
    }

    #[test]
    fn seventy_five_means_to_go_on_only_where_the_job_is_told_before_its_end() {
        let left = exit(Ending::Code(CONTINUE), &[]);
        let reason = |continues| judge(&left, DoneWhen::Strict, continues).reason;
        assert_eq!(reason(true), Some(Reason::TimeLimit));
        assert_eq!(reason(false), Some(Reason::Exit));
        let other = exit(Ending::Code(CONTINUE + 1), &[]);
        let verdict = judge(&other, DoneWhen::Strict, true);
        assert_eq!(verdict.reason, Some(Reason::Exit));
    }

    #[test]
    fn what_is_missing_and_what_was_left_behind_is_said() {
        let mut record = exit(Ending::Code(0), &[(1, 1), (0, 0)]);
        record.outputs[1].pattern = String::from("missing*");
        let verdict = judge(&record, DoneWhen::Strict, false);
        let error = verdict.error.expect("an error");
        assert_eq!(error, "exit status 0, but no file matches missing*");
        let warning = |record: &Exit| judge(record, DoneWhen::Output, false).warning;
        let mut record = exit(Ending::Code(0), &[(1, 1)]);
        assert_eq!(warning(&record), None);
        record.left_behind = 2;
        let said = warning(&record).expect("a warning");
        assert!(
            said.starts_with("2 processes of the job were still there"),
            "{said}"
        );
        record.record_problem = Some(String::from("no log"));
        let both = warning(&record).expect("a warning");
        assert_eq!(both, format!("{said}; no log"));
        record.left_behind = 0;
        assert_eq!(warning(&record).as_deref(), Some("no log"));
        // The warning about outputs takes precedence.
        let mut old = exit(Ending::Code(0), &[(1, 0)]);
        old.left_behind = 2;
        let said = warning(&old).expect("a warning");
        assert_eq!(
            said,
            "no declared output is newer than the start of the job"
        );
        let mut late = exit(Ending::Code(3), &[(1, 1)]);
        late.ended_by_us = EndedByUs::TimeLimit;
        late.ran_ms = 61_999;
        let error = judge(&late, DoneWhen::Strict, false)
            .error
            .expect("an error");
        assert_eq!(error, "the time limit passed after 61 s; exit status 3");
    }

    #[test]
    fn budgets_are_separate_and_pauses_grow() {
        let retry = Retry {
            oom: 2,
            infra: 1,
            other: 0,
            delay_ms: 1000,
            factor: 2.0,
            max_delay_ms: 1500,
            ..Retry::default()
        };
        let after = |reason, oom, infra| {
            let spent = Spent {
                oom,
                infra,
                ..Spent::default()
            };
            retry_in_ms(&Verdict::failed(reason, "x"), &retry, spent)
        };
        assert_eq!(after(Reason::GpuOom, 0, 1), Some(1000));
        assert_eq!(after(Reason::HostOom, 1, 0), Some(1500));
        assert_eq!(after(Reason::GpuOom, 2, 0), None);
        assert_eq!(after(Reason::Preempted, 2, 0), Some(1000));
        assert_eq!(after(Reason::NodeFail, 0, 1), None);
        assert_eq!(after(Reason::Exit, 0, 0), None);
        assert_eq!(after(Reason::Lost, 0, 0), None);
        assert_eq!(after(Reason::Cancelled, 0, 0), None);
    }

    #[test]
    fn what_completed_is_not_tried_again_whatever_it_says() {
        let retry = Retry {
            other: 9,
            ..Retry::default()
        };
        let mut verdict = Verdict::failed(Reason::Exit, "x");
        let again = |verdict: &Verdict| retry_in_ms(verdict, &retry, Spent::default());
        assert!(again(&verdict).is_some());
        verdict.outcome = Outcome::Completed;
        assert_eq!(again(&verdict), None);
    }

    #[test]
    fn a_time_limit_has_a_budget_of_its_own_only_where_one_is_given() {
        let after = |reason, budget, time_limit, other| {
            let retry = Retry {
                time_limit: budget,
                other: 2,
                lost: 1,
                delay_ms: 1000,
                ..Retry::default()
            };
            let spent = Spent {
                time_limit,
                other,
                ..Spent::default()
            };
            retry_in_ms(&Verdict::failed(reason, "x"), &retry, spent)
        };
        // With a budget of its own, the retry follows at once.
        assert_eq!(after(Reason::TimeLimit, Some(3), 2, 9), Some(0));
        assert_eq!(after(Reason::TimeLimit, Some(3), 3, 0), None);
        assert_eq!(after(Reason::Exit, Some(3), 3, 1), Some(1000));
        assert_eq!(after(Reason::Exit, Some(3), 0, 2), None);
        // Without one, it counts as any other failure.
        assert_eq!(after(Reason::TimeLimit, None, 1, 0), Some(1000));
        assert_eq!(after(Reason::TimeLimit, None, 1, 1), None);
        assert_eq!(after(Reason::Exit, None, 1, 1), None);
        assert_eq!(after(Reason::Lost, None, 9, 9), Some(1000));
    }

    #[test]
    fn a_pause_is_never_longer_than_the_longest() {
        let retry = Retry {
            oom: 99,
            delay_ms: 5000,
            factor: 3.0,
            max_delay_ms: 50_000,
            ..Retry::default()
        };
        let pause = |oom, retry: &Retry| {
            let spent = Spent {
                oom,
                ..Spent::default()
            };
            retry_in_ms(&Verdict::failed(Reason::GpuOom, "x"), retry, spent)
        };
        let pauses: Vec<_> = (0..5).map(|oom| pause(oom, &retry)).collect();
        assert_eq!(pauses, [5000, 15_000, 45_000, 50_000, 50_000].map(Some));
        let short = Retry {
            max_delay_ms: 70,
            ..retry
        };
        assert_eq!(pause(0, &short), Some(70));
    }
}
