//! Whether the trace of an audit is there, whole, and of this audit.

mod record;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use aris_audit::trace::{Chain, Trace};
use aris_contract::artifact::audit::Audit;
use aris_contract::{json, schema};
use aris_fs::EntryKind;
use serde::Serialize;

use self::record::Relation;
use crate::artifact::{self, RecordedInput};
use crate::finding::{Finding, FindingId};
use crate::ledger::{Ledger, Role};
use crate::paper::{Paper, Unusable};
use crate::policy::{AuditRule, Policy};
use crate::sources::describe;
use crate::text::short;

/// Files of a trace that are hashed for the attestation. An honest run has a few hundred.
const HASHED_FILES: usize = 2_000;
/// Records of one thread that are looked at to find the one that names the audit's inputs; later ones are follow-ups.
const FOLLOW_UPS: usize = 50;
/// Prefix of `reviewer_model` of an audit that a program made.
const PROGRAM: &str = "deterministic/";

const RERUN: &str = "run the audit again; the reviewer call must be kept with save_trace";

/// What the report says about a trace that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TraceSummary {
    /// Skill of the audit.
    pub audit: String,
    /// Folder or file, relative to the paper directory.
    pub path: String,
    /// Number of records.
    pub records: usize,
    /// File prefix of the record that is the audit's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// `valid`, `absent` or `broken`.
    pub chain: &'static str,
    /// Digest of the chain's last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The agent that ran the skill, where the run names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executor: Option<String>,
}

/// Everything a check of a trace needs.
#[derive(Debug)]
pub(crate) struct Check<'a> {
    /// The paper.
    pub paper: &'a Paper,
    /// The policy.
    pub policy: &'a Policy,
    /// The audit's rule.
    pub rule: &'a AuditRule,
    /// The artifact.
    pub audit: &'a Audit,
    /// Its inputs.
    pub inputs: &'a [RecordedInput],
}

/// Whether a reviewer is a program, however it is spelled.
pub(crate) fn is_program(reviewer_model: &str) -> bool {
    reviewer_model
        .trim()
        .to_lowercase()
        .starts_with(PROGRAM.trim_end_matches('/'))
}

impl Check<'_> {
    /// Checks the trace of one audit.
    pub(crate) fn run(&self, ledger: &mut Ledger) -> (Option<TraceSummary>, Vec<Finding>) {
        let path = &self.audit.trace_path;
        let (real, only) = match self.locate() {
            Ok(found) => found,
            Err(finding) => return (None, vec![*finding]),
        };
        // Hashed before it is read: a change in between shows at the end of the run.
        let files = files(&real);
        ledger.hash(&files, Role::Trace);
        let mut trace = match aris_audit::trace::read(&real, Some(&self.paper.project)) {
            Ok(trace) => trace,
            Err(error) => {
                let finding = self.finding(
                    FindingId::TraceUnreadable,
                    format!("the trace cannot be read: {error}"),
                );
                return (
                    None,
                    vec![finding.issue(format!("trace_path_unreadable:{}", short(path)))],
                );
            }
        };
        if let Some(prefix) = only {
            trace.records.retain(|record| record.prefix == prefix);
        }
        let mut findings = Vec::new();
        let record = self.record(&real, &trace, ledger, &mut findings);
        let proved = record.as_ref().is_some_and(|(_, proved)| *proved);
        self.chain(&trace, &mut findings);
        self.project(&trace, proved, &mut findings);
        let (chain, head) = match &trace.chain {
            Chain::Valid { head, .. } => ("valid", Some(head.to_string())),
            Chain::Absent => ("absent", None),
            Chain::Broken(_) => ("broken", None),
        };
        let summary = TraceSummary {
            audit: self.rule.skill.clone(),
            path: self.paper.shown(&real),
            records: trace.records.len(),
            record: record.map(|(prefix, _)| prefix),
            chain,
            head,
            executor: trace.run.and_then(|run| run.executor),
        };
        (Some(summary), findings)
    }

    /// The trace's folder, with the prefix of the one record that `trace_path` names when it names a record's file.
    fn locate(&self) -> Result<(PathBuf, Option<String>), Box<Finding>> {
        let path = &self.audit.trace_path;
        let missing = |message: String| {
            self.finding(FindingId::TraceMissing, message)
                .issue(format!("trace_path_missing:{}", short(path)))
        };
        if path.trim().is_empty() {
            return Err(Box::new(missing(String::from("the audit names no trace"))));
        }
        let mut problem = None;
        for base in [&self.paper.dir, &self.paper.project] {
            match self.paper.resolve(base, path) {
                Ok(real) => return Ok(record_file(&real).unwrap_or((real, None))),
                Err(Unusable::Gone) => {}
                Err(other) => problem = problem.or(Some(other)),
            }
        }
        Err(Box::new(match problem {
            None => missing(format!(
                "nothing is at {:?}, seen from the paper and from the project",
                short(path)
            )),
            Some(unusable @ (Unusable::Escapes { .. } | Unusable::Case { .. })) => self
                .finding(
                    FindingId::PathEscape,
                    format!(
                        "trace_path {:?} cannot be used: {}",
                        short(path),
                        describe(&unusable)
                    ),
                )
                .issue(format!("trace_path_escape:{}", short(path))),
            Some(unusable) => self
                .finding(
                    FindingId::TraceUnreadable,
                    format!("the trace cannot be read: {}", describe(&unusable)),
                )
                .issue(format!("trace_path_unreadable:{}", short(path))),
        }))
    }

    /// Finds the audit's record; gives its prefix, and whether it proves to be of this audit.
    fn record(
        &self,
        real: &Path,
        trace: &Trace,
        ledger: &mut Ledger,
        findings: &mut Vec<Finding>,
    ) -> Option<(String, bool)> {
        let mut reasons = BTreeSet::new();
        let mut fitting = Vec::new();
        for record in &trace.records {
            match self.fits(record) {
                Ok(()) => fitting.push(record),
                Err(reason) => {
                    reasons.insert(reason);
                }
            }
        }
        let here = matches!(self.home(trace), Home::Here);
        let mut other = None;
        let mut possible = None;
        for record in fitting.into_iter().take(FOLLOW_UPS) {
            match self.relation(real, record, here, ledger) {
                Relation::Proved => return Some((record.prefix.clone(), true)),
                Relation::Possible => possible = possible.or(Some((record.prefix.clone(), false))),
                Relation::Other(reason) => {
                    other = other.or(Some(format!("record {}: {reason}", short(&record.prefix))));
                }
            }
        }
        if possible.is_none() {
            let nearest = reasons.into_iter().max().map(|(_, reason)| reason);
            let nearest = other.or(nearest);
            findings.push(self.no_record(real, trace, nearest));
        }
        possible
    }

    /// Why a trace without a record of this audit is none of its traces.
    fn no_record(&self, real: &Path, trace: &Trace, nearest: Option<String>) -> Finding {
        let path = short(&self.audit.trace_path);
        let nothing = trace
            .records
            .iter()
            .all(|record| record.response_length == 0);
        if real.is_file() && nothing {
            let message = String::from("the trace is an empty file");
            let finding = self.finding(FindingId::TraceEmpty, message);
            return finding.issue(format!("trace_path_empty_file:{path}"));
        }
        if trace.records.is_empty() && trace.chain == Chain::Absent && trace.warnings.is_empty() {
            let message = String::from("the trace holds no record");
            let finding = self.finding(FindingId::TraceEmpty, message);
            return finding.issue(format!("trace_path_empty:{path}"));
        }
        let nearest =
            nearest.unwrap_or_else(|| String::from("it holds no record that can be read"));
        let message = format!("the trace holds no record of this audit: {nearest}");
        let finding = self
            .finding(FindingId::TraceUnrelated, message)
            .evidence("thread_id", short(&self.audit.thread_id))
            .evidence("reviewer_model", short(&self.audit.reviewer_model))
            .issue(format!("trace_unrelated:{path}"));
        match trace.warnings.first() {
            Some(warning) => {
                let text = format!("{}: {}", warning.file, warning.reason);
                finding.evidence("unreadable", short(&text))
            }
            None => finding,
        }
    }

    fn chain(&self, trace: &Trace, findings: &mut Vec<Finding>) {
        let path = short(&self.audit.trace_path);
        match &trace.chain {
            Chain::Valid { .. } => {}
            // `save_trace` marks its runs and always chains them: where the mark is and the chain is not, it was taken away.
            Chain::Absent if chained_once(trace) => findings.push(
                self.finding(
                    FindingId::TraceTampered,
                    String::from("the chain of the trace is gone: the run was recorded with one"),
                )
                .issue(format!("trace_tampered:{path}")),
            ),
            Chain::Absent => findings.push(
                self.finding(
                    FindingId::TraceUnchained,
                    String::from(
                        "the trace has no chain: nothing shows that it is as it was written",
                    ),
                )
                .issue(format!("trace_unchained:{path}")),
            ),
            Chain::Broken(problems) => {
                let first = problems.first().map_or("it does not hold", String::as_str);
                findings.push(
                    self.finding(
                        FindingId::TraceTampered,
                        format!("the chain of the trace is broken: {}", short(first)),
                    )
                    .evidence("problems", problems.len().to_string())
                    .issue(format!("trace_tampered:{path}")),
                );
            }
        }
    }

    /// Whether the run is of this skill and of this project.
    fn project(&self, trace: &Trace, proved: bool, findings: &mut Vec<Finding>) {
        let Some(run) = &trace.run else { return };
        let path = short(&self.audit.trace_path);
        if run.skill != self.rule.skill {
            findings.push(
                self.finding(
                    FindingId::TraceUnrelated,
                    format!("the trace is of skill {:?}", short(&run.skill)),
                )
                .evidence("expected", &self.rule.skill)
                .evidence("found", short(&run.skill))
                .issue(format!("trace_unrelated:{path}")),
            );
        }
        match self.home(trace) {
            Home::Here => {}
            // Digests say more than folders: a copied project keeps its traces.
            Home::Elsewhere(real) if !proved && !self.carried_from(&real) => findings.push(
                self.finding(
                    FindingId::TraceUnrelated,
                    String::from(
                        "the trace was recorded in another project, which does not hold this same audit",
                    ),
                )
                .evidence("expected", self.paper.project.display().to_string())
                .evidence("found", short(&real.display().to_string()))
                .issue(format!("trace_unrelated:{path}")),
            ),
            Home::Elsewhere(_) | Home::Unknown => findings.push(
                self.finding(
                    FindingId::TraceMoved,
                    String::from("the trace was recorded in another folder than this project's"),
                )
                .evidence("found", short(&run.project_dir))
                .issue(format!("trace_moved:{path}")),
            ),
        }
    }

    /// Whether the project at `recorded` has this very audit in the same place: then this project is a copy or a clone of that one.
    ///
    /// A trace taken from another paper fails here: the audit beside it hashed other bytes.
    fn carried_from(&self, recorded: &Path) -> bool {
        let Ok(below) = self.paper.dir.strip_prefix(&self.paper.project) else {
            return false;
        };
        let there = recorded.join(below).join(&self.rule.artifact);
        let bytes = aris_fs::read(&there, artifact::LIMITS.bytes as u64);
        let audit = bytes
            .ok()
            .and_then(|bytes| json::typed::<Audit>(&bytes, artifact::LIMITS).ok());
        audit.as_ref() == Some(self.audit)
    }

    /// Where a run says that it was recorded.
    fn home(&self, trace: &Trace) -> Home {
        let recorded = trace.run.as_ref().map(|run| Path::new(&run.project_dir));
        let recorded = recorded.filter(|path| path.is_absolute());
        let Some(Ok(real)) = recorded.map(Path::canonicalize) else {
            return Home::Unknown;
        };
        let ours = [&self.paper.project, &self.paper.dir];
        // The reference records the folder it was started in, which may lie below the project or above it.
        if ours
            .iter()
            .any(|dir| dir.starts_with(&real) || real.starts_with(dir))
        {
            Home::Here
        } else {
            Home::Elsewhere(real)
        }
    }

    fn finding(&self, id: FindingId, message: String) -> Finding {
        Finding::new(id, message, RERUN).evidence("trace_path", short(&self.audit.trace_path))
    }
}

/// Where a run says that it was recorded.
enum Home {
    /// In this project.
    Here,
    /// In another folder that exists.
    Elsewhere(PathBuf),
    /// It does not say, or the folder is not on this machine.
    Unknown,
}

fn chained_once(trace: &Trace) -> bool {
    let mark = trace.run.as_ref().and_then(|run| run.schema.as_deref());
    mark == Some(schema::id::TRACE_RUN) && !trace.records.is_empty()
}

/// The folder and prefix of a record's file, when a path names one.
fn record_file(real: &Path) -> Option<(PathBuf, Option<String>)> {
    let name = real.file_name()?.to_str()?;
    let folder = real.parent().filter(|_| !real.is_dir())?.to_path_buf();
    if name == aris_audit::trace::RUN_META || name == aris_audit::trace::CHAIN {
        return Some((folder, None));
    }
    let prefix = [".request.json", ".response.md", ".meta.json"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))?;
    Some((folder, Some(prefix.to_owned())))
}

/// The files of a trace; of a large one only as many as are hashed.
fn files(real: &Path) -> BTreeSet<PathBuf> {
    if real.is_dir() {
        let entries = aris_fs::list_sorted(real).unwrap_or_default();
        let files = entries
            .into_iter()
            .filter(|entry| entry.kind == EntryKind::File);
        files.take(HASHED_FILES).map(|entry| entry.path).collect()
    } else {
        BTreeSet::from([real.to_path_buf()])
    }
}
