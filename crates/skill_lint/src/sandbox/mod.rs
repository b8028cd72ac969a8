//! Runs one program from a tree that nobody has read yet, and lets it reach as little as the system allows.
//!
//! Every call gets an empty working directory and an empty home, an environment of a few fixed variables, no input, a
//! deadline for its whole process group, capped output and resource limits. Where Linux lets an ordinary user do so it also
//! gets its own network (none), process table (nothing survives the call) and mount table (the tree that is checked, and the
//! user's home, can only be read). [`Sandbox::prepare`] finds out which of these work here by trying them; [`Isolation`]
//! says which were in force.
//!
//! What it does not do: stop a program from reading the user's files, from writing elsewhere on the disk, or from
//! reaching a local service through a socket file. It is a guard against accidents, not a jail for malware; that is why nothing
//! runs without a flag.

mod isolation;
mod scratch;
#[cfg(test)]
mod tests;
mod workplace;
mod wrapper;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_proc::{Finished, ProcError};

pub use isolation::{Isolation, Limits, Network, Processes, Reach};
pub use scratch::Scratch;
use workplace::Workplace;

/// Bytes kept of stdout and of stderr; what follows is read and thrown away.
///
/// **Source**: the specification of the dynamic rules (1 MiB per stream).
pub const OUTPUT_LIMIT: usize = 1024 * 1024;

/// Where proxies point when the network cannot be taken away: the discard port of this machine, where nobody listens.
const CLOSED_PROXY: &str = "http://127.0.0.1:9";

/// A program could not be run in the sandbox. This says nothing about the program.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// A folder or file of the sandbox itself.
    #[error(transparent)]
    Disk(#[from] FsError),
    /// A program of the sandbox itself, or the interpreter, could not be started or watched.
    #[error(transparent)]
    Process(#[from] ProcError),
    /// The layers around the program ended before it began.
    #[error("the sandbox did not start {program}: {said}")]
    NotStarted {
        /// What was to run.
        program: String,
        /// First line of stderr.
        said: String,
    },
}

impl Failure for SandboxError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Disk(error) => error.kind(),
            Self::Process(error) => error.kind(),
            Self::NotStarted { .. } => ErrorKind::Precondition,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Disk(error) => error.hint(),
            Self::Process(error) => error.hint(),
            Self::NotStarted { .. } => Some(String::from(
                "run without --run to leave out the dynamic rules",
            )),
        }
    }
}

/// Whether this process has the rights of the superuser, so that nothing should run without a second flag.
pub fn is_superuser() -> bool {
    rustix::process::geteuid().is_root()
}

/// One program to run.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// Program and arguments; a program without a slash is looked up on `PATH`.
    pub command: &'a [OsString],
    /// Directory to run in, relative to the scratch's; `None` is the scratch's empty working directory.
    pub cwd: Option<&'a Path>,
    /// Leave the network as it is. Everything else stays in force.
    pub with_network: bool,
}

/// What is in force here, and how to run something under it.
#[derive(Debug)]
pub struct Sandbox {
    isolation: Isolation,
    layers: isolation::Layers,
    path: OsString,
    workplace: Workplace,
    /// Folders that calls may only read.
    read_only: Vec<PathBuf>,
    uid: u32,
    gid: u32,
}

impl Sandbox {
    /// Finds out by trying what this system allows.
    ///
    /// `path` is the `PATH` of the calls, `temporary` the folder for scratch folders, `tree` the tree that is checked and
    /// `home` the user's home: calls may only read the last two, where that can be arranged.
    ///
    /// **Errors**: [`SandboxError::Process`] when not even `sh` can be run.
    pub fn prepare(
        path: &str,
        temporary: &Path,
        tree: &Path,
        home: Option<&Path>,
        timeout: Duration,
    ) -> Result<Self, SandboxError> {
        isolation::prepare(path, temporary, tree, home, timeout)
    }

    /// What is in force.
    pub fn isolation(&self) -> &Isolation {
        &self.isolation
    }

    /// `PATH` of the calls.
    pub fn path(&self) -> &OsString {
        &self.path
    }

    /// Makes the two empty folders of a call.
    pub fn scratch(&self) -> Result<Scratch, SandboxError> {
        Ok(self.workplace.scratch()?)
    }

    /// Runs a program to its end or to the deadline.
    ///
    /// An exit code above 128 is how the shell around the program says that a signal ended it.
    ///
    /// **Errors**: when the program did not run at all; its own failures are in [`Finished`].
    pub fn run(&self, call: &Call<'_>, scratch: &Scratch) -> Result<Finished, SandboxError> {
        let line = wrapper::command_line(self, call, scratch);
        let (program, args) = line
            .split_first()
            .ok_or_else(|| not_started(call, "nothing to run"))?;
        let cwd = call
            .cwd
            .map_or_else(|| scratch.cwd(), |inner| scratch.cwd().join(inner));
        let mut command = aris_proc::command(program, cwd)
            .args(args)
            .env_clear()
            .env("PATH", &self.path)
            .capture_limit(OUTPUT_LIMIT);
        for (name, value) in FIXED_ENVIRONMENT {
            command = command.env(name, value);
        }
        for (name, below) in HOMES {
            // Joining nothing would add a slash.
            let folder = if below.is_empty() {
                scratch.home()
            } else {
                scratch.home().join(below)
            };
            command = command.env(name, folder);
        }
        command = command.env("TMPDIR", scratch.temporary());
        if self.isolation.network == Network::Proxies && !call.with_network {
            for name in PROXIES {
                command = command.env(name, CLOSED_PROXY);
            }
        }
        scratch.forget_start()?;
        let finished = command.run(Duration::from_secs(self.isolation.limits.timeout_s))?;
        if scratch.has_started() {
            Ok(finished)
        } else {
            let said = finished.stderr.text();
            Err(not_started(
                call,
                said.lines().next().unwrap_or("no message"),
            ))
        }
    }
}

/// Variables with the same value in every call.
///
/// **Source**: the specification of the dynamic rules.
const FIXED_ENVIRONMENT: [(&str, &str); 5] = [
    ("LANG", "C.UTF-8"),
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("CI", "1"),
    ("SKILL_LINT", "1"),
];

/// Variables that name a user's folders, and where below the scratch's home they point.
///
/// **Source**: the specification of the dynamic rules; the places are those of the XDG base directory specification.
const HOMES: [(&str, &str); 8] = [
    ("HOME", ""),
    ("USERPROFILE", ""),
    ("APPDATA", "AppData/Roaming"),
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_CACHE_HOME", ".cache"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_RUNTIME_DIR", ".run"),
];

/// Both spellings are in use; curl reads `http_proxy` in lower case only.
const PROXIES: [&str; 8] = [
    "http_proxy",
    "https_proxy",
    "ftp_proxy",
    "all_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "FTP_PROXY",
    "ALL_PROXY",
];

fn not_started(call: &Call<'_>, said: &str) -> SandboxError {
    let program = call
        .command
        .first()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    SandboxError::NotStarted {
        program,
        said: said.to_owned(),
    }
}
