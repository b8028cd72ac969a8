//! `build_manifest` as a program.
#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests prepare files and start processes directly"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const GRID: &str = "project: p\ngrid: {N: [64, 128]}\nseeds: 2\ntemplate:\n  id: \"N${N}_s${seed}\"\n  cmd: python x.py --n ${N} --seed ${seed}\n";

fn call(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_build_manifest"))
        .current_dir(folder)
        .args(args)
        .output()
        .expect("started")
}

fn envelope(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("one envelope")
}

#[test]
fn the_references_call_writes_a_manifest_and_a_second_one_leaves_it_alone() {
    let temp = tempfile::tempdir().expect("temp");
    fs::write(temp.path().join("g.yaml"), GRID).expect("write");
    let args = ["--config", "g.yaml", "--output", "m.json"];
    let first = call(temp.path(), &args);
    let text = String::from_utf8_lossy(&first.stdout).into_owned();
    assert!(
        first.status.success()
            && text.contains("Built manifest with 1 phase, 4 total jobs")
            && text.contains("Saved to m.json"),
        "{text}"
    );
    let manifest: Value =
        serde_json::from_slice(&fs::read(temp.path().join("m.json")).expect("read")).expect("JSON");
    assert_eq!(
        manifest["phases"][0]["jobs"][3],
        serde_json::json!({"id": "N128_s1", "cmd": "python x.py --n 128 --seed 1", "params": {"N": 128, "seed": 1}})
    );
    let before = fs::metadata(temp.path().join("m.json"))
        .expect("there")
        .modified()
        .expect("time");
    let second = call(temp.path(), &[&args[..], &["--json"]].concat());
    assert_eq!(envelope(&second)["data"]["written"], false);
    let after = fs::metadata(temp.path().join("m.json"))
        .expect("there")
        .modified()
        .expect("time");
    assert_eq!(before, after);
    assert_eq!(fs::read_dir(temp.path()).expect("list").count(), 2);
}

#[test]
fn without_output_nothing_is_written() {
    let temp = tempfile::tempdir().expect("temp");
    fs::write(temp.path().join("g.yaml"), GRID).expect("write");
    let output = call(temp.path(), &["--config", "g.yaml", "--json"]);
    assert_eq!(envelope(&output)["data"]["jobs"], 4);
    assert_eq!(fs::read_dir(temp.path()).expect("list").count(), 1);
}

#[test]
fn nothing_else_is_overwritten() {
    let temp = tempfile::tempdir().expect("temp");
    fs::write(temp.path().join("g.yaml"), GRID).expect("write");
    fs::write(temp.path().join("notes.txt"), "precious").expect("write");
    for (output, code) in [
        ("notes.txt", 2),
        ("g.yaml", 2),
        ("notes.txt/m.json", 5),
        (".", 5),
    ] {
        let called = call(temp.path(), &["--config", "g.yaml", "--output", output]);
        assert_eq!(called.status.code(), Some(code), "{output}: {called:?}");
    }
    assert_eq!(
        fs::read(temp.path().join("notes.txt")).expect("read"),
        b"precious"
    );
    assert_eq!(
        fs::read(temp.path().join("g.yaml")).expect("read"),
        GRID.as_bytes()
    );
}

#[test]
fn a_number_of_seeds_that_cannot_be_one_is_refused() {
    let temp = tempfile::tempdir().expect("temp");
    for seeds in ["0", "-1", "2.5", "1000000000000", "true", "\"3\""] {
        let grid = GRID.replace("seeds: 2", &format!("seeds: {seeds}"));
        fs::write(temp.path().join("g.yaml"), grid).expect("write");
        let refused = call(temp.path(), &["--config", "g.yaml", "--output", "m.json"]);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(4), "{seeds}: {said}");
        assert!(
            said.contains("g.yaml:3") && said.contains("seeds must be"),
            "{said}"
        );
        assert!(!temp.path().join("m.json").exists());
    }
}

#[test]
fn conditions_that_leave_no_job_are_refused() {
    let temp = tempfile::tempdir().expect("temp");
    let grid = GRID.replace("seeds: 2", "when: [\"N >= 500\"]\nseeds: 2");
    fs::write(temp.path().join("g.yaml"), grid).expect("write");
    let refused = call(temp.path(), &["--config", "g.yaml", "--output", "m.json"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(4), "{said}");
    assert!(said.contains("leave no cell"), "{said}");
}

#[test]
fn more_jobs_than_a_slip_should_make_are_built_with_a_warning() {
    let temp = tempfile::tempdir().expect("temp");
    fs::write(
        temp.path().join("g.yaml"),
        GRID.replace("seeds: 2", "seeds: 60000"),
    )
    .expect("write");
    let args = ["--config", "g.yaml", "--output", "m.json", "--json"];
    let written = call(temp.path(), &args);
    assert_eq!(envelope(&written)["data"]["jobs"], 120_000);
    let warned = String::from_utf8_lossy(&written.stderr).into_owned();
    assert!(warned.contains("120000 jobs"), "{warned}");
    let text = fs::read_to_string(temp.path().join("m.json")).expect("read");
    assert_eq!(
        text.lines()
            .filter(|line| line.starts_with("{\"id\""))
            .count(),
        120_000
    );
}

#[test]
fn mistakes_have_their_place_in_the_specification() {
    let temp = tempfile::tempdir().expect("temp");
    fs::write(
        temp.path().join("g.yaml"),
        GRID.replace("project", "porject"),
    )
    .expect("write");
    let output = call(temp.path(), &["--config", "g.yaml", "--json"]);
    assert_eq!(output.status.code(), Some(4));
    let error = &envelope(&output)["error"];
    assert!(
        error["message"]
            .as_str()
            .expect("text")
            .starts_with("g.yaml:1:1: "),
        "{error}"
    );
    assert_eq!(error["details"]["problems"][0]["line"], 1);
    assert!(
        error["hint"]
            .as_str()
            .expect("hint")
            .contains("\"project\""),
        "{error}"
    );
}

#[test]
fn writers_at_the_same_time_leave_one_whole_manifest() {
    let temp = tempfile::tempdir().expect("temp");
    fs::write(
        temp.path().join("g.yaml"),
        GRID.replace("seeds: 2", "seeds: 20000"),
    )
    .expect("write");
    let children: Vec<_> = (0..4)
        .map(|_| {
            Command::new(env!("CARGO_BIN_EXE_build_manifest"))
                .current_dir(temp.path())
                .args(["--config", "g.yaml", "--output", "m.json", "--json"])
                .stdout(std::process::Stdio::piped())
                .spawn()
                .expect("started")
        })
        .collect();
    let mut wrote = 0;
    for child in children {
        let output = child.wait_with_output().expect("ended");
        match output.status.code() {
            Some(0) => wrote += 1,
            // Another process is writing it.
            Some(5) => {}
            _ => panic!("{output:?}"),
        }
    }
    assert!(wrote > 0);
    let check = call(
        temp.path(),
        &["--config", "g.yaml", "--output", "m.json", "--json"],
    );
    assert_eq!(envelope(&check)["data"]["written"], false);
}

/// The manifest of a specification, and the messages on stderr.
fn built(spec: &str) -> (Value, String) {
    let temp = tempfile::tempdir().expect("temp");
    fs::write(temp.path().join("g.yaml"), spec).expect("write");
    let output = call(temp.path(), &["--config", "g.yaml", "--output", "m.json"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{spec}: {said}");
    let text = fs::read(temp.path().join("m.json")).expect("written");
    (serde_json::from_slice(&text).expect("JSON"), said)
}

#[test]
fn what_the_reference_read_is_read_and_written_as_it_wrote_it() {
    let spec = "\
_defaults: &defaults
  project: p
common: &retry {delay: 5, max_attempts: 2}
cwd: .
oom_retry: *retry
phases:
  - name: a
    grid:
      amp: [true, false]
      decay: [null]
      layers: ['[64,64]']
      heads: [[2, 4]]
    template:
      id: \"a_${amp}_${decay}\"
      cmd: cd ${HOME} && x --amp ${amp} --decay ${decay} --layers ${layers} --heads \"${heads}\" ${1:-y} ${amps}
  - name: b
    depends_on: a
    template: {id: b, cmd: x}
";
    let (manifest, said) = built(spec);
    assert_eq!(
        manifest["phases"][0]["jobs"][0],
        serde_json::json!({
            "id": "a_True_None",
            "cmd": "cd ${HOME} && x --amp True --decay None --layers '[64,64]' --heads \"[2, 4]\" ${1:-y} ${amps}",
            "params": {"amp": true, "decay": null, "layers": "[64,64]", "heads": "[2, 4]"},
        })
    );
    assert_eq!(
        manifest["phases"][1]["depends_on"],
        serde_json::json!(["a"])
    );
    assert_eq!(manifest["oom_retry"]["delay"], 5);
    for part in [
        "g.yaml:9:13: amp: commands get True",
        "decay: commands get None",
        "${amps} is left to the shell, which has no value of the grid; the grid has ${amp}",
    ] {
        assert!(said.contains(part), "{said} lacks {part}");
    }
    assert!(!said.contains("HOME"), "{said}");
}

#[test]
fn a_variable_that_looks_like_an_axis_gets_a_warning() {
    let (manifest, said) = built(
        "grid: {N: [1, 2], seed: [0]}\ntemplate: {id: \"a${N}_${seed}\", cmd: 'x ${n} ${SEED} ${N%.pt} ${N:-3} ${HOME}'}\n",
    );
    for name in ["${n}", "${SEED}", "${N%.pt}", "${N:-3}"] {
        let warning = format!("{name} is left to the shell");
        assert!(said.contains(&warning), "{said} lacks {name}");
    }
    assert!(!said.contains("HOME"), "{said}");
    let cmd = &manifest["phases"][0]["jobs"][0]["cmd"];
    assert_eq!(cmd, "x ${n} ${SEED} ${N%.pt} ${N:-3} ${HOME}");
}

#[test]
fn a_truth_value_is_compared_as_it_is_written() {
    let (manifest, _) = built(
        "grid: {amp: [true, false], N: [1, 2]}\nwhen: amp == true\nexclude: [{amp: true, N: 2}]\ntemplate: {id: \"${amp}_${N}\", cmd: x}\n",
    );
    let jobs = manifest["phases"][0]["jobs"].as_array().expect("jobs");
    assert_eq!(jobs.len(), 1);
    assert_eq!(jobs[0]["id"], "True_1");
}

/// A list as `cmd` used to be ignored without a message, so that the arguments became the command.
#[test]
fn a_command_that_is_no_text_is_refused() {
    for (phase, text) in [
        (
            r#"{"jobs": [{"id": "x", "cmd": ["python", "run.py"], "args": {"seed": 1}}]}"#,
            "cmd must be a text, not a list",
        ),
        (
            r#"{"grid": {"N": [1]}, "template": {"id": "x", "cmd": [], "args": {"seed": 1}}}"#,
            "cmd must be a text, not a list",
        ),
        (
            r#"{"jobs": [{"id": "x", "args": {"seed": 1}}]}"#,
            "has args and no cmd",
        ),
    ] {
        let temp = tempfile::tempdir().expect("temp");
        let grid = format!(r#"{{"project": "p", "phases": [{phase}]}}"#);
        fs::write(temp.path().join("g.json"), grid).expect("write");
        let output = call(temp.path(), &["--config", "g.json"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{phase}: {said}");
        assert!(said.contains(text), "{phase}: {said}");
    }
}

#[test]
fn an_axis_without_values_is_refused() {
    let temp = tempfile::tempdir().expect("temp");
    fs::write(temp.path().join("g.yaml"), GRID.replace("[64, 128]", "[]")).expect("write");
    let output = call(temp.path(), &["--config", "g.yaml"]);
    assert_eq!(output.status.code(), Some(4));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("N has no values"), "{said}");
}

#[test]
fn the_example_is_a_specification_and_help_shows_it() {
    let temp = tempfile::tempdir().expect("temp");
    let example = call(temp.path(), &["--example"]);
    assert_eq!(example.status.code(), Some(0), "{example:?}");
    fs::write(temp.path().join("g.yaml"), &example.stdout).expect("write");
    let counted = call(temp.path(), &["--config", "g.yaml", "--json"]);
    assert_eq!(envelope(&counted)["data"]["jobs"], 6, "{counted:?}");
    let help = call(temp.path(), &["--help"]);
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    for part in ["project: first", "EXAMPLES:", "--example"] {
        assert!(help.contains(part), "{help}");
    }
    assert_eq!(
        call(temp.path(), &["--output", "m.json"]).status.code(),
        Some(2)
    );
}

#[test]
fn the_schema_of_specifications_is_printed_for_editors() {
    let temp = tempfile::tempdir().expect("temp");
    let schema: Value =
        serde_json::from_slice(&call(temp.path(), &["--schema"]).stdout).expect("JSON");
    let about = schema["properties"]["grid"]["description"].as_str();
    assert!(about.is_some_and(|text| text.contains("Axes")), "{schema}");
    let told = call(temp.path(), &["--schema", "--json"]);
    assert_eq!(envelope(&told)["data"]["schema"], schema);
}

#[test]
fn values_that_pyyaml_reads_otherwise_are_told_and_written_as_they_stand() {
    let temp = tempfile::tempdir().expect("temp");
    let grid = "project: a\ngrid:\n  fast: [yes, off]\n  n: [0x10, 010, 1_000, 1:30, 08, 12, -7, 1e-4, \"010\", y]\n  \
                lr: [0.00001, 1.0e-4, .5, 0.10, +3, 0.25, 1e+16, 12.0]\n\
                template: {id: \"${fast}_${n}_${lr}\", cmd: \"run ${fast} ${n} ${lr}\"}\n";
    fs::write(temp.path().join("g.yaml"), grid).expect("write");
    let output = call(temp.path(), &["--config", "g.yaml", "--output", "m.json"]);
    assert_eq!(
        output.status.code(),
        Some(4),
        "two axes values are the same"
    );
    let grid = grid.replace(", \"010\"", "");
    fs::write(temp.path().join("g.yaml"), grid).expect("write");
    let output = call(temp.path(), &["--config", "g.yaml", "--output", "m.json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    for (at, text, other) in [
        ("3:10", "yes", "True"),
        ("3:15", "off", "False"),
        ("4:7", "0x10", "16"),
        ("4:13", "010", "8"),
        ("4:18", "1_000", "1000"),
        ("4:25", "1:30", "90"),
        ("5:8", "0.00001", "1e-05"),
        ("5:17", "1.0e-4", "0.0001"),
        ("5:25", ".5", "0.5"),
        ("5:29", "0.10", "0.1"),
        ("5:35", "+3", "3"),
    ] {
        let line = format!("g.yaml:{at}: ");
        let warning = said.lines().find(|warning| warning.contains(&line));
        let warning = warning.unwrap_or_else(|| panic!("{at}: {said}"));
        for part in [
            format!("{text} is the text {text:?} here"),
            format!(" {other} in the YAML"),
        ] {
            assert!(warning.contains(&part), "{part}: {warning}");
        }
    }
    assert_eq!(said.lines().count(), 11, "{said}");
    let text = fs::read_to_string(temp.path().join("m.json")).expect("written");
    let manifest: Value = serde_json::from_str(&text).expect("JSON");
    for job in manifest["phases"][0]["jobs"].as_array().expect("jobs") {
        let params = ["fast", "n"].map(|axis| match &job["params"][axis] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        let [fast, n] = params;
        // JSON writes this number in another form.
        if n != "1e-4" && n != "0.0001" {
            let cmd = job["cmd"].as_str().expect("a command");
            assert!(cmd.starts_with(&format!("run {fast} {n} ")), "{cmd}");
        }
    }
}

#[test]
fn a_variable_in_an_output_is_refused_and_the_hint_leads_to_a_job_that_completes() {
    let temp = tempfile::tempdir().expect("temp");
    let grid = |output: &str| {
        let text = format!(
            "project: a\ngrid: {{s: [1]}}\ntemplate: {{id: \"a${{s}}\", cmd: \"true\", expected_output: \"{output}\"}}\n"
        );
        fs::write(temp.path().join("g.yaml"), text).expect("write");
        call(temp.path(), &["--config", "g.yaml"])
    };
    for output in ["${HOME}/o${s}", "$${HOME}/o${s}"] {
        let refused = grid(output);
        let said = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(4), "{said}");
        assert!(
            said.contains("no shell reads") && !said.contains("$$"),
            "{said}"
        );
    }
    assert_eq!(grid("/tmp/o${s}").status.code(), Some(0));
}

#[test]
fn cells_that_declare_one_output_are_named() {
    let temp = tempfile::tempdir().expect("temp");
    for (output, warned) in [("eval.json", true), ("N${N}.json", false)] {
        let grid = format!(
            "grid: {{N: [64, 128]}}\ntemplate: {{id: \"N${{N}}\", cmd: \"x ${{N}}\", expected_output: \"{output}\"}}\n"
        );
        fs::write(temp.path().join("g.yaml"), grid).expect("write");
        let built = call(temp.path(), &["--config", "g.yaml"]);
        let said = String::from_utf8_lossy(&built.stderr).into_owned();
        assert_eq!(said.contains("same output eval.json"), warned, "{said}");
        assert!(built.status.success(), "{said}");
    }
}

#[test]
fn files_of_a_queue_and_outputs_of_jobs_are_never_replaced() {
    let temp = tempfile::tempdir().expect("temp");
    let at = |name: &str| temp.path().join(name);
    let spec = "jobs: [{id: a, cmd: x, expected_output: [\"out/*.json\", m2.json]}]";
    fs::write(at("g.yaml"), spec).expect("write");
    let state = r#"{"schema": "s", "meta": {}, "phases": [], "jobs": []}"#;
    fs::create_dir_all(at(".q.queue")).expect("folder");
    for name in [".q.queue/journal.jsonl", ".q.queue/manifest.yaml", "q.json"] {
        fs::write(at(name), "").expect("write");
    }
    fs::write(at("copy.json"), state).expect("write");
    for name in [
        "q.json",
        ".q.queue/manifest.yaml",
        "copy.json",
        "out/x.json",
        "m2.json",
    ] {
        let before = fs::read(at(name)).ok();
        let output = call(temp.path(), &["--config", "g.yaml", "--output", name]);
        assert_eq!(output.status.code(), Some(2), "{name}: {output:?}");
        assert_eq!(fs::read(at(name)).ok(), before, "{name}");
    }
    let output = call(temp.path(), &["--config", "g.yaml", "--output", "m.json"]);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_placeholder_in_an_expansion_of_the_shell_gets_its_value() {
    let grid = "grid: {lr: [1e-4, 'a b'], N: [1]}\n";
    let (manifest, said) = built(
        &(grid.to_owned()
            + "template: {cmd: 'x \"${OVER:-${lr}}\" ${A:-${B:-${N}}} ${A:-$${lr}} ${HOME} \"${lr}\"'}"),
    );
    let cmd = manifest["phases"][0]["jobs"][0]["cmd"]
        .as_str()
        .expect("cmd");
    assert_eq!(
        cmd,
        "x \"${OVER:-1e-4}\" ${A:-${B:-1}} ${A:-${lr}} ${HOME} \"1e-4\""
    );
    assert_eq!(said, "");
}

/// Jobs that differ only in their names, with the word that the warning must have; none: they differ.
#[test]
fn jobs_that_run_the_same_command_get_a_warning() {
    for (template, word) in [
        ("cmd: 'x \"$lr\" {lr}'", "${lr}"),
        ("cmd: 'x ${lr}'", ""),
        ("cmd: x, args: {lr: \"${lr}\"}", ""),
        ("cmd: x, env: {LR: \"${lr}\"}", ""),
        ("cmd: x, cwd: \"${lr}\"", ""),
        ("cmd: x, expected_output: \"${lr}.json\"", "${lr}"),
    ] {
        let spec = format!("grid: {{lr: [1, 2]}}\ntemplate: {{id: \"j_${{lr}}\", {template}}}");
        let (_, said) = built(&spec);
        assert_eq!(
            said.contains("same command"),
            !word.is_empty(),
            "{template}: {said}"
        );
        assert!(said.contains(word), "{template}: {said}");
    }
}

#[test]
fn arguments_get_warnings_as_values_of_grids_do_and_go_into_no_comment() {
    let (_, said) = built(
        "grid: {seed: [1]}\ntemplate: {cmd: x, args: {seed: \"${seed}\", wandb: no, fp16: yes, on: 'yes', a: -0, b: 1:30.5, c: 2024-01-02T03:04:05Z, d: 2024-01-02}}",
    );
    assert_eq!(said.matches("PyYAML").count(), 5, "{said}");
    for other in ["0", "90.5", "2024-01-02 03:04:05+00:00"] {
        let said_of = format!("and {other} in the YAML");
        assert!(said.contains(&said_of), "{other}: {said}");
    }
    let (_, said) =
        built("grid: {seed: [1]}\ntemplate: {cmd: 'x | tee log', args: {seed: \"${seed}\"}}");
    assert!(said.contains("pipe"), "{said}");
    let temp = tempfile::tempdir().expect("temp");
    for (cmd, code) in [("x  # note", 4), ("x '# no note'", 0)] {
        let spec = format!("jobs: [{{id: a, cmd: \"{cmd}\", args: {{seed: 1}}}}]");
        fs::write(temp.path().join("g.yaml"), spec).expect("write");
        let output = call(temp.path(), &["--config", "g.yaml"]);
        assert_eq!(output.status.code(), Some(code), "{cmd}: {output:?}");
    }
}
