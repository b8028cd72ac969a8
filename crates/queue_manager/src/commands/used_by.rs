//! `used-by`: lists the numbers in papers that rest on the runs of a job.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use aris_cli::{Context, Outcome};
use aris_contract::ErrorKind;
use aris_fs::{Entry, EntryKind};
use aris_runs::{Ledger, Line};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::commands::CommandResult;
use crate::error::Error;
use crate::report;

/// File of the audit that binds numbers to data.
const ARTIFACT: &str = "PAPER_CLAIM_AUDIT.json";
const LIMIT: u64 = 256 << 20;
/// Folders that are not searched for papers.
const SKIPPED: [&str; 4] = [".git", ".aris", "node_modules", "__pycache__"];
/// Most numbers that a warning names.
const NAMED: usize = 5;

/// The numbers that rest on the runs of a job.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct UsedBy {
    /// The job.
    pub(crate) job: String,
    /// Number of its runs in the project's ledger.
    pub(crate) runs: usize,
    /// Number of files that they wrote.
    pub(crate) files: usize,
    /// Audits of papers that were read, relative to the project.
    pub(crate) audits: Vec<String>,
    /// Those of them whose paper, `claims.toml` or data changed since.
    pub(crate) stale: Vec<String>,
    /// The numbers in these audits; also those that rest on a later run which read what these runs wrote.
    pub(crate) numbers: Vec<Standing>,
    /// What is unknown: audits that cannot be read, and numbers whose data the audit did not find.
    pub(crate) unknown: Vec<String>,
}

/// A number that rests on a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Standing {
    /// The paper's folder, relative to the project.
    pub(crate) paper: String,
    /// Its place in the paper, `FILE:LINE`.
    pub(crate) location: String,
    /// Id of the binding.
    pub(crate) id: String,
    /// The number as the paper shows it, or the text of a statement.
    pub(crate) shown: String,
    /// The file that the number was read from, relative to the project.
    pub(crate) file: String,
    /// Id of the run; if that did not write the file itself, the file was made from its outputs.
    pub(crate) run: String,
}

#[derive(Deserialize)]
struct Audit {
    details: Details,
    #[serde(default)]
    audited_input_hashes: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Details {
    #[serde(default)]
    claims: Vec<Claim>,
}

#[derive(Deserialize)]
struct Claim {
    id: String,
    location: String,
    paper_text: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    detail: Option<String>,
    #[serde(default)]
    evidence: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    path: String,
    sha256: String,
}

pub(crate) fn used_by(job: &str, context: &Context) -> CommandResult {
    let cwd = context.cwd();
    let no_ledger = || {
        let what = "there is no record of runs (.aris/runs) in or above";
        let message = format!("{what} {}", cwd.display());
        let hint = "`queue_manager run` and `queue_manager record` make it; call this in the folder of the project";
        Error::told(ErrorKind::NotFound, message, hint).about(cwd)
    };
    let ledger = Ledger::above([cwd]).ok_or_else(no_ledger)?;
    let mut found = look(&ledger, &[job.to_owned()])?;
    let used = found.pop().unwrap_or_else(|| UsedBy::none(job));
    if used.runs == 0 {
        let folder = ledger.folder().display();
        let message = format!("no run of {job:?} is recorded in {folder}");
        let hint = "the file `runs` in that folder lists the recorded runs";
        return Err(Error::told(ErrorKind::NotFound, message, hint));
    }
    for what in &used.unknown {
        let job = &used.job;
        context.warn(&format!("what rests on {job} is not fully known: {what}"));
    }
    if used.files > 0 && used.audits.is_empty() && used.unknown.is_empty() {
        let unknown = "it is not known which numbers rest on the run";
        let project = ledger.project().display();
        let message = format!("no paper in {project} has been audited, so {unknown}");
        let hint = "run paper_claim_audit PAPER first";
        return Err(Error::told(ErrorKind::Precondition, message, hint));
    }
    for audit in &used.stale {
        context.warn(&format!(
            "{audit}: the paper, its bindings or its data changed since; run `paper_claim_audit` again"
        ));
    }
    Ok(Outcome::done(used).shown(report::id::USED_BY, report::used_by))
}

/// Warns of the numbers that rest on these jobs, before they are repeated or removed. Without a ledger or audits there are none.
pub(super) fn warn(jobs: &[String], cwd: &Path, what: &str, context: &Context) {
    let Some(ledger) = Ledger::above([cwd]) else {
        return;
    };
    let found = match look(&ledger, jobs) {
        Ok(found) => found,
        Err(error) => {
            return context.warn(&format!("what uses these runs is not known: {error}"));
        }
    };
    let unknown: BTreeSet<&String> = found.iter().flat_map(|used| &used.unknown).collect();
    for what in unknown {
        let text = format!("what uses these runs is not fully known: {what}");
        context.warn(&text);
    }
    for used in found.iter().filter(|used| !used.numbers.is_empty()) {
        let named = used.numbers.iter().take(NAMED).map(Standing::words);
        let mut names: Vec<String> = named.collect();
        if used.numbers.len() > NAMED {
            names.push(format!("and {} more", used.numbers.len() - NAMED));
        }
        let count = match used.numbers.len() {
            1 => String::from("1 number comes from"),
            count => format!("{count} numbers come from"),
        };
        let (job, names) = (&used.job, names.join("; "));
        context.warn(&format!("{what} {job}: {count} its files: {names}"));
    }
}

/// The numbers that rest on each of these jobs.
fn look(ledger: &Ledger, jobs: &[String]) -> Result<Vec<UsedBy>, Error> {
    let wanted = jobs.iter().map(|job| (job.as_str(), UsedBy::none(job)));
    let mut wanted: BTreeMap<&str, UsedBy> = wanted.collect();
    let mut jobs: BTreeMap<String, String> = BTreeMap::new();
    for line in ledger.runs()? {
        let Some(used) = wanted.get_mut(line.job.as_str()) else {
            continue;
        };
        used.runs += 1;
        used.files += ledger.read(&line.id).map_or(0, |record| record.count());
        jobs.insert(line.id, line.job);
    }
    if wanted.values().all(|used| used.files == 0) {
        return Ok(wanted.into_values().collect());
    }
    let project = ledger.project();
    let skip = |name: &std::ffi::OsStr| SKIPPED.iter().any(|skipped| name == *skipped);
    let entries = aris_fs::walk_sorted(project, &mut |entry| !skip(&entry.name))?;
    let is_audit = |entry: &&Entry| entry.kind == EntryKind::File && entry.name == ARTIFACT;
    for entry in entries.iter().filter(is_audit) {
        let bytes = aris_fs::read(&entry.path, LIMIT)?;
        let name = ledger.name(&entry.path);
        let mut unknown = |why: &str| {
            let all = wanted.values_mut();
            all.for_each(|used| used.unknown.push(why.to_owned()));
        };
        let audit = match serde_json::from_slice::<Audit>(&bytes) {
            Ok(audit) => audit,
            Err(error) => {
                let again = "run `paper_claim_audit` again";
                unknown(&format!("{name} cannot be read: {error}; {again}"));
                continue;
            }
        };
        let folder = entry.path.parent().unwrap_or(project);
        let paper = ledger.name(folder);
        let claims = &audit.details.claims;
        for claim in claims.iter().filter(|it| it.status == "binding_error") {
            let detail = claim.detail.as_deref().unwrap_or("its data was not found");
            let (at, id, text) = (&claim.location, &claim.id, &claim.paper_text);
            unknown(&format!("{paper}/{at}: {text} [{id}]: {detail}"));
        }
        let is_old = audit.audited_input_hashes.iter().any(|(name, said)| {
            let now = aris_runs::file_digest(&aris_fs::lexical(&folder.join(name)), || {});
            now.is_ok_and(|(sha256, _)| sha256 != said.trim_start_matches("sha256:"))
        });
        for used in wanted.values_mut() {
            used.stale.extend(is_old.then(|| name.clone()));
            used.audits.push(name.clone());
        }
        let files = claims.iter().flat_map(|claim| &claim.evidence);
        let digests = files.map(|file| file.sha256.as_str()).collect();
        let mut made: BTreeMap<String, Vec<Line>> = BTreeMap::new();
        for line in ledger.find(&digests, &BTreeSet::new())? {
            made.entry(line.sha256.clone()).or_default().push(line);
        }
        let wrote = made.values().flatten().map(|line| line.run.clone());
        let sources = ledger.sources(wrote)?;
        for claim in claims {
            let mut seen = BTreeSet::new();
            for file in &claim.evidence {
                let same = made.get(&file.sha256).map_or(&[][..], Vec::as_slice);
                for line in at(&file.path, same) {
                    // The run that wrote the file, and those that wrote what that run read.
                    for run in behind(&line.run, &sources) {
                        let Some(job) = jobs.get(run) else {
                            continue;
                        };
                        let used = wanted.get_mut(job.as_str());
                        if let Some(used) = used.filter(|_| seen.insert(job)) {
                            used.numbers.push(Standing {
                                paper: paper.clone(),
                                location: claim.location.clone(),
                                id: claim.id.clone(),
                                shown: claim.paper_text.clone(),
                                file: line.path.clone(),
                                run: run.to_owned(),
                            });
                        }
                    }
                }
            }
        }
    }
    let mut found: Vec<UsedBy> = wanted.into_values().collect();
    found.sort_by(|one, other| one.job.cmp(&other.job));
    Ok(found)
}

/// A run, and all runs whose files it used.
fn behind<'s>(run: &'s str, sources: &'s BTreeMap<String, BTreeSet<String>>) -> BTreeSet<&'s str> {
    let mut found = BTreeSet::new();
    let mut open = vec![run];
    while let Some(run) = open.pop() {
        if found.insert(run) {
            open.extend(sources.get(run).into_iter().flatten().map(String::as_str));
        }
    }
    found
}

/// The lines with this path, latest first; without any, the latest of all lines. The path is relative to the data root, whose place is
/// unknown here.
fn at<'l>(path: &str, same: &'l [Line]) -> Vec<&'l Line> {
    let path = path.trim_start_matches("../");
    let here = |line: &&Line| Path::new(&line.path).ends_with(path);
    match same.iter().filter(here).collect::<Vec<_>>() {
        here if here.is_empty() => same.last().into_iter().collect(),
        mut here => {
            here.reverse();
            here
        }
    }
}

impl UsedBy {
    fn none(job: &str) -> Self {
        Self {
            job: job.to_owned(),
            ..Self::default()
        }
    }
}

impl Standing {
    /// The number with its place.
    pub(crate) fn words(&self) -> String {
        let (paper, at, shown) = (&self.paper, &self.location, &self.shown);
        format!("{paper}/{at}: {shown} [{}], by {}", self.id, self.file)
    }
}
