//! A manager that is killed again and again, over jobs of every kind: none lost, none run again after it was completed.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::queue::Place;

/// What each job is to come to, by its number: status and attempts.
fn expected(job: usize) -> (&'static str, u64) {
    match job % 8 {
        // Fails at once, or by a signal.
        1 | 6 => ("failed", 1),
        // Out of memory once, then well.
        2 => ("completed", 2),
        // Out of memory always.
        3 => ("failed", 3),
        // Needs one that fails.
        5 => ("blocked", 0),
        _ => ("completed", 1),
    }
}

fn jobs(count: usize) -> Vec<Value> {
    (0..count)
        .map(|job| {
            // Each attempt leaves a line that nobody else writes.
            let begin = format!("echo $$ >> ran/{job}; ");
            let oom = "echo 'RuntimeError: CUDA out of memory. Tried to allocate'; exit 1";
            let rest = match job % 8 {
                1 => String::from("exit 5"),
                2 => format!("test $(wc -l < ran/{job}) -gt 1 || {{ {oom}; }}"),
                3 => oom.to_owned(),
                4 => String::from("sleep 0.3"),
                6 => String::from("kill -SEGV $$"),
                7 => format!("echo {job} > out/{job}"),
                _ => String::from("true"),
            };
            let mut one = json!({"id": format!("j{job}"), "cmd": begin + &rest});
            if job % 8 == 5 {
                one["needs"] = json!([format!("j{}", job - 4)]);
            }
            if job % 8 == 7 {
                one["expected_output"] = json!(format!("out/{job}"));
            }
            one
        })
        .collect()
}

/// Numbers that look random and are the same on every run. **Source**: xorshift64.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// One queue, its manager killed so many times, or until it is over: gives how many times.
fn survive(count: usize, kills: u32) -> u32 {
    let place = Place::new();
    for folder in ["ran", "out"] {
        fs::create_dir(place.at(folder)).expect("folder");
    }
    let manifest = json!({
        "project": "kills", "cwd": place.at(""), "gpus": [], "max_parallel": 6, "linger": 1, "output_wait": 0,
        "oom_retry": {"delay": 0.05, "max_attempts": 3}, "jobs": jobs(count),
    });
    fs::write(place.at("m.json"), manifest.to_string()).expect("write");
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    let mut killed = 0;
    while killed < kills {
        let mut manager = place.start();
        let end = Instant::now() + Duration::from_millis(5 + numbers.below(150));
        while Instant::now() < end {
            std::thread::yield_now();
        }
        if let Some(status) = manager.try_wait().expect("asked") {
            assert_eq!(status.code(), Some(10), "over, or a fault");
            break;
        }
        manager.kill().expect("killed");
        manager.wait().expect("gone");
        killed += 1;
        // Always whole, whenever it is read.
        place.state();
    }
    let last = place.run();
    assert_eq!(last.status.code(), Some(10), "{last:?}");
    let state = place.state();
    let mut wrong = BTreeMap::new();
    for job in 0..count {
        let row = &state[&format!("j{job}")];
        let runs = fs::read_to_string(place.at(&format!("ran/{job}")))
            .unwrap_or_default()
            .lines()
            .count() as u64;
        let (status, attempts) = expected(job);
        // An attempt that was withdrawn before anything ran has a number, too.
        let numbered = row["attempts"].as_u64().expect("attempts") >= attempts;
        if row["state"] != status || runs != attempts || !numbered {
            wrong.insert(job, (row.clone(), runs));
        }
    }
    assert!(wrong.is_empty(), "after {killed} kills: {wrong:#?}");
    killed
}

#[test]
fn thirty_kills_over_eighty_jobs() {
    assert!(survive(80, 30) > 0);
}

/// The figure that the queue is held to; takes minutes.
#[test]
#[ignore = "takes minutes; cargo test -p queue_manager --release kills -- --ignored"]
fn two_hundred_kills_over_five_hundred_jobs() {
    let mut kills = 0;
    // A queue may be over before all kills are spent; then the rest falls on another one.
    while kills < 200 {
        kills += survive(500, 200 - kills);
    }
}
