//! Derives one of the six verdicts from the findings.
//!
//! | state | verdict | reason |
//! |---|---|---|
//! | an error is proved | FAIL | id of the errors when all are of one kind, else `errors_proved` |
//! | something could not be read | BLOCKED | id of the first such finding |
//! | doubts | WARN | their id when all are of one kind, else `doubts` |
//! | questions: it is not known whether LaTeX prints the citations in question | WARN | their id when all are of one kind, else
//! `questions` |
//! | nothing is cited, and the text was read whole | `NOT_APPLICABLE` | `no_citations` |
//! | nothing found, and sources have shown every cited work | PASS | `all_verified` |
//! | nothing found | WARN | `existence_unverified` |
//!
//! Only a source can show that a work exists, so there is no PASS without look-ups.

use aris_contract::artifact::audit::Verdict;

use crate::finding::{Finding, Severity};

/// The verdict and its reason code.
pub fn decide(findings: &[Finding], cites: bool, all_verified: bool) -> (Verdict, &'static str) {
    let of = |severity: Severity| {
        findings
            .iter()
            .filter(move |finding| finding.severity == severity)
    };
    let one_id = |severity: Severity, several: &'static str| {
        let first = of(severity).next().map(|finding| finding.id);
        first.map(|id| {
            if of(severity).all(|finding| finding.id == id) {
                id
            } else {
                several
            }
        })
    };
    if let Some(reason) = one_id(Severity::Fail, "errors_proved") {
        (Verdict::Fail, reason)
    } else if let Some(finding) = of(Severity::Block).next() {
        (Verdict::Blocked, finding.id)
    } else if let Some(reason) = one_id(Severity::Warn, "doubts") {
        (Verdict::Warn, reason)
    } else if let Some(reason) = one_id(Severity::Question, "questions") {
        (Verdict::Warn, reason)
    } else if !cites {
        (Verdict::NotApplicable, "no_citations")
    } else if all_verified {
        (Verdict::Pass, "all_verified")
    } else {
        (Verdict::Warn, "existence_unverified")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table() {
        let finding = |id, severity| Finding::new(id, severity, "", "");
        let cases = [
            (vec![], true, (Verdict::Warn, "existence_unverified")),
            (vec![], false, (Verdict::NotApplicable, "no_citations")),
            (
                vec![finding("a", Severity::Warn)],
                false,
                (Verdict::Warn, "a"),
            ),
            (
                vec![finding("a", Severity::Info)],
                true,
                (Verdict::Warn, "existence_unverified"),
            ),
            (
                vec![finding("a", Severity::Warn), finding("a", Severity::Warn)],
                true,
                (Verdict::Warn, "a"),
            ),
            (
                vec![finding("a", Severity::Warn), finding("b", Severity::Warn)],
                true,
                (Verdict::Warn, "doubts"),
            ),
            (
                vec![finding("a", Severity::Block), finding("b", Severity::Warn)],
                false,
                (Verdict::Blocked, "a"),
            ),
            (
                vec![finding("a", Severity::Block), finding("b", Severity::Fail)],
                true,
                (Verdict::Fail, "b"),
            ),
            (
                vec![finding("a", Severity::Fail), finding("b", Severity::Fail)],
                true,
                (Verdict::Fail, "errors_proved"),
            ),
        ];
        assert_eq!(decide(&[], true, true), (Verdict::Pass, "all_verified"));
        let doubt = [finding("a", Severity::Warn)];
        assert_eq!(decide(&doubt, true, true), (Verdict::Warn, "a"));
        for (findings, cites, wanted) in cases {
            assert_eq!(decide(&findings, cites, false), wanted, "{findings:?}");
        }
    }
}
