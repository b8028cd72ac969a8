//! Finds which text names which file.
//!
//! A *mention* of file F in a text is its file name, case-insensitive, not preceded by `[A-Za-z0-9_.-]` nor followed by
//! `[A-Za-z0-9_-]`; or the path of a directory that contains F, at least two levels deep (`assets/fonts`, never a bare
//! `references/`) and written as a directory; or, for Python, the dotted module path (`scripts.tool`).
//! A file is *cited* when the SKILL.md mentions it, and *reachable* when it is cited or a reachable text file mentions it.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::AhoCorasick;
use percent_encoding::percent_decode_str;

use crate::file::SourceFile;
use crate::names;
use crate::tree::SKILL_FILE;

/// Finds mentions of a set of files in linear time.
#[derive(Debug)]
pub struct Matcher {
    /// Each name, with the indices of the files that it is a mention of.
    names: Vec<(Name, Vec<usize>)>,
    /// Searches for all names at once; `None` when there are too many.
    search: Option<AhoCorasick>,
}

/// A name that a text may contain.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    /// A file name or dotted module path in lower case, with only `[a-z0-9_.-]`.
    Word(String),
    /// A file name in lower case with other characters.
    Odd(String),
    /// A folder at least two levels deep.
    Folder(String),
}

impl Matcher {
    /// A matcher for files, by their paths relative to the skill. It reports a file by its index in this list.
    pub fn new<'p>(paths: impl IntoIterator<Item = &'p str>) -> Self {
        let mut names: BTreeMap<Name, Vec<usize>> = BTreeMap::new();
        for (file, path) in paths.into_iter().enumerate() {
            let mut add = |name| names.entry(name).or_default().push(file);
            let name = names::file_name(path).to_lowercase();
            let is_plain = name.bytes().all(is_word);
            add(if is_plain {
                Name::Word(name)
            } else {
                Name::Odd(name)
            });
            if let Some(module) = path.strip_suffix(".py").filter(|path| path.contains('/')) {
                add(Name::Word(module.replace('/', ".").to_lowercase()));
            }
            let mut folder = names::folder(path);
            while folder.contains('/') {
                add(Name::Folder(folder.to_owned()));
                folder = names::folder(folder);
            }
        }
        let texts = names.keys().map(|name| match name {
            Name::Word(text) | Name::Odd(text) | Name::Folder(text) => text,
        });
        Self {
            search: AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .build(texts)
                .ok(),
            names: names.into_iter().collect(),
        }
    }

    /// Reports each mention in `text`: index of the file, and byte offset of the name.
    pub fn find(&self, text: &str, found: &mut impl FnMut(usize, usize)) {
        self.find_in(text, |name| !matches!(name, Name::Odd(_)), found);
        let is_odd = |name: &Name| matches!(name, Name::Odd(_));
        if self.names.iter().any(|(name, _)| is_odd(name)) {
            // Lower case can change the length of a text. The offset then points near the mention.
            let mut found = |file, at: usize| found(file, at.min(text.len()));
            self.find_in(&text.to_lowercase(), is_odd, &mut found);
            // Links percent-encode such characters.
            if text.contains('%') {
                let decoded = percent_decode_str(text).decode_utf8_lossy();
                self.find_in(&decoded.to_lowercase(), is_odd, &mut found);
            }
        }
    }

    fn find_in(
        &self,
        text: &str,
        wanted: impl Fn(&Name) -> bool,
        found: &mut impl FnMut(usize, usize),
    ) {
        let hits = self
            .search
            .iter()
            .flat_map(|search| search.find_overlapping_iter(text));
        for hit in hits {
            let named = self.names.get(hit.pattern().as_usize());
            let Some((name, files)) = named.filter(|(name, _)| wanted(name)) else {
                continue;
            };
            let (before, after) = (text.get(..hit.start()), text.get(hit.end()..));
            let begins =
                before.is_some_and(|before| !before.bytes().next_back().is_some_and(is_word));
            let ends = after.is_some_and(|after| match name {
                // A name ends before a character that cannot be in a name, or before a dot.
                Name::Word(_) | Name::Odd(_) => {
                    let next = after.bytes().next();
                    !next.is_some_and(|byte| is_word(byte) && byte != b'.')
                }
                // A directory ends its run of path characters, except for slashes or full stops after it.
                Name::Folder(folder) => {
                    let rest = after.trim_start_matches('/').trim_start_matches('.');
                    text.get(hit.range()) == Some(folder)
                        && !rest
                            .bytes()
                            .next()
                            .is_some_and(|byte| is_word(byte) || byte == b'/')
                }
            });
            for file in files.iter().filter(|_| begins && ends) {
                found(*file, hit.start());
            }
        }
    }

    /// Indices of the files that `text` mentions.
    pub fn files(&self, text: &str) -> BTreeSet<usize> {
        let mut files = BTreeSet::new();
        self.find(text, &mut |file, _| {
            files.insert(file);
        });
        files
    }
}

/// `[A-Za-z0-9_.-]`
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

/// For each file of a skill, whether it is reachable from the SKILL.md.
pub(crate) fn reachable(files: &[SourceFile]) -> Vec<bool> {
    let mut reachable = vec![false; files.len()];
    let matcher = Matcher::new(files.iter().map(|file| file.skill_path.as_str()));
    let start = files.iter().position(|file| file.skill_path == SKILL_FILE);
    let mut open: Vec<usize> = start.into_iter().collect();
    let mut read = BTreeSet::new();
    while let Some(at) = open.pop() {
        let text = files.get(at).and_then(|file| file.text.as_ref());
        let Some(text) = text.filter(|_| read.insert(at)) else {
            continue;
        };
        for found in matcher.files(text.raw()) {
            if let Some(slot) = reachable.get_mut(found).filter(|_| found != at) {
                *slot = true;
                open.push(found);
            }
        }
    }
    reachable
}
