//! Which bibliographies count where: those of the document, of a `refsection`, of a unit.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::{How, Kind, Reader, Token, is_evaluated, suffixed};
use crate::{Holds, IncludeKind, Label, RefSection};

/// Bibliographies: indices of requests among the document's includes.
type Files = Vec<usize>;

/// The parts of the document and their bibliographies.
#[derive(Default)]
pub(super) struct Refs {
    /// The part that is being read.
    pub(super) section: usize,
    /// The bibliographies of each part; `None` for those of the document. An empty list is not known.
    own: Vec<Option<Files>>,
    /// Those of the document, of every part besides its own, and of units that name none.
    document: Files,
    global: Files,
    units: Files,
    labels: BTreeMap<String, usize>,
    /// Levels of the headings that begin a part, and its bibliographies.
    headings: Option<(RangeInclusive<i8>, Option<Files>)>,
    /// Whether each included file is a unit (chapterbib).
    by_file: bool,
}

impl Reader<'_> {
    /// Begins a part.
    pub(super) fn ref_section(&mut self, own: Option<Files>) {
        // Behind an undecided condition it may not begin.
        let own = if self.is_doubtful() {
            Some(Vec::new())
        } else {
            own
        };
        self.doubt_holds(Holds::CITATIONS);
        self.refs.own.push(own);
        self.refs.section = self.doc.ref_sections.len();
        self.doc.ref_sections.push(RefSection::default());
    }

    /// `\begin{refsection}[refs.bib,label]`, `\newrefsection`, `\endrefsection`
    pub(super) fn sources(&mut self, _: Token, how: How) {
        let named = self.optional().unwrap_or_default();
        let own = (!named.is_empty()).then(|| self.listed(&named));
        self.ref_section(own);
        if how == "end" && !self.is_doubtful() {
            self.refs.section = 0;
        }
    }

    /// `\bibliographyunit[\chapter]`
    pub(super) fn units(&mut self, _: Token, _: How) {
        let heading = self.optional().unwrap_or_default();
        let heading = heading.first().and_then(|name| self.cmd(*name));
        let level = heading.and_then(|heading| heading.how.parse().ok());
        self.refs.headings = level.map(|level| (level..=level, Some(Vec::new())));
        self.refs.section = 0;
    }

    /// A heading may begin a part.
    pub(super) fn refs_of_heading(&mut self, level: i8) {
        let headings = self.refs.headings.clone();
        if let Some((_, own)) = headings.filter(|(levels, _)| levels.contains(&level)) {
            self.ref_section(own);
        }
    }

    /// An included file begins (with its bibliographies) or ends.
    pub(super) fn unit_of_file(&mut self, own: Option<Files>) {
        match own {
            _ if !self.refs.by_file => {}
            Some(_) => self.ref_section(own),
            None => self.refs.section = 0,
        }
    }

    /// Packages that make parts of headings or files.
    pub(super) fn loads_bibliographies(&mut self, packages: &[Label], options: &[Token]) {
        let options: String = self.raw(options).split_whitespace().collect();
        for Label { key, .. } in packages {
            self.refs.by_file |= key == "chapterbib.sty";
            if key == "biblatex.sty" {
                let backend = |option: &str| {
                    let name = option.strip_prefix("backend=");
                    name.is_some_and(|name| name.trim_start_matches('{').starts_with("bibtex"))
                };
                self.doc.biber = Some(!options.split(',').any(backend));
            }
            let divisions = options
                .split(',')
                .find_map(|key| key.strip_prefix("refsection="));
            if let Some(division) = divisions.filter(|_| key == "biblatex.sty") {
                let levels = ["part", "chapter", "section", "subsection"];
                let name = division.trim_matches(['{', '}']).trim_end_matches('+');
                let level = (-1..).zip(levels).find(|(_, level)| *level == name);
                let levels = level.map(|(level, _)| {
                    if division.contains('+') {
                        -1..=level
                    } else {
                        level..=level
                    }
                });
                self.refs.headings = levels.map(|levels| (levels, None));
            }
        }
    }

    /// `\bibliography{a,b}`, `\addbibresource[label=x]{a.bib}`
    pub(super) fn bibliography(&mut self, token: Token, how: How) {
        if self.command_name(token) == "addbibresource" {
            self.doc.biber.get_or_insert(true);
        }
        let options = self.optional().unwrap_or_default();
        let is_starred = self.star();
        // `\nobibliography*`: the files of `\bibliography`.
        if !(is_starred && how == "again") {
            let named = self.argument();
            let how = if is_starred { "units" } else { how };
            self.add_bibliographies(&options, &named, how);
        }
    }

    fn add_bibliographies(&mut self, options: &[Token], named: &[Token], how: How) {
        let files = self.listed(named);
        let options = self.flat(options);
        let label = options
            .split(',')
            .find_map(|option| option.trim().strip_prefix("label"));
        if let Some(label) = label.and_then(|label| label.trim_start().strip_prefix('=')) {
            let label = label.trim().to_owned();
            self.refs
                .labels
                .extend(files.first().map(|file| (label, *file)));
        }
        let list = match how {
            "labelled" => return,
            "global" => &mut self.refs.global,
            "units" => &mut self.refs.units,
            _ => self.refs_here(),
        };
        list.extend(files);
    }

    /// The bibliographies that count here.
    fn refs_here(&mut self) -> &mut Files {
        let own = self
            .refs
            .own
            .get_mut(self.refs.section)
            .and_then(Option::as_mut);
        own.unwrap_or(&mut self.refs.document)
    }

    /// `\putbib[refs]`, or with the bibliographies of all units.
    pub(super) fn put_bibliography(&mut self, _: Token, _: How) {
        let named = self.optional().unwrap_or_default();
        let files = self.listed(&named);
        self.refs_here().extend(files);
    }

    /// The bibliographies in a list of names or labels.
    fn listed(&mut self, tokens: &[Token]) -> Files {
        let mut files = Vec::new();
        for Label { key: name, place } in self.keys(tokens) {
            // A name with a space stands in quotes.
            let name = name.trim_matches('"');
            if let Some(file) = self.refs.labels.get(name) {
                files.push(*file);
                continue;
            }
            files.push(self.doc.includes.len());
            let known = is_evaluated(name);
            let file = known.then(|| suffixed(name, ".bib"));
            let (kind, names) = (IncludeKind::Bibliography, file.as_slice());
            self.record(kind, place, name, known, names);
        }
        files
    }

    /// A bibliography that a style file or class asks for, at once or at the end of the document. Where the command stands in the
    /// body of a macro, or is itself defined, no plain file name follows, and nothing is listed.
    pub(super) fn style_bibliography(&mut self, how: How) {
        let options = self.optional().unwrap_or_default();
        if self.peek_after_space().kind != Kind::Begin {
            return;
        }
        let tokens = self.argument();
        let is_plain = |token: &Token| matches!(token.kind, Kind::Word | Kind::Sub | Kind::Space);
        if tokens.iter().all(is_plain) {
            self.add_bibliographies(&options, &tokens, how);
        }
    }

    /// Says of each part which bibliographies count in it.
    pub(super) fn settle_bibliographies(&mut self) {
        let refs = &self.refs;
        let includes = self.doc.includes.iter().enumerate();
        let all = includes.filter(|(_, include)| include.kind == IncludeKind::Bibliography);
        let all: Files = all.map(|(at, _)| at).collect();
        for (section, own) in self.doc.ref_sections.iter_mut().zip(&refs.own) {
            let files = match own {
                None => &refs.document,
                Some(own) if !own.is_empty() => own,
                Some(_) if !refs.units.is_empty() => &refs.units,
                Some(_) => &all,
            };
            let files = refs.global.iter().chain(files).copied();
            section.bibliographies = files.collect();
        }
    }
}
