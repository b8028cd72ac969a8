//! The gate on a merge request of GitLab.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use aris_testkit::{GitLab, Helper, Project, Run};
use serde_json::{Value, json};

const URL: &str = "https://gitlab.com/g/sub/r/-/merge_requests/7";

const CLAIM: &str = "It is known that attention scales quadratically.";

fn diff(claim: &str) -> String {
    format!(
        "diff --git a/research/r.md b/research/r.md\nindex 2222222..1111111 100644\n--- a/research/r.md\n+++ b/research/r.md\n@@ -1,3 +1,4 @@\n ## Introduction\n \n-Words.\n+{claim}\n+Words.\n"
    )
}

fn repository() -> Project {
    Project::new()
        .file(".git/objects/.keep", "")
        .file(".git/refs/.keep", "")
}

fn call(project: &Project, gitlab: &GitLab, arguments: &[&str]) -> Run {
    Helper::at(env!("CARGO_BIN_EXE_audit_claims"))
        .call(project.path())
        .env("GITLAB_TOKEN", "t")
        .env("ARIS_GITLAB_API", gitlab.url())
        .args(["--json"])
        .args(arguments)
        .run()
}

fn run(project: &Project, gitlab: &GitLab, more: &[&str]) -> Value {
    let arguments = [&["run", ".", "main", URL, "--engine", "rules"], more].concat();
    call(project, gitlab, &arguments).expect_code(0).data()
}

#[test]
fn findings_become_threads_and_the_verdict_an_approval_or_a_note() {
    let (project, gitlab) = (repository(), GitLab::start("b", &diff(CLAIM)));
    gitlab.merge(|merge| merge.page = 1);
    let data = run(&project, &gitlab, &[]);
    assert_eq!(
        (
            &data["verdict"],
            &data["degraded"],
            &data["posted"]["inline"]
        ),
        (&json!("changes_requested"), &json!(false), &json!(1)),
        "{data}"
    );
    let threads = gitlab.merge(|merge| merge.threads.clone());
    let position = &threads[0]["notes"][0]["position"];
    assert_eq!(
        (
            &position["new_path"],
            &position["new_line"],
            &position["old_line"]
        ),
        (&json!("research/r.md"), &json!(3), &Value::Null)
    );
    assert_eq!(position["base_sha"], "b".repeat(40));
    let note = threads[1]["notes"][0]["body"].as_str().expect("text");
    assert!(
        note.starts_with("Changes requested: 1 claim lacks evidence"),
        "{note}"
    );
    let log = gitlab.log();
    let sent = log.iter().find(|call| call.method == "POST").expect("one");
    assert_eq!(sent.headers["authorization"], "Bearer t");
    // The second call finds everything posted.
    let writes = gitlab.merge(|merge| merge.writes);
    let data = run(&project, &gitlab, &[]);
    assert_eq!(data["posted"]["already"], 1, "{data}");
    assert_eq!(gitlab.merge(|merge| merge.writes), writes);
    // Nothing is posted when the comments cannot be read.
    gitlab.merge(|merge| merge.broken = true);
    let data = run(&project, &gitlab, &[]);
    assert_eq!(data["degraded"], true, "{data}");
    gitlab.merge(|merge| merge.broken = false);
    assert_eq!(gitlab.merge(|merge| merge.writes), writes);
    // Without the claim its thread is closed, and the merge request is approved.
    gitlab.merge(|merge| merge.diff = diff("More words."));
    let data = run(&project, &gitlab, &[]);
    assert_eq!(
        (&data["verdict"], &data["posted"]["closed"]),
        (&json!("approved"), &json!(1)),
        "{data}"
    );
    let (approved, threads) = gitlab.merge(|merge| (merge.approved.clone(), merge.threads.clone()));
    assert_eq!(
        (approved, &threads[0]["notes"][0]["resolved"]),
        (vec!["me".to_owned()], &json!(true))
    );
    // The claim comes back: it gets a thread again, and the approval is taken back.
    gitlab.merge(|merge| merge.diff = diff(CLAIM));
    let data = run(&project, &gitlab, &[]);
    assert_eq!(
        (&data["verdict"], &data["posted"]["inline"]),
        (&json!("changes_requested"), &json!(1)),
        "{data}"
    );
    assert!(gitlab.merge(|merge| merge.approved.is_empty()));
}

/// **Source**: GitLab, "Merge request approval settings": approvals are removed when commits are added.
#[test]
fn an_approval_that_gitlab_took_back_is_given_again() {
    let (project, gitlab) = (repository(), GitLab::start("b", &diff("Words.")));
    for approvals in [1, 1, 2, 2] {
        if approvals == 2 {
            gitlab.merge(|merge| merge.approved.clear());
        }
        let data = run(&project, &gitlab, &[]);
        assert_eq!(data["verdict"], "approved", "{data}");
        assert_eq!(gitlab.merge(|merge| merge.approved.clone()), ["me"]);
    }
    assert_eq!(gitlab.merge(|merge| merge.bodies()).len(), 3);
}

#[test]
fn an_approval_waits_for_the_other_gate_of_the_login() {
    let (project, gitlab) = (repository(), GitLab::start("b", &diff("Words.")));
    let findings = |list: Value| project.write("findings.json", list.to_string());
    let review = || {
        let arguments = [
            "post",
            URL,
            "--findings",
            "findings.json",
            "--gate",
            "review",
        ];
        call(&project, &gitlab, &arguments).expect_code(0);
    };
    let approved = || gitlab.merge(|merge| merge.approved.clone());
    run(&project, &gitlab, &[]);
    assert_eq!(approved(), ["me"]);
    findings(
        json!([{"file": "research/r.md", "line": 3, "dimension": "methodology", "severity": "critical", "message": "m"}]),
    );
    review();
    for _ in 0..2 {
        let data = run(&project, &gitlab, &[]);
        assert_eq!(
            (&data["verdict"], &data["posted"]["held_by"]),
            (&json!("approved"), &json!("review-research-pr")),
            "{data}"
        );
        assert!(approved().is_empty());
    }
    findings(json!([]));
    review();
    assert_eq!(approved(), ["me"]);
}

#[test]
fn an_author_who_may_not_approve_leaves_a_note() {
    let (project, gitlab) = (repository(), GitLab::start("b", &diff("Words.")));
    gitlab.merge(|merge| merge.own = true);
    let data = run(&project, &gitlab, &[]);
    assert_eq!(
        (&data["verdict"], &data["posted"]["own_pr"]),
        (&json!("approved"), &json!(true)),
        "{data}"
    );
    let bodies = gitlab.merge(|merge| merge.bodies());
    assert_eq!(bodies.len(), 1);
    assert!(
        bodies[0].contains("no unsupported claims found"),
        "{bodies:?}"
    );
}

#[test]
fn who_may_not_approve_is_no_author_and_approves_once_they_may() {
    let (project, gitlab) = (repository(), GitLab::start("b", &diff("Words.")));
    gitlab.merge(|merge| merge.unnamed = true);
    let data = run(&project, &gitlab, &[]);
    let posted = &data["posted"];
    assert_eq!(
        (&data["verdict"], &posted["own_pr"], &posted["tier"]),
        (&json!("approved"), &Value::Null, &json!(3)),
        "{data}"
    );
    let warning = posted["warnings"][0].as_str().expect("a warning");
    assert!(warning.contains("may not approve"), "{warning}");
    assert_eq!(gitlab.merge(|merge| merge.bodies()), [""; 0]);
    gitlab.merge(|merge| merge.unnamed = false);
    run(&project, &gitlab, &[]);
    assert_eq!(gitlab.merge(|merge| merge.approved.clone()), ["me"]);
    let body = gitlab.merge(|merge| merge.bodies()).remove(0);
    let about = format!("About commit {}.", gitlab.merge(|merge| merge.head.clone()));
    assert!(body.ends_with(&about), "{body}");
}

#[test]
fn an_approval_that_cannot_be_taken_back_is_said_and_hides_no_finding() {
    let (project, gitlab) = (repository(), GitLab::start("b", &diff("Words.")));
    run(&project, &gitlab, &[]);
    gitlab.merge(|merge| {
        merge.diff = diff(CLAIM);
        merge.sticky = true;
    });
    for again in [false, true] {
        let writes = gitlab.merge(|merge| merge.writes);
        let words = ["run", ".", "main", URL, "--engine", "rules"];
        let arguments = [&words[..], &["--exit-signal"]].concat();
        let data = call(&project, &gitlab, &arguments).expect_code(10).data();
        let reason = data["reason"].as_str().expect("a reason");
        assert!(
            data["degraded"] == true && reason.contains("approval"),
            "{data}"
        );
        let bodies = gitlab.merge(|merge| merge.bodies());
        assert_eq!(bodies.len(), 3, "{bodies:?}");
        assert!(
            bodies[2].starts_with("Changes requested: 1 claim lacks evidence"),
            "{bodies:?}"
        );
        assert_eq!(gitlab.merge(|merge| merge.writes) == writes, again);
    }
    // When it can be taken back, it is.
    gitlab.merge(|merge| merge.sticky = false);
    let data = run(&project, &gitlab, &[]);
    assert_eq!(
        (&data["degraded"], &data["posted"]["dismissed"]),
        (&json!(false), &json!(1)),
        "{data}"
    );
    assert!(gitlab.merge(|merge| merge.approved.is_empty()));
}

/// An approval that a person gave under the same login belongs to that person.
#[test]
fn an_approval_that_was_given_by_hand_stays_and_is_said() {
    let (project, gitlab) = (repository(), GitLab::start("b", &diff(CLAIM)));
    let by_hand = || gitlab.merge(|merge| merge.approved = vec!["me".to_owned()]);
    let show = |claim: &str| gitlab.merge(|merge| merge.diff = diff(claim));
    let stays = |why: &str| {
        let data = run(&project, &gitlab, &[]);
        let posted = &data["posted"];
        assert_eq!(
            (&data["verdict"], &posted["dismissed"]),
            (&json!("changes_requested"), &json!(0)),
            "{why}: {data}"
        );
        let warnings = posted["warnings"].to_string();
        assert!(warnings.contains("by hand"), "{why}: {warnings}");
        assert_eq!(
            gitlab.merge(|merge| merge.approved.clone()),
            ["me"],
            "{why}"
        );
    };
    by_hand();
    stays("nothing of ours is there");
    let writes = gitlab.merge(|merge| merge.writes);
    stays("it is said again");
    assert_eq!(gitlab.merge(|merge| merge.writes), writes);
    // We agree with it, and later we do not.
    show("Words.");
    run(&project, &gitlab, &[]);
    let last = || gitlab.merge(|merge| merge.bodies()).pop().expect("a note");
    assert!(
        last().starts_with("Approved by hand before: "),
        "{}",
        last()
    );
    show(CLAIM);
    stays("we did not give it");
    // The person takes it back, so the next approval is ours.
    show("Words.");
    run(&project, &gitlab, &[]);
    gitlab.merge(|merge| merge.approved.clear());
    run(&project, &gitlab, &[]);
    assert_eq!(gitlab.merge(|merge| merge.approved.clone()), ["me"]);
    assert!(last().starts_with("Approved: "), "{}", last());
    show(CLAIM);
    let data = run(&project, &gitlab, &[]);
    assert_eq!(data["posted"]["dismissed"], 1, "{data}");
    assert!(gitlab.merge(|merge| merge.approved.is_empty()));
    let bodies = gitlab.merge(|merge| merge.bodies());
    assert!(
        !bodies.iter().any(|body| body.starts_with("Approved: ")),
        "{bodies:?}"
    );
    // An approval that the person gives after that is theirs again.
    by_hand();
    stays("ours was taken back");
    // So is one that they gave after GitLab took ours back, which is older than its note.
    gitlab.merge(|merge| merge.approved.clear());
    show("Words.");
    run(&project, &gitlab, &[]);
    show(CLAIM);
    gitlab.merge(|merge| merge.approved_at = Some(String::from("2026-02-01T00:00:00.000Z")));
    stays("it was given later than ours");
    gitlab.merge(|merge| merge.approved_at = Some(String::from("2026-01-01T00:00:00.000Z")));
    let data = run(&project, &gitlab, &[]);
    assert_eq!(data["posted"]["dismissed"], 1, "{data}");
}

#[test]
fn an_unchanged_line_has_both_numbers_and_a_refused_one_stands_in_the_note() {
    let (project, gitlab) = (repository(), GitLab::start("b", &diff(CLAIM)));
    let finding = |line: u32, message: &str| json!({"file": "research/r.md", "line": line, "dimension": "external", "severity": "warning", "message": message});
    project.write(
        "findings.json",
        json!([finding(1, "what of?"), finding(90, "elsewhere")]).to_string(),
    );
    call(
        &project,
        &gitlab,
        &["post", URL, "--findings", "findings.json"],
    )
    .expect_code(0);
    let threads = gitlab.merge(|merge| merge.threads.clone());
    let position = &threads[0]["notes"][0]["position"];
    assert_eq!(
        (&position["new_line"], &position["old_line"]),
        (&json!(1), &json!(1))
    );
    let note = threads[1]["notes"][0]["body"].as_str().expect("text");
    assert!(
        note.contains("`research/r.md`") && note.contains("elsewhere"),
        "{note}"
    );
}

#[test]
fn a_diff_that_is_not_whole_is_not_looked_at() {
    let whole = diff(CLAIM);
    let cut = whole.find("+It is").expect("the claim");
    for (what, served, count) in [
        ("nothing", Some(Vec::new()), None),
        ("HTML", Some(b"<html></html>\n".to_vec()), None),
        ("cut", Some(whole.as_bytes()[..cut].to_vec()), None),
        ("more than is counted", None, Some("1000+")),
        ("another file", None, Some("2")),
    ] {
        let (project, gitlab) = (repository(), GitLab::start("b", &whole));
        gitlab.merge(|merge| {
            merge.served = served;
            merge.count = count.map(str::to_owned);
        });
        let data = run(&project, &gitlab, &["--degraded-verdict", "needs_human"]);
        assert_eq!(
            (&data["verdict"], &data["degraded"]),
            (&json!("needs_human"), &json!(true)),
            "{what}: {data}"
        );
        assert_eq!(gitlab.merge(|merge| merge.writes), 0, "{what}");
    }
}

#[test]
fn only_open_merge_requests_and_only_with_the_token_of_their_server() {
    let (project, gitlab) = (repository(), GitLab::start("b", &diff(CLAIM)));
    for state in ["closed", "merged", "locked"] {
        gitlab.merge(|merge| merge.state = state);
        call(&project, &gitlab, &["run", ".", "main", URL]).expect_code(5);
    }
    gitlab.merge(|merge| merge.state = "opened");
    // `GITLAB_TOKEN` is for gitlab.com unless `GITLAB_HOST` names another host.
    let own = "https://git.example/g/sub/r/-/merge_requests/7";
    let data = call(&project, &gitlab, &["run", ".", "main", own])
        .expect_code(0)
        .data();
    assert!(
        data["reason"]
            .as_str()
            .expect("a reason")
            .contains("GITLAB_HOST=git.example"),
        "{data}"
    );
    let run = Helper::at(env!("CARGO_BIN_EXE_audit_claims"))
        .call(project.path())
        .env("GITLAB_TOKEN", "t")
        .env("GITLAB_HOST", "git.example")
        .args([
            "--json",
            "run",
            ".",
            "main",
            own,
            "--engine",
            "rules",
            "--api-base",
            &gitlab.url(),
        ])
        .run()
        .expect_code(0);
    assert_eq!(run.data()["verdict"], "changes_requested", "{run}");
    let run = Helper::at(env!("CARGO_BIN_EXE_audit_claims"))
        .call(project.path())
        .args(["run", ".", "main", URL, "--api-base", &gitlab.url()])
        .run()
        .expect_code(0);
    assert!(run.stdout().contains("GITLAB_TOKEN is not set"), "{run}");
}
