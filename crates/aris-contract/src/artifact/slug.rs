//! A name that is safe as one path component.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A path component of 1 to 64 ASCII letters, digits, `.`, `_` and `-` that starts with a letter or digit.
///
/// Skill names, purposes and run ids come from agents and become file names. A text with a separator, a leading dot or any other
/// special character is refused, not repaired.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Slug(String);

/// Why a text is not a [`Slug`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not a safe name: 1 to 64 letters, digits, '.', '_' or '-', starting with a letter or digit"
)]
pub struct SlugError {
    text: String,
}

impl Slug {
    /// Longest slug in bytes: with a number, a suffix and a temporary name it stays below 255, the file systems' limit.
    pub const MAX: usize = 64;

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Slug {
    type Err = SlugError;

    fn from_str(text: &str) -> Result<Self, SlugError> {
        let safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let first = text
            .as_bytes()
            .first()
            .is_some_and(u8::is_ascii_alphanumeric);
        if first && text.len() <= Self::MAX && text.bytes().all(safe) && !text.ends_with('.') {
            Ok(Self(text.to_owned()))
        } else {
            Err(SlugError {
                text: text.chars().take(80).collect(),
            })
        }
    }
}

impl TryFrom<String> for Slug {
    type Error = SlugError;

    fn try_from(text: String) -> Result<Self, SlugError> {
        text.parse()
    }
}

impl From<Slug> for String {
    fn from(slug: Slug) -> Self {
        slug.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_components_are_slugs() {
        assert_eq!(Slug::MAX, 64);
        for good in [
            "a",
            "round-1-review",
            "paper_claim.audit",
            "2026-04-15_run01",
            "X",
            "0",
            &"a".repeat(Slug::MAX),
        ] {
            let slug: Slug = good.parse().expect(good);
            assert_eq!((slug.as_str(), slug.to_string().as_str()), (good, good));
            assert_eq!(serde_json::to_value(slug).expect("JSON"), good);
        }
        let long = "a".repeat(65);
        for bad in [
            "",
            ".",
            "..",
            ".hidden",
            "-flag",
            "a/b",
            "a\\b",
            "a b",
            "ä",
            "a\0b",
            "a\n",
            "ends.",
            "../../etc",
            &long,
        ] {
            assert!(bad.parse::<Slug>().is_err(), "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_slug_is_always_exactly_one_normal_component(text in "\\PC{0,20}") {
            if let Ok(slug) = text.parse::<Slug>() {
                let parts: Vec<_> = std::path::Path::new(slug.as_str()).components().collect();
                proptest::prop_assert!(matches!(parts.as_slice(), [std::path::Component::Normal(_)]));
            }
        }
    }
}
