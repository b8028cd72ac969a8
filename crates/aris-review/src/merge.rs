//! Merges findings about the same place.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::finding::{Also, Finding};
use crate::findings::{Findings, Rejected};

/// A finding that was merged into another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Duplicate {
    /// Fingerprint of the finding that was kept.
    pub of: String,
    /// The finding that was merged.
    pub finding: Finding,
}

/// Findings, one for each place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Merged {
    /// One for each place, in the order in which the places appeared.
    pub findings: Vec<Finding>,
    /// The merged ones, in the order in which they were replaced.
    pub duplicates: Vec<Duplicate>,
    /// Entries that are no findings.
    pub rejected: Vec<Rejected>,
    /// What was not looked at or could not be read, as the lists say.
    pub problems: Vec<String>,
}

impl Merged {
    /// Merges the findings of a list.
    pub fn of(all: Findings) -> Self {
        Self {
            rejected: all.rejected,
            problems: all.problems,
            ..merge(all.findings)
        }
    }

    /// How many entries could not be read as findings.
    pub fn unreadable(&self) -> usize {
        let rejected = self.rejected.iter();
        rejected.filter(|rejected| rejected.unreadable).count()
    }
}

/// Keeps one finding for each place: the one of the highest severity; among equals one that is actionable, then one that needs a decision,
/// then the earlier. The others go into `also` of the one that is kept, which takes over one of their suggestions if it has none. Merging
/// again changes nothing.
///
/// Verdicts depend only on severity and on whether a decision is needed; for the kept finding, neither depends on the order.
fn merge(findings: Vec<Finding>) -> Merged {
    let mut places = BTreeMap::new();
    let mut merged = Merged::default();
    let mut losers: Vec<(usize, Finding)> = Vec::new();
    for finding in findings {
        // Two findings on one line are merged; without a line, two with the same dimension and message.
        let said = (finding.dimension.clone(), finding.message.clone());
        let said = finding.line.is_none().then_some(said);
        let place = places.entry((finding.file.clone(), finding.line, said));
        let place = *place.or_insert(merged.findings.len());
        match merged.findings.get_mut(place) {
            None => merged.findings.push(finding),
            Some(kept) if weight(&finding) > weight(kept) => {
                losers.push((place, std::mem::replace(kept, finding)));
            }
            Some(_) => losers.push((place, finding)),
        }
    }
    for (place, mut loser) in losers {
        let Some(kept) = merged.findings.get_mut(place) else {
            continue;
        };
        let mut more = std::mem::take(&mut loser.also);
        if kept.suggestion.is_none() {
            kept.suggestion.clone_from(&loser.suggestion);
        }
        merged.duplicates.push(Duplicate {
            of: kept.fingerprint.clone(),
            finding: loser.clone(),
        });
        kept.also.push(Also::from(loser));
        kept.also.append(&mut more);
    }
    merged
}

/// Severity first; at equal severity an actionable finding outweighs one that needs a decision, and that one a mere note.
fn weight(finding: &Finding) -> (crate::Severity, u8) {
    let bucket = 2 * u8::from(finding.is_actionable()) + u8::from(finding.requires_decision);
    (finding.severity, bucket)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Severity, judge};

    fn finding(line: u32, severity: Severity, decision: bool, message: &str) -> Finding {
        let line = (line > 0).then_some(line);
        let mut finding = Finding::of_rule("r", severity, "external", ("a.md", line), message);
        finding.requires_decision = decision;
        finding
    }

    #[test]
    fn the_gravest_stays_then_the_actionable_then_the_earlier() {
        use Severity::{Critical, Info, Warning};
        for (what, given, stays) in [
            (
                "severity",
                [(Warning, false), (Critical, false)],
                (Critical, false),
            ),
            (
                "severity before decision",
                [(Warning, false), (Critical, true)],
                (Critical, true),
            ),
            (
                "actionable",
                [(Warning, true), (Warning, false)],
                (Warning, false),
            ),
            (
                "a decision before mere info",
                [(Info, false), (Info, true)],
                (Info, true),
            ),
        ] {
            for turn in [[0, 1], [1, 0]] {
                let list = turn.map(|at| finding(3, given[at].0, given[at].1, &at.to_string()));
                let merged = merge(list.to_vec());
                assert_eq!(merged.findings.len(), 1, "{what}");
                let kept = &merged.findings[0];
                assert_eq!((kept.severity, kept.requires_decision), stays, "{what}");
                assert_eq!(kept.also.len(), 1, "{what}");
                assert_eq!(merged.duplicates[0].of, kept.fingerprint);
            }
        }
        let equal = merge(vec![
            finding(3, Warning, false, "first"),
            finding(3, Warning, false, "second"),
        ]);
        assert_eq!(equal.findings[0].message, "first");
    }

    #[test]
    fn without_a_line_only_equal_words_are_the_same() {
        let list = vec![
            finding(0, Severity::Warning, false, "a"),
            finding(0, Severity::Warning, false, "b"),
            finding(0, Severity::Warning, false, "a"),
        ];
        let merged = merge(list);
        assert_eq!((merged.findings.len(), merged.duplicates.len()), (2, 1));
    }

    const SEVERITIES: [Severity; 3] = [Severity::Info, Severity::Warning, Severity::Critical];

    fn lists() -> impl Strategy<Value = Vec<Finding>> {
        let one = (0_u32..4, 0_usize..3, any::<bool>(), "[ab]").prop_map(
            |(line, at, decision, message)| finding(line, SEVERITIES[at], decision, &message),
        );
        proptest::collection::vec(one, 0..12)
    }

    proptest! {
        #[test]
        fn merging_again_changes_nothing(list in lists()) {
            let once = merge(list);
            let again = merge(once.findings.clone());
            prop_assert_eq!(&again.findings, &once.findings);
            prop_assert!(again.duplicates.is_empty());
        }

        #[test]
        fn nothing_is_lost(list in lists()) {
            let merged = merge(list.clone());
            let also: usize = merged.findings.iter().map(|finding| finding.also.len()).sum();
            prop_assert_eq!(merged.findings.len() + also, list.len());
            prop_assert_eq!(merged.duplicates.len(), also);
        }

        #[test]
        fn the_verdict_does_not_depend_on_the_order(
            (list, shuffled) in lists().prop_flat_map(|list| (Just(list.clone()), Just(list).prop_shuffle()))
        ) {
            let verdict = |list| judge(&merge(list).findings, 0).0;
            prop_assert_eq!(verdict(list), verdict(shuffled));
        }

        #[test]
        fn the_verdict_does_not_depend_on_what_was_merged_first((list, cut) in (lists(), 0_usize..12)) {
            let (first, second) = list.split_at(cut.min(list.len()));
            let mut parts = merge(first.to_vec()).findings;
            parts.extend(merge(second.to_vec()).findings);
            prop_assert_eq!(
                judge(&merge(parts).findings, 0).0,
                judge(&merge(list).findings, 0).0
            );
        }
    }
}
