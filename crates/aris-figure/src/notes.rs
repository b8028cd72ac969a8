//! Problems while they are collected: a place in the file is a byte until somebody asks.

use std::collections::BTreeMap;

use crate::json::Lines;
use crate::problem::{Code, Problem};

/// How many problems of one kind are listed. A reader has stopped by then, and pairs of things would be many.
const LIMIT: usize = 100;

/// Where something stands in the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    /// The byte where it begins.
    pub(crate) at: usize,
    /// Its JSON pointer.
    pub(crate) pointer: String,
    /// Its fields and where they begin.
    fields: Vec<(&'static str, usize)>,
}

impl Place {
    pub(crate) fn new(at: usize, pointer: String) -> Self {
        Self {
            at,
            pointer,
            fields: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, name: &'static str, at: usize) {
        self.fields.push((name, at));
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(field, _)| *field == name)
    }

    /// The place of the first of `names` that is there, else the thing's own.
    pub(crate) fn field(&self, names: &[&str]) -> (usize, String) {
        names
            .iter()
            .find_map(|name| self.fields.iter().find(|(field, _)| field == name))
            .map_or_else(
                || (self.at, self.pointer.clone()),
                |(name, at)| (*at, format!("{}/{name}", self.pointer)),
            )
    }
}

#[derive(Debug)]
struct Note {
    code: Code,
    at: usize,
    pointer: String,
    message: String,
    fix: String,
}

/// Problems in the order in which they are found.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    list: Vec<Note>,
    counts: BTreeMap<Code, usize>,
}

impl Notes {
    pub(crate) fn push(
        &mut self,
        code: Code,
        (at, pointer): (usize, String),
        message: impl Into<String>,
        fix: impl Into<String>,
    ) {
        let count = self.counts.entry(code).or_default();
        *count += 1;
        if *count <= LIMIT {
            self.list.push(Note {
                code,
                at,
                pointer,
                message: message.into(),
                fix: fix.into(),
            });
        }
    }

    /// Whether more of this kind would not be listed: time to stop looking for them.
    pub(crate) fn full(&self, code: Code) -> bool {
        self.counts.get(&code).is_some_and(|count| *count > LIMIT)
    }

    pub(crate) fn has(&self, code: Code) -> bool {
        self.counts.contains_key(&code)
    }

    /// The problems as they are reported, in the order of the file.
    pub(crate) fn problems(&self, text: &str) -> Vec<Problem> {
        if self.list.is_empty() {
            return Vec::new();
        }
        let lines = Lines::new(text);
        let mut list: Vec<&Note> = self.list.iter().collect();
        list.sort_by_key(|note| (note.at, note.code));
        let mut problems: Vec<Problem> = list
            .into_iter()
            .map(|note| {
                let (line, column) = lines.place(note.at);
                Problem {
                    code: note.code,
                    line,
                    column,
                    pointer: note.pointer.clone(),
                    message: note.message.clone(),
                    fix: note.fix.clone(),
                }
            })
            .collect();
        for (code, _) in self.counts.iter().filter(|(_, count)| **count > LIMIT) {
            problems.push(Problem {
                code: *code,
                line: 1,
                column: 1,
                pointer: String::new(),
                message: format!("there are more than the {LIMIT} problems of this kind above"),
                fix: String::from("mend these and look again"),
            });
        }
        problems
    }
}
