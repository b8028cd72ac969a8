//! Hooks: commands of the manifest that are called after failures and at the end, for notifications. Jobs do not wait for them, and their
//! results are ignored.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use aris_proc::End;

/// Deadline of a hook. A manager that has finished waits this long for hooks that have not started.
const LIMIT: Duration = Duration::from_mins(1);

/// Most hooks at the same time: if a thousand jobs fail at once, they do not start a thousand processes.
const AT_ONCE: usize = 16;

/// Pause between two checks whether they have ended.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// One call of a hook.
pub(super) struct Call {
    /// Its key in the manifest.
    pub(super) key: &'static str,
    pub(super) command: String,
    pub(super) cwd: PathBuf,
    /// Its environment variables.
    pub(super) env: Vec<(&'static str, String)>,
}

/// Calls hooks in threads, at most [`AT_ONCE`] at the same time.
pub(super) struct Hooks {
    /// The file for problems.
    log: PathBuf,
    /// `None`: no more hooks are called.
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
                // If no thread can be started, the existing ones take the call; if there is none, the log says so.
                Err(error) if self.threads.is_empty() => {
                    return say(&call, &self.log, &format!("not called: {error}"));
                }
                Err(_) => {}
            }
        }
        if let Some(calls) = &self.calls {
            // Cannot fail: this value keeps the receiver alive.
            calls.send(call).unwrap_or_default();
        }
    }

    /// Waits for the hooks that were called. Those that have not started within a minute are not called, and the log says so.
    pub(super) fn finish(&mut self) {
        self.calls = None;
        let end = Instant::now() + LIMIT;
        while !self.threads.iter().all(JoinHandle::is_finished) {
            // Running hooks are ended by their own deadline.
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

/// The next call; `None`: there will be no more.
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
