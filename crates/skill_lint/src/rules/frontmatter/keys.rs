//! Keys of the frontmatter: who reads them, and which values they take.

/// Keys of the Agent Skills specification.
pub(crate) const SPECIFIED: &str = "name description license compatibility metadata allowed-tools";

/// Keys that only Claude Code reads. Source: its documentation of skills, August 2026.
pub(crate) const CLAUDE_CODE: &str = "when_to_use argument-hint arguments disable-model-invocation user-invocable disallowed-tools model effort \
    context agent background hooks paths shell";

/// Whether a key is one of a list above.
pub(crate) fn is_in(keys: &str, word: &str) -> bool {
    keys.split(' ').any(|key| key == word)
}

const SWITCH: &[&str] = &["true", "false", "yes", "no", "on", "off", "1", "0"];

/// The values that Claude Code accepts for a key, when they are restricted.
pub(crate) fn allowed_values(key: &str) -> Option<&'static [&'static str]> {
    match key {
        "disable-model-invocation" | "user-invocable" | "background" => Some(SWITCH),
        "effort" => Some(&["low", "medium", "high", "xhigh", "max"]),
        "context" => Some(&["fork"]),
        "shell" => Some(&["bash", "powershell"]),
        _ => None,
    }
}

/// The known key that a misspelt one probably means.
pub(crate) fn similar(key: &str) -> Option<&'static str> {
    let plain = key.to_lowercase().replace('_', "-");
    let mut known = SPECIFIED.split(' ').chain(CLAUDE_CODE.split(' '));
    known.find(|known| {
        known.replace('_', "-") == plain || strsim::damerau_levenshtein(known, &plain) == 1
    })
}

#[cfg(test)]
mod tests {
    use super::{allowed_values, similar};

    #[test]
    fn spelling_slips_are_recognised() {
        for (key, meant) in [
            ("allowed_tools", Some("allowed-tools")),
            ("Name", Some("name")),
            ("descripton", Some("description")),
            ("when-to-use", Some("when_to_use")),
            ("version", None),
            ("tags", None),
        ] {
            assert_eq!(similar(key), meant, "{key}");
        }
    }

    #[test]
    fn values_are_those_of_the_documentation() {
        assert!(allowed_values("effort").is_some_and(|values| values.contains(&"xhigh")));
        assert_eq!(allowed_values("model"), None);
    }
}
