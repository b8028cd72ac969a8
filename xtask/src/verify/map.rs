//! `crates/README.md`, the map: a line for every crate, and none for a crate that does not exist.

use crate::fault::Fault;
use crate::verify::{Add as _, Finding, Findings};
use crate::workspace::Workspace;

const PATH: &str = "crates/README.md";

pub(crate) fn check(workspace: &Workspace) -> Result<Findings, Fault> {
    let Some(bytes) = aris_fs::read_optional(&workspace.at(PATH), aris_fs::READ_LIMIT)? else {
        return Ok(vec![Finding::new(
            PATH,
            0,
            "does not exist",
            "write a line `* `crate`: what it is` for every crate",
        )]);
    };
    let text = String::from_utf8_lossy(&bytes);
    let crates = workspace.crates()?;
    let mut findings = Findings::default();
    let mut named = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(name) = line
            .strip_prefix("* `")
            .and_then(|rest| rest.split('`').next())
        else {
            continue;
        };
        named.push(name);
        if !crates.iter().any(|known| known == name) {
            let message = format!("crates/{name} does not exist");
            findings.add(
                PATH,
                index + 1,
                message,
                "remove the line or correct the name",
            );
        }
    }
    for name in &crates {
        if !named.contains(&name.as_str()) {
            let hint = format!("add a line beginning with * `{name}`:");
            findings.add(PATH, 0, format!("does not name the crate {name}"), hint);
        }
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::tree::{Tree, assert_found};

    #[test]
    fn the_map_and_the_crates_agree() {
        let tree = Tree::new();
        assert_eq!(check(&tree.workspace()).expect("read"), []);
        tree.replace(PATH, "* `tool`", "* `tools`");
        let findings = check(&tree.workspace()).expect("read");
        assert_found(&findings, PATH, 4, "crates/tools does not exist");
        assert_found(&findings, PATH, 0, "does not name the crate tool");
        tree.remove(PATH);
        assert_found(
            &check(&tree.workspace()).expect("read"),
            PATH,
            0,
            "does not exist",
        );
    }
}
