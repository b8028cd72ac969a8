//! The profile of LaTeX sources.

mod environments;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use aris_latex::{Block, BlockKind, Document, MarkKind};

use crate::profile::{Basis, Captions, Profile, Section, StatementKind};
use crate::prose::{self, Counter, Opaque, StandsFor};
use crate::role::Role;
use crate::style;

use environments::{Counted, counted, declared, is_in_float};

/// Measures a paper from its LaTeX sources.
pub(crate) fn profile(document: &Document) -> Profile {
    let (mut parts, roles) = Parts::of(document);
    let statements = parts.environments(document);
    let captions = parts.read(&document.blocks);
    let keys = document.citations.iter();
    let cited: BTreeSet<&str> = keys.map(|citation| citation.key.as_str()).collect();
    let textual = style::textual(&document.blocks);
    let mut profile = Profile {
        citation_style: style::of(document, textual),
        cited_works: Some(cited.len()),
        textual_citations: textual,
        ..Profile::of(Basis::Latex, parts.all, statements, captions)
    };
    // The abstract and the text before the first heading are dropped if they are empty.
    let mut number = 0;
    profile.sections.retain(|section| {
        number += 1;
        let empty = section.words == 0 && section.figures == Some(0) && section.tables == Some(0);
        number > OPENING + 1 || !empty
    });
    profile.find_cues(&roles);
    profile
}

/// A section of a LaTeX paper: every count is known and begins at 0.
fn section(role: Role, conventional: bool) -> Section {
    let zero = Some(0);
    Section {
        role,
        conventional,
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
        ..Section::default()
    }
}

/// Counts the formulas and citations of a block.
fn count_marks(block: &Block, section: &mut Section) {
    *section.citations.get_or_insert(0) += style::citations(block).count();
    if block.kind == BlockKind::DisplayMath {
        *section.displayed_formulas.get_or_insert(0) += 1;
    }
    for mark in &block.marks {
        let number = match mark.kind {
            MarkKind::Math => &mut section.inline_formulas,
            MarkKind::DisplayMath if block.kind != BlockKind::DisplayMath => {
                &mut section.displayed_formulas
            }
            _ => continue,
        };
        *number.get_or_insert(0) += 1;
    }
}

/// The sections of a paper: the abstract, the text before the first heading, and one for each top-level heading.
struct Parts {
    all: Vec<(Section, Counter)>,
    /// For each heading of the document, the index of its part.
    of_heading: Vec<usize>,
    /// For each heading with acknowledgements and the like in an environment below it, or none, the index of their part.
    of_statements: BTreeMap<Option<usize>, usize>,
}

const ABSTRACT: usize = 0;
const OPENING: usize = 1;

/// Whether an environment holds acknowledgements or the like, for which the class prints a heading.
fn is_statements(name: &str) -> bool {
    Role::of(name) == (Role::Statements, true)
}

impl Parts {
    /// The parts, still empty, and the role of each heading.
    fn of(document: &Document) -> (Self, Vec<Role>) {
        let part = |section| (section, Counter::default());
        let mut all = vec![
            part(section(Role::Abstract, true)),
            part(section(Role::Opening, true)),
        ];
        let mut of_heading = Vec::with_capacity(document.headings.len());
        let mut roles = Vec::with_capacity(document.headings.len());
        // The top level is sections, in books chapters.
        let chapters = document.headings.iter().any(|heading| heading.level == 0);
        let top = i8::from(!chapters);
        let statements = document.environments.iter();
        let statements = statements.filter(|environment| is_statements(&environment.name));
        let under: BTreeSet<Option<usize>> = statements.map(|found| found.section).collect();
        let mut of_statements = BTreeMap::new();
        let mut add_statements = |heading: Option<usize>, all: &mut Vec<_>| {
            if under.contains(&heading) {
                of_statements.insert(heading, all.len());
                all.push(part(Section {
                    title_words: 1,
                    numbered: Some(false),
                    ..section(Role::Statements, true)
                }));
            }
        };
        add_statements(None, &mut all);
        let mut current = OPENING;
        for (number, heading) in document.headings.iter().enumerate() {
            let (role, conventional) = Role::of(&heading.title);
            roles.push(role);
            if heading.level == top {
                current = all.len();
                all.push(part(Section {
                    title_words: prose::words(&heading.title, &[]),
                    numbered: Some(!heading.starred),
                    appendix: heading.appendix || role == Role::Appendix,
                    ..section(role, conventional)
                }));
            } else if heading.level > top
                && let Some((section, _)) = all.get_mut(current)
            {
                if heading.level >= 4 {
                    *section.run_in_headings.get_or_insert(0) += 1;
                } else if heading.level == top + 1 {
                    section.subsections += 1;
                }
            }
            of_heading.push(current);
            add_statements(Some(number), &mut all);
        }
        let parts = Self {
            all,
            of_heading,
            of_statements,
        };
        (parts, roles)
    }

    /// The part that a heading of the document belongs to; without a heading, the text before the first.
    fn under(&mut self, heading: Option<usize>) -> Option<&mut (Section, Counter)> {
        let own = heading.and_then(|heading| self.of_heading.get(heading));
        self.all.get_mut(own.copied().unwrap_or(OPENING))
    }

    /// Measures the blocks.
    fn read(&mut self, blocks: &[Block]) -> Captions {
        let mut captions = Captions::default();
        let mut formula_before = false;
        for block in blocks {
            let statements = self.of_statements.get(&block.section).filter(|_| {
                let mut around = block.environments.iter();
                around.any(|name| is_statements(name))
            });
            let part = match (&block.kind, statements) {
                (BlockKind::Abstract, _) => self.all.get_mut(ABSTRACT),
                (_, Some(at)) => self.all.get_mut(*at),
                _ => self.under(block.section),
            };
            let Some((section, counter)) = part else {
                continue;
            };
            count_marks(block, section);
            match &block.kind {
                BlockKind::Paragraph | BlockKind::ListItem | BlockKind::Abstract
                    if !is_in_float(block) && !section.is_bibliography() =>
                {
                    if !(formula_before && counter.goes_on_with(&block.text)) {
                        counter.close();
                        *section.paragraphs.get_or_insert(0) += 1;
                    }
                    counter.read(&block.text, &opaque(block));
                }
                BlockKind::DisplayMath if !is_in_float(block) => counter.formula(&block.text),
                BlockKind::Caption { float } => {
                    let words = prose::words(&block.text, &opaque(block));
                    match counted(float, &BTreeMap::new()) {
                        Counted::Figure => captions.figures.push(words),
                        Counted::Table | Counted::OwnTable => captions.tables.push(words),
                        _ => {}
                    }
                }
                BlockKind::Heading { .. } => counter.close(),
                BlockKind::Footnote => *section.footnotes.get_or_insert(0) += 1,
                _ => {}
            }
            // A footnote follows its paragraph and does not separate that from a formula.
            if block.kind != BlockKind::Footnote {
                formula_before = block.kind == BlockKind::DisplayMath;
            }
        }
        captions
    }

    /// Counts the environments of each section; returns the number of statements by kind.
    fn environments(&mut self, document: &Document) -> BTreeMap<StatementKind, usize> {
        let declared = declared(document);
        let mut kinds: BTreeMap<StatementKind, usize> = BTreeMap::new();
        let mut table_around = Vec::with_capacity(document.environments.len());
        for environment in &document.environments {
            let outer = environment.outer.and_then(|outer| table_around.get(outer));
            let inside = outer == Some(&true);
            let what = counted(&environment.name, &declared);
            table_around.push(inside || matches!(what, Counted::Table | Counted::OwnTable));
            let Some((section, _)) = self.under(environment.section) else {
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
        kinds
    }
}

/// The formulas, citations, references, code and addresses of a block.
fn opaque(block: &Block) -> Vec<Opaque> {
    use MarkKind::{Cite, Code, DisplayMath, Math, Ref, Url};
    let mut found: Vec<Opaque> = Vec::new();
    for mark in &block.marks {
        let stands_for = match &mark.kind {
            Math | DisplayMath | Code | Url | Ref => StandsFor::Word,
            Cite { command, .. } if style::names_authors(command) => StandsFor::Authors,
            Cite { .. } => StandsFor::Nothing,
            _ => continue,
        };
        let from = found.last().map_or(0, |last| last.range.end);
        let range = mark.range.start.max(from)..mark.range.end.max(from);
        if !range.is_empty() {
            found.push(Opaque { range, stands_for });
        }
    }
    found
}
