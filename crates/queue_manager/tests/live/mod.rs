//! Jobs are added, changed and removed, while the queue runs and while it does not.

use std::fs;

use serde_json::{Value, json};

use crate::job;
use crate::queue::Place;

/// A job that starts and then waits for the file `go`.
fn waits(id: &str) -> Value {
    job(
        id,
        &format!("echo x >> began-{id}; until test -e go; do sleep 0.02; done"),
    )
}

/// The refusals in a call that exits with 10.
fn refused(place: &Place, args: &[&str]) -> String {
    let words = [&args[..1], &["--json", "--state", "s.json"], &args[1..]].concat();
    let output = place.call(&words);
    assert_eq!(output.status.code(), Some(10), "{args:?}: {output:?}");
    let envelope: Value = serde_json::from_slice(&output.stdout).expect("envelope");
    envelope["data"]["refused"].to_string()
}

#[test]
fn what_is_done_shows_in_the_status_at_once() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "max_parallel": 1, "jobs": [waits("first")]}]));
    let mut manager = place.start();
    Place::until("the first runs", || place.at("began-first").exists());
    let after = |args: &[&str]| {
        let words = [&args[..1], &["--state", "s.json"], &args[1..]].concat();
        let data = place.data(&words);
        assert_eq!(data["done"], true, "{args:?}: {data}");
        place.data(&["status", "--state", "s.json"])
    };
    for number in 1..=6 {
        let status = after(&["add", &format!("more{number}"), "--cmd", "true"]);
        assert_eq!(status["jobs"], 1 + number, "{status}");
    }
    for number in 1..=3 {
        let status = after(&["hold", &format!("more{number}")]);
        assert_eq!(status["counts"]["hold"], number, "{status}");
    }
    let status = after(&["release", "more1"]);
    assert_eq!(status["counts"]["hold"], 2, "{status}");
    let status = after(&["cancel", "more4"]);
    assert_eq!(status["counts"]["cancelled"], 1, "{status}");
    let status = after(&["remove", "more2", "more3", "more4"]);
    assert_eq!(status["jobs"], 4, "{status}");
    fs::write(place.at("go"), "").expect("go");
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
}

#[test]
fn jobs_come_change_and_go_while_the_queue_runs() {
    let place = Place::new();
    place.manifest(&json!([
        {"name": "p", "max_parallel": 1, "jobs": [waits("first"), job("second", "echo old > second"), job("never", "touch never")]},
        {"name": "q", "depends_on": "p", "jobs": [job("last", "touch last")]},
    ]));
    let mut manager = place.start();
    Place::until("the first runs", || place.at("began-first").exists());
    let ask = |args: &[&str]| {
        let words = [&args[..1], &["--state", "s.json"], &args[1..]].concat();
        let data = place.data(&words);
        assert_eq!(
            (&data["done"], &data["refused"]),
            (&json!(true), &json!([])),
            "{args:?}: {data}"
        );
        data
    };
    ask(&[
        "add",
        "new",
        "--cmd",
        "echo \"$GREETING: it's\" > new",
        "--phase",
        "p",
        "--set",
        "env={GREETING: hello}",
    ]);
    ask(&[
        "edit",
        "second",
        "--cmd",
        "echo new > second",
        "--set",
        "time_limit=0:10:00",
    ]);
    assert_eq!(ask(&["remove", "nev*"])["jobs"], json!(["never"]));
    let told = ask(&["edit", "first", "--set", "priority=3"]);
    assert!(
        told["notes"][0]
            .as_str()
            .is_some_and(|note| note.contains("under way as before")),
        "{told}"
    );
    fs::write(
        place.at("more.yaml"),
        "phases:\n- name: q\n  grid: {N: [1, 2]}\n  template: {id: \"g${N}\", cmd: \"touch g${N}\"}\n- {name: r, depends_on: [q], jobs: [{id: r1, cmd: touch r1}]}\n",
    )
    .expect("write");
    assert_eq!(
        ask(&["add", "--from", "more.yaml"])["jobs"],
        json!(["g1", "g2", "r1"])
    );
    for (args, part) in [
        (
            &["add", "new", "--cmd", "x", "--phase", "q"][..],
            "there already: new",
        ),
        (
            &[
                "add",
                "other",
                "--cmd",
                "x",
                "--phase",
                "q",
                "--set",
                "needs=[nobody]",
            ],
            "nobody",
        ),
        (
            &[
                "add",
                "other",
                "--cmd",
                "x",
                "--phase",
                "q",
                "--set",
                "tiem_limit=3",
            ],
            "tiem_limit",
        ),
        (
            &["edit", "second", "--set", "id=other"],
            "id of a job cannot be changed",
        ),
        (
            &["edit", "second", "--set", "retry=often"],
            "retry must be a map",
        ),
        (&["remove", "first"], "cancel it before"),
    ] {
        let why = refused(&place, args);
        assert!(why.contains(part), "{args:?}: {why}");
    }
    let unknown = place.call(&["edit", "secnod", "--cmd", "x", "--state", "s.json"]);
    assert_eq!(unknown.status.code(), Some(3), "{unknown:?}");
    let nowhere = place.call(&["add", "other", "--cmd", "x", "--state", "s.json"]);
    let said = String::from_utf8_lossy(&nowhere.stderr).into_owned();
    assert!(
        nowhere.status.code() == Some(2) && said.contains("--phase") && said.contains("p, q"),
        "{said}"
    );
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
    assert_eq!(
        fs::read_to_string(place.at("new")).expect("ran"),
        "hello: it's\n"
    );
    assert_eq!(
        fs::read_to_string(place.at("second")).expect("ran"),
        "new\n"
    );
    assert_eq!(
        fs::read_to_string(place.at("began-first")).expect("ran"),
        "x\n",
        "it ran once"
    );
    for name in ["last", "g1", "g2", "r1"] {
        assert!(place.at(name).exists(), "{name}");
    }
    assert!(!place.at("never").exists());
    assert_eq!(place.state().len(), 7);
}

#[test]
fn what_is_added_stays_when_the_file_changes_and_what_no_longer_fits_is_said() {
    let place = Place::new();
    let write = |jobs: Value| place.manifest(&json!([{"name": "p", "jobs": jobs}]));
    write(json!([job("a", "true"), job("b", "true")]));
    assert_eq!(place.run().status.code(), Some(0));
    let told = place.data(&["add", "--state", "s.json", "--cmd", "touch c", "c"]);
    assert!(
        told["notes"]
            .to_string()
            .contains("queue_manager start --state"),
        "{told}"
    );
    place.data(&["edit", "--state", "s.json", "b", "--cmd", "touch edited"]);
    assert_eq!(place.state()["c"]["state"], "ready");
    // The same manifest again: added jobs are kept.
    assert_eq!(place.run().status.code(), Some(0));
    assert_eq!(place.state()["c"]["state"], "completed");
    // The command of an edited job in the file is not used; a notice says so, also if the file has not changed.
    let hides = || {
        let notes = place.data(&["reload", "--state", "s.json"])["notes"].to_string();
        notes.contains("earlier commands changed these values") && notes.contains('b')
    };
    assert!(hides());
    write(json!([
        job("a", "true"),
        job("b", "touch filed"),
        job("c2", "true")
    ]));
    assert!(hides());
    place.data(&["remove", "--state", "s.json", "a"]);
    let notes = place.data(&["reload", "--state", "s.json"])["notes"].to_string();
    assert!(notes.contains("removed: a"), "{notes}");
    write(json!([job("a", "true"), job("d", "true")]));
    let ran = place.run();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    for part in [
        "new: d",
        "removed: b",
        "is dropped: no job has the id \"b\"",
    ] {
        assert!(said.contains(part), "{said} lacks {part}");
    }
    assert!(place.state().contains_key("c"), "{said}");
    write(json!([job("a", "true"), job("c", "touch own")]));
    let ran = place.run();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(said.contains("there already: c"), "{said}");
    let again = place.run();
    assert!(
        !String::from_utf8_lossy(&again.stderr).contains("dropped"),
        "{again:?}"
    );
}

#[test]
fn a_job_that_no_card_here_can_run_is_refused_and_the_manager_goes_on() {
    let place = Place::new();
    place.nvidia_smi("echo '0, GPU-0, 3, 24576, [N/A]'");
    place.manifest(&json!([{"name": "p", "jobs": [waits("a")]}]));
    let text = fs::read_to_string(place.at("m.json")).expect("read");
    let text = text.replace("\"gpus\":[]", "\"gpus_per_job\":1");
    fs::write(place.at("m.json"), text).expect("write");
    let mut manager = place.start();
    Place::until("it runs", || place.at("began-a").exists());
    let why = refused(&place, &["add", "wide", "--cmd", "x", "--set", "gpus=8"]);
    assert!(why.contains("needs 8 cards"), "{why}");
    let why = refused(&place, &["edit", "a", "--set", "gpu_mem_mib=99999"]);
    assert!(why.contains("99999 MiB"), "{why}");
    // A driver that fails later does not end a manager that accepts a change.
    place.nvidia_smi("exit 9");
    place.data(&[
        "add", "b", "--state", "s.json", "--cmd", "touch b", "--set", "gpus=0",
    ]);
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
    assert!(place.at("b").exists() && place.state().len() == 2);
}

#[test]
fn a_report_is_not_written_to_a_file_called_by_a_dash() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [job("a", "true")]}]));
    assert_eq!(place.run().status.code(), Some(0));
    let refused = place.call(&["report", "--state", "s.json", "-o", "-"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(!place.at("-").exists());
}

#[test]
fn a_phase_is_added_to_a_manifest_that_lists_jobs_alone() {
    let place = Place::new();
    let flat = json!({"project": "p", "cwd": place.at(""), "gpus": [], "linger": 0, "jobs": [job("a", "touch a")]});
    fs::write(place.at("m.json"), flat.to_string()).expect("write");
    assert_eq!(place.run().status.code(), Some(0));
    let more = "phases:\n- {name: main, jobs: [{id: b, cmd: touch b}]}\n- {name: more, depends_on: main, jobs: [{id: c, cmd: test -e b && touch c}]}\n";
    fs::write(place.at("more.yaml"), more).expect("write");
    place.data(&["add", "--from", "more.yaml", "--state", "s.json"]);
    assert_eq!(place.run().status.code(), Some(0));
    let state = place.state();
    for (id, phase) in [("a", "main"), ("b", "main"), ("c", "more")] {
        assert_eq!(
            (&state[id]["phase"], place.at(id).exists()),
            (&json!(phase), true),
            "{id}"
        );
    }
}

#[test]
fn a_job_with_a_card_is_refused_where_a_running_queue_has_none() {
    for (gpus, why) in [
        ("\"gpus\":[]", "gpus lists 0 cards"),
        ("\"gpus_per_job\":0", "is not installed"),
    ] {
        let place = Place::new();
        // A PATH without programs that report cards.
        fs::create_dir(place.at("bin")).expect("folder");
        for program in ["bash", "sh", "sleep"] {
            let there = std::path::Path::new("/bin").join(program);
            std::os::unix::fs::symlink(there, place.at("bin").join(program)).expect("link");
        }
        place.manifest(&json!([{"name": "p", "jobs": [waits("a")]}]));
        let text = fs::read_to_string(place.at("m.json")).expect("read");
        fs::write(place.at("m.json"), text.replace("\"gpus\":[]", gpus)).expect("write");
        let mut run = place.command(&["run", "--manifest", "m.json", "--state", "s.json"]);
        let mut manager = run.env("PATH", place.at("bin")).spawn().expect("started");
        Place::until("it runs", || place.at("began-a").exists());
        let said = refused(&place, &["add", "b", "--cmd", "x", "--set", "gpus=1"]);
        assert!(said.contains(why), "{said}");
        fs::write(place.at("go"), "").expect("write");
        assert_eq!(manager.wait().expect("ended").code(), Some(0));
    }
}

#[test]
fn a_grid_that_is_added_depends_on_a_phase_of_the_queue() {
    let place = Place::new();
    place.manifest(&json!([
        {"name": "p", "jobs": [job("first", "until test -e go; do sleep 0.02; done; touch first")]},
    ]));
    let mut manager = place.start();
    Place::until("it runs", || {
        place
            .state()
            .get("first")
            .is_some_and(|row| row["state"] == "running")
    });
    let more = "phases:\n- name: q\n  depends_on: [p]\n  grid: {N: [1, 2]}\n  template: {id: \"g${N}\", cmd: \"test -e first && touch g${N}\"}\n";
    fs::write(place.at("more.yaml"), more).expect("write");
    let add = ["add", "--from", "more.yaml", "--state", "s.json"];
    assert_eq!(place.data(&add)["jobs"], json!(["g1", "g2"]));
    // Refused: a phase that does not exist, and another dependency of an existing phase.
    let elsewhere = more.replace("[p]", "[absent]").replace("g${N}", "h${N}");
    for (grid, part) in [
        (elsewhere.replace("name: q", "name: z"), "absent"),
        (elsewhere, "another depends_on"),
    ] {
        fs::write(place.at("none.yaml"), grid).expect("write");
        let output = place
            .command(&["add", "--from", "none.yaml", "--state", "s.json", "--json"])
            .output()
            .expect("ran");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!output.status.success() && said.contains(part), "{said}");
    }
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(manager.wait().expect("over").code(), Some(0));
    assert!(place.at("g1").exists() && place.at("g2").exists());
}

#[test]
fn a_job_that_is_added_under_the_name_of_one_that_is_gone_begins_anew() {
    for by_file in [false, true] {
        let place = Place::new();
        let keep = job("keep", "true");
        let old = json!({"id": "x", "cmd": "echo old >> x", "retry": {"other": 3, "delay": 600}});
        place.manifest(&json!([{"name": "p", "jobs": [keep, old]}]));
        assert_eq!(place.run().status.code(), Some(0));
        if by_file {
            place.manifest(&json!([{"name": "p", "jobs": [keep]}]));
            assert_eq!(place.run().status.code(), Some(0));
        } else {
            place.data(&["remove", "x", "--state", "s.json"]);
        }
        let added = place.data(&["add", "x", "--cmd", "echo new >> x", "--state", "s.json"]);
        let notes = added["notes"].to_string();
        assert!(notes.contains("x: a job that is gone"), "{added}");
        assert_eq!(place.state()["x"]["state"], "ready", "{by_file}");
        let ran = place.run();
        assert_eq!(ran.status.code(), Some(0), "{ran:?}");
        let said = fs::read_to_string(place.at("x")).expect("ran");
        assert_eq!(said, "old\nnew\n", "{by_file}");
        // Only once: from now on it is the same job.
        assert_eq!(place.run().status.code(), Some(0));
        assert_eq!(place.state()["x"]["attempts"], 2, "{by_file}");
    }
}

#[test]
fn a_change_of_a_job_that_is_gone_changes_no_other_with_its_id() {
    let place = Place::new();
    let write = |jobs: Value| place.manifest(&json!([{"name": "p", "jobs": jobs}]));
    let ask = |args: &[&str]| {
        let words = [&args[..1], &["--state", "s.json"], &args[1..]].concat();
        place.data(&words)["notes"].to_string()
    };
    let first = json!([job("b", "true"), job("c", "echo filed >> c")]);
    write(first.clone());
    place.data(&["adopt", "--manifest", "m.json", "--state", "s.json"]);
    ask(&["edit", "c", "--cmd", "echo edited >> c"]);
    ask(&["remove", "c"]);
    ask(&["add", "c", "--cmd", "echo added >> c"]);
    // The file has a job that needs it: it stays what it is.
    let mut more = first.clone();
    let needs = json!({"id": "f", "cmd": "true", "needs": ["c"]});
    more.as_array_mut().expect("jobs").push(needs);
    write(more);
    let notes = ask(&["reload"]);
    assert!(
        !notes.contains("dropped") && !notes.contains("removed: c"),
        "{notes}"
    );
    assert!(notes.contains("changed cmd of c"), "{notes}");
    let ran = place.run();
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    assert_eq!(fs::read_to_string(place.at("c")).expect("ran"), "added\n");
    // Taken out for good: it is gone, also where the file has it. One that was only added leaves the name to the file.
    ask(&["remove", "c", "f"]);
    ask(&["add", "d", "--cmd", "touch added-d"]);
    ask(&["remove", "d"]);
    let mut more = first;
    more.as_array_mut()
        .expect("jobs")
        .push(job("d", "touch filed-d"));
    write(more);
    let ran = place.run();
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    assert!(
        place.at("filed-d").exists() && !place.state().contains_key("c"),
        "{ran:?}"
    );
}

#[test]
fn jobs_of_a_file_bring_what_the_file_sets_for_them() {
    let place = Place::new();
    let top = |more: &str| {
        let head = format!(
            "cwd: {}\ngpus: []\nlinger: 0\noutput_wait: 0\nenv: {{A: queue, B: queue}}\n",
            place.at("").display()
        );
        fs::write(place.at("m.json"), format!("{head}{more}")).expect("write");
    };
    top("jobs: [{id: a, cmd: touch a}]\n");
    assert_eq!(place.run().status.code(), Some(0));
    let add = |text: &str| {
        fs::write(place.at("more.yaml"), text).expect("write");
        place.call(&["add", "--from", "more.yaml", "--state", "s.json"])
    };
    for (text, code, part) in [
        ("jbos: [{id: q, cmd: x}]\n", 4, "jbos"),
        ("hello world\n", 4, "must be a map"),
        ("[]\n", 4, "must be a map"),
        ("project: x\n", 4, "no jobs in it"),
        ("phases: [{name: main, jobs: []}]\n", 4, "no jobs in it"),
        ("tiem_limit: 3\njobs: [{id: q, cmd: x}]\n", 4, "tiem_limit"),
        (
            "max_parallel: 7\njobs: [{id: q, cmd: x}]\n",
            4,
            "max_parallel",
        ),
        ("cwd: /elsewhere\njobs: [{id: q, cmd: x}]\n", 4, "cwd"),
        (
            "phases: [{name: main, max_parallel: 7, jobs: [{id: q, cmd: x}]}]\n",
            10,
            "another max_parallel",
        ),
    ] {
        let done = add(text);
        let said = [done.stdout, done.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert_eq!(done.status.code(), Some(code), "{text}: {said}");
        assert!(said.contains(part), "{text}: {said}");
    }
    assert_eq!(place.state().len(), 1);
    let more = "project: other\ngpus: []\nenv: {A: top, C: top}\nretry: {delay: 0.05, other: 1}\ndefault_cmd: exit 3\n\
                phases:\n- name: main\n  env: {C: phase, D: phase}\n  setup: [export S=set]\n  jobs:\n  \
                - {id: b, cmd: echo $A $B $C $D $E $S > b, env: {E: job}}\n  - {id: c}\n\
                - {name: limited, time_limit: 1, jobs: [{id: d, cmd: sleep 60, time_limit: 0.5}, {id: e, cmd: sleep 60, retry: {other: 0}}]}\n";
    let done = add(more);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    // They keep it whatever the user's file comes to say.
    top("max_parallel: 7\njobs: [{id: a, cmd: touch a}]\n");
    assert_eq!(place.run().status.code(), Some(10));
    let said = fs::read_to_string(place.at("b")).expect("ran");
    assert_eq!(said, "top queue phase phase job set\n");
    let state = place.state();
    for (id, reason, attempts) in [
        ("c", "exit", 2),
        ("d", "time_limit", 2),
        ("e", "time_limit", 1),
    ] {
        let row = &state[id];
        assert_eq!(
            (&row["reason"], &row["attempts"]),
            (&json!(reason), &json!(attempts)),
            "{id}: {row}"
        );
    }
}
