//! The files that a reviewer was given: digests, taken at the call, of the declared files and of the files that the prompt names.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use aris_fs::EntryKind;
use aris_latex::IncludeOutcome;

use crate::digest::digest_files;
use crate::paper::PaperFiles;

/// Most words of a prompt that are looked up as paths. Prompts about more files name folders.
const NAMES: usize = 20_000;
/// Most folders named in a prompt to which its other names may be relative.
const BASES: usize = 16;
/// Most files of one folder that are hashed. Files of larger folders must be declared one by one.
const FOLDER_FILES: usize = 5_000;
/// Most bytes of these files together: one or two seconds of hashing.
const FOLDER_BYTES: u64 = 1 << 30;
/// Most subfolders that are entered.
const FOLDERS: usize = 1_000;
/// Longest path, in bytes. **Source**: `PATH_MAX` of Linux.
const PATH_LIMIT: usize = 4096;

/// The files that a reviewer was given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reviewed {
    /// `sha256:…` by path: relative to the project, absolute outside it.
    pub digests: BTreeMap<String, String>,
    /// Declared files without a digest, each with the reason.
    pub missing: Vec<String>,
}

/// Hashes `files` and every path below `project` that `prompt` names; both folders are absolute.
///
/// Names are relative to the project, to `cwd`, or to a folder that the prompt names. A folder stands for the root documents in it and
/// all that they include; if it has none, for the files below it. A root document stands for itself and all that it includes.
pub fn reviewed(project: &Path, cwd: &Path, files: &[String], prompt: &[u8]) -> Reviewed {
    let mut found = Found {
        project,
        real: project
            .canonicalize()
            .unwrap_or_else(|_| project.to_path_buf()),
        paths: BTreeSet::new(),
    };
    let names = names(&String::from_utf8_lossy(prompt));
    let mut bases = vec![project.to_path_buf(), cwd.to_path_buf()];
    let folders = names.iter().filter_map(|name| found.locate(&bases, name));
    let folders: Vec<PathBuf> = folders.filter(|path| path.is_dir()).take(BASES).collect();
    bases.extend(folders);
    let (mut declared, mut missing) = (BTreeSet::new(), Vec::new());
    for file in files {
        let mut paths = bases.iter().map(|base| aris_fs::lexical(&base.join(file)));
        match paths.find(|path| path.exists()) {
            Some(path) => {
                found.add(&path);
                declared.insert(path);
            }
            None => missing.push(format!("{file} is not there")),
        }
    }
    for name in &names {
        if let Some(path) = found.locate(&bases, name) {
            found.add(&path);
        } else if let Some((folder, _)) = name.split_once('*') {
            let folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
            if let Some(path) = found.locate(&bases, folder).filter(|path| path.is_dir()) {
                found.below(&path);
            }
        }
    }
    let paths: Vec<PathBuf> = found.paths.into_iter().collect();
    let mut digests = BTreeMap::new();
    for (path, digest) in paths.iter().zip(digest_files(&paths)) {
        match digest {
            Ok(digest) => {
                digests.insert(aris_fs::display_relative(path, project), digest.to_string());
            }
            Err(error) if declared.contains(path) => missing.push(error.to_string()),
            // A name in a prompt may be anything; an unreadable file was not reviewed.
            Err(_) => {}
        }
    }
    Reviewed { digests, missing }
}

/// The files found so far.
struct Found<'a> {
    project: &'a Path,
    /// The real path of the project.
    real: PathBuf,
    paths: BTreeSet<PathBuf>,
}

impl Found<'_> {
    /// The path below the project for a name, relative to the first of `bases` where it exists.
    fn locate(&self, bases: &[PathBuf], name: &str) -> Option<PathBuf> {
        let below = |base: &PathBuf| {
            let path = aris_fs::lexical(&base.join(name));
            let path = match path.strip_prefix(&self.real) {
                Ok(rest) => self.project.join(rest),
                Err(_) => path,
            };
            (path.starts_with(self.project) && path.exists()).then_some(path)
        };
        bases.iter().find_map(below)
    }

    fn add(&mut self, path: &Path) {
        if path.is_dir() {
            // Subfolders are not searched, because a prompt often names the whole project.
            let entries = aris_fs::list_sorted(path).unwrap_or_default();
            let mut is_paper = false;
            for entry in entries {
                is_paper |= self.document(&entry.path);
            }
            if !is_paper && path != self.project {
                self.below(path);
            }
        } else {
            self.paths.insert(path.to_path_buf());
            self.document(path);
        }
    }

    /// Adds a root document and all that it includes; returns `false` if the file is not a root document.
    fn document(&mut self, file: &Path) -> bool {
        let is_tex = file.extension().is_some_and(|extension| extension == "tex");
        let (Some(folder), Some(name)) = (
            file.parent(),
            file.file_name().and_then(|name| name.to_str()),
        ) else {
            return false;
        };
        if !is_tex {
            return false;
        }
        let mut files = PaperFiles::new(&folder.canonicalize().unwrap_or_else(|_| folder.into()));
        let text = files.source(name).ok().flatten().unwrap_or_default();
        if !String::from_utf8_lossy(&text).contains("\\documentclass") {
            return false;
        }
        let Ok(document) = files.document(Some(name)) else {
            return false;
        };
        let other = document.includes.iter().filter_map(|include| {
            let mut candidates = include.candidates.iter();
            candidates.find(|name| {
                include.outcome == IncludeOutcome::NotRead && folder.join(name).is_file()
            })
        });
        let names = files.digests.keys().chain(other);
        let paths = names.map(|name| aris_fs::lexical(&folder.join(name)));
        self.paths.extend(paths);
        true
    }

    /// Adds the files below a folder, except hidden ones.
    fn below(&mut self, folder: &Path) {
        let hidden = |name: &OsStr| name.to_string_lossy().starts_with('.');
        let mut folders = 0_usize;
        let entries = aris_fs::walk_sorted(folder, &mut |entry| {
            folders += 1;
            folders <= FOLDERS && !hidden(&entry.name)
        });
        let mut left = FOLDER_BYTES;
        let files = entries.unwrap_or_default().into_iter().filter(|entry| {
            matches!(entry.kind, EntryKind::File | EntryKind::Link) && !hidden(&entry.name)
        });
        for file in files.take(FOLDER_FILES) {
            let bytes = fs::metadata(&file.path).map_or(0, |metadata| metadata.len());
            let Some(rest) = left.checked_sub(bytes) else {
                break;
            };
            left = rest;
            self.paths.insert(file.path);
        }
    }
}

/// All parts of a prompt that may be paths: words, quoted texts, and whole lines, because names may contain spaces.
fn names(prompt: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in prompt.lines() {
        let whole = line.trim_start_matches(['-', '*', '+', '>', ' ', '\t']);
        let quoted = line.split(['`', '"', '\'']);
        let words =
            line.split(|c: char| c.is_whitespace() || "`\"'()[]{}<>,;|=，。；：、（）".contains(c));
        for name in std::iter::once(whole).chain(quoted).chain(words) {
            let name = name
                .trim()
                .trim_end_matches(['.', ',', ':', ';', '!', '?', ')']);
            // `main.tex:12` names a line of a file.
            let name = match name.split_once(':') {
                Some((file, line)) if line.starts_with(|c: char| c.is_ascii_digit()) => file,
                _ => name,
            };
            let path = name.contains(['/', '.']) && !name.contains("://") && !name.contains('\0');
            if path && name.len() <= PATH_LIMIT {
                names.insert(name.to_owned());
            }
            if names.len() >= NAMES {
                return names;
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

    use super::*;

    #[test]
    fn declared_files_and_whatever_a_prompt_names_below_the_project_are_hashed() {
        let temp = tempfile::tempdir().expect("temp");
        let project = temp.path().canonicalize().expect("real").join("project");
        for (path, text) in [
            (
                "paper/main.tex",
                r"\documentclass{a}\begin{document}\input{sections/a}\bibliography{refs}\end{document}",
            ),
            ("paper/sections/a.tex", "a"),
            ("paper/old.tex", "old"),
            ("paper/refs.bib", "b"),
            ("results/x.json", "{}"),
            ("results/deep/y z.csv", "1"),
            ("results/.hidden", "h"),
            ("notes.md", "n"),
            ("../outside.json", "o"),
        ] {
            let path = project.join(path);
            fs::create_dir_all(path.parent().expect("folder")).expect("folder");
            fs::write(path, text).expect("write");
        }
        let all = "paper/main.tex paper/refs.bib paper/sections/a.tex";
        let absolute = project.join("results/x.json").display().to_string();
        let outside = project.join("../outside.json").display().to_string();
        for (files, prompt, expected) in [
            (vec![], String::from("Audit the paper."), String::new()),
            (
                vec![],
                String::from("Read paper/sections/a.tex."),
                String::from("paper/sections/a.tex"),
            ),
            (
                vec![],
                String::from("Read `paper/main.tex:3`, please"),
                all.to_owned(),
            ),
            (
                vec![],
                String::from("Folder: paper/\nNotes: notes.md"),
                format!("notes.md {all}"),
            ),
            (
                vec![],
                String::from("Working directory: paper/\n- old.tex"),
                format!(
                    "{} {}",
                    "paper/main.tex paper/old.tex", "paper/refs.bib paper/sections/a.tex"
                ),
            ),
            (
                vec![],
                String::from("- results/deep/y z.csv"),
                String::from("results/deep/y z.csv"),
            ),
            (
                vec![],
                String::from("results/*.json"),
                String::from("results/deep/y z.csv results/x.json"),
            ),
            (
                vec![],
                format!("{absolute} and {outside}"),
                String::from("results/x.json"),
            ),
            (
                vec!["notes.md".to_owned()],
                String::new(),
                String::from("notes.md"),
            ),
        ] {
            let found = reviewed(&project, &project, &files, prompt.as_bytes());
            let names: Vec<&str> = found.digests.keys().map(String::as_str).collect();
            assert_eq!(names.join(" "), expected, "{prompt}");
            assert!(found.missing.is_empty(), "{:?}", found.missing);
        }
        let found = reviewed(
            &project,
            &project.join("paper"),
            &[outside.clone(), "old.tex".to_owned(), "none".to_owned()],
            b"",
        );
        let outside = aris_fs::lexical(Path::new(&outside)).display().to_string();
        assert_eq!(
            found.digests.keys().collect::<Vec<_>>(),
            [&outside, "paper/old.tex"]
        );
        assert_eq!(found.missing, ["none is not there"]);
        assert_eq!(
            found.digests["paper/old.tex"],
            crate::Digest::of(b"old").to_string()
        );
    }
}
