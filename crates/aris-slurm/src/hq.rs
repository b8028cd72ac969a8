//! `HyperQueue`: a server that is running already, through the program `hq`.
//!
//! **Source**: `HyperQueue`'s documentation, version 0.26: "Output mode" for what is printed, "Task arrays", "Resource management", "Crash limit".

use std::collections::{BTreeMap, BTreeSet};

use aris_contract::text::shell_line;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::programs::{Access, Answer};
use crate::task;
use crate::wave::{
    BatchSystem, Cause, Config, Found, Says, Silent, SubmitError, Task, Unclear, Wave, tasks,
};

/// Most attempts in a wave: tasks of one job are listed together.
const WAVE: u32 = 1000;

/// Jobs in one question.
const BATCH: usize = 500;

/// What `hq` says when it has asked no server.
const UNREACHED: [&str; 4] = [
    "No running instance of HQ found",
    "is unreachable",
    "Invalid server directory",
    "version mismatch",
];

/// What every program of this kind says to words that it does not understand.
const USAGE: &str = "For more information, try '--help'";

/// A `HyperQueue` server, for one run.
#[derive(Debug)]
pub struct HqEngine {
    access: Access,
    unclear: Unclear,
}

/// A job as `hq job list` has it; of the rest nothing is needed.
#[derive(Deserialize)]
struct Job {
    id: u64,
    name: String,
}

/// A task as `hq task list` has it.
#[derive(Deserialize)]
struct Listed {
    id: u32,
    state: String,
    worker: Option<u64>,
    error: Option<String>,
}

impl HqEngine {
    /// Asks nothing yet.
    pub fn new(access: Access) -> Self {
        Self {
            access,
            unclear: Unclear::default(),
        }
    }

    /// The answer to a question.
    fn ask<T: DeserializeOwned>(&self, words: &[&str]) -> Result<T, Silent> {
        let all = [&["--output-mode=json"], words].concat();
        let text = self.access.call("hq", &all, None).good();
        let text = text.map_err(|Silent(said)| Silent(in_short(&said)))?;
        serde_json::from_str(&text)
            .map_err(|error| Silent(format!("hq {} answers oddly: {error}", words.join(" "))))
    }

    /// The job of each name; should there be two, the first: claims let one of them run each attempt.
    fn jobs(&self) -> Result<BTreeMap<String, String>, Silent> {
        let mut jobs: Vec<Job> = self.ask(&["job", "list", "--all"])?;
        jobs.sort_by_key(|job| std::cmp::Reverse(job.id));
        let named = jobs.into_iter().map(|job| (job.name, job.id.to_string()));
        Ok(named.collect())
    }

    /// What is listed of these tasks: numbers are used again by a server that was begun anew, so that the name must fit, too.
    fn listed(&self, refs: &[Task]) -> Result<BTreeMap<(String, u32), Listed>, Silent> {
        let known = self.jobs()?;
        let ours: BTreeSet<&str> = refs
            .iter()
            .filter(|one| known.get(&one.token) == Some(&one.job))
            .map(|one| one.job.as_str())
            .collect();
        let ours: Vec<&str> = ours.into_iter().collect();
        let mut all = BTreeMap::new();
        for jobs in ours.chunks(BATCH) {
            let answer: BTreeMap<String, Vec<Listed>> =
                self.ask(&["task", "list", &jobs.join(",")])?;
            for (job, tasks) in answer {
                all.extend(tasks.into_iter().map(|task| ((job.clone(), task.id), task)));
            }
        }
        Ok(all)
    }

    /// The words after `hq` that submit a wave.
    fn arguments(&self, wave: &Wave) -> Result<Vec<String>, task::TaskError> {
        task::check_token(&wave.token)?;
        let run = task::check_run(&wave.run)?;
        let last = wave.attempts.len().saturating_sub(1);
        let mut words = vec![
            String::from("--output-mode=quiet"),
            String::from("submit"),
            format!("--name={}", wave.token),
            format!("--array=0-{last}"),
            format!("--cwd={run}"),
        ];
        // Attempts are tried again by the queue, after their records were read.
        for fixed in [
            "--stdout=none",
            "--stderr=none",
            "--directives=off",
            "--crash-limit=never-restart",
        ] {
            words.push(String::from(fixed));
        }
        words.extend(asks(wave));
        words.push(String::from("--"));
        words.extend(self.access.task_program.iter().cloned());
        words.extend([task::HQ_TASK, run, &wave.token].map(String::from));
        Ok(words)
    }
}

impl BatchSystem for HqEngine {
    fn name(&self) -> &'static str {
        "HyperQueue"
    }

    fn bounds_waves(&self) -> bool {
        false
    }

    fn config(&mut self) -> Result<Config, Silent> {
        self.ask::<serde_json::Value>(&["server", "info"])?;
        Ok(Config {
            wave: WAVE,
            siblings: Vec::new(),
        })
    }

    fn asks(&self, wave: &Wave) -> String {
        shell_line(&asks(wave))
    }

    fn test(&mut self, _: &Wave) -> Result<String, SubmitError> {
        let workers: Result<Vec<serde_json::Value>, Silent> = self.ask(&["worker", "list"]);
        let workers = workers.map_err(|Silent(why)| SubmitError::Unavailable(why))?;
        Ok(match workers.len() {
            0 => String::from("no worker is connected: jobs wait until one is"),
            1 => String::from("1 worker is connected"),
            many => format!("{many} workers are connected"),
        })
    }

    fn submit(&mut self, wave: &Wave) -> Result<Vec<Task>, SubmitError> {
        let words = self.arguments(wave)?;
        task::write_table(&wave.run, &wave.token, &wave.attempts)?;
        match self.access.call("hq", &words, None) {
            Answer::Good(printed, _) => {
                let job = printed.trim();
                if job.is_empty() || !job.bytes().all(|byte| byte.is_ascii_digit()) {
                    self.unclear.lost(&wave.token);
                    return Err(SubmitError::Unknown(format!("hq submit says {job:?}")));
                }
                Ok(tasks(job, &wave.token, wave.attempts.len()))
            }
            Answer::Bad(said) => {
                let said = in_short(&said);
                if said.contains(USAGE) {
                    return Err(SubmitError::Rejected(said));
                }
                if UNREACHED.iter().any(|piece| said.contains(piece)) {
                    return Err(SubmitError::Unavailable(said));
                }
                self.unclear.lost(&wave.token);
                Err(SubmitError::Unknown(said))
            }
            Answer::Broken(said) => {
                self.unclear.lost(&wave.token);
                Err(SubmitError::Unclear(said))
            }
            Answer::Absent(said) => Err(SubmitError::Unavailable(said)),
        }
    }

    fn is_unclear(&self, token: &str) -> bool {
        self.unclear.has(token)
    }

    fn find(&mut self, token: &str) -> Result<Found, Silent> {
        let (count, _) = task::count_and_age(&self.access.run, token)?;
        let found = self.jobs()?.remove(token);
        Ok(self.unclear.searched(token, found, count, None))
    }

    fn observe(&mut self, refs: &[Task]) -> Result<Vec<Says>, Silent> {
        let listed = self.listed(refs)?;
        let says = |one: &Task| match listed.get(&(one.job.clone(), one.index)) {
            Some(task) => says(task),
            None => Says::NotListed,
        };
        Ok(refs.iter().map(says).collect())
    }

    /// A whole job is all that can be taken out, and its tasks that run get one second only. So one of which any task runs stays: runners hear
    /// of the request through the attempts' folders, and a task whose attempt was withdrawn leaves at once when its turn comes.
    fn cancel(&mut self, refs: &[Task]) -> Result<(), Silent> {
        let listed = self.listed(refs)?;
        let jobs: BTreeSet<&String> = listed.keys().map(|(job, _)| job).collect();
        for job in jobs {
            let unwanted = |task: &Listed| {
                let ours = |one: &Task| one.job == *job && one.index == task.id;
                task.state == "waiting" && refs.iter().any(ours)
            };
            let mut open = listed
                .iter()
                .filter(|((of, _), task)| of == job && is_open(task))
                .map(|(_, task)| task)
                .peekable();
            if open.peek().is_some() && open.all(unwanted) {
                self.ask::<serde_json::Value>(&["job", "cancel", job])?;
            }
        }
        Ok(())
    }

    /// It has no such limit: waves are made no larger than the queue's.
    fn throttle(&self, _: &str, _: Option<u32>) -> Result<(), Silent> {
        Ok(())
    }
}

/// What went wrong without what only its programmers read: `hq` prints where in its program it happened, too.
fn in_short(said: &str) -> String {
    #[derive(Deserialize)]
    struct Failed {
        error: String,
    }
    let failed = serde_json::from_str(said).map(|Failed { error }| error);
    let text = failed.unwrap_or_else(|_| String::from(said));
    let text = text.split("Stack backtrace:").next().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a wave's jobs ask `hq submit` for, in its words.
fn asks(wave: &Wave) -> Vec<String> {
    let mut words = vec![format!("--cpus={}", wave.cpus.unwrap_or(1))];
    for (name, amount) in [
        (
            "gpus/nvidia",
            Some(u64::from(wave.gpus)).filter(|it| *it > 0),
        ),
        ("mem", wave.mem_mib),
    ] {
        words.extend(amount.map(|amount| format!("--resource={name}={amount}")));
    }
    if let Some(limit) = wave.time_limit_ms {
        // No worker that ends before. The limit itself is kept by the runner.
        words.push(format!("--time-request={}s", limit.div_ceil(1000)));
    }
    words
}

fn is_open(task: &Listed) -> bool {
    matches!(task.state.as_str(), "waiting" | "running")
}

/// **Source**: "Task state" of the documentation; the text of a task whose worker is gone, measured with 0.26.2.
fn says(task: &Listed) -> Says {
    let word = match &task.error {
        Some(error) => format!("{} ({error})", task.state),
        None => task.state.clone(),
    };
    match task.state.as_str() {
        "waiting" => Says::Queued(String::from("for a worker")),
        "running" => Says::Running(
            task.worker
                .map_or_else(String::new, |worker| format!("worker {worker}")),
        ),
        "failed" if word.contains("lost worker") || word.contains("worker that was lost") => {
            Says::Ended(Cause::Node, word)
        }
        "finished" | "failed" => Says::Ended(Cause::Untold, word),
        "canceled" | "aborted" => Says::Ended(Cause::Cancelled, word),
        // A word that is not understood says nothing.
        _ => Says::NotListed,
    }
}
