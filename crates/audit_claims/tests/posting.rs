//! Reviews on GitHub: every way to post them, through a local server and a fake `gh`.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use aris_testkit::{Forge, Helper, Project, Run, fake_gh, keeps};
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
    // A finding in a resolved thread is posted again, and --repost posts all findings again.
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
    // The request for changes takes the approval back.
    assert_eq!(states, ["DISMISSED", "CHANGES_REQUESTED", "APPROVED"]);
}

#[test]
fn an_approval_that_was_not_taken_is_no_approval_where_that_is_asked_for() {
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    forge.pull(|pull| pull.refused.reviews = true);
    let none = json!([]);
    let run = post(
        &project,
        &forge,
        &none,
        &["--degraded-verdict", "needs_human"],
    );
    let data = run.data();
    assert_eq!(
        (&data["verdict"], &data["degraded"]),
        (&json!("needs_human"), &json!(true)),
        "{run}"
    );
}

#[test]
fn every_tier_is_reached_when_the_ones_before_are_refused() {
    let all = "";
    for (what, refuse, wanted, writes) in [
        ("own", json!({"own_pull": true}), (json!(0), 2, 0), 1),
        ("batch", json!({"batch": true}), (json!(1), 2, 0), 3),
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
        assert_eq!(run.data()["degraded"], what == "everything", "{what}");
        assert_eq!(forge.pull(|pull| pull.writes), writes, "{what}");
        assert_eq!(run.data()["posted"]["own_pr"] == true, what == "own");
        // Nothing that was posted is posted again.
        post(&project, &forge, &two(), &[]);
        assert_eq!(forge.pull(|pull| pull.writes), writes, "{what}, again");
        // Whatever happens to the comments, the review is there with its event, which is what blocks a merge.
        let reviews = forge.pull(|pull| pull.reviews.clone());
        let states: Vec<&Value> = reviews.iter().map(|review| &review["state"]).collect();
        match what {
            "own" => assert_eq!(states, ["COMMENTED"]),
            "everything" => assert!(states.is_empty()),
            _ => assert_eq!(states, ["CHANGES_REQUESTED"], "{what}"),
        }
        let body = reviews.first().and_then(|review| review["body"].as_str());
        assert!(
            what == "everything" || body.expect("text").contains("outside the diff"),
            "{what}"
        );
        if what == "batch and comments" {
            let body = body.expect("text");
            assert!(
                body.starts_with("DEGRADED")
                    && body.contains("no citation")
                    && body.contains("no source"),
                "{body}"
            );
        }
    }
}

#[test]
fn a_refused_comment_stands_in_the_review() {
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    forge.pull(|pull| {
        pull.refused.batch = true;
        pull.refused.comments = Some("r.md");
        pull.served = Some((406, Vec::new()));
        pull.refused.files = true;
    });
    let mut findings = two();
    findings[1]["file"] = json!("s.md");
    project.write("findings.json", findings.to_string());
    // Without a diff the lines of findings are not checked.
    let run = helper()
        .call(project.path())
        .env("GITHUB_TOKEN", "t")
        .env("ARIS_GITHUB_API", forge.url())
        .args(["--json", "post", URL, "--findings", "findings.json"])
        .run()
        .expect_code(0);
    assert_eq!(posted(&run), (json!(1), 1, 2));
    let reviews = forge.pull(|pull| pull.reviews.clone());
    assert_eq!(
        (reviews.len(), &reviews[0]["state"]),
        (1, &json!("CHANGES_REQUESTED"))
    );
    let body = reviews[0]["body"].as_str().expect("text");
    assert!(
        body.contains("r.md:2") && body.contains("outside the diff") && !body.contains("s.md"),
        "{body}"
    );
}

/// The two findings in other words, on a report whose lines have moved.
#[test]
fn a_finding_stays_the_same_where_its_line_moves_or_other_words_are_found_for_it() {
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    post(&project, &forge, &two(), &[]);
    let moved = "diff --git a/r.md b/r.md\n--- a/r.md\n+++ b/r.md\n@@ -0,0 +1,6 @@\n+# T\n+New.\n+Newer.\n+Others   reach *90* points.\n+We are the first.\n+End.\n";
    let again = json!([
        finding(json!(4), "critical", "a source for the 90 points is needed"),
        finding(json!(5), "warning", "who says so?"),
    ]);
    project.write("findings.json", again.to_string());
    project.write("moved.diff", moved);
    let run = helper()
        .call(project.path())
        .env("GH_TOKEN", "t")
        .args([
            "--json",
            "post",
            URL,
            "--findings",
            "findings.json",
            "--diff",
            "moved.diff",
            "--api-base",
            &forge.url(),
        ])
        .run()
        .expect_code(0);
    assert_eq!(run.data()["posted"]["already"], 2, "{run}");
    assert_eq!(forge.pull(|pull| pull.comments.len()), 2);
    // Two lines of equal text are two places.
    let twice = "diff --git a/r.md b/r.md\n--- a/r.md\n+++ b/r.md\n@@ -0,0 +1,3 @@\n+We win.\n+Else.\n+We win.\n";
    let both = json!([
        finding(json!(1), "warning", "m"),
        finding(json!(3), "warning", "m")
    ]);
    // The thread of the line that is gone is closed, and the other one stays.
    let forge = Forge::start("b", DIFF);
    let post = |diff: &str, findings: &Value| {
        project.write("findings.json", findings.to_string());
        project.write("twice.diff", diff);
        let words = [
            "--json",
            "post",
            URL,
            "--complete",
            "--findings",
            "findings.json",
        ];
        let run = helper()
            .call(project.path())
            .env("GH_TOKEN", "t")
            .args(words);
        run.args(["--diff", "twice.diff", "--api-base", &forge.url()])
            .run()
            .expect_code(0)
    };
    post(twice, &both);
    forge.pull(|pull| {
        pull.outdated.insert(100);
        pull.comments[1]["line"] = json!(2);
    });
    let one =
        "diff --git a/r.md b/r.md\n--- a/r.md\n+++ b/r.md\n@@ -0,0 +1,2 @@\n+Else.\n+We win.\n";
    for closed in [1, 0] {
        let run = post(one, &json!([finding(json!(2), "warning", "m")]));
        assert_eq!(run.data()["posted"]["closed"], closed, "{run}");
        let resolved = forge.pull(|pull| pull.resolved.clone());
        assert_eq!(resolved.into_iter().collect::<Vec<_>>(), [100]);
    }
    project.write("findings.json", both.to_string());
    project.write("moved.diff", twice);
    let run = helper()
        .call(project.path())
        .args(["--json", "merge", "findings.json"])
        .run()
        .expect_code(0);
    let prints = |run: &Run| -> Vec<String> {
        let list = run.data()["findings"].as_array().expect("findings").clone();
        list.iter()
            .map(|finding| finding["fingerprint"].as_str().expect("one").to_owned())
            .collect()
    };
    let prints = prints(&run);
    assert_ne!(prints[0], prints[1]);
}

/// The output of `merge` gives the same verdict as the lists.
#[test]
fn merging_makes_nothing_readable() {
    let project = Project::bare()
        .file("entry.json", json!([{"severity": "critical"}]).to_string())
        .file(
            "problems.json",
            json!({"findings": [], "problems": ["e.md is empty"]}).to_string(),
        )
        .file(
            "degraded.json",
            json!({"findings": [], "degraded": true, "reason": "nobody looked"}).to_string(),
        )
        .file(
            "text.json",
            json!({"findings": [], "problems": "e.md is empty"}).to_string(),
        )
        .file(
            "object.json",
            json!({"findings": [], "problems": {"e.md": "empty"}}).to_string(),
        )
        .file(
            "word.json",
            json!({"findings": [], "degraded": "yes"}).to_string(),
        )
        .file(
            "rejected.json",
            json!({"findings": [], "rejected": "all"}).to_string(),
        );
    let call = |words: &[&str]| helper().call(project.path()).args(words).run();
    for given in [
        "entry", "problems", "text", "object", "degraded", "word", "rejected",
    ] {
        let mut list = format!("{given}.json");
        for round in 0..3 {
            let said = call(&["verdict", "--findings", &list, "--exit-signal"]);
            let said = said.expect_code(10);
            assert!(
                said.stdout().ends_with("verdict = needs_human\n"),
                "{given}, merged {round} times: {said}"
            );
            let merged = call(&["merge", &list, "--json", "-o", "merged.json"]);
            project.write("printed.json", merged.expect_code(0).stdout());
            list = ["merged.json", "printed.json"][round % 2].to_owned();
        }
        project.write("main.tex", "mine");
        call(&["merge", &list, "-o", "main.tex"]).expect_code(2);
        assert_eq!(project.read("main.tex"), "mine");
    }
    // What else is found at a place is told in every form.
    let mut list = two();
    list[1]["line"] = json!(2);
    project.write("two.json", list.to_string());
    for form in ["text", "sarif", "rdjson"] {
        let shown = call(&["merge", "two.json", "--format", form]).expect_code(0);
        for message in ["no citation", "no source", "outside the diff"] {
            assert_eq!(
                shown.stdout().matches(message).count(),
                1,
                "{form}: {shown}"
            );
        }
    }
    let shown = call(&["merge", "problems.json"]).expect_code(0);
    assert_eq!(shown.stdout(), "problem: e.md is empty\n");
}

#[test]
fn the_gravest_of_a_place_counts_in_any_order_as_help_says() {
    let project = Project::bare();
    for (name, severity) in [("a.json", "info"), ("b.json", "critical")] {
        project.write(name, json!([finding(json!(1), severity, name)]).to_string());
    }
    let call = |words: &[&str]| helper().call(project.path()).args(words).run();
    for order in [["a.json", "b.json"], ["b.json", "a.json"]] {
        let merged = call(&["merge", order[0], order[1]]).expect_code(0);
        assert_eq!(
            merged.stdout(),
            "r.md:1: [critical] external: b.json\nr.md:1: [info] external: a.json\n"
        );
    }
    let help = call(&["merge", "--help"]).expect_code(0);
    let help = help
        .stdout()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        help.contains("which has the highest severity and lists the others"),
        "{help}"
    );
}

#[test]
fn threads_of_findings_that_are_gone_are_closed_by_who_looked() {
    for (complete, answered, closed) in [(true, false, 1), (false, false, 0), (true, true, 0)] {
        let (project, forge) = (Project::new(), Forge::start("b", DIFF));
        post(&project, &forge, &two(), &[]);
        forge.pull(|pull| {
            pull.outdated.insert(101);
            // A comment of somebody else is not ours to close.
            pull.comment("r.md", 4, "[warning] external: and this?", "MEMBER");
            pull.comments.last_mut().expect("one")["user"]["login"] = json!("mona");
            if answered {
                pull.comment("r.md", 3, "I disagree", "MEMBER");
                let reply = pull.comments.last_mut().expect("one");
                reply["user"]["login"] = json!("mona");
                reply["in_reply_to_id"] = json!(101);
            }
        });
        let one = json!([finding(json!(2), "critical", "no citation")]);
        let more: &[&str] = if complete { &["--complete"] } else { &[] };
        let run = post(&project, &forge, &one, more);
        assert_eq!(run.data()["posted"]["closed"], closed, "{run}");
        let (resolved, minimized) =
            forge.pull(|pull| (pull.resolved.clone(), pull.minimized.clone()));
        let wanted = if closed == 1 { vec![101] } else { vec![] };
        assert_eq!(resolved.into_iter().collect::<Vec<_>>(), wanted);
        assert_eq!(minimized.into_iter().collect::<Vec<_>>(), wanted);
    }
}

#[test]
fn a_silent_github_is_away_before_the_deadline() {
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    forge.pull(|pull| pull.slow = 4000);
    project.write("findings.json", two().to_string());
    let words = [
        "post",
        URL,
        "--findings",
        "findings.json",
        "--deadline",
        "2",
    ];
    let call = helper().call(project.path()).env("GH_TOKEN", "t");
    let run = call.args(words).args(["--api-base", &forge.url()]).run();
    let shown = run.expect_code(0);
    assert!(shown.stdout().contains("did not answer"), "{shown}");
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
fn nobody_else_can_silence_a_finding_with_a_copied_mark() {
    // Also when the author may write in the repository.
    for association in ["NONE", "OWNER", "COLLABORATOR"] {
        silence(association);
    }
}

fn silence(association: &str) {
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    post(&project, &forge, &two(), &[]);
    let bodies = forge.pull(|pull| {
        let bodies: Vec<String> = pull
            .comments
            .drain(..)
            .map(|comment| comment["body"].as_str().expect("text").to_owned())
            .collect();
        for body in &bodies {
            let id = pull.comment("r.md", 2, body, association);
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

/// Where no variable has the token, `gh` is asked for the token of the host and for nothing else.
#[test]
fn gh_gives_the_token_of_the_host_and_of_no_other() {
    let forge = Forge::start("b", DIFF);
    let enterprise = "https://ghe.example/o/r/pull/7";
    for (url, tokens, variables, sent) in [
        (
            URL,
            &[("github.com", "kept")] as &[_],
            &[] as &[(&str, &str)],
            Some("Bearer kept"),
        ),
        (
            URL,
            &[("github.com", "kept")],
            &[("GITHUB_TOKEN", "set")],
            Some("Bearer set"),
        ),
        (URL, &[("ghe.example", "other")], &[], None),
        (
            enterprise,
            &[("github.com", "kept"), ("ghe.example", "other")],
            &[("GH_TOKEN", "set")],
            Some("Bearer other"),
        ),
        (
            enterprise,
            &[("github.com", "kept")],
            &[("GH_ENTERPRISE_TOKEN", "own")],
            Some("Bearer own"),
        ),
        (
            enterprise,
            &[("github.com", "kept")],
            &[("GH_TOKEN", "set")],
            None,
        ),
    ] {
        let project = Project::new().file("findings.json", "[]");
        let arms: Vec<String> = tokens
            .iter()
            .map(|(host, token)| keeps(host, token))
            .collect();
        fake_gh(&project, &arms.concat());
        let before = forge.log().len();
        let mut call = helper().call(project.path());
        for (name, value) in variables {
            call = call.env(name, value);
        }
        let run = call
            .args([
                "--json",
                "post",
                url,
                "--findings",
                "findings.json",
                "--gh",
                "bin/gh",
                "--api-base",
                &forge.url(),
            ])
            .run()
            .expect_code(0);
        let log = forge.log();
        let new = log.get(before..).unwrap_or_default();
        assert_eq!(run.data()["degraded"], sent.is_none(), "{run}");
        if let Some(sent) = sent {
            let authorized = |call: &&aris_testkit::Received| call.headers["authorization"] == sent;
            assert_eq!(
                new.iter().filter(authorized).count(),
                new.len(),
                "{url} {sent}"
            );
        } else {
            // Without a token nothing leaves the machine.
            assert!(new.is_empty(), "{url}");
            let reason = run.data()["reason"].as_str().expect("why").to_owned();
            assert!(reason.contains("gh has no token for"), "{reason}");
        }
        let asked = std::fs::read_to_string(project.at("bin/log")).unwrap_or_default();
        assert!(
            asked
                .lines()
                .all(|line| line.starts_with("<auth><token><--hostname>")),
            "{asked}"
        );
    }
}

/// A review that was taken although the answer was an error is not posted a second time, whichever way it was sent.
#[test]
fn a_review_whose_answer_was_lost_is_looked_for_before_it_is_sent_in_pieces() {
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    forge.pull(|pull| pull.refused.answer = Some((true, 502)));
    assert_eq!(
        posted(&post(&project, &forge, &two(), &[])),
        (json!(0), 2, 0)
    );
    assert_eq!(forge.pull(|pull| pull.writes), 1);
    // With --repost an older review with the same text looks like the new one.
    assert_eq!(
        posted(&post(&project, &forge, &two(), &["--repost"])),
        (json!(3), 0, 2)
    );
    assert_eq!(forge.pull(|pull| pull.writes), 2);
}

/// **Source**: GitHub, "Commenting on a pull request": a fenced block `suggestion` replaces the lines that the comment is on.
#[test]
fn a_comment_offers_the_edit_of_the_line_as_it_stands_and_no_other() {
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    let suggest = |line: u64, stands: &str, becomes: &str| {
        let mut finding = finding(json!(line), "critical", "wrong");
        finding["suggestion"] = json!({"line": stands, "becomes": becomes});
        finding
    };
    let findings = json!([
        suggest(
            2,
            "Others reach 90 points.",
            "Others reach ```80``` points."
        ),
        suggest(3, "another line", "We are."),
        suggest(
            4,
            "End.",
            "End. <!-- aris:audit-claims fp=0123456789abcdef -->"
        ),
    ]);
    post(&project, &forge, &findings, &[]);
    let body = |at: usize| forge.pull(|pull| pull.comments[at]["body"].clone());
    let first = body(0);
    let first = first.as_str().expect("text");
    assert!(
        first.contains("\n````suggestion\nOthers reach ```80``` points.\n````\n"),
        "{first}"
    );
    for at in [1, 2] {
        let body = body(at);
        assert!(
            !body.as_str().expect("text").contains("suggestion"),
            "{body}"
        );
    }
}

#[test]
fn an_approval_names_its_commit_and_does_not_outlive_another_verdict() {
    let person = || {
        let mut finding = finding(json!(2), "warning", "no citation");
        finding["requires_decision"] = json!(true);
        json!([finding])
    };
    for (dismissals, wanted) in [
        (true, json!(["DISMISSED", "COMMENTED"])),
        (false, json!(["APPROVED", "CHANGES_REQUESTED"])),
    ] {
        let (project, forge) = (Project::new(), Forge::start("b", DIFF));
        post(&project, &forge, &json!([]), &[]);
        let sent = forge.log();
        let sent = sent.iter().rfind(|one| one.method == "POST");
        let sent: Value = serde_json::from_slice(&sent.expect("a review").body).expect("JSON");
        assert_eq!(
            (&sent["event"], &sent["commit_id"]),
            (&json!("APPROVE"), &json!("a".repeat(40)))
        );
        forge.pull(|pull| {
            pull.head = "b".repeat(40);
            pull.refused.dismissals = !dismissals;
        });
        let data = post(&project, &forge, &person(), &[]).data();
        assert_eq!(data["verdict"], "needs_human");
        assert_eq!(data["posted"]["dismissed"], u64::from(dismissals));
        assert_eq!(states(&forge), wanted, "{data}");
        post(&project, &forge, &person(), &[]);
        assert_eq!(states(&forge), wanted);
    }
}

#[test]
fn what_one_review_does_not_hold_follows_in_others() {
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    let many = |line: Value| -> Value {
        let message = |at| format!("m{at}m {}", "x".repeat(3900));
        (0..40)
            .map(|at| finding(line.clone(), "warning", &message(at)))
            .collect()
    };
    post(&project, &forge, &many(json!(null)), &[]);
    let told = forge.pull(|pull| json!(pull.reviews).to_string());
    assert!((0..40).all(|at| told.contains(&format!("m{at}m"))));
    let writes = forge.pull(|pull| pull.writes);
    assert_eq!(writes, 3);
    post(&project, &forge, &many(json!(null)), &[]);
    assert_eq!(forge.pull(|pull| pull.writes), writes);
    // A comment that would be too long leaves the rest to the text of the review, also where the line is refused.
    for refused in [None, Some("")] {
        let (project, forge) = (Project::new(), Forge::start("b", DIFF));
        forge.pull(|pull| {
            pull.refused.comments = refused;
            pull.refused.batch = refused.is_some();
        });
        let many = many(json!(2));
        let first = post(&project, &forge, &many, &[]);
        assert_eq!(first.data()["degraded"], false, "{first}");
        let texts = |pull: &mut aris_testkit::Pull| -> Vec<String> {
            let all = pull.reviews.iter().chain(&pull.comments);
            all.map(|one| one["body"].as_str().expect("text").to_owned())
                .collect()
        };
        let told = forge.pull(texts);
        assert!(told.iter().all(|text| text.chars().count() < 65_536));
        let told = told.concat();
        for at in 0..40 {
            assert_eq!(told.matches(&format!("m{at}m")).count(), 1, "{at}");
        }
        let asked = forge
            .log()
            .iter()
            .filter(|call| call.method == "POST")
            .count();
        let again = post(&project, &forge, &many, &[]);
        assert_eq!(posted(&again), (Value::Null, 0, 0), "{again}");
        let then = forge
            .log()
            .iter()
            .filter(|call| call.method == "POST")
            .count();
        // GraphQL is asked for threads.
        let threads = usize::from(refused.is_none());
        assert_eq!(then, asked + threads);
    }
}

#[test]
fn a_finding_in_other_words_is_the_same_also_where_no_diff_is_at_hand() {
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    let quote = "\"Others reach 90 points.\"";
    for message in [
        format!("{quote} has no citation"),
        format!("The sentence {quote} cites nothing"),
    ] {
        let findings = json!([finding(json!(2), "critical", &message)]);
        project.write("findings.json", findings.to_string());
        helper()
            .call(project.path())
            .env("GH_TOKEN", "t")
            .args(["--json", "post", URL, "--findings", "findings.json"])
            .args(["--api-base", &forge.url()])
            .run()
            .expect_code(0);
    }
    assert_eq!(forge.pull(|pull| pull.comments.len()), 1);
}

#[test]
fn a_later_finding_on_a_line_with_a_comment_is_posted_and_nothing_twice() {
    let of = |dimension: &str| {
        let mut finding = finding(json!(2), "critical", &format!("{dimension} is missing"));
        finding["dimension"] = json!(dimension);
        finding
    };
    let (first, second) = (of("external"), of("comparative"));
    let bodies = |forge: &Forge| {
        forge.pull(|pull| {
            let bodies = pull
                .comments
                .iter()
                .map(|comment| comment["body"].to_string());
            bodies.collect::<Vec<_>>()
        })
    };
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    post(&project, &forge, &json!([first]), &[]);
    for _ in 0..2 {
        post(&project, &forge, &json!([first, second]), &[]);
        let there = bodies(&forge);
        assert_eq!(there.len(), 2, "{there:?}");
        assert!(there[1].contains("comparative is missing"), "{there:?}");
        assert!(!there[1].contains("external is missing"), "{there:?}");
    }
    // Two findings were posted as one comment: each is recognized alone, and the thread stays open as long as one of them is there.
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    for (list, complete, resolved) in [
        (json!([first, second]), "", 0),
        (json!([second, first]), "", 0),
        (json!([second]), "--complete", 0),
        (json!([first]), "--complete", 0),
        (json!([]), "--complete", 1),
    ] {
        let more = [complete];
        let more = if complete.is_empty() {
            &[][..]
        } else {
            &more[..]
        };
        post(&project, &forge, &list, more);
        assert_eq!(bodies(&forge).len(), 1, "{list}");
        assert_eq!(forge.pull(|pull| pull.resolved.len()), resolved, "{list}");
    }
    // A comment of an earlier version marks only the first of its findings.
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    post(&project, &forge, &json!([first, second]), &[]);
    forge.pull(|pull| {
        let body = pull.comments[0]["body"].as_str().expect("text");
        let (body, _) = body.rsplit_once('\n').expect("two marks");
        pull.comments[0]["body"] = json!(body);
    });
    post(&project, &forge, &json!([first, second]), &[]);
    assert_eq!(bodies(&forge).len(), 1);
}

/// The state on GitHub counts: a review with the same text that was dismissed, or followed by an approval, is sent again.
fn states(forge: &Forge) -> Value {
    forge.pull(|pull| {
        let states = pull.reviews.iter().map(|review| review["state"].clone());
        Value::Array(states.collect())
    })
}

/// Of one login the latest review counts, whichever gate it is of.
#[test]
fn an_approval_of_one_gate_lifts_no_block_of_the_other() {
    let person = json!([{"file": "r.md", "line": 2, "dimension": "external", "severity": "warning", "message": "m", "requires_decision": true}]);
    let (blocked, held) = ("CHANGES_REQUESTED", "COMMENTED");
    for (one, other) in [("claims", "review"), ("review", "claims")] {
        let (project, forge) = (Project::new(), Forge::start("b", DIFF));
        let say = |gate: &str, findings: &Value, more: &[&str]| {
            let more = [&["--gate", gate], more].concat();
            post(&project, &forge, findings, &more).data()["posted"].clone()
        };
        say(one, &two(), &[]);
        for more in [&[][..], &[], &["--repost"]] {
            let posted = say(other, &json!([]), more);
            assert!(posted["held_by"].is_string(), "{posted}");
        }
        assert_eq!(states(&forge), json!([blocked, held, held]));
        say(one, &json!([]), &[]);
        let approved = json!([blocked, held, held, "APPROVED"]);
        assert_eq!(states(&forge), approved);
        // A question of one takes the approval back.
        say(other, &person, &[]);
        let asked = json!([blocked, held, held, "DISMISSED", held]);
        assert_eq!(states(&forge), asked);
        for _ in 0..2 {
            say(one, &json!([]), &[]);
            let asked = json!([blocked, held, held, "DISMISSED", held, held]);
            assert_eq!(states(&forge), asked);
        }
        let posted = say(other, &json!([]), &[]);
        assert_eq!(posted["held_by"], Value::Null, "{posted}");
        assert_eq!(states(&forge)[6], "APPROVED");
    }
}

#[test]
fn a_review_that_counts_no_more_is_sent_again() {
    for (findings, was) in [
        (two(), "CHANGES_REQUESTED"),
        (json!([]), "APPROVED"),
        (
            json!([{"file": "r.md", "line": 2, "dimension": "external", "severity": "warning", "message": "m", "requires_decision": true}]),
            "COMMENTED",
        ),
    ] {
        let (project, forge) = (Project::new(), Forge::start("b", DIFF));
        post(&project, &forge, &findings, &[]);
        assert_eq!(states(&forge), json!([was]));
        forge.pull(|pull| pull.reviews[0]["state"] = json!("DISMISSED"));
        for _ in 0..2 {
            let run = post(&project, &forge, &findings, &[]);
            assert_eq!(states(&forge), json!(["DISMISSED", was]), "{run}");
        }
    }
    // The same login approves by hand, because the token belongs to a person: the block is set again, once.
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    post(&project, &forge, &two(), &[]);
    forge.pull(|pull| {
        let mut approval = pull.reviews[0].clone();
        approval["id"] = json!(9);
        approval["state"] = json!("APPROVED");
        approval["body"] = json!("fine");
        pull.reviews.push(approval);
    });
    for _ in 0..2 {
        let run = post(&project, &forge, &two(), &[]);
        let wanted = json!(["CHANGES_REQUESTED", "APPROVED", "CHANGES_REQUESTED"]);
        assert_eq!(states(&forge), wanted, "{run}");
    }
    assert_eq!(forge.pull(|pull| pull.comments.len()), 2);
    // A review is also sent again when its finding was settled since, and is found again.
    let (project, forge) = (Project::new(), Forge::start("b", DIFF));
    let findings = json!([{"file": "r.md", "line": null, "dimension": "external", "severity": "critical", "message": "m"}]);
    post(&project, &forge, &findings, &[]);
    forge.pull(|pull| {
        let mut settled = pull.reviews[0].clone();
        let body = settled["body"].as_str().expect("text").to_owned();
        let (_, print) = body.split_once(" fp=").expect("a mark");
        let mark = format!(
            "<!-- aris:audit-claims settled=001{} -->",
            print.get(3..16).expect("a mark")
        );
        (settled["id"], settled["state"], settled["body"]) =
            (json!(9), json!("COMMENTED"), json!(mark));
        pull.reviews.push(settled);
    });
    for _ in 0..2 {
        let run = post(&project, &forge, &findings, &[]);
        let wanted = json!(["CHANGES_REQUESTED", "COMMENTED", "CHANGES_REQUESTED"]);
        assert_eq!(states(&forge), wanted, "{run}");
    }
}
