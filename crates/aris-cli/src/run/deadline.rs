//! The deadline of a whole run: a thread ends the process when the deadline passes.

use std::io::{self, Write as _};
use std::sync::mpsc;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use aris_contract::ErrorKind;
use aris_contract::failure::ErrorBody;
use serde_json::Value;

use crate::emit;

/// Largest deadline, in seconds: a day.
const LONGEST: f64 = 86_400.0;
/// Time for writing the final message; after that the process ends without it.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Parses the value of `--deadline`, in seconds.
///
/// **Errors**: a message that says what is allowed.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= LONGEST => Ok(seconds),
        _ => Err(String::from(
            "it must be a number of seconds, above 0 and up to 86400",
        )),
    }
}

/// The state that the run and the watching thread share.
#[derive(Debug)]
struct State {
    end: Instant,
    /// Start of a wait for something with its own time limit; this time is not counted.
    apart: Option<Instant>,
    /// Set when the run has finished and prints its answer: then the watching thread must not end the process.
    is_over: bool,
}

/// The deadline of a run.
#[derive(Debug)]
pub(crate) struct Deadline {
    pub(crate) time: Duration,
    shared: Arc<(Mutex<State>, Condvar)>,
}

impl Deadline {
    /// Starts the watching thread. With `json` it reports the deadline as an envelope on stdout.
    pub(crate) fn start(name: &'static str, time: Duration, json: bool) -> Self {
        let state = State {
            end: Instant::now() + time,
            apart: None,
            is_over: false,
        };
        let shared = Arc::new((Mutex::new(state), Condvar::new()));
        let watched = Arc::clone(&shared);
        thread::spawn(move || {
            let (state, changed) = &*watched;
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            while !state.is_over {
                let left = state.end.saturating_duration_since(Instant::now());
                if state.apart.is_some() {
                    state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                } else if left.is_zero() {
                    // Ends the process while it holds the lock, so that the run cannot print its answer, too.
                    end(name, time, json);
                } else {
                    let waited = changed.wait_timeout(state, left);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        });
        Self { time, shared }
    }

    /// Reports that the run has finished. Does not return if the deadline has passed.
    pub(crate) fn stop(&self) {
        self.change(|state| state.is_over = true);
    }

    /// Runs `work` without counting its time against the deadline.
    pub(crate) fn apart<T>(&self, work: impl FnOnce() -> T) -> T {
        self.change(|state| state.apart = Some(Instant::now()));
        let result = work();
        self.change(|state| {
            if let Some(since) = state.apart.take() {
                state.end += since.elapsed();
            }
        });
        result
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let (state, changed) = &*self.shared;
        change(&mut state.lock().unwrap_or_else(PoisonError::into_inner));
        changed.notify_all();
    }
}

/// Reports the deadline and ends the process. Files stay whole: they are written under another name and then renamed.
#[expect(
    clippy::disallowed_methods,
    clippy::exit,
    reason = "the run is busy and cannot return anything"
)]
fn end(name: &'static str, time: Duration, json: bool) -> ! {
    let seconds = time.as_secs_f64();
    let message = format!("not done after {seconds} s, the deadline");
    let hint = "look for what makes the input so large, or give more time with --deadline SECONDS";
    let mut body = ErrorBody::new(ErrorKind::Timeout, message, hint);
    let name_of_limit = String::from("deadline_seconds");
    body.details.insert(name_of_limit, Value::from(seconds));
    let (sender, receiver) = mpsc::channel();
    // A reader that does not read must not block the end of the process.
    thread::spawn(move || {
        if json {
            let line = emit::error_line(body.clone());
            emit::to_stdout(&mut io::stdout(), &line).unwrap_or_default();
        }
        let hint = body.hint.unwrap_or_default();
        let text = format!("{name}: error: {}\n  hint: {hint}\n", body.message);
        io::stderr().write_all(text.as_bytes()).unwrap_or_default();
        sender.send(()).unwrap_or_default();
    });
    receiver.recv_timeout(LAST_WORDS).unwrap_or_default();
    std::process::exit(i32::from(ErrorKind::Timeout.exit().code()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_is_a_positive_time() {
        for (text, good) in [
            ("1", true),
            ("0.05", true),
            ("86400", true),
            ("0", false),
            ("-1", false),
            ("", false),
            ("x", false),
            ("NaN", false),
            ("inf", false),
            ("86401", false),
        ] {
            assert_eq!(seconds(text).is_ok(), good, "{text}");
        }
    }

    #[test]
    fn what_waits_apart_does_not_count() {
        let deadline = Deadline::start("test", Duration::from_mins(10), false);
        let end = |deadline: &Deadline| deadline.shared.0.lock().expect("lock").end;
        let before = end(&deadline);
        let began = Instant::now();
        assert_eq!(deadline.apart(|| 5), 5);
        let after = end(&deadline);
        assert!(after >= before && after - before <= began.elapsed());
        deadline.stop();
        assert!(deadline.shared.0.lock().expect("lock").is_over);
    }
}
