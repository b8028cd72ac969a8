//! The scenarios of the test bed with fake cards: jobs that misbehave, faulty cards, a manager that is killed. Skipped where there is no
//! test bed.
#![cfg(test)]
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests start programs of the test bed directly"
)]

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Groups of scenarios that run in parallel, because they mostly wait.
const SHARES: usize = 4;

/// The test bed's program, and the names of all scenarios.
fn bed() -> Option<(PathBuf, Vec<String>)> {
    let chaos =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testbed/fakegpu/chaos.py");
    if !chaos.is_file() {
        println!("skipped: {} is absent", chaos.display());
        return None;
    }
    let listed = Command::new("python3").arg(&chaos).arg("--list").output();
    let Ok(listed) = listed else {
        println!("skipped: there is no python3");
        return None;
    };
    assert!(listed.status.success(), "{listed:?}");
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let names = listed
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    Some((chaos, names.map(str::to_owned).collect()))
}

/// Failures that may be due to a busy machine: the time between two jobs, and a check three seconds after the start. The test `impossible`
/// checks that the manager says why a query of the cards fails.
const TIMED: [&str; 2] = [
    "median gap between jobs under",
    "says that the GPU query failed",
];

/// Whether a scenario failed only in its timing.
fn only_slow(line: &str) -> bool {
    let row: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
    let missed = row["missed"].as_array().map_or(&[][..], Vec::as_slice);
    let timed = |missed: &serde_json::Value| {
        let missed = missed.as_str().unwrap_or_default();
        TIMED.iter().any(|words| missed.starts_with(words))
    };
    !missed.is_empty() && missed.iter().all(timed)
}

/// Runs every fourth scenario, starting with `first`.
fn share(first: usize) {
    let Some((chaos, names)) = bed() else {
        return;
    };
    assert!(names.len() >= 47, "{names:?}");
    let own: Vec<&str> = names
        .iter()
        .skip(first)
        .step_by(SHARES)
        .map(String::as_str)
        .collect();
    let manager = format!(
        "'{}' --manifest {{manifest}} --state {{state}} --log-dir {{logs}} --poll {{poll}}",
        env!("CARGO_BIN_EXE_queue_manager")
    );
    let folder = tempfile::tempdir().expect("temp");
    let done = Command::new("python3")
        .arg(&chaos)
        // The times in the scenarios are for an idle machine.
        .args(["--scale", "3", "--manager", &manager, "--only"])
        .arg(own.join(","))
        .env("TMPDIR", folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("run");
    let said = String::from_utf8_lossy(&done.stdout);
    let (slow, wrong): (Vec<&str>, Vec<&str>) = said
        .lines()
        .filter(|line| !line.contains("\"verdict\": \"pass\""))
        .partition(|line| only_slow(line));
    for line in &slow {
        println!("slower than on an idle machine: {line}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(done.status.success() || !slow.is_empty(), "{done:?}");
    assert_eq!(said.lines().count(), own.len(), "{said}");
}

#[test]
fn chaos_first_share() {
    share(0);
}

#[test]
fn chaos_second_share() {
    share(1);
}

#[test]
fn chaos_third_share() {
    share(2);
}

#[test]
fn chaos_fourth_share() {
    share(3);
}
