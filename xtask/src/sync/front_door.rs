//! Generates parts of the multi-call binary `aris`: its table of helpers by job, and its dependencies.

use crate::cargo::rustfmt;
use crate::fault::Fault;
use crate::sync::Plan;
use crate::workspace::{Job, Row, TABLE, Workspace};

const SOURCE: &str = "crates/aris/src/table.rs";
const MANIFEST: &str = "crates/aris/Cargo.toml";
const MARKERS: (&str, &str) = ("# helpers:begin", "# helpers:end");

/// Adds both files; nothing if the crate does not exist.
pub(crate) fn plan(workspace: &Workspace, plan: &mut Plan) -> Result<(), Fault> {
    if !workspace.at(MANIFEST).is_file() {
        return Ok(());
    }
    plan.file(SOURCE, rustfmt(workspace, source(&workspace.rows))?);
    let dependency = |Row { name, .. }: &Row| format!("{name} = {{ path = \"../{name}\" }}\n");
    let dependencies: String = workspace.rows.iter().map(dependency).collect();
    plan.renew(workspace, MANIFEST, MARKERS, &dependencies, None)
}

fn source(rows: &[Row]) -> String {
    let group = |job: Job| -> String {
        let entries: String = rows
            .iter()
            .filter(|row| row.job == job)
            .map(entry)
            .collect();
        if entries.is_empty() {
            return entries;
        }
        format!(
            "Group {{ title: {:?}, entries: &[{entries}] }},\n",
            job.title()
        )
    };
    let groups: String = Job::ALL.into_iter().map(group).collect();
    format!(
        "// Generated from {TABLE} by `cargo xtask sync`. Do not edit.\n\n\
         use crate::entry::{{Group, entry}};\n\n\
         pub(crate) const GROUPS: &[Group] = &[\n{groups}];\n"
    )
}

fn entry(Row { name, brief, .. }: &Row) -> String {
    format!("entry!({name}, {brief:?}),\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Tree;

    #[test]
    fn helpers_are_registered_under_their_job_and_as_dependencies() {
        let tree = Tree::new();
        let mut nothing = Plan::default();
        plan(&tree.workspace(), &mut nothing).expect("read");
        assert!(nothing.outputs.is_empty() && nothing.problems.is_empty());
        tree.write(
            MANIFEST,
            "[dependencies]\n# helpers:begin\nold = 1\n# helpers:end\nlast = 1\n",
        );
        let mut workspace = tree.workspace();
        let mut other = workspace.rows[0].clone();
        other.name = String::from("gate");
        other.job = Job::Paper;
        other.brief = String::from("says \"no\"");
        workspace.rows.push(other);
        let mut made = Plan::default();
        plan(&workspace, &mut made).expect("generated");
        let texts: Vec<&str> = made
            .outputs
            .iter()
            .map(|output| output.text.as_str())
            .collect();
        let places: Vec<Option<usize>> = [
            "Before a paper",
            "entry!(gate",
            "says \\\"no\\\"",
            "Reviewing",
            "entry!(tool",
        ]
        .iter()
        .map(|needle| texts[0].find(needle))
        .collect();
        assert!(
            places.is_sorted() && places.iter().all(Option::is_some),
            "{places:?} {}",
            texts[0]
        );
        assert_eq!(
            texts[1],
            "[dependencies]\n# helpers:begin\ntool = { path = \"../tool\" }\n\
             gate = { path = \"../gate\" }\n# helpers:end\nlast = 1\n"
        );
        tree.write(MANIFEST, "[dependencies]\n");
        let mut broken = Plan::default();
        plan(&tree.workspace(), &mut broken).expect("read");
        assert_eq!(broken.problems.len(), 1);
    }
}
