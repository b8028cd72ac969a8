//! An audit by a reviewer, from the prompt to the artifact, without copying digests by hand.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Project, Ran, Review, call};

const PROOFS: &str = "PROOF_AUDIT.json";
const CLAIMS: &str = "PAPER_CLAIM_AUDIT.json";

fn command(project: &Project, name: &str, more: &[&str]) -> Ran {
    let args = [&[name, "paper", "--audit", "proof-checker"], more].concat();
    call(&project.root, &args, &[])
}

/// Records an answer to a prompt about all the sources.
fn answered(project: &Project, answer: &str) -> String {
    let asked = command(project, "prompt", &[]);
    assert_eq!(asked.code, 0, "{}", asked.stderr);
    project.review(&Review {
        skill: "proof-checker",
        thread: "t-proofs",
        prompt: &asked.stdout,
        files: Project::inputs("proof-checker"),
        answer: answer.as_bytes(),
        ..Review::default()
    })
}

#[test]
fn the_missing_audit_is_made_with_the_commands_that_the_gate_names() {
    let project = Project::new();
    project.remove(PROOFS);
    let blocked = project.gate();
    assert_eq!(blocked.code, 1);
    let step = blocked.report["steps"][0]["command"]
        .as_str()
        .expect("step");
    assert!(
        step.starts_with("verify_paper_audits prompt ") && step.ends_with("--audit proof-checker"),
        "{step}"
    );
    let words: Vec<&str> = step.split(' ').skip(1).collect();
    let asked = call(&project.root, &words, &[]);
    assert_eq!(asked.code, 0, "{}", asked.stderr);
    for file in ["main.tex", "sections/intro.tex", "sections/results.tex"] {
        assert!(
            asked.stdout.contains(&format!("- paper/{file}\n")),
            "{}",
            asked.stdout
        );
    }
    for next in ["save_trace --skill proof-checker", "record "] {
        assert!(asked.stderr.contains(next), "{}", asked.stderr);
    }
    let path = answered(&project, "Nothing to prove.\n\nVERDICT: NOT_APPLICABLE\n");
    let made = command(&project, "record", &["--trace", &path]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let artifact = project.artifact(PROOFS);
    let expected = json!({
        "audit_skill": "proof-checker", "verdict": "NOT_APPLICABLE", "thread_id": "t-proofs", "reviewer_model": "gpt-5.5",
        "trace_path": path, "generated_at": "2090-11-20T12:00:00Z",
    });
    for (key, value) in expected.as_object().expect("object") {
        assert_eq!(&artifact[key], value, "{key}");
    }
    // A root document stands for everything that it includes.
    let hashes = Value::Object(project.hashes(Project::inputs("citation-audit")));
    assert_eq!(artifact["audited_input_hashes"], hashes);
    let open = project.gate();
    assert_eq!(
        (open.code, open.ids("warn")),
        (0, vec![]),
        "{}",
        open.stdout
    );
    // Without --trace the latest run is used, and nothing changes.
    let before = project.read(PROOFS);
    let again = command(&project, "record", &[]);
    assert!(again.stdout.contains("(unchanged)"), "{}", again.stdout);
    assert_eq!(project.read(PROOFS), before);
}

/// The clock was wrong when the audits were written, and is right now.
#[test]
fn audits_from_the_future_are_written_anew() {
    let project = Project::new();
    project.bind().audit_claims(&[]).remove(PROOFS);
    let path = answered(&project, "VERDICT: NOT_APPLICABLE");
    let record = || command(&project, "record", &["--trace", &path]);
    assert_eq!(record().code, 0);
    for artifact in [CLAIMS, PROOFS] {
        let made = project.artifact(artifact)["generated_at"].clone();
        let made = made.as_str().expect("a time");
        project.edit(artifact, made, "2099-01-01T00:00:00Z");
    }
    let blocked = project.gate();
    assert_eq!(
        blocked.audits("clock"),
        ["proof-checker", "paper-claim-audit"]
    );
    project.audit_claims(&[]);
    assert!(!record().stdout.contains("(unchanged)"));
    let open = project.gate();
    assert_eq!(open.code, 0, "{}", open.stdout);
}

#[test]
fn an_answer_that_cannot_carry_an_audit_writes_nothing() {
    type Case = (&'static str, fn(&Project) -> String, u8, &'static str);
    let cases: [Case; 6] = [
        (
            "no verdict",
            |p| answered(p, "It seems fine to me."),
            4,
            "states no verdict",
        ),
        (
            "a source edited since",
            |p| {
                let path = answered(p, "VERDICT: PASS");
                p.edit("sections/intro.tex", "Gates", "Doors");
                path
            },
            5,
            "paper/sections/intro.tex changed after the review",
        ),
        (
            "a source removed since",
            |p| {
                let path = answered(p, "VERDICT: PASS");
                p.remove("sections/intro.tex");
                path
            },
            5,
            "changed after the review",
        ),
        (
            "a call that failed",
            |p| {
                p.review(&Review {
                    skill: "proof-checker",
                    status: "error",
                    ..Review::default()
                })
            },
            3,
            "holds no usable answer",
        ),
        (
            "an older record",
            |p| {
                p.review(&Review {
                    skill: "proof-checker",
                    older: true,
                    new_run: true,
                    ..Review::default()
                })
            },
            5,
            "does not say which bytes were reviewed",
        ),
        (
            "no such run",
            |_| String::from(".aris/traces/proof-checker/none"),
            3,
            "is not there",
        ),
    ];
    for (name, prepare, code, message) in cases {
        let project = Project::bare();
        let path = prepare(&project);
        let ran = command(&project, "record", &["--trace", &path]);
        assert_eq!(ran.code, code, "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains("hint: "), "{name}: {}", ran.stderr);
        assert!(!project.paper.join(PROOFS).exists(), "{name}");
    }
}

#[test]
fn the_last_answer_of_the_named_thread_counts_and_gaps_are_said() {
    let project = Project::bare();
    project.edit(
        "sections/results.tex",
        "Our gate",
        "\\begin{theorem}x\\end{theorem} Our gate",
    );
    let review = Review {
        skill: "proof-checker",
        thread: "t-proofs",
        prompt: "Audit.",
        files: &["sections/intro.tex"],
        answer: b"VERDICT: PASS",
        ..Review::default()
    };
    project.review(&review);
    project.review(&Review {
        prompt: "Are you sure?",
        files: &[],
        answer: b"I was wrong. VERDICT: FAIL",
        at: "2090-11-20T11:30:00Z",
        ..review
    });
    project.review(&Review {
        thread: "t-other",
        at: "2090-11-20T11:40:00Z",
        ..review
    });
    let last = command(&project, "record", &[]);
    assert!(last.code == 0 && project.artifact(PROOFS)["thread_id"] == "t-other");
    let ran = command(&project, "record", &["--thread-id", "t-proofs", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let data: Value = serde_json::from_str(&ran.stdout).expect("envelope");
    assert_eq!(data["data"]["verdict"], "FAIL");
    assert_eq!(
        data["data"]["not_reviewed"],
        json!(["sections/results.tex"])
    );
}

/// The caller forgot `--thread-id`: whether the reviewer took the verdict back is not known.
#[test]
fn a_later_answer_without_a_thread_is_not_passed_over() {
    let project = Project::new();
    project.remove(PROOFS);
    answered(&project, "VERDICT: NOT_APPLICABLE");
    assert_eq!(command(&project, "record", &[]).code, 0);
    assert_eq!(project.gate().code, 0);
    let later = Review {
        skill: "proof-checker",
        thread: "",
        files: Project::inputs("proof-checker"),
        answer: b"I was wrong.\n\nVERDICT: FAIL",
        at: "2090-11-20T11:30:00Z",
        ..Review::default()
    };
    project.review(&later);
    for thread in [&[][..], &["--thread-id", "t-proofs"]] {
        let refused = command(&project, "record", thread);
        assert_eq!(refused.code, 5, "{}", refused.stdout);
        for part in ["says FAIL and names no thread", "--thread-id"] {
            assert!(refused.stderr.contains(part), "{}", refused.stderr);
        }
    }
    let blocked = project.gate();
    assert_eq!(blocked.audits("trace_unrelated"), ["proof-checker"]);
    let why = ", names no thread and says FAIL";
    assert!(blocked.stdout.contains(why), "{}", blocked.stdout);
    project.review(&Review {
        thread: "t-proofs",
        answer: b"That was about another paper.\n\nVERDICT: NOT_APPLICABLE",
        at: "2090-11-20T11:45:00Z",
        ..later
    });
    assert_eq!(command(&project, "record", &[]).code, 0);
    assert_eq!(project.gate().code, 0);
}

#[test]
fn a_link_is_not_written_through_and_an_unknown_audit_is_named() {
    let project = Project::bare();
    answered(&project, "VERDICT: PASS");
    project
        .write("../elsewhere", "mine")
        .link("../elsewhere", PROOFS);
    let ran = command(&project, "record", &[]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    assert_eq!(
        fs::read_to_string(project.root.join("elsewhere")).expect("file"),
        "mine"
    );
    let args = ["prompt", "paper", "--audit", "proof-cheker"];
    let ran = call(&project.root, &args, &[]);
    assert!(
        ran.code == 2 && ran.stderr.contains("proof-checker"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_record_beside_the_chain_is_no_answer() {
    let project = Project::bare();
    let run = project.root.join(answered(&project, "VERDICT: FAIL\n"));
    for end in ["request.json", "response.md", "meta.json"] {
        let text = fs::read_to_string(run.join(format!("001-audit.{end}"))).expect("record");
        let text = text.replace("FAIL", "PASS").replace("T11:00", "T11:30");
        fs::write(run.join(format!("002-audit.{end}")), text).expect("forged");
    }
    let ran = command(&project, "record", &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(project.artifact(PROOFS)["verdict"], "FAIL");
}

#[test]
fn each_reviewer_is_asked_about_the_subject_of_the_audit() {
    let project = Project::bare();
    for (skill, question) in [
        ("proof-checker", "state a theorem"),
        ("kill-argument", "the one argument"),
        ("paper-claim-audit", "that you cannot trace"),
        ("citation-audit", "does the work exist"),
    ] {
        let asked = call(&project.root, &["prompt", "paper", "--audit", skill], &[]);
        assert_eq!(asked.code, 0, "{skill}: {}", asked.stderr);
        assert!(
            asked.stdout.starts_with("You "),
            "{skill}: {}",
            asked.stdout
        );
        assert!(asked.stdout.contains(question), "{skill}: {}", asked.stdout);
    }
}
