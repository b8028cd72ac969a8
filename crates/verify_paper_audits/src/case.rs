//! One audit in the gate, from its artifact to its row in the report.

use std::path::PathBuf;

use aris_contract::artifact::audit::{Assurance, Verdict};

use crate::artifact::{self, Artifact, RecordedInput};
use crate::finding::{Finding, FindingId, Severity};
use crate::gate::Gate;
use crate::guard::guarded;
use crate::independence::Reviewed;
use crate::paper::Unusable;
use crate::policy::AuditRule;
use crate::report::{AuditRow, Counts, Status};
use crate::reported::reported;
use crate::sources::describe;
use crate::text::short;
use crate::trace::TraceSummary;
use aris_audit::ledger::{Ledger, NoDigest, Role};

/// One audit in the gate.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) rule: AuditRule,
    /// Whether the artifact exists, readable or not.
    pub(crate) present: bool,
    pub(crate) artifact: Artifact,
    /// Each recorded input, with its real path.
    pub(crate) inputs: Vec<(RecordedInput, Result<PathBuf, Unusable>)>,
    pub(crate) trace: Option<TraceSummary>,
    pub(crate) findings: Vec<Finding>,
}

impl Case {
    /// Reads the artifact of an audit.
    pub(super) fn open(gate: Gate<'_>, rule: AuditRule, ledger: &mut Ledger) -> Self {
        let paper = gate.paper;
        let mut case = Self {
            present: true,
            artifact: Artifact::default(),
            inputs: Vec::new(),
            trace: None,
            findings: Vec::new(),
            rule,
        };
        let name = case.rule.artifact.clone();
        let finding = |id, issue: &str, message: String| {
            let fix = "run the audit; it writes the artifact whatever it finds";
            let finding = Finding::new(id, message, fix).file(name.clone());
            finding.issue(format!("{issue}:{name}"))
        };
        let unreadable = |why: &str| {
            let message = format!("{name} cannot be read: {why}");
            finding(FindingId::SchemaInvalid, "schema_invalid", message)
        };
        let real = match paper.resolve(&paper.dir, &name) {
            Ok(real) => real,
            Err(Unusable::Gone) => {
                case.present = false;
                if case.rule.mandatory && gate.assurance == Assurance::Submission {
                    let skill = &case.rule.skill;
                    let message = format!("{name} is not there: {skill} has not been run");
                    let id = FindingId::MissingArtifact;
                    let issue = format!("missing_artifact: {name}");
                    case.findings.push(finding(id, "", message).issue(issue));
                }
                return case;
            }
            Err(problem @ (Unusable::Escapes { .. } | Unusable::Case { .. })) => {
                let message = format!("{name} cannot be used: {}", describe(&problem));
                let id = FindingId::PathEscape;
                case.findings.push(finding(id, "path_escape", message));
                return case;
            }
            Err(problem) => {
                case.findings.push(unreadable(&describe(&problem)));
                return case;
            }
        };
        let bytes = match ledger.read(&real, artifact::LIMITS.bytes as u64) {
            Ok(bytes) => bytes,
            Err(reason) => {
                case.findings.push(unreadable(&why(&reason)));
                return case;
            }
        };
        ledger.mark(&real, Role::Artifact);
        let rule = &case.rule;
        let mut found = Vec::new();
        let read = guarded(&format!("the artifact {name}"), &mut found, || {
            Artifact::read(&bytes, rule, &name)
        });
        if let Some((artifact, findings)) = read {
            case.artifact = artifact;
            found.extend(findings);
        }
        case.findings = found;
        let inputs = case.artifact.inputs.iter();
        let inputs = inputs.map(|input| (input.clone(), paper.input(&input.name)));
        case.inputs = inputs.collect();
        case
    }

    /// The data for the checks of its reviewer; `None` if the artifact is not readable.
    pub(super) fn reviewed(&self) -> Option<Reviewed<'_>> {
        let trace = self.trace.as_ref();
        let executor = trace.and_then(|trace| trace.executor.as_deref());
        self.artifact.audit.as_ref().map(|audit| Reviewed {
            rule: &self.rule,
            audit,
            executor,
        })
    }

    /// The command that repeats the audit.
    pub(super) fn rerun(&self, gate: Gate<'_>) -> Option<String> {
        let again = self.rule.rerun.as_deref()?;
        Some(gate.paper.command_for(again, gate.root))
    }

    pub(super) fn row(&self, gate: Gate<'_>, findings: &[Finding]) -> AuditRow {
        let blocking = || {
            let findings = findings.iter();
            findings.filter(|finding| finding.severity == Severity::Block)
        };
        let stale = findings.iter().any(|finding| finding.id.is_stale());
        let audit = self.artifact.audit.as_ref();
        let status = if !self.present {
            // An audit that is not required is not "missing"; the names are the older report's.
            if self.rule.mandatory && gate.assurance == Assurance::Submission {
                Status::Missing
            } else {
                Status::MissingDraftOk
            }
        } else if self.artifact.verdict_text.is_empty() {
            Status::SchemaInvalid
        } else if stale {
            Status::Stale
        } else if self.artifact.verdict.is_some_and(Verdict::blocks) {
            Status::BlockingVerdict
        } else if blocking().next().is_some() {
            Status::HasIssues
        } else {
            Status::Ok
        };
        let (reported, reported_left) =
            audit.map_or_else(Default::default, |audit| reported(&audit.details));
        AuditRow {
            audit: self.rule.skill.clone(),
            status,
            verdict: self.artifact.verdict_text.clone(),
            stale,
            issues: blocking().map(|finding| finding.issue.clone()).collect(),
            artifact: self.rule.artifact.clone(),
            mandatory: self.rule.mandatory,
            reviewer_model: audit.map_or_else(String::new, |audit| short(&audit.reviewer_model)),
            audited_at: audit.map_or_else(String::new, |audit| short(&audit.generated_at)),
            summary: audit.map_or_else(String::new, |audit| short(&audit.summary)),
            inputs: self.inputs.len(),
            rerun: self.rerun(gate),
            findings: Counts::of(findings),
            reported,
            reported_left,
        }
    }
}

/// Why a file has no digest, in words.
pub(crate) fn why(reason: &NoDigest) -> String {
    match reason {
        NoDigest::Gone => String::from("it is not there"),
        NoDigest::NotRegular(found) => format!("it is {found}, not a regular file"),
        NoDigest::Unreadable(reason) => reason.clone(),
    }
}
