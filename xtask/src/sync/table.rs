//! `crates/aris-contract/src/helpers/table.rs`: the helper table as Rust.

use crate::cargo::rustfmt;
use crate::fault::Fault;
use crate::sync::Output;
use crate::workspace::{Row, TABLE, Workspace};

const PATH: &str = "crates/aris-contract/src/helpers/table.rs";

/// The typed table.
pub(crate) fn output(workspace: &Workspace) -> Result<Output, Fault> {
    let text = rustfmt(workspace, source(&workspace.rows))?;
    Ok(Output {
        path: PATH.to_owned(),
        text,
        executable: false,
    })
}

fn source(rows: &[Row]) -> String {
    let rows: String = rows.iter().map(row).collect();
    format!(
        "// Generated from {TABLE} by `cargo xtask sync`. Do not edit.\n\n\
         use super::Helper;\nuse crate::policy::Policy;\n\n\
         pub(super) const HELPERS: &[Helper] = &[\n{rows}];\n"
    )
}

fn row(row: &Row) -> String {
    let Row {
        name,
        aliases,
        owner,
        callers,
        policy,
        rationale,
        fallback,
    } = row;
    // Debug of a string or a list of strings is a Rust literal.
    format!(
        "Helper {{ name: {name:?}, aliases: &{aliases:?}, owner: {owner:?}, callers: &{callers:?}, \
         policy: Policy::{policy:?}, rationale: {rationale:?}, fallback: {fallback:?}, }},\n"
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
        workspace.rows[0].rationale = String::from("says \"no\" \\ and a\ttab");
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
