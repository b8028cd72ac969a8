//! What reports depend on besides their text: entries of bibliographies, data and bindings of numbers, included files. A change of these
//! puts sentences under review that the diff does not touch.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use aris_claims::bindings::{Claims, FILE_NAME};
use aris_contract::failure::ErrorBody;
use aris_gates::Worktree;
use aris_paper::bib::{BibFile, Entry};
use aris_paper::titles::{self, TitleMatch};
use aris_review::{Diff, Finding, Reports, Severity};
use aris_statements::disk::{Disk, DiskError, inside, name};
use aris_statements::prose::Prose;
use aris_statements::rules::BoundNumber;
use aris_statements::statement::statements;

use crate::Error;
use crate::agents::unseen;
use crate::bindings::evaluated;
use crate::excerpts::{Sentences, lines};

/// What a diff changes besides reports, and the files of the worktree.
pub(crate) struct Beside<'a> {
    worktree: &'a Path,
    reports: &'a Reports,
    diff: &'a Diff,
    /// Paths of the files that are no reports, also those before a renaming.
    changed: BTreeSet<&'a str>,
    /// Files that git tracks; empty where only reports have changed.
    tracked: Vec<String>,
}

/// What is known of the text of a changed file.
enum Texts {
    /// The text before and now.
    Known([String; 2]),
    /// It has not changed.
    AsBefore,
    /// The file is gone or cannot be read, or the diff does not show its text.
    Unknown,
}

impl<'a> Beside<'a> {
    pub(crate) fn of(
        tree: &'a Worktree,
        reports: &'a Reports,
        diff: &'a Diff,
    ) -> Result<Self, Error> {
        let shown = diff
            .files
            .iter()
            .flat_map(|file| [&file.path, &file.old_path]);
        let hidden = diff.hidden.iter();
        let hidden = hidden.flat_map(|file| [Some(&file.path), file.was.as_ref()]);
        let all = shown.chain(hidden.flatten()).chain(&diff.deleted);
        let changed: BTreeSet<&str> = all
            .map(String::as_str)
            .filter(|path| !reports.has(path))
            .collect();
        let tracked = if changed.is_empty() {
            Vec::new()
        } else {
            tree.tracked()?
        };
        Ok(Self {
            worktree: &tree.path,
            reports,
            diff,
            changed,
            tracked,
        })
    }

    /// The texts of a changed file.
    fn texts(&self, path: &str) -> Texts {
        let now = || aris_fs::read_text(&inside(self.worktree, path)?).ok();
        let is_shown = self.diff.file(path);
        match is_shown.and_then(|file| Some((file, now()?))) {
            Some((file, now)) => Texts::Known([file.text_before(&now), now]),
            // The file was copied or renamed, and is still here as it was.
            None if is_shown.is_none() && !self.is_hidden(path) && now().is_some() => {
                Texts::AsBefore
            }
            None => Texts::Unknown,
        }
    }

    fn is_hidden(&self, path: &str) -> bool {
        self.diff.hidden.iter().any(|hidden| hidden.path == path)
    }

    /// How the diff changes the works that can be cited.
    pub(crate) fn works(&self) -> Works {
        let mut works = Works::default();
        let bibliographies = self.changed.iter().filter(|path| is_bib(path));
        for path in bibliographies {
            match self.texts(path) {
                Texts::Known(texts) => works.compare(path, &texts),
                Texts::AsBefore => {}
                Texts::Unknown => {
                    works.unknown.insert((*path).to_owned());
                }
            }
        }
        works
    }

    /// Adds the reports outside of the diff that cite one of these works, or may cite one, each with the files that it includes. Also
    /// returns findings about changed files that nobody looks at, although one of all these reports includes them.
    pub(crate) fn citing(
        &self,
        works: &Works,
        mut read: Vec<(PathBuf, Prose)>,
        problems: &mut Vec<String>,
    ) -> (Vec<(PathBuf, Prose)>, Vec<Finding>) {
        let mut included: BTreeSet<&str> = BTreeSet::new();
        for (_, prose) in &read {
            included.extend(self.included(prose));
        }
        let disk = Disk::new(self.worktree);
        let reports = self.tracked.iter().filter(|name| self.reports.has(name));
        for name in reports.filter(|name| self.diff.file(name).is_none()) {
            let is_latex = name.to_ascii_lowercase().ends_with(".tex");
            let may_concern = is_latex || !works.are_as_before();
            if !may_concern || inside(self.worktree, name).is_none() {
                continue;
            }
            match disk.prose(Path::new(name)) {
                Ok(prose) => {
                    included.extend(self.included(&prose));
                    if works.concern(&prose) {
                        read.push((PathBuf::from(name), prose));
                    }
                }
                Err(error) => problems.push(unread(self.worktree, &error)),
            }
        }
        for (path, prose) in &read {
            let unknown = asked(prose)
                .into_iter()
                .find(|bib| works.unknown.contains(bib));
            if let Some(bib) = unknown {
                let path = path.display();
                problems.push(format!(
                    "{path}: cites {bib}, and the diff does not show how its entries change"
                ));
            }
        }
        let why =
            "a report includes this file, and its own name is not that of a report (--report-glob)";
        let open = included.into_iter().map(|path| unlooked(path, why));
        (read, open.collect())
    }

    /// The changed files that a document includes.
    fn included(&self, prose: &Prose) -> impl Iterator<Item = &'a str> {
        let included = prose.references.included.iter();
        included.filter_map(|path| self.changed.get(path.as_str()).copied())
    }

    /// The bound numbers of these folders, and those of other folders whose data or bindings have changed. Numbers whose data or bindings
    /// have changed are also added to `resting`.
    pub(crate) fn numbers(
        &self,
        mut folders: BTreeSet<PathBuf>,
        resting: &mut Resting,
    ) -> Vec<BoundNumber> {
        let own = folders.clone();
        let bindings = self.tracked.iter().filter(|name| is_bindings(name));
        folders.extend(bindings.map(folder));
        let mut numbers = Vec::new();
        for folder in folders {
            for (number, files) in evaluated(&folder, self.worktree).unwrap_or_default() {
                let rests = files
                    .iter()
                    .any(|file| self.changed.contains(file.as_str()));
                if rests {
                    let line = u32::try_from(number.line).unwrap_or(u32::MAX);
                    let lines = resting.lines.entry(number.file.clone()).or_default();
                    lines.entry(line).or_default();
                }
                if rests || own.contains(&folder) {
                    numbers.push(number);
                }
            }
        }
        numbers
    }

    /// A finding for each `claims.toml` that binds fewer numbers than before.
    pub(crate) fn unbound(&self) -> Vec<Finding> {
        let count = |text: &str| {
            let claims = Claims::read(text).ok()?;
            Some(claims.claims.len() + claims.tables.len())
        };
        // A file that cannot be read now is reported with its numbers.
        let fewer = |path: &&&str| match self.texts(path) {
            Texts::Known([before, now]) => count(&now)
                .zip(count(&before))
                .is_some_and(|(now, before)| now < before),
            Texts::AsBefore => false,
            Texts::Unknown => true,
        };
        let changed = self.changed.iter().filter(|path| is_bindings(path));
        let why = "bindings were removed, or the diff does not show them: fewer numbers may be compared with data";
        let fewer = changed.filter(fewer);
        fewer.map(|path| unlooked(path, why)).collect()
    }
}

/// The message of an error about a document, with its path in the worktree. It is posted, where the path of the worktree is of no use.
pub(crate) fn unread(worktree: &Path, error: &DiskError) -> String {
    let told = ErrorBody::of(error).message;
    told.replace(&format!("{}/", worktree.display()), "")
}

fn unlooked(path: &str, why: &str) -> Finding {
    unseen((path, None), "external", why)
}

fn is_bib(path: &str) -> bool {
    let ending = Path::new(path).extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("bib"))
}

fn is_bindings(path: &str) -> bool {
    Path::new(path).file_name() == Some(OsStr::new(FILE_NAME))
}

/// The folder of a file.
pub(crate) fn folder(path: impl AsRef<Path>) -> PathBuf {
    let folder = path.as_ref().parent();
    folder.map_or_else(PathBuf::new, Path::to_path_buf)
}

/// How a diff changes the works that can be cited.
#[derive(Debug, Default)]
pub(crate) struct Works {
    /// Entries that are gone or name another work, by bibliography and key: the title before and now.
    changed: BTreeMap<(String, String), (String, Option<String>)>,
    /// Bibliographies whose text before or now is unknown.
    unknown: BTreeSet<String>,
}

impl Works {
    fn compare(&mut self, path: &str, texts: &[String; 2]) {
        let [before, now] = texts
            .each_ref()
            .map(|text| BibFile::read(path.to_owned(), text, &[]).read.entries);
        let [before, now] = [&before, &now].map(|entries| {
            // Of equal keys the first one counts.
            let entries = entries
                .iter()
                .rev()
                .map(|entry| (entry.key.as_str(), entry));
            entries.collect::<BTreeMap<_, _>>()
        });
        for (key, old) in before {
            // Biber does not read an entry after a `%`.
            let new = now.get(key).filter(|new| !new.commented || old.commented);
            if new.is_none_or(|new| !is_same(old, new)) {
                let change = (title(old), new.map(|new| title(new)));
                self.changed
                    .insert((path.to_owned(), key.to_owned()), change);
            }
        }
    }

    fn are_as_before(&self) -> bool {
        self.changed.is_empty() && self.unknown.is_empty()
    }

    fn concern(&self, prose: &Prose) -> bool {
        let asked = asked(prose);
        let mut cited = prose.references.cited.iter();
        cited.any(|cited| self.change(&asked, &cited.key).is_some())
            || asked.iter().any(|path| self.unknown.contains(path))
    }

    /// How a key changes in these bibliographies; `None` where it does not.
    fn change(&self, asked: &[String], key: &str) -> Option<&(String, Option<String>)> {
        let mut paths = asked.iter();
        paths.find_map(|path| self.changed.get(&(path.clone(), key.to_owned())))
    }
}

/// The bibliographies that a document names, with every path that each may have. A part of a document names none: the whole document does.
fn asked(prose: &Prose) -> Vec<String> {
    let folder = folder(prose.files.first().map_or("", String::as_str));
    let names = prose.references.files.iter().flatten();
    let paths = names.filter_map(|name| aris_fs::join_inside(&folder, Path::new(name)).ok());
    paths.map(|path| name(&path)).collect()
}

/// Whether both entries name the same work: by title, apart from a subtitle and misprints; without titles by an identifier, or by all
/// fields.
fn is_same(old: &Entry, new: &Entry) -> bool {
    let both = |name| Some((old.text(name)?, new.text(name)?));
    let equal = |name| both(name).is_some_and(|(old, new)| old.eq_ignore_ascii_case(new));
    match both("title").map(|(old, new)| titles::compare(old, new)) {
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

/// Lines that depend on what the diff changes, by file, and the findings about them.
#[derive(Debug, Default)]
pub(crate) struct Resting {
    /// Each with the beginning of its sentence; empty for a number, whose finding says where it is.
    lines: BTreeMap<String, BTreeMap<u32, String>>,
    /// One for each sentence that cites another source than before.
    pub(crate) findings: Vec<Finding>,
}

impl Resting {
    /// The beginning of the sentence on a line that depends on a change.
    pub(crate) fn sentence(&self, file: &str, line: u32) -> Option<&str> {
        self.lines.get(file)?.get(&line).map(String::as_str)
    }

    /// Adds the sentences of a document that cite another source than in the document before.
    pub(crate) fn compare(&mut self, prose: &Prose, before: &Sentences) {
        for one in statements(prose) {
            if let Some((mark, was, is)) = before.replaced(prose, &one) {
                let lines = lines(prose, &one);
                let place = (one.file.as_str(), *lines.start());
                self.add(
                    place,
                    lines,
                    one.text(prose),
                    &change(mark, was, is.as_deref()),
                );
            }
        }
    }

    /// Adds the sentences of a document that cite one of these works.
    pub(crate) fn cite(&mut self, works: &Works, prose: &Prose) {
        let asked = asked(prose);
        let changed = prose.references.cited.iter();
        let mut changed = changed
            .filter_map(|cited| Some((cited, works.change(&asked, &cited.key)?)))
            .peekable();
        if changed.peek().is_none() {
            return;
        }
        let all = statements(prose);
        for (cited, (was, is)) in changed {
            let at = u32::try_from(cited.place.line).unwrap_or(u32::MAX);
            let file = cited.place.file.as_str();
            let mut here = all.iter().filter(|one| one.file == file);
            let sentence = here.find(|one| lines(prose, one).contains(&at));
            let text = sentence.map_or("", |one| one.text(prose));
            let lines = sentence.map_or(at..=at, |one| lines(prose, one));
            let mark = format!("`{}`", cited.key);
            self.add((file, at), lines, text, &change(&mark, was, is.as_deref()));
        }
    }

    fn add(
        &mut self,
        (file, line): (&str, u32),
        lines: std::ops::RangeInclusive<u32>,
        text: &str,
        change: &str,
    ) {
        let text = aris_review::one_line(text, 120);
        let resting = self.lines.entry(file.to_owned()).or_default();
        resting.extend(lines.map(|line| (line, text.clone())));
        let rule = "cited-source-changed";
        let place = (file, Some(line));
        self.findings.push(Finding {
            requires_decision: true,
            ..Finding::of_rule(rule, Severity::Warning, "external", place, change)
        });
    }
}

/// The message about a source that has changed, with what to do.
fn change(mark: &str, was: &str, is: Option<&str>) -> String {
    let shown = |text: &str| aris_review::one_line(text, 120);
    let was = match shown(was) {
        was if was.is_empty() => String::from("an entry of a bibliography"),
        was => format!("{was:?}"),
    };
    match is {
        Some(is) => format!(
            "{mark} leads to {:?} now, and led to {was} before; check that the new source supports the sentence",
            shown(is)
        ),
        None => format!(
            "{mark} leads nowhere now, and led to {was} before; restore that source, or cite another"
        ),
    }
}
