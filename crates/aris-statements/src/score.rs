//! The likelihood that a sentence is a claim: a logistic function of its features.

use crate::feature::Features;

/// Lowest score of a claim.
pub const CLAIM: f64 = 0.5;

/// Score below which a claim is uncertain: its findings need a person's decision.
pub const CERTAIN: f64 = 0.65;

/// The log-odds of a sentence without features.
const BIAS: f64 = -1.3;

/// The score, 0 to 1.
pub fn score(features: Features) -> f64 {
    1.0 / (1.0 + (-(BIAS + features.weight())).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::Feature;

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
