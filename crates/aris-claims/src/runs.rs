//! Which run made the files behind a number, as far as the project's ledger of runs knows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use aris_contract::text::counted;
use aris_contract::time::parse_utc;
use aris_fs::FsError;
use aris_runs::{Damage, End, Ledger, Line, Record, Run, Source};
use jiff::Timestamp;
use serde::Serialize;

use crate::project::Project;
use crate::report::{Entry, FileUse};

/// Most other runs that wrote the same path and are examined, latest first.
const OTHERS: usize = 20;
/// Most names of changed files that a message lists.
const NAMED: usize = 3;
/// Extensions of code and settings, which programs load even if no command names them. A file without an extension may be a
/// program.
const LOADED: [&str; 35] = [
    "R", "bash", "c", "cc", "cfg", "cpp", "cu", "cuh", "f90", "go", "h", "hpp", "ini", "ipynb",
    "java", "jl", "js", "json5", "lua", "m", "mjs", "mk", "pl", "py", "pyx", "r", "rb", "rs",
    "scala", "sh", "so", "toml", "ts", "yaml", "yml",
];
/// The clocks of two machines differ by less than this.
const SKEW: Duration = Duration::from_mins(1);

/// What is wrong with the way from a file to its run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct Gap {
    /// What kind; stable.
    pub id: GapId,
    /// The file, relative to the data root; one that a run read, relative to the project.
    pub file: String,
    /// What was found.
    pub message: String,
}

/// The kinds of [`Gap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum GapId {
    /// No run in the ledger wrote a file with this content, or the number's query reads no file.
    UnexplainedEvidence,
    /// The run that wrote it failed.
    RunFailed,
    /// The record of the run that wrote it does not tell how it ended.
    EndUnknown,
    /// The run's code was not what its commit holds.
    UncommittedSource,
    /// The record of the run names no commit.
    NoCommit,
    /// The files of one number were made by different commits.
    MixedCommits,
    /// Two runs that went on at the same time wrote this path: which of them wrote what is there is not known.
    ContestedFile,
    /// A later run wrote this path with another content.
    SupersededRun,
    /// The run wrote this content under another path.
    OtherPath,
    /// A file that the run read is not what it was then, or a file of its commit was changed while it went on.
    InputChanged,
    /// The run's command names files that were too large or too many to be recorded.
    InputUnknown,
    /// The times of the run cannot be.
    RunClock,
    /// The record of the run or its patch was edited or is gone.
    RecordDamaged,
}

impl GapId {
    /// The word in messages.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// A file and the run that wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Made {
    /// Id of the run's record; absent where no run explains the file.
    pub run_id: Option<String>,
    /// The record.
    pub run: Option<Run>,
    /// What is wrong.
    pub gaps: Vec<Gap>,
}

/// The runs behind the files of an audit.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// The ledger that was searched. `None` if the project has none.
    pub ledger: Option<Ledger>,
    /// By the file's path relative to the data root, and its digest.
    made: BTreeMap<(String, String), Made>,
}

impl Runs {
    /// Looks up the files of these entries. **Errors**: the ledger exists but cannot be read.
    pub fn of(project: &Project, entries: &[Entry], now: Timestamp) -> Result<Self, FsError> {
        let root = &project.settings.root;
        let ledger = Ledger::above([root.as_path(), &project.files.folder]);
        let files = entries.iter().flat_map(|entry| &entry.evidence);
        let files = files.map(|file| (file.path.as_str(), file.sha256.as_str()));
        let files: BTreeSet<(&str, &str)> = files.collect();
        let looked_up = match &ledger {
            Some(ledger) => look_up(ledger, root, &files, now)?,
            None => BTreeMap::new(),
        };
        let key = |(path, sha256): (&str, &str)| (path.to_owned(), sha256.to_owned());
        let none = |(path, _): &(&str, &str)| {
            let message = "the project has no records of runs in .aris/runs";
            unexplained(path, message.to_owned())
        };
        let made = files.into_iter().map(|file| {
            let made = looked_up.get(&file).cloned();
            (key(file), made.unwrap_or_else(|| none(&file)))
        });
        Ok(Self {
            made: made.collect(),
            ledger,
        })
    }

    /// The run behind a file.
    pub fn made(&self, file: &FileUse) -> Option<&Made> {
        self.made.get(&(file.path.clone(), file.sha256.clone()))
    }

    /// Record ids of the runs behind the files.
    pub fn ids(&self) -> BTreeSet<&str> {
        let whole = self.made.values().filter(|made| made.run.is_some());
        whole.filter_map(|made| made.run_id.as_deref()).collect()
    }

    /// The gaps between one number and its runs.
    pub fn gaps(&self, entry: &Entry) -> Vec<Gap> {
        let made = entry.evidence.iter();
        let made = made.filter_map(|file| Some((file, self.made(file)?)));
        let made: Vec<(&FileUse, &Made)> = made.collect();
        let gaps = made.iter().flat_map(|(_, made)| made.gaps.clone());
        let mut gaps: Vec<Gap> = gaps.collect();
        if entry.evidence.is_empty() && entry.query.is_some() && entry.status.holds() {
            let message = String::from("its query reads no file");
            gaps.push(gap(GapId::UnexplainedEvidence, "", message));
        }
        let commit = |(file, made): &(&FileUse, &Made)| {
            let source = made.run.as_ref()?.source.as_ref()?;
            Some((source.commit.clone(), file.path.clone()))
                .filter(|(commit, _)| !commit.is_empty())
        };
        let commits: BTreeMap<String, String> = made.iter().filter_map(commit).collect();
        if commits.len() > 1 {
            let each = commits.iter();
            let each = each.map(|(commit, file)| format!("{file} by {}", short(commit)));
            let (count, each) = (commits.len(), each.collect::<Vec<_>>().join(", "));
            let message = format!("files of one number were made by {count} commits: {each}");
            let file = commits.values().next().cloned().unwrap_or_default();
            gaps.push(gap(GapId::MixedCommits, &file, message));
        }
        gaps
    }

    /// The gaps of all entries, each once.
    pub fn all_gaps(&self, entries: &[Entry]) -> Vec<Gap> {
        let all: BTreeSet<Gap> = entries.iter().flat_map(|entry| self.gaps(entry)).collect();
        all.into_iter().collect()
    }
}

fn look_up<'f>(
    ledger: &Ledger,
    root: &Path,
    files: &BTreeSet<(&'f str, &'f str)>,
    now: Timestamp,
) -> Result<BTreeMap<(&'f str, &'f str), Made>, FsError> {
    let name = |path: &str| {
        let path = aris_fs::lexical(&root.join(path));
        ledger.name(&path.canonicalize().unwrap_or(path))
    };
    let names: BTreeMap<&str, String> = files.iter().map(|(path, _)| (*path, name(path))).collect();
    let mut search = Search {
        ledger,
        now,
        records: BTreeMap::new(),
        commits: BTreeMap::new(),
    };
    let lines = Lines::of(
        ledger,
        &files.iter().map(|(_, sha256)| *sha256).collect(),
        &names.values().map(String::as_str).collect(),
    )?;
    let mut found: BTreeMap<_, _> = files
        .iter()
        .map(|file| {
            let own = names.get(file.0).map_or(file.0, String::as_str);
            (*file, search.made(file.0, own, file.1, &lines))
        })
        .collect();
    let runs = found.values().filter_map(|made| made.run_id.clone());
    let behind = search.behind(runs.collect())?;
    for ((path, _), made) in &mut found {
        let mut open: Vec<&String> = made.run_id.iter().collect();
        let mut seen = BTreeSet::new();
        let mut gaps = Vec::new();
        while let Some(id) = open.pop() {
            if let Some(run) = behind.get(id).filter(|_| seen.insert(id)) {
                gaps.extend(run.gaps.iter().cloned());
                open.extend(&run.stands_on);
            }
        }
        // A gap that concerns a run as a whole is reported for the file that led to the run.
        for gap in gaps.iter_mut().filter(|gap| gap.file.is_empty()) {
            (*path).clone_into(&mut gap.file);
        }
        made.gaps.extend(gaps);
    }
    Ok(found)
}

/// Lines of the ledger, oldest first, by digest and by path.
#[derive(Default)]
struct Lines {
    by_digest: BTreeMap<String, Vec<Line>>,
    by_path: BTreeMap<String, Vec<Line>>,
}

impl Lines {
    fn of(
        ledger: &Ledger,
        digests: &BTreeSet<&str>,
        paths: &BTreeSet<&str>,
    ) -> Result<Self, FsError> {
        let mut lines = Self::default();
        for line in ledger.find(digests, paths)? {
            let (digest, path) = (line.sha256.clone(), line.path.clone());
            let same = lines.by_digest.entry(digest).or_default();
            same.push(line.clone());
            lines.by_path.entry(path).or_default().push(line);
        }
        Ok(lines)
    }

    fn with(&self, sha256: &str) -> &[Line] {
        self.by_digest.get(sha256).map_or(&[], Vec::as_slice)
    }

    fn at(&self, path: &str) -> &[Line] {
        self.by_path.get(path).map_or(&[], Vec::as_slice)
    }
}

/// What the result of a run depends on.
#[derive(Default)]
struct Behind {
    /// Gaps of its code and inputs. A gap of the run itself names no file.
    gaps: Vec<Gap>,
    /// The runs that wrote its inputs.
    stands_on: BTreeSet<String>,
}

/// A search in the ledger, with the records read so far.
struct Search<'l> {
    ledger: &'l Ledger,
    now: Timestamp,
    records: BTreeMap<String, Rc<Result<Record, Damage>>>,
    /// By commit, why it is not available; `None` if it is.
    commits: BTreeMap<String, Option<String>>,
}

impl Search<'_> {
    fn record(&mut self, id: &str) -> Rc<Result<Record, Damage>> {
        let known = self.records.entry(id.to_owned());
        Rc::clone(known.or_insert_with(|| Rc::new(self.ledger.read(id))))
    }

    /// The run that wrote a file. `own`: the file's path as records write it.
    fn made(&mut self, path: &str, own: &str, sha256: &str, lines: &Lines) -> Made {
        let (same, at_path) = (lines.with(sha256), lines.at(own));
        let here = same.iter().rev().find(|line| line.path == own);
        let Some(line) = here.or(same.last()) else {
            let message = match at_path.last() {
                Some(line) => {
                    let run = short(&line.run);
                    format!("the file has changed since run {run} wrote it")
                }
                None => String::from("no run in the ledger wrote this file"),
            };
            return unexplained(path, message);
        };
        if let Some(message) = self.found_only(same) {
            return unexplained(path, message);
        }
        let mut made = self.explained(path, line);
        let Some(run) = &made.run else {
            return made;
        };
        if here.is_none() {
            let message = format!("run {} wrote it as {}", short(&line.run), line.path);
            made.gaps.push(gap(GapId::OtherPath, path, message));
            return made;
        }
        let mut later = None;
        let mut at_once_with = None;
        for (at, other) in at_path.iter().enumerate().rev().take(OTHERS) {
            if other.run == line.run {
                continue;
            }
            let record = self.record(&other.run);
            let record = match &*record {
                Ok(record) => &record.run,
                Err(damage) => {
                    let id = short(&other.run);
                    let message = format!("run {id}, which wrote this path, too: {damage}");
                    made.gaps.push(gap(GapId::RecordDamaged, path, message));
                    continue;
                }
            };
            if at_once(run, record) && !is_again(run, record) {
                at_once_with = at_once_with.or_else(|| Some(record.words()));
            }
            // If the end of one is unknown, the order in the ledger decides.
            let is_later = match (ended(run), ended(record)) {
                (Some(this), Some(other)) => other > this,
                _ => at_path.iter().position(|known| known == line) < Some(at),
            };
            if is_later && other.sha256 != sha256 {
                later = later.or(Some(short(&other.run)));
            }
        }
        if let Some(words) = at_once_with {
            let message = format!("{words} went on at the same time and wrote this path, too");
            made.gaps.push(gap(GapId::ContestedFile, path, message));
        }
        if let Some(id) = later {
            let message = format!("a later run, {id}, wrote this path with another content");
            made.gaps.push(gap(GapId::SupersededRun, path, message));
        }
        made
    }

    /// A message if each of the runs that recorded this content had read it as input: then none of them made it.
    fn found_only(&mut self, lines: &[Line]) -> Option<String> {
        let mut message = None;
        for line in lines.iter().rev().take(OTHERS) {
            let record = self.record(&line.run);
            let record = record.as_ref().as_ref();
            let inputs = record.map(|record| record.run.inputs.as_slice());
            let inputs = inputs.unwrap_or_default();
            let input = inputs.iter().find(|input| input.sha256 == line.sha256)?;
            let (id, path) = (short(&line.run), &input.path);
            message.get_or_insert_with(|| {
                format!("no run is known to have made this content: run {id} found it in {path}")
            });
        }
        message
    }

    fn explained(&mut self, path: &str, line: &Line) -> Made {
        let record = self.record(&line.run);
        let mut gaps = Vec::new();
        let mut damaged = |message| gaps.push(gap(GapId::RecordDamaged, path, message));
        let record = match &*record {
            Ok(record) => record,
            Err(damage) => {
                damaged(format!("run {}: {damage}", short(&line.run)));
                return Made {
                    run_id: Some(line.run.clone()),
                    run: None,
                    gaps,
                };
            }
        };
        let run = &record.run;
        // The record is searched for the path in the ledger: the file may have had another path where the run ran.
        let id = short(&line.run);
        match record.wrote(&line.path, &line.sha256) {
            Ok(true) => {}
            Ok(false) => damaged(format!("the record of run {id} does not name this file")),
            Err(damage) => damaged(format!("run {id}: {damage}")),
        }
        if let Err(damage) = self.ledger.check_patch(run) {
            damaged(format!("patch of run {id}: {damage}"));
        }
        let told = |time: &Option<String>| time.clone().unwrap_or_default();
        let (from, to) = (parse_utc(&told(&run.started)), ended(run));
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            let (from, to) = (told(&run.started), told(&run.ended));
            let message =
                format!("the run began at {from} and was over at {to}: a clock was wrong");
            gaps.push(gap(GapId::RunClock, path, message));
        } else if let Some(late) = from.max(to).filter(|late| *late > self.now + SKEW) {
            let message = format!("the run went on at {late}, which is in the future");
            gaps.push(gap(GapId::RunClock, path, message));
        }
        let id = match run.end {
            End::Completed => None,
            End::Failed => Some(GapId::RunFailed),
            End::Unknown => Some(GapId::EndUnknown),
        };
        gaps.extend(id.map(|id| gap(id, path, run.words())));
        Made {
            run_id: Some(line.run.clone()),
            run: Some(run.clone()),
            gaps,
        }
    }

    /// The gaps and inputs of these runs and of all runs that they depend on, by record id.
    fn behind(&mut self, first: BTreeSet<String>) -> Result<BTreeMap<String, Behind>, FsError> {
        let mut known: BTreeMap<String, Behind> = BTreeMap::new();
        let mut level = first;
        while !level.is_empty() {
            let records: Vec<_> = level.into_iter().map(|id| (self.record(&id), id)).collect();
            let runs = || {
                let runs = records.iter();
                runs.filter_map(|(record, id)| Some((id, (**record).as_ref().ok()?)))
            };
            let (mut digests, mut paths) = (BTreeSet::new(), BTreeSet::new());
            for (_, Record { run, .. }) in runs() {
                digests.extend(run.inputs.iter().map(|input| input.sha256.as_str()));
                paths.extend(run.inputs.iter().map(|input| input.path.as_str()));
                let source = run.source.iter();
                let names =
                    source.flat_map(|source| source.changed.iter().chain(&source.untracked));
                paths.extend(names.map(String::as_str));
            }
            let lines = Lines::of(self.ledger, &digests, &paths)?;
            let mut next = BTreeSet::new();
            for (id, record) in runs() {
                let mut behind = Behind::default();
                self.code(id, record, &lines, &mut behind);
                self.inputs(id, record, &lines, &mut behind);
                next.extend(behind.stands_on.iter().cloned());
                known.insert(id.clone(), behind);
            }
            next.retain(|id| !known.contains_key(id));
            level = next;
        }
        Ok(known)
    }

    /// A message if the project's repository does not hold a commit.
    fn lacks(&mut self, commit: &str) -> Option<String> {
        let known = self.commits.entry(commit.to_owned());
        let look = || match aris_runs::has_commit(self.ledger.project(), commit)? {
            Ok(true) => None,
            Ok(false) => Some(format!("the repository does not hold {}", short(commit))),
            Err(why) => Some(why),
        };
        known.or_insert_with(look).clone()
    }

    /// Checks the code of a run.
    fn code(&mut self, id: &str, record: &Record, lines: &Lines, behind: &mut Behind) {
        let (run, job) = (&record.run, &record.run.job);
        let none = match &run.source {
            None => Some(String::from("the record names none")),
            Some(source) if source.commit.is_empty() => {
                let problem = source.problem.as_deref();
                Some(problem.unwrap_or("there was none yet").to_owned())
            }
            Some(source) => self.lacks(&source.commit),
        };
        if let Some(why) = none {
            let message = format!("the commit of {job} is not known: {why}");
            behind.gaps.push(gap(GapId::NoCommit, "", message));
        }
        let Some(source) = &run.source else {
            return;
        };
        let mut code = Vec::new();
        for path in &source.changed {
            if !self.is_result(run, source, path, lines) {
                code.push(path.as_str());
            }
        }
        if !code.is_empty() {
            let (count, names) = (counted(code.len(), "file"), some(&code));
            let message = format!("{count} differed from the commit when {job} began: {names}");
            behind.gaps.push(gap(GapId::UncommittedSource, "", message));
        }
        let loose = source.untracked.iter().map(String::as_str);
        let loose = loose.filter(|path| !source.not_committed.iter().any(|named| named == path));
        let loose = loose.filter(|path| is_loaded(path) || has_written(record, path));
        let loose = loose.filter(|path| lines.at(path).iter().all(|line| line.run == id));
        let mut loose: Vec<&str> = loose.collect();
        if !loose.is_empty() {
            // Git lists a link to an ignored folder as a file; results lie behind it.
            let outputs = record.outputs().unwrap_or_default();
            let outputs = outputs.iter().map(|output| output.path.as_str());
            let wrote = outputs.chain(lines.by_path.keys().map(String::as_str));
            let wrote: BTreeSet<&Path> = wrote
                .flat_map(|path| Path::new(path).ancestors().skip(1))
                .collect();
            loose.retain(|path| !wrote.contains(Path::new(path)));
        }
        if !loose.is_empty() {
            let (count, names) = (counted(loose.len(), "file"), some(&loose));
            let message =
                format!("{job} may have used {count} that no commit and no run holds: {names}");
            behind.gaps.push(gap(GapId::UncommittedSource, "", message));
        }
        if !run.edited.is_empty() {
            let edited: Vec<&str> = run.edited.iter().map(String::as_str).collect();
            let message = format!("changed while run {job} went on: {}", some(&edited));
            behind.gaps.push(gap(GapId::InputChanged, "", message));
        }
        if run.inputs_left_out > 0 {
            let count = counted(run.inputs_left_out, "file");
            let message = format!("{job} names {count} too large or too many to be recorded");
            behind.gaps.push(gap(GapId::InputUnknown, "", message));
        }
    }

    /// Whether a tracked file that differed from the commit is a result: a run wrote this content, or a run at the same time
    /// wrote the file.
    fn is_result(&mut self, run: &Run, source: &Source, path: &str, lines: &Lines) -> bool {
        let sha256 = source.changed_sha256.get(path);
        let mut wrote = lines.at(path).iter().rev().take(OTHERS);
        wrote.any(|line| {
            Some(&line.sha256) == sha256
                || (*self.record(&line.run))
                    .as_ref()
                    .is_ok_and(|other| at_once(run, &other.run))
        })
    }

    /// Checks the files that a run's command names, except those that the run wrote itself.
    fn inputs(&mut self, id: &str, record: &Record, lines: &Lines, behind: &mut Behind) {
        let (run, job) = (&record.run, &record.run.job);
        let not_committed = run.source.as_ref().map(|source| &source.not_committed);
        let mut absent = Vec::new();
        for input in &run.inputs {
            let is_outside = Path::new(&input.path).is_absolute();
            let not_committed =
                is_outside || not_committed.is_some_and(|paths| paths.contains(&input.path));
            if has_written(record, &input.path) {
                // An overwritten input is no gap if a run or a commit still holds its content.
                let held = lines.with(&input.sha256).iter().any(|line| line.run != id);
                if not_committed && !held {
                    absent.push(input.path.as_str());
                }
                continue;
            }
            let same = lines.with(&input.sha256).iter().rev();
            let same: Vec<&Line> = same.filter(|line| line.run != id).collect();
            let here = same.iter().find(|line| line.path == input.path);
            if let Some(line) = here.or(same.first().filter(|_| not_committed)) {
                behind.stands_on.insert(line.run.clone());
                behind.gaps.extend(self.explained(&input.path, line).gaps);
            } else if let Some(last) = lines.at(&input.path).last().filter(|_| not_committed) {
                let last = short(&last.run);
                let message =
                    format!("run {last} wrote this path with another content than {job} read");
                let gap = gap(GapId::UnexplainedEvidence, &input.path, message);
                behind.gaps.push(gap);
            } else if not_committed {
                absent.push(input.path.as_str());
            } else {
                continue;
            }
            let file = self.ledger.project().join(&input.path);
            let now = aris_runs::file_digest(&file, || {});
            if now.is_ok_and(|(sha256, _)| sha256 != input.sha256) {
                let message = format!("it was changed since {job} read it");
                let gap = gap(GapId::InputChanged, &input.path, message);
                behind.gaps.push(gap);
            }
        }
        if !absent.is_empty() {
            let names = some(&absent);
            let message = format!("no commit and no run holds what {job} names: {names}");
            behind.gaps.push(gap(GapId::UncommittedSource, "", message));
        }
    }
}

/// Whether programs may load a file as code or settings without a command that names it, judged by its extension.
fn is_loaded(path: &str) -> bool {
    let ending = Path::new(path).extension();
    let ending = ending.and_then(|ending| ending.to_str());
    let is_hidden = path.split('/').any(|part| part.starts_with('.'));
    ending.is_none_or(|ending| LOADED.contains(&ending)) && !is_hidden
}

fn has_written(record: &Record, path: &str) -> bool {
    record.at(path).is_ok_and(|file| file.is_some())
}

fn ended(run: &Run) -> Option<Timestamp> {
    parse_utc(run.ended.as_deref()?)
}

/// Whether two runs overlapped in time; `false` if their times are unknown.
fn at_once(one: &Run, other: &Run) -> bool {
    let times = |run: &Run| Some((parse_utc(run.started.as_deref()?)?, ended(run)?));
    let (Some((from, to)), Some((other_from, other_to))) = (times(one), times(other)) else {
        return false;
    };
    from < other_to && other_from < to
}

/// Whether two records are of one run of another tool, which was imported again after something was added to it.
fn is_again(one: &Run, other: &Run) -> bool {
    let key = |run: &Run| {
        let (job, cwd, started) = (run.job.clone(), run.cwd.clone(), run.started.clone());
        (run.origin.clone(), job, cwd, started)
    };
    !matches!(one.origin.as_str(), "queue" | "record") && key(one) == key(other)
}

fn unexplained(path: &str, message: String) -> Made {
    Made {
        gaps: vec![gap(GapId::UnexplainedEvidence, path, message)],
        ..Made::default()
    }
}

/// The first few of these names.
fn some(names: &[&str]) -> String {
    let mut shown: Vec<&str> = names.iter().take(NAMED).copied().collect();
    if names.len() > NAMED {
        shown.push("…");
    }
    shown.join(", ")
}

fn gap(id: GapId, file: &str, message: String) -> Gap {
    Gap {
        id,
        file: file.to_owned(),
        message,
    }
}

/// The beginning of a digest, for messages.
pub fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}
