//! From claims to one of the six verdicts.
//!
//! | state | verdict | reason |
//! |---|---|---|
//! | a source or a result file cannot be read | ERROR | id of the first finding |
//! | no number is a claim | `NOT_APPLICABLE` | `no_numeric_claims` |
//! | claims and no result file | BLOCKED | `no_raw_evidence` |
//! | a claim is contradicted | FAIL | `claim_mismatch` |
//! | a claim fits no or several values | WARN | `unmapped_claims` |
//! | a pin fits no number | WARN | `stale_pins` |
//! | every claim follows | PASS | `all_numbers_match` |
//!
//! An unreadable file comes first: what it holds might clear a claim or contradict another.

use aris_claims::{ClaimReport, Status};
use aris_contract::artifact::audit::Verdict;

use crate::finding::Finding;

/// Verdict and reason code.
pub(crate) fn decide(
    findings: &[Finding],
    report: &ClaimReport,
    evidence: bool,
) -> (Verdict, &'static str) {
    let has =
        |wanted: &dyn Fn(Status) -> bool| report.claims.iter().any(|claim| wanted(claim.status));
    if let Some(finding) = findings.first() {
        (Verdict::Error, finding.id)
    } else if report.claims.is_empty() {
        (Verdict::NotApplicable, "no_numeric_claims")
    } else if !evidence {
        (Verdict::Blocked, "no_raw_evidence")
    } else if has(&Status::is_mismatch) {
        (Verdict::Fail, "claim_mismatch")
    } else if has(&|status| !status.is_match()) {
        (Verdict::Warn, "unmapped_claims")
    } else if report.unused_pins.is_empty() {
        (Verdict::Pass, "all_numbers_match")
    } else {
        (Verdict::Warn, "stale_pins")
    }
}
