//! Compares values of a grid with those of Python's yaml. Plain values must be printed alike; spellings of YAML 1.1 must stay as written.
//!
//! Each run prints its seed; `ARIS_SEED` repeats a run.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "a test reads its own settings")]

use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

use aris_testkit::{Helper, Project};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Reads the grid and prints its values as Python prints them in a command.
const PYTHON: &str = "import sys, yaml, json\n\
    values = yaml.safe_load(sys.stdin)['phases'][0]['grid']['N']\n\
    json.dump([str(value) for value in values], sys.stdout)\n";

/// Spellings that YAML 1.1 and 1.2 read differently, or that Python prints differently. They must stay as written or become what Python
/// prints.
fn doubtful() -> impl Strategy<Value = String> {
    prop_oneof![
        "0[0-7]{1,4}",
        "[1-9][0-9]{0,2}_[0-9]{1,3}",
        "[1-9][0-9]?:[0-5][0-9]",
        "(yes|no|on|off|Yes|NO)",
        "\\.[0-9]{1,3}",
        "0x[0-9a-f]{1,4}",
        "[1-9](\\.[0-9]{1,3})?[eE][-+]?[0-9]{1,2}",
        "20[0-9]{2}-1[0-2]-[12][0-9]",
    ]
}

/// Spellings with a single meaning: whole numbers, decimal fractions without a final zero, words, and quoted texts.
fn plain() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?[1-9][0-9]{0,14}",
        "-?[0-9]\\.[0-9]{0,5}[1-9]",
        "[a-zA-Z]{3}[a-zA-Z0-9./_-]{0,8}",
        "(true|false|True|False)",
        "'[a-zA-Z0-9 .:#,{}-]{0,10}'",
        "\"[a-zA-Z0-9 .:#,-]{3,6}(\\\\u00e9|\\\\x41)[0-9]{4}\"",
    ]
}

#[test]
fn a_grid_is_read_as_pyyaml_reads_it() {
    let seed = std::env::var("ARIS_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        u64::from(now.expect("after 1970").subsec_nanos())
    });
    println!("ARIS_SEED={seed}");
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut values = Vec::new();
    for _ in 0..300 {
        let is_plain = plain().new_tree(&mut runner).expect("a value").current();
        let is_doubtful = doubtful().new_tree(&mut runner).expect("a value").current();
        values.extend([(is_plain, true), (is_doubtful, false)]);
    }
    // Ids of jobs are unique also when upper and lower case count as equal.
    let mut seen = BTreeSet::new();
    values.retain(|(value, _)| seen.insert(value.trim_matches(['"', '\'']).trim().to_lowercase()));
    let mut list = String::new();
    for (value, _) in &values {
        list.extend(["        - ", value, "\n"]);
    }
    let grid = format!(
        "project: p\ncwd: .\ngpus: []\nphases:\n  - name: a\n    grid:\n      N:\n{list}    template:\n      id: \"j${{N}}\"\n      cmd: |-\n        run \"${{N}}\"\n"
    );
    let project = Project::bare().file("g.yaml", &grid);
    let python = Helper::at("/usr/bin/env")
        .call(project.path())
        .args(["python3", "-c", PYTHON])
        .stdin(grid)
        .run();
    if python.code() != 0 {
        println!("skipped: there is no python3 with PyYAML");
        return;
    }
    let expected: Vec<String> = serde_json::from_str(python.stdout()).expect("a list");
    let run = Helper::named("build_manifest")
        .call(project.path())
        .args(["--config", "g.yaml", "--output", "m.json"])
        .run();
    assert_eq!(run.code(), 0, "{run}");
    let manifest = project.json("m.json");
    let phases = manifest["phases"].as_array();
    let jobs = phases.map_or(&manifest["jobs"], |phases| &phases[0]["jobs"]);
    let commands: Vec<&str> = jobs
        .as_array()
        .expect("jobs")
        .iter()
        .filter_map(|job| job["cmd"].as_str())
        .collect();
    assert_eq!(
        (commands.len(), expected.len()),
        (values.len(), values.len())
    );
    let mut same = 0;
    for (((written, is_plain), expected), found) in values.iter().zip(&expected).zip(commands) {
        let as_python = found == format!("run \"{expected}\"");
        let as_written = found == format!("run \"{written}\"");
        assert!(
            as_python || (!is_plain && as_written),
            "{written}: Python has {expected}, here it is {found}"
        );
        same += usize::from(as_python);
    }
    println!(
        "{same} of {} as PyYAML has them, the others as they are written",
        values.len()
    );
}
