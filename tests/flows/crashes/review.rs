//! The review of a pull request: every writing command is aborted before each of its changes. Each commit is made once, each
//! comment is answered once, each finding is posted once.

use std::cell::RefCell;

use aris_testkit::{Forge, Helper, Project, Run, crash_at_every_change};
use serde_json::{Value, json};

use super::all_whole;
use crate::review::Research;

const OUT: &str = ".aris/temp/resolve-claims-review";
const MAP: &str = ".aris/temp/resolve-claims-review/classification_map_7.json";

/// A repository in which an edit that settles a comment has been made but not committed.
fn edited() -> Project {
    let project = Research::new().project;
    let entry = json!({
        "verdict": "ACCEPT", "evidence": "line 5", "fix_strategy": "add_citation", "escalate": false, "dimension": "external",
        "path": "research/report.md", "line": 5, "body": "b", "message": "m", "thread_node_id": "T100"
    });
    let mut other = entry.clone();
    other["fix_strategy"] = json!("rerun_required");
    other["escalate"] = json!(true);
    project.write(MAP, json!({"100": entry, "101": other}).to_string());
    project.write("research/report.md", "# Sparse heads\n\nmended\n");
    project
}

fn two_comments() -> Forge {
    let forge = Forge::start("experiment", "");
    forge.pull(|pull| {
        for line in [5, 6] {
            pull.comment(
                "research/report.md",
                line,
                "[critical] external: m",
                "OWNER",
            );
        }
    });
    forge
}

fn call(
    helper: &Helper,
    project: &Project,
    forge: &Forge,
    arguments: &[&str],
) -> aris_testkit::Call {
    helper
        .call(project.path())
        .env("GH_TOKEN", "t")
        .env("ARIS_GITHUB_API", forge.url())
        .args(arguments)
}

/// Aborts a call before each of its changes, in a copy of `prepared` with its own GitHub, and then repeats it.
fn survives(
    helper: &str,
    prepared: &Project,
    forge: fn() -> Forge,
    arguments: &[&str],
    check: impl Fn(&Project, &Forge, &Run, &str),
) {
    let helper = Helper::named(helper);
    let current = RefCell::new(None::<(Project, Forge)>);
    let crashes = crash_at_every_change(
        |_| {
            let (project, forge) = (Project::bare().copied(prepared.path()), forge());
            if arguments[0] == "finish" {
                let head = project.git(&["rev-parse", "HEAD"]);
                forge.pull(|pull| pull.head = head);
            }
            let begun = call(&helper, &project, &forge, arguments);
            current.replace(Some((project, forge)));
            begun
        },
        |number, _| {
            let when = format!("{}, crash {number}", arguments[0]);
            let (project, forge) = current.borrow_mut().take().expect("a project");
            all_whole(&project, &when);
            let again = call(&helper, &project, &forge, arguments)
                .run()
                .expect_code(0);
            all_whole(&project, &when);
            check(&project, &forge, &again, &when);
        },
    );
    let (project, forge) = current.borrow_mut().take().expect("a project");
    check(&project, &forge, &crashes.last, arguments[0]);
}

#[test]
fn an_edit_is_committed_once() {
    let arguments = [
        "apply",
        "--id",
        "100",
        "--status",
        "applied",
        "--files",
        "research/report.md",
    ];
    let start = edited();
    let before: usize = start
        .git(&["rev-list", "--count", "HEAD"])
        .parse()
        .expect("a number");
    survives(
        "resolve_claims_review",
        &start,
        two_comments,
        &arguments,
        |project, _, _, when| {
            let head = project.git(&["rev-parse", "HEAD"]);
            assert_eq!(
                project.git(&["rev-list", "--count", "HEAD"]),
                (before + 1).to_string(),
                "{when}"
            );
            assert_eq!(project.json(MAP)["100"]["sha"], head.as_str(), "{when}");
            assert_eq!(
                project
                    .read(&format!("{OUT}/addressed_7.jsonl"))
                    .lines()
                    .count(),
                1,
                "{when}"
            );
            assert!(
                !project.at(&format!("{OUT}/applying_7.json")).exists(),
                "{when}"
            );
        },
    );
}

#[test]
fn a_comment_is_answered_once() {
    let start = edited();
    let apply = [
        "apply",
        "--id",
        "100",
        "--status",
        "applied",
        "--files",
        "research/report.md",
    ];
    call(
        &Helper::named("resolve_claims_review"),
        &start,
        &two_comments(),
        &apply,
    )
    .run()
    .expect_code(0);
    let arguments = [
        "finish",
        "--repo",
        "o/r",
        "--pr",
        "7",
        "--branch",
        "experiment",
        "--classification",
        MAP,
    ];
    survives(
        "resolve_claims_review",
        &start,
        two_comments,
        &arguments,
        |project, forge, run, when| {
            assert!(
                run.stdout()
                    .ends_with("needs_rerun = true\nverdict = real_fix\nfixes_applied = 1\n"),
                "{when}"
            );
            let (replies, writes) = forge.pull(|pull| (pull.comments.len() - 2, pull.writes));
            assert_eq!((replies, writes), (2, 3), "{when}");
            let records = project.json(&format!("{OUT}/escalation_records_7.json"));
            assert_eq!(records.as_array().map(Vec::len), Some(1), "{when}");
        },
    );
}

/// The finding's line is part of the pull request.
const DIFF: &str = "diff --git a/r.md b/r.md\n--- a/r.md\n+++ b/r.md\n@@ -1 +1,2 @@\n # R\n+m\n";

#[test]
fn a_finding_is_posted_once() {
    let start = Project::new().file(
        "findings.json",
        json!([{"file": "r.md", "line": 2, "dimension": "external", "severity": "critical", "message": "m"}]).to_string(),
    );
    let arguments = [
        "post",
        "https://github.com/o/r/pull/7",
        "--findings",
        "findings.json",
    ];
    survives(
        "audit_claims",
        &start,
        || Forge::start("b", DIFF),
        &arguments,
        |_, forge, run, when| {
            assert!(
                run.stdout().ends_with("verdict = changes_requested\n"),
                "{when}"
            );
            let (comments, reviews) = forge.pull(|pull| (pull.comments.len(), pull.reviews.len()));
            assert_eq!((comments, reviews), (1, 1), "{when}");
        },
    );
}

#[test]
fn an_attempt_that_never_came_back_was_one() {
    let start = edited();
    let arguments = ["validate", "--command", "true"];
    survives(
        "resolve_claims_review",
        &start,
        two_comments,
        &arguments,
        |project, _, _, when| {
            let state: Value = project.json(&format!("{OUT}/validation_7.json"));
            assert_eq!(state["status"], "PASS", "{when}");
            assert!(
                state["attempts"]
                    .as_u64()
                    .is_some_and(|attempts| attempts <= 2),
                "{when}"
            );
        },
    );
}
