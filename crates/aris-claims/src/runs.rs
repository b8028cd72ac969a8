//! Which run made the files behind a number, as far as the project's ledger of runs tells.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use aris_fs::FsError;
use aris_runs::{End, Ledger, Line, Run};
use serde::Serialize;

use crate::project::Project;
use crate::report::{Entry, FileUse};

/// Other runs that wrote the same path and are looked at, the latest first.
const OTHERS: usize = 20;
/// Names of changed files that a message lists.
const NAMED: usize = 3;

/// What is wrong with the way from a file to its run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gap {
    /// What kind; stable.
    pub id: GapId,
    /// The file, relative to the data root.
    pub file: String,
    /// What was found.
    pub message: String,
}

/// The kinds of [`Gap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum GapId {
    /// No run in the ledger wrote a file with this content.
    UnexplainedEvidence,
    /// The run that wrote it failed, or nobody knows how it ended.
    RunFailed,
    /// The run's code was not what its commit holds.
    UncommittedSource,
    /// The files of one number were made by different commits.
    MixedCommits,
    /// Two runs that went on at the same time wrote this path: which of them wrote what is there is not known.
    ContestedFile,
    /// A later run wrote this path with another content.
    SupersededRun,
    /// The record of the run or its patch was edited or is gone, or its times cannot be.
    RecordDamaged,
}

impl GapId {
    /// The word in messages.
    pub const fn word(self) -> &'static str {
        match self {
            Self::UnexplainedEvidence => "unexplained_evidence",
            Self::RunFailed => "run_failed",
            Self::UncommittedSource => "uncommitted_source",
            Self::MixedCommits => "mixed_commits",
            Self::ContestedFile => "contested_file",
            Self::SupersededRun => "superseded_run",
            Self::RecordDamaged => "record_damaged",
        }
    }
}

/// A file and the run that wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// The ledger that was looked into; `None`: the project has none.
    pub ledger: Option<Ledger>,
    /// By the path of the file relative to the data root, and its digest.
    made: BTreeMap<(String, String), Made>,
}

impl Runs {
    /// Looks up the files of these entries. **Errors**: the ledger is there and cannot be read.
    pub fn of(project: &Project, entries: &[Entry]) -> Result<Self, FsError> {
        let root = &project.settings.root;
        let ledger = Ledger::above([root.as_path(), &project.files.folder]);
        let files: BTreeSet<(&str, &str)> = entries
            .iter()
            .flat_map(|entry| &entry.evidence)
            .map(|file| (file.path.as_str(), file.sha256.as_str()))
            .collect();
        let looked_up = match &ledger {
            Some(ledger) => look_up(ledger, root, &files)?,
            None => BTreeMap::new(),
        };
        let key = |(path, sha256): (&str, &str)| (path.to_owned(), sha256.to_owned());
        let none = |(path, _): &(&str, &str)| {
            let message = String::from("the project has no ledger of runs, .aris/runs");
            Made {
                gaps: vec![gap(GapId::UnexplainedEvidence, path, message)],
                ..Made::default()
            }
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

    /// The runs behind the files, by the ids of their records.
    pub fn records(&self) -> BTreeMap<&str, &Run> {
        let records = self
            .made
            .values()
            .filter_map(|made| Some((made.run_id.as_deref()?, made.run.as_ref()?)));
        records.collect()
    }

    /// What is wrong with the way from one number to its runs.
    pub fn gaps(&self, entry: &Entry) -> Vec<Gap> {
        let made: Vec<(&FileUse, &Made)> = entry
            .evidence
            .iter()
            .filter_map(|file| Some((file, self.made(file)?)))
            .collect();
        let mut gaps: Vec<Gap> = made
            .iter()
            .flat_map(|(_, made)| made.gaps.clone())
            .collect();
        let commit = |(file, made): &(&FileUse, &Made)| {
            let source = made.run.as_ref()?.source.as_ref()?;
            Some((source.commit.clone(), file.path.clone()))
                .filter(|(commit, _)| !commit.is_empty())
        };
        let commits: BTreeMap<String, String> = made.iter().filter_map(commit).collect();
        if commits.len() > 1 {
            let each = commits
                .iter()
                .map(|(commit, file)| format!("{file} by {}", short(commit)));
            let message = format!(
                "files of one number were made by {} commits: {}",
                commits.len(),
                each.collect::<Vec<_>>().join(", ")
            );
            let file = commits.values().next().cloned().unwrap_or_default();
            gaps.push(gap(GapId::MixedCommits, &file, message));
        }
        gaps
    }

    /// Everything that is wrong, each once.
    pub fn all_gaps(&self, entries: &[Entry]) -> Vec<Gap> {
        let all: BTreeSet<Gap> = entries.iter().flat_map(|entry| self.gaps(entry)).collect();
        all.into_iter().collect()
    }
}

fn look_up<'f>(
    ledger: &Ledger,
    root: &Path,
    files: &BTreeSet<(&'f str, &'f str)>,
) -> Result<BTreeMap<(&'f str, &'f str), Made>, FsError> {
    let name = |path: &str| {
        let path = aris_fs::lexical(&root.join(path));
        ledger.name(&path.canonicalize().unwrap_or(path))
    };
    let names: BTreeMap<&str, String> = files.iter().map(|(path, _)| (*path, name(path))).collect();
    let digests: BTreeSet<&str> = files.iter().map(|(_, sha256)| *sha256).collect();
    let paths: BTreeSet<&str> = names.values().map(String::as_str).collect();
    let lines = ledger.find(&digests, &paths)?;
    let mut by_digest: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    let mut by_path: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    for line in &lines {
        by_digest.entry(&line.sha256).or_default().push(line);
        by_path.entry(&line.path).or_default().push(line);
    }
    let mut records: BTreeMap<&str, Result<Run, aris_runs::Damage>> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for file in files {
        let (path, sha256) = *file;
        let own = names.get(path).map_or(path, String::as_str);
        let at_path = by_path.get(own).map_or(&[][..], Vec::as_slice);
        let same = by_digest.get(sha256).map_or(&[][..], Vec::as_slice);
        let here = same.iter().rev().find(|line| line.path == own);
        let made = match here.or(same.last()) {
            None => unexplained(path, at_path.last().copied()),
            Some(line) => {
                let record = records
                    .entry(&line.run)
                    .or_insert_with(|| ledger.read(&line.run));
                let mut made = explained(ledger, path, line, record.as_ref());
                let others = at_path
                    .iter()
                    .rev()
                    .filter(|other| other.run != line.run)
                    .take(OTHERS);
                let mut others = others.filter_map(|other| ledger.read(&other.run).ok());
                if let Some(run) = &made.run
                    && let Some(other) = others.find(|other| at_once(run, other))
                {
                    let message = format!(
                        "{} went on at the same time and wrote this path, too",
                        other.words()
                    );
                    made.gaps.push(gap(GapId::ContestedFile, path, message));
                }
                if let Some(last) = at_path.last().filter(|last| last.sha256 != sha256) {
                    let message = format!(
                        "a later run, {}, wrote this path with another content",
                        short(&last.run)
                    );
                    made.gaps.push(gap(GapId::SupersededRun, path, message));
                }
                made
            }
        };
        found.insert(*file, made);
    }
    drop_own_changes(ledger, &mut found)?;
    Ok(found)
}

/// Whether two runs went on at the same time; runs whose times are not known did not.
fn at_once(one: &Run, other: &Run) -> bool {
    let times = |run: &Run| {
        let time = |text: &Option<String>| aris_contract::time::parse_utc(text.as_deref()?);
        Some((time(&run.started)?, time(&run.ended)?))
    };
    let (Some((from, to)), Some((other_from, other_to))) = (times(one), times(other)) else {
        return false;
    };
    from < other_to && other_from < to
}

fn unexplained(path: &str, last: Option<&Line>) -> Made {
    let message = match last {
        Some(line) => format!(
            "run {} wrote this path with another content: it was changed since",
            short(&line.run)
        ),
        None => String::from("no run in the ledger wrote this file"),
    };
    Made {
        gaps: vec![gap(GapId::UnexplainedEvidence, path, message)],
        ..Made::default()
    }
}

fn explained(
    ledger: &Ledger,
    path: &str,
    line: &Line,
    record: Result<&Run, &aris_runs::Damage>,
) -> Made {
    let mut gaps = Vec::new();
    let mut damaged = |message| gaps.push(gap(GapId::RecordDamaged, path, message));
    let run = match record {
        Ok(run) => run,
        Err(damage) => {
            damaged(format!("run {}: {}", short(&line.run), damage.words()));
            return Made {
                run_id: Some(line.run.clone()),
                run: None,
                gaps,
            };
        }
    };
    // Its path is that on the machine where it ran.
    let says = |file: &aris_runs::FileSeen| file.sha256 == line.sha256;
    if !run.outputs.iter().any(says) {
        damaged(format!(
            "the record of run {} does not name this file",
            short(&line.run)
        ));
    }
    if let Err(damage) = ledger.check_patch(run) {
        damaged(format!(
            "patch of run {}: {}",
            short(&line.run),
            damage.words()
        ));
    }
    if let (Some(started), Some(ended)) = (&run.started, &run.ended)
        && let (Some(from), Some(to)) = (
            aris_contract::time::parse_utc(started),
            aris_contract::time::parse_utc(ended),
        )
        && from > to
    {
        damaged(format!(
            "the run began at {started} and was over at {ended}: a clock was wrong"
        ));
    }
    if run.end != End::Completed {
        gaps.push(gap(GapId::RunFailed, path, run.words()));
    }
    if let Some(source) = &run.source
        && !source.changed.is_empty()
    {
        // The message is made when it is known which of these files runs wrote themselves.
        gaps.push(gap(GapId::UncommittedSource, path, String::new()));
    }
    Made {
        run_id: Some(line.run.clone()),
        run: Some(run.clone()),
        gaps,
    }
}

/// Tracked results that runs rewrite are no changes of the code.
fn drop_own_changes(
    ledger: &Ledger,
    found: &mut BTreeMap<(&str, &str), Made>,
) -> Result<(), FsError> {
    let changed = |made: &Made| {
        made.run
            .as_ref()?
            .source
            .as_ref()
            .map(|source| source.changed.clone())
    };
    let all: BTreeSet<String> = found.values().filter_map(changed).flatten().collect();
    if all.is_empty() {
        return Ok(());
    }
    let lines = ledger.find(&BTreeSet::new(), &all.iter().map(String::as_str).collect())?;
    let written: BTreeSet<&str> = lines.iter().map(|line| line.path.as_str()).collect();
    for made in found.values_mut() {
        let code = changed(made).unwrap_or_default();
        let code: Vec<&String> = code
            .iter()
            .filter(|path| !written.contains(path.as_str()))
            .collect();
        let mut names: Vec<&str> = code.iter().take(NAMED).map(|path| path.as_str()).collect();
        if code.len() > NAMED {
            names.push("…");
        }
        let message = format!(
            "{} files differed from the commit when the run began: {}",
            code.len(),
            names.join(", ")
        );
        made.gaps
            .retain(|gap| gap.id != GapId::UncommittedSource || !code.is_empty());
        for gap in made
            .gaps
            .iter_mut()
            .filter(|gap| gap.id == GapId::UncommittedSource)
        {
            gap.message.clone_from(&message);
        }
    }
    Ok(())
}

fn gap(id: GapId, file: &str, message: String) -> Gap {
    Gap {
        id,
        file: file.to_owned(),
        message,
    }
}

/// The beginning of a digest, for people.
pub fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}
