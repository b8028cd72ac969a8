//! What can be seen of a sentence without knowing its subject.

use std::fmt;

use serde::{Serialize, Serializer};

/// One observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Feature {
    /// A number that states something: no year, reference or part of a name.
    Number,
    /// It has a unit.
    Unit,
    /// It is a percentage.
    Percent,
    /// It is a factor: 3.2×.
    Factor,
    /// It has a spread or a confidence interval beside it.
    Interval,
    /// A p-value, or the word significant.
    PValue,
    /// A sample size: `n = 20`.
    SampleSize,
    /// Better, faster, outperforms, compared with, than.
    Comparison,
    /// Higher, larger, fewer without the other side of the comparison.
    Comparative,
    /// Rises, falls, improves, reduces: something changes or differs.
    Change,
    /// Work of others as a whole: previous methods, published results, the literature.
    Others,
    /// The state of the art, the best published result.
    Sota,
    /// A work that is named: Name et al., `than ResNet-50`.
    NamedWork,
    /// One's own baseline, control or ablation.
    Baseline,
    /// We measured, our runs, Table 2.
    Own,
    /// The sentence has "we" or "our" at all.
    We,
    /// A result is stated: we find, results show.
    Finding,
    /// Is known, has been shown, studies, according to.
    Received,
    /// Commonly, usually, is the most: what everybody is said to know.
    General,
    /// We chose, we follow, with a reason in the same sentence.
    Reasoned,
    /// A choice is declared valid: is appropriate, standard practice, suffices.
    Justified,
    /// Because, since, following, as in.
    Rationale,
    /// First to, the only, no other, never.
    Universal,
    /// May, suggests, preliminary.
    Hedge,
    /// A question.
    Question,
    /// This section, the rest of the paper, we present.
    Announcement,
    /// We plan, future work, we will.
    Plan,
    /// We thank, supported by.
    Thanks,
    /// See, available at, Table 2 lists.
    Pointer,
    /// Denotes, is defined as, let.
    Definition,
    /// An imperative at the beginning.
    Instruction,
    /// What was not done, and limits.
    Limitation,
    /// What was done: were collected, we trained.
    Procedure,
    /// It stands in a caption.
    Caption,
    /// It has a citation mark, or one covers it.
    Cited,
    /// In a section that reports results, or in the abstract.
    InResults,
    /// In a section that says what others did: introduction, related work.
    InBackground,
    /// In a section that says what was done.
    InMethods,
    /// In a discussion or conclusion.
    InDiscussion,
    /// Under acknowledgements, availability, contributions.
    InBackMatter,
    /// Fewer than six words.
    Short,
}

/// Every feature with its name, in order.
const NAMES: [(Feature, &str); 41] = [
    (Feature::Number, "number"),
    (Feature::Unit, "unit"),
    (Feature::Percent, "percent"),
    (Feature::Factor, "factor"),
    (Feature::Interval, "interval"),
    (Feature::PValue, "p_value"),
    (Feature::SampleSize, "sample_size"),
    (Feature::Comparison, "comparison"),
    (Feature::Comparative, "comparative"),
    (Feature::Change, "change"),
    (Feature::Others, "others"),
    (Feature::Sota, "state_of_the_art"),
    (Feature::NamedWork, "named_work"),
    (Feature::Baseline, "baseline"),
    (Feature::Own, "own"),
    (Feature::We, "we"),
    (Feature::Finding, "finding"),
    (Feature::Received, "received"),
    (Feature::General, "general"),
    (Feature::Reasoned, "reasoned"),
    (Feature::Justified, "justified"),
    (Feature::Rationale, "rationale"),
    (Feature::Universal, "universal"),
    (Feature::Hedge, "hedge"),
    (Feature::Question, "question"),
    (Feature::Announcement, "announcement"),
    (Feature::Plan, "plan"),
    (Feature::Thanks, "thanks"),
    (Feature::Pointer, "pointer"),
    (Feature::Definition, "definition"),
    (Feature::Instruction, "instruction"),
    (Feature::Limitation, "limitation"),
    (Feature::Procedure, "procedure"),
    (Feature::Caption, "caption"),
    (Feature::Cited, "cited"),
    (Feature::InResults, "in_results"),
    (Feature::InBackground, "in_background"),
    (Feature::InMethods, "in_methods"),
    (Feature::InDiscussion, "in_discussion"),
    (Feature::InBackMatter, "in_back_matter"),
    (Feature::Short, "short"),
];

impl Feature {
    /// All of them, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|(feature, _)| *feature)
    }

    /// The name used in reports.
    pub fn name(self) -> &'static str {
        NAMES
            .iter()
            .find(|(feature, _)| *feature == self)
            .map_or("", |(_, name)| name)
    }
}

/// A set of features.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Features(u64);

impl Features {
    /// Whether the set holds a feature.
    pub fn has(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u8) != 0
    }

    /// Whether the set holds one of these.
    pub fn any(self, features: &[Feature]) -> bool {
        features.iter().any(|feature| self.has(*feature))
    }

    /// Adds a feature.
    pub fn add(&mut self, feature: Feature) {
        self.0 |= 1 << feature as u8;
    }

    /// Takes a feature away.
    pub fn remove(&mut self, feature: Feature) {
        self.0 &= !(1 << feature as u8);
    }

    /// The features, in order.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::all().filter(move |feature| self.has(*feature))
    }
}

impl fmt::Debug for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.iter().map(Feature::name))
            .finish()
    }
}

impl Serialize for Features {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Feature::name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_has_its_place_and_name() {
        for (at, (feature, name)) in NAMES.iter().enumerate() {
            assert_eq!(at, *feature as usize, "{name}");
        }
        let mut set = Features::default();
        set.add(Feature::Short);
        set.add(Feature::Number);
        set.remove(Feature::Number);
        assert_eq!(format!("{set:?}"), r#"["short"]"#);
    }
}
