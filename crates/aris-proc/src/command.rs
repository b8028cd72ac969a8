//! A child process to be.

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

/// Bytes kept of each output stream unless [`Command::capture_limit`] says otherwise.
///
/// **Source**: ours; far above what git, a TeX log on stdout or a helper's envelope needs, far below what hurts.
const CAPTURE_LIMIT: usize = 4 * 1024 * 1024;

/// Starts the description of a child: a program and the directory it runs in.
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

/// A child process to be: program, arguments, directory, environment, input.
///
/// Environment: that of this process, with the changes made here.
#[derive(Clone, Debug)]
#[must_use]
pub struct Command {
    program: OsString,
    cwd: PathBuf,
    args: Vec<OsString>,
    /// Changes of the environment in order; `None` removes.
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

    /// Gives the child nothing of this process's environment, only what [`Command::env`] sets.
    pub fn env_clear(mut self) -> Self {
        self.clear = true;
        self
    }

    /// Bytes for the child's stdin; without them it reads from the null device.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Number of bytes to keep of stdout and of stderr; what follows is read, counted and thrown away.
    pub fn capture_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Ends the child like at its deadline once it has written nothing to stdout and stderr for this long.
    pub fn silence_limit(mut self, silence: Duration) -> Self {
        self.silence = Some(silence);
        self
    }

    /// Ends the child like at its deadline once `readable` can be read from, with so much time between SIGTERM and SIGKILL.
    pub fn stop_when(mut self, readable: impl Into<OwnedFd>, grace: Duration) -> Self {
        self.stop = Some((Arc::new(readable.into()), grace));
        self
    }

    /// Runs the child to its end, or to `deadline` from now.
    ///
    /// At the deadline the child's whole process group gets SIGTERM and, half a second later, SIGKILL; this function
    /// returns within about a second and a half after the deadline whatever the child does.
    ///
    /// **Errors**: those of starting and watching. Exit codes, signals and an exceeded deadline are in
    /// [`Finished::end`]; [`Finished::code`] makes errors of the last two.
    pub fn run(self, deadline: Duration) -> Result<Finished, ProcError> {
        self.finished(deadline, None)
    }

    /// Like [`Command::run`], and gives stdout to `take` piece by piece as it comes, however much it is; none of it is kept.
    ///
    /// While `take` works the child waits once its pipe is full, and the deadline is not looked at.
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

    /// The program with its arguments, directory and environment, and its name; streams are not set.
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
