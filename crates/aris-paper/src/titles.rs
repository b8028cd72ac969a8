//! Titles: their normal form, and how well two of them match.
//!
//! Numbers are compared as words: by letters alone, "GPT-4" and "GPT-3" are 95 % similar, but they are two works.
//! Simplified and traditional Chinese are different characters here and stay different.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::latex;

/// Similarity (0–1) from which two titles with the same numbers count as nearly the same.
///
/// Changing one short word in a title of ten words leaves about 0.93; unrelated titles of one field rarely exceed 0.6.
const NEAR: f64 = 0.9;

/// Longest normal form, in characters, that is compared letter by letter. Longer ones are compared by words only,
/// because edit distance takes time proportional to the product of the lengths.
const MAX_COMPARED: usize = 400;

/// How well two titles match, best first.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub enum TitleMatch {
    /// The same letters and numbers in the same order, regardless of case, diacritics, punctuation and blanks.
    Same,
    /// The same up to the colon; only one of them has a subtitle.
    MainTitle,
    /// The same numbers and nearly the same letters; the similarity, 0–1.
    Near(f64),
    /// Nearly the same letters, but different numbers: versions or parts of something.
    NumbersDiffer,
    /// Two different titles.
    Different,
}

/// Folds letters for comparison: compatibility forms, diacritics, case, and letters that do not decompose (ø, ß, ł).
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(text.len());
    for character in text
        .nfkd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
    {
        match character {
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ø' => out.push('o'),
            'ł' => out.push('l'),
            'đ' | 'ð' => out.push('d'),
            'þ' => out.push_str("th"),
            'ı' => out.push('i'),
            'ŋ' => out.push_str("ng"),
            'ħ' => out.push('h'),
            'ς' => out.push('σ'),
            // Case folding can produce new combining marks (İ).
            other if is_combining_mark(other) => {}
            other => out.push(other),
        }
    }
    out
}

/// The normal form: without LaTeX, folded, `&` as "and", words of letters or digits separated by one blank.
///
/// Letters and digits are separate words ("GPT-4", "GPT 4" and "GPT4" all become `gpt 4`). Applying it twice changes nothing.
pub fn normalise(title: &str) -> String {
    let text;
    let plain = if title.contains(['\\', '{', '}', '$']) {
        text = latex::to_text(title);
        text.as_str()
    } else {
        title
    };
    let mut out = String::with_capacity(plain.len());
    let mut last = Class::Other;
    for character in fold(plain).chars() {
        let class = Class::of(character);
        if class == Class::Other {
            if character == '&' {
                out.push_str(" and ");
            }
            // An apostrophe does not split a word.
            if matches!(character, '\'' | '’' | 'ʼ') {
                continue;
            }
        } else {
            if class != last && !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
            out.push(character);
        }
        last = class;
    }
    latex::squeeze(&out)
}

/// Grades two titles; see [`TitleMatch`].
pub fn compare(one: &str, two: &str) -> TitleMatch {
    let (a, b) = (normalise(one), normalise(two));
    if a.is_empty() || b.is_empty() {
        return if a == b {
            TitleMatch::Same
        } else {
            TitleMatch::Different
        };
    }
    if a == b || compact(&a) == compact(&b) {
        return TitleMatch::Same;
    }
    let (main_a, main_b) = (main_title(one), main_title(two));
    if compact(&main_a) == compact(&b) || compact(&main_b) == compact(&a) {
        return TitleMatch::MainTitle;
    }
    let likeness = likeness(&a, &b);
    match (likeness >= NEAR, numbers(&a) == numbers(&b)) {
        (true, true) => TitleMatch::Near(likeness),
        (true, false) => TitleMatch::NumbersDiffer,
        (false, _) => TitleMatch::Different,
    }
}

/// A key that is the same for equal titles: the normal form without blanks, so "pre-training" equals "pretraining".
pub fn key(title: &str) -> String {
    compact(&normalise(title))
}

/// A number for the script of a text; texts of different scripts cannot be compared by letters.
///
/// Latin and Greek letters occur in texts of all scripts (names of methods, symbols), so they count only in a text without others.
pub fn script(text: &str) -> u32 {
    let folded = fold(text);
    let letters = folded.chars().filter(|c| c.is_alphabetic());
    let scripts = letters.map(|letter| match u32::from(letter) >> 8 {
        3 | 0x1f => 0,
        0..=2 | 0x1e | 0x2c | 0xa7 | 0xab => 1,
        // Chinese characters and kana, which Japanese mixes.
        0x2e..=0x9f | 0xf9 | 0xfa | 0x200.. => 0x30,
        block => block,
    });
    scripts.max().unwrap_or(1)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Other,
}

impl Class {
    fn of(character: char) -> Self {
        if character.is_numeric() {
            Self::Digit
        } else if character.is_alphabetic() {
            Self::Letter
        } else {
            Self::Other
        }
    }
}

fn compact(normal: &str) -> String {
    normal.chars().filter(|c| *c != ' ').collect()
}

/// The normal form of the part before the first colon.
pub fn main_title(title: &str) -> String {
    normalise(title.split([':', '：']).next().unwrap_or_default())
}

/// The numbers in a normal form, with their frequencies. Roman numerals count where they cannot be a word.
fn numbers(normal: &str) -> BTreeMap<&str, usize> {
    let mut found = BTreeMap::new();
    for word in normal.split(' ') {
        let roman = matches!(word, "ii" | "iii" | "iv" | "vi" | "vii" | "viii" | "ix");
        if roman || word.chars().all(char::is_numeric) {
            *found.entry(word).or_insert(0) += 1;
        }
    }
    found
}

fn likeness(a: &str, b: &str) -> f64 {
    if a.chars().count() <= MAX_COMPARED && b.chars().count() <= MAX_COMPARED {
        return strsim::normalized_levenshtein(a, b);
    }
    let count = |text: &str| {
        let mut words: BTreeMap<String, u32> = BTreeMap::new();
        for word in text.split(' ') {
            *words.entry(word.to_owned()).or_insert(0) += 1;
        }
        words
    };
    let (left, right) = (count(a), count(b));
    let shared: u32 = left
        .iter()
        .map(|(word, n)| right.get(word).map_or(0, |m| *n.min(m)))
        .sum();
    let total: u32 = left.values().chain(right.values()).sum();
    f64::from(2 * shared) / f64::from(total.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_forms() {
        let cases = [
            (
                "{BERT}: {P}re-training of Deep",
                "bert pre training of deep",
            ),
            ("GPT-4 Technical Report", "gpt 4 technical report"),
            ("GPT4 technical report.", "gpt 4 technical report"),
            (r#"Über die Gr{\"o}{\ss}e"#, "uber die grosse"),
            ("Science & Nature's", "science and natures"),
            ("ﬁne ﬂow Å", "fine flow a"),
            ("深層学習：入門", "深層学習 入門"),
            ("  ", ""),
            ("İstanbul", "istanbul"),
        ];
        for (title, normal) in cases {
            assert_eq!(normalise(title), normal, "{title}");
            assert_eq!(normalise(normal), normal, "twice: {title}");
        }
    }

    #[test]
    fn grades() {
        use TitleMatch::{Different, MainTitle, Near, NumbersDiffer, Same};
        let cases = [
            (
                "Attention Is All You Need",
                "Attention is all you need.",
                Same,
            ),
            ("Pretraining for X", "Pre-Training for X", Same),
            (
                "GPT-4 Technical Report",
                "GPT-3 Technical Report",
                NumbersDiffer,
            ),
            (
                "A Study of Gauge Fields, Part II",
                "A Study of Gauge Fields, Part III",
                NumbersDiffer,
            ),
            (
                "BERT: Pre-training of Deep Bidirectional Transformers",
                "BERT",
                MainTitle,
            ),
            (
                "BiasAdv: Adversarial Augmentation towards Debiasing",
                "Attention Is All You Need",
                Different,
            ),
            ("深層学習", "深层学习", Different),
            ("", "", Same),
            ("", "x", Different),
        ];
        for (one, two, wanted) in cases {
            assert_eq!(compare(one, two), wanted, "{one} / {two}");
            assert_eq!(compare(two, one), wanted, "{two} / {one}");
        }
        let one = "BiasAdv: Bias-Adversarial Augmentation towards Model Debiasing";
        let two = "BiasAdv: Bias-Adversarial Augmentation for Model Debiasing";
        assert!(matches!(compare(one, two), Near(score) if score > 0.9));
    }

    #[test]
    fn long_titles_are_compared_by_words() {
        let long = "word ".repeat(2000);
        assert!(matches!(
            compare(&long, &format!("{long} x")),
            TitleMatch::Near(_)
        ));
    }
}
