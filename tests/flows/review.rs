//! A research pull request from the report to the request for a new run: audit, comments, resolution with commits, tokens. Uses
//! a real git repository, and a GitHub on a loopback port.

use aris_testkit::{Forge, Helper, Project, Run};
use serde_json::{Value, json};

pub(crate) const URL: &str = "https://github.com/o/r/pull/7";

const REPORT: &str = "# Sparse heads\n\n## Results\n\nOthers reach 90 points.\nWe planned five seeds and ran three; the gain is significant.\n";

/// A repository with a report and its results on a branch.
pub(crate) struct Research {
    pub(crate) project: Project,
    pub(crate) forge: Forge,
}

impl Research {
    pub(crate) fn new() -> Self {
        let project = Project::bare()
            .file("README.md", "x\n")
            .file(".gitignore", ".aris/\n");
        for arguments in [
            &["init", "-q", "-b", "main"] as &[&str],
            &["config", "user.name", "T"],
            &["config", "user.email", "t@example.org"],
            &["add", "."],
            &["commit", "-q", "-m", "start"],
            &["switch", "-q", "-c", "experiment"],
        ] {
            project.git(arguments);
        }
        project.write("research/report.md", REPORT);
        project.write(
            "research/refs.bib",
            "@article{lee2024gains,\n title={Gains}}\n",
        );
        project.write(
            "research/results.csv",
            "seed,score\n1,90.5\n2,91.0\n3,90.1\n",
        );
        project.git(&["add", "."]);
        project.git(&["commit", "-q", "-m", "report"]);
        let diff = project.git(&["diff", "main...HEAD"]);
        Self {
            forge: Forge::start("experiment", &diff),
            project,
        }
    }

    pub(crate) fn call(&self, helper: &str, arguments: &[&str]) -> Run {
        Helper::named(helper)
            .call(self.project.path())
            .env("GH_TOKEN", "t")
            .env("ARIS_GITHUB_API", self.forge.url())
            .args(arguments)
            .run()
    }

    fn data(&self, helper: &str, arguments: &[&str]) -> Value {
        self.call(helper, &[&["--json"], arguments].concat())
            .expect_code(0)
            .data()
    }

    /// Answers a request like a host.
    fn answer(&self, folder: &str, request: &str, output: Value) {
        let answer = json!({"schema": "aris.audit_claims.answer/v1", "request": request, "model": "m", "output": output});
        self.project.write(
            &format!("{folder}/answers/{request}.json"),
            answer.to_string(),
        );
    }

    /// The audit, with agents that find one claim without a citation and one with invalid statistics.
    pub(crate) fn audited(&self) -> Run {
        let folder = ".aris/temp/audit-claims";
        let claim = |line: u32, text: &str, kind: &str| json!({"file": "research/report.md", "line": line, "claim_text": text, "claim_type": kind});
        for round in 0..2 {
            let prepared = self.data("audit_claims", &["prepare", URL]);
            for asked in prepared["requests"].as_array().expect("a list") {
                let id = asked["id"].as_str().expect("a name");
                if asked["answered"] == true {
                    continue;
                }
                assert_eq!(id.starts_with("match-"), round == 1, "{id}");
                let output = if id.starts_with("extract-") {
                    json!([
                        claim(5, "Others reach 90 points.", "external"),
                        claim(
                            6,
                            "We planned five seeds and ran three; the gain is significant.",
                            "methodological"
                        ),
                    ])
                } else if id.starts_with("match-external") {
                    json!([{"file": "research/report.md", "line": 5, "dimension": "external", "severity": "critical", "message": "no citation", "requires_decision": false}])
                } else {
                    json!([{"file": "research/report.md", "line": 6, "dimension": "methodological", "severity": "critical", "message": "three of five seeds, and a significance", "requires_decision": false}])
                };
                self.answer(folder, id, output);
            }
        }
        self.call("audit_claims", &["run", ".", "main", URL])
    }

    /// The resolution: the citation is added, and the other comment asks for a new run.
    pub(crate) fn resolved(&self) -> Run {
        let folder = ".aris/temp/resolve-claims-review";
        let fetched = self.data(
            "resolve_claims_review",
            &["fetch", ".", "main", "--repo", "o/r"],
        );
        let number = |group: &str| fetched["groups"][group][0]["id"].clone();
        let request = |group: &str| {
            fetched["requests"][group]
                .as_str()
                .expect("a request")
                .to_owned()
        };
        let (citation, seeds) = (number("citations"), number("methodology"));
        self.answer(
            folder,
            &request("citations"),
            json!([{"id": citation, "verdict": "ACCEPT", "evidence": "line 5 has no mark; lee2024gains is in the bibliography", "fix_strategy": "add_citation"}]),
        );
        self.answer(
            folder,
            &request("methodology"),
            json!([{"id": seeds, "verdict": "ACCEPT", "evidence": "line 6", "fix_strategy": "rerun_required", "escalate": true}]),
        );
        let groups = format!("{folder}/dimension_groups_7.json");
        let map = format!("{folder}/classification_map_7.json");
        self.data(
            "resolve_claims_review",
            &[
                "merge",
                "--groups",
                &groups,
                "--agent-dir",
                &format!("{folder}/answers"),
            ],
        );
        let plan = self.data("resolve_claims_review", &["plan", "--classification", &map]);
        let work: Vec<&Value> = plan["work"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|work| &work["id"])
            .collect();
        assert_eq!(work, [&citation]);
        self.project.write(
            "research/report.md",
            REPORT.replace("90 points.", "90 points [@lee2024gains]."),
        );
        let id = citation.to_string();
        self.data(
            "resolve_claims_review",
            &[
                "apply",
                "--id",
                &id,
                "--status",
                "applied",
                "--files",
                "research/report.md",
            ],
        );
        let head = self.project.git(&["rev-parse", "HEAD"]);
        self.forge.pull(|pull| pull.head = head);
        self.call(
            "resolve_claims_review",
            &[
                "finish",
                "--repo",
                "o/r",
                "--pr",
                "7",
                "--branch",
                "experiment",
                "--classification",
                &map,
            ],
        )
    }
}

#[test]
fn a_report_is_audited_settled_and_sent_back_to_the_experiment() {
    let research = Research::new();
    let audited = research.audited().expect_code(0);
    assert!(
        audited
            .stdout()
            .ends_with("\nverdict = changes_requested\n"),
        "{audited}"
    );
    let lines = research.forge.pull(|pull| {
        pull.comments
            .iter()
            .map(|comment| comment["line"].clone())
            .collect::<Vec<_>>()
    });
    assert_eq!(lines, [5, 6]);
    let resolved = research.resolved().expect_code(0);
    assert!(
        resolved
            .stdout()
            .ends_with("\nneeds_rerun = true\nverdict = real_fix\nfixes_applied = 1\n"),
        "{resolved}"
    );
    let head = research.project.git(&["rev-parse", "HEAD"]);
    let (replies, open) = research.forge.pull(|pull| {
        let replies: Vec<String> = pull
            .comments
            .iter()
            .skip(2)
            .map(|reply| reply["body"].as_str().expect("text").to_owned())
            .collect();
        (replies, pull.comments.len() - 2 - pull.resolved.len())
    });
    assert!(
        replies[0].starts_with(&format!("Addressed in {head}: "))
            && replies[1].starts_with("[ESCALATION] Requires re-running"),
        "{replies:?}"
    );
    assert_eq!(open, 1);
    assert_eq!(research.project.git(&["status", "--porcelain"]), "");
    // Settled comments are not fetched again. The open one is neither posted nor answered a second time.
    let writes = research.forge.pull(|pull| pull.writes);
    let fetched = research.data(
        "resolve_claims_review",
        &["fetch", ".", "main", "--repo", "o/r"],
    );
    assert_eq!(
        (
            &fetched["skipped_counts"]["resolved"],
            &fetched["skipped_counts"]["replies"]
        ),
        (&json!(1), &json!(2))
    );
    assert_eq!(research.forge.pull(|pull| pull.writes), writes);
}
