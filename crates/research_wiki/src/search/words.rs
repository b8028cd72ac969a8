//! Splits text into words, in the same way for the index, the scan, and (in `assets/search.js`) an exported site.
//!
//! Case, accents and compatibility forms are ignored. In scripts without spaces between words each character is a word, so that any part
//! of a sentence is found as a phrase.

use unicode_normalization::UnicodeNormalization as _;

/// Longest word, in characters; longer ones are data and are dropped.
const LONGEST: usize = 64;
/// A query word with at least this many characters also matches words that begin with it.
const PREFIX_FROM: usize = 3;

/// The words of `text` in their order.
pub fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let folded;
    let text = if text.is_ascii() {
        text
    } else {
        folded = fold(text);
        folded.as_str()
    };
    for c in text.chars() {
        if is_single(c) {
            finish(&mut word, &mut found);
            found.push(c.to_string());
        } else if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        } else {
            finish(&mut word, &mut found);
        }
    }
    finish(&mut word, &mut found);
    found
}

fn finish(word: &mut String, found: &mut Vec<String>) {
    // The lower case of a capital may contain a combining mark (`İ`), which is not alphanumeric.
    word.retain(char::is_alphanumeric);
    if !word.is_empty() && word.chars().nth(LONGEST).is_none() {
        found.push(std::mem::take(word));
    }
    word.clear();
}

/// Decomposes compatibility forms, drops the accents of European scripts, and composes the rest again.
fn fold(text: &str) -> String {
    text.nfkd()
        .filter(|c| !('\u{300}'..='\u{36f}').contains(c))
        .nfc()
        .collect()
}

/// Whether the character is a word of its own: Han, Kana, Thai, Lao, Myanmar, Khmer.
pub(crate) fn is_single(c: char) -> bool {
    c.is_alphanumeric()
        && matches!(u32::from(c),
            0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3005..=0x3007 | 0x3040..=0x30ff
            | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

/// One space-separated part of a query: its words must follow each other in a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// The words; at least one.
    pub words: Vec<String>,
    /// Whether the last word matches as a prefix. Never for a word with digits: `2501.1234` must not match `2501.12345`.
    pub prefix: bool,
}

/// The phrases of a query, each once.
pub fn phrases(query: &str) -> Vec<Phrase> {
    let mut found: Vec<Phrase> = Vec::new();
    for part in query.split_whitespace() {
        let words = words(part);
        let prefix = words.last().is_some_and(|last| {
            last.chars().count() >= PREFIX_FROM && !last.chars().any(char::is_numeric)
        });
        let phrase = Phrase { words, prefix };
        if !phrase.words.is_empty() && !found.contains(&phrase) {
            found.push(phrase);
        }
    }
    found
}

impl Phrase {
    /// How often the phrase occurs in a text with these words.
    pub fn count(&self, text: &[String]) -> usize {
        let whole = self.words.len().saturating_sub(1);
        text.windows(self.words.len().max(1))
            .filter(|window| {
                let (ours, theirs) = (self.words.split_last(), window.split_last());
                let (Some((last, first)), Some((their_last, their_first))) = (ours, theirs) else {
                    return false;
                };
                let ends = if self.prefix {
                    their_last.starts_with(last.as_str())
                } else {
                    their_last == last
                };
                ends && first.len() == whole && first == their_first
            })
            .count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(words(text), expected, "{text}");
    }

    #[test]
    fn words_are_found_in_any_script() {
        check(
            "Self-Attention, 2nd ed.",
            &["self", "attention", "2nd", "ed"],
        );
        check(
            "Müller ＡＢＣ ﬁne İstanbul",
            &["muller", "abc", "fine", "istanbul"],
        );
        check(
            "GPT模型的注意力",
            &["gpt", "模", "型", "的", "注", "意", "力"],
        );
        check("がく 한국어 모델", &["が", "く", "한국어", "모델"]);
        check("2501.12345v2", &["2501", "12345v2"]);
        check("\u{202e}</script>", &["script"]);
        check(&"x".repeat(65), &[]);
        check("", &[]);
    }

    #[test]
    fn a_query_is_phrases_and_numbers_are_whole() {
        let of = |query: &str| {
            phrases(query)
                .iter()
                .map(|phrase| {
                    format!(
                        "{}{}",
                        phrase.words.join("+"),
                        if phrase.prefix { "*" } else { "" }
                    )
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(
            of("sparse self-attention 2501.1234 of"),
            ["sparse*", "self+attention*", "2501+1234", "of"]
        );
        assert_eq!(of("注意力 注意力"), ["注+意+力"]);
        assert!(of(" -- ").is_empty());
    }

    #[test]
    fn a_phrase_counts_its_places() {
        let text = words("attention is self attention; Self-attentions");
        let count = |query: &str| {
            phrases(query)
                .first()
                .map_or(0, |phrase| phrase.count(&text))
        };
        assert_eq!(
            (
                count("attention"),
                count("self-attention"),
                count("self-att"),
                count("attend")
            ),
            (3, 2, 2, 0)
        );
    }

    proptest::proptest! {
        #[test]
        fn every_word_of_a_text_finds_it(text in "\\PC{0,80}") {
            let found = words(&text);
            for word in &found {
                proptest::prop_assert_eq!(&words(word), &[word.clone()][..]);
            }
            let joined = found.join(" ");
            proptest::prop_assert_eq!(words(&joined), found);
        }
    }
}
