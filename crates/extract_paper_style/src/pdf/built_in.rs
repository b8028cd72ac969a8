//! The reader of PDF that is built in, as a process of its own: `extract_paper_style --pdf-text --source -`, PDF on stdin, [`Answer`] on stdout.
//! With `--pdf-outline` instead it reads the PDF's outline alone, which `pdftotext` does not give.
//!
//! The crate that reads panics on what it does not expect, recurses as deep as the file says and takes the memory that the file asks
//! for. A panic is caught here, page by page; whoever started this process ends it at its deadline and learns from its end when the
//! stack or the memory was used up. So no file can take the caller with it.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use pdf_extract::encryption::DecryptionError;
use pdf_extract::{
    Dictionary, Document, Error as LoadError, MediaBox, Object, ObjectId, OutputDev, OutputError,
    Transform, output_doc_page,
};
use rustix::process::{Resource, getrlimit, setrlimit};
use serde::Serialize;

use crate::pdf::bookmarks::{self, Bookmark};
use crate::pdf::layout::{Page, Place};

/// Text that a PDF may have, in bytes: a book of a thousand pages has three million.
pub(crate) const LIMIT: usize = 16 << 20;

/// Bytes of a PDF that are taken.
pub(crate) const INPUT: u64 = 512 << 20;

/// Memory that reading may take, in bytes: four times the largest file that is taken, which is held twice.
const MEMORY: u64 = 2 << 30;

/// Letters that a font can have: their numbers have two bytes.
const LETTERS: i64 = 1 << 16;

/// What became of a PDF.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) enum Answer {
    /// Pages, each ended by a form feed; how many of them could not be read to their end; the outline, unless that is damaged.
    Text {
        text: String,
        torn: usize,
        outline: Option<Vec<Bookmark>>,
    },
    /// It asks for a password.
    Locked,
    /// Its text is longer than [`LIMIT`].
    Long,
    /// It is no PDF, or none that can be read.
    Broken(String),
}

impl Answer {
    /// Writes a line that says what it is and how many bookmarks there are, a line for each of them, then the text.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Text {
                text,
                torn,
                outline,
            } => {
                match outline {
                    Some(bookmarks) => writeln!(out, "text {torn} {}", bookmarks.len())?,
                    None => writeln!(out, "text {torn} -")?,
                }
                for bookmark in outline.iter().flatten() {
                    bookmark.write(out)?;
                }
                out.write_all(text.as_bytes())
            }
            Self::Locked => writeln!(out, "locked"),
            Self::Long => writeln!(out, "long"),
            Self::Broken(why) => writeln!(out, "broken {}", why.replace('\n', " ")),
        }
    }

    /// Reads what [`Answer::write`] wrote; `None` when it is something else.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let (head, text) = str::from_utf8(bytes).ok()?.split_once('\n')?;
        let (word, rest) = head.split_once(' ').unwrap_or((head, ""));
        match word {
            "text" => {
                let (torn, count) = rest.split_once(' ')?;
                let mut text = text;
                let mut bookmarks = Vec::new();
                if count != "-" {
                    for _ in 0..count.parse::<usize>().ok()? {
                        let (line, rest) = text.split_once('\n')?;
                        bookmarks.push(Bookmark::parse(line)?);
                        text = rest;
                    }
                }
                Some(Self::Text {
                    text: text.to_owned(),
                    torn: torn.parse().ok()?,
                    outline: (count != "-").then_some(bookmarks),
                })
            }
            "locked" => Some(Self::Locked),
            "long" => Some(Self::Long),
            "broken" => Some(Self::Broken(rest.to_owned())),
            _ => None,
        }
    }
}

/// What is read of a PDF.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Text and outline.
    All,
    /// The outline; the text is empty.
    Outline,
}

/// Reads the PDF on stdin. This process is for nothing else afterwards: its memory is limited.
pub(crate) fn answer(wanted: Wanted) -> io::Result<Answer> {
    for (resource, most) in [(Resource::As, MEMORY), (Resource::Core, 0)] {
        let mut limit = getrlimit(resource);
        limit.current = Some(limit.current.map_or(most, |current| current.min(most)));
        // A system that knows no such limit has the caller's deadline left.
        setrlimit(resource, limit).unwrap_or_default();
    }
    let mut bytes = Vec::new();
    io::stdin().lock().take(INPUT).read_to_end(&mut bytes)?;
    Ok(read(&bytes, wanted))
}

fn read(bytes: &[u8], wanted: Wanted) -> Answer {
    let unreadable = || Answer::Broken(String::from("its structure is damaged"));
    let loaded = catch_unwind(|| load(bytes));
    let document = match loaded {
        Ok(Ok(document)) => document,
        Ok(Err(answer)) => return answer,
        Err(_) => return unreadable(),
    };
    let Ok(pages) = catch_unwind(AssertUnwindSafe(|| document.get_pages())) else {
        return unreadable();
    };
    if pages.is_empty() {
        return unreadable();
    }
    let outline = catch_unwind(AssertUnwindSafe(|| bookmarks::bookmarks(&document, &pages)));
    let outline = outline.ok();
    let (mut text, mut torn) = (String::new(), 0);
    if wanted == Wanted::Outline {
        return Answer::Text {
            text,
            torn,
            outline,
        };
    }
    for number in pages.keys() {
        let mut device = Device {
            page: Page::default(),
            left: LIMIT - text.len(),
        };
        let drawn = catch_unwind(AssertUnwindSafe(|| {
            output_doc_page(&document, &mut device, *number)
        }));
        if device.left < device.page.bytes() {
            return Answer::Long;
        }
        torn += usize::from(!matches!(drawn, Ok(Ok(()))));
        text.push_str(&device.page.text());
        text.push('\u{c}');
    }
    if torn == pages.len() && text.trim().is_empty() {
        return unreadable();
    }
    Answer::Text {
        text,
        torn,
        outline,
    }
}

/// The document, decrypted when it asks for no password, and without its pictures, which the reader would read as text.
fn load(bytes: &[u8]) -> Result<Document, Answer> {
    let broken = |error: LoadError| match error {
        LoadError::InvalidPassword | LoadError::Decryption(DecryptionError::IncorrectPassword) => {
            Answer::Locked
        }
        error => Answer::Broken(error.to_string()),
    };
    let mut document = Document::load_mem(bytes).map_err(broken)?;
    if document.is_encrypted() {
        document.decrypt("").map_err(broken)?;
    }
    repair_widths(&mut document);
    for object in document.objects.values_mut() {
        if let Object::Stream(stream) = object
            && is_a(&stream.dict, b"Image")
        {
            stream.content.clear();
            stream.dict.remove(b"Filter");
        }
    }
    Ok(document)
}

/// Whether the dictionary is of this subtype.
fn is_a(dictionary: &Dictionary, wanted: &[u8]) -> bool {
    let subtype = dictionary.get(b"Subtype").and_then(Object::as_name);
    subtype.is_ok_and(|name| name == wanted)
}

/// What the reader takes wrongly in the widths of a font's letters; words would be parted where widths are wrong.
#[derive(Clone, Copy)]
enum Repair {
    /// Fonts of Type 3 have a unit of their own, which the reader takes for thousandths.
    Scale(f32),
    /// `first last width`, which the reader passes over, becomes `first [width width …]`.
    Spell,
}

impl Repair {
    fn of(font: &Dictionary) -> Option<(&'static [u8], Self)> {
        if is_a(font, b"CIDFontType0") || is_a(font, b"CIDFontType2") {
            return Some((b"W", Self::Spell));
        }
        if !is_a(font, b"Type3") {
            return None;
        }
        let matrix = font.get(b"FontMatrix").and_then(Object::as_array).ok()?;
        let unit = matrix.first()?.as_float().ok()?;
        Some((b"Widths", Self::Scale(1000.0 * unit)))
    }

    fn apply(self, widths: &mut Vec<Object>) {
        match self {
            Self::Scale(factor) => {
                for width in widths {
                    if let Ok(value) = width.as_float() {
                        *width = Object::Real(value * factor);
                    }
                }
            }
            Self::Spell => *widths = spelled(widths),
        }
    }
}

fn repair_widths(document: &mut Document) {
    let mut shared: BTreeMap<ObjectId, Repair> = BTreeMap::new();
    for object in document.objects.values_mut() {
        let Ok(font) = object.as_dict_mut() else {
            continue;
        };
        let Some((key, repair)) = Repair::of(font) else {
            continue;
        };
        match font.get_mut(key) {
            Ok(Object::Array(widths)) => repair.apply(widths),
            Ok(Object::Reference(id)) => drop(shared.insert(*id, repair)),
            _ => {}
        }
    }
    for (id, repair) in shared {
        if let Some(Object::Array(widths)) = document.objects.get_mut(&id) {
            repair.apply(widths);
        }
    }
}

fn spelled(widths: &[Object]) -> Vec<Object> {
    let mut out = Vec::new();
    let mut rest = widths;
    loop {
        rest = match rest {
            [first, list @ Object::Array(_), rest @ ..] => {
                out.extend([first.clone(), list.clone()]);
                rest
            }
            [first, last, width, rest @ ..] => {
                if let (Ok(from), Ok(to)) = (first.as_i64(), last.as_i64())
                    && (0..=to).contains(&from)
                    && to < LETTERS
                {
                    let list = (from..=to).map(|_| width.clone()).collect();
                    out.extend([first.clone(), Object::Array(list)]);
                }
                rest
            }
            _ => return out,
        };
    }
}

/// Takes the letters of one page.
struct Device {
    page: Page,
    /// Bytes that the page's text may have.
    left: usize,
}

impl OutputDev for Device {
    fn begin_page(
        &mut self,
        _number: u32,
        _media_box: &MediaBox,
        _art_box: Option<(f64, f64, f64, f64)>,
    ) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn output_character(
        &mut self,
        transform: &Transform,
        width: f64,
        spacing: f64,
        font_size: f64,
        letters: &str,
    ) -> Result<(), OutputError> {
        let length = transform.m11.hypot(transform.m12);
        let height = transform.m21.hypot(transform.m22);
        let place = Place {
            at: (transform.m31, transform.m32),
            direction: (transform.m11 / length, transform.m12 / length),
            advance: (width * font_size + spacing) * length,
            size: (font_size * height).abs(),
        };
        self.page.add(letters, place);
        if self.page.bytes() > self.left {
            return Err(OutputError::FormatError(std::fmt::Error));
        }
        Ok(())
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}
