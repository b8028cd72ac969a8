//! `deny.toml` forbids every helper as a dependency, so that cargo-deny fails when one helper imports another.

use serde::Deserialize;

use crate::fault::Fault;
use crate::verify::{Add as _, Finding, Findings, line_of};
use crate::workspace::Workspace;

const PATH: &str = "deny.toml";

/// Who may depend on a helper: the multi-call binary.
const WRAPPERS: [&str; 1] = ["aris"];

#[derive(Deserialize)]
struct File {
    bans: Bans,
}

#[derive(Deserialize)]
struct Bans {
    #[serde(default)]
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    #[serde(default)]
    wrappers: Option<Vec<String>>,
    #[serde(default)]
    reason: String,
}

pub(crate) fn check(workspace: &Workspace) -> Result<Findings, Fault> {
    let Some(bytes) = aris_fs::read_optional(&workspace.at(PATH), aris_fs::READ_LIMIT)? else {
        return Ok(vec![Finding::new(
            PATH,
            0,
            "does not exist",
            "cargo-deny checks licences and dependency directions",
        )]);
    };
    let text = String::from_utf8_lossy(&bytes);
    let file: File = match toml_edit::de::from_str(&text) {
        Ok(file) => file,
        Err(error) => {
            return Ok(vec![Finding::new(
                PATH,
                0,
                error.message(),
                "correct the syntax",
            )]);
        }
    };
    let mut findings = Findings::default();
    for ban in &file.bans.deny {
        if ban.reason.trim().is_empty() {
            let line = line_of(&text, &format!("crate = {:?}", ban.name));
            findings.add(
                PATH,
                line,
                format!("{} is banned without a reason", ban.name),
                "add reason = \"…\"",
            );
        }
    }
    for row in &workspace.rows {
        let name = &row.name;
        let line = line_of(&text, &format!("crate = {name:?}"));
        let hint = format!(
            "{{ crate = {name:?}, reason = \"helpers do not import helpers\", wrappers = [\"aris\"] }},"
        );
        match file.bans.deny.iter().find(|ban| ban.name == *name) {
            None => findings.add(PATH, 0, format!("does not ban the helper {name}"), hint),
            Some(ban) => {
                // The linter of skills is also the one of this tree.
                let verifies = |wrapper: &str| name.as_str() == "skill_lint" && wrapper == "xtask";
                let allowed =
                    |wrapper: &String| WRAPPERS.contains(&wrapper.as_str()) || verifies(wrapper);
                if !ban
                    .wrappers
                    .as_ref()
                    .is_some_and(|wrappers| wrappers.iter().all(allowed))
                {
                    findings.add(
                        PATH,
                        line,
                        format!("lets others than aris depend on {name}"),
                        hint,
                    );
                }
            }
        }
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::tree::{Tree, assert_found};

    #[test]
    fn every_helper_is_banned_as_a_dependency() {
        let tree = Tree::new();
        assert_eq!(check(&tree.workspace()).expect("read"), []);
        tree.replace(
            PATH,
            "wrappers = [\"aris\"]",
            "wrappers = [\"aris\", \"other\"]",
        );
        assert_found(
            &check(&tree.workspace()).expect("read"),
            PATH,
            3,
            "lets others",
        );
        tree.replace(PATH, "reason = \"no\"", "reason = \"\"");
        assert_found(
            &check(&tree.workspace()).expect("read"),
            PATH,
            3,
            "without a reason",
        );
        tree.write(PATH, "[bans]\n");
        assert_found(
            &check(&tree.workspace()).expect("read"),
            PATH,
            0,
            "does not ban the helper tool",
        );
        tree.write(PATH, "[bans\n");
        assert_eq!(check(&tree.workspace()).expect("read").len(), 1);
    }
}
