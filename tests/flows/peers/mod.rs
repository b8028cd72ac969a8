//! Comparisons with other programs on the same bytes. Where a program is missing, its test prints that.

mod bibtex;
mod outputs;
mod trees;

use aris_testkit::{Helper, Run};
use serde_json::Value;

/// Output of a Python script that gets `input` as JSON; `None` without a Python that has the script's imports.
fn python(script: &str, input: &Value) -> Option<Run> {
    let run = Helper::at("/usr/bin/env")
        .call(std::env::temp_dir())
        .args(["python3", "-c", script])
        .stdin(input.to_string())
        .run();
    if run.code() == 0 {
        return Some(run);
    }
    let why = run.stderr().lines().last().unwrap_or("python3 fails");
    assert!(
        why.contains("No module named") || why.contains("python3"),
        "{run}"
    );
    println!("skipped: {why}");
    None
}
