mod hostile;
pub(crate) mod testing;

use aris_testkit::check_schema;

use super::*;

#[test]
fn schemas_are_current() {
    check_schema::<Vec<finding::Finding>>(report::SCHEMA);
    check_schema::<Vec<catalogue::Rule>>(report::RULES_SCHEMA);
    check_schema::<catalogue::Rule>(report::RULE_SCHEMA);
    check_schema::<Vec<baseline::Entry>>(baseline::SCHEMA);
}

#[test]
fn many_repairers_of_one_tree_end_with_the_repair_and_nothing_else() {
    let marked = format!("\u{FEFF}{}", testing::skill_md("a", "Body."));
    let folder = testing::folder(&[("a/SKILL.md", &marked)]);
    let run = || {
        let today = "2026-11-20".parse().expect("a date");
        let root = folder.path().to_path_buf();
        let cli = Cli {
            paths: vec![root.clone()],
            rule: vec![String::from("SR019")],
            no_config: true,
            fix: Some(FixMode::Apply),
            ..Cli::default()
        };
        lint(&Options {
            cli,
            cwd: root,
            today,
            search_path: None,
        })
        .expect("a report")
    };
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(run);
        }
    });
    assert!(run().items.is_empty());
    let text = aris_fs::read_text(&folder.path().join("a/SKILL.md")).expect("text");
    assert_eq!(text, marked.trim_start_matches('\u{FEFF}'));
    assert_eq!(
        aris_fs::list_sorted(&folder.path().join("a"))
            .expect("list")
            .len(),
        1
    );
}
