//! Runs one program from an unreviewed tree.
//!
//! Every call gets an empty working directory and an empty home, an environment of a few fixed variables, no input, a deadline
//! for its process group, capped output and resource limits. Bubblewrap confines it: the call sees the system's programs, the
//! tree and the interpreter, all read-only, and no other files; it has no network, sees no other processes and no sockets of
//! the user. Without a working bubblewrap nothing runs, unless the caller allows it.
//!
//! Landlock alone is not enough: up to its ABI 7 (Linux 6.18) it restricts neither UDP nor connections to other programs'
//! socket files.

mod scratch;
#[cfg(test)]
mod tests;
mod workplace;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_proc::{Finished, ProcError};
use serde::Serialize;

use crate::Error;

pub use scratch::Scratch;
use workplace::Workplace;

/// Bytes kept of stdout and of stderr; the rest is read and discarded.
///
/// **Source**: the specification of the dynamic rules (1 MiB per stream).
pub const OUTPUT_LIMIT: usize = 1024 * 1024;

/// Largest size of one file, in bytes. The total is not limited; the scratch folder is removed after the call.
const FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Limit of private writable memory of one process, in bytes. The address space is not limited, because language runtimes
/// reserve terabytes of it without using them.
const DATA_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// Processes and threads of one call at a time. Runtimes and numerical libraries start one thread per core or a dozen more.
const PROCESSES: u32 = 256;

/// CPU seconds of one process for each second of the deadline: that many cores can be busy.
const CPU_PER_SECOND: u64 = 4;

/// System folders that a call sees, read-only, beside the tree and its interpreter. Homes, `/run`, `/var` and `/mnt` are not
/// among them.
const SYSTEM: &str = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /opt /nix /gnu";

/// The parts of `/etc` that programs need. The rest contains keys and passwords, which a finding might quote.
const SETTINGS: &str = "alternatives ca-certificates fonts group java ld.so.cache ld.so.conf ld.so.conf.d ld.so.preload locale.alias \
    localtime magic mime.types nsswitch.conf os-release passwd perl pki/tls/certs python3 ssl/certs \
    ssl/openssl.cnf texmf";

/// Folders that every program expects; they are empty in the sandbox.
const EMPTY: [&str; 3] = ["/tmp", "/var/tmp", "/run"];

/// What was in force while programs of the tree ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Isolation {
    /// `bubblewrap`; `null` when programs ran with the rights of the user.
    pub by: Option<&'static str>,
    /// The limits of a call.
    pub limits: Limits,
}

/// The limits of a call. `null` where the system sets none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Limits {
    /// Seconds until the call is ended.
    pub timeout_s: u64,
    /// Bytes kept of stdout and of stderr.
    pub output_bytes: usize,
    /// CPU seconds of one process.
    pub cpu_s: Option<u64>,
    /// Bytes of one file.
    pub file_bytes: Option<u64>,
    /// Bytes of private writable memory of one process.
    pub data_bytes: Option<u64>,
    /// Processes and threads at once.
    pub processes: Option<u32>,
}

/// The sandbox of this machine: its isolation, and how to run a program in it.
#[derive(Debug)]
pub struct Sandbox {
    isolation: Isolation,
    path: OsString,
    workplace: Workplace,
    tree: PathBuf,
}

/// Prints the limits as the system set them, one per line; the file size is in blocks. Then prints whether a child can start
/// under a limit of 8 processes, and whether it cannot under a limit of 1. A limit that counts all processes of the user fails
/// the first test; a limit that the system ignores fails the second.
const PROBE: &str = r#"
ulimit -t; ulimit -f; ulimit -d
limit() { ulimit -u "$1" 2>/dev/null || ulimit -p "$1" 2>/dev/null; }
limit 8 && (true) || exit 0
limit 1 || exit 0
(true) 2>/dev/null || echo counted
"#;

/// Sets the limits, creates a file as proof that it ran, and executes the program. `ulimit -p` is dash's name for `-u`. A limit
/// that cannot be set is skipped: `prepare` has tested the limits and reports those that work.
///
/// Arguments: CPU seconds, file size in 512-byte blocks, data in KiB, processes, each a number or `-` for none; the file to
/// create; the program.
const LIMITED: &str = r#"
[ "$1" = - ] || ulimit -t "$1" 2>/dev/null
[ "$2" = - ] || ulimit -f "$2" 2>/dev/null
[ "$3" = - ] || ulimit -d "$3" 2>/dev/null
[ "$4" = - ] || ulimit -u "$4" 2>/dev/null || ulimit -p "$4" 2>/dev/null
: >"$5" || exit 125
shift 5
exec "$@"
"#;

impl Sandbox {
    /// Tests whether programs can be confined on this machine.
    ///
    /// `path` is the `PATH` of the calls, `temporary` the folder for scratch folders, `tree` the checked tree.
    ///
    /// **Errors**: [`Error::Unconfined`] when they cannot be confined and `unsandboxed` is false; [`Error::Process`] when not
    /// even `sh` runs.
    pub fn prepare(
        path: &str,
        temporary: &Path,
        tree: &Path,
        timeout: Duration,
        unsandboxed: bool,
    ) -> Result<Self, Error> {
        let tree = tree.canonicalize().unwrap_or_else(|_| tree.to_path_buf());
        if !unsandboxed && !is_narrow(&tree) {
            let reason = format!("{} holds more than skills", tree.display());
            return Err(Error::Unconfined(reason));
        }
        let timeout_s = timeout.as_secs().max(1);
        let limits = Limits {
            timeout_s,
            output_bytes: OUTPUT_LIMIT,
            cpu_s: Some(timeout_s.saturating_mul(CPU_PER_SECOND)),
            file_bytes: Some(FILE_BYTES),
            data_bytes: Some(DATA_BYTES),
            processes: None,
        };
        let by = (!unsandboxed).then_some("bubblewrap");
        let mut sandbox = Self {
            isolation: Isolation { by, limits },
            path: path.into(),
            workplace: Workplace::create_in(temporary)?,
            tree,
        };
        let scratch = sandbox.scratch()?;
        let command = ["sh", "-c", PROBE].map(OsString::from);
        let finished = match sandbox.run(&command, &scratch.cwd(), &scratch) {
            Err(Error::NotStarted { said, .. }) if by.is_some() => {
                let reason = format!("bubblewrap does not work here ({said})");
                return Err(Error::Unconfined(reason));
            }
            Err(Error::Process(ProcError::Absent { program })) if program == "bwrap" => {
                let reason = String::from("bubblewrap is not installed");
                return Err(Error::Unconfined(reason));
            }
            finished => finished?,
        };
        scratch.remove()?;
        let text = finished.stdout.text();
        let mut set = text.lines().map(|line| line.trim().parse::<u64>().ok());
        let limits = &mut sandbox.isolation.limits;
        let mut hold = |wanted: Option<u64>, unit: u64| {
            let found = set.next().flatten();
            wanted.filter(|wanted| found.is_some_and(|found| found.saturating_mul(unit) <= *wanted))
        };
        limits.cpu_s = hold(limits.cpu_s, 1);
        limits.file_bytes = hold(limits.file_bytes, 512);
        limits.data_bytes = hold(limits.data_bytes, 1024);
        let counted = by.is_some() && text.trim_end().ends_with("counted");
        limits.processes = counted.then_some(PROCESSES);
        Ok(sandbox)
    }

    /// The isolation that applies to the calls.
    pub fn isolation(&self) -> &Isolation {
        &self.isolation
    }

    /// `PATH` of the calls.
    pub fn path(&self) -> &OsString {
        &self.path
    }

    /// Makes the scratch folders of a call.
    pub fn scratch(&self) -> Result<Scratch, Error> {
        Ok(self.workplace.scratch()?)
    }

    /// Runs a program to its end or to the deadline. A program without a slash is searched on `PATH`.
    ///
    /// The shell around the program reports a signal as an exit code above 128.
    ///
    /// **Errors**: the program did not run at all. Its own failure is in [`Finished`].
    pub fn run(
        &self,
        command: &[OsString],
        cwd: &Path,
        scratch: &Scratch,
    ) -> Result<Finished, Error> {
        let program = command.first().map(Path::new);
        let mut line = match self.isolation.by {
            Some(_) => self.confined(program, scratch, cwd),
            None => Vec::new(),
        };
        line.extend(["sh", "-c", LIMITED, "sh"].map(OsString::from));
        let limits = &self.isolation.limits;
        let or_none =
            |value: Option<u64>| value.map_or_else(|| "-".into(), |value| value.to_string().into());
        line.push(or_none(limits.cpu_s));
        line.push(or_none(limits.file_bytes.map(|bytes| bytes / 512)));
        line.push(or_none(limits.data_bytes.map(|bytes| bytes / 1024)));
        line.push(or_none(limits.processes.map(u64::from)));
        line.push(scratch.started_mark().into());
        line.extend(command.iter().cloned());
        let mut words = line.into_iter();
        let mut command = aris_proc::command(words.next().unwrap_or_default(), cwd)
            .args(words)
            .env_clear()
            .env("PATH", &self.path)
            .capture_limit(OUTPUT_LIMIT);
        for (name, value) in FIXED_ENVIRONMENT {
            command = command.env(name, value);
        }
        for (name, below) in HOMES {
            // Joining an empty path would append a slash.
            let folder = if below.is_empty() {
                scratch.home()
            } else {
                scratch.home().join(below)
            };
            command = command.env(name, folder);
        }
        command = command.env("TMPDIR", scratch.temporary());
        scratch.forget_start()?;
        let finished = command.run(Duration::from_secs(self.isolation.limits.timeout_s))?;
        if scratch.has_started() {
            return Ok(finished);
        }
        let said = finished.stderr.text();
        Err(Error::NotStarted {
            program: program.map_or_else(String::new, |name| name.display().to_string()),
            said: said.lines().next().unwrap_or("no message").to_owned(),
        })
    }

    /// The bubblewrap command line, with everything that a call may see.
    fn confined(&self, program: Option<&Path>, scratch: &Scratch, cwd: &Path) -> Vec<OsString> {
        let fixed = "bwrap --unshare-all --die-with-parent --new-session --cap-drop ALL --dev /dev --proc /proc";
        let mut line: Vec<OsString> = fixed.split(' ').map(OsString::from).collect();
        let mut mount = |how: &str, folder: &Path| {
            line.push(how.into());
            line.push(folder.into());
            if how != "--tmpfs" {
                line.push(folder.into());
            }
        };
        for folder in EMPTY {
            mount("--tmpfs", Path::new(folder));
        }
        for folder in SYSTEM.split(' ') {
            mount("--ro-bind-try", Path::new(folder));
        }
        for name in SETTINGS.split(' ') {
            mount("--ro-bind-try", &Path::new("/etc").join(name));
        }
        let seen = |folder: &Path| SYSTEM.split(' ').any(|system| folder.starts_with(system));
        // Programs below the home are left out: they need the rest of the home, so they would be found and then fail.
        let home = std::env::home_dir();
        let on_path = std::env::split_paths(&self.path).filter(|folder| {
            folder.is_absolute() && !home.as_ref().is_some_and(|home| folder.starts_with(home))
        });
        let installed = program.and_then(prefix);
        let programs = on_path.chain(installed);
        for folder in programs.filter(|folder| is_narrow(folder) && !seen(folder)) {
            mount("--ro-bind-try", &folder);
        }
        mount("--ro-bind", &self.tree);
        mount("--bind", scratch.root());
        line.extend(["--chdir".into(), cwd.into(), "--".into()]);
        line
    }
}

/// The folder where a program is installed with its libraries: the parent of its `bin`. Never a home or a folder above one.
fn prefix(program: &Path) -> Option<PathBuf> {
    let bin = program.parent().filter(|_| program.is_absolute())?;
    let above = bin.parent().filter(|_| bin.ends_with("bin"))?;
    // `~/.local` contains more than programs.
    let narrow = is_narrow(above) && !above.ends_with(".local");
    Some(if narrow { above } else { bin }.to_path_buf())
}

/// Whether a folder contains neither a home nor the system's sockets, so that a call may see it.
fn is_narrow(folder: &Path) -> bool {
    let fixed = EMPTY.into_iter().chain(["/home"]).map(PathBuf::from);
    let mut private = fixed.chain(std::env::home_dir());
    !private.any(|private| private.starts_with(folder))
}

/// Variables that have the same value in every call.
///
/// **Source**: the specification of the dynamic rules.
const FIXED_ENVIRONMENT: [(&str, &str); 5] = [
    ("LANG", "C.UTF-8"),
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("CI", "1"),
    ("SKILL_LINT", "1"),
];

/// Variables that name a user's folders, with the path below the scratch's home that they get.
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
