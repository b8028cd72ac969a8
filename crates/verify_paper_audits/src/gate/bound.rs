//! Compares the share of bound numbers, as the gate counts it, with the policy's minimum.

use aris_claims::{Coverage, Covered};
use aris_contract::artifact::audit::Verdict;

use super::{CLAIMS, Case};
use crate::finding::{Finding, FindingId};
use crate::policy::Policy;

const FIX: &str = "bind the numbers that the audit lists as unbound, or waive them with a reason, and run it again";

/// A finding for each part of the paper in which too few numbers are bound. The artifact's own count is ignored, because nothing
/// verifies it. `coverage` is `None` if the gate could not count.
pub(super) fn check(case: &Case, coverage: Option<&Coverage>, policy: &Policy) -> Vec<Finding> {
    // These verdicts say themselves that nothing was checked, and they block.
    let looked = !matches!(
        case.artifact.verdict,
        Some(Verdict::Blocked | Verdict::Error)
    );
    if case.rule.skill != CLAIMS || case.artifact.audit.is_none() || !looked {
        return Vec::new();
    }
    let asked = policy.min_bound.parts().into_iter();
    let asked = asked.filter(|(_, share)| *share > 0.0);
    let short = asked.filter_map(|(name, share)| {
        let wanted = percent(share);
        let counted = coverage.map(|coverage| match name {
            "abstract" => coverage.r#abstract,
            "tables" => coverage.tables,
            _ => coverage.text,
        });
        let (message, found) = if let Some(Covered { bound, waived, unbound }) = counted {
            let (covered, all) = (bound + waived, bound + waived + unbound);
            let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
            let found = number(covered) / number(all);
            if all == 0 || found >= share {
                return None;
            }
            let found = percent(found);
            let message = format!(
                "{covered} of {all} numbers of the part {name} are bound or waived, {found}; the policy asks for {wanted}"
            );
            (message, found)
        } else {
            let message = format!(
                "how many numbers of the part {name} are bound cannot be counted; the policy asks for {wanted}"
            );
            (message, String::from("unknown"))
        };
        let finding = Finding::new(FindingId::ClaimsUnbound, message, FIX)
            .evidence("part", name)
            .evidence("expected", wanted)
            .evidence("found", found)
            .issue(format!("claims_unbound:{name}"));
        Some(case.artifact.at_field(finding, "details"))
    });
    short.collect()
}

/// A share in percent, rounded down to a tenth: 0.8999 must not become 90 %.
fn percent(share: f64) -> String {
    format!("{} %", (share * 1000.0).floor() / 10.0)
}
