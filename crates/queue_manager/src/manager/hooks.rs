//! Commands of the manifest that are told of failures and of the end: for notifications. They hold nothing up and change nothing.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use aris_proc::End;

/// How long one of them may take; a manager that is done waits as long for those that have not begun.
const LIMIT: Duration = Duration::from_mins(1);

/// Hooks at the same time: a thousand jobs that fail at once must not become a thousand processes.
const AT_ONCE: usize = 16;

/// Between two looks whether they have ended.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// One call of a hook.
pub(super) struct Call {
    /// Its key in the manifest.
    pub(super) key: &'static str,
    pub(super) command: String,
    pub(super) cwd: PathBuf,
    /// What it is told.
    pub(super) env: Vec<(&'static str, String)>,
}

/// Calls hooks in threads, as many at once as [`AT_ONCE`] allows.
pub(super) struct Hooks {
    /// What goes wrong stands here.
    log: PathBuf,
    /// `None`: no more are called.
    calls: Option<Sender<Call>>,
    waiting: Arc<Mutex<Receiver<Call>>>,
    threads: Vec<JoinHandle<()>>,
}

impl Hooks {
    pub(super) fn new(log: PathBuf) -> Self {
        let (calls, waiting) = channel();
        Self {
            log,
            calls: Some(calls),
            waiting: Arc::new(Mutex::new(waiting)),
            threads: Vec::new(),
        }
    }

    pub(super) fn call(&mut self, call: Call) {
        if self.threads.len() < AT_ONCE {
            let (waiting, log) = (Arc::clone(&self.waiting), self.log.clone());
            let work = move || {
                while let Some(call) = next(&waiting) {
                    run(&call, &log);
                }
            };
            let thread = thread::Builder::new().name(String::from("hook"));
            match thread.spawn(work) {
                Ok(thread) => self.threads.push(thread),
                // Where no thread can be had those that run take the call over; without any it is said.
                Err(error) if self.threads.is_empty() => {
                    return say(&call, &self.log, &format!("not called: {error}"));
                }
                Err(_) => {}
            }
        }
        if let Some(calls) = &self.calls {
            // Whoever takes them lives as long as this.
            calls.send(call).unwrap_or_default();
        }
    }

    /// Waits for what was called. What has not begun within a minute is not called any more, and the log says so.
    pub(super) fn finish(&mut self) {
        self.calls = None;
        let end = Instant::now() + LIMIT;
        while !self.threads.iter().all(JoinHandle::is_finished) {
            // Those that run are ended by their own limit.
            while Instant::now() >= end
                && let Some(call) = next(&self.waiting)
            {
                let why =
                    "not called: earlier hooks have taken a minute, and the manager has ended";
                say(&call, &self.log, why);
            }
            thread::park_timeout(LOOK_AGAIN);
        }
    }
}

/// The next call; `None`: no more will come.
fn next(waiting: &Mutex<Receiver<Call>>) -> Option<Call> {
    let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
    waiting.recv().ok()
}

fn run(call: &Call, log: &Path) {
    let mut command = aris_proc::command("sh", &call.cwd).args(["-c", &call.command]);
    for (name, value) in &call.env {
        command = command.env(name, value);
    }
    let what = match command.run(LIMIT) {
        Ok(done) => match done.end {
            End::Exited(0) => return,
            End::Exited(code) => format!("exit status {code}: {}", done.stderr.text().trim()),
            End::Signalled(signal) => format!("ended by signal {signal}"),
            End::TimedOut => format!("not over after {} s, and ended", LIMIT.as_secs()),
        },
        Err(error) => error.to_string(),
    };
    say(call, log, &what);
}

fn say(call: &Call, log: &Path, what: &str) {
    let job = call.env.iter().find(|(name, _)| *name == "ARIS_JOB");
    let about = job.map_or_else(String::new, |(_, id)| format!(" of {id:?}"));
    let line = format!("{}{about}: {}", call.key, what.replace('\n', " "));
    aris_fs::append_line(log, &line).unwrap_or_default();
}
