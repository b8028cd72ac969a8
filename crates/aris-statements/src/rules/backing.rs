//! Claims that need a source, a reason or a named work, and lack it.
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
        let features = statement.features;
        let text = statement.text(prose);
        let (rule, severity, dimension, says) = match kind {
            ClaimType::Experimental => continue,
            ClaimType::External if features.has(Feature::Number) => (
                "external-uncited",
                Severity::Critical,
                EXTERNAL,
                "states a number that seems to come from other work, without a citation; cite its source, or say that it was measured here",
            ),
            ClaimType::External => (
                "external-uncited",
                Severity::Warning,
                EXTERNAL,
                "states a fact from outside and no citation covers it; cite its source, or say that it was measured here",
            ),
            ClaimType::Methodological
                if features.has(Feature::Rationale) || points_elsewhere(text) =>
            {
                continue;
            }
            ClaimType::Methodological => (
                "methodological-unsupported",
                Severity::Warning,
                METHODOLOGICAL,
                "declares a choice right without a reason or a citation; say why, or cite who showed it",
            ),
            ClaimType::Comparative if features.any(&[Feature::Sota, Feature::Universal]) => (
                "sota-unattributed",
                Severity::Critical,
                COMPARATIVE,
                "claims to be first or best and cites nothing; cite what it is compared with",
            ),
            ClaimType::Comparative if features.has(Feature::NamedWork) => continue,
            ClaimType::Comparative => (
                "comparative-unattributed",
                Severity::Warning,
                COMPARATIVE,
                "compares with work that it neither cites nor names; say which work, and cite it",
            ),
        };
        let message = format!("{} {says}", quoted(text));
        let found = out.add(rule, severity, dimension, statement.place(), message);
        found.requires_decision = statement.is_uncertain();
    }
}

/// Whether the reason is given elsewhere: "(Appendix A)", "see Section 3".
fn points_elsewhere(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut places = "§|appendix|section |table |supplement|figure |fig. ".split('|');
    places.any(|place| lower.contains(place))
}
