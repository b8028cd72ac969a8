//! `HyperQueue` as a batch system: a server that already runs, called through the program `hq`.
//!
//! **Source**: documentation of `HyperQueue` 0.26: "Output mode" for the format of answers, "Task arrays", "Resource management", "Crash
//! limit".

use std::collections::{BTreeMap, BTreeSet};

use aris_contract::text::shell_line;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::programs::{Access, Answer};
use crate::task;
use crate::wave::{
    BatchSystem, Cause, Config, Found, Says, Silent, SubmitError, Task, Unclear, Wave, tasks,
};

/// Most attempts in a wave: `hq task list` lists all tasks of a job together.
const WAVE: u32 = 1000;

/// Most jobs in one `hq task list` call.
const BATCH: usize = 500;

/// Pieces of the messages that `hq` prints when it reached no server.
const UNREACHED: [&str; 4] = [
    "No running instance of HQ found",
    "is unreachable",
    "Invalid server directory",
    "version mismatch",
];

/// Piece of the message that `hq` prints for arguments it does not understand.
const USAGE: &str = "For more information, try '--help'";

/// A `HyperQueue` server, for one run.
#[derive(Debug)]
pub struct HqEngine {
    access: Access,
    unclear: Unclear,
}

/// The keys used here of a job in `hq job list`.
#[derive(Deserialize)]
struct Job {
    id: u64,
    name: String,
}

/// The keys used here of a task in `hq task list`.
#[derive(Deserialize)]
struct Listed {
    id: u32,
    state: String,
    worker: Option<u64>,
    error: Option<String>,
}

impl HqEngine {
    /// Calls no command yet.
    pub fn new(access: Access) -> Self {
        Self {
            access,
            unclear: Unclear::default(),
        }
    }

    /// Calls `hq` with these arguments and reads its JSON.
    fn ask<T: DeserializeOwned>(&self, words: &[&str]) -> Result<T, Silent> {
        let all = [&["--output-mode=json"], words].concat();
        let text = self.access.call("hq", &all, None).good();
        let text = text.map_err(|Silent(said)| Silent(in_short(&said)))?;
        serde_json::from_str(&text)
            .map_err(|error| Silent(format!("hq {} answers oddly: {error}", words.join(" "))))
    }

    /// The job of each name. If there are two, the first; either will do, because claims let only one of them run each attempt.
    fn jobs(&self) -> Result<BTreeMap<String, String>, Silent> {
        let mut jobs: Vec<Job> = self.ask(&["job", "list", "--all"])?;
        jobs.sort_by_key(|job| std::cmp::Reverse(job.id));
        let named = jobs.into_iter().map(|job| (job.name, job.id.to_string()));
        Ok(named.collect())
    }

    /// The tasks that the server lists of these. A server that was started anew reuses job numbers, so the name must match as well.
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

    /// The arguments of `hq` that submit a wave.
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
        // `never-restart`: the queue itself retries attempts, after it has read their records.
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

    /// Cancels a job only if all its open tasks wait and are to be cancelled: `hq` cancels whole jobs, and gives running tasks one second.
    /// Otherwise the job stays. Runners read the request in their attempts' folders, and a task whose attempt was withdrawn exits as soon
    /// as it starts.
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

    /// Does nothing: `HyperQueue` has no such limit. Instead, the caller makes waves no larger than its own limit.
    fn throttle(&self, _: &str, _: Option<u32>) -> Result<(), Silent> {
        Ok(())
    }
}

/// The message in one line, without the stack backtrace that `hq` prints.
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

/// The resources that a wave's tasks ask for, as arguments of `hq submit`.
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
        // Asks for a worker that lives at least this long. The runner itself enforces the limit.
        words.push(format!("--time-request={}s", limit.div_ceil(1000)));
    }
    words
}

fn is_open(task: &Listed) -> bool {
    matches!(task.state.as_str(), "waiting" | "running")
}

/// What a task's state means. **Source**: "Task state" of the documentation; the text for a lost worker was measured with 0.26.2.
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
        // An unknown state says nothing.
        _ => Says::NotListed,
    }
}
