//! Helpers called by a path of the repository: `python3 tools/x.py`. Such a call works only from the root of that repository.
//!
//! **Source**: integration contract §2, and the reference's own advisory lint, which searches every line for such calls of a
//! fixed list of helpers.

use aris_skills::pattern::{Pattern, compiled};

/// A word that starts a helper, then the path; the last group is the part below `tools/` or `scripts/`.
static CALL: Pattern = Pattern::new(|| {
    compiled(
        r#"(?:^|[^A-Za-z0-9_.-])((?:python3?|bash|sh|node|exec)[ \t]+["']?(?:\./)?((?:tools|skills/[^/\s"'`;|&()<>]+/scripts)/([^\s"'`;|&()<>]+)))"#,
    )
});

/// Lines that are skipped: counter-examples (❌), comments, and lines that only print.
static SKIPPED: Pattern = Pattern::new(|| compiled(r"❌|^\s*#|\becho\b"));

/// The calls on a line of a shell fence, in order: byte of the starting word, and path. `developer_tools` are patterns with `*`
/// for the part of the path below `tools/` or `scripts/`; calls of these are skipped.
pub(super) fn calls<'a>(line: &'a str, developer_tools: &[String]) -> Vec<(usize, &'a str)> {
    if !line.contains("tools/") && !line.contains("/scripts/") || SKIPPED.is_match(line) {
        return Vec::new();
    }
    let is_for_developers =
        |below: &str| (developer_tools.iter()).any(|pattern| matches_pattern(pattern, below));
    let calls = CALL.captures_iter(line).filter_map(|found| {
        let (call, path, below) = (found.get(1)?, found.get(2)?, found.get(3)?);
        (!is_for_developers(below.as_str())).then(|| (call.start(), path.as_str()))
    });
    calls.collect()
}

/// Whether `text` matches `pattern`, where `*` matches any characters.
fn matches_pattern(pattern: &str, text: &str) -> bool {
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
        calls(
            line,
            &crate::config::Config::default().integration.developer_tools,
        )
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
