//! Keys that cannot be printed.

use std::fmt;

use percent_encoding::utf8_percent_encode;

use crate::request::VALUE;

/// An API key. It has no `Display`, its `Debug` hides it, and it is never part of a URL that is stored or shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Makes a key from the user's text, trimmed. `None` when it is empty or cannot be a header value.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let printable = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        printable.then(|| Self(text.to_owned()))
    }

    /// Replaces the key in a body, because some hosts repeat the request. A key of fewer than eight characters is not replaced: it
    /// could be part of any word.
    pub(crate) fn masked(&self, body: Vec<u8>) -> Vec<u8> {
        let key = &self.0;
        if key.len() < 8 {
            return body;
        }
        let encoded = utf8_percent_encode(key, VALUE).to_string();
        match String::from_utf8(body) {
            Ok(text) => text.replace(key, "***").replace(&encoded, "***").into(),
            Err(other) => other.into_bytes(),
        }
    }

    /// The key itself, for the one place that sends it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_trimmed_and_never_shown() {
        let key = Secret::new(" abc123\n").expect("a key");
        assert_eq!(key.reveal(), "abc123");
        assert_eq!(format!("{key:?}"), "Secret(…)");
        for bad in ["", "  ", "two words", "line\nbreak", "ключ"] {
            assert!(Secret::new(bad).is_none(), "{bad:?}");
        }
    }
}
