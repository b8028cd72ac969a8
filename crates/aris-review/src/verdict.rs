//! Derives the verdict from findings.

use serde::{Deserialize, Serialize};

use crate::finding::Finding;

/// The verdict of a gate on a pull request. It is always derived from findings and from entries that could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "snake_case")]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing has to be changed, and nobody has to decide anything.
    Approved,
    /// Something has to be changed.
    ChangesRequested,
    /// A person has to decide something.
    NeedsHuman,
}

impl Verdict {
    /// The event of the review with this verdict.
    pub const fn event(self) -> Event {
        match self {
            Self::Approved => Event::Approve,
            Self::ChangesRequested => Event::RequestChanges,
            Self::NeedsHuman => Event::Comment,
        }
    }
}

/// The event of a review on GitHub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Event {
    /// The pull request may be merged.
    Approve,
    /// The pull request must not be merged.
    RequestChanges,
    /// A comment without an opinion.
    Comment,
}

/// Fingerprints of merged findings, by what has to happen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Buckets {
    /// Actionable: critical or warning, and no decision needed.
    pub actionable: Vec<String>,
    /// For a person to decide.
    pub decision: Vec<String>,
    /// The rest.
    pub info: Vec<String>,
}

/// How many findings there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Counts {
    /// Before merging.
    pub total: usize,
    /// After merging.
    pub deduped: usize,
    /// Of the merged ones, those that are actionable.
    pub actionable: usize,
    /// Of the merged ones, those for a person to decide.
    pub decision: usize,
    /// Of the merged ones, the rest.
    pub info: usize,
}

/// Derives the verdict from merged findings, with the findings that it follows from. Where entries are `unreadable`, the verdict is not an
/// approval: a person has to look at them.
///
/// **Source**: citation gates, §3, and §7 for what cannot be read.
pub fn judge(findings: &[Finding], unreadable: usize) -> (Verdict, Buckets) {
    let mut buckets = Buckets::default();
    for finding in findings {
        let bucket = if finding.is_actionable() {
            &mut buckets.actionable
        } else if finding.requires_decision {
            &mut buckets.decision
        } else {
            &mut buckets.info
        };
        bucket.push(finding.fingerprint.clone());
    }
    let verdict = if !buckets.actionable.is_empty() {
        Verdict::ChangesRequested
    } else if !buckets.decision.is_empty() || unreadable > 0 {
        Verdict::NeedsHuman
    } else {
        Verdict::Approved
    };
    (verdict, buckets)
}

impl Buckets {
    /// The counts, for `total` findings before merging.
    pub fn counts(&self, total: usize) -> Counts {
        let [actionable, decision, info] =
            [&self.actionable, &self.decision, &self.info].map(Vec::len);
        Counts {
            total,
            deduped: actionable + decision + info,
            actionable,
            decision,
            info,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Severity;

    #[test]
    fn the_verdict_follows_from_the_buckets() {
        use Severity::{Critical, Info, Warning};
        type Given = &'static [(Severity, bool)];
        for (given, unreadable, verdict, event) in [
            (&[] as Given, 0, Verdict::Approved, "APPROVE"),
            (&[(Info, false)], 0, Verdict::Approved, "APPROVE"),
            (&[(Info, true)], 0, Verdict::NeedsHuman, "COMMENT"),
            (&[(Critical, true)], 0, Verdict::NeedsHuman, "COMMENT"),
            (
                &[(Warning, false)],
                0,
                Verdict::ChangesRequested,
                "REQUEST_CHANGES",
            ),
            (
                &[(Critical, false), (Warning, true)],
                0,
                Verdict::ChangesRequested,
                "REQUEST_CHANGES",
            ),
            (&[], 1, Verdict::NeedsHuman, "COMMENT"),
            (
                &[(Warning, false)],
                1,
                Verdict::ChangesRequested,
                "REQUEST_CHANGES",
            ),
        ] {
            let findings: Vec<Finding> = (1..)
                .zip(given)
                .map(|(line, (severity, decision))| {
                    let mut finding =
                        Finding::of_rule("r", *severity, "external", ("a", Some(line)), "m");
                    finding.requires_decision = *decision;
                    finding
                })
                .collect();
            let (judged, buckets) = judge(&findings, unreadable);
            assert_eq!(judged, verdict, "{given:?} {unreadable}");
            assert_eq!(serde_json::json!(judged.event()), event);
            assert_eq!(buckets.counts(9).deduped, given.len());
        }
    }
}
