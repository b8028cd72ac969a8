//! `cargo xtask schemas`: the JSON schemas, written by tests of the crates that own the types.
//!
//! The derives exist only in tests, to keep them out of the binaries; so the generator is a test as well.

use crate::cargo;
use crate::fault::Fault;
use crate::workspace::Workspace;

/// The test of a crate that owns types; crates are recognised by it.
const TEST: &str = "schemas_are_current";

/// Environment variable that makes these tests write.
const VARIABLE: &str = "UPDATE_SCHEMAS";

/// Runs these tests; without `check` they write. Returns 10 if one fails.
pub(crate) fn run(workspace: &Workspace, check: bool) -> Result<u8, Fault> {
    let owners = owners(workspace)?;
    if owners.is_empty() {
        return Err(Fault::new(format!("no crate has a test {TEST}")));
    }
    let mut command = cargo::cargo(workspace).args(["test", "--quiet", "--lib"]);
    for owner in &owners {
        command = command.args(["--package", owner]);
    }
    command = command.arg(TEST);
    command = if check {
        command.env_remove(VARIABLE)
    } else {
        command.env(VARIABLE, "1")
    };
    let ok = cargo::succeeds(command)?;
    match (ok, check) {
        (true, true) => println!("schemas are current in {}", owners.join(", ")),
        (true, false) => println!("wrote the schemas of {}", owners.join(", ")),
        (false, _) => println!("a schema test failed; without --check the schemas are written"),
    }
    Ok(if ok { 0 } else { crate::FINDINGS })
}

/// Crates with a schema test.
fn owners(workspace: &Workspace) -> Result<Vec<String>, Fault> {
    let mut owners = Vec::new();
    for name in workspace.crates()? {
        let sources = workspace.at(&format!("crates/{name}/src"));
        if !sources.is_dir() {
            continue;
        }
        for entry in aris_fs::walk_sorted(&sources, &mut |_| true)? {
            if entry
                .path
                .extension()
                .is_some_and(|extension| extension == "rs")
                && aris_fs::read_text(&entry.path)?.contains(&format!("fn {TEST}()"))
            {
                owners.push(name);
                break;
            }
        }
    }
    Ok(owners)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Tree;

    #[test]
    fn crates_with_a_schema_test_are_found() {
        let tree = Tree::new();
        assert!(owners(&tree.workspace()).expect("read").is_empty());
        tree.write(
            "crates/tool/src/report/mod.rs",
            "fn schemas_are_current() {}\n",
        );
        assert_eq!(owners(&tree.workspace()).expect("read"), ["tool"]);
    }
}
