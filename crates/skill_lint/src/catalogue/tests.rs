use std::collections::{BTreeMap, BTreeSet};

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
            ("what", rule.what),
            ("hint", rule.hint),
            ("source", rule.source),
            ("false_positives", rule.false_positives),
        ] {
            assert!(!text.trim().is_empty(), "{}: no {what}", rule.id);
        }
        assert!(!rule.title.ends_with('.'), "{}: {}", rule.id, rule.title);
        assert!(
            rule.sources().next().is_some(),
            "{}: `{}` names no source",
            rule.id,
            rule.source
        );
    }
}

#[test]
fn names_of_families_reach_their_rules_only() {
    assert!(is_known("SR9") && is_known("SR901") && !is_known("SR") && !is_known("SR999"));
    assert_eq!(find("SR905").map(Rule::family), Some("own"));
}

/// The rows of the design's tables: id, and severity, certainty and fixable where the table has them.
fn designed(text: &str) -> BTreeMap<String, (String, String, String)> {
    let mut rows = BTreeMap::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split(" | ").collect();
        if let [id, severity, marks, what, ..] = cells.as_slice()
            && let Some(id) = id.strip_prefix("| ")
            && id.starts_with("SR")
        {
            let dynamic = id.starts_with("SR3");
            let marks = if dynamic { "X" } else { *marks };
            let severity = severity.trim_end_matches(['¹', '²', '³']);
            rows.insert(
                id.to_owned(),
                (severity.to_owned(), marks.to_owned(), (*what).to_owned()),
            );
        } else if let [id, severity, _] = cells.as_slice()
            && let Some(id) = id.strip_prefix("| ").filter(|id| id.starts_with("SR3"))
        {
            rows.insert(
                id.to_owned(),
                (severity.to_string(), String::from("X"), String::new()),
            );
        }
    }
    rows
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the design is beside the repository, where it is at all"
)]
fn the_catalogue_is_what_the_design_says() {
    let root = aris_testkit::workspace_root();
    let places = [
        "../shared/design/skill-lint.md",
        "../../shared/design/skill-lint.md",
    ];
    let Some(text) = places
        .iter()
        .find_map(|place| std::fs::read_to_string(root.join(place)).ok())
    else {
        return;
    };
    let rows = designed(&text);
    assert!(rows.len() > 120, "{} rows", rows.len());
    let repairs = text.split("\n## ").find(|part| part.starts_with("9. "));
    let repairs = repairs.expect("a section about repairs");
    let mut wrong = Vec::new();
    for (id, (severity, marks, _)) in &rows {
        let Some(rule) = find(id) else {
            wrong.push(format!("{id} is not in the catalogue"));
            continue;
        };
        let expected = match severity.as_str() {
            "off" => rule.scope == Scope::Off,
            word => rule.severity.word() == word,
        };
        if !expected {
            wrong.push(format!("{id}: {} instead of {severity}", rule.severity));
        }
        let exact = !marks.contains('H');
        if exact != (rule.certainty == Certainty::Exact) {
            wrong.push(format!("{id}: certainty"));
        }
        // The table marks most; the section about repairs names all.
        if (marks.contains('F') || repairs.contains(id.as_str())) != rule.fixable {
            wrong.push(format!("{id}: fixable is {}", rule.fixable));
        }
    }
    let own = ["SR901", "SR902", "SR903", "SR904", "SR905"];
    for rule in all() {
        if !rows.contains_key(rule.id) && !own.contains(&rule.id) {
            wrong.push(format!("{} is not in the design", rule.id));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
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
