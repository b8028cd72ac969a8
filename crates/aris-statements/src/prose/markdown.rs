//! Markdown: passages, front matter and footnotes, with the line of each piece of text.

use std::collections::BTreeMap;
use std::ops::Range;

use html5gum::{DefaultEmitter, EndTag, StartTag, Token, Tokenizer};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use serde_json::Value;

use super::mark::{self, Mark, Source};
use super::passage::{MaskKind, Passage, PassageKind};
use super::{Keyed, Lines, Places, Prose, References, finish};

/// A byte of the passage, and the byte of the source from which the text there comes.
pub(super) type Span = (usize, usize);

/// Titles of the section that lists references.
const REFERENCES: &str = "references|bibliography|literature|literature cited|works cited";

/// Extensions of files in which an indented paragraph is text. In Markdown it is code.
const PLAIN: [&str; 2] = ["rst", "txt"];

/// HTML elements that are part of a line of text.
///
/// **Source**: HTML, "Phrasing content". `br` ends a line but no sentence.
const IN_A_LINE: &str = "a abbr b bdi bdo big br cite code data del dfn em font i img ins kbd mark q s samp small span strike strong sub sup time tt u var wbr";

pub(super) fn read(file: &str, text: &str, lines: Lines) -> Prose {
    let source = text.strip_prefix('\u{feff}').unwrap_or(text);
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    let mut reader = Reader {
        is_plain: PLAIN.iter().any(|plain| ending.eq_ignore_ascii_case(plain)),
        ..Reader::default()
    };
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_MATH
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
        reader.event(event, range);
    }
    reader.flush();
    reader.prose(file, source, lines)
}

#[derive(Default)]
struct Reader {
    is_plain: bool,
    passages: Vec<Passage>,
    sections: Vec<String>,
    spans: Vec<Vec<Span>>,
    known: Vec<Vec<Known>>,
    open: Option<Open>,
    /// The passages that contain the images whose words are being read.
    around: Vec<Option<Open>>,
    /// The kind of passage that each open block makes of text; innermost last.
    kind: Vec<PassageKind>,
    /// Open links: where each began, and its address.
    links: Vec<(usize, String)>,
    /// Texts of the footnotes, by name.
    footnote_texts: BTreeMap<String, String>,
    footnote: Option<String>,
    front_matter: Option<String>,
    in_matter: bool,
    /// Level of the heading of the list of references while inside it.
    references: Option<i8>,
    heading: i8,
    /// The HTML block that is being read, with the source of its text.
    html: (String, Vec<Span>),
    levels: Vec<i8>,
    listed: BTreeMap<u32, String>,
    numbered: Vec<Option<u64>>,
}

/// A mark, and the name of its footnote if it has one.
type Known = (Mark, Option<String>);

/// The passage being read.
struct Open {
    kind: PassageKind,
    text: String,
    spans: Vec<Span>,
    masks: Vec<(Range<usize>, MaskKind)>,
    marks: Vec<Known>,
    /// Number of the list item, for entries of a list of references.
    number: Option<u64>,
}

impl Reader {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.in_matter => {
                self.front_matter.get_or_insert_default().push_str(&text);
            }
            Event::Text(text) => self.push(&text, range.start),
            Event::Code(code) => {
                let from = self.length();
                self.push(&code, range.start);
                self.mask(from, MaskKind::Code);
            }
            Event::InlineMath(math) => {
                let from = self.length();
                self.push(&aris_paper::latex::to_text(&math), range.start);
                self.mask(from, MaskKind::Math);
            }
            Event::SoftBreak | Event::HardBreak => self.push(" ", range.start),
            Event::FootnoteReference(name) if self.kind.last() != Some(&PassageKind::Other) => {
                let at = self.length();
                let mark = Mark {
                    range: at..at,
                    source: Source::Footnote(String::new()),
                };
                self.opened().marks.push((mark, Some(name.to_string())));
            }
            Event::Html(line) => {
                let (text, spans) = &mut self.html;
                spans.push((text.len(), range.start));
                text.push_str(&line);
            }
            Event::InlineHtml(tag) => self.page(&tag, &[(0, range.start)]),
            Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        if !is_inline(tag.to_end()) {
            self.flush();
        }
        match tag {
            Tag::Link { dest_url, .. } => {
                let from = self.length();
                self.links.push((from, dest_url.to_string()));
            }
            // The words of an image are not part of a sentence: Pandoc and Quarto turn them into a caption.
            Tag::Image { .. } => {
                self.around.push(self.open.take());
                self.kind.push(PassageKind::Caption);
            }
            Tag::CodeBlock(CodeBlockKind::Indented) if self.is_plain => {
                self.kind.push(PassageKind::Text);
            }
            Tag::Heading { level, .. } => {
                self.heading = level as i8;
                self.kind.push(PassageKind::Heading);
            }
            Tag::CodeBlock(_) | Tag::MetadataBlock(_) => {
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
            Tag::TableCell => self.kind.push(PassageKind::Cell),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        if !is_inline(tag) {
            self.flush();
        }
        match tag {
            TagEnd::Link => {
                let (from, address) = self.links.pop().unwrap_or_default();
                self.link(from, &address);
            }
            TagEnd::HtmlBlock => {
                let (text, spans) = std::mem::take(&mut self.html);
                self.page(&text, &spans);
                self.flush();
            }
            TagEnd::Image => {
                self.flush();
                self.open = self.around.pop().flatten();
                self.kind.pop();
            }
            TagEnd::Heading(_)
            | TagEnd::CodeBlock
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
            _ => {}
        }
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

    fn push(&mut self, text: &str, source: usize) {
        if self.kind.last() == Some(&PassageKind::Other) {
            return;
        }
        let open = self.opened();
        open.spans.push((open.text.len(), source));
        open.text.push_str(text);
    }

    /// The text of HTML as a reader of the page sees it: without tags and comments. A block-level element ends the passage.
    fn page(&mut self, html: &str, spans: &[Span]) {
        let source = |at: usize| {
            let after = spans.partition_point(|(start, _)| *start <= at);
            let span = spans.get(after.saturating_sub(1));
            span.map_or(0, |(start, source)| source + (at - start))
        };
        let emitter = DefaultEmitter::<usize>::new_with_span();
        for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
            match token {
                Token::String(text) => {
                    let mut at = text.span.start;
                    for line in String::from_utf8_lossy(&text).split_inclusive('\n') {
                        self.push(line.trim_end_matches(['\n', '\r']), source(at));
                        if line.ends_with('\n') {
                            self.push(" ", source(at));
                            at += html.get(at..).and_then(|rest| rest.find('\n')).unwrap_or(0) + 1;
                        }
                    }
                }
                Token::StartTag(tag) if *tag.name == b"a"[..] => {
                    let address = tag.attributes.get(&b"href"[..]);
                    let address = address.map(|to| String::from_utf8_lossy(to).into_owned());
                    self.links
                        .push((self.length(), address.unwrap_or_default()));
                }
                Token::EndTag(tag) if *tag.name == b"a"[..] => {
                    if let Some((from, address)) = self.links.pop() {
                        self.link(from, &address);
                    }
                }
                Token::StartTag(StartTag { name, .. }) | Token::EndTag(EndTag { name, .. }) => {
                    let name = String::from_utf8_lossy(&name);
                    if !IN_A_LINE.split(' ').any(|known| known == name) {
                        self.flush();
                    }
                }
                Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
            }
        }
    }

    fn mask(&mut self, from: usize, kind: MaskKind) {
        if let Some(open) = &mut self.open
            && from < open.text.len()
        {
            open.masks.push((from..open.text.len(), kind));
        }
    }

    /// Adds the mark of a link. A link to another site is a source; `[3]` with a definition is a number, without its brackets.
    fn link(&mut self, from: usize, address: &str) {
        let Some(open) = &mut self.open else { return };
        let range = from.min(open.text.len())..open.text.len();
        let shown = open.text.get(range.clone()).unwrap_or("");
        let number = shown.parse::<u32>().ok().filter(|_| shown.len() <= 3);
        let outside = ["http://", "https://", "doi:"]
            .iter()
            .any(|scheme| address.starts_with(scheme));
        if shown.contains("://") || shown == address {
            open.masks.push((range.clone(), MaskKind::Code));
        }
        let source = match number {
            // The link has no target.
            Some(_) if address.trim_matches('#').is_empty() => return,
            Some(number) => Source::Numbers(vec![number]),
            None if outside => Source::Link(address.to_owned()),
            None => return,
        };
        // Link text belongs to the author's words, unless it is only a number or the address.
        let range = if number.is_some() || shown == address {
            range
        } else {
            range.end..range.end
        };
        open.marks.push((Mark { range, source }, None));
    }

    /// Ends the current passage.
    fn flush(&mut self) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        if open.text.trim().is_empty() && open.marks.is_empty() {
            return;
        }
        if let Some(name) = &self.footnote
            && let Some(known) = self.footnote_texts.get_mut(name)
        {
            known.push_str(&open.text);
        }
        if open.kind == PassageKind::Heading {
            self.headed(open.text.trim());
        } else if self.references.is_some()
            && open.kind == PassageKind::Text
            && (open.number.is_some() || mark::names_source(&open.text))
        {
            open.kind = PassageKind::Other;
            self.listed_entry(&open);
        } else if open.kind == PassageKind::Text {
            open.kind = self.kind_of_text(&open.text);
        }
        self.passages.push(Passage {
            kind: open.kind,
            text: open.text,
            masks: open.masks,
            section: self.sections.len().checked_sub(1),
        });
        self.spans.push(open.spans);
        self.known.push(open.marks);
    }

    fn headed(&mut self, title: &str) {
        let words = title
            .trim_start_matches(|c: char| !c.is_alphabetic())
            .to_lowercase();
        let words = words.trim_end_matches([':', '.']);
        if REFERENCES.split('|').any(|title| title == words) {
            self.references = Some(self.heading);
        } else if self.references.is_some_and(|level| self.heading <= level) {
            self.references = None;
        }
        self.levels.push(self.heading);
        self.sections.push(title.to_owned());
    }

    fn kind_of_text(&self, text: &str) -> PassageKind {
        let opening = text.trim_start();
        let labelled = |word: &&str| {
            opening.strip_prefix(*word).is_some_and(|rest| {
                let label = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
                label.len() < rest.len() && label.starts_with([':', '.', '|'])
            })
        };
        let figures = ["Table ", "Figure ", "Fig. ", "Algorithm ", "Listing "];
        if figures.iter().any(labelled) {
            return PassageKind::Caption;
        }
        // For example "**Abstract.** We ask …".
        let opened = opening
            .get(..8)
            .is_some_and(|word| word.eq_ignore_ascii_case("abstract"));
        let ends = |rest: &str| rest.starts_with(['.', ':', ' ', '—', '-']);
        let title = self.sections.last().map_or("", String::as_str);
        if opened && opening.get(8..).is_some_and(ends)
            || title.to_lowercase().ends_with("abstract")
        {
            PassageKind::Abstract
        } else {
            PassageKind::Text
        }
    }

    /// Reads an entry of the list of references: "[7] Name, …", or the seventh item of a numbered list.
    fn listed_entry(&mut self, open: &Open) {
        let text = open.text.trim_start();
        let bracket = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let written = bracket.and_then(|(number, _)| number.parse().ok());
        let number = written.or_else(|| u32::try_from(open.number?).ok());
        self.listed
            .extend(number.map(|number| (number, text.to_owned())));
    }

    fn prose(mut self, file: &str, source: &str, lines: Lines) -> Prose {
        // A footnote whose text contains no source is a remark.
        let texts = self.footnote_texts;
        let names_source =
            |name: &String| texts.get(name).is_none_or(|text| mark::names_source(text));
        let known = self.known.into_iter().map(|marks| {
            let marks = marks.into_iter();
            let kept = marks.filter(|(_, footnote)| footnote.as_ref().is_none_or(names_source));
            let marks = kept.map(|(mut mark, footnote)| {
                if let Some(text) = footnote.and_then(|name| texts.get(&name)) {
                    mark.source = Source::Footnote(text.clone());
                }
                mark
            });
            marks.collect()
        });
        let marks = finish(&mut self.passages, known.collect(), true);
        let mut starts = vec![0];
        starts.extend(source.match_indices('\n').map(|(at, _)| at + 1));
        let line = |(text, source): Span| (text, starts.partition_point(|start| *start <= source));
        let spans = self.spans.into_iter();
        let lines_of = spans.map(|spans| spans.into_iter().map(line).collect());
        let mut prose = Prose {
            passages: self.passages,
            sections: self.sections,
            marks,
            references: References {
                listed: self.listed,
                ..References::default()
            },
            front_matter: self.front_matter,
            whole: true,
            files: vec![file.to_owned()],
            problems: Vec::new(),
            levels: self.levels,
            lines,
            places: Places::Markdown(lines_of.collect()),
        };
        prose.references = references(&prose);
        prose
    }
}

/// Whether a tag is inside a passage.
fn is_inline(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Link | TagEnd::Image | TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough
    )
}

/// The references that the document's marks cite, and the bibliographies of its front matter.
fn references(prose: &Prose) -> References {
    let mut references = prose.references.clone();
    for (passage, marks) in prose.marks.iter().enumerate() {
        for mark in marks {
            let place = || prose.place(passage, mark.range.start);
            match &mark.source {
                Source::Keys(keys) => {
                    let keyed = |key: &String| Keyed::new(key, place());
                    references.cited.extend(keys.iter().map(keyed));
                }
                Source::Numbers(numbers) => {
                    let numbers = numbers.iter().map(|number| (*number, place()));
                    references.cited_numbers.extend(numbers);
                }
                Source::Names | Source::Identifier | Source::Link(_) | Source::Footnote(_) => {}
            }
        }
    }
    // `bibliography` is one file or a list of files.
    let matter = prose.front_matter.as_deref().unwrap_or("");
    let matter: Value = serde_saphyr::from_str(matter).unwrap_or_default();
    let files = match matter.get("bibliography") {
        Some(Value::Array(files)) => files.as_slice(),
        Some(file) => std::slice::from_ref(file),
        None => &[],
    };
    let files = files.iter().filter_map(Value::as_str);
    references.files = files.map(|file| vec![file.to_owned()]).collect();
    references
}
