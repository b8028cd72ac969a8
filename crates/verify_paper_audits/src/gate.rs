//! The judgement: from a paper and a policy to a report. Reads through the ledger, writes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;

use aris_contract::artifact::audit::{Assurance, Verdict};
use aris_contract::time;
use jiff::Timestamp;

use crate::artifact::{self, Artifact, RecordedInput};
use crate::cover;
use crate::finding::{Finding, FindingId, Severity};
use crate::independence::{self, Reviewed};
use crate::ledger::{Ledger, NoDigest, Role};
use crate::manifest::{self, Manifest};
use crate::paper::{Paper, Unusable};
use crate::policy::{AuditRule, Policy};
use crate::report::{AuditRow, Counts, GateResult, JudgedFile, PolicyInForce, Report, Status};
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
    trace: Option<TraceSummary>,
    findings: Vec<Finding>,
}

/// Judges a paper.
pub(crate) fn judge(
    paper: &Paper,
    policy: &Policy,
    assurance: Assurance,
    now: Timestamp,
    ledger: &mut Ledger,
) -> Report {
    let mut general = Vec::new();
    let rules = rules(paper, policy, ledger, &mut general);
    let mut cases: Vec<Case> = rules
        .into_iter()
        .map(|rule| open(paper, rule, assurance, ledger))
        .collect();
    let sources = guarded("the sources of the paper", &mut general, || {
        Sources::read(paper, ledger)
    })
    .unwrap_or_default();
    let mut inputs: BTreeSet<PathBuf> = BTreeSet::new();
    for case in &cases {
        inputs.extend(
            case.inputs
                .iter()
                .filter_map(|(_, real)| real.as_ref().ok().cloned()),
        );
    }
    guarded("the audited files", &mut general, || {
        ledger.hash(&inputs, Role::Input);
    });
    let included: BTreeSet<PathBuf> = sources.files.iter().map(|file| file.real.clone()).collect();
    guarded("the included files", &mut general, || {
        ledger.hash(&included, Role::Source);
    });
    for case in &mut cases {
        let mut found = Vec::new();
        let name = format!("the audit {}", case.rule.skill);
        let result = guarded(&name, &mut found, || {
            case.check(paper, policy, &sources, now, ledger)
        });
        if let Some((trace, findings)) = result {
            case.trace = trace;
            found.extend(findings);
        }
        case.findings.extend(found);
    }
    let found = guarded("coverage", &mut general, || {
        cover::check(&cases, &sources, policy, assurance)
    })
    .unwrap_or_default();
    deal(found, &mut cases, &mut general);
    let found = guarded("the reviewers", &mut general, || {
        let reviewed: Vec<Reviewed<'_>> = cases.iter().filter_map(Case::reviewed).collect();
        independence::check(&reviewed, policy)
    });
    deal(found.unwrap_or_default(), &mut cases, &mut general);
    general.extend(sources.findings.iter().cloned());
    if !policy.weakened.is_empty() {
        general.push(Finding::new(
            FindingId::PolicyWeakened,
            format!(
                "the policy {} is weaker than the built-in one in {}",
                short(&policy.source),
                policy.weakened.join(", ")
            ),
            "run the gate without --policy, or with one that weakens nothing",
        ));
    }
    for path in ledger.changed() {
        let shown = paper.shown(path);
        general.push(
            Finding::new(
                FindingId::ChangedDuringRun,
                "the file changed while the gate was judging it",
                "let nothing write to the paper and run the gate again",
            )
            .issue(format!("changed_during_run:{shown}"))
            .file(shown),
        );
    }
    assemble(
        paper, policy, assurance, now, ledger, &sources, cases, general,
    )
}

/// Runs a check; a crash becomes a finding that blocks, never silence.
fn guarded<T>(what: &str, findings: &mut Vec<Finding>, check: impl FnOnce() -> T) -> Option<T> {
    match panic::catch_unwind(AssertUnwindSafe(check)) {
        Ok(value) => Some(value),
        Err(payload) => {
            let text = payload.downcast_ref::<String>().cloned();
            let text = text
                .or_else(|| {
                    payload
                        .downcast_ref::<&str>()
                        .map(|text| (*text).to_owned())
                })
                .unwrap_or_default();
            findings.push(Finding::new(
                FindingId::Internal,
                format!(
                    "the check of {what} crashed, so nothing is known about it: {}",
                    short(&text)
                ),
                "report this with the paper that caused it",
            ));
            None
        }
    }
}

fn rules(
    paper: &Paper,
    policy: &Policy,
    ledger: &mut Ledger,
    findings: &mut Vec<Finding>,
) -> Vec<AuditRule> {
    let fix = "correct the manifest, or remove it";
    let invalid = |message: String| {
        Finding::new(FindingId::ManifestInvalid, message, fix)
            .file(manifest::PATH)
            .issue("manifest_invalid")
    };
    let real = match paper.resolve(&paper.dir, manifest::PATH) {
        Ok(real) => real,
        Err(Unusable::Gone) => return policy.audits.clone(),
        Err(unusable) => {
            findings.push(invalid(format!(
                "the manifest cannot be used: {}",
                describe(&unusable)
            )));
            return policy.audits.clone();
        }
    };
    let bytes = match ledger.read(&real, manifest::LIMITS.bytes as u64) {
        Ok(bytes) => bytes,
        Err(reason) => {
            findings.push(invalid(format!(
                "the manifest cannot be read: {}",
                why(&reason)
            )));
            return policy.audits.clone();
        }
    };
    ledger.mark(&real, Role::Manifest);
    match Manifest::read(&bytes).and_then(|manifest| manifest.extend(&policy.audits)) {
        Ok(rules) => rules,
        Err(error) => {
            let text = String::from_utf8_lossy(&bytes);
            findings
                .push(invalid(format!("the manifest is invalid: {error}")).at(error.place, &text));
            policy.audits.clone()
        }
    }
}

/// Reads the artifact of an audit.
fn open(paper: &Paper, rule: AuditRule, assurance: Assurance, ledger: &mut Ledger) -> Case {
    let mut case = Case {
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
                let message = format!("{name} is not there: {} has not been run", case.rule.skill);
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

/// Why a file has no digest, in words.
pub(crate) fn why(reason: &NoDigest) -> String {
    match reason {
        NoDigest::Gone => String::from("it is not there"),
        NoDigest::NotRegular(found) => format!("it is {found}, not a regular file"),
        NoDigest::Unreadable(reason) => reason.clone(),
    }
}

impl Case {
    /// The audit as far as its reviewer is concerned.
    fn reviewed(&self) -> Option<Reviewed<'_>> {
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
    fn check(
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
        let contradiction = match self.rule.skill.as_str() {
            "citation-audit" => sources.cites.as_ref(),
            "proof-checker" => sources.proves.as_ref(),
            _ => None,
        };
        if let Some(evidence) = contradiction.filter(|_| verdict == Verdict::NotApplicable) {
            let at = &evidence.place;
            let text = sources.texts.get(&at.path).map_or("", |text| text);
            findings.push(
                Finding::new(
                    FindingId::VerdictContradicted,
                    format!(
                        "the audit says NOT_APPLICABLE, and the paper has {}",
                        evidence.what
                    ),
                    "run the audit on the whole paper",
                )
                .file(at.path.clone())
                .at(Some((at.line, at.column)), text)
                .evidence("artifact", file)
                .issue("verdict_contradicted:NOT_APPLICABLE"),
            );
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

    fn row(&self, assurance: Assurance, findings: &[Finding]) -> AuditRow {
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
            findings: Counts::of(findings),
        }
    }
}

/// Gives each finding that names an audit to it, and the others to the paper.
fn deal(findings: Vec<Finding>, cases: &mut [Case], general: &mut Vec<Finding>) {
    for finding in findings {
        match cases
            .iter_mut()
            .find(|case| finding.audit.as_deref() == Some(case.rule.skill.as_str()))
        {
            Some(case) => case.findings.push(finding),
            None => general.push(finding),
        }
    }
}

#[expect(
    clippy::too_many_arguments,
    reason = "the parts of a run meet here once"
)]
fn assemble(
    paper: &Paper,
    policy: &Policy,
    assurance: Assurance,
    now: Timestamp,
    ledger: &Ledger,
    sources: &Sources,
    cases: Vec<Case>,
    general: Vec<Finding>,
) -> Report {
    let paper_dir = paper.given.display().to_string();
    let sorted = |mut findings: Vec<Finding>| {
        findings.sort_by(|a, b| a.order().cmp(&b.order()));
        findings.dedup();
        findings
    };
    let mut findings = sorted(
        general
            .into_iter()
            .map(|finding| policy.weigh(finding))
            .collect(),
    );
    let (mut audits, mut traces) = (Vec::new(), Vec::new());
    for mut case in cases {
        let own = std::mem::take(&mut case.findings)
            .into_iter()
            .map(|mut finding| {
                finding.audit = Some(case.rule.skill.clone());
                if finding.command.is_none() && finding.id != FindingId::Internal {
                    finding.command = case.rule.rerun(&paper_dir);
                }
                policy.weigh(finding)
            });
        let own = sorted(own.collect());
        audits.push(case.row(assurance, &own));
        findings.extend(own);
        traces.extend(case.trace);
    }
    let counts = Counts::of(&findings);
    let blocked = assurance == Assurance::Submission && counts.block > 0;
    let result = match (blocked, counts.block) {
        (true, _) => GateResult::Blocked,
        (false, 0) => GateResult::NoBlocker,
        (false, _) => GateResult::DraftWithBlockers,
    };
    let plural = if counts.block == 1 {
        "finding"
    } else {
        "findings"
    };
    let under = format!("under policy {}", policy.digest);
    let conclusion = match result {
        GateResult::NoBlocker => format!("no blocker found {under}"),
        GateResult::Blocked => format!("blocked: {} {plural} {under}", counts.block),
        GateResult::DraftWithBlockers => format!(
            "draft: {} {plural} would block a submission {under}",
            counts.block
        ),
    };
    let files = ledger.judged().map(|(path, digest, roles)| JudgedFile {
        path: paper.shown(path),
        sha256: digest.to_string(),
        roles: roles.iter().copied().collect(),
        in_paper: paper.holds(path),
    });
    let mut files: Vec<JudgedFile> = files.collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Report {
        schema: crate::SCHEMA.to_owned(),
        verifier: crate::SPEC.name.to_owned(),
        verifier_version: crate::SPEC.version.to_owned(),
        paper_dir,
        project_dir: paper.project.display().to_string(),
        assurance,
        generated_at: time::stamp(now),
        any_problem: counts.block + counts.warn > 0,
        submission_blocking: blocked,
        result,
        conclusion,
        policy: PolicyInForce {
            source: policy.source.clone(),
            sha256: policy.digest.to_string(),
            weakened: policy.weakened.clone(),
        },
        root_document: sources.root.clone(),
        audits,
        counts,
        findings,
        traces,
        files,
    }
}
