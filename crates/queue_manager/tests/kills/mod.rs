//! A manager that is killed repeatedly, with jobs of every kind: none is lost, and none runs again after it completed.

mod kinds;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::queue::Place;
use kinds::{CANCELLED_LATER, KINDS, OUT_OLD, job};

/// Pseudo-random numbers, the same in every run. **Source**: xorshift64.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// A queue of `count` jobs on four fake cards.
fn queue(count: usize) -> Place {
    let place = Place::new();
    for folder in ["ran", "out", "cards", "bin"] {
        fs::create_dir(place.at(folder)).expect("folder");
    }
    place.nvidia_smi("for card in 0 1 2 3; do echo \"$card, GPU-$card, 3, 24576, [N/A]\"; done");
    for number in (0..count).filter(|number| number % KINDS.len() == OUT_OLD) {
        fs::write(place.at(&format!("out/{number}")), "of yesterday").expect("write");
    }
    let jobs: Vec<Value> = (0..count).map(job).collect();
    let manifest = json!({
        "project": "kills", "cwd": place.at(""), "gpus": [0, 1, 2, 3], "gpus_per_job": 0, "max_parallel": 4, "max_cpu_jobs": 6,
        "linger": 1, "output_wait": 0, "kill_grace": 0.2, "retry": {"oom": 2, "delay": 0.05}, "jobs": jobs,
    });
    fs::write(place.at("m.json"), manifest.to_string()).expect("write");
    // Some jobs are cancelled before anything runs.
    place.data(&["adopt", "--manifest", "m.json", "--state", "s.json"]);
    place.data(&["cancel", "early*", "--state", "s.json"]);
    place
}

/// Reads the state all the time, and cancels jobs of one kind once they run.
fn look_on(place: &Place, count: usize, over: &AtomicBool) -> u32 {
    let mut looks = 0;
    let mut to_cancel: Vec<usize> = (0..count)
        .filter(|number| number % KINDS.len() == CANCELLED_LATER)
        .collect();
    while !over.load(Ordering::Relaxed) {
        // Panics if the state file is incomplete.
        assert!(!place.state().is_empty(), "the state is gone");
        let status = place.data(&["status", "--state", "s.json"]);
        assert_eq!(status["jobs"], json!(count), "{status}");
        to_cancel.retain(|number| {
            let runs = place.at(&format!("ran/{number}")).exists();
            if runs {
                place.data(&["cancel", &format!("late{number}"), "--state", "s.json"]);
            }
            !runs
        });
        looks += 1;
    }
    looks
}

/// Runs a queue whose manager is killed up to `kills` times; gives how often.
fn survive(count: usize, kills: u32) -> u32 {
    let place = queue(count);
    let over = AtomicBool::new(false);
    let (killed, looks) = std::thread::scope(|scope| {
        let reader = scope.spawn(|| look_on(&place, count, &over));
        let killed = kill(&place, kills);
        let mut last = place.run();
        // A command holds the queue's lock for a moment.
        while last.status.code() == Some(5) {
            last = place.run();
        }
        over.store(true, Ordering::Relaxed);
        assert_eq!(last.status.code(), Some(10), "{last:?}");
        (killed, reader.join().expect("always readable"))
    });
    assert!(looks > 0);
    check(&place, count, killed);
    killed
}

fn kill(place: &Place, kills: u32) -> u32 {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for killed in 0..kills {
        let mut manager = place.start();
        let end = Instant::now() + Duration::from_millis(5 + numbers.below(150));
        while Instant::now() < end {
            std::thread::yield_now();
        }
        if let Some(status) = manager.try_wait().expect("asked") {
            // Exit code 5: a command held the lock, as in `survive`.
            assert!(
                matches!(status.code(), Some(5 | 10)),
                "over, or a fault: {status}"
            );
            if status.code() == Some(10) {
                return killed;
            }
        }
        manager.kill().expect("killed");
        manager.wait().expect("gone");
    }
    kills
}

/// Checks that every job has the result and the number of runs of its kind, and that no lease is held.
fn check(place: &Place, count: usize, killed: u32) {
    let state = place.state();
    let mut wrong = BTreeMap::new();
    for number in 0..count {
        let kind = &KINDS[number % KINDS.len()];
        let id = format!("{}{number}", kind.name);
        let row = &state[&id];
        let lines = fs::read_to_string(place.at(&format!("ran/{number}"))).unwrap_or_default();
        let runs = lines.lines().count() as u64;
        let right = row["state"] == kind.state
            && row["reason"].as_str() == kind.reason
            && runs == kind.runs
            // An attempt that was withdrawn before it ran also has a number.
            && row["attempts"].as_u64().is_some_and(|attempts| attempts >= runs);
        if !right {
            wrong.insert(id, (row.clone(), runs));
        }
    }
    assert!(wrong.is_empty(), "after {killed} kills: {wrong:#?}");
    assert!(!place.at("overlaps").exists(), "two jobs had one card");
    for lease in fs::read_dir(place.at("leases")).expect("leases") {
        let path = lease.expect("entry").path();
        let file = fs::File::open(&path).expect("open");
        assert!(file.try_lock().is_ok(), "{} is held", path.display());
    }
}

#[test]
fn an_undisturbed_queue_comes_to_the_same() {
    let count = KINDS.len();
    assert_eq!(survive(count, 0), 0);
}

#[test]
fn thirty_kills_over_jobs_of_every_kind() {
    assert!(survive(4 * KINDS.len(), 30) > 0);
}

/// Enough kills to be sure; takes minutes.
#[test]
#[ignore = "takes minutes; cargo test -p queue_manager --release --test cli kills -- --ignored"]
fn two_hundred_kills_over_five_hundred_jobs() {
    let mut kills = 0;
    // A queue may end before all kills are used; then another queue gets the rest.
    while kills < 200 {
        kills += survive(504, 200 - kills);
    }
}

/// The same on the cards of the test bed, whose jobs record when they had which cards.
#[test]
fn thirty_kills_over_jobs_on_fake_cards() {
    const JOBS: usize = 16;
    let bed = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testbed/fakegpu");
    if !bed.join("check_events.py").is_file() {
        println!("skipped: {} is absent", bed.display());
        return;
    }
    let place = Place::new();
    place.fake_cards(&bed.join("bin"), 4);
    let jobs: Vec<Value> = (0..JOBS)
        .map(|number| {
            let how = ["--seconds 0.2", "--mode oom-first --seconds 0.1", "--mode grandchildren --linger 0.3 --seconds 0.1",
                "--mode orphan --linger 0.3 --seconds 0.1"][number % 4];
            json!({"id": format!("j{number}"), "cmd": format!("train --id j{number} --out out/{number} {how}"),
                "gpus": 1 + u32::from(number % 8 == 0)})
        })
        .collect();
    let manifest = json!({
        "project": "cards", "cwd": place.at(""), "gpus": [0, 1, 2, 3], "max_parallel": 4, "linger": 5, "output_wait": 0,
        "retry": {"oom": 2, "delay": 0.05}, "jobs": jobs,
    });
    fs::write(place.at("m.json"), manifest.to_string()).expect("write");
    assert!(kill(&place, 30) > 0);
    assert_eq!(place.run().status.code(), Some(10));
    let state = place.state();
    for number in 0..JOBS {
        let expected = if number % 4 == 3 {
            "failed"
        } else {
            "completed"
        };
        let row = &state[&format!("j{number}")];
        assert_eq!(row["state"], expected, "{row}");
    }
    let events = place.at("fakegpu/events.jsonl");
    let checked = Command::new("python3")
        .arg(bed.join("check_events.py"))
        .arg(&events)
        .output()
        .expect("run");
    assert!(checked.status.success(), "{checked:?}");
    let events = fs::read_to_string(events).expect("events");
    let starts = events.matches("\"ev\": \"start\"").count();
    // One of four jobs runs twice.
    assert_eq!(starts, JOBS + JOBS / 4, "{events}");
}
