//! The text of a PDF: from `pdftotext` where it is installed, else from the reader that is built in; and its outline, which only
//! the latter reads.

pub(crate) mod bookmarks;
mod boxes;
pub(crate) mod built_in;
mod contents;
mod entry;
mod furniture;
pub(crate) mod headings;
mod labels;
mod layout;
mod notes;
mod numbering;
pub(crate) mod page;
mod places;

use std::ffi::OsString;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use aris_cli::Context;
use aris_proc::{Captured, Command, End, Finished, ProcError};
use serde::Serialize;

use crate::error::Error;
use crate::pdf::bookmarks::Bookmark;
use crate::pdf::boxes::Boxes;
use crate::pdf::built_in::{Answer, LIMIT};

/// What read a PDF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) enum PdfEngine {
    /// The program of poppler, or another one of this name on PATH.
    Pdftotext,
    /// The reader that is built in. It parts the words of some PDFs, and knows no fonts without a table of their letters.
    BuiltIn,
}

impl PdfEngine {
    /// As it is written in the envelope.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Pdftotext => "pdftotext",
            Self::BuiltIn => "built_in",
        }
    }
}

/// The text of a PDF.
pub(crate) struct PdfText {
    pub(crate) engine: PdfEngine,
    /// Pages, each ended by a form feed.
    pub(crate) text: String,
    /// Pages that were not read to their end, as far as the engine says.
    pub(crate) torn: usize,
    /// The outline that the PDF carries; `None` when it could not be read.
    pub(crate) outline: Option<Vec<Bookmark>>,
}

/// What `pdftotext` leaves with when it does not know a flag: the older program of that name has no boxes.
const USAGE: i32 = 99;

/// Time that reading the outline may take: without it there is still the text.
const OUTLINE: Duration = Duration::from_secs(20);

/// Reads the PDF `bytes`, which lie at `place`.
///
/// **Errors**: exit 4 when it cannot be read, for whatever reason; 6 when that takes longer than `limit`; 5 when no reader starts.
pub(crate) fn read(
    bytes: Vec<u8>,
    place: &str,
    limit: Duration,
    context: &Context,
) -> Result<PdfText, Error> {
    // Without a file to start there is no outline, and pdftotext is enough.
    let reader = myself("--pdf-outline", bytes.clone(), context).ok();
    let beside = thread::spawn(move || outline(reader?, limit.min(OUTLINE)));
    let text = pdftotext(bytes.clone(), place, limit, context);
    let outline = beside.join().unwrap_or_else(|panic| resume_unwind(panic));
    match text? {
        Some(text) => Ok(PdfText {
            engine: PdfEngine::Pdftotext,
            text,
            torn: 0,
            outline,
        }),
        None => built_in(bytes, place, limit, context),
    }
}

/// The text that `pdftotext` reads; `None` where there is no such program.
fn pdftotext(
    bytes: Vec<u8>,
    place: &str,
    limit: Duration,
    context: &Context,
) -> Result<Option<String>, Error> {
    let mut boxes = Boxes::default();
    let call = aris_proc::command(PdfEngine::Pdftotext.name(), context.cwd())
        .args(["-raw", "-bbox", "-enc", "UTF-8", "-", "-"])
        .stdin(bytes);
    let finished = match call.run_streamed(limit, &mut |piece| boxes.take(piece)) {
        Err(ProcError::Absent { .. }) => return Ok(None),
        finished => finished?,
    };
    let code = code(&finished, place)?;
    if code == USAGE {
        return Ok(None);
    }
    let place = place.to_owned();
    if code != 0 {
        return Err(match reason(&finished.stderr) {
            None => Error::Locked { place },
            Some(why) => Error::Pdf { place, why },
        });
    }
    if boxes.is_long() {
        return Err(Error::LongPdf { place });
    }
    match boxes.text() {
        Some(text) => Ok(Some(text)),
        None => Err(Error::Pdf {
            place,
            why: String::from("pdftotext gives no page of it"),
        }),
    }
}

/// The outline; `None` when it cannot be read, for whatever reason.
fn outline(reader: Command, limit: Duration) -> Option<Vec<Bookmark>> {
    let finished = reader.run(limit).ok()?;
    match (finished.end, Answer::parse(&finished.stdout.bytes)) {
        (End::Exited(0), Some(Answer::Text { outline, .. })) => outline,
        _ => None,
    }
}

/// This very program, as a process of its own that reads `bytes`.
fn myself(flag: &str, bytes: Vec<u8>, context: &Context) -> Result<Command, Error> {
    let (program, words) = this_program(context)?;
    let call = aris_proc::command(program, context.cwd())
        .args(words)
        // Every call names a source.
        .args([flag, "--source", "-"])
        // The text, and bookmarks of about a hundred bytes.
        .capture_limit(LIMIT + (4 << 20))
        .stdin(bytes);
    Ok(call)
}

/// Reads it without `pdftotext`.
fn built_in(
    bytes: Vec<u8>,
    place: &str,
    limit: Duration,
    context: &Context,
) -> Result<PdfText, Error> {
    let finished = myself("--pdf-text", bytes, context)?.run(limit)?;
    let place = place.to_owned();
    let answer = match code(&finished, &place)? {
        0 => Answer::parse(&finished.stdout.bytes),
        _ => None,
    };
    match answer {
        Some(Answer::Text {
            text,
            torn,
            outline,
        }) => Ok(PdfText {
            engine: PdfEngine::BuiltIn,
            text,
            torn,
            outline,
        }),
        Some(Answer::Locked) => Err(Error::Locked { place }),
        Some(Answer::Long) => Err(Error::LongPdf { place }),
        Some(Answer::Broken(why)) => Err(Error::Pdf { place, why }),
        None => Err(Error::Pdf {
            place,
            why: String::from("the reader gave up on it"),
        }),
    }
}

/// The exit code of a reader; it has none when the PDF took too long or broke it off.
fn code(finished: &Finished, place: &str) -> Result<i32, Error> {
    let place = place.to_owned();
    match finished.end {
        End::Exited(code) => Ok(code),
        End::TimedOut => Err(Error::SlowPdf {
            place,
            limit: finished.deadline,
        }),
        End::Signalled(_) => Err(Error::Pdf {
            place,
            why: String::from("it is nested without end, or needs more memory than there is"),
        }),
    }
}

/// What `pdftotext` complains of; `None` when a password is missing.
fn reason(stderr: &Captured) -> Option<String> {
    let said = stderr.text();
    let mut complaints = said
        .lines()
        .filter_map(|line| line.split_once("Error: "))
        .map(|(_, complaint)| complaint.trim());
    if complaints
        .clone()
        .any(|complaint| complaint.contains("password"))
    {
        return None;
    }
    let first = complaints.next().or(said.lines().next());
    Some(first.unwrap_or("no reason is given").to_owned())
}

/// The file this program runs from, and the words that make it `extract_paper_style`: the multi-call binary runs many helpers.
fn this_program(context: &Context) -> Result<(PathBuf, Vec<OsString>), Error> {
    let program = std::env::current_exe().map_err(Error::Myself)?;
    let own = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("extract_paper_style")
    };
    // Through a link of our name, or with our name as a word; a copy under another name is this program.
    let words = if !own(&program) && std::env::args_os().any(|word| own(Path::new(&word))) {
        vec![OsString::from("extract_paper_style")]
    } else {
        Vec::new()
    };
    Ok((context.absolute(&program), words))
}
