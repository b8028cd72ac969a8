//! Nothing is posted twice: not where the list of what is there cannot be read, not by two calls at the same time, not after an answer that
//! asks to wait although the review was taken. Nothing is posted to a pull request that is not open.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use aris_testkit::{Forge, Helper, Project, Run};
use serde_json::{Value, json};

const URL: &str = "https://github.com/o/r/pull/7";
const DIFF: &str = "diff --git a/r.md b/r.md\n--- a/r.md\n+++ b/r.md\n@@ -0,0 +1,4 @@\n+# T\n+Others reach 90 points.\n+We are the first.\n+End.\n";

fn findings() -> Value {
    let finding = |line: u32, message: &str| json!({"file": "r.md", "line": line, "dimension": "external", "severity": "warning", "message": message});
    json!([finding(2, "no citation"), finding(3, "no source")])
}

fn project() -> Project {
    Project::new()
        .file("findings.json", findings().to_string())
        .file("pr.diff", DIFF)
}

fn post(project: &Project, forge: &Forge, out: &str) -> Run {
    Helper::at(env!("CARGO_BIN_EXE_audit_claims"))
        .call(project.path())
        .env("GH_TOKEN", "t")
        .env("XDG_STATE_HOME", project.path().join("state"))
        .args(["--json", "post", URL, "--findings", "findings.json"])
        .args(["--diff", "pr.diff", "--out-dir", out])
        .args(["--api-base", &forge.url()])
        .run()
}

fn there(forge: &Forge) -> (usize, usize) {
    forge.pull(|pull| (pull.comments.len(), pull.reviews.len()))
}

#[test]
fn nothing_is_posted_where_what_is_there_cannot_be_read() {
    for list in [
        ("comments", 1, 500),
        ("comments", 1, 200),
        ("comments", 2, 500),
        ("comments", 2, 404),
        ("reviews", 1, 500),
        ("reviews", 1, 200),
    ] {
        let (project, forge) = (project(), Forge::start("b", DIFF));
        forge.pull(|pull| pull.page = 1);
        post(&project, &forge, "out").expect_code(0);
        assert_eq!(there(&forge), (2, 1));
        forge.pull(|pull| pull.refused.list = Some(list));
        let data = post(&project, &forge, "out").expect_code(0).data();
        assert_eq!(there(&forge), (2, 1), "{list:?}");
        assert_eq!(
            (&data["verdict"], &data["degraded"]),
            (&json!("changes_requested"), &json!(true)),
            "{list:?}: {data}"
        );
        let reason = data["reason"].as_str().expect("a reason");
        assert!(
            reason.starts_with("nothing was posted") && reason.contains(list.0),
            "{reason}"
        );
        // A later call posts what is missing.
        forge.pull(|pull| {
            pull.refused.list = None;
            pull.comments.pop();
        });
        post(&project, &forge, "out").expect_code(0);
        assert_eq!(there(&forge).0, 2, "{list:?}");
    }
    let (project, forge) = (project(), Forge::start("b", DIFF));
    post(&project, &forge, "out").expect_code(0);
    forge.pull(|pull| pull.refused.graphql = true);
    let data = post(&project, &forge, "out").expect_code(0).data();
    assert_eq!(
        (there(&forge), &data["degraded"]),
        ((2, 1), &json!(true)),
        "{data}"
    );
}

#[test]
fn of_calls_at_the_same_time_one_posts() {
    for outs in [["one", "one", "one"], ["one", "two", "three"]] {
        let (project, forge) = (project(), Forge::start("b", DIFF));
        forge.pull(|pull| pull.slow = 30);
        std::thread::scope(|scope| {
            for out in outs {
                scope.spawn(|| post(&project, &forge, out).expect_code(0));
            }
        });
        assert_eq!(there(&forge), (2, 1), "{outs:?}");
    }
}

#[test]
fn a_review_that_was_taken_although_the_answer_says_later_is_not_sent_again() {
    for status in [429, 503, 502, 403] {
        let (project, forge) = (project(), Forge::start("b", DIFF));
        forge.pull(|pull| pull.refused.answer = Some((true, status)));
        let data = post(&project, &forge, "out").expect_code(0).data();
        assert_eq!(there(&forge), (2, 1), "{status}");
        assert_eq!(data["posted"]["tier"], 0, "{status}: {data}");
    }
    // A review that was not taken is not sent in pieces to a busy service; a later call posts it.
    for status in [429, 503, 403] {
        let (project, forge) = (project(), Forge::start("b", DIFF));
        forge.pull(|pull| pull.refused.answer = Some((false, status)));
        let data = post(&project, &forge, "out").expect_code(0).data();
        assert_eq!(there(&forge), (0, 0), "{status}");
        assert_eq!(data["posted"]["tier"], 3, "{status}: {data}");
        let posts = forge
            .log()
            .iter()
            .filter(|call| call.method == "POST" && call.path().contains("/pulls/"))
            .count();
        assert_eq!(posts, 1, "{status}");
        forge.pull(|pull| pull.refused.answer = None);
        post(&project, &forge, "out").expect_code(0);
        assert_eq!(there(&forge), (2, 1), "{status}");
    }
}

#[test]
fn nothing_is_posted_to_a_pull_request_that_is_not_open() {
    let (project, forge) = (
        project()
            .file(".git/objects/.keep", "")
            .file(".git/refs/.keep", ""),
        Forge::start("b", DIFF),
    );
    forge.pull(|pull| pull.state = "closed");
    let run = post(&project, &forge, "out").expect_code(5);
    assert!(
        run.error()["message"]
            .as_str()
            .expect("text")
            .contains("closed"),
        "{run}"
    );
    for arguments in [&["run", ".", "main", URL][..], &["prepare", URL]] {
        Helper::at(env!("CARGO_BIN_EXE_audit_claims"))
            .call(project.path())
            .env("GH_TOKEN", "t")
            .env("ARIS_GITHUB_API", forge.url())
            .args(["--json"])
            .args(arguments)
            .run()
            .expect_code(5);
    }
    assert_eq!(forge.pull(|pull| pull.writes), 0);
}
