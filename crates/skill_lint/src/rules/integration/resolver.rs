//! The resolver block in older skills, found by its anchor line (SR502). It is checked and never written: its manifest lookup
//! contains `$1` and `$2`, which Claude Code replaces (SR515), and it changes the directory.
//!
//! **Source**: integration contract §2 of the reference.

/// A line inside a fence: its number in the file, and its text without block-quote marks.
pub(super) type Line<'a> = (usize, &'a str);

/// The lines that change to the top level and look up the repository in the installer's manifest.
pub(super) const PRELUDE: [&str; 4] = [
    r#"cd "$(git rev-parse --show-toplevel 2>/dev/null || pwd)" || exit 1"#,
    r#"if [ -z "${ARIS_REPO:-}" ] && [ -f .aris/installed-skills.txt ]; then"#,
    r#"ARIS_REPO=$(awk -F'\t' '$1=="repo_root"{print $2; exit}' .aris/installed-skills.txt 2>/dev/null) || true"#,
    "fi",
];

/// The four lines that try the project, the repository and `$ARIS_REPO`, then give up. `path` is relative to `.aris/`.
pub(super) fn chain(variable: &str, path: &str) -> [String; 4] {
    let test = format!("[ -f \"${variable}\" ] ||");
    [
        format!("{variable}=\".aris/{path}\""),
        format!("{test} {variable}=\"{path}\""),
        format!("{test} {{ [ -n \"${{ARIS_REPO:-}}\" ] && {variable}=\"$ARIS_REPO/{path}\"; }}"),
        format!("{test} {variable}=\"\""),
    ]
}

/// A block: the index of its anchor line in the fence, the path below `.aris/`, and how it differs from the template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block<'a> {
    pub(super) index: usize,
    pub(super) path: &'a str,
    pub(super) fault: Option<String>,
}

/// The blocks of a fence.
pub(super) fn blocks<'a>(lines: &[Line<'a>]) -> Vec<Block<'a>> {
    let prelude = lines.windows(PRELUDE.len()).position(|window| {
        (window.iter().zip(PRELUDE)).all(|((_, line), expected)| line.trim() == expected)
    });
    let found = lines.iter().enumerate();
    found
        .filter_map(|(index, (_, line))| {
            let (variable, path) = anchor(line)?;
            let here = lines.get(index..).unwrap_or_default().iter();
            let equal = (here.zip(chain(variable, path)))
                .take_while(|((_, line), expected)| line.trim() == expected.as_str())
                .count();
            let stands = prelude.is_some_and(|at| at + PRELUDE.len() <= index);
            let fault = match (equal < 4, stands) {
                (true, _) => Some(format!(
                    "line {} of this resolver's chain is not the template's",
                    equal + 1
                )),
                (false, false) => Some(String::from(
                    "the template's four lines do not stand before this resolver's chain",
                )),
                (false, true) => None,
            };
            Some(Block { index, path, fault })
        })
        .collect()
}

/// Variable and path of a line `VAR=".aris/tools/…"` or `VAR=".aris/skills/…"`.
fn anchor(line: &str) -> Option<(&str, &str)> {
    let (variable, value) = line.trim().split_once("=\".aris/")?;
    let path = value.strip_suffix('"')?;
    let below = path
        .strip_prefix("tools/")
        .or_else(|| path.strip_prefix("skills/"))?;
    let is_variable = variable.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && (variable.bytes()).all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let is_path = !below.is_empty() && !below.contains(['"', '$', '`']);
    (is_variable && is_path).then_some((variable, path))
}

/// The white space at the beginning of a line.
pub(super) fn indent_of(line: &str) -> &str {
    line.get(..line.len() - line.trim_start().len())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(text: &str) -> Vec<Line<'_>> {
        text.lines().zip(1..).map(|(line, at)| (at, line)).collect()
    }

    fn older(variable: &str, path: &str) -> String {
        let chain = chain(variable, path);
        format!("{}\n{}\n", PRELUDE.join("\n"), chain.join("\n"))
    }

    #[test]
    fn anchors_are_whole_lines() {
        for (line, expected) in [
            ("X=\".aris/tools/a.py\"", Some(("X", "tools/a.py"))),
            (
                "\t_Y1=\".aris/skills/s/scripts/b\" ",
                Some(("_Y1", "skills/s/scripts/b")),
            ),
            ("X=\".aris/tools/\"", None),
            ("X=\".aris/other/a\"", None),
            ("X='.aris/tools/a.py'", None),
            ("X=\".aris/tools/a.py\" # note", None),
            ("X=\".aris/tools/$N\"", None),
            ("export X=\".aris/tools/a.py\"", None),
            ("1X=\".aris/tools/a.py\"", None),
        ] {
            assert_eq!(anchor(line), expected, "{line}");
        }
    }

    #[test]
    fn the_template_is_accepted_only_whole() {
        let whole = older("WIKI", "tools/wiki.py");
        let check = |text: &str, expected: Option<&str>| {
            let lines = numbered(text);
            let found = blocks(&lines);
            assert_eq!(found.len(), 1, "{text}");
            let fault = found[0].fault.as_deref().unwrap_or("");
            assert_eq!(fault.is_empty(), expected.is_none(), "{text}: {fault}");
            assert!(fault.starts_with(expected.unwrap_or("")), "{text}: {fault}");
        };
        check(&whole, None);
        check(&format!("   {}", whole.replace('\n', "\n   ")), None);
        check(&whole.replace("WIKI=\".aris", "# here\nWIKI=\".aris"), None);
        let cut = whole.replace("[ -f \"$WIKI\" ] || WIKI=\"\"\n", "");
        check(&cut, Some("line 4 "));
        let other = whole.replace("WIKI=\"tools/wiki.py\"", "WIKI=\"tools/other.py\"");
        check(&other, Some("line 2 "));
        check(
            &whole.replace("$ARIS_REPO/tools", "$ARIS_REPO/x"),
            Some("line 3 "),
        );
        let before = Some("the template's four lines");
        check(&whole.replace("|| exit 1", ""), before);
        check(&chain("WIKI", "tools/wiki.py").join("\n"), before);
        check(&whole.replace("\nfi\n", "\n\nfi\n"), before);
    }

    #[test]
    fn one_prelude_serves_several_chains() {
        let text = older("A", "tools/a.py") + &chain("B", "tools/b.py").join("\n");
        let faults: Vec<_> = (blocks(&numbered(&text)).into_iter())
            .map(|block| block.fault)
            .collect();
        assert_eq!(faults, [None, None]);
    }
}
