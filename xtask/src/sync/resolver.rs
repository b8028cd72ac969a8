//! The fallback block in each SKILL.md: between `# aris-find: helper…` and `# aris-find end` there is generated shell code that
//! prints the paths of these helpers; see [`aris_launch::find_block`].

use crate::fault::Fault;
use crate::sync::Plan;
use crate::workspace::Workspace;

const BEGIN: &str = "# aris-find: ";
const END: &str = "# aris-find end";

/// Adds every SKILL.md that has a block, with an updated block.
pub(crate) fn plan(workspace: &Workspace, plan: &mut Plan) -> Result<(), Fault> {
    for skill in workspace.folders_with("skills", "SKILL.md")? {
        let path = format!("skills/{skill}/SKILL.md");
        let text = aris_fs::read_text(&workspace.at(&path))?;
        match renewed(workspace, &skill, &text) {
            Ok(Some(text)) => plan.file(path, text),
            Ok(None) => {}
            Err((line, what)) => plan.problem(path, line, what),
        }
    }
    Ok(())
}

/// The text with an updated block; `None` without a block. `Err` has the line, from 1, and what is wrong with it.
fn renewed(
    workspace: &Workspace,
    skill: &str,
    text: &str,
) -> Result<Option<String>, (usize, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let marks = |mark: &str| {
        let found = lines
            .iter()
            .enumerate()
            .filter(|(_, line)| line.starts_with(mark));
        found.map(|(at, _)| at).collect::<Vec<_>>()
    };
    let (begin, end) = match (marks(BEGIN.trim_end()).as_slice(), marks(END).as_slice()) {
        ([], []) => return Ok(None),
        ([begin], [end]) if begin < end => (*begin, *end),
        ([_, second, ..], _) => {
            return Err((
                second + 1,
                String::from("a second block; a skill has one for all its helpers"),
            ));
        }
        ([at, ..], _) | ([], [at, ..]) => {
            return Err((
                at + 1,
                format!("`{BEGIN}HELPER` and `{END}` must stand once each, in this order"),
            ));
        }
    };
    let names = lines
        .get(begin)
        .and_then(|line| line.strip_prefix(BEGIN))
        .unwrap_or_default();
    let mut helpers = Vec::new();
    for name in names.split_whitespace() {
        let Some(row) = workspace.row(name) else {
            return Err((begin + 1, format!("`{name}` is not in the helper table")));
        };
        helpers.push((row.owner.as_str(), row.names().collect()));
    }
    if helpers.is_empty() {
        return Err((
            begin + 1,
            format!("write `{BEGIN}HELPER`, with every helper that the skill calls"),
        ));
    }
    let mut out: String = lines
        .iter()
        .take(begin + 1)
        .flat_map(|line| [line, "\n"])
        .collect();
    out.push_str(&aris_launch::find_block(skill, &helpers));
    out.extend(lines.iter().skip(end).flat_map(|line| [line, "\n"]));
    Ok(Some(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Tree;

    #[test]
    fn the_block_is_renewed_and_everything_else_stays() {
        let tree = Tree::new();
        let workspace = tree.workspace();
        let before = "text\n```sh\n# aris-find: tool\nold\n# aris-find end\n```\nend\n";
        let once = |text: &str, skill: &str| {
            renewed(&workspace, skill, text)
                .expect("renewed")
                .expect("a block")
        };
        let owner = once(before, "tool-skill");
        assert!(
            owner.starts_with("text\n```sh\n# aris-find: tool\nIFS= read"),
            "{owner}"
        );
        assert!(owner.ends_with("\n# aris-find end\n```\nend\n"), "{owner}");
        assert!(
            owner.contains("_aris_own=scripts;") && !owner.contains("old"),
            "{owner}"
        );
        assert_eq!(once(&owner, "tool-skill"), owner);
        let other = once(before, "other");
        assert!(
            other.contains("_aris_own=../tool-skill/scripts;"),
            "{other}"
        );
        assert_eq!(renewed(&workspace, "other", "none\n"), Ok(None));
    }

    #[test]
    fn broken_markers_are_named_with_their_line() {
        let tree = Tree::new();
        let block = "# aris-find: tool\n# aris-find end\n";
        for (text, line, what) in [
            ("a\n# aris-find end\n", 2, "once each"),
            ("# aris-find: tool\nx\n", 1, "once each"),
            (&format!("{block}{block}"), 3, "a second block"),
            (
                "# aris-find: nothing\n# aris-find end\n",
                1,
                "not in the helper table",
            ),
            ("# aris-find:\n# aris-find end\n", 1, "write `"),
        ] {
            let (at, said) = renewed(&tree.workspace(), "x", text).expect_err(text);
            assert_eq!(at, line, "{text}");
            assert!(said.contains(what), "{said}");
        }
    }
}
