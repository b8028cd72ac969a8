//! Compares a cited title with a record's title.

use std::collections::BTreeSet;

use aris_contract::artifact::papers::Paper;
use aris_paper::titles::{self, TitleMatch};

use crate::thresholds::{DISTINCTIVE, DISTINCTIVE_WORDS, LOOKED_AT, PART, SIMILAR};

/// How similar two titles are, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Likeness {
    /// The same words.
    Same,
    /// One is the beginning or the end of the other: a subtitle, or a name before the colon, was added or removed.
    Part,
    /// Nearly the same letters: a typing error, or a small change.
    Near,
    /// Nearly the same, but with other numbers: another part or version.
    OtherNumbers,
    /// Another title.
    Other,
}

/// Compares a title with those of a record; also returns the record's title that is most similar.
pub(crate) fn relate_any<'a>(cited: &str, record: &'a Paper) -> (Likeness, &'a str) {
    let titles = std::iter::once(&record.title).chain(&record.other_titles);
    let likeness = titles.map(|title| (relate(cited, title), title.as_str()));
    let best = likeness.min_by_key(|(likeness, _)| *likeness);
    best.unwrap_or((Likeness::Other, ""))
}

/// Compares two titles.
pub(crate) fn relate(cited: &str, theirs: &str) -> Likeness {
    if !shares_words(cited, theirs) {
        return Likeness::Other;
    }
    match titles::compare(cited, theirs) {
        TitleMatch::Same => Likeness::Same,
        TitleMatch::MainTitle => Likeness::Part,
        _ if is_part(&titles::key(cited), &titles::key(theirs)) => Likeness::Part,
        TitleMatch::Near(_) => Likeness::Near,
        TitleMatch::NumbersDiffer => Likeness::OtherNumbers,
        TitleMatch::Different => Likeness::Other,
    }
}

/// Whether most words are common: the same people may have written both, or one was made from the other.
pub(crate) fn is_similar(one: &str, two: &str) -> bool {
    titles::normalise(one).split(' ').count() >= DISTINCTIVE_WORDS && overlap(one, two) >= SIMILAR
}

/// The words of a title.
fn words(title: &str) -> BTreeSet<String> {
    let words = titles::normalise(title);
    words.split(' ').map(str::to_owned).collect()
}

/// The number of common words divided by the number of words of the title that has more, 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "titles have few words")]
pub(crate) fn overlap(one: &str, two: &str) -> f64 {
    let (a, b) = (words(one), words(two));
    a.intersection(&b).count() as f64 / a.len().max(b.len()).max(1) as f64
}

/// Whether enough words are common for a comparison of letters, whose time is proportional to the product of the lengths.
fn shares_words(one: &str, two: &str) -> bool {
    let (a, b) = (words(one), words(two));
    let least = a.len().min(b.len());
    // With few words the language may have no spaces, or the words may be run together.
    least <= LOOKED_AT || a.intersection(&b).count() * LOOKED_AT >= least
}

/// Whether a title is distinctive: long enough to identify a work.
pub(crate) fn is_distinctive(title: &str) -> bool {
    titles::key(title).chars().count() >= DISTINCTIVE
        && titles::normalise(title).split(' ').count() >= DISTINCTIVE_WORDS
}

/// Whether both have a subtitle, and the same distinctive words before it.
pub(crate) fn is_other_subtitle(one: &str, two: &str) -> bool {
    let (main, theirs) = (titles::main_title(one), titles::main_title(two));
    main == theirs && is_distinctive(&main) && titles::key(one) != titles::key(&main)
}

fn is_part(one: &str, two: &str) -> bool {
    let (short, long) = if one.len() <= two.len() {
        (one, two)
    } else {
        (two, one)
    };
    short.chars().count() >= PART && (long.starts_with(short) || long.ends_with(short))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades() {
        use Likeness::{Near, Other, OtherNumbers, Part, Same};
        let cases = [
            (
                "BERT",
                "BERT: Pre-training of Deep Bidirectional Transformers",
                Part,
            ),
            (
                "Attention is all you need",
                "Attention Is All You Need.",
                Same,
            ),
            (
                "Video instruction tuning with synthetic data",
                "LLaVA-Video: Video Instruction Tuning With Synthetic Data",
                Part,
            ),
            (
                "Real-time patient-sepcific ecg classification by 1-d convolutional neural networks",
                "Real-Time Patient-Specific ECG Classification by 1-D Convolutional Neural Networks",
                Near,
            ),
            (
                "GPT-3 Technical Report",
                "GPT-4 Technical Report",
                OtherNumbers,
            ),
            (
                "Self-rewarding language models",
                "Geometrical and physical interpretation of the Levi-Civita spacetime",
                Other,
            ),
            (
                "Deep learning",
                "Deep learning for everybody and his dog",
                Other,
            ),
        ];
        for (one, two, wanted) in cases {
            assert_eq!(relate(one, two), wanted, "{one} / {two}");
            assert_eq!(relate(two, one), wanted, "{two} / {one}");
        }
        assert!(!is_distinctive("Introduction") && !is_distinctive("Deep learning"));
        assert!(is_distinctive("Cross-architecture knowledge distillation"));
    }
}
