//! Jobs that this machine's cards can never run: they are refused at once and named, and do not delay others.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};

use crate::queue::Place;

/// Four cards of 24 GiB.
const FOUR: &str = "for at in 0 1 2 3; do echo \"$at, GPU-$at, 3, 24576, [N/A]\"; done";

fn write(place: &Place, jobs: &Value, more: &Value) {
    let mut manifest = json!({
        "project": "cards", "cwd": place.at(""), "linger": 0, "output_wait": 0, "jobs": jobs,
    });
    for (key, value) in more.as_object().expect("settings") {
        manifest[key] = value.clone();
    }
    fs::write(place.at("m.json"), manifest.to_string()).expect("write");
}

fn call(place: &Place, command: &str, variables: &[(&str, &str)]) -> Output {
    place
        .command(&[command, "--manifest", "m.json", "--state", "s.json"])
        .envs(variables.iter().copied())
        .output()
        .expect("ran")
}

/// Checks that the queue is refused with these words, and that no job starts.
fn refused(place: &Place, variables: &[(&str, &str)], words: &[&str]) {
    for command in ["preflight", "run", "start"] {
        let output = call(place, command, variables);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(5), "{command}: {output:?}");
        for word in words {
            assert!(said.contains(word), "{command}, {word}: {said}");
        }
        assert!(!place.at(".s.queue/a").exists(), "{command}");
    }
}

#[test]
fn more_cards_than_there_are_and_more_memory_than_any_has_are_refused() {
    let place = Place::new();
    place.nvidia_smi(FOUR);
    let small = json!({"id": "small", "cmd": "true", "gpus": 1});
    for (wide, words) in [
        (
            json!({"id": "wide", "cmd": "true", "gpus": 8}),
            ["\"wide\"", "8 cards", "4"],
        ),
        (
            json!({"id": "large", "cmd": "true", "gpus": 1, "gpu_mem_mib": 30000}),
            ["\"large\"", "30000 MiB", "24576"],
        ),
        (
            json!({"id": "large", "cmd": "true", "gpus": 5, "gpu_mem_mib": 20000}),
            ["\"large\"", "5 cards", "4"],
        ),
    ] {
        write(&place, &json!([small, wide]), &json!({}));
        refused(&place, &[], &words);
    }
    // Only the cards that the manifest lists count.
    let pair = json!([{"id": "pair", "cmd": "true", "gpus": 2}]);
    write(&place, &pair, &json!({"gpus": [3, 7]}));
    refused(&place, &[], &["\"pair\"", "2 cards", "card 7"]);
}

#[test]
fn no_nvidia_smi_and_one_that_answers_oddly_are_refused() {
    let place = Place::new();
    let job = json!([{"id": "a", "cmd": "true", "gpus": 1}]);
    write(&place, &job, &json!({}));
    fs::create_dir(place.at("bin")).expect("folder");
    let only = place.at("bin").display().to_string();
    refused(&place, &[("PATH", &only)], &["nvidia-smi is not installed"]);
    for (rows, words) in [
        ("true", "lists a card"),
        (
            "echo '0, GPU-0, [N/A], [N/A], [N/A]'",
            "\"[N/A]\" of \"[N/A]\" MiB",
        ),
        ("echo '0, GPU-0, -3, 24576, [N/A]'", "\"-3\""),
        ("echo 0, GPU-0, 3", "nvidia-smi says \"0, GPU-0, 3\""),
        ("echo something else", "nvidia-smi says \"something else\""),
    ] {
        place.nvidia_smi(rows);
        refused(&place, &[], &["\"a\"", words]);
    }
}

#[test]
fn an_engine_whose_program_is_not_here_is_refused() {
    let place = Place::new();
    fs::create_dir(place.at("bin")).expect("folder");
    let only = place.at("bin").display().to_string();
    let job = json!([{"id": "a", "cmd": "true"}]);
    for (engine, program) in [("slurm", "program sbatch"), ("hq", "program hq")] {
        write(&place, &job, &json!({"engine": engine, "gpus_per_job": 0}));
        refused(
            &place,
            &[("PATH", &only)],
            &[engine, program, "not installed"],
        );
    }
}

#[test]
fn a_driver_that_fails_is_said_at_once_and_blamed_later() {
    let place = Place::new();
    let job = json!([{"id": "a", "cmd": "touch ran", "gpus": 1}]);
    write(&place, &job, &json!({}));
    // **Source**: `man nvidia-smi`, return values: 6 no device was found, 9 the driver is not loaded, 15 the card fell off the bus.
    place.program("nvidia-smi", "echo No devices were found; exit 6");
    refused(&place, &[], &["\"a\"", "failed (6): No devices were found"]);
    for (body, words) in [
        ("echo no driver; exit 15", "failed (15): no driver"),
        ("echo no driver; exit 126", "failed (126): no driver"),
        ("kill -9 $$", "ended by signal 9"),
    ] {
        place.program("nvidia-smi", body);
        let output = call(&place, "preflight", &[]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(5), "{said}");
        assert!(said.contains(words), "{said}");
    }
    // A driver that is just being loaded is asked again for some seconds.
    place.program("nvidia-smi", "echo no driver; exit 9");
    refused(&place, &[], &["failed (9): no driver"]);
    // A running manager continues, and `explain` says what is wrong with the cards.
    place.nvidia_smi(FOUR);
    place.data(&["adopt", "--manifest", "m.json", "--state", "s.json"]);
    place.data(&["hold", "--all", "--state", "s.json"]);
    let mut manager = place.start();
    Place::until("it runs", || {
        place.data(&["status", "--state", "s.json"])["manager"] != Value::Null
    });
    place.program("nvidia-smi", "echo no driver; exit 9");
    place.data(&["release", "--all", "--state", "s.json"]);
    let why = place.data(&["explain", "a", "--state", "s.json"]);
    let facts = why["facts"].to_string();
    assert!(
        facts.contains("failed (9): no driver") && !facts.contains("max_parallel"),
        "{facts}"
    );
    place.nvidia_smi(FOUR);
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
    assert!(place.at("ran").exists());
}

#[test]
fn a_lost_card_is_named_and_the_others_are_used() {
    let place = Place::new();
    // **Source**: `man nvidia-smi`, return value 15; with a lost card the query for all cards fails.
    place.program(
        "nvidia-smi",
        r#"case "$*" in *--id=1|*--id=2) ;; *--id=3) echo No devices were found; exit 6;;
*) echo 'Unable to determine the device handle for GPU0: GPU is lost'; exit 15;; esac
case "$*" in *query-compute-apps*) ;; *--id=1) echo '1, GPU-1, 3, 24576, [N/A]';; *) echo '2, GPU-2, 3, 24576, [N/A]';; esac"#,
    );
    let job = |id: &str, gpus| json!({"id": id, "cmd": "echo $CUDA_VISIBLE_DEVICES >> seen", "gpus": gpus});
    write(&place, &json!([job("a", 1), job("b", 2)]), &json!({}));
    let output = call(&place, "run", &[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("GPU0: GPU is lost; jobs run on"), "{said}");
    let seen = fs::read_to_string(place.at("seen")).expect("ran");
    assert!(seen.contains("1,2\n") && !seen.contains('0'), "{seen}");
    let told = place.call(&["preflight", "--manifest", "m.json", "--state", "t.json"]);
    assert_eq!(told.status.code(), Some(10), "{told:?}");
    write(&place, &json!([job("wide", 3)]), &json!({}));
    fs::remove_dir_all(place.at(".s.queue")).expect("removed");
    fs::remove_file(place.at("s.json")).expect("removed");
    refused(&place, &[], &["\"wide\"", "2 of the cards", "GPU is lost"]);
}

#[test]
fn the_variable_that_bounds_amd_cards_is_named_and_so_is_a_missing_id() {
    let place = Place::new();
    // Hides this machine's own nvidia-smi.
    let path = format!("{}:/usr/bin:/bin", place.at("bin").display());
    let card = |id: &str| {
        format!(
            "{{{id}\"VRAM Total Memory (B)\": \"17163091968\", \"VRAM Total Used Memory (B)\": \"6901760\"}}"
        )
    };
    let cards = |ids: [&str; 2]| {
        let [one, other] = ids.map(card);
        place.program("nvidia-smi", "exit 6");
        place.program(
            "rocm-smi",
            &format!("echo '{{\"card0\": {one}, \"card1\": {other}}}'"),
        );
    };
    cards(["\"Unique ID\": \"0x1\", ", "\"Unique ID\": \"0x2\", "]);
    write(
        &place,
        &json!([{"id": "b", "cmd": "true", "gpus": 2}]),
        &json!({}),
    );
    let hip = [("PATH", path.as_str()), ("HIP_VISIBLE_DEVICES", "1")];
    refused(&place, &hip, &["card 0 is not in HIP_VISIBLE_DEVICES"]);
    let rocr = [("PATH", path.as_str()), ("ROCR_VISIBLE_DEVICES", "1")];
    refused(&place, &rocr, &["card 0 is not in ROCR_VISIBLE_DEVICES"]);
    cards(["", ""]);
    refused(&place, &hip[..1], &["card 0 is told without an id"]);
    cards(["\"Unique ID\": \"0x1\", ", "\"Unique ID\": \"0x2\", "]);
    let one = json!([{"id": "a", "cmd": "true", "gpus": 1}]);
    write(&place, &one, &json!({"exclusive": true}));
    refused(&place, &hip[..1], &["exclusive", "which processes"]);
}

/// `exclusive` requires cards without other processes. If processes are not reported, no card is known to be without.
#[test]
fn a_card_of_which_no_processes_are_told_is_not_given_exclusively() {
    let place = Place::new();
    let told = place.at("told");
    place.program(
        "nvidia-smi",
        &format!("case \"$*\" in *query-compute-apps*) test -e '{}' || exit 1 ;; *) echo '0, GPU-0, 3, 24576, [N/A]' ;; esac", told.display()),
    );
    let one = json!([{"id": "a", "cmd": "true", "gpus": 1}]);
    write(&place, &one, &json!({"exclusive": true}));
    let mut manager = place.start();
    Place::until("it says why it waits", || {
        let why = place.call(&["explain", "a", "--state", "s.json"]);
        String::from_utf8_lossy(&why.stdout).contains("does not tell which processes are on it")
    });
    fs::write(told, "").expect("write");
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
}

#[test]
fn the_cards_that_the_caller_may_see_bound_the_queue() {
    let place = Place::new();
    place.nvidia_smi(FOUR);
    let say = "echo $CUDA_VISIBLE_DEVICES >> seen";
    let jobs: Vec<Value> = (0..6)
        .map(|at| json!({"id": format!("j{at}"), "cmd": say, "gpus": 1}))
        .collect();
    let jobs = json!(jobs);
    for (variable, expected) in [("2,3", ["2", "3"]), ("GPU-1, GPU-3", ["1", "3"])] {
        write(&place, &jobs, &json!({}));
        let output = call(&place, "run", &[("CUDA_VISIBLE_DEVICES", variable)]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let seen = fs::read_to_string(place.at("seen")).expect("ran");
        assert_eq!(seen.lines().count(), 6);
        assert!(
            seen.lines().all(|card| expected.contains(&card)),
            "{variable}: {seen}"
        );
        for file in ["seen", "s.json"] {
            fs::remove_file(place.at(file)).expect("removed");
        }
        fs::remove_dir_all(place.at(".s.queue")).expect("removed");
    }
    write(
        &place,
        &json!([{"id": "pair", "cmd": "true", "gpus": 2}]),
        &json!({"gpus": [0, 1]}),
    );
    refused(
        &place,
        &[("CUDA_VISIBLE_DEVICES", "1,2")],
        &["\"pair\"", "CUDA_VISIBLE_DEVICES"],
    );
    for none in ["", "-1", "NoDevFiles"] {
        refused(
            &place,
            &[("CUDA_VISIBLE_DEVICES", none)],
            &["\"pair\"", "CUDA_VISIBLE_DEVICES"],
        );
    }
}

#[test]
fn a_job_that_has_become_impossible_is_explained_and_holds_no_card() {
    let place = Place::new();
    place.nvidia_smi(FOUR);
    let jobs = json!([
        {"id": "wide", "cmd": "touch wide", "gpus": 3, "priority": 9},
        {"id": "small", "cmd": "touch small", "gpus": 1},
    ]);
    write(&place, &jobs, &json!({"reserve_after": 0}));
    place.data(&["adopt", "--manifest", "m.json", "--state", "s.json"]);
    // Two of the cards disappear.
    place.nvidia_smi("for at in 0 1; do echo \"$at, GPU-$at, 3, 24576, [N/A]\"; done");
    let output = place.run();
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    let why = place.data(&["explain", "wide", "--state", "s.json"]);
    let facts = why["facts"].to_string();
    assert!(
        facts.contains("3 cards") && facts.contains("2 of the cards here"),
        "{facts}"
    );
    // The same while a manager runs: it reports this, and the other jobs continue.
    place.nvidia_smi(FOUR);
    place.data(&["hold", "--all", "--state", "s.json"]);
    let mut manager = place.start();
    Place::until("it runs", || {
        place.data(&["status", "--state", "s.json"])["manager"] != Value::Null
    });
    place.nvidia_smi("for at in 0 1; do echo \"$at, GPU-$at, 3, 24576, [N/A]\"; done");
    place.data(&["release", "--all", "--state", "s.json"]);
    Place::until("the small one runs", || place.at("small").exists());
    let why = place.data(&["explain", "wide", "--state", "s.json"]);
    let facts = why["facts"].to_string();
    assert!(facts.contains("2 of the cards here"), "{facts}");
    assert!(manager.try_wait().expect("asked").is_none());
    place.nvidia_smi(FOUR);
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
}

#[test]
fn cards_are_kept_for_a_job_from_when_it_could_have_run_and_not_before() {
    let place = Place::new();
    place.nvidia_smi("for at in 0 1; do echo \"$at, GPU-$at, 3, 24576, [N/A]\"; done");
    let jobs = json!([
        {"id": "long", "cmd": "until test -e go; do sleep 0.02; done", "gpus": 1, "priority": 10},
        {"id": "pair", "cmd": "touch pair", "gpus": 2, "priority": 5},
        {"id": "small", "cmd": "touch small", "gpus": 1},
    ]);
    write(&place, &jobs, &json!({"reserve_after": 2}));
    place.data(&["adopt", "--manifest", "m.json", "--state", "s.json"]);
    place.data(&["pause", "--state", "s.json"]);
    let mut manager = place.start();
    // Longer than `reserve_after`, but the job could not have run in this time.
    std::thread::park_timeout(std::time::Duration::from_secs(3));
    place.data(&["resume", "--state", "s.json"]);
    Place::until("no card is kept yet", || place.at("small").exists());
    assert!(!place.at("pair").exists());
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
    assert!(place.at("pair").exists());
}

fn memory_mib() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").expect("meminfo");
    let line = text.lines().find(|line| line.starts_with("MemTotal:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1));
    kib.and_then(|kib| kib.parse::<u64>().ok())
        .expect("a number")
        / 1024
}

#[test]
fn more_processors_or_memory_than_the_machine_has_is_refused() {
    let place = Place::new();
    let good = json!({"id": "good", "cmd": "true"});
    for (large, words) in [
        (
            json!({"id": "wide", "cmd": "true", "cpus": 100_000}),
            ["\"wide\"", "100000 processors"],
        ),
        (
            json!({"id": "fat", "cmd": "true", "mem": "4096 TiB"}),
            ["\"fat\"", "4294967296 MiB"],
        ),
    ] {
        write(&place, &json!([good, large]), &json!({"gpus": []}));
        refused(&place, &[], &words);
    }
}

#[test]
fn jobs_that_say_what_they_need_never_share_what_is_not_there() {
    // Each job writes its start and its end; two at once would write two starts in a row.
    let alone = |key: &str, value: Value| {
        let place = Place::new();
        let cmd = "echo start >> order; sleep 0.3; echo end >> order";
        let jobs: Vec<Value> = (0..3)
            .map(|at| json!({"id": format!("j{at}"), "cmd": cmd}))
            .collect();
        let mut more = json!({"gpus": [], "max_cpu_jobs": 3});
        more[key] = value;
        write(&place, &json!(jobs), &more);
        let output = call(&place, "run", &[]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        fs::read_to_string(place.at("order")).expect("order")
    };
    let processors = std::thread::available_parallelism().expect("known");
    let apart = "start\nend\n".repeat(3);
    assert_eq!(alone("cpus", json!(processors)), apart);
    // If a control group allows less than this, the job is refused, and the test would say nothing.
    let most = format!("{} MiB", memory_mib() * 6 / 10);
    assert_eq!(alone("mem", json!(most)), apart);
    assert_ne!(alone("mem", json!("1 MiB")), apart);
}

#[test]
fn what_a_running_job_took_stays_taken_when_it_is_edited() {
    let place = Place::new();
    place.nvidia_smi("echo '0, GPU-0, 3, 24576, [N/A]'");
    let wait = |id: &str| format!("touch began-{id}; until test -e go; do sleep 0.02; done");
    let cpus = std::thread::available_parallelism().expect("known").get();
    let jobs = json!([
        {"id": "a", "cmd": wait("a"), "gpus": 1, "gpu_mem_mib": 20000},
        {"id": "c", "cmd": wait("c"), "gpus": 0, "cpus": cpus},
    ]);
    write(&place, &jobs, &json!({}));
    let mut manager = place.start();
    let began = |id: &str| place.at(&format!("began-{id}")).exists();
    Place::until("they run", || began("a") && began("c"));
    for (id, key) in [("a", "gpu_mem_mib=2000"), ("c", "cpus=1")] {
        place.data(&["edit", id, "--set", key, "--state", "s.json"]);
    }
    for (id, keys) in [
        ("b", ["gpus=1", "gpu_mem_mib=20000"]),
        ("d", ["gpus=0", "cpus=1"]),
    ] {
        let words = [
            "add", id, "--cmd", "true", "--state", "s.json", "--set", keys[0], "--set", keys[1],
        ];
        place.data(&words);
        let told = place
            .data(&["explain", id, "--state", "s.json"])
            .to_string();
        assert!(
            told.contains("can be given") || told.contains("are left"),
            "{told}"
        );
    }
    // One that needs little comes beside them, when all that could have started has.
    place.data(&[
        "add",
        "e",
        "--cmd",
        "touch began-e",
        "--state",
        "s.json",
        "--set",
        "gpus=1",
        "--set",
        "gpu_mem_mib=1000",
    ]);
    Place::until("it fits", || began("e"));
    let state = place.state();
    assert_eq!(
        [&state["b"]["attempts"], &state["d"]["attempts"]],
        [&json!(0), &json!(0)]
    );
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
}

#[test]
fn a_job_that_is_over_needs_no_card_any_more() {
    let place = Place::new();
    place.nvidia_smi(FOUR);
    write(
        &place,
        &json!([{"id": "wide", "cmd": "true", "gpus": 4}]),
        &json!({}),
    );
    assert_eq!(call(&place, "run", &[]).status.code(), Some(0));
    place.data(&[
        "add",
        "eval",
        "--cmd",
        "touch evaluated",
        "--set",
        "gpus=0",
        "--state",
        "s.json",
    ]);
    let fewer = [("CUDA_VISIBLE_DEVICES", "0")];
    let checked = call(&place, "preflight", &fewer);
    assert_eq!(checked.status.code(), Some(0), "{checked:?}");
    let ran = call(&place, "run", &fewer);
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    assert!(place.at("evaluated").exists());
    // What is to run again needs them again.
    place.data(&["retry", "wide", "--again", "--state", "s.json"]);
    let ran = call(&place, "run", &fewer);
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(
        ran.status.code() == Some(5) && said.contains("needs 4 cards"),
        "{said}"
    );
}
