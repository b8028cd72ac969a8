//! Makes the report from the judged audits.

use std::collections::BTreeMap;

use aris_contract::artifact::audit::Assurance;
use aris_contract::text::counted;
use aris_contract::time;

use super::{Case, Gate};
use crate::finding::{Finding, FindingId, Severity};
use crate::policy::Policy;
use crate::report::{AuditRow, Counts, GateResult, JudgedFile, PolicyInForce, Report, Step};
use crate::sources::Sources;
use aris_audit::ledger::Ledger;

pub(super) fn report(
    gate: Gate<'_>,
    ledger: &Ledger,
    sources: &Sources,
    cases: Vec<Case>,
    general: Vec<Finding>,
) -> Report {
    let (paper, policy, assurance) = (gate.paper, gate.policy, gate.assurance);
    let paper_dir = paper.given.display().to_string();
    let (name, level) = (crate::SPEC.name, assurance.word());
    let again = format!("{name} {{paper}} --assurance {level}");
    let sorted = |mut findings: Vec<Finding>| {
        findings.sort_by(|a, b| a.order().cmp(&b.order()));
        findings.dedup();
        capped(findings)
    };
    let general = general.into_iter();
    let mut findings = sorted(general.map(|finding| policy.weigh(finding)).collect());
    let (mut audits, mut traces) = (Vec::new(), Vec::new());
    for mut case in cases {
        let own = std::mem::take(&mut case.findings)
            .into_iter()
            .map(|mut finding| {
                finding.audit = Some(case.rule.skill.clone());
                // Repeating the audit helps neither against an error in the gate nor against a doubt of the audit.
                let again = !matches!(finding.id, FindingId::Internal | FindingId::DoubtfulVerdict);
                if finding.command.is_none() && again {
                    finding.command = case.rerun(gate);
                }
                policy.weigh(finding)
            });
        let own = sorted(own.collect());
        audits.push(case.row(gate, &own));
        findings.extend(own);
        traces.extend(case.trace);
    }
    let counts = Counts::of(&findings);
    let blocked = assurance == Assurance::Submission && counts.block > 0;
    let missing = |row: &&AuditRow| row.mandatory && !row.present();
    let not_run = audits.iter().filter(missing).count();
    let result = match (assurance, counts.block, not_run) {
        (Assurance::Submission, 0, _) => GateResult::NoBlocker,
        (Assurance::Submission, _, _) => GateResult::Blocked,
        (Assurance::Draft, 0, 0) => GateResult::DraftWithoutBlockers,
        (Assurance::Draft, 0, _) => GateResult::DraftIncomplete,
        (Assurance::Draft, _, _) => GateResult::DraftWithBlockers,
    };
    let conclusion = conclusion(result, counts.block, not_run, policy);
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
        rerun: paper.command_for(&again, gate.root),
        project_dir: paper.project.display().to_string(),
        assurance,
        generated_at: time::stamp(gate.now),
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
        counts,
        not_run,
        steps: Step::of(&findings, &audits),
        audits,
        findings,
        traces,
        runs: sources.runs.clone(),
        files,
    }
}

/// The result in one sentence. It never says that the paper is accepted.
fn conclusion(result: GateResult, blocking: usize, not_run: usize, policy: &Policy) -> String {
    let waiting = format!("{} not run yet", counted(not_run, "mandatory audit"));
    let found = counted(blocking, "finding");
    let what = match result {
        GateResult::NoBlocker => String::from("no blocker found"),
        GateResult::Blocked => format!("blocked: {found}"),
        GateResult::DraftWithoutBlockers => String::from("draft: no blocker found"),
        GateResult::DraftIncomplete => format!("draft: {waiting}, no other blocker found"),
        GateResult::DraftWithBlockers if not_run > 0 => {
            format!("draft: {found} would block a submission, {waiting},")
        }
        GateResult::DraftWithBlockers => format!("draft: {found} would block a submission"),
    };
    format!("{what} under policy {}", policy.digest)
}

/// Most findings with the same id and audit; more of them usually have one cause and would make the report unreadable.
const KEPT: usize = 500;

/// Keeps the first findings of each id, and replaces the others by one finding with their number.
fn capped(findings: Vec<Finding>) -> Vec<Finding> {
    let mut seen: BTreeMap<FindingId, usize> = BTreeMap::new();
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings {
        let count = seen.entry(finding.id).or_default();
        *count += 1;
        if *count <= KEPT {
            kept.push(finding);
        }
    }
    for (id, count) in seen.into_iter().filter(|(_, count)| *count > KEPT) {
        let like = kept.iter().rposition(|finding| finding.id == id);
        let Some((at, fix)) = like.and_then(|at| Some((at, kept.get(at)?.fix.clone()))) else {
            continue;
        };
        let message = format!("{} more findings of this kind are not listed", count - KEPT);
        let mut finding = Finding::new(id, message, fix);
        finding.severity = kept.get(at).map_or(Severity::Block, |like| like.severity);
        finding.audit = kept.get(at).and_then(|like| like.audit.clone());
        finding.command = kept.get(at).and_then(|like| like.command.clone());
        kept.insert(at + 1, finding);
    }
    kept
}
