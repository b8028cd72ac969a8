//! Collects problems.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::problem::{Code, Problem};

/// Most problems of one kind that are listed. A reader stops before that, and there can be very many pairs.
const LIMIT: usize = 100;

/// Line and column in characters, each from 1.
pub(crate) type At = (u32, u32);

/// The position of an object in the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    /// Where it begins.
    pub(crate) at: At,
    /// Its JSON pointer.
    pub(crate) pointer: String,
    /// Its fields and the positions of their values.
    fields: Vec<(&'static str, At)>,
}

impl Place {
    pub(crate) fn new(at: At, pointer: String) -> Self {
        Self {
            at,
            pointer,
            fields: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, name: &'static str, at: At) {
        self.fields.push((name, at));
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(field, _)| *field == name)
    }

    /// The position of the first of `names` that is present, else that of the object.
    pub(crate) fn field(&self, names: &[&str]) -> (At, String) {
        names
            .iter()
            .find_map(|name| self.fields.iter().find(|(field, _)| field == name))
            .map_or_else(
                || (self.at, self.pointer.clone()),
                |(name, at)| (*at, format!("{}/{name}", self.pointer)),
            )
    }
}

/// Problems in the order in which they are found. Every reader and check may add to it.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    list: RefCell<Vec<Problem>>,
    counts: RefCell<BTreeMap<Code, usize>>,
}

impl Notes {
    pub(crate) fn push(
        &self,
        code: Code,
        ((line, column), pointer): (At, String),
        message: impl Into<String>,
        fix: impl Into<String>,
    ) {
        let mut counts = self.counts.borrow_mut();
        let count = counts.entry(code).or_default();
        *count += 1;
        if *count <= LIMIT {
            let problem = Problem {
                code,
                line,
                column,
                pointer,
                message: message.into(),
                fix: fix.into(),
            };
            self.list.borrow_mut().push(problem);
        }
    }

    /// Whether further problems of this kind would not be listed, so that the search for them can stop.
    pub(crate) fn full(&self, code: Code) -> bool {
        self.counts
            .borrow()
            .get(&code)
            .is_some_and(|count| *count > LIMIT)
    }

    /// Passes on `things` until further problems of the kind would not be listed.
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

    /// The problems to report, in the order of the file; at the end a note for each kind of which more were found.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let mut problems = self.list.borrow().clone();
        problems.sort_by_key(|problem| (problem.line, problem.column, problem.code));
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
