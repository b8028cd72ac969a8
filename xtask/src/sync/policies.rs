//! `skills/shared-references/policies.md`: the meaning of the policies, and the policy of each helper.

use aris_contract::policy::Policy;

use crate::fault::Fault;
use crate::sync::Plan;
use crate::sync::guide::cell;
use crate::workspace::Workspace;

const PATH: &str = "skills/shared-references/policies.md";
const MARKERS: (&str, &str) = ("<!-- policies:begin -->", "<!-- policies:end -->");

/// Adds the file: updates its tables, or creates it.
pub(crate) fn plan(workspace: &Workspace, plan: &mut Plan) -> Result<(), Fault> {
    let head = "# Policies\n\nWhat a skill does when a helper is missing or fails. The tables are generated from\n\
                `helpers.toml` by `cargo xtask sync`; text around them is written by hand.\n";
    plan.renew(workspace, PATH, MARKERS, &body(workspace), Some(head))
}

fn body(workspace: &Workspace) -> String {
    let mut lines = vec![
        String::new(),
        String::from("| Policy | Name | When it is not found | When it fails |"),
        String::from("|---|---|---|---|"),
    ];
    lines.extend(Policy::ALL.map(|policy| {
        let (letter, title) = (policy.letter(), policy.title());
        format!(
            "| {letter} | {title} | {} | {} |",
            policy.when_unresolved(),
            policy.when_failed()
        )
    }));
    lines.push(String::new());
    lines.extend(rows(workspace, true));
    let others = rows(workspace, false);
    // The table's head has two lines.
    if others.len() > 2 {
        let intro = "The contract also names helpers that this suite does not ship. The resolver chain finds whatever the project has \
                     under these names or their legacy names.";
        lines.extend([String::new(), String::from(intro), String::new()]);
        lines.extend(others);
    }
    lines.push(String::from("\n"));
    lines.join("\n")
}

fn rows(workspace: &Workspace, shipped: bool) -> Vec<String> {
    let mut lines = vec![
        String::from("| Helper | Owner | Callers | Policy | Why | Without it |"),
        String::from("|---|---|---|---|---|---|"),
    ];
    let rows = workspace.contract.iter();
    lines.extend(rows.filter(|row| row.shipped == shipped).map(|row| {
        let callers: Vec<String> = row
            .callers
            .iter()
            .map(|caller| format!("`{caller}`"))
            .collect();
        let policies: Vec<&str> = std::iter::once(&row.policy)
            .chain(&row.other_policies)
            .map(|policy| policy.letter())
            .collect();
        let (why, without) = (cell(&row.rationale), cell(&row.fallback));
        let (name, owner) = (&row.name, &row.owner);
        format!(
            "| `{name}` | `{owner}` | {} | {} | {why} | {without} |",
            callers.join(", "),
            policies.join(", ")
        )
    }));
    lines
}
