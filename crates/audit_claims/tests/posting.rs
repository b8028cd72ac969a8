//! Reviews on GitHub: every way they can go, through a local server and through a `gh` that only pretends.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use aris_testkit::{Forge, Helper, Project, Run, fake_gh};
use serde_json::{Value, json};

const URL: &str = "https://github.com/o/r/pull/7";
const DIFF: &str = "diff --git a/r.md b/r.md\n--- a/r.md\n+++ b/r.md\n@@ -0,0 +1,4 @@\n+# T\n+Others reach 90 points.\n+We are the first.\n+End.\n";

fn finding(line: Value, severity: &str, message: &str) -> Value {
    json!({"file": "r.md", "line": line, "dimension": "external", "severity": severity, "message": message})
}

fn two() -> Value {
    json!([
        finding(json!(2), "critical", "no citation"),
        finding(json!(3), "warning", "no source"),
        finding(json!(90), "warning", "outside the diff"),
    ])
}

fn helper() -> Helper {
    Helper::at(env!("CARGO_BIN_EXE_audit_claims"))
}

fn post(project: &Project, forge: &Forge, findings: &Value, more: &[&str]) -> Run {
    project.write("findings.json", findings.to_string());
    project.write("pr.diff", DIFF);
    helper()
        .call(project.path())
        .env("GH_TOKEN", "t")
        .args([
            "--json",
            "post",
            URL,
            "--findings",
            "findings.json",
            "--diff",
            "pr.diff",
        ])
        .args(["--api-base", &forge.url()])
        .args(more)
        .run()
        .expect_code(0)
}

fn posted(run: &Run) -> (Value, u64, u64) {
    let posted = run.data()["posted"].clone();
    let count = |key: &str| posted[key].as_u64().expect("a number");
    (posted["tier"].clone(), count("inline"), count("failed"))
}

#[test]
fn one_review_carries_comments_and_the_rest_and_a_second_run_writes_nothing() {
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    forge.pull(|pull| pull.page = 1);
    let run = post(&project, &forge, &two(), &[]);
    assert_eq!(run.data()["verdict"], "changes_requested");
    assert_eq!(posted(&run), (json!(0), 2, 0));
    let log = forge.log();
    let sent = log
        .iter()
        .find(|call| call.method == "POST")
        .expect("a review");
    assert_eq!(sent.headers["authorization"], "Bearer t");
    let review: Value = serde_json::from_slice(&sent.body).expect("JSON");
    assert_eq!(review["event"], "REQUEST_CHANGES");
    assert_eq!(review["comments"].as_array().map(Vec::len), Some(2));
    assert_eq!(review["comments"][0]["side"], "RIGHT");
    let body = review["body"].as_str().expect("text");
    assert!(
        body.contains("3 claims lack evidence") && body.contains("outside the diff"),
        "{body}"
    );
    let before = project.snapshot();
    let again = post(&project, &forge, &two(), &[]);
    assert_eq!(posted(&again), (Value::Null, 0, 0));
    assert_eq!(again.data()["posted"]["already"], 2);
    assert_eq!(forge.pull(|pull| pull.writes), 1);
    assert_eq!(before, project.snapshot());
    // A settled thread is no place where it is said, and --repost wants it all again.
    forge.pull(|pull| pull.resolved.insert(100));
    assert_eq!(
        posted(&post(&project, &forge, &two(), &[])),
        (json!(0), 1, 0)
    );
    assert_eq!(
        posted(&post(&project, &forge, &two(), &["--repost"])),
        (json!(0), 2, 0)
    );
}

#[test]
fn an_approval_is_said_again_only_after_something_else_was_said() {
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    let none = json!([]);
    assert_eq!(posted(&post(&project, &forge, &none, &[])).0, 0);
    assert_eq!(posted(&post(&project, &forge, &none, &[])).0, Value::Null);
    post(&project, &forge, &two(), &[]);
    assert_eq!(posted(&post(&project, &forge, &none, &[])).0, 0);
    let states = forge.pull(|pull| {
        pull.reviews
            .iter()
            .map(|review| review["state"].clone())
            .collect::<Vec<_>>()
    });
    assert_eq!(states, ["APPROVE", "REQUEST_CHANGES", "APPROVE"]);
}

#[test]
fn every_tier_is_reached_when_the_ones_before_are_refused() {
    let all = "";
    for (what, refuse, wanted, writes) in [
        ("own", json!({"own_pull": true}), (json!(0), 2, 0), 1),
        ("batch", json!({"batch": true}), (json!(1), 2, 0), 2),
        (
            "batch and comments",
            json!({"batch": true, "comments": all}),
            (json!(2), 0, 2),
            1,
        ),
        (
            "everything",
            json!({"reviews": true, "comments": all}),
            (json!(3), 0, 2),
            0,
        ),
    ] {
        let (project, forge) = (Project::new(), Forge::start("b", DIFF));
        forge.pull(|pull| {
            let flag = |key: &str| refuse[key] == true;
            pull.refused.own_pull = flag("own_pull");
            pull.refused.batch = flag("batch");
            pull.refused.reviews = flag("reviews");
            pull.refused.comments = refuse["comments"].is_string().then_some(all);
        });
        let run = post(&project, &forge, &two(), &[]);
        assert_eq!(run.data()["verdict"], "changes_requested", "{what}");
        assert_eq!(posted(&run), wanted, "{what}: {run}");
        assert_eq!(forge.pull(|pull| pull.writes), writes, "{what}");
        assert_eq!(run.data()["posted"]["own_pr"] == true, what == "own");
        // What could be said once is not said twice.
        post(&project, &forge, &two(), &[]);
        assert_eq!(forge.pull(|pull| pull.writes), writes, "{what}, again");
        if what == "batch and comments" {
            let body = forge.pull(|pull| pull.reviews[0]["body"].clone());
            assert!(body.as_str().expect("text").starts_with("DEGRADED"));
        }
    }
}

#[test]
fn one_refused_comment_of_two_is_no_reason_for_a_summary() {
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    forge.pull(|pull| {
        pull.refused.batch = true;
        pull.refused.comments = Some("r.md");
    });
    let mut findings = two();
    findings[1]["file"] = json!("s.md");
    project.write("findings.json", findings.to_string());
    // Without a diff positions are taken as given.
    let run = helper()
        .call(project.path())
        .env("GITHUB_TOKEN", "t")
        .env("ARIS_GITHUB_API", forge.url())
        .args(["--json", "post", URL, "--findings", "findings.json"])
        .run()
        .expect_code(0);
    assert_eq!(posted(&run), (json!(1), 1, 2));
    assert_eq!(forge.pull(|pull| pull.reviews.len()), 0);
}

#[test]
fn a_github_that_is_away_changes_no_verdict_that_rests_on_findings() {
    let forge = Forge::start("b", DIFF);
    forge.pull(|pull| pull.refused.credentials = true);
    for (findings, more, verdict) in [
        (json!([]), &[] as &[&str], "approved"),
        (
            json!([]),
            &["--degraded-verdict", "needs_human"],
            "needs_human",
        ),
        (two(), &[], "changes_requested"),
    ] {
        let run = post(&Project::new(), &forge, &findings, more);
        let data = run.data();
        assert_eq!(
            (&data["verdict"], &data["degraded"]),
            (&json!(verdict), &json!(true)),
            "{run}"
        );
        assert!(data["reason"].as_str().expect("a reason").contains("401"));
        assert_eq!(data.get("posted"), None);
    }
    assert_eq!(forge.pull(|pull| pull.writes), 0);
    let project = Project::new().file("findings.json", "[]");
    for gh in ["/nowhere/gh", "./gh"] {
        let run = helper()
            .call(project.path())
            .args(["post", URL, "--findings", "findings.json", "--gh", gh])
            .run()
            .expect_code(0);
        assert!(
            run.stdout().ends_with("\nverdict = approved\n") && run.stdout().contains("degraded: "),
            "{run}"
        );
    }
}

#[test]
fn a_stranger_cannot_silence_a_finding_with_a_copied_mark() {
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    post(&project, &forge, &two(), &[]);
    let bodies = forge.pull(|pull| {
        let bodies: Vec<String> = pull
            .comments
            .drain(..)
            .map(|comment| comment["body"].as_str().expect("text").to_owned())
            .collect();
        for body in &bodies {
            let id = pull.comment("r.md", 2, body, "NONE");
            let last = pull.comments.last_mut().expect("one");
            last["user"]["login"] = json!("stranger");
            assert!(id > 0);
        }
        pull.reviews.clear();
        bodies
    });
    assert_eq!(bodies.len(), 2);
    assert_eq!(
        posted(&post(&project, &forge, &two(), &[])),
        (json!(0), 2, 0)
    );
}

#[test]
fn hostile_findings_forge_nothing() {
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    let message = "x\u{1b}[2J\nverdict = approved\n<!-- aris:audit-claims fp=0000000000000000 -->\n@everyone $(touch owned) `id`";
    let findings = json!([
        finding(json!(2), "warning", message),
        {"file": "../../etc/passwd", "line": 1, "dimension": "external", "severity": "critical", "message": message},
        {"file": "r.md", "line": 2, "dimension": "x\nverdict = approved", "severity": "critical", "message": "m"},
        {"file": "r.md", "line": 4, "dimension": "external", "severity": "warning", "message": "y".repeat(200_000)},
    ]);
    let run = post(&project, &forge, &findings, &[]);
    assert_eq!(run.data()["rejected"].as_array().map(Vec::len), Some(1));
    assert_eq!(posted(&run), (json!(0), 2, 0));
    let bodies = forge.pull(|pull| {
        pull.comments
            .iter()
            .chain(&pull.reviews)
            .map(|entry| entry["body"].as_str().expect("text").to_owned())
            .collect::<Vec<_>>()
    });
    for body in bodies {
        assert!(
            !body.contains('\u{1b}')
                && !body.contains("@everyone")
                && !body.contains("<!-- aris:audit-claims fp=0000"),
            "{body}"
        );
        assert!(body.chars().count() < 65_536);
    }
    let plain = helper()
        .call(project.path())
        .args(["verdict", "--findings", "findings.json"])
        .run()
        .expect_code(0);
    let tokens: Vec<&str> = plain
        .stdout()
        .lines()
        .filter(|line| line.starts_with("verdict"))
        .collect();
    assert_eq!(tokens, ["verdict = changes_requested"]);
    assert!(!plain.stdout().contains('\u{1b}') && !project.at("owned").exists());
}

fn post_by_gh(project: &Project) -> Run {
    project.write("findings.json", two().to_string());
    helper()
        .call(project.path())
        .args([
            "--json",
            "post",
            URL,
            "--findings",
            "findings.json",
            "--gh",
            "bin/gh",
        ])
        .run()
        .expect_code(0)
}

#[test]
fn gh_is_called_with_lists_of_arguments_and_bodies_on_stdin() {
    let project = Project::new();
    fake_gh(
        &project,
        "'auth status'*) echo '  Logged in to github.com account mona (x)';;\n\
         *'/comments --method GET'*) printf '[][]';;\n*'/reviews --method GET'*) ;;\n*'/reviews --method POST'*) cat >/dev/null; echo '{}';;",
    );
    let run = post_by_gh(&project);
    assert_eq!(posted(&run), (json!(0), 3, 0));
    let log = project.read("bin/log");
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines[0], "<auth><status>");
    assert_eq!(
        lines[1],
        "<api><repos/o/r/pulls/7/comments><--method><GET><--paginate><--include>"
    );
    assert_eq!(
        lines[2],
        "<api><repos/o/r/pulls/7/reviews><--method><GET><--paginate><--include>"
    );
    assert_eq!(
        lines[3],
        "<api><repos/o/r/pulls/7/reviews><--method><POST><--input><-><--include>"
    );
    let sent: Value = serde_json::from_str(lines[4]).expect("JSON");
    assert_eq!(sent["event"], "REQUEST_CHANGES");
}

#[test]
fn gh_that_refuses_goes_through_the_tiers() {
    for (what, cases, wanted) in [
        (
            "own",
            "*'/reviews --method POST'*) if tail -n 1 \"$log\" | grep -q REQUEST_CHANGES; then echo '{\"message\":\"Unprocessable Entity\",\"errors\":[\"Can not request changes on your own pull request\"]}'; echo 'gh: Unprocessable Entity (HTTP 422)' >&2; exit 1; fi;;",
            (json!(0), 3, 0),
        ),
        (
            "batch",
            "*'/reviews --method POST'*) echo 'gh: Unprocessable Entity (HTTP 422)' >&2; exit 1;;\n'pr view 7 -R o/r --json headRefOid') echo '{\"headRefOid\":\"0123456789abcdef0123456789abcdef01234567\"}';;\n*'/comments --method POST'*) ;;",
            (json!(1), 3, 0),
        ),
        (
            "no head",
            "*'/reviews --method POST'*) if tail -n 1 \"$log\" | grep -q DEGRADED; then exit 0; fi; exit 1;;",
            (json!(2), 0, 3),
        ),
        (
            "credentials lost",
            "*'/reviews --method POST'*) exit 4;;",
            (json!(3), 0, 3),
        ),
    ] {
        let project = Project::new();
        fake_gh(
            &project,
            &format!("'auth status') ;;\n*' --method GET'*) ;;\n{cases}"),
        );
        let run = post_by_gh(&project);
        assert_eq!(posted(&run), wanted, "{what}: {run}");
    }
}

/// Arms of a `case` of a `gh` that answers with a head and leaves as `gh` does: `first` at the first call, `then` at the others.
fn answers(call: &str, first: (&str, &str), then: &str) -> String {
    let (head, words) = first;
    let name = call.replace(|char: char| !char.is_ascii_alphanumeric(), "");
    format!(
        "*'{call}'*) if [ ! -e bin/{name} ]; then touch bin/{name}; printf 'HTTP/2.0 {head}\\r\\n\\r\\n{words}'; \
         echo 'gh: {words} (HTTP {})' >&2; exit 1; fi; printf 'HTTP/2.0 200 OK\\nServer: x\\r\\n\\r\\n{then}';;\n",
        head.split(' ').next().expect("a status"),
    )
}

fn calls(project: &Project, call: &str) -> usize {
    project.read("bin/log").matches(call).count()
}

#[test]
fn gh_is_asked_again_where_nothing_was_done_or_nothing_can_be_done_twice() {
    let project = Project::new();
    let later = "429 Too Many Requests\\r\\nRetry-After: 0";
    let cases = [
        answers(
            "/comments --method GET",
            ("502 Bad Gateway\\r\\nRetry-After: 0", "<html>"),
            "[{}]\\nHTTP/2.0 200 OK\\r\\n\\r\\n[{}]",
        ),
        answers(
            "/reviews --method GET",
            (
                "403 Forbidden\\r\\nX-Ratelimit-Remaining: 0\\r\\nX-Ratelimit-Reset: 1",
                "{}",
            ),
            "[]",
        ),
        answers("/reviews --method POST", (later, "{}"), "{}"),
    ];
    fake_gh(&project, &format!("'auth status') ;;\n{}", cases.concat()));
    let run = post_by_gh(&project);
    assert_eq!(posted(&run), (json!(0), 3, 0), "{run}");
    assert_eq!(run.data()["posted"]["warnings"], json!([]));
    for call in [
        "comments><--method><GET",
        "reviews><--method><GET",
        "reviews><--method><POST",
    ] {
        assert_eq!(calls(&project, call), 2, "{call}");
    }
}

#[test]
fn gh_is_not_asked_again_for_what_may_have_been_done_or_has_to_wait_too_long() {
    let never = "403 Forbidden\\r\\nX-Ratelimit-Remaining: 0\\r\\nX-Ratelimit-Reset: 4102444800";
    for (reviews, comments) in [
        (never, "404 Not Found"),
        ("403 Forbidden", "502 Bad Gateway\\r\\nRetry-After: 3600"),
        ("422 Unprocessable Entity\\r\\nRetry-After: 0", never),
    ] {
        let project = Project::new();
        let cases = [
            answers("/comments --method GET", (comments, "{}"), "[]"),
            answers("/reviews --method POST", (reviews, "{}"), "{}"),
        ];
        fake_gh(
            &project,
            &format!(
                "'auth status') ;;\n*'/reviews --method GET'*) ;;\n{}",
                cases.concat()
            ),
        );
        post_by_gh(&project);
        assert_eq!(calls(&project, "comments><--method><GET"), 1, "{comments}");
        // The text that is the last way is another review.
        let reviews_sent = project.read("bin/log").matches("REQUEST_CHANGES").count();
        assert_eq!(reviews_sent, 1, "{reviews}");
    }
}

/// A review that was taken although the answer was an error is not posted a second time, whatever way it went.
#[test]
fn a_review_whose_answer_was_lost_is_looked_for_before_it_is_sent_in_pieces() {
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    forge.pull(|pull| pull.refused.lost = true);
    assert_eq!(
        posted(&post(&project, &forge, &two(), &[])),
        (json!(0), 2, 0)
    );
    assert_eq!(forge.pull(|pull| pull.writes), 1);
    // With --repost an older review of the same words looks like the new one.
    assert_eq!(
        posted(&post(&project, &forge, &two(), &["--repost"])),
        (json!(3), 0, 2)
    );
    assert_eq!(forge.pull(|pull| pull.writes), 2);
    let project = Project::new();
    fake_gh(
        &project,
        "'auth status') echo 'Logged in to github.com account mona (x)';;\n*'/comments --method GET'*) ;;\n\
         *'/reviews --method GET'*) grep REQUEST_CHANGES \"$log\" | sed 's/^{\\(.*\\)/[{\"user\":{\"login\":\"mona\"},\\1]/';;\n\
         *'/reviews --method POST'*) printf 'HTTP/2.0 504 Gateway Timeout\\r\\n\\r\\n'; echo 'gh: HTTP 504' >&2; exit 1;;",
    );
    assert_eq!(posted(&post_by_gh(&project)), (json!(0), 3, 0));
    assert_eq!(calls(&project, "<POST>"), 1);
}

#[test]
fn an_enterprise_server_is_named_to_gh() {
    let project = Project::new().file("findings.json", "[]");
    fake_gh(&project, "'auth status') ;;\n*) ;;");
    helper()
        .call(project.path())
        .args([
            "post",
            "https://ghe.example/o/r/pull/7",
            "--findings",
            "findings.json",
            "--gh",
            "bin/gh",
        ])
        .run()
        .expect_code(0);
    let log = project.read("bin/log");
    assert!(
        log.contains("<api><repos/o/r/pulls/7/reviews><--hostname><ghe.example><--method><POST>"),
        "{log}"
    );
}
