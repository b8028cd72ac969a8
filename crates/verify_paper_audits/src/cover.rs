//! Checks that the audits saw everything that the paper includes today.

use std::collections::BTreeSet;
use std::path::PathBuf;

use aris_contract::artifact::audit::Verdict;
use aris_latex::Position;

use crate::case::Case;
use crate::finding::{Finding, FindingId};
use crate::policy::{Coverage, Policy, SourceKind};
use crate::sources::{Included, Sources};
use crate::trace;

/// Checks every file of a kind that the policy wants covered. Audits that the policy names for the kind must have hashed the file
/// if it is their subject; a file that is nobody's subject must be hashed by some required audit.
pub(crate) fn check(cases: &[Case], sources: &Sources, policy: &Policy) -> Vec<Finding> {
    let required: Vec<&Case> = cases.iter().filter(|case| case.rule.mandatory).collect();
    let seen: Vec<BTreeSet<PathBuf>> = required.iter().map(|case| hashed(case).collect()).collect();
    // An audit that is absent or has no usable hashes has its own finding; listing every file would add nothing.
    let speaking = required.iter().copied().zip(&seen);
    let speaking: Vec<_> = speaking.filter(|(case, _)| speaks(case)).collect();
    let mut findings = Vec::new();
    for coverage in &policy.coverage {
        let demands = |case: &Case| coverage.audits.contains(&case.rule.skill);
        let of_kind = sources.files.iter();
        for file in of_kind.filter(|file| file.kind == coverage.kind) {
            let concerns = |case: &Case| demands(case) && file.holds.concerns(&case.rule.skill);
            let lacking = speaking.iter();
            let lacking = lacking.filter(|(_, seen)| !seen.contains(&file.real));
            for (case, _) in lacking.clone().filter(|(case, _)| concerns(case)) {
                let id = FindingId::UncoveredInput;
                findings.push(uncovered(id, file, Some(case), coverage, sources));
            }
            if file.holds.support {
                for (case, _) in lacking.filter(|(case, _)| demands(case) && !concerns(case)) {
                    let applies = case.artifact.verdict != Some(Verdict::NotApplicable);
                    // A program hashes all files that it reads; a reviewer may not have needed this one.
                    let id = if is_ours(case) {
                        FindingId::UncoveredInput
                    } else {
                        FindingId::UncoveredSupport
                    };
                    if applies {
                        findings.push(uncovered(id, file, Some(case), coverage, sources));
                    }
                }
            } else if !required.iter().any(|case| concerns(case)) {
                let id = if file.holds.text {
                    FindingId::UncoveredInput
                } else {
                    FindingId::UncoveredSupport
                };
                if !speaking.is_empty() && lacking.count() == speaking.len() {
                    findings.push(uncovered(id, file, None, coverage, sources));
                }
            }
        }
    }
    findings
}

/// Whether a program made the audit.
fn is_ours(case: &Case) -> bool {
    let audit = case.artifact.audit.as_ref();
    audit.is_some_and(|audit| trace::is_program(&audit.reviewer_model))
}

/// Whether the audit's hashes can be used.
fn speaks(case: &Case) -> bool {
    let unread = case.artifact.audit.is_none();
    // BLOCKED and ERROR do not claim to have looked at the files, and block anyway.
    let verdict = case.artifact.verdict;
    let looked = verdict.is_none_or(Verdict::claims_to_have_looked);
    !unread && looked && !case.inputs.is_empty()
}

fn hashed(case: &Case) -> impl Iterator<Item = PathBuf> + '_ {
    let inputs = case.inputs.iter();
    let inputs = inputs.filter(|(input, _)| input.digest.is_some());
    inputs.filter_map(|(_, real)| real.as_ref().ok().cloned())
}

fn uncovered(
    id: FindingId,
    file: &Included,
    case: Option<&Case>,
    coverage: &Coverage,
    sources: &Sources,
) -> Finding {
    let what = coverage.kind.name();
    let who = case.map_or("any required audit", |case| case.rule.skill.as_str());
    let what = match &file.asked {
        Some(Position { path, line, .. }) => {
            format!("{what} {} is included at {path}:{line} and", file.shown)
        }
        None if file.kind == SourceKind::Data => format!("{what} {}", file.shown),
        None => format!("the root document {}", file.shown),
    };
    let fix = if file.kind == SourceKind::Data && file.asked.is_none() {
        "run the audit again; what is no result is named in `exclude` of claims.toml"
    } else {
        "run the audit again on the paper as it is now"
    };
    let mut finding = Finding::new(id, format!("{what} was not seen by {who}"), fix)
        .evidence("uncovered", file.shown.clone())
        .issue(format!("{}:{}", id.word(), file.shown));
    finding.audit = case.map(|case| case.rule.skill.clone());
    match &file.asked {
        Some(at) => sources.place(finding, at),
        None => finding.file(file.shown.clone()),
    }
}
