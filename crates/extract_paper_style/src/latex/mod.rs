//! The profile of LaTeX sources.

mod environments;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::thread;

use aris_latex::{Block, BlockKind, Document, MarkKind};

use crate::profile::{Basis, Profile, SCHEMA, Section, StatementKind, Statements};
use crate::prose::{Counter, Opaque, Spread};
use crate::role::Role;
use crate::style;

use environments::{Counted, Floats, Names, counted};

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
fn beside<A, B: Send>(
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
        let mut names = Names::of(document);
        let mut kinds: BTreeMap<StatementKind, usize> = BTreeMap::new();
        let mut table_around = Vec::with_capacity(document.environments.len());
        for environment in &document.environments {
            let inside = environment
                .outer
                .and_then(|outer| table_around.get(outer).copied())
                .unwrap_or(false);
            let what = names.counted(&environment.name);
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
