//! Resolver blocks in the skills: between `# aris-resolver v2: VAR helper` and `# aris-resolver end` stands generated shell
//! that finds the helper's launcher; see [`aris_launch::resolver_block`].

use crate::fault::Fault;
use crate::sync::{Output, Plan, Stale};
use crate::workspace::Workspace;

const BEGIN: &str = "# aris-resolver v2: ";
const ANY_BEGIN: &str = "# aris-resolver ";
const END: &str = "# aris-resolver end";

/// Adds every Markdown file of a skill that has blocks, with the blocks renewed.
pub(crate) fn plan(workspace: &Workspace, plan: &mut Plan) -> Result<(), Fault> {
    let skills = workspace.at("skills");
    if !skills.is_dir() {
        return Ok(());
    }
    for entry in aris_fs::walk_sorted(&skills, &mut |_| true)? {
        let path = aris_fs::display_relative(&entry.path, &workspace.root);
        if entry.kind != aris_fs::EntryKind::File
            || entry
                .path
                .extension()
                .is_none_or(|extension| extension != "md")
        {
            continue;
        }
        let text = aris_fs::read_text(&entry.path)?;
        if text.lines().any(|line| line.trim().starts_with(ANY_BEGIN)) {
            match renewed(workspace, &path, &text) {
                Ok(text) => plan.outputs.push(Output {
                    path,
                    text,
                    executable: false,
                }),
                Err(stale) => plan.problems.push(stale),
            }
        }
    }
    Ok(())
}

fn renewed(workspace: &Workspace, path: &str, text: &str) -> Result<String, Stale> {
    let problem = |line: usize, what: String| Stale::new(path, line, what);
    let skill = path.split('/').nth(1).unwrap_or_default();
    let mut out = String::with_capacity(text.len());
    // Line of the block that is open.
    let mut open = None;
    for (index, raw) in text.split_inclusive('\n').enumerate() {
        let number = index + 1;
        let line = raw.trim();
        if open.is_some() {
            if line == END {
                open = None;
                out.push_str(raw);
            } else if line.starts_with(ANY_BEGIN) || line.starts_with("```") {
                break;
            }
            continue;
        }
        out.push_str(raw);
        if line == END {
            return Err(problem(
                number,
                format!("`{END}` without a beginning; delete it or add `{BEGIN}VAR helper`"),
            ));
        }
        let Some(rest) = line.strip_prefix(BEGIN) else {
            if line.starts_with(ANY_BEGIN) {
                return Err(problem(
                    number,
                    format!("not a resolver marker; write `{BEGIN}VAR helper`"),
                ));
            }
            continue;
        };
        let [variable, helper] = rest.split_whitespace().collect::<Vec<_>>()[..] else {
            return Err(problem(number, format!("write `{BEGIN}VAR helper`")));
        };
        if !is_variable(variable) {
            return Err(problem(
                number,
                format!("`{variable}` is not an upper-case shell variable"),
            ));
        }
        let Some(row) = workspace.row(helper) else {
            return Err(problem(
                number,
                format!("`{helper}` is not in the helper table"),
            ));
        };
        let indent = raw
            .get(..raw.len() - raw.trim_start().len())
            .unwrap_or_default();
        let owner = row.owner == skill && path.ends_with("/SKILL.md");
        for line in aris_launch::resolver_block(variable, helper, owner).lines() {
            out.push_str(indent);
            out.push_str(line);
            out.push('\n');
        }
        open = Some(number);
    }
    match open {
        Some(number) => Err(problem(
            number,
            format!("the block is not closed; add a line `{END}`"),
        )),
        None => Ok(out),
    }
}

fn is_variable(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase())
        && text
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests;
