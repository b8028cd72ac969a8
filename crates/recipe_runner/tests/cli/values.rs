//! What a run takes from an agent's answer, and where an unexpected answer leads.

use aris_testkit::Project;
use serde_json::json;

use super::{call, lines};

const MANIFEST: &str = "version: '1'\nskills:\n  look:\n    outputs:\n      - {name: verdict, type: string, allowed_values: [approved, changes_requested]}\n";

/// An agent step that gives a verdict, and a route that merges unless changes were requested.
fn gated(head: &str) -> Project {
    let text = format!(
        "name: r\nkitchen_rules: [a]\n{head}steps:\n  look:\n    tool: run_skill\n    with: {{skill_command: '/look x'}}\n    \
         capture: {{verdict: '${{{{ result.verdict }}}}'}}\n    on_success: gate\n    on_failure: broken\n    on_context_limit: broken\n  \
         gate:\n    action: route\n    on_result:\n      - {{when: '${{{{ context.verdict }}}} == changes_requested', route: mend}}\n      \
         - {{route: merge}}\n  merge: {{action: stop, message: m}}\n  mend: {{action: stop, message: m}}\n  broken: {{action: stop, message: m}}\n"
    );
    Project::new()
        .file("r.yaml", text)
        .file("manifest.yaml", MANIFEST)
}

fn answered(project: &Project, answer: &str, more: &[&str]) -> serde_json::Value {
    project.write("answer", answer);
    let mut words = vec![
        "run",
        "r.yaml",
        "--state",
        "run.json",
        "--new",
        "--agent",
        "cat answer",
    ];
    words.extend(more);
    call(project, &words).run().expect_code(0).data()
}

/// A value that a session gave before its context was full counts like any other.
#[test]
fn a_value_that_nobody_listed_leads_nowhere_from_a_full_context_either() {
    let project = gated("manifest: manifest.yaml\n");
    let text = project.read("r.yaml");
    let text = text.replace(
        "    on_success: gate\n",
        "    capture_partial: [verdict]\n    on_success: gate\n",
    );
    project.write(
        "r.yaml",
        text.replace("on_context_limit: broken", "on_context_limit: gate"),
    );
    for (answer, terminal) in [
        ("verdict = changes_requested", "mend"),
        ("verdict = Changes_Requested", "broken"),
        ("verdict = changes_requested\nverdict = approved", "broken"),
        ("verdict = bogus", "broken"),
        // Without a value the run takes the route for a full context.
        ("I was about to", "merge"),
    ] {
        call(&project, &["run", "r.yaml", "--state", "run.json", "--new"])
            .run()
            .expect_code(11);
        let words = [
            "complete",
            "--state",
            "run.json",
            "--step",
            "look",
            "--status",
            "context_limit",
            "--result",
            answer,
        ];
        let data = call(&project, &words).run().expect_code(0).data();
        assert_eq!(data["next"]["terminal"], terminal, "{answer}: {data}");
    }
}

/// A verdict is the value on its own line, also if the agent wrote another line below it.
#[test]
fn a_value_is_its_line() {
    let project = gated("");
    for answer in [
        "verdict = changes_requested\nDone.\n",
        "verdict = changes_requested\n  I hope that helps.\n",
        "**verdict = changes_requested**\nThat is all.\n",
    ] {
        let data = answered(&project, answer, &[]);
        assert_eq!(data["terminal"], "mend", "{answer}");
        assert_eq!(data["context"]["verdict"], "changes_requested");
    }
    call(&project, &["run", "r.yaml", "--state", "by-hand.json"])
        .run()
        .expect_code(11);
    let data = call(
        &project,
        &[
            "complete",
            "--state",
            "by-hand.json",
            "--step",
            "look",
            "--status",
            "success",
            "--result",
            "verdict = changes_requested\nDone.",
        ],
    )
    .run()
    .expect_code(0)
    .data();
    assert_eq!(data["next"]["terminal"], "mend");
}

/// If the name of a skill comes from an input or a lens, its contract is looked up when the step runs.
#[test]
fn a_skill_that_an_input_or_a_lens_names_answers_within_its_set() {
    let head = "manifest: manifest.yaml\ningredients: {kind: {description: d, default: ok}}\n";
    let other = "skills:\n  look-ok:\n    outputs:\n      - {name: verdict, type: string, allowed_values: [approved, changes_requested]}\n  \
                 look-free: {outputs: [{name: verdict, type: string}]}\n";
    let command = "with: {skill_command: '/look x'}";
    let by_input = "with: {skill_command: '/look-${{ inputs.kind }} x'}";
    let by_lens = "lenses: {slug: [free, ok]}\n    with: {skill_command: '/look-{slug} x'}";
    for (call, input, bogus) in [
        (by_input, "ok", "broken"),
        (by_input, "free", "merge"),
        (by_lens, "ok", "broken"),
    ] {
        let project = gated(head);
        project.write("manifest.yaml", other);
        let text = project.read("r.yaml").replace(command, call);
        project.write("r.yaml", text);
        let input = format!("kind={input}");
        let more = ["--inputs", input.as_str()];
        for (answer, end) in [("changes-requested", bogus), ("approved", "merge")] {
            let data = answered(&project, &format!("verdict = {answer}\n"), &more);
            assert_eq!(data["terminal"], end, "{call} {answer}");
        }
    }
}

/// Lists, and values that begin on the next line, are read over several lines.
#[test]
fn lists_and_empty_values_go_on() {
    let text = "name: r\nkitchen_rules: [a]\nsteps:\n  a:\n    tool: run_skill\n    with: {skill_command: '/x y'}\n    \
        capture: {one: '${{ result.one }}', below: '${{ result.below }}'}\n    observability: [one, below, parts]\n    capture_list: {parts: '${{ result.parts }}'}\n    \
        on_success: end\n    on_failure: end\n    on_context_limit: end\n  end: {action: stop, message: m}\n";
    let project = Project::new().file("r.yaml", text);
    let answer = "parts = a.md\n  b.md\n\none = 1\n2\nbelow =\n  first\n  second\n\nBye.\n";
    let data = answered(&project, answer, &[]);
    assert_eq!(
        data["context"],
        json!({"parts": ["a.md", "b.md"], "one": "1", "below": "first\nsecond"})
    );
}

/// A verdict that the skill cannot give is a failure of the step, and never takes the default route.
#[test]
fn a_verdict_outside_its_set_is_a_failure_of_its_step() {
    let flag = gated("");
    let named = gated("manifest: manifest.yaml\n");
    for (project, more) in [
        (&flag, &["--manifest", "manifest.yaml"][..]),
        (&named, &[][..]),
    ] {
        for odd in [
            "aproved",
            "`changes_requested`",
            "changes requested",
            "APPROVED",
            "approved, but",
        ] {
            let data = answered(project, &format!("verdict = {odd}\n"), more);
            assert_eq!(data["terminal"], "broken", "{odd}");
            let note = data["trace"][0]["note"].as_str().unwrap_or_default();
            assert!(note.contains("approved, changes_requested"), "{note}");
            assert_eq!(data["context"], json!({}));
        }
        let data = answered(project, "verdict = approved\n", more);
        assert_eq!(data["terminal"], "merge");
        let data = answered(project, "I found nothing.\n", more);
        assert_eq!(data["terminal"], "broken", "an answer without the verdict");
    }
    // The flag is not needed again when the run is resumed.
    let begin = [
        "run",
        "r.yaml",
        "--state",
        "s.json",
        "--manifest",
        "manifest.yaml",
    ];
    call(&flag, &begin).run().expect_code(11);
    flag.write("answer", "verdict = nothing\n");
    let on = ["resume", "--state", "s.json", "--agent", "cat answer"];
    let data = call(&flag, &on).run().expect_code(0).data();
    assert_eq!(lines(&data)[0], "look executed failure broken");
    // With lenses, the result of each is checked.
    flag.write("script.json", r#"{"look": [{"status": "success", "results": [{"verdict": "odd"}, {"verdict": "approved"}]}]}"#);
    let words = [
        "run",
        "r.yaml",
        "--manifest",
        "manifest.yaml",
        "--outcomes",
        "script.json",
    ];
    assert_eq!(
        call(&flag, &words).run().expect_code(0).data()["terminal"],
        "broken"
    );
}

/// A manifest that changed during a run is reported, like a recipe that changed.
#[test]
fn a_changed_manifest_is_noticed() {
    let project = gated("manifest: manifest.yaml\n");
    let begin = ["run", "r.yaml", "--state", "s.json"];
    call(&project, &begin).run().expect_code(11);
    project.write(
        "manifest.yaml",
        MANIFEST.replace("approved,", "approved, fine,"),
    );
    let on = ["resume", "--state", "s.json"];
    let error = call(&project, &on).run().expect_code(4).error();
    assert!(
        error["message"].as_str().unwrap().contains("manifest.yaml"),
        "{error}"
    );
    call(&project, &[&on[..], &["--accept-changed"]].concat())
        .run()
        .expect_code(0);
    std::fs::remove_file(project.at("manifest.yaml")).unwrap();
    call(&project, &on).run().expect_code(3);
    for (recipe, code) in [("none.yaml", 3), (".", 4)] {
        call(&project, &["validate", recipe])
            .run()
            .expect_code(code);
    }
}

/// If the values are not declared, `validate` reports a default route that goes on where the failure of the step would not.
#[test]
fn a_default_that_lets_everything_pass_is_said() {
    let project = gated("");
    let data = call(&project, &["validate", "r.yaml"])
        .run()
        .expect_code(0)
        .data();
    let rules: Vec<_> = data["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["rule"].as_str().unwrap())
        .collect();
    assert!(rules.contains(&"open-default"), "{rules:?}");
    let data = call(
        &project,
        &["validate", "r.yaml", "--manifest", "manifest.yaml"],
    )
    .run()
    .expect_code(0)
    .data();
    assert!(
        !data["findings"].to_string().contains("open-default"),
        "{data}"
    );
}

/// A manifest without contracts would check nothing.
#[test]
fn an_empty_manifest_or_state_is_said_to_be_empty() {
    for (text, part) in [
        ("", "the file needs skills"),
        ("version: '1'\n", "the file needs skills"),
        ("skills: [1", "bracket"),
    ] {
        let project = gated("manifest: manifest.yaml\n");
        project.write("manifest.yaml", text);
        for command in ["validate", "run"] {
            let error = call(&project, &[command, "r.yaml"])
                .run()
                .expect_code(4)
                .error();
            let message = error["message"].as_str().expect("text");
            assert!(
                message.contains("manifest.yaml:1") && message.contains(part),
                "{error}"
            );
        }
    }
    let project = gated("").file("s.json", "\n");
    let error = call(&project, &["status", "--state", "s.json"])
        .run()
        .expect_code(4)
        .error();
    assert!(
        error["message"]
            .as_str()
            .expect("text")
            .ends_with("s.json: the file is empty"),
        "{error}"
    );
}

/// A verdict counts also if much output precedes it; an answer too long to be read is not a success.
#[test]
fn much_output_hides_no_verdict() {
    let text = "name: r\nkitchen_rules: [a]\nsteps:\n  look:\n    tool: run_cmd\n    with:\n      cmd: |\n        echo verdict=approved\n        \
        head -c 40000000 /dev/zero | tr '\\0' 'x'\n        echo; echo verdict=changes_requested\n    \
        capture: {verdict: '${{ result.verdict }}'}\n    on_result:\n      - {when: '${{ result.verdict }} == approved', route: merge}\n      \
        - {route: mend}\n    on_failure: broken\n  merge: {action: stop, message: m}\n  mend: {action: stop, message: m}\n  broken: {action: stop, message: m}\n";
    let project = Project::new().file("r.yaml", text);
    let words = ["run", "r.yaml", "--state", "run.json", "--exec", "cmd"];
    let data = call(&project, &words).run().expect_code(0).data();
    assert_eq!(data["terminal"], "mend");
    assert_eq!(data["context"]["verdict"], "changes_requested");
    let log = std::fs::metadata(project.at("run.json.d/1.1/stdout")).expect("a log");
    assert!(log.len() > 40_000_000, "{}", log.len());

    let project = gated("");
    project.write("answer.sh", "#!/bin/sh\necho 'verdict = approved'\nhead -c 20000000 /dev/zero | tr '\\0' x\necho\necho 'verdict = changes_requested'\n");
    let words = [
        "run",
        "r.yaml",
        "--state",
        "run.json",
        "--agent",
        "sh answer.sh",
    ];
    let data = call(&project, &words).run().expect_code(0).data();
    assert_eq!(data["terminal"], "broken");
}

/// If lenses disagree on a verdict, the step does not take the default route.
#[test]
fn lenses_that_disagree_on_a_verdict_are_a_failure() {
    let text = "name: r\nkitchen_rules: [a]\nmanifest: manifest.yaml\nsteps:\n  look:\n    tool: run_skill\n    lenses: {side: [a, b]}\n    \
        with: {skill_command: '/look {side}'}\n    capture: {verdict: '${{ result.verdict }}'}\n    on_result:\n      \
        - {when: '${{ result.verdict }} == changes_requested', route: mend}\n      - {route: merge}\n    on_failure: broken\n    \
        on_context_limit: broken\n  merge: {action: stop, message: m}\n  mend: {action: stop, message: m}\n  broken: {action: stop, message: m}\n";
    let project = Project::new()
        .file("r.yaml", text)
        .file("manifest.yaml", MANIFEST);
    for (one, two, end) in [
        ("changes_requested", "approved", "broken"),
        ("approved", "approved", "merge"),
        ("changes_requested", "changes_requested", "mend"),
    ] {
        project.write("answer.sh", format!("#!/bin/sh\ncase \"$(cat)\" in *'/look a'*) echo verdict = {one};; *) echo verdict = {two};; esac\n"));
        let words = [
            "run",
            "r.yaml",
            "--state",
            "run.json",
            "--new",
            "--agent",
            "sh answer.sh",
        ];
        let run = call(&project, &words).run().expect_code(0);
        assert_eq!(run.data()["terminal"], end, "{one} {two}: {run}");
    }
}

/// A step without a command is refused; it does not succeed.
#[test]
fn a_step_without_a_command_is_refused() {
    for with in [
        "{}",
        "{command: 'false'}",
        "{cmd: ' '}",
        "{cmd: x, timeout: abc}",
        "{cmd: x, timeout: -5}",
        "{cmd: x, timeout: 0.5}",
    ] {
        let text = format!(
            "name: r\nkitchen_rules: [a]\nsteps:\n  look:\n    tool: run_cmd\n    with: {with}\n    on_success: end\n    on_failure: bad\n  \
             end: {{action: stop, message: m}}\n  bad: {{action: stop, failed: true, message: m}}\n"
        );
        let project = Project::new().file("r.yaml", text);
        let run = call(&project, &["validate", "r.yaml"])
            .run()
            .expect_code(10);
        assert!(
            run.stdout().contains("does nothing") || run.stdout().contains("timeout"),
            "{with}: {run}"
        );
    }
    let text = "name: r\nkitchen_rules: [a]\ningredients:\n  what: {description: x, default: ''}\nsteps:\n  look:\n    tool: run_cmd\n    \
        with: {cmd: '${{ inputs.what }}'}\n    on_success: end\n    on_failure: bad\n  end: {action: stop, message: m}\n  bad: {action: stop, message: m}\n";
    let project = Project::new().file("r.yaml", text);
    let words = ["run", "r.yaml", "--state", "run.json", "--exec", "cmd"];
    let data = call(&project, &words).run().expect_code(0).data();
    assert_eq!(data["terminal"], "bad");
}

/// `validate` names gates that let a run pass with an unnamed value, with a listed value that has no branch, or after a failure.
#[test]
fn validate_names_gates_that_open() {
    let gate = |head: &str, tool: &str, branches: &str, failure: &str| {
        let text = format!(
            "name: r\nkitchen_rules: [a]\n{head}steps:\n  look:\n    {tool}\n    on_result:\n{branches}    on_failure: {failure}\n    \
             on_context_limit: {failure}\n  merge: {{action: stop, message: m}}\n  blocked: {{action: stop, failed: true, message: m}}\n"
        );
        let manifest = MANIFEST.replace("approved, ", "approved, needs_human, ");
        let project = Project::new()
            .file("r.yaml", text)
            .file("manifest.yaml", manifest);
        let run = call(&project, &["validate", "r.yaml"]).run();
        let found: Vec<String> = run.data()["findings"]
            .as_array()
            .expect("findings")
            .iter()
            .map(|finding| format!("{} {}", finding["severity"], finding["rule"]).replace('"', ""))
            .filter(|finding| finding.contains(" open-"))
            .collect();
        found.join(", ")
    };
    let listed = "manifest: manifest.yaml\n";
    let agent = "tool: run_skill\n    with: {skill_command: '/look x'}";
    let command = "tool: run_cmd\n    with: {cmd: 'echo \"verdict=$(cat v)\"'}";
    let on = |when: &str, route: &str| {
        format!("      - {{when: '${{{{ result.verdict }}}} {when}', route: {route}}}\n")
    };
    let default = |route: &str| format!("      - {{route: {route}}}\n");
    let blocked = on("== changes_requested", "blocked");
    let both = format!("{blocked}{}", on("== needs_human", "blocked"));
    let field =
        "      field: verdict\n      routes: {approved: merge, changes_requested: blocked}\n";
    for (head, tool, branches, failure, expected) in [
        // A value that no branch of a `field` names takes the route of a failure.
        ("", agent, field.to_owned(), "merge", "warning open-failure"),
        ("", agent, field.to_owned(), "blocked", ""),
        (
            "",
            agent,
            format!("{blocked}{}", default("merge")),
            "blocked",
            "warning open-default",
        ),
        (
            "",
            agent,
            format!(
                "{}{}",
                on("!= changes_requested", "merge"),
                default("blocked")
            ),
            "blocked",
            "warning open-default",
        ),
        (
            "",
            agent,
            format!("{}{}", on("== approved", "merge"), default("blocked")),
            "blocked",
            "",
        ),
        (
            "",
            agent,
            format!("{}{}", on("== approved", "merge"), default("blocked")),
            "merge",
            "warning open-failure",
        ),
        (
            "",
            command,
            format!("{blocked}{}", default("merge")),
            "blocked",
            "info open-default",
        ),
        (
            listed,
            agent,
            format!("{both}{}", default("merge")),
            "blocked",
            "",
        ),
        (
            listed,
            agent,
            format!("{both}{}", default("merge")),
            "merge",
            "warning open-failure",
        ),
        (
            listed,
            agent,
            format!(
                "{blocked}{}{}",
                on("== approved", "merge"),
                default("merge")
            ),
            "blocked",
            "info open-default",
        ),
        // "3 findings" is not a number, so it is not above 0.
        (
            "",
            agent,
            format!("{}{}", on("> 0", "blocked"), default("merge")),
            "blocked",
            "warning open-default",
        ),
        (
            "",
            agent,
            format!("{}{}", on("<= 0", "merge"), default("blocked")),
            "blocked",
            "",
        ),
        (
            "",
            agent,
            format!("{}{}", on("<= 0", "merge"), default("blocked")),
            "merge",
            "warning open-failure",
        ),
        // Any text is true, including a misspelt verdict.
        (
            "",
            agent,
            format!("{blocked}{}{}", on("", "merge"), default("blocked")),
            "blocked",
            "warning open-default",
        ),
        (
            "",
            agent,
            format!("{}{}", on("", "merge"), default("blocked")),
            "blocked",
            "info open-default",
        ),
        (
            "",
            command,
            format!("{}{}", on("", "merge"), default("blocked")),
            "blocked",
            "",
        ),
        // An answer without the field is not "false".
        (
            "",
            agent,
            format!("{}{}", on("", "blocked"), default("merge")),
            "blocked",
            "warning open-default",
        ),
        (
            "",
            agent,
            format!("{}{}", on("", "blocked"), default("merge")),
            "merge",
            "warning open-failure",
        ),
        (
            listed,
            agent,
            format!("{}{}", on("", "blocked"), default("merge")),
            "blocked",
            "",
        ),
    ] {
        assert_eq!(gate(head, tool, &branches, failure), expected, "{branches}");
    }
}

/// Two different values of one verdict are a failure; of a field without a closed set, the last value counts.
#[test]
fn contradicting_verdicts_are_a_failure() {
    let project = gated("manifest: manifest.yaml\n");
    for (answer, end) in [
        (
            "verdict = changes_requested\nIf fixed the line would be:\nverdict = approved\n",
            "broken",
        ),
        (
            "verdict = approved\n\nverdict = changes_requested\n",
            "broken",
        ),
        (
            "verdict = approved\nnote = a\nnote = b\nverdict = approved\n",
            "merge",
        ),
        (
            r#"{"verdict": "changes_requested", "verdict": "approved"}"#,
            "broken",
        ),
        (r#"{"verdict": "approved", "verdict": "approved"}"#, "merge"),
        (
            "```json\n{\n  \"verdict\": \"changes_requested\"\n}\n```\nverdict = approved\n",
            "broken",
        ),
        (
            "> verdict = changes_requested\n\nverdict = approved\n",
            "broken",
        ),
        (
            "verdict = approved\n- `verdict = changes_requested`\n",
            "broken",
        ),
        (
            "verdict = approved\n\n1. verdict = changes_requested\n",
            "broken",
        ),
        (
            "+ [x] verdict = changes_requested\nverdict = approved\n",
            "broken",
        ),
        (
            "It is {\"verdict\": \"changes_requested\"}, I think.\nverdict = approved\n",
            "broken",
        ),
        (
            "[{\"verdict\": \"changes_requested\"}]\nverdict = approved\n",
            "broken",
        ),
        (
            "verdict = approved\n{\"review\": {\"verdict\": \"changes_requested\"}}\n",
            "broken",
        ),
        (
            r#"{"verdict": "approved", "final": {"verdict": "changes_requested"}}"#,
            "broken",
        ),
        // The verdict of one review of several may differ from the final one.
        (
            r#"{"verdict": "approved", "reviews": [{"verdict": "changes_requested"}]}"#,
            "merge",
        ),
        // The same value again, and braces that are not JSON, do not contradict the verdict.
        (
            "- verdict = approved: nothing is missing\n{\"verdict\": \"approved\"}\n{x\nverdict = approved\n",
            "merge",
        ),
    ] {
        let data = answered(&project, answer, &[]);
        assert_eq!(data["terminal"], end, "{answer}");
        let project = gated("manifest: manifest.yaml\n");
        call(&project, &["run", "r.yaml", "--state", "s.json"])
            .run()
            .expect_code(11);
        let step = ["complete", "--state", "s.json", "--step", "look"];
        let more = ["--status", "success", "--result", answer];
        let done = call(&project, &[&step[..], &more].concat()).run();
        assert_eq!(done.data()["next"]["terminal"], end, "{answer}");
    }
    assert_eq!(
        answered(
            &gated(""),
            "verdict = changes_requested\nverdict = approved\n",
            &[]
        )["terminal"],
        "merge"
    );
}

/// A note in an agent's answer that a helper could not look is shown during the run and afterwards.
#[test]
fn a_degraded_gate_of_an_agent_is_shown() {
    let project = gated("manifest: manifest.yaml\n");
    for answer in [
        "degraded: no token\nverdict = approved\n",
        "I looked.\n- **degraded: no token**\nverdict = approved\n",
        "{\"verdict\": \"approved\", \"degraded\": true}",
        "{\"type\": \"result\", \"is_error\": false, \"result\": \"degraded: no token\\nverdict = approved\"}",
        "verdict = approved\ndegraded = true\n",
    ] {
        let data = answered(&project, answer, &[]);
        assert_eq!(data["terminal"], "merge", "{answer}");
        let note = data["trace"][0]["note"].as_str().unwrap_or_default();
        assert!(note.contains("degraded"), "{answer}: {data}");
    }
    let data = answered(&project, "verdict = approved\ndegraded = false\n", &[]);
    assert_eq!(data["trace"][0].get("note"), None, "{data}");
}

/// An agent, a tool and a routing step as in `AutoSkillit`: a loop over items of work, and a merge.
fn phases() -> Project {
    let text = "name: r\nkitchen_rules: [a]\nmanifest: manifest.yaml\nsteps:\n  plan:\n    tool: run_skill\n    \
        with: {skill_command: '/look x'}\n    capture: {files: '${{ result.files }}'}\n    on_success: more\n    on_failure: broken\n    \
        on_context_limit: full\n  more:\n    action: route\n    on_result:\n      - {when: '${{ result.next }} == more_phases', route: plan}\n      \
        - {route: merge}\n  merge:\n    tool: merge_worktree\n    on_result:\n      - {when: result.error, route: broken}\n      \
        - {route: merged}\n    on_failure: broken\n  merged: {action: stop, message: '${{ context.files }}'}\n  \
        broken: {action: stop, message: m}\n  full: {action: stop, message: m}\n";
    let manifest = "version: '1'\nskills:\n  look:\n    outputs:\n      - {name: files, type: file_path_list}\n";
    Project::new()
        .file("r.yaml", text)
        .file("manifest.yaml", manifest)
}

fn completed(project: &Project, step: &str, result: &str) -> serde_json::Value {
    let words = ["complete", "--state", "s.json", "--status", "success"];
    let words = [&words[..], &["--step", step, "--result", result]].concat();
    let run = call(project, &words).run();
    run.data()["next"].clone()
}

/// Only the caller knows whether there is more work: the run asks for it, and does not take the default.
#[test]
fn a_routing_step_whose_way_is_in_a_result_asks_for_it() {
    let project = phases();
    let run = call(&project, &["run", "r.yaml", "--state", "s.json"]).run();
    assert_eq!(run.expect_code(11).data()["waiting_for"], "plan");
    for _ in 0..2 {
        let next = completed(&project, "plan", "files = a.md");
        assert_eq!(
            (&next["step"], &next["kind"]),
            (&json!("more"), &json!("route"))
        );
        let message = next["message"].as_str().expect("a message");
        assert!(message.contains("more_phases -> plan"), "{message}");
        let next = completed(&project, "more", "next = more_phases");
        assert_eq!(next["step"], "plan");
    }
    completed(&project, "plan", "files = a.md");
    let next = completed(&project, "more", "next = done");
    assert_eq!(next["step"], "merge");
}

/// The note explains what the step decides.
#[test]
fn a_routing_step_that_asks_shows_its_note() {
    let project = phases();
    let text = project.read("r.yaml");
    let text = text.replace(
        "action: route\n",
        "action: route\n    note: |\n      Are there more phases?\n      Look into the plan.\n",
    );
    project.write("r.yaml", text);
    call(&project, &["run", "r.yaml", "--state", "s.json"])
        .run()
        .expect_code(11);
    let next = completed(&project, "plan", "files = a.md");
    let message = next["message"].as_str().expect("a message");
    assert!(
        message.starts_with("Are there more phases?\nLook into the plan.\n")
            && message.contains("more_phases -> plan")
            && message.contains("next = none_of_these -> merge"),
        "{message}"
    );
}

/// An agent that plans, and gives these answers in turn when it is asked for a route.
fn asked(answers: &[&str]) -> (Project, aris_testkit::Run) {
    asked_in(phases(), answers)
}

fn asked_in(project: Project, answers: &[&str]) -> (Project, aris_testkit::Run) {
    for (at, answer) in answers.iter().enumerate() {
        project.write(&format!("answers/{at}"), answer);
    }
    let script = "#!/bin/sh\nprompt=$(cat)\ncase \"$prompt\" in\n/look*) echo 'files = a.md' ;;\n\
        *) at=$(cat at 2>/dev/null || echo 0); echo $((at + 1)) > at; echo \"$prompt\" > asked; cat answers/$at ;;\nesac\n";
    project.write("agent", script);
    project.mode("agent", 0o755);
    let words = ["run", "r.yaml", "--state", "s.json", "--agent", "./agent"];
    let run = call(&project, &words).run();
    (project, run)
}

/// An agent that does the work is also asked for the route, and its answer counts like that of a caller.
#[test]
fn an_agent_decides_where_a_routing_step_asks() {
    let (project, run) = asked(&[
        "There is phase 2.\nnext = more_phases\n",
        "{\"next\": \"none_of_these\"}",
    ]);
    let data = run.expect_code(11).data();
    assert_eq!(data["waiting_for"], "merge");
    assert_eq!(
        lines(&data),
        [
            "plan executed success more",
            "more executed result[0] plan",
            "plan executed success more",
            "more executed default merge",
        ]
    );
    let asked = project.read("asked");
    for told in [
        "${{ result.next }} == more_phases -> plan",
        "next = none_of_these -> merge",
        "plan: 2",
        "RECIPE_CTX_FILES=a.md",
    ] {
        assert!(asked.contains(told), "{told}: {asked}");
    }
}

/// An answer that is not one of the values is a failure of the step, and never takes the default.
#[test]
fn an_answer_that_is_none_of_the_ways_fails_the_routing_step() {
    for (answer, why) in [
        ("I think we are done.\n", "no next"),
        ("next = more_phases.\n", "more_phases."),
        ("next = plan\n", "plan"),
        (
            "> next = none_of_these\nnext = more_phases\n",
            "none_of_these",
        ),
        ("next =\n", "no next"),
        ("{\"next\": null}", "no next"),
    ] {
        let (_, run) = asked(&[answer]);
        let data = run.expect_code(10).data();
        assert_eq!(data["halt"], "missing_route", "{answer}: {data}");
        let note = data["trace"][1]["note"].as_str().unwrap_or_default();
        assert!(note.contains(why), "{answer}: {note}");
    }
}

/// Where an answer that is not listed could take a route, only a person is asked.
#[test]
fn an_agent_is_not_asked_where_its_answers_cannot_be_listed() {
    let plain = "${{ result.next }} == more_phases";
    for (when, asks) in [
        ("${{ result.next }} != done", false),
        ("not (${{ result.next }} == done)", false),
        ("${{ result.next | lower }} == more_phases", false),
        ("${{ result.left }} > 0", false),
        ("${{ result.more }}", false),
        ("${{ result.next }} == ${{ context.files }}", false),
        (
            "${{ result.next }} == more_phases and ${{ result.left }} > 0",
            false,
        ),
        (
            "${{ result.next }} == more_phases or ${{ result.next }} == again",
            true,
        ),
    ] {
        let project = phases();
        let text = project.read("r.yaml").replace(plain, when);
        project.write("r.yaml", text);
        let (project, run) = asked_in(project, &["next = none_of_these\n"]);
        let waits = if asks { "merge" } else { "more" };
        assert_eq!(run.expect_code(11).data()["waiting_for"], waits, "{when}");
        assert_eq!(project.path().join("asked").exists(), asks, "{when}");
        if !asks {
            let next = call(&project, &["next", "--state", "s.json"]).run().data();
            let message = next["message"].as_str().expect("a message");
            assert!(
                message.ends_with(&format!(":\n{when} -> plan\n")),
                "{message}"
            );
        }
    }
}

/// An answer is valid for this run only, and a wrong one is not reused.
#[test]
fn an_answer_of_a_routing_step_is_never_cached() {
    let project = phases();
    let text = project.read("r.yaml");
    let text = text.replace("action: route\n", "action: route\n    cache: true\n");
    project.write("r.yaml", text);
    let answers = ["I cannot tell.\n", "next = none_of_these\n"];
    let (project, run) = asked_in(project, &answers);
    run.expect_code(10);
    let words = ["run", "r.yaml", "--state", "s.json", "--agent", "./agent"];
    let run = call(&project, &[&words[..], &["--new"]].concat()).run();
    assert_eq!(run.expect_code(11).data()["waiting_for"], "merge");
    assert!(!project.path().join(".recipe-cache").exists());
}

/// A list of a contract is a list also where it is captured as a text; the marker at the end of a session is not part of it.
#[test]
fn a_list_of_the_contract_has_all_its_lines() {
    let project = phases();
    call(&project, &["run", "r.yaml", "--state", "s.json"])
        .run()
        .expect_code(11);
    completed(
        &project,
        "plan",
        "files = a.md\nb.md\n- c.md\n%%ORDER_UP%%\n",
    );
    completed(&project, "more", "next = done");
    let next = completed(&project, "merge", "merged = yes");
    assert_eq!(next["message"], "a.md\nb.md\n- c.md");
    let project = phases();
    call(&project, &["run", "r.yaml", "--state", "s.json"])
        .run()
        .expect_code(11);
    completed(&project, "plan", "files = a.md\nI am done with it.");
    completed(&project, "more", "next = done");
    let next = completed(&project, "merge", "merged = yes");
    assert_eq!(next["message"], "a.md");
}

/// A route that depends on context variables only needs no result.
#[test]
fn a_routing_step_that_is_decided_asks_nobody() {
    for (when, terminal) in [
        (
            "${{ context.v }} == GO and ${{ result.next }} == more",
            "no",
        ),
        (
            "${{ context.v }} == NO or ${{ result.next }} == more",
            "yes",
        ),
    ] {
        let text = format!(
            "name: r\nkitchen_rules: [a]\nsteps:\n  a:\n    tool: run_skill\n    with: {{skill_command: '/x y'}}\n    \
             capture: {{v: '${{{{ result.v }}}}'}}\n    on_success: b\n    on_failure: no\n    on_context_limit: no\n  b:\n    \
             action: route\n    on_result:\n      - {{when: '{when}', route: yes}}\n      - {{route: no}}\n  \
             yes: {{action: stop, message: m}}\n  no: {{action: stop, message: m}}\n"
        );
        let project = Project::new().file("r.yaml", text);
        let data = answered(&project, "v = NO\n", &[]);
        assert_eq!(data["terminal"], terminal, "{when}");
    }
}

/// `AutoSkillit`'s tools print `name: value`.
#[test]
fn an_error_of_a_tool_is_no_success() {
    for (answer, terminal) in [
        (
            "## merge FAIL\n\nerror: conflict in a.py\nstate: intact",
            "broken",
        ),
        ("merged: yes", "merged"),
    ] {
        let project = phases();
        call(&project, &["run", "r.yaml", "--state", "s.json"])
            .run()
            .expect_code(11);
        completed(&project, "plan", "files = a.md");
        completed(&project, "more", "next = done");
        let next = completed(&project, "merge", answer);
        assert_eq!(next["terminal"], terminal, "{answer}");
    }
}

#[test]
fn a_session_that_had_its_turns_goes_on_as_one_whose_context_is_full() {
    let report = json!({"type": "result", "subtype": "error_max_turns", "is_error": false});
    let project = phases().file("answer", report.to_string());
    let words = [
        "run",
        "r.yaml",
        "--state",
        "s.json",
        "--agent",
        "cat answer",
    ];
    let data = call(&project, &words).run().expect_code(0).data();
    assert_eq!(data["terminal"], "full");
}

/// An argument cannot contain NUL: the step fails, and the run takes `on_failure`.
#[test]
fn a_command_with_a_nul_fails_its_step() {
    let text = "name: r\nkitchen_rules: [a]\nsteps:\n  a:\n    tool: run_skill\n    with: {skill_command: '/x y'}\n    \
        capture: {n: '${{ result.n }}'}\n    on_success: b\n    on_failure: end\n    on_context_limit: end\n  b:\n    tool: run_cmd\n    \
        with: {cmd: 'echo ${{ context.n }}'}\n    on_success: end\n    on_failure: broken\n  end: {action: stop, message: m}\n  \
        broken: {action: stop, message: m}\n";
    let project = Project::new().file("r.yaml", text);
    let data = answered(&project, "n = a\0b\n", &["--exec", "cmd"]);
    assert_eq!(data["terminal"], "broken");
}
