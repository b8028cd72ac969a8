//! Runs the program: flags, states, the report, concurrent runs.
#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests prepare files and start processes directly"
)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

const REPORT: &str = "research-wiki/.wiki-coverage-report.json";

fn write(project: &Path, path: &str, content: impl AsRef<[u8]>) {
    let path = project.join(path);
    fs::create_dir_all(path.parent().expect("folder")).expect("folders");
    fs::write(path, content).expect("file");
}

fn page(project: &Path, name: &str, arxiv: &str) {
    let text = format!(
        "---\ntype: paper\ntitle: \"T\"\nexternal_ids:\n  arxiv: {arxiv}\n  doi: null\n---\n\n# T\n"
    );
    write(project, &format!("research-wiki/papers/{name}.md"), text);
}

/// A project with a wiki of one page, a paper, a plan and a trace.
fn project() -> TempDir {
    let temp = tempfile::tempdir().expect("temp");
    let root = temp.path();
    page(root, "attention", "\"1706.03762\"");
    write(
        root,
        "paper/references.bib",
        "@misc{a,\n  eprint = {1706.03762v5},\n}\n@misc{b,\n  url = {https://arxiv.org/abs/2310.01362},\n}\n",
    );
    write(
        root,
        "PAPER_PLAN.md",
        "# Plan\n\nRead 2401.00001 and data/run/1234567.\n",
    );
    write(
        root,
        ".aris/traces/s/run/001-review.response.md",
        "see arXiv:2310.01362 and arXiv:hep-th/9901001\n",
    );
    temp
}

fn command(project: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_verify_wiki_coverage"));
    command
        .current_dir(project)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn call(project: &Path, args: &[&str]) -> Output {
    command(project, args).output().expect("started")
}

/// The JSON data of a run with `--json`, which must exit with `code`.
fn data(project: &Path, args: &[&str], code: i32) -> Value {
    let output = call(project, &[&["research-wiki/", "--json"], args].concat());
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    serde_json::from_slice::<Value>(&output.stdout).expect("envelope")["data"].clone()
}

fn report(project: &Path) -> Value {
    let text = fs::read(project.join(REPORT)).expect("report");
    serde_json::from_slice(&text).expect("JSON")
}

#[test]
fn the_usual_places_are_compared_with_the_wiki() {
    let temp = project();
    let data = data(temp.path(), &[], 0);
    assert_eq!(
        data["missing_ids"],
        json!(["2310.01362", "2401.00001", "hep-th/9901001"])
    );
    assert_eq!(data["referenced_arxiv_ids"], 4);
    assert_eq!(data["ingested_arxiv_ids"], 1);
    assert_eq!(data["missing_from_wiki"], 3);
    assert_eq!(data["diagnostic_only"], true);
    assert_eq!(data["complete"], true);
    assert_eq!(
        data["scanned_paths"],
        json!([".aris/traces", "paper", "PAPER_PLAN.md"])
    );
    assert_eq!(
        data["missing"][0],
        json!({
            "id": "2310.01362", "announced": true, "mentions": 2,
            "places": [
                {"path": ".aris/traces/s/run/001-review.response.md", "line": 1},
                {"path": "paper/references.bib", "line": 5},
            ],
        })
    );
    assert_eq!(data["missing"][1]["announced"], false);
    assert_eq!(
        data["missing"][1]["places"],
        json!([{"path": "PAPER_PLAN.md", "line": 3}])
    );
    assert_eq!(
        report(temp.path()),
        data,
        "the file holds what --json prints"
    );
}

#[test]
fn people_get_places_and_the_way_to_ingest() {
    let temp = project();
    let output = call(temp.path(), &["research-wiki/"]);
    let text = String::from_utf8(output.stdout).expect("text");
    for wanted in [
        "  missing:    3\n",
        "  2310.01362  .aris/traces/s/run/001-review.response.md:1 and 1 more\n",
        "  2401.00001  PAPER_PLAN.md:3 (a bare number)\n",
        "research_wiki sync research-wiki/ --arxiv-ids 2310.01362,2401.00001,hep-th/9901001\n",
    ] {
        assert!(text.contains(wanted), "{wanted:?} in {text}");
    }
    assert!(output.stderr.is_empty());
}

#[test]
fn strict_leaves_with_ten_for_a_gap_and_for_what_could_not_be_read() {
    let temp = project();
    data(temp.path(), &["--strict"], 10);
    let covered = ["--strict", "--scan", "paper/references.bib"];
    data(temp.path(), &covered, 10);
    page(temp.path(), "other", "2310.01362");
    data(temp.path(), &covered, 0);
    let absent = ["--scan", "absent.md"];
    let output = call(temp.path(), &[&["research-wiki"], &absent[..]].concat());
    assert_eq!(output.status.code(), Some(3));
    let absent = data(temp.path(), &[&covered, &absent[..]].concat(), 10);
    assert_eq!(absent["absent_paths"], json!(["absent.md"]));
    assert_eq!(absent["missing_ids"], json!([]));
    page(temp.path(), "third", "to be found");
    let unclear = data(temp.path(), &covered, 10);
    assert_eq!(unclear["complete"], false);
    assert_eq!(
        unclear["unread"][0]["path"],
        "research-wiki/papers/third.md"
    );
    assert_eq!(unclear["unread"][0]["line"], 5);
}

#[test]
fn scan_is_repeatable_and_a_file_that_two_paths_reach_counts_once() {
    let temp = project();
    let args = [
        "--scan",
        "paper",
        "--scan",
        "paper/references.bib",
        "--scan",
        "PAPER_PLAN.md",
    ];
    let data = data(temp.path(), &args, 0);
    assert_eq!(data["missing_ids"], json!(["2310.01362", "2401.00001"]));
    assert_eq!(data["missing"][0]["mentions"], 1);
    assert_eq!(data["read"]["files"], 2);
}

#[test]
fn bare_numbers_can_be_left_out() {
    let temp = project();
    let data = data(temp.path(), &["--announced"], 0);
    assert_eq!(data["missing_ids"], json!(["2310.01362", "hep-th/9901001"]));
}

#[test]
fn places_are_bounded_and_mentions_counted() {
    let temp = project();
    write(temp.path(), "notes.md", "arXiv:2402.00002\n".repeat(50));
    let data = data(temp.path(), &["--scan", "notes.md", "--places", "2"], 0);
    let missing = &data["missing"][0];
    assert_eq!(missing["mentions"], 50);
    assert_eq!(
        missing["places"],
        json!([{"path": "notes.md", "line": 1}, {"path": "notes.md", "line": 2}])
    );
}

#[test]
fn what_is_no_text_is_left_out_and_said() {
    let temp = project();
    let root = temp.path();
    write(root, "scan/binary", b"\0 arXiv:2402.00001");
    write(root, "scan/paper.pdf", b"%PDF-1.5 arXiv:2402.00002");
    write(root, "scan/wide.txt", b"\xFF\xFEa\0r\0");
    write(root, "scan/.git/packed", "arXiv:2402.00003");
    write(root, "outside.md", "arXiv:2402.00004");
    symlink(root.join("outside.md"), root.join("scan/link")).expect("link");
    symlink(root, root.join("scan/loop")).expect("link");
    write(root, "scan/latin.txt", b"caf\xE9 arXiv:2402.00005");
    let data = data(root, &["--scan", "scan"], 0);
    assert_eq!(data["missing_ids"], json!(["2402.00005"]));
    assert_eq!(data["read"]["binary"], 2);
    assert_eq!(data["read"]["links"], 2);
    assert_eq!(
        data["unread"],
        json!([
            {"path": "scan/link", "why": LINK},
            {"path": "scan/loop", "why": LINK},
            {"path": "scan/wide.txt", "why": "UTF-16 text; save it as UTF-8"},
        ])
    );
    assert_eq!(data["complete"], false);
}

const LINK: &str = "is a link, which is not followed; give what it leads to with --scan, too";

#[test]
fn a_link_counts_as_unread_unless_what_it_leads_to_is_scanned() {
    let temp = project();
    let root = temp.path();
    write(root, "shared/sec/a.tex", "arXiv:2402.00001");
    write(root, "shared/more.bib", "arXiv:2402.00002");
    fs::create_dir_all(root.join("scan")).expect("folder");
    for (target, link) in [
        ("../shared/sec", "scan/sec"),
        ("../shared/more.bib", "scan/more.bib"),
        ("sec/a.tex", "scan/a.tex"),
    ] {
        symlink(target, root.join(link)).expect("link");
    }
    let unread = data(root, &["--scan", "scan", "--strict"], 10)["unread"].clone();
    let paths = ["scan/a.tex", "scan/more.bib", "scan/sec"];
    assert_eq!(
        unread,
        json!(paths.map(|path| json!({"path": path, "why": LINK})))
    );
    let both = data(root, &["--scan", "scan", "--scan", "shared"], 0);
    assert_eq!(both["missing_ids"], json!(["2402.00001", "2402.00002"]));
    assert_eq!(
        (&both["complete"], &both["unread"]),
        (&json!(true), &json!([]))
    );

    symlink("nowhere", root.join("scan/gone.tex")).expect("link");
    let made = Command::new("mkfifo").arg(root.join("scan/f.tex")).status();
    assert!(made.expect("run").success());
    let unread = data(root, &["--scan", "scan", "--scan", "shared"], 0)["unread"].clone();
    assert_eq!(
        unread,
        json!([
            {"path": "scan/f.tex", "why": "is a pipe, a socket or a device"},
            {"path": "scan/gone.tex", "why": "is a link that leads nowhere"},
        ])
    );
}

#[test]
fn a_path_that_was_given_is_followed() {
    let temp = project();
    symlink("paper", temp.path().join("overleaf")).expect("link");
    let data = data(temp.path(), &["--scan", "overleaf"], 0);
    assert_eq!(
        data["missing"][0]["places"][0]["path"],
        "overleaf/references.bib"
    );
}

#[test]
fn what_cannot_exist_is_told_apart() {
    let temp = project();
    write(
        temp.path(),
        "notes.md",
        "arXiv:2413.00001\nhttps://arxiv.org/abs/8912.00001\n9012.0001\narXiv:8901.00001\n",
    );
    let data = data(temp.path(), &["--scan", "notes.md"], 0);
    assert_eq!(data["missing_ids"], json!([]));
    let impossible: Vec<&str> = data["impossible"]
        .as_array()
        .expect("list")
        .iter()
        .map(|entry| entry["id"].as_str().expect("id"))
        .collect();
    assert_eq!(impossible, ["2413.00001", "8901.00001", "8912.00001"]);
    assert_eq!(
        data["impossible"][0]["places"],
        json!([{"path": "notes.md", "line": 1}])
    );
}

#[test]
fn a_file_larger_than_the_buffer_is_read_to_its_end() {
    let temp = project();
    let mut text = "filler 12.5 and 2024/01/02\n".repeat(40_000);
    text.push_str("arXiv:2402.00001");
    write(temp.path(), "big.log", &text);
    let data = data(temp.path(), &["--scan", "big.log"], 0);
    assert_eq!(
        data["missing"][0]["places"],
        json!([{"path": "big.log", "line": 40_001}])
    );
    assert_eq!(data["read"]["bytes"], text.len());
}

#[test]
fn earlier_reports_are_not_evidence() {
    let temp = project();
    data(temp.path(), &["--scan", "."], 0);
    let named = ["--scan", ".", "--json-out", "out/coverage.json"];
    let first = data(temp.path(), &named, 0);
    fs::write(temp.path().join("paper/references.bib"), "").expect("file");
    let second = data(temp.path(), &named, 0);
    assert_eq!(first["missing"][0]["mentions"], 2);
    assert_eq!(second["missing"][0]["mentions"], 1);
}

#[test]
fn only_a_report_is_replaced() {
    let temp = project();
    let root = temp.path();
    let args = ["research-wiki", "--json-out", "PAPER_PLAN.md"];
    let before = fs::read(root.join("PAPER_PLAN.md")).expect("plan");
    let output = call(root, &args);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read(root.join("PAPER_PLAN.md")).expect("plan"), before);
    let theirs = "{\"tool\": \"verify_wiki_coverage.sh\", \"missing_ids\": []}";
    write(root, "theirs.json", theirs);
    assert!(
        call(root, &["research-wiki", "--json-out", "theirs.json"])
            .status
            .success()
    );
    assert!(
        call(root, &["research-wiki", "--json-out", "theirs.json"])
            .status
            .success()
    );
}

#[test]
fn a_wiki_without_pages_and_a_project_without_files_say_so() {
    let temp = tempfile::tempdir().expect("temp");
    fs::create_dir(temp.path().join("research-wiki")).expect("folder");
    let output = call(temp.path(), &["research-wiki"]);
    assert_eq!(output.status.code(), Some(3));
    let left = temp.path().join("research-wiki").read_dir().expect("list");
    assert_eq!(left.count(), 0);
    fs::create_dir(temp.path().join("research-wiki/papers")).expect("folder");
    let output = call(temp.path(), &["research-wiki"]);
    assert_eq!(output.status.code(), Some(0));
    let warnings = String::from_utf8(output.stderr).expect("text");
    assert!(warnings.contains("nothing to scan"), "{warnings}");
    assert_eq!(call(temp.path(), &["absent"]).status.code(), Some(3));
    assert_eq!(call(temp.path(), &[]).status.code(), Some(2));
    assert_eq!(
        call(temp.path(), &["research-wiki", "--unknown"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn many_at_once_leave_one_whole_report() {
    let temp = project();
    let children: Vec<_> = (0..8)
        .map(|_| {
            command(temp.path(), &["research-wiki/", "-q"])
                .spawn()
                .expect("started")
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().expect("ended");
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(report(temp.path())["missing_from_wiki"], 3);
    let left: Vec<_> = fs::read_dir(temp.path().join("research-wiki"))
        .expect("wiki")
        .map(|entry| entry.expect("entry").file_name())
        .collect();
    assert_eq!(left.len(), 2, "{left:?}");
}
