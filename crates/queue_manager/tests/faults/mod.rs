//! Events outside a queue: reboots, clocks that are set, disks and folders that cannot be written, odd answers of nvidia-smi.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use aris_queue::journal::Journal;
use aris_queue::state::Event;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::queue::{Manager, Place};

const RUN: [&str; 6] = [
    "run",
    "--manifest",
    "m.json",
    "--state",
    "s.json",
    "--quiet",
];

/// Whether tests may create namespaces on this machine.
fn unshares() -> bool {
    let done = Command::new("unshare")
        .args(["-p", "-m", "-T", "-f", "--mount-proc", "true"])
        .stderr(Stdio::null())
        .status();
    let can = done.is_ok_and(|status| status.success());
    if !can {
        println!("skipped: unshare may not make namespaces here");
    }
    can
}

/// A manager in new namespaces, which `options` choose; a shell there first runs the line `first`.
fn apart(place: &Place, options: &[&str], first: &str) -> Manager {
    let line = format!("{first} && exec \"$@\"");
    let words = [&["unshare", "-f"][..], options, &["sh", "-c", &line, "_"]].concat();
    let child = place.command_by(&words, &RUN).stdout(Stdio::null()).spawn();
    Manager(child.expect("started"))
}

fn code(manager: &mut Child) -> Option<i32> {
    Place::until("the queue is over", || {
        manager.try_wait().expect("asked").is_some()
    });
    manager.wait().expect("ended").code()
}

fn runs(place: &Place, job: &str) -> usize {
    let lines = fs::read_to_string(place.at(&format!("ran-{job}"))).unwrap_or_default();
    lines.lines().count()
}

#[test]
fn after_a_reboot_what_ran_is_lost_what_ended_is_known_and_the_rest_goes_on() {
    if !unshares() {
        return;
    }
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [
        {"id": "on", "cmd": "echo x >> ran-on; sleep 600"},
        {"id": "again", "cmd": "echo x >> ran-again; test $(wc -l < ran-again) -gt 1 || sleep 600", "retry": {"lost": 1, "delay": 0.1}},
        {"id": "done", "cmd": "echo x >> ran-done"},
        // Its pause is measured on a clock that restarts with each boot.
        {"id": "later", "cmd": "echo x >> ran-later; test $(wc -l < ran-later) -gt 1", "retry": {"other": 1, "delay": 1}},
        {"id": "child", "cmd": "echo x >> ran-child", "needs": ["on"]},
        {"id": "next", "cmd": "echo x >> ran-next", "needs": ["later"]},
    ]}]));
    for boot in ["first", "second"] {
        fs::write(place.at(boot), format!("{boot}\n")).expect("write");
    }
    let bind = |boot: &str| format!("mount --bind {boot} /proc/sys/kernel/random/boot_id");
    // When the namespace ends, all its processes end, as in a power cut.
    let machine = ["-p", "-m", "--kill-child", "--mount-proc"];
    let mut manager = apart(&place, &machine, &bind("first"));
    Place::until("two run, one is over, one waits", || {
        let state = place.state();
        let is = |id: &str, word: &str| state.get(id).is_some_and(|row| row["state"] == word);
        let begun = runs(&place, "on") == 1 && runs(&place, "again") == 1;
        begun && is("done", "completed") && is("later", "backoff")
    });
    manager.kill().expect("killed");
    manager.wait().expect("gone");
    // A machine that is off runs nothing; here the kernel needs a moment to end all processes.
    let folder = |job: &str| aris_attempt::format::folder(&place.at(".s.queue"), job, 1);
    let locks = [
        place.at(".s.queue/lock"),
        folder("on").join("alive"),
        folder("again").join("alive"),
    ];
    Place::until("all of it is gone", || {
        let free = |lock: &PathBuf| fs::File::open(lock).expect("open").try_lock().is_ok();
        locks.iter().all(free)
    });
    let uptime = fs::read_to_string("/proc/uptime").expect("uptime");
    let uptime: u64 = uptime
        .split('.')
        .next()
        .and_then(|seconds| seconds.parse().ok())
        .expect("seconds");
    let young = format!("--boottime=-{}", uptime.saturating_sub(5));
    let mut manager = apart(&place, &["-m", "-T", &young], &bind("second"));
    assert_eq!(code(&mut manager), Some(10));
    let state = place.state();
    for (id, expected, count) in [
        ("on", "lost", 1),
        ("again", "completed", 2),
        ("done", "completed", 1),
        ("later", "completed", 2),
        ("child", "blocked", 0),
        ("next", "completed", 1),
    ] {
        assert_eq!(
            (id, &state[id]["state"], runs(&place, id)),
            (id, &json!(expected), count)
        );
    }
    assert_eq!(state["on"]["reason"], "lost");
}

/// Rewrites the journal with shifted times, or with one more event.
pub(crate) fn rewrite(place: &Place, shift: SignedDuration, more: Option<&Event>) {
    let folder = place.at(".s.queue");
    let entries = Journal::read(&folder).expect("journal");
    fs::remove_file(folder.join("journal.jsonl")).expect("removed");
    let mut journal = Journal::open(&folder).expect("new").journal;
    for entry in entries {
        let time = entry.time.checked_add(shift).expect("a time");
        journal.push(&entry.event, time);
    }
    if let Some(event) = more {
        journal.push(event, Timestamp::now());
    }
    journal.sync().expect("written");
}

#[test]
fn an_attempt_that_nobody_claimed_is_started_unless_the_machine_was_started_anew() {
    let own = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    for (boot, state, count) in [(own.trim(), "completed", 1), ("another", "lost", 0)] {
        let place = Place::new();
        place.manifest(&json!([{"name": "p", "jobs": [{"id": "a", "cmd": "echo x >> ran-a"}]}]));
        place.data(&["adopt", "--manifest", "m.json", "--state", "s.json"]);
        let start = Event::Start {
            id: String::from("a"),
            attempt: 1,
            cards: Vec::new(),
            log: String::new(),
            command: String::new(),
            boot: boot.to_owned(),
            engine_ref: None,
            terms: None,
        };
        rewrite(&place, SignedDuration::ZERO, Some(&start));
        place.run();
        let found = &place.state()["a"];
        assert_eq!(
            (&found["state"], runs(&place, "a")),
            (&json!(state), count),
            "{found}"
        );
    }
}

#[test]
fn a_clock_that_was_set_by_years_neither_delays_nor_hastens_what_matters() {
    for years in [-20, 20] {
        let place = Place::new();
        place.manifest(&json!([{"name": "p", "jobs": [
            {"id": "over", "cmd": "echo x >> ran-over"},
            {"id": "waits", "cmd": "echo x >> ran-waits; test $(wc -l < ran-waits) -gt 1", "retry": {"other": 1, "delay": 8}},
            {"id": "on", "cmd": "echo x >> ran-on; until test -e go; do sleep 0.02; done", "time_limit": 50},
        ]}]));
        let mut manager = place.start();
        Place::until("one is over, one waits, one runs", || {
            let state = place.state();
            let is = |id: &str, word: &str| state.get(id).is_some_and(|row| row["state"] == word);
            is("over", "completed") && is("waits", "backoff") && runs(&place, "on") == 1
        });
        manager.kill().expect("killed");
        manager.wait().expect("gone");
        rewrite(&place, SignedDuration::from_hours(24 * 365 * years), None);
        let mut manager = place.start();
        Place::until("the pause is over", || runs(&place, "waits") == 2);
        fs::write(place.at("go"), "").expect("write");
        assert_eq!(code(&mut manager), Some(0));
        for (id, count) in [("over", 1), ("waits", 2), ("on", 1)] {
            assert_eq!((years, id, runs(&place, id)), (years, id, count));
        }
    }
}

#[test]
fn a_job_that_the_manifest_no_longer_has_is_ended() {
    let place = Place::new();
    let wait = "until test -e go; do sleep 0.02; done";
    let job = |id: &str| json!({"id": id, "cmd": format!("echo x >> ran-{id}; {wait}; echo x >> end-{id}")});
    place.manifest(&json!([{"name": "p", "jobs": [job("stays"), job("goes")]}]));
    let mut manager = place.start();
    Place::until("both run", || {
        runs(&place, "stays") == 1 && runs(&place, "goes") == 1
    });
    manager.kill().expect("killed");
    manager.wait().expect("gone");
    place.manifest(&json!([{"name": "p", "jobs": [job("stays")]}]));
    let mut manager = place.start();
    let folder = aris_attempt::format::folder(&place.at(".s.queue"), "goes", 1);
    Place::until("the one that is gone from the manifest is ended", || {
        folder.join("exit.json").exists()
    });
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(code(&mut manager), Some(0));
    assert_eq!(place.state().len(), 1);
    assert!(place.at("end-stays").exists() && !place.at("end-goes").exists());
}

#[test]
fn cards_are_counted_as_nvidia_smi_counts_them_by_every_part_of_a_command() {
    let place = Place::new();
    place.nvidia_smi("echo '2, GPU-2, 3, 24576, [N/A]'");
    let say = "echo $CUDA_DEVICE_ORDER $CUDA_VISIBLE_DEVICES ${GPU} >> ran-a";
    let manifest = json!({"cwd": place.at(""), "gpus": [2], "jobs": [{"id": "a", "cmd": format!("{say}; cd . && {say}; for x in 1; do {say}; done # {say}")}]});
    fs::write(place.at("m.json"), manifest.to_string()).expect("write");
    assert_eq!(place.run().status.code(), Some(0));
    let said = fs::read_to_string(place.at("ran-a")).expect("ran");
    assert_eq!(said, "PCI_BUS_ID 2 2\n".repeat(3));
}

#[test]
fn logs_that_cannot_be_written_are_named_and_nothing_runs_without_one() {
    if !unshares() {
        return;
    }
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [{"id": "a", "cmd": "echo x >> ran-a"}]}]));
    fs::create_dir(place.at("logs")).expect("folder");
    let only = "mount --bind logs logs && mount -o remount,bind,ro logs";
    assert_eq!(code(&mut apart(&place, &["-m"], only)), Some(10));
    let row = &place.state()["a"];
    assert_eq!(
        (&row["state"], &row["reason"]),
        (&json!("failed"), &json!("start_failed"))
    );
    let error = row["error"].as_str().expect("why");
    assert!(
        error.contains("log") && error.contains("Read-only"),
        "{error}"
    );
    assert_eq!(runs(&place, "a"), 0);
    // The same queue, when its outputs can be written.
    place.data(&["retry", "a", "--state", "s.json"]);
    assert_eq!(place.run().status.code(), Some(0));
    assert_eq!(runs(&place, "a"), 1);
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_anything_starts() {
    if !unshares() {
        return;
    }
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [{"id": "a", "cmd": "echo x >> /dev/null"}]}]));
    let only = "cd / && mount --bind \"$OLDPWD\" \"$OLDPWD\" && mount -o remount,bind,ro \"$OLDPWD\" && cd \"$OLDPWD\"";
    assert_eq!(code(&mut apart(&place, &["-m"], only)), Some(5));
    assert!(!place.at("s.json").exists());
}

#[test]
fn a_full_disk_stops_starts_and_nothing_else_and_the_queue_goes_on_when_there_is_room() {
    if !unshares() {
        return;
    }
    let place = Place::new();
    fs::create_dir(place.at("disk")).expect("folder");
    let jobs: Vec<_> = (0..6)
        .map(|at| json!({"id": format!("j{at}"), "cmd": format!("echo x >> ran-j{at}; until test -e go; do sleep 0.02; done")}))
        .collect();
    let manifest = json!({
        "project": "full", "cwd": place.at(""), "gpus": [], "max_cpu_jobs": 2, "linger": 1, "output_wait": 0, "jobs": jobs,
    });
    fs::write(place.at("m.json"), manifest.to_string()).expect("write");
    // State, records and logs are on a small disk, which is filled to the last byte while two jobs run.
    let line = "mount -t tmpfs -o size=400k small disk && { \"$@\" & } && manager=$! && \
                until test -e ran-j0 && test -e ran-j1; do sleep 0.02; done; \
                head -c 1000000 /dev/zero >disk/fill 2>/dev/null; touch go; sleep 3; ls ran-* | wc -l >started; cat disk/fill >/dev/null; rm disk/fill; \
                wait $manager; echo $? >code; cp disk/s.json . && sync && true";
    let words = ["unshare", "-f", "-m", "sh", "-c", line, "_"];
    let args = [
        "run",
        "--manifest",
        "m.json",
        "--state",
        "disk/s.json",
        "--quiet",
    ];
    let done = place.command_by(&words, &args).output().expect("run");
    assert!(done.status.success(), "{done:?}");
    let read = |name: &str| fs::read_to_string(place.at(name)).expect(name);
    assert_eq!(
        read("started").trim(),
        "2",
        "nothing is started that cannot be written down"
    );
    assert_eq!(read("code").trim(), "0");
    for (id, row) in place.state() {
        assert_eq!(
            (row["state"].as_str(), runs(&place, &id)),
            (Some("completed"), 1),
            "{id}"
        );
    }
    assert_eq!(place.state().len(), 6);
}

#[test]
fn nvidia_smi_may_say_anything_and_a_card_is_given_only_when_it_is_known() {
    const GOOD: &str = "echo '0, GPU-0, 3, 24576, [N/A]'";
    const BUSY: &str = "echo '0, GPU-0, 20000, 24576, [N/A]'";
    let bodies = [
        "true",
        "echo NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver >&2; exit 9",
        "echo Unable to determine the device handle for GPU 0000:01:00.0: Unknown Error; exit 15",
        "head -c 4096 /dev/urandom",
        "yes '0, GPU-0, 3'",
        "echo '0, GPU-0, -3, 24576, [N/A]'",
        "echo '0, GPU-0, [N/A], [N/A], [N/A]'",
        "echo '0, GPU-0, 3'",
        "echo '99999999999999999999, GPU-0, 3, 24576, [N/A]'",
        "echo '1, GPU-1, 3, 24576, [N/A]'",
        "kill -SEGV $$",
    ];
    std::thread::scope(|scope| {
        for body in bodies {
            scope.spawn(move || {
                let place = Place::new();
                place.nvidia_smi(BUSY);
                let manifest = json!({
                    "project": "cards", "cwd": place.at(""), "gpus": [0], "jobs": [{"id": "a", "cmd": "echo $CUDA_VISIBLE_DEVICES >> ran-a"}],
                });
                fs::write(place.at("m.json"), manifest.to_string()).expect("write");
                let mut manager = place.start();
                Place::until("it waits", || place.state().contains_key("a"));
                place.nvidia_smi(body);
                Place::until(body, || {
                    let notices = place.notices();
                    notices.iter().any(|notice| notice.contains("nvidia-smi"))
                });
                let why = place.data(&["explain", "a", "--state", "s.json"]);
                assert_eq!(why["state"], "ready", "{body}");
                let facts = why["facts"].to_string();
                assert!(facts.contains("nvidia-smi") && facts.contains("card"), "{body}: {facts}");
                assert_eq!(runs(&place, "a"), 0, "{body}");
                place.nvidia_smi(GOOD);
                assert_eq!(code(&mut manager), Some(0), "{body}");
                assert_eq!(runs(&place, "a"), 1, "{body}");
            });
        }
    });
}

#[test]
fn a_runner_that_waits_for_the_next_job_goes_with_its_manager() {
    let place = Place::new();
    let jobs = json!([
        {"id": "a", "cmd": "until test -e go; do sleep 0.05; done"},
        {"id": "b", "cmd": "echo >> ran-b"},
    ]);
    place.manifest(&json!([{"name": "p", "max_parallel": 1, "jobs": jobs}]));
    let mut manager = place.start();
    let folder = aris_attempt::format::folder(&place.at(".s.queue"), "b", 1);
    let waits = || {
        let mut ps = Command::new("ps");
        let calls = ps.args(["-A", "-o", "args="]).output().expect("ps").stdout;
        let folder = folder.display().to_string();
        String::from_utf8_lossy(&calls).contains(&folder)
    };
    Place::until("a runner waits for the next job", waits);
    assert!(!folder.exists());
    manager.kill().expect("killed");
    manager.wait().expect("over");
    Place::until("it has gone", || !waits());
    assert_eq!(runs(&place, "b"), 0);
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(code(&mut place.start()), Some(0));
    assert_eq!(runs(&place, "b"), 1);
    let jobs = place.state();
    assert_eq!(jobs["b"]["attempts"], 1, "{jobs:?}");
}

#[test]
fn a_cancelled_job_whose_runner_died_before_it_claimed_it_does_not_run() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [{"id": "a", "cmd": "echo >> ran-a"}]}]));
    // Folders in place of files have the effect of a full disk: the runner cannot claim its job, and the manager cannot withdraw it.
    let folder = aris_attempt::format::folder(&place.at(".s.queue"), "a", 1);
    for name in ["tree", "withdrawn"] {
        fs::create_dir_all(folder.join(name)).expect("folder");
    }
    let words = [&RUN[..], &["--poll", "1"]].concat();
    let child = place.command(&words).stdout(Stdio::null()).spawn();
    let mut manager = Manager(child.expect("started"));
    let unknown = |row: &serde_json::Value| row["state"] == "unknown";
    Place::until("nothing is heard of it", || {
        place.state().get("a").is_some_and(unknown)
    });
    let explain = || place.data(&["explain", "a", "--state", "s.json"]);
    let why = explain();
    assert_eq!(why["state"], "unknown");
    let cancel = place.call(&["cancel", "a", "--state", "s.json"]);
    assert_eq!(cancel.status.code(), Some(0), "{cancel:?}");
    for why in [why, explain()] {
        let facts = why["facts"].to_string();
        assert!(!facts.contains("start.json"), "{facts}");
    }
    fs::remove_dir(folder.join("withdrawn")).expect("gone");
    fs::remove_dir(folder.join("tree")).expect("gone");
    assert_eq!(code(&mut manager), Some(10));
    assert_eq!(
        (explain()["state"].as_str(), runs(&place, "a")),
        (Some("cancelled"), 0)
    );
}

#[test]
fn a_folder_of_outputs_that_cannot_be_read_is_named_and_not_taken_for_empty() {
    // Root can read everything while it has the capabilities for it.
    let without = "--bounding-set=-dac_override,-dac_read_search";
    let drops = Command::new("setpriv").args([without, "true"]).status();
    if !drops.is_ok_and(|status| status.success()) {
        println!("skipped: setpriv drops no capabilities here");
        return;
    }
    let place = Place::new();
    let cmd = "mkdir -p out/deep; echo 1 >out/a; echo 2 >out/deep/b; chmod 0 out/deep";
    place.manifest(
        &json!([{"name": "p", "jobs": [{"id": "a", "cmd": cmd, "expected_output": "out"}]}]),
    );
    assert_eq!(code(&mut place.start()), Some(0));
    let asked = place
        .command_by(
            &["setpriv", without],
            &["outputs", "--state", "s.json", "--json"],
        )
        .output()
        .expect("run");
    let deep = place.at("out/deep");
    Command::new("chmod")
        .arg("700")
        .arg(&deep)
        .status()
        .expect("chmod");
    assert_eq!(asked.status.code(), Some(10), "{asked:?}");
    let answer: serde_json::Value = serde_json::from_slice(&asked.stdout).expect("JSON");
    let problem = answer["data"]["files"][0]["problem"]
        .as_str()
        .unwrap_or_default();
    assert!(problem.contains("out/deep"), "{answer}");
}

#[test]
fn an_output_is_a_file_or_a_folder_with_something_in_it() {
    for (cmd, exit) in [
        ("ln -s nowhere out", 10),
        ("mkfifo out", 10),
        ("mkdir out", 10),
        ("mkdir out; ln -s nowhere out/link", 10),
        ("mkdir out; touch out/file", 0),
        ("touch file; ln -s file out", 0),
        ("mkdir other; touch other/file; ln -s other out", 0),
        ("mkdir out; touch file; ln -s ../file out/link", 0),
    ] {
        let place = Place::new();
        let job = json!({"id": "a", "cmd": cmd, "expected_output": "out"});
        place.manifest(&json!([{"name": "p", "jobs": [job]}]));
        assert_eq!(place.run().status.code(), Some(exit), "{cmd}");
        let outputs = place.call(&["outputs", "a", "--state", "s.json"]);
        assert_eq!(outputs.status.code(), Some(exit), "{cmd}: {outputs:?}");
    }
}

#[test]
fn an_output_that_a_completed_job_left_as_it_was_is_named() {
    let place = Place::new();
    fs::write(place.at("eval.json"), r#"{"acc": 0.99}"#).expect("write");
    let job =
        json!({"id": "a", "cmd": "touch log.txt", "expected_output": ["log.txt", "eval.json"]});
    place.manifest(&json!([{"name": "p", "jobs": [job]}]));
    assert_eq!(place.run().status.code(), Some(0));
    for args in [
        &["status"][..],
        &["explain", "a"],
        &["report", "--metrics", "eval.json#acc"],
    ] {
        let said = place.data(&[args, &["--state", "s.json"]].concat());
        let said = said.to_string();
        assert!(
            said.contains("from before the start of this attempt: eval.json"),
            "{args:?}: {said}"
        );
    }
}
