//! What is wrong in a file that a person wrote, with the place and what to do about it.

use std::fmt;
use std::path::{Path, PathBuf};

use aris_contract::{ErrorKind, Failure};
use serde_json::{Map, Value, json};

/// Problems that are collected before reading stops: more do not help anybody.
pub const MOST_PROBLEMS: usize = 20;

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// From 1; 0 when the whole file is meant.
    pub line: u32,
    /// From 1; 0 when the whole line is meant.
    pub column: u32,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

/// A file with at least one mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The file.
    pub path: PathBuf,
    /// At least one, in the order of the file.
    pub problems: Vec<Problem>,
}

impl Invalid {
    /// The problems of the file `path`.
    pub fn new(path: &Path, mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(|problem| (problem.line, problem.column));
        Self {
            path: path.to_path_buf(),
            problems,
        }
    }
}

impl fmt::Display for Problem {
    /// `line:column: message`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => {}
            (line, 0) => write!(out, "{line}:")?,
            (line, column) => write!(out, "{line}:{column}:")?,
        }
        write!(out, " {}", self.message)
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.problems.iter().enumerate() {
            if at > 0 {
                out.write_str("; ")?;
            }
            write!(out, "{}:{problem}", self.path.display())?;
        }
        Ok(())
    }
}

impl std::error::Error for Invalid {}

impl Failure for Invalid {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Validation
    }

    fn hint(&self) -> Option<String> {
        self.problems
            .iter()
            .find_map(|problem| problem.hint.clone())
    }

    fn details(&self) -> Map<String, Value> {
        let problems: Vec<Value> = self
            .problems
            .iter()
            .map(|problem| {
                json!({
                    "line": problem.line,
                    "column": problem.column,
                    "message": problem.message,
                    "hint": problem.hint,
                })
            })
            .collect();
        Map::from_iter([
            (
                String::from("path"),
                Value::from(self.path.display().to_string()),
            ),
            (String::from("problems"), Value::from(problems)),
        ])
    }
}
