//! Files a document asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use indexmap::IndexSet;
use regex::Regex;

use super::{File, Frame, How, Kind, Meaning, Reader, Token, narrow, style};
use crate::{
    Error, Holds, Include, IncludeKind, IncludeOutcome, Loaded, MAX_INCLUDE_DEPTH, MAX_INCLUDES,
    MAX_TOTAL_BYTES, Place, ProblemKind, SourceFile, Written, path,
    root::{compiled, hiding},
};

/// What has been loaded.
#[derive(Default)]
pub(super) struct Loading {
    pub(super) bytes: usize,
    includes: usize,
    known: BTreeMap<String, IncludeOutcome>,
    /// The files of `\includeonly` (`true`) or of `\excludeonly` (`false`).
    only: (BTreeSet<String>, bool),
    pub(super) graphics: Vec<String>,
    /// Folders of `\input@path`.
    pub(super) paths: Vec<String>,
    pub(super) candidate_bytes: usize,
    /// Whether a package or class is used that is not in the paper's folder, besides LaTeX's own classes.
    pub(super) installed: bool,
    /// Indices of style files and classes among the document's files.
    pub(super) styles: BTreeSet<usize>,
}

impl Reader<'_> {
    pub(super) fn open_root(&mut self, root: &str) -> Result<(), Error> {
        let path = path::normalise(root);
        self.doc.root.clone_from(&path);
        match self.load(&path) {
            IncludeOutcome::Read { file } => {
                let place = Place::new(file, 0);
                let include = Include::new(IncludeKind::Input, place, &path, Vec::new());
                self.open_file(file, None, &include);
                self.failed.take().map_or(Ok(()), Err)
            }
            IncludeOutcome::Unreadable(reason) => Err(Error::RootUnreadable { path, reason }),
            _ => Err(Error::RootAbsent { path }),
        }
    }

    /// Asks the loader, once for each path. The outcome is `Read`, `Missing` or `Unreadable`.
    fn load(&mut self, path: &str) -> IncludeOutcome {
        if let Some(found) = self.loading.known.get(path) {
            return found.clone();
        }
        let loader = self.loader.as_mut();
        let loaded = loader.map_or(Loaded::Absent, |load| load(path));
        let overwrites = |written: &Written| written.overwrites && written.path == path;
        let is_overwritten = self.doc.written.iter().any(overwrites);
        let text = match loaded {
            Loaded::Text(text) if !is_overwritten => Ok(text),
            Loaded::Unreadable(reason) => Err(IncludeOutcome::Unreadable(reason)),
            _ => (self.doc.written_text(path).map(Arc::from)).ok_or(IncludeOutcome::Missing),
        };
        let file = self.doc.files.len();
        let kept = text.map(|text| self.doc.files.push(SourceFile::new(path, text)));
        let found = kept.map_or_else(|outcome| outcome, |()| IncludeOutcome::Read { file });
        self.loading.known.insert(path.to_owned(), found.clone());
        found
    }

    /// Leaves a file that was read to its end; false if it was the root.
    pub(super) fn close_file(&mut self, token: Token) -> bool {
        if self.frames.len() <= 1 {
            return false;
        }
        if let Some(file) = self.frames.pop().and_then(|frame| frame.file) {
            self.letters = file.letters;
            self.writer.doubts.leave(file.doubt);
            match file.kind {
                IncludeKind::Package | IncludeKind::Class => self.styles -= 1,
                IncludeKind::Include => {
                    self.paragraph(token);
                    self.unit_of_file(None);
                }
                _ => self.space(token),
            }
        }
        true
    }

    /// The paths to try: below the folder of the current `\import`, of the root, of the file that asks, and those of
    /// `\input@path`.
    pub(super) fn candidates(&self, names: &[String]) -> Vec<String> {
        let file = self.files().next();
        let import = file.and_then(|file| file.import.clone());
        let own = file.and_then(|file| self.doc.files.get(file.number as usize));
        let own = own.map(|file| path::parent(&file.path).to_owned());
        let root = path::parent(&self.doc.root);
        let bases = [import, Some(root.to_owned()), own].into_iter().flatten();
        let bases = bases.chain(self.loading.paths.iter().map(|path| path::join(root, path)));
        // Mostly these are the same.
        let bases: IndexSet<String> = bases.collect();
        let below = |base: String| names.iter().map(move |name| path::join(&base, name));
        bases.into_iter().flat_map(below).collect()
    }

    /// The file name in the next argument (or up to a space, as the primitive `\input` reads it), and whether all of it is
    /// evaluated.
    pub(super) fn file_name(&mut self) -> (String, bool) {
        let mut token = self.next_visible();
        let mut tokens = Vec::new();
        match token.kind {
            Kind::Begin => tokens = self.balanced(token),
            Kind::Word | Kind::Name(_) | Kind::Sub => loop {
                tokens.push(token);
                token = self.next();
                if !matches!(token.kind, Kind::Word | Kind::Sub) && !self.is_macro(token) {
                    self.unread(token);
                    break;
                }
            },
            _ => self.unread(token),
        }
        let (name, known) = self.exact(&tokens);
        (name.trim_matches('"').trim().to_owned(), known)
    }

    fn is_macro(&self, token: Token) -> bool {
        self.what(token) == "jobname"
            || matches!(token.kind, Kind::Name(name) if matches!(self.meaning(name), Meaning::Macro(body) if body.doubt == 0))
    }

    pub(super) fn include(&mut self, token: Token, kind: IncludeKind) {
        let name = self.file_name();
        self.splice(token, kind, name, None);
    }

    /// Reads a file in place.
    fn splice(&mut self, at: Token, kind: IncludeKind, name: (String, bool), base: Option<String>) {
        let (place, (target, known)) = (self.place(at), name);
        if !known || target.is_empty() {
            return self.record(kind, place, &target, false, &[]);
        }
        let mut names = path::tex_candidates(&target);
        if kind == IncludeKind::Include {
            names.truncate(1);
        }
        let candidates = match &base {
            Some(base) => names.iter().map(|name| path::join(base, name)).collect(),
            None => self.candidates(&names),
        };
        let mut include = Include::new(kind, place, &target, candidates);
        include.doubt = self.cause();
        let (names, only) = &self.loading.only;
        let excluded = names.contains(target.trim_end_matches(".tex")) != *only;
        if kind == IncludeKind::Include && excluded {
            include.outcome = IncludeOutcome::Excluded;
        } else {
            self.locate(&mut include);
        }
        match include.outcome {
            IncludeOutcome::Read { file }
                if self.files().any(|open| open.number as usize == file) =>
            {
                include.outcome = IncludeOutcome::Cycle;
                let message = format!("`{target}` includes itself");
                self.problem(ProblemKind::IncludeCycle, place, message);
            }
            IncludeOutcome::Read { file } => {
                if kind == IncludeKind::Include {
                    self.paragraph(at);
                    self.unit_of_file(Some(Vec::new()));
                }
                self.open_file(file, base, &include);
            }
            IncludeOutcome::Missing => {
                self.doubt_holds(Holds::ALL);
                let tried = include.candidates.join("`, `");
                let message = format!("included file is missing: tried `{tried}`");
                self.problem(ProblemKind::MissingInclude, place, message);
            }
            _ => {}
        }
        self.doc.includes.push(include);
    }

    /// Looks for the first candidate that exists.
    pub(super) fn locate(&mut self, include: &mut Include) {
        for candidate in &include.candidates {
            include.outcome = self.load(candidate);
            if include.outcome != IncludeOutcome::Missing {
                include.resolved = Some(candidate.clone());
                break;
            }
        }
        if let IncludeOutcome::Unreadable(reason) = &include.outcome {
            let path = include.resolved.as_deref().unwrap_or_default();
            let message = format!("cannot read `{path}`: {reason}");
            self.problem(ProblemKind::MissingInclude, include.place, message);
        }
    }

    /// Opens a file, which is then read next. Sets `failed` if that exceeds a limit.
    pub(super) fn open_file(&mut self, file: usize, directory: Option<String>, from: &Include) {
        let source = self.doc.files.get(file);
        let text = source.map_or_else(Arc::default, |source| Arc::clone(&source.text));
        self.loading.includes += 1;
        self.loading.bytes += text.len();
        let is_deep = self.files().count() >= MAX_INCLUDE_DEPTH;
        let loading = &self.loading;
        if is_deep || loading.bytes > MAX_TOTAL_BYTES || loading.includes > MAX_INCLUDES {
            let (at, target) = (self.doc.position(from.place), from.target.clone());
            self.failed = Some(if is_deep {
                Error::TooDeep { at, target }
            } else {
                Error::TooLarge { at, target }
            });
        } else {
            let inherited = || self.files().next()?.import.clone();
            // A byte order mark is not text.
            let pos = if text.starts_with('\u{feff}') { 3 } else { 0 };
            let opened = File {
                number: narrow(file),
                pos,
                fresh: true,
                end: text.len(),
                text,
                kind: from.kind,
                import: directory.or_else(inherited),
                own: false,
                letters: self.letters,
                doubt: 0,
            };
            let (base, file) = (self.stack.len(), Some(opened));
            self.frames.push(Frame { base, file });
        }
    }

    /// `\import{directory}{file}`; with `below`, as for `\subimport`, relative to the directory of the current import.
    pub(super) fn import(&mut self, token: Token, how: How) {
        let directory = self.name_argument();
        let name = self.file_name();
        let current = self.files().next().and_then(|file| file.import.clone());
        let base = current.filter(|_| how == "below");
        let base = base.unwrap_or_else(|| path::parent(&self.doc.root).to_owned());
        let directory = path::join(&base, &directory);
        self.splice(token, IncludeKind::Import, name, Some(directory));
    }

    /// `\InputIfFileExists{file}{then}{else}`, `\IfFileExists`: an absent file is no problem here.
    pub(super) fn input_if_exists(&mut self, token: Token, _: How) {
        let (name, known) = self.file_name();
        let names = path::tex_candidates(&name);
        let mut candidates = self.candidates(&names).into_iter();
        let exists = known && candidates.any(|path| self.load(&path) != IncludeOutcome::Missing);
        // A name without a folder may be that of an installed file.
        let is_elsewhere = !exists && !name.contains('/');
        self.choose(token, (!is_elsewhere).then_some(exists));
        if exists && self.command_name(token) == "InputIfFileExists" {
            self.splice(token, IncludeKind::Input, (name, known), None);
        }
    }

    /// `\includeonly{a,b}`; all but these with `\excludeonly`.
    pub(super) fn include_only(&mut self, _: Token, how: How) {
        let tokens = self.argument();
        let names = self.keys(&tokens).into_iter();
        let names = names.map(|name| name.key.trim_end_matches(".tex").to_owned());
        self.loading.only = (names.collect(), how != "not");
    }

    /// The preamble of the main document, which the class subfiles reads for a subfile that is set on its own.
    pub(super) fn main_preamble(&mut self, name: &[Token]) {
        let (open, target) = (self.frames.len(), self.exact(name));
        if let Some(first) = name.first() {
            self.splice(*first, IncludeKind::Input, target, None);
        }
        if self.frames.len() <= open {
            return;
        }
        let Some(file) = self.file_mut() else { return };
        match begin_of_text(file.rest()) {
            Some(found) => file.end = file.pos + found.start,
            // The text begins in a file that this one includes: where the preamble ends is not known, and nothing of it is read.
            None => self.frames.truncate(open),
        }
    }

    /// Whether the root file has a class, or begins or ends the document. `\end{document}` alone will do: another file may begin it.
    pub(super) fn root_is_document(&self) -> bool {
        let marks = ["\\documentclass", "\\begin{document}", "\\end{document}"];
        let root = self.doc.files.first();
        root.is_some_and(|file| marks.iter().any(|mark| file.text.contains(mark)))
    }

    /// `\documentclass`. In an included file it begins a document of its own, whose preamble is skipped, unless the
    /// main document has not begun yet.
    pub(super) fn document_class(&mut self, token: Token, _: How) {
        // The class of the main document, perhaps in a file that its preamble includes.
        if self.frames.len() <= 1 || self.preamble {
            return self.packages(IncludeKind::Class);
        }
        if let Some(file) = self.file_mut() {
            file.own = true;
        }
        let rest = self.rest_of_file();
        // The subfiles package runs the subfile's preamble.
        let class = rest.split('}').next();
        if class.is_some_and(|class| class.ends_with("{subfiles")) {
            return self.skip_arguments(token, "om");
        }
        let begin = begin_of_text(rest);
        // The root file includes the preamble and the text, and holds nothing else.
        let by_root = self.frames.len() == 2 && !self.root_is_document();
        if begin.is_none() && by_root && self.writer.blocks.is_empty() {
            self.preamble = true;
            self.style.bits = style::MUTE;
            return self.packages(IncludeKind::Class);
        }
        // Tokens that were put back belong to the preamble that is skipped.
        self.skip_bytes(begin.as_ref().map_or(rest.len(), |found| found.end));
        if begin.is_none() {
            let message = "the included document has no `\\begin{document}`; nothing of it is read";
            self.problem_at(ProblemKind::NoDocument, token, message);
        }
    }
}

/// `\begin{document}`, also with blanks or a comment in it.
static BEGIN: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"\\begin(?:\s|%[^\r\n]*[\r\n])*\{\s*document\s*\}"));

/// The first `\begin{document}` outside comments.
fn begin_of_text(text: &str) -> Option<Range<usize>> {
    let mut all = BEGIN.find_iter(text).map(|found| found.range());
    all.find(|found| {
        let before = text.get(..found.start).unwrap_or("");
        let line = before.rsplit('\n').next().unwrap_or("");
        hiding(line).is_none()
    })
}

/// A file's name with its ending.
pub(super) fn suffixed(name: &str, ending: &str) -> String {
    name.strip_suffix(ending).unwrap_or(name).to_owned() + ending
}
