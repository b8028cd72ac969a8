//! Files that are named but not read here: graphics, data, bibliographies.

use super::{
    path,
    reader::Reader,
    token::{Kind, Token},
};
use crate::{Include, IncludeKind, IncludeOutcome, Place, ProblemKind};

/// Extensions that graphics drivers guess, in the order of pdfTeX's `\DeclareGraphicsExtensions`, then those of
/// the DVI drivers.
const GRAPHICS: [&str; 8] = [
    ".pdf", ".png", ".jpg", ".jpeg", ".mps", ".eps", ".ps", ".svg",
];
/// Directories of `\graphicspath` that are tried.
const MAX_GRAPHICS_PATHS: usize = 64;
/// Bytes of all paths to be tried for graphics; beyond them only the name as it stands is.
const MAX_CANDIDATE_BYTES: usize = 64 << 20;

impl Reader<'_> {
    /// `\addplot table[…] {file};`
    pub(super) fn plot_data(&mut self, token: Token) {
        let mut command = None;
        for _ in 0..32 {
            let next = self.next();
            match next.kind {
                Kind::Word if self.text(next) == "table" => command = Some(next),
                Kind::Word if self.text(next).starts_with(['(', ';']) => {
                    self.unread(next);
                    return;
                }
                Kind::Word if self.text(next) == "[" => {
                    self.unread(next);
                    if self.optional().is_none() {
                        return;
                    }
                }
                Kind::Word | Kind::Space => {}
                Kind::Begin if command.is_some() => {
                    self.unread(next);
                    let (name, known) = self.file_name();
                    let file = known && !name.is_empty() && !name.contains([' ', '\n', '\\']);
                    if file || !known {
                        let place = self.place(token);
                        self.record(
                            IncludeKind::Data,
                            place,
                            &name,
                            std::slice::from_ref(&name),
                            file,
                        );
                    }
                    return;
                }
                _ => {
                    self.unread(next);
                    return;
                }
            }
        }
    }

    pub(super) fn record_graphics(&mut self, token: Token, name: &str, known: bool) {
        let mut candidates = Vec::new();
        if known {
            let is_bounded = self.loading.candidate_bytes < MAX_CANDIDATE_BYTES;
            let endings: &[&str] =
                if !is_bounded || GRAPHICS.iter().any(|ending| name.ends_with(ending)) {
                    &[]
                } else {
                    &GRAPHICS
                };
            let is_whole = !is_bounded || path::has_extension(name);
            let most = if is_bounded { MAX_GRAPHICS_PATHS } else { 0 };
            for base in self.bases() {
                for folder in std::iter::once("")
                    .chain(self.loading.graphics.iter().take(most).map(String::as_str))
                {
                    let stem = [folder, name].concat();
                    let whole = is_whole.then_some("");
                    let endings = whole.iter().chain(endings);
                    candidates.extend(
                        endings.map(|ending| path::join(&base, &[&stem, *ending].concat())),
                    );
                }
            }
        }
        self.loading.candidate_bytes += candidates.iter().map(String::len).sum::<usize>();
        let place = self.place(token);
        self.record_candidates(IncludeKind::Graphics, place, name, candidates, known);
    }

    /// Lists a file that is not read here.
    pub(super) fn record(
        &mut self,
        kind: IncludeKind,
        place: Place,
        target: &str,
        files: &[String],
        known: bool,
    ) {
        let bases = self.bases();
        let candidates = bases
            .iter()
            .flat_map(|base| files.iter().map(move |file| path::join(base, file)))
            .collect();
        self.record_candidates(kind, place, target, candidates, known);
    }

    pub(super) fn record_candidates(
        &mut self,
        kind: IncludeKind,
        place: Place,
        target: &str,
        candidates: Vec<String>,
        known: bool,
    ) {
        if !known {
            self.unresolved(place, target);
        }
        let outcome = if known {
            IncludeOutcome::NotRead
        } else {
            IncludeOutcome::Unresolved
        };
        let include = Include::new(kind, place, target, candidates, outcome);
        self.doc.includes.push(include);
    }

    pub(super) fn unresolved(&mut self, place: Place, target: &str) {
        self.problem(
            ProblemKind::MissingInclude,
            place,
            format!("the file name `{target}` holds a macro that the document does not define"),
        );
    }

    pub(super) fn graphics_path(&mut self) {
        let tokens = self.argument();
        let text = self.raw(&tokens);
        self.loading.graphics = text
            .split(['{', '}'])
            .map(str::trim)
            .filter(|path| !path.is_empty())
            .take(MAX_GRAPHICS_PATHS)
            .map(str::to_owned)
            .collect();
    }
}
