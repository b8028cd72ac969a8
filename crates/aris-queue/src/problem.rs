//! An invalid file of the queue, with its problems.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};

use aris_contract::{ErrorKind, Failure};
use aris_yaml::problem::MOST_PROBLEMS;
pub use aris_yaml::problem::{Place, Problem, SHOWN_PROBLEMS, nearest, problem};
pub(crate) use aris_yaml::problem::{Problems, unknown_name};
use serde_json::{Map, Value, json};

/// A file with at least one mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The file.
    pub path: PathBuf,
    /// At least one and at most [`SHOWN_PROBLEMS`], in the order of the file.
    pub problems: Vec<Problem>,
    /// How many further problems there are.
    pub more: usize,
}

impl Invalid {
    /// The problems of the file `path`.
    pub fn new(path: &Path, mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(|problem| (problem.line, problem.column));
        let more = problems.len().saturating_sub(SHOWN_PROBLEMS);
        problems.truncate(SHOWN_PROBLEMS);
        Self {
            path: path.to_path_buf(),
            problems,
            more,
        }
    }
}

impl Display for Invalid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.problems.iter().enumerate() {
            if at > 0 {
                out.write_str("; ")?;
            }
            write!(out, "{}:{problem}", self.path.display())?;
        }
        match self.more {
            0 => Ok(()),
            more if more + SHOWN_PROBLEMS >= MOST_PROBLEMS => {
                write!(out, "; and at least {more} more mistakes")
            }
            1 => out.write_str("; and 1 more mistake"),
            more => write!(out, "; and {more} more mistakes"),
        }
    }
}

impl std::error::Error for Invalid {}

aris_contract::told!(Invalid);

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
        let path = Value::from(self.path.display().to_string());
        let details = [
            ("path", path),
            ("problems", json!(self.problems)),
            ("more", Value::from(self.more)),
        ];
        Map::from_iter(details.map(|(name, value)| (name.to_owned(), value)))
    }
}
