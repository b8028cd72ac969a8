//! The attestation: an in-toto statement of the judged bytes, the policy, and the findings.
//!
//! **Shape**: Statement v1 of the in-toto attestation framework: `_type`, `subject` (every judged file of the paper, by name),
//! `predicateType`, `predicate`. It does not depend on the paper's location, and its only time is a parameter, so that the same
//! inputs give the same bytes.
//!
//! **Source**: in-toto attestation specification, `spec/v1/statement.md` and `spec/v1/digest_set.md`.

use std::collections::{BTreeMap, BTreeSet};

use aris_contract::json::pretty;
use aris_runs::FileSeen;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::finding::{Finding, FindingId, Severity};
use crate::report::{GateResult, JudgedFile, Report};
use crate::sources::RunBehind;
use crate::trace::TraceSummary;

/// `_type` of a statement.
pub(crate) const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// `predicateType`: a name, not an address.
pub(crate) const PREDICATE_TYPE: &str = "tag:aris,2026:verify_paper_audits/attestation/v1";
/// Schema id of the predicate.
pub const PREDICATE_SCHEMA: &str = "aris.verify_paper_audits.attestation/v1";

/// An in-toto statement.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Statement {
    /// `https://in-toto.io/Statement/v1`.
    #[serde(rename = "_type")]
    pub kind: &'static str,
    /// The judged files of the paper, by name.
    pub subject: Vec<Resource>,
    /// `tag:aris,2026:verify_paper_audits/attestation/v1`.
    #[serde(rename = "predicateType")]
    pub predicate_type: &'static str,
    /// What is said about them.
    pub predicate: Predicate,
}

/// A file and its digest.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
pub(crate) struct Resource {
    /// Of a file its path: relative to the paper directory, of a run's files relative to the project.
    pub name: String,
    /// `sha256` to 64 hex digits, or `gitCommit` to those of a commit.
    pub digest: BTreeMap<String, String>,
}

/// What the gate says about the subjects.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Predicate {
    /// `aris.verify_paper_audits.attestation/v1`.
    pub schema: &'static str,
    /// Name and version of the verifier.
    pub verifier: Verifier,
    /// RFC 3339, UTC.
    pub time: String,
    /// `draft` or `submission`.
    pub assurance: &'static str,
    /// What came of the run.
    pub result: GateResult,
    /// The policy that was applied.
    pub policy: AttestedPolicy,
    /// Artifacts, traces and audited files, inside the paper and outside.
    pub inputs: Vec<Input>,
    /// The audits with their verdicts.
    pub audits: Vec<AttestedAudit>,
    /// The traces with the heads of their chains.
    pub traces: Vec<TraceSummary>,
    /// The records of runs, commits and patches behind the paper's numbers, as in-toto's resource descriptors.
    #[serde(rename = "resolvedDependencies")]
    pub resolved_dependencies: Vec<Resource>,
    /// The runs themselves.
    pub runs: Vec<RunProvenance>,
    /// What was found.
    pub findings: Vec<AttestedFinding>,
}

/// A run, in the words of SLSA provenance v1. **Source**: slsa.dev, `spec/v1.0/provenance`.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct RunProvenance {
    /// What was run, from what.
    #[serde(rename = "buildDefinition")]
    pub build_definition: BuildDefinition,
    /// Where and when.
    #[serde(rename = "runDetails")]
    pub run_details: RunDetails,
}

/// What was run, from what.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BuildDefinition {
    /// `tag:aris,2026:run/v1`.
    pub build_type: &'static str,
    /// What a person chose: `command`, `setup`, `env`, `cwd`.
    pub external_parameters: serde_json::Value,
    /// What the queue chose: `job`, `attempt`, `queue`, `cards`.
    pub internal_parameters: serde_json::Value,
    /// The commit, the patch, and the files that the command names.
    pub resolved_dependencies: Vec<Resource>,
}

/// Where and when.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct RunDetails {
    /// `id`: who recorded the run; `version`: of interpreter and driver, where known.
    pub builder: serde_json::Value,
    /// `invocationId` (digest of the record), `startedOn`, `finishedOn`, and `end`, which SLSA does not know.
    pub metadata: serde_json::Value,
    /// The files that numbers come from, relative to the project.
    pub byproducts: Vec<Resource>,
}

/// Who judged.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Verifier {
    /// `verify_paper_audits`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The policy, without the path it was read from.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct AttestedPolicy {
    /// Of the policy file.
    pub digest: BTreeMap<String, String>,
    /// What is weaker than in the built-in policy.
    pub weakened: Vec<String>,
}

/// A judged file with what it was.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Input {
    /// Path relative to the paper directory.
    pub name: String,
    /// Digest of the judged bytes.
    pub digest: BTreeMap<String, String>,
    /// What the file was in the run.
    pub roles: Vec<aris_audit::ledger::Role>,
}

/// An audit's own word.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct AttestedAudit {
    /// Skill.
    pub audit: String,
    /// Verdict as written.
    pub verdict: String,
    /// State under the gate.
    pub status: crate::report::Status,
    /// The reviewer.
    pub reviewer_model: String,
}

/// A finding without its prose.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct AttestedFinding {
    /// What was proved.
    pub id: FindingId,
    /// Its weight.
    pub severity: Severity,
    /// The audit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<String>,
    /// File and line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// The statement for a report, as the bytes that are written and signed. `time` is RFC 3339, UTC.
pub(crate) fn statement(report: &Report, time: &str) -> serde_json::Result<Vec<u8>> {
    let resolved: BTreeSet<Resource> = report.runs.iter().flat_map(dependencies).collect();
    let statement = Statement {
        kind: STATEMENT_TYPE,
        subject: report
            .files
            .iter()
            .filter(|file| file.in_paper)
            .map(|file| Resource {
                name: file.path.clone(),
                digest: digest(&file.sha256),
            })
            .collect(),
        predicate_type: PREDICATE_TYPE,
        predicate: Predicate {
            schema: PREDICATE_SCHEMA,
            verifier: Verifier {
                name: report.verifier.clone(),
                version: report.verifier_version.clone(),
            },
            time: time.to_owned(),
            assurance: report.assurance.word(),
            result: report.result,
            policy: AttestedPolicy {
                digest: digest(&report.policy.sha256),
                weakened: report.policy.weakened.clone(),
            },
            inputs: report.files.iter().map(input).collect(),
            audits: report
                .audits
                .iter()
                .map(|row| AttestedAudit {
                    audit: row.audit.clone(),
                    verdict: row.verdict.clone(),
                    status: row.status,
                    reviewer_model: row.reviewer_model.clone(),
                })
                .collect(),
            traces: report.traces.clone(),
            resolved_dependencies: resolved.into_iter().collect(),
            runs: report.runs.iter().map(provenance).collect(),
            findings: report.findings.iter().map(finding).collect(),
        },
    };
    pretty(&statement)
}

fn input(file: &JudgedFile) -> Input {
    Input {
        name: file.path.clone(),
        digest: digest(&file.sha256),
        roles: file.roles.clone(),
    }
}

fn finding(finding: &Finding) -> AttestedFinding {
    let place = finding.place();
    AttestedFinding {
        id: finding.id,
        severity: finding.severity,
        audit: finding.audit.clone(),
        place: Some(place).filter(|place| !place.is_empty()),
    }
}

/// The record of a run, its commit and its patch.
fn dependencies(behind: &RunBehind) -> Vec<Resource> {
    let name = format!("run/{}", behind.run.job);
    let mut found = vec![resource(&name, "sha256", &behind.record)];
    if let Some(source) = &behind.run.source {
        if !source.commit.is_empty() {
            found.push(resource("git", "gitCommit", &source.commit));
        }
        let patch = source.patch.iter();
        found.extend(patch.map(|patch| resource("patch", "sha256", patch)));
    }
    found
}

fn provenance(behind: &RunBehind) -> RunProvenance {
    let run = &behind.run;
    let mut from: Vec<Resource> = dependencies(behind).into_iter().skip(1).collect();
    let of_file = |file: &FileSeen| resource(&file.path, "sha256", &file.sha256);
    from.extend(run.inputs.iter().map(of_file));
    let mut builder = json!({"id": format!("tag:aris,2026:{}", run.origin)});
    if !run.versions.is_empty() {
        builder["version"] = json!(run.versions);
    }
    RunProvenance {
        build_definition: BuildDefinition {
            build_type: "tag:aris,2026:run/v1",
            external_parameters: json!({"command": run.command, "setup": run.setup, "env": run.env, "cwd": run.cwd}),
            internal_parameters: json!({"job": run.job, "attempt": run.attempt, "queue": run.queue, "cards": run.cards}),
            resolved_dependencies: from,
        },
        run_details: RunDetails {
            builder,
            metadata: json!({
                "invocationId": behind.record,
                "startedOn": run.started,
                "finishedOn": run.ended,
                "end": run.how,
            }),
            byproducts: run.named_outputs().iter().map(of_file).collect(),
        },
    }
}

fn resource(name: &str, kind: &str, digest: &str) -> Resource {
    Resource {
        name: name.to_owned(),
        digest: BTreeMap::from([(kind.to_owned(), digest.to_owned())]),
    }
}

fn digest(text: &str) -> BTreeMap<String, String> {
    resource("", "sha256", text.trim_start_matches("sha256:")).digest
}
