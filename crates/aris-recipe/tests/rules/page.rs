//! The page of rules in the skill equals the one that the table gives.

use std::fs;
use std::path::Path;

use aris_recipe::rules::{RULES, page};

#[test]
fn the_page_of_rules_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../skills/research-recipe/references/rules.md");
    let page = page();
    if std::env::var_os("UPDATE_RULES").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == page,
        "{} is not what the table gives; run this test with UPDATE_RULES=1",
        path.display()
    );
    for rule in RULES {
        let row = format!("| `{}` |", rule.id);
        assert_eq!(page.matches(&row).count(), 1, "{row}");
        assert!(
            rule.text.ends_with('.') && !rule.text.contains('\n'),
            "{}",
            rule.id
        );
    }
}
