use std::collections::BTreeSet;

use super::*;

#[test]
fn ids_are_unique_and_every_field_says_something() {
    let ids: BTreeSet<&str> = all().iter().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), all().len());
    for rule in all() {
        assert!(
            rule.id.len() == 5 && rule.id.starts_with("SR"),
            "{}",
            rule.id
        );
        for (what, text) in [
            ("title", rule.title),
            ("why", rule.why),
            ("fix", rule.fix),
            ("sources", rule.sources),
            ("unless", rule.unless),
        ] {
            assert!(!text.trim().is_empty(), "{}: no {what}", rule.id);
        }
        assert!(!rule.title.ends_with('.'), "{}: {}", rule.id, rule.title);
        assert!(
            rule.source_names().next().is_some(),
            "{}: `{}` names no source",
            rule.id,
            rule.sources
        );
    }
}

#[test]
fn names_of_families_reach_their_rules_only() {
    assert!(is_known("SR9") && is_known("SR901") && !is_known("SR") && !is_known("SR999"));
    assert_eq!(family("SR905"), "own");
    assert_eq!(unknown("SR999"), "`SR999` is no rule");
}

#[test]
fn a_retired_id_is_not_given_again() {
    assert!(TABLE.retired.is_sorted());
    for id in &TABLE.retired {
        assert!(!is_known(id), "{id}");
        assert!(unknown(id).contains("no rule any more"), "{id}");
    }
}

#[test]
fn the_skill_s_list_of_rules_is_current() {
    let path = aris_testkit::workspace_root().join("skills/skill-lint/references/rules.md");
    aris_testkit::check_golden(
        &path,
        &document(),
        "UPDATE_RULES",
        "`UPDATE_RULES=1 cargo test -p skill_lint --lib list_of_rules`",
    );
}
