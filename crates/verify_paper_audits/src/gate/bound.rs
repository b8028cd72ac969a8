//! How many numbers of the paper are bound to data, against what the policy asks for.

use aris_contract::artifact::audit::Verdict;
use serde_json::Value;

use super::Case;
use crate::finding::{Finding, FindingId};
use crate::policy::Policy;

/// The audit that counts them, in `details.coverage` of its artifact.
const SKILL: &str = "paper-claim-audit";

const FIX: &str = "bind the numbers that the audit lists as unbound, or waive them with a reason, and run it again";

/// The numbers of a part of the paper that are bound or waived, and all of them; `None` where the artifact does not say so.
fn counted(details: &Value, name: &str) -> Option<(f64, f64)> {
    let counts = details.get("coverage")?.get(name)?;
    let count = |key: &str| counts.get(key).filter(|count| count.is_u64())?.as_f64();
    let covered = count("bound")? + count("waived")?;
    Some((covered, covered + count("unbound")?))
}

/// A finding for each part of the paper of which too little is bound.
pub(super) fn check(case: &Case, policy: &Policy) -> Vec<Finding> {
    let asked = policy.min_bound.parts();
    let asked = asked.iter().filter(|(_, share)| *share > 0.0);
    // The others say themselves that they did not look, and block.
    let looked = matches!(
        case.artifact.verdict,
        Some(Verdict::Pass | Verdict::Warn | Verdict::Fail)
    );
    let Some(audit) = case.artifact.audit.as_ref() else {
        return Vec::new();
    };
    if case.rule.skill != SKILL || !looked {
        return Vec::new();
    }
    let short = asked.filter_map(|(name, share)| {
        let wanted = percent(*share);
        let (message, found) = match counted(&audit.details, name) {
            Some((covered, all)) if all == 0.0 || covered / all >= *share => return None,
            Some((covered, all)) => {
                let found = percent(covered / all);
                let message = format!(
                    "{covered} of {all} numbers of the part {name} are bound or waived, {found}; the policy asks for {wanted}"
                );
                (message, found)
            }
            None => {
                let message = format!(
                    "the artifact does not say how many numbers of the part {name} are bound; the policy asks for {wanted}"
                );
                (message, String::from("unknown"))
            }
        };
        let finding = Finding::new(FindingId::ClaimsUnbound, message, FIX)
            .evidence("part", *name)
            .evidence("expected", wanted)
            .evidence("found", found)
            .issue(format!("claims_unbound:{name}"));
        Some(case.artifact.at_field(finding, "details"))
    });
    short.collect()
}

/// A share as readers know it, rounded down to a tenth: 0.8999 is no 90 %.
fn percent(share: f64) -> String {
    format!("{} %", (share * 1000.0 + 1e-9).floor() / 10.0)
}
