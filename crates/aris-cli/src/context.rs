//! A helper's view of the outside: directory, environment, clock, output. The runner reads it once; tests supply their own.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use crate::emit;
use crate::run::deadline::Deadline;
use crate::shown::shown;
use crate::style::Style;

/// The source of the time.
#[derive(Clone, Copy, Debug)]
pub enum Clock {
    /// The system's clock.
    System,
    /// Always this moment (tests).
    Fixed(Timestamp),
}

impl Clock {
    /// The present moment.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the clock"
    )]
    pub fn now(self) -> Timestamp {
        match self {
            Self::System => Timestamp::now(),
            Self::Fixed(moment) => moment,
        }
    }
}

/// The process as the runner sees it; tests and the multi-call binary construct their own.
pub struct Process {
    /// Arguments, the program's name first.
    pub args: Vec<OsString>,
    /// Environment.
    pub env: BTreeMap<String, String>,
    /// Working directory, absolute.
    pub cwd: PathBuf,
    /// The clock.
    pub clock: Clock,
    /// How to write to stdout.
    pub stdout_style: Style,
    /// How to write to stderr.
    pub stderr_style: Style,
    /// stdout.
    pub stdout: Box<dyn Write>,
    /// stderr.
    pub stderr: Box<dyn Write>,
}

impl Process {
    /// This process.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the process environment"
    )]
    pub fn current() -> Self {
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let style = |terminal: bool| {
            if terminal {
                Style::terminal(no_colour)
            } else {
                Style::plain()
            }
        };
        Self {
            args: std::env::args_os().collect(),
            env: std::env::vars_os()
                .filter_map(|(name, value)| {
                    Some((name.into_string().ok()?, value.into_string().ok()?))
                })
                .collect(),
            cwd: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            clock: Clock::System,
            stdout_style: style(io::stdout().is_terminal()),
            stderr_style: style(io::stderr().is_terminal()),
            stdout: Box::new(io::stdout()),
            stderr: Box::new(io::stderr()),
        }
    }
}

/// Everything that a helper may know about the outside.
pub struct Context {
    cwd: PathBuf,
    env: BTreeMap<String, String>,
    clock: Clock,
    json: bool,
    quiet: bool,
    stderr_style: Style,
    stderr: RefCell<Box<dyn Write>>,
    stdout: RefCell<Box<dyn Write>>,
    deadline: Option<Deadline>,
    /// The error of a line that could not be written.
    broken: RefCell<Option<io::Error>>,
}

impl Context {
    pub(crate) fn new(
        process: Process,
        json: bool,
        quiet: bool,
        deadline: Option<Deadline>,
    ) -> Self {
        Self {
            cwd: process.cwd,
            env: process.env,
            clock: process.clock,
            json,
            quiet,
            stderr_style: process.stderr_style,
            stderr: RefCell::new(process.stderr),
            stdout: RefCell::new(process.stdout),
            deadline,
            broken: RefCell::new(None),
        }
    }

    pub(crate) fn stop_deadline(&self) {
        if let Some(deadline) = &self.deadline {
            deadline.stop();
        }
    }

    /// A context for tests of a helper's `run`: this directory, no environment, a fixed clock, output thrown away.
    pub fn for_test(cwd: &Path, now: Timestamp) -> Self {
        let process = Process {
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: cwd.to_path_buf(),
            clock: Clock::Fixed(now),
            stdout_style: Style::plain(),
            stderr_style: Style::plain(),
            stdout: Box::new(io::sink()),
            stderr: Box::new(io::sink()),
        };
        Self::new(process, false, false, None)
    }

    /// The working directory, absolute.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// `path` made absolute against the working directory.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        self.cwd.join(path)
    }

    /// An environment variable; `None` when it is unset, empty or not UTF-8.
    pub fn env(&self, name: &str) -> Option<&str> {
        self.env
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// Time limit for a step that can end by itself with a better message, such as a request to a service: four fifths of the run's
    /// deadline (see [`Spec::deadline`](crate::Spec::deadline)), so that the step ends before the process does.
    pub fn step_limit(&self) -> Option<Duration> {
        self.deadline.as_ref().map(|deadline| deadline.time * 4 / 5)
    }

    /// Runs `wait`, which waits for another program with its own time limit: this time does not count against the deadline.
    pub fn apart<T>(&self, wait: impl FnOnce() -> T) -> T {
        match &self.deadline {
            Some(deadline) => deadline.apart(wait),
            None => wait(),
        }
    }

    /// The present moment.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The source of the time, for callers that outlive the context.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Whether `--quiet` was given.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether stdout must carry one JSON envelope and nothing else. For helpers that pass their stdout to another program.
    pub fn json(&self) -> bool {
        self.json
    }

    /// How to write to stderr.
    pub fn stderr_style(&self) -> Style {
        self.stderr_style
    }

    /// Writes a line of a product to stdout at once, when the rest will take long. Does nothing with `--json`, because the envelope
    /// contains everything. The product's [`Product::render`](crate::Product::render) must then write nothing, or write to stderr.
    pub fn line(&self, text: &str) {
        self.raw_line(&String::from_utf8_lossy(&shown(text.as_bytes(), false)));
    }

    /// Like [`Context::line`], for a line of the user's own file: terminal control characters are kept.
    pub fn raw_line(&self, text: &str) {
        if self.json || self.broken.borrow().is_some() {
            return;
        }
        if let Err(error) = self.emit(format!("{text}\n").as_bytes()) {
            self.broken.replace(Some(error));
        }
    }

    /// Writes to stdout. Also fails if an earlier line could not be written.
    pub(crate) fn emit(&self, bytes: &[u8]) -> io::Result<()> {
        match self.broken.take() {
            Some(error) => Err(error),
            None => emit::to_stdout(&mut *self.stdout.borrow_mut(), bytes),
        }
    }

    /// One line for people on stderr, unless `--quiet`.
    pub fn note(&self, line: &str) {
        if !self.quiet {
            self.write(line);
        }
    }

    /// One warning line on stderr, `--quiet` or not.
    pub fn warn(&self, line: &str) {
        self.write(&format!("warning: {line}"));
    }

    pub(crate) fn write(&self, text: &str) {
        // stderr is best effort: a helper's answer is its exit code and its artifacts.
        let mut stderr = self.stderr.borrow_mut();
        let text = shown(text.as_bytes(), self.stderr_style.has_colour());
        stderr
            .write_all(&[&text, &b"\n"[..]].concat())
            .unwrap_or_default();
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Context")
            .field("cwd", &self.cwd)
            .field("clock", &self.clock)
            .finish_non_exhaustive()
    }
}
