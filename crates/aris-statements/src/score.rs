//! How likely a sentence is a claim: a logistic sum of its features.
//!
//! **Source**: logistic regression with a quadratic penalty (λ = 1) on the training half of the labelled sentences in
//! `tests/fixtures/claims/prose`, rounded to one decimal. The other half was not looked at for them.

use crate::feature::{Feature, Features};

/// Score from which a sentence counts as a claim.
pub const CLAIM: f64 = 0.5;

/// Score below which a claim is uncertain: findings about it ask for a person's decision.
pub const CERTAIN: f64 = 0.65;

/// What a sentence without any feature has.
const BIAS: f64 = -1.3;

/// Weight of each feature; features that are left out weigh nothing.
const WEIGHTS: &[(Feature, f64)] = &[
    (Feature::Number, 2.0),
    (Feature::Unit, -0.3),
    (Feature::Percent, 1.9),
    (Feature::Factor, 0.9),
    (Feature::Interval, 0.8),
    (Feature::PValue, 1.9),
    (Feature::SampleSize, 0.3),
    (Feature::Comparison, 1.8),
    (Feature::Comparative, 0.8),
    (Feature::Change, 1.7),
    (Feature::Others, 0.9),
    (Feature::Sota, 2.2),
    (Feature::NamedWork, 1.2),
    (Feature::Baseline, -1.8),
    (Feature::Own, 0.9),
    (Feature::We, -0.7),
    (Feature::Finding, 1.7),
    (Feature::Received, 1.5),
    (Feature::General, 0.5),
    (Feature::Reasoned, 3.5),
    (Feature::Justified, 3.7),
    (Feature::Rationale, 2.4),
    (Feature::Universal, 1.6),
    (Feature::Hedge, -1.5),
    (Feature::Question, -4.2),
    (Feature::Announcement, -2.4),
    (Feature::Plan, -3.2),
    (Feature::Thanks, -3.2),
    (Feature::Pointer, -1.4),
    (Feature::Definition, -1.8),
    (Feature::Instruction, -2.1),
    (Feature::Limitation, -1.1),
    (Feature::Procedure, -2.8),
    (Feature::Caption, -3.3),
    (Feature::Cited, 3.3),
    (Feature::InResults, 1.1),
    (Feature::InBackground, 0.6),
    (Feature::InMethods, -1.5),
    (Feature::InBackMatter, -2.5),
    (Feature::Short, -1.3),
];

/// The score, 0 to 1.
pub fn score(features: Features) -> f64 {
    let sum: f64 = WEIGHTS
        .iter()
        .filter(|(feature, _)| features.has(*feature))
        .map(|(_, weight)| weight)
        .sum();
    1.0 / (1.0 + (-(BIAS + sum)).exp())
}

/// The published weights: name and weight, the bias first.
pub fn weights() -> impl Iterator<Item = (&'static str, f64)> {
    std::iter::once(("bias", BIAS)).chain(
        WEIGHTS
            .iter()
            .map(|(feature, weight)| (feature.name(), *weight)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_less_of_a_claim_than_the_same_words() {
        let mut features = Features::default();
        features.add(Feature::Comparison);
        features.add(Feature::Number);
        let plain = score(features);
        features.add(Feature::Question);
        assert!(plain > CERTAIN && score(features) < CLAIM);
    }
}
