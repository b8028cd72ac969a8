//! Names of control sequences as small numbers.

use std::sync::Arc;

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use super::narrow;

/// An interner. Numbers are given in order of first use, so nothing depends on the hash.
#[derive(Default)]
pub(crate) struct Names(IndexSet<Arc<str>, RandomState>);

impl Names {
    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        let known = self.0.get_index_of(text);
        narrow(known.unwrap_or_else(|| self.0.insert_full(text.into()).0))
    }

    pub(crate) fn text(&self, index: u32) -> &str {
        self.0.get_index(index as usize).map_or("", |text| text)
    }

    pub(crate) fn shared(&self, index: u32) -> Arc<str> {
        let name = self.0.get_index(index as usize).cloned();
        name.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interns() {
        let mut names = Names::default();
        let all: Vec<u32> = (0..5000).map(|n| names.intern(&n.to_string())).collect();
        for (n, index) in all.iter().enumerate() {
            assert_eq!(names.intern(&n.to_string()), *index);
            assert_eq!(names.text(*index), n.to_string());
        }
    }

    #[test]
    fn names_that_look_alike_are_told_apart() {
        let mut names = Names::default();
        let mut all: Vec<String> = Vec::new();
        for length in 0..20 {
            for fill in ["a", "b", "\0", "\u{1}", "é"] {
                all.push(fill.repeat(length));
                all.push(format!("{}\0", fill.repeat(length)));
                all.push(format!("\u{8}{}", fill.repeat(length)));
            }
        }
        all.sort();
        all.dedup();
        let numbers: Vec<u32> = all.iter().map(|name| names.intern(name)).collect();
        let expected: Vec<u32> = (0..).take(all.len()).collect();
        assert_eq!(numbers, expected);
        for (name, number) in all.iter().zip(numbers) {
            assert_eq!(
                (names.intern(name), names.text(number)),
                (number, name.as_str())
            );
        }
    }
}
