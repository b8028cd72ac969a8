//! Finds how a policy is weaker than the built-in one.

use super::{AuditRule, Policy};

/// Dotted names of everything in `policy` that is less strict than in `base`, sorted.
pub(super) fn weaker(policy: &Policy, base: &Policy) -> Vec<String> {
    let mut found = Vec::new();
    for (id, severity) in &policy.severity {
        if base.severity.get(id).is_some_and(|usual| severity < usual) {
            found.push(format!("severity.{}", id.word()));
        }
    }
    for usual in &base.audits {
        let name = format!("audits.{}", usual.skill);
        let same = |rule: &&AuditRule| rule.skill == usual.skill && rule.artifact == usual.artifact;
        let Some(rule) = policy.audits.iter().find(same) else {
            found.push(name);
            continue;
        };
        if usual.mandatory && !rule.mandatory {
            found.push(format!("{name}.mandatory"));
        }
        if usual.independent_group.is_some() && rule.independent_group != usual.independent_group {
            found.push(format!("{name}.independent_group"));
        }
        if !holds(&usual.deterministic, &rule.deterministic) {
            found.push(format!("{name}.deterministic"));
        }
    }
    if policy.clock_skew_seconds > base.clock_skew_seconds {
        found.push(String::from("clock_skew_seconds"));
    }
    if base.require_chain && !policy.require_chain {
        found.push(String::from("require_chain"));
    }
    if !holds(&base.allowed_roots, &policy.allowed_roots) {
        found.push(String::from("allowed_roots"));
    }
    for usual in &base.coverage {
        let mut coverage = policy.coverage.iter();
        if !coverage.any(|of| of.kind == usual.kind && holds(&of.audits, &usual.audits)) {
            found.push(format!("coverage.{}", usual.kind));
        }
    }
    for (family, starts) in &base.families {
        let kept = policy.families.get(family);
        if !kept.is_some_and(|kept| holds(kept, starts)) {
            found.push(format!("families.{family}"));
        }
    }
    let (ours, usual) = (policy.min_bound.parts(), base.min_bound.parts());
    for ((part, share), (_, usual)) in ours.into_iter().zip(usual) {
        if share < usual {
            found.push(format!("min_bound.{part}"));
        }
    }
    found.sort();
    found
}

/// Whether `all` contains all of `some`.
fn holds(all: &[String], some: &[String]) -> bool {
    some.iter().all(|one| all.contains(one))
}
