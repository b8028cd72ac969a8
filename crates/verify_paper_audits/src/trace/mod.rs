//! Checks that the trace of an audit exists, is complete, and belongs to the audit.

mod record;
mod reviewed;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use aris_audit::trace::{Chain, Trace, TraceRecord};
use aris_contract::artifact::audit::Audit;
use aris_fs::EntryKind;
use serde::Serialize;

use crate::artifact::{Artifact, RecordedInput};
use crate::finding::{Finding, FindingId, Severity};
use crate::paper::{Paper, Unusable};
use crate::policy::{AuditRule, Policy};
use crate::sources::{Sources, describe};
use crate::text::short;
use aris_audit::ledger::{Ledger, Role};

/// Most files of a trace that are hashed for the attestation. An honest run has a few hundred.
const HASHED_FILES: usize = 2_000;
/// Prefix of `reviewer_model` for audits that a program made.
const PROGRAM: &str = "deterministic/";

const RERUN: &str = "run the audit again; the reviewer call must be kept with save_trace";

/// What the report says about a trace that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct TraceSummary {
    /// Skill of the audit.
    pub audit: String,
    /// Folder or file, relative to the paper directory.
    pub path: String,
    /// Number of records.
    pub records: usize,
    /// File prefix of the record that is the audit's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// When that record's answer came, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_at: Option<String>,
    /// `valid`, `absent` or `broken`.
    pub chain: &'static str,
    /// Digest of the chain's last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The agent that ran the skill, where the run names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executor: Option<String>,
}

/// The data for checking a trace.
#[derive(Debug)]
pub(crate) struct Check<'a> {
    /// The paper.
    pub paper: &'a Paper,
    /// The policy.
    pub policy: &'a Policy,
    /// The audit's rule.
    pub rule: &'a AuditRule,
    /// The artifact, as it was written.
    pub artifact: &'a Artifact,
    /// The parsed artifact.
    pub audit: &'a Audit,
    /// Its inputs, each with its real path.
    pub inputs: &'a [(RecordedInput, Result<PathBuf, Unusable>)],
    /// What the paper includes today.
    pub sources: &'a Sources,
}

/// Whether a reviewer is a program, in any spelling.
pub(crate) fn is_program(reviewer_model: &str) -> bool {
    let model = reviewer_model.trim().to_lowercase();
    model.starts_with(PROGRAM.trim_end_matches('/'))
}

impl Check<'_> {
    /// Checks the trace of one audit.
    pub(crate) fn run(&self, ledger: &mut Ledger) -> (Option<TraceSummary>, Vec<Finding>) {
        let real = match self.locate() {
            Ok(found) => found,
            Err(finding) => return (None, vec![*finding]),
        };
        // Hashed before it is read, so that a change in between is noticed at the end of the run.
        let files = files(&real);
        ledger.hash(&files, Role::Trace);
        let trace = match aris_audit::trace::read(&real, Some(self.keeper(&real))) {
            Ok(trace) => trace,
            Err(error) => return (None, vec![self.unreadable(&error.to_string())]),
        };
        let mut findings = Vec::new();
        let words = match self.words(&real, &trace, ledger) {
            Ok(words) => words,
            Err(nearest) => {
                findings.push(self.no_record(&real, &trace, nearest));
                Vec::new()
            }
        };
        let last = words.last().copied();
        if let Some(last) = last.filter(|_| !is_program(&self.audit.reviewer_model)) {
            findings.extend(self.verdict(last));
            findings.extend(self.reviewed(&real, &words));
            findings.extend(self.left_out(&real, &words, ledger));
            findings.extend(self.repeated(&real, &words, ledger));
        }
        self.chain(&trace, last, &mut findings);
        self.recorded_for(&trace, &mut findings);
        let (chain, head) = match &trace.chain {
            Chain::Valid { head, .. } => ("valid", Some(head.to_string())),
            Chain::Absent => ("absent", None),
            Chain::Broken(_) => ("broken", None),
        };
        let summary = TraceSummary {
            audit: self.rule.skill.clone(),
            path: self.paper.shown(&real),
            records: trace.records.len(),
            record: last.map(|record| record.prefix.clone()),
            answered_at: last.and_then(TraceRecord::timestamp).map(short),
            chain,
            head,
            executor: last
                .and_then(TraceRecord::executor)
                .or(trace.run.as_ref().and_then(|run| run.executor.as_deref()))
                .map(ToOwned::to_owned),
        };
        (Some(summary), findings)
    }

    /// A finding if the same prompt and answer were recorded for changed files: the call was perhaps only recorded again, not
    /// repeated.
    fn repeated(&self, real: &Path, words: &[&TraceRecord], ledger: &Ledger) -> Option<Finding> {
        let (last, earlier) = words.split_last()?;
        let said = |record: &TraceRecord| {
            let name = format!("{}.response.md", record.prefix);
            ledger
                .digest(&real.join(name))
                .and_then(|digest| digest.clone().ok())
        };
        let asked = |record: &TraceRecord| {
            let request = record.request.as_ref()?;
            Some((request.prompt.clone()?, request.input_digests.clone()))
        };
        let (answer, (prompt, inputs)) = (said(last)?, asked(last)?);
        let same = earlier.iter().find(|record| {
            let before = asked(record);
            said(record) == Some(answer)
                && before.is_some_and(|before| before.0 == prompt && before.1 != inputs)
        })?;
        let (last, same) = (short(&last.prefix), short(&same.prefix));
        let message = format!(
            "record {last} repeats prompt and answer of {same} exactly, for files that have changed in between"
        );
        let finding = self.finding(FindingId::AnswerRepeated, message);
        Some(finding.issue("answer_repeated"))
    }

    /// The trace's folder; `trace_path` may also name a file of a record in it.
    fn locate(&self) -> Result<PathBuf, Box<Finding>> {
        let path = &self.audit.trace_path;
        let missing = |message: &str| {
            let finding = self.finding(FindingId::TraceMissing, message);
            finding.issue(format!("trace_path_missing:{}", short(path)))
        };
        if path.trim().is_empty() {
            return Err(missing("the audit names no trace").into());
        }
        let mut problem = None;
        for base in [&self.paper.dir, &self.paper.project] {
            match self.paper.resolve(base, path) {
                Ok(real) => return Ok(folder_of_record(&real).unwrap_or(real)),
                Err(Unusable::Gone) => {}
                Err(other) => problem = problem.or(Some(other)),
            }
        }
        Err(Box::new(match problem {
            None => missing(&format!(
                "nothing is at {:?}, seen from the paper and from the project",
                short(path)
            )),
            Some(unusable @ (Unusable::Escapes { .. } | Unusable::Case { .. })) => {
                let (path, why) = (short(path), describe(&unusable));
                let message = format!("trace_path {path:?} cannot be used: {why}");
                let finding = self.finding(FindingId::PathEscape, message);
                finding.issue(format!("trace_path_escape:{path}"))
            }
            Some(unusable) => self.unreadable(&describe(&unusable)),
        }))
    }

    fn unreadable(&self, why: &str) -> Finding {
        let message = format!("the trace cannot be read: {why}");
        let finding = self.finding(FindingId::TraceUnreadable, message);
        let path = short(&self.audit.trace_path);
        finding.issue(format!("trace_path_unreadable:{path}"))
    }

    /// The finding that no record of the trace belongs to this audit, with the reason.
    fn no_record(&self, real: &Path, trace: &Trace, nearest: Option<String>) -> Finding {
        let path = short(&self.audit.trace_path);
        let mut records = trace.records.iter();
        let nothing = records.all(|record| record.response_length == 0);
        if real.is_file() && nothing {
            let finding = self.finding(FindingId::TraceEmpty, "the trace is an empty file");
            return finding.issue(format!("trace_path_empty_file:{path}"));
        }
        if trace.records.is_empty() && trace.warnings.is_empty() {
            let finding = self.finding(FindingId::TraceEmpty, "the trace holds no record");
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

    fn chain(&self, trace: &Trace, last: Option<&TraceRecord>, findings: &mut Vec<Finding>) {
        let path = short(&self.audit.trace_path);
        match &trace.chain {
            Chain::Valid { .. } if last.is_none_or(|record| record.chained) => {}
            Chain::Valid { .. } | Chain::Absent => {
                let message = match last {
                    Some(record) if trace.chain != Chain::Absent => format!(
                        "the chain of the trace does not have record {}: nothing shows that it is as it was written",
                        short(&record.prefix)
                    ),
                    _ => String::from(
                        "the trace has no chain: nothing shows that it is as it was written",
                    ),
                };
                let floor = if self.policy.require_chain {
                    Severity::Block
                } else {
                    Severity::Info
                };
                let finding = self.finding(FindingId::TraceUnchained, message);
                let issue = format!("trace_unchained:{path}");
                findings.push(finding.at_least(floor).issue(issue));
            }
            Chain::Broken(problems) => {
                let first = problems.first().map_or("it does not hold", String::as_str);
                let message = format!("the chain of the trace is broken: {}", short(first));
                let finding = self.finding(FindingId::TraceTampered, message);
                let finding = finding.evidence("problems", problems.len().to_string());
                findings.push(finding.issue(format!("trace_tampered:{path}")));
            }
        }
    }

    /// Checks that the run belongs to this skill and was recorded in this project. Another project is only a minor finding: copied
    /// projects keep their traces, and digests show which files the traces are about.
    fn recorded_for(&self, trace: &Trace, findings: &mut Vec<Finding>) {
        let Some(run) = &trace.run else { return };
        let path = short(&self.audit.trace_path);
        if run.skill != self.rule.skill {
            let found = short(&run.skill);
            let message = format!("the trace is of skill {found:?}");
            let finding = self.finding(FindingId::TraceUnrelated, message);
            let finding = finding.evidence("expected", &self.rule.skill);
            let finding = finding.evidence("found", found);
            findings.push(finding.issue(format!("trace_unrelated:{path}")));
        }
        // The reference records the folder in which it was started, which may be below or above the project.
        let recorded = Path::new(&run.project_dir);
        let recorded = recorded.canonicalize().unwrap_or_else(|_| recorded.into());
        let here = |dir: &PathBuf| dir.starts_with(&recorded) || recorded.starts_with(dir);
        if ![&self.paper.project, &self.paper.dir].into_iter().any(here) {
            let message = "the trace was recorded in another folder than this project's";
            let finding = self.finding(FindingId::TraceMoved, message);
            let finding = finding.evidence("found", short(&run.project_dir));
            findings.push(finding.issue(format!("trace_moved:{path}")));
        }
    }

    /// The project that contains a trace and the log of its events.
    fn keeper<'p>(&'p self, real: &'p Path) -> &'p Path {
        let folder = real
            .ancestors()
            .find(|folder| folder.ends_with(aris_audit::trace::FOLDER));
        let keeper = folder.and_then(|folder| folder.ancestors().nth(2));
        keeper.unwrap_or(&self.paper.project)
    }

    fn finding(&self, id: FindingId, message: impl Into<String>) -> Finding {
        Finding::new(id, message, RERUN).evidence("trace_path", short(&self.audit.trace_path))
    }
}

/// The folder of a run, if a path names a file in it.
fn folder_of_record(real: &Path) -> Option<PathBuf> {
    let name = real.file_name()?.to_str()?;
    let of_run = [aris_audit::trace::RUN_META, aris_audit::trace::CHAIN].contains(&name);
    let of_record = [".request.json", ".response.md", ".meta.json"]
        .iter()
        .any(|suffix| name.ends_with(suffix));
    let folder = real.parent()?;
    (of_run || of_record).then(|| folder.to_path_buf())
}

/// The files of a trace, at most as many as are hashed.
fn files(real: &Path) -> BTreeSet<PathBuf> {
    if !real.is_dir() {
        return BTreeSet::from([real.to_path_buf()]);
    }
    let entries = aris_fs::list_sorted(real).unwrap_or_default().into_iter();
    let files = entries.filter(|entry| entry.kind == EntryKind::File);
    files.take(HASHED_FILES).map(|entry| entry.path).collect()
}
