//! What is wrong in a file that a person wrote, with the place and what to do about it.

use std::fmt::{self, Display};

use crate::{Node, Text};

/// Problems that are told; the others are counted.
pub const SHOWN_PROBLEMS: usize = 20;

/// Problems that are collected before reading stops.
pub const MOST_PROBLEMS: usize = 1000;

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

/// Collects mistakes, so that one reading tells all of them.
#[derive(Debug, Default)]
pub struct Problems(
    /// So far.
    pub Vec<Problem>,
    Vec<Problem>,
);

impl Problems {
    /// Adds one, unless it is there already or there are too many.
    pub fn push(&mut self, problem: Problem) {
        if !self.full() && !self.0.contains(&problem) {
            self.0.push(problem);
        }
    }

    /// Adds a problem at a place.
    pub fn at(&mut self, place: impl Into<Place>, message: impl Into<String>, hint: Option<&str>) {
        self.push(problem(place, message, hint));
    }

    /// The entries of a map. Of anything else none, and a problem: `must_be` what, in a sentence.
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

    /// The value; when there is none, its problem is collected.
    pub fn collect<T>(&mut self, read: Result<T, Problem>) -> Option<T> {
        read.map_err(|problem| self.push(problem)).ok()
    }

    /// What may be meant as it stands, and is often a slip.
    pub fn warn(&mut self, node: &Node, message: String) {
        let warning = problem(node, message, None);
        if self.1.len() < SHOWN_PROBLEMS && !self.1.contains(&warning) {
            self.1.push(warning);
        }
    }

    /// The warnings, which are no problems.
    pub fn take_warnings(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.1)
    }

    /// Whether so many are there that reading may stop.
    pub fn full(&self) -> bool {
        self.0.len() >= MOST_PROBLEMS
    }
}

/// The problem of a key that nobody knows.
pub fn unknown_key(what: &dyn Display, key: &Text, known: &[&[&str]]) -> Problem {
    let known = known.iter().flat_map(|keys| keys.iter().copied());
    let hint = nearest(&key.text, known).map_or_else(
        || String::from("remove it, or begin its name with x_ if it is your own"),
        |near| format!("did you mean {near:?}? keys of your own begin with x_"),
    );
    let message = format!("{what} has the unknown key {:?}", key.text);
    problem(key, message, Some(&hint))
}

/// The problem of a name that nothing known has.
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
