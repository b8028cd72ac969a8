//! Public papers of many classes are read without a false problem.
//!
//! `ARIS_LATEX_CORPUS` names a folder that holds a subfolder `owner+name` for each paper; `corpus.txt` lists the papers that were read
//! so far. With network access, this makes the folder:
//!
//! ```sh
//! grep '^[^# ]' crates/aris-latex/tests/corpus.txt | while read -r paper commit; do
//!   folder="$ARIS_LATEX_CORPUS/${paper%/*}+${paper#*/}"
//!   git init -q "$folder"
//!   git -C "$folder" fetch -q --depth 1 "https://github.com/$paper" "$commit"
//!   git -C "$folder" checkout -q FETCH_HEAD
//! done
//! ```
//!
//! The folder may hold other papers, too. A problem is false unless `corpus.txt` lists it below its paper, because somebody
//! looked at the place. Files that are nowhere in the folder really are missing, and so is what they may define. Unread text is
//! only counted.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests read files directly")]

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use aris_latex::{Document, IncludeKind, Loaded, ProblemKind, RootError, find_root};

/// Most root documents of one repository that are read.
const ROOTS: usize = 40;

/// A paper's files, relative to its folder.
fn files(folder: &Path, below: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder.join(below)).expect("a folder") {
        let entry = entry.expect("an entry");
        let path = below.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            files(folder, &path, found);
        } else {
            found.push(path);
        }
    }
    found.sort();
}

fn text(path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The problems in `corpus.txt`, as they are printed.
fn known() -> BTreeSet<String> {
    let mut paper = String::new();
    let mut known = BTreeSet::new();
    for line in include_str!("corpus.txt").lines() {
        match line.strip_prefix("  ") {
            Some(problem) => drop(known.insert(format!("{paper} {problem}"))),
            None => paper = line.split(' ').next().unwrap_or("").replace('/', "+"),
        }
    }
    known
}

#[derive(Default)]
struct Seen {
    papers: usize,
    documents: usize,
    classes: BTreeMap<String, usize>,
    unread: usize,
    undecided: usize,
    known: usize,
    missing: usize,
    wrong: Vec<String>,
}

impl Seen {
    fn document(&mut self, folder: &Path, root: &str, all: &[PathBuf], known: &BTreeSet<String>) {
        let paper = folder.file_name().expect("a name").to_string_lossy();
        let root = Path::new(root);
        let base = root.parent().expect("a folder");
        let name = root.file_name().expect("a name").to_string_lossy();
        let mut load = |path: &str| match text(&folder.join(base).join(path)) {
            Some(text) => Loaded::Text(text.into()),
            None => Loaded::Absent,
        };
        let document = Document::read(&name, &mut load).expect("a document");
        self.documents += 1;
        let class = document.files[0].text.split("\\documentclass").nth(1);
        let class = class.and_then(|rest| rest.split(['{', '}']).nth(1));
        *self
            .classes
            .entry(class.unwrap_or("?").to_owned())
            .or_default() += 1;
        let is_there = |path: &str| {
            let name = Path::new(path).file_name();
            all.iter()
                .any(|file| file.starts_with(base) && file.file_name() == name)
        };
        let missing: Vec<_> = (document.includes.iter())
            .filter(|include| include.resolved.is_none() && include.kind <= IncludeKind::Import)
            .collect();
        for problem in &document.problems {
            let at = document.position(problem.place);
            let shown = base.join(&at.path).display().to_string();
            let line = format!(
                "{paper} {:?} {shown}:{} {}",
                problem.kind, at.line, problem.message
            );
            let is_true = match problem.kind {
                ProblemKind::UnreadText(_) => {
                    self.unread += 1;
                    continue;
                }
                ProblemKind::Undecided(_) => {
                    self.undecided += 1;
                    continue;
                }
                ProblemKind::MissingInclude => {
                    let found = missing
                        .iter()
                        .find(|include| include.place == problem.place);
                    found.is_some_and(|it| !it.candidates.iter().any(|path| is_there(path)))
                }
                ProblemKind::UndefinedMacro => !missing.is_empty(),
                _ => false,
            };
            if known.contains(&line) {
                self.known += 1;
            } else if is_true {
                self.missing += 1;
            } else {
                self.wrong.push(line);
            }
        }
    }
}

#[test]
fn public_papers_are_read_without_a_false_problem() {
    let Some(corpus) = std::env::var_os("ARIS_LATEX_CORPUS").map(PathBuf::from) else {
        println!("skipped: ARIS_LATEX_CORPUS names no folder of papers");
        return;
    };
    let known = known();
    let mut seen = Seen::default();
    for entry in std::fs::read_dir(&corpus).expect("the corpus") {
        let folder = entry.expect("an entry").path();
        if !folder.is_dir() {
            continue;
        }
        let mut all = Vec::new();
        files(&folder, Path::new(""), &mut all);
        let is_tex = |path: &&PathBuf| path.extension().is_some_and(|end| end == "tex");
        let read = |path: &PathBuf| Some((path.display().to_string(), text(&folder.join(path))?));
        let tex: Vec<_> = all.iter().filter(is_tex).filter_map(read).collect();
        let roots = match find_root(&tex) {
            Ok(root) => vec![root.path],
            Err(RootError::Several { candidates }) => candidates,
            Err(RootError::None) => continue,
        };
        seen.papers += 1;
        for root in roots.iter().take(ROOTS) {
            seen.document(&folder, root, &all, &known);
        }
    }
    println!(
        "{} repositories, {} documents, {} classes; true problems: {} known, {} of missing files; {} times text is not read, {} times not known to be set",
        seen.papers,
        seen.documents,
        seen.classes.len(),
        seen.known,
        seen.missing,
        seen.unread,
        seen.undecided
    );
    println!("{:?}", seen.classes);
    assert_eq!(
        seen.wrong,
        Vec::<String>::new(),
        "{} false problems",
        seen.wrong.len()
    );
}
