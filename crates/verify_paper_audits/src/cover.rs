//! Whether the audits saw everything that the paper includes today.

use std::collections::BTreeSet;
use std::path::PathBuf;

use aris_contract::artifact::audit::Assurance;

use crate::finding::{Finding, FindingId};
use crate::gate::Case;
use crate::policy::{Coverage, Policy};
use crate::sources::{Included, Sources};

/// Checks every included file of a kind that the policy wants covered.
pub(crate) fn check(
    cases: &[Case],
    sources: &Sources,
    policy: &Policy,
    assurance: Assurance,
) -> Vec<Finding> {
    let required: Vec<&Case> = cases.iter().filter(|case| case.rule.mandatory).collect();
    let mut findings = Vec::new();
    for coverage in &policy.coverage {
        let demanded: Vec<&Case> = required
            .iter()
            .copied()
            .filter(|case| coverage.audits.contains(&case.rule.skill))
            .collect();
        let of_kind = || {
            sources
                .files
                .iter()
                .filter(|file| file.kind == coverage.kind)
        };
        if demanded.is_empty() {
            let all: BTreeSet<PathBuf> = required.iter().flat_map(|case| hashed(case)).collect();
            let known = required.iter().any(|case| speaks(case, assurance));
            findings.extend(
                of_kind()
                    .filter(|file| known && !all.contains(&file.real))
                    .map(|file| uncovered(file, None, coverage, sources)),
            );
        }
        for case in demanded {
            // An audit that is absent or has no usable hashes has a finding of its own; listing every file adds nothing.
            if !speaks(case, assurance) {
                continue;
            }
            let seen: BTreeSet<PathBuf> = hashed(case).collect();
            let missing = of_kind().filter(|file| !seen.contains(&file.real));
            findings.extend(missing.map(|file| uncovered(file, Some(case), coverage, sources)));
        }
    }
    findings
}

/// Whether the audit's hashes mean anything.
fn speaks(case: &Case, assurance: Assurance) -> bool {
    let silent = !case.present && assurance == Assurance::Draft;
    let unread = case.artifact.audit.is_none();
    // BLOCKED and ERROR do not claim to have looked, and block by themselves.
    let looked = case
        .artifact
        .verdict
        .is_none_or(aris_contract::artifact::audit::Verdict::claims_to_have_looked);
    !silent && !unread && looked && !case.inputs.is_empty()
}

fn hashed(case: &Case) -> impl Iterator<Item = PathBuf> + '_ {
    case.inputs
        .iter()
        .filter(|(input, _)| input.digest.is_some())
        .filter_map(|(_, real)| real.as_ref().ok().cloned())
}

fn uncovered(
    file: &Included,
    case: Option<&Case>,
    coverage: &Coverage,
    sources: &Sources,
) -> Finding {
    let what = coverage.kind.name();
    let who = case.map_or("any required audit", |case| case.rule.skill.as_str());
    let message = match (&file.asked, case) {
        (Some(at), _) => format!(
            "{what} {} is included at {}:{} and was not seen by {who}",
            file.shown, at.path, at.line
        ),
        (None, _) => format!("the root document {} was not seen by {who}", file.shown),
    };
    let mut finding = Finding::new(
        FindingId::UncoveredInput,
        message,
        "run the audit again on the paper as it is now",
    )
    .evidence("uncovered", file.shown.clone())
    .issue(format!("uncovered_input:{}", file.shown));
    finding.audit = case.map(|case| case.rule.skill.clone());
    match &file.asked {
        Some(at) => sources.place(finding, at),
        None => finding.file(file.shown.clone()),
    }
}
