//! Commands of the manifest that are told of failures and of the end: for notifications. They hold nothing up and change nothing.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use aris_proc::End;

/// How long one of them may take; a manager that is done waits as long for those that have not begun.
const LIMIT: Duration = Duration::from_mins(1);

/// Hooks at the same time: a thousand jobs that fail at once must not become a thousand processes.
const AT_ONCE: usize = 16;

/// One call of a hook.
pub(super) struct Call {
    /// Its key in the manifest.
    pub(super) key: &'static str,
    pub(super) command: String,
    pub(super) cwd: PathBuf,
    /// What it is told.
    pub(super) env: Vec<(&'static str, String)>,
}

/// Calls hooks, each in a thread of its own as far as [`AT_ONCE`] allows.
pub(super) struct Hooks {
    /// What goes wrong stands here.
    log: PathBuf,
    calls: Arc<Calls>,
}

#[derive(Default)]
struct Calls {
    open: Mutex<Open>,
    ended: Condvar,
}

#[derive(Default)]
struct Open {
    waiting: VecDeque<Call>,
    running: usize,
}

impl Calls {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs what waits until nothing does.
    fn work(&self, log: &Path) {
        let mut open = self.open();
        while let Some(call) = open.waiting.pop_front() {
            drop(open);
            run(&call, log);
            open = self.open();
        }
        open.running -= 1;
        self.ended.notify_all();
    }
}

impl Hooks {
    pub(super) fn new(log: PathBuf) -> Self {
        Self {
            log,
            calls: Arc::default(),
        }
    }

    pub(super) fn call(&mut self, call: Call) {
        let mut open = self.calls.open();
        open.waiting.push_back(call);
        if open.running >= AT_ONCE {
            return;
        }
        let (calls, log) = (Arc::clone(&self.calls), self.log.clone());
        let started = thread::Builder::new()
            .name(String::from("hook"))
            .spawn(move || calls.work(&log));
        match started {
            Ok(_) => open.running += 1,
            // Where no thread can be had those that run take the call over; without any it is said.
            Err(error) if open.running == 0 => {
                if let Some(call) = open.waiting.pop_back() {
                    say(&call, &self.log, &format!("not called: {error}"));
                }
            }
            Err(_) => {}
        }
    }

    /// Waits for what was called. What has not begun within a minute is not called any more, and the log says so.
    pub(super) fn finish(&mut self) {
        let end = Instant::now() + LIMIT;
        let mut open = self.calls.open();
        while open.running > 0 {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                for call in open.waiting.drain(..) {
                    say(
                        &call,
                        &self.log,
                        "not called: earlier hooks have taken a minute, and the manager has ended",
                    );
                }
            }
            // Those that run are ended by their own limit.
            let left = if left.is_zero() { LIMIT } else { left };
            open = self
                .calls
                .ended
                .wait_timeout(open, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
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
