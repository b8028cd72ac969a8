//! The description of a child process.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::sync::Arc;
use std::time::Duration;

use crate::error::ProcError;
use crate::finished::Finished;
use crate::pipes::Taker;
use crate::wait::{self, Limits};

/// Default limit for each output stream, in bytes; see [`Command::capture_limit`].
///
/// **Source**: our choice; far more than git, a TeX log on stdout or a helper's envelope needs, and little memory.
const CAPTURE_LIMIT: usize = 4 * 1024 * 1024;

/// Describes a child process: its program and working directory.
///
/// A `program` without a slash is looked up on `PATH`; a relative path with one is relative to `cwd`.
pub fn command(program: impl AsRef<OsStr>, cwd: impl AsRef<Path>) -> Command {
    Command {
        program: program.as_ref().to_owned(),
        cwd: cwd.as_ref().to_path_buf(),
        args: Vec::new(),
        env: Vec::new(),
        clear: false,
        stdin: None,
        limit: CAPTURE_LIMIT,
        silence: None,
        stop: None,
    }
}

/// The description of a child process: program, arguments, directory, environment, input.
///
/// The environment is that of this process, with the changes made here.
#[derive(Clone, Debug)]
#[must_use]
pub struct Command {
    program: OsString,
    cwd: PathBuf,
    args: Vec<OsString>,
    /// Changes to the environment, in order; `None` removes a variable.
    env: Vec<(OsString, Option<OsString>)>,
    clear: bool,
    stdin: Option<Vec<u8>>,
    limit: usize,
    silence: Option<Duration>,
    stop: Option<(Arc<OwnedFd>, Duration)>,
}

impl Command {
    /// Adds one argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args
            .extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.env
            .push((name.as_ref().to_owned(), Some(value.as_ref().to_owned())));
        self
    }

    /// Removes an environment variable.
    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.env.push((name.as_ref().to_owned(), None));
        self
    }

    /// Passes nothing of this process's environment to the child, only the variables that [`Command::env`] sets.
    pub fn env_clear(mut self) -> Self {
        self.clear = true;
        self
    }

    /// Sets the bytes for the child's stdin; by default stdin is the null device.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Sets the number of bytes kept of stdout and of stderr; the rest is read, counted and discarded.
    pub fn capture_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Ends the child, as at its deadline, once it has written nothing to stdout and stderr for `silence`.
    pub fn silence_limit(mut self, silence: Duration) -> Self {
        self.silence = Some(silence);
        self
    }

    /// Ends the child, as at its deadline, once `readable` is readable. `grace` is the time between SIGTERM and SIGKILL.
    pub fn stop_when(mut self, readable: impl Into<OwnedFd>, grace: Duration) -> Self {
        self.stop = Some((Arc::new(readable.into()), grace));
        self
    }

    /// Runs the child to its end, or to `deadline` from now.
    ///
    /// At the deadline the child's whole process group gets SIGTERM and, half a second later, SIGKILL; this function
    /// returns within about a second and a half after the deadline whatever the child does.
    ///
    /// **Errors**: those of starting and watching. Exit codes, signals and an exceeded deadline are not errors but in
    /// [`Finished::end`]; [`Finished::code`] turns the last two into errors.
    pub fn run(self, deadline: Duration) -> Result<Finished, ProcError> {
        self.finished(deadline, None)
    }

    /// Like [`Command::run`], but passes stdout to `take` piece by piece, without a limit, and keeps nothing of it.
    ///
    /// While `take` works, the child blocks once its pipe is full, and the deadline is not checked.
    pub fn run_streamed(
        self,
        deadline: Duration,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<Finished, ProcError> {
        self.finished(deadline, Some(take))
    }

    fn finished(mut self, deadline: Duration, taker: Taker<'_, '_>) -> Result<Finished, ProcError> {
        let (stdin, limit) = (self.stdin.take(), self.limit);
        let stop = self.stop.take();
        let limits = Limits {
            deadline,
            silence: self.silence,
            stop: stop
                .as_ref()
                .map(|(readable, grace)| (readable.as_fd(), *grace)),
        };
        let (mut command, name) = self.prepared()?;
        command.process_group(0);
        command.stdin(if stdin.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|source| start_error(name.clone(), source))?;
        match wait::finish(&mut child, stdin.unwrap_or_default(), limit, limits, taker) {
            Ok((end, [stdout, stderr], pipe_held)) => Ok(Finished {
                program: name,
                end,
                stdout,
                stderr,
                pipe_held,
                deadline,
            }),
            Err(source) => {
                wait::abandon(&mut child);
                Err(ProcError::Watch {
                    program: name,
                    source,
                })
            }
        }
    }

    /// The program with its arguments, directory and environment, and its name; the streams are not set.
    pub(crate) fn prepared(self) -> Result<(process::Command, String), ProcError> {
        let name = self.program.to_string_lossy().into_owned();
        if !self.cwd.is_dir() {
            return Err(ProcError::NoDirectory {
                program: name,
                cwd: self.cwd,
            });
        }
        let mut command = process::Command::new(self.located());
        command.args(&self.args).current_dir(&self.cwd);
        if self.clear {
            command.env_clear();
        }
        for (variable, value) in &self.env {
            match value {
                Some(value) => command.env(variable, value),
                None => command.env_remove(variable),
            };
        }
        Ok((command, name))
    }

    fn located(&self) -> PathBuf {
        let path = Path::new(&self.program);
        if path.components().nth(1).is_some() || self.program.as_encoded_bytes().contains(&b'/') {
            self.cwd.join(path)
        } else {
            path.to_path_buf()
        }
    }
}

pub(crate) fn start_error(program: String, source: io::Error) -> ProcError {
    if source.kind() == io::ErrorKind::NotFound {
        ProcError::Absent { program }
    } else {
        ProcError::Start { program, source }
    }
}
