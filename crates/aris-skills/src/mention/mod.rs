//! Which text names which file.
//!
//! A *mention* of file F in a text is its file name, case-insensitive, not preceded by `[A-Za-z0-9_.-]` nor followed by
//! `[A-Za-z0-9_-]`; or the path of a directory that holds F and lies at least two levels deep (`assets/fonts`, never a bare
//! `references/`), written as a directory; or, for Python, the dotted module path (`scripts.tool`).
//! A file is *cited* when the SKILL.md mentions it, and *reachable* when it is cited or a reachable text file mentions it.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::percent_decode_str;

use crate::file::SourceFile;
use crate::names;
use crate::tree::SKILL_FILE;

/// Finds mentions of a set of files in linear time.
#[derive(Debug, Default)]
pub struct Matcher {
    /// File names in lower case and dotted module paths, made of `[A-Za-z0-9_.-]` only.
    words: BTreeMap<String, Vec<usize>>,
    longest: usize,
    /// File names in lower case with other characters in them.
    odd: Vec<(String, usize)>,
    /// Folders two levels deep or more, with all files below them.
    folders: BTreeMap<String, Vec<usize>>,
    deepest: usize,
}

impl Matcher {
    /// A matcher for files, by their paths relative to the skill; a mention is told by the position in the list.
    pub fn new<'p>(paths: impl IntoIterator<Item = &'p str>) -> Self {
        let mut matcher = Self::default();
        for (file, path) in paths.into_iter().enumerate() {
            let name = names::file_name(path).to_lowercase();
            if name.bytes().all(is_word) {
                matcher.word(name, file);
            } else {
                matcher.odd.push((name, file));
            }
            if let Some(module) = path.strip_suffix(".py").filter(|path| path.contains('/')) {
                matcher.word(module.replace('/', ".").to_lowercase(), file);
            }
            let mut folder = names::folder(path);
            while folder.contains('/') {
                let files = matcher.folders.entry(folder.to_owned()).or_default();
                files.push(file);
                matcher.deepest = matcher.deepest.max(folder.split('/').count());
                folder = names::folder(folder);
            }
        }
        matcher
    }

    fn word(&mut self, word: String, file: usize) {
        self.longest = self.longest.max(word.len());
        self.words.entry(word).or_default().push(file);
    }

    /// Gives each mention in `text`: position of the file and byte offset of the name.
    pub fn find(&self, text: &str, found: &mut impl FnMut(usize, usize)) {
        let lower = text.to_ascii_lowercase();
        self.find_words(&lower, found);
        if !self.folders.is_empty() {
            self.find_folders(text, found);
        }
        if !self.odd.is_empty() {
            self.find_odd(text, found);
            // Links escape what is odd in a name.
            if text.contains('%') {
                self.find_odd(&percent_decode_str(text).decode_utf8_lossy(), found);
            }
        }
    }

    /// The files that `text` mentions.
    pub fn files(&self, text: &str) -> BTreeSet<usize> {
        let mut files = BTreeSet::new();
        self.find(text, &mut |file, _| {
            files.insert(file);
        });
        files
    }

    /// A name begins where a run of name characters begins, and ends where the run ends or a dot stands.
    fn find_words(&self, lower: &str, found: &mut impl FnMut(usize, usize)) {
        for (start, run) in runs(lower, is_word) {
            let run = run.get(..run.len().min(self.longest + 1)).unwrap_or(run);
            let ends = (1..run.len()).filter(|end| run.as_bytes().get(*end) == Some(&b'.'));
            for end in ends.chain([run.len()]) {
                let files = run.get(..end).and_then(|word| self.words.get(word));
                for file in files.into_iter().flatten() {
                    found(*file, start);
                }
            }
        }
    }

    /// A directory ends its run of path characters, a slash or a full stop behind it aside.
    fn find_folders(&self, text: &str, found: &mut impl FnMut(usize, usize)) {
        for (start, run) in runs(text, |byte| is_word(byte) || byte == b'/') {
            if !run.contains('/') {
                continue;
            }
            let path = run.trim_end_matches('.').trim_end_matches('/');
            // Suffixes of up to `deepest` parts, the shortest with two.
            let mut parts = 0;
            let mut rest = path;
            while parts < self.deepest {
                let (above, at) = match rest.rsplit_once('/') {
                    Some((above, _)) => (Some(above), above.len() + 1),
                    None => (None, 0),
                };
                parts += 1;
                let files = path.get(at..).and_then(|folder| self.folders.get(folder));
                for file in files.into_iter().flatten() {
                    found(*file, start + at);
                }
                match above {
                    Some(above) => rest = above,
                    None => break,
                }
            }
        }
    }

    fn find_odd(&self, text: &str, found: &mut impl FnMut(usize, usize)) {
        let lower = text.to_lowercase();
        // Offsets are those of the text only where lower case has the same length; else they point near the place.
        for (name, file) in &self.odd {
            for (at, _) in lower.match_indices(name.as_str()) {
                let before = at.checked_sub(1).and_then(|at| lower.as_bytes().get(at));
                let after = lower.as_bytes().get(at + name.len());
                if !before.is_some_and(|byte| is_word(*byte))
                    && !after.is_some_and(|byte| is_word(*byte) && *byte != b'.')
                {
                    found(*file, at.min(text.len()));
                }
            }
        }
    }
}

/// `[A-Za-z0-9_.-]`
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

/// Runs of bytes of a kind, all of them ASCII, with their offsets.
fn runs(text: &str, is_part: impl Fn(u8) -> bool) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let bytes = text.as_bytes();
        while !is_part(*bytes.get(at)?) {
            at += 1;
        }
        let start = at;
        while bytes.get(at).is_some_and(|byte| is_part(*byte)) {
            at += 1;
        }
        Some((start, text.get(start..at).unwrap_or_default()))
    })
}

/// For each file of one skill whether its SKILL.md leads to it.
pub(crate) fn reachable(files: &[SourceFile]) -> Vec<bool> {
    let mut reachable = vec![false; files.len()];
    let matcher = Matcher::new(files.iter().map(|file| file.skill_path.as_str()));
    let mut open: Vec<usize> = files
        .iter()
        .position(|file| file.skill_path == SKILL_FILE)
        .into_iter()
        .collect();
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
