#![expect(
    clippy::disallowed_methods,
    reason = "tests prepare files and repositories directly"
)]

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::*;

fn folder(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temp");
    for path in files {
        let at = folder.path().join(path);
        fs::create_dir_all(at.parent().expect("parent")).expect("folder");
        fs::write(at, "x\n").expect("file");
    }
    folder
}

fn walk(root: &Path) -> Tree {
    Tree::walk(root, &WalkOptions::default()).expect("walk")
}

fn paths(tree: &Tree) -> Vec<&str> {
    tree.files.iter().map(|file| file.path.as_str()).collect()
}

fn git(root: &Path, args: &[&str]) {
    let run = Command::new("git")
        .current_dir(root)
        .args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git");
    assert!(run.status.success(), "{args:?}: {run:?}");
}

#[test]
fn files_belong_to_the_nearest_skill_and_skills_are_sorted_as_strings() {
    let folder = folder(&[
        "a/SKILL.md",
        "a/b/SKILL.md",
        "a/b/x",
        "a/scripts/run.sh",
        "a-b/SKILL.md",
        "c/skill.md",
        "node_modules/d/SKILL.md",
        ".hidden/e/SKILL.md",
    ]);
    let tree = walk(folder.path());
    let dirs: Vec<&str> = tree.skills.iter().map(|skill| skill.dir.as_str()).collect();
    assert_eq!(dirs, [".hidden/e", "a", "a-b", "a/b"]);
    let of = |path: &str| {
        tree.file(path)
            .and_then(|file| file.skill)
            .map(|at| dirs[at])
    };
    assert_eq!(of("a/b/x"), Some("a/b"));
    assert_eq!(of("a/scripts/run.sh"), Some("a"));
    assert_eq!(of("c/skill.md"), None);
    assert!(tree.file("node_modules/d/SKILL.md").is_none());
    assert!(tree.has_folder("node_modules") && tree.has_folder(""));
    let skill = tree.load(1).expect("a");
    let names: Vec<&str> = skill
        .files
        .iter()
        .map(|file| file.skill_path.as_str())
        .collect();
    assert_eq!(names, ["SKILL.md", "scripts/run.sh"]);
    assert!(skill.file("scripts/run.sh").is_some() && tree.load(4).is_none());
}

#[test]
fn a_root_that_is_a_skill_bears_the_name_of_its_folder() {
    let folder = folder(&["my-skill/SKILL.md"]);
    let tree = walk(&folder.path().join("my-skill"));
    assert_eq!(
        (tree.skills[0].dir.as_str(), tree.skills[0].name.as_str()),
        ("", "my-skill")
    );
}

#[test]
fn links_are_listed_and_not_followed() {
    let folder = folder(&["s/SKILL.md", "other/x"]);
    symlink("../other", folder.path().join("s/linked")).expect("link");
    symlink("nowhere", folder.path().join("s/dangling")).expect("link");
    let tree = walk(folder.path());
    assert_eq!(
        paths(&tree),
        ["other/x", "s/SKILL.md", "s/dangling", "s/linked"]
    );
    let kind = |path: &str| tree.file(path).map(|file| file.kind.clone());
    assert!(matches!(
        kind("s/dangling"),
        Some(EntryKind::Link { dangling: true, .. })
    ));
    assert!(matches!(
        kind("s/linked"),
        Some(EntryKind::Link {
            dangling: false,
            to_folder: true,
            ..
        })
    ));
}

#[test]
fn ignored_files_are_left_out_in_a_work_tree_only_and_tracked_ones_never() {
    let folder = folder(&["s/SKILL.md", "s/out/a", "s/out/kept", "s/x.log", "s/y.log"]);
    let root = folder.path();
    fs::write(root.join(".gitignore"), "out/\n*.log\n!y.log\n").expect("file");
    assert!(paths(&walk(root)).contains(&"s/x.log"), "no work tree");
    git(root, &["init", "-q"]);
    assert_eq!(paths(&walk(root)), [".gitignore", "s/SKILL.md", "s/y.log"]);
    git(root, &["add", "-f", "s/out/kept"]);
    assert_eq!(
        paths(&walk(root)),
        [".gitignore", "s/SKILL.md", "s/out/kept", "s/y.log"]
    );
    let below = walk(&root.join("s"));
    assert_eq!(paths(&below), ["SKILL.md", "out/kept", "y.log"]);
    let all = WalkOptions {
        ignored_too: true,
        exclude: vec![String::from("out/")],
    };
    let tree = Tree::walk(&root.join("s"), &all).expect("walk");
    assert_eq!(paths(&tree), ["SKILL.md", "x.log", "y.log"]);
}

#[test]
fn the_index_decides_on_execute_bits_also_in_linked_work_trees() {
    let folder = folder(&["main/s/SKILL.md", "main/s/run.sh", "main/s/new.sh"]);
    let root = folder.path().join("main");
    git(&root, &["init", "-q"]);
    git(&root, &["add", "s/SKILL.md", "s/run.sh"]);
    git(&root, &["update-index", "--chmod=+x", "s/run.sh"]);
    git(&root, &["commit", "-qm", "x"]);
    git(&root, &["worktree", "add", "-q", "../linked"]);
    for version in ["2", "4"] {
        git(&root, &["update-index", "--index-version", version]);
        let tree = walk(&root);
        let run = tree.file("s/run.sh").expect("run.sh");
        assert!(run.executable && !run.executable_on_disk, "{version}");
        let new = tree.file("s/new.sh").expect("new.sh");
        assert!(!new.executable, "{version}");
    }
    let linked = walk(&folder.path().join("linked/s"));
    assert!(linked.file("run.sh").is_some_and(|file| file.executable));
}
