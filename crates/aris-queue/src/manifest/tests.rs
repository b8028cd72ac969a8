use std::path::Path;

use super::*;

fn good(text: &str) -> Manifest {
    parse(Path::new("m.json"), text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The messages of all problems, with their lines, and the first hint.
fn bad(text: &str) -> String {
    let error = parse(Path::new("m"), text).expect_err(text);
    let hint = aris_contract::Failure::hint(&error).unwrap_or_default();
    format!("{error} | {hint}")
}

#[test]
fn the_references_manifest_is_read() {
    let manifest = good(
        r#"{"project": "p", "cwd": "/w", "conda": "base", "gpus": [1, 0], "max_parallel": 2,
            "oom_retry": {"delay": 60, "max_attempts": 4},
            "phases": [{"name": "t", "depends_on": [], "jobs": [
                {"id": "a", "cmd": "train a", "expected_output": null},
                {"id": "b", "cmd": "train b", "expected_output": "out/*.json"}]},
              {"name": "s", "depends_on": "t", "jobs": [{"id": "c", "cmd": "x", "needs": ["a"]}]}]}"#,
    );
    let listed = [0, 1].map(CardId::whole);
    assert_eq!(manifest.cards.as_deref(), Some(&listed[..]));
    assert_eq!(manifest.phases[1].after, [0]);
    assert_eq!(manifest.jobs[2].needs, [0]);
    assert_eq!(manifest.jobs[1].outputs, [Box::from("out/*.json")]);
    let retry = &manifest.jobs[0].settings.retry;
    assert_eq!((retry.oom, retry.delay_ms), (3, 60_000));
    assert!(Arc::ptr_eq(
        &manifest.jobs[0].settings,
        &manifest.jobs[2].settings
    ));
    assert!(manifest.conda.unwrap().if_there);
}

#[test]
fn the_flat_form_of_the_skill_appends_arguments() {
    let manifest = good(
        "project: p\ncwd: /w\ngpus: []\ndefault_cmd: >\n  python run.py\n  --K 5\njobs:\n  - id: a\n    args: {seed: 200, name: it's, flags: [1, 2], on: true, off: false, none: null}\n",
    );
    assert_eq!(
        &*manifest.jobs[0].cmd,
        "python run.py --K 5 --seed 200 --name 'it'\\''s' --flags 1 2 --on"
    );
    assert_eq!(manifest.phases[0].name, "main");
    assert_eq!(manifest.jobs[0].settings.gpus, 0);
}

#[test]
fn settings_go_down_from_the_top_over_the_phase_to_the_job() {
    let manifest = good(
        "gpus_per_job: 2\ntime_limit: 1:00:00\nenv: {A: 1, B: 2}\nphases:\n  - name: p\n    time_limit: 30\n    env: {B: 3}\n    jobs:\n      - {id: a, cmd: x}\n      - {id: b, cmd: x, time_limit: 1.5, gpus: 0, retry: {other: 1, factor: 2}, priority: -3}\n",
    );
    let (a, b) = (&manifest.jobs[0].settings, &manifest.jobs[1].settings);
    assert_eq!(
        (a.gpus, a.time_limit_ms, a.env["A"].as_str()),
        (2, Some(30_000), "1")
    );
    assert_eq!(a.env["B"], "3");
    assert_eq!((b.gpus, b.time_limit_ms, b.priority), (0, Some(1500), -3));
    assert_eq!((b.retry.other, b.retry.oom), (1, 2));
}

#[test]
fn students_are_tied_to_the_teacher_of_the_same_parameters() {
    let manifest = good(
        "phases:\n- name: t\n  jobs:\n  - {id: t1, cmd: x, params: {N: 1}}\n  - {id: t2, cmd: x, params: {N: 2}}\n- name: s\n  depends_on: {phase: t, match: [N]}\n  jobs:\n  - {id: s2, cmd: x, params: {N: 2, seed: 1}}\n",
    );
    assert_eq!(manifest.jobs[2].needs, [1]);
    assert!(manifest.phases[1].after.is_empty());
}

#[test]
fn mistakes_are_told_with_line_and_hint() {
    for (text, parts) in [
        (
            "jobs: [{id: a, cmd: x, tiem_limit: 3}]",
            &[
                "m:1:24",
                "unknown key \"tiem_limit\"",
                "did you mean \"time_limit\"",
            ][..],
        ),
        (
            "jobs: [{id: a, cmd: x}]\nwhatever: 1",
            &["m:2:1", "unknown key", "x_"],
        ),
        (
            "jobs:\n- {id: a, cmd: x}\n- {id: A, cmd: y}",
            &["m:3:3", "taken by the job of line 2"],
        ),
        (
            "phases:\n- {name: s, depends_on: [nope], jobs: []}\n- {name: nope2, jobs: []}",
            &["m:2", "no phase \"nope\"", "\"nope2\""],
        ),
        (
            "phases:\n- {name: a, depends_on: [b], jobs: []}\n- {name: b, depends_on: a, jobs: []}",
            &["circle", "phase \"a\"", "phase \"b\""],
        ),
        (
            "jobs:\n- {id: a, cmd: x, needs: [b]}\n- {id: b, cmd: x, needs: a}",
            &["circle", "job \"a\"", "job \"b\""],
        ),
        (
            "phases:\n- {name: a, jobs: [{id: x, cmd: x, needs: [y]}]}\n- {name: b, depends_on: a, jobs: [{id: y, cmd: y}]}",
            &["circle"],
        ),
        ("jobs: [{id: a, cmd: x, needs: [a]}]", &["circle"]),
        ("jobs: [{id: a}]", &["has no cmd", "default_cmd"]),
        ("jobs: [{cmd: a}]", &["no id"]),
        ("jobs: [{id: \"a\\tb\", cmd: a}]", &["control character"]),
        (
            "phases:\n- {name: a, jobs: []}\n- {name: a, jobs: []}",
            &["m:3", "second phase"],
        ),
        (
            "jobs: [{id: a, cmd: x, time_limit: 1:30}]",
            &["time_limit", "H:MM:SS"],
        ),
        ("project: x", &["neither phases nor jobs"]),
        (
            "gpus: 4\njobs: []",
            &["m:1:7", "gpus must be a list", "gpus_per_job"],
        ),
        ("[1]", &["must be a map"]),
        (
            "jobs: [{id: a, cmd: x, env: {1A: x}}]",
            &["names of letters"],
        ),
        (
            "phases: [{name: t, jobs: [{id: t, cmd: x, params: {N: 1}}]}, {name: s, depends_on: {phase: t, match: N}, jobs: [{id: s, cmd: x, params: {N: 2}}]}]",
            &["no job with the same N"],
        ),
    ] {
        let found = bad(text);
        for part in parts {
            assert!(found.contains(part), "{text}: {found} lacks {part}");
        }
    }
}

#[test]
fn an_own_key_and_an_empty_phase_are_no_mistakes() {
    let manifest = good(
        "x_note: hi\nphases: [{name: a, jobs: []}, {name: b, depends_on: a, jobs: [{id: a, cmd: x, x_1: {y: 2}}]}]",
    );
    assert_eq!(manifest.phases[0].first, manifest.phases[0].end);
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "(phases|jobs|gpus|retry|id|cmd|needs|[\\[\\]{}:,\n \\-]|[a-z0-9]){0,40}") {
        let _read = parse(Path::new("m"), &text);
    }
}

#[test]
fn truth_values_may_be_yes_and_no_and_null_in_an_environment_is_a_text() {
    let text = |truth: &str| {
        format!("provenance: {truth}\njobs: [{{id: a, cmd: x, env: {{A: null, B: 007, C: yes}}}}]")
    };
    let manifest = parse(Path::new("m"), &text("no")).expect("a manifest");
    assert!(!manifest.provenance);
    let env = &manifest.jobs[0].settings.env;
    let texts: Vec<&str> = env.values().map(String::as_str).collect();
    assert_eq!(texts, ["null", "007", "yes"]);
    let wrong = parse(Path::new("m"), &text("'no'")).expect_err("a text in quotes");
    assert!(
        wrong.to_string().contains("true or false, not a text"),
        "{wrong}"
    );
}
