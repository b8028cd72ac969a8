//! Support for the tests of the families: a tree from a few files, and the findings in it.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use aris_skills::{Tree, WalkOptions};

use crate::Cli;
use crate::config::Config;
use crate::finding::Finding;
use crate::lint;
use crate::profile::Profile;
use crate::selection::Selection;

/// A folder with these files. A path that ends in `*` gets the execute bit; one that ends in `/` is a folder.
#[expect(clippy::disallowed_methods, reason = "tests prepare files directly")]
pub(crate) fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temp");
    for (path, text) in files {
        let at = folder.path().join(path.trim_end_matches('*'));
        if path.ends_with('/') {
            std::fs::create_dir_all(&at).expect("folder");
            continue;
        }
        std::fs::create_dir_all(at.parent().expect("parent")).expect("folder");
        std::fs::write(&at, text).expect("file");
        let mode = if path.ends_with('*') { 0o755 } else { 0o644 };
        std::fs::set_permissions(&at, std::fs::Permissions::from_mode(mode)).expect("mode");
    }
    folder
}

/// The findings of all rules of profile `all` in a folder; sorted by path, line, column and rule.
pub(crate) fn lint_folder(root: &Path, config: &Config) -> Vec<Finding> {
    let tree = Tree::walk(root, &WalkOptions::default()).expect("walk");
    let selection = Selection::of(config);
    let mut found = lint::tree(&tree, config, &selection).expect("ran").findings;
    found.sort_by(|a, b| (&a.path, a.line, a.col, a.rule).cmp(&(&b.path, b.line, b.col, b.rule)));
    found
}

/// The findings of `rules` (ids or prefixes) in a tree of these files, with the severities of profile `all`.
pub(crate) fn findings(rules: &[&str], files: &[(&str, &str)]) -> Vec<Finding> {
    let folder = folder(files);
    let config = Config {
        profile: Profile::All,
        cli: Cli {
            rule: rules.iter().map(|rule| (*rule).to_owned()).collect(),
            ..Cli::default()
        },
        ..Config::default()
    };
    lint_folder(folder.path(), &config)
}

/// The same as short strings: `SR101 path:line:col`.
pub(crate) fn places(rules: &[&str], files: &[(&str, &str)]) -> Vec<String> {
    findings(rules, files)
        .iter()
        .map(|found| format!("{} {}:{}:{}", found.rule, found.path, found.line, found.col))
        .collect()
}

/// A SKILL.md with a body and without findings.
pub(crate) fn skill_md(name: &str, body: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Counts words. Use when words must be counted.\n---\n{body}\n"
    )
}

#[test]
fn a_plain_skill_has_no_findings_of_our_own() {
    let text = skill_md("a", "Body.");
    assert!(places(&["SR9"], &[("skills/a/SKILL.md", &text)]).is_empty());
}
