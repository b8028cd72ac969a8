//! What is wrong in a file that a person wrote, with the place and what to do about it.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};

use aris_contract::{ErrorKind, Failure};
use aris_yaml::{Node, Text as Key};
use serde_json::{Map, Value, json};

/// Problems that are told; the others are counted.
pub const SHOWN_PROBLEMS: usize = 20;

/// Problems that are collected before reading stops.
const MOST_PROBLEMS: usize = 1000;

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
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

/// Where something stands in a file, as [`Problem`] has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// From 1; 0 when the whole file is meant.
    pub line: u32,
    /// From 1; 0 when the whole line is meant.
    pub column: u32,
}

impl From<&Node> for Place {
    fn from(node: &Node) -> Self {
        Self {
            line: node.line,
            column: node.column,
        }
    }
}

impl From<&Key> for Place {
    fn from(key: &Key) -> Self {
        Self {
            line: key.line,
            column: key.column,
        }
    }
}

/// A problem at a place.
pub fn problem(place: impl Into<Place>, message: impl Into<String>, hint: Option<&str>) -> Problem {
    let Place { line, column } = place.into();
    Problem {
        line,
        column,
        message: message.into(),
        hint: hint.map(str::to_owned),
    }
}

/// Collects mistakes, so that one reading tells all of them.
#[derive(Debug, Default)]
pub(crate) struct Problems(pub(crate) Vec<Problem>, Vec<Problem>);

impl Problems {
    pub(crate) fn push(&mut self, problem: Problem) {
        if !self.full() && !self.0.contains(&problem) {
            self.0.push(problem);
        }
    }

    pub(crate) fn at(
        &mut self,
        place: impl Into<Place>,
        message: impl Into<String>,
        hint: Option<&str>,
    ) {
        self.push(problem(place, message, hint));
    }

    /// The entries of a map. Of anything else none, and a problem: `must_be` what, in a sentence.
    pub(crate) fn map<'n>(
        &mut self,
        node: &'n Node,
        must_be: impl Display,
        hint: Option<&str>,
    ) -> Option<&'n [(Key, Node)]> {
        if !node.is_map() {
            self.at(node, format!("{must_be}, not {}", node.noun()), hint);
            return None;
        }
        Some(node.entries())
    }

    /// The same for the items of a list.
    pub(crate) fn list<'n>(
        &mut self,
        node: &'n Node,
        must_be: impl Display,
        hint: Option<&str>,
    ) -> Option<&'n [Node]> {
        if !node.is_list() {
            self.at(node, format!("{must_be}, not {}", node.noun()), hint);
            return None;
        }
        Some(node.items())
    }

    /// The value; when there is none, its problem is collected.
    pub(crate) fn collect<T>(&mut self, read: Result<T, Problem>) -> Option<T> {
        read.map_err(|problem| self.push(problem)).ok()
    }

    /// What may be meant as it stands, and is often a slip.
    pub(crate) fn warn(&mut self, node: &Node, message: String) {
        let warning = problem(node, message, None);
        if self.1.len() < SHOWN_PROBLEMS && !self.1.contains(&warning) {
            self.1.push(warning);
        }
    }

    pub(crate) fn take_warnings(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.1)
    }

    pub(crate) fn full(&self) -> bool {
        self.0.len() >= MOST_PROBLEMS
    }
}

/// The problem of a key that nobody knows.
pub(crate) fn unknown_key(what: &dyn Display, key: &Key, known: &[&[&str]]) -> Problem {
    let known = known.iter().flat_map(|keys| keys.iter().copied());
    let hint = nearest(&key.text, known).map_or_else(
        || String::from("remove it, or begin its name with x_ if it is your own"),
        |near| format!("did you mean {near:?}? keys of your own begin with x_"),
    );
    let message = format!("{what} has the unknown key {:?}", key.text);
    problem(key, message, Some(&hint))
}

/// The problem of a name that nothing known has.
pub(crate) fn unknown_name<'a>(
    place: impl Into<Place>,
    noun: &str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> Problem {
    let hint = nearest(name, known).map(|near| format!("did you mean {near:?}?"));
    let message = format!("there is no {noun} {name:?}");
    problem(place, message, hint.as_deref())
}

/// The known name that `name` most likely was meant to be: the same but for its case, else the nearest. **Source**: edit distance up to a
/// third of the length, as in rustc's suggestions.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |known: &str| {
        if known.eq_ignore_ascii_case(name) {
            return 0;
        }
        strsim::osa_distance(name, known)
    };
    known
        .map(|known| (distance(known), known))
        .filter(|(distance, known)| *distance * 3 <= name.len().max(known.len()))
        .min()
        .map(|(_, known)| known)
}

/// A file with at least one mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The file.
    pub path: PathBuf,
    /// At least one, in the order of the file, and at most [`SHOWN_PROBLEMS`].
    pub problems: Vec<Problem>,
    /// How many more there are.
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

impl Display for Problem {
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
