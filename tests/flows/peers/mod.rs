//! What programs of others make of the same bytes. Where one of them is not there, its test says so.

mod bibtex;
mod outputs;
mod trees;

use aris_testkit::{Helper, Run};
use serde_json::Value;

/// What a script of Python prints that gets `input` as JSON; nothing when there is no Python with what it imports.
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
