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
    let attempt = queue.run(queue.find(id).unwrap()).attempt + 1;
    let event = Event::Start {
        id: id.to_owned(),
        attempt,
        cards: cards.iter().copied().map(CardId::whole).collect(),
        log: String::new(),
        command: String::new(),
        boot: String::new(),
        engine_ref: None,
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
        attempt: queue.run(job).attempt,
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
    assert_eq!(queue.run(0).started, Some(NOW));
    queue.seen_running(0, 7, at(3600));
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
        assert_eq!(queue.run(0).started, Some(at(3600)));
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
    queue.apply(&Event::Retry { id: id() }, NOW, 0, 0).unwrap();
    start(&mut queue, "a", &[0]);
    queue.apply(&Event::Cancel { id: id() }, NOW, 0, 0).unwrap();
    assert_eq!(states(&queue), "cancelling waiting");
    end(&mut queue, "a", Some(Reason::Cancelled), 0);
    assert_eq!(states(&queue), "cancelled blocked");
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
    // From when only cards are missing, whatever was before.
    assert_eq!(at(50_000, &cards(2)), [[1]]);
    assert_eq!(at(59_999, &cards(2)), [[1]]);
    assert!(at(60_000, &cards(2)).is_empty());
    // Nothing is kept for what cannot be.
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
    // The smallest that is large enough.
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
    // A tenth more than 23,000 MiB is more than 24,576: no card of these has it, and waiting would not help.
    assert_eq!(chosen(&queue, &cards(1), 0), [(String::from("a"), vec![0])]);
    let mut two = cards(2);
    two[1].total_mib = Some(25_300);
    assert_eq!(
        chosen(&queue, &two, 0),
        [(String::from("a"), vec![1]), (String::from("b"), vec![0])]
    );
    // The large one is in use: what is behind goes first.
    two[1].availability = Availability::Busy(String::from("20000 MiB in use"));
    assert_eq!(chosen(&queue, &two, 0), [(String::from("b"), vec![0])]);
    let slots = schedule::slots(&queue, 2, machine(4));
    assert_eq!(
        schedule::obstacle(&queue, 0, &two, slots),
        Some(Obstacle::LargerCard(25_300))
    );
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

/// A random queue: each job may need earlier ones, phases come one after the other.
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
    /// Whatever happens: no card is given twice, nothing starts before its parents are completed, the queue ends, and what is
    /// replayed is what was.
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
                    id: spec.id.to_string(), attempt: queue.run(one.job).attempt + 1, cards: one.cards,
                    log: String::new(), command: String::new(), boot: String::new(), engine_ref: None,
                };
                queue.apply(&event, NOW, now, 0).unwrap();
                journal.push((event, now));
                let mut given: Vec<CardId> = queue.active().flat_map(|job| queue.run(job).cards.clone()).collect();
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
                    id, attempt: run.attempt, verdict: (**run.verdict.as_ref().unwrap()).clone(),
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
