//! Paths that are valid on one operating system but not on another.

use aris_skills::pattern::{Pattern, compiled};

/// Longest part of a path, in bytes, on common file systems (ext4, APFS, NTFS within ASCII).
const LONGEST_PART: usize = 255;

/// A path as file systems that ignore case compare it.
///
/// Upper case first, then lower, letter by letter: this equates what Unicode case folding equates (`ß` and `SS`, `ς` and `σ`).
pub(crate) fn folded(path: &str) -> String {
    let upper = path.chars().flat_map(char::to_uppercase);
    upper.flat_map(char::to_lowercase).collect()
}

/// Why a part of a path is not valid on every system, as the end of a sentence; `None` when it is.
///
/// Source of the names and characters: Microsoft, "Naming files, paths and namespaces".
pub(crate) fn fault(part: &str) -> Option<String> {
    let length = part.len();
    if length > LONGEST_PART {
        return Some(format!("has {length} bytes, {LONGEST_PART} are allowed"));
    }
    if let Some(char) = part.chars().find(|char| "<>:\"|?*".contains(*char)) {
        return Some(format!("holds `{char}`, which Windows refuses"));
    }
    if part.ends_with(['.', ' ']) {
        return Some("ends with a dot or a space, which Windows drops".to_owned());
    }
    let stem = part.split('.').next().unwrap_or_default().trim_end();
    let is_device = DEVICE.is_match(stem);
    is_device.then(|| format!("is the name of a device on Windows (`{stem}`)"))
}

/// Device names on Windows.
static DEVICE: Pattern = Pattern::new(|| compiled("(?i)^(?:con|prn|aux|nul|(?:com|lpt)[1-9¹²³])$"));

#[cfg(test)]
mod tests {
    use super::{fault, folded};

    #[test]
    fn folding_unites_what_differs_in_case_only() {
        for (one, other, equal) in [
            ("a/README.md", "a/readme.md", true),
            ("STRASSE", "straße", true),
            ("ΟΔΟΣ", "οδος", true),
            ("Éa", "éA", true),
            ("a", "b", false),
            ("é", "e", false),
        ] {
            assert_eq!(folded(one) == folded(other), equal, "{one} {other}");
        }
    }

    #[test]
    fn parts_that_some_system_refuses_are_named() {
        for bad in [
            "con",
            "NUL.txt",
            "com1",
            "LPT9.md",
            "a.",
            "a ",
            "what?.md",
            "a:b",
            "x|y",
            "aux.tar.gz",
            "con .txt",
            "com²",
        ] {
            assert!(fault(bad).is_some(), "{bad}");
        }
        for good in [
            "console", "com", "com0", "com10", "a.b", ".a", "a b", "lpt", "nul-1",
        ] {
            assert_eq!(fault(good), None, "{good}");
        }
        assert_eq!(fault(&"a".repeat(255)), None);
        assert!(fault(&"é".repeat(128)).is_some());
    }
}
