//! Tests of the program `recipe_runner`.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

mod atwork;
mod composition;
mod data;
mod executors;
mod lenses;
mod protocol;
mod resume;
mod scenarios;
mod schema;
mod stories;
mod timeline;
mod values;

use aris_testkit::{Call, Helper, Project};
use serde_json::Value;

const GATES: &str = include_str!("gates.yaml");

fn project() -> Project {
    Project::new().file("gates.yaml", GATES)
}

fn call(project: &Project, words: &[&str]) -> Call {
    Helper::at(env!("CARGO_BIN_EXE_recipe_runner"))
        .call(project.path())
        .args(words)
        .args(["--json"])
}

/// The trace as lines: step, action, route, target, and the number of attempts if there were several.
fn lines(data: &Value) -> Vec<String> {
    let entries = data["trace"].as_array().expect("a trace");
    entries
        .iter()
        .map(|entry| {
            let text = |key: &str| entry[key].as_str().unwrap_or("-").to_owned();
            let attempts = match entry["attempts"].as_u64() {
                Some(2..) => format!(" x{}", entry["attempts"]),
                _ => String::new(),
            };
            let (step, event, edge, target) =
                (text("step"), text("event"), text("edge"), text("target"));
            format!("{step} {event} {edge} {target}{attempts}")
        })
        .collect()
}
