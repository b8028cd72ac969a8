//! What reports rest on besides their text: entries of bibliographies, and data of bound numbers. Where a diff changes these, sentences are under
//! review that it does not touch.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use aris_claims::bindings::FILE_NAME;
use aris_gates::Worktree;
use aris_paper::bib::{BibFile, Entry};
use aris_paper::titles::{self, TitleMatch};
use aris_review::{Diff, Finding, Reports, Severity};
use aris_statements::disk::{Disk, inside};
use aris_statements::prose::Prose;
use aris_statements::rules::BoundNumber;
use aris_statements::statement::statements;

use crate::Error;
use crate::agents::unseen;
use crate::bindings::evaluated;
use crate::excerpts::{Sentences, lines};

/// What a diff does to the works that can be cited.
#[derive(Debug, Default)]
pub(crate) struct Works {
    /// By bibliography and key, each entry that is gone, or names another work: what it named, and what it names.
    changed: BTreeMap<(String, String), (String, Option<String>)>,
    /// Bibliographies that are deleted: nobody knows what stood in them.
    deleted: BTreeSet<String>,
}

impl Works {
    /// Those of the bibliographies in a diff, which stand in the worktree as the diff leaves them.
    pub(crate) fn of(worktree: &Path, diff: &Diff) -> Self {
        let mut works = Self::default();
        for file in diff.files.iter().filter(|file| is_bib(&file.path)) {
            let path = inside(worktree, &file.path);
            let Some(now) = path.and_then(|path| aris_fs::read_text(&path).ok()) else {
                continue;
            };
            let read = |text: &str| BibFile::read(file.path.clone(), text, &[]);
            let (before, now) = (read(&file.text_before(&now)), read(&now));
            for old in &before.read.entries {
                let mut same_key = now.read.entries.iter().filter(|new| new.key == old.key);
                let new = same_key.next();
                // Biber reads no entry behind a `%`.
                let hidden = new.is_some_and(|new| new.commented && !old.commented);
                if hidden || new.is_none_or(|new| !is_same(old, new)) {
                    let new = new.filter(|_| !hidden);
                    let change = (title(old), new.map(title));
                    let key = (file.path.clone(), old.key.clone());
                    works.changed.insert(key, change);
                }
            }
        }
        let deleted = diff.deleted.iter().filter(|path| is_bib(path));
        works.deleted = deleted.cloned().collect();
        works
    }

    /// Reports outside the diff that cite one of them, or may. Each is read with what it includes.
    pub(crate) fn citing(
        &self,
        worktree: &Worktree,
        reports: &Reports,
        diff: &Diff,
        problems: &mut Vec<String>,
    ) -> Result<Vec<(PathBuf, Prose)>, Error> {
        let mut read: Vec<(PathBuf, Prose)> = Vec::new();
        if self.changed.is_empty() && self.deleted.is_empty() {
            return Ok(read);
        }
        let disk = Disk::new(&worktree.path);
        for name in worktree.tracked()? {
            if !reports.has(&name) || diff.file(&name).is_some() {
                continue;
            }
            if inside(&worktree.path, &name).is_none() {
                continue;
            }
            match disk.prose(Path::new(&name)) {
                Ok(prose) if self.concerns(&prose) => read.push((PathBuf::from(name), prose)),
                Ok(_) => {}
                Err(error) => problems.push(format!("{name}: {error}")),
            }
        }
        Ok(read)
    }

    fn concerns(&self, prose: &Prose) -> bool {
        let asked = asked(prose);
        let cited = prose.references.cited.iter();
        cited
            .flat_map(|cited| self.change(&asked, &cited.key))
            .next()
            .is_some()
            || asked.iter().any(|path| self.deleted.contains(path))
    }

    /// What becomes of a key in these bibliographies.
    fn change<'a>(
        &'a self,
        asked: &'a [String],
        key: &'a str,
    ) -> impl Iterator<Item = &'a (String, Option<String>)> {
        let paths = asked.iter();
        paths.filter_map(move |path| self.changed.get(&(path.clone(), key.to_owned())))
    }
}

/// The bibliographies that a document asks for, by all names that each may have. A part of a document asks for none: the whole does.
fn asked(prose: &Prose) -> Vec<String> {
    let document = prose.files.first().map_or("", String::as_str);
    let folder = Path::new(document).parent().unwrap_or(Path::new(""));
    let names = prose.references.files.iter().flatten();
    let paths = names.filter_map(|name| aris_fs::join_inside(folder, Path::new(name)).ok());
    paths.map(|path| name_of(&path)).collect()
}

fn name_of(path: &Path) -> String {
    path.display().to_string().replace(MAIN_SEPARATOR, "/")
}

/// Lines that rest on what the diff changes, by file, and what is found of them.
#[derive(Debug, Default)]
pub(crate) struct Under {
    /// With the sentence of each.
    lines: BTreeMap<String, BTreeMap<u32, String>>,
    /// One for each sentence that cites another work now.
    pub(crate) findings: Vec<Finding>,
}

impl Under {
    /// The sentence of a line that is one of them; empty where its number says enough.
    pub(crate) fn sentence(&self, file: &str, line: u32) -> Option<&str> {
        self.lines.get(file)?.get(&line).map(String::as_str)
    }

    /// Adds the sentences of a document that cite what was another source in the document before.
    pub(crate) fn compare(&mut self, prose: &Prose, before: &Sentences) {
        for one in statements(prose) {
            let Some((mark, was, is)) = before.replaced(prose, &one) else {
                continue;
            };
            let text = aris_review::one_line(one.text(prose), 120);
            let under = self.lines.entry(one.file.clone()).or_default();
            under.extend(lines(prose, &one).map(|line| (line, text.clone())));
            let line = *lines(prose, &one).start();
            self.replaced(&one.file, line, &change(mark, was, is.as_deref()));
        }
    }

    fn replaced(&mut self, file: &str, line: u32, what: &str) {
        let message = format!("{what}; say what shows it now");
        let rule = "cited-source-changed";
        let place = (file, Some(line));
        self.findings.push(Finding {
            requires_decision: true,
            ..Finding::of_rule(rule, Severity::Warning, "external", place, message)
        });
    }

    pub(crate) fn number(&mut self, number: &BoundNumber) {
        let line = u32::try_from(number.line).unwrap_or(u32::MAX);
        let lines = self.lines.entry(number.file.clone()).or_default();
        lines.entry(line).or_default();
    }

    /// Adds the sentences of a document that cite one of these works.
    pub(crate) fn add(&mut self, works: &Works, prose: &Prose) {
        let all = statements(prose);
        let asked = asked(prose);
        for cited in &prose.references.cited {
            let at = u32::try_from(cited.place.line).unwrap_or(u32::MAX);
            let file = cited.place.file.as_str();
            for (before, now) in works.change(&asked, &cited.key) {
                let mut sentences = all.iter().filter(|one| one.file == file);
                let sentence = sentences.find(|one| lines(prose, one).contains(&at));
                let text = sentence.map_or("", |one| one.text(prose));
                let under = self.lines.entry(file.to_owned()).or_default();
                let here = sentence.into_iter().flat_map(|one| lines(prose, one));
                for line in here.chain([at]) {
                    under.insert(line, aris_review::one_line(text, 120));
                }
                let mark = format!("`{}`", cited.key);
                self.replaced(file, at, &change(&mark, before, now.as_deref()));
            }
        }
    }
}

/// Bound numbers whose data, or bindings, the diff changes.
pub(crate) fn touched(
    worktree: &Worktree,
    reports: &Reports,
    diff: &Diff,
) -> Result<Vec<BoundNumber>, Error> {
    let shown = diff.files.iter().map(|file| &file.path);
    let hidden = diff.hidden.iter().map(|file| &file.path);
    let changed = shown.chain(hidden).chain(&diff.deleted);
    let changed: BTreeSet<&String> = changed.filter(|path| !reports.has(path)).collect();
    let mut touched = Vec::new();
    if changed.is_empty() {
        return Ok(touched);
    }
    for name in worktree.tracked()? {
        let path = Path::new(&name);
        if path.file_name() != Some(OsStr::new(FILE_NAME)) {
            continue;
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let numbers = evaluated(folder, &worktree.path).unwrap_or_default();
        let numbers = numbers
            .into_iter()
            .filter(|(_, files)| files.iter().any(|file| changed.contains(file)));
        touched.extend(numbers.map(|(number, _)| number));
    }
    Ok(touched)
}

/// What of the diff nobody looks at though reports rest on it: files that a LaTeX report reads and that are no reports, and bindings that are taken out.
pub(crate) fn unlooked(
    worktree: &Worktree,
    reports: &Reports,
    diff: &Diff,
) -> Result<Vec<Finding>, Error> {
    let bindings = |path: &str| Path::new(path).file_name() == Some(OsStr::new(FILE_NAME));
    let deleted = diff.deleted.iter().filter(|path| bindings(path));
    let mut open: Vec<(&str, &str)> = deleted.map(|path| (path.as_str(), FEWER)).collect();
    for file in diff.files.iter().filter(|file| bindings(&file.path)) {
        let count = |lines: &mut dyn Iterator<Item = &str>| {
            lines
                .filter(|line| line.trim_start().starts_with("[["))
                .count()
        };
        let gone = count(&mut file.deleted.iter().map(|line| line.text.as_str()));
        let new = file.lines.iter().filter(|line| line.old.is_none());
        if gone > count(&mut new.map(|line| line.text.as_str())) {
            open.push((&file.path, FEWER));
        }
    }
    let others = diff.files.iter().map(|file| file.path.as_str());
    let others: Vec<&str> = others
        .filter(|path| !reports.has(path) && !is_bib(path))
        .collect();
    if !others.is_empty() {
        let mut read = BTreeSet::new();
        for name in worktree.tracked()? {
            let is_latex = name.to_ascii_lowercase().ends_with(".tex") && reports.has(&name);
            let path = inside(&worktree.path, &name).filter(|_| is_latex);
            if let Some(text) = path.and_then(|path| aris_fs::read_text(&path).ok()) {
                read.extend(read_by(&text));
            }
        }
        let is_read = |path: &&str| {
            let path = Path::new(path);
            let names = [path.file_name(), path.file_stem()].into_iter().flatten();
            names
                .into_iter()
                .any(|name| read.contains(&*name.to_string_lossy()))
        };
        let why = "a report reads this file, which is no report by its name (--report-glob)";
        open.extend(others.into_iter().filter(is_read).map(|path| (path, why)));
    }
    let findings = open.into_iter();
    Ok(findings
        .map(|(path, why)| unseen((path, None), "external", why))
        .collect())
}

const FEWER: &str =
    "bindings of numbers are taken out, so that fewer numbers are held against data";

/// Commands that read a file of text.
const READING: [&str; 9] = [
    "input",
    "include",
    "subfile",
    "import",
    "subimport",
    "usepackage",
    "RequirePackage",
    "documentclass",
    "LoadClass",
];

/// The names of the files that a LaTeX text reads, without their folders.
fn read_by(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for command in text.split('\\').skip(1) {
        let letters = command.find(|c: char| !c.is_ascii_alphabetic());
        let (name, rest) = command.split_at(letters.unwrap_or(command.len()));
        if !READING.contains(&name) {
            continue;
        }
        let arguments = rest.split('{').skip(1).take(2);
        let arguments = arguments.filter_map(|argument| argument.split('}').next());
        // Without braces it ends at a blank.
        let bare = rest.split_whitespace().next().into_iter();
        for file in arguments.chain(bare).flat_map(|list| list.split(',')) {
            let file = file.trim().rsplit('/').next().unwrap_or("");
            names.insert(file.to_owned());
        }
    }
    names
}

fn is_bib(path: &str) -> bool {
    let ending = Path::new(path).extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("bib"))
}

/// Whether both name one work: an equal identifier, or the title up to a subtitle and misprints.
fn is_same(old: &Entry, new: &Entry) -> bool {
    let both = |name| Some((old.text(name)?, new.text(name)?));
    let equal = |name| both(name).is_some_and(|(old, new)| old.eq_ignore_ascii_case(new));
    let titles = both("title").map(|(old, new)| titles::compare(old, new));
    match titles {
        Some(TitleMatch::Same | TitleMatch::MainTitle | TitleMatch::Near(_)) => true,
        Some(TitleMatch::NumbersDiffer | TitleMatch::Different) => false,
        None => ["doi", "eprint", "url"].into_iter().any(equal) || texts(old) == texts(new),
    }
}

fn texts(entry: &Entry) -> BTreeSet<(&str, &str)> {
    let fields = entry.fields.iter();
    fields
        .map(|field| (field.name.as_str(), field.text.as_str()))
        .collect()
}

fn title(entry: &Entry) -> String {
    let title = entry.text("title");
    title.unwrap_or("a work without a title").to_owned()
}

/// A change of what a mark leads to, in words.
fn change(mark: &str, was: &str, is: Option<&str>) -> String {
    let shown = |text: &str| aris_review::one_line(text, 120);
    let was = match shown(was) {
        was if was.is_empty() => String::from("a bibliography"),
        was => format!("{was:?}"),
    };
    match is {
        Some(is) => format!("{mark} led to {was} and leads to {:?} now", shown(is)),
        None => format!("{mark} led to {was} and leads nowhere now"),
    }
}
