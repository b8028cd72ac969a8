//! The program from outside: papers and results in, artifact and exit code out.
#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests prepare files and start the program directly"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A project with a paper and results.
struct Project {
    temp: TempDir,
}

struct Answer {
    exit: i32,
    artifact: Value,
    output: Output,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self {
            temp: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(project.path("paper")).unwrap();
        // A repository of its own: whatever lies above it on this machine is not part of the project.
        project.write(".git/HEAD", b"ref: refs/heads/main\n");
        for (name, text) in files {
            project.write(name, text.as_bytes());
        }
        project
    }

    /// A paper with this body, and three runs of an own and a baseline method.
    fn with_runs(body: &str) -> Self {
        let project = Self::new(&[("paper/main.tex", &document(body))]);
        for (seed, (ours, base)) in [(0.846, 0.823), (0.848, 0.824), (0.853, 0.825)]
            .into_iter()
            .enumerate()
        {
            project.write(
                &format!("results/ours/seed_{seed}.json"),
                format!("{{\"accuracy\": {ours}}}").as_bytes(),
            );
            project.write(
                &format!("results/baseline/seed_{seed}.json"),
                format!("{{\"accuracy\": {base}}}").as_bytes(),
            );
        }
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn run(&self, args: &[&str]) -> Output {
        run(self.temp.path(), &[&["paper"], args].concat())
    }

    fn audit(&self, args: &[&str]) -> Answer {
        let output = self.run(args);
        let bytes = fs::read(self.path("paper/PAPER_CLAIM_AUDIT.json")).unwrap();
        Answer {
            exit: output.status.code().unwrap(),
            artifact: serde_json::from_slice(&bytes).unwrap(),
            output,
        }
    }
}

impl Answer {
    fn verdict(&self) -> (&str, &str, i32) {
        (
            self.artifact["verdict"].as_str().unwrap(),
            self.artifact["reason_code"].as_str().unwrap(),
            self.exit,
        )
    }

    /// `text status` of each claim.
    fn claims(&self) -> Vec<String> {
        let claims = self.artifact["details"]["claims"].as_array().unwrap();
        claims
            .iter()
            .map(|claim| {
                format!(
                    "{} {}",
                    claim["text"].as_str().unwrap(),
                    claim["status"].as_str().unwrap()
                )
            })
            .collect()
    }
}

fn document(body: &str) -> String {
    format!("\\documentclass{{article}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n")
}

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_paper_claim_audit"))
        .current_dir(folder)
        .args(args)
        .output()
        .unwrap()
}

#[test]
fn numbers_that_follow_pass_and_a_second_run_changes_no_byte() {
    let project = Project::with_runs(
        "Our method reaches an accuracy of 84.9\\% and the baseline 82.4\\%, averaged over three seeds.",
    );
    let first = project.audit(&[]);
    assert_eq!(
        first.verdict(),
        ("PASS", "all_numbers_match", 0),
        "{:?}",
        first.claims()
    );
    assert_eq!(
        first.claims(),
        ["84.9 exact_match", "82.4 exact_match", "three exact_match"]
    );
    let hashes = first.artifact["audited_input_hashes"].as_object().unwrap();
    assert!(
        hashes.contains_key("main.tex") && hashes.contains_key("../results/ours/seed_0.json"),
        "{hashes:?}"
    );
    assert_eq!(
        first.artifact["reviewer_model"],
        concat!(
            "deterministic/paper_claim_audit@",
            env!("CARGO_PKG_VERSION")
        )
    );
    let files = ["paper/PAPER_CLAIM_AUDIT.json", "paper/PAPER_CLAIM_AUDIT.md"]
        .map(|name| project.path(name));
    let before = files.each_ref().map(|file| fs::read(file).unwrap());
    project.audit(&[]);
    assert_eq!(before, files.each_ref().map(|file| fs::read(file).unwrap()));
}

#[test]
fn the_best_seed_as_the_mean_fails() {
    let project =
        Project::with_runs("Averaged over three seeds, our method reaches an accuracy of 85.3\\%.");
    let answer = project.audit(&[]);
    assert_eq!(answer.verdict(), ("FAIL", "claim_mismatch", 10));
    assert!(
        answer
            .claims()
            .contains(&"85.3 aggregation_mismatch".to_owned()),
        "{:?}",
        answer.claims()
    );
    let text = String::from_utf8(answer.output.stdout).unwrap();
    assert!(
        text.contains("main.tex:3:") && text.contains("84.9"),
        "{text}"
    );
}

#[test]
fn numbers_without_results_block_and_text_without_numbers_is_not_applicable() {
    let numbers = Project::new(&[(
        "paper/main.tex",
        &document("We reach an accuracy of 84.9\\%."),
    )]);
    assert_eq!(
        numbers.audit(&[]).verdict(),
        ("BLOCKED", "no_raw_evidence", 10)
    );
    let none = Project::new(&[(
        "paper/main.tex",
        &document("See Section 2 of the book of 1984."),
    )]);
    assert_eq!(
        none.audit(&[]).verdict(),
        ("NOT_APPLICABLE", "no_numeric_claims", 0)
    );
}

#[test]
fn claims_that_nothing_mentions_are_missing_and_never_wrong() {
    let project =
        Project::with_runs("Our accuracy is 84.9\\%. A survey of 37.5\\% of all hospitals agrees.");
    let answer = project.audit(&[]);
    assert_eq!(answer.verdict(), ("WARN", "unmapped_claims", 10));
    assert_eq!(
        answer.claims(),
        ["84.9 exact_match", "37.5 missing_evidence"]
    );
}

#[test]
fn files_that_cannot_be_read_are_named_and_never_ignored() {
    for (name, bytes, place) in [
        ("results/broken.json", &b"{\"a\": 1,\n \"b\": }"[..], (2, 7)),
        ("results/wide.csv", b"a,b\n1,2\n1,2,3\n", (3, 1)),
        ("results/latin.csv", b"a,b\n1,\xe9\n", (2, 3)),
        ("results/broken.yaml", b"a: [1, 2\nb: 3\n", (2, 2)),
    ] {
        let project = Project::with_runs("Our accuracy is 84.9\\%.");
        project.write(name, bytes);
        let answer = project.audit(&[]);
        assert_eq!(
            answer.verdict(),
            ("ERROR", "result_malformed", 10),
            "{name}"
        );
        let finding = &answer.artifact["details"]["findings"][0];
        assert_eq!(finding["file"], format!("../{name}"));
        assert_eq!(
            (
                finding["line"].as_i64().unwrap(),
                finding["column"].as_i64().unwrap()
            ),
            place,
            "{finding}"
        );
        assert!(
            answer.artifact["audited_input_hashes"]
                .as_object()
                .unwrap()
                .contains_key(&format!("../{name}"))
        );
    }
}

#[test]
fn sources_that_are_missing_or_no_text_are_errors() {
    let missing = Project::with_runs("\\input{gone}Our accuracy is 84.9\\%.");
    assert_eq!(
        missing.audit(&[]).verdict(),
        ("ERROR", "source_missing", 10)
    );
    let latin = Project::with_runs("\\input{latin}Our accuracy is 84.9\\%.");
    latin.write("paper/latin.tex", b"caf\xe9 84.9");
    assert_eq!(
        latin.audit(&[]).verdict(),
        ("ERROR", "source_unreadable", 10)
    );
    let empty = Project::new(&[("paper/notes.txt", "none")]);
    assert_eq!(
        empty.audit(&[]).verdict(),
        ("ERROR", "no_root_document", 10)
    );
}

#[test]
fn pins_decide_what_is_meant_and_never_what_is_right() {
    let project =
        Project::with_runs("Our accuracy is 84.9\\%. Elsewhere 37.5 was seen, and 85.3 once.");
    let pin = |text: &str, rest: &str| {
        format!("[[claim]]\nfile = \"main.tex\"\ntext = \"{text}\"\n{rest}\n")
    };
    let best = "evidence = \"../results/ours/seed_*.json#/accuracy\"\naggregate = \"max\"";
    project.write(
        "paper/claims.toml",
        format!(
            "{}{}",
            pin("37.5", "ignore = \"another study\""),
            pin("85.3", best)
        )
        .as_bytes(),
    );
    let answer = project.audit(&[]);
    assert_eq!(answer.claims(), ["84.9 exact_match", "85.3 exact_match"]);
    assert_eq!(answer.verdict(), ("PASS", "all_numbers_match", 0));
    assert!(
        answer.artifact["audited_input_hashes"]
            .as_object()
            .unwrap()
            .contains_key("claims.toml")
    );

    project.write(
        "paper/claims.toml",
        pin("85.3", &best.replace("max", "mean")).as_bytes(),
    );
    let wrong = project.audit(&[]);
    assert!(
        wrong.claims().contains(&"85.3 number_mismatch".to_owned()),
        "{:?}",
        wrong.claims()
    );

    project.write("paper/claims.toml", pin("99.9", best).as_bytes());
    let stale = project.audit(&[]);
    assert_eq!(
        stale.artifact["details"]["unused_pins"][0],
        "main.tex: 99.9"
    );

    project.write("paper/claims.toml", b"[[claim]]\nfile = 3\n");
    assert_eq!(project.run(&[]).status.code(), Some(4));
    assert_eq!(
        project.run(&["--claims", "gone.toml"]).status.code(),
        Some(3)
    );
}

#[test]
fn proposals_for_pins_change_nothing_until_they_are_uncommented() {
    let project =
        Project::with_runs("Our accuracy is 84.9\\%. A survey of 37.5\\% of all hospitals agrees.");
    project.audit(&["--suggest-pins", "paper/claims.toml"]);
    let text = fs::read_to_string(project.path("paper/claims.toml")).unwrap();
    assert!(
        text.contains("37.5")
            && text
                .lines()
                .all(|line| line.is_empty() || line.starts_with('#')),
        "{text}"
    );
    assert_eq!(
        project.audit(&[]).verdict(),
        ("WARN", "unmapped_claims", 10)
    );
}

#[test]
fn results_named_elsewhere_count_and_outside_the_project_they_are_refused() {
    let project = Project::new(&[
        ("paper/main.tex", &document("Our accuracy is 84.9\\%.")),
        ("runs/ours.csv", "accuracy\n0.849\n"),
    ]);
    assert_eq!(
        project.audit(&[]).verdict(),
        ("BLOCKED", "no_raw_evidence", 10)
    );
    assert_eq!(
        project.audit(&["--results", "runs"]).verdict(),
        ("PASS", "all_numbers_match", 0)
    );
    let elsewhere = tempfile::tempdir().unwrap();
    assert_eq!(
        project
            .run(&["--results", elsewhere.path().to_str().unwrap()])
            .status
            .code(),
        Some(2)
    );
    assert_eq!(project.run(&["--results", "gone"]).status.code(), Some(2));
}

#[test]
fn notes_are_no_evidence_and_known_files_are_found_by_name() {
    let project = Project::new(&[
        ("paper/main.tex", &document("Our accuracy is 84.9\\%.")),
        ("results/FINDINGS.md", "accuracy 84.9"),
        ("experiments/ours/metrics.json", "{\"accuracy\": 0.849}"),
    ]);
    fs::remove_file(project.path("results/FINDINGS.md")).unwrap();
    fs::remove_dir(project.path("results")).unwrap();
    assert_eq!(
        project.audit(&[]).verdict(),
        ("PASS", "all_numbers_match", 0)
    );
    fs::remove_file(project.path("experiments/ours/metrics.json")).unwrap();
    project.write("results/FINDINGS.md", b"accuracy 84.9");
    assert_eq!(
        project.audit(&[]).verdict(),
        ("BLOCKED", "no_raw_evidence", 10)
    );
}

#[test]
fn usage_errors_leave_with_two() {
    let temp = tempfile::tempdir().unwrap();
    assert_eq!(run(temp.path(), &["gone"]).status.code(), Some(2));
    assert_eq!(run(temp.path(), &["--no-such-flag"]).status.code(), Some(2));
}

#[test]
fn the_json_answer_is_one_envelope() {
    let project = Project::with_runs("Our accuracy is 84.9\\%.");
    let output = project.run(&["--json"]);
    let envelope: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        output.stdout.iter().filter(|byte| **byte == b'\n').count(),
        1
    );
    assert_eq!(envelope["data"]["verdict"], "PASS", "{envelope}");
}

#[cfg(unix)]
#[test]
fn a_link_to_the_paper_leads_to_its_project_and_a_finding_about_no_file_names_the_folder() {
    let project = Project::with_runs("Accuracy of our method is 84.9\\% (mean of 3 runs).");
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(project.path("paper"), elsewhere.path().join("link")).unwrap();
    let output = run(elsewhere.path(), &["link"]);
    let direct = project.audit(&[]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        String::from_utf8_lossy(&direct.output.stdout).contains("(unchanged)"),
        "the link gave another audit: {said}"
    );
    assert!(
        !elsewhere.path().join(".aris").exists(),
        "the trace belongs to the project"
    );
    fs::remove_file(project.path("paper/main.tex")).unwrap();
    let said = String::from_utf8_lossy(&project.audit(&[]).output.stdout).into_owned();
    let folder = project.path("paper").canonicalize().unwrap();
    assert!(
        said.starts_with(&format!("{}: blocked: no root", folder.display())),
        "{said}"
    );
}

#[cfg(unix)]
#[test]
fn a_result_that_is_only_a_name_is_not_passed_over() {
    for target in ["../../scratch/seed_3.json", "/dev/null"] {
        let project = Project::with_runs("Accuracy of our method is 84.9\\% (mean of 3 runs).");
        assert_eq!(project.audit(&[]).exit, 0);
        std::os::unix::fs::symlink(target, project.path("results/ours/seed_3.json")).unwrap();
        let answer = project.audit(&[]);
        assert_eq!(answer.verdict(), ("ERROR", "result_unreadable", 10));
        let said = String::from_utf8_lossy(&answer.output.stdout).into_owned();
        assert!(
            said.contains("../results/ours/seed_3.json: it is a link to"),
            "{said}"
        );
    }
}

#[test]
fn proposals_replace_earlier_proposals_and_nothing_else() {
    let project = Project::with_runs("Our method reaches 12.3\\% on the test set.");
    for name in [
        "paper/main.tex",
        "results/ours/seed_0.json",
        "paper/pins.toml",
    ] {
        if name == "paper/pins.toml" {
            project.write(name, b"# checked\n[[claim]]\nfile = \"main.tex\"\n");
        }
        let before = fs::read(project.path(name)).unwrap();
        let output = project.run(&["--suggest-pins", name]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert!(
            said.contains(name) && said.contains("would be overwritten"),
            "{said}"
        );
        assert_eq!(fs::read(project.path(name)).unwrap(), before, "{name}");
    }
    for _ in 0..2 {
        let output = project.run(&["--suggest-pins", "paper/claims.toml"]);
        assert_eq!(output.status.code(), Some(10));
    }
    let proposals = fs::read_to_string(project.path("paper/claims.toml")).unwrap();
    assert!(proposals.contains("# [[claim]]"), "{proposals}");
}
