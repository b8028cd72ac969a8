//! The part on this machine: calls ssh with fixed options and a fixed command line, and explains how it ended.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_contract::failure::Told;
use aris_contract::hex::hex;
use aris_contract::{ErrorKind, Failure as _};
use aris_proc::{End, Finished};
use sha2::{Digest as _, Sha256};

use crate::message::{Answer, LIMIT, Request, find};
use crate::{HOME, is_name};

/// Options of ssh: it asks no question, and gives up on a dead network within about a minute. **Source**: `ssh_config(5)`; only
/// `ServerAlive*` notices a connection that hangs.
const OPTIONS: [&str; 11] = [
    "-T",
    "-o",
    "BatchMode=yes",
    "-o",
    "ConnectTimeout=10",
    "-o",
    "ServerAliveInterval=15",
    "-o",
    "ServerAliveCountMax=4",
    "-o",
    "StrictHostKeyChecking=yes",
];

/// Most times a request is sent when connections break.
const TRIES: usize = 3;

/// Deadline of one request.
const CALL: Duration = Duration::from_mins(2);

/// Deadline for copying the program: 10 MB over a slow line.
const DEPLOY: Duration = Duration::from_mins(15);

/// Most bytes of a program.
const PROGRAM: u64 = 256 << 20;

/// A server that is reached by ssh.
#[derive(Clone, Debug)]
pub struct Server {
    host: String,
    /// A configuration file for ssh; `None`: the user's own.
    config: Option<PathBuf>,
    /// The ssh program.
    ssh: OsString,
    /// The working directory of ssh, which has no effect on it.
    cwd: PathBuf,
}

/// A program for servers: its name there, and its bytes.
#[derive(Clone, Debug)]
pub struct Program {
    name: String,
    digest: String,
    bytes: Vec<u8>,
}

impl Program {
    /// Reads the program at `path`, which is called `name` on the server.
    ///
    /// **Errors**: `name` is not safe, or the file cannot be read.
    pub fn read(path: &Path, name: &str) -> Result<Self, Told> {
        if !is_name(name) {
            return Err(unusable("file", name));
        }
        let bytes = aris_fs::read(path, PROGRAM)?;
        Ok(Self {
            name: name.to_owned(),
            digest: hex(Sha256::digest(&bytes).iter().take(16)),
            bytes,
        })
    }

    /// The command line that starts it. All shells read single quotes alike.
    fn line(&self) -> String {
        let Self { name, digest, .. } = self;
        format!("exec sh -c 'exec \"$HOME/{HOME}/bin/{digest}/{name}\" --agent'")
    }

    /// The command line that stores the program from standard input. The file gets its name only when it has its full length.
    fn deploy_line(&self) -> String {
        let Self {
            name,
            digest,
            bytes,
        } = self;
        format!(
            "exec sh -c 'set -eu; umask 077; d=\"$HOME/{HOME}/bin/{digest}\"; mkdir -p \"$d\"; t=\"$d/.part.$$\"; \
             trap \"rm -f \\\"\\$t\\\"\" EXIT; cat >\"$t\"; [ \"$(wc -c <\"$t\")\" -eq {} ] || exit 9; \
             chmod 700 \"$t\"; mv -f \"$t\" \"$d/{name}\"'",
            bytes.len()
        )
    }
}

impl Server {
    /// The server `host`, a name that ssh knows. `config` replaces the user's ssh configuration.
    ///
    /// **Errors**: ssh would not read `host` as a host name.
    pub fn new(host: &str, config: Option<&Path>, cwd: &Path) -> Result<Self, Told> {
        // ssh takes a word with a leading dash as an option, and a host name has no white space.
        let odd = |char: char| char.is_whitespace() || char.is_control();
        if host.is_empty() || host.starts_with('-') || host.contains(odd) {
            return Err(unusable("host", host));
        }
        Ok(Self {
            host: host.to_owned(),
            config: config.map(Path::to_path_buf),
            ssh: OsString::from("ssh"),
            cwd: cwd.to_path_buf(),
        })
    }

    /// The same server, reached by another ssh program with the same options.
    #[must_use]
    pub fn with_ssh(mut self, ssh: impl Into<OsString>) -> Self {
        self.ssh = ssh.into();
        self
    }

    /// Puts the program on the server, unless it is already there.
    ///
    /// **Errors**: the program cannot be written there, and those of [`Server::call`].
    pub fn deploy(&self, program: &Program) -> Result<(), Told> {
        let probe = Request::new("probe");
        if self.answer(program, &probe)?.is_some() {
            return Ok(());
        }
        let done = self.ssh(&program.deploy_line(), program.bytes.clone(), DEPLOY)?;
        match done.end {
            End::Exited(0) => self.call(program, &probe).map(|_| ()),
            End::Exited(255) | End::TimedOut | End::Signalled(_) => Err(self.broken(&done)),
            End::Exited(9) => Err(self.unreachable("the connection broke in between")),
            End::Exited(_) => {
                let (host, why) = (&self.host, last_line(&done));
                let message = format!("the program could not be put on {host}: {why}");
                let hint = "look at the space and the rights in the home folder there";
                Err(Told::new(ErrorKind::Precondition, message, hint))
            }
        }
    }

    /// Makes one call. If the connection breaks, the same request is sent again, up to three times in all.
    ///
    /// **Errors**: there is no answer, which says nothing about the jobs on the server. After [`ErrorKind::Unavailable`] the call may or
    /// may not have been made.
    pub fn call(&self, program: &Program, request: &Request) -> Result<Answer, Told> {
        let absent = || {
            let message = format!("the program is not on {}", self.host);
            let hint = "run queue_manager deploy for this host";
            Told::new(ErrorKind::Precondition, message, hint)
        };
        self.answer(program, request)?.ok_or_else(absent)
    }

    /// The answer; `None`: the program is not on the server.
    fn answer(&self, program: &Program, request: &Request) -> Result<Option<Answer>, Told> {
        let names = request.files.keys().map(|name| ("file", name));
        for (what, name) in names.chain([("run", &request.folder)]) {
            if !is_name(name) {
                return Err(unusable(what, name));
            }
        }
        let sealed = request.clone().sealed();
        let (nonce, bytes) = sealed.map_err(|error| self.odd(&error.to_string()))?;
        let mut tries = 1;
        loop {
            let done = self.ssh(&program.line(), bytes.clone(), CALL)?;
            if let Some(answer) = find(&done.stdout.bytes, &nonce) {
                return Ok(Some(answer));
            }
            let Some(error) = self.without_answer(&done) else {
                return Ok(None);
            };
            if error.kind() != ErrorKind::Unavailable || tries == TRIES {
                return Err(error);
            }
            tries += 1;
        }
    }

    fn ssh(&self, line: &str, input: Vec<u8>, deadline: Duration) -> Result<Finished, Told> {
        let mut options: Vec<OsString> = OPTIONS.iter().map(OsString::from).collect();
        if let Some(config) = &self.config {
            options.extend([OsString::from("-F"), config.clone().into()]);
        }
        let call = aris_proc::command(&self.ssh, &self.cwd)
            .args(options)
            .args(["--", &self.host, line])
            .stdin(input)
            .capture_limit(LIMIT);
        Ok(call.run(deadline)?)
    }

    /// Why there is no answer; `None`: the program is not on the server. Exit codes 126 and 127 are the shell's (POSIX 2.8.2). 255 is ssh's
    /// own; a remote program that exits with 255 looks the same.
    fn without_answer(&self, done: &Finished) -> Option<Told> {
        Some(match done.end {
            End::Exited(127) => return None,
            End::Exited(126) => {
                let (host, why) = (&self.host, last_line(done));
                let message = format!("the program does not run on {host}: {why}");
                let hint = "give a program for that machine, such as the static build of a release, with --program";
                Told::new(ErrorKind::Precondition, message, hint)
            }
            End::Exited(255) | End::TimedOut | End::Signalled(_) => self.broken(done),
            End::Exited(0) => self.unreachable("the connection broke in the middle of the answer"),
            End::Exited(_) => self.odd(&last_line(done)),
        })
    }

    /// The error for a broken connection: a refusal by ssh, else an unreachable server. **Source**: the messages in OpenSSH's sshconnect.c
    /// and sshconnect2.c.
    fn broken(&self, done: &Finished) -> Told {
        let said = done.stderr.text();
        let why = match done.end {
            End::TimedOut => format!("no answer within {} s", done.deadline.as_secs()),
            _ => last_line(done),
        };
        let refusals = [
            "Host key verification failed",
            "REMOTE HOST IDENTIFICATION HAS CHANGED",
            "Permission denied",
            "Too many authentication failures",
        ];
        if refusals.iter().any(|text| said.contains(text)) {
            let host = &self.host;
            let message = format!("{host} refuses the connection: {why}");
            let hint = format!(
                "connect by hand once (ssh {host}) and settle the key there; it is never accepted automatically"
            );
            return Told::new(ErrorKind::Precondition, message, &hint);
        }
        self.unreachable(&why)
    }

    /// There is no connection, or it broke; this says nothing about the jobs there.
    fn unreachable(&self, why: &str) -> Told {
        let message = format!("{} cannot be reached: {why}", self.host);
        let hint = "check the name of the server: ssh HOST; jobs that run on it go on without this connection";
        Told::new(ErrorKind::Unavailable, message, hint)
    }

    /// The agent did not accept the request.
    fn odd(&self, why: &str) -> Told {
        let message = format!("the agent on {} refused: {why}", self.host);
        let hint = "deploy again, so that both sides have one version";
        Told::new(ErrorKind::Validation, message, hint)
    }
}

/// A name of a host, a run or a file that cannot be used.
fn unusable(what: &str, name: &str) -> Told {
    let hint = match what {
        "host" => "name it as in ~/.ssh/config, or as user@host",
        _ => "use letters, digits, dot, dash and underscore, at most 100",
    };
    let message = format!("{what} {name:?} is not usable");
    Told::new(ErrorKind::Usage, message, hint)
}

/// The last line of stderr, without control characters, at most 300 characters.
fn last_line(done: &Finished) -> String {
    let said = done.stderr.text();
    let line = said.lines().rev().find(|line| !line.trim().is_empty());
    let line = line.unwrap_or("nothing was said").trim();
    line.chars()
        .filter(|char| !char.is_control())
        .take(300)
        .collect()
}
