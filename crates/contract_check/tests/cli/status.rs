//! `status`: predicates, artifacts, exit codes.

use aris_testkit::Project;
use serde_json::{Value, json};

use super::{call, program};

fn audit(skill: &str) -> String {
    json!({
        "audit_skill": skill, "verdict": "PASS", "reason_code": "r", "summary": "s",
        "audited_input_hashes": {}, "trace_path": "t", "thread_id": "i", "reviewer_model": "m",
        "reviewer_reasoning": "high", "generated_at": "2026-01-01T00:00:00Z",
    })
    .to_string()
}

fn of<'a>(data: &'a Value, name: &str) -> &'a Value {
    data["integrations"]
        .as_array()
        .expect("list")
        .iter()
        .find(|row| row["name"] == name)
        .expect("the integration")
}

#[test]
fn an_empty_project_has_nothing_to_show() {
    let data = call(&Project::bare(), &["status", "--json"])
        .expect_code(0)
        .data();
    assert_eq!(
        (data["firing"].clone(), data["gaps"].clone()),
        (json!(0), json!(0))
    );
    assert!(
        data["integrations"]
            .as_array()
            .expect("list")
            .iter()
            .all(|row| row["state"] == "idle")
    );
}

#[test]
fn a_submission_without_its_audits_is_broken_until_the_last_one_is_right() {
    let project = Project::new().file("paper/.aris/assurance.txt", " submission\n");
    let states = |code: i32| {
        let data = call(&project, &["status", "submission-audits", "--json"])
            .expect_code(code)
            .data();
        let left = of(&data, "submission-audits")["artifacts"]
            .as_array()
            .expect("list")
            .clone();
        left.iter()
            .map(|left| left["state"].as_str().expect("state").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(states(1), ["missing", "missing", "missing", "missing"]);
    project.write("paper/PROOF_AUDIT.json", audit("proof-checker"));
    project.write("paper/PAPER_CLAIM_AUDIT.json", audit("proof-checker"));
    project.write(
        "paper/CITATION_AUDIT.json",
        "{\"audit_skill\": \"citation-audit\"}",
    );
    project.write("paper/.aris/audit-verifier-report.json", "not JSON");
    assert_eq!(states(1), ["valid", "contrary", "invalid", "invalid"]);
    let run = call(&project, &["status"]).expect_code(1);
    for piece in [
        "BROKEN (load-bearing)",
        "says \"proof-checker\" at /audit_skill, not \"paper-claim-audit\"",
        "lacks verdict",
        "is not JSON: ",
        "at line 1, column ",
        "contract_check backfill submission-audits",
    ] {
        assert!(run.stdout().contains(piece), "{piece}: {run}");
    }
    // A draft is not a submission.
    project.write("paper/.aris/assurance.txt", "draft");
    call(&project, &["status", "submission-audits"]).expect_code(0);
}

#[test]
fn what_cannot_be_looked_at_is_no_answer() {
    let project = Project::new().file("paper/.aris/assurance.txt/folder", "");
    let data = call(&project, &["status", "--json"]).expect_code(1).data();
    let row = of(&data, "submission-audits");
    assert_eq!(row["state"], "undecided");
    assert!(
        row["reason"]
            .as_str()
            .expect("reason")
            .contains("is a directory")
    );
    assert_eq!(
        (data["gaps"].clone(), data["broken"].clone()),
        (json!(1), json!(1))
    );
}

#[test]
fn a_predicate_that_is_a_command_knows_yes_no_and_no_answer() {
    for (script, state, code) in [
        ("import sys; sys.exit(0)", "gaps", 10),
        ("import sys; sys.exit(1)", "idle", 0),
        ("import sys; sys.exit(2)", "undecided", 10),
        ("import os; os.kill(os.getpid(), 9)", "undecided", 10),
    ] {
        let project = Project::new()
            .file("figures/ai_generated/x", "")
            .file("tools/paper_illustration_image2.py", script);
        let data = call(&project, &["status", "image-finalisation", "--json"])
            .expect_code(code)
            .data();
        assert_eq!(data["integrations"][0]["state"], state, "{script}");
    }
    let missing = Project::new().file("figures/ai_generated/x", "");
    let data = call(&missing, &["status", "image-finalisation", "--json"])
        .expect_code(10)
        .data();
    assert!(
        data["integrations"][0]["reason"]
            .as_str()
            .expect("reason")
            .contains("not in ")
    );
    // Without the folder nobody asks the command.
    let quiet = Project::new().file("tools/paper_illustration_image2.py", "open('asked', 'w')");
    call(&quiet, &["status"]).expect_code(0);
    assert!(!quiet.at("asked").exists());
}

#[test]
fn a_predicates_command_that_hangs_is_no_answer() {
    let project = Project::new().file("figures/ai_generated/x", "").file(
        "tools/paper_illustration_image2.py",
        "import time; time.sleep(600)",
    );
    let data = call(&project, &["status", "image-finalisation", "--json"])
        .expect_code(10)
        .data();
    assert!(
        data["integrations"][0]["reason"]
            .as_str()
            .expect("reason")
            .contains("no answer in 10 s")
    );
}

#[test]
fn a_finished_wiki_is_complete_and_a_project_can_be_named() {
    let project = Project::new()
        .file("w/research-wiki/papers/a.md", "# A")
        .file("w/research-wiki/log.md", "x");
    let data = call(&project, &["status", "--project", "w", "--json"])
        .expect_code(0)
        .data();
    assert_eq!(of(&data, "research-wiki-ingest")["state"], "complete");
    assert_eq!(data["project"], json!(project.at("w")));
}

#[test]
fn names_that_are_no_integrations_are_refused() {
    let project = Project::new();
    for command in ["status", "checklist", "backfill"] {
        let run = program()
            .call(project.path())
            .args([command, "../x", "--json"])
            .run()
            .expect_code(2);
        assert!(
            run.error()["hint"]
                .as_str()
                .expect("hint")
                .contains("submission-audits")
        );
    }
}

#[test]
fn a_checklist_has_empty_boxes() {
    let run = call(&Project::bare(), &["checklist", "submission-audits"]).expect_code(0);
    assert!(
        run.stdout()
            .contains("   [ ] 1. /proof-checker leaves paper/PROOF_AUDIT.json\n"),
        "{run}"
    );
    assert!(!run.stdout().contains("[x]"));
}
