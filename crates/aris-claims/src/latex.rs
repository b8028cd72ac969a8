//! From a LaTeX document to passages, and back to its lines.

use std::collections::BTreeMap;

use aris_latex::{Block, BlockKind, Document, MarkKind};

use crate::passage::{CellPlace, Grid, MaskKind, Paper, Passage, PassageKind};

/// Reads the visible blocks of a document. Passage numbers are block numbers.
pub fn paper(document: &Document) -> Paper {
    Paper {
        passages: document.blocks.iter().map(passage).collect(),
        sections: document
            .headings
            .iter()
            .map(|heading| heading.title.clone())
            .collect(),
        tables: document
            .tables
            .iter()
            .map(|table| grid(document, table))
            .collect(),
        names: names(document),
    }
}

/// Single capitalised words that macros of the document produce at least three times.
fn names(document: &Document) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for block in &document.blocks {
        for mark in &block.marks {
            let MarkKind::Expanded { .. } = mark.kind else {
                continue;
            };
            let text = block.text.get(mark.range.clone()).unwrap_or("").trim();
            let name = text.chars().next().is_some_and(char::is_uppercase)
                && text
                    .chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '-' | '+'));
            if name && text.chars().count() >= 3 {
                *counts.entry(text).or_default() += 1;
            }
        }
    }
    let mut found: Vec<(&str, usize)> = counts
        .into_iter()
        .filter(|(_, count)| *count >= 3)
        .collect();
    found.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    found.into_iter().map(|(name, _)| name.to_owned()).collect()
}

fn passage(block: &Block) -> Passage {
    let mut cell = None;
    let kind = match &block.kind {
        BlockKind::Title => PassageKind::Title,
        BlockKind::Abstract => PassageKind::Abstract,
        BlockKind::Paragraph | BlockKind::ListItem | BlockKind::Footnote => PassageKind::Text,
        BlockKind::Heading { .. } => PassageKind::Heading,
        BlockKind::Caption { .. } => PassageKind::Caption,
        BlockKind::Cell {
            table, row, col, ..
        } => {
            cell = Some(CellPlace {
                table: *table,
                row: *row,
                column: *col,
            });
            PassageKind::Cell
        }
        BlockKind::DisplayMath => PassageKind::Formula,
        BlockKind::FrontMatter | BlockKind::Keywords | BlockKind::BibItem => PassageKind::Other,
    };
    let masks = block
        .marks
        .iter()
        .filter_map(|mark| {
            let kind = match mark.kind {
                MarkKind::Cite { .. } => MaskKind::Cite,
                MarkKind::Ref { .. } => MaskKind::Reference,
                MarkKind::Url | MarkKind::Code => MaskKind::Code,
                MarkKind::Math => MaskKind::Math,
                MarkKind::Bold | MarkKind::Emph => MaskKind::Emphasis,
                _ => return None,
            };
            Some((mark.range.clone(), kind))
        })
        .collect();
    Passage {
        kind,
        text: block.text.clone(),
        masks,
        section: block.section,
        cell,
    }
}

fn grid(document: &Document, table: &aris_latex::Table) -> Grid {
    let columns = table.columns.min(200);
    Grid {
        caption: table.caption,
        rows: (0..table.rows.len())
            .map(|row| {
                (0..columns)
                    .map(|column| table.cell_at(&document.blocks, row, column))
                    .collect()
            })
            .collect(),
        header: table.rows.iter().map(|row| row.header).collect(),
        group: table.rows.iter().map(|row| row.group).collect(),
    }
}

/// Places of passages in a LaTeX document.
pub(crate) struct Places<'d>(pub(crate) &'d Document);

/// Characters of source shown around a claim.
const QUOTE: usize = 160;

impl crate::audit::Locate for Places<'_> {
    fn locate(&self, passage: usize, offset: usize) -> (crate::report::ClaimPlace, String) {
        let Some(block) = self.0.blocks.get(passage) else {
            return (
                crate::report::ClaimPlace {
                    file: self.0.root.clone(),
                    line: 1,
                    column: 1,
                },
                String::new(),
            );
        };
        let place = block.place(offset);
        let position = self.0.position(place);
        let place_out = crate::report::ClaimPlace {
            file: position.path,
            line: position.line,
            column: position.column,
        };
        (place_out, self.0.quote(place, QUOTE))
    }
}
