//! The paper in reading order, as the elements of a page.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use aris_claims::runs::Runs;
use aris_claims::{Audit, Entry, Status};
use aris_latex::{Block, BlockKind, Document};

use super::card::{BRIEF, Card, label};
use super::pieces::{Piece, Stretch, pieces};

/// Most numbers without a problem that get a card; later ones are only coloured.
pub(super) const CARDS: usize = 5_000;
/// Most problems listed and numbered; the artifact has all of them.
pub(super) const PROBLEMS: usize = 500;
/// Most columns of one cell. **Source**: HTML Standard, attribute `colspan`.
const SPAN: usize = 1_000;
/// Environments whose items are indented.
const LISTS: [&str; 3] = ["itemize", "enumerate", "description"];

type Text = Vec<Piece<Spot>>;

/// An element of the page.
pub(super) enum Node {
    /// Level from 3 to 6, and text.
    Heading(u8, Text),
    /// Class of the style sheet, and text.
    Paragraph(&'static str, Text),
    /// Items with their nesting depth, from 1.
    List(Vec<(usize, Text)>),
    /// The caption of a figure.
    Figure(Text),
    /// Its number on the page, its caption, its rows.
    Table(usize, Option<Text>, Vec<Vec<Cell>>),
    /// Position of the bibliography.
    References,
}

/// A cell of a table.
#[derive(Default)]
pub(super) struct Cell {
    /// `col` or `row` for a header cell, else empty.
    pub(super) scope: &'static str,
    pub(super) colspan: usize,
    pub(super) text: Text,
}

/// A number or statement in the text, and everything that the page says about it.
pub(super) struct Spot {
    pub(super) anchor: usize,
    pub(super) status: &'static str,
    pub(super) label: &'static str,
    /// Its number in the list of problems.
    pub(super) problem: Option<usize>,
    pub(super) cards: Vec<Card>,
}

/// Whether a status is listed as a problem.
pub(super) fn is_problem(status: Status) -> bool {
    status.contradicts() || matches!(status, Status::BindingLost | Status::BindingError)
}

/// Makes the page's elements from the paper.
pub(super) struct Flow<'a> {
    pub(super) document: &'a Document,
    pub(super) audit: &'a Audit,
    pub(super) claims_file: &'a str,
    runs: &'a Runs,
    /// Entries of each block.
    entries: BTreeMap<usize, Vec<usize>>,
    /// Number in the list of problems, by entry.
    problems: BTreeMap<usize, usize>,
    cards_left: usize,
    /// Anchor of each entry on the page.
    pub(super) anchors: BTreeMap<usize, usize>,
}

impl<'a> Flow<'a> {
    pub(super) fn new(
        document: &'a Document,
        audit: &'a Audit,
        claims_file: &'a str,
        runs: &'a Runs,
    ) -> Self {
        let mut entries: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut problems = BTreeMap::new();
        for (at, entry) in audit.entries.iter().enumerate() {
            if let Some((block, _)) = &entry.visible {
                entries.entry(*block).or_default().push(at);
            }
            if is_problem(entry.status) && problems.len() < PROBLEMS {
                problems.insert(at, problems.len() + 1);
            }
        }
        Self {
            document,
            audit,
            claims_file,
            runs,
            entries,
            problems,
            cards_left: CARDS,
            anchors: BTreeMap::new(),
        }
    }

    /// The elements in reading order, without the bibliography.
    pub(super) fn nodes(&mut self) -> Vec<Node> {
        let document = self.document;
        let cells = document.blocks.iter().filter_map(table_of);
        let mut waiting: BTreeSet<usize> = cells.collect();
        let mut captions = BTreeMap::new();
        for (at, table) in document.tables.iter().enumerate() {
            if let Some(block) = table.caption.filter(|_| waiting.contains(&at)) {
                captions.entry(block).or_insert(at);
            }
        }
        let mut nodes = Vec::new();
        for (at, block) in document.blocks.iter().enumerate() {
            let node = match &block.kind {
                BlockKind::BibItem if matches!(nodes.last(), Some(Node::References)) => continue,
                BlockKind::BibItem => Node::References,
                BlockKind::Cell { table, .. } => {
                    if !waiting.remove(table) {
                        continue;
                    }
                    let caption = document.tables.get(*table).and_then(|table| table.caption);
                    let caption = caption.filter(|block| captions.get(block) == Some(table));
                    let caption = caption.map(|block| self.text(block));
                    Node::Table(*table, caption, self.rows(*table))
                }
                BlockKind::Caption { .. } if captions.contains_key(&at) => continue,
                BlockKind::Caption { .. } => Node::Figure(self.text(at)),
                BlockKind::Heading { level } => {
                    let level = u8::try_from(level + 2).unwrap_or(3).clamp(3, 6);
                    Node::Heading(level, self.text(at))
                }
                BlockKind::ListItem => {
                    let names = block.environments.iter();
                    let depth = names.filter(|name| LISTS.contains(&name.as_ref())).count();
                    let item = (depth.clamp(1, 4), self.text(at));
                    if let Some(Node::List(items)) = nodes.last_mut() {
                        items.push(item);
                        continue;
                    }
                    Node::List(vec![item])
                }
                kind => Node::Paragraph(class(kind), self.text(at)),
            };
            nodes.push(node);
        }
        nodes
    }

    /// The text of a block.
    fn text(&mut self, at: usize) -> Text {
        let audit = self.audit;
        let Some(block) = self.document.blocks.get(at) else {
            return Vec::new();
        };
        let (mut numbers, mut statements) = (Vec::new(), Vec::new());
        for index in self.entries.get(&at).into_iter().flatten() {
            let Some(entry) = audit.entries.get(*index) else {
                continue;
            };
            let Some((_, range)) = entry.visible.clone() else {
                continue;
            };
            let entries = vec![*index];
            match entry.shown {
                Some(_) => numbers.push(Stretch { range, entries }),
                None => statements.push(Stretch { range, entries }),
            }
        }
        let show = |stretch: &Stretch| self.spot(stretch);
        pieces(&block.text, &block.marks, numbers, statements, show)
    }

    fn spot(&mut self, stretch: &Stretch) -> Spot {
        let anchor = stretch.entries.first().copied().unwrap_or(0);
        let anchors = stretch.entries.iter().map(|entry| (*entry, anchor));
        self.anchors.extend(anchors);
        let audit = self.audit;
        let entries = stretch.entries.iter();
        let entries = entries.filter_map(|at| Some((*at, audit.entries.get(*at)?)));
        let mut entries: Vec<(usize, &Entry)> = entries.collect();
        entries.sort_by_key(|(at, entry)| (Reverse(weight(entry.status)), *at));
        let mut cards = Vec::new();
        for (at, entry) in &entries {
            if !self.problems.contains_key(at) {
                if self.cards_left == 0 {
                    continue;
                }
                self.cards_left -= 1;
            }
            cards.push(Card::new(entry, self.claims_file, self.runs, BRIEF));
        }
        let worst = entries.first().map(|(_, entry)| *entry);
        let numbered = entries.iter().find_map(|(at, _)| self.problems.get(at));
        Spot {
            anchor,
            status: worst.map_or("", |entry| entry.status.word()),
            label: worst.map_or("", label),
            problem: numbered.copied(),
            cards,
        }
    }

    /// The cells of a table, row by row; positions covered by a cell that spans several rows stay empty.
    fn rows(&mut self, table: usize) -> Vec<Vec<Cell>> {
        let document = self.document;
        let rows = document.tables.get(table);
        let rows = rows.map_or(&[][..], |table| &table.rows);
        let mut out = Vec::new();
        for row in rows {
            let mut cells: Vec<Cell> = Vec::new();
            let mut next = 0;
            for at in &row.cells {
                let kind = document.blocks.get(*at).map(|block| &block.kind);
                let Some(BlockKind::Cell {
                    col,
                    colspan,
                    header,
                    ..
                }) = kind
                else {
                    continue;
                };
                let gap = col.saturating_sub(next).min(SPAN);
                cells.extend((0..gap).map(|_| Cell::default()));
                let text = self.text(*at);
                let scope = match (header, col) {
                    _ if text.is_empty() => "",
                    (true, _) => "col",
                    (false, 0) => "row",
                    (false, _) => "",
                };
                let colspan = (*colspan).clamp(1, SPAN);
                next = col + colspan;
                cells.push(Cell {
                    scope,
                    colspan,
                    text,
                });
            }
            out.push(cells);
        }
        out
    }
}

/// The style-sheet class of a paragraph.
fn class(kind: &BlockKind) -> &'static str {
    match kind {
        BlockKind::Title => "title",
        BlockKind::FrontMatter | BlockKind::Keywords => "front",
        BlockKind::Abstract => "abstract",
        BlockKind::Footnote => "foot",
        BlockKind::DisplayMath => "formula",
        _ => "",
    }
}

fn table_of(block: &Block) -> Option<usize> {
    match block.kind {
        BlockKind::Cell { table, .. } => Some(table),
        _ => None,
    }
}

/// Of several entries at one place, the one with the largest weight sets the colour.
fn weight(status: Status) -> u8 {
    match status {
        Status::ExactMatch => 0,
        Status::RoundingOk => 1,
        Status::Waived => 2,
        Status::Unbound | Status::Undecided => 3,
        Status::BindingLost => 4,
        Status::BindingError => 5,
        Status::ScopeOverclaim => 6,
        Status::NumberMismatch => 7,
    }
}
