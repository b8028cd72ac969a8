//! Manifests with hostile texts that look like commands, paths, options or lines. Every text reaches the job as it was written, and nothing
//! is created outside its place.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::{ProptestConfig, proptest};
use serde_json::{Value, json};

use crate::cluster;
use crate::queue::Place;

/// Texts that are used as ids, parameters, values and names of phases.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "a b",
        " lead",
        "trail ",
        "q'z",
        "d\"q",
        "$(touch PWNED)",
        "`touch PWNED`",
        "; touch PWNED #",
        "| touch PWNED",
        "& touch PWNED &",
        "> PWNED",
        "../up",
        "../../../../tmp/PWNED",
        "/PWNED",
        "a/../../PWNED",
        ".",
        "..",
        "-dash",
        "--help",
        "--state=PWNED",
        "a\\b",
        "*",
        "?",
        "[a]",
        "~",
        "#x",
        "%j%x%s",
        "{N}",
        "${N}",
        "$HOME",
        "a=b",
        "a,b",
        "a|b",
        "日本",
        "e\u{301}",
        "\u{202e}gpj.exe",
        "zero\u{200b}width",
        "\u{feff}bom",
        "ﬀ",
        "CON",
        "nul.",
        ".hidden",
        "s.json",
        "1e5",
        "true",
        "null",
        "<b onload=x>",
        "|a|b|",
        // A name like that of another job's log.
        "plain-b9b5d96aa5ac.1",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.push("x".repeat(200));
    texts.push("é".repeat(100));
    texts
}

/// A queue in which each text is an id, a parameter and a value; each job writes the value that it got.
fn manifest(place: &Place, texts: &[String], more: &Value) {
    fs::create_dir_all(place.at("got")).expect("folder");
    let jobs: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| {
            json!({
                "id": text, "cmd": format!("printf %s \"$ODD\" > got/{at}"), "env": {"ODD": text}, "params": {"N": text, "$(x)": text},
                "expected_output": format!("got/{at}"),
                "preconditions": [{"type": "file_exists", "path": "m*.json"}],
            })
        })
        .collect();
    let mut manifest = json!({
        "project": texts.first(), "cwd": place.at(""), "gpus": [], "max_cpu_jobs": 8, "gpus_per_job": 0, "linger": 0, "output_wait": 1,
        "phases": [{"name": texts.first(), "jobs": []}, {"name": texts.last(), "depends_on": [texts.first()], "jobs": jobs}],
    });
    for (key, value) in more.as_object().expect("settings") {
        manifest[key] = value.clone();
    }
    fs::write(place.at("m.json"), manifest.to_string()).expect("write");
}

/// Every job got its text unchanged, and nothing unwanted was created.
fn check(place: &Place, texts: &[String], logs: &str) {
    let state = place.state();
    assert_eq!(state.len(), texts.len());
    for (at, text) in texts.iter().enumerate() {
        let row = &state[text];
        assert_eq!(row["state"], "completed", "{text:?}: {row}");
        let got = fs::read(place.at(&format!("got/{at}"))).expect("written");
        assert_eq!(got, text.as_bytes(), "{text:?}");
    }
    let names = |folder: &Path| -> BTreeSet<String> {
        let entries = fs::read_dir(folder).expect("folder");
        entries
            .map(|entry| {
                entry
                    .expect("entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect()
    };
    let top = logs.split('/').next().expect("a name");
    let known = BTreeSet::from(
        [
            ".aris",
            ".s.queue",
            "bin",
            "got",
            "leases",
            "m.json",
            "s.json",
            "summary.md",
            top,
        ]
        .map(str::to_owned),
    );
    let found = names(&place.at(""));
    assert!(found.is_subset(&known), "{found:?}");
    assert_eq!(
        names(&place.outside()).len(),
        1,
        "beside the queue's folder"
    );
    assert_eq!(names(&place.at("got")).len(), texts.len());
    for name in names(&place.at(logs)) {
        let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        assert!(name.bytes().all(safe) && name.len() <= 130, "{name:?}");
    }
    for folder in [place.outside(), place.at("")] {
        let found = Command::new("find")
            .arg(folder)
            .args(["-name", "PWNED*"])
            .output();
        assert_eq!(found.expect("find").stdout, b"");
    }
}

#[test]
fn no_text_of_a_manifest_leaves_its_place() {
    // The folder has a hostile name, too.
    let place = Place::within("q'\"$(touch PWNED)\n; touch PWNED #");
    let texts = texts();
    let logs = "l o'g\"s/$(touch PWNED)";
    manifest(&place, &texts, &json!({}));
    let output = place
        .command(&[
            "run",
            "--manifest",
            "m.json",
            "--state",
            "s.json",
            "--log-dir",
            logs,
        ])
        .output()
        .expect("ran");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    check(&place, &texts, logs);
    for text in &texts {
        let why = place.data(&["explain", "--state", "s.json", "--", text]);
        assert_eq!(why["state"], "completed", "{text:?}");
        place.data(&["logs", "--state", "s.json", "--", text]);
    }
    // Reports show the texts, and no program interprets them.
    let page = place
        .command(&["report", "--state", "s.json", "--html", "page.html"])
        .output()
        .expect("ran");
    assert!(page.status.success(), "{page:?}");
    let page = fs::read_to_string(place.at("page.html")).expect("page");
    assert!(!page.contains("<b onload"), "text became markup");
}

#[test]
fn a_jobs_name_that_is_anothers_log_gets_none_of_its_lines() {
    let place = Place::new();
    let job = |id: &str, more: Value| {
        let mut job = json!({"id": id, "cmd": "echo of $ODD", "env": {"ODD": id}});
        for (key, value) in more.as_object().expect("keys") {
            job[key] = value.clone();
        }
        job
    };
    let own = aris_attempt::format::slug("victim");
    let thief = format!("{own}.1");
    let jobs = [
        job(&thief, json!({})),
        job("victim", json!({"needs": [thief]})),
    ];
    place.manifest(&json!([{"name": "p", "jobs": jobs}]));
    assert_eq!(place.run().status.code(), Some(0));
    for id in ["victim", &thief] {
        let log = place.state()[id]["log"].as_str().expect("log").to_owned();
        let log = fs::read_to_string(place.at(&log)).expect("log");
        assert_eq!(log, format!("of {id}\n"));
    }
}

/// Two queues of one folder, one with the same folder of logs, and one that is begun anew.
#[test]
fn each_attempt_of_each_queue_of_a_folder_has_a_log_of_its_own() {
    let place = Place::new();
    let queue = |state: &str, cmd: &str, more: &[&str]| {
        place.manifest(
            &json!([{"name": "p", "jobs": [{"id": "t", "cmd": cmd, "retry": {"oom": 0}}]}]),
        );
        let manifest = format!("{state}.yaml");
        fs::rename(place.at("m.json"), place.at(&manifest)).expect("renamed");
        let words = ["run", "-q", "--manifest", &manifest, "--state", state];
        place
            .command(&[&words, more].concat())
            .spawn()
            .expect("ran")
    };
    let log = |state: &str| {
        let log = place.data(&["logs", "t", "--attempt", "1", "--state", state]);
        log["text"].as_str().expect("text").to_owned()
    };
    let memory = "sleep 1; echo torch.cuda.OutOfMemoryError; exit 1";
    let mut both = [
        queue("a.json", memory, &[]),
        queue("b.json", "sleep 2; echo a bug; exit 3", &[]),
    ];
    for run in &mut both {
        assert_eq!(run.wait().expect("ended").code(), Some(10));
    }
    assert_eq!(log("b.json"), "a bug");
    assert_eq!(log("a.json"), "torch.cuda.OutOfMemoryError");
    let report = place.data(&["report", "--state", "b.json"]);
    let failure = &report["failures"][0];
    assert_eq!(failure["reason"], "exit", "{failure}");
    assert_eq!(failure["tail"]["lines"], json!(["a bug"]));
    let summary = |name: &str| fs::read_to_string(place.at(name)).expect("a summary");
    assert!(summary("b.summary.md").contains("a bug"));
    // Another folder, and the folder of logs of this one.
    fs::create_dir(place.at("c")).expect("folder");
    let logs = ["--log-dir", "logs"];
    let ran = queue("c/q.json", "echo third", &logs).wait();
    assert_eq!(ran.expect("ended").code(), Some(0));
    assert_eq!(log("c/q.json"), "third");
    assert!(summary("c/summary.md").contains("completed"));
    // A queue that is begun anew.
    fs::remove_file(place.at("a.json")).expect("removed");
    fs::remove_dir_all(place.at(".a.queue")).expect("removed");
    let ran = queue("a.json", "echo anew", &[]).wait();
    assert_eq!(ran.expect("ended").code(), Some(0));
    assert_eq!(
        (log("a.json").as_str(), log("b.json").as_str()),
        ("anew", "a bug")
    );
}

#[test]
fn what_could_never_be_a_name_is_refused_before_anything_runs() {
    let long = "x".repeat(201);
    for (id, name) in [
        ("a\nb", "OK"),
        ("a\u{0}b", "OK"),
        ("a\u{1b}[2J", "OK"),
        ("", "OK"),
        ("\u{85}", "OK"),
        (long.as_str(), "OK"),
        ("a", "A B"),
        ("a", "A=B"),
        ("a", "$(x)"),
        ("a", ""),
        ("a", "1A"),
        ("a", "A\nB"),
        ("a", "ÄA"),
    ] {
        let place = Place::new();
        let jobs = json!([{"id": id, "cmd": "touch ran", "env": {name: "v"}}]);
        place.manifest(&json!([{"name": "p", "jobs": jobs}]));
        let output = place.run();
        assert_eq!(output.status.code(), Some(4), "{id:?} {name:?}: {output:?}");
        assert!(!place.at("ran").exists() && !place.at("s.json").exists());
    }
}

#[test]
fn no_text_of_a_manifest_leaves_its_place_on_slurm() {
    let Some(_alone) = cluster::alone() else {
        return;
    };
    let place = Place::within("run $(touch PWNED); & dir");
    let texts = texts();
    manifest(
        &place,
        &texts,
        &json!({"engine": "slurm", "slurm": {"mem": "64"}}),
    );
    let output = place.run();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    check(&place, &texts, "logs");

    // Slurm interprets characters in paths; a folder with such characters is refused, and named in the message.
    let place = Place::within("100%j");
    manifest(&place, &texts[..2], &json!({"engine": "slurm"}));
    assert_eq!(place.run().status.code(), Some(10));
    let row = &place.state()[&texts[0]];
    assert_eq!(
        (&row["state"], &row["reason"]),
        (&json!("failed"), &json!("engine_rejected"))
    );
    assert!(
        row["error"]
            .as_str()
            .expect("why")
            .contains("cannot be used with Slurm"),
        "{row}"
    );
}

#[test]
fn no_text_of_a_manifest_leaves_its_place_on_a_server() {
    const SSH: &str =
        "for line do :; done; export HOME=\"${0%/bin/ssh}/got/home\"; exec sh -c \"$line\"";
    let place = Place::within("server $(touch PWNED)'");
    let texts = texts();
    place.program("ssh", SSH);
    manifest(&place, &texts, &json!({"cwd": "."}));
    let home = place.at("got/home");
    fs::create_dir_all(&home).expect("home");
    let deployed = place
        .command(&["deploy", "gpu", "--run", "r1", "--manifest", "m.json"])
        .output()
        .expect("ran");
    assert_eq!(deployed.status.code(), Some(0), "{deployed:?}");
    let folder = home.join(".aris_queue/runs/r1");
    fs::create_dir_all(folder.join("got")).expect("folder");
    let ask = |args: &[&str]| {
        let words = [&["remote", "gpu", "--run", "r1", "--json", "--"], args].concat();
        let output = place.command(&words).output().expect("ran");
        serde_json::from_slice::<Value>(&output.stdout).expect("envelope")["data"]["answer"].clone()
    };
    Place::until("it is over there", || ask(&["status"])["over"] == true);
    // Jobs that started before their folder was created are retried.
    let ids: Vec<&str> = texts.iter().map(String::as_str).collect();
    ask(&["retry", "--failed"]);
    ask(&["start", "--manifest", "manifest.json"]);
    Place::until("it is over there", || {
        ask(&["status"])["counts"] == json!({"completed": ids.len()})
    });
    for id in ids {
        assert_eq!(ask(&["explain", "--", id])["id"], id);
    }
    for (at, text) in texts.iter().enumerate() {
        let got = fs::read(folder.join(format!("got/{at}"))).expect("written");
        assert_eq!(got, text.as_bytes(), "{text:?}");
    }
    let found = Command::new("find")
        .arg(place.outside())
        .args(["-name", "PWNED*"])
        .output();
    assert_eq!(found.expect("find").stdout, b"");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]
    #[test]
    fn whatever_the_ids_are(texts in proptest::collection::btree_set("[^\\p{C}]{1,40}|[-./ $`'\"\\\\;|&<>*?~#%{}()]{1,12}", 12)) {
        // Ids must differ also when upper and lower case count as equal.
        let mut seen = BTreeSet::new();
        let texts: Vec<String> = texts
            .into_iter()
            .filter(|text| text.len() <= 200 && seen.insert(text.to_lowercase()))
            .collect();
        let place = Place::within("random");
        manifest(&place, &texts, &json!({"project": "p", "phases": []}));
        let jobs: Vec<Value> = texts
            .iter()
            .enumerate()
            .map(|(at, text)| json!({"id": text, "cmd": format!("printf %s \"$ODD\" > got/{at}"), "env": {"ODD": text}}))
            .collect();
        let manifest = json!({"cwd": place.at(""), "gpus": [], "max_cpu_jobs": 8, "linger": 0, "jobs": jobs});
        fs::write(place.at("m.json"), manifest.to_string()).expect("write");
        let output = place
            .command(&["run", "--manifest", "m.json", "--state", "s.json", "--quiet"])
            .stderr(Stdio::piped())
            .output()
            .expect("ran");
        assert_eq!(output.status.code(), Some(0), "{texts:?}: {output:?}");
        check(&place, &texts, "logs");
    }
}

#[test]
fn a_report_shows_the_end_of_a_long_line_and_what_a_progress_bar_shows_last() {
    let place = Place::new();
    let long = "printf 'x%.0s' $(seq 1 30000); echo the end; exit 1";
    let bar = "for i in $(seq 1 3000); do printf 'step %d\\r' $i; done; exit 1";
    let jobs = json!([{"id": "long", "cmd": long}, {"id": "bar", "cmd": bar}]);
    let manifest = json!({"project": "p", "cwd": ".", "gpus_per_job": 0, "jobs": jobs});
    fs::write(place.at("m.json"), manifest.to_string()).expect("manifest");
    let run = place.command(&["run", "--manifest", "m.json", "--state", "s.json"]);
    assert_eq!({ run }.output().expect("ran").status.code(), Some(10));
    let report = place.command(&["report", "--state", "s.json"]).output();
    let report = String::from_utf8(report.expect("ran").stdout).expect("text");
    assert!(report.contains("xxxthe end\n"), "{report}");
    assert!(report.contains("    step 3000\n"), "{report}");
    assert!(
        report.lines().all(|line| line.chars().count() < 500),
        "{report}"
    );
}
