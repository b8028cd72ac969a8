//! The files of a LaTeX paper: finds the root document and reads it with everything it includes.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use aris_audit::Digest;
use aris_fs::{EntryKind, FsError};
use aris_latex::{
    Document, Include, IncludeOutcome, Loaded, ProblemKind, RootError, find_root, free_files,
};

use crate::error::Error;
use crate::gathered::{FILE_LIMIT, Gathered};
use crate::latex;

/// Most root documents of a folder that are measured to choose one.
const ROOTS: usize = 8;

/// Name of the root document that is made up for a folder without one; it includes the fragments.
const FRAGMENTS: &str = "the fragments.tex";

/// The files of a LaTeX paper: in a folder, in memory, or both.
pub(crate) struct Files<'a> {
    folder: Option<&'a Path>,
    /// Files that were read, by path.
    known: BTreeMap<String, Vec<u8>>,
    /// Digests of the files that were read as part of the paper, by path.
    digests: BTreeMap<String, Digest>,
}

impl<'a> Files<'a> {
    /// The files in `known`, and those of a folder if one is given.
    pub(crate) fn of(folder: Option<&'a Path>, known: BTreeMap<String, Vec<u8>>) -> Self {
        let digests = BTreeMap::new();
        Self {
            folder,
            known,
            digests,
        }
    }

    /// Reads the LaTeX files of a folder and its subfolders. Names that begin with a point are left out.
    pub(crate) fn walk(folder: &'a Path) -> Result<Self, Error> {
        let mut files = Self::of(Some(folder), BTreeMap::new());
        let visible = |entry: &aris_fs::Entry| !entry.name.to_string_lossy().starts_with('.');
        for entry in aris_fs::walk_sorted(folder, &mut |entry| visible(entry))? {
            let is_file = matches!(entry.kind, EntryKind::File | EntryKind::Link);
            let name = aris_fs::display_relative(&entry.path, folder);
            if is_file
                && is_latex(&name)
                && let Some(bytes) = files.read(&name)?
            {
                files.known.insert(name, bytes);
            }
        }
        Ok(files)
    }

    /// Measures the root document among the files in memory. Of several it takes the one with the most words; if there is none,
    /// it measures the fragments one after the other.
    pub(crate) fn chosen(mut self, resolved: String) -> Result<Gathered, Error> {
        let texts: Vec<(&str, Cow<'_, str>)> = self
            .known
            .iter()
            .filter(|(name, _)| is_latex(name))
            .map(|(name, bytes)| (name.as_str(), decode(bytes)))
            .collect();
        let root = match texts.as_slice() {
            // Plain TeX and LaTeX 2.09 have no `\documentclass`; a single file is the paper whatever is in it.
            [(only, _)] => Ok((*only).to_owned()),
            several => find_root(several).map(|root| root.path),
        };
        let found = match root {
            Ok(root) => return self.measured(&root, resolved),
            Err(found) => found,
        };
        match found {
            RootError::Several { candidates } => {
                let mut failed = None;
                let measured = |root: &String| {
                    let files = Self::of(self.folder, self.known.clone());
                    match files.measured(root, resolved.clone()) {
                        Ok(found) => Some((root.clone(), found)),
                        Err(error) => {
                            failed = Some(error);
                            None
                        }
                    }
                };
                let found = candidates.iter().take(ROOTS).filter_map(measured);
                let most = found.min_by_key(|(_, found)| Reverse(found.profile.words));
                let (root, found) =
                    most.ok_or_else(|| failed.unwrap_or_else(|| none(&resolved)))?;
                let all = candidates.join(", ");
                let choice = format!(
                    "there are several root documents ({all}); {root} has most text and is measured; name another one to have that measured"
                );
                Ok(Gathered {
                    choice: Some(choice),
                    ..found
                })
            }
            RootError::None if !texts.is_empty() => {
                let mut names = free_files(&texts);
                names.sort_by_cached_key(|name| counted(name));
                let list = names.iter();
                let list = list.map(|name| ["\\input{", name, "}\n\n"].concat());
                let list = list.collect::<String>().into_bytes();
                let choice = format!(
                    "no file has \\documentclass and \\begin{{document}}, so these are measured one after the other: {}",
                    names.join(", ")
                );
                self.known.insert(FRAGMENTS.to_owned(), list);
                let gathered = self.measured(FRAGMENTS, resolved)?;
                Ok(Gathered {
                    files: gathered.files - 1,
                    choice: Some(choice),
                    ..gathered
                })
            }
            RootError::None => Err(none(&resolved)),
        }
    }

    /// A file of the folder; `None` if it does not exist or, with links followed, is outside the folder.
    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, FsError> {
        let Some(folder) = self.folder else {
            return Ok(None);
        };
        let path = folder.join(name);
        let inside = match (path.canonicalize(), folder.canonicalize()) {
            (Ok(real), Ok(root)) => real.starts_with(root),
            _ => false,
        };
        if inside {
            aris_fs::read_optional(&path, FILE_LIMIT)
        } else {
            Ok(None)
        }
    }

    fn load(&mut self, name: &str) -> Loaded {
        let bytes = match self.known.remove(name) {
            Some(bytes) => bytes,
            None => match self.read(name) {
                Ok(Some(bytes)) => bytes,
                Ok(None) => return Loaded::Absent,
                Err(error) => return Loaded::Unreadable(error.to_string()),
            },
        };
        self.digests.insert(name.to_owned(), Digest::of(&bytes));
        Loaded::Text(Arc::from(decode(&bytes)))
    }

    /// Reads the document from its root and measures it.
    pub(crate) fn measured(mut self, root: &str, resolved: String) -> Result<Gathered, Error> {
        let mut load = |name: &str| self.load(name);
        let document = Document::read(root, &mut load)?;
        let is_missing = |include: &&Include| {
            use IncludeOutcome::{Missing, Unreadable};
            matches!(include.outcome, Missing | Unreadable(_))
        };
        let missing = document.includes.iter().filter(is_missing);
        let missing = missing.map(|include| include.target.clone()).collect();
        let unread = unread(&document);
        let profile = latex::profile(&document);
        let lines = self.digests.iter();
        let lines = lines.map(|(name, digest)| format!("{}  {name}\n", digest.hex()));
        let digest = match self.digests.values().next() {
            Some(only) if self.digests.len() == 1 => *only,
            _ => Digest::of(lines.collect::<String>().as_bytes()),
        };
        // The program ends soon. Freeing a book's text piece by piece would take a tenth of the time that reading it took.
        std::mem::forget(document);
        let gathered = Gathered {
            files: self.digests.len(),
            missing,
            unread,
            ..Gathered::of(resolved, digest, profile)
        };
        gathered.worth()
    }
}

/// A name with its numbers padded, so that `sec2` comes before `sec10`.
fn counted(name: &str) -> String {
    let characters: Vec<char> = name.chars().collect();
    let parts = characters.chunk_by(|one, next| one.is_ascii_digit() == next.is_ascii_digit());
    let padded = parts.map(|part| {
        let is_number = part.first().is_some_and(char::is_ascii_digit);
        let part: String = part.iter().collect();
        if is_number {
            format!("{part:0>20}")
        } else {
            part
        }
    });
    padded.collect()
}

/// The first problems after which text may be unread, with their places; at most `MOST`.
fn unread(document: &Document) -> Vec<String> {
    const MOST: usize = 5;
    let hides = |kind: ProblemKind| match kind {
        ProblemKind::Expansion | ProblemKind::UnclosedConditional | ProblemKind::IncludeCycle => {
            true
        }
        // A fragment has no `\begin{document}`. The others leave the text as it is; missing files are reported separately.
        ProblemKind::NoDocument
        | ProblemKind::UnclosedGroup
        | ProblemKind::ExtraBrace
        | ProblemKind::UnclosedEnvironment
        | ProblemKind::ExtraEnd
        | ProblemKind::UnclosedMath
        | ProblemKind::MissingInclude
        | ProblemKind::UndefinedMacro
        | ProblemKind::UnreadText(_)
        | ProblemKind::Undecided(_) => false,
    };
    let problems = document.problems.iter();
    let problems = problems.filter(|problem| hides(problem.kind)).take(MOST);
    let told = problems.map(|problem| {
        let at = document.position(problem.place);
        format!("{}:{}: {}", at.path, at.line, problem.message)
    });
    told.collect()
}

fn none(place: &str) -> Error {
    let hint = "name the .tex file that holds the text";
    Error::paper(place, &RootError::None.to_string(), hint)
}

fn is_latex(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let ending = ending.unwrap_or_default().to_ascii_lowercase();
    matches!(ending.as_str(), "tex" | "ltx" | "latex")
}

/// The text of a file: UTF-8, UTF-16 with a byte order mark, or else Latin-1, in which every byte is a character and which old
/// papers use.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let wide = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = rest.chunks_exact(2).filter_map(|pair| pair.try_into().ok());
        String::from_utf16_lossy(&units.map(unit).collect::<Vec<u16>>())
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => Cow::Owned(wide(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(wide(rest, u16::from_be_bytes)),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text.trim_start_matches('\u{feff}')),
            Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_of_a_paper_is_read() {
        assert_eq!(decode("é".as_bytes()), "é");
        assert_eq!(decode(b"\xef\xbb\xbfa"), "a");
        assert_eq!(decode(b"caf\xe9"), "café");
        assert_eq!(decode(b"\xff\xfea\0b\0"), "ab");
        assert_eq!(decode(b"\xfe\xff\0a\0b\0"), "ab");
    }
}
