//! Switching from the reference: its files and commands, and what its users expect.

use std::fs;

use aris_testkit::{Helper, executable};
use serde_json::{Value, json};

use crate::job;
use crate::queue::Place;

#[test]
fn the_example_of_build_manifest_runs_and_its_report_groups_its_files() {
    let place = Place::new();
    let build = |args: &[&str]| {
        let call = Helper::named("build_manifest").call(place.at(""));
        call.args(args).run()
    };
    fs::write(place.at("g.yaml"), build(&["--example"]).stdout()).expect("write");
    let built = build(&["--config", "g.yaml", "--output", "m.json"]);
    assert!(
        built.stdout().contains("6 total jobs"),
        "{}",
        built.stdout()
    );
    let ran = place.run();
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    let report = place.call(&["report", "--state", "s.json"]);
    let text = String::from_utf8_lossy(&report.stdout);
    assert!(text.contains("6 files in `out/*.json`"), "{text}");
}

#[test]
fn without_a_word_about_conda_base_is_activated_where_conda_is() {
    let place = Place::new();
    let manifest = |more: &str| {
        let text = format!(
            "cwd: {}\ngpus: []\n{more}jobs: [{{id: a, cmd: 'echo \"env=$ENVIRONMENT\" > said'}}]\n",
            place.at("").display()
        );
        fs::write(place.at("m.json"), text).expect("write");
    };
    let here = |args: &[&str], path: &str, exe: &str| {
        let mut command = place.command(args);
        command.env("HOME", place.at("home")).env("PATH", path);
        command.env("CONDA_EXE", exe).output().expect("ran")
    };
    let call = |args: &[&str]| here(args, "/usr/bin:/bin", "");
    let run = || {
        fs::remove_dir_all(place.at(".s.queue")).unwrap_or_default();
        fs::remove_file(place.at("s.json")).unwrap_or_default();
        let output = call(&["run", "--manifest", "m.json", "--state", "s.json"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        fs::read_to_string(place.at("said")).expect("ran")
    };
    manifest("");
    let told = call(&["preflight", "--manifest", "m.json"]);
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert_eq!(told.status.code(), Some(0), "{text}");
    assert!(text.contains("conda not found"), "{text}");
    assert_eq!(run(), "env=\n");
    let bin = place.at("home/miniconda3/bin");
    fs::create_dir_all(&bin).expect("folder");
    let hook = "#!/bin/sh\necho 'conda() { export ENVIRONMENT=$2; }'\n";
    fs::write(bin.join("conda"), hook).expect("write");
    executable(&bin.join("conda"));
    assert_eq!(run(), "env=base\n");
    for (more, expected) in [
        ("conda: torch\n", "env=torch\n"),
        ("conda: none\n", "env=\n"),
        ("setup: export ENVIRONMENT=own\n", "env=own\n"),
    ] {
        manifest(more);
        assert_eq!(run(), expected, "{more}");
    }
    manifest("");
    // In an unusual place, conda is found through the `PATH` or `CONDA_EXE`.
    fs::rename(place.at("home"), place.at("other")).expect("moved");
    let bin = place.at("other/miniconda3/bin").display().to_string();
    let (path, exe) = (format!("{bin}:/usr/bin:/bin"), format!("{bin}/conda"));
    for (path, exe) in [(path.as_str(), ""), ("/usr/bin:/bin", &exe)] {
        let told = here(&["preflight", "--manifest", "m.json"], path, exe);
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        assert!(
            text.contains("activates \"base\"") && text.contains(&bin),
            "{text}"
        );
    }
}

#[test]
fn a_pipe_that_hides_out_of_memory_is_tried_again_as_that() {
    let place = Place::new();
    let hidden = "echo x >> ran; if test -e second; then echo y > out; else touch second; (echo 'RuntimeError: CUDA out of memory.'; exit 1) | tee log; fi";
    let fine = "echo 'caught: CUDA out of memory.'; echo y > other";
    let retry = json!({"oom": 2, "delay": 0});
    place.manifest(&json!([{"name": "p", "retry": retry, "jobs": [
        {"id": "hidden", "cmd": hidden, "expected_output": "out"},
        {"id": "fine", "cmd": fine, "expected_output": "other"},
        {"id": "other", "cmd": "echo nothing", "expected_output": "never"},
    ]}]));
    assert_eq!(place.run().status.code(), Some(10));
    let state = place.state();
    assert_eq!(state["hidden"]["status"], "completed", "{state:?}");
    assert_eq!(fs::read_to_string(place.at("ran")).expect("ran"), "x\nx\n");
    assert_eq!(
        (&state["fine"]["status"], &state["fine"]["attempts"]),
        (&json!("completed"), &json!(1))
    );
    assert_eq!(state["other"]["reason"], "no_output");
    let journal = fs::read_to_string(place.at(".s.queue/journal.jsonl")).expect("journal");
    assert!(journal.contains("gpu_oom"), "{journal}");
}

/// What libraries print when they ask for more memory than a card has.
///
/// **Source**: the last lines on an NVIDIA H200, driver 580.159, of `PyTorch` 2.11, JAX 0.11.2, `CuPy` 14.2 and numba-cuda, 2026-11-29; for
/// Triton, reports of its users.
#[test]
fn a_full_card_is_out_of_memory_in_the_words_of_each_library() {
    let words = [
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 200.00 GiB. GPU 0 has a total capacity of 139.80 GiB of which 139.29 GiB is free.",
        "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 200.00GiB with allocator GPU_0_bfc on device 0.",
        "cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 214,748,364,800 bytes (allocated so far: 0 bytes).",
        "numba.cuda.cudadrv.driver.CudaAPIError: [<CUresult.CUDA_ERROR_OUT_OF_MEMORY: 2>] Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY",
        "RuntimeError: Triton Error [CUDA]: out of memory",
    ];
    let place = Place::new();
    let job = |(at, words): (usize, &str)| json!({"id": format!("j{at}"), "cmd": format!("echo '{words}'; exit 1")});
    let jobs: Vec<Value> = words.into_iter().enumerate().map(job).collect();
    place.manifest(&json!([{"name": "p", "retry": {"oom": 0}, "jobs": jobs}]));
    assert_eq!(place.run().status.code(), Some(10));
    let state = place.state();
    assert_eq!(state.len(), words.len());
    for (job, row) in state {
        assert_eq!(row["reason"], "gpu_oom", "{job}");
    }
}

#[test]
fn a_pipe_that_hides_how_a_program_ends_is_said_before_it_runs() {
    let place = Place::new();
    let jobs = |cmd: &str, more: &Value| {
        let mut job = json!({"id": "a", "cmd": cmd});
        for (key, value) in more.as_object().expect("keys") {
            job[key] = value.clone();
        }
        place.manifest(&json!([{"name": "p", "jobs": [job, {"id": "b", "cmd": "true || false"}]}]));
    };
    let preflight = || {
        let output = place
            .command(&["preflight", "--manifest", "m.json", "--state", "s.json"])
            .output()
            .expect("ran");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), said)
    };
    jobs("false | cat", &json!({}));
    let (code, said) = preflight();
    assert_eq!(code, Some(10), "{said}");
    assert!(
        said.contains("\"a\" sends") && said.contains("pipefail"),
        "{said}"
    );
    let output = place.run();
    assert_eq!(
        output.status.code(),
        Some(0),
        "the shell says so: {output:?}"
    );
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("its failure is not seen"), "{told}");
    for (cmd, more) in [
        ("false | cat", json!({"expected_output": "out"})),
        ("set -o pipefail; false | cat", json!({})),
    ] {
        jobs(cmd, &more);
        let (code, said) = preflight();
        assert_eq!(code, Some(0), "{said}");
    }
    // Following the hint works.
    assert_eq!(
        place.run().status.code(),
        Some(0),
        "the edit is for the next try"
    );
    place.data(&["retry", "a", "--state", "s.json"]);
    assert_eq!(place.run().status.code(), Some(10));
}

#[test]
fn a_state_file_that_is_taken_over_keeps_cards_and_times() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [job("a", "true"), job("b", "true")]}]));
    let old = json!({"meta": {"project": "p"}, "phases": [], "jobs": [
        // Fields that are ignored here, with values of another program or version.
        {"id": "a", "status": "completed", "attempts": 1, "gpu": 3, "gpus": null, "reason": "out of memory", "exit_code": "1",
         "started": "2026-01-02T03:04:05.678901Z", "completed": "2026-01-02T04:04:05.678901Z"},
        {"id": "b", "status": "stuck", "attempts": 3, "gpu": 1, "started": "2026-01-02T03:04:05Z", "completed": null},
    ]});
    fs::write(place.at("s.json"), old.to_string()).expect("write");
    for _ in 0..2 {
        place.data(&["adopt", "--manifest", "m.json", "--state", "s.json"]);
        let state = place.state();
        for (id, key, value) in [
            ("a", "gpu", json!(3)),
            ("a", "attempts", json!(1)),
            ("b", "gpu", json!(1)),
        ] {
            assert_eq!(state[id][key], value, "{id} {key}: {state:?}");
        }
        for (id, key, part) in [
            ("a", "started", "2026-01-02T03:04:05"),
            ("a", "completed", "2026-01-02T04:04:05"),
            ("b", "started", "2026-01-02T03:04:05"),
        ] {
            let text = state[id][key].as_str().unwrap_or_default();
            assert!(text.starts_with(part), "{id} {key}: {text}");
        }
    }
}

#[test]
fn the_state_of_the_reference_is_told_as_it_is_before_it_is_taken_over() {
    let place = Place::new();
    let state = |last: &str| {
        // **Source**: a state file as the reference's queue_manager writes it; it has no `state`, `schema` or `over`.
        json!({"meta": {"project": "p"},
            "phases": [{"name": "p", "depends_on": [], "status": "running"}],
            "jobs": [
                {"id": "a", "phase": "p", "cmd": "x", "status": "completed", "attempts": 1},
                {"id": "b", "phase": "p", "cmd": "x", "status": last, "attempts": 1},
        ]})
    };
    let status = || place.call(&["status", "--state", "s.json", "--json"]);
    for (word, said, code) in [("running", "running", 0), ("stuck", "failed", 10)] {
        fs::write(place.at("s.json"), state(word).to_string()).expect("write");
        let output = status();
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let told: Value = serde_json::from_slice(&output.stdout).expect("json");
        assert_eq!(
            told["data"]["counts"],
            json!({"completed": 1, said: 1}),
            "{told}"
        );
        let notices = told["data"]["notices"].to_string();
        assert!(notices.contains("queue_manager adopt"), "{notices}");
    }
}

#[test]
fn what_ran_when_the_state_was_taken_over_is_lost_and_not_run_twice_unasked() {
    let place = Place::new();
    let add = |id: &str| job(id, &format!("echo x >> ran-{id}"));
    place.manifest(&json!([{"name": "p", "jobs": [add("a"), add("b")]}]));
    let own = std::process::id();
    // **Source**: a state file as the reference's queue_manager writes it.
    let state = json!({"meta": {"project": "p"}, "phases": [], "jobs": [
        {"id": "a", "phase": "p", "cmd": "x", "status": "running", "attempts": 1, "screen_name": "EQ_a", "pid": own},
        {"id": "b", "phase": "p", "cmd": "x", "status": "failed_other", "attempts": 1},
    ]});
    fs::write(place.at("s.json"), state.to_string()).expect("write");
    let adopted = place.call(&["adopt", "--manifest", "m.json", "--state", "s.json"]);
    let told = String::from_utf8_lossy(&adopted.stderr).into_owned();
    assert!(
        told.contains("may still run")
            && told.contains(&format!("a process {own}, which the file names, runs")),
        "{told}"
    );
    let row = &place.state()["a"];
    assert_eq!(
        (&row["state"], &row["reason"], &row["status"]),
        (&json!("lost"), &json!("imported"), &json!("stuck"))
    );
    for flags in [&["--failed"][..], &["--all"], &["--phase", "p"]] {
        let asked = place.data(&[&["retry"], flags, &["--state", "s.json"]].concat());
        assert_eq!(
            asked["refused"].as_array().map(Vec::len),
            Some(1),
            "{asked}"
        );
        assert!(
            asked["refused"][0]
                .as_str()
                .is_some_and(|why| why.starts_with("a was running")),
            "{asked}"
        );
    }
    assert_eq!(place.run().status.code(), Some(10));
    assert!(!place.at("ran-a").exists() && place.at("ran-b").exists());
    place.data(&["retry", "a", "--state", "s.json"]);
    assert_eq!(place.run().status.code(), Some(0));
    assert!(place.at("ran-a").exists());
}

#[test]
fn what_ran_out_of_memory_goes_on_from_its_attempts_and_the_report_has_their_times() {
    let place = Place::new();
    let fails = "echo x >> ran-$ARIS_JOB; echo 'RuntimeError: CUDA out of memory.'; exit 1";
    place.manifest(
        &json!([{"name": "p", "retry": {"oom": 2, "delay": 0}, "jobs": [
            job("a", "true"), job("d", &fails.replace("$ARIS_JOB", "d")), job("e", &fails.replace("$ARIS_JOB", "e")),
        ]}]),
    );
    // **Source**: a state file as the reference's queue_manager writes it.
    let row = |id: &str, status: &str, attempts: u32| {
        json!({"id": id, "phase": "p", "cmd": "x", "status": status, "attempts": attempts, "gpu": 2, "pid": null,
            "started": "2026-01-01T00:00:00Z", "completed": "2026-01-01T01:00:00Z", "error": "CUDA OOM detected"})
    };
    let rows = [
        row("a", "completed", 1),
        row("d", "failed_oom", 2),
        row("e", "failed_oom", 3),
    ];
    let old = json!({"meta": {"project": "p"}, "phases": [], "jobs": rows});
    fs::write(place.at("s.json"), old.to_string()).expect("write");
    // Before the state file is imported, `explain` agrees with `status`.
    place.data(&["status", "--state", "s.json"]);
    for (id, state) in [("a", "completed"), ("d", "backoff")] {
        let data = place.call(&["explain", id, "--state", "s.json", "--json"]);
        assert_eq!(data.status.code(), Some(0), "{data:?}");
        let told: Value = serde_json::from_slice(&data.stdout).expect("json");
        assert_eq!(told["data"]["state"], state, "{told}");
        let facts = told["data"]["facts"].to_string();
        assert!(
            facts.contains("card 2") && facts.contains("adopt"),
            "{facts}"
        );
    }
    place.data(&["adopt", "--manifest", "m.json", "--state", "s.json"]);
    let state = place.state();
    for (id, attempts, word) in [("a", 1, "completed"), ("d", 2, "ready"), ("e", 3, "failed")] {
        let row = &state[id];
        assert_eq!(
            (&row["attempts"], &row["gpu"]),
            (&json!(attempts), &json!(2)),
            "{row}"
        );
        assert_eq!(row["state"], word, "{row}");
        assert!(
            row["started"]
                .as_str()
                .is_some_and(|time| time.starts_with("2026-01-01"))
        );
    }
    let report = place.data(&["report", "--state", "s.json"]);
    assert_eq!(report["started"], "2026-01-01T00:00:00Z", "{report}");
    assert_eq!(
        report["phases"][0]["durations"]["max_s"], 3600.0,
        "{report}"
    );
    assert_eq!(report["failures"][0]["attempts"], 3, "{report}");
    // The third attempt is the last.
    assert_eq!(place.run().status.code(), Some(10));
    let ran = fs::read_to_string(place.at("ran-d")).expect("ran");
    assert_eq!(
        (ran.lines().count(), place.at("ran-e").exists()),
        (1, false)
    );
    assert_eq!(place.state()["d"]["attempts"], 3);
}
