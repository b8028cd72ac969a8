//! Features of a sentence that can be seen without knowing its subject.

macro_rules! features {
    ($($(#[$doc:meta])* $feature:ident $name:literal $weight:literal,)*) => {
        /// One observation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Feature { $($(#[$doc])* $feature,)* }

        /// Every feature with its name and its weight, in order.
        const ALL: &[(Feature, &str, f64)] = &[$((Feature::$feature, $name, $weight),)*];
    };
}

// Name in reports, and weight in the score.
//
// **Source** of the weights: logistic regression with a quadratic penalty (λ = 1) on the training half of the labelled
// sentences in `tests/fixtures/statements`, rounded to one decimal. The other half was not used for them.
features! {
    /// A number that states a value: not a year, a reference or a part of a name.
    Number "number" 2.0,
    /// It has a unit.
    Unit "unit" -0.3,
    /// It is a percentage.
    Percent "percent" 1.9,
    /// It is a factor: 3.2×.
    Factor "factor" 0.9,
    /// It has a spread or a confidence interval.
    Interval "interval" 0.8,
    /// A p-value, or the word significant.
    PValue "p_value" 1.9,
    /// A sample size: `n = 20`.
    SampleSize "sample_size" 0.3,
    /// Better, faster, outperforms, compared with, than.
    Comparison "comparison" 1.8,
    /// Higher, larger, fewer, without the other side of the comparison.
    Comparative "comparative" 0.8,
    /// Rises, falls, improves, reduces: something changes or differs.
    Change "change" 1.7,
    /// Work of others as a whole: previous methods, published results, the literature.
    Others "others" 0.9,
    /// The state of the art, the best published result.
    Sota "state_of_the_art" 2.2,
    /// A named work: Name et al., `than ResNet-50`.
    NamedWork "named_work" 1.2,
    /// The authors' own baseline, control or ablation.
    Baseline "baseline" -1.8,
    /// We measured, our runs, Table 2.
    Own "own" 0.9,
    /// The sentence contains "we" or "our".
    We "we" -0.7,
    /// A result is announced: we find, results show.
    Finding "finding" 1.7,
    /// Is known, has been shown, studies, according to.
    Received "received" 1.5,
    /// Commonly, usually, is the most: presented as general knowledge.
    General "general" 0.5,
    /// We chose, we follow, with a reason in the same sentence.
    Reasoned "reasoned" 3.5,
    /// A choice is declared valid: is appropriate, standard practice, suffices.
    Justified "justified" 3.7,
    /// Because, since, following, as in.
    Rationale "rationale" 2.4,
    /// First to, the only, no other, never.
    Universal "universal" 1.6,
    /// May, suggests, preliminary.
    Hedge "hedge" -1.5,
    /// A question.
    Question "question" -4.2,
    /// This section, the rest of the paper, we present.
    Announcement "announcement" -2.4,
    /// We plan, future work, we will.
    Plan "plan" -3.2,
    /// We thank, supported by.
    Thanks "thanks" -3.2,
    /// See, available at, Table 2 lists.
    Pointer "pointer" -1.4,
    /// Denotes, is defined as, let.
    Definition "definition" -1.8,
    /// An imperative at the beginning.
    Instruction "instruction" -2.1,
    /// What was not done, and limits.
    Limitation "limitation" -1.1,
    /// What was done: were collected, we trained.
    Procedure "procedure" -2.8,
    /// It is in a caption.
    Caption "caption" -3.3,
    /// It has a citation mark, or a later mark covers it.
    Cited "cited" 3.3,
    /// In a section that reports results, or in the abstract.
    InResults "in_results" 1.1,
    /// In a section about the work of others: introduction, related work.
    InBackground "in_background" 0.6,
    /// In a section about the methods.
    InMethods "in_methods" -1.5,
    /// In a discussion or conclusion.
    InDiscussion "in_discussion" 0.0,
    /// Under acknowledgements, availability, contributions.
    InBackMatter "in_back_matter" -2.5,
    /// Fewer than six words.
    Short "short" -1.3,
}

impl Feature {
    /// All features, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.iter().map(|(feature, ..)| *feature)
    }

    /// The name used in reports.
    pub fn name(self) -> &'static str {
        ALL.get(self as usize).map_or("", |(_, name, _)| name)
    }
}

/// A set of features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features(u64);

impl Features {
    /// Whether the set contains a feature.
    pub fn has(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u8) != 0
    }

    /// Whether the set contains one of these.
    pub fn any(self, features: &[Feature]) -> bool {
        features.iter().any(|feature| self.has(*feature))
    }

    /// Adds a feature.
    pub fn add(&mut self, feature: Feature) {
        self.0 |= 1 << feature as u8;
    }

    /// Adds the features whose flag is set.
    pub(crate) fn extend(&mut self, seen: impl IntoIterator<Item = (Feature, bool)>) {
        for (feature, _) in seen.into_iter().filter(|(_, seen)| *seen) {
            self.add(feature);
        }
    }

    /// Removes a feature.
    pub fn remove(&mut self, feature: Feature) {
        self.0 &= !(1 << feature as u8);
    }

    /// The sum of the weights.
    pub(crate) fn weight(self) -> f64 {
        let has =
            |(feature, _, weight): &(Feature, &str, f64)| self.has(*feature).then_some(*weight);
        ALL.iter().filter_map(has).sum()
    }

    /// The features, in order.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::all().filter(move |feature| self.has(*feature))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_has_its_place_and_name() {
        for (at, (feature, name, _)) in ALL.iter().enumerate() {
            assert_eq!((at, feature.name()), (*feature as usize, *name));
        }
        let mut set = Features::default();
        set.add(Feature::Short);
        set.add(Feature::Number);
        set.remove(Feature::Number);
        assert!(set.iter().map(Feature::name).eq(["short"]));
    }
}
