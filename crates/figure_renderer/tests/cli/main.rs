//! The program from outside: the gallery, the options, killed and concurrent writers, changes of the file.
#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests prepare files and start processes directly"
)]

mod gallery;
mod lines;
mod options;
mod reference;
mod room;
mod same_bytes;
mod watch;
mod writers;

use std::path::Path;

use aris_testkit::{Helper, Run};

pub(crate) const GOOD: &str = r#"{
  "title": "two",
  "canvas": {"width": 300, "height": 100},
  "nodes": [
    {"id": "a", "label": "A", "x": 70, "y": 50, "width": 80},
    {"id": "b", "label": "B", "x": 230, "y": 50, "width": 80}
  ],
  "edges": [{"from": "a", "to": "b"}]
}"#;

pub(crate) fn call(folder: &Path, args: &[&str]) -> Run {
    Helper::at(env!("CARGO_BIN_EXE_figure_renderer"))
        .call(folder)
        .args(args)
        .run()
}
