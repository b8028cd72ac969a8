#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]
//! Runs the program: on the reference's wikis, on new wikis, and on arXiv's answers.

mod merges;
mod nodes;
mod online;
mod papers;
mod reference;
mod safety;
mod stories;

use std::path::Path;

use aris_testkit::{Helper, Project, Run};

pub(crate) fn helper() -> Helper {
    Helper::at(env!("CARGO_BIN_EXE_research_wiki"))
}

pub(crate) fn call(project: &Project, args: &[&str]) -> Run {
    helper().call(project.path()).args(args).run()
}

/// Runs the program and expects exit code 0.
pub(crate) fn done(project: &Project, args: &[&str]) -> Run {
    call(project, args).expect_code(0)
}

/// A project with a copy of the wiki that the reference wrote.
pub(crate) fn reference() -> Project {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/reference_wiki");
    let mut project = Project::new();
    for folder in ["papers", "ideas", "graph", ""] {
        for entry in std::fs::read_dir(from.join(folder)).expect("fixture") {
            let path = entry.expect("entry").path();
            if path.is_file() {
                let name = path
                    .strip_prefix(&from)
                    .expect("inside")
                    .display()
                    .to_string();
                let text = std::fs::read_to_string(&path).expect("text");
                project = project.file(&format!("wiki/{name}"), text);
            }
        }
    }
    project
}

pub(crate) fn wiki() -> Project {
    let project = Project::new();
    done(&project, &["init", "wiki"]);
    project
}

pub(crate) fn ingest<'a>(title: &'a str, authors: &'a str, year: &'a str) -> Vec<&'a str> {
    vec![
        "ingest_paper",
        "wiki",
        "--title",
        title,
        "--authors",
        authors,
        "--year",
        year,
    ]
}

pub(crate) const HE: &str = "wiki/papers/he2016_deep_residual_learning.md";
