//! What the gate writes, where, and with which exit code.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Command, Stdio};

use aris_contract::schema::id;
use aris_testkit::assert_valid;
use jiff::Timestamp;
use serde_json::{Value, json};
use verify_paper_audits::{PREDICATE_SCHEMA, SCHEMA};

use crate::support::{AUDITS, CLAIMS, Damage, Project, call, call_at};

const REPORT: &str = ".aris/audit-verifier-report.json";

fn later() -> Timestamp {
    "2090-11-21T08:00:00Z".parse().expect("time")
}

fn envelope(stdout: &str) -> Value {
    assert_eq!(stdout.lines().count(), 1, "{stdout}");
    serde_json::from_str(stdout).expect("envelope")
}

#[test]
fn reports_are_valid_and_keep_the_names_of_the_older_report() {
    let damages: [(Damage, &str); 4] = [
        (|_| {}, "OK"),
        (
            |p| {
                p.edit("main.tex", "gates", "doors");
            },
            "STALE",
        ),
        (
            |p| {
                p.set(CLAIMS, "verdict", "FAIL");
            },
            "BLOCKING_VERDICT",
        ),
        (
            |p| {
                p.write(CLAIMS, "nothing");
            },
            "SCHEMA_INVALID",
        ),
    ];
    for (damage, status) in damages {
        let project = Project::new();
        damage(&project);
        let ran = project.run(&["--assurance", "submission", "--json", "--attest", "a.json"]);
        assert_valid(SCHEMA, &ran.report, status);
        for field in [
            "verifier_version",
            "paper_dir",
            "assurance",
            "generated_at",
            "any_problem",
            "submission_blocking",
            "audits",
        ] {
            assert!(!ran.report[field].is_null(), "{field}");
        }
        let row = &ran.report["audits"][1];
        assert_eq!(
            (&row["audit"], &row["status"]),
            (&json!("paper-claim-audit"), &json!(status))
        );
        assert!(
            row["verdict"].is_string() && row["stale"].is_boolean() && row["issues"].is_array()
        );
        // The envelope carries the report, whole, and is a success envelope also when the gate blocks.
        let envelope = envelope(&ran.stdout);
        assert_eq!(envelope["data"], ran.report);
        assert_eq!(
            envelope["meta"]["schema"],
            "aris.verify_paper_audits.report/v1"
        );
        let statement: Value =
            serde_json::from_slice(&fs::read(project.root.join("a.json")).expect("statement"))
                .expect("json");
        assert_valid(PREDICATE_SCHEMA, &statement["predicate"], status);
        assert_valid(id::AUDIT, &project.artifact("PROOF_AUDIT.json"), status);
    }
    let policy: Value =
        serde_json::from_str(include_str!("../../assets/policy.json")).expect("json");
    assert_valid(id::POLICY, &policy, "the policy");
    let manifest =
        json!({"schema": id::PAPER_MANIFEST, "audits": [{"artifact": "A.json", "skill": "a"}]});
    assert_valid(id::PAPER_MANIFEST, &manifest, "a manifest");
}

#[test]
fn the_older_issue_strings_stay() {
    let cases: [(Damage, &str); 9] = [
        (
            |p| {
                p.remove(CLAIMS);
            },
            "missing_artifact: PAPER_CLAIM_AUDIT.json",
        ),
        (
            |p| {
                p.edit(CLAIMS, "\"summary\"", "\"sumary\"");
            },
            "missing_field:summary",
        ),
        (
            |p| {
                p.set(CLAIMS, "verdict", "OK");
            },
            "invalid_verdict:OK",
        ),
        (
            |p| {
                p.set(CLAIMS, "audit_skill", "x");
            },
            "wrong_audit_skill:x_vs_paper-claim-audit",
        ),
        (
            |p| {
                p.edit("main.tex", "gates", "doors");
            },
            "stale:main.tex",
        ),
        (
            |p| {
                p.remove("../results/run_1.json");
            },
            "stale:../results/run_1.json:file_gone",
        ),
        (
            |p| {
                p.set(CLAIMS, "trace_path", "x/y");
            },
            "trace_path_missing:x/y",
        ),
        (
            |p| {
                p.write("t", "").set(CLAIMS, "trace_path", "t");
            },
            "trace_path_empty_file:t",
        ),
        (
            |p| {
                p.set(CLAIMS, "audited_input_hashes", 1);
            },
            "audited_input_hashes_not_dict",
        ),
    ];
    for (damage, issue) in cases {
        let project = Project::new();
        damage(&project);
        let ran = project.gate();
        let issues = ran.report["audits"][1]["issues"]
            .as_array()
            .expect("list")
            .clone();
        assert!(issues.contains(&json!(issue)), "{issue} in {issues:?}");
    }
}

#[test]
fn a_second_run_changes_no_byte_and_a_changed_paper_changes_the_report() {
    let project = Project::new();
    let args = [
        "paper",
        "--assurance",
        "submission",
        "--html",
        "audit.html",
        "--attest",
        "audit.json",
        "--json",
    ];
    let first = call(&project.root, &args, &[]);
    let files = [
        project.paper.join(REPORT),
        project.root.join("audit.html"),
        project.root.join("audit.json"),
    ];
    let state = || {
        files.clone().map(|path| {
            (
                fs::read(&path).expect("output"),
                fs::metadata(&path).expect("metadata").ino(),
            )
        })
    };
    let before = state();
    let second = call_at(&project.root, &args, &[], later());
    assert_eq!((first.code, second.code), (0, 0), "{}", first.stderr);
    assert!(before == state(), "a second run wrote something");
    assert_eq!(first.stdout, second.stdout);
    project.edit("main.tex", "gates", "doors");
    assert_eq!(call_at(&project.root, &args, &[], later()).code, 1);
    let report: Value =
        serde_json::from_slice(&fs::read(&files[0]).expect("report")).expect("json");
    assert_eq!(report["generated_at"], "2090-11-21T08:00:00Z");
}

#[test]
fn a_planted_report_is_replaced() {
    let project = Project::new();
    let honest = project.gate().report;
    for (field, value) in [
        ("generated_at", json!("2099-01-01T00:00:00Z")),
        ("conclusion", json!("accepted")),
        ("generated_at", json!("soon")),
    ] {
        let mut planted = honest.clone();
        planted[field] = value;
        project.put(REPORT, &planted);
        assert_eq!(project.gate().report, honest, "{field}");
    }
}

#[test]
fn usage_and_policy_errors_have_their_codes() {
    let project = Project::new();
    project.write(
        "bad.json",
        "{\n\"schema\": \"aris.verify_paper_audits.policy/v1\",\n\"severitty\": {}}",
    );
    project.fifo("pipe");
    let cases: [(&[&str], u8, &str); 10] = [
        (&["nowhere"], 3, "not a directory"),
        (&["paper/main.tex"], 3, "not a directory"),
        (
            &["paper", "--assurance", "Submission"],
            2,
            "not an assurance level",
        ),
        (&["paper", "--no-such-flag"], 2, "unexpected argument"),
        (&["paper", "--sign-key", "key"], 2, "--attest"),
        (&["paper", "--policy", "none.json"], 3, "does not exist"),
        (&["paper", "--policy", "paper/bad.json"], 4, "line 3"),
        (&["paper", "--policy", "paper/pipe"], 4, "FIFO"),
        (&["paper", "--policy", "paper/main.tex"], 4, "line 1"),
        (&["paper", "--policy", "paper"], 4, "directory"),
    ];
    for (args, code, text) in cases {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let ran = call(&project.root, &args, &[]);
        let envelope = envelope(&ran.stdout);
        assert_eq!(ran.code, code, "{args:?}: {}", ran.stderr);
        assert!(
            envelope["error"]["message"]
                .as_str()
                .is_some_and(|message| message.contains(text)),
            "{args:?}: {envelope}"
        );
    }
    assert!(
        !project.paper.join(REPORT).exists(),
        "an error wrote a report"
    );
    for word in ["strict", "", "draft submission"] {
        project.write(".aris/assurance.txt", word);
        let ran = call(&project.root, &["paper"], &[]);
        assert_eq!(ran.code, 2, "{word:?}");
    }
}

#[test]
fn the_assurance_file_decides_unless_the_flag_does() {
    let project = Project::new();
    project
        .edit("main.tex", "gates", "doors")
        .write(".aris/assurance.txt", " submission\r\n");
    assert_eq!(project.run(&[]).code, 1);
    assert_eq!(project.run(&["--assurance", "draft"]).code, 0);
}

#[test]
fn outputs_that_cannot_be_written_are_exit_five_and_leave_nothing() {
    let project = Project::new();
    project.edit("main.tex", "gates", "doors");
    for option in ["--json-out", "--html", "--attest"] {
        for place in ["paper/main.tex/x.json", "paper/sections"] {
            let ran = call(
                &project.root,
                &["paper", "--assurance", "submission", option, place],
                &[],
            );
            assert_eq!(ran.code, 5, "{option} {place}: {}", ran.stderr);
            assert!(ran.stderr.contains("hint: "), "{}", ran.stderr);
        }
    }
    let left: Vec<_> = fs::read_dir(&project.paper)
        .expect("folder")
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert!(
        left.iter()
            .all(|name| !name.to_string_lossy().contains("aris-tmp")),
        "{left:?}"
    );
}

#[test]
fn a_read_only_paper_is_judged_with_the_report_elsewhere() {
    let project = Project::new();
    fs::set_permissions(&project.paper, fs::Permissions::from_mode(0o555)).expect("mode");
    if fs::write(project.paper.join("probe"), "x").is_ok() {
        println!("skipped: this user may write everywhere");
        return;
    }
    let ran = project.gate();
    let elsewhere = project.run(&[
        "--assurance",
        "submission",
        "--json-out",
        "new/folder/report.json",
    ]);
    fs::set_permissions(&project.paper, fs::Permissions::from_mode(0o755)).expect("mode");
    assert_eq!((ran.code, elsewhere.code), (5, 0), "{}", ran.stderr);
    assert_eq!(elsewhere.report["submission_blocking"], false);
}

#[test]
fn no_output_replaces_what_was_judged() {
    let project = Project::new();
    let before = project.read(CLAIMS);
    for (args, what) in [
        (vec!["--json-out", "paper/PAPER_CLAIM_AUDIT.json"], "judged"),
        (vec!["--html", "paper/sections/../main.tex"], "judged"),
        (vec!["--attest", "results/run_1.json"], "judged"),
        (
            vec!["--html", "x.html", "--attest", "x.html"],
            "another output",
        ),
    ] {
        let args: Vec<&str> = ["paper"].into_iter().chain(args).collect();
        let ran = call(&project.root, &args, &[]);
        assert!(
            ran.code == 2 && ran.stderr.contains(what),
            "{args:?}: {} {}",
            ran.code,
            ran.stderr
        );
    }
    assert_eq!(project.read(CLAIMS), before);
}

#[test]
fn a_planted_link_does_not_lead_the_report_astray() {
    let project = Project::new();
    let outside = project.root.parent().expect("above").join("home");
    fs::create_dir(&outside).expect("folder");
    fs::write(outside.join("profile"), "precious").expect("write");
    fs::create_dir(project.paper.join(".aris")).expect("folder");
    project.link(outside.join("profile"), REPORT);
    let ran = project.gate();
    assert!(
        ran.code == 2 && ran.stderr.contains("leads out of the paper"),
        "{}",
        ran.stderr
    );
    project.remove(".aris").link(&outside, ".aris");
    assert_eq!(project.gate().code, 2);
    assert_eq!(
        fs::read_to_string(outside.join("profile")).expect("read"),
        "precious"
    );
    assert_eq!(fs::read_dir(&outside).expect("folder").count(), 1);
}

#[test]
fn the_statement_names_every_judged_file_and_does_not_depend_on_the_place() {
    let statements: Vec<(Project, Vec<u8>)> = (0..2)
        .map(|_| {
            let project = Project::new();
            let args = [
                "paper",
                "--assurance",
                "submission",
                "--attest",
                "audit.json",
            ];
            let ran = call(&project.root, &args, &[("SOURCE_DATE_EPOCH", "1700000000")]);
            assert_eq!(ran.code, 0, "{}", ran.stderr);
            let bytes = fs::read(project.root.join("audit.json")).expect("statement");
            (project, bytes)
        })
        .collect();
    let [(project, first), (_, second)] = statements.as_slice() else {
        panic!("two")
    };
    let (first, second): (Value, Value) = (
        serde_json::from_slice(first).expect("json"),
        serde_json::from_slice(second).expect("json"),
    );
    // The traces name the project's folder, so that their digests, and only those, differ between two places.
    assert_eq!(first["subject"], second["subject"]);
    assert_eq!(first["predicate"]["time"], "2023-11-14T22:13:20Z");
    assert_eq!(first["_type"], "https://in-toto.io/Statement/v1");
    let names: Vec<&str> = first["subject"]
        .as_array()
        .expect("list")
        .iter()
        .filter_map(|subject| subject["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "CITATION_AUDIT.json",
            "PAPER_CLAIM_AUDIT.json",
            "PROOF_AUDIT.json",
            "main.tex",
            "refs.bib",
            "sections/intro.tex",
            "sections/results.tex"
        ]
    );
    for subject in first["subject"].as_array().expect("list") {
        let digest = format!(
            "sha256:{}",
            subject["digest"]["sha256"].as_str().expect("digest")
        );
        assert_eq!(
            digest,
            project.hash(subject["name"].as_str().expect("name"))
        );
    }
    let inputs = first["predicate"]["inputs"].as_array().expect("list");
    assert!(
        inputs
            .iter()
            .any(|input| input["name"] == "../results/run_1.json")
    );
    assert!(
        inputs
            .iter()
            .any(|input| input["name"]
                == "../.aris/traces/proof-checker/2090-11-20_run01/chain.jsonl")
    );
    assert!(
        !first
            .to_string()
            .contains(&project.root.display().to_string()),
        "the statement names the place"
    );
    assert_eq!(
        call(
            &project.root,
            &["paper", "--attest", "a.json"],
            &[("SOURCE_DATE_EPOCH", "soon")]
        )
        .code,
        2
    );
}

#[test]
fn the_signature_is_one_that_ssh_keygen_verifies() {
    let quiet = |args: &[&str], dir: &Path, stdin: Option<&Path>| {
        let mut command = Command::new("ssh-keygen");
        command
            .args(args)
            .current_dir(dir)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.stdin(stdin.map_or_else(Stdio::null, |path| {
            Stdio::from(fs::File::open(path).expect("open"))
        }));
        command.status().map(|status| status.success())
    };
    let project = Project::new();
    let dir = project.root.as_path();
    if quiet(&["-q", "-t", "ed25519", "-N", "", "-f", "key"], dir, None).is_err() {
        println!("skipped: ssh-keygen is not installed");
        return;
    }
    let args = [
        "paper",
        "--assurance",
        "submission",
        "--attest",
        "audit.json",
        "--sign-key",
        "key",
    ];
    let ran = call(dir, &args, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let signature = fs::read(dir.join("audit.json.sig")).expect("signature");
    let public = fs::read_to_string(dir.join("key.pub")).expect("public");
    fs::write(dir.join("allowed"), format!("author@example.org {public}")).expect("write");
    let verify = |namespace: &str, statement: &str| {
        let args = [
            "-Y",
            "verify",
            "-f",
            "allowed",
            "-I",
            "author@example.org",
            "-n",
            namespace,
            "-s",
            "audit.json.sig",
        ];
        quiet(&args, dir, Some(&dir.join(statement))).expect("started")
    };
    assert!(verify("aris-audit", "audit.json"));
    assert!(!verify("file", "audit.json"), "another namespace");
    let forged = fs::read_to_string(dir.join("audit.json"))
        .expect("statement")
        .replace("PASS", "WARN");
    fs::write(dir.join("forged.json"), forged).expect("write");
    assert!(!verify("aris-audit", "forged.json"), "another statement");
    // Ed25519 signatures are deterministic: a second run changes no byte.
    assert_eq!(call_at(dir, &args, &[], later()).code, 0);
    assert_eq!(
        fs::read(dir.join("audit.json.sig")).expect("signature"),
        signature
    );
    let refused = call(
        dir,
        &[
            "paper",
            "--attest",
            "b.json",
            "--sign-key",
            "paper/main.tex",
        ],
        &[],
    );
    assert_eq!(refused.code, 5, "{}", refused.stderr);
    assert!(!dir.join("b.json.sig").exists());
}

#[test]
fn the_page_is_self_contained_and_escapes_everything() {
    let project = Project::new();
    let nasty = "</script><script>alert(1)</script>\"'<img src=x onerror=alert(1)>";
    project.set("CITATION_AUDIT.json", "verdict", nasty);
    project.set("PROOF_AUDIT.json", "summary", nasty);
    project.set("PROOF_AUDIT.json", "verdict", "FAIL");
    project.set(CLAIMS, "reviewer_model", nasty);
    project.set_hash(CLAIMS, nasty, "0".repeat(64));
    project.edit("sections/results.tex", "84.7", "<b>89.2</b>");
    project.write("sections/more.tex", "x").edit(
        "main.tex",
        "\\bibliographystyle",
        "\\input{sections/more} % <u>\n\\bibliographystyle",
    );
    let ran = project.run(&["--assurance", "submission", "--html", "audit.html"]);
    assert_eq!(ran.code, 1);
    let page = fs::read_to_string(project.root.join("audit.html")).expect("page");
    for forbidden in [
        "<script",
        "<img",
        "<u>",
        "<b>89",
        "http://",
        "https://",
        "url(",
        "@import",
        "<link",
        "javascript:",
    ] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    for expected in [
        "&#60;script",
        "uncovered_input",
        "sections/more",
        "prefers-color-scheme: dark",
        "@media print",
        "<caption>",
        "lang=\"en\"",
        ran.report["policy"]["sha256"].as_str().expect("digest"),
    ] {
        assert!(page.contains(expected), "{expected}");
    }
    for finding in ran.report["findings"].as_array().expect("list") {
        assert!(
            page.contains(finding["id"].as_str().expect("id")),
            "{finding}"
        );
    }
}

#[test]
fn every_blocking_finding_says_what_where_and_how_to_clear_it() {
    let project = Project::new();
    project
        .edit("sections/results.tex", "84.7", "89.2")
        .set("PROOF_AUDIT.json", "verdict", "pass")
        .remove("CITATION_AUDIT.json");
    let ran = project.gate();
    let blocking: Vec<&Value> = ran.report["findings"]
        .as_array()
        .expect("list")
        .iter()
        .filter(|finding| finding["severity"] == "block")
        .collect();
    assert!(blocking.len() >= 3);
    for finding in blocking {
        for field in ["message", "fix", "file", "command"] {
            assert!(
                finding[field].as_str().is_some_and(|text| !text.is_empty()),
                "{field} of {finding}"
            );
        }
        assert!(
            ran.stdout
                .contains(finding["message"].as_str().expect("text")),
            "{}",
            ran.stderr
        );
    }
    let last = ran.stdout.lines().last().expect("line");
    assert!(
        last.starts_with("blocked: ") && last.contains("findings under policy sha256:"),
        "{last}"
    );
    let last = Project::new()
        .gate()
        .stdout
        .lines()
        .last()
        .expect("line")
        .to_owned();
    assert!(
        last.starts_with("no blocker found under policy sha256:"),
        "{last}"
    );
}

#[test]
fn the_program_itself_leaves_with_these_codes() {
    // The program has the machine's clock.
    let project = Project::bare();
    for (artifact, skill) in AUDITS {
        project.audit_at(artifact, skill, "2026-11-20T11:00:00Z");
    }
    let gate = |more: &[&str]| {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("verify_paper_audits"));
        command
            .arg("paper")
            .args(more)
            .current_dir(&project.root)
            .output()
            .expect("started")
    };
    let passed = gate(&["--assurance", "submission"]);
    assert_eq!(
        (
            passed.status.code(),
            passed.stdout.is_empty(),
            passed.stderr.len()
        ),
        (Some(0), false, 0),
        "{}",
        String::from_utf8_lossy(&passed.stderr)
    );
    project.edit("main.tex", "gates", "doors");
    let blocked = gate(&["--assurance", "submission", "--json"]);
    assert_eq!(blocked.status.code(), Some(1));
    assert_eq!(
        envelope(&String::from_utf8_lossy(&blocked.stdout))["data"]["result"],
        "blocked"
    );
}
