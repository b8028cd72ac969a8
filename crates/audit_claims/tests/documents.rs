//! `check` and `extract`: what the rules find in documents on the disk, without a pull request.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use aris_testkit::{Helper, Project, Run, assert_follows, assert_valid};
use serde_json::{Value, json};

const RUNS: &str = "system,seed,depth_m\ndrill,1,4.1\ndrill,2,4.3\nspade,1,1.9\nspade,2,2.1\n";
const CLEAN: &str = "# Holes\n\n## Results\n\nThe mean depth of the drill was 4.2 m.\n";
/// A citation key that no bibliography has, and more runs than the results have.
const FAULTY: &str = "# Holes\n\n## Introduction\n\nDrills have been used for centuries [@nobody1900].\n\n## Results\n\nThe mean depth of the drill was 4.2 m over nine seeds.\n";

fn project(text: &str) -> Project {
    Project::new()
        .file("report.md", text)
        .file("runs.csv", RUNS)
        .file(
            "refs.bib",
            "@book{mole2001, author = {M. Mole}, title = {Holes}, publisher = {P}, year = 2001}\n",
        )
}

fn call(project: &Project, arguments: &[&str]) -> Run {
    Helper::at(env!("CARGO_BIN_EXE_audit_claims"))
        .call(project.path())
        .args(["--json"])
        .args(arguments)
        .run()
}

const CHECK: [&str; 7] = [
    "check",
    "--doc",
    "report.md",
    "--results",
    "runs.csv",
    "--bib",
    "refs.bib",
];

fn rules(data: &Value) -> Vec<&str> {
    let findings = data["findings"].as_array().expect("a list").iter();
    findings
        .filter(|finding| finding["severity"] == "critical")
        .map(|finding| finding["rule"].as_str().expect("a rule"))
        .collect()
}

#[test]
fn an_empty_document_is_not_a_clean_one() {
    let project = project("\n");
    let data = call(&project, &CHECK).expect_code(0).data();
    let problem = data["problems"][0].as_str().expect("a problem");
    assert!(problem.contains("nothing in it was checked"), "{data}");
}

#[test]
fn faults_are_found_with_their_lines() {
    let project = project(FAULTY);
    let before = project.snapshot();
    let data = call(&project, &CHECK).expect_code(0).data();
    assert_valid("aris.audit_claims.checked/v1", &data, "what check prints");
    assert_eq!(
        rules(&data),
        ["cite-key-missing", "sample-size-mismatch"],
        "{data}"
    );
    let lines: Vec<u64> = data["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|finding| finding["severity"] == "critical")
        .filter_map(|finding| finding["line"].as_u64())
        .collect();
    assert_eq!(lines, [5, 9]);
    // `--exit-signal` changes only the exit code.
    let signalled = call(&project, &[&CHECK[..], &["--exit-signal"]].concat()).expect_code(10);
    assert_eq!(signalled.data(), data);
    assert_eq!(project.snapshot(), before, "check writes nothing");
}

#[test]
fn what_check_prints_is_a_list_of_findings() {
    let project = project(FAULTY);
    let checked = call(&project, &CHECK).expect_code(0);
    let project = project.file("checked.json", checked.stdout());
    let judged = call(&project, &["verdict", "--findings", "checked.json"]).expect_code(0);
    let data = judged.data();
    assert_eq!(
        rules(&data).len(),
        rules(&checked.data()).len(),
        "all of them: {data}"
    );
    assert_eq!(data["rejected"], json!([]), "nothing is lost");
}

/// A document without text does not become an approval when its check is given to `verdict`.
#[test]
fn what_a_check_could_not_look_at_is_no_approval() {
    let project = project("");
    let checked = call(&project, &CHECK).expect_code(0);
    assert!(checked.stdout().contains("nothing in it was checked"));
    let project = project.file("checked.json", checked.stdout());
    let judged = call(
        &project,
        &["verdict", "--findings", "checked.json", "--exit-signal"],
    );
    let data = judged.expect_code(10).data();
    assert_eq!(
        (&data["verdict"], &data["degraded"]),
        (&json!("needs_human"), &json!(true))
    );
    assert!(
        data["reason"]
            .to_string()
            .contains("nothing in it was checked"),
        "{data}"
    );
}

#[test]
fn a_clean_document_raises_nothing() {
    let project = project(CLEAN);
    let data = call(&project, &[&CHECK[..], &["--exit-signal"]].concat())
        .expect_code(0)
        .data();
    assert_valid("aris.audit_claims.checked/v1", &data, "what check prints");
    assert_eq!(rules(&data), Vec::<&str>::new());
    assert_eq!(data["claims"], 1);
}

#[test]
fn what_nobody_gave_is_not_checked() {
    let data = call(&project(FAULTY), &["check", "--doc", "report.md"])
        .expect_code(0)
        .data();
    for (rule, reason) in [
        (
            "numeric-mismatch",
            "no claims.toml binds the document's numbers",
        ),
        (
            "numeric-binding",
            "no claims.toml binds the document's numbers",
        ),
        ("sample-size-mismatch", "no results were given"),
    ] {
        let skipped = data["skipped"].as_array().expect("a list").iter();
        let said = skipped.filter(|one| one["rule"] == rule && one["reason"] == reason);
        assert_eq!(said.count(), 1, "{rule}: {data}");
    }
}

#[test]
fn a_broken_table_in_a_folder_is_said_and_stops_nothing() {
    let project = project(CLEAN)
        .file("results/runs.csv", RUNS)
        .file("results/broken.csv", "a,b\n1,2,3\n");
    let arguments = ["check", "--doc", "report.md", "--results", "results"];
    let data = call(&project, &arguments).expect_code(0).data();
    assert_eq!(data["results"], serde_json::json!(["results/runs.csv"]));
    let problem = data["problems"][0].as_str().expect("a problem");
    assert!(problem.contains("results/broken.csv"), "{data}");
}

#[test]
fn what_is_absent_or_malformed_has_its_own_code() {
    let project = project(CLEAN).file("broken.json", "{\"drill\": [1, 2");
    for (arguments, code) in [
        (&["check", "--doc", "absent.md"][..], 3),
        (
            &["check", "--doc", "report.md", "--results", "absent.csv"][..],
            3,
        ),
        (
            &["check", "--doc", "report.md", "--results", "broken.json"][..],
            4,
        ),
        (
            &[
                "check",
                "--doc",
                "report.md",
                "--papers-cache",
                "broken.json",
            ][..],
            4,
        ),
        (&["extract", "--file", "absent.md"][..], 3),
        (&["extract", "--diff", "absent.diff"][..], 3),
    ] {
        let run = call(&project, arguments).expect_code(code);
        let error = run.error();
        let text = error.to_string();
        assert!(
            text.contains("absent") || text.contains("broken.json"),
            "{arguments:?}: {text}"
        );
    }
}

#[test]
fn what_is_no_diff_holds_no_claims_that_nobody_saw() {
    let good = "diff --git a/r.md b/r.md\nindex 1..2 100644\n--- a/r.md\n+++ b/r.md\n@@ -1 +1,3 @@\n # R\n+\n+Earlier systems reach 90 points.";
    let project = project(CLEAN);
    for (diff, code) in [
        (good.to_owned(), 0),
        (String::new(), 0),
        (good.replace('+', "\u{1b}[32m+"), 4),
        (good.replace("\n+", "\n{+"), 4),
        (
            String::from(" r.md | 2 ++\n 1 file changed, 2 insertions(+)\n"),
            4,
        ),
        (String::from(CLEAN), 4),
        (
            good.replace("diff --git a/r.md b", "diff --cc ")
                .replace("@@ -1 +1,3 @@", "@@@ -1 -1 +1,3 @@@"),
            4,
        ),
        (good.replace("1,3", "1,9"), 4),
    ] {
        project.write("given.diff", &diff);
        for command in [
            &["extract"][..],
            &["prepare"],
            &[
                "post",
                "https://github.com/o/r/pull/7",
                "--findings",
                "none.json",
            ],
        ] {
            if code == 0 && command[0] == "post" {
                continue;
            }
            project.write("none.json", "[]");
            let arguments = [command, &["--diff", "given.diff"]].concat();
            let run = call(&project, &arguments).expect_code(code);
            if command[0] == "extract" && diff == good {
                assert_eq!(
                    run.data()["claims"].as_array().map(Vec::len),
                    Some(1),
                    "{run}"
                );
            }
        }
    }
}

#[test]
fn extract_lists_claims_with_type_and_line() {
    let data = call(&project(FAULTY), &["extract", "--file", "report.md"])
        .expect_code(0)
        .data();
    assert_valid(
        "aris.audit_claims.extracted/v1",
        &data,
        "what extract prints",
    );
    let claims: Vec<(&str, u64, bool)> = data["claims"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|claim| {
            (
                claim["claim_type"].as_str().expect("a type"),
                claim["line"].as_u64().expect("a line"),
                claim["cited"].as_bool().expect("yes or no"),
            )
        })
        .collect();
    assert_eq!(claims, [("external", 5, true), ("experimental", 9, false)]);
}

const SARIF: &str = include_str!("../../skill_lint/tests/sarif/sarif-schema-2.1.0.json");

/// A number that the data contradict, and a citation key that differs from the bibliography's in upper and lower case.
fn contradicted() -> Project {
    Project::new()
        .file("paper/report.tex", "\\documentclass{article}\n\\begin{document}\n\\section{Results}\nWe reach 34.9 BLEU.\nThat is so \\cite{Mole2001}.\n\\bibliography{refs}\n\\end{document}\n")
        .file("paper/refs.bib", "@book{mole2001, author = {M. Mole}, title = {Holes}, publisher = {P}, year = 2001}\n")
        .file("results/runs.csv", "bleu\n34.1\n34.2\n34.4\n")
        .file("paper/claims.toml", "version = 1\n[data]\nroot = \"..\"\n[[claim]]\nin = \"report.tex\"\ntext = 'We reach [[34.9]] BLEU'\nvalue = 'select avg(bleu) from \"results/runs.csv\"'\n")
}

fn formatted(project: &Project, format: &str) -> Value {
    let run = Helper::at(env!("CARGO_BIN_EXE_audit_claims"))
        .call(project.path())
        .args(["check", "--doc", "paper/report.tex", "--format", format])
        .run()
        .expect_code(0);
    serde_json::from_str(run.stdout()).expect("one JSON document")
}

/// **Source**: reviewdog, "Reviewdog Diagnostic Format"; OASIS, SARIF 2.1.0.
#[test]
fn findings_and_edits_go_to_other_tools_in_their_formats() {
    let project = contradicted();
    let rdjson = formatted(&project, "rdjson");
    let edits: Vec<(&Value, &Value)> = rdjson["diagnostics"]
        .as_array()
        .expect("a list")
        .iter()
        .flat_map(|one| one["suggestions"].as_array().expect("a list"))
        .map(|edit| (&edit["range"]["start"]["line"], &edit["text"]))
        .collect();
    assert_eq!(
        edits,
        [
            (&Value::from(4), &Value::from("We reach 34.2 BLEU.")),
            (
                &Value::from(5),
                &Value::from("That is so \\cite{mole2001}.")
            ),
        ]
    );
    let sarif = formatted(&project, "sarif");
    let schema = serde_json::from_str(SARIF).expect("the schema is JSON");
    assert_follows(&schema, &sarif, "the SARIF");
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    let number = results
        .iter()
        .find(|result| result["ruleId"] == "numeric-mismatch")
        .expect("the number");
    assert_eq!(number["level"], "error");
    let replaced = &number["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(replaced["insertedContent"]["text"], "We reach 34.2 BLEU.");
    assert_eq!(replaced["deletedRegion"]["endColumn"], 20);
    // An unreadable document does not look clean in any format.
    project.write("paper/report.tex", "\\begin{document");
    let sarif = formatted(&project, "sarif");
    assert_eq!(
        sarif["runs"][0]["invocations"][0]["executionSuccessful"],
        false
    );
}

/// `null` says that the agent does not know: a person decides, and nothing is approved.
#[test]
fn null_in_a_finding_is_unknown() {
    let known = json!({"file": "r.md", "line": 1, "dimension": "external", "severity": "info", "message": "m"});
    for (field, verdict) in [
        ("line", "approved"),
        ("requires_decision", "needs_human"),
        ("severity", "needs_human"),
        ("dimension", "needs_human"),
        ("message", "needs_human"),
    ] {
        let mut finding = known.clone();
        finding[field] = Value::Null;
        let project = Project::new().file("f.json", json!([finding]).to_string());
        let run = call(&project, &["verdict", "--findings", "f.json"]).expect_code(0);
        assert_eq!(run.data()["verdict"], verdict, "{field}: {run}");
    }
}
