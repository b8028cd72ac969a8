//! Checks schema ids against the files in `schemas/` in both directions: every id that a helper prints or that a shared file
//! contains has a file, and every file belongs to such an id and contains it.
//!
//! Each crate's own test checks that the files match the Rust types; `cargo xtask schemas` writes them.

use std::collections::BTreeMap;

use aris_contract::schema;

use crate::cargo::Contracts;
use crate::fault::Fault;
use crate::sync::contract;
use crate::verify::{Add as _, Findings};
use crate::workspace::Workspace;

const IDS: &str = "crates/aris-contract/src/schema.rs";

pub(crate) fn check(workspace: &Workspace, contracts: &Contracts) -> Result<Findings, Fault> {
    // Each id, with the place where it is named.
    let mut ids: BTreeMap<String, String> = BTreeMap::new();
    for (helper, text) in contracts {
        if let Ok(text) = text {
            for id in contract::parse(helper, text)?.json_schemas {
                ids.insert(id, format!("crates/{helper}/src/lib.rs"));
            }
        }
    }
    if let Some(bytes) = aris_fs::read_optional(&workspace.at(IDS), aris_fs::READ_LIMIT)? {
        for id in constants(&String::from_utf8_lossy(&bytes)) {
            ids.entry(id).or_insert_with(|| IDS.to_owned());
        }
    }
    let mut findings = Findings::default();
    for (id, place) in &ids {
        let path = format!("schemas/{}", schema::file_name(id));
        if !is_id(id) {
            let hint = "ids are aris.<helper>.<name>/v<number>";
            findings.add(place, 0, format!("{id:?} is not a schema id"), hint);
        } else if !workspace.at(&path).is_file() {
            findings.add(
                path,
                0,
                format!("does not exist, and {place} names {id}"),
                "cargo xtask schemas",
            );
        }
    }
    let folder = workspace.at("schemas");
    if !folder.is_dir() {
        return Ok(findings);
    }
    // The ids of a helper that does not build are unknown, so unclaimed files cannot be reported.
    let all_known = contracts.values().all(Result::is_ok);
    for entry in aris_fs::list_sorted(&folder)? {
        let name = entry.name.to_string_lossy().into_owned();
        let path = format!("schemas/{name}");
        match ids.keys().find(|id| schema::file_name(id) == name) {
            None if all_known => {
                findings.add(
                    path,
                    0,
                    "no helper and no shared file has this schema",
                    "delete the file",
                );
            }
            None => {}
            Some(id) => {
                let text = aris_fs::read_text(&entry.path)?;
                let stated = serde_json::from_str::<serde_json::Value>(&text);
                let stated = stated
                    .ok()
                    .and_then(|value| value.get("$id")?.as_str().map(str::to_owned));
                if stated.as_deref() != Some(id) {
                    findings.add(path, 0, format!("$id is not {id}"), "cargo xtask schemas");
                }
            }
        }
    }
    Ok(findings)
}

/// The values in lines `pub const NAME: &str = "…";`.
fn constants(source: &str) -> Vec<String> {
    let value = |line: &str| {
        let rest = line
            .trim()
            .strip_prefix("pub const ")?
            .split_once(": &str = \"")?
            .1;
        rest.strip_suffix("\";").map(str::to_owned)
    };
    source.lines().filter_map(value).collect()
}

fn is_id(id: &str) -> bool {
    let Some((name, version)) = id.rsplit_once("/v") else {
        return false;
    };
    let parts: Vec<&str> = name.split('.').collect();
    let plain = |part: &&str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    parts.len() == 3
        && parts.first() == Some(&"aris")
        && parts.iter().all(plain)
        && version.parse::<u32>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Tree, assert_found, contracts};

    #[test]
    fn ids_and_files_agree_both_ways() {
        let tree = Tree::new();
        assert_eq!(check(&tree.workspace(), &contracts()).expect("read"), []);
        tree.write(IDS, "pub mod id {\n    pub const OTHER: &str = \"aris.tool.other/v2\";\n    pub const BAD: &str = \"tool/v1\";\n}\n");
        tree.write(
            "schemas/aris.tool.thing.v1.json",
            "{\"$id\": \"aris.tool.thing/v2\"}",
        );
        tree.write("schemas/stray.json", "{}");
        let findings = check(&tree.workspace(), &contracts()).expect("read");
        assert_found(
            &findings,
            "schemas/aris.tool.other.v2.json",
            0,
            "does not exist",
        );
        assert_found(
            &findings,
            "schemas/aris.tool.thing.v1.json",
            0,
            "$id is not aris.tool.thing/v1",
        );
        assert_found(&findings, "schemas/stray.json", 0, "no helper");
        assert_found(&findings, IDS, 0, "is not a schema id");
        assert_eq!(findings.len(), 4, "{findings:#?}");
        let unknown =
            Contracts::from([(String::from("tool"), Err(String::from("does not build")))]);
        let findings = check(&tree.workspace(), &unknown).expect("read");
        assert!(
            !findings
                .iter()
                .any(|finding| finding.path.contains("stray")),
            "{findings:#?}"
        );
    }
}
