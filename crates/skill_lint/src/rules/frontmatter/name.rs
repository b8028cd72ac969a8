//! The `name` of a skill: its form and its relation to the directory.

use unicode_normalization::UnicodeNormalization as _;

/// Longest name, in characters. Source: Agent Skills specification, field `name`.
pub(crate) const LONGEST_NAME: usize = 64;

/// Whether a text consists of lower-case letters and digits, in groups joined by single hyphens.
///
/// Source: Agent Skills specification, field `name`: `[a-z0-9]+(-[a-z0-9]+)*`.
pub(crate) fn is_kebab(text: &str) -> bool {
    text.split('-').all(|group| {
        !group.is_empty()
            && group
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

/// What is wrong with the form of a trimmed name, as the end of a sentence.
pub(crate) fn fault(name: &str) -> Option<String> {
    let length = name.chars().count();
    if length > LONGEST_NAME {
        return Some(format!(
            "has {length} characters, {LONGEST_NAME} are allowed"
        ));
    }
    if is_kebab(name) {
        return None;
    }
    Some("is not lower-case letters, digits and single hyphens between them".to_owned())
}

/// Whether two names are equal after compatibility normalisation (NFKC), as the reference validator compares them.
pub(crate) fn same(one: &str, other: &str) -> bool {
    one == other || one.nfkc().eq(other.nfkc())
}

/// The vendor's name that uploads refuse in a skill's name, if it contains one.
///
/// Source: Anthropic's platform documentation, "reserved words" of the field `name`.
pub(crate) fn reserved_word(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    ["anthropic", "claude"]
        .into_iter()
        .find(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::{fault, is_kebab, reserved_word, same};

    #[test]
    fn kebab_case_is_groups_joined_by_single_hyphens() {
        for good in ["a", "pdf", "pdf-forms", "a-1-b", "2d"] {
            assert!(is_kebab(good), "{good}");
        }
        for bad in ["", "-", "a-", "-a", "a--b", "A", "a_b", "a b", "é", "a.b"] {
            assert!(!is_kebab(bad), "{bad}");
        }
    }

    #[test]
    fn the_limit_is_64_characters() {
        assert_eq!(fault(&"a".repeat(64)), None);
        assert!(fault(&"a".repeat(65)).is_some_and(|text| text.contains("65")));
        assert!(fault("Pdf").is_some());
    }

    #[test]
    fn names_are_compared_normalised() {
        assert!(same("ﬁle", "file"));
        assert!(same("pdf", "pdf"));
        assert!(!same("pdf", "Pdf"));
    }

    #[test]
    fn vendor_words_are_found_anywhere() {
        assert_eq!(reserved_word("my-claude-tool"), Some("claude"));
        assert_eq!(reserved_word("anthropic"), Some("anthropic"));
        assert_eq!(reserved_word("cloud"), None);
    }
}
