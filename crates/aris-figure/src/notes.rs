//! Problems while they are collected: a place in the file is a byte until somebody asks.

use std::cell::RefCell;
use std::collections::BTreeMap;

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

/// Problems in the order in which they are found. Whatever is read or checked may add to them.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Each with the byte where it stands; lines are counted when somebody asks.
    list: RefCell<Vec<(usize, Problem)>>,
    counts: RefCell<BTreeMap<Code, usize>>,
}

impl Notes {
    pub(crate) fn push(
        &self,
        code: Code,
        (at, pointer): (usize, String),
        message: impl Into<String>,
        fix: impl Into<String>,
    ) {
        let mut counts = self.counts.borrow_mut();
        let count = counts.entry(code).or_default();
        *count += 1;
        if *count <= LIMIT {
            let problem = Problem {
                code,
                line: 1,
                column: 1,
                pointer,
                message: message.into(),
                fix: fix.into(),
            };
            self.list.borrow_mut().push((at, problem));
        }
    }

    /// Whether more of this kind would not be listed: time to stop looking for them.
    pub(crate) fn full(&self, code: Code) -> bool {
        self.counts
            .borrow()
            .get(&code)
            .is_some_and(|count| *count > LIMIT)
    }

    /// The things among which to look for problems of a kind, up to where more would not be listed.
    pub(crate) fn until_full<T>(
        &self,
        code: Code,
        things: impl IntoIterator<Item = T>,
    ) -> impl Iterator<Item = T> {
        things.into_iter().take_while(move |_| !self.full(code))
    }

    pub(crate) fn has(&self, code: Code) -> bool {
        self.counts.borrow().contains_key(&code)
    }

    /// The problems as they are reported, in the order of the file.
    pub(crate) fn problems(&self, text: &str) -> Vec<Problem> {
        let mut list = self.list.borrow().clone();
        list.sort_by_key(|(at, problem)| (*at, problem.code));
        let (mut line, mut column, mut done) = (1, 1, 0);
        let mut problems = Vec::with_capacity(list.len());
        for (at, mut problem) in list {
            for byte in text.bytes().take(at).skip(done) {
                if byte == b'\n' {
                    (line, column) = (line + 1, 1);
                } else if byte & 0xc0 != 0x80 {
                    // The first byte of a character.
                    column += 1;
                }
            }
            done = at;
            (problem.line, problem.column) = (line, column);
            problems.push(problem);
        }
        for (code, _) in self
            .counts
            .borrow()
            .iter()
            .filter(|(_, count)| **count > LIMIT)
        {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters() {
        let place = |text: &str, at: usize| {
            let notes = Notes::default();
            notes.push(Code::Invalid, (at, String::new()), "", "");
            let problem = notes.problems(text).remove(0);
            (problem.line, problem.column)
        };
        let text = "{\n  \"é中\": 1\n}";
        assert_eq!(place(text, 0), (1, 1));
        assert_eq!(place(text, text.find('1').expect("1")), (2, 9));
        assert_eq!(place(text, text.len()), (3, 2));
        assert_eq!(place("", 0), (1, 1));
        assert_eq!(place("", 9), (1, 1));
    }
}
