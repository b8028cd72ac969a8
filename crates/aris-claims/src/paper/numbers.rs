//! Which numbers of a paper look like results.
//!
//! The rule only decides which numbers are listed as unbound, never whether they are right, so it prefers to list too many:
//!
//! * every number of a table outside its headings and its first column;
//! * elsewhere: numbers with decimals, a power of ten, a percent sign, a unit, a multiplier (`1.3B`), a factor (`3.2×`) or an
//!   uncertainty (`± 0.3`), and whole numbers of two digits or more;
//! * never: number words, single digits and years without a unit, parts of names (`ResNet-50`, `v2.1`), numbers of sections, figures,
//!   tables and equations, list numbers, citations, cross-references, addresses, code, authors, keywords and bibliographies, and
//!   whole numbers in displayed formulas.

use std::ops::Range;

use aris_latex::{Block, BlockKind, MarkKind};
use serde::Serialize;

use super::{Paper, Shown};
use crate::number::{Number, Style, scan};
use crate::stretches::Stretches;

/// Numbers that may be years.
const YEARS: Range<i128> = 1900..2100;

/// Words that make the next number refer to a part of this or another document.
const POINTERS: &str = "section sections sec secs table tables tab tabs figure figures fig figs equation \
    equations eq eqs appendix chapter algorithm theorem lemma proposition corollary \
    definition step line lines page pages row part listing version no";

/// Why a number is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Kind {
    /// A number of a table.
    Cell,
    /// With a percent sign.
    Percent,
    /// With a power of ten.
    Scientific,
    /// A factor, `3.2×`.
    Factor,
    /// The part after `±`.
    Uncertainty,
    /// With a unit or a multiplier.
    Quantity,
    /// With decimals.
    Decimal,
    /// A whole number of two digits or more.
    Integer,
}

impl Kind {
    /// The word in artifacts and messages.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// Part of a paper, as coverage counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The abstract.
    Abstract,
    /// Cells of tables.
    Tables,
    /// Everything else.
    Text,
}

impl Paper<'_> {
    /// Every number that looks like a result, in reading order.
    pub(crate) fn results(&self) -> Vec<(Shown, Kind)> {
        let mut out = Vec::new();
        for (at, block) in self.document.blocks.iter().enumerate() {
            if !is_read(block) {
                continue;
            }
            let masked = masked(block);
            for number in scan(&block.text) {
                if let Some(kind) = kind(block, &number).filter(|_| !masked.meets(&number.range)) {
                    let range = number.range.clone();
                    let shown = Shown {
                        block: at,
                        range,
                        number,
                    };
                    out.push((shown, kind));
                }
            }
        }
        out
    }
}

/// Whether the numbers of a block may be results.
fn is_read(block: &Block) -> bool {
    match block.kind {
        BlockKind::Title
        | BlockKind::Abstract
        | BlockKind::Paragraph
        | BlockKind::ListItem
        | BlockKind::Caption { .. }
        | BlockKind::Footnote
        | BlockKind::FrontMatter
        | BlockKind::Heading { .. }
        | BlockKind::DisplayMath => true,
        BlockKind::Cell { col, header, .. } => !header && col > 0,
        BlockKind::Keywords | BlockKind::BibItem => false,
    }
}

/// Byte ranges that are not the authors' text about results.
fn masked(block: &Block) -> Stretches {
    let marks = block.marks.iter().filter(|mark| {
        matches!(
            mark.kind,
            MarkKind::Cite { .. } | MarkKind::Ref | MarkKind::Url | MarkKind::Code
        )
    });
    marks.map(|mark| mark.range.clone()).collect()
}

fn kind(block: &Block, number: &Number) -> Option<Kind> {
    if number.embedded || number.style == Style::Spelled {
        return None;
    }
    let formula = matches!(block.kind, BlockKind::DisplayMath);
    let before = block.text.get(..number.range.start).unwrap_or("");
    // A percentage is not the number of a section.
    let is_pointer = is_pointer(before) && !number.is_percent();
    if is_pointer || is_list_number(block, number) {
        return None;
    }
    if matches!(block.kind, BlockKind::Cell { .. }) {
        return Some(Kind::Cell);
    }
    // Other numbers of front matter belong to addresses, dates, names (`10x Genomics`) and grants.
    let is_front = block.kind == BlockKind::FrontMatter;
    Some(if number.is_percent() {
        Kind::Percent
    } else if number.style == Style::Scientific {
        Kind::Scientific
    } else if number.uncertainty_of.is_some() {
        Kind::Uncertainty
    } else if is_front {
        return None;
    } else if number.times {
        Kind::Factor
    } else if number.unit.is_some() || number.multiplier != 0 {
        Kind::Quantity
    } else if number.last_digit < 0 {
        Kind::Decimal
    } else if formula || is_small_or_year(block, number) {
        return None;
    } else {
        Kind::Integer
    })
}

fn is_small_or_year(block: &Block, number: &Number) -> bool {
    let digits = block.text.get(number.range.clone()).unwrap_or("");
    let bare = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.len() < 2 || bare && is_year(number)
}

/// Whether a whole number may be a year.
pub(crate) fn is_year(number: &Number) -> bool {
    let value = number.value.to_integer();
    value.is_some_and(|value| YEARS.contains(&value))
}

/// Whether this text ends in a word such as "Table", "Figs." or "Section", so that the next number refers to a part of a
/// document.
pub(super) fn is_pointer(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\u{a0}', '.', '(', '#']);
    let word = before.rsplit(|c: char| !c.is_alphabetic()).next();
    let word = word.unwrap_or("").to_lowercase();
    POINTERS.split(' ').any(|known| known == word)
}

/// Whether the number is a list number: `(1)` or `1.` at the beginning of a paragraph or item.
fn is_list_number(block: &Block, number: &Number) -> bool {
    let before = block.text.get(..number.range.start).unwrap_or("").trim();
    let after = block.text.get(number.range.end..).unwrap_or("");
    number.last_digit == 0
        && (before.is_empty() || before == "(")
        && after.starts_with([')', '.'])
        && matches!(block.kind, BlockKind::Paragraph | BlockKind::ListItem)
}
