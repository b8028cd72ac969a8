//! The paper as its readers see it: visible numbers and their places, tables by their headings, and the mapping from source
//! ranges to printed text.

mod apart;
mod heads;
mod language;
mod macros;
mod numbers;

use std::collections::BTreeMap;
use std::ops::Range;

use aris_latex::{BlockKind, Document, MarkKind, Place, Position};

use crate::bindings::{Folded, is_tex};
use crate::number::{self, Number};

pub(crate) use heads::{Grid, Layout, NamesOf, head_text};
pub(crate) use macros::MacroNumber;
pub(crate) use numbers::is_year;
pub use numbers::{Kind, Part};

/// Bytes to each side of a mark that are searched for the rest of its number.
const NEAR: usize = 60;

/// A number in the visible text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shown {
    /// Index of the block in the document.
    pub(crate) block: usize,
    /// Byte range in the block's text.
    pub(crate) range: Range<usize>,
    /// The number.
    pub(crate) number: Number,
}

/// A range of the source and the visible text that it prints.
#[derive(Debug, Clone, Copy)]
struct Run {
    source: (usize, usize),
    block: usize,
    text: (usize, usize),
    is_copy: bool,
}

impl Run {
    /// The visible text that a range of the source prints.
    fn within(&self, source: &Range<usize>) -> Range<usize> {
        if !self.is_copy {
            return self.text.0..self.text.1;
        }
        let skipped = source.start.saturating_sub(self.source.0);
        let cut = self.source.1.saturating_sub(source.end);
        self.text.0 + skipped..self.text.1.saturating_sub(cut)
    }
}

/// The text that a range of the source prints.
struct Printed {
    /// The first block with such text.
    block: usize,
    /// Byte range in that block's text.
    range: Range<usize>,
    /// End of the source of that text.
    read: usize,
    /// Whether other blocks have none of it: a range over two cells of a table is not one number.
    is_alone: bool,
}

/// A document with its indexes.
#[derive(Debug)]
pub(crate) struct Paper<'d> {
    pub(crate) document: &'d Document,
    /// By file, sorted by their start in the source.
    runs: Vec<Vec<Run>>,
    /// Text that macros of the document print: by name, blocks and byte ranges of their text.
    pub(crate) expansions: BTreeMap<&'d str, Vec<(usize, Range<usize>)>>,
    /// Whether the document declares decimal commas.
    has_commas: bool,
}

impl<'d> Paper<'d> {
    pub(crate) fn new(document: &'d Document) -> Self {
        let mut runs: Vec<Vec<Run>> = vec![Vec::new(); document.files.len()];
        for (block, found) in document.blocks.iter().enumerate() {
            for piece in found.pieces() {
                let length = if piece.is_copy { piece.text.len() } else { 1 };
                if let Some(of_file) = runs.get_mut(piece.place.file) {
                    of_file.push(Run {
                        source: (piece.place.offset, piece.place.offset + length),
                        block,
                        text: (piece.text.start, piece.text.end),
                        is_copy: piece.is_copy,
                    });
                }
            }
        }
        for of_file in &mut runs {
            of_file.sort_by_key(|run| (run.source, run.block));
        }
        Self {
            document,
            runs,
            expansions: expansions(document),
            has_commas: language::has_commas(document),
        }
    }

    /// The text of a block.
    pub(crate) fn text(&self, block: usize) -> &'d str {
        let block = self.document.blocks.get(block);
        block.map_or("", |block| block.text.as_str())
    }

    /// A number as it is written in the text.
    pub(crate) fn shown(&self, shown: &Shown) -> &'d str {
        self.text(shown.block)
            .get(shown.range.clone())
            .unwrap_or("")
    }

    /// The text of a file, folded for the comparison with anchors.
    pub(crate) fn folded(&self, file: usize) -> Folded {
        let file = self.document.files.get(file);
        file.map_or_else(Folded::default, |file| {
            Folded::new(&file.text, is_tex(&file.path))
        })
    }

    /// The visible text that a range of the source prints. If it prints into several blocks: the text in the first.
    pub(crate) fn visible(
        &self,
        file: usize,
        source: Range<usize>,
    ) -> Option<(usize, Range<usize>)> {
        let printed = self.printed(file, source)?;
        Some((printed.block, printed.range))
    }

    fn printed(&self, file: usize, source: Range<usize>) -> Option<Printed> {
        let runs = self.runs.get(file)?;
        // Copies are sorted by start and do not overlap, so only the runs just before `first` can reach into the range.
        let first = runs.partition_point(|run| run.source.0 < source.start);
        let (before, inside) = runs.split_at_checked(first)?;
        let reaching = before.iter().rev().take(4);
        let reaching = reaching.filter(|run| run.source.1 > source.start);
        let inside = inside.iter().take_while(|run| run.source.0 < source.end);
        let mut found: Option<Printed> = None;
        for run in reaching.chain(inside) {
            let text = run.within(&source);
            if text.is_empty() {
                continue;
            }
            match &mut found {
                None => {
                    found = Some(Printed {
                        block: run.block,
                        range: text,
                        read: run.source.1,
                        is_alone: true,
                    });
                }
                Some(printed) if printed.block == run.block => {
                    printed.range.start = printed.range.start.min(text.start);
                    printed.range.end = printed.range.end.max(text.end);
                    printed.read = printed.read.max(run.source.1);
                }
                // Source that was already read may be printed again in another block. Later source is other text.
                Some(printed) => printed.is_alone &= run.source.0 < printed.read,
            }
        }
        found
    }

    /// All visible text that a range of the source prints.
    pub(crate) fn all_visible(
        &self,
        file: usize,
        source: Range<usize>,
    ) -> Vec<(usize, Range<usize>)> {
        let runs = self.runs.get(file).into_iter().flatten();
        let inside = runs.filter(|run| run.source.0 < source.end && run.source.1 > source.start);
        inside.map(|run| (run.block, run.within(&source))).collect()
    }

    /// Whether readers see anything of a range of the source.
    pub(crate) fn is_visible(&self, file: usize, source: Range<usize>) -> bool {
        self.visible(file, source).is_some()
    }

    /// The number that a range of the source prints as a whole. If siunitx sets it with a unit: the number without the unit.
    pub(crate) fn number(&self, file: usize, source: Range<usize>) -> Option<Shown> {
        let printed = self.printed(file, source);
        let printed = printed.filter(|printed| printed.is_alone)?;
        let (block, range) = (printed.block, printed.range);
        let found = self.document.blocks.get(block)?;
        let text = found.text.get(range.clone())?;
        let start = range.start + (text.len() - text.trim_start().len());
        let mut range = start..start + text.trim().len();
        let marked = |kind: &MarkKind| {
            let mut marks = found.marks.iter().filter(|mark| mark.kind == *kind);
            marks.find(|mark| range.start <= mark.range.start && mark.range.end <= range.end)
        };
        if let (Some(number), Some(unit)) = (marked(&MarkKind::Number), marked(&MarkKind::Unit))
            && number.range.start == range.start
            && unit.range.end == range.end
        {
            range = number.range.clone();
        }
        let number = number::whole(found.text.get(range.clone())?)?;
        Some(Shown {
            block,
            range,
            number,
        })
    }

    /// The whole number that readers see at a mark, including what is outside the mark: a sign before `[[42.7]]` or
    /// `\textbf{[[42.7]]}`, or in the macro that prints the mark, counts. A number is not extended over commas that separate
    /// marks: those are a list, as in `{[[100]],[[500]]}`.
    pub(crate) fn grown(&self, shown: &Shown, marks: &[Shown]) -> Shown {
        let text = self.text(shown.block);
        let range = &shown.range;
        let from = text.floor_char_boundary(range.start.saturating_sub(NEAR));
        let to = text.ceil_char_boundary(range.end + NEAR);
        let numbers = number::scan(text.get(from..to).unwrap_or("")).into_iter();
        let mut grown =
            numbers.map(|number| (from + number.range.start..from + number.range.end, number));
        let grown = grown.find(|(whole, _)| {
            let is_marked = |at: &usize| {
                marks
                    .iter()
                    .any(|mark| mark.block == shown.block && mark.range.contains(at))
            };
            let rest = whole.clone().filter(|at| !is_marked(at));
            whole.start <= range.start
                && range.end <= whole.end
                && rest
                    .filter_map(|at| text.get(at..)?.chars().next())
                    .any(|c| c != ',' && !c.is_whitespace())
        });
        self.signed(grown.map_or(shown.clone(), |(range, number)| Shown {
            range,
            number,
            ..shown.clone()
        }))
    }

    /// The same number with a minus sign that a space separates from it: in a formula, where spaces print nothing (`$- 5.1$`), or
    /// in a table cell (`$-$ 5.1`), which has no dashes between words.
    pub(crate) fn signed(&self, mut shown: Shown) -> Shown {
        let (text, start) = (self.text(shown.block), shown.range.start);
        let block = self.document.blocks.get(shown.block);
        let is_cell = block.is_some_and(|block| matches!(block.kind, BlockKind::Cell { .. }));
        let mut marks = block.into_iter().flat_map(|block| &block.marks);
        let formula = marks.find(|mark| {
            matches!(mark.kind, MarkKind::Math | MarkKind::DisplayMath)
                && mark.range.contains(&start)
        });
        let formula = formula
            .map(|formula| formula.range.start)
            .filter(|_| !is_cell);
        let sign = formula.or(is_cell.then_some(0)).and_then(|from| {
            let before = text.get(from..start)?.trim_end();
            let inside = before.strip_suffix(['-', '−', '–'])?;
            let at = from + inside.len();
            let earlier = Some(inside.trim_end()).filter(|inside| !inside.is_empty());
            number::is_unary(earlier.or_else(|| text.get(..at))?).then_some(at)
        });
        let digits = text.get(start..).unwrap_or("");
        if let Some(at) = sign
            && digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        {
            shown.range.start = at;
            shown.number.value = shown.number.value.negate();
            shown.number.has_minus = true;
        }
        shown
    }

    /// Whether a counter or reference of LaTeX directly touches a number: `\thesection5.1`.
    pub(crate) fn is_counted(&self, shown: &Shown) -> bool {
        let block = self.document.blocks.get(shown.block);
        let mut marks = block.into_iter().flat_map(|block| &block.marks);
        marks.any(|mark| {
            matches!(mark.kind, MarkKind::Ref)
                && (mark.range.end == shown.range.start || shown.range.end == mark.range.start)
        })
    }

    /// The index of the document's file with this path.
    pub(crate) fn file(&self, path: &str) -> Option<usize> {
        let mut files = self.document.files.iter();
        files.position(|file| file.path == path)
    }

    /// The cause of a doubt whether a range of visible text is printed. `None` if there is no doubt.
    pub(crate) fn doubt(&self, block: usize, range: &Range<usize>) -> Option<Position> {
        let cause = self.document.blocks.get(block)?.doubt(range)?;
        Some(self.document.position(cause))
    }

    /// Path, line and column of a byte offset in a block's text. The position of a sign written `$-$` is that of its first dollar
    /// sign.
    pub(crate) fn position(&self, block: usize, at: usize) -> Position {
        self.document.position(self.place(block, at))
    }

    pub(crate) fn place(&self, block: usize, at: usize) -> Place {
        let found = self.document.blocks.get(block);
        let mut place = found.map_or(Place { file: 0, offset: 0 }, |block| block.place(at));
        let file = self.document.files.get(place.file);
        let source = file.and_then(|file| file.text.get(place.offset.checked_sub(1)?..));
        let source = source.unwrap_or("");
        if ["$-$", "$+$", "$−$"]
            .iter()
            .any(|sign| source.starts_with(sign))
        {
            place.offset -= 1;
        }
        place
    }

    /// The text around a range of a block, on one line.
    pub(crate) fn context(&self, block: usize, range: &Range<usize>) -> String {
        const AROUND: usize = 70;
        let text = self.text(block);
        let from = text.floor_char_boundary(range.start.saturating_sub(AROUND));
        let to = text.ceil_char_boundary(range.end + AROUND);
        let before = if from > 0 { "…" } else { "" };
        let after = if to < text.len() { "…" } else { "" };
        let text = text.get(from..to).unwrap_or("").trim();
        format!("{before}{text}{after}")
    }

    /// The part of the paper that a block is in.
    pub(crate) fn part(&self, block: usize) -> Part {
        match self.document.blocks.get(block).map(|block| &block.kind) {
            Some(BlockKind::Abstract) => Part::Abstract,
            Some(BlockKind::Cell { .. }) => Part::Tables,
            _ => Part::Text,
        }
    }
}

/// Text that macros of the document print, by their names.
fn expansions(document: &Document) -> BTreeMap<&str, Vec<(usize, Range<usize>)>> {
    let mut out: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for (at, block) in document.blocks.iter().enumerate() {
        for mark in &block.marks {
            if let MarkKind::Expanded { name, .. } = &mark.kind {
                out.entry(name).or_default().push((at, mark.range.clone()));
            }
        }
    }
    out
}
