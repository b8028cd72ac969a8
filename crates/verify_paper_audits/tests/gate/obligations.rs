//! Findings stay open until their cause is removed.

use serde_json::Value;

use crate::support::{AUDITS, CLAIMS, Damage, Project, Review, call};

const KILL: &str = "KILL_ARGUMENT.json";
const LIST: &str = ".aris/audit-obligations.json";

#[test]
fn a_finding_that_vanishes_without_its_cause_blocks() {
    let project = Project::new();
    // A record of an older writer: nothing says which bytes were reviewed.
    let old = Review {
        older: true,
        thread: "t-old",
        new_run: true,
        ..Review::default()
    };
    project.rests_on(&old, "PASS");
    assert_eq!(project.gate().code, 0);
    project.edit("sections/results.tex", "84.7", "89.2");
    let ran = project.gate();
    assert!(ran.ids("block").contains(&String::from("stale_input")));
    assert!(
        project.read(LIST).contains("stale_input"),
        "{}",
        project.read(LIST)
    );
    for (artifact, skill) in AUDITS
        .into_iter()
        .filter(|(artifact, _)| *artifact != CLAIMS)
    {
        project.audit(artifact, skill, Project::inputs(skill));
    }
    // Edit the artifact's hash instead of repeating the audit.
    let file = "sections/results.tex";
    project.set_hash(CLAIMS, file, project.hash(file));
    let ran = project.gate();
    assert_eq!(ran.ids("block"), ["obligation_open"], "{}", ran.stdout);
    let listed = call(&project.root, &["obligations", "paper"], &[]);
    assert!(
        listed.code == 0 && listed.stdout.contains("sections/results.tex"),
        "{}",
        listed.stdout
    );
    // A second run changes nothing.
    let before = project.read(LIST);
    assert_eq!(project.gate().ids("block"), ["obligation_open"]);
    assert_eq!(project.read(LIST), before);
}

#[test]
fn an_audit_that_failed_is_not_cleared_by_taking_it_away() {
    let taken: [(&str, Damage); 2] = [
        ("removed", |p| {
            p.remove(KILL);
        }),
        ("replaced", |p| {
            p.write(KILL, r#"{"audit_skill": "kill-argument", "verdict": "NOT_APPLICABLE", "reviewer_model": "none"}"#);
        }),
    ];
    for (name, take) in taken {
        let project = Project::new();
        project
            .audit(KILL, "kill-argument", &["main.tex"])
            .says(KILL, "FAIL");
        assert_eq!(project.gate().ids("block"), ["blocking_verdict"]);
        take(&project);
        let ran = project.gate();
        assert_eq!(
            ran.ids("block"),
            ["obligation_open"],
            "{name}: {}",
            ran.stdout
        );
        assert_eq!(ran.audits("obligation_open"), ["kill-argument"], "{name}");
    }
}

/// An audit of the paper's own list is taken out of it for one run and put back.
#[test]
fn an_audit_that_failed_is_not_cleared_by_a_run_that_does_not_ask_for_it() {
    const LISTED: &str = r#"{"schema": "aris.verify_paper_audits.manifest/v1", "audits": [{"artifact": "ETHICS.json", "skill": "ethics-check"}]}"#;
    const NONE: &str = r#"{"schema": "aris.verify_paper_audits.manifest/v1", "audits": []}"#;
    let (project, ethics) = (Project::new(), "ETHICS.json");
    project.write(".aris/audits.json", LISTED);
    project
        .audit(ethics, "ethics-check", &["main.tex"])
        .says(ethics, "FAIL");
    assert_eq!(project.gate().ids("block"), ["blocking_verdict"]);
    project.write(".aris/audits.json", NONE).remove(ethics);
    assert_eq!(project.gate().ids("block"), Vec::<String>::new());
    project.write(".aris/audits.json", LISTED);
    let ran = project.gate();
    assert!(
        ran.audits("obligation_open") == ["ethics-check"],
        "{}",
        ran.stdout
    );
}

#[test]
fn what_was_found_with_one_root_waits_for_that_root() {
    let project = Project::new();
    let asked = "\\input{sections/new}\n";
    project
        .write("sections/new.tex", "It has 12.5\\,\\% more.")
        .edit("sections/intro.tex", "Gates", &format!("{asked}Gates"));
    assert!(
        project
            .gate()
            .ids("block")
            .contains(&String::from("uncovered_input"))
    );
    let before = project.artifact(LIST)["obligations"].clone();
    let other = [
        "--assurance",
        "submission",
        "--root",
        "sections/results.tex",
    ];
    let ran = project.run(&other);
    assert_eq!(ran.audits("obligation_open").len(), 0, "{}", ran.stdout);
    let after = project.artifact(LIST)["obligations"].clone();
    let kept = |open: &&Value| after.as_array().expect("list").contains(open);
    assert!(
        before
            .as_array()
            .expect("list")
            .iter()
            .all(|open| kept(&open))
    );
}

#[test]
fn a_review_repeated_after_its_traces_were_deleted_closes() {
    let project = Project::new();
    project.says(CLAIMS, "FAIL");
    assert_eq!(project.gate().code, 1);
    project.remove("../.aris/traces").remove("../.aris/meta");
    project.edit("sections/results.tex", "84.7", "84.70");
    for (artifact, skill) in AUDITS {
        project.audit_at(artifact, skill, "2090-11-20T10:50:00Z");
    }
    let ran = project.gate();
    assert_eq!(ran.code, 0, "{}", ran.stdout);
}

#[test]
fn what_was_repaired_is_closed() {
    let repairs: [(&str, Damage, Damage); 5] = [
        (
            "the edit is taken back",
            |p| {
                p.edit("sections/results.tex", "84.7", "89.2");
            },
            |p| {
                p.edit("sections/results.tex", "89.2", "84.7");
            },
        ),
        (
            "the reviewer looked again",
            |p| {
                p.edit("sections/results.tex", "84.7", "89.2");
            },
            |p| {
                p.seal();
            },
        ),
        (
            "a program made the audit instead",
            |p| {
                p.says(CLAIMS, "FAIL");
            },
            |p| {
                p.bind().audit_claims(&[]);
            },
        ),
        (
            "the reviewer is content now",
            |p| {
                p.says(CLAIMS, "FAIL");
            },
            |p| {
                p.edit("sections/results.tex", "84.7", "84.70").seal();
            },
        ),
        (
            "the added section is dropped",
            |p| {
                p.write(
                    "sections/new.tex",
                    "It has 12.5\\,\\% more, see~\\cite{knuth1984}.",
                );
                p.edit(
                    "main.tex",
                    "\\bibliographystyle",
                    "\\input{sections/new}\n\\bibliographystyle",
                );
            },
            |p| {
                p.edit("main.tex", "\\input{sections/new}\n", "")
                    .remove("sections/new.tex");
            },
        ),
    ];
    for (name, damage, repair) in repairs {
        let project = Project::new();
        damage(&project);
        assert_eq!(project.gate().code, 1, "{name}");
        let list: Value = serde_json::from_str(&project.read(LIST)).expect("json");
        assert!(
            !list["obligations"].as_array().expect("list").is_empty(),
            "{name}"
        );
        repair(&project);
        let ran = project.gate();
        assert_eq!(ran.code, 0, "{name}: {}", ran.stdout);
        let list: Value = serde_json::from_str(&project.read(LIST)).expect("json");
        assert_eq!(list["obligations"], serde_json::json!([]), "{name}");
    }
}

#[test]
fn a_list_that_cannot_be_used_is_an_error_and_one_that_cannot_be_written_is_not() {
    let project = Project::new();
    project.write(LIST, "[]");
    let ran = project.gate();
    assert!(ran.code == 4 && ran.stderr.contains(LIST), "{}", ran.stderr);
    project.remove(LIST).write("../../outside.json", "{}");
    project.link(project.root.join("../outside.json"), LIST);
    let ran = project.gate();
    assert!(
        ran.code == 2 && ran.stderr.contains("leads out"),
        "{}",
        ran.stderr
    );
    let clean = Project::new();
    clean.gate();
    assert!(
        !clean.paper.join(LIST).exists(),
        "nothing was found and a list was written"
    );
}

#[test]
fn two_gates_at_once_lose_nothing() {
    let project = Project::new();
    project.edit("sections/results.tex", "84.7", "89.2");
    let path = assert_cmd::cargo::cargo_bin!("verify_paper_audits");
    let children: Vec<_> = (0..6)
        .map(|number| {
            let root = if number % 2 == 0 {
                "main.tex"
            } else {
                "sections/intro.tex"
            };
            std::process::Command::new(path)
                .args(["paper", "--root", root, "--quiet"])
                .current_dir(&project.root)
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .spawn()
                .expect("started")
        })
        .collect();
    for mut child in children {
        child.wait().expect("ended");
    }
    let list: Value = serde_json::from_str(&project.read(LIST)).expect("json");
    let roots: std::collections::BTreeSet<&str> = list["obligations"]
        .as_array()
        .expect("list")
        .iter()
        .filter_map(|open| open["root"].as_str())
        .collect();
    assert_eq!(
        roots.into_iter().collect::<Vec<_>>(),
        ["main.tex", "sections/intro.tex"]
    );
}
