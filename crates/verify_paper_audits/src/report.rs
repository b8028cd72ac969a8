//! The report: what was checked, what was found, and which bytes were judged.
//!
//! The fields of the older report (`verifier_version`, `paper_dir`, `assurance`, `generated_at`, `any_problem`,
//! `submission_blocking`, `audits[].{audit, status, verdict, stale, issues}`) keep their names and meaning; the rest is new.
//!
//! Everything but `generated_at` depends only on the paper, its project, the policy and whether times lie in the future.

use aris_contract::artifact::audit::Assurance;
pub(crate) use aris_contract::artifact::audit::GateResult;
use aris_contract::text::counted;
use serde::Serialize;

use crate::finding::{Finding, FindingId, Severity};
use crate::reported::Reported;
use crate::sources::RunBehind;
use crate::trace::TraceSummary;
use aris_audit::ledger::Role;

/// State of one audit, in the words of the older report.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::IntoStaticStr, schemars::JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Status {
    /// Nothing blocks.
    Ok,
    /// A hashed file is not what it was.
    Stale,
    /// The audit itself says FAIL, BLOCKED or ERROR.
    BlockingVerdict,
    /// Something else blocks.
    HasIssues,
    /// There is no verdict to read.
    SchemaInvalid,
    /// A mandatory artifact is absent.
    Missing,
    /// An artifact is absent where none is demanded.
    MissingDraftOk,
}

impl Status {
    /// The word in the report.
    pub(crate) fn word(self) -> &'static str {
        self.into()
    }
}

/// Numbers of findings by weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct Counts {
    /// Blocking.
    pub block: usize,
    /// Doubtful.
    pub warn: usize,
    /// Worth knowing.
    pub info: usize,
}

impl Counts {
    /// Counts findings.
    pub(crate) fn of<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let mut counts = Self::default();
        for finding in findings {
            match finding.severity {
                Severity::Block => counts.block += 1,
                Severity::Warn => counts.warn += 1,
                Severity::Info => counts.info += 1,
            }
        }
        counts
    }

    /// The counts that are not 0, each with its word.
    pub(crate) fn listed(self, words: [&str; 3], gap: char) -> String {
        let counts = [self.block, self.warn, self.info].into_iter().zip(words);
        let counts = counts.filter(|(count, _)| *count > 0);
        let parts = counts.map(|(count, word)| format!("{count}{gap}{word}"));
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// One audit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct AuditRow {
    /// Skill.
    pub audit: String,
    /// State.
    pub status: Status,
    /// Verdict as written; empty when there is none.
    pub verdict: String,
    /// Whether a file of its subject is not what the audit saw.
    pub stale: bool,
    /// One string for each blocking finding, in the older report's words where it had some.
    pub issues: Vec<String>,
    /// File name of the artifact.
    pub artifact: String,
    /// Whether it must be there at `submission`.
    pub mandatory: bool,
    /// The reviewer, where named.
    pub reviewer_model: String,
    /// When the audit was made, as written.
    pub audited_at: String,
    /// Its one-line summary, as written.
    pub summary: String,
    /// Number of files it hashed.
    pub inputs: usize,
    /// Command that makes the audit, or makes it again; absent where the policy names none.
    pub rerun: Option<String>,
    /// Numbers of its findings.
    pub findings: Counts,
    /// What the audit itself reports, those that count most first; quoted, not judged.
    pub reported: Vec<Reported>,
    /// Entries that were left out of `reported`; the artifact has all of them.
    pub reported_left: usize,
}

impl AuditRow {
    /// The reasons that the audit gives for its verdict, and their number. Omitted entries are counted as reasons if all kept entries are
    /// reasons, because reasons are kept first.
    pub(crate) fn reasons(&self) -> (Vec<&Reported>, usize) {
        let kept: Vec<&Reported> = self.reported.iter().filter(|it| it.weighs()).collect();
        let all = kept.len() == self.reported.len();
        let left = if all { self.reported_left } else { 0 };
        let count = kept.len() + left;
        (kept, count)
    }

    /// The audit's own reasons, as one thing to repair.
    fn repair(&self) -> Option<String> {
        let (reasons, count) = self.reasons();
        let first = reasons.first()?;
        let more = match count - 1 {
            0 => String::new(),
            more => format!(", and {more} more in {}", self.artifact),
        };
        let place = match first.place() {
            none if none.is_empty() => String::from("the paper"),
            place => place,
        };
        Some(format!("repair {place}: {}{more}", first.message))
    }

    /// Whether the artifact exists, in any state.
    pub(crate) const fn present(&self) -> bool {
        !matches!(self.status, Status::Missing | Status::MissingDraftOk)
    }
}

/// The policy that was applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct PolicyInForce {
    /// `built-in`, or the path that `--policy` named.
    pub source: String,
    /// `sha256:…` of the file.
    pub sha256: String,
    /// What is weaker than in the built-in policy, sorted.
    pub weakened: Vec<String>,
}

/// A file whose bytes were judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct JudgedFile {
    /// Path relative to the paper directory; absolute outside the project.
    pub path: String,
    /// `sha256:…` of the bytes that were judged.
    pub sha256: String,
    /// What the file was in this run, sorted.
    pub roles: Vec<Role>,
    /// Whether it lies in the paper directory.
    pub in_paper: bool,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct Step {
    /// What it is, or what it is for.
    pub text: String,
    /// The command that does it; absent for what a person or an agent repairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

impl Step {
    /// How to clear the blocking findings: first repairs, then the audits to repeat (each once), then audits that were not run.
    pub(crate) fn of(findings: &[Finding], audits: &[AuditRow]) -> Vec<Self> {
        let blocking = || {
            let findings = findings.iter();
            findings.filter(|finding| finding.severity == Severity::Block)
        };
        let mut repairs: Vec<Self> = Vec::new();
        for finding in blocking() {
            let mut rows = audits.iter();
            let row = rows.find(|row| Some(&row.audit) == finding.audit.as_ref());
            let text = match (finding.id, row) {
                (FindingId::BlockingVerdict, Some(row)) => row.repair().unwrap_or_else(|| {
                    let (audit, artifact) = (&row.audit, &row.artifact);
                    format!("repair what the answer of {audit} finds wrong with the paper; {artifact} names its trace")
                }),
                _ if finding.id.is_repaired() || finding.command.is_none() => {
                    let place = finding.place();
                    let gap = if place.is_empty() { "" } else { ": " };
                    format!("{place}{gap}{}", finding.fix)
                }
                _ => continue,
            };
            if !repairs.iter().any(|step| step.text == text) {
                repairs.push(Self {
                    text,
                    command: None,
                });
            }
        }
        let mut commands: Vec<(&str, usize)> = Vec::new();
        for command in blocking().filter_map(|finding| finding.command.as_deref()) {
            match commands.iter_mut().find(|(known, _)| *known == command) {
                Some((_, clears)) => *clears += 1,
                None => commands.push((command, 1)),
            }
        }
        let commands = commands.into_iter().map(|(command, clears)| {
            let what = counted(clears, "finding");
            let text = if command.contains(" prompt ") {
                format!("prints the prompt for a reviewer, whose answer clears {what}; standard error names the two commands to call next")
            } else {
                format!("clears {what}")
            };
            Self {
                text,
                command: Some(command.to_owned()),
            }
        });
        // In a draft, a mandatory audit that was not run is no finding, but it is a next step.
        let waiting = audits.iter();
        let waiting = waiting.filter(|row| row.status == Status::MissingDraftOk && row.mandatory);
        let waiting = waiting.filter_map(|row| row.rerun.clone());
        let waiting = waiting.map(|command| Self {
            text: String::from("not run yet"),
            command: Some(command),
        });
        repairs.into_iter().chain(commands).chain(waiting).collect()
    }
}

/// The data product.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct Report {
    /// `aris.verify_paper_audits.report/v1`.
    pub schema: String,
    /// `verify_paper_audits`.
    pub verifier: String,
    /// Version of the verifier.
    pub verifier_version: String,
    /// The paper directory, absolute.
    pub paper_dir: String,
    /// Command that runs the gate again.
    pub rerun: String,
    /// The project it belongs to, absolute.
    pub project_dir: String,
    /// How strict the gate was.
    #[schemars(with = "String")]
    pub assurance: Assurance,
    /// When the report was made, RFC 3339 UTC; kept from the earlier report when nothing else differs.
    pub generated_at: String,
    /// Whether anything blocking or doubtful was found.
    pub any_problem: bool,
    /// Whether the gate blocks: only ever at `submission`.
    pub submission_blocking: bool,
    /// What came of it.
    pub result: GateResult,
    /// The same in one sentence.
    pub conclusion: String,
    /// The policy that was applied.
    pub policy: PolicyInForce,
    /// The root document, relative to the paper directory.
    pub root_document: Option<String>,
    /// The audits, in the order of the policy.
    pub audits: Vec<AuditRow>,
    /// Numbers of all findings.
    pub counts: Counts,
    /// Number of mandatory audits whose artifact is not there.
    pub not_run: usize,
    /// The findings: those of the paper first, then audit by audit, the weightiest first.
    pub findings: Vec<Finding>,
    /// What clears the blockers, in the order in which it is to be done.
    pub steps: Vec<Step>,
    /// The traces that were read.
    pub traces: Vec<TraceSummary>,
    /// The runs that made the data behind the numbers, as far as the project's ledger tells.
    pub runs: Vec<RunBehind>,
    /// The files that were judged, by path.
    pub files: Vec<JudgedFile>,
}

impl Report {
    /// The findings of an audit, or of the paper as a whole.
    pub(crate) fn findings_of<'a>(
        &'a self,
        audit: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Finding> {
        let findings = self.findings.iter();
        findings.filter(move |finding| finding.audit.as_deref() == audit)
    }
}
