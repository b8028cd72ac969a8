//! `crates/aris-contract/src/helpers/table.rs`: the helper table as Rust.

use crate::cargo::rustfmt;
use crate::fault::Fault;
use crate::sync::Output;
use crate::workspace::{Row, TABLE, Workspace};

const PATH: &str = "crates/aris-contract/src/helpers/table.rs";

/// The typed table.
pub(crate) fn output(workspace: &Workspace) -> Result<Output, Fault> {
    let text = rustfmt(workspace, source(workspace))?;
    Ok(Output {
        path: PATH.to_owned(),
        text,
        executable: false,
    })
}

fn source(workspace: &Workspace) -> String {
    let list = |shipped: bool| -> String {
        let rows = workspace.contract.iter();
        rows.filter(|row| row.shipped == shipped).map(row).collect()
    };
    format!(
        "// Generated from {TABLE} by `cargo xtask sync`. Do not edit.\n\n\
         use super::Helper;\nuse crate::policy::Policy;\n\n\
         pub(super) const SHIPPED: &[Helper] = &[\n{}];\n\n\
         pub(super) const NOT_SHIPPED: &[Helper] = &[\n{}];\n",
        list(true),
        list(false)
    )
}

fn row(row: &Row) -> String {
    let Row {
        name,
        shipped,
        aliases,
        owner,
        callers,
        policy,
        other_policies,
        rationale,
        fallback,
        // The front door's own, see `front_door`.
        job: _,
        brief: _,
    } = row;
    let others: Vec<String> = other_policies
        .iter()
        .map(|policy| format!("Policy::{policy:?}"))
        .collect();
    let others = others.join(", ");
    // Debug of a string or a list of strings is a Rust literal.
    format!(
        "Helper {{ name: {name:?}, shipped: {shipped}, aliases: &{aliases:?}, owner: {owner:?}, callers: &{callers:?}, \
         policy: Policy::{policy:?}, other_policies: &[{others}], rationale: {rationale:?}, fallback: {fallback:?}, }},\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::tree::Tree;

    #[test]
    fn rows_become_rust_with_every_character_intact() {
        let tree = Tree::new();
        let mut workspace = tree.workspace();
        workspace.contract[0].rationale = String::from("says \"no\" \\ and a\ttab");
        let text = output(&workspace).expect("generated").text;
        assert!(
            text.contains(r#"rationale: "says \"no\" \\ and a\ttab","#),
            "{text}"
        );
        assert!(
            text.starts_with("// Generated from ") && text.ends_with("];\n"),
            "{text}"
        );
        assert_eq!(text, rustfmt(&workspace, text.clone()).expect("formatted"));
    }
}
