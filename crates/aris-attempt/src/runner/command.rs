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

/// The reference's shell, and the one that is everywhere, each with what runs its setup lines.
const SHELLS: [(&str, &str); 2] = [("bash", BASH_SETUP), ("sh", SH_SETUP)];

/// Lowest number of a lease's descriptor in the job: scripts use the single digits themselves.
const FIRST_LEASE: i32 = 20;

/// Runs the setup lines and becomes the command. Their text is evaluated as one piece, so that a quote left open in it is its own error,
/// and it cannot reach the command, which stands in read-only words. Descriptor 9 is a file: a letter in it says that the setup passed, and
/// behind it stands where the interpreter lies now.
///
/// **Shape**: `$1` setup, `$2` the interpreter's name or nothing, `$3`… the command.
const BASH_SETUP: &str = r#"readonly -a _aris_command=("${@:3}"); readonly _aris_setup=$1 _aris_interpreter=$2; shift "$#"
exec 9>&0 </dev/null; set -e
eval "$_aris_setup"
printf k >&9; command -v -- "$_aris_interpreter" >&9 2>/dev/null || :; exec 9>&-; exec "${_aris_command[@]}""#;

/// The same for a shell without arrays: there a function keeps the words from the setup.
const SH_SETUP: &str = r#"_aris_setup() { eval "$1"; }
exec 9>&0 </dev/null; set -e
_aris_setup "$1"; shift
printf k >&9; command -v -- "$1" >&9 2>/dev/null || :; shift; exec 9>&-; exec "$@""#;

/// A started command.
#[derive(Debug)]
pub(super) struct Started {
    /// Its first process.
    pub(super) child: Child,
    /// Where the setup lines say that they passed; `None` when there are none.
    pub(super) setup: Option<File>,
}

impl Started {
    /// Whether the command itself was reached.
    pub(super) fn setup_passed(&self) -> bool {
        let passed = |file: &File| file.metadata().is_ok_and(|data| data.len() > 0);
        self.setup.as_ref().is_none_or(passed)
    }

    /// Where the interpreter of the command lay when the setup had passed.
    pub(super) fn interpreter(&self) -> Option<String> {
        let mut bytes = vec![0; 4096];
        let length = self.setup.as_ref()?.read_at(&mut bytes, 0).ok()?;
        let text = str::from_utf8(bytes.get(..length)?).ok()?;
        // An alias or a function of the shell is no path.
        let path = text.strip_prefix('k')?.lines().next()?;
        path.starts_with('/').then(|| path.to_owned())
    }
}

/// Opens the log for append; it is created when absent and never cut.
pub(super) fn open_log(path: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::CLOEXEC;
    let log = rustix::fs::open(path, flags, Mode::from_raw_mode(0o666))?;
    Ok(log.into())
}

/// Starts the command in a process group of its own, writing to `log` directly, with `leases` open in it.
///
/// **Errors**: a text for people: what could not be started, and why.
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

/// A file that has no name: only its length counts.
fn marker() -> io::Result<File> {
    Ok(memfd_create("setup", MemfdFlags::CLOEXEC)?.into())
}

/// Copies of the leases that a child inherits. This process has one thread and starts one child, so nobody else gets them.
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
