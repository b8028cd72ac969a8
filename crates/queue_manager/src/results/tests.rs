use jiff::SignedDuration;
use proptest::prelude::*;

use super::timeline::Timeline;
use super::words::duration;
use super::*;
use aris_queue::state::{Reason, State, Verdict};

fn at(seconds: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_secs(1_700_000_000 + seconds)
}

fn attempt(cards: &[u32], from: i64, to: i64, outcome: Option<Outcome>) -> Attempt {
    let verdict = outcome.map(|outcome| Verdict {
        outcome,
        ..Verdict::default()
    });
    Attempt {
        cards: cards
            .iter()
            .copied()
            .map(aris_attempt::cards::CardId::whole)
            .collect(),
        started: Some(at(from)),
        ended: Some(at(to)).filter(|_| outcome.is_some()),
        verdict: verdict.map(Box::new),
        log: Some("logs/a.log".into()),
        ..Attempt::default()
    }
}

fn job(id: &str, phase: usize, state: State, attempts: Vec<Attempt>) -> JobFacts {
    JobFacts {
        id: id.to_owned(),
        phase,
        state,
        reason: None,
        why: None,
        attempts: (1..)
            .zip(attempts)
            .map(|(number, attempt)| Attempt { number, ..attempt })
            .collect(),
        tail: None,
    }
}

/// Two phases: a retry after running out of memory, a crash, a job blocked by it, a running job, and one without a card.
fn facts() -> Report {
    let mut oom = attempt(&[0], 0, 60, Some(Outcome::Failed));
    oom.verdict = Some(Box::new(Verdict::failed(Reason::GpuOom, "")));
    let mut crashed = job(
        "crash <&> `x`",
        0,
        State::Failed,
        vec![attempt(&[1], 0, 30, Some(Outcome::Failed))],
    );
    crashed.reason = Some("exit");
    crashed.why = Some(String::from("exit status 3"));
    crashed.tail = Some(Tail {
        lines: vec![
            String::from("```"),
            String::from("<script>alert(1)</script>"),
        ],
        cut: true,
    });
    let mut blocked = job("student", 1, State::Blocked, Vec::new());
    blocked.why = Some(String::from("waits for crash, which failed"));
    let phases = ["teachers", "students"].map(|name| Phase {
        name: name.to_owned(),
        ..Phase::default()
    });
    Report {
        project: String::from("grid | one"),
        manifest: String::from("experiment_queue/grid/manifest.json"),
        made: at(400),
        started: Some(at(0)),
        phases: phases.to_vec(),
        jobs: vec![
            job(
                "t1",
                0,
                State::Completed,
                vec![oom, attempt(&[0], 180, 300, Some(Outcome::Completed))],
            ),
            crashed,
            blocked,
            job(
                "s1",
                1,
                State::Running,
                vec![attempt(&[0, 1], 300, 0, None)],
            ),
            job(
                "cpu",
                1,
                State::Completed,
                vec![attempt(&[], 10, 20, Some(Outcome::Completed))],
            ),
        ],
        results: vec![ResultFiles {
            pattern: String::from("out/*.json"),
            files: 2,
        }],
        warnings: vec![String::from("card 3 was unknown for 20 s")],
        ..Report::default()
    }
}

#[test]
fn numbers_are_those_of_the_records() {
    let report = facts().counted();
    assert_eq!(
        report.counts,
        Counts {
            jobs: 5,
            completed: 2,
            completed_after_retry: 1,
            completed_after_oom: 1,
            failed: 1,
            blocked: 1,
            running: 1,
            waiting: 0,
        }
    );
    // t1: 60 + 120; crash: 30; s1: 100 on each of its two cards.
    assert_eq!(
        report.cards,
        CardUse {
            cards: 2,
            busy_s: 410.0,
            fruitless_s: 90.0,
        }
    );
    assert_eq!(report.ended, None, "one job runs");
    let teachers = &report.phases[0];
    assert_eq!((teachers.oom_retries, teachers.other_retries), (1, 0));
    assert_eq!(teachers.wall_s, Some(300.0));
    assert_eq!(
        teachers.durations,
        Some(Durations {
            min_s: 120.0,
            median_s: 120.0,
            max_s: 120.0
        })
    );
    let failure = &report.failures[0];
    assert_eq!(
        (
            report.failures.len(),
            failure.reason,
            failure.phase.as_str()
        ),
        (1, Some("exit"), "teachers")
    );
    assert_eq!(report.blocked[0].id, "student");
}

#[test]
fn a_queue_that_is_over_has_an_end() {
    let mut facts = facts();
    facts.jobs.truncate(2);
    let report = facts.counted();
    assert_eq!(report.ended, Some(at(300)));
    assert!(summary(&report).contains("**Total wall-clock**: 5m 00s\n"));
}

#[test]
fn an_attempt_whose_end_nobody_saw_counts_no_time() {
    let mut facts = facts();
    let mut lost = attempt(&[0], 0, 0, Some(Outcome::Lost));
    lost.ended = None;
    facts.jobs = vec![job("lost", 0, State::Lost, vec![lost])];
    let report = facts.counted();
    assert_eq!((report.cards.cards, report.counts.failed), (0, 1));
    let timeline = Timeline::of(&report);
    assert_eq!(timeline.lanes[0].bars[0].title, "lost, nobody saw its end");
}

#[test]
fn the_summary_has_the_fields_that_are_read() {
    let text = summary(&facts().counted());
    for line in [
        "# Experiment Queue Summary\n",
        "**Project**: grid \\| one\n",
        "**Jobs**: 2 completed, 1 OOM-retried then completed, 2 stuck, 1 failed, 1 blocked, 1 running\n",
        "| Phase | Jobs | Success | OOM retries | ",
        "| teachers | 2 | 1 | 1 | 0 | 5m 00s | 2m 00s / 2m 00s / 2m 00s |\n",
        "- 2 files in `out/*.json`\n",
        "### `` crash <&> `x` ``\n",
        "**exit** after 1 attempt: exit status 3\n",
        "\n    ```\n    <script>alert(1)</script>\n",
        "- `student`: waits for crash, which failed\n",
        "- card 3 was unknown for 20 s\n",
    ] {
        assert!(text.contains(line), "{line:?} is not in\n{text}");
    }
}

#[test]
fn the_page_shows_all_of_it_and_runs_nothing() {
    let page = page(&facts().counted()).expect("a page");
    for part in [
        "2 of 5 jobs not completed so far",
        "crash &#60;&#38;&#62; `x`",
        "&#60;script&#62;",
        ">GPU 0</text>",
        ">CPU 1</text>",
        "class=\"oom\"",
        "<title>t1, attempt 1, 1m 00s, gpu_oom</title>",
        "<title>s1, running for 1m 40s</title>",
        "waits for crash, which failed",
    ] {
        assert!(page.contains(part), "{part:?} is not in\n{page}");
    }
    assert!(!page.contains("<script"), "{page}");
}

#[test]
fn many_short_attempts_are_few_shapes() {
    let mut facts = facts();
    facts.jobs = (0..10_000)
        .map(|number| {
            let from = number * 2;
            let run = attempt(&[0], from, from + 1, Some(Outcome::Completed));
            job(&format!("j{number}"), 0, State::Completed, vec![run])
        })
        .collect();
    let timeline = Timeline::of(&facts);
    assert!(
        timeline.lanes[0].bars.len() < 1_000,
        "{}",
        timeline.lanes[0].bars.len()
    );
    assert_eq!(timeline.lanes[0].busy, 50);
    assert!(timeline.marks.len() <= 11, "{:?}", timeline.marks);
    let page = page(&facts.counted()).expect("a page");
    assert!(
        page.contains("8000 more are in the JSON report"),
        "the table is bounded"
    );
}

#[test]
fn durations_have_two_units() {
    for (seconds, text) in [
        (0.0, "0.0s"),
        (9.94, "9.9s"),
        (9.96, "10s"),
        (59.6, "1m 00s"),
        (3_599.0, "59m 59s"),
        (14_520.0, "4h 02m"),
        (190_800.0, "2d 05h"),
    ] {
        assert_eq!(duration(seconds), text);
    }
}

fn outcome() -> impl Strategy<Value = Option<Outcome>> {
    use Outcome::{Cancelled, Completed, Failed, Lost};
    prop::sample::select(vec![
        Some(Completed),
        Some(Failed),
        Some(Cancelled),
        Some(Lost),
        None,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_records_make_a_report(
        jobs in prop::collection::vec(
            (
                "\\PC{0,12}",
                0..3_usize,
                prop::collection::vec((any::<Option<i32>>(), any::<Option<i32>>(), outcome(), prop::collection::vec(0..4_u32, 0..3)), 0..4),
            ),
            0..12,
        ),
        started in any::<Option<i32>>(),
    ) {
        let time = |at: Option<i32>| at.map(|at| Timestamp::UNIX_EPOCH + SignedDuration::from_secs(i64::from(at)));
        let mut facts = facts();
        facts.started = time(started);
        facts.jobs = jobs
            .into_iter()
            .map(|(id, phase, attempts)| {
                let attempts = attempts
                    .into_iter()
                    .map(|(from, to, outcome, cards)| Attempt {
                        started: time(from),
                        ended: time(to),
                        ..attempt(&cards, 0, 0, outcome)
                    })
                    .collect();
                job(&id, phase, State::Failed, attempts)
            })
            .collect();
        let report = facts.counted();
        prop_assert_eq!(report.counts.jobs, report.jobs.len());
        prop_assert!(report.cards.busy_s >= report.cards.fruitless_s);
        let timeline = Timeline::of(&report);
        for bar in timeline.lanes.iter().flat_map(|lane| &lane.bars) {
            prop_assert!(bar.x >= 120.0 && bar.width > 0.0 && bar.x + bar.width <= 1082.0, "{:?}", bar);
        }
        prop_assert!(summary(&report).starts_with("# Experiment Queue Summary\n"));
        prop_assert!(page(&report).is_ok());
    }
}
