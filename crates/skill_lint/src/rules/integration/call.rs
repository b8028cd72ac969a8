//! Helpers called by a path of the repository: `python3 tools/x.py`. Such a call works only from the root of that repository.
//!
//! **Source**: integration contract §2, and the reference's own advisory lint, which looks for the same calls of a fixed list of
//! helpers on every line.

/// Words that start a helper.
const STARTERS: &[&str] = &["python", "python3", "bash", "sh", "node", "exec"];

/// A call by repository path.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Call<'a> {
    /// Byte at which the starting word begins.
    pub(super) byte: usize,
    /// From `tools/` or `skills/` to the end of the path.
    pub(super) path: &'a str,
}

/// The calls on a line of a shell fence or in a code span, in order. Lines that show what not to do, comments and lines that only
/// print are skipped whole; so are developer utilities, given as patterns for the path below `tools/` or `scripts/`.
pub(super) fn calls<'a>(line: &'a str, developer_tools: &[String]) -> Vec<Call<'a>> {
    if !line.contains("tools/") && !line.contains("/scripts/") || is_skipped(line) {
        return Vec::new();
    }
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    for starter in STARTERS {
        for (byte, _) in line.match_indices(starter) {
            let before = byte.checked_sub(1).map(|at| bytes[at]);
            if before.is_some_and(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b)) {
                continue;
            }
            let rest = line.get(byte + starter.len()..).unwrap_or_default();
            let Some(path) = path_after(rest) else {
                continue;
            };
            let below = below_folder(path);
            if !developer_tools
                .iter()
                .any(|pattern| matches_pattern(pattern, below))
            {
                found.push(Call { byte, path });
            }
        }
    }
    found.sort_by_key(|call| call.byte);
    found
}

fn is_skipped(line: &str) -> bool {
    line.contains('❌') || line.trim_start().starts_with('#') || has_word(line, "echo")
}

/// Whether `word` stands in `line` between characters that cannot belong to a word.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    let part = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let bytes = line.as_bytes();
    line.match_indices(word).any(|(at, _)| {
        !part(at.checked_sub(1).and_then(|at| bytes.get(at))) && !part(bytes.get(at + word.len()))
    })
}

/// The repository path that follows a starting word: space, then perhaps a quote and `./`, then the path.
fn path_after(rest: &str) -> Option<&str> {
    let path = rest.trim_start_matches([' ', '\t']);
    if path.len() == rest.len() {
        return None;
    }
    let path = path.strip_prefix(['"', '\'']).unwrap_or(path);
    let path = path.strip_prefix("./").unwrap_or(path);
    let end = path
        .find(|c: char| c.is_whitespace() || "\"'`;|&()<>".contains(c))
        .unwrap_or(path.len());
    let path = path.get(..end)?;
    (!below_folder(path).is_empty()).then_some(path)
}

/// What follows `tools/` or `skills/<name>/scripts/`; empty for other paths.
fn below_folder(path: &str) -> &str {
    if let Some(below) = path.strip_prefix("tools/") {
        return below;
    }
    path.strip_prefix("skills/")
        .and_then(|rest| rest.split_once('/'))
        .filter(|(name, _)| !name.is_empty())
        .and_then(|(_, rest)| rest.strip_prefix("scripts/"))
        .unwrap_or_default()
}

/// Whether `text` is what `pattern` says, where `*` stands for any run of characters.
pub(super) fn matches_pattern(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else {
        return rest.is_empty();
    };
    for piece in pieces {
        let Some((_, after)) = rest.split_once(piece) else {
            return false;
        };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn paths(line: &str) -> Vec<(usize, &str)> {
        calls(line, &crate::config::Config::default().developer_tools)
            .iter()
            .map(|call| (call.byte, call.path))
            .collect()
    }

    #[test]
    fn calls_by_repository_path_are_found_with_their_place() {
        for (line, expected) in [
            ("python3 tools/wiki.py add x", &[(0, "tools/wiki.py")][..]),
            ("  bash \"./tools/a.sh\" x", &[(2, "tools/a.sh")]),
            ("x && sh 'tools/q/b.sh'; y", &[(5, "tools/q/b.sh")]),
            (
                "node skills/fig/scripts/a.js | python tools/b.py",
                &[(0, "skills/fig/scripts/a.js"), (31, "tools/b.py")],
            ),
            ("exec\ttools/x", &[(0, "tools/x")]),
            ("$(python3 tools/a.py)", &[(2, "tools/a.py")]),
            ("/usr/bin/python3 tools/a.py", &[(9, "tools/a.py")]),
            // Not calls, or not by repository path.
            ("python3 \"$WIKI\" tools/a.py", &[]),
            ("python3 tools/", &[]),
            ("python3tools/a.py", &[]),
            ("ipython3 tools/a.py", &[]),
            ("python3 skills/fig/a.py", &[]),
            ("python3 skills//scripts/a.py", &[]),
            ("python3 mytools/a.py", &[]),
            ("ls tools/a.py", &[]),
            // Skipped lines.
            ("# python3 tools/a.py", &[]),
            ("❌ python3 tools/a.py", &[]),
            ("echo \"run bash tools/a.sh\"", &[]),
            // Utilities of developers.
            ("bash tools/install_aris.sh", &[]),
            ("bash tools/meta_opt/check.sh", &[]),
            ("bash tools/overleaf_setup.sh", &[]),
            ("bash tools/setup.sh", &[(0, "tools/setup.sh")]),
        ] {
            assert_eq!(paths(line), expected, "{line}");
        }
    }

    #[test]
    fn patterns_match_whole_texts() {
        for (pattern, text, expected) in [
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a*b*c", "a-b-c", true),
            ("a*b*c", "a-c", false),
            ("abc", "abcd", false),
            ("*", "", true),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(matches_pattern(pattern, text), expected, "{pattern} {text}");
        }
    }

    proptest! {
        #[test]
        fn no_line_breaks_it(line in "[ -~é❌]{0,80}") {
            for (byte, path) in paths(&line) {
                prop_assert!(line.is_char_boundary(byte) && line.contains(path));
            }
        }

        #[test]
        fn a_call_is_found_wherever_it_stands(before in "[ ;&|(]{0,4}", after in "[ -~]{0,20}") {
            prop_assume!(!after.contains("echo"));
            let line = format!("{before}sh tools/x1 {after}");
            prop_assert_eq!(paths(&line).first().map(|found| found.1), Some("tools/x1"));
        }
    }
}
