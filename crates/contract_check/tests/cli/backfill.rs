//! `backfill`: printed as a script, or run.

use aris_testkit::{Helper, Project};
use serde_json::json;

use super::call;

const WIKI: &str = "import sys, pathlib\n\
    pathlib.Path('research-wiki/papers').mkdir()\n\
    pathlib.Path('research-wiki/papers/a.md').write_text(' '.join(sys.argv[1:]))\n\
    pathlib.Path('research-wiki/log.md').write_text('x')\n\
    print('ingested')\n";

fn wiki() -> Project {
    Project::new()
        .file("research-wiki/index.md", "")
        .file("PAPER_PLAN.md", "builds on arXiv:2401.00001")
        .file("tools/research_wiki.py", WIKI)
}

#[test]
fn the_printed_script_does_what_run_does() {
    let project = wiki();
    let printed = call(
        &project,
        &[
            "backfill",
            "research-wiki-ingest",
            "--set",
            "arxiv_ids=2401.00001,2 3",
        ],
    )
    .expect_code(10);
    assert!(
        !project.at("research-wiki/papers").exists(),
        "printing runs nothing"
    );
    // The script works from any folder: it changes to the project itself.
    Helper::at("/bin/sh")
        .call("/")
        .args(["-c", printed.stdout()])
        .run()
        .expect_code(0);
    assert_eq!(
        project.read("research-wiki/papers/a.md"),
        "sync research-wiki/ --arxiv-ids 2401.00001,2 3"
    );

    let other = wiki();
    let run = call(
        &other,
        &[
            "backfill",
            "research-wiki-ingest",
            "--set",
            "arxiv_ids=2401.00001,2 3",
            "--run",
            "--json",
        ],
    )
    .expect_code(0);
    assert_eq!(run.data()["state"], "complete");
    assert_eq!(run.data()["steps"][0]["exit"], 0);
    assert!(run.stderr().contains("ingested"), "{run}");
    assert_eq!(
        other.read("research-wiki/papers/a.md"),
        "sync research-wiki/ --arxiv-ids 2401.00001,2 3"
    );
    // No steps are left.
    let again = call(&other, &["backfill", "research-wiki-ingest"]).expect_code(0);
    assert_eq!(
        again.stdout(),
        "# nothing to do: all files of research-wiki-ingest are there and valid\n"
    );
}

#[test]
fn values_that_are_missing_or_unknown_stop_before_anything_runs() {
    let project = Project::new()
        .file(".aris/verify-papers/candidate_papers.json", "[]")
        .file("tools/verify_papers.py", "x");
    let printed = call(&project, &["backfill", "paper-verification"]).expect_code(10);
    assert!(
        printed
            .stdout()
            .contains("\n# needs --set candidates=VALUE: python3 "),
        "{printed}"
    );
    for args in [
        &["backfill", "paper-verification", "--run", "--json"][..],
        &["backfill", "paper-verification", "--set", "ids=1", "--json"],
        &[
            "backfill",
            "paper-verification",
            "--set",
            "candidates",
            "--json",
        ],
    ] {
        call(&project, args).expect_code(2).error();
    }
    // The hint names the values itself, because backfill prints no commands when nothing is to do.
    for (name, hint) in [
        ("paper-verification", "its commands have {candidates}"),
        ("research-wiki-ingest", "its commands have {arxiv_ids}"),
    ] {
        let run = call(&Project::new(), &["backfill", name, "--set", "ids=1"]).expect_code(2);
        assert!(run.stderr().contains(hint), "{run}");
    }
    assert!(
        !project
            .at(".aris/verify-papers/verified_papers.json")
            .exists()
    );
}

#[test]
fn a_gate_is_asked_again_after_its_repair() {
    let project = Project::new()
        .file("paper/.aris/assurance.txt", "submission")
        .file("tools/paper_claim_audit", "#!/bin/sh\nexit 4\n")
        .file("tools/verify_paper_audits", "#!/bin/sh\nexit 1\n");
    let data = call(
        &project,
        &["backfill", "submission-audits", "--run", "--json"],
    )
    .expect_code(10)
    .data();
    let steps: Vec<_> = data["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|step| {
            (
                step["kind"].clone(),
                step["state"].clone(),
                step["exit"].clone(),
            )
        })
        .collect();
    assert_eq!(
        steps,
        [
            (json!("helper"), json!("failed"), json!(1)),
            (json!("helper"), json!("failed"), json!(4)),
            (json!("helper"), json!("not_found"), json!(null)),
            (json!("helper"), json!("failed"), json!(1)),
        ]
    );
    assert_eq!(data["state"], "gaps");
    // 10 and above: it did its work and reported findings.
    project.write("tools/paper_claim_audit", "#!/bin/sh\nexit 10\n");
    let run = call(&project, &["backfill", "paper-claim-audit", "--run"]);
    assert!(!run.stdout().contains("failed"), "{run}");
    let printed = call(&project, &["backfill", "submission-audits"]).expect_code(10);
    assert!(
        printed
            .stdout()
            .contains("/tools/verify_paper_audits' prompt paper/ --audit proof-checker\n"),
        "{printed}"
    );
    assert!(
        printed.stdout().contains("# not found (not in "),
        "{printed}"
    );
}

#[test]
fn a_skill_is_for_the_agent() {
    let project = Project::new().file("experiment_queue/a/grid.yaml", "x: 1\n");
    let run = call(&project, &["backfill", "experiment-queue"]).expect_code(10);
    let skill = "# a skill, for your agent: /experiment-queue\n";
    assert!(run.stdout().contains(skill), "{run}");
}

#[test]
fn what_does_not_fire_needs_no_repair() {
    let run = call(&Project::bare(), &["backfill", "submission-audits"]).expect_code(0);
    assert_eq!(run.stdout(), "# submission-audits does not apply here\n");
}
