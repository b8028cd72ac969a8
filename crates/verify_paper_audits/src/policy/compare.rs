//! In what a policy is weaker than the built-in one.

use super::{Coverage, Policy};

/// Dotted names of everything in `policy` that lets more pass than `base`, sorted.
pub(super) fn weaker(policy: &Policy, base: &Policy) -> Vec<String> {
    let mut found = Vec::new();
    for (id, severity) in &policy.severity {
        if base.severity.get(id).is_some_and(|usual| severity < usual) {
            found.push(format!("severity.{}", id.word()));
        }
    }
    for usual in &base.audits {
        let name = format!("audits.{}", usual.skill);
        let Some(rule) = policy
            .audits
            .iter()
            .find(|rule| rule.skill == usual.skill && rule.artifact == usual.artifact)
        else {
            found.push(name);
            continue;
        };
        if usual.mandatory && !rule.mandatory {
            found.push(format!("{name}.mandatory"));
        }
        if usual.independent_group.is_some() && rule.independent_group != usual.independent_group {
            found.push(format!("{name}.independent_group"));
        }
        if rule
            .deterministic
            .iter()
            .any(|program| !usual.deterministic.contains(program))
        {
            found.push(format!("{name}.deterministic"));
        }
    }
    if policy.clock_skew_seconds > base.clock_skew_seconds {
        found.push(String::from("clock_skew_seconds"));
    }
    if base.require_chain && !policy.require_chain {
        found.push(String::from("require_chain"));
    }
    if policy
        .allowed_roots
        .iter()
        .any(|root| !base.allowed_roots.contains(root))
    {
        found.push(String::from("allowed_roots"));
    }
    for usual in &base.coverage {
        if !policy
            .coverage
            .iter()
            .any(|coverage| covers(coverage, usual))
        {
            found.push(format!("coverage.{}", usual.kind));
        }
    }
    for (family, starts) in &base.families {
        let kept = policy.families.get(family);
        if !kept.is_some_and(|kept| starts.iter().all(|start| kept.contains(start))) {
            found.push(format!("families.{family}"));
        }
    }
    for ((part, share), (_, usual)) in policy
        .min_bound
        .parts()
        .into_iter()
        .zip(base.min_bound.parts())
    {
        if share < usual {
            found.push(format!("min_bound.{part}"));
        }
    }
    found.sort();
    found
}

fn covers(coverage: &Coverage, usual: &Coverage) -> bool {
    coverage.kind == usual.kind
        && usual
            .audits
            .iter()
            .all(|audit| coverage.audits.contains(audit))
}
