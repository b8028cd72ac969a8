//! No `$<digit>` in any SKILL.md: Claude Code replaces it by an argument of the call, in code blocks too.
//!
//! **Source**: the skill conventions §1.3. The escape `\$1` is no way out: other hosts show the backslash.

use crate::fault::Fault;
use crate::verify::{Add as _, Findings};
use crate::workspace::Workspace;

pub(crate) fn check(workspace: &Workspace) -> Result<Findings, Fault> {
    let mut findings = Findings::default();
    for skill in workspace.folders_with("skills", "SKILL.md")? {
        let path = format!("skills/{skill}/SKILL.md");
        let text = aris_fs::read_text(&workspace.at(&path))?;
        for (index, line) in text.lines().enumerate() {
            if let Some(found) = dollar_digit(line) {
                let message = format!("`{found}` is replaced by an argument of the call");
                let hint = "use a named variable, cut instead of awk, or move the code to scripts/";
                findings.add(&path, index + 1, message, hint);
            }
        }
    }
    Ok(findings)
}

/// The first `$<digit>` of a line; the braces form is not replaced.
fn dollar_digit(line: &str) -> Option<String> {
    let bytes = line.as_bytes();
    let at = bytes
        .windows(2)
        .position(|pair| matches!(pair, [b'$', digit] if digit.is_ascii_digit()))?;
    bytes
        .get(at + 1)
        .map(|digit| format!("${}", char::from(*digit)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::tree::{Tree, assert_found};

    #[test]
    fn a_dollar_before_a_digit_is_found_and_nothing_else() {
        for (line, expected) in [
            ("awk '{print $2}'", Some("$2")),
            ("costs $5", Some("$5")),
            (r"\$1", Some("$1")),
            ("$HOME ${1} $@ $ 1 1$", None),
            ("é$é", None),
        ] {
            assert_eq!(dollar_digit(line).as_deref(), expected, "{line}");
        }
        let tree = Tree::new();
        assert_eq!(check(&tree.workspace()).expect("read"), []);
        tree.append(
            "skills/tool-skill/SKILL.md",
            "```sh\nawk '{print $1}'\n```\n",
        );
        assert_found(
            &check(&tree.workspace()).expect("read"),
            "skills/tool-skill/SKILL.md",
            8,
            "`$1`",
        );
    }
}
