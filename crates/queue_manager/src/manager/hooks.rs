//! Commands of the manifest that are told of failures and of the end: for notifications. They hold nothing up and change nothing.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use aris_proc::End;

/// How long one of them may take, and how long a manager that is done waits for those that are left.
const LIMIT: Duration = Duration::from_mins(1);

/// One call of a hook.
pub(super) struct Call {
    /// Its key in the manifest.
    pub(super) key: &'static str,
    pub(super) command: String,
    pub(super) cwd: PathBuf,
    /// What it is told.
    pub(super) env: Vec<(&'static str, String)>,
}

/// A thread that calls hooks, one after the other; none before the first call.
pub(super) struct Hooks {
    /// What goes wrong stands here.
    log: PathBuf,
    thread: Option<(Sender<Call>, Receiver<()>)>,
}

impl Hooks {
    pub(super) const fn new(log: PathBuf) -> Self {
        Self { log, thread: None }
    }

    pub(super) fn call(&mut self, call: Call) {
        if self.thread.is_none() {
            let (calls, called) = channel();
            let (over, ended) = channel();
            let log = self.log.clone();
            let run = move || {
                while let Ok(call) = called.recv() {
                    run(&call, &log);
                }
                // Nobody may wait for it.
                over.send(()).unwrap_or_default();
            };
            let started = thread::Builder::new()
                .name(String::from("hooks"))
                .spawn(run);
            self.thread = started.is_ok().then_some((calls, ended));
        }
        if let Some((calls, _)) = &self.thread {
            calls.send(call).unwrap_or_default();
        }
    }

    /// Waits for what was called, a minute at most.
    pub(super) fn finish(&mut self) {
        if let Some((calls, ended)) = self.thread.take() {
            drop(calls);
            ended.recv_timeout(LIMIT).unwrap_or_default();
        }
    }
}

fn run(call: &Call, log: &std::path::Path) {
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
    let job = call.env.iter().find(|(name, _)| *name == "ARIS_JOB");
    let about = job.map_or_else(String::new, |(_, id)| format!(" of {id:?}"));
    let line = format!("{}{about}: {}", call.key, what.replace('\n', " "));
    aris_fs::append_line(log, &line).unwrap_or_default();
}
