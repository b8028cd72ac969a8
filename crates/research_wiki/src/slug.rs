//! Names of paper pages: first author, year, three words of the title.
//!
//! ASCII text gives the same names as the reference, so that both programs find each other's pages. The reference drops all other
//! characters (`Müller` is `mller`, `王` is nothing); here Latin, Greek and Cyrillic lose their accents (`muller`) and other
//! scripts stay.

use aris_paper::titles;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Words of a title that are left out of the slug.
///
/// **Source**: the reference's list.
const STOP: [&str; 12] = [
    "a", "an", "the", "of", "for", "in", "on", "with", "via", "and", "to", "by",
];

/// Longest slug, in bytes: with a suffix and the name of a temporary file it stays below 255, the limit of file systems.
const MAX: usize = 90;

/// The slug of a paper, such as `vaswani2017_attention_all_you`.
pub fn slug(title: &str, author_last: &str, year: u32) -> String {
    let plain: String = plain(title)
        .chars()
        .filter(|c| c.is_alphanumeric() || is_combining_mark(*c) || c.is_whitespace())
        .collect();
    let words: Vec<&str> = plain
        .split_whitespace()
        .filter(|word| !STOP.contains(word) && (word.len() > 2 || !word.is_ascii()))
        .take(3)
        .collect();
    let words = if words.is_empty() {
        String::from("untitled")
    } else {
        words.join("_")
    };
    let author: String = self::plain(author_last)
        .chars()
        .filter(|c| c.is_alphabetic() || is_combining_mark(*c))
        .collect();
    let author = if author.is_empty() {
        "unknown"
    } else {
        &author
    };
    let author = cut(author, MAX / 3);
    cut(&format!("{author}{year:04}_{words}"), MAX).to_owned()
}

/// A slug for a paper whose usual slug another paper has: `identity`, cut to 24 characters, is appended.
pub fn distinct(slug: &str, identity: &str) -> String {
    let tail: String = identity
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '_'
            }
        })
        .take(24)
        .collect();
    format!("{slug}_{tail}")
}

/// The last word of a name, as in the reference. A suffix after two other words is skipped: `Smith` of `John Smith Jr.`
pub fn last_name(name: &str) -> &str {
    let words: Vec<&str> = name.split_whitespace().collect();
    match words.as_slice() {
        [_, .., last, suffix] if is_suffix(suffix) => last.trim_end_matches(','),
        words => words.last().copied().unwrap_or_default(),
    }
}

/// Whether the word is a suffix of a name: `Jr.`, `III`.
pub(crate) fn is_suffix(word: &str) -> bool {
    let word = word.trim_end_matches('.');
    matches!(word, "Jr" | "Sr" | "II" | "III" | "IV")
}

/// Lower case, without accents on Latin, Greek and Cyrillic letters; other scripts need their marks.
fn plain(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(text.len());
    let mut foreign = false;
    for character in text.nfkd().flat_map(char::to_lowercase) {
        if is_combining_mark(character) {
            if foreign {
                out.push(character);
            }
        } else if u32::from(character) < 0x0530 {
            foreign = false;
            // Folds letters that do not decompose: ß, ø, ł.
            out.push_str(&titles::fold(character.encode_utf8(&mut [0; 4])));
        } else {
            foreign = true;
            out.push(character);
        }
    }
    out.nfc().collect()
}

/// At most `limit` bytes, cut at a character boundary.
fn cut(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text).trim_end_matches('_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use aris_wiki::node::is_safe_name;

    #[test]
    fn slugs_in_ascii_are_the_references() {
        for (title, author, year, expected) in [
            (
                "Attention Is All You Need",
                "Vaswani",
                2017,
                "vaswani2017_attention_all_you",
            ),
            ("The of a", "", 0, "unknown0000_untitled"),
            (
                "On Pre-Training, via GPT-4!",
                "O'Brien",
                2024,
                "obrien2024_pretraining_gpt4",
            ),
            (
                "Visualizing Data using t-SNE",
                "van der Maaten",
                2008,
                "vandermaaten2008_visualizing_data_using",
            ),
        ] {
            assert_eq!(slug(title, author, year), expected);
        }
    }

    #[test]
    fn other_scripts_survive() {
        assert_eq!(
            slug("Über größere Modelle", "Müller", 2024),
            "muller2024_uber_grossere_modelle"
        );
        assert_eq!(slug("图神经网络综述", "王", 2024), "王2024_图神经网络综述");
        assert_eq!(slug("한국어 모델", "김", 2023), "김2023_한국어_모델");
        assert_ne!(slug("हिन्दी भाषा", "x", 1), slug("हन्द भष", "x", 1));
        assert_eq!(slug("Łódź", "Ørsted", 1), "orsted0001_lodz");
    }

    proptest::proptest! {
        #[test]
        fn a_slug_is_always_a_safe_name(title in "\\PC{0,200}", author in "\\PC{0,40}", year: u16) {
            let slug = slug(&title, &author, u32::from(year));
            proptest::prop_assert!(is_safe_name(&slug), "{slug}");
            proptest::prop_assert!(is_safe_name(&distinct(&slug, &title)) || title.is_empty());
        }
    }
}
