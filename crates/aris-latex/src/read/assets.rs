//! Files that are named but not read here: graphics, data, bibliographies.

use super::{Kind, MAX_PATHS, Reader, Token, is_evaluated, suffixed};
use crate::{Holds, Include, IncludeKind, IncludeOutcome, Label, ProblemKind, path};

/// Extensions that graphics drivers guess, in the order of pdfTeX's `\DeclareGraphicsExtensions`, then those of
/// the DVI drivers.
const GRAPHICS: [&str; 8] = [
    ".pdf", ".png", ".jpg", ".jpeg", ".mps", ".eps", ".ps", ".svg",
];
/// Bytes of all paths to be tried for graphics; beyond them only the name as it stands is.
const MAX_CANDIDATE_BYTES: usize = 64 << 20;

impl Reader<'_> {
    /// `\addplot table[…] {file};`
    pub(super) fn plot_data(&mut self, token: Token) {
        let mut is_table = false;
        for _ in 0..32 {
            let next = self.next();
            match next.kind {
                Kind::Word if self.text(next) == "table" => is_table = true,
                Kind::Word if self.text(next) == "[" => {
                    self.unread(next);
                    if self.optional().is_none() {
                        return;
                    }
                }
                Kind::Word if self.text(next).starts_with(['(', ';']) => return self.unread(next),
                Kind::Word | Kind::Space => {}
                Kind::Begin if is_table => {
                    self.unread(next);
                    let (name, known) = self.file_name();
                    let is_file = !name.is_empty() && !name.contains([' ', '\n', '\\']);
                    if is_file || !known {
                        let tried = self.candidates(std::slice::from_ref(&name));
                        let place = self.place(token);
                        self.record(Include::new(IncludeKind::Data, place, &name, tried), known);
                    }
                    return;
                }
                _ => return self.unread(next),
            }
        }
    }

    /// A file that is printed as a table or a listing. What `how` says stands behind its name: `table`: an argument; `row`: columns and what is printed for each row, which the data fill.
    pub(super) fn printed_file(&mut self, token: Token, kind: IncludeKind, how: &str) {
        let (name, known) = self.file_name();
        let place = self.place(token);
        // A table macro (`\pgfplotstabletypeset\data`) is no file, nor is data written in place.
        let is_name = !name.is_empty() && !name.contains(['\n', '&']) && !name.contains("  ");
        let is_file = known && is_name;
        if is_file || !known {
            let ended = (how == "pdf").then(|| suffixed(&name, how));
            let tried = self.candidates(&[ended.unwrap_or_else(|| name.clone())]);
            self.record(Include::new(kind, place, &name, tried), known);
        }
        if is_file && !matches!(how, "name" | "table") {
            self.unread_file(place, &name, kind);
        }
        match how {
            "table" => drop(self.argument()),
            "row" => drop((self.argument(), self.braced())),
            _ => {}
        }
    }

    /// `\bibliography{a,b}`
    pub(super) fn bibliographies(&mut self, tokens: &[Token]) {
        for Label { key: name, place } in self.keys(tokens) {
            let known = is_evaluated(&name);
            let file = known.then(|| suffixed(&name, "bib"));
            let tried = self.candidates(file.as_slice());
            let include = Include::new(IncludeKind::Bibliography, place, &name, tried);
            self.record(include, known);
        }
    }

    /// `\bibliography{refs}`, and for a part of the document `\begin{refsection}[refs.bib]`, `\nobibliography{refs}`.
    pub(super) fn sources(&mut self, how: &str) {
        let tokens = match how {
            "star" if self.star() => Vec::new(),
            "star" | "whole" => self.argument(),
            _ => self.optional().unwrap_or_default(),
        };
        self.bibliographies(&tokens);
    }

    pub(super) fn graphics(&mut self, token: Token) {
        let (name, known) = self.file_name();
        let mut names = Vec::new();
        if known && self.loading.candidate_bytes >= MAX_CANDIDATE_BYTES {
            names.push(name.clone());
        } else if known {
            let is_ended = GRAPHICS.iter().any(|ending| name.ends_with(ending));
            let endings = GRAPHICS.into_iter().filter(|_| !is_ended);
            let whole = path::has_extension(&name).then_some("");
            let endings: Vec<&str> = whole.into_iter().chain(endings).collect();
            let folders = self.loading.graphics.iter().map(String::as_str);
            for folder in [""].into_iter().chain(folders.take(MAX_PATHS)) {
                let endings = endings.iter();
                names.extend(endings.map(|ending| [folder, &name, *ending].concat()));
            }
        }
        let tried = self.candidates(&names);
        self.loading.candidate_bytes += tried.iter().map(String::len).sum::<usize>();
        let place = self.place(token);
        self.record(
            Include::new(IncludeKind::Graphics, place, &name, tried),
            known,
        );
    }

    /// Lists a file that is not read here.
    pub(super) fn record(&mut self, mut include: Include, known: bool) {
        include.outcome = IncludeOutcome::NotRead;
        if !known {
            include.outcome = IncludeOutcome::Unresolved;
            let name = &include.target;
            let message =
                format!("the file name `{name}` holds a macro that the document does not define");
            self.doubt_holds(Holds::ALL);
            self.problem(ProblemKind::MissingInclude, include.place, message);
        }
        include.doubt = self.cause();
        self.doc.includes.push(include);
    }
}
