//! The command of an attempt as a child process.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command as Process, Stdio};

use crate::format::{Command, Spec};
use rustix::fs::{MemfdFlags, Mode, OFlags, memfd_create};
use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_setfd};

/// The shells to try, each with its script for setup lines: first the reference's, then the one that every system has.
const SHELLS: [(&str, &str); 2] = [("bash", BASH_SETUP), ("sh", SH_SETUP)];

/// Lowest descriptor of a lease in the job; scripts use single digits themselves.
const FIRST_LEASE: i32 = 20;

/// Runs the setup lines, then replaces itself by the command. The lines are evaluated as one text, so that an unclosed quote in them is an
/// error of theirs. They cannot change the command, which is in a read-only array. Descriptor 9 is a file: after the setup, the script
/// writes the letter `k` and the path of the interpreter to it.
///
/// **Shape**: `$1` setup, `$2` the interpreter's name or empty, `$3`… the command.
const BASH_SETUP: &str = r#"readonly -a _aris_command=("${@:3}"); readonly _aris_setup=$1 _aris_interpreter=$2; shift "$#"
exec 9>&0 </dev/null; set -e
eval "$_aris_setup"
printf k >&9; command -v -- "$_aris_interpreter" >&9 2>/dev/null || :; exec 9>&-; exec "${_aris_command[@]}""#;

/// The same for shells without arrays; there, a function keeps the arguments from the setup lines.
const SH_SETUP: &str = r#"_aris_setup() { eval "$1"; }
exec 9>&0 </dev/null; set -e
_aris_setup "$1"; shift
printf k >&9; command -v -- "$1" >&9 2>/dev/null || :; shift; exec 9>&-; exec "$@""#;

/// A started command.
#[derive(Debug)]
pub(super) struct Started {
    /// Its first process.
    pub(super) child: Child,
    /// The file that says that the setup lines succeeded; `None` if there are no such lines.
    pub(super) setup: Option<File>,
}

impl Started {
    /// Whether the setup lines succeeded, so that the command was started.
    pub(super) fn setup_passed(&self) -> bool {
        let passed = |file: &File| file.metadata().is_ok_and(|data| data.len() > 0);
        self.setup.as_ref().is_none_or(passed)
    }

    /// Path of the command's interpreter after the setup lines.
    pub(super) fn interpreter(&self) -> Option<String> {
        let mut bytes = vec![0; 4096];
        let length = self.setup.as_ref()?.read_at(&mut bytes, 0).ok()?;
        let text = str::from_utf8(bytes.get(..length)?).ok()?;
        // For an alias or a function, the shell prints no path.
        let path = text.strip_prefix('k')?.lines().next()?;
        path.starts_with('/').then(|| path.to_owned())
    }
}

/// Opens the log for appending; creates it if it is missing, and never truncates it.
pub(super) fn open_log(path: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::CLOEXEC;
    let log = rustix::fs::open(path, flags, Mode::from_raw_mode(0o666))?;
    Ok(log.into())
}

/// Starts the command in its own process group. It writes to `log` directly, and inherits `leases`.
///
/// **Errors**: a message for people: what could not be started, and why.
pub(super) fn start(spec: &Spec, log: &File, leases: &[OwnedFd]) -> Result<Started, String> {
    let setup = (!spec.setup.is_empty()).then(marker).transpose();
    let setup = setup.map_err(|error| format!("cannot prepare the setup lines: {error}"))?;
    let inherited = inheritable(leases);
    let inherited = inherited.map_err(|error| format!("cannot keep the cards: {error}"))?;
    let mut failure = String::new();
    for (shell, script) in SHELLS {
        let mut process = prepared(spec, shell, setup.as_ref().map(|_| script));
        let streams = (|| -> io::Result<()> {
            process.stdin(match &setup {
                Some(setup) => Stdio::from(setup.try_clone()?),
                None => Stdio::null(),
            });
            process.stdout(log.try_clone()?).stderr(log.try_clone()?);
            Ok(())
        })();
        let spawned =
            streams.and_then(|()| process.current_dir(&spec.cwd).process_group(0).spawn());
        match spawned {
            Ok(child) => {
                drop(inherited);
                return Ok(Started { child, setup });
            }
            Err(error) => {
                failure = format!("cannot start {}: {error}", process.get_program().display());
                if error.kind() != io::ErrorKind::NotFound {
                    break;
                }
            }
        }
    }
    Err(failure)
}

fn prepared(spec: &Spec, shell: &str, script: Option<&str>) -> Process {
    let mut words: Vec<&str> = Vec::new();
    let setup = spec.setup.join("\n");
    let interpreter = aris_runs::interpreter(&spec.command.line()).unwrap_or_default();
    if let Some(script) = script {
        words.extend([shell, "-c", script, shell, &setup, &interpreter]);
    }
    match &spec.command {
        Command::Shell(text) => words.extend([shell, "-c", text]),
        Command::Argv(argv) => words.extend(argv.iter().map(String::as_str)),
    }
    let mut words = words.into_iter();
    #[expect(
        clippy::disallowed_methods,
        reason = "this process is the job's deadline and its supervisor"
    )]
    let mut process = Process::new(words.next().unwrap_or_default());
    process.args(words).envs(&spec.env);
    process
}

/// An anonymous file for the result of the setup lines.
fn marker() -> io::Result<File> {
    Ok(memfd_create("setup", MemfdFlags::CLOEXEC)?.into())
}

/// Inheritable copies of the leases. This process has one thread and starts one child, so no other process inherits them.
fn inheritable(leases: &[OwnedFd]) -> io::Result<Vec<OwnedFd>> {
    let mut copies = Vec::new();
    for lease in leases {
        let copy = fcntl_dupfd_cloexec(lease.as_fd(), FIRST_LEASE)?;
        debug_assert!(copy.as_raw_fd() >= FIRST_LEASE);
        fcntl_setfd(&copy, FdFlags::empty())?;
        copies.push(copy);
    }
    Ok(copies)
}
