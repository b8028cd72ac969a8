//! `fetch`: copies the outputs of a queue from a server, and the records of the runs that wrote them.
//!
//! A file is copied in pieces, one call each, so that a broken connection loses one piece only. Each piece comes with the size and the
//! modification time of its file. If these change, the file is copied again from the beginning. A part that an earlier call left is
//! continued.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use aris_cli::{Context, Outcome};
use aris_fs::Part;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::{FetchArgs, SshFlags};
use crate::commands::CommandResult;
use crate::commands::outputs::{MissingOutput, OutputFile, Outputs};
use crate::commands::records::Records;
use crate::commands::there::{LARGEST, There, of_all, own_words};
use crate::error::Error;
use crate::report;

/// Bytes of the first piece.
const FIRST: u64 = 1 << 20;

/// After a piece that took less time than this, the next one is twice as large; after four times as long, half as large.
const QUICK: Duration = Duration::from_secs(5);

/// Most times that a file is started again because it changes while it is copied.
const CHANGES: u32 = 3;

/// Outputs that were copied.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Fetched {
    /// The server, as ssh knows it.
    pub(crate) host: String,
    /// Name of the run there.
    pub(crate) run: String,
    /// Local folder.
    pub(crate) folder: String,
    /// All files.
    pub(crate) files: Vec<FetchedFile>,
    /// Declared outputs that do not exist.
    pub(crate) missing: Vec<MissingOutput>,
    /// Number of runs that wrote these files and whose records are now in the local project's ledger.
    pub(crate) runs: usize,
}

/// One file.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FetchedFile {
    /// The job.
    pub(crate) job: String,
    /// Local path.
    pub(crate) path: String,
    /// Bytes.
    pub(crate) size: u64,
    /// What happened to it.
    pub(crate) outcome: Brought,
    /// Why it was not copied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Brought {
    /// It was copied.
    Fetched,
    /// It existed already, with the same size and time.
    Unchanged,
    /// Another file exists under this name, and was kept.
    Kept,
    /// It could not be read on the server, or kept changing.
    Failed,
}

/// Copies the outputs of completed jobs, or of the named ones.
pub(crate) fn fetch(args: &FetchArgs, context: &Context) -> CommandResult {
    let servers = args.ssh.each()?;
    let jobs = own_words(&servers, &args.run, &args.jobs, |_| true, context);
    let from = |ssh: &SshFlags| {
        let there = There::new(ssh, &args.run, context)?;
        fetch_from(&there, &jobs(ssh), args, context)
    };
    let mut fetched = Fetched {
        host: args.ssh.host.clone(),
        run: args.run.clone(),
        folder: context.absolute(&args.output).display().to_string(),
        ..Fetched::default()
    };
    let (parts, error) = of_all(&servers, from);
    // The files of the other servers have been copied; a further call does not copy them again.
    if let Some(error) = error {
        return Err(error);
    }
    for (_, part) in parts {
        fetched.files.extend(part.files);
        fetched.missing.extend(part.missing);
        fetched.runs += part.runs;
    }
    let lacks = |file: &FetchedFile| matches!(file.outcome, Brought::Kept | Brought::Failed);
    let found = fetched.files.iter().any(lacks) || !fetched.missing.is_empty();
    Ok(Outcome::found(fetched, found).shown(report::id::FETCHED, report::fetched))
}

fn fetch_from(
    there: &There<'_>,
    jobs: &[String],
    args: &FetchArgs,
    context: &Context,
) -> Result<Fetched, Error> {
    let mut call = vec!["outputs", "--json", "--"];
    call.extend(jobs.iter().map(String::as_str));
    let outputs: Outputs = there.data(&call)?;
    let folder = context.absolute(&args.output);
    let mut targets: BTreeMap<PathBuf, OutputFile> = BTreeMap::new();
    let missing = outputs.missing;
    let mut fetched = Fetched {
        missing,
        ..Fetched::default()
    };
    for file in outputs.files {
        let target = match &file.problem {
            Some(problem) => Err(problem.clone()),
            None => target(&folder, &file),
        };
        match target {
            Ok(path) => {
                targets.entry(path).or_insert(file);
            }
            Err(problem) => {
                let outcome = (Brought::Failed, Some(problem));
                let path = file.path.clone();
                fetched.files.push(FetchedFile::of(file, path, outcome));
            }
        }
    }
    let mut records = Records::default();
    let mut length = FIRST;
    for (path, file) in targets {
        let outcome = bring(there, &file, &path, args.overwrite, &mut length)?;
        if outcome.0 == Brought::Fetched {
            let name = aris_fs::display_relative(&path, &folder);
            context.note(&format!("{name} {} bytes", file.size));
        }
        if matches!(outcome.0, Brought::Fetched | Brought::Unchanged) {
            records.add(file.record.clone(), &path);
        }
        let path = path.display().to_string();
        fetched.files.push(FetchedFile::of(file, path, outcome));
    }
    fetched.runs = records.bring(there, &folder, context)?;
    Ok(fetched)
}

impl FetchedFile {
    fn of(file: OutputFile, path: String, (outcome, problem): Done) -> Self {
        Self {
            job: file.job,
            path,
            size: file.size,
            outcome,
            problem,
        }
    }
}

/// Local path of a file: the same as below the working directory on the server. A file outside that directory goes into a folder for its
/// job.
///
/// **Errors**: why there is no such path: it, or a local link, leads out of the folder.
fn target(folder: &Path, file: &OutputFile) -> Result<PathBuf, String> {
    let own = folder.join(aris_attempt::format::slug(&file.job));
    let name = Path::new(&file.path).file_name().unwrap_or_default();
    let path = match &file.relative {
        Some(relative) => aris_fs::join_inside(folder, Path::new(relative)),
        None => aris_fs::join_inside(&own, Path::new(name)),
    };
    let path = path.map_err(|error| error.to_string())?;
    let between = path.ancestors().skip(1);
    let mut between = between.take_while(|above| *above != folder);
    match between.find(|above| above.is_symlink()) {
        None => Ok(path),
        Some(link) => Err(format!("{} is a link here", link.display())),
    }
}

/// What happened to a file, and why it was not copied.
type Done = (Brought, Option<String>);

/// The size of a file and its modification time, in seconds and nanoseconds.
type Print = (u64, (i64, i64));

fn print_of(path: &Path) -> Option<Print> {
    let data = path.symlink_metadata().ok()?;
    Some((data.size(), (data.mtime(), data.mtime_nsec())))
}

/// Copies the current version of a file; if it changes meanwhile, copying starts again.
fn bring(
    there: &There<'_>,
    file: &OutputFile,
    path: &Path,
    overwrite: bool,
    length: &mut u64,
) -> Result<Done, Error> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let not = |outcome, why: &str| Ok((outcome, Some(why.to_owned())));
    let mut wanted = (file.size, file.modified);
    'version: for _ in 0..CHANGES {
        let here = print_of(path);
        if here == Some(wanted) && path.is_file() {
            return Ok((Brought::Unchanged, None));
        }
        if here.is_some() && (!overwrite || path.is_dir()) {
            let why = "something else is here under this name; --overwrite replaces a file";
            return not(Brought::Kept, why);
        }
        aris_fs::create_dir(folder)?;
        let (size, (seconds, nanos)) = wanted;
        // The part belongs to this version of this file only.
        let (host, run, remote) = (there.host, there.run, &file.path);
        let key = format!("{host}\0{run}\0{remote}\0{size}\0{seconds}\0{nanos}");
        let name = format!(".aris-fetch-{}.part", aris_attempt::format::slug(&key));
        let mut part = Part::open(&folder.join(name), Instant::now())?;
        if part.length() > size {
            part.restart()?;
        }
        while part.length() < size {
            let begun = Instant::now();
            let piece = match there.piece(remote, part.length(), *length)? {
                Ok(piece) => piece,
                Err(why) => {
                    part.discard()?;
                    return not(Brought::Failed, &why);
                }
            };
            let bytes = STANDARD.decode(&piece.data).unwrap_or_default();
            let now = (piece.size, piece.modified);
            if now != wanted || bytes.is_empty() {
                part.discard()?;
                wanted = now;
                continue 'version;
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
            let why = "something came to be here under this name meanwhile";
            return not(Brought::Kept, why);
        }
        if let (Ok(seconds), Ok(nanos)) = (u64::try_from(seconds), u32::try_from(nanos)) {
            aris_fs::set_modified(path, SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos))?;
        }
        return Ok((Brought::Fetched, None));
    }
    not(Brought::Failed, "it changes while it is read")
}
