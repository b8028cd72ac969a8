//! The side here: ssh with fixed options and a fixed line, and what its ending means.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_contract::hex::hex;
use aris_proc::{End, Finished};
use sha2::{Digest as _, Sha256};

use crate::error::RemoteError;
use crate::message::{Answer, LIMIT, Request, find};
use crate::{HOME, is_name};

/// How ssh is called: never a question, a dead network noticed within a minute. **Source**: `ssh_config(5)`; a frozen network is
/// noticed by `ServerAlive*` only.
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

/// Times a request is sent when connections break.
const TRIES: usize = 3;

/// Time for one request.
const CALL: Duration = Duration::from_mins(2);

/// Time to bring the program there: 10 MB over a slow line.
const DEPLOY: Duration = Duration::from_mins(15);

/// Bytes of a program at most.
const PROGRAM: u64 = 256 << 20;

/// A server that is reached by ssh.
#[derive(Clone, Debug)]
pub struct Server {
    host: String,
    /// Of ssh; `None`: the user's own.
    config: Option<PathBuf>,
    /// The ssh program.
    ssh: OsString,
    /// Where ssh is started; only needed because every process has a place.
    cwd: PathBuf,
}

/// A program as it lies on servers: its name there, and its bytes.
#[derive(Clone, Debug)]
pub struct Program {
    name: String,
    digest: String,
    bytes: Vec<u8>,
}

impl Program {
    /// The program at `path`, which is called `name` there.
    ///
    /// **Errors**: [`RemoteError::Name`], [`RemoteError::Disk`].
    pub fn read(path: &Path, name: &str) -> Result<Self, RemoteError> {
        if !is_name(name) {
            return Err(RemoteError::Name {
                what: "file",
                name: name.to_owned(),
            });
        }
        let bytes = aris_fs::read(path, PROGRAM)?;
        Ok(Self {
            name: name.to_owned(),
            digest: hex(Sha256::digest(&bytes).iter().take(16)),
            bytes,
        })
    }

    /// The line that starts it. Every shell reads single quotes alike.
    fn line(&self) -> String {
        let Self { name, digest, .. } = self;
        format!("exec sh -c 'exec \"$HOME/{HOME}/bin/{digest}/{name}\" --agent'")
    }

    /// The line that takes it from standard input. A cut leaves a part that is too short and gets no name.
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
    /// The server `host`, as ssh knows it. `config` replaces the user's ssh configuration.
    ///
    /// **Errors**: [`RemoteError::Name`].
    pub fn new(host: &str, config: Option<&Path>, cwd: &Path) -> Result<Self, RemoteError> {
        // ssh takes what begins with a dash for an option, and a host name has no blanks.
        let odd = |char: char| char.is_whitespace() || char.is_control();
        if host.is_empty() || host.starts_with('-') || host.contains(odd) {
            return Err(RemoteError::Name {
                what: "host",
                name: host.to_owned(),
            });
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

    /// Puts the program there, where it is not yet.
    ///
    /// **Errors**: [`RemoteError::Deploy`] and those of the connection.
    pub fn deploy(&self, program: &Program) -> Result<(), RemoteError> {
        let probe = Request::new("probe");
        match self.call(program, &probe) {
            Err(RemoteError::Absent(_)) => {}
            other => return other.map(|_| ()),
        }
        let done = self.ssh(&program.deploy_line(), program.bytes.clone(), DEPLOY)?;
        match done.end {
            End::Exited(0) => self.call(program, &probe).map(|_| ()),
            End::Exited(255) | End::TimedOut | End::Signalled(_) => Err(self.broken(&done)),
            End::Exited(9) => Err(self.unreachable("the connection broke in between")),
            End::Exited(_) => Err(RemoteError::Deploy(self.host.clone(), last_line(&done))),
        }
    }

    /// Makes one call. A connection that breaks is made again, with the same request.
    ///
    /// **Errors**: [`RemoteError`]; after [`RemoteError::Unreachable`] the call may have been made or not.
    pub fn call(&self, program: &Program, request: &Request) -> Result<Answer, RemoteError> {
        let names = request.files.keys().map(|name| ("file", name));
        for (what, name) in names.chain([("run", &request.folder)]) {
            if !is_name(name) {
                return Err(RemoteError::Name {
                    what,
                    name: name.clone(),
                });
            }
        }
        let unsealed = |error: serde_json::Error| error.to_string();
        let sealed = request.clone().sealed().map_err(unsealed);
        let (nonce, bytes) = sealed.map_err(|why| RemoteError::Agent(self.host.clone(), why))?;
        let mut tries = 1;
        loop {
            let done = self.ssh(&program.line(), bytes.clone(), CALL)?;
            if let Some(answer) = find(&done.stdout.bytes, &nonce) {
                return Ok(answer);
            }
            let error = self.without_answer(&done);
            if !matches!(error, RemoteError::Unreachable(..)) || tries == TRIES {
                return Err(error);
            }
            tries += 1;
        }
    }

    fn ssh(&self, line: &str, input: Vec<u8>, deadline: Duration) -> Result<Finished, RemoteError> {
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

    /// What it means that there is no answer. 126 and 127 are the shell's (POSIX 2.8.2); 255 is ssh's own, and what a program that left
    /// with 255 would look like, too.
    fn without_answer(&self, done: &Finished) -> RemoteError {
        let host = self.host.clone();
        match done.end {
            End::Exited(127) => RemoteError::Absent(host),
            End::Exited(126) => RemoteError::DoesNotRun(host, last_line(done)),
            End::Exited(255) | End::TimedOut | End::Signalled(_) => self.broken(done),
            End::Exited(0) => self.unreachable("the connection broke in the middle of the answer"),
            End::Exited(_) => RemoteError::Agent(host, last_line(done)),
        }
    }

    /// **Source**: the texts of OpenSSH's sshconnect.c and sshconnect2.c; anything else is a line that is down.
    fn broken(&self, done: &Finished) -> RemoteError {
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
            return RemoteError::Refused(self.host.clone(), why);
        }
        self.unreachable(why)
    }

    fn unreachable(&self, why: impl Into<String>) -> RemoteError {
        RemoteError::Unreachable(self.host.clone(), why.into())
    }
}

/// The last line that was said, without control characters.
fn last_line(done: &Finished) -> String {
    let said = done.stderr.text();
    let line = said.lines().rev().find(|line| !line.trim().is_empty());
    let line = line.unwrap_or("nothing was said").trim();
    line.chars()
        .filter(|char| !char.is_control())
        .take(300)
        .collect()
}
