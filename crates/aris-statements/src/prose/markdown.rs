//! Markdown: passages, tables, front matter and footnotes, each byte with its place.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use aris_claims::passage::{CellPlace, Grid, MaskKind, Paper, Passage, PassageKind};
use aris_latex::{Document, SourceFile};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{Keyed, Lines, Place, Places, Prose, References, finish};
use crate::mark::{Mark, Source};

/// Text from `text` on comes from `source` on; the first `linear` bytes are a copy, what follows maps to `source`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    text: usize,
    source: usize,
    linear: usize,
}

/// TeX in inline formulas that a reader sees as a sign.
const SIGNS: [(&str, &str); 18] = [
    (r"\pm", "±"),
    (r"\times", "×"),
    (r"\cdot", "·"),
    (r"\approx", "≈"),
    (r"\leq", "≤"),
    (r"\le", "≤"),
    (r"\geq", "≥"),
    (r"\ge", "≥"),
    (r"\ll", "≪"),
    (r"\gg", "≫"),
    (r"\in", "∈"),
    (r"\sim", "~"),
    (r"\mu", "µ"),
    (r"\alpha", "α"),
    (r"\beta", "β"),
    (r"\,", " "),
    (r"\;", " "),
    (r"\%", "%"),
];

/// Titles of the section that lists references.
const REFERENCES: [&str; 5] = [
    "references",
    "bibliography",
    "literature",
    "literature cited",
    "works cited",
];

pub(super) fn read(file: &str, text: &str, lines: Lines) -> Prose {
    let source = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader::default();
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_MATH
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
        reader.event(event, range);
    }
    reader.flush();
    reader.prose(file, source, lines)
}

/// The source offset of a byte of a passage.
pub(super) fn source_offset(spans: &[Span], offset: usize) -> usize {
    let after = spans.partition_point(|span| span.text <= offset);
    let Some(span) = after.checked_sub(1).and_then(|at| spans.get(at)) else {
        return spans.first().map_or(0, |span| span.source);
    };
    let into = offset - span.text;
    if into < span.linear {
        span.source + into
    } else {
        span.source + span.linear.saturating_sub(1)
    }
}

pub(super) fn place(source: &Document, offset: usize, lines: &Lines) -> Place {
    let at = source.position(aris_latex::Place { file: 0, offset });
    Place {
        file: at.path,
        line: lines.number(at.line),
        column: at.column,
    }
}

#[derive(Default)]
struct Reader {
    paper: Paper,
    spans: Vec<Vec<Span>>,
    known: Vec<Vec<Mark>>,
    open: Option<Open>,
    /// What the innermost block makes of text.
    kind: Vec<PassageKind>,
    /// Where a link, emphasis or strong text began.
    inline: Vec<(usize, Option<String>)>,
    /// Footnotes referred to: passage, place in its marks, name.
    footnotes: Vec<(usize, usize, String)>,
    /// Names of footnotes with the text of each.
    footnote_texts: BTreeMap<String, String>,
    footnote: Option<String>,
    table: Option<Grid>,
    row: Vec<Option<usize>>,
    front_matter: Option<String>,
    in_matter: bool,
    /// Level of the heading of the list of references while inside it.
    references: Option<i8>,
    heading: i8,
    levels: Vec<i8>,
    listed: BTreeSet<u32>,
    numbered: Vec<Option<u64>>,
}

/// The passage being read.
struct Open {
    kind: PassageKind,
    text: String,
    spans: Vec<Span>,
    masks: Vec<(Range<usize>, MaskKind)>,
    marks: Vec<Mark>,
    /// Number of the list item, for an entry of a list of references.
    number: Option<u64>,
}

impl Reader {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text, range),
            Event::Code(code) => {
                let from = self.length();
                self.push(&code, range.start + 1, false);
                self.mask(from, MaskKind::Code);
            }
            Event::InlineMath(math) => {
                let from = self.length();
                self.math(&math, range.start + 1);
                self.mask(from, MaskKind::Math);
            }
            Event::SoftBreak | Event::HardBreak => self.push(" ", range.start, true),
            Event::FootnoteReference(name) if self.kind.last() != Some(&PassageKind::Other) => {
                let at = self.length();
                let passage = self.paper.passages.len();
                let open = self.opened();
                open.marks.push(Mark {
                    range: at..at,
                    source: Source::Footnote,
                });
                let mark = open.marks.len() - 1;
                self.footnotes.push((passage, mark, name.to_string()));
            }
            Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Link { dest_url, .. } => {
                let from = self.length();
                self.inline.push((from, Some(dest_url.to_string())));
                return;
            }
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough => {
                let from = self.length();
                self.inline.push((from, None));
                return;
            }
            // The words of an image stand in no sentence.
            Tag::Image { .. } => {
                self.kind.push(PassageKind::Other);
                return;
            }
            _ => self.flush(),
        }
        match tag {
            Tag::Heading { level, .. } => {
                self.heading = level as i8;
                self.kind.push(PassageKind::Heading);
            }
            Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::MetadataBlock(_) => {
                self.in_matter = matches!(tag, Tag::MetadataBlock(_));
                if self.in_matter {
                    self.front_matter.get_or_insert_default();
                }
                self.kind.push(PassageKind::Other);
            }
            Tag::FootnoteDefinition(name) => {
                self.footnote_texts.insert(name.to_string(), String::new());
                self.footnote = Some(name.to_string());
            }
            Tag::List(first) => self.numbered.push(first),
            Tag::Table(_) => self.table = Some(Grid::default()),
            Tag::TableCell => {
                self.kind.push(PassageKind::Cell);
                let open = Open {
                    kind: PassageKind::Cell,
                    text: String::new(),
                    spans: vec![Span {
                        text: 0,
                        source: range.start,
                        linear: 0,
                    }],
                    masks: Vec::new(),
                    marks: Vec::new(),
                    number: None,
                };
                self.open = Some(open);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Link => {
                let (from, address) = self.inline.pop().unwrap_or_default();
                self.link(from, address.as_deref().unwrap_or(""));
                return;
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                let (from, _) = self.inline.pop().unwrap_or_default();
                self.mask(from, MaskKind::Emphasis);
                return;
            }
            TagEnd::Image => {
                self.kind.pop();
                return;
            }
            _ => {}
        }
        if tag == TagEnd::TableCell {
            self.cell();
        } else {
            self.flush();
        }
        match tag {
            TagEnd::Heading(_)
            | TagEnd::CodeBlock
            | TagEnd::HtmlBlock
            | TagEnd::MetadataBlock(_)
            | TagEnd::TableCell => {
                self.in_matter = false;
                self.kind.pop();
            }
            TagEnd::FootnoteDefinition => self.footnote = None,
            TagEnd::Item => {
                if let Some(Some(number)) = self.numbered.last_mut() {
                    *number += 1;
                }
            }
            TagEnd::List(_) => {
                self.numbered.pop();
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                let row = std::mem::take(&mut self.row);
                if let Some(table) = &mut self.table {
                    table.rows.push(row);
                    table.header.push(tag == TagEnd::TableHead);
                    table.group.push(false);
                }
            }
            TagEnd::Table => {
                if let Some(mut table) = self.table.take() {
                    // The caption is the paragraph before: "Table 1: …".
                    table.caption = self.caption_before(&table);
                    self.paper.tables.push(table);
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str, range: Range<usize>) {
        if self.in_matter {
            self.front_matter.get_or_insert_default().push_str(text);
            return;
        }
        if self.kind.last() == Some(&PassageKind::Other) {
            return;
        }
        let linear = range.len() == text.len();
        self.push(text, range.start, !linear);
    }

    fn length(&self) -> usize {
        self.open.as_ref().map_or(0, |open| open.text.len())
    }

    fn opened(&mut self) -> &mut Open {
        let kind = self.kind.last().copied().unwrap_or(PassageKind::Text);
        let number = self.numbered.last().copied().flatten();
        self.open.get_or_insert_with(|| Open {
            kind,
            text: String::new(),
            spans: Vec::new(),
            masks: Vec::new(),
            marks: Vec::new(),
            number,
        })
    }

    fn push(&mut self, text: &str, source: usize, single: bool) {
        if self.kind.last() == Some(&PassageKind::Other) {
            return;
        }
        let open = self.opened();
        open.spans.push(Span {
            text: open.text.len(),
            source,
            linear: if single { 1 } else { text.len() },
        });
        open.text.push_str(text);
    }

    fn mask(&mut self, from: usize, kind: MaskKind) {
        if let Some(open) = &mut self.open
            && from < open.text.len()
        {
            open.masks.push((from..open.text.len(), kind));
        }
    }

    /// A formula with its signs as the reader sees them; other TeX stays as it is.
    fn math(&mut self, math: &str, source: usize) {
        let mut at = 0;
        while let Some(rest) = math.get(at..).filter(|rest| !rest.is_empty()) {
            let sign = SIGNS.iter().find(|(tex, _)| {
                rest.strip_prefix(tex).is_some_and(|after| {
                    !tex.ends_with(|c: char| c.is_ascii_alphabetic())
                        || !after.starts_with(|c: char| c.is_ascii_alphabetic())
                })
            });
            if let Some((tex, shown)) = sign {
                self.push(shown, source + at, true);
                at += tex.len();
                continue;
            }
            let skip = rest.chars().next().map_or(1, char::len_utf8);
            let next = rest
                .get(skip..)
                .and_then(|rest| rest.find('\\'))
                .map_or(rest.len(), |next| next + skip);
            self.push(rest.get(..next).unwrap_or(""), source + at, false);
            at += next;
        }
    }

    /// A link to another site points to a source; `[3]` with a definition is a number, its brackets taken away.
    fn link(&mut self, from: usize, address: &str) {
        let Some(open) = &mut self.open else { return };
        let range = from..open.text.len();
        let shown = open.text.get(range.clone()).unwrap_or("");
        let number = shown.parse::<u32>().ok().filter(|_| shown.len() <= 3);
        let outside = ["http://", "https://", "doi:"]
            .iter()
            .any(|scheme| address.starts_with(scheme));
        if shown.contains("://") || shown == address {
            open.masks.push((range.clone(), MaskKind::Code));
        }
        let source = match number {
            Some(number) => Source::Numbers(vec![number]),
            None if outside => Source::Identifier,
            None => return,
        };
        // The words of the link are the author's; only a number or an address is nothing but a mark.
        let range = if number.is_some() || shown == address {
            range
        } else {
            range.end..range.end
        };
        open.marks.push(Mark { range, source });
    }

    fn cell(&mut self) {
        let at = self.paper.passages.len();
        let row = self.table.as_ref().map_or(0, |table| table.rows.len());
        let column = self.row.len();
        let table = self.paper.tables.len();
        self.close(Some(CellPlace { table, row, column }));
        self.row
            .push((self.paper.passages.len() > at).then_some(at));
    }

    fn flush(&mut self) {
        if self
            .open
            .as_ref()
            .is_some_and(|open| open.kind == PassageKind::Cell)
        {
            return;
        }
        self.close(None);
    }

    fn close(&mut self, cell: Option<CellPlace>) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        let blank = open.text.trim().is_empty();
        if blank && cell.is_none() && open.marks.is_empty() {
            return;
        }
        if let Some(name) = &self.footnote
            && let Some(known) = self.footnote_texts.get_mut(name)
        {
            known.push_str(&open.text);
        }
        if open.kind == PassageKind::Heading {
            self.headed(open.text.trim());
        } else if self.references.is_some() && cell.is_none() {
            open.kind = PassageKind::Other;
            self.listed_entry(&open);
        } else if open.kind == PassageKind::Text {
            open.kind = self.kind_of_text(&open.text);
        }
        self.paper.passages.push(Passage {
            kind: open.kind,
            text: open.text,
            masks: open.masks,
            section: self.paper.sections.len().checked_sub(1),
            cell,
        });
        self.spans.push(open.spans);
        self.known.push(open.marks);
    }

    fn headed(&mut self, title: &str) {
        let words = title
            .trim_start_matches(|c: char| !c.is_alphabetic())
            .to_lowercase();
        if REFERENCES.contains(&words.trim_end_matches([':', '.'])) {
            self.references = Some(self.heading);
        } else if self.references.is_some_and(|level| self.heading <= level) {
            self.references = None;
        }
        self.levels.push(self.heading);
        self.paper.sections.push(title.to_owned());
    }

    fn kind_of_text(&self, text: &str) -> PassageKind {
        let opening = text.trim_start();
        if ["Table ", "Figure ", "Fig. ", "Algorithm ", "Listing "]
            .iter()
            .any(|word| {
                opening.strip_prefix(word).is_some_and(|rest| {
                    let label = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
                    label.len() < rest.len() && label.starts_with([':', '.', '|'])
                })
            })
        {
            return PassageKind::Caption;
        }
        // "**Abstract.** We ask …"
        let named = opening
            .get(..8)
            .is_some_and(|word| word.eq_ignore_ascii_case("abstract"))
            && opening
                .get(8..)
                .is_some_and(|rest| rest.starts_with(['.', ':', ' ', '—', '-']));
        if named {
            return PassageKind::Abstract;
        }
        let section = self.paper.sections.last().map(|title| title.to_lowercase());
        if section.is_some_and(|title| title.ends_with("abstract")) {
            PassageKind::Abstract
        } else {
            PassageKind::Text
        }
    }

    /// "[7] Name, …" or the seventh item of a numbered list.
    fn listed_entry(&mut self, open: &Open) {
        let text = open.text.trim_start();
        let written = text
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(']'))
            .and_then(|(number, _)| number.parse::<u32>().ok());
        let number = written.or_else(|| open.number.and_then(|number| u32::try_from(number).ok()));
        self.listed.extend(number);
    }

    fn caption_before(&self, table: &Grid) -> Option<usize> {
        let first = table.rows.iter().flatten().flatten().next()?;
        let before = first.checked_sub(1)?;
        let passage = self.paper.passages.get(before)?;
        (passage.kind == PassageKind::Caption).then_some(before)
    }

    fn prose(mut self, file: &str, source: &str, lines: Lines) -> Prose {
        // A footnote that is known and names no source is a remark.
        let mut remarks: Vec<(usize, usize)> = Vec::new();
        for (passage, mark, name) in &self.footnotes {
            let text = self.footnote_texts.get(name);
            if text.is_some_and(|text| !crate::mark::names_source(text)) {
                remarks.push((*passage, *mark));
            }
        }
        for (passage, mark) in remarks.into_iter().rev() {
            if let Some(marks) = self.known.get_mut(passage)
                && mark < marks.len()
            {
                marks.remove(mark);
            }
        }
        let marks = finish(&mut self.paper, self.known, true);
        // Of the document only the index of its lines is used.
        let source = Document {
            root: file.to_owned(),
            files: vec![SourceFile::new(file, Arc::from(source))],
            ..Document::default()
        };
        let mut references = References {
            listed_numbers: self.listed.into_iter().collect(),
            ..References::default()
        };
        for (passage, marks) in marks.iter().enumerate() {
            let spans = self.spans.get(passage).map_or(&[][..], Vec::as_slice);
            for mark in marks {
                let offset = source_offset(spans, mark.range.start);
                let at = place(&source, offset, &lines);
                match &mark.source {
                    Source::Keys(keys) => references.cited.extend(keys.iter().map(|key| Keyed {
                        key: key.clone(),
                        place: at.clone(),
                    })),
                    Source::Numbers(numbers) => {
                        let numbers = numbers.iter().map(|number| (*number, at.clone()));
                        references.cited_numbers.extend(numbers);
                    }
                    Source::Names | Source::Identifier | Source::Footnote => {}
                }
            }
        }
        references.files = self
            .front_matter
            .as_deref()
            .map(bibliographies)
            .unwrap_or_default();
        Prose {
            paper: self.paper,
            marks,
            references,
            front_matter: self.front_matter,
            whole: true,
            files: vec![file.to_owned()],
            problems: Vec::new(),
            levels: self.levels,
            places: Places::Markdown {
                spans: self.spans,
                source: Box::new(source),
                lines,
            },
        }
    }
}

/// `bibliography: refs.bib` or a list of files.
fn bibliographies(front_matter: &str) -> Vec<Vec<String>> {
    let Ok(value) = serde_saphyr::from_str::<serde_json::Value>(front_matter) else {
        return Vec::new();
    };
    let files = match value.get("bibliography") {
        Some(serde_json::Value::String(file)) => vec![file.clone()],
        Some(serde_json::Value::Array(files)) => files
            .iter()
            .filter_map(|file| file.as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    };
    files.into_iter().map(|file| vec![file]).collect()
}
