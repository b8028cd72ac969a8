//! Regular expressions in the programs' source.

use std::sync::LazyLock;

use regex::Regex;

/// A pattern in the source, compiled at its first use: `Pattern::new(|| compiled("…"))`.
pub type Pattern = LazyLock<Regex>;

/// Compiles a pattern in the source.
///
/// **Panics** when it does not compile: a rule with a broken pattern must not look like a rule without findings. Release builds
/// lack most of the Unicode tables that `\p{…}` needs, so it is refused in every build.
#[expect(
    clippy::panic,
    reason = "the runner makes an internal error of it, which is what it is"
)]
pub fn compiled(source: &str) -> Regex {
    assert!(
        !source.contains(r"\p") && !source.contains(r"\P"),
        "the pattern needs Unicode tables that a release lacks: {source}"
    );
    match Regex::new(source) {
        Ok(regex) => regex,
        Err(error) => panic!("the pattern does not compile: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::compiled;

    #[test]
    #[should_panic(expected = "needs Unicode tables")]
    fn what_a_release_cannot_compile_is_refused_here_too() {
        compiled(r"\pL");
    }

    #[test]
    #[should_panic(expected = "does not compile")]
    fn a_broken_pattern_is_loud() {
        compiled("(");
    }

    /// A pattern compiled elsewhere might fail silently.
    #[test]
    fn all_patterns_are_compiled_here() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .expect("crates");
        let mut folders = vec![
            crates.join("aris-skills/src"),
            crates.join("skill_lint/src"),
        ];
        let mut files = 0;
        while let Some(folder) = folders.pop() {
            for entry in aris_fs::list_sorted(&folder).expect("sources") {
                if entry.kind == aris_fs::EntryKind::Folder {
                    folders.push(entry.path);
                } else if entry.name != "pattern.rs" {
                    files += 1;
                    let text = aris_fs::read_text(&entry.path).expect("source");
                    for call in ["Regex::new(", "RegexBuilder", "RegexSet"] {
                        assert!(!text.contains(call), "{call} in {}", entry.path.display());
                    }
                }
            }
        }
        assert!(files > 50);
    }
}
