//! A queue's state at one event of its journal, so that what is before need not be replayed.
//!
//! It says what a replay of these events says, and nothing that only attempts' folders know. Moments are times of day: the clock of
//! [`Queue::tick`] begins anew with each boot.

use std::collections::BTreeMap;

use aris_attempt::cards::CardId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Life, Queue, Run, Spent, Verdict};

/// A queue's state at one event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Number of the last event that is in it.
    pub seq: u64,
    began: Option<Timestamp>,
    paused: bool,
    max_parallel: Option<u32>,
    submissions: BTreeMap<String, String>,
    /// Jobs of which something is known, by id.
    jobs: BTreeMap<String, Saved>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Saved {
    life: SavedLife,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    held: bool,
    attempt: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    spent: Spent,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cards: Vec<CardId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verdict: Option<Box<Verdict>>,
    starts: Vec<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    engine_ref: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    log: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    boot: Option<Box<str>>,
}

/// A job's life as events alone tell it: whether an attempt was seen to run its folder says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SavedLife {
    Idle,
    Starting,
    Cancelling,
    Backoff,
    Completed,
    Failed,
    Cancelled,
    Lost,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Saved {
    fn of(run: &Run) -> Self {
        Self {
            life: match run.life {
                Life::Idle => SavedLife::Idle,
                Life::Starting | Life::Queued | Life::Running | Life::Unknown => {
                    SavedLife::Starting
                }
                Life::Cancelling => SavedLife::Cancelling,
                Life::Backoff(_) => SavedLife::Backoff,
                Life::Completed => SavedLife::Completed,
                Life::Failed => SavedLife::Failed,
                Life::Cancelled => SavedLife::Cancelled,
                Life::Lost => SavedLife::Lost,
            },
            held: run.held,
            attempt: run.attempt,
            spent: run.spent,
            cards: run.cards.clone(),
            verdict: run.verdict.clone(),
            starts: run.starts.clone(),
            ended: run.ended,
            retry_at: run.retry_at,
            engine_ref: run.engine_ref.clone(),
            log: run.log.clone(),
            command: run.command.clone(),
            boot: run.boot.clone(),
        }
    }

    /// When the last attempt's command started, else when it was about to be.
    fn started(&self) -> Option<Timestamp> {
        let known = self.verdict.as_ref().and_then(|verdict| verdict.started);
        known.or_else(|| self.starts.last().copied())
    }

    /// `now` is the clock of [`Queue::tick`], `wall` the time of day.
    fn run(self, now: u64, wall: Timestamp) -> Run {
        Run {
            life: match self.life {
                SavedLife::Idle => Life::Idle,
                SavedLife::Starting => Life::Starting,
                SavedLife::Cancelling => Life::Cancelling,
                SavedLife::Backoff => Life::Backoff(now + self.pause(wall)),
                SavedLife::Completed => Life::Completed,
                SavedLife::Failed => Life::Failed,
                SavedLife::Cancelled => Life::Cancelled,
                SavedLife::Lost => Life::Lost,
            },
            held: self.held,
            attempt: self.attempt,
            spent: self.spent,
            started: self.started(),
            cards: self.cards,
            verdict: self.verdict,
            starts: self.starts,
            ended: self.ended,
            retry_at: self.retry_at,
            engine_ref: self.engine_ref,
            log: self.log,
            command: self.command,
            boot: self.boot,
            ..Run::idle()
        }
    }

    /// Milliseconds until the next attempt: what is left of its pause, and all of it when the clock was set back.
    fn pause(&self, wall: Timestamp) -> u64 {
        let left = |from: Timestamp| {
            let left = self.retry_at.map(|at| at.duration_since(from).as_millis());
            left.and_then(|left| u64::try_from(left).ok()).unwrap_or(0)
        };
        left(wall).min(self.ended.map_or(u64::MAX, left))
    }
}

impl Queue {
    /// The state after the event `seq`, which is the last that was applied; `None`: it cannot be said without the events, because
    /// something is known of jobs that the manifest does not have.
    pub fn checkpoint(&self, seq: u64) -> Option<Checkpoint> {
        if !self.removed.is_empty() {
            return None;
        }
        let known = (0..)
            .zip(&self.runs)
            .filter(|(_, run)| run.attempt > 0 || run.held || run.life != Life::Idle);
        let jobs = known.map(|(at, run): (usize, &Run)| {
            (self.manifest.jobs[at].id.to_string(), Saved::of(run))
        });
        Some(Checkpoint {
            seq,
            began: self.began,
            paused: self.paused,
            max_parallel: self.max_parallel,
            submissions: self.submissions.clone(),
            jobs: jobs.collect(),
        })
    }

    /// Brings a queue of which nothing has happened yet to the state of a checkpoint. `now` is the clock of [`Queue::tick`], `wall`
    /// the time of day. Gives the attempts under way of jobs that the manifest no longer has: id and number.
    pub fn restore(&mut self, from: Checkpoint, now: u64, wall: Timestamp) -> Vec<(String, u32)> {
        self.began = from.began;
        self.paused = from.paused;
        self.max_parallel = from.max_parallel;
        self.submissions = from.submissions;
        let mut open = Vec::new();
        for (id, saved) in from.jobs {
            let run = saved.run(now, wall);
            let Some(job) = self.find(&id) else {
                if run.life.is_active() {
                    open.push((id.clone(), run.attempt));
                }
                if run.attempt > 0 {
                    self.removed.insert(id);
                }
                continue;
            };
            let life = run.life;
            self.runs[job as usize] = run;
            if let Life::Backoff(at) = life {
                self.backoff.insert((at, job));
            }
            if life.is_active() {
                self.begin(job);
            }
            self.settle(job);
        }
        open
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest;

    #[test]
    fn what_is_left_of_a_pause_does_not_grow() {
        let moment = |second| Timestamp::from_second(second).expect("a time");
        let saved = Saved {
            ended: Some(moment(100)),
            retry_at: Some(moment(160)),
            life: SavedLife::Backoff,
            ..Saved::of(&Run::idle())
        };
        for (wall, left) in [(100, 60), (130, 30), (160, 0), (999, 0), (50, 60)] {
            assert_eq!(saved.pause(moment(wall)), left * 1000, "at {wall}");
        }
    }

    #[test]
    fn jobs_that_the_manifest_no_longer_has_are_told() {
        let of = |text: &str| Queue::new(manifest::parse("m".as_ref(), text).expect("manifest"));
        let mut queue = of("jobs: [{id: a, cmd: x}, {id: b, cmd: x}]");
        let start = crate::state::Event::Start {
            id: String::from("a"),
            attempt: 1,
            cards: Vec::new(),
            log: String::from("l"),
            command: String::from("c"),
            boot: String::from("b"),
            engine_ref: None,
        };
        let time = Timestamp::UNIX_EPOCH;
        queue.apply(&start, time, 0, 0).expect("legal");
        let saved = queue.checkpoint(1).expect("one");
        let mut other = of("jobs: [{id: b, cmd: x}]");
        let open = other.restore(saved, 0, time);
        assert_eq!(open, [(String::from("a"), 1)]);
        assert_eq!(other.removed().collect::<Vec<_>>(), ["a"]);
        assert_eq!(other.checkpoint(2), None, "its history is needed still");
    }
}
