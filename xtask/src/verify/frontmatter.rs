//! The frontmatter of every SKILL.md: what `skill_lint` finds in it under the strictest profile, and what this project asks for besides.
//!
//! **Source**: the skill conventions §1.2. `argument-hint` is accepted besides the six fields of the specification, as a quoted string.

use aris_fs::READ_LIMIT;
use skill_lint::catalogue::Severity;
use skill_lint::profile::Profile;
use skill_lint::{Options, options};

use crate::fault::Fault;
use crate::verify::{Add as _, Findings};
use crate::workspace::{Workspace, today};

/// The linter's rules about frontmatter, and among them the one about fields that a single host reads.
const RULES: &str = "SR0";
const ONE_HOST: &str = "SR012";

pub(crate) fn check(workspace: &Workspace) -> Result<Findings, Fault> {
    let mut findings = Findings::default();
    for skill in workspace.folders_with("skills", "SKILL.md")? {
        let path = format!("skills/{skill}/SKILL.md");
        let text = aris_fs::read(&workspace.at(&path), READ_LIMIT)?;
        findings.extend(besides(&path, &String::from_utf8_lossy(&text)));
    }
    let mut options = Options::new(vec!["skills".into()], workspace.root.clone(), today());
    options.only = vec![RULES.to_owned()];
    options.profile = Some(Profile::Project);
    options.config = options::ConfigFrom::Nowhere;
    options.allow_empty = true;
    let report = skill_lint::lint(&options)?;
    for item in report.open() {
        let foreign = item.rule == ONE_HOST && !item.message.contains("`argument-hint`");
        if item.severity != Severity::Info || foreign {
            let message = format!("{} {}", item.rule, item.message);
            let path = format!("skills/{}", item.path);
            findings.add(path, item.line, message, &item.hint);
        }
    }
    Ok(findings)
}

/// What no host asks for.
fn besides(path: &str, text: &str) -> Findings {
    let head = text
        .lines()
        .enumerate()
        .skip(1)
        .take_while(|(_, line)| *line != "---");
    let mut findings = Findings::default();
    for (index, line) in head {
        let (message, hint) = match line.split_once(':') {
            Some(("argument-hint", value)) if !value.trim_start().starts_with(['"', '\'']) => (
                "argument-hint is not a quoted string",
                "put it in double quotes",
            ),
            Some(("allowed-tools", value))
                if value.split([',', ' ']).any(|tool| tool == "Bash") =>
            {
                (
                    "allowed-tools has a bare Bash",
                    "name exact commands: Bash(git status:*)",
                )
            }
            _ => continue,
        };
        findings.add(path, index + 1, message, hint);
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::tree::{Tree, assert_found};

    /// What is found in a skill `a-b` with this text.
    fn found(text: &str) -> Findings {
        let tree = Tree::new();
        tree.write("skills/a-b/SKILL.md", text);
        check(&tree.workspace()).expect("linted")
    }

    #[test]
    fn good_frontmatter_has_no_findings() {
        for text in [
            "---\nname: a-b\ndescription: Does it. Use when it must be done.\n---\n\nText.\n",
            "---\nname: \"a-b\"\ndescription: >-\n  Long\n  text: use when here\nlicense: MIT\nmetadata:\n  version: \"1\"\n---\n\nText.\n",
            "---\nname: a-b\ndescription: \"Use: always\"\nargument-hint: \"[paper]\"\nallowed-tools: Bash(git:*) Read\n---\n\nText.\n",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn each_fault_is_found_on_its_line() {
        let long = "x".repeat(1025);
        for (text, line, message) in [
            ("", 1, "no frontmatter"),
            ("\n---\nname: a\n---\n", 1, "no frontmatter"),
            ("---\nname: a-b\n", 1, "never closed"),
            ("---\ndescription: x\n---\n", 1, "no `name`"),
            ("---\nname: a-b\n---\n", 1, "no `description`"),
            (
                "---\nname: other\ndescription: x\n---\n",
                2,
                "its directory is",
            ),
            (
                "---\nname: A_B\ndescription: x\n---\n",
                2,
                "`name` is not lower-case",
            ),
            ("---\nname: a-b\ndescription:\n---\n", 3, "`description` is"),
            (
                &format!("---\nname: a-b\ndescription: {long}\n---\n"),
                3,
                "has 1025 characters",
            ),
            (
                "---\nname: a-b\ndescription: x\nmodel: y\n---\n",
                4,
                "`model`",
            ),
            (
                "---\nname: a-b\ndescription: x\ncolour: y\n---\n",
                4,
                "colour",
            ),
            (
                "---\nname: a-b\ndescription: x\nname: a-b\n---\n",
                4,
                "stands twice",
            ),
            (
                "---\nname: a-b\ndescription: x\nargument-hint: [x]\n---\n",
                4,
                "not a quoted string",
            ),
            (
                "---\nname: a-b\ndescription: x\nallowed-tools: Read, Bash\n---\n",
                4,
                "bare Bash",
            ),
            (
                "---\nname: a-b\ndescription: x\nmetadata: {a: b}\n---\n",
                4,
                "flow collection",
            ),
            (
                "---\nname: a-b\ndescription: use: x\n---\n",
                3,
                "mapping values",
            ),
        ] {
            assert_found(&found(text), "skills/a-b/SKILL.md", line, message);
        }
    }
}
