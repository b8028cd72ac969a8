//! A small tree that breaks no rule; the tests of the rules change it.

#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::cargo::Contracts;
use crate::verify::Finding;
use crate::workspace::Workspace;

pub(crate) struct Tree {
    folder: TempDir,
}

const MEMBER: &str = "\nversion.workspace = true\nedition.workspace = true\nrust-version.workspace = true\n\
    license.workspace = true\npublish.workspace = true\n\n[lints]\nworkspace = true\n";

impl Tree {
    pub(crate) fn new() -> Self {
        let tree = Self {
            folder: tempfile::tempdir().expect("temp"),
        };
        let member = |name: &str, rest: &str| format!("[package]\nname = \"{name}\"{MEMBER}{rest}");
        tree.write(
            "Cargo.toml",
            "[workspace]\nmembers = [\"crates/*\", \"xtask\", \"tests\"]\n\n[workspace.package]\nversion = \"1.0.0\"\n\n[workspace.dependencies]\nserde = \"1\"\n\
             aris-contract = { path = \"crates/aris-contract\" }\n",
        );
        tree.write(
            "crates/aris-contract/Cargo.toml",
            &member(
                "aris-contract",
                "\n[dependencies]\nserde.workspace = true\n",
            ),
        );
        tree.write(
            "crates/tool/Cargo.toml",
            &member(
                "tool",
                "\n[lib]\ndoctest = false\n\n[[bin]]\nname = \"tool\"\npath = \"src/main.rs\"\ntest = false\n\
                 doc = false\n\n[dependencies]\naris-contract.workspace = true\n",
            ),
        );
        tree.write("crates/tool/src/main.rs", "fn main() {}\n");
        tree.write("crates/tool/src/lib.rs", "");
        tree.write(
            "crates/README.md",
            "# Crates\n\n* `aris-contract`: types.\n* `tool`: a tool.\n",
        );
        tree.write("xtask/Cargo.toml", &member("xtask", ""));
        tree.write("tests/Cargo.toml", &member("aris-tests", ""));
        tree.write(
            "deny.toml",
            "[bans]\ndeny = [\n    { crate = \"tool\", reason = \"no\", wrappers = [\"aris\"] },\n]\n",
        );
        tree.write("README.md", "text\n");
        tree.write(
            "crates/aris/guide/src/SUMMARY.md",
            "text\n<!-- helpers:begin -->\n<!-- helpers:end -->\n",
        );
        tree.write(
            "schemas/aris.tool.thing.v1.json",
            "{\"$id\": \"aris.tool.thing/v1\"}\n",
        );
        tree.write(
            "skills/shared-references/helpers.toml",
            "# The table.\n\n[[helper]]\nname = \"tool\"\naliases = [\"tool.sh\"]\nowner = \"tool-skill\"\n\
             callers = [\"tool-skill\"]\njob = \"review\"\nbrief = \"do it\"\npolicy = \"C\"\nrationale = \"why\"\nfallback = \"what\"\n",
        );
        tree.write(
            "skills/shared-references/integrations.toml",
            "[[integration]]\nname = \"thing\"\ntitle = \"A thing\"\ncaller = \"tool-skill\"\n\
             fires = { any = [{ file_equals = { path = \"a b\", text = \"x\" } }, { not = { env_set = \"X\" } }] }\nhelper = \"tool\"\n\
             artifacts = [{ path = \"a/*.json\", form = \"aris.tool.thing/v1\", expect = [{ pointer = \"/a\", is = \"b\" }], \
             backfill = { helper = \"tool\", args = [\"make\"] } }]\nchecklist = [\"look\"]\n\
             verifier = { helper = \"tool\", args = [\"check\"], role = \"gate\" }\n",
        );
        tree.write(
            "skills/tool-skill/SKILL.md",
            "---\nname: tool-skill\ndescription: Uses the tool. Call it when a tool is needed.\n---\n\nText.\n",
        );
        tree.write("skills/tool-skill/scripts/tool", "#!/bin/sh\n");
        tree.write("skills/tool-skill/scripts/tool.contract.json", "{}\n");
        tree
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().to_path_buf()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().expect("folder")).expect("folders");
        fs::write(path, text).expect("write");
    }

    pub(crate) fn append(&self, path: &str, text: &str) {
        let before = fs::read_to_string(self.folder.path().join(path)).expect("read");
        self.write(path, &format!("{before}{text}"));
    }

    pub(crate) fn replace(&self, path: &str, from: &str, to: &str) {
        let before = fs::read_to_string(self.folder.path().join(path)).expect("read");
        assert!(before.contains(from), "{from} in {path}");
        self.write(path, &before.replace(from, to));
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.folder.path().join(path)).expect("remove");
    }

    pub(crate) fn workspace(&self) -> Workspace {
        Workspace::load(self.folder.path()).expect("loaded")
    }
}

/// The output of the tree's only helper.
pub(crate) fn contracts() -> Contracts {
    let text = r#"{"name": "tool", "version": "1.0.0", "summary": "Do it", "usage": "tool", "input": "i", "output": "o", "stderr": "e",
        "exit": [{"code": 0, "meaning": "done"}], "json_schemas": ["aris.tool.thing/v1"], "examples": ["tool x"]}"#;
    Contracts::from([(String::from("tool"), Ok(format!("{text}\n")))])
}

/// Panics unless some finding is at `path:line` and contains `text`.
#[track_caller]
pub(crate) fn assert_found(findings: &[Finding], path: &str, line: usize, text: &str) {
    let hit = findings.iter().any(|finding| {
        finding.path == path
            && finding.line == line
            && finding.message.contains(text)
            && !finding.hint.is_empty()
    });
    assert!(hit, "{path}:{line}: {text} is not in {findings:#?}");
}
