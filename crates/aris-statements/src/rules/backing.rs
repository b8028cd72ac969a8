//! Claims that need a source, a reason or a named work, and have none.
//!
//! **Source**: citation gates, §8.3.

use aris_review::{ClaimType, Severity};

use super::{COMPARATIVE, Check, EXTERNAL, METHODOLOGICAL, quoted};
use crate::feature::Feature;
use crate::prose::Prose;
use crate::statement::Statement;

pub(super) fn check(prose: &Prose, statements: &[Statement], out: &mut Check) {
    for statement in statements {
        let Some(kind) = statement.claim_type() else {
            continue;
        };
        if statement.is_cited() {
            continue;
        }
        let features = statement.features();
        let text = quoted(statement.text(prose));
        let (rule, severity, dimension, message) = match kind {
            ClaimType::Experimental => continue,
            ClaimType::External => {
                let numbered = features.has(Feature::Number);
                let severity = if numbered {
                    Severity::Critical
                } else {
                    Severity::Warning
                };
                let what = if numbered { "with a number " } else { "" };
                let message = format!(
                    "{text} states a fact {what}from outside and no citation covers it; cite where it was shown, or say that it was measured here"
                );
                ("external-uncited", severity, EXTERNAL, message)
            }
            ClaimType::Methodological => {
                if features.has(Feature::Rationale) || points_elsewhere(statement.text(prose)) {
                    continue;
                }
                let message = format!(
                    "{text} declares a choice right without a reason or a citation; say why, or cite who showed it"
                );
                (
                    "methodological-unsupported",
                    Severity::Warning,
                    METHODOLOGICAL,
                    message,
                )
            }
            ClaimType::Comparative => {
                if features.any(&[Feature::Sota, Feature::Universal]) {
                    let message = format!(
                        "{text} claims to be first or best and cites nothing; cite what it is compared with"
                    );
                    (
                        "sota-unattributed",
                        Severity::Critical,
                        COMPARATIVE,
                        message,
                    )
                } else if features.has(Feature::NamedWork) {
                    continue;
                } else {
                    let message = format!(
                        "{text} compares with work that it neither cites nor names; say which work, and cite it"
                    );
                    (
                        "comparative-unattributed",
                        Severity::Warning,
                        COMPARATIVE,
                        message,
                    )
                }
            }
        };
        let uncertain = statement.is_uncertain();
        let place = statement.place();
        if let Some(finding) = out.add(rule, severity, dimension, place, message) {
            finding.requires_decision = uncertain;
        }
    }
}

/// "(Appendix A)", "see Section 3": the reason stands there.
fn points_elsewhere(text: &str) -> bool {
    let lower = text.to_lowercase();
    [
        "§",
        "appendix",
        "section ",
        "table ",
        "supplement",
        "figure ",
        "fig. ",
    ]
    .iter()
    .any(|place| lower.contains(place))
}
