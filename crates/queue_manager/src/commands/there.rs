//! A run on a server: calls of it, and how its answers are read.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use aris_cli::Context;
use aris_contract::failure::Told;
use aris_contract::{ErrorKind, Failure as _};
use aris_remote::{Answer, Program, Request, Server};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cli::SshFlags;
use crate::commands::pattern;
use crate::error::Error;
use crate::manager;

/// The program's name on servers.
const NAME: &str = "queue_manager";

/// First word of a request for a piece of a file. It is no command of this program.
pub(crate) const PIECE: &str = "piece";

/// First word of a request for the place of the runs on the server. It is no command of this program.
pub(crate) const HOME: &str = "home";

/// First word of a request that says from which manifest a run is deployed. It is no command of this program.
pub(crate) const ORIGIN: &str = "origin";

/// The file in a run's folder that names the manifest from which it was deployed.
const ORIGIN_FILE: &str = "origin";

/// Most bytes of a piece: as text it is a third longer, and an answer may have 128 MiB.
pub(super) const LARGEST: u64 = 48 << 20;

/// Most bytes of a record or patch that is copied.
const SMALL: u64 = 256 << 20;

/// The result of a command on a server.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Remote {
    /// The server, as ssh knows it.
    pub(crate) host: String,
    /// Name of the run there.
    pub(crate) run: String,
    /// The command's data, with `--json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<Value>,
    /// The command's text, without `--json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
}

/// A piece of a file on a server.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Piece {
    pub(super) size: u64,
    pub(super) modified: (i64, i64),
    pub(super) data: String,
}

/// On the server: answers the request `piece PATH FROM LENGTH`.
pub(crate) fn piece(args: &[String]) -> Answer {
    let [_, path, from, length] = args else {
        return Answer::refused(2, "a piece has a path, a place and a length");
    };
    let (Ok(from), Ok(length)) = (from.parse(), length.parse::<u64>()) else {
        return Answer::refused(2, "a piece has two numbers");
    };
    let read = aris_fs::open(Path::new(path)).and_then(|file| {
        let data = file.metadata();
        let (size, modified) = (data.size(), (data.mtime(), data.mtime_nsec()));
        let data = STANDARD.encode(file.read_from(from, length.min(LARGEST))?);
        Ok(Piece {
            size,
            modified,
            data,
        })
    });
    match read.map(|piece| serde_json::to_string(&piece)) {
        Ok(Ok(stdout)) => given(stdout),
        Ok(Err(error)) => Answer::refused(1, error.to_string()),
        Err(error) => Answer::refused(3, error.to_string()),
    }
}

fn given(stdout: String) -> Answer {
    Answer {
        code: 0,
        stdout,
        stderr: String::new(),
    }
}

/// On the server: its boot, its host and the folder of all runs. Equal answers mean the same place.
pub(crate) fn home(run: &Path) -> Answer {
    let runs = aris_fs::real(run.parent().unwrap_or(run));
    let (boot, host) = (aris_attempt::boot_id(), aris_attempt::host());
    given(format!("{boot} {host} {}", runs.display()))
}

/// On the server: answers the request `origin MANIFEST ANY`. Records the manifest from which the run is deployed, and refuses another one
/// than before unless ANY is `true`.
pub(crate) fn origin(run: &Path, args: &[String]) -> Answer {
    let [_, origin, any] = args else {
        return Answer::refused(2, "an origin has a manifest and a truth value");
    };
    let file = run.join(ORIGIN_FILE);
    let write = || -> Result<Option<String>, aris_fs::FsError> {
        let known = aris_fs::read_optional(&file, aris_fs::READ_LIMIT)?;
        let known = known.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let other = known.filter(|known| known != origin);
        if other.is_none() || any == "true" {
            aris_fs::create_dir(run)?;
            aris_fs::write_atomic(&file, origin.as_bytes())?;
            return Ok(None);
        }
        Ok(other)
    };
    match write() {
        Ok(None) => given(String::new()),
        Ok(Some(other)) => Answer::refused(5, other),
        Err(error) => Answer::refused(1, error.to_string()),
    }
}

/// A run on a server.
pub(super) struct There<'a> {
    server: Server,
    program: Program,
    pub(super) host: &'a str,
    pub(super) run: &'a str,
}

impl<'a> There<'a> {
    pub(super) fn new(ssh: &'a SshFlags, run: &'a str, context: &Context) -> Result<Self, Error> {
        let config = ssh.ssh_config.as_ref().map(|path| context.absolute(path));
        if let Some(config) = &config {
            // For a missing file, ssh would report the same as for a server that does not answer.
            aris_fs::open(config)?;
        }
        let mut server = Server::new(&ssh.host, config.as_deref(), context.cwd())?;
        if let Some(ssh) = &ssh.ssh {
            server = server.with_ssh(ssh.clone());
        }
        let path = match &ssh.program {
            Some(path) => context.absolute(path),
            None => manager::this_program(context)?.0,
        };
        Ok(Self {
            server,
            program: Program::read(&path, NAME)?,
            host: &ssh.host,
            run,
        })
    }

    /// Copies the program to the server.
    pub(super) fn deploy(&self) -> Result<(), Told> {
        self.server.deploy(&self.program)
    }

    /// Writes a file into the run's folder, which is created if necessary.
    pub(super) fn place(&self, name: String, text: String) -> Result<Answer, Told> {
        let mut request = Request::new(self.run);
        request.files = BTreeMap::from([(name, text)]);
        self.server.call(&self.program, &request)
    }

    pub(super) fn call(&self, args: Vec<String>) -> Result<Answer, Told> {
        let mut request = Request::new(self.run);
        request.args = args;
        self.server.call(&self.program, &request)
    }

    /// The data of a command that exits with 0 or with findings.
    pub(super) fn data<T: DeserializeOwned>(&self, args: &[&str]) -> Result<T, Error> {
        let answer = self.call(args.iter().map(|arg| (*arg).to_owned()).collect())?;
        data_of(self.host, &answer)
    }

    /// The ids of the run's jobs.
    pub(super) fn ids(&self) -> Result<BTreeSet<String>, Error> {
        let status: Value = self.data(&["status", "--json", "--jobs"])?;
        let rows = status["all"].as_array().into_iter().flatten();
        let ids = rows.filter_map(|row| row["id"].as_str());
        Ok(ids.map(str::to_owned).collect())
    }

    /// Records on the server from which manifest the run is deployed. `named`: the user named the run, so that it may take another one.
    ///
    /// **Errors**: the run was deployed from another manifest.
    pub(super) fn comes_from(&self, manifest: &Path, named: bool) -> Result<(), Error> {
        let path = aris_fs::real(manifest);
        let origin = format!("{}:{}", aris_attempt::host(), path.display());
        let answer = self.call(vec![ORIGIN.to_owned(), origin, named.to_string()])?;
        match answer.code {
            0 => Ok(()),
            5 => {
                let (run, known) = (self.run, printable(answer.stderr.trim()));
                let message = format!(
                    "the run {run} on {} was deployed from another manifest, {known}; nothing was changed",
                    self.host
                );
                let hint = format!(
                    "--run with another name begins a run of its own; --run {run} gives this manifest to that run"
                );
                Err(Error::told(ErrorKind::Precondition, message, &hint))
            }
            _ => Err(failed(self.host, &answer)),
        }
    }

    /// The piece of a file that starts at `from`; the inner `Err` says why there is none.
    pub(super) fn piece(
        &self,
        path: &str,
        from: u64,
        length: u64,
    ) -> Result<Result<Piece, String>, Told> {
        let words = [PIECE, path, &from.to_string(), &length.to_string()];
        let answer = self.call(words.map(str::to_owned).to_vec())?;
        let piece = serde_json::from_str(&answer.stdout).ok();
        let piece = piece.filter(|_| answer.code == 0);
        Ok(piece.ok_or_else(|| printable(answer.stderr.trim())))
    }

    /// Identifies the machine and the user's folder, whatever name of the server is used.
    pub(super) fn home(&self) -> Result<String, Told> {
        Ok(self.call(vec![HOME.to_owned()])?.stdout)
    }

    /// The content of a small file; the inner `Err` says why there is none.
    pub(super) fn small_file(&self, path: &str) -> Result<Result<Vec<u8>, String>, Told> {
        let mut bytes = Vec::new();
        loop {
            let piece = match self.piece(path, bytes.len() as u64, LARGEST)? {
                Ok(piece) => piece,
                Err(why) => return Ok(Err(why)),
            };
            let more = STANDARD.decode(&piece.data).unwrap_or_default();
            bytes.extend(&more);
            let length = bytes.len() as u64;
            if length > SMALL || more.is_empty() && length < piece.size {
                return Ok(Err(format!("{path} cannot be brought")));
            }
            if length >= piece.size {
                return Ok(Ok(bytes));
            }
        }
    }
}

/// The data in a success envelope.
pub(super) fn envelope(text: &str) -> Option<Value> {
    let mut envelope: Value = serde_json::from_str(text).ok()?;
    envelope.get_mut("data").map(Value::take)
}

/// The data of an answer with exit code 0 or 10.
pub(super) fn data_of<T: DeserializeOwned>(host: &str, answer: &Answer) -> Result<T, Error> {
    let data = envelope(&answer.stdout).filter(|_| matches!(answer.code, 0 | 10));
    let data = data.and_then(|data| serde_json::from_value(data).ok());
    data.ok_or_else(|| failed(host, answer))
}

/// The error of a command that failed on a server: its kind and message.
pub(super) fn failed(host: &str, answer: &Answer) -> Error {
    let kind = ErrorKind::ALL
        .into_iter()
        .find(|kind| i32::from(kind.exit().code()) == answer.code);
    let envelope: Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
    let message = envelope["error"]["message"].as_str();
    let message = message.or_else(|| said(answer));
    let message = message.unwrap_or("it said nothing").trim();
    let said = printable(message.strip_prefix("error: ").unwrap_or(message));
    let kind = kind.unwrap_or(ErrorKind::Internal);
    Told::new(kind, format!("on {host}: {said}"), "")
        .with(HOST, host)
        .into()
}

/// The error message on stderr: the line that starts with `error: `, else the last one.
pub(super) fn said(answer: &Answer) -> Option<&str> {
    let mut lines = answer.stderr.lines();
    let error = lines.find(|line| line.starts_with("error: "));
    let mut lines = answer.stderr.lines().rev();
    error.or_else(|| lines.find(|line| !line.trim().is_empty()))
}

/// Text from a server without control characters, which could move the terminal's cursor.
pub(super) fn printable(line: &str) -> String {
    let shown = line.chars().filter(|char| !char.is_control());
    shown.take(2_000).collect()
}

/// The result of each server by name, and the first error. If several servers are asked, a server that does not have what is asked for
/// causes an error only if none has it.
pub(super) fn of_all<T>(
    servers: &[SshFlags],
    ask: impl Fn(&SshFlags) -> Result<T, Error>,
) -> (Vec<(String, T)>, Option<Error>) {
    let (mut given, mut absent, mut wrong) = (Vec::new(), None, None);
    for ssh in servers {
        match ask(ssh) {
            Ok(answer) => given.push((ssh.host.clone(), answer)),
            Err(error) if is_absent(&error) => absent = absent.or(Some(error)),
            Err(error) => wrong = wrong.or(Some(error)),
        }
    }
    let wrong = wrong.or(absent.filter(|_| given.is_empty()));
    (given, wrong)
}

/// The words to send to each server. Of the words that `is_name` marks as names of jobs, a server does not get those that only others have.
/// A server that has none of the jobs, or whose jobs are unknown, gets all words and reports what is wrong.
pub(super) fn own_words<'a>(
    servers: &[SshFlags],
    run: &str,
    words: &'a [String],
    is_name: impl Fn(usize) -> bool + 'a,
    context: &Context,
) -> impl Fn(&SshFlags) -> Vec<String> + 'a {
    let names = (0..words.len()).filter(|at| is_name(*at));
    let names: Vec<&String> = names.map(|at| &words[at]).collect();
    let shared = servers.len() > 1 && names.len() > 1;
    let asked = if shared { servers } else { &[] };
    let (known, _) = of_all(asked, |ssh| There::new(ssh, run, context)?.ids());
    let known: BTreeMap<String, BTreeSet<String>> = known.into_iter().collect();
    let has = |ids: &BTreeSet<String>, name: &String| {
        let pattern = pattern(name);
        let fits = |id: &String| pattern.as_ref().is_some_and(|it| it.matches(id.as_bytes()));
        ids.contains(name) || ids.iter().any(fits)
    };
    move |ssh| {
        let own = known.get(&ssh.host);
        let own = own.filter(|own| names.iter().any(|name| has(own, name)));
        let is_elsewhere = |name| known.values().any(|ids| has(ids, name));
        let stays = |at: &usize| {
            let word = &words[*at];
            let gets = |own| has(own, word) || !is_elsewhere(word);
            !is_name(*at) || own.is_none_or(gets)
        };
        let own = (0..words.len()).filter(stays);
        own.map(|at| words[at].clone()).collect()
    }
}

/// The detail that marks an error as a server's answer rather than one of this machine.
const HOST: &str = "host";

/// Whether a server answered that it does not have what was asked for.
pub(super) fn is_absent(error: &Error) -> bool {
    error.kind() == ErrorKind::NotFound && error.details().contains_key(HOST)
}
