//! Which text names which file.
//!
//! A *mention* of file F in a text is its file name, case-insensitive, not preceded by `[A-Za-z0-9_.-]` nor followed by
//! `[A-Za-z0-9_-]`; or the path of a directory that holds F and lies at least two levels deep (`assets/fonts`, never a bare
//! `references/`), written as a directory; or, for Python, the dotted module path (`scripts.tool`).
//! A file is *cited* when the SKILL.md mentions it, and *reachable* when it is cited or a reachable text file mentions it.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::file::SourceFile;
use crate::markdown::percent_decoded;
use crate::names;
use crate::tree::SKILL_FILE;

/// Finds mentions of a set of files in linear time.
#[derive(Debug, Default)]
pub struct Matcher {
    /// File names in lower case and dotted module paths, made of `[A-Za-z0-9_.-]` only.
    words: BTreeMap<String, Vec<usize>>,
    longest: usize,
    /// Which lengths and ends a word can have: tells nearly all others apart without a look into the map.
    shapes: Shapes,
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
        self.shapes.add(word.as_bytes());
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
                self.find_odd(&percent_decoded(text), found);
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
        for (start, run) in runs(lower, &WORD) {
            let run = run.get(..run.len().min(self.longest + 1)).unwrap_or(run);
            let ends = (1..run.len()).filter(|end| run.as_bytes().get(*end) == Some(&b'.'));
            for end in ends.chain([run.len()]) {
                let word = run
                    .get(..end)
                    .filter(|word| self.shapes.may_have(word.as_bytes()));
                let files = word.and_then(|word| self.words.get(word));
                for file in files.into_iter().flatten() {
                    found(*file, start);
                }
            }
        }
    }

    /// A directory ends its run of path characters, a slash or a full stop behind it aside.
    fn find_folders(&self, text: &str, found: &mut impl FnMut(usize, usize)) {
        for (start, run) in runs(text, &PATH) {
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

/// A set of words that answers *no* or *perhaps*, by length, first and last byte.
#[derive(Debug)]
struct Shapes([u64; Self::BITS / 64]);

impl Shapes {
    const BITS: usize = 4096;

    fn bit(word: &[u8]) -> usize {
        let of = |byte: Option<&u8>| byte.map_or(0, |byte| usize::from(*byte));
        (word.len() * 67 + of(word.first()) * 257 + of(word.last()) * 31) % Self::BITS
    }

    fn add(&mut self, word: &[u8]) {
        let bit = Self::bit(word);
        if let Some(slot) = self.0.get_mut(bit / 64) {
            *slot |= 1 << (bit % 64);
        }
    }

    fn may_have(&self, word: &[u8]) -> bool {
        let bit = Self::bit(word);
        (self.0.get(bit / 64)).is_some_and(|slot| slot >> (bit % 64) & 1 == 1)
    }
}

impl Default for Shapes {
    fn default() -> Self {
        Self([0; Self::BITS / 64])
    }
}

/// `[A-Za-z0-9_.-]`
const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

/// Which bytes are part of a name.
static WORD: [bool; 256] = table(false);

/// Which bytes are part of a path.
static PATH: [bool; 256] = table(true);

const fn table(slash: bool) -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        #[expect(clippy::cast_possible_truncation, reason = "below 128")]
        let part = is_word(byte as u8) || (slash && byte as u8 == b'/');
        table[byte] = part;
        byte += 1;
    }
    table
}

/// Runs of the bytes in a table, which are ASCII, with their offsets. Every text is read this way: the loops are plain ones.
fn runs<'t>(text: &'t str, table: &'static [bool; 256]) -> impl Iterator<Item = (usize, &'t str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let bytes = text.as_bytes();
        while !table[usize::from(*bytes.get(at)?)] {
            at += 1;
        }
        let start = at;
        while bytes.get(at).is_some_and(|byte| table[usize::from(*byte)]) {
            at += 1;
        }
        Some((start, text.get(start..at).unwrap_or_default()))
    })
}

/// Which files of one skill its SKILL.md leads to, by position in its list of files.
#[derive(Debug, Default)]
pub struct Mentions {
    reachable: Vec<bool>,
}

impl Mentions {
    pub(crate) fn of(files: &[SourceFile]) -> Self {
        let matcher = Matcher::new(files.iter().map(|file| file.skill_path.as_str()));
        let mut mentions = Self {
            reachable: vec![false; files.len()],
        };
        let mut names_of: Vec<BTreeSet<usize>> = Vec::with_capacity(files.len());
        for (at, file) in files.iter().enumerate() {
            let mut found = file
                .text
                .as_ref()
                .map(|text| matcher.files(text.raw()))
                .unwrap_or_default();
            found.remove(&at);
            names_of.push(found);
        }
        let Some(skill_md) = files.iter().position(|file| file.skill_path == SKILL_FILE) else {
            return mentions;
        };
        let mut open = vec![skill_md];
        while let Some(at) = open.pop() {
            for file in names_of.get(at).into_iter().flatten() {
                if let Some(slot) = mentions.reachable.get_mut(*file)
                    && !*slot
                {
                    *slot = true;
                    open.push(*file);
                }
            }
        }
        mentions
    }

    /// Whether the SKILL.md or a reachable text file mentions the file at this position of [`crate::Skill::files`].
    pub fn is_reachable(&self, file: usize) -> bool {
        self.reachable.get(file).copied().unwrap_or(false)
    }
}
