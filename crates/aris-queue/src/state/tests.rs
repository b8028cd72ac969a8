use std::fmt::Write as _;
use std::path::Path;

use aris_attempt::cards::CardId;
use jiff::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::judge;
use crate::manifest::{self, Manifest};
use crate::schedule::{self, Availability, Card, Machine, Obstacle, Slots};

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn queue(text: &str) -> Queue {
    Queue::new(manifest(text))
}

fn manifest(text: &str) -> Manifest {
    manifest::parse(Path::new("m"), text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn machine(processors: u32) -> Machine {
    Machine {
        processors,
        memory_mib: Some(1024),
    }
}

fn start(queue: &mut Queue, id: &str, cards: &[u32]) {
    let attempt = queue.run(queue.find(id).unwrap()).attempt() + 1;
    let event = Event::Start {
        id: id.to_owned(),
        attempt,
        cards: cards.iter().copied().map(CardId::whole).collect(),
        log: String::new(),
        command: String::new(),
        boot: String::new(),
        engine_ref: None,
        terms: None,
    };
    queue.apply(&event, NOW, 0, 0).unwrap();
}

/// Ends the running attempt for this reason; `None`: completed.
fn end(queue: &mut Queue, id: &str, reason: Option<Reason>, now: u64) {
    let job = queue.find(id).unwrap();
    let mut verdict = Verdict::failed(reason.unwrap_or(Reason::Exit), "x");
    if reason.is_none() {
        verdict.outcome = Outcome::Completed;
        verdict.reason = None;
    }
    let spec = &queue.manifest().jobs[job as usize];
    let retry_in_ms = judge::retry_in_ms(&verdict, &spec.settings.retry, queue.run(job).spent);
    let event = Event::Ended {
        id: id.to_owned(),
        attempt: queue.run(job).attempt(),
        verdict,
        retry_in_ms,
    };
    queue.apply(&event, NOW, now, 0).unwrap();
}

#[test]
fn when_a_command_started_is_known_after_a_restart_too() {
    let text = "phases: [{name: p, jobs: [{id: a, cmd: x}]}]";
    let at = |seconds| Timestamp::from_second(seconds).unwrap();
    let mut queue = queue(text);
    start(&mut queue, "a", &[]);
    assert_eq!(queue.run(0).last().started, Some(NOW));
    queue.seen_running(0, Some(7), at(3600));
    let mut verdict = Verdict::failed(Reason::Exit, "x");
    verdict.started = Some(at(3600));
    let event = Event::Ended {
        id: String::from("a"),
        attempt: 1,
        verdict,
        retry_in_ms: None,
    };
    let mut again = self::queue(text);
    start(&mut again, "a", &[]);
    for queue in [&mut queue, &mut again] {
        queue.apply(&event, at(3605), 0, 0).unwrap();
        assert_eq!(queue.run(0).last().started, Some(at(3600)));
    }
}

fn states(queue: &Queue) -> String {
    let words: Vec<&str> = (0..queue.len())
        .map(|job| queue.state(job).word())
        .collect();
    words.join(" ")
}

const CHAIN: &str = "phases: [{name: t, jobs: [{id: t1, cmd: x}, {id: t2, cmd: x}]}, {name: s, depends_on: t, jobs: [{id: s1, cmd: x}]}, {name: u, depends_on: s, jobs: [{id: u1, cmd: x}]}]";

#[test]
fn students_wait_for_all_teachers_and_are_blocked_by_one() {
    let mut queue = queue(CHAIN);
    assert_eq!(states(&queue), "ready ready waiting waiting");
    start(&mut queue, "t1", &[0]);
    end(&mut queue, "t1", None, 0);
    assert_eq!(states(&queue), "completed ready waiting waiting");
    start(&mut queue, "t2", &[0]);
    end(&mut queue, "t2", Some(Reason::Exit), 0);
    assert_eq!(states(&queue), "completed failed blocked blocked");
    assert_eq!((queue.open_jobs(), queue.completed_jobs()), (0, 1));
    assert_eq!(queue.reason(2), Some(Reason::Dependency));
    let retry = Event::Retry {
        id: String::from("t2"),
    };
    queue.apply(&retry, NOW, 0, 0).unwrap();
    assert_eq!(states(&queue), "completed ready waiting waiting");
    start(&mut queue, "t2", &[0]);
    end(&mut queue, "t2", None, 0);
    assert_eq!(states(&queue), "completed completed ready waiting");
    assert_eq!(queue.open_jobs(), 2);
}

#[test]
fn with_run_a_dependant_wants_its_parents_only_to_be_over() {
    let mut queue = queue(
        "phases: [{name: t, jobs: [{id: t1, cmd: x}]}, {name: s, depends_on: t, on_dep_failure: run, jobs: [{id: s1, cmd: x}]}]",
    );
    start(&mut queue, "t1", &[0]);
    assert_eq!(states(&queue), "starting waiting");
    end(&mut queue, "t1", Some(Reason::Exit), 0);
    assert_eq!(states(&queue), "failed ready");
}

#[test]
fn processors_and_memory_are_never_given_twice() {
    let mut queue = queue(
        "gpus: []\njobs: [{id: a, cmd: x, cpus: 3}, {id: b, cmd: x, cpus: 2}, {id: c, cmd: x, cpus: 1, mem: 1 GiB}, {id: d, cmd: x, mem: 1 MiB}]",
    );
    let chosen = |queue: &Queue| -> Vec<u32> {
        let slots = schedule::slots(queue, 0, machine(4));
        let starts = schedule::choose(queue, 0, &[], slots, &mut schedule::Short::new());
        starts.into_iter().map(|start| start.job).collect()
    };
    assert_eq!(chosen(&queue), [0, 2]);
    start(&mut queue, "a", &[]);
    start(&mut queue, "c", &[]);
    assert!(chosen(&queue).is_empty());
    let why = |queue: &Queue, job| {
        schedule::obstacle(queue, job, &[], schedule::slots(queue, 0, machine(4)))
    };
    assert_eq!(why(&queue, 1), Some(Obstacle::Cpus(2, 0, 4)));
    assert_eq!(why(&queue, 3), Some(Obstacle::Memory(1, 0, 1024)));
    end(&mut queue, "c", None, 1);
    assert_eq!(chosen(&queue), [3]);
    end(&mut queue, "a", None, 2);
    assert_eq!(chosen(&queue), [1, 3]);
}

#[test]
fn an_empty_phase_is_through() {
    let queue =
        queue("phases: [{name: t, jobs: []}, {name: s, depends_on: t, jobs: [{id: s1, cmd: x}]}]");
    assert_eq!(states(&queue), "ready");
}

#[test]
fn out_of_memory_is_tried_again_after_its_pause_until_the_budget_is_spent() {
    let mut queue = queue("oom_retry: {delay: 5, max_attempts: 2}\njobs: [{id: a, cmd: x}]");
    start(&mut queue, "a", &[0]);
    end(&mut queue, "a", Some(Reason::GpuOom), 100);
    assert_eq!(states(&queue), "backoff");
    assert_eq!(State::Backoff.status(queue.reason(0)), "failed_oom");
    queue.tick(5099);
    assert_eq!(
        (states(&queue).as_str(), queue.next_retry()),
        ("backoff", Some(5100))
    );
    queue.tick(5100);
    assert_eq!(states(&queue), "ready");
    start(&mut queue, "a", &[0]);
    end(&mut queue, "a", Some(Reason::GpuOom), 6000);
    assert_eq!(states(&queue), "failed");
    assert_eq!(queue.reason(0), Some(Reason::GpuOom));
}

#[test]
fn what_cannot_happen_is_refused_and_changes_nothing() {
    let mut queue = queue("jobs: [{id: a, cmd: x}]");
    start(&mut queue, "a", &[0]);
    let begin = |attempt| Event::Start {
        id: String::from("a"),
        attempt,
        cards: vec![],
        log: String::new(),
        command: String::new(),
        boot: String::new(),
        engine_ref: None,
        terms: None,
    };
    assert!(queue.apply(&begin(2), NOW, 0, 0).is_err());
    let ended = |attempt| Event::Ended {
        id: String::from("a"),
        attempt,
        verdict: Verdict::failed(Reason::Exit, "x"),
        retry_in_ms: None,
    };
    assert!(queue.apply(&ended(2), NOW, 0, 0).is_err());
    queue.apply(&ended(1), NOW, 0, 0).unwrap();
    assert!(queue.apply(&ended(1), NOW, 0, 0).is_err());
    assert!(queue.apply(&begin(2), NOW, 0, 0).is_err());
    assert_eq!(states(&queue), "failed");
}

#[test]
fn a_person_holds_cancels_and_tries_again() {
    let mut queue = queue("jobs: [{id: a, cmd: x}, {id: b, cmd: x, needs: a}]");
    let id = || String::from("a");
    queue
        .apply(
            &Event::Hold {
                id: id(),
                held: true,
            },
            NOW,
            0,
            0,
        )
        .unwrap();
    assert_eq!(states(&queue), "hold waiting");
    assert!(!queue.has_ready());
    queue
        .apply(
            &Event::Hold {
                id: id(),
                held: false,
            },
            NOW,
            0,
            0,
        )
        .unwrap();
    queue.apply(&Event::Cancel { id: id() }, NOW, 0, 0).unwrap();
    assert_eq!(states(&queue), "cancelled blocked");
    assert_eq!(queue.reason(0), Some(Reason::Cancelled));
    queue.apply(&Event::Retry { id: id() }, NOW, 0, 0).unwrap();
    start(&mut queue, "a", &[0]);
    queue.apply(&Event::Cancel { id: id() }, NOW, 0, 0).unwrap();
    assert_eq!(states(&queue), "cancelling waiting");
    end(&mut queue, "a", Some(Reason::Cancelled), 0);
    assert_eq!(states(&queue), "cancelled blocked");
}

fn apply(queue: &mut Queue, event: Event) -> Result<(), Illegal> {
    queue.apply(&event, NOW, 0, 0)
}

fn hold(id: &str, held: bool) -> Event {
    let id = id.to_owned();
    Event::Hold { id, held }
}

fn cancel(id: &str) -> Event {
    Event::Cancel { id: id.to_owned() }
}

fn retry(id: &str) -> Event {
    Event::Retry { id: id.to_owned() }
}

fn refused(id: &str) -> Event {
    Event::Refused {
        id: id.to_owned(),
        verdict: Verdict::failed(Reason::Precondition, "no data"),
    }
}

fn withdrawn(id: &str, attempt: u32) -> Event {
    Event::Withdrawn {
        id: id.to_owned(),
        attempt,
        why: String::from("the engine is away"),
        number_free: false,
    }
}

fn imported(id: &str, state: Imported) -> Event {
    Event::Imported {
        id: id.to_owned(),
        state,
        attempts: 3,
        cards: vec![CardId::whole(1)],
        started: Some(NOW),
        ended: Some(NOW),
    }
}

#[test]
fn an_attempt_that_was_withdrawn_leaves_the_job_as_it_was_and_its_number_spent() {
    let mut queue = queue("jobs: [{id: a, cmd: x}]");
    assert!(apply(&mut queue, withdrawn("a", 0)).is_err());
    start(&mut queue, "a", &[0]);
    assert!(apply(&mut queue, withdrawn("a", 2)).is_err());
    assert_eq!(queue.active().collect::<Vec<_>>(), [0]);
    apply(&mut queue, withdrawn("a", 1)).unwrap();
    assert_eq!(
        (states(&queue).as_str(), queue.run(0).attempt()),
        ("ready", 1)
    );
    assert_eq!(queue.active().count(), 0);
    start(&mut queue, "a", &[0]);
    assert_eq!(queue.run(0).attempt(), 2);
    apply(&mut queue, cancel("a")).unwrap();
    apply(&mut queue, withdrawn("a", 2)).unwrap();
    assert_eq!(states(&queue), "cancelled");
}

#[test]
fn only_a_job_without_an_attempt_is_refused() {
    let mut queue = queue("jobs: [{id: a, cmd: x}, {id: b, cmd: x}]");
    apply(&mut queue, refused("a")).unwrap();
    assert_eq!(states(&queue), "failed ready");
    assert_eq!(queue.reason(0), Some(Reason::Precondition));
    assert!(apply(&mut queue, refused("a")).is_err());
    start(&mut queue, "b", &[0]);
    assert!(apply(&mut queue, refused("b")).is_err());
    let error = apply(&mut queue, retry("b")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "job \"b\" is starting and cannot be tried again"
    );
}

#[test]
fn only_what_waits_is_held_and_a_retry_lets_go() {
    let mut queue = queue("jobs: [{id: a, cmd: x}, {id: b, cmd: x}]");
    start(&mut queue, "b", &[0]);
    assert!(apply(&mut queue, hold("b", true)).is_err());
    end(&mut queue, "b", None, 0);
    assert!(apply(&mut queue, hold("b", true)).is_err());
    assert!(apply(&mut queue, cancel("b")).is_err());
    assert!(apply(&mut queue, retry("a")).is_err());
    apply(&mut queue, hold("a", true)).unwrap();
    apply(&mut queue, cancel("a")).unwrap();
    apply(&mut queue, retry("a")).unwrap();
    assert_eq!(states(&queue), "ready completed");
}

#[test]
fn a_state_file_is_taken_over_only_before_the_first_attempt() {
    let mut queue = queue("jobs: [{id: a, cmd: x}, {id: b, cmd: x}, {id: c, cmd: x}]");
    apply(&mut queue, imported("a", Imported::Completed)).unwrap();
    apply(&mut queue, imported("b", Imported::Stuck)).unwrap();
    assert_eq!(states(&queue), "completed failed ready");
    assert_eq!(queue.reason(1), Some(Reason::Imported));
    let run = queue.run(1);
    assert_eq!((run.attempt(), numbers(&run.last().cards)), (3, vec![1]));
    assert_eq!(
        (run.last().started, run.last().ended),
        (Some(NOW), Some(NOW))
    );
    apply(&mut queue, retry("b")).unwrap();
    assert!(apply(&mut queue, imported("b", Imported::Completed)).is_err());
    start(&mut queue, "c", &[0]);
    assert!(apply(&mut queue, imported("c", Imported::Completed)).is_err());
}

#[test]
fn what_a_person_or_an_engine_said_of_the_queue_is_known() {
    let mut queue = queue("max_parallel: 3\njobs: [{id: a, cmd: x}]");
    assert_eq!((queue.began(), queue.max_parallel()), (None, Some(3)));
    let began = Event::Began {
        project: String::new(),
        manifest: String::new(),
        boot: String::new(),
        pid: 1,
        host: String::new(),
    };
    let later = Timestamp::from_second(60).unwrap();
    queue.apply(&began, NOW, 0, 0).unwrap();
    queue.apply(&began, later, 0, 0).unwrap();
    assert_eq!(queue.began(), Some(NOW));
    apply(&mut queue, Event::MaxParallel { jobs: Some(1) }).unwrap();
    assert_eq!(queue.max_parallel(), Some(1));
    apply(&mut queue, Event::MaxParallel { jobs: None }).unwrap();
    assert_eq!(queue.max_parallel(), Some(3));
    assert!(queue.has_ready() && !queue.paused());
    apply(&mut queue, Event::Pause { paused: true }).unwrap();
    assert!(!queue.has_ready() && queue.paused());
    let submitted = Event::Submitted {
        token: String::from("t"),
        number: String::from("77"),
    };
    apply(&mut queue, submitted).unwrap();
    assert_eq!(
        (queue.submission("t"), queue.submission("u")),
        (Some("77"), None)
    );
    let removed = Event::Removed {
        id: String::from("old"),
    };
    apply(&mut queue, removed).unwrap();
    apply(&mut queue, cancel("older")).unwrap();
    assert_eq!(queue.removed().collect::<Vec<_>>(), ["old", "older"]);
    assert_eq!((queue.len(), queue.is_empty()), (1, false));
    assert!(self::queue("jobs: []").is_empty());
}

#[test]
fn a_pause_that_began_in_an_earlier_life_is_not_begun_anew() {
    let mut queue = queue("jobs: [{id: a, cmd: x, retry: {other: 3}}]");
    let ended = |attempt| Event::Ended {
        id: String::from("a"),
        attempt,
        verdict: Verdict::failed(Reason::Exit, "x"),
        retry_in_ms: Some(1000),
    };
    start(&mut queue, "a", &[0]);
    queue.apply(&ended(1), NOW, 50, 400).unwrap();
    assert_eq!(queue.next_retry(), Some(650));
    assert_eq!(
        queue.run(0).retry_at,
        Some(Timestamp::from_second(1).unwrap())
    );
    assert!(!queue.tick(649));
    assert!(queue.tick(650));
    assert_eq!(
        (states(&queue).as_str(), queue.next_retry()),
        ("ready", None)
    );
    start(&mut queue, "a", &[0]);
    queue.apply(&ended(2), NOW, 700, 5000).unwrap();
    assert_eq!(queue.next_retry(), Some(700));
    // A job that is cancelled, or started early, is no longer due for a retry.
    start(&mut queue, "a", &[0]);
    assert_eq!(queue.next_retry(), None);
    assert_eq!(queue.run(0).last_end, Some("exit"));
    queue.apply(&ended(3), NOW, 700, 0).unwrap();
    apply(&mut queue, cancel("a")).unwrap();
    assert_eq!(
        (states(&queue).as_str(), queue.next_retry()),
        ("cancelled", None)
    );
    apply(&mut queue, retry("a")).unwrap();
    assert_eq!(queue.run(0).spent, Spent::default());
}

#[test]
fn each_failure_counts_against_its_own_budget() {
    let spent = |reason| {
        let mut queue = queue("jobs: [{id: a, cmd: x}]");
        start(&mut queue, "a", &[0]);
        end(&mut queue, "a", reason, 0);
        let spent = queue.run(0).spent;
        [
            spent.oom,
            spent.infra,
            spent.time_limit,
            spent.other,
            spent.lost,
        ]
    };
    for (reason, counted) in [
        (Reason::GpuOom, [1, 0, 0, 0, 0]),
        (Reason::HostOom, [1, 0, 0, 0, 0]),
        (Reason::NodeFail, [0, 1, 0, 0, 0]),
        (Reason::Preempted, [0, 1, 0, 0, 0]),
        (Reason::TimeLimit, [0, 0, 1, 0, 0]),
        (Reason::Exit, [0, 0, 0, 1, 0]),
        (Reason::Lost, [0, 0, 0, 0, 1]),
        (Reason::Cancelled, [0, 0, 0, 0, 0]),
    ] {
        assert_eq!(spent(Some(reason)), counted, "{reason:?}");
    }
    assert_eq!(spent(None), [0, 0, 0, 0, 0]);
}

#[test]
fn a_wave_that_is_refused_was_no_attempt() {
    let mut queue = queue("jobs: [{id: a, cmd: x}]");
    start(&mut queue, "a", &[]);
    end(&mut queue, "a", Some(Reason::Exit), 0);
    apply(&mut queue, retry("a")).unwrap();
    let handed = Event::Start {
        id: String::from("a"),
        attempt: 2,
        cards: Vec::new(),
        log: String::from("2.log"),
        command: String::new(),
        boot: String::new(),
        engine_ref: Some(String::from("aq-1#0")),
        terms: None,
    };
    let submitted = |token: &str| Event::Submitted {
        token: token.to_owned(),
        number: String::from("7"),
    };
    let refused = Event::Withdrawn {
        id: String::from("a"),
        attempt: 2,
        why: String::new(),
        number_free: true,
    };
    apply(&mut queue, handed.clone()).unwrap();
    apply(&mut queue, submitted("aq-2")).unwrap();
    assert_eq!(states(&queue), "submitting");
    apply(&mut queue, refused.clone()).unwrap();
    let run = queue.run(0);
    assert_eq!(
        (run.attempt(), run.attempts.len(), run.verdict().is_some()),
        (1, 1, true)
    );
    assert_eq!(states(&queue), "ready");
    apply(&mut queue, handed.clone()).unwrap();
    apply(&mut queue, submitted("aq-1")).unwrap();
    assert_eq!(states(&queue), "queued");
    apply(&mut queue, cancel("a")).unwrap();
    apply(&mut queue, refused).unwrap();
    assert_eq!(
        (states(&queue).as_str(), queue.run(0).attempt()),
        ("cancelled", 1)
    );
}

#[test]
fn what_is_seen_of_an_attempt_changes_its_state_and_no_more() {
    let mut queue = queue("jobs: [{id: a, cmd: x}]");
    queue.seen_nothing(0);
    assert_eq!(states(&queue), "ready");
    start(&mut queue, "a", &[0]);
    queue.engine_says(0, "PENDING");
    assert_eq!(queue.run(0).engine_says.as_deref(), Some("PENDING"));
    queue.seen_nothing(0);
    assert_eq!(states(&queue), "unknown");
    queue.seen_running(0, Some(7), NOW);
    assert_eq!(
        (states(&queue).as_str(), queue.run(0).last().pid),
        ("running", Some(7))
    );
    apply(&mut queue, cancel("a")).unwrap();
    queue.seen_nothing(0);
    queue.seen_running(0, Some(7), NOW);
    assert_eq!(states(&queue), "cancelling");
    assert_eq!(queue.reason(0), None);
    end(&mut queue, "a", Some(Reason::Lost), 0);
    assert_eq!(states(&queue), "lost");
    assert_eq!(queue.reason(0), Some(Reason::Lost));
    assert!(queue.state(0).is_final());
}

#[test]
fn a_job_is_blocked_as_long_as_any_parent_failed() {
    let mut queue = queue(
        "jobs: [{id: a, cmd: x}, {id: b, cmd: x}, {id: c, cmd: x, needs: [a, b]}, {id: d, cmd: x, needs: c}]",
    );
    for id in ["a", "b"] {
        start(&mut queue, id, &[0]);
        end(&mut queue, id, Some(Reason::Exit), 0);
    }
    assert_eq!(states(&queue), "failed failed blocked blocked");
    assert_eq!(queue.open_jobs(), 0);
    apply(&mut queue, retry("a")).unwrap();
    assert_eq!(states(&queue), "ready failed blocked blocked");
    assert_eq!(queue.open_jobs(), 1);
    apply(&mut queue, retry("b")).unwrap();
    assert_eq!(states(&queue), "ready ready waiting waiting");
    assert_eq!(queue.open_jobs(), 4);
    for id in ["a", "b", "c"] {
        assert_eq!(queue.state(queue.find(id).unwrap()), State::Ready, "{id}");
        start(&mut queue, id, &[0]);
        end(&mut queue, id, None, 0);
    }
    assert_eq!(states(&queue), "completed completed completed ready");
    assert_eq!((queue.open_jobs(), queue.completed_jobs()), (1, 3));
    // Retrying a completed job makes its children wait again if they have not begun.
    apply(&mut queue, retry("c")).unwrap();
    assert_eq!(states(&queue), "completed completed ready waiting");
    assert_eq!((queue.open_jobs(), queue.completed_jobs()), (2, 2));
}

#[test]
fn jobs_wait_for_every_phase_before_theirs() {
    let mut queue = queue(
        "phases: [{name: p, jobs: [{id: a, cmd: x}]}, {name: q, jobs: [{id: b, cmd: x}]}, {name: r, depends_on: [p, q], jobs: [{id: c, cmd: x}]}, {name: s, depends_on: [p, q], on_dep_failure: run, jobs: [{id: d, cmd: x}]}]",
    );
    start(&mut queue, "a", &[0]);
    end(&mut queue, "a", Some(Reason::Exit), 0);
    assert_eq!(states(&queue), "failed ready blocked waiting");
    start(&mut queue, "b", &[0]);
    end(&mut queue, "b", None, 0);
    assert_eq!(states(&queue), "failed completed blocked ready");
    apply(&mut queue, retry("a")).unwrap();
    assert_eq!(states(&queue), "ready completed waiting waiting");
    start(&mut queue, "a", &[0]);
    end(&mut queue, "a", None, 0);
    assert_eq!(states(&queue), "completed completed ready ready");
}

#[test]
fn words_of_the_reference_s_state_file() {
    for (state, reason, word) in [
        (State::Waiting, None, "pending"),
        (State::Ready, None, "pending"),
        (State::Hold, None, "pending"),
        (State::Submitting, None, "pending"),
        (State::Queued, None, "pending"),
        (State::Starting, None, "running"),
        (State::Running, None, "running"),
        (State::Cancelling, None, "running"),
        (State::Unknown, None, "running"),
        (State::Backoff, Some(Reason::GpuOom), "failed_oom"),
        (State::Backoff, Some(Reason::HostOom), "failed_oom"),
        (State::Backoff, Some(Reason::Exit), "failed_other"),
        (State::Completed, None, "completed"),
        (State::Failed, Some(Reason::GpuOom), "stuck"),
        (State::Blocked, None, "stuck"),
        (State::Cancelled, None, "stuck"),
        (State::Lost, None, "stuck"),
    ] {
        assert_eq!(state.status(reason), word, "{state:?}");
        assert_eq!(state.is_final(), word == "stuck" || word == "completed");
    }
}

fn cards(count: u32) -> Vec<Card> {
    (0..count)
        .map(|index| Card {
            id: CardId::whole(index),
            total_mib: Some(24_576),
            availability: Availability::Free,
        })
        .collect()
}

fn numbers(cards: &[CardId]) -> Vec<u32> {
    cards.iter().map(|id| id.card).collect()
}

fn chosen(queue: &Queue, cards: &[Card], now: u64) -> Vec<(String, Vec<u32>)> {
    let slots = schedule::slots(queue, cards.len(), machine(4));
    schedule::choose(queue, now, cards, slots, &mut schedule::Short::new())
        .into_iter()
        .map(|start| {
            let id = queue.manifest().jobs[start.job as usize].id.to_string();
            (id, numbers(&start.cards))
        })
        .collect()
}

#[test]
fn a_wide_job_does_not_hold_up_narrow_ones_until_it_has_waited_long() {
    let mut queue = queue(
        "reserve_after: 10\njobs: [{id: n1, cmd: x}, {id: wide, cmd: x, gpus: 2, priority: 1}, {id: n2, cmd: x}, {id: n3, cmd: x, gpus: 0}]",
    );
    assert_eq!(
        chosen(&queue, &cards(2), 0),
        [
            (String::from("wide"), vec![0, 1]),
            (String::from("n3"), vec![])
        ]
    );
    start(&mut queue, "n1", &[0]);
    start(&mut queue, "n3", &[]);
    let slots = Slots {
        with_cards: 9,
        without_cards: 1,
        ..Slots::default()
    };
    let mut short = schedule::Short::new();
    let mut at = |now, cards: &[Card]| {
        let starts = schedule::choose(&queue, now, cards, slots, &mut short);
        starts
            .into_iter()
            .map(|start| numbers(&start.cards))
            .collect::<Vec<_>>()
    };
    // The time counts from when only cards are missing.
    assert_eq!(at(50_000, &cards(2)), [[1]]);
    assert_eq!(at(59_999, &cards(2)), [[1]]);
    assert!(at(60_000, &cards(2)).is_empty());
    // No card is kept for a job that these cards can never serve.
    assert_eq!(at(70_000, &cards(2)[1..]), [[1]]);
}

#[test]
fn jobs_that_say_how_much_memory_they_need_share_a_card() {
    let mut queue = queue(
        "jobs: [{id: a, cmd: x, gpu_mem_mib: 10000}, {id: b, cmd: x, gpu_mem_mib: 10000}, {id: c, cmd: x, gpu_mem_mib: 10000}, {id: d, cmd: x}]",
    );
    assert_eq!(
        chosen(&queue, &cards(1), 0),
        [(String::from("a"), vec![0]), (String::from("b"), vec![0])]
    );
    start(&mut queue, "d", &[0]);
    assert_eq!(chosen(&queue, &cards(1), 0), []);
}

#[test]
fn a_slice_serves_jobs_that_want_one_card() {
    let mut here = cards(1);
    for (slice, total) in [(0, 19_968), (1, 9_856)] {
        here.push(Card {
            id: CardId::slice(1, slice),
            total_mib: Some(total),
            availability: Availability::Free,
        });
    }
    let ids = |jobs: &str| -> Vec<String> {
        let queue = queue(jobs);
        let slots = schedule::slots(&queue, here.len(), machine(4));
        let starts = schedule::choose(&queue, 0, &here, slots, &mut schedule::Short::new());
        let on = |start: &schedule::Start| -> Vec<String> {
            start.cards.iter().map(CardId::to_string).collect()
        };
        starts.iter().map(|start| on(start).join(",")).collect()
    };
    // The smallest slice or card that is large enough.
    assert_eq!(
        ids("jobs: [{id: a, cmd: x}, {id: b, cmd: x}, {id: c, cmd: x}, {id: d, cmd: x}]"),
        ["1:1", "1:0", "0"]
    );
    assert_eq!(ids("jobs: [{id: a, cmd: x, gpu_mem_mib: 15000}]"), ["1:0"]);
    assert_eq!(ids("jobs: [{id: a, cmd: x, gpus: 2}]"), [""; 0]);
    let two = queue("jobs: [{id: a, cmd: x, gpus: 2}]");
    let impossible = schedule::impossible(&two.manifest().jobs[0], &here);
    assert_eq!(impossible, Some((2, 1)));
}

#[test]
fn a_job_that_ran_out_of_memory_takes_another_card_when_one_is_free() {
    let mut queue = queue("oom_retry: {delay: 0}\njobs: [{id: a, cmd: x}]");
    start(&mut queue, "a", &[0]);
    end(&mut queue, "a", Some(Reason::GpuOom), 0);
    queue.tick(0);
    assert_eq!(chosen(&queue, &cards(2), 0), [(String::from("a"), vec![1])]);
    assert_eq!(chosen(&queue, &cards(1), 0), [(String::from("a"), vec![0])]);
}

#[test]
fn a_job_that_ran_out_of_memory_waits_for_a_larger_card_where_there_is_one() {
    let mut queue = queue("oom_retry: {delay: 0}\njobs: [{id: a, cmd: x}, {id: b, cmd: x}]");
    start(&mut queue, "a", &[0]);
    let mut verdict = Verdict::failed(Reason::GpuOom, "CUDA out of memory");
    verdict.card_peak_mib = Some(23_000);
    let event = Event::Ended {
        id: String::from("a"),
        attempt: 1,
        verdict,
        retry_in_ms: Some(0),
    };
    queue.apply(&event, NOW, 0, 0).unwrap();
    queue.tick(0);
    // A tenth more than 23,000 MiB is more than 24,576. No card has that much, so the job does not wait for one.
    assert_eq!(chosen(&queue, &cards(1), 0), [(String::from("a"), vec![0])]);
    let mut two = cards(2);
    two[1].total_mib = Some(25_300);
    assert_eq!(
        chosen(&queue, &two, 0),
        [(String::from("a"), vec![1]), (String::from("b"), vec![0])]
    );
    // The large card is in use, so the next job starts first.
    two[1].availability = Availability::Busy(String::from("20000 MiB in use"));
    assert_eq!(chosen(&queue, &two, 0), [(String::from("b"), vec![0])]);
    let slots = schedule::slots(&queue, 2, machine(4));
    assert_eq!(
        schedule::obstacle(&queue, 0, &two, slots),
        Some(Obstacle::LargerCard(25_300))
    );
}

#[test]
fn a_larger_card_is_one_that_holds_a_tenth_more_than_the_job_used() {
    let mut queue = queue("oom_retry: {delay: 0}\njobs: [{id: a, cmd: x}]");
    let mut two = cards(2);
    two[0].total_mib = Some(24_575);
    let mut attempt = |peak| {
        start(&mut queue, "a", &[1]);
        let mut verdict = Verdict::failed(Reason::GpuOom, "CUDA out of memory");
        verdict.card_peak_mib = Some(peak);
        let event = Event::Ended {
            id: String::from("a"),
            attempt: queue.run(0).attempt(),
            verdict,
            retry_in_ms: Some(0),
        };
        queue.apply(&event, NOW, 0, 0).unwrap();
        queue.tick(0);
        chosen(&queue, &two, 0)
    };
    // 22,341 MiB and a tenth are 24,576, so only the card on which it ran is large enough.
    assert_eq!(attempt(22_341), [(String::from("a"), vec![1])]);
    // No card is large enough for more, so it takes another one than before.
    assert_eq!(attempt(22_342), [(String::from("a"), vec![0])]);
}

#[test]
fn whether_another_card_is_tried_is_for_the_manifest_to_say() {
    let mut queue = queue(
        "oom_retry: {delay: 0}\njobs: [{id: a, cmd: x, retry: {other_gpu: any, other: 1, delay: 0}}, {id: b, cmd: x, retry: {other: 1, delay: 0}}]",
    );
    start(&mut queue, "a", &[0]);
    end(&mut queue, "a", Some(Reason::GpuOom), 0);
    queue.tick(0);
    assert_eq!(chosen(&queue, &cards(2), 0)[0].1, [0]);
    // A failure that is not about the card's memory does not exclude the card.
    start(&mut queue, "a", &[1]);
    start(&mut queue, "b", &[0]);
    end(&mut queue, "b", Some(Reason::Exit), 0);
    queue.tick(0);
    assert_eq!(chosen(&queue, &cards(3), 0), [(String::from("b"), vec![0])]);
}

#[test]
fn how_many_jobs_may_run_follows_from_the_manifest_and_the_machine() {
    let slots = |text: &str, processors| {
        let slots = schedule::slots(&queue(text), 2, machine(processors));
        (slots.with_cards, slots.without_cards, slots.guessed)
    };
    let jobs = "jobs: [{id: a, cmd: x}, {id: b, cmd: x, gpus: 0}]";
    assert_eq!(slots(jobs, 6), (2, 3, true));
    assert_eq!(slots(jobs, 1), (2, 1, true));
    assert_eq!(slots(&format!("max_parallel: 5\n{jobs}"), 6), (5, 3, true));
    assert_eq!(
        slots(&format!("max_parallel: 5\nmax_cpu_jobs: 4\n{jobs}"), 6),
        (5, 4, false)
    );
    // If no job needs a card, `max_parallel` limits those without.
    let without = "max_parallel: 5\njobs: [{id: a, cmd: x, gpus: 0}]";
    assert_eq!(slots(without, 6), (5, 5, false));
    let none = "gpus: []\nmax_parallel: 5\njobs: [{id: a, cmd: x}]";
    assert_eq!(slots(none, 6), (5, 5, false));
    let shared = "jobs: [{id: a, cmd: x, gpu_mem_mib: 10}]";
    assert_eq!(slots(shared, 6), (u32::MAX, 3, true));
}

#[test]
fn a_job_that_no_cards_here_could_serve_is_impossible() {
    let mut three = cards(3);
    three[2].total_mib = None;
    let impossible = |job: &str| {
        let queue = queue(&format!("jobs: [{job}]"));
        schedule::impossible(&queue.manifest().jobs[0], &three)
    };
    assert_eq!(impossible("{id: a, cmd: x, gpus: 2}"), None);
    // A card of unknown size is not counted.
    assert_eq!(impossible("{id: a, cmd: x, gpus: 3}"), Some((3, 2)));
    assert_eq!(
        impossible("{id: a, cmd: x, gpus: 2, gpu_mem_mib: 24576}"),
        None
    );
    assert_eq!(
        impossible("{id: a, cmd: x, gpu_mem_mib: 24577}"),
        Some((1, 0))
    );
    assert_eq!(impossible("{id: a, cmd: x, gpus: 0}"), None);
}

#[test]
fn what_prevents_a_start_is_named() {
    let mut queue = queue(
        "phases: [{name: p, max_parallel: 1, jobs: [{id: a, cmd: x}, {id: b, cmd: x}]}, {name: q, jobs: [{id: wide, cmd: x, gpus: 3}, {id: c, cmd: x}, {id: d, cmd: x, gpus: 0}, {id: e, cmd: x, gpus: 0, cpus: 1}]}]",
    );
    let slots = Slots {
        with_cards: 2,
        without_cards: 1,
        guessed: true,
        machine: machine(4),
    };
    let why = |queue: &Queue, id: &str, count, slots| {
        schedule::obstacle(queue, queue.find(id).unwrap(), &cards(count), slots)
    };
    for id in ["a", "b", "c", "d", "e"] {
        assert_eq!(why(&queue, id, 2, slots), None, "{id}");
    }
    assert_eq!(schedule::obstacle(&queue, 99, &cards(2), slots), None);
    assert_eq!(why(&queue, "wide", 2, slots), Some(Obstacle::Cards(3, 2)));
    assert_eq!(why(&queue, "wide", 0, slots), Some(Obstacle::Cards(3, 0)));
    start(&mut queue, "a", &[0]);
    start(&mut queue, "d", &[]);
    assert_eq!(why(&queue, "b", 2, slots), Some(Obstacle::PhaseParallel(1)));
    assert_eq!(why(&queue, "c", 2, slots), None);
    // A job that says how many CPUs it needs is not limited by a default number of slots.
    assert_eq!(why(&queue, "d", 2, slots), Some(Obstacle::CpuSlots(1)));
    assert_eq!(why(&queue, "e", 2, slots), None);
    let given = Slots {
        guessed: false,
        ..slots
    };
    assert_eq!(why(&queue, "e", 2, given), Some(Obstacle::CpuSlots(1)));
    start(&mut queue, "c", &[1]);
    assert_eq!(
        why(&queue, "wide", 9, slots),
        Some(Obstacle::MaxParallel(2))
    );
    end(&mut queue, "a", None, 0);
    assert_eq!(why(&queue, "b", 2, slots), None);
}

#[test]
fn only_who_misses_several_cards_that_exist_is_waiting_for_them() {
    let mut queue = queue(
        "jobs: [{id: n, cmd: x}, {id: one, cmd: x, priority: 3}, {id: wide, cmd: x, gpus: 2, priority: 2}, {id: wider, cmd: x, gpus: 9, priority: 1}]",
    );
    start(&mut queue, "n", &[0]);
    let mut two = cards(2);
    two[0].availability = Availability::Busy(String::from("another"));
    two[1].availability = Availability::Busy(String::from("another"));
    let waiting = |queue: &Queue, with_cards| {
        let slots = Slots {
            with_cards,
            ..Slots::default()
        };
        let mut short = schedule::Short::new();
        assert_eq!(schedule::choose(queue, 7, &two, slots, &mut short), []);
        short
    };
    assert_eq!(waiting(&queue, 9), [(2, 7)].into());
    // Here the obstacle is a slot.
    assert_eq!(waiting(&queue, 1), [].into());
}

#[test]
fn jobs_that_share_fill_a_card_exactly_and_the_one_in_use_first() {
    let mut queue = queue(
        "jobs: [{id: a, cmd: x, gpu_mem_mib: 12288}, {id: b, cmd: x, gpu_mem_mib: 12288}, {id: c, cmd: x, gpu_mem_mib: 1}]",
    );
    start(&mut queue, "a", &[1]);
    assert_eq!(
        chosen(&queue, &cards(2), 0),
        [(String::from("b"), vec![1]), (String::from("c"), vec![0])]
    );
    start(&mut queue, "b", &[1]);
    end(&mut queue, "a", None, 0);
    // Half of the card is free again.
    assert_eq!(chosen(&queue, &cards(2), 0), [(String::from("c"), vec![1])]);
}

#[test]
fn an_engine_gets_the_best_jobs_that_its_room_and_their_phases_allow() {
    let mut queue = queue(
        "phases: [{name: p, max_parallel: 1, jobs: [{id: a, cmd: x}, {id: b, cmd: x}]}, {name: q, jobs: [{id: c, cmd: x, priority: 5}, {id: d, cmd: x, gpus: 2}]}]",
    );
    assert_eq!(schedule::next_jobs(&queue, 9), [2, 0, 1, 3]);
    assert_eq!(schedule::next_jobs(&queue, 2), [2, 0]);
    assert_eq!(schedule::choose_for_engine(&queue, 9), [2, 0, 3]);
    assert_eq!(schedule::choose_for_engine(&queue, 2), [2, 0]);
    assert_eq!(schedule::choose_for_engine(&queue, 0), [0_u32; 0]);
    let pause = Event::Pause { paused: true };
    queue.apply(&pause, NOW, 0, 0).unwrap();
    assert_eq!(schedule::choose_for_engine(&queue, 9), [0_u32; 0]);
}

#[test]
fn cards_of_others_and_unknown_ones_are_left_alone() {
    let queue = queue("jobs: [{id: a, cmd: x}, {id: b, cmd: x}]");
    let mut cards = cards(3);
    cards[0].availability = Availability::Busy(String::from("20000 MiB in use"));
    cards[1].availability = Availability::Unknown(String::from("[N/A]"));
    assert_eq!(chosen(&queue, &cards, 0), [(String::from("a"), vec![2])]);
}

#[test]
fn ten_thousand_jobs_in_two_phases_end() {
    let mut text = String::from("gpus: []\nphases:\n- {name: a, jobs: [");
    for phase in ["p", "q"] {
        for job in 0..5000 {
            writeln!(text, "{{id: {phase}{job}, cmd: x}},").unwrap();
        }
        if phase == "p" {
            text.push_str("]}\n- {name: b, depends_on: a, jobs: [");
        }
    }
    text.push_str("]}\n");
    let mut queue = queue(&text);
    let slots = Slots {
        with_cards: 0,
        without_cards: 100,
        ..Slots::default()
    };
    let mut turns = 0;
    while queue.open_jobs() > 0 {
        turns += 1;
        for start_now in schedule::choose(&queue, 0, &[], slots, &mut schedule::Short::new()) {
            let id = queue.manifest().jobs[start_now.job as usize].id.to_string();
            start(&mut queue, &id, &[]);
        }
        let active: Vec<u32> = queue.active().collect();
        for job in active {
            let id = queue.manifest().jobs[job as usize].id.to_string();
            end(&mut queue, &id, None, 0);
        }
    }
    assert_eq!((turns, queue.completed_jobs()), (100, 10_000));
}

/// A random queue: each job may need earlier ones, and each phase depends on the one before.
fn any_manifest() -> impl Strategy<Value = String> {
    let job = (
        0..3_u32,
        proptest::collection::vec(0..12_usize, 0..3),
        -1..2_i32,
    );
    proptest::collection::vec(proptest::collection::vec(job, 0..4), 1..4).prop_map(|phases| {
        let mut text = String::from("oom_retry: {delay: 1, max_attempts: 2}\nphases:\n");
        let mut count = 0_usize;
        for (at, jobs) in phases.iter().enumerate() {
            writeln!(text, "- name: p{at}").unwrap();
            if at > 0 {
                writeln!(text, "  depends_on: p{}", at - 1).unwrap();
            }
            text.push_str("  jobs:\n");
            for (gpus, needs, priority) in jobs {
                let needs: Vec<String> = needs
                    .iter()
                    .filter(|need| **need < count)
                    .map(|need| format!("j{need}"))
                    .collect();
                let needs = needs.join(", ");
                writeln!(
                    text,
                    "  - {{id: j{count}, cmd: x, gpus: {gpus}, priority: {priority}, needs: [{needs}]}}"
                )
                .unwrap();
                count += 1;
            }
            if jobs.is_empty() {
                text.push_str("    []\n");
            }
        }
        text
    })
}

proptest! {
    /// No card is given twice, no job starts before its parents are completed, the queue ends, and replaying the journal gives the same
    /// states.
    #[test]
    fn any_queue_is_scheduled_rightly(text in any_manifest(), ends in proptest::collection::vec(0..5_u8, 1..40)) {
        let mut queue = queue(&text);
        let mut journal = Vec::new();
        let (mut now, mut turn) = (0, 0_usize);
        let slots = Slots { with_cards: 8, without_cards: 2, ..Slots::default() };
        while queue.open_jobs() > 0 {
            turn += 1;
            prop_assert!(turn < 500, "no end: {} {}", text, states(&queue));
            queue.tick(now);
            for one in schedule::choose(&queue, now, &cards(2), slots, &mut schedule::Short::new()) {
                let spec = &queue.manifest().jobs[one.job as usize];
                prop_assert_eq!(one.cards.len(), spec.settings.gpus as usize);
                for parent in &spec.needs {
                    prop_assert_eq!(queue.state(*parent), State::Completed);
                }
                let phase = &queue.manifest().phases[spec.phase as usize];
                for after in &phase.after {
                    let before = &queue.manifest().phases[*after as usize];
                    for job in before.first..before.end {
                        prop_assert_eq!(queue.state(job), State::Completed);
                    }
                }
                let event = Event::Start {
                    id: spec.id.to_string(), attempt: queue.run(one.job).attempt() + 1, cards: one.cards,
                    log: String::new(), command: String::new(), boot: String::new(), engine_ref: None, terms: Some(Box::new(Terms::of(spec))),
                };
                queue.apply(&event, NOW, now, 0).unwrap();
                journal.push((event, now));
                let mut given: Vec<CardId> = queue.active().flat_map(|job| queue.run(job).last().cards.clone()).collect();
                let count = given.len();
                given.sort_unstable();
                given.dedup();
                prop_assert_eq!(count, given.len(), "a card was given twice");
            }
            let active: Vec<u32> = queue.active().collect();
            for (at, job) in active.into_iter().enumerate() {
                let reason = match ends[(turn + at) % ends.len()] {
                    0 => Some(Reason::Exit),
                    1 => Some(Reason::GpuOom),
                    2 => continue,
                    _ => None,
                };
                let id = queue.manifest().jobs[job as usize].id.to_string();
                end(&mut queue, &id, reason, now);
                let run = queue.run(job);
                journal.push((Event::Ended {
                    id, attempt: run.attempt(), verdict: run.verdict().unwrap().clone(),
                    retry_in_ms: match run.life { Life::Backoff(at) => Some(at - now), _ => None },
                }, now));
            }
            if ends.iter().all(|end| *end == 2) {
                return Ok(());
            }
            now += 700;
        }
        let mut again = self::queue(&text);
        for (event, at) in &journal {
            again.tick(*at);
            again.apply(event, NOW, *at, 0).unwrap();
        }
        again.tick(now);
        prop_assert_eq!(states(&again), states(&queue));
        prop_assert_eq!(again.open_jobs(), 0);
    }
}
