//! Checks that all files written by `cargo xtask sync` are up to date: typed table, launchers, contracts, pages of the guide,
//! policy tables, resolver blocks.

use crate::cargo::Contracts;
use crate::fault::Fault;
use crate::sync;
use crate::verify::Finding;
use crate::workspace::Workspace;

pub(crate) fn check(workspace: &Workspace, contracts: &Contracts) -> Result<Vec<Finding>, Fault> {
    let stale = sync::bring(workspace, contracts, true)?;
    let finding =
        |stale: sync::Stale| Finding::new(stale.path, stale.line, stale.what, "cargo xtask sync");
    Ok(stale.into_iter().map(finding).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Tree, assert_found, contracts};

    #[test]
    fn what_sync_has_written_is_current_until_it_is_edited() {
        let tree = Tree::new();
        let workspace = tree.workspace();
        assert_eq!(
            sync::bring(&workspace, &contracts(), false).expect("written"),
            []
        );
        assert_eq!(check(&workspace, &contracts()).expect("read"), []);
        let page = "crates/aris/guide/src/helpers/index.md";
        tree.replace(page, "Do it", "Do what");
        let findings = check(&workspace, &contracts()).expect("read");
        assert_found(&findings, page, 7, "is stale from here on");
        assert_eq!(findings.len(), 1, "{findings:#?}");
    }

    #[test]
    fn what_is_stale_absent_or_impossible_is_found() {
        let tree = Tree::new();
        let findings = check(&tree.workspace(), &contracts()).expect("read");
        for (path, line, text) in [
            (
                "crates/aris-contract/src/helpers/table.json",
                0,
                "does not exist",
            ),
            ("skills/tool-skill/scripts/tool", 2, "is stale from here on"),
            (
                "skills/tool-skill/scripts/tool.contract.json",
                1,
                "is stale from here on",
            ),
            (
                "crates/aris/guide/src/SUMMARY.md",
                3,
                "is stale from here on",
            ),
            ("crates/aris/guide/src/helpers/tool.md", 0, "does not exist"),
            ("skills/shared-references/policies.md", 0, "does not exist"),
            (
                "crates/aris-contract/src/integrations/table.json",
                0,
                "does not exist",
            ),
            (
                "skills/shared-references/integrations.md",
                0,
                "does not exist",
            ),
        ] {
            assert_found(&findings, path, line, text);
        }
        let broken = Contracts::from([(String::from("tool"), Err(String::from("does not build")))]);
        let findings = check(&tree.workspace(), &broken).expect("read");
        assert_found(
            &findings,
            "skills/tool-skill/scripts/tool.contract.json",
            0,
            "does not build",
        );
    }
}
