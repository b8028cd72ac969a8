//! The research recipe with the real gates: a report is audited, its comments are settled with commits, the experiment is run
//! again once, and an engine that is killed during its work is resumed at the same step. Uses a real git repository with a
//! remote, a GitHub on a loopback port, and a `gh` that opens pull requests.

use aris_testkit::{Call, Helper, Project, Run, fake_gh, workspace_root};
use serde_json::Value;

use super::{ASSETS, runner};
use crate::review::{Research, URL};

const STATE: &str = ".aris/run.json";
const ARTIFACTS: &str = "https://github.com/o/r/pull/8";

/// A driver of the recipe.
struct Driver<'r> {
    research: &'r Research,
}

impl<'r> Driver<'r> {
    /// Adds a remote that records what is pushed to it, and a `gh`. A push kills the process whose id is in `.aris/engine`, and
    /// continues.
    fn new(research: &'r Research) -> Self {
        let project = &research.project;
        let remote = project.at(".aris/remote.git").display().to_string();
        project.git(&["init", "-q", "--bare", &remote]);
        project.git(&["remote", "add", "origin", &remote]);
        project.git(&["push", "-q", "origin", "main"]);
        let folder = project.at(".aris").display().to_string();
        project.write(
            ".git/hooks/pre-push",
            format!(
                "#!/bin/sh\nwhile read -r _ _ to _; do echo \"$to\" >> '{folder}/pushed'; done\n\
                 if [ -s '{folder}/engine' ]; then kill -9 \"$(cat '{folder}/engine')\"; rm '{folder}/engine'; fi\n"
            ),
        );
        project.mode(".git/hooks/pre-push", 0o755);
        fake_gh(
            project,
            &format!(
                "'pr create --base main --head experiment '*) echo {URL};;\n\
                 'pr create --base main --head artifacts-experiment '*) echo {ARTIFACTS};;\n'pr close {URL} '*) ;;"
            ),
        );
        project.write(".git/info/exclude", "bin/\n");
        Self { research }
    }

    fn project(&self) -> &Project {
        &self.research.project
    }

    fn with_gh(&self, call: Call) -> Call {
        let path = std::env::var("PATH").expect("a path");
        let bin = self.project().at("bin").display().to_string();
        call.env("PATH", format!("{bin}:{path}"))
    }

    fn call(&self, words: &[&str]) -> Run {
        self.with_gh(runner(self.project())).args(words).run()
    }

    /// The step that the run waits for, and the ticket of its attempt.
    fn next(&self) -> (String, String) {
        let next = self.call(&["next", "--state", STATE, "--json"]);
        let next = next.expect_code(0).data();
        let text = |key: &str| next[key].as_str().expect("text").to_owned();
        (text("step"), text("ticket"))
    }

    /// Records the final text of a session that did `step`; twice, like a driver that was killed before it knew of its success.
    #[track_caller]
    fn complete(&self, step: &str, said: &str) {
        let (waiting, ticket) = self.next();
        assert_eq!(waiting, step);
        let words = ["complete", "--state", STATE, "--step", step, "--status"];
        for recorded in [true, false] {
            let more = ["success", "--ticket", &ticket, "--result", said, "--json"];
            let done = self.call(&[&words as &[&str], &more].concat());
            assert_eq!(done.expect_code(0).data()["recorded"], recorded, "{step}");
        }
    }

    /// Continues with steps that are commands until another driver is needed. Returns the state.
    fn resume(&self) -> Value {
        let words = ["resume", "--state", STATE, "--exec", "cmd", "--json"];
        self.call(&words).data()
    }

    /// Continues in a process whose id a push can find.
    fn resume_until_killed(&self) -> Run {
        let binary = Helper::named("recipe_runner");
        let binary = binary.path().display().to_string();
        let script = "echo $$ > .aris/engine; exec \"$0\" resume --state .aris/run.json --exec cmd";
        let shell = Helper::at("/bin/sh").call(self.project().path());
        self.with_gh(shell).args(["-c", script, &binary]).run()
    }

    /// The captured values, and the current step.
    fn state(&self) -> Value {
        let stands = self.call(&["resume", "--state", STATE, "--json"]).data();
        serde_json::json!({"context": stands["context"], "cursor": stands["resume"]["step"]})
    }
}

#[test]
fn the_gates_ask_for_one_more_run_and_a_killed_engine_repeats_nothing() {
    let research = Research::new();
    let driver = Driver::new(&research);
    let project = driver.project();
    let at = |path: &str| project.at(path).display().to_string();
    let recipe = workspace_root().join(ASSETS).join("recipes/research.yaml");
    let recipe = recipe.display().to_string();
    let inputs = [
        "task=Do seeds matter?",
        "output_mode=pr",
        "audit_claims=true",
    ];
    let words = ["run", &recipe, "--state", STATE, "--inputs"];
    driver
        .call(&[&words as &[&str], &inputs].concat())
        .expect_code(11);

    // The experiment, in the existing worktree.
    driver.complete("plan_experiment", "experiment_plan = /plan.md");
    driver.complete("review_design", "verdict = GO");
    let worktree = project.path().display().to_string();
    // The research folder is all of `research/`.
    let made = format!(
        "branch=experiment\nresearch_dir={worktree}/research/.\nworktree_path={worktree}\n"
    );
    driver.complete("create_worktree", &made);
    driver.complete("implement", "Done.");
    let results = format!("results_path = {}", at("research/results.csv"));
    driver.complete("run_experiment", &results);
    let report = format!(
        "The report is there.\n\nreport_path = {}\n",
        at("research/report.md")
    );
    driver.complete("write_report", &report);
    assert_eq!(driver.resume()["waiting_for"], "audit_claims");
    assert_eq!(driver.state()["context"]["pr_url"], URL);

    // The helpers, with the local GitHub. The session's own words about a verdict are ignored.
    let forge = research.forge.url();
    for (name, more) in [
        ("audit_claims", ""),
        ("resolve_claims_review", "echo \"$@\" >> .aris/finished\n"),
    ] {
        let helper = Helper::named(name);
        let helper = helper.path().display();
        project.write(
            &format!(".aris/tools/{name}"),
            format!("{more}GH_TOKEN=t ARIS_GITHUB_API={forge} exec {helper} \"$@\"\n"),
        );
    }
    research.audited().expect_code(0);
    driver.complete("audit_claims", "verdict = approved");
    assert_eq!(driver.resume()["waiting_for"], "resolve_claims_review");
    assert_eq!(
        driver.state()["context"]["audit_verdict"],
        "changes_requested"
    );
    driver.complete(
        "resolve_claims_review",
        research.resolved().expect_code(0).stdout(),
    );
    let context = &driver.state()["context"];
    assert_eq!(context["claims_needs_rerun"], "true");
    assert_eq!(context["resolutions"], serde_json::json!(["real_fix"]));

    // The comments ask for one new run.
    assert_eq!(driver.resume()["waiting_for"], "re_run_experiment");
    project.write(
        "research/results.csv",
        "seed,score\n1,90.5\n2,91.0\n3,90.1\n4,90.2\n5,90.9\n",
    );
    project.git(&["commit", "-q", "-a", "-m", "two more seeds"]);
    driver.complete("re_run_experiment", &results);
    driver.complete("re_write_report", &report);
    assert_eq!(driver.next().0, "re_push");
    let killed = driver.resume_until_killed();
    assert_eq!(format!("{:?}", killed.end()), "Signalled(9)", "{killed}");
    assert_eq!(
        driver.state()["cursor"],
        "re_push",
        "it died at work on this step"
    );

    let ended = driver.resume();
    assert_eq!(ended["terminal"], "research_complete", "{ended}");
    let finished = project.read(".aris/finished");
    assert!(
        finished.contains("--repo github.com/o/r --pr 7"),
        "{finished}"
    );
    let wanted = [
        "refs/heads/experiment",
        "refs/heads/experiment",
        "refs/heads/artifacts-experiment",
        "refs/tags/archive/research/experiment",
    ];
    let pushed = project.read(".aris/pushed");
    assert_eq!(pushed.lines().collect::<Vec<_>>(), wanted);
    for entry in ended["trace"].as_array().expect("a trace") {
        assert!(entry["visit"].as_u64() <= Some(1), "{entry}");
    }
    // The remote has the settled and rerun state.
    let head = project.git(&["rev-parse", "HEAD"]);
    let remote = project.git(&["ls-remote", "origin", "refs/heads/experiment"]);
    assert!(remote.starts_with(&head), "{remote}");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    assert_eq!(driver.state()["context"]["artifact_pr_url"], ARTIFACTS);
    // An ended run stays ended.
    assert_eq!(driver.resume()["resume"]["basis"], "terminal");
    assert_eq!(project.read(".aris/pushed"), pushed);
}
