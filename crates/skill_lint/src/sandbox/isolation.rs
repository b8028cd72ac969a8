//! What of the sandbox works on this system: found by trying, never assumed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_proc::Finished;
use rustix::process::{getegid, geteuid};
use serde::Serialize;

use super::workplace::Workplace;
use super::{Sandbox, SandboxError};

/// Bytes that one file may grow to. Several files can hold more; they are gone with the scratch folder.
const FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Bytes of private writable memory of one process. It is this and not the address space that is limited, because language
/// runtimes reserve address space by the terabyte and do not use it.
const DATA_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// Processes and threads of one call at once. Runtimes and numerical libraries start one thread per core or a dozen more.
const PROCESSES: u32 = 256;

/// CPU seconds of one process, per second of the deadline: as many cores as it can have kept busy. It ends what leaves the
/// process group and cannot be reached.
const CPU_PER_SECOND: u64 = 4;

/// What was in force while programs of the tree ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Isolation {
    /// The network.
    pub network: Network,
    /// What ends with a call.
    pub processes: Processes,
    /// What calls can do to the tree that is checked.
    pub tree: Reach,
    /// What calls can do to the user's real home.
    pub home: Reach,
    /// Whether calls end when the linter is killed.
    pub ends_with_linter: bool,
    /// Whether calls run with the rights of the superuser outside of a user namespace.
    pub superuser: bool,
    /// The limits of a call.
    pub limits: Limits,
}

/// How the network is kept away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// A network namespace without any interface that is up.
    Namespace,
    /// Only proxy variables that point to a closed port: a program that ignores them reaches the network.
    Proxies,
}

/// How the processes of a call are ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Processes {
    /// A process namespace: all of them, whatever they did.
    Namespace,
    /// The process group: one that made a group of its own may survive.
    Group,
}

/// What calls can do to a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// They can only read it.
    ReadOnly,
    /// They can do what the user can.
    Writable,
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

/// The layers around a program.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Layers {
    /// `setpriv`: the call dies with the linter, and gains no rights by running a set-user-id program.
    pub(super) setpriv: bool,
    /// `unshare`: own network and process table.
    pub(super) namespaces: bool,
    /// Own user table: for everybody but the superuser the way to the others.
    pub(super) user: bool,
    /// Own mount table.
    pub(super) mounts: bool,
}

/// The ways to get namespaces, best first.
const WAYS: [(bool, bool); 4] = [(true, true), (true, false), (false, true), (false, false)];

/// Prints the namespaces that the caller asks about.
const NAMESPACES: &str = "readlink /proc/self/ns/net && readlink /proc/self/ns/pid";

/// Prints the limits as they were set, one per line. The file size is in blocks.
const LIMITS: &str = "ulimit -t; ulimit -f; ulimit -d";

/// Says whether a limit of `$1` processes still lets a child start, and whether a limit of one does not. A limit that counts all
/// processes of the user would fail the first, one that the system does not heed the second.
const FORKS: &str = r#"
limit() { ulimit -u "$1" 2>/dev/null || ulimit -p "$1" 2>/dev/null; }
limit 8 && (true) || exit 1
limit 1 || exit 1
(true) 2>/dev/null && exit 1
echo counted
"#;

pub(super) fn prepare(
    path: &str,
    temporary: &Path,
    tree: &Path,
    home: Option<&Path>,
    timeout: Duration,
) -> Result<Sandbox, SandboxError> {
    let timeout_s = timeout.as_secs().max(1);
    let limits = Limits {
        timeout_s,
        output_bytes: super::OUTPUT_LIMIT,
        cpu_s: Some(timeout_s.saturating_mul(CPU_PER_SECOND)),
        file_bytes: Some(FILE_BYTES),
        data_bytes: Some(DATA_BYTES),
        processes: None,
    };
    let mut sandbox = Sandbox {
        isolation: Isolation {
            network: Network::Proxies,
            processes: Processes::Group,
            tree: Reach::Writable,
            home: Reach::Writable,
            ends_with_linter: false,
            superuser: geteuid().is_root(),
            limits,
        },
        layers: Layers::default(),
        path: path.into(),
        workplace: Workplace::create_in(temporary)?,
        read_only: Vec::new(),
        uid: geteuid().as_raw(),
        gid: getegid().as_raw(),
    };
    let scratch = sandbox.scratch()?;
    sandbox.find_limits(&scratch)?;
    sandbox.find_layers(&scratch);
    sandbox.find_read_only(&scratch, tree, home);
    scratch.remove()?;
    Ok(sandbox)
}

impl Sandbox {
    /// Which of the limits the shell can set. The first thing that runs, so that a system without `sh` says so.
    fn find_limits(&mut self, scratch: &super::Scratch) -> Result<(), SandboxError> {
        let finished = self.try_script(LIMITS, &[], scratch)?;
        let text = finished.stdout.text();
        let mut set = text.lines().map(|line| line.trim().parse::<u64>().ok());
        let limits = &mut self.isolation.limits;
        let mut hold = |wanted: Option<u64>, unit: u64| {
            let found = set.next().flatten();
            wanted.filter(|wanted| found.is_some_and(|found| found.saturating_mul(unit) <= *wanted))
        };
        limits.cpu_s = hold(limits.cpu_s, 1);
        limits.file_bytes = hold(limits.file_bytes, 512);
        limits.data_bytes = hold(limits.data_bytes, 1024);
        Ok(())
    }

    fn find_layers(&mut self, scratch: &super::Scratch) {
        self.layers.setpriv = true;
        self.layers.setpriv = self.works("true", &[], scratch);
        self.isolation.ends_with_linter = self.layers.setpriv;
        let own: Vec<PathBuf> = ["net", "pid"]
            .iter()
            .filter_map(|kind| std::fs::read_link(format!("/proc/self/ns/{kind}")).ok())
            .collect();
        for (user, mounts) in WAYS {
            // Without a user namespace only the superuser gets the others.
            if !user && !self.isolation.superuser {
                continue;
            }
            let before = self.isolation.clone();
            self.layers = Layers {
                namespaces: true,
                user,
                mounts,
                ..self.layers
            };
            self.isolation.network = Network::Namespace;
            self.isolation.processes = Processes::Namespace;
            self.isolation.superuser &= !user;
            let inside = self.try_script(NAMESPACES, &[], scratch);
            let differ = inside.is_ok_and(|finished| {
                let text = finished.stdout.text();
                let inside: Vec<&Path> = text.lines().map(Path::new).collect();
                own.len() == 2
                    && inside.len() == 2
                    && own.iter().zip(inside).all(|(own, inside)| own != inside)
            });
            if differ {
                let counted = self.try_script(FORKS, &[], scratch);
                let counted =
                    counted.is_ok_and(|finished| finished.stdout.text().trim() == "counted");
                self.isolation.limits.processes = counted.then_some(PROCESSES);
                return;
            }
            self.isolation = before;
            self.layers = Layers {
                setpriv: self.layers.setpriv,
                ..Layers::default()
            };
        }
    }

    fn find_read_only(&mut self, scratch: &super::Scratch, tree: &Path, home: Option<&Path>) {
        if !self.layers.mounts {
            return;
        }
        for (folder, is_tree) in home
            .map(|home| (home, false))
            .into_iter()
            .chain([(tree, true)])
        {
            // Where the scratch folders lie must stay writable, and making the root read-only would not reach what is
            // mounted below it.
            let Ok(folder) = folder.canonicalize() else {
                continue;
            };
            if folder.parent().is_none() || self.workplace.root().starts_with(&folder) {
                continue;
            }
            let args = [folder.clone().into_os_string()];
            let cannot_write = |sandbox: &Self| sandbox.works(r#"[ ! -w "$1" ]"#, &args, scratch);
            // What lies below a read-only folder needs no mount of its own, unless it is one already.
            let is_below = self.read_only.iter().any(|above| folder.starts_with(above));
            if !(is_below && cannot_write(self)) {
                self.read_only.push(folder.clone());
                if !cannot_write(self) {
                    self.read_only.pop();
                    continue;
                }
            }
            let isolation = &mut self.isolation;
            *(if is_tree {
                &mut isolation.tree
            } else {
                &mut isolation.home
            }) = Reach::ReadOnly;
        }
    }

    fn works(&self, script: &str, args: &[OsString], scratch: &super::Scratch) -> bool {
        self.try_script(script, args, scratch)
            .is_ok_and(|finished| finished.success())
    }

    fn try_script(
        &self,
        script: &str,
        args: &[OsString],
        scratch: &super::Scratch,
    ) -> Result<Finished, SandboxError> {
        let mut command: Vec<OsString> = ["sh", "-c", script, "sh"].map(OsString::from).to_vec();
        command.extend(args.iter().cloned());
        self.run(
            &super::Call {
                command: &command,
                cwd: None,
                with_network: false,
            },
            scratch,
        )
    }
}
