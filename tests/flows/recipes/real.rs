//! The two smaller recipes, with the helpers they call, on real files.

use aris_testkit::{Answer, Helper, Project, Received, Run, Server, workspace_root};
use serde_json::json;

use super::{check_trace, ended, project, runner};

const EXAMPLE: &str = "skills/paper-writing/assets/example";

/// Adds the helpers where recipes look for them.
fn with_helpers(project: &Project, helpers: &[&str]) {
    for name in helpers {
        let script = format!(
            "#!/bin/sh\nexec '{}' \"$@\"\n",
            Helper::named(name).path().display()
        );
        project.write(&format!(".aris/tools/{name}"), script);
    }
}

const GATE_HELPERS: [&str; 3] = ["paper_claim_audit", "citation_audit", "verify_paper_audits"];

fn paper() -> Project {
    let project = project().copied(&workspace_root().join(EXAMPLE));
    with_helpers(&project, &GATE_HELPERS);
    project
}

fn gate(project: &Project, more: &[&str]) -> Run {
    let args = [
        "run",
        "recipes/paper-gate.yaml",
        "--exec",
        "cmd",
        "--state",
        "gate.json",
    ];
    ended(runner(project).args(args).args(more).run())
}

#[test]
fn the_paper_gate_runs_the_real_audits() {
    let project = paper();
    // The proofs have not been reviewed; at `submission` that blocks.
    check_trace("paper-gate-blocked", gate(&project, &[]).stdout());
    let report = project.json("paper/.aris/audit-verifier-report.json");
    assert!(report.to_string().contains("missing_artifact"), "{report}");
    assert_eq!(
        project.json("paper/PAPER_CLAIM_AUDIT.json")["verdict"],
        "PASS"
    );
    // At `draft` the gate reports but does not block.
    let open = gate(&project, &["--new", "--inputs", "assurance=draft"]);
    check_trace("paper-gate-open", open.stdout());
    let report = project.json("paper/.aris/audit-verifier-report.json");
    let conclusion = report["conclusion"].as_str().expect("a text");
    let (conclusion, _) = conclusion.split_once(" under policy").expect("a policy");
    assert!(open.stdout().contains(conclusion), "{conclusion}: {open}");
}

#[test]
fn the_paper_gate_says_nothing_about_a_paper_that_is_not_there() {
    let project = paper();
    let run = gate(&project, &["--inputs", "paper_dir=no paper's here"]);
    check_trace("paper-gate-no-paper", run.stdout());
}

/// An agent that corrects the paper. Its prompts go to `asked-N.txt`.
const REPAIRER: &str = "#!/bin/sh\nn=1\nwhile [ -e asked-$n.txt ]; do n=$((n + 1)); done\ncat > asked-$n.txt\n\
                        cp -R ../good/paper/. paper/\nprintf 'Repaired.\\n'\n";

#[test]
fn the_paper_gate_lets_an_agent_repair_twice() {
    let project = paper();
    let good = Project::bare().copied(&workspace_root().join(EXAMPLE));
    project.write(
        "agent.sh",
        REPAIRER.replace(
            "../good",
            &good.path().display().to_string().replace(' ', "\\ "),
        ),
    );
    for section in ["abstract", "introduction", "results"] {
        let path = format!("sections/{section}.tex");
        let faulty = project.read(&format!("faulty/{path}"));
        project.write(&format!("paper/{path}"), faulty);
    }
    let run = gate(
        &project,
        &["--agent", "sh agent.sh", "--inputs", "fix=true"],
    );
    check_trace("paper-gate-repaired", run.stdout());
    assert_eq!(
        project.json("paper/PAPER_CLAIM_AUDIT.json")["verdict"],
        "PASS",
        "the second audit saw the repaired paper"
    );
    assert!(
        project
            .read("asked-1.txt")
            .starts_with("/paper-writing Clear the findings that block paper:")
    );
    assert!(project.at("asked-2.txt").exists() && !project.at("asked-3.txt").exists());
}

fn library(asked: &Received) -> Answer {
    if asked.path() == "/works" {
        return Answer::json(&json!({"meta": {"count": 1}, "results": [{
            "id": "https://openalex.org/W1", "title": "On the numbers of one machine", "publication_year": 2020,
            "doi": "https://doi.org/10.48550/arxiv.2001.00001", "ids": {"openalex": "https://openalex.org/W1"},
            "authorships": [{"author": {"display_name": "Ada Lovelace"}}],
        }]}));
    }
    Answer::status(404)
}

#[test]
fn the_survey_searches_verifies_and_keeps_with_the_real_helpers() {
    let project = project();
    with_helpers(
        &project,
        &["literature_search", "verify_papers", "research_wiki"],
    );
    let server = Server::start(library);
    let survey = |state: &str, more: &[&str]| {
        let mut call = runner(&project).env("ARIS_CACHE_DIR", project.at("cache"));
        for name in [
            "ARXIV",
            "ARXIV_PDF",
            "CROSSREF",
            "DATACITE",
            "DBLP",
            "OPENALEX",
            "S2",
        ] {
            call = call.env(format!("ARIS_{name}_BASE_URL"), server.url());
        }
        let args = [
            "run",
            "recipes/literature-survey.yaml",
            "--exec",
            "cmd",
            "--state",
            state,
            "--inputs",
        ];
        let inputs = [
            "topic=one machine's numbers",
            "sources=openalex",
            "write_survey=false",
        ];
        call.args(args).args(inputs).args(more).run().expect_code(0)
    };
    let run = survey("survey.json", &[]);
    let root = project.path().display().to_string();
    check_trace("literature-survey", &run.stdout().replace(&root, "ROOT"));
    let resume = ["resume", "--state", "survey.json", "--json"];
    let data = runner(&project).args(resume).run().expect_code(0).data();
    assert_eq!(data["context"]["papers"], "1");
    assert!(
        project
            .read("survey/papers.bib")
            .contains("On the numbers of one machine")
    );
    assert_eq!(
        project.json("survey/verified.json")["papers"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    let pages = std::fs::read_dir(project.at("research-wiki/papers")).expect("a wiki");
    assert_eq!(pages.count(), 1, "the paper has a page");
}
