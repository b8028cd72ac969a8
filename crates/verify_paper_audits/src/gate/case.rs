//! One audit on its way through the gate: its artifact, its inputs, its verdict, its time.

use std::collections::BTreeMap;
use std::path::PathBuf;

use aris_contract::artifact::audit::{Assurance, Verdict};
use aris_contract::time;
use jiff::Timestamp;

use super::guarded;
use crate::artifact::{self, Artifact, RecordedInput};
use crate::finding::{Finding, FindingId, Severity};
use crate::independence::Reviewed;
use crate::ledger::{Ledger, NoDigest, Role};
use crate::paper::{Paper, Unusable};
use crate::policy::{AuditRule, Policy};
use crate::report::{AuditRow, Counts, Status};
use crate::sources::{Sources, describe};
use crate::text::short;
use crate::trace::{self, TraceSummary};

/// One audit on its way through the gate.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) rule: AuditRule,
    /// Whether the artifact is there, readable or not.
    pub(crate) present: bool,
    pub(crate) artifact: Artifact,
    /// Each recorded input with the file it means.
    pub(crate) inputs: Vec<(RecordedInput, Result<PathBuf, Unusable>)>,
    pub(super) trace: Option<TraceSummary>,
    pub(super) findings: Vec<Finding>,
}

impl Case {
    /// Reads the artifact of an audit.
    pub(super) fn open(
        paper: &Paper,
        rule: AuditRule,
        assurance: Assurance,
        ledger: &mut Ledger,
    ) -> Self {
        let mut case = Self {
            present: true,
            artifact: Artifact::default(),
            inputs: Vec::new(),
            trace: None,
            findings: Vec::new(),
            rule,
        };
        let name = case.rule.artifact.clone();
        let rerun = "run the audit; it writes the artifact whatever it finds";
        let unusable = |message: String| {
            Finding::new(FindingId::SchemaInvalid, message, rerun)
                .file(name.clone())
                .issue(format!("schema_invalid:{name}"))
        };
        let real = match paper.resolve(&paper.dir, &name) {
            Ok(real) => real,
            Err(Unusable::Gone) => {
                case.present = false;
                if case.rule.mandatory && assurance == Assurance::Submission {
                    let message =
                        format!("{name} is not there: {} has not been run", case.rule.skill);
                    let finding = Finding::new(FindingId::MissingArtifact, message, rerun);
                    case.findings.push(
                        finding
                            .file(name.clone())
                            .issue(format!("missing_artifact: {name}")),
                    );
                }
                return case;
            }
            Err(problem @ (Unusable::Escapes { .. } | Unusable::Case { .. })) => {
                let message = format!("{name} cannot be used: {}", describe(&problem));
                let finding = Finding::new(FindingId::PathEscape, message, rerun);
                case.findings.push(
                    finding
                        .file(name.clone())
                        .issue(format!("path_escape:{name}")),
                );
                return case;
            }
            Err(problem) => {
                case.findings.push(unusable(format!(
                    "{name} cannot be read: {}",
                    describe(&problem)
                )));
                return case;
            }
        };
        let bytes = match ledger.read(&real, artifact::LIMITS.bytes as u64) {
            Ok(bytes) => bytes,
            Err(reason) => {
                case.findings
                    .push(unusable(format!("{name} cannot be read: {}", why(&reason))));
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
        case.inputs = inputs
            .map(|input| (input.clone(), paper.resolve(&paper.dir, &input.name)))
            .collect();
        case
    }

    /// The audit as far as its reviewer is concerned.
    pub(super) fn reviewed(&self) -> Option<Reviewed<'_>> {
        let executor = self
            .trace
            .as_ref()
            .and_then(|trace| trace.executor.as_deref());
        self.artifact.audit.as_ref().map(|audit| Reviewed {
            rule: &self.rule,
            audit,
            executor,
        })
    }

    /// Everything that can be said once all files are hashed.
    pub(super) fn check(
        &self,
        paper: &Paper,
        policy: &Policy,
        sources: &Sources,
        now: Timestamp,
        ledger: &mut Ledger,
    ) -> (Option<TraceSummary>, Vec<Finding>) {
        let mut findings = Vec::new();
        self.verdict(sources, &mut findings);
        self.inputs(paper, ledger, &mut findings);
        let Some(audit) = &self.artifact.audit else {
            return (None, findings);
        };
        self.time(&audit.generated_at, policy, now, &mut findings);
        let check = trace::Check {
            paper,
            policy,
            rule: &self.rule,
            audit,
            inputs: &self.artifact.inputs,
        };
        let (trace, found) = check.run(ledger);
        let place = self.artifact.place("trace_path");
        findings.extend(found.into_iter().map(|finding| {
            finding
                .file(self.rule.artifact.clone())
                .at(place, &self.artifact.text)
        }));
        (trace, findings)
    }

    fn verdict(&self, sources: &Sources, findings: &mut Vec<Finding>) {
        let Some(verdict) = self.artifact.verdict else {
            return;
        };
        let place = self.artifact.place("verdict");
        let file = self.rule.artifact.clone();
        let audit = self.artifact.audit.as_ref();
        if verdict.blocks() {
            let summary = audit.map_or_else(String::new, |audit| short(&audit.summary));
            let reason = audit.map_or_else(String::new, |audit| short(&audit.reason_code));
            let said = if summary.is_empty() {
                String::new()
            } else {
                format!(": {summary}")
            };
            findings.push(
                Finding::new(
                    FindingId::BlockingVerdict,
                    format!("the audit says {}{said}", verdict.word()),
                    "clear what the audit found and run it again",
                )
                .file(file.clone())
                .at(place, &self.artifact.text)
                .evidence("verdict", verdict.word())
                .evidence("reason_code", reason)
                .issue(format!("blocking_verdict:{}", verdict.word())),
            );
        }
        let by_program = audit.is_some_and(|audit| trace::is_program(&audit.reviewer_model));
        let contradiction = match self.rule.skill.as_str() {
            "citation-audit" => sources.cites.as_ref(),
            "proof-checker" => sources.proves.as_ref(),
            // The program knows better than this check which numbers are claims.
            "paper-claim-audit" if !by_program => sources.measures.as_ref(),
            _ => None,
        };
        if let Some(evidence) = contradiction.filter(|_| verdict == Verdict::NotApplicable) {
            let finding = Finding::new(
                FindingId::VerdictContradicted,
                format!(
                    "the audit says NOT_APPLICABLE, and the paper has {}",
                    evidence.what
                ),
                "run the audit on the whole paper",
            )
            .evidence("artifact", file)
            .issue("verdict_contradicted:NOT_APPLICABLE");
            findings.push(sources.place(finding, &evidence.place));
        }
    }

    fn inputs(&self, paper: &Paper, ledger: &Ledger, findings: &mut Vec<Finding>) {
        let mut first: BTreeMap<&PathBuf, &RecordedInput> = BTreeMap::new();
        for (input, real) in &self.inputs {
            let name = short(&input.name);
            let place = self
                .artifact
                .places
                .inner("audited_input_hashes", &input.name);
            let recorded = place.map_or_else(
                || self.rule.artifact.clone(),
                |(line, _)| format!("{}:{line}", self.rule.artifact),
            );
            let gone = |message: String, id: FindingId, issue: String| {
                Finding::new(id, message, "run the audit again on the paper as it is now")
                    .file(name.clone())
                    .evidence("recorded_at", recorded.clone())
                    .issue(issue)
            };
            let real = match real {
                Ok(real) => real,
                Err(Unusable::Gone) => {
                    findings.push(gone(
                        format!("{name} was audited and is not there any more"),
                        FindingId::InputGone,
                        format!("stale:{name}:file_gone"),
                    ));
                    continue;
                }
                Err(problem @ (Unusable::Escapes { .. } | Unusable::Case { .. })) => {
                    let message = format!(
                        "the audited path {name:?} cannot be used: {}",
                        describe(problem)
                    );
                    findings.push(
                        gone(
                            message,
                            FindingId::PathEscape,
                            format!("path_escape:{name}"),
                        )
                        .file(self.rule.artifact.clone())
                        .at(place, &self.artifact.text),
                    );
                    continue;
                }
                Err(Unusable::Unreadable(reason)) => {
                    findings.push(gone(
                        format!("{name} cannot be read: {reason}"),
                        FindingId::InputUnreadable,
                        format!("stale:{name}:read_error_{reason}"),
                    ));
                    continue;
                }
            };
            match (ledger.digest(real), input.digest) {
                (Some(Ok(found)), Some(expected)) if *found != expected => findings.push(
                    gone(
                        format!("{name} changed after the audit"),
                        FindingId::StaleInput,
                        format!("stale:{name}"),
                    )
                    .evidence("expected", expected.to_string())
                    .evidence("found", found.to_string()),
                ),
                // Right, or reported as no digest when the artifact was read.
                (Some(Ok(_)), _) => {}
                (Some(Err(NoDigest::Gone)), _) => {
                    findings.push(gone(
                        format!("{name} was audited and is not there any more"),
                        FindingId::InputGone,
                        format!("stale:{name}:file_gone"),
                    ));
                }
                (Some(Err(reason @ NoDigest::NotRegular(_))), _) => {
                    findings.push(gone(
                        format!("{name} cannot be judged: {}", why(reason)),
                        FindingId::InputUnreadable,
                        format!("stale:{name}:file_gone"),
                    ));
                }
                (Some(Err(reason)), _) => {
                    let reason = why(reason);
                    findings.push(gone(
                        format!("{name} cannot be read: {reason}"),
                        FindingId::InputUnreadable,
                        format!("stale:{name}:read_error_{reason}"),
                    ));
                }
                (None, _) => findings.push(gone(
                    format!("{name} was not hashed by the gate"),
                    FindingId::Internal,
                    format!("internal:{name}"),
                )),
            }
            if let Some(other) = first.insert(real, input)
                && other.digest != input.digest
            {
                let message = format!(
                    "{name} and {} are one file and have two hashes",
                    short(&other.name)
                );
                findings.push(
                    gone(
                        message,
                        FindingId::DuplicateInput,
                        format!("duplicate_input:{name}"),
                    )
                    .evidence("file", paper.shown(real)),
                );
            }
        }
    }

    fn time(&self, written: &str, policy: &Policy, now: Timestamp, findings: &mut Vec<Finding>) {
        let problem = match time::parse_utc(written) {
            None => format!(
                "generated_at {:?} is not an RFC 3339 time in UTC",
                short(written)
            ),
            Some(moment)
                if moment.as_second()
                    > now.as_second().saturating_add(policy.clock_skew_seconds) =>
            {
                format!("generated_at {} lies in the future", short(written))
            }
            Some(_) => return,
        };
        findings.push(
            Finding::new(
                FindingId::Clock,
                problem,
                "run the audit again on a machine whose clock is right",
            )
            .file(self.rule.artifact.clone())
            .at(self.artifact.place("generated_at"), &self.artifact.text)
            .evidence("expected", "2026-01-31T12:00:00Z, not later than now")
            .evidence("found", short(written))
            .issue(format!("clock:{}", short(written))),
        );
    }

    pub(super) fn row(
        &self,
        paper_dir: &str,
        assurance: Assurance,
        findings: &[Finding],
    ) -> AuditRow {
        let blocking = || {
            findings
                .iter()
                .filter(|finding| finding.severity == Severity::Block)
        };
        let stale = findings.iter().any(|finding| finding.id.is_stale());
        let audit = self.artifact.audit.as_ref();
        let status = if !self.present {
            // What is not demanded is not missing: the words are the older report's.
            if self.rule.mandatory && assurance == Assurance::Submission {
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
            rerun: self.rule.rerun(paper_dir),
            findings: Counts::of(findings),
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
