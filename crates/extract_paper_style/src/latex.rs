//! The profile of LaTeX sources.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use aris_latex::{Block, BlockKind, Document, MarkKind};

use crate::profile::{Basis, Profile, SCHEMA, Section, StatementKind, Statements};
use crate::prose::{Counter, Opaque, Spread};
use crate::role::Role;
use crate::style;

/// What an environment counts as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    Figure,
    Table,
    /// A table only where no table is around it.
    OwnTable,
    Algorithm,
    List,
    Statement(StatementKind),
    Nothing,
}

/// Measures a paper.
pub(crate) fn profile(document: &Document) -> Profile {
    let ((parts, roles, statements, captions), (cited, textual, citation_style)) = beside(
        document.blocks.len() >= MANY,
        || {
            let (mut parts, roles) = Parts::of(document);
            let statements = parts.environments(document);
            let captions = parts.read(&document.blocks);
            (parts, roles, statements, captions)
        },
        || {
            let keys = document.citations.iter();
            let cited: BTreeSet<&str> = keys.map(|citation| citation.key.as_str()).collect();
            let textual = style::textual(document);
            (cited.len(), textual, style::of(document, textual))
        },
    );
    let (sections, sentences, words) = parts.finish();
    let mut profile = Profile {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        basis: Basis::Latex,
        sections,
        words,
        sentences: Spread::of(sentences),
        figure_captions: Spread::of(captions.figures),
        table_captions: Spread::of(captions.tables),
        statements,
        citation_style,
        cited_works: Some(cited),
        textual_citations: textual,
        cues: Vec::new(),
    };
    profile.find_cues(&roles);
    profile
}

/// Blocks from which on a second thread is worth its start, about a tenth of a millisecond.
const MANY: usize = 4_000;

/// Does two things, at once if `is_long`.
pub(crate) fn beside<A, B: Send>(
    is_long: bool,
    one: impl FnOnce() -> A,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    if !is_long {
        return (one(), other());
    }
    thread::scope(|scope| {
        let other = scope.spawn(other);
        let one = one();
        match other.join() {
            Ok(other) => (one, other),
            Err(panic) => resume_unwind(panic),
        }
    })
}

/// Words of the captions.
#[derive(Default)]
struct Captions {
    figures: Vec<usize>,
    tables: Vec<usize>,
}

/// Measures blocks that belong to these parts, the first of which is number `first` of all.
fn read(
    blocks: &[Block],
    of_heading: &[usize],
    sections: &mut [Section],
    counters: &mut [Counter],
    first: usize,
) -> Captions {
    let mut captions = Captions::default();
    let mut formula_before = false;
    let mut opaque = Vec::new();
    let mut floats = Floats::default();
    for block in blocks {
        let Some(part) = index(block, of_heading).checked_sub(first) else {
            continue;
        };
        let (Some(section), Some(counter)) = (sections.get_mut(part), counters.get_mut(part))
        else {
            continue;
        };
        count_marks(block, section);
        let is_formula = block.kind == BlockKind::DisplayMath;
        match &block.kind {
            BlockKind::Paragraph | BlockKind::ListItem | BlockKind::Abstract
                if !floats.hold(block) =>
            {
                let goes_on = formula_before && counter.goes_on_with(&block.text);
                if !goes_on {
                    counter.close();
                    *section.paragraphs.get_or_insert(0) += 1;
                }
                find_opaque(block, &mut opaque);
                counter.read(&block.text, &opaque);
            }
            BlockKind::DisplayMath if !floats.hold(block) => counter.formula(&block.text),
            BlockKind::Caption { float } => {
                find_opaque(block, &mut opaque);
                let mut words = Counter::default();
                words.read(&block.text, &opaque);
                match counted(float, &BTreeMap::new()) {
                    Counted::Figure => captions.figures.push(words.words()),
                    Counted::Table | Counted::OwnTable => captions.tables.push(words.words()),
                    _ => {}
                }
            }
            BlockKind::Heading { .. } => counter.close(),
            BlockKind::Footnote => *section.footnotes.get_or_insert(0) += 1,
            _ => {}
        }
        // A footnote follows the paragraph it stands in and does not part it from a formula.
        if block.kind != BlockKind::Footnote {
            formula_before = is_formula;
        }
    }
    captions
}

/// The part that a block belongs to.
fn index(block: &Block, of_heading: &[usize]) -> usize {
    match (&block.kind, block.section) {
        (BlockKind::Abstract, _) => ABSTRACT,
        (_, None) => OPENING,
        (_, Some(heading)) => of_heading.get(heading).copied().unwrap_or(OPENING),
    }
}

/// A section of LaTeX, in which everything is counted.
fn section(role: Role, conventional: bool) -> Section {
    let zero = Some(0);
    Section {
        paragraphs: zero,
        run_in_headings: zero,
        figures: zero,
        tables: zero,
        algorithms: zero,
        statements: zero,
        displayed_formulas: zero,
        inline_formulas: zero,
        citations: zero,
        footnotes: zero,
        lists: zero,
        ..Section::new(role, conventional)
    }
}

/// Counts formulas and citations, wherever they stand.
fn count_marks(block: &Block, section: &mut Section) {
    if block.kind == BlockKind::DisplayMath {
        *section.displayed_formulas.get_or_insert(0) += 1;
    }
    for mark in &block.marks {
        let number = match mark.kind {
            MarkKind::Math => &mut section.inline_formulas,
            MarkKind::DisplayMath if block.kind != BlockKind::DisplayMath => {
                &mut section.displayed_formulas
            }
            MarkKind::Cite { .. } => &mut section.citations,
            _ => continue,
        };
        *number.get_or_insert(0) += 1;
    }
}

/// The sections of a paper: the abstract, what stands before the first heading, and one for each heading of the top level.
struct Parts {
    sections: Vec<Section>,
    /// For each section.
    counters: Vec<Counter>,
    /// Index into `sections` for each heading of the document.
    of_heading: Vec<usize>,
}

const ABSTRACT: usize = 0;
const OPENING: usize = 1;

impl Parts {
    /// The parts, still empty, and the role of each heading.
    fn of(document: &Document) -> (Self, Vec<Role>) {
        let mut sections = Vec::with_capacity(document.headings.len() + 2);
        sections.push(section(Role::Abstract, true));
        sections.push(section(Role::Opening, true));
        let mut of_heading = Vec::with_capacity(document.headings.len());
        let mut roles = Vec::with_capacity(document.headings.len());
        // Sections are the top, except in books: there it is chapters.
        let chapters = document.headings.iter().any(|heading| heading.level == 0);
        let top = i8::from(!chapters);
        for heading in &document.headings {
            let (role, conventional) = Role::of(&heading.title);
            roles.push(role);
            if heading.level == top {
                let mut words = Counter::default();
                words.read(&heading.title, &[]);
                sections.push(Section {
                    title_words: words.words(),
                    numbered: Some(!heading.starred),
                    appendix: heading.appendix || role == Role::Appendix,
                    ..section(role, conventional)
                });
            } else if heading.level > top
                && let Some(section) = sections.last_mut()
            {
                if heading.level >= 4 {
                    *section.run_in_headings.get_or_insert(0) += 1;
                } else if heading.level == top + 1 {
                    section.subsections += 1;
                }
            }
            of_heading.push(sections.len() - 1);
        }
        let mut counters = Vec::with_capacity(sections.len());
        counters.resize_with(sections.len(), Counter::default);
        let parts = Self {
            sections,
            counters,
            of_heading,
        };
        (parts, roles)
    }

    /// Measures the blocks. A long paper is cut in two before a section, and each half measured on its own.
    fn read(&mut self, blocks: &[Block]) -> Captions {
        let of_heading = self.of_heading.as_slice();
        let (sections, counters) = (&mut self.sections, &mut self.counters);
        let cut = (blocks.len() >= MANY).then(|| cut(blocks, of_heading));
        let Some((at, part)) = cut.flatten() else {
            return read(blocks, of_heading, sections, counters, 0);
        };
        let (before, after) = blocks.split_at(at);
        let (sections, more_sections) = sections.split_at_mut(part);
        let (counters, more_counters) = counters.split_at_mut(part);
        let (mut captions, more) = beside(
            true,
            || read(before, of_heading, sections, counters, 0),
            || read(after, of_heading, more_sections, more_counters, part),
        );
        captions.figures.extend(more.figures);
        captions.tables.extend(more.tables);
        captions
    }

    /// Counts the environments of each section; gives the statements by kind.
    fn environments(&mut self, document: &Document) -> Vec<Statements> {
        let declared: BTreeMap<&str, StatementKind> = document
            .theorems
            .iter()
            .map(|theorem| (theorem.environment.as_str(), kind_of(&theorem.title)))
            .collect();
        let mut kinds: BTreeMap<StatementKind, usize> = BTreeMap::new();
        let mut names: Vec<(&Arc<str>, Counted)> = Vec::new();
        let mut table_around = Vec::with_capacity(document.environments.len());
        for environment in &document.environments {
            let inside = environment
                .outer
                .and_then(|outer| table_around.get(outer).copied())
                .unwrap_or(false);
            let known = names
                .iter()
                .find(|(name, _)| Arc::ptr_eq(name, &environment.name));
            let what =
                known.map_or_else(|| counted(&environment.name, &declared), |(_, what)| *what);
            if known.is_none() && names.len() < NAMES {
                names.push((&environment.name, what));
            }
            table_around.push(inside || matches!(what, Counted::Table | Counted::OwnTable));
            let at = environment.section.map_or(OPENING, |heading| {
                self.of_heading.get(heading).copied().unwrap_or(OPENING)
            });
            let Some(section) = self.sections.get_mut(at) else {
                continue;
            };
            let number = match what {
                Counted::Figure => &mut section.figures,
                Counted::OwnTable if inside => continue,
                Counted::Table | Counted::OwnTable => &mut section.tables,
                Counted::Algorithm => &mut section.algorithms,
                Counted::List => &mut section.lists,
                Counted::Statement(kind) => {
                    *kinds.entry(kind).or_insert(0) += 1;
                    &mut section.statements
                }
                Counted::Nothing => continue,
            };
            *number.get_or_insert(0) += 1;
        }
        let kinds = kinds.into_iter();
        kinds
            .map(|(kind, count)| Statements { kind, count })
            .collect()
    }

    /// The sections that have something in them, the lengths of all sentences, the number of words.
    fn finish(mut self) -> (Vec<Section>, Vec<usize>, usize) {
        let (mut all, mut words) = (Vec::new(), 0);
        for (section, counter) in self.sections.iter_mut().zip(self.counters) {
            section.words = counter.words();
            words += section.words;
            let sentences = counter.sentences();
            all.extend_from_slice(&sentences);
            section.sentences = Spread::of(sentences);
        }
        let mut number = 0;
        self.sections.retain(|section| {
            number += 1;
            let empty =
                section.words == 0 && section.figures == Some(0) && section.tables == Some(0);
            number > OPENING + 1 || !empty
        });
        (self.sections, all, words)
    }
}

/// A block near the middle that begins a part, if what is before it belongs to earlier parts and the rest to this and later ones;
/// and the part.
fn cut(blocks: &[Block], of_heading: &[usize]) -> Option<(usize, usize)> {
    let part = |block| index(block, of_heading);
    let half = blocks.len() / 2;
    let mut rest = blocks.iter().enumerate().skip(half);
    let before = part(blocks.get(half.checked_sub(1)?)?);
    // At a heading nothing is carried over from the block before it.
    let (at, first) = rest.find(|(_, block)| {
        matches!(block.kind, BlockKind::Heading { .. }) && part(block) > before
    })?;
    let first = part(first);
    let (one, other) = blocks.split_at(at);
    let is_clean = one.iter().all(|block| part(block) < first)
        && other.iter().all(|block| part(block) >= first);
    is_clean.then_some((at, first))
}

/// Which blocks stand in a figure, a table or an algorithm. Neighbours mostly stand in the same environments, and those have few names.
#[derive(Default)]
struct Floats<'a> {
    last: Option<(&'a Arc<[Arc<str>]>, bool)>,
    names: Vec<(&'a Arc<str>, bool)>,
}

impl<'a> Floats<'a> {
    fn hold(&mut self, block: &'a Block) -> bool {
        let environments = &block.environments;
        match self.last {
            Some((before, holds)) if Arc::ptr_eq(before, environments) => holds,
            _ => {
                let holds = environments.iter().any(|name| self.is_one(name));
                self.last = Some((environments, holds));
                holds
            }
        }
    }

    fn is_one(&mut self, name: &'a Arc<str>) -> bool {
        let known = self
            .names
            .iter()
            .find(|(known, _)| Arc::ptr_eq(known, name));
        if let Some((_, is_float)) = known {
            return *is_float;
        }
        let is_float = matches!(
            counted(name, &BTreeMap::new()),
            Counted::Figure | Counted::Table | Counted::OwnTable | Counted::Algorithm
        );
        if self.names.len() < NAMES {
            self.names.push((name, is_float));
        }
        is_float
    }
}

/// Names of environments that are remembered.
const NAMES: usize = 16;

/// Finds formulas, citations, code and addresses of a block.
fn find_opaque(block: &Block, found: &mut Vec<Opaque>) {
    found.clear();
    for mark in &block.marks {
        let is_word = match mark.kind {
            MarkKind::Math
            | MarkKind::DisplayMath
            | MarkKind::Code
            | MarkKind::Url
            | MarkKind::Ref { .. } => true,
            MarkKind::Cite { .. } => false,
            _ => continue,
        };
        let from = found.last().map_or(0, |last| last.range.end);
        let range = mark.range.start.max(from)..mark.range.end.max(from);
        if !range.is_empty() {
            found.push(Opaque { range, is_word });
        }
    }
}

fn counted(name: &str, declared: &BTreeMap<&str, StatementKind>) -> Counted {
    if let Some(kind) = declared.get(name) {
        return Counted::Statement(*kind);
    }
    match name.trim_end_matches('*') {
        "figure" | "wrapfigure" | "sidewaysfigure" | "teaserfigure" | "SCfigure"
        | "marginfigure" => Counted::Figure,
        "table" | "wraptable" | "sidewaystable" | "SCtable" | "margintable" | "deluxetable" => {
            Counted::Table
        }
        "longtable" | "supertabular" | "xtabular" | "longtblr" | "longtabu" | "xltabular" => {
            Counted::OwnTable
        }
        "algorithm" | "algorithm2e" | "listing" => Counted::Algorithm,
        "itemize" | "enumerate" | "description" | "compactitem" | "compactenum" | "inparaenum"
        | "inparaitem" | "asparaenum" | "asparaitem" | "tightitemize" => Counted::List,
        plain => conventional(plain).map_or(Counted::Nothing, Counted::Statement),
    }
}

/// The kind of an environment that the sources do not declare, because a class or a style file does.
fn conventional(name: &str) -> Option<StatementKind> {
    Some(match name {
        "theorem" | "thm" | "Theorem" => StatementKind::Theorem,
        "lemma" | "lem" | "Lemma" => StatementKind::Lemma,
        "proposition" | "prop" | "Proposition" => StatementKind::Proposition,
        "corollary" | "cor" | "coro" | "Corollary" => StatementKind::Corollary,
        "definition" | "defn" | "defi" | "Definition" => StatementKind::Definition,
        "assumption" | "assump" | "ass" | "Assumption" => StatementKind::Assumption,
        "remark" | "rem" | "rmk" | "Remark" => StatementKind::Remark,
        "example" | "exmp" | "Example" => StatementKind::Example,
        "claim" | "clm" | "Claim" => StatementKind::Claim,
        "conjecture" | "conj" | "Conjecture" => StatementKind::Conjecture,
        "proof" | "Proof" | "pf" => StatementKind::Proof,
        _ => return None,
    })
}

/// The kind of a declared statement by what is printed before it.
fn kind_of(title: &str) -> StatementKind {
    let folded = title.to_lowercase();
    let stems = [
        ("theorem", StatementKind::Theorem),
        ("lemma", StatementKind::Lemma),
        ("proposition", StatementKind::Proposition),
        ("corollary", StatementKind::Corollary),
        ("definition", StatementKind::Definition),
        ("assumption", StatementKind::Assumption),
        ("hypothesis", StatementKind::Assumption),
        ("remark", StatementKind::Remark),
        ("example", StatementKind::Example),
        ("claim", StatementKind::Claim),
        ("conjecture", StatementKind::Conjecture),
        ("proof", StatementKind::Proof),
    ];
    let found = stems.iter().find(|(stem, _)| folded.contains(stem));
    found.map_or(StatementKind::Other, |(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use aris_latex::Loaded;

    use super::*;

    fn measure(text: &str) -> Profile {
        let mut files = |path: &str| match path {
            "m.tex" => Loaded::Text(text.into()),
            _ => Loaded::Absent,
        };
        profile(&Document::read("m.tex", &mut files).expect("readable"))
    }

    const PAPER: &str = r"\documentclass{article}
\newtheorem{satz}{Theorem}
\newtheorem{hyp}{Standing assumption}
\begin{document}
\begin{abstract}One two three. Four five.\end{abstract}
\section{Introduction}
We see \cite{a,b} that $x=1$. % not a word of this
\begin{verbatim}
\section{Not a section} nor words
\end{verbatim}
\begin{itemize}\item First. \item Second one.\end{itemize}
\begin{figure}\includegraphics{x}\caption{A short caption.}\end{figure}
\section{The Zeta Gadget}
\subsection{Parts} As shown by Smith et al.\ \citep{c}, this holds. The value is 3.5 in Fig.~\ref{f}.
We set
\begin{equation} a = b, \end{equation}
where $a$ is left.\footnote{A note.}
\begin{satz} Stated here. \end{satz}\begin{proof} Easy. \end{proof}\begin{hyp} So. \end{hyp}
\begin{table}\begin{longtable}{l} 1 \end{longtable}\caption{Two words}\end{table}
\paragraph{Run in.} And {nested {braces {here}}}.
\section*{Acknowledgments} Thanks.
\appendix
\section{Proofs} Last.
\end{document}";

    #[test]
    fn a_small_paper_is_measured_right() {
        let profile = measure(PAPER);
        let roles: Vec<_> = profile
            .sections
            .iter()
            .map(|section| {
                (
                    section.role,
                    section.conventional,
                    section.words,
                    section.sentences.map_or(0, |spread| spread.count),
                )
            })
            .collect();
        assert_eq!(
            roles,
            [
                (Role::Abstract, true, 5, 2),
                // We see that FORMULA / First / Second one
                (Role::Introduction, true, 7, 3),
                // As … holds (8), The … REF (7), We set FORMULA where FORMULA is left (7), Stated here (2), Easy (1), So (1), And … (4)
                (Role::Body, false, 30, 7),
                (Role::Statements, true, 1, 1),
                (Role::Theory, true, 1, 1),
            ]
        );
        let introduction = profile.sections[1];
        assert_eq!(
            (
                introduction.citations,
                introduction.inline_formulas,
                introduction.lists,
                introduction.figures
            ),
            (Some(1), Some(1), Some(1), Some(1))
        );
        let body = profile.sections[2];
        assert_eq!(
            (
                body.title_words,
                body.subsections,
                body.run_in_headings,
                body.tables,
                body.footnotes,
                body.displayed_formulas,
                body.statements
            ),
            (3, 1, Some(1), Some(1), Some(1), Some(1), Some(3))
        );
        assert_eq!(
            (profile.sections[3].numbered, profile.sections[4].appendix),
            (Some(false), true)
        );
        let statements: Vec<_> = profile
            .statements
            .iter()
            .map(|one| (one.kind, one.count))
            .collect();
        assert_eq!(
            statements,
            [
                (StatementKind::Theorem, 1),
                (StatementKind::Assumption, 1),
                (StatementKind::Proof, 1)
            ]
        );
        assert_eq!(profile.figure_captions.map(|spread| spread.median), Some(3));
        assert_eq!(profile.table_captions.map(|spread| spread.median), Some(2));
        assert_eq!(profile.cited_works, Some(3));
    }

    #[test]
    fn what_is_never_closed_is_measured_all_the_same() {
        for unclosed in [
            "{",
            "\\begin{theorem} ",
            "\\begin{figure} ",
            "$",
            "\\textbf{",
            "\\begin{open}",
        ] {
            let text = format!(
                "\\documentclass{{article}}\\begin{{document}}\\section{{Introduction}} Words here. {}",
                unclosed.repeat(20_000)
            );
            assert_eq!(
                measure(&text).sections[0].role,
                Role::Introduction,
                "{unclosed}"
            );
        }
    }

    /// The parts of a paper after they were read, in two halves or in one.
    fn parts(text: &str, in_halves: bool) -> (Vec<Section>, Vec<usize>, Vec<usize>, bool) {
        let mut files = |_: &str| Loaded::Text(text.into());
        let document = Document::read("m.tex", &mut files).expect("readable");
        let (mut parts, _) = Parts::of(&document);
        let was_cut = cut(&document.blocks, &parts.of_heading).is_some();
        let captions = if in_halves {
            parts.read(&document.blocks)
        } else {
            let (sections, counters) = (&mut parts.sections, &mut parts.counters);
            read(&document.blocks, &parts.of_heading, sections, counters, 0)
        };
        assert!(document.blocks.len() >= MANY);
        let (sections, sentences, words) = parts.finish();
        assert!(words > MANY);
        (sections, sentences, captions.figures, was_cut)
    }

    #[test]
    fn a_paper_in_two_halves_is_measured_as_in_one() {
        let section = r"\section{Part} We set \begin{equation}a\end{equation} where $b$ is left\footnote{One note.}
            \subsection{Small} and it. \begin{figure}\caption{Two words.}\end{figure} No end here \begin{equation}c\end{equation}
            ";
        let abstracts = "\\begin{abstract}It is short.\\end{abstract}";
        let many = section.repeat(1_000);
        for (text, is_cut) in [
            (format!("{abstracts}{many}"), true),
            (format!("One two. {many}\\appendix {section}"), true),
            (format!("{many}{abstracts}"), false),
            (format!("\\chapter{{One}} {many}"), false),
            (
                format!("\\chapter{{One}} {many}\\chapter{{Two}} {section}"),
                true,
            ),
            (
                format!("\\chapter{{One}} {many}\\chapter{{Two}} {many}{section}"),
                false,
            ),
        ] {
            let text = format!("\\documentclass{{book}}\\begin{{document}}{text}\\end{{document}}");
            let halves = parts(&text, true);
            assert_eq!(halves.3, is_cut);
            assert!(halves == parts(&text, false));
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(\\\\begin|\\\\section|\\\\end|\\{figure\\}|\\{theorem\\}|[{}\\[\\]$%&\\\\a-z. \n]|\\\\cite\\{a\\}|é){0,60}") {
            drop(measure(&text));
        }
    }
}
