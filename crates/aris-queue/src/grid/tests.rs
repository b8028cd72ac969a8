use super::*;
use crate::manifest::{self, Manifest};

fn plan(text: &str) -> Plan {
    Plan::read(&manifest::tree(text).unwrap()).unwrap_or_else(|error| panic!("{text}: {error:#?}"))
}

fn expanded(text: &str) -> Manifest {
    let text = plan(text).text();
    manifest::parse(std::path::Path::new("m"), &text)
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn ids(text: &str) -> Vec<String> {
    expanded(text)
        .jobs
        .iter()
        .map(|job| job.id.to_string())
        .collect()
}

fn bad(text: &str) -> String {
    let problems = match manifest::tree(text) {
        Ok(node) => Plan::read(&node).err().expect(text),
        Err(problem) => vec![problem],
    };
    format!("{problems:?}")
}

/// A specification with this grid; the ids of its jobs show the cells.
fn grid(keys: &str, id: &str) -> String {
    format!("{{{keys}, template: {{id: \"{id}\", cmd: x}}}}")
}

#[test]
fn the_last_key_is_fastest() {
    assert_eq!(
        ids(&grid(
            "grid: {N: [64, 128], lr: [1e-4, 0.10]}",
            "n${N}_${lr}"
        )),
        ["n64_1e-4", "n64_0.10", "n128_1e-4", "n128_0.10"]
    );
}

#[test]
fn zipped_axes_go_together_and_seeds_are_fastest() {
    assert_eq!(
        ids(&grid(
            "grid: {a: [1, 2]}, zip: [{w: [x, y], d: [4, 8]}], seeds: 2",
            "${a}${w}${d}${seed}"
        )),
        [
            "1x40", "1x41", "1y80", "1y81", "2x40", "2x41", "2y80", "2y81"
        ]
    );
}

#[test]
fn cells_are_left_out_and_added() {
    let text = "grid: {a: [1, 2, 3], b: [x, y]}, exclude: [{a: [1, 3], b: x}], when: [\"a <= 2\"], include: [{a: 9, b: z}]";
    assert_eq!(ids(&grid(text, "${a}${b}")), ["1y", "2x", "2y", "9z"]);
}

#[test]
fn conditions_compare_numbers_and_texts() {
    for (when, expected) in [
        ("a > 1", "2x 2y 10x 10y"),
        ("a == 1.0", "1x 1y"),
        ("b != x", "1y 2y 10y"),
        ("a in [1, 10]", "1x 1y 10x 10y"),
        ("b not in [x, z]", "1y 2y 10y"),
        ("a >= ${a}", "1x 1y 2x 2y 10x 10y"),
        ("${a} < 2", "1x 1y"),
    ] {
        let text = format!("grid: {{a: [1, 2, 10], b: [x, y]}}, when: \"{when}\"");
        assert_eq!(ids(&grid(&text, "${a}${b}")).join(" "), expected, "{when}");
    }
}

/// A double cannot hold every 64-bit integer.
#[test]
fn whole_numbers_are_compared_to_the_last_digit() {
    for (what, expected) in [
        ("when: \"a != 9007199254740992\"", "9007199254740993 5"),
        ("when: \"a > 9007199254740992\"", "9007199254740993"),
        ("when: \"a in [9007199254740992, 5]\"", "5"),
        ("exclude: [{a: 9007199254740993}]", "5"),
    ] {
        let text = format!("grid: {{a: [9007199254740993, 5]}}, {what}");
        assert_eq!(ids(&grid(&text, "${a}")).join(" "), expected, "{what}");
    }
}

#[test]
fn values_keep_their_place_in_a_command() {
    let manifest = expanded(
        r#"
grid: {v: ["a b", "$(touch x)", "it's", 'q"q']}
seeds: 1
template:
  id: "${v}"
  cmd: |
    run --a "${v}" --b '${v}' --seed ${seed} $${HOME} ${GPU}
  args: {name: "n ${v}", seed: "${seed}", on: true, off: false}
  expected_output: ["out/${v}*.json"]
  env: {S: "${seed}"}
"#,
    );
    assert_eq!(
        &*manifest.jobs[1].cmd,
        "run --a \"\\$(touch x)\" --b '$(touch x)' --seed 0 ${HOME} ${GPU} --name 'n $(touch x)' --seed 0 --on"
    );
    assert_eq!(
        &*manifest.jobs[2].cmd,
        "run --a \"it's\" --b 'it'\\''s' --seed 0 ${HOME} ${GPU} --name 'n it'\\''s' --seed 0 --on"
    );
    assert_eq!(&*manifest.jobs[0].outputs[0], "out/a b*.json");
    assert_eq!(manifest.jobs[0].settings.env["S"], "0");
}

/// Runs a command with hostile values in a real shell, and compares what arrives.
#[test]
fn a_shell_gets_every_value_as_it_is() {
    let hostile = "a'b\"c$(echo x)`echo y`\\d *~#;&|\n!e";
    let text = serde_json::json!({
        "grid": {"v": [hostile]},
        "template": {"id": "x", "cmd": "printf '%s|' \"${v}\" '${v}'", "args": {"-": "${v}"}},
    });
    let manifest = expanded(&text.to_string());
    let out = aris_testkit_shell(&manifest.jobs[0].cmd);
    assert_eq!(out, format!("{hostile}|{hostile}|-|{hostile}|"));
}

#[expect(clippy::disallowed_methods, reason = "the test asks a real shell")]
fn aris_testkit_shell(command: &str) -> String {
    let output = std::process::Command::new("sh")
        .args(["-c", command])
        .output()
        .expect("sh");
    String::from_utf8(output.stdout).expect("utf-8")
}

#[test]
fn a_value_that_would_leave_its_place_is_refused() {
    for command in [
        "run ${v}",
        "run \"$(echo '${v}')\"",
        "cat <<E\ndon't ${v}\nE",
        "run # don't\nrun ${v}",
        "run \\\"${v}",
        "run $'a' '${v}'",
    ] {
        let text =
            serde_json::json!({"grid": {"v": ["a b"]}, "template": {"id": "x", "cmd": command}});
        assert!(
            bad(&text.to_string()).contains("means something to the shell"),
            "{command}"
        );
    }
    let raw = expanded(
        r#"{"grid": {"v": ["--a 1 --b"]}, "template": {"id": "x", "cmd": "run ${v:raw}"}}"#,
    );
    assert_eq!(&*raw.jobs[0].cmd, "run --a 1 --b");
    let letters =
        expanded(r#"{"grid": {"v": ["café"]}, "template": {"id": "x", "cmd": "run ${v}"}}"#);
    assert_eq!(&*letters.jobs[0].cmd, "run café");
}

#[test]
fn mistakes_are_told() {
    for (text, part) in [
        (grid("grid: {a: [1]}", "${b}"), "${b} has no value"),
        (grid("grid: {seed: [1]}", "${sed}"), "did you mean ${seed}"),
        (grid("grid: {a: [1, 2]}", "x"), "several jobs have the id"),
        (
            grid("grid: {a: [x, X]}", "${a}"),
            "several jobs have the id",
        ),
        (
            grid("grid: {a: [1, 2]}, exclude: [{a: 3}]", "${a}"),
            "never 3",
        ),
        (
            grid("grid: {a: [1, 2]}, exclude: [{b: 3}]", "${a}"),
            "no axis",
        ),
        (
            grid("grid: {a: [x, 2]}, when: \"a > 1\"", "${a}"),
            "no numbers",
        ),
        (
            grid("grid: {a: [1]}, when: \"a ~ 1\"", "${a}"),
            "no condition",
        ),
        (grid("grid: {a: [1]}, include: [{}]", "${a}"), "has no a"),
        (grid("zip: [{a: [1], b: [1, 2]}]", "${a}"), "equally long"),
        (grid("grid: {a: [{b: 1}]}", "${a}"), "must be a scalar"),
        (grid("grid: {a: [[[{b: 1}]]]}", "${a}"), "more than scalars"),
        (grid("grid: {a: []}", "${a}"), "a has no values"),
        (
            grid("grid: {a: [1], GPU: [1]}", "${a}"),
            "cannot be the name",
        ),
        (grid("grid: {a: [1]}, seeds: 2", "${a}"), "several jobs"),
        (String::from("{grid: {a: [1]}}"), "no template"),
        (String::from("{template: {id: a}}"), "no cmd"),
        (
            String::from("{template: {id: a, cmd: x, tiem_limit: 3}}"),
            "did you mean \\\"time_limit",
        ),
        (
            String::from("{template: {id: a, cmd: x, time_limit: soon}}"),
            "H:MM:SS",
        ),
        (
            String::from("{template: {id: a, cmd: \"${x\"}}"),
            "without }",
        ),
        (
            String::from("{gird: {a: 1}, template: {id: a, cmd: x}}"),
            "did you mean \\\"grid",
        ),
        (
            String::from("{phases: [], grid: {a: [1]}}"),
            "move the grid",
        ),
        (
            String::from("{project: x}"),
            "no phases, no grid and no jobs",
        ),
    ] {
        let found = bad(&text);
        assert!(found.contains(part), "{text}: {found}");
    }
}

#[test]
fn the_references_example_gives_its_manifest() {
    let manifest = expanded(
        "project: p\ncwd: /w\nconda: my_env\ngpus: [0, 1]\nphases:\n  - name: train_teachers\n    grid:\n      N: [384, 512]\n    template:\n      id: \"teacher_N${N}\"\n      cmd: \"python run_train.py --n_hidden ${N}\"\n      output_check: \"ck/N${N}.pt\"\n  - name: distill\n    depends_on: {phase: train_teachers, match: [N]}\n    grid:\n      N: [384, 512]\n      seed: [42, 200]\n    template:\n      id: \"s${seed}_N${N}\"\n      cmd: >\n        python run_distill.py\n        --seed ${seed} --n_hidden ${N}\n      expected_output: \"f/N${N}_*_s${seed}.json\"\n      gpus: 1\n",
    );
    assert_eq!(manifest.jobs.len(), 6);
    assert_eq!(manifest.jobs[2].needs, [0]);
    assert_eq!(manifest.jobs[5].needs, [1]);
    assert_eq!(
        &*manifest.jobs[5].cmd,
        "python run_distill.py --seed 200 --n_hidden 512"
    );
    assert_eq!(manifest.conda.as_ref().unwrap().env, "my_env");
}

#[test]
fn jobs_listed_one_by_one_keep_everything() {
    let manifest = expanded(
        "default_cmd: python x\njobs:\n- {id: a, args: {s: 1}, time_limit: 5, needs: [b]}\n- {id: b, cmd: y, expected_output: [o, p]}\n",
    );
    assert_eq!(&*manifest.jobs[0].cmd, "python x --s 1");
    assert_eq!(manifest.jobs[0].settings.time_limit_ms, Some(5000));
    assert_eq!(manifest.jobs[0].needs, [1]);
    assert_eq!(manifest.jobs[1].outputs.len(), 2);
}

#[test]
fn large_grids_are_written_one_job_a_line() {
    let plan = plan(&grid("grid: {a: [1, 2]}, seeds: 15000", "${a}_${seed}"));
    assert_eq!(plan.phases().collect::<Vec<_>>(), [("main", 30_000)]);
    let jobs = plan.text();
    let jobs = jobs.lines().filter(|line| line.starts_with("{\"id\""));
    assert_eq!(jobs.count(), 30_000);
}

proptest::proptest! {
    #[test]
    fn no_specification_makes_it_panic(text in "(grid|zip|seeds|when|exclude|include|template|id|cmd|\\$\\{|[\\[\\]{}:,\n ]|[a-c0-3<>=!\"'])\
        {0,40}") {
        if let Ok(node) = manifest::tree(&text) {
            let _plan = Plan::read(&node);
        }
    }
}
