//! Documents as running text with places: LaTeX, Markdown, and excerpts of either from a diff.
//!
//! Comments and code are removed. Citations, cross references, addresses and formulas are masked ranges of the text. Headings
//! name the sections; table cells are passages of their own. HTML in Markdown is read as its visible text.

mod latex;
pub mod mark;
mod markdown;
pub mod passage;
mod section;
pub mod sentence;

use std::collections::{BTreeMap, BTreeSet};

use crate::feature::Feature;
use mark::Mark;
use passage::{MaskKind, Passage, PassageKind};

/// A place in a source file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, as the caller names it; an included file, as the document names it.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
}

/// A cited key or an entry of a list of references, with its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Keyed {
    /// The key.
    pub key: String,
    /// Its place.
    pub place: Place,
}

impl Keyed {
    fn new(key: &str, place: Place) -> Self {
        let key = key.to_owned();
        Self { key, place }
    }
}

/// The references of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct References {
    /// Cited keys in reading order, one for each occurrence.
    pub cited: Vec<Keyed>,
    /// Cited numbers in reading order, one for each occurrence.
    pub cited_numbers: Vec<(u32, Place)>,
    /// Entries written by hand (`\bibitem`), by key.
    pub items: BTreeMap<String, String>,
    /// The entries of a numbered list of references, by number; empty when the document has no such list.
    pub listed: BTreeMap<u32, String>,
    /// Whether `\nocite{*}` occurs, which cites every entry.
    pub all_cited: bool,
    /// Whether keys that differ in case are two keys, as for biber.
    pub cased: bool,
    /// Bibliography files that the document asks for: for each the paths to try, in order.
    pub files: Vec<Vec<String>>,
    /// Files of text, packages and classes that the document asks for: all paths to try, named relative to the same folder as
    /// the document.
    pub included: Vec<String>,
}

/// A parsed document.
#[derive(Debug)]
pub struct Prose {
    /// Its text in reading order.
    pub passages: Vec<Passage>,
    /// Titles of its sections.
    pub sections: Vec<String>,
    /// Citation marks of each passage, ordered by position.
    pub marks: Vec<Vec<Mark>>,
    /// Its references.
    pub references: References,
    /// YAML front matter, when there is one.
    pub front_matter: Option<String>,
    /// Whether the whole document was read. An excerpt does not show what it lacks.
    pub whole: bool,
    /// Source files that were read, the named one first.
    pub files: Vec<String>,
    /// Parts that could not be read: one line each, with its place.
    pub problems: Vec<String>,
    /// Level of each section's heading.
    levels: Vec<i8>,
    lines: Lines,
    places: Places,
}

#[derive(Debug)]
enum Places {
    Latex(Box<aris_latex::Document>),
    /// For each passage: bytes of its text at which a line begins, with the line.
    Markdown(Vec<Vec<(usize, usize)>>),
}

/// Line numbers of an excerpt; empty for a whole file.
#[derive(Debug, Default)]
struct Lines(Vec<usize>);

impl Lines {
    fn number(&self, line: usize) -> usize {
        let known = line.checked_sub(1).and_then(|at| self.0.get(at));
        known.copied().unwrap_or(line)
    }
}

/// Part of a file, as a diff shows it: numbered lines in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt<'a> {
    /// The file.
    pub file: &'a str,
    /// Line number on the new side, and text, of each known line, ascending.
    pub lines: Vec<(usize, &'a str)>,
}

impl Prose {
    /// The lines with text that may not be typeset.
    pub(crate) fn doubtful(&self) -> BTreeSet<Place> {
        match &self.places {
            Places::Latex(document) => latex::doubtful(document, &self.lines),
            Places::Markdown(_) => BTreeSet::new(),
        }
    }

    /// Reads a whole document; `loader` supplies included LaTeX files.
    ///
    /// **Errors**: a LaTeX document exceeds the limits of the reader.
    pub fn read(
        file: &str,
        text: &str,
        loader: &mut aris_latex::Loader<'_>,
    ) -> Result<Self, aris_latex::Error> {
        Self::of_lines(file, text, loader, Lines::default())
    }

    /// Reads LaTeX if the file's name says so, else Markdown, which includes plain text.
    fn of_lines(
        file: &str,
        text: &str,
        loader: &mut aris_latex::Loader<'_>,
        lines: Lines,
    ) -> Result<Self, aris_latex::Error> {
        let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension.to_ascii_lowercase().as_str() {
            "tex" | "ltx" | "latex" => latex::read(file, text, loader, lines),
            _ => Ok(markdown::read(file, text, lines)),
        }
    }

    /// Reads an excerpt. The text between its parts is unknown, and includes are not followed.
    ///
    /// **Errors**: as for [`Prose::read`].
    pub fn read_excerpt(excerpt: &Excerpt<'_>) -> Result<Self, aris_latex::Error> {
        let mut text = String::new();
        let mut numbers = Vec::new();
        let mut last = None;
        for (number, line) in &excerpt.lines {
            // A gap between lines ends the paragraph.
            if last.is_some_and(|last: usize| last.saturating_add(1) != *number) {
                text.push('\n');
                numbers.push(*number);
            }
            text.push_str(line.trim_end_matches(['\n', '\r']));
            text.push('\n');
            numbers.push(*number);
            last = Some(*number);
        }
        let mut nothing = |_: &str| aris_latex::Loaded::Absent;
        let mut prose = Self::of_lines(excerpt.file, &text, &mut nothing, Lines(numbers))?;
        prose.whole = false;
        prose.problems.clear();
        Ok(prose)
    }

    /// The place of a byte of a passage's text.
    pub fn place(&self, passage: usize, offset: usize) -> Place {
        match &self.places {
            Places::Latex(document) => {
                let block = document.blocks.get(passage);
                let start = aris_latex::Place { file: 0, offset: 0 };
                let at = block.map_or(start, |block| block.place(offset));
                latex::place(document, at, &self.lines)
            }
            Places::Markdown(spans) => {
                let spans = spans.get(passage).map_or(&[][..], Vec::as_slice);
                let after = spans.partition_point(|(text, _)| *text <= offset);
                let span = spans.get(after.saturating_sub(1));
                Place {
                    file: self.files.first().cloned().unwrap_or_default(),
                    line: self.lines.number(span.map_or(1, |(_, line)| *line)),
                }
            }
        }
    }

    /// The class of each section: from its own title, else from the nearest heading above that has a class, else from the
    /// section before it. Without any class so far a section counts as background; after a section whose title says background
    /// it counts as methods. Both apply only if some title says methods or results.
    pub(crate) fn section_classes(&self) -> Vec<Option<Feature>> {
        let titles = self.sections.iter().map(|title| section::class(title));
        let mut classes: Vec<Option<Feature>> = titles.collect();
        let told = |class: &Option<Feature>, of: &[Feature]| {
            class.is_some_and(|class| of.contains(&class))
        };
        let body = [Feature::InMethods, Feature::InResults];
        let has_body = classes.iter().any(|class| told(class, &body));
        for at in 0..classes.len() {
            if classes.get(at).is_some_and(Option::is_some) {
                continue;
            }
            let level = self.levels.get(at).copied().unwrap_or(0);
            let above = self.levels.get(..at).unwrap_or(&[]).iter();
            let above = above.into_iter().rposition(|above| *above < level);
            let above = above.and_then(|above| *classes.get(above)?);
            // The document's title says nothing about its sections.
            let above = above.filter(|_| level > 1);
            let before = classes.get(..at).unwrap_or(&[]);
            let class = above.or_else(|| {
                let last = before.iter().rev().copied().flatten().next();
                match last {
                    None => (at > 0 && has_body).then_some(Feature::InBackground),
                    Some(Feature::InBackground) if has_body => {
                        let title = self.sections.get(at - 1);
                        let explicit = title.map(|title| section::class(title));
                        Some(match explicit.flatten() {
                            Some(_) => Feature::InMethods,
                            None => Feature::InBackground,
                        })
                    }
                    other => other,
                }
            });
            if let Some(slot) = classes.get_mut(at) {
                *slot = class;
            }
        }
        classes
    }

    /// Title of the section that contains a passage; `Abstract` for the abstract, empty before the first heading.
    pub fn section(&self, passage: &Passage) -> &str {
        if passage.kind == PassageKind::Abstract {
            return "Abstract";
        }
        let title = passage.section.and_then(|at| self.sections.get(at));
        title.map_or("", String::as_str)
    }

    /// The sources of a sentence's marks, each with the mark in words: entries of lists of references, addresses of links,
    /// texts of footnotes. An empty text: in a bibliography, or unknown. `None`: not in this document.
    pub fn sources(&self, sentence: &sentence::Sentence) -> Vec<(String, Option<&str>)> {
        let references = &self.references;
        let asks = !references.files.is_empty() || !self.whole;
        let unknown = asks.then_some("");
        let own = self.marks_of(sentence.passage).get(sentence.marks.clone());
        let mut sources = Vec::new();
        for mark in own.into_iter().flatten() {
            match &mark.source {
                mark::Source::Numbers(numbers) => sources.extend(numbers.iter().map(|number| {
                    let entry = references.listed.get(number).map(String::as_str);
                    (format!("[{number}]"), entry.or(unknown))
                })),
                mark::Source::Keys(keys) => sources.extend(keys.iter().map(|key| {
                    let entry = references.items.get(key).map(String::as_str);
                    (format!("`{key}`"), entry.or(unknown))
                })),
                mark::Source::Link(to) => sources.push((String::from("the link"), Some(to))),
                mark::Source::Footnote(text) => {
                    sources.push((String::from("the footnote"), Some(text)));
                }
                mark::Source::Names | mark::Source::Identifier => {}
            }
        }
        sources
    }

    /// The citation marks of a passage.
    pub fn marks_of(&self, passage: usize) -> &[Mark] {
        self.marks.get(passage).map_or(&[], Vec::as_slice)
    }
}

/// Finds written marks and masks them, because `[3]` is not a number.
fn finish(passages: &mut [Passage], known: Vec<Vec<Mark>>, markdown: bool) -> Vec<Vec<Mark>> {
    const HIDDEN: [MaskKind; 3] = [MaskKind::Cite, MaskKind::Code, MaskKind::Math];
    let marks = passages.iter_mut().zip(known).map(|(passage, mut marks)| {
        if !matches!(passage.kind, PassageKind::Heading | PassageKind::Other) {
            let hidden = passage.masked(&HIDDEN);
            marks.extend(mark::written(&passage.text, &hidden, markdown));
        }
        marks.sort_by_key(|mark| (mark.range.start, mark.range.end));
        marks.dedup_by(|b, a| a.range == b.range);
        let cites = passage.masked(&[MaskKind::Cite]);
        let written = marks.iter().map(|mark| mark.range.clone());
        let new = written.filter(|range| !range.is_empty() && !cites.contains(range.start));
        passage
            .masks
            .extend(new.map(|range| (range, MaskKind::Cite)));
        passage.masks.sort_by_key(|(range, _)| range.start);
        marks
    });
    marks.collect()
}
