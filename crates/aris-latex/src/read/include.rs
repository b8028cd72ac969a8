//! Files a document asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{
    builtin::Cmd,
    lexer::Cursor,
    path,
    reader::{Frame, Meaning, Reader},
    token::{Kind, Token, narrow},
};
use crate::{
    Error, Include, IncludeKind, IncludeOutcome, Loaded, MAX_INCLUDE_DEPTH, MAX_INCLUDES,
    MAX_TOTAL_BYTES, Place, Position, ProblemKind, SourceFile,
};

/// What has been loaded.
#[derive(Default)]
pub(super) struct Loading {
    pub(super) bytes: usize,
    includes: usize,
    known: BTreeMap<String, Found>,
    only: Option<BTreeSet<String>>,
    pub(super) graphics: Vec<String>,
    pub(super) candidate_bytes: usize,
    /// Whether a package or class besides LaTeX's own is asked for that the paper folder does not hold.
    pub(super) installed: bool,
    /// The style files among the document's files.
    pub(super) styles: BTreeSet<usize>,
}

#[derive(Clone)]
pub(super) enum Found {
    File(usize),
    Absent,
    Unreadable(String),
}

impl Reader<'_> {
    pub(super) fn open_root(&mut self, root: &str) -> Result<(), Error> {
        let path = path::normalise(root);
        self.doc.root.clone_from(&path);
        match self.load(&path) {
            Found::File(file) => {
                let bytes = self.doc.files.get(file).map_or(0, |file| file.text.len());
                if bytes > MAX_TOTAL_BYTES {
                    let at = Position {
                        path: path.clone(),
                        line: 1,
                        column: 1,
                    };
                    return Err(Error::TooLarge { at, target: path });
                }
                self.push_file(file, IncludeKind::Input, None);
                Ok(())
            }
            Found::Absent => Err(Error::RootAbsent { path }),
            Found::Unreadable(reason) => Err(Error::RootUnreadable { path, reason }),
        }
    }

    /// Asks the loader, once for each path.
    fn load(&mut self, path: &str) -> Found {
        if let Some(found) = self.loading.known.get(path) {
            return found.clone();
        }
        let loaded = match self
            .loader
            .as_mut()
            .map_or(Loaded::Absent, |loader| loader.load(path))
        {
            Loaded::Absent => match self.doc.written_text(path) {
                Some(text) => Loaded::Text(Arc::from(text)),
                None => Loaded::Absent,
            },
            loaded => loaded,
        };
        let mut file = |text| {
            self.doc.files.push(SourceFile::new(path, text));
            Found::File(self.doc.files.len() - 1)
        };
        let found = match loaded {
            Loaded::Text(text) => file(text),
            Loaded::Absent => Found::Absent,
            Loaded::Unreadable(reason) => Found::Unreadable(reason),
        };
        self.loading.known.insert(path.to_owned(), found.clone());
        found
    }

    fn push_file(&mut self, file: usize, kind: IncludeKind, import: Option<String>) {
        let Some(source) = self.doc.files.get(file) else {
            return;
        };
        let text = source.text.clone();
        self.loading.bytes += text.len();
        // A byte order mark is not text.
        let pos = if text.starts_with('\u{feff}') { 3 } else { 0 };
        self.frames.push(Frame::File {
            file: narrow(file),
            text,
            cursor: Cursor { pos, fresh: true },
            base: self.stack.len(),
            kind,
            import,
            own: false,
            letters: self.letters,
        });
    }

    /// Leaves a file that is read to its end; false when it was the root.
    pub(super) fn close_file(&mut self, token: Token) -> bool {
        if self.frames.len() <= 1 {
            return false;
        }
        if let Some(Frame::File { kind, letters, .. }) = self.frames.pop() {
            self.letters = letters;
            if matches!(kind, IncludeKind::Package | IncludeKind::Class) {
                self.styles -= 1;
            } else if kind == IncludeKind::Include {
                self.paragraph(token);
            } else {
                self.space(token);
            }
        }
        true
    }

    fn file_frames(&self) -> impl Iterator<Item = (usize, Option<&String>)> {
        self.frames.iter().rev().filter_map(|frame| match frame {
            Frame::File { file, import, .. } => Some((*file as usize, import.as_ref())),
            Frame::Barrier { .. } => None,
        })
    }

    /// Directories where a relative name is looked up: import's, the root's, the file's own.
    pub(super) fn bases(&self) -> Vec<String> {
        let mut bases = Vec::new();
        if let Some((_, Some(import))) = self.file_frames().next() {
            bases.push(import.clone());
        }
        bases.push(path::parent(&self.doc.root).to_owned());
        if let Some((file, _)) = self.file_frames().next()
            && let Some(file) = self.doc.files.get(file)
        {
            bases.push(path::parent(&file.path).to_owned());
        }
        bases
    }

    /// The name of a file in the next argument (or up to a space, as the primitive `\input` reads it).
    pub(super) fn file_name(&mut self) -> (String, bool) {
        let first = self.next_visible();
        let tokens = match first.kind {
            Kind::Begin => self.balanced(first),
            Kind::Word | Kind::Name(_) | Kind::Sub => {
                let mut tokens = vec![first];
                loop {
                    let token = self.next();
                    if !matches!(token.kind, Kind::Word | Kind::Sub) && !self.is_macro(token) {
                        self.unread(token);
                        break;
                    }
                    tokens.push(token);
                }
                tokens
            }
            _ => {
                self.unread(first);
                Vec::new()
            }
        };
        let known = tokens
            .iter()
            .all(|token| !matches!(token.kind, Kind::Name(_)) || self.is_known(*token))
            && !tokens
                .iter()
                .any(|token| matches!(token.kind, Kind::Param(_) | Kind::Hash));
        let name = self.flat(&tokens);
        (name.trim().trim_matches('"').trim().to_owned(), known)
    }

    fn is_macro(&self, token: Token) -> bool {
        matches!(token.kind, Kind::Name(name) if matches!(self.meaning(name), Meaning::Macro(_)))
    }

    fn is_known(&self, token: Token) -> bool {
        self.is_macro(token)
            || matches!(token.kind, Kind::Name(name)
                if matches!(self.meaning(name), Meaning::Known(Cmd::Symbol(_) | Cmd::Space | Cmd::Nothing)))
    }

    pub(super) fn include(&mut self, token: Token, kind: IncludeKind) -> Result<(), Error> {
        match kind {
            IncludeKind::Input
            | IncludeKind::Include
            | IncludeKind::Subfile
            | IncludeKind::Import => {
                self.skip_optional();
                let (name, known) = self.file_name();
                self.splice(token, kind, &name, known, None)
            }
            IncludeKind::Graphics => {
                self.star();
                self.skip_optional();
                self.skip_optional();
                let (name, known) = self.file_name();
                self.record_graphics(token, &name, known);
                Ok(())
            }
            IncludeKind::Bibliography => {
                self.skip_optional();
                let tokens = self.argument();
                let known = tokens
                    .iter()
                    .all(|token| !matches!(token.kind, Kind::Name(_)) || self.is_known(*token));
                for (name, place) in self.keys(&tokens) {
                    let files = if known {
                        suffixed(&name, "bib")
                    } else {
                        Vec::new()
                    };
                    self.record(kind, place, &name, &files, known);
                }
                Ok(())
            }
            IncludeKind::Package | IncludeKind::Class => self.packages(kind),
            IncludeKind::Data | IncludeKind::Listing => {
                self.star();
                self.skip_optional();
                let command = self.text(token).to_owned();
                if command.ends_with("DTLloaddb")
                    || command.ends_with("DTLloadrawdb")
                    || command.ends_with("inputminted")
                {
                    drop(self.argument());
                }
                let (name, known) = self.file_name();
                let place = self.place(token);
                // A table macro (`\pgfplotstabletypeset\data`) is no file, nor is data written in place.
                let is_file = known
                    && !name.is_empty()
                    && !name.contains(['\n', '&'])
                    && !name.contains("  ");
                if is_file || !known {
                    let files = if command.ends_with("includepdf") {
                        suffixed(&name, "pdf")
                    } else {
                        vec![name.clone()]
                    };
                    self.record(kind, place, &name, &files, is_file);
                }
                let only_loads = command.ends_with("tableread") || command.starts_with("\\DTLload");
                if is_file && !only_loads {
                    self.unread_file(place, &name);
                }
                if command.ends_with("pgfplotstableread") {
                    drop(self.argument());
                } else if command.ends_with("csvreader") || command.ends_with("csvloop") {
                    // Column assignments, then the row's text, which the data fills: not visible as written.
                    drop(self.argument());
                    drop(self.braced());
                }
                Ok(())
            }
        }
    }

    /// Reads a file in place.
    fn splice(
        &mut self,
        token: Token,
        kind: IncludeKind,
        target: &str,
        known: bool,
        directory: Option<String>,
    ) -> Result<(), Error> {
        let place = self.place(token);
        if !known || target.is_empty() {
            self.record_candidates(kind, place, target, Vec::new(), false);
            return Ok(());
        }
        let bases = match &directory {
            Some(directory) => vec![directory.clone()],
            None => self.bases(),
        };
        let names: Vec<String> = if kind == IncludeKind::Include && !path::is_tex(target) {
            vec![format!("{target}.tex")]
        } else {
            path::tex_candidates(target).collect()
        };
        let candidates = bases
            .iter()
            .flat_map(|base| names.iter().map(move |name| path::join(base, name)))
            .collect();
        let mut include = Include::new(kind, place, target, candidates, IncludeOutcome::Missing);
        if kind == IncludeKind::Include
            && self
                .loading
                .only
                .as_ref()
                .is_some_and(|only| !only.contains(target.trim_end_matches(".tex")))
        {
            include.outcome = IncludeOutcome::Excluded;
            self.doc.includes.push(include);
            return Ok(());
        }
        let mut chosen = None;
        match self.locate(&mut include) {
            Found::File(file) if self.file_frames().any(|(open, _)| open == file) => {
                include.outcome = IncludeOutcome::Cycle;
                self.problem(
                    ProblemKind::IncludeCycle,
                    place,
                    format!("`{target}` includes itself"),
                );
            }
            Found::File(file) => chosen = Some(file),
            Found::Absent => {
                let tried = include.candidates.join("`, `");
                self.problem(
                    ProblemKind::MissingInclude,
                    place,
                    format!("included file is missing: tried `{tried}`"),
                );
            }
            Found::Unreadable(_) => {}
        }
        self.doc.includes.push(include);
        let Some(file) = chosen else { return Ok(()) };
        if kind == IncludeKind::Include {
            self.paragraph(token);
        }
        self.open_file(file, kind, directory, place, target.to_owned())
    }

    /// Looks for the first candidate that exists.
    pub(super) fn locate(&mut self, include: &mut Include) -> Found {
        let mut found = Found::Absent;
        for candidate in &include.candidates {
            found = self.load(candidate);
            if !matches!(found, Found::Absent) {
                include.resolved = Some(candidate.clone());
                break;
            }
        }
        match &found {
            Found::File(file) => include.outcome = IncludeOutcome::Read { file: *file },
            Found::Absent => {}
            Found::Unreadable(reason) => {
                let path = include.resolved.as_deref().unwrap_or_default();
                self.problem(
                    ProblemKind::MissingInclude,
                    include.place,
                    format!("cannot read `{path}`: {reason}"),
                );
                include.outcome = IncludeOutcome::Unreadable(reason.clone());
            }
        }
        found
    }

    /// Reads a file from here on, within the limits.
    pub(super) fn open_file(
        &mut self,
        file: usize,
        kind: IncludeKind,
        directory: Option<String>,
        place: Place,
        target: String,
    ) -> Result<(), Error> {
        self.loading.includes += 1;
        let size = self.doc.files.get(file).map_or(0, |file| file.text.len());
        let at = self.doc.position(place);
        if self.file_frames().count() >= MAX_INCLUDE_DEPTH {
            return Err(Error::TooDeep { at, target });
        }
        if self.loading.bytes + size > MAX_TOTAL_BYTES || self.loading.includes > MAX_INCLUDES {
            return Err(Error::TooLarge { at, target });
        }
        let inherited = self
            .file_frames()
            .next()
            .and_then(|(_, import)| import.cloned());
        self.push_file(file, kind, directory.or(inherited));
        Ok(())
    }

    /// `\import{directory}{file}`; with `relative`, `\subimport`: below the current import's directory.
    pub(super) fn import(&mut self, token: Token, relative: bool) -> Result<(), Error> {
        self.star();
        let tokens = self.argument();
        let directory = self.flat(&tokens);
        let (name, known) = self.file_name();
        let root = path::parent(&self.doc.root).to_owned();
        let current = self
            .file_frames()
            .next()
            .and_then(|(_, import)| import.cloned());
        let base = if relative {
            current.unwrap_or(root)
        } else {
            root
        };
        let directory = path::join(&base, directory.trim());
        self.splice(token, IncludeKind::Import, &name, known, Some(directory))
    }

    /// `\InputIfFileExists{file}{then}{else}`, `\IfFileExists`: an absent file is no problem here.
    pub(super) fn input_if_exists(&mut self, token: Token) -> Result<(), Error> {
        let command = self.text(token).to_owned();
        let (name, known) = self.file_name();
        let (yes, no) = (self.argument(), self.argument());
        let exists = known && {
            let bases = self.bases();
            let names: Vec<String> = path::tex_candidates(&name).collect();
            bases.iter().any(|base| {
                names
                    .iter()
                    .any(|name| !matches!(self.load(&path::join(base, name)), Found::Absent))
            })
        };
        if command.ends_with("InputIfFileExists") && exists {
            self.unread_all(&yes);
            return self.splice(token, IncludeKind::Input, &name, known, None);
        }
        self.unread_all(if exists { &yes } else { &no });
        Ok(())
    }

    pub(super) fn include_only(&mut self) {
        let tokens = self.argument();
        let names = self
            .keys(&tokens)
            .into_iter()
            .map(|(name, _)| name.trim_end_matches(".tex").to_owned());
        self.loading.only = Some(names.collect());
    }

    /// `\documentclass`; in an included file it begins a document of its own, whose preamble is not read, unless that file holds the
    /// preamble alone.
    pub(super) fn document_class(&mut self, token: Token) -> Result<(), Error> {
        let is_included = self.frames.len() > 1;
        let Some(Frame::File {
            text,
            cursor,
            own,
            base,
            ..
        }) = self.frames.last_mut()
        else {
            return Ok(());
        };
        let rest = text.get(cursor.pos..).unwrap_or("");
        let begin = rest.match_indices("\\begin{document}").find(|(at, _)| {
            let line = rest
                .get(..*at)
                .unwrap_or("")
                .rsplit('\n')
                .next()
                .unwrap_or("");
            !line.contains('%') || line.contains("\\%")
        });
        if !is_included || (begin.is_none() && self.preamble) {
            return self.packages(IncludeKind::Class);
        }
        // What was read ahead belongs to the preamble that is left out.
        self.stack.truncate(*base);
        *own = true;
        if let Some((at, found)) = begin {
            cursor.pos += at + found.len();
            cursor.fresh = false;
        } else {
            cursor.pos = text.len();
            self.problem_at(
                ProblemKind::NoDocument,
                token,
                "the included document has no `\\begin{document}`; nothing of it is read",
            );
        }
        Ok(())
    }
}

pub(super) fn suffixed(name: &str, extension: &str) -> Vec<String> {
    if name.ends_with(&format!(".{extension}")) {
        vec![name.to_owned()]
    } else {
        vec![format!("{name}.{extension}")]
    }
}
