//! Findings of earlier runs. A finding that vanishes is cleared only if a file that it named has changed, or if its audit was repeated.
//!
//! Only findings that depend on artifacts and traces are stored: those that depend on the files alone appear again in every run.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use aris_audit::Digest;
use aris_audit::ledger::Ledger;
use aris_cli::{Context, Product, Style};
use aris_contract::{ErrorKind, Failure as _, json, time};
use aris_fs::Lock;
use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::cli::ObligationArgs;
use crate::error::Error;
use crate::finding::{Finding, FindingId};
use crate::gate::Gate;
use crate::output;
use crate::paper::{Paper, Unusable};
use crate::text::{clean, short};
use crate::trace;

/// Schema id of [`Obligations`], and of the file.
pub(crate) const SCHEMA: &str = "aris.verify_paper_audits.obligations/v1";
/// Path of the list, relative to the paper directory.
const FILE: &str = ".aris/audit-obligations.json";
/// Name of the list in messages.
const LIST: &str = "the list of obligations";
/// Largest list, in bytes.
const LIMIT: u64 = 16 << 20;
/// Most entries.
const KEPT: usize = 500;

/// Findings that vanish when somebody edits an artifact or a trace.
const TRACKED: [FindingId; 9] = [
    FindingId::BlockingVerdict,
    FindingId::VerdictContradicted,
    FindingId::StaleInput,
    FindingId::InputGone,
    FindingId::InputChangedAfterReview,
    FindingId::NoAuditedInputs,
    FindingId::UncoveredInput,
    FindingId::TraceTampered,
    FindingId::TraceUnrelated,
];

/// What is kept, and what `obligations` answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Obligations {
    /// `aris.verify_paper_audits.obligations/v1`.
    pub schema: String,
    /// The findings, sorted.
    pub obligations: Vec<Obligation>,
}

/// A finding that was seen and not cleared.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub(crate) struct Obligation {
    /// Root document of the paper that was gated; empty when there was none.
    pub root: String,
    /// Skill of the audit.
    pub audit: String,
    /// Id of the finding.
    #[schemars(with = "String")]
    pub id: FindingId,
    /// The files that it named, relative to the paper directory, with the digests they had; null where a file was not there.
    pub files: BTreeMap<String, Option<String>>,
    /// The review that the audit rested on, `TRACE#RECORD@TIME`; null where there was none.
    pub review: Option<String>,
    /// What was wrong.
    pub message: String,
    /// When it was seen first, RFC 3339 UTC.
    pub seen_at: String,
}

/// What identifies a finding across runs: audit, id and named files.
type Key = (String, FindingId, Vec<String>);

impl Obligation {
    fn key(&self) -> Key {
        let files = self.files.keys().cloned().collect();
        (self.audit.clone(), self.id, files)
    }
}

impl Obligations {
    /// Reads the list of a paper.
    pub(crate) fn read(paper: &Paper) -> Result<Self, Error> {
        let path = place(paper)?;
        let bytes = aris_fs::read_optional(&path, LIMIT).map_err(|source| Error::Read {
            what: LIST,
            kind: source.kind(),
            source,
        })?;
        let Some(bytes) = bytes else {
            return Ok(Self::default());
        };
        serde_json::from_slice(&bytes).map_err(|error| {
            let message = format!("{}: {error}", path.display());
            let hint = "restore the file from version control; without it nobody knows what was found before";
            Error::new(ErrorKind::Validation, message, hint)
        })
    }

    /// Updates the list after a run. Returns a finding for each earlier one that vanished without being cleared.
    pub(crate) fn update(
        &mut self,
        gate: Gate<'_>,
        root: &str,
        cases: &[Case],
        ledger: &Ledger,
    ) -> Vec<(String, Finding)> {
        let mut seen: BTreeMap<Key, (&Case, &Finding)> = BTreeMap::new();
        for case in cases {
            let findings = case.findings.iter();
            for finding in findings.filter(|finding| TRACKED.contains(&finding.id)) {
                let named: BTreeSet<&String> = named(finding).collect();
                let named = named.into_iter().cloned().collect();
                let key = (case.rule.skill.clone(), finding.id, named);
                seen.entry(key).or_insert((case, finding));
            }
        }
        let mut open = Vec::new();
        let mut kept: BTreeMap<(String, Key), Obligation> = BTreeMap::new();
        for earlier in std::mem::take(&mut self.obligations) {
            let key = earlier.key();
            let case = cases.iter().find(|case| case.rule.skill == earlier.audit);
            let is_here = earlier.root == root;
            // An audit that this run does not ask for clears nothing, and is asked for again perhaps.
            if let Some(case) = case.filter(|_| is_here && !seen.contains_key(&key)) {
                if is_cleared(&earlier, case, gate.paper, ledger) {
                    continue;
                }
                open.push((earlier.audit.clone(), finding(&earlier)));
            }
            kept.insert((earlier.root.clone(), key), earlier);
        }
        for (key, (case, finding)) in seen {
            let key = (root.to_owned(), key);
            let earlier = kept.get(&key);
            if earlier.is_none() && kept.len() >= KEPT {
                continue;
            }
            // Update the files: they may have changed although the finding is still there.
            let seen_at =
                earlier.map_or_else(|| time::stamp(gate.now), |known| known.seen_at.clone());
            let files = named(finding);
            let files = files.map(|name| (name.clone(), digest(name, gate.paper, ledger)));
            let obligation = Obligation {
                root: root.to_owned(),
                audit: case.rule.skill.clone(),
                id: finding.id,
                files: files.collect(),
                review: review(case),
                message: short(&finding.message),
                seen_at,
            };
            kept.insert(key, obligation);
        }
        self.obligations = kept.into_values().collect();
        open
    }
}

/// Open findings, each with the skill of its audit, and an error if the list could not be written.
type Kept = (Vec<(String, Finding)>, Option<Error>);

/// Reads, updates and writes the list under a lock. A paper in a read-only folder is judged as well.
pub(crate) fn keep(
    gate: Gate<'_>,
    root: &str,
    cases: &[Case],
    ledger: &Ledger,
) -> Result<Kept, Error> {
    let mut list = Obligations::read(gate.paper)?;
    let before = list.clone();
    let open = list.update(gate, root, cases, ledger);
    if list == before {
        return Ok((open, None));
    }
    let written = write(gate.paper, |list| {
        list.update(gate, root, cases, ledger);
    });
    Ok((open, written.err()))
}

/// Applies a change to the current list in the file.
fn write(paper: &Paper, change: impl FnOnce(&mut Obligations)) -> Result<(), Error> {
    let path = place(paper)?;
    let failed = |source| Error::Write { what: LIST, source };
    if let Some(folder) = path.parent() {
        aris_fs::create_dir(folder).map_err(failed)?;
    }
    let lock = Lock::acquire(&path.with_extension("lock")).map_err(failed)?;
    let mut list = Obligations::read(paper)?;
    change(&mut list);
    SCHEMA.clone_into(&mut list.schema);
    let bytes = Error::compose(LIST, json::pretty(&list))?;
    aris_fs::write_changed(&path, &bytes).map_err(failed)?;
    drop(lock);
    Ok(())
}

/// The path of the list. An error if a link in the paper leads out of the project.
fn place(paper: &Paper) -> Result<PathBuf, Error> {
    let path = paper.dir.join(FILE);
    match paper.resolve(&paper.dir, FILE) {
        Err(Unusable::Escapes { to, .. }) => Err(Error::astray(&path, &to)),
        _ => Ok(path),
    }
}

/// The files that a finding names.
fn named(finding: &Finding) -> impl Iterator<Item = &String> {
    let named = ["uncovered", "input"].map(|name| finding.evidence.get(name));
    named.into_iter().flatten().chain(&finding.file)
}

fn digest(name: &str, paper: &Paper, ledger: &Ledger) -> Option<String> {
    let real = paper.dir.join(name).canonicalize().ok()?;
    let known = ledger.digest(&real).and_then(|known| known.clone().ok());
    let hashed = || {
        let mut digests = aris_audit::digest_files(&[real.as_path()]);
        digests.pop()?.ok()
    };
    let digest: Option<Digest> = known.or_else(hashed);
    digest.map(|digest| digest.to_string())
}

fn review(case: &Case) -> Option<String> {
    let audit = case.artifact.audit.as_ref()?;
    let trace = case.trace.as_ref()?;
    let record = trace.record.as_ref()?;
    let at = trace.answered_at.as_deref().unwrap_or_default();
    Some(format!("{}#{record}@{at}", short(&audit.trace_path)))
}

/// Whether something happened that can have cleared the finding. A change of the artifact alone does not count, because it is easily
/// edited.
fn is_cleared(earlier: &Obligation, case: &Case, paper: &Paper, ledger: &Ledger) -> bool {
    let audit = case.artifact.audit.as_ref();
    // The gate repeats the audits of programs in every run.
    let repeated = audit.is_some_and(|audit| trace::is_program(&audit.reviewer_model));
    let artifact = Path::new(&case.rule.artifact);
    let mut files = earlier.files.iter();
    let changed = files
        .any(|(name, then)| Path::new(name) != artifact && digest(name, paper, ledger) != *then);
    // A removed artifact, or one without a reviewer, is not a new review.
    let reviewed = review(case).is_some_and(|review| Some(review) != earlier.review);
    repeated || changed || reviewed
}

fn finding(earlier: &Obligation) -> Finding {
    let files: Vec<&str> = earlier.files.keys().map(String::as_str).collect();
    let (id, seen, files) = (earlier.id.word(), &earlier.seen_at, files.join(", "));
    let message = format!(
        "an earlier run of the gate ({seen}) found {id}; it is gone, although neither {files} nor the review changed: {}",
        earlier.message
    );
    let fix = "repair what was found, or have the audit made again";
    let mut found = Finding::new(FindingId::ObligationOpen, message, fix);
    found.file = earlier.files.keys().next().cloned();
    let issue = format!("obligation_open:{id}");
    found.evidence("finding", id).issue(issue)
}

/// Lists the stored findings of a paper.
pub(crate) fn list(args: &ObligationArgs, context: &Context) -> Result<Obligations, Error> {
    let given = output::paper(args.paper.as_deref(), context)?;
    let paper = Paper::open(&given, &[], context.cwd());
    let paper = paper.map_err(|_gone| Error::no_paper(given))?;
    let mut list = Obligations::read(&paper)?;
    SCHEMA.clone_into(&mut list.schema);
    Ok(list)
}

impl Product for Obligations {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        for open in &self.obligations {
            let files: Vec<String> = open.files.keys().map(|file| clean(file)).collect();
            let (id, audit) = (style.bold(open.id.word()), clean(&open.audit));
            let (files, seen) = (files.join(", "), clean(&open.seen_at));
            let message = clean(&open.message);
            writeln!(out, "{files}  {id} ({audit}, since {seen})\n    {message}")?;
        }
        let open = match self.obligations.len() {
            0 => return writeln!(out, "no finding of an earlier run is open"),
            1 => String::from("1 finding is"),
            more => format!("{more} findings are"),
        };
        writeln!(out, "{open} open; the next run of the gate looks again")
    }
}
