//! The README's table of helpers.

use crate::cargo::Contracts;
use crate::fault::Fault;
use crate::sync::{Plan, Stale, contract, markers};
use crate::workspace::Workspace;

const PATH: &str = "README.md";
const BEGIN: &str = "<!-- helpers:begin -->";
const END: &str = "<!-- helpers:end -->";

/// Adds the README with its table renewed. Summaries come from the helpers, so the table waits until all of them build.
pub(crate) fn plan(
    workspace: &Workspace,
    contracts: &Contracts,
    plan: &mut Plan,
) -> Result<(), Fault> {
    let Some(bytes) = aris_fs::read_optional(&workspace.at(PATH), aris_fs::READ_LIMIT)? else {
        plan.problems.push(Stale::new(
            PATH,
            0,
            format!("does not exist; write it with a line {BEGIN} and a line {END}"),
        ));
        return Ok(());
    };
    let mut lines = vec![String::from(
        "| Helper | What it does | Skill | Policy | Without it |\n|---|---|---|---|---|\n",
    )];
    for row in &workspace.rows {
        let Some(Ok(text)) = contracts.get(&row.name) else {
            return Ok(());
        };
        let summary = cell(&contract::parse(&row.name, text)?.summary);
        let policy = format!("{} ({})", row.policy.letter(), row.policy.title());
        let (name, owner, without) = (&row.name, &row.owner, cell(&row.fallback));
        lines.push(format!(
            "| `{name}` | {summary} | `{owner}` | {policy} | {without} |\n"
        ));
    }
    let old = String::from_utf8_lossy(&bytes);
    let text = markers::replace(&old, BEGIN, END, &lines.concat());
    plan.marked(PATH, text, BEGIN, END);
    Ok(())
}

/// Text as a cell of a Markdown table.
pub(crate) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
