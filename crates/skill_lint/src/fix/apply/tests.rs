use super::*;
use crate::testing::folder;

fn text_of(root: &Path, path: &str) -> String {
    aris_fs::read_text(&root.join(path)).expect("text")
}

#[test]
fn edits_of_one_file_go_together_and_conflicts_wait() {
    let folder = folder(&[("a", "\u{FEFF}one two three\n"), ("b", "x\n")]);
    let seen = Seen::new();
    let fixes = [
        Fix::replace("a", 4..7, "2"),
        Fix::replace("a", 0..3, "1"),
        Fix::replace("a", 2..5, "conflict"),
        Fix::replace("a", 0..14, ""),
        Fix::of("a", Change::RemoveBom),
        Fix::replace("a", 900..901, "outside"),
        Fix::rename("b", "c/d"),
    ];
    let plan = Plan::of(folder.path(), &seen, fixes.iter());
    let diff = plan.diff();
    assert!(
        diff.contains("-\u{FEFF}one two three")
            && diff.contains("+1 2 three")
            && diff.contains("rename to c/d"),
        "{diff}"
    );
    assert_eq!(text_of(folder.path(), "b"), "x\n", "a diff changes nothing");
    assert_eq!(plan.apply().expect("applied"), ["a", "c/d"]);
    assert_eq!(text_of(folder.path(), "a"), "1 2 three\n");
    assert_eq!(text_of(folder.path(), "c/d"), "x\n");
    let again = Plan::of(
        folder.path(),
        &seen,
        [Fix::of("a", Change::RemoveBom)].iter(),
    );
    assert!(again.is_empty());
}

#[test]
fn what_changed_meanwhile_links_and_taken_names_are_left_alone() {
    let folder = folder(&[("a", "old"), ("b", "x"), ("c", "y"), ("out/f", "z")]);
    let root = folder.path().join("tree");
    std::fs::create_dir(&root).expect("folder");
    std::os::unix::fs::symlink("../out", root.join("out")).expect("link");
    std::os::unix::fs::symlink("../a", root.join("a")).expect("link");
    let seen = Seen::from([(String::from("a"), seen(&Text::new(b"other")))]);
    let fixes = [
        Fix::replace("a", 0..3, "new"),
        Fix::rename("b", "c"),
        Fix::rename("b", "../x"),
        Fix::replace("../x", 0..0, ""),
    ];
    assert!(Plan::of(folder.path(), &seen, fixes.iter()).is_empty());
    let fixes = [
        Fix::replace("a", 0..3, "new"),
        Fix::replace("out/f", 0..1, "new"),
    ];
    assert!(Plan::of(&root, &Seen::new(), fixes.iter()).is_empty());
}

#[test]
fn a_plan_made_before_another_writer_came_changes_nothing() {
    let folder = folder(&[("a", "old")]);
    let seen = Seen::new();
    let plan = Plan::of(
        folder.path(),
        &seen,
        [Fix::replace("a", 0..3, "new")].iter(),
    );
    aris_fs::write_atomic(&folder.path().join("a"), b"theirs").expect("written");
    assert!(plan.apply().expect("no fault").is_empty());
    assert_eq!(text_of(folder.path(), "a"), "theirs");
}
