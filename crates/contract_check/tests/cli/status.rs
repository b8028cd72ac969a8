//! `status`: predicates, artifacts, exit codes.

use aris_testkit::{Helper, Project};
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
        "BROKEN (required for submission)",
        "says \"proof-checker\" at /audit_skill, not \"paper-claim-audit\"",
        "is not aris.verify_paper_audits.audit/v1: missing field `verdict` at line 1 column 33",
        "is not JSON: ",
        "at line 1, column ",
        "contract_check backfill submission-audits",
    ] {
        assert!(run.stdout().contains(piece), "{piece}: {run}");
    }
    // A draft is not a submission, so the audits do not apply.
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

/// One integration: the inputs of its step, and the step's artifacts.
struct Row {
    name: &'static str,
    /// Further conditions of the project under which the step is due.
    around: &'static [(&'static str, &'static str)],
    /// Each of these alone is an input of the step.
    inputs: &'static [(&'static str, &'static str)],
    /// Path and text of each artifact; `AUDIT` is replaced by an audit of the skill of this name.
    leaves: &'static [(&'static str, &'static str)],
    /// An artifact that is not valid.
    broken: (&'static str, &'static str),
    /// Exit code with gaps.
    code: i32,
}

const GAPS: i32 = 10;

const ROWS: &[Row] = &[
    Row {
        name: "citation-audit",
        around: &[],
        inputs: &[("paper/sections/a.tex", "as \\citet{lee2024} found")],
        leaves: &[("paper/CITATION_AUDIT.json", "AUDIT citation-audit")],
        broken: ("paper/CITATION_AUDIT.json", "{}"),
        code: GAPS,
    },
    Row {
        name: "claims-audit",
        around: &[],
        // Its input is a git branch; see below.
        inputs: &[],
        leaves: &[
            (".aris/temp/audit-claims/findings_7.json", "[]"),
            (".aris/temp/audit-claims/summary_7_x.md", "approved"),
        ],
        broken: (".aris/temp/audit-claims/findings_7.json", "["),
        code: GAPS,
    },
    Row {
        name: "claims-review",
        around: &[],
        inputs: &[(
            ".aris/temp/audit-claims/findings_7.json",
            "[{\"severity\": \"warning\"}]",
        )],
        leaves: &[
            (
                ".aris/temp/resolve-claims-review/classification_map_7.json",
                "{}",
            ),
            (
                ".aris/temp/resolve-claims-review/escalation_records_7.json",
                "[]",
            ),
        ],
        broken: (
            ".aris/temp/resolve-claims-review/classification_map_7.json",
            "",
        ),
        code: GAPS,
    },
    Row {
        name: "experiment-queue",
        around: &[],
        inputs: &[
            ("experiment_queue/first/grid.yaml", "project: first"),
            ("experiment_queue/first/manifest.json", "{}"),
        ],
        leaves: &[
            ("experiment_queue/first/manifest.json", "{}"),
            ("experiment_queue/first/summary.md", "6 completed"),
        ],
        broken: ("experiment_queue/first/summary.md", " "),
        code: GAPS,
    },
    Row {
        name: "experiment-wiki",
        around: &[("research-wiki/index.md", "")],
        inputs: &[("experiment_queue/first/summary.md", "6 completed")],
        leaves: &[("research-wiki/experiments/e1.md", "of the queue first")],
        broken: ("research-wiki/experiments/e1.md", "of another queue"),
        code: GAPS,
    },
    Row {
        name: "image-finalisation",
        around: &[],
        inputs: &[
            ("figures/ai_generated/figure_v2.png", "x"),
            (
                "paper/main.tex",
                "\\input{figures/ai_generated/latex_include}",
            ),
        ],
        leaves: &[
            ("figures/ai_generated/figure_final.png", "PNG"),
            ("figures/ai_generated/latex_include.tex", "x"),
            ("figures/ai_generated/review_log.json", "{}"),
        ],
        broken: ("figures/ai_generated/figure_final.png", "GIF89a"),
        code: GAPS,
    },
    Row {
        name: "paper-claim-audit",
        around: &[("paper/main.tex", "We reach 90.")],
        inputs: &[("results/run.json", "{}"), ("paper/claims.toml", "")],
        leaves: &[("paper/PAPER_CLAIM_AUDIT.json", "AUDIT paper-claim-audit")],
        broken: ("paper/PAPER_CLAIM_AUDIT.json", "AUDIT citation-audit"),
        code: GAPS,
    },
    Row {
        name: "paper-verification",
        around: &[],
        inputs: &[
            (".aris/verify-papers/candidate_papers.json", "[]"),
            ("survey/survey.md", "see arXiv:1706.03762"),
        ],
        leaves: &[(".aris/verify-papers/verified_papers.json", "{}")],
        broken: (".aris/verify-papers/verified_papers.json", "no"),
        code: GAPS,
    },
    Row {
        name: "research-wiki-ingest",
        around: &[("research-wiki/index.md", "")],
        inputs: &[
            ("paper/main.tex", "arXiv:1706.03762v2"),
            ("PAPER_PLAN.md", "https://arxiv.org/abs/1706.03762"),
            (
                "paper/refs.bib",
                "@misc{a, title = {T}, eprint = {1706.03762}, archivePrefix = {arXiv}, primaryClass = {cs.CL}}",
            ),
        ],
        leaves: &[
            ("research-wiki/papers/a.md", "arxiv: \"1706.03762\""),
            ("research-wiki/log.md", "ingested"),
        ],
        broken: ("research-wiki/papers/a.md", "arxiv: \"1706.03763\""),
        code: GAPS,
    },
    Row {
        name: "submission-audits",
        around: &[],
        inputs: &[("paper/.aris/assurance.txt", "submission\n")],
        leaves: &[
            ("paper/PROOF_AUDIT.json", "AUDIT proof-checker"),
            ("paper/PAPER_CLAIM_AUDIT.json", "AUDIT paper-claim-audit"),
            ("paper/CITATION_AUDIT.json", "AUDIT citation-audit"),
            ("paper/.aris/audit-verifier-report.json", "REPORT"),
        ],
        broken: ("paper/PROOF_AUDIT.json", "AUDIT paper-claim-audit"),
        code: 1,
    },
];

impl Row {
    fn project(&self, input: Option<&(&str, &str)>, left: &[(&str, &str)]) -> Project {
        let project = Project::bare();
        for (path, text) in self.around.iter().chain(input).chain(left) {
            match text.split_once(' ') {
                Some(("AUDIT", skill)) => project.write(path, audit(skill)),
                _ if *text == "PNG" => project.write(path, b"\x89PNG\r\n\x1a\n"),
                _ if *text == "REPORT" => project.write(path, report(&project)),
                _ => project.write(path, text),
            }
        }
        project
    }

    fn is(&self, project: &Project, state: &str, when: &str) -> Value {
        let run = call(project, &["status", self.name, "--json"]);
        let data = run.data();
        let found = of(&data, self.name).clone();
        assert_eq!(found["state"], state, "{} {when}: {found}", self.name);
        let code = if state == "gaps" { self.code } else { 0 };
        assert_eq!(run.code(), code, "{} {when}", self.name);
        found
    }
}

/// A report as the gate writes it when nothing blocks in the audits that lie there.
fn report(project: &Project) -> String {
    let path =
        aris_testkit::workspace_root().join("schemas/aris.verify_paper_audits.report.v1.json");
    let schema: Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("schema")).expect("JSON");
    let mut report = json!({});
    for name in schema["required"].as_array().expect("required") {
        let name = name.as_str().expect("name");
        report[name] = least(&schema["properties"][name], &schema);
    }
    report["assurance"] = json!("submission");
    report["result"] = json!("no_blocker");
    let names = [
        "PROOF_AUDIT.json",
        "PAPER_CLAIM_AUDIT.json",
        "CITATION_AUDIT.json",
    ];
    let paths = names.map(|name| project.at(&format!("paper/{name}")));
    let digests = aris_audit::digest_files(&paths);
    let files = names.iter().zip(digests).filter_map(|(path, digest)| {
        let sha256 = digest.ok()?.to_string();
        Some(json!({"path": path, "sha256": sha256, "roles": ["artifact"], "in_paper": true}))
    });
    report["files"] = files.collect();
    report.to_string()
}

/// A minimal value that follows a schema.
fn least(schema: &Value, root: &Value) -> Value {
    if let Some(reference) = schema["$ref"].as_str() {
        return least(
            root.pointer(reference.trim_start_matches('#'))
                .expect("a definition"),
            root,
        );
    }
    for several in ["anyOf", "oneOf", "allOf"] {
        if let Some(first) = schema[several].get(0) {
            return least(first, root);
        }
    }
    if let Some(value) = schema.get("const").or_else(|| schema["enum"].get(0)) {
        return value.clone();
    }
    let kind = schema["type"]
        .as_str()
        .or_else(|| schema["type"][0].as_str());
    match kind {
        Some("object") => {
            let required = schema["required"].as_array().into_iter().flatten();
            let names = required.filter_map(Value::as_str);
            names
                .map(|name| (name.to_owned(), least(&schema["properties"][name], root)))
                .collect()
        }
        Some("array") => json!([]),
        Some("string") => json!("2026-01-01T00:00:00Z"),
        Some("boolean") => json!(false),
        Some("integer" | "number") => json!(0),
        _ => Value::Null,
    }
}

/// Pushes a branch that changes a file.
fn branch(project: &Project, changed: &str) {
    project.write(changed, "a report");
    let script = format!(
        "git init -q -b main && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first \
         && git update-ref refs/remotes/origin/main HEAD && git checkout -q -b topic && git add '{changed}' \
         && git -c user.name=a -c user.email=a@b commit -q -m second && git update-ref refs/remotes/origin/topic HEAD"
    );
    let git = Helper::at("/bin/sh").call(project.path());
    git.args(["-c", &script]).run().expect_code(0);
}

#[test]
fn every_integration_sees_its_input_and_what_was_left() {
    let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
    let all: Vec<&str> = aris_contract::integrations::all()
        .iter()
        .map(|row| row.name.as_str())
        .collect();
    assert_eq!(names, all);
    for row in ROWS {
        row.is(&row.project(None, &[]), "idle", "without its input");
        // The step's own artifacts do not make it due, except as inputs of another step.
        let by_git = [("", "")];
        let inputs = if row.inputs.is_empty() {
            &by_git[..]
        } else {
            row.inputs
        };
        for input in inputs {
            let input = (!input.0.is_empty()).then_some(input);
            let with = |left: &[(&str, &str)]| {
                let project = row.project(input, left);
                if input.is_none() {
                    branch(&project, "research/r/report.md");
                }
                project
            };
            let skipped = row.is(&with(&[]), "gaps", "skipped");
            assert_ne!(skipped["backfill"], json!([]), "{}", row.name);
            let rest: Vec<_> = row
                .leaves
                .iter()
                .filter(|(path, _)| input.is_none_or(|input| input.0 != *path))
                .copied()
                .collect();
            row.is(&with(&rest), "complete", "satisfied");
            let mut broken = rest.clone();
            broken.retain(|(path, _)| *path != row.broken.0);
            broken.push(row.broken);
            row.is(&with(&broken), "gaps", "broken");
        }
    }
}

#[test]
fn an_audit_of_an_earlier_state_is_none() {
    let hashed = |text: &str| {
        let audit: Value = serde_json::from_str(&audit("citation-audit")).expect("JSON");
        let mut audit = audit;
        let digest = aris_audit::Digest::of(text.as_bytes()).to_string();
        audit["audited_input_hashes"] = json!({"main.tex": digest, "../results/a.json": aris_audit::Digest::of(b"1").to_string()});
        audit.to_string()
    };
    let project = Project::bare()
        .file("paper/main.tex", "\\cite{a}")
        .file("results/a.json", "1")
        .file("paper/CITATION_AUDIT.json", hashed("\\cite{a}"));
    call(&project, &["status", "citation-audit"]).expect_code(0);
    for (path, text) in [("results/a.json", "2"), ("paper/main.tex", "\\cite{b}")] {
        let before = project.read(path);
        project.write(path, text);
        let run = call(&project, &["status", "citation-audit"]).expect_code(10);
        assert!(
            run.stdout()
                .contains("stale\tpaper/CITATION_AUDIT.json\tis about an earlier state of"),
            "{run}"
        );
        project.write(path, before);
    }
    std::fs::remove_file(project.at("results/a.json")).expect("removed");
    call(&project, &["status", "citation-audit"]).expect_code(10);
}

/// New results after the audit, which the audit's own program made.
#[test]
fn results_that_the_audit_does_not_know_are_seen() {
    let project = Project::bare()
        .file(
            "paper/main.tex",
            "\\documentclass{article}\\begin{document}We reach 84.7\\%.\\end{document}",
        )
        .file("results/r.json", "{\"accuracy\": 0.847}")
        .file("results/table.tex", "generated");
    let audit = || {
        let call = Helper::named("paper_claim_audit").call(project.path());
        let run = call.args(["paper/", "--json"]).run();
        assert!(matches!(run.code(), 0 | 10), "{run}");
    };
    audit();
    let status = || call(&project, &["status", "paper-claim-audit"]);
    status().expect_code(0);
    project.write("outputs/runs/new.json", "{}");
    let run = status().expect_code(10);
    assert!(
        run.stdout().contains("does not know outputs/runs/new.json"),
        "{run}"
    );
    audit();
    status().expect_code(0);
    // Files that the evidence settings exclude are not inputs.
    project.write(
        "paper/claims.toml",
        "version = 1\n[data]\nroot = \"..\"\ninclude = [\"results/**\"]\n",
    );
    audit();
    project.write("outputs/runs/newer.json", "{}");
    status().expect_code(0);
}

/// An installation in a subfolder of a repository belongs to that project, not to the repository.
#[test]
fn a_project_may_lie_in_a_folder_of_a_repository() {
    let repository = Project::bare()
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file("study/.aris/tools/x", "")
        .file("study/paper/main.tex", "\\footcite{a}");
    for folder in ["study", "study/paper"] {
        let run = program()
            .call(repository.at(folder))
            .args(["status", "citation-audit"])
            .run();
        run.expect_code(10);
    }
    let run = program()
        .call(repository.path())
        .args(["status", "citation-audit"])
        .run();
    run.expect_code(0);
}

#[test]
fn a_project_that_skipped_everything_is_told_what_to_run() {
    let project = Project::bare();
    for row in ROWS.iter().filter(|row| row.code == GAPS) {
        for (path, text) in row.around.iter().chain(row.inputs.first()) {
            project.write(path, text);
        }
    }
    branch(&project, "research/r/report.md");
    let run = call(&project, &["status"]).expect_code(10);
    for row in ROWS.iter().filter(|row| row.code == GAPS) {
        let repair = format!("contract_check backfill {}\t", row.name);
        assert!(run.stdout().contains(&repair), "{repair}: {run}");
    }
    for step in [
        "citation_audit paper/",
        "paper_claim_audit paper/",
        "build_manifest --config",
    ] {
        assert!(run.stdout().contains(step), "{step}: {run}");
    }
    // The hint names the missing papers; no --set is needed.
    project.write("tools/research_wiki.py", "x");
    let run = call(&project, &["backfill", "research-wiki-ingest"]).expect_code(10);
    assert!(
        run.stdout()
            .contains("sync research-wiki/ --arxiv-ids 1706.03762\n"),
        "{run}"
    );
}

/// The gate's word is about the audits that it read, not about those made again since.
#[test]
fn a_report_of_the_gate_is_stale_when_an_audit_was_made_again() {
    let row = ROWS.last().expect("submission-audits");
    let project = row.project(row.inputs.first(), row.leaves);
    row.is(&project, "complete", "as the gate left it");
    let path = "paper/.aris/audit-verifier-report.json";
    let (claims, before) = (
        "paper/PAPER_CLAIM_AUDIT.json",
        project.read("paper/PAPER_CLAIM_AUDIT.json"),
    );
    let stale = |state: &str, reason: &str| {
        let found = row.is(&project, "gaps", reason);
        let left = found["artifacts"].as_array().expect("list");
        let left = left
            .iter()
            .find(|left| left["path"] == path)
            .expect("report");
        assert_eq!(
            (&left["state"], &left["reason"]),
            (&json!(state), &json!(reason))
        );
        let run = call(&project, &["backfill", row.name]).expect_code(10);
        assert!(run.stdout().contains("verify_paper_audits paper/"), "{run}");
    };
    project.write(claims, before.replace("PASS", "FAIL"));
    stale(
        "stale",
        "is about an earlier state of PAPER_CLAIM_AUDIT.json",
    );
    project.write(claims, &before);
    row.is(&project, "complete", "again");
    // An audit that came later.
    project.write("paper/KILL_ARGUMENT.json", audit("kill-argument"));
    stale("contrary", "does not know paper/KILL_ARGUMENT.json");
}

/// The gate refuses such a file: it means a submission, and must not be taken for a draft.
#[test]
fn a_level_in_capitals_or_behind_a_mark_is_not_passed_over() {
    for text in ["Submission", "SUBMISSION\n", "\u{feff}submission"] {
        let project = Project::bare().file("paper/.aris/assurance.txt", text);
        let run = call(&project, &["status", "submission-audits"]).expect_code(1);
        assert!(run.stdout().contains("cannot be decided"), "{run}");
    }
    let project = Project::bare().file("paper/.aris/assurance.txt", "draft\n");
    call(&project, &["status", "submission-audits"]).expect_code(0);
}

#[test]
fn a_branch_that_no_remote_has_or_that_changes_no_report_is_no_pull_request() {
    let project = Project::bare();
    branch(&project, "src/lib.rs");
    call(&project, &["status", "claims-audit"]).expect_code(0);
    let project = Project::bare();
    branch(&project, "research/report.md");
    call(&project, &["status", "claims-audit"]).expect_code(10);
    let git = |script: &str| {
        let call = Helper::at("/bin/sh").call(project.path());
        call.args(["-c", script]).run().expect_code(0);
    };
    git("git update-ref -d refs/remotes/origin/main");
    let data = call(&project, &["status", "claims-audit", "--json"])
        .expect_code(10)
        .data();
    assert_eq!(of(&data, "claims-audit")["state"], "undecided");
    git("git update-ref -d refs/remotes/origin/topic");
    call(&project, &["status", "claims-audit"]).expect_code(0);
}

#[test]
fn a_project_can_be_named() {
    let project = Project::new().file("w/research-wiki/log.md", "x");
    let data = call(&project, &["status", "--project", "w", "--json"])
        .expect_code(0)
        .data();
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
    let absent = ["checklist", "submission-audits", "--project", "none"];
    call(&Project::bare(), &absent).expect_code(3);
    let run = call(&Project::bare(), &["checklist", "submission-audits"]).expect_code(0);
    assert!(
        run.stdout()
            .contains("   [ ] 1. verify_paper_audits prompt paper/ --audit proof-checker asks for the review behind paper/PROOF_AUDIT.json\n"),
        "{run}"
    );
    assert!(!run.stdout().contains("[x]"));
}
