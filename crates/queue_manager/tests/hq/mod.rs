//! A queue on a real `HyperQueue` server with a worker on this machine. Where there is no `hq` program, the tests print that they are
//! skipped.

use std::fs;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::queue::Place;

/// Variable with the path of `hq`; without it, `hq` is looked for on the `PATH`.
const PROGRAM: &str = "ARIS_TEST_HQ";

/// A server for one place, with its workers.
struct Server {
    running: Vec<Child>,
}

impl Drop for Server {
    fn drop(&mut self) {
        for child in self.running.iter_mut().rev() {
            child
                .kill()
                .and_then(|()| child.wait())
                .map_or_else(drop, drop);
        }
    }
}

impl Server {
    fn add(&mut self, place: &Place, words: &[&str]) {
        let child = Command::new(place.at("bin/hq"))
            .args(words)
            .current_dir(place.at(""))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.running.push(child.expect("started"));
    }

    /// Starts a worker with this many CPUs.
    fn worker(&mut self, place: &Place, cpus: &str) {
        let before = hq(place, &["worker", "list"])
            .as_array()
            .map_or(0, Vec::len);
        self.add(place, &["worker", "start", "--cpus", cpus]);
        Place::until("the worker is connected", || {
            let workers = hq(place, &["worker", "list"]);
            workers.as_array().is_some_and(|all| all.len() > before)
        });
    }

    /// Kills the process that was started last.
    fn kill_last(&mut self) {
        let mut child = self.running.pop().expect("one");
        child.kill().and_then(|()| child.wait()).expect("killed");
    }
}

fn hq(place: &Place, words: &[&str]) -> Value {
    let output = Command::new(place.at("bin/hq"))
        .arg("--output-mode=json")
        .args(words)
        .output()
        .expect("run");
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

/// Makes `hq` use a server of this place, which does not run yet. `before` are shell lines that run first, with the same arguments. `None`:
/// there is no `hq` here.
fn program(place: &Place, before: &str) -> Option<()> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut named = std::env::split_paths(&path).map(|folder| folder.join("hq"));
    // The absolute path, because this place's own `hq` comes first on the `PATH`.
    let program = match std::env::var_os(PROGRAM) {
        Some(given) => Some(given.into()),
        None => named.find(|file| file.is_file()),
    };
    let Some(program) = program else {
        println!("skipped: no program hq on the PATH, and {PROGRAM} names none");
        return None;
    };
    let program = program.display();
    let folder = place.at("server").display().to_string();
    let real = format!("'{program}' --server-dir '{folder}'");
    let body = format!("real() {{ {real} \"$@\"; }}\n{before}\nexec {real} \"$@\"");
    place.program("hq", &body);
    Some(())
}

fn server(place: &Place) -> Server {
    let mut server = Server {
        running: Vec::new(),
    };
    server.add(place, &["server", "start", "--host", "localhost"]);
    Place::until("the server answers", || {
        hq(place, &["server", "info"])["pid"].is_number()
    });
    server
}

fn manifest(place: &Place, phases: &Value, more: &Value) {
    let mut manifest = json!({
        "project": "test", "cwd": place.at(""), "engine": "hq", "gpus_per_job": 0, "linger": 1, "output_wait": 1,
        "kill_grace": 1, "retry": {"delay": 0.1}, "phases": phases,
    });
    for (key, value) in more.as_object().expect("settings") {
        manifest[key] = value.clone();
    }
    fs::write(place.at("m.json"), manifest.to_string()).expect("write");
}

fn job(id: &str, cmd: &str) -> Value {
    json!({"id": id, "cmd": format!("echo x >> ran-{id}; {cmd}")})
}

fn ran(place: &Place, id: &str) -> usize {
    let text = fs::read_to_string(place.at(&format!("ran-{id}"))).unwrap_or_default();
    text.lines().count()
}

const WAIT: &str = "until test -e go; do sleep 0.1; done";

#[test]
fn phases_run_on_workers_and_a_killed_manager_finds_its_jobs_again() {
    let place = Place::new();
    let Some(()) = program(&place, "") else {
        return;
    };
    let mut server = server(&place);
    server.worker(&place, "2");
    manifest(
        &place,
        &json!([
            {"name": "t", "jobs": [job("t1", WAIT), job("t2", "exit 3")]},
            {"name": "s", "jobs": [
                {"id": "s1", "cmd": "echo x >> ran-s1", "needs": ["t1"]},
                {"id": "s2", "cmd": "echo x >> ran-s2", "needs": ["t2"]},
            ]},
        ]),
        &json!({}),
    );
    let mut manager = place.start();
    Place::until("both run", || {
        ran(&place, "t1") == 1 && ran(&place, "t2") == 1
    });
    manager.kill().expect("killed");
    manager.wait().expect("gone");
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(place.run().status.code(), Some(10));
    let state = place.state();
    for (id, expected, runs) in [
        ("t1", "completed", 1),
        ("t2", "failed", 1),
        ("s1", "completed", 1),
        ("s2", "blocked", 0),
    ] {
        assert_eq!(
            (&state[id]["state"], ran(&place, id)),
            (&json!(expected), runs),
            "{id}"
        );
    }
    assert_eq!(state["t2"]["exit_code"], 3);
}

#[test]
fn what_waits_and_what_runs_is_cancelled_and_its_neighbours_go_on() {
    let place = Place::new();
    let Some(()) = program(&place, "") else {
        return;
    };
    let mut server = server(&place);
    server.worker(&place, "1");
    let jobs: Vec<Value> = (0..4).map(|at| job(&format!("j{at}"), WAIT)).collect();
    manifest(&place, &json!([{"name": "p", "jobs": jobs}]), &json!({}));
    let mut manager = place.start();
    Place::until("the first runs", || ran(&place, "j0") == 1);
    let asked = place.data(&["cancel", "j0", "j3", "--state", "s.json"]);
    assert_eq!(asked["done"], true);
    Place::until("the second runs", || ran(&place, "j1") == 1);
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(manager.wait().expect("ended").code(), Some(10));
    let state = place.state();
    for (id, expected, runs) in [
        ("j0", "cancelled", 1),
        ("j1", "completed", 1),
        ("j2", "completed", 1),
        ("j3", "cancelled", 0),
    ] {
        assert_eq!(
            (&state[id]["state"], ran(&place, id)),
            (&json!(expected), runs),
            "{id}"
        );
    }
    // A job that was cancelled before it started leaves no open task on the server.
    let open = |job: &Value| {
        let stats = &job["task_stats"];
        stats["waiting"] != 0 || stats["running"] != 0
    };
    Place::until("the server has nothing to do", || {
        let jobs = hq(&place, &["job", "list", "--all"]);
        !jobs.as_array().expect("a list").iter().any(open)
    });
}

#[test]
fn a_server_that_is_not_there_is_waited_for_and_fails_no_job() {
    let place = Place::new();
    let Some(()) = program(&place, "") else {
        return;
    };
    manifest(
        &place,
        &json!([{"name": "p", "jobs": [job("a", "true")]}]),
        &json!({}),
    );
    let checks = place.data(&["preflight", "--manifest", "m.json", "--state", "s.json"]);
    let of = |checks: &Value| {
        let checks = checks["checks"].as_array().expect("checks").clone();
        checks.into_iter().find(|check| check["subject"] == "hq")
    };
    assert_eq!(
        of(&checks).expect("looked at")["verdict"],
        "unknown",
        "{checks}"
    );
    let mut manager = place.start();
    Place::until("it is said", || {
        let notices = place.notices();
        notices
            .iter()
            .any(|notice| notice.contains("HyperQueue unreachable since"))
    });
    assert_eq!(place.state()["a"]["state"], "ready");
    let mut server = server(&place);
    server.worker(&place, "1");
    let checks = place.data(&["preflight", "--manifest", "m.json", "--state", "s.json"]);
    let found = of(&checks).expect("looked at");
    assert_eq!(found["detail"], "1 worker is connected", "{checks}");
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
    assert_eq!((ran(&place, "a"), place.notices()), (1, Vec::new()));
}

#[test]
fn a_submission_whose_answer_is_lost_is_found_by_its_name() {
    let place = Place::new();
    // The server accepts the first submission, and then the program dies.
    let before = format!(
        "case \"$*\" in *submit*) if mkdir '{}' 2>/dev/null; then real \"$@\" >/dev/null; kill -KILL $$; fi;; esac",
        place.at("lost").display()
    );
    let Some(()) = program(&place, &before) else {
        return;
    };
    let mut server = server(&place);
    server.worker(&place, "2");
    let jobs = [job("a", "true"), job("b", "true")];
    let local = json!({"engine": "local"});
    manifest(&place, &json!([{"name": "p", "jobs": jobs}]), &local);
    let words = [
        "run",
        "--manifest",
        "m.json",
        "--state",
        "s.json",
        "--engine",
    ];
    let run = |engine| place.call(&[&words[..], &[engine]].concat()).status.code();
    assert_eq!(run("hyperqueue"), Some(2));
    assert_eq!(run("hq"), Some(0));
    assert!(place.at("lost").exists());
    assert_eq!((ran(&place, "a"), ran(&place, "b")), (1, 1));
    let jobs = hq(&place, &["job", "list", "--all"]);
    assert_eq!(jobs.as_array().map(Vec::len), Some(1), "{jobs}");
    // The queue remembers its engine.
    place.data(&["retry", "a", "--again", "--state", "s.json"]);
    assert_eq!(place.run().status.code(), Some(0));
    let jobs = hq(&place, &["job", "list", "--all"]);
    assert_eq!(jobs.as_array().map(Vec::len), Some(2), "{jobs}");
}

#[test]
fn a_job_whose_worker_dies_is_tried_again_on_another() {
    let place = Place::new();
    let Some(()) = program(&place, "") else {
        return;
    };
    let mut server = server(&place);
    server.worker(&place, "1");
    manifest(
        &place,
        &json!([{"name": "p", "jobs": [job("a", WAIT)]}]),
        &json!({}),
    );
    let mut manager = place.start();
    Place::until("it runs", || ran(&place, "a") == 1);
    server.kill_last();
    server.worker(&place, "1");
    Place::until("it runs again", || ran(&place, "a") == 2);
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
    let state = place.state();
    assert_eq!(state["a"]["attempts"], 2);
    let log = place.call(&["explain", "a", "--state", "s.json"]);
    assert!(log.status.success(), "{log:?}");
}

#[test]
fn max_parallel_bounds_the_queue_and_a_server_that_is_begun_anew_gets_what_is_left() {
    let place = Place::new();
    let Some(()) = program(&place, "") else {
        return;
    };
    let mut first = server(&place);
    first.worker(&place, "4");
    let jobs: Vec<Value> = (0..4).map(|at| job(&format!("j{at}"), WAIT)).collect();
    manifest(
        &place,
        &json!([{"name": "p", "jobs": jobs}]),
        &json!({"max_parallel": 2}),
    );
    let mut manager = place.start();
    let began = || {
        (0..4)
            .filter(|at| ran(&place, &format!("j{at}")) > 0)
            .count()
    };
    Place::until("two run", || began() == 2);
    Place::until("the queue knows", || {
        let state = place.state();
        state
            .values()
            .filter(|row| row["state"] == "running")
            .count()
            == 2
    });
    assert_eq!(began(), 2);
    // A new server knows nothing about earlier jobs; the old one's worker and its tasks end with it.
    drop(first);
    let mut second = server(&place);
    second.worker(&place, "4");
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
    let state = place.state();
    assert!(
        state.values().all(|row| row["state"] == "completed"),
        "{state:?}"
    );
}
