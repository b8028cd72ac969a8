//! `fetch`: the outputs of a queue on a server, brought here; and the log of a job there, followed.
//!
//! A file comes in pieces, one call each, so that a line that breaks costs one piece. A piece names the size of its file and when that
//! was changed: a file that changes in between is begun again, and a part that an earlier call left is gone on with.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use aris_cli::{Context, Outcome};
use aris_fs::Part;
use aris_remote::{Answer, Program, RemoteError, Request, Server};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::cli::{FetchArgs, RemoteArgs};
use crate::commands::outputs::{MissingOutput, OutputFile, Outputs};
use crate::commands::remote::{Remote, connect, envelope, failed, printable};
use crate::error::Error;
use crate::log_file::Lines;
use crate::manager;
use crate::report::Data;

/// First word of a request for a piece. It is no command of this program.
pub(crate) const PIECE: &str = "piece";

/// Bytes of the first piece, and of the largest: as text it is a third longer, and an answer has 128 MiB.
const FIRST: u64 = 1 << 20;
const LARGEST: u64 = 48 << 20;

/// A piece that came faster than this is followed by one twice as large, one that took four times as long by one half as large.
const QUICK: Duration = Duration::from_secs(5);

/// How often a file that changes while it is read is begun again.
const CHANGES: u32 = 3;

/// Between two looks at a log that says nothing, at most.
const SELDOM: Duration = Duration::from_secs(5);

/// Between two tries to reach a server, at most.
const PATIENT: Duration = Duration::from_mins(1);

/// Outputs that were brought here.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Fetched {
    /// The server, as ssh knows it.
    pub(crate) host: String,
    /// Name of the run there.
    pub(crate) run: String,
    /// Folder here.
    pub(crate) folder: String,
    /// Each file.
    pub(crate) files: Vec<FetchedFile>,
    /// Declared outputs that are not there.
    pub(crate) missing: Vec<MissingOutput>,
}

/// One file.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct FetchedFile {
    /// The job.
    pub(crate) job: String,
    /// Where it lies here.
    pub(crate) path: String,
    /// Bytes.
    pub(crate) size: u64,
    /// What was done.
    pub(crate) outcome: Brought,
    /// Why it was not brought, where it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
}

/// What was done about one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Brought {
    /// It was brought.
    Fetched,
    /// It was here already, with this size and time.
    Unchanged,
    /// Another file is here under this name; it stays.
    Kept,
    /// It could not be read there, or changed all the time.
    Failed,
}

/// A piece of a file there.
#[derive(Debug, Serialize, Deserialize)]
struct Piece {
    size: u64,
    modified: (i64, i64),
    data: String,
}

/// On the server: the piece that a request asks for, `piece PATH FROM LENGTH`.
pub(crate) fn piece(args: &[String]) -> Answer {
    let [_, path, from, length] = args else {
        return Answer::refused(2, "a piece has a path, a place and a length");
    };
    let (Ok(from), Ok(length)) = (from.parse(), length.parse::<u64>()) else {
        return Answer::refused(2, "a piece has two numbers");
    };
    let read = aris_fs::open(Path::new(path)).and_then(|file| {
        let (size, modified) = {
            let data = file.metadata();
            (data.size(), (data.mtime(), data.mtime_nsec()))
        };
        let data = STANDARD.encode(file.read_from(from, length.min(LARGEST))?);
        Ok(Piece {
            size,
            modified,
            data,
        })
    });
    match read.map(|piece| serde_json::to_string(&piece)) {
        Ok(Ok(stdout)) => Answer {
            code: 0,
            stdout,
            stderr: String::new(),
        },
        Ok(Err(error)) => Answer::refused(1, error.to_string()),
        Err(error) => Answer::refused(3, error.to_string()),
    }
}

/// A run on a server.
struct There<'a> {
    server: Server,
    program: Program,
    host: &'a str,
    run: &'a str,
}

impl There<'_> {
    fn call(&self, args: Vec<String>) -> Result<Answer, RemoteError> {
        let mut request = Request::new(self.run);
        request.args = args;
        self.server.call(&self.program, &request)
    }

    /// The data that a command gives, where it leaves with 0 or a finding.
    fn data<T: serde::de::DeserializeOwned>(&self, args: &[&str]) -> Result<T, Error> {
        let answer = self.call(args.iter().map(|arg| (*arg).to_owned()).collect())?;
        if !matches!(answer.code, 0 | 10) {
            return Err(failed(self.host, &answer));
        }
        let data = envelope(&answer.stdout).and_then(|data| serde_json::from_value(data).ok());
        data.ok_or_else(|| failed(self.host, &answer))
    }
}

/// Brings the outputs of completed jobs, or of those that are named.
pub(crate) fn fetch(args: &FetchArgs, context: &Context) -> Result<Outcome<Data>, Error> {
    let (server, program) = connect(&args.ssh, context)?;
    let there = There {
        server,
        program,
        host: &args.ssh.host,
        run: &args.run,
    };
    let mut call = vec!["outputs", "--json", "--"];
    call.extend(args.jobs.iter().map(String::as_str));
    let outputs: Outputs = there.data(&call)?;
    let folder = context.absolute(&args.output);
    let mut targets: BTreeMap<PathBuf, OutputFile> = BTreeMap::new();
    let mut refused = Vec::new();
    for file in outputs.files {
        let target = match &file.problem {
            Some(problem) => Err(problem.clone()),
            None => target(&folder, &file),
        };
        match target {
            Ok(path) => {
                targets.entry(path).or_insert(file);
            }
            Err(problem) => refused.push(FetchedFile {
                path: file.path,
                job: file.job,
                size: file.size,
                outcome: Brought::Failed,
                problem: Some(problem),
            }),
        }
    }
    let mut fetched = Fetched {
        host: args.ssh.host.clone(),
        run: args.run.clone(),
        folder: folder.display().to_string(),
        files: refused,
        missing: outputs.missing,
    };
    let mut length = FIRST;
    for (path, file) in targets {
        let (outcome, problem) = bring(&there, &file, &path, args.overwrite, &mut length)?;
        if outcome == Brought::Fetched {
            context.note(&format!(
                "{} {} bytes",
                aris_fs::display_relative(&path, &folder),
                file.size
            ));
        }
        fetched.files.push(FetchedFile {
            job: file.job,
            path: path.display().to_string(),
            size: file.size,
            outcome,
            problem,
        });
    }
    let lacks = |file: &FetchedFile| matches!(file.outcome, Brought::Kept | Brought::Failed);
    let found = fetched.files.iter().any(lacks) || !fetched.missing.is_empty();
    Ok(Outcome::found(Data::Fetched(fetched), found))
}

/// Where a file comes to lie: as below the working directory there; what lay elsewhere gets the folder of its job.
///
/// **Errors**: why it has no place: its path, or a link here, leads out of the folder.
fn target(folder: &Path, file: &OutputFile) -> Result<PathBuf, String> {
    let path = if let Some(relative) = &file.relative {
        aris_fs::join_inside(folder, Path::new(relative))
    } else {
        let name = Path::new(&file.path).file_name().unwrap_or_default();
        let own = folder.join(aris_attempt::format::slug(&file.job));
        aris_fs::join_inside(&own, Path::new(name))
    };
    let path = path.map_err(|error| error.to_string())?;
    let between = path.ancestors().skip(1);
    let mut between = between.take_while(|above| *above != folder);
    match between.find(|above| above.is_symlink()) {
        None => Ok(path),
        Some(link) => Err(format!("{} is a link here", link.display())),
    }
}

/// The size of a file and when it was changed.
type Print = (u64, (i64, i64));

fn print_of(path: &Path) -> Option<Print> {
    let data = path.symlink_metadata().ok()?;
    Some((data.size(), (data.mtime(), data.mtime_nsec())))
}

fn bring(
    there: &There<'_>,
    file: &OutputFile,
    path: &Path,
    overwrite: bool,
    length: &mut u64,
) -> Result<(Brought, Option<String>), Error> {
    let mut wanted = (file.size, file.modified);
    for _ in 0..CHANGES {
        let here = print_of(path);
        if here == Some(wanted) && path.is_file() {
            return Ok((Brought::Unchanged, None));
        }
        if here.is_some() && (!overwrite || path.is_dir()) {
            let why =
                String::from("something else is here under this name; --overwrite replaces a file");
            return Ok((Brought::Kept, Some(why)));
        }
        match whole(there, file, path, wanted, overwrite, length)? {
            Ended::Whole => return Ok((Brought::Fetched, None)),
            Ended::Taken => {
                let why = String::from("something came to be here under this name meanwhile");
                return Ok((Brought::Kept, Some(why)));
            }
            Ended::Changed(now) => wanted = now,
            Ended::Unreadable(why) => return Ok((Brought::Failed, Some(why))),
        }
    }
    Ok((
        Brought::Failed,
        Some(String::from("it changes while it is read")),
    ))
}

/// How the transfer of one file ended.
enum Ended {
    Whole,
    /// Somebody else made a file of this name.
    Taken,
    /// It is another file by now.
    Changed(Print),
    Unreadable(String),
}

fn whole(
    there: &There<'_>,
    file: &OutputFile,
    path: &Path,
    wanted: Print,
    overwrite: bool,
    length: &mut u64,
) -> Result<Ended, Error> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    aris_fs::create_dir(folder)?;
    let (size, (seconds, nanos)) = wanted;
    // The part is of this version of this file, and of no other.
    let key = format!(
        "{}\0{}\0{}\0{size}\0{seconds}\0{nanos}",
        there.host, there.run, file.path
    );
    let name = format!(".aris-fetch-{}.part", aris_attempt::format::slug(&key));
    let mut part = Part::open(&folder.join(name), Instant::now())?;
    if part.length() > size {
        part.restart()?;
    }
    while part.length() < size {
        let begun = Instant::now();
        let words = [
            PIECE,
            &file.path,
            &part.length().to_string(),
            &length.to_string(),
        ];
        let answer = there.call(words.map(str::to_owned).to_vec())?;
        let piece: Option<Piece> = serde_json::from_str(&answer.stdout).ok();
        let Some(piece) = piece.filter(|_| answer.code == 0) else {
            part.discard()?;
            return Ok(Ended::Unreadable(printable(answer.stderr.trim())));
        };
        let bytes = STANDARD.decode(&piece.data).unwrap_or_default();
        if (piece.size, piece.modified) != wanted || bytes.is_empty() {
            part.discard()?;
            return Ok(Ended::Changed((piece.size, piece.modified)));
        }
        part.append(&bytes)?;
        let took = begun.elapsed();
        if took < QUICK {
            *length = (*length * 2).min(LARGEST);
        } else if took > QUICK * 4 {
            *length = (*length / 2).max(FIRST / 16);
        }
    }
    let finished = if overwrite {
        part.finish(path).map(|()| true)
    } else {
        part.finish_new(path)
    };
    if !finished? {
        return Ok(Ended::Taken);
    }
    if let (Ok(seconds), Ok(nanos)) = (u64::try_from(seconds), u32::try_from(nanos)) {
        aris_fs::set_modified(path, SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos))?;
    }
    Ok(Ended::Whole)
}

/// A look at a log, as `logs` answers.
#[derive(Debug, Deserialize)]
struct Look {
    attempt: u32,
    text: String,
    next: u64,
    over: bool,
    last: u32,
}

/// Whether a command of `remote` follows a log: then the words without the flag for it.
pub(crate) fn follows(command: &[String]) -> Option<Vec<String>> {
    let flag = |word: &String| word == "--follow" || word == "-f";
    let end = command
        .iter()
        .position(|word| word == "--")
        .unwrap_or(command.len());
    let is_logs = command.first().is_some_and(|word| word == "logs");
    let (flags, names) = command.split_at(end);
    if !is_logs || !flags.iter().any(flag) {
        return None;
    }
    Some(
        flags
            .iter()
            .filter(|word| !flag(word))
            .chain(names)
            .cloned()
            .collect(),
    )
}

/// The result of a log that was followed: its lines are printed, or, as JSON, in the answer to the same words without following.
fn told(there: &There<'_>, words: &[String], context: &Context) -> Result<Outcome<Data>, Error> {
    if !context.json() {
        return Ok(Outcome::done(Data::Told));
    }
    let mut call = words.to_vec();
    call.insert(1, String::from("--json"));
    let answer = there.call(call)?;
    if answer.code != 0 {
        return Err(failed(there.host, &answer));
    }
    Ok(Outcome::done(Data::Remote(Remote {
        host: there.host.to_owned(),
        run: there.run.to_owned(),
        answer: envelope(&answer.stdout),
        text: None,
    })))
}

/// Prints what a job there writes until nothing more can come. A line that is down is waited for: the job goes on without it.
pub(crate) fn follow(
    args: &RemoteArgs,
    words: &[String],
    context: &Context,
) -> Result<Outcome<Data>, Error> {
    let (server, program) = connect(&args.ssh, context)?;
    let there = There {
        server,
        program,
        host: &args.ssh.host,
        run: &args.run,
    };
    let one = words.iter().any(|word| word.starts_with("--attempt"));
    let mut at: Option<(u32, u64)> = None;
    let mut lines = Lines::default();
    let (mut quiet, mut away) = (Duration::ZERO, Duration::ZERO);
    loop {
        let mut call = words.to_vec();
        let mut more = vec![String::from("--json")];
        match at {
            Some((attempt, from)) => {
                more.extend([format!("--from={from}")]);
                if !one {
                    more.push(format!("--attempt={attempt}"));
                }
            }
            // A job that has not begun has no log yet.
            None => more.push(String::from("--or-wait")),
        }
        call.splice(1..1, more);
        let answer = match there.call(call) {
            Err(error @ RemoteError::Unreachable { .. }) => {
                if away.is_zero() {
                    context.warn(&format!("{error}; the job goes on, trying again"));
                }
                away = (away * 2).clamp(Duration::from_secs(1), PATIENT);
                manager::pause(away);
                continue;
            }
            other => other?,
        };
        away = Duration::ZERO;
        if answer.code != 0 {
            return Err(failed(there.host, &answer));
        }
        let look = envelope(&answer.stdout).and_then(|data| serde_json::from_value(data).ok());
        let look: Look = look.ok_or_else(|| failed(there.host, &answer))?;
        for line in lines.push(look.text.as_bytes()) {
            context.line(&printable(&line));
        }
        let (mut next, mut attempt) = (look.next, look.attempt);
        if look.over {
            if let Some(line) = lines.end() {
                context.line(&printable(&line));
            }
            if one || look.last <= attempt {
                return told(&there, words, context);
            }
            (attempt, next) = (attempt + 1, 0);
            context.note(&format!("attempt {attempt}"));
        }
        let moved = at != Some((attempt, next));
        at = Some((attempt, next));
        quiet = if moved {
            Duration::from_millis(500)
        } else {
            (quiet * 2).clamp(Duration::from_secs(1), SELDOM)
        };
        manager::pause(quiet);
    }
}
