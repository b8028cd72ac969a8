//! Random stories: random jobs, with random acts of people, kills of the manager, changes of the clock and full disks. After each act and
//! at the end, a few simple properties of the queue must hold. `ARIS_STORIES` is the number of stories, `ARIS_SEED` their seed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use aris_queue::journal::Journal;
use aris_queue::state::Event;
use jiff::SignedDuration;
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::faults::rewrite;
use crate::queue::{Manager, Place};

#[derive(Clone, Copy, Debug)]
enum Kind {
    Good,
    Bad,
    /// Runs until the file `go` exists.
    Waits,
}

#[derive(Clone, Copy, Debug)]
enum Act {
    Start,
    Kill,
    Go,
    Cancel(usize),
    Retry(usize),
    Hold(usize),
    Release(usize),
    Pause,
    Resume,
    Add(Kind),
    Remove(usize),
    /// The clock is changed by this many hours, while no manager runs.
    Clock(i64),
    /// The disk of the queue's folder, not of its jobs, is full, or has room again.
    Full(bool),
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::Good), Just(Kind::Bad), Just(Kind::Waits)]
}

/// A job, and which earlier one it needs, counted backwards.
fn job() -> impl Strategy<Value = (Kind, Option<usize>)> {
    (kind(), prop::option::of(0..2_usize))
}

fn act() -> impl Strategy<Value = Act> {
    let job = 0..6_usize;
    prop_oneof![
        6 => Just(Act::Start),
        4 => Just(Act::Kill),
        1 => Just(Act::Go),
        2 => job.clone().prop_map(Act::Cancel),
        3 => job.clone().prop_map(Act::Retry),
        2 => job.clone().prop_map(Act::Hold),
        2 => job.clone().prop_map(Act::Release),
        1 => Just(Act::Pause),
        2 => Just(Act::Resume),
        1 => kind().prop_map(Act::Add),
        1 => job.prop_map(Act::Remove),
        1 => (-200_000..200_000_i64).prop_map(Act::Clock),
        2 => any::<bool>().prop_map(Act::Full),
    ]
}

/// What a story knows about a job.
#[derive(Debug)]
struct Known {
    kind: Kind,
    need: Option<usize>,
    /// How often it may run.
    chances: usize,
    cancelled: bool,
    /// If it is held: how often it had been started before.
    held: Option<usize>,
    removed: bool,
}

/// A small file system mounted on a folder.
struct Disk(PathBuf);

impl Disk {
    /// `None` if this user may not mount one; then the story has no full disk.
    fn mount(at: PathBuf) -> Option<Self> {
        let words = ["-t", "tmpfs", "-o", "size=8m", "small"];
        let done = Command::new("mount").args(words).arg(&at).output();
        let is_mounted = done.is_ok_and(|done| done.status.success());
        is_mounted.then_some(Self(at))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let done = Command::new("umount").arg("--lazy").arg(&self.0).output();
        drop(done);
    }
}

struct World {
    /// First, so that it is ended before its folder is removed.
    manager: Option<Manager>,
    disk: Option<Disk>,
    full: bool,
    place: Place,
    /// The working directory of the jobs.
    work: TempDir,
    jobs: Vec<Known>,
    /// If the queue is paused: the number of starts before.
    paused: Option<usize>,
}

fn id(job: usize) -> String {
    format!("j{job}")
}

fn command(work: &Path, job: usize, kind: Kind, need: Option<usize>) -> String {
    let work = work.display();
    let after = need.map_or_else(String::new, |need| {
        format!("test -e done-j{need} || touch wrong-early-j{job}; ")
    });
    let what = match kind {
        Kind::Good => "",
        Kind::Bad => "exit 3; ",
        // If a story fails, its folder is removed, so that no job waits for ever.
        Kind::Waits => "until test -e go || ! test -e \"$PWD\"; do sleep 0.05; done; ",
    };
    format!(
        "cd {work}; exec 9>lock-j{job}; flock -n 9 || touch wrong-twice-j{job}; echo x >> ran-j{job}; {after}{what}echo x >> done-j{job}"
    )
}

impl World {
    fn new(jobs: &[(Kind, Option<usize>)]) -> Self {
        let place = Place::new();
        let disk = Disk::mount(place.at(""));
        let work = tempfile::tempdir().expect("temp");
        let mut known = Vec::new();
        let mut list = Vec::new();
        for (job, (kind, back)) in jobs.iter().enumerate() {
            let need = back.and_then(|back| job.checked_sub(back + 1));
            let mut entry = json!({"id": id(job), "cmd": command(work.path(), job, *kind, need)});
            if let Some(need) = need {
                entry["needs"] = json!([id(need)]);
            }
            list.push(entry);
            known.push(Known::new(*kind, need));
        }
        place.manifest(&json!([{"name": "p", "jobs": list}]));
        place.data(&["adopt", "--manifest", "m.json", "--state", "s.json"]);
        Self {
            place,
            disk,
            full: false,
            work,
            manager: None,
            jobs: known,
            paused: None,
        }
    }

    /// Number of starts of one job, or of all.
    fn starts(&self, job: Option<usize>) -> usize {
        let entries = Journal::read(&self.place.at(".s.queue")).expect("journal");
        let is = |event: &Event| matches!(event, Event::Start { id: of, .. } if job.is_none_or(|job| *of == id(job)));
        entries.iter().filter(|entry| is(&entry.event)).count()
    }

    fn lines(&self, what: &str, job: usize) -> usize {
        let text = fs::read_to_string(self.work.path().join(format!("{what}-j{job}")));
        text.unwrap_or_default().lines().count()
    }

    /// Makes a request; gives whether it was carried out, also for this job.
    fn ask(&self, words: &[&str]) -> bool {
        let words = [words, &["--state", "s.json", "--json"]].concat();
        loop {
            let output = self.place.call(&words);
            let envelope: Value = serde_json::from_slice(&output.stdout).expect("an envelope");
            match output.status.code() {
                _ if self.full && envelope["error"].is_object() => return false,
                // A manager that was just started or killed still has the queue's lock.
                Some(5) => {}
                Some(0) => {
                    let asked = &envelope["data"];
                    assert_eq!(asked["done"], true, "{words:?}: {envelope}");
                    let job = words[1];
                    return !job.starts_with('j') || asked["jobs"] == json!([job]);
                }
                Some(2..=4 | 10) => return false,
                _ => panic!("{words:?}: {output:?}"),
            }
        }
    }

    fn start(&mut self) {
        while self.manager.is_none() {
            let mut manager = self.place.start();
            let mut code = None;
            Place::until("the manager has the queue, or is gone", || {
                code = manager
                    .try_wait()
                    .expect("asked")
                    .map(|status| status.code());
                let status = || self.place.data(&["status", "--state", "s.json"]);
                code.is_some() || !status()["manager"].is_null()
            });
            match code {
                None => self.manager = Some(manager),
                Some(_) if self.full => return,
                Some(Some(5)) => {}
                Some(code) => {
                    assert!(matches!(code, Some(0 | 10)), "{code:?}");
                    return;
                }
            }
        }
    }

    fn kill(&mut self) {
        if let Some(mut manager) = self.manager.take() {
            manager.kill().expect("killed");
            manager.wait().expect("gone");
        }
    }

    fn act(&mut self, act: Act) {
        let ended = |manager: &mut Manager| manager.try_wait().expect("asked").is_some();
        if self.manager.as_mut().is_some_and(ended) {
            self.manager = None;
        }
        let count = self.jobs.len();
        match act {
            Act::Start => self.start(),
            Act::Kill => self.kill(),
            Act::Go => fs::write(self.work.path().join("go"), "").expect("write"),
            Act::Cancel(job) => {
                let job = job % count;
                self.jobs[job].cancelled |= self.ask(&["cancel", &id(job)]);
            }
            Act::Retry(job) => {
                let job = job % count;
                if self.ask(&["retry", &id(job)]) {
                    self.jobs[job].chances += 1;
                    self.jobs[job].cancelled = false;
                    // A retry of a held job that was cancelled also releases it.
                    self.jobs[job].held = None;
                }
            }
            Act::Hold(job) => {
                let job = job % count;
                if self.ask(&["hold", &id(job)]) {
                    self.jobs[job].held = Some(self.starts(Some(job)));
                }
            }
            Act::Release(job) => {
                let job = job % count;
                self.jobs[job].held = None;
                self.ask(&["release", &id(job)]);
            }
            Act::Pause => {
                let done = self.ask(&["pause"]);
                assert!(done || self.full || self.paused.is_some());
                if done {
                    self.paused = Some(self.starts(None));
                }
            }
            Act::Resume => {
                if self.ask(&["resume"]) || !self.full {
                    self.paused = None;
                }
            }
            Act::Add(kind) => {
                let command = command(self.work.path(), count, kind, None);
                if self.ask(&["add", &id(count), "--cmd", &command]) {
                    self.jobs.push(Known::new(kind, None));
                }
            }
            Act::Remove(job) => {
                let job = job % count;
                self.jobs[job].removed |= self.ask(&["remove", &id(job)]);
            }
            Act::Clock(hours) if self.manager.is_none() && !self.full => {
                rewrite(&self.place, SignedDuration::from_hours(hours), None);
            }
            Act::Clock(_) => {}
            Act::Full(full) => self.fill(full),
        }
    }

    fn fill(&mut self, full: bool) {
        if self.disk.is_some() && self.full != full {
            self.full = full;
            let file = self.place.at("fill");
            if full {
                fs::write(file, vec![0; 16 << 20]).expect_err("more than there is room for");
            } else {
                fs::remove_file(file).expect("removed");
            }
        }
    }

    /// What must hold at any time.
    fn check(&self) {
        let entries = fs::read_dir(self.work.path()).expect("folder").flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let wrong: Vec<String> = names.filter(|name| name.starts_with("wrong")).collect();
        assert_eq!(wrong, [""; 0]);
        let there = self.jobs.iter().filter(|known| !known.removed).count();
        Place::until("the state has every job", || {
            self.place.data(&["status", "--state", "s.json"])["jobs"] == there
        });
        if let Some(before) = self.paused {
            assert_eq!(self.starts(None), before, "started after a pause");
        }
        for (job, known) in self.jobs.iter().enumerate() {
            let (runs, dones) = (self.lines("ran", job), self.lines("done", job));
            assert!(
                runs <= known.chances && dones <= 1,
                "{runs} {dones} {job} {known:?}"
            );
            if let Some(before) = known.held {
                assert_eq!(
                    self.starts(Some(job)),
                    before,
                    "{job} started while held back"
                );
            }
        }
    }

    /// Lets all jobs end, and checks the result of each.
    fn end(mut self) {
        self.fill(false);
        fs::write(self.work.path().join("go"), "").expect("write");
        self.act(Act::Resume);
        for job in 0..self.jobs.len() {
            self.act(Act::Release(job));
        }
        self.kill();
        let mut last = self.place.run();
        while last.status.code() == Some(5) {
            last = self.place.run();
        }
        self.check();
        let state = self.place.state();
        let is =
            |job: usize, word: &str| state.get(&id(job)).is_some_and(|row| row["state"] == word);
        let mut whole = true;
        for (job, known) in self
            .jobs
            .iter()
            .enumerate()
            .filter(|(_, known)| !known.removed)
        {
            let runs = self.lines("ran", job);
            let expected = match (known.kind, known.need) {
                (_, Some(need)) if !is(need, "completed") => "blocked",
                (Kind::Bad, _) => "failed",
                _ => "completed",
            };
            let right = is(job, expected) || (known.cancelled && is(job, "cancelled"));
            assert!(
                right,
                "j{job} {known:?} {expected}: {:?}",
                state.get(&id(job))
            );
            assert!(!is(job, "blocked") || runs == 0, "j{job} ran {runs} times");
            assert_eq!(is(job, "completed"), self.lines("done", job) == 1, "j{job}");
            whole &= is(job, "completed");
        }
        assert_eq!(
            last.status.code(),
            Some(if whole { 0 } else { 10 }),
            "{last:?}"
        );
    }
}

impl Known {
    fn new(kind: Kind, need: Option<usize>) -> Self {
        Self {
            kind,
            need,
            chances: 1,
            cancelled: false,
            held: None,
            removed: false,
        }
    }
}

proptest! {
    #![proptest_config(aris_testkit::stories(40))]

    #[test]
    fn whatever_happens_to_a_queue_its_jobs_come_to_what_they_must(
        jobs in prop::collection::vec(job(), 1..5),
        acts in prop::collection::vec(act(), 2..14),
    ) {
        let mut world = World::new(&jobs);
        for act in acts {
            world.act(act);
            world.check();
        }
        world.end();
    }
}
