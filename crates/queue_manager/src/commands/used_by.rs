//! `used-by`: the numbers of papers that stand on the runs of a job.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use aris_cli::{Context, Outcome};
use aris_fs::EntryKind;
use aris_runs::Ledger;
use serde::{Deserialize, Serialize};

use crate::cli::UsedByArgs;
use crate::error::Error;
use crate::report::Data;

/// Artifact of the audit that binds numbers to data.
const ARTIFACT: &str = "PAPER_CLAIM_AUDIT.json";
const LIMIT: u64 = 256 << 20;
/// Folders without papers.
const SKIPPED: [&str; 4] = [".git", ".aris", "node_modules", "__pycache__"];
/// Numbers that a warning names.
const NAMED: usize = 5;

/// What stands on the runs of a job.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct UsedBy {
    /// The job.
    pub(crate) job: String,
    /// Its runs in the project's ledger.
    pub(crate) runs: usize,
    /// Files that they wrote.
    pub(crate) files: usize,
    /// Audits of papers that were looked into, relative to the project.
    pub(crate) audits: Vec<String>,
    /// The numbers, as these audits have them.
    pub(crate) numbers: Vec<Standing>,
}

/// A number that stands on a run.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Standing {
    /// The paper's folder, relative to the project.
    pub(crate) paper: String,
    /// `FILE:LINE` in it.
    pub(crate) location: String,
    /// Id of the binding.
    pub(crate) id: String,
    /// The number as the paper shows it; the text of a statement.
    pub(crate) shown: String,
    /// The file that the run wrote, relative to the project.
    pub(crate) file: String,
    /// Id of the run.
    pub(crate) run: String,
}

#[derive(Deserialize)]
struct Audit {
    details: Details,
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
    evidence: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    sha256: String,
}

pub(crate) fn used_by(args: &UsedByArgs, context: &Context) -> Result<Outcome<Data>, Error> {
    let cwd = context.cwd();
    let ledger = Ledger::above([cwd]).ok_or_else(|| Error::NoLedger {
        path: cwd.to_path_buf(),
    })?;
    let mut found = look(&ledger, std::slice::from_ref(&args.job))?;
    let used = found.pop().unwrap_or_else(|| UsedBy::none(&args.job));
    if used.runs == 0 {
        return Err(Error::NoRunOf {
            job: args.job.clone(),
            ledger: ledger.folder().to_path_buf(),
        });
    }
    if used.files > 0 && used.audits.is_empty() {
        return Err(Error::NoAudit {
            project: ledger.project().to_path_buf(),
        });
    }
    Ok(Outcome::done(Data::UsedBy(used)))
}

/// Warns of the numbers that stand on these jobs, before they are repeated or taken away. A project without a ledger or audits has none.
pub(super) fn warn(jobs: &[String], cwd: &Path, what: &str, context: &Context) {
    let Some(ledger) = Ledger::above([cwd]) else {
        return;
    };
    let found = match look(&ledger, jobs) {
        Ok(found) => found,
        Err(error) => {
            return context.warn(&format!("what stands on these runs is not known: {error}"));
        }
    };
    for used in found.iter().filter(|used| !used.numbers.is_empty()) {
        let mut names: Vec<String> = used
            .numbers
            .iter()
            .take(NAMED)
            .map(Standing::words)
            .collect();
        if used.numbers.len() > NAMED {
            names.push(format!("and {} more", used.numbers.len() - NAMED));
        }
        context.warn(&format!(
            "{what} {}: {} numbers stand on its files: {}",
            used.job,
            used.numbers.len(),
            names.join("; ")
        ));
    }
}

/// What stands on each of these jobs.
fn look(ledger: &Ledger, jobs: &[String]) -> Result<Vec<UsedBy>, Error> {
    let mut wanted: BTreeMap<&str, UsedBy> = jobs
        .iter()
        .map(|job| (job.as_str(), UsedBy::none(job)))
        .collect();
    // Digest of a file, to the job, the run, and where the run wrote it.
    let mut made: BTreeMap<String, (String, String, String)> = BTreeMap::new();
    for line in ledger.runs()? {
        let Some(used) = wanted.get_mut(line.job.as_str()) else {
            continue;
        };
        used.runs += 1;
        for file in ledger
            .read(&line.id)
            .map(|run| run.outputs)
            .unwrap_or_default()
        {
            used.files += 1;
            made.insert(file.sha256, (line.job.clone(), line.id.clone(), file.path));
        }
    }
    if made.is_empty() {
        return Ok(wanted.into_values().collect());
    }
    let project = ledger.project();
    let skip = |name: &std::ffi::OsStr| SKIPPED.iter().any(|skipped| name == *skipped);
    let entries = aris_fs::walk_sorted(project, &mut |entry| !skip(&entry.name))?;
    for entry in entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::File && entry.name == ARTIFACT)
    {
        let bytes = aris_fs::read(&entry.path, LIMIT)?;
        // An artifact that cannot be read is the gate's matter.
        let Ok(audit) = serde_json::from_slice::<Audit>(&bytes) else {
            continue;
        };
        let paper = ledger.name(entry.path.parent().unwrap_or(project));
        for used in wanted.values_mut() {
            used.audits.push(ledger.name(&entry.path));
        }
        for claim in audit.details.claims {
            let mut seen = BTreeSet::new();
            for file in &claim.evidence {
                let Some((job, run, path)) = made.get(&file.sha256) else {
                    continue;
                };
                if let Some(used) = wanted.get_mut(job.as_str()).filter(|_| seen.insert(job)) {
                    used.numbers.push(Standing {
                        paper: paper.clone(),
                        location: claim.location.clone(),
                        id: claim.id.clone(),
                        shown: claim.paper_text.clone(),
                        file: path.clone(),
                        run: run.clone(),
                    });
                }
            }
        }
    }
    let mut found: Vec<UsedBy> = wanted.into_values().collect();
    found.sort_by(|one, other| one.job.cmp(&other.job));
    Ok(found)
}

impl UsedBy {
    fn none(job: &str) -> Self {
        Self {
            job: job.to_owned(),
            runs: 0,
            files: 0,
            audits: Vec::new(),
            numbers: Vec::new(),
        }
    }
}

impl Standing {
    /// The number and its place.
    pub(crate) fn words(&self) -> String {
        format!(
            "{}/{}: {} [{}], by {}",
            self.paper, self.location, self.shown, self.id, self.file
        )
    }
}
