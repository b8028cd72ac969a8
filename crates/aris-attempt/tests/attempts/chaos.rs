//! Managers and runners that are killed at any moment: no attempt runs twice, none is forgotten, and each end is recorded as it was.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use aris_attempt::format::Ending;
use aris_attempt::{Standing, Watch, prepare, standing};
use rustix::process::{Pid, Signal, kill_process};

use crate::place::{Place, next, runner};

const ATTEMPTS: u64 = 60;
const AT_ONCE: usize = 6;

/// Pseudo-random numbers, the same in every run.
struct Drawn(u64);

impl Drawn {
    /// True with probability 1 in `count`.
    fn hits(&mut self, count: u64) -> bool {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33).is_multiple_of(count)
    }
}

/// How an attempt ended; `None`: lost.
type End = Option<Ending>;

struct Queue<'a> {
    place: &'a Place,
    watch: Watch,
    waiting: Vec<u64>,
    running: BTreeSet<u64>,
    over: BTreeMap<u64, End>,
}

impl Queue<'_> {
    fn folder(&self, key: u64) -> PathBuf {
        self.place.at(&format!("a/{key}"))
    }

    fn fill(&mut self) {
        while self.running.len() < AT_ONCE
            && let Some(key) = self.waiting.pop()
        {
            let folder = self.folder(key);
            let mut spec = self.place.spec(&format!(
                "echo ran >>count.{key}; sleep 0.0{key}; exit {}",
                key % 7
            ));
            spec.log = self.place.at("log");
            prepare(&folder, &spec).expect("prepared");
            self.watch
                .launch(key, &runner(), &folder, &[])
                .expect("launched");
            self.running.insert(key);
        }
    }

    fn end(&mut self, key: u64, end: End) {
        assert!(self.running.remove(&key), "{key} ended twice");
        assert_eq!(self.over.insert(key, end), None, "{key} ended twice");
    }

    fn left(&mut self, key: u64, stands: Standing) {
        match stands {
            Standing::Unclaimed => {
                self.running.remove(&key);
                self.waiting.push(key);
            }
            Standing::Ended(exit) => self.end(key, Some(exit.ending)),
            Standing::Lost { .. } => self.end(key, None),
            Standing::Running { .. } => {}
        }
    }

    /// Replaces the manager by a new one, which starts with what it finds.
    fn replace_manager(&mut self) {
        self.watch = Watch::new().expect("a watch");
        for key in self.running.clone() {
            let stands = self.watch.adopt(key, &self.folder(key)).expect("readable");
            // The previous manager started its runner, which may not have claimed it yet; both runners may try.
            if stands == Standing::Unclaimed {
                self.watch
                    .launch(key, &runner(), &self.folder(key), &[])
                    .expect("launched");
            } else {
                self.left(key, stands);
            }
        }
    }

    fn kill_a_runner(&self) {
        for key in &self.running {
            if let Ok(Standing::Running { claim, .. }) = standing(&self.folder(*key)) {
                let pid = Pid::from_raw(claim.runner.pid).expect("a number");
                // It may have ended in between.
                kill_process(pid, Signal::KILL).map_or_else(drop, drop);
                return;
            }
        }
    }
}

#[test]
fn whoever_dies_each_attempt_has_one_end() {
    let place = Place::new();
    let mut queue = Queue {
        place: &place,
        watch: Watch::new().expect("a watch"),
        waiting: (0..ATTEMPTS).collect(),
        running: BTreeSet::new(),
        over: BTreeMap::new(),
    };
    let mut drawn = Drawn(5);
    queue.fill();
    while !queue.running.is_empty() {
        for (key, seen) in next(&mut queue.watch) {
            match seen {
                Ok(Standing::Running { .. }) => {}
                Ok(Standing::Ended(exit)) => queue.end(key, Some(exit.ending)),
                Ok(stands) => queue.left(key, stands),
                Err(error) => panic!("{error}"),
            }
        }
        if drawn.hits(5) {
            queue.kill_a_runner();
        }
        if drawn.hits(7) {
            queue.replace_manager();
        }
        queue.fill();
    }
    assert_eq!(queue.over.len(), usize::try_from(ATTEMPTS).expect("small"));
    let lost = queue.over.values().filter(|end| end.is_none()).count();
    assert!((1..40).contains(&lost), "{lost} lost");
    for (key, end) in queue.over {
        let count = std::fs::read_to_string(place.at(&format!("count.{key}"))).unwrap_or_default();
        match end {
            Some(ending) => {
                let code = i32::try_from(key % 7).expect("small");
                assert_eq!(
                    (ending, count.as_str()),
                    (Ending::Code(code), "ran\n"),
                    "{key}"
                );
            }
            None => assert!(count.is_empty() || count == "ran\n", "{key}: {count}"),
        }
    }
}
