//! Checks that audits which must be independent have independent reviewers.

use std::collections::BTreeMap;

use aris_contract::artifact::audit::Audit;

use crate::finding::{Finding, FindingId};
use crate::policy::{AuditRule, Policy};
use crate::text::short;
use crate::trace::is_program;

/// The data of an audit that matter for independence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reviewed<'a> {
    /// Its rule.
    pub rule: &'a AuditRule,
    /// The artifact.
    pub audit: &'a Audit,
    /// The agent that ran the skill, if its trace names one.
    pub executor: Option<&'a str>,
}

/// Checks all audits of a paper. Each finding names its audit.
pub(crate) fn check(audits: &[Reviewed<'_>], policy: &Policy) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut threads: BTreeMap<(&str, String), &str> = BTreeMap::new();
    for reviewed in audits {
        let (rule, audit) = (reviewed.rule, reviewed.audit);
        let thread = audit.thread_id.trim();
        if thread.is_empty() {
            let message = "the audit names no reviewer thread";
            let fix = "run the audit again with a reviewer thread of its own";
            findings.push(of(rule, Finding::new(FindingId::NoThread, message, fix)));
        } else if let Some(group) = rule.independent_group.as_deref() {
            // Case is ignored: another spelling is not another thread.
            match threads.get(&(group, thread.to_lowercase())) {
                Some(other) => {
                    let message = format!(
                        "{} and {other} name one reviewer thread: the later one knew the answer of the earlier one",
                        rule.skill
                    );
                    let fix = "run the audit again in a fresh thread";
                    let found = Finding::new(FindingId::SharedThread, message, fix)
                        .evidence("thread_id", short(thread))
                        .evidence("other_audit", *other);
                    findings.push(of(rule, found));
                }
                None => {
                    threads.insert((group, thread.to_lowercase()), &rule.skill);
                }
            }
        }
        findings.extend(reviewer(reviewed, policy).map(|finding| of(rule, finding)));
    }
    findings
}

fn reviewer(reviewed: &Reviewed<'_>, policy: &Policy) -> Option<Finding> {
    let (rule, audit) = (reviewed.rule, reviewed.audit);
    let model = audit.reviewer_model.trim();
    let mut helpers = policy.audits.iter().flat_map(|rule| &rule.deterministic);
    // The name of a helper without `deterministic/` is not a model, and the gate has not repeated that audit.
    let is_helper = helpers.any(|helper| helper.eq_ignore_ascii_case(model));
    if is_helper || is_program(model) {
        let name = model.split_once('/').map_or("", |(_, program)| program);
        let helper = name.split_once('@').map_or(name, |(helper, _)| helper);
        if rule.deterministic.iter().any(|allowed| allowed == helper) {
            return None;
        }
        let helper = if is_helper { model } else { helper };
        let (who, skill) = (
            if helper.is_empty() {
                "a program"
            } else {
                helper
            },
            &rule.skill,
        );
        let who = short(who);
        let message =
            format!("the audit was made by {who}, and the policy does not leave {skill} to it");
        let allowed = match rule.deterministic.as_slice() {
            [] => String::from("no program"),
            some => some.join(", "),
        };
        let fix = "run the audit with a reviewer";
        let found = Finding::new(FindingId::DeterministicReviewer, message, fix)
            .evidence("reviewer_model", short(&audit.reviewer_model))
            .evidence("allowed", allowed);
        return Some(found);
    }
    let executor = reviewed.executor?;
    let family = policy.family(executor)?;
    (policy.family(&audit.reviewer_model) == Some(family)).then(|| {
        let message = format!(
            "reviewer and executor are both of the {family} family: they share their blind spots"
        );
        let fix = "run the audit with a reviewer of another family";
        Finding::new(FindingId::SameFamilyReviewer, message, fix)
            .evidence("executor", short(executor))
            .evidence("reviewer_model", short(&audit.reviewer_model))
    })
}

fn of(rule: &AuditRule, mut finding: Finding) -> Finding {
    finding.issue = format!("{}:{}", finding.id.word(), rule.skill);
    finding.audit = Some(rule.skill.clone());
    finding.file(rule.artifact.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_programs_and_families_are_told_apart() {
        let policy = Policy::built_in().expect("valid");
        let audit = |model: &str, thread: &str| -> Audit {
            serde_json::from_value(serde_json::json!({
                "audit_skill": "x", "verdict": "PASS", "reason_code": "", "summary": "", "audited_input_hashes": {},
                "trace_path": "", "thread_id": thread, "reviewer_model": model, "reviewer_reasoning": "", "generated_at": "",
            }))
            .expect("audit")
        };
        let run = |cases: &[(usize, &str, &str, Option<&str>)]| {
            let audits: Vec<_> = cases
                .iter()
                .map(|(_, model, thread, _)| audit(model, thread))
                .collect();
            let reviewed: Vec<_> = cases
                .iter()
                .zip(&audits)
                .map(|((rule, _, _, executor), audit)| Reviewed {
                    rule: &policy.audits[*rule],
                    audit,
                    executor: *executor,
                })
                .collect();
            check(&reviewed, &policy)
                .iter()
                .map(|finding| finding.issue.clone())
                .collect::<Vec<_>>()
        };
        let claude = Some("claude-code");
        assert_eq!(
            run(&[(0, "gpt-5.5", "t1", claude), (1, "gpt-5.5", "t2", claude)]),
            Vec::<String>::new()
        );
        assert_eq!(
            run(&[(0, "gpt-5.5", "T1", None), (1, "gpt-5.5", " t1 ", None)]),
            ["shared_thread:paper-claim-audit"]
        );
        assert_eq!(
            run(&[(0, "gpt-5.5", " ", None)]),
            ["no_thread:proof-checker"]
        );
        assert_eq!(
            run(&[(0, "claude-opus-4", "t", claude)]),
            ["same_family_reviewer:proof-checker"]
        );
        assert_eq!(
            run(&[(0, "deterministic/citation_audit@1", "t", None)]),
            ["deterministic_reviewer:proof-checker"]
        );
        assert_eq!(
            run(&[(1, "Deterministic/", "t", None)]),
            ["deterministic_reviewer:paper-claim-audit"]
        );
        assert_eq!(
            run(&[(2, "deterministic/citation_audit@0.1.0", "t", None)]),
            Vec::<String>::new()
        );
    }
}
