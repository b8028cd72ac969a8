//! The gate's outputs, their paths, and the exit codes.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Command, Stdio};

use aris_contract::schema::id;
use aris_testkit::assert_valid;
use jiff::Timestamp;
use serde_json::{Value, json};
use verify_paper_audits::{PREDICATE_SCHEMA, SCHEMA};

use crate::support::{AUDITS, CLAIMS, Damage, Project, Review, call, call_at};

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
        // The envelope contains the whole report, and is a success envelope even if the gate blocks.
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
fn a_step_says_how_many_findings_it_clears() {
    let project = Project::new();
    project.edit("main.tex", "gates", "doors");
    project.edit("sections/results.tex", "84.7", "84.8");
    let ran = project.gate();
    let steps = ran.report["steps"].as_array().expect("list");
    let texts = steps.iter().filter_map(|step| step["text"].as_str());
    let texts: Vec<&str> = texts.collect();
    assert!(texts.contains(&"clears 2 findings"), "{texts:?}");
}

#[test]
fn the_older_issue_strings_stay() {
    let cases: [(Damage, &str); 11] = [
        (
            |p| {
                let failed = Review {
                    answer: b"VERDICT: FAIL",
                    ..Review::default()
                };
                p.rests_on(&failed, "PASS");
            },
            "verdict_contradicted:FAIL",
        ),
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
                fs::create_dir_all(p.root.join("paper/f")).expect("folder");
                p.set(CLAIMS, "trace_path", "f");
            },
            "trace_path_empty:f",
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
    let cases: [(&[&str], u8, &str); 11] = [
        (&["nowhere"], 3, "does not exist"),
        (&["paper/main.tex"], 4, "is a file, not a folder"),
        (
            &["paper", "--assurance", "Submission"],
            2,
            "not an assurance level",
        ),
        (&["paper", "--no-such-flag"], 2, "unexpected argument"),
        (&["paper", "--sign-key", "key"], 2, "--attest"),
        (
            &["paper", "--attest", "signed.json", "--sign-key", "none"],
            3,
            "none does not exist",
        ),
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
        if code > 2 {
            let path = envelope["error"]["details"]["path"].as_str().expect("path");
            assert!(path.ends_with(args[args.len() - 2]), "{args:?}: {path}");
        }
    }
    assert!(
        !project.paper.join(REPORT).exists(),
        "an error wrote a report"
    );
    for word in ["strict", "", "draft submission"] {
        project.write(".aris/assurance.txt", word);
        let ran = call(&project.root, &["paper"], &[]);
        assert_eq!(ran.code, 4, "{word:?}");
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
    project.write("../notes.md", "mine").fifo("pipe");
    for (args, what) in [
        (vec!["--html", "notes.md"], "did not write"),
        (vec!["--json-out", "notes.md"], "did not write"),
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
    let piped = call(&project.root, &["paper", "--html", "paper/pipe"], &[]);
    assert_eq!(piped.code, 4, "{}", piped.stderr);
    let kind = fs::symlink_metadata(project.paper.join("pipe"))
        .expect("pipe")
        .file_type();
    assert!(!kind.is_file());
    // The default path belongs to the program, so a foreign file there is replaced.
    project.remove("pipe").write(REPORT, "mine");
    assert_eq!(project.gate().code, 0);
    // With --output the report may go anywhere, whatever is at the default path.
    let inside = Project::new();
    inside.write("../notes.md", "mine").write(".aris/x", "");
    inside.link("../../notes.md", REPORT);
    let ran = inside.gate();
    assert!(
        ran.code == 2 && ran.stderr.contains("leads out of the paper"),
        "{}",
        ran.stderr
    );
    assert_eq!(inside.read("../notes.md"), "mine");
    let named = inside.run(&["--assurance", "submission", "--json-out", "report.json"]);
    assert_eq!(named.code, 0, "{}", named.stderr);
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
    // The traces contain the project's path, so their digests, and only those, differ between two places.
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
    assert!(
        !refused.stderr.contains("gave no signature"),
        "{}",
        refused.stderr
    );
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
        .set(CLAIMS, "trace_path", "nowhere")
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
    // The program uses the machine's clock.
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

/// A paper in which one audit found a fault, which another audit has not seen, and which changed after the third.
fn wrong() -> Project {
    let project = Project::new();
    project.says(CLAIMS, "FAIL").remove("PROOF_AUDIT.json");
    let entry = |line: usize| {
        json!({"id": "number", "severity": "fail", "file": "sections/results.tex", "line": line, "quote": "84.7",
            "message": format!("number {line} is wrong"), "action": "correct it"})
    };
    let rounded = json!({"severity": "warn", "message": "a rounded number"});
    let remark = json!({"severity": "note", "message": "a remark"});
    let entries: Vec<Value> = (1..=10).map(entry).chain([rounded, remark]).collect();
    project.set(CLAIMS, "details", json!({"findings": entries}));
    project.edit("refs.bib", "1984}\n", "1985}\n");
    project
}

/// A paper whose claim audit depends on a record that does not say which bytes were reviewed.
fn doubtful() -> Project {
    let project = Project::new();
    let review = Review {
        older: true,
        thread: "t-old",
        new_run: true,
        ..Review::default()
    };
    project.rests_on(&review, "PASS");
    project
}

/// The output, without the parts that differ from run to run.
fn printed(project: &Project, args: &[&str]) -> String {
    let root = project.root.display().to_string();
    let out = project.run(args).stdout.replace(&root, "/p");
    let (before, _) = out.split_once("policy sha256:").expect("a policy");
    format!("{before}policy\n")
}

#[test]
fn the_table_says_what_blocks_why_and_what_to_do() {
    let submission = ["--assurance", "submission"];
    assert_eq!(
        printed(&Project::bare(), &[]),
        "\
audits of /p/paper (draft, root document main.tex)

     audit              status            verdict  findings
  ·  proof-checker      MISSING_DRAFT_OK  –        –
  ·  paper-claim-audit  MISSING_DRAFT_OK  –        –
  ·  citation-audit     MISSING_DRAFT_OK  –        –
  ·  kill-argument      MISSING_DRAFT_OK  –        –

what to do, in this order
  1. verify_paper_audits prompt /p/paper --audit proof-checker  not run yet
  2. paper_claim_audit /p/paper  not run yet
  3. citation_audit /p/paper  not run yet
  4. verify_paper_audits /p/paper --assurance draft

draft: 3 mandatory audits not run yet, no other blocker found under policy
"
    );
    assert_eq!(
        printed(&doubtful(), &submission),
        "\
audits of /p/paper (submission, root document main.tex)

     audit              status            verdict  findings
  ✓  proof-checker      OK                PASS     –
  !  paper-claim-audit  OK                PASS     1 warn
  ✓  citation-audit     OK                PASS     –
  ·  kill-argument      MISSING_DRAFT_OK  –        –

doubtful
  ! PAPER_CLAIM_AUDIT.json:10:5  input_not_reviewed (paper-claim-audit)
      record 001-audit does not say which bytes were reviewed
      fix: repeat the review on the paper as it is, and give save_trace the files with --files

no blocker found under policy
"
    );
    let reported: Vec<String> = (1..=8)
        .map(|line| format!("        sections/results.tex:{line}  number {line} is wrong\n"))
        .collect();
    let reported = reported.concat();
    assert_eq!(
        printed(&wrong(), &submission),
        format!("\
audits of /p/paper (submission, root document main.tex)

     audit              status            verdict  findings
  ✗  proof-checker      MISSING           –        1 block
  ✗  paper-claim-audit  BLOCKING_VERDICT  FAIL     1 block
  ✗  citation-audit     STALE             PASS     1 block
  ·  kill-argument      MISSING_DRAFT_OK  –        –

blocks the submission
  ✗ PROOF_AUDIT.json  missing_artifact (proof-checker)
      PROOF_AUDIT.json is not there: proof-checker has not been run
  ✗ PAPER_CLAIM_AUDIT.json:3:3  blocking_verdict (paper-claim-audit)
      the audit says FAIL: nothing is wrong
{reported}        … and 2 more in PAPER_CLAIM_AUDIT.json
  ✗ refs.bib  stale_input (citation-audit)
      refs.bib changed after the audit

what to do, in this order
  1. repair sections/results.tex:1: number 1 is wrong, and 9 more in PAPER_CLAIM_AUDIT.json
  2. verify_paper_audits prompt /p/paper --audit proof-checker  prints the prompt for a reviewer, whose answer clears 1 finding; standard error names the two commands to call next
  3. paper_claim_audit /p/paper  clears 1 finding
  4. citation_audit /p/paper  clears 1 finding
  5. verify_paper_audits /p/paper --assurance submission

blocked: 3 findings under policy
")
    );
    let draft = printed(&wrong(), &[]);
    let end =
        "draft: 2 findings would block a submission, 1 mandatory audit not run yet, under policy\n";
    assert!(draft.ends_with(end), "{draft}");
    // A .bbl file does not replace a figure.
    let project = Project::new();
    let figure = "\\includegraphics{none}\n\\end{document}";
    project
        .write("main.bbl", "")
        .edit("main.tex", "\\end{document}", figure);
    let table = printed(&project, &[]);
    assert!(
        table.contains("also found, not blocking: include_missing;"),
        "{table}"
    );
    // More findings than fit on a screen.
    let asking = |count: usize| {
        let project = Project::new();
        let asks: Vec<String> = (0..count)
            .map(|at| format!("\\input{{\\gone{{{at}}}}}\n"))
            .collect();
        let asks = format!("{}\\input{{missing}}\n\\end{{document}}", asks.concat());
        project.edit("main.tex", "\\end{document}", &asks).seal();
        (printed(&project, &submission), project)
    };
    let (full, _) = asking(25);
    assert!(!full.contains("more in the report"), "{full}");
    assert!(full.contains("\n  26. verify_paper_audits "), "{full}");
    assert_eq!(full.matches("\n      fix: ").count(), 25, "{full}");
    let (long, project) = asking(27);
    let (table, steps) = long.split_once("what to do, in this order").expect("steps");
    assert_eq!(
        table.matches("  include_unresolved\n").count(),
        25,
        "{long}"
    );
    assert!(table.contains("\n  … and 2 more in the report\n"), "{long}");
    assert!(
        table.contains("\nalso found, not blocking: include_missing; the report has the details\n"),
        "{long}"
    );
    let missing = project.artifact(REPORT)["findings"]
        .as_array()
        .expect("list")
        .iter()
        .find(|finding| finding["id"] == "include_missing")
        .map(|finding| finding["message"].clone());
    assert_eq!(
        missing,
        Some(json!("source missing is not in the paper directory"))
    );
    assert!(
        steps.contains("\n  25. ") && !steps.contains("\n  26. "),
        "{long}"
    );
    assert!(steps.contains("\n  … and 2 more in the report\n"), "{long}");
}

#[test]
fn the_table_quotes_the_reasons_for_a_verdict_and_no_remark() {
    let submission = ["--assurance", "submission"];
    let project = Project::new();
    project.says(CLAIMS, "FAIL");
    let reason = |line: usize| {
        let file = if line == 8 { "" } else { "main.tex" };
        json!({"severity": "fail", "file": file, "line": line, "message": format!("reason {line}")})
    };
    let remarks = (0..300).map(|at| json!({"severity": "note", "message": format!("remark {at}")}));
    let entries: Vec<Value> = (1..=8).map(reason).chain(remarks).collect();
    project.set(CLAIMS, "details", json!({"findings": entries}));
    project.edit("sections/results.tex", "84.7", "84.8");
    let table = printed(&project, &submission);
    let (quoted, steps) = table
        .split_once("what to do, in this order")
        .expect("steps");
    assert_eq!(quoted.matches("reason ").count(), 8, "{table}");
    assert!(quoted.contains("\n        reason 8\n"), "{table}");
    assert!(!quoted.contains(" more in "), "{table}");
    assert!(
        steps.contains("repair main.tex:1: reason 1, and 7 more in PAPER_CLAIM_AUDIT.json\n"),
        "{table}"
    );
    // An audit without a reason.
    project.set(CLAIMS, "summary", "");
    let table = printed(&project, &submission);
    assert!(table.contains("the audit says FAIL\n"), "{table}");
    // A finding without a file, and one that no command clears.
    let project = Project::new();
    project.write("claims.toml", "version = ");
    let table = printed(&project, &submission);
    assert!(
        table.contains("\n  ✗ the paper  include_unresolved\n"),
        "{table}"
    );
    let project = Project::new();
    project
        .edit("sections/intro.tex", "knuth1984", "knuth1985")
        .seal();
    let table = printed(&project, &submission);
    let fix = "\n      fix: correct the entry or the citation; ";
    assert!(table.contains(fix), "{table}");
    let error = "the files show an error: sections/intro.tex:2:";
    assert!(table.contains(error), "{table}");
}

/// A project, the arguments, texts that the page contains, and texts that it does not contain.
type Case<'a> = (Project, &'a [&'a str], &'a [&'a str], &'a [&'a str]);

#[test]
fn the_page_says_what_the_report_says() {
    let page = |project: &Project, args: &[&str]| {
        let ran = project.run(&[args, &["--html", "audit.html"]].concat());
        assert!(ran.code < 2, "{}", ran.stderr);
        let page = fs::read_to_string(project.root.join("audit.html")).expect("page");
        page.replace(&project.root.display().to_string(), "/p")
    };
    let submission = ["--assurance", "submission"];
    let many = Project::bare();
    let asks: Vec<String> = (0..203)
        .map(|at| format!("\\input{{\\gone{{{at}}}}}\n"))
        .collect();
    many.edit(
        "main.tex",
        "\\end{document}",
        &format!("{}\\end{{document}}", asks.concat()),
    );
    let flooded = wrong();
    let entry = flooded.artifact(CLAIMS)["details"]["findings"][0].clone();
    flooded.set(CLAIMS, "details", json!({"findings": vec![entry; 205]}));
    let partly = Project::new();
    partly.remove("PROOF_AUDIT.json");
    let cases: [Case<'_>; 8] = [
        (
            flooded,
            &submission,
            &[
                "<p class=\"more\">5 more are in the artifact.</p>",
                "number 1 is wrong, and 204 more in PAPER_CLAIM_AUDIT.json",
            ],
            &[],
        ),
        (
            partly,
            &[],
            &[
                "<h1>Draft with 1 audit still to run</h1>",
                "nothing in the audits that were run",
            ],
            &["No audit has been run"],
        ),
        (
            Project::bare(),
            &[],
            &[
                "<body class=\"tone-warn\">",
                "for <b>project/paper</b>",
                "<h1>Draft with 3 audits still to run</h1>",
                "No audit has been run, so that nothing is known",
                "2090-11-20 12:00 UTC",
                "<tr class=\"tone-none\">",
                "·</span>not run yet<",
                "·</span>optional, not run<",
                "data-label=\"Files\" class=\"num blank\"><span>–<",
                "<code>verify_paper_audits prompt /p/paper --audit proof-checker</code><span>not run yet</span>",
                "<th scope=\"row\">main.tex</th><td data-label=\"Role\"><span>source</span>",
            ],
            &["What the audit itself reports", "The paper as a whole"],
        ),
        (
            Project::new(),
            &submission,
            &[
                "<body class=\"tone-ok\">",
                "<h1>No blocker found</h1>",
                "none gave a reason not to submit",
                "<tr class=\"tone-ok\">",
                "✓</span>in order<",
                "data-label=\"Files\" class=\"num\"><span>4<",
                "<span>input, source</span>",
                "Run again with <code>verify_paper_audits /p/paper",
            ],
            &["What to do", "of-proof-checker"],
        ),
        (
            doubtful(),
            &submission,
            &[
                "<body class=\"tone-warn\">",
                "<h1>No blocker found, with warnings</h1>",
                "<tr class=\"tone-warn\">",
                "!</span>in order, with warnings<",
                "<a href=\"#of-paper-claim-audit\">1\u{a0}doubtful</a>",
                "<h2 id=\"of-paper-claim-audit\">paper-claim-audit</h2><p>1\u{a0}doubtful</p>",
                "<p class=\"said\">“nothing is wrong”</p>",
                "<article class=\"finding tone-warn\">",
                "<span class=\"badge\">Doubtful</span>",
                "<h3>Record 001-audit does not say",
            ],
            &["of-proof-checker"],
        ),
        (
            wrong(),
            &submission,
            &[
                "<body class=\"tone-block\">",
                "<h1>Blocked by 3 findings</h1>",
                "The audits do not carry this paper as it stands.",
                "<tr class=\"tone-block\">",
                "✕</span>missing<",
                "✕</span>blocking verdict<",
                "✕</span>stale<",
                "<article class=\"finding tone-block\">",
                "<span class=\"badge\">Blocks</span>",
                "<dd>sha256:cdab45de328f148b…</dd>",
                "<dd>all_fine</dd>",
                "<li class=\"tone-block\">\n      <div class=\"tags\"><span class=\"badge\">fail</span>",
                "<li class=\"tone-warn\">\n      <div class=\"tags\"><span class=\"badge\">warn</span>",
                "<li class=\"tone-info\">\n      <div class=\"tags\"><span class=\"badge\">note</span>",
                "<p>Number 10 is wrong.</p><p class=\"src\">84.7</p><p class=\"do\">Correct it.</p>",
            ],
            // The finding quotes the summary already, so it is not repeated.
            &[
                "id=\"of-paper-claim-audit\">paper-claim-audit</h2><p>1\u{a0}blocking</p></div>\n  <p class=\"said\">",
                "more are in",
            ],
        ),
        (
            wrong(),
            &[],
            &[
                "<h1>Draft with 2 blockers</h1>",
                "The blockers below would block a submission",
            ],
            &[],
        ),
        (
            many,
            &[],
            &[
                "<h2 id=\"of-paper\">The paper as a whole</h2><p>203\u{a0}blocking</p>",
                "<p class=\"more\">3 more are in the JSON report.</p>",
            ],
            &[],
        ),
    ];
    for (project, args, parts, absent) in cases {
        let page = page(&project, args);
        for part in parts {
            assert!(page.contains(part), "no {part} in {page}");
        }
        for part in absent {
            assert!(!page.contains(part), "{part} in {page}");
        }
    }
}

/// Makes the claim audit depend on a prompt that names no file.
fn shows_nothing(p: &Project) {
    let review = Review {
        files: &[],
        prompt: "Audit it.",
        ..Review::default()
    };
    p.rests_on(&review, "PASS");
}

#[test]
fn what_an_audit_did_not_see_is_named_with_what_to_do() {
    let again = "run the audit again on the paper as it is now";
    let cases: [(Damage, &str, &str); 7] = [
        (
            shows_nothing,
            "does not name ../results/run_1.json, main.tex, sections/intro.tex, sections/results.tex: nothing",
            "",
        ),
        (
            |p| {
                shows_nothing(p);
                for name in ["a.json", "b.json", "c.json"] {
                    p.write(name, "{}").set_hash(CLAIMS, name, p.hash(name));
                }
            },
            "does not name ../results/run_1.json, a.json, b.json, c.json, main.tex and 2 more: nothing",
            "",
        ),
        (
            |p| {
                let failed = Review {
                    status: "error",
                    ..Review::default()
                };
                p.rests_on(&failed, "PASS");
            },
            "has the status \"error\", not ok",
            "",
        ),
        (
            |p| {
                p.write("../results/run_2.json", "{\"accuracy\": 0.612}");
            },
            "data file ../results/run_2.json was not seen by paper-claim-audit",
            "run the audit again; what is no result is named in `exclude` of claims.toml",
        ),
        (
            |p| {
                p.edit(
                    "main.tex",
                    "\\end{document}",
                    "We reach 99.9.\n\\end{document}",
                )
                .seal();
                let inputs = ["sections/results.tex", "../results/run_1.json"];
                p.audit(CLAIMS, "paper-claim-audit", &inputs);
            },
            "the root document main.tex was not seen by paper-claim-audit",
            again,
        ),
        (
            |p| {
                p.audit(
                    CLAIMS,
                    "paper-claim-audit",
                    &["main.tex", "../results/run_1.json"],
                );
            },
            "source sections/results.tex is included at main.tex:6 and was not seen by paper-claim-audit",
            again,
        ),
        (
            |p| {
                p.remove("../results/run_1.json")
                    .fifo("../results/run_1.json");
            },
            "../results/run_1.json cannot be judged: it is a FIFO, not a regular file",
            "",
        ),
    ];
    for (damage, message, fix) in cases {
        let project = Project::new();
        damage(&project);
        let ran = project.gate();
        let findings = ran.report["findings"].as_array().expect("list");
        let is_it = |finding: &&Value| {
            let says = |field: &str, text: &str| {
                finding[field].as_str().is_some_and(|it| it.contains(text))
            };
            says("message", message) && says("fix", fix)
        };
        assert!(
            findings.iter().any(|finding| is_it(&finding)),
            "{message}: {findings:#?}"
        );
    }
    // A result that no audit hashed is not read either; a figure is.
    let project = Project::new();
    project
        .write("../results/run_2.json", "{\"accuracy\": 0.612}")
        .write("plot.pdf", "%PDF")
        .edit(
            "main.tex",
            "\\end{document}",
            "\\includegraphics{plot}\n\\end{document}",
        );
    let report = project.gate().report;
    let files = report["files"].as_array().expect("list");
    let judged = |path: &str| files.iter().any(|file| file["path"] == path);
    assert!(judged("main.tex") && judged("plot.pdf") && !judged("../results/run_2.json"));
    // An audit that says that it could not look at anything gets no further findings.
    let project = Project::new();
    project
        .audit(CLAIMS, "paper-claim-audit", &["../results/run_1.json"])
        .says(CLAIMS, "BLOCKED");
    assert_eq!(project.gate().ids("block"), ["blocking_verdict"]);
}

#[test]
fn a_source_in_a_folder_that_the_policy_allows_is_read() {
    let project = Project::new();
    let shared = project.root.parent().expect("above").join("shared");
    project.write("../../shared/macros.tex", "\\newcommand{\\R}{\\mathbb{R}}");
    project.link(shared.join("macros.tex"), "macros.tex");
    project
        .edit(
            "main.tex",
            "\\begin{document}",
            "\\input{macros}\n\\begin{document}",
        )
        .seal();
    let policy = json!({"schema": id::POLICY, "allowed_roots": [shared]});
    project.put("../policy.json", &policy);
    let asked = ["--assurance", "submission", "--policy", "policy.json"];
    assert_eq!(project.gate().ids("block"), ["include_unresolved"]);
    let ran = project.run(&asked);
    assert_eq!(ran.ids("block"), [""; 0], "{}", ran.stdout);
    assert!(ran.ids("warn").contains(&String::from("policy_weakened")));
}

#[test]
fn a_statement_is_held_against_the_files() {
    let project = doubtful();
    let args = ["paper", "--assurance", "submission", "--attest", "s.json"];
    assert_eq!(call(&project.root, &args, &[]).code, 0);
    let path = project.root.join("s.json");
    let statement: Value =
        serde_json::from_slice(&fs::read(&path).expect("statement")).expect("json");
    let named = [&statement["subject"], &statement["predicate"]["inputs"]];
    let named = named.iter().flat_map(|list| list.as_array().expect("list"));
    let named: std::collections::BTreeSet<&str> =
        named.filter_map(|file| file["name"].as_str()).collect();
    let said = |files: usize, rest: &str| {
        format!(
            "{} (submission), 2090-11-20T12:00:00Z: {}",
            statement["predicate"]["result"].as_str().expect("result"),
            rest.replace("FILES", &files.to_string())
        )
    };
    let check = |more: &[&str]| {
        call(
            &project.root,
            &[&["check-statement", "s.json", "paper"], more].concat(),
            &[],
        )
    };
    let put = |change: &dyn Fn(&mut Value)| {
        let mut other = statement.clone();
        change(&mut other);
        fs::write(&path, other.to_string()).expect("write");
    };
    let fine = check(&[]);
    let end = said(named.len(), "not signed\nFILES files unchanged, 0 changed");
    assert_eq!(
        (fine.code, fine.stdout),
        (
            0,
            format!("the gate found: input_not_reviewed (warn)\n{end}\n")
        )
    );
    let unsigned = check(&["--allowed-signers", "paper/main.tex", "--signer", "me"]);
    assert!(
        unsigned.code == 10 && unsigned.stdout.contains(": there is no signature\n"),
        "{}",
        unsigned.stdout
    );
    // A file that a run wrote, and a file that does not exist here.
    let digest = project.hash("../results/run_1.json").replace("sha256:", "");
    put(&|statement| {
        let gone: Vec<Value> = (0..22)
            .map(|at| json!({"name": format!("gone{at}.csv"), "digest": {"sha256": "0"}}))
            .collect();
        statement["predicate"]["runs"] = json!([{
            "buildDefinition": {"resolvedDependencies": gone},
            "runDetails": {"byproducts": [{"name": "results/run_1.json", "digest": {"sha256": digest}}, {"name": "patch", "digest": {"sha256": "0"}}]},
        }]);
        statement["predicate"]["resolvedDependencies"] = json!([{"name": "run/one", "digest": {"sha256": "00"}}, {"name": "patch", "digest": {"sha256": "00"}}, {"name": "git", "digest": {"gitCommit": "00"}}]);
    });
    let ran = check(&[]);
    let end = said(
        named.len() + 1,
        "not signed\nFILES files unchanged, 0 changed; 1 of them written by 1 recorded run",
    );
    assert!(
        ran.code == 0 && ran.stdout.ends_with(&format!("{end}\n")),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout
            .contains("\nnot here, and not compared: gone0.csv, ")
            || ran
                .stdout
                .starts_with("not here, and not compared: gone0.csv, "),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains(", and 4 more\n"), "{}", ran.stdout);
    // Files that differ from the statement.
    project
        .edit("sections/results.tex", "84.7", "89.2")
        .remove("refs.bib");
    put(&|statement| {
        let twice = json!({"name": "main.tex", "digest": {"sha256": "0"}});
        statement["predicate"]["inputs"]
            .as_array_mut()
            .expect("list")
            .push(twice);
        statement["predicate"]["runs"] = json!([{"runDetails": {"byproducts": [{"name": "results/run_1.json", "digest": {"sha256": "0"}}]}}]);
    });
    let ran = check(&[]);
    let found = project.hash("sections/results.tex");
    let found = found.get(7..19).expect("a digest");
    for line in [
        "refs.bib: differs: it is not here\n",
        "main.tex: differs: the statement names it with two digests\n",
        &format!(
            "sections/results.tex: differs: its content has changed: {found} instead of 30e5bc404aa3\n"
        ),
        &format!(
            "results/run_1.json: differs: its content has changed: {} instead of 0\n",
            digest.get(..12).expect("a digest")
        ),
        &said(
            named.len() - 2,
            "not signed\nFILES files unchanged, 4 changed; 0 of them written by 1 recorded run",
        ),
    ] {
        assert!(
            ran.code == 10 && ran.stdout.contains(line),
            "{line}: {}",
            ran.stdout
        );
    }
    // Not a statement of the gate.
    for (field, what) in [("_type", "it is a x of tag:"), ("predicateType", "of x")] {
        put(&|statement| statement[field] = json!("x"));
        let ran = check(&[]);
        assert!(ran.code == 4 && ran.stderr.contains(what), "{}", ran.stderr);
    }
    put(&|statement| {
        statement["subject"] = json!([]);
        statement["predicate"]["inputs"] = json!([]);
    });
    assert!(check(&[]).stderr.contains("it names no file"));
    fs::remove_file(&path).expect("remove");
    assert_eq!(check(&[]).code, 3);
}
