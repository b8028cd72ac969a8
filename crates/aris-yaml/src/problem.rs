//! Mistakes in a file that a person wrote, each with its place and a hint.

use std::fmt::{self, Display};

use crate::{Node, Text};

/// Most problems that are printed; further ones are only counted.
pub const SHOWN_PROBLEMS: usize = 20;

/// Problems that are collected before reading stops.
pub const MOST_PROBLEMS: usize = 1000;

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    /// Line, from 1; 0 for the whole file.
    pub line: u32,
    /// Column, from 1; 0 for the whole line.
    pub column: u32,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// A place in a file, as in [`Problem`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1; 0 for the whole file.
    pub line: u32,
    /// Column, from 1; 0 for the whole line.
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

impl From<&Text> for Place {
    fn from(text: &Text) -> Self {
        Self {
            line: text.line,
            column: text.column,
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

/// Collects mistakes, so that one run reports all of them.
#[derive(Debug, Default)]
pub struct Problems(
    /// The problems so far.
    pub Vec<Problem>,
    Vec<Problem>,
);

impl Problems {
    /// Adds a problem, unless it is already there or there are too many.
    pub fn push(&mut self, problem: Problem) {
        if !self.full() && !self.0.contains(&problem) {
            self.0.push(problem);
        }
    }

    /// Adds a problem at a place.
    pub fn at(&mut self, place: impl Into<Place>, message: impl Into<String>, hint: Option<&str>) {
        self.push(problem(place, message, hint));
    }

    /// The entries of a map. For any other node returns none and adds a problem; `must_be` says in a sentence what is expected.
    pub fn map<'n>(
        &mut self,
        node: &'n Node,
        must_be: impl Display,
        hint: Option<&str>,
    ) -> Option<&'n [(Text, Node)]> {
        if !node.is_map() {
            self.at(node, format!("{must_be}, not {}", node.noun()), hint);
            return None;
        }
        Some(node.entries())
    }

    /// The same for the items of a list.
    pub fn list<'n>(
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

    /// The value; an error is added to the problems.
    pub fn collect<T>(&mut self, read: Result<T, Problem>) -> Option<T> {
        read.map_err(|problem| self.push(problem)).ok()
    }

    /// Adds a warning: a value that may be intended but is often a mistake.
    pub fn warn(&mut self, node: &Node, message: String) {
        let warning = problem(node, message, None);
        if self.1.len() < SHOWN_PROBLEMS && !self.1.contains(&warning) {
            self.1.push(warning);
        }
    }

    /// Removes and returns the warnings, which are not problems.
    pub fn take_warnings(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.1)
    }

    /// Whether there are so many problems that reading may stop.
    pub fn full(&self) -> bool {
        self.0.len() >= MOST_PROBLEMS
    }
}

/// The problem of an unknown key.
pub fn unknown_key(what: &dyn Display, key: &Text, known: &[&[&str]]) -> Problem {
    let known = known.iter().flat_map(|keys| keys.iter().copied());
    let hint = nearest(&key.text, known).map_or_else(
        || String::from("remove it, or begin its name with x_ if it is your own"),
        |near| format!("did you mean {near:?}? keys of your own begin with x_"),
    );
    let message = format!("{what} has the unknown key {:?}", key.text);
    problem(key, message, Some(&hint))
}

/// The problem of an unknown name.
pub fn unknown_name<'a>(
    place: impl Into<Place>,
    noun: &str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> Problem {
    let hint = nearest(name, known).map(|near| format!("did you mean {near:?}?"));
    let message = format!("there is no {noun} {name:?}");
    problem(place, message, hint.as_deref())
}

/// The known name that `name` most likely means: the same name in another case, else the nearest one. **Source**: edit distance
/// up to a third of the length, as in rustc's suggestions.
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
