#![cfg(test)]

//! The program's SARIF against the published schema.

use std::collections::BTreeSet;

use aris_testkit::{Helper, Project, assert_follows};
use serde_json::Value;

const SCHEMA: &str = include_str!("sarif-schema-2.1.0.json");

/// A skill with findings of several families and severities, suppressed in each of the three ways or not at all, on several lines.
const SKILL: &str = "---\nname: B\ndescription: I read <b>.\nargument-hint: [x]\n---\n\
    <!-- skill-lint: allow SR110 reason=\"made \\\"later\\\"\" -->\n[x](no.md) é [y](../out%20side.md)\n\nSee /home/ann/x\n";

fn sarif(project: &Project, flags: &[&str]) -> Value {
    let run = Helper::at(env!("CARGO_BIN_EXE_skill_lint"))
        .call(project.path())
        .args([
            "--format",
            "sarif",
            "--profile",
            "all",
            "--fail-on",
            "never",
        ])
        .args(flags)
        .run()
        .expect_code(0);
    serde_json::from_str(run.stdout()).expect("one JSON document")
}

fn check(value: &Value) {
    let schema = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    assert_follows(&schema, value, "the report");
}

#[test]
fn reports_follow_the_published_schema() {
    let project = Project::bare()
        .file("a/SKILL.md", SKILL)
        .file("a/scripts/spa ce.py", "eval(x)\n")
        .file("a/scripts/x.zsh", "#!/bin/zsh\n")
        .file("b/SKILL.md", "# nothing\n")
        .file(
            "skill-lint.toml",
            "[[allow]]\nrule = \"SR014\"\npath = \"a/**\"\nreason = \"an example\"\n",
        );
    let all = sarif(&project, &["--syntax"]);
    check(&all);
    let run = &all["runs"][0];
    let results = run["results"].as_array().expect("results");
    assert!(results.len() >= 9, "{}", results.len());
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("an index");
        let index = usize::try_from(index).expect("small");
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        let uri = uri.as_str().expect("an address");
        assert!(!uri.starts_with('/') && !uri.contains(' '), "{uri}");
    }
    let kinds: BTreeSet<&str> = (results.iter())
        .filter_map(|result| result["suppressions"][0]["kind"].as_str())
        .collect();
    assert_eq!(kinds, BTreeSet::from(["external", "inSource"]));
    // No findings, and several roots.
    check(&sarif(&project, &["--rule", "SR019"]));
    check(&sarif(&project, &["a", "b"]));
}

#[test]
#[should_panic(expected = "is not what its schema says")]
fn the_schema_is_able_to_refuse() {
    let project = Project::bare().file("a/SKILL.md", SKILL);
    let mut wrong = sarif(&project, &[]);
    wrong["runs"][0]["results"][0]["level"] = Value::from("fatal");
    check(&wrong);
}
