//! Inputs that try to hang, crash or flood the gate, and files that change under it.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{CLAIMS, Project};

/// Far more than any of these tests takes, and far less than a hang.
const PATIENCE: Duration = Duration::from_mins(1);

fn blocks(name: &str, prepare: fn(&Project), expected: &str) {
    let project = Project::new();
    prepare(&project);
    let start = Instant::now();
    let ran = project.gate();
    assert!(
        start.elapsed() < PATIENCE,
        "{name} took {:?}",
        start.elapsed()
    );
    let ids = ran.ids("block");
    assert!(
        ran.code == 1 && ids.iter().any(|id| id == expected),
        "{name}: {ids:?} {}",
        ran.stderr
    );
}

#[test]
fn artifacts_of_every_wrong_kind_end() {
    blocks(
        "huge",
        |p| {
            p.write(
                CLAIMS,
                format!("{}{}", p.read(CLAIMS), " ".repeat(65 << 20)),
            );
        },
        "schema_invalid",
    );
    blocks(
        "deep list",
        |p| {
            p.write(CLAIMS, "[".repeat(2_000_000));
        },
        "schema_invalid",
    );
    blocks(
        "deep details",
        |p| {
            let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
            p.edit(CLAIMS, "\"checked\": 2", &format!("\"checked\": {deep}"));
        },
        "schema_invalid",
    );
    blocks(
        "FIFO",
        |p| {
            p.remove(CLAIMS).fifo(CLAIMS);
        },
        "schema_invalid",
    );
    blocks(
        "folder",
        |p| {
            p.remove(CLAIMS);
            fs::create_dir(p.paper.join(CLAIMS)).expect("folder");
        },
        "schema_invalid",
    );
    blocks(
        "circle",
        |p| {
            p.remove(CLAIMS).link(CLAIMS, CLAIMS);
        },
        "schema_invalid",
    );
    blocks(
        "device",
        |p| {
            p.remove(CLAIMS).link("/dev/zero", CLAIMS);
        },
        "path_escape",
    );
    blocks(
        "dangling",
        |p| {
            p.remove(CLAIMS).link("nothing.json", CLAIMS);
        },
        "missing_artifact",
    );
    blocks(
        "manifest as FIFO",
        |p| {
            fs::create_dir_all(p.paper.join(".aris")).expect("folder");
            p.fifo(".aris/audits.json");
        },
        "manifest_invalid",
    );
    blocks(
        "trace folder of folders in a circle",
        |p| {
            let run = p.run_of(CLAIMS);
            fs::remove_dir_all(&run).expect("remove");
            fs::create_dir(&run).expect("folder");
            std::os::unix::fs::symlink(&run, run.join("001-audit.meta.json")).expect("link");
        },
        "trace_empty",
    );
}

#[test]
fn a_hundred_thousand_recorded_hashes_and_trace_entries_end() {
    let project = Project::new();
    let mut artifact = project.artifact(CLAIMS);
    let hashes = artifact["audited_input_hashes"]
        .as_object_mut()
        .expect("object");
    for number in 0..20_000 {
        // The second kind makes the gate search for other spellings in a folder with many names.
        let folder = if number % 2 == 0 { "gone/" } else { "many/" };
        hashes.insert(
            format!("{folder}{number}.json"),
            Value::from("0".repeat(64)),
        );
    }
    project.put(CLAIMS, &artifact);
    for number in 0..5_000 {
        project.write(&format!("many/{number}"), "");
    }
    let run = project.run_of("PROOF_AUDIT.json");
    for number in 0..30_000 {
        fs::write(run.join(format!("junk-{number}")), "").expect("write");
    }
    let start = Instant::now();
    let ran = project.gate();
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    assert_eq!(ran.ids("block"), ["input_gone"]);
    assert!(ran.stderr.lines().count() < 200, "the table is flooded");
}

#[test]
fn a_flood_of_findings_ends_and_is_counted() {
    let project = Project::new();
    let mut artifact = project.artifact(CLAIMS);
    let hashes = artifact["audited_input_hashes"]
        .as_object_mut()
        .expect("object");
    for number in 0..20_000 {
        hashes.insert(format!("x{number}"), Value::from("no digest"));
    }
    // Each finding quotes its line: once with many lines, once with one very long line.
    for text in [format!("{artifact:#}"), artifact.to_string()] {
        project.write(CLAIMS, text);
        let start = Instant::now();
        let ran = project.gate();
        assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
        assert_eq!(ran.code, 1);
        let findings = ran.report["findings"].as_array().expect("list");
        assert!(findings.len() < 2_000, "{}", findings.len());
        let counted = "19500 more findings of this kind are not listed";
        assert!(findings.iter().any(|finding| finding["message"] == counted));
    }
}

#[test]
fn sources_that_include_themselves_end() {
    let project = Project::new();
    project.edit(
        "sections/intro.tex",
        "Gates",
        "\\input{sections/intro} Gates",
    );
    project
        .edit("sections/results.tex", "Our", "\\def\\x{\\x\\x}\\x Our")
        .seal();
    let start = Instant::now();
    let ran = project.gate();
    assert!(
        start.elapsed() < PATIENCE && matches!(ran.code, 0 | 1),
        "{}",
        ran.stderr
    );
}

#[test]
fn names_that_are_not_utf_8_do_not_matter() {
    use std::os::unix::ffi::OsStrExt as _;
    let project = Project::new();
    for name in [&b"sections/\xff\xfe.tex"[..], b"\xe9.bib", b"sections/\xff"] {
        fs::write(project.paper.join(std::ffi::OsStr::from_bytes(name)), "x").expect("write");
    }
    assert_eq!(project.gate().code, 0);
}

#[test]
fn terminal_escapes_from_an_artifact_reach_no_terminal() {
    let project = Project::new();
    project.set(CLAIMS, "verdict", "\u{1b}[2JPASS\u{202e}").set(
        "PROOF_AUDIT.json",
        "summary",
        "\u{1b}]0;x\u{7}",
    );
    project
        .set("PROOF_AUDIT.json", "verdict", "FAIL")
        .set_hash(CLAIMS, "a\u{1b}[31m\nb", "x");
    let ran = project.gate();
    assert_eq!(ran.code, 1);
    assert!(
        !ran.stderr.contains('\u{1b}') && !ran.stderr.contains('\u{202e}'),
        "{:?}",
        ran.stderr
    );
}

#[test]
fn a_file_swapped_during_the_run_never_passes_as_what_it_is_not() {
    let project = Project::new();
    let (honest, forged) = (
        project.read("sections/results.tex"),
        project.read("sections/results.tex").replace("84.7", "89.2"),
    );
    let recorded = project.hash("sections/results.tex");
    project
        .write("honest.txt", &honest)
        .write("forged.txt", &forged);
    let target = project.paper.join("sections/results.tex");
    let stop = AtomicBool::new(false);
    let mut codes = Vec::new();
    std::thread::scope(|scope| {
        let swapper = scope.spawn(|| {
            let mut swaps = 0_u32;
            while !stop.load(Ordering::Relaxed) {
                let text = if swaps.is_multiple_of(2) {
                    &forged
                } else {
                    &honest
                };
                let temporary = project.paper.join("swap.tmp");
                fs::write(&temporary, text).expect("write");
                fs::rename(&temporary, &target).expect("rename");
                swaps += 1;
                std::thread::yield_now();
            }
            swaps
        });
        for _ in 0..25 {
            let ran = project.gate();
            let judged = ran.report["files"]
                .as_array()
                .expect("files")
                .iter()
                .find(|file| file["path"] == "sections/results.tex")
                .cloned();
            if ran.code == 0 {
                assert_eq!(
                    judged.expect("judged")["sha256"],
                    json!(recorded),
                    "passed with other bytes"
                );
            }
            codes.push(ran.code);
        }
        stop.store(true, Ordering::Relaxed);
        assert!(swapper.join().expect("swapper") > 10);
    });
    fs::write(&target, &forged).expect("write");
    assert_eq!(project.gate().code, 1);
    assert!(codes.iter().all(|code| matches!(code, 0 | 1)), "{codes:?}");
}
