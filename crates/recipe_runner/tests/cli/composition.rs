//! Sub-recipes: where a run goes when they are off, when they fail, and when they follow each other.

use aris_testkit::Project;

use super::{call, lines};

const HEAD: &str = "kitchen_rules: [a]\ningredients:\n  rescue: {default: 'false', hidden: true}\n  more: {default: 'false', hidden: true}\n";
const ENDS: &str = "  merge: {action: stop, message: m}\n  broken: {action: stop, message: m}\n";

fn project(steps: &str, subs: &[(&str, &str)]) -> Project {
    let mut project =
        Project::new().file("r.yaml", format!("name: r\n{HEAD}steps:\n{steps}{ENDS}"));
    for (name, steps) in subs {
        let text = format!("name: {name}\n{HEAD}steps:\n{steps}");
        project = project.file(&format!("sub-recipes/{name}.yaml"), text);
    }
    project
}

fn run(project: &Project, script: &str, inputs: &[&str]) -> serde_json::Value {
    project.write("script.json", script);
    let mut words = vec!["run", "r.yaml", "--outcomes", "script.json"];
    if !inputs.is_empty() {
        words.push("--inputs");
        words.extend(inputs);
    }
    call(project, &words).run().data()
}

/// A failure that leads to a rescue that is off stops the run, and does not go on at the step after the rescue.
#[test]
fn a_failure_does_not_pass_through_a_rescue_that_is_off() {
    let steps = "  work: {tool: run_cmd, with: {cmd: x}, on_success: merge, on_failure: rescue}\n  \
                 rescue: {sub_recipe: mend, gate: rescue, on_success: merge, on_failure: broken}\n";
    let mend = "  mend: {tool: run_cmd, with: {cmd: x}, on_success: done, on_failure: escalate_now}\n  escalate_now: {action: stop, message: m}\n";
    let project = project(steps, &[("mend", mend)]);
    let failing = r#"{"work": [{"status": "failure"}], "*": {"status": "success"}}"#;
    let data = run(&project, failing, &[]);
    assert_eq!(data["terminal"], "broken", "{:?}", lines(&data));
    let data = run(&project, failing, &["rescue=true"]);
    assert_eq!(data["terminal"], "merge");
    // If the placeholder has no route for failure, the run ends at `escalate`.
    let text = project.read("r.yaml").replace(
        "on_success: merge, on_failure: broken}",
        "on_success: merge}",
    );
    project.write("r.yaml", text);
    let data = run(&project, failing, &[]);
    assert_eq!(
        (&data["status"], &data["terminal"]),
        (&"escalated".into(), &"escalate".into())
    );
    // A placeholder that a success leads to is skipped as usual.
    let steps = "  work: {tool: run_cmd, with: {cmd: x}, on_success: rescue, on_failure: broken}\n  \
                 rescue: {sub_recipe: mend, gate: rescue, on_success: merge, on_failure: broken}\n";
    let project = self::project(steps, &[("mend", mend)]);
    let data = run(&project, r#"{"*": {"status": "success"}}"#, &[]);
    assert_eq!(data["terminal"], "merge");
}

/// The same for a refusal by a gate, by any of its branches.
#[test]
fn a_refusal_does_not_pass_through_a_rescue_that_is_off() {
    let mend = "  mend: {tool: run_cmd, with: {cmd: x}, on_success: done, on_failure: escalate_now}\n  escalate_now: {action: stop, message: m}\n";
    let answers = |verdict: &str| {
        format!(
            r#"{{"gate": [{{"status": "success", "result": {{"verdict": "{verdict}"}}}}], "*": {{"status": "success"}}}}"#
        )
    };
    let refused = "{when: \"${{ result.verdict }} == refused\", route: rescue}";
    let passed = "{when: \"${{ result.verdict }} == passed\", route: merge}";
    for (branches, failure, after) in [
        (format!("[{passed}, {{route: rescue}}]"), "rescue", "gate"),
        (format!("[{passed}, {{route: rescue}}]"), "broken", "gate"),
        (
            format!("[{passed}, {refused}, {{route: broken}}]"),
            "broken",
            "merge",
        ),
        (
            format!("[{passed}, {refused}, {{route: broken}}]"),
            "broken",
            "gate",
        ),
        (format!("[{refused}, {{route: merge}}]"), "rescue", "gate"),
    ] {
        let steps = format!(
            "  gate: {{tool: run_cmd, with: {{cmd: x}}, retries: 0, on_result: {branches}, on_failure: {failure}}}\n  \
             rescue: {{sub_recipe: mend, gate: rescue, on_success: {after}, on_failure: broken}}\n"
        );
        let project = project(&steps, &[("mend", mend)]);
        let end = |verdict| run(&project, &answers(verdict), &[])["terminal"].clone();
        assert_eq!(end("refused"), "broken", "{steps}");
        assert_eq!(end("passed"), "merge", "{steps}");
    }
    // Here the rescue and the gate are connected by another step, and no choice is between them.
    let steps = "  gate: {tool: run_cmd, with: {cmd: x}, retries: 0, on_failure: broken, on_result: \
                 [{when: \"${{ result.verdict }} == refused\", route: rescue}, {when: \"${{ result.verdict }} == passed\", route: publish}, {route: broken}]}\n  \
                 rescue: {sub_recipe: mend, gate: rescue, on_success: test, on_failure: broken}\n  \
                 other: {tool: run_cmd, with: {cmd: x}, on_success: publish, on_failure: broken}\n  \
                 publish: {tool: run_cmd, with: {cmd: x}, on_success: merge, on_failure: broken}\n  \
                 test: {tool: run_cmd, with: {cmd: x}, on_success: gate, on_failure: broken}\n";
    let project = project(steps, &[("mend", mend)]);
    let end = |verdict| run(&project, &answers(verdict), &[])["terminal"].clone();
    assert_eq!(
        (end("refused"), end("passed")),
        ("broken".into(), "merge".into())
    );
    // A success of a gate skips a part of the work that is off, and so does a choice that depends on inputs only.
    for branches in [
        "[{when: \"${{ result.verdict }} == passed\", route: rescue}, {route: broken}]",
        "[{when: \"${{ inputs.more }} == false\", route: rescue}, {route: broken}]",
        "[{when: \"${{ result.verdict }} == refused\", route: broken}, {route: rescue}]",
    ] {
        let steps = format!(
            "  gate: {{tool: run_cmd, with: {{cmd: x}}, retries: 0, on_result: {branches}, on_failure: broken}}\n  \
             rescue: {{sub_recipe: mend, gate: rescue, on_success: merge, on_failure: broken}}\n"
        );
        let project = self::project(&steps, &[("mend", mend)]);
        assert_eq!(
            run(&project, &answers("passed"), &[])["terminal"],
            "merge",
            "{steps}"
        );
    }
}

/// A sub-recipe that gives up and leads to a rescue that is off has failed, by whichever branch it gave up.
#[test]
fn what_a_sub_recipe_refused_does_not_pass_through_a_rescue_that_is_off() {
    let steps = "  work: {sub_recipe: check, gate: more, on_success: merge, on_failure: first}\n  \
                 first: {sub_recipe: mend, gate: rescue, on_success: merge, on_failure: second}\n  \
                 second: {sub_recipe: mend, gate: rescue, on_success: merge, on_failure: broken}\n";
    let check = "  gate: {tool: run_cmd, with: {cmd: x}, retries: 0, on_failure: escalate, \
                 on_result: [{when: \"${{ result.verdict }} == passed\", route: done}, {route: escalate}]}\n";
    let mend = "  mend: {tool: run_cmd, with: {cmd: x}, on_success: done, on_failure: escalate}\n";
    let project = project(steps, &[("check", check), ("mend", mend)]);
    let refused = r#"{"check_gate": [{"status": "success", "result": {"verdict": "refused"}}], "*": {"status": "success"}}"#;
    assert_eq!(run(&project, refused, &["more=true"])["terminal"], "broken");
    // A success of the sub-recipe skips a part of the work that is off.
    let steps = "  work: {sub_recipe: check, gate: more, on_success: extra, on_failure: broken}\n  \
                 extra: {sub_recipe: mend, gate: rescue, on_success: merge, on_failure: broken}\n";
    let check = "  gate: {tool: run_cmd, with: {cmd: x}, retries: 0, on_failure: escalate, \
                 on_result: [{when: \"${{ result.verdict }} == refused\", route: escalate}, {route: done}]}\n";
    let project = self::project(steps, &[("check", check), ("mend", mend)]);
    let passed = refused.replace("refused", "passed");
    let end = |answers: &str| run(&project, answers, &["more=true"])["terminal"].clone();
    assert_eq!(
        (end(&passed), end(refused)),
        ("merge".into(), "broken".into())
    );
}

/// Routes of a sub-recipe's placeholder may lead to another placeholder further down, even if the file does not name it as a route.
#[test]
fn routes_to_later_placeholders_are_followed() {
    let steps = "  first: {sub_recipe: one, gate: rescue, on_success: merge, on_failure: second}\n  \
                 second: {sub_recipe: two, gate: more, on_success: merge, on_failure: broken}\n";
    let one = "  try: {tool: run_skill, with: {skill_command: /x}, retries: 0, on_success: done, on_failure: end_badly, on_context_limit: end_badly}\n  \
               end_badly: {action: stop, message: m}\n";
    let two = "  again: {tool: run_cmd, with: {cmd: x}, on_success: done, on_failure: end_badly}\n  end_badly: {action: stop, message: m}\n";
    let project = project(steps, &[("one", one), ("two", two)]);
    let exhausted = r#"{"one_try": [{"status": "exhausted"}], "*": {"status": "success"}}"#;
    let data = run(&project, exhausted, &["rescue=true", "more=true"]);
    assert_eq!(
        lines(&data)[..2],
        [
            "one_try executed exhausted two_again",
            "two_again executed success merge"
        ]
    );
    let data = run(&project, exhausted, &["rescue=true"]);
    assert_eq!(lines(&data)[0], "one_try executed exhausted broken");
}

/// A variable that only a sub-recipe captures is not missing in the recipe that places it.
#[test]
fn a_sub_recipe_that_is_not_placed_causes_no_false_error() {
    let steps = "  first: {sub_recipe: one, gate: rescue, on_success: use, on_failure: broken}\n  \
                 use: {tool: run_cmd, with: {cmd: 'echo ${{ context.found | shq }}'}, on_success: check, on_failure: broken}\n  \
                 check: {action: route, on_result: [{when: '${{ context.found }}', route: merge}, {route: broken}]}\n";
    let one = "  look: {tool: run_cmd, with: {cmd: 'echo \"found=x\"'}, capture: {found: '${{ result.found }}'}, on_success: done, on_failure: done}\n";
    let project = project(steps, &[("one", one)]);
    let report = call(&project, &["validate", "r.yaml"])
        .run()
        .expect_code(0)
        .data();
    assert_eq!(report["counts"]["error"], 0, "{report:#}");
    let set = ["validate", "r.yaml", "--compose", "--set", "rescue=true"];
    let report = call(&project, &set).run().expect_code(0).data();
    assert_eq!(report["counts"]["error"], 0, "{report:#}");
    // If the sub-recipe is off, the variable is empty, and the run goes on.
    let data = run(&project, r#"{"*": {"status": "success"}}"#, &[]);
    assert_eq!(data["terminal"], "broken");
    // A name that neither recipe captures is an error.
    project.write(
        "r.yaml",
        project
            .read("r.yaml")
            .replace("context.found }}', route", "context.fuond }}', route"),
    );
    call(&project, &["validate", "r.yaml"])
        .run()
        .expect_code(10);
}

/// One rescue is placed twice; an absent sub-recipe matters only where a run switches it on.
#[test]
fn a_sub_recipe_is_placed_twice_and_an_absent_one_is_no_error_while_off() {
    let steps = "  work: {tool: run_cmd, with: {cmd: x}, on_success: merge, on_failure: one}\n  \
                 one: {sub_recipe: mend, gate: rescue, on_success: merge, on_failure: two}\n  \
                 two: {sub_recipe: mend, gate: rescue, on_success: merge, on_failure: broken}\n";
    let mend = "  mend: {tool: run_cmd, with: {cmd: x}, on_success: done, on_failure: escalate}\n";
    let both = project(steps, &[("mend", mend)]);
    let script = r#"{"mend_2_mend": [{"status": "success"}], "*": {"status": "failure"}}"#;
    let data = run(&both, script, &["rescue=true"]);
    assert_eq!(data["terminal"], "merge", "{:?}", lines(&data));
    assert_eq!(lines(&data)[2], "mend_2_mend executed success merge");

    let absent = project(steps, &[]);
    absent.write(
        "sub-recipes/other.yaml",
        "name: other\nsteps:\n  a: {action: stop, message: m}\n",
    );
    let words = ["validate", "r.yaml", "--sub-recipes-dir", "sub-recipes"];
    let found = call(&absent, &words).run().expect_code(0).data();
    assert_eq!(found["counts"]["error"], 0, "{found}");
    assert!(found.to_string().contains("unknown-sub-recipe"), "{found}");
    let text = absent
        .read("r.yaml")
        .replace("rescue: {default: 'false'", "rescue: {default: 'true'");
    absent.write("r.yaml", text);
    call(&absent, &words).run().expect_code(10);
    // A folder that is named and is not there is an error, whatever the recipe places.
    for command in ["validate", "graph", "run"] {
        let words = [command, "r.yaml", "--sub-recipes-dir", "none"];
        let error = call(&absent, &words).run().expect_code(3).error();
        assert!(error["message"].to_string().contains("none"), "{error}");
    }
}

#[test]
fn an_input_with_two_values_is_refused() {
    let project = project(
        "  work: {tool: run_cmd, with: {cmd: x}, on_success: merge, on_failure: broken}\n",
        &[],
    );
    let words = ["run", "r.yaml", "--inputs", "rescue=true", "rescue=false"];
    let error = call(&project, &words).run().expect_code(2).error();
    assert!(
        error["message"].to_string().contains("two values"),
        "{error}"
    );
}

#[test]
fn an_input_that_the_recipe_does_not_have_is_refused() {
    let steps = "  work: {tool: run_cmd, with: {cmd: x}, on_success: merge, on_failure: broken}\n";
    let project = project(steps, &[]);
    for words in [
        &["validate", "r.yaml", "--compose"][..],
        &["graph", "r.yaml", "--compose"],
    ] {
        let run = call(&project, words).args(["--set", "rescu=true"]).run();
        let error = run.expect_code(2).error();
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|text| text.contains("no input rescu")),
            "{error}"
        );
    }
}

/// The place of a fault is in the file of the sub-recipe, and names are suggested as they are there.
#[test]
fn a_fault_of_a_sub_recipe_is_told_where_it_is() {
    let steps = "  work: {sub_recipe: mend, gate: rescue, on_success: merge, on_failure: broken}\n";
    let mend = "  mend: {tool: run_cmd, with: {cmd: x}, on_success: chek, on_failure: escalate}\n  check: {action: route, on_success: done}\n";
    let project = project(steps, &[("mend", mend)]);
    let words = ["validate", "r.yaml", "--compose", "--set", "rescue=true"];
    let data = call(&project, &words).run().expect_code(10).data();
    let findings = data["findings"].as_array().expect("findings");
    let mut routes = findings
        .iter()
        .filter(|one| one["rule"] == "unknown-route-target");
    let fault = routes.next().expect("one");
    let file = fault["file"].as_str().unwrap_or_default();
    assert!(file.ends_with("sub-recipes/mend.yaml"), "{fault}");
    assert_eq!(fault["line"], 7, "{fault}");
    assert!(
        fault["message"]
            .to_string()
            .contains("did you mean `check`")
    );
    let shown = call(&project, &["run", "r.yaml", "--inputs", "rescue=true"]).run();
    assert!(shown.stderr().contains("mend.yaml:7: "), "{shown}");
}
