//! The text and the outline of a PDF, as the programs of poppler read them: `pdftotext -bbox-layout` gives blocks, lines and words with
//! their places, `pdftohtml -xml` the outline. Both run in process groups of their own, with a deadline.

mod blocks;
mod contents;
mod furniture;
mod labels;
mod notes;
mod numbering;
mod outline;
pub(crate) mod page;

use std::io::Write as _;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;
use std::time::Duration;

use aris_cli::Context;
use aris_proc::{Captured, End, Finished, ProcError};

use crate::error::Error;
use blocks::Blocks;
use outline::Bookmark;

pub(crate) use outline::PdfOutline;

/// Text that a PDF may have, in bytes: a book of a thousand pages has three million.
pub(crate) const LIMIT: usize = 16 << 20;

/// What a PDF holds.
pub(crate) struct PdfText {
    /// Pages, each ended by a form feed.
    pub(crate) text: String,
    /// The outline that the PDF carries; `None` when it could not be read.
    pub(crate) outline: Option<Vec<Bookmark>>,
}

/// What `pdftotext` says of a flag that it does not know: the program of Xpdf has the same name and no `-bbox-layout`.
const USAGE: &str = "Usage:";

/// Time that reading the outline may take: without it there is still the text.
const OUTLINE: Duration = Duration::from_secs(20);

/// Reads the PDF `bytes`; `file` is where they lie on disk, if they do.
///
/// **Errors**: exit 4 when it cannot be read, for whatever reason; 5 without poppler; 6 when it takes longer than `limit`.
pub(crate) fn read(
    bytes: Vec<u8>,
    file: Option<&Path>,
    place: &str,
    limit: Duration,
    context: &Context,
) -> Result<PdfText, Error> {
    let time = limit.min(OUTLINE);
    let cwd = context.cwd();
    thread::scope(|scope| {
        let copy = file.is_none().then(|| bytes.clone());
        let beside = scope.spawn(move || match (file, copy) {
            (Some(file), _) => bookmarks(file, time, cwd),
            // `pdftohtml` reads no pipe.
            (None, copy) => {
                let mut file = tempfile::NamedTempFile::new().ok()?;
                file.write_all(&copy.unwrap_or_default()).ok()?;
                bookmarks(file.path(), time, cwd)
            }
        });
        let text = text(bytes, place, limit, context);
        let outline = beside.join().unwrap_or_else(|panic| resume_unwind(panic));
        Ok(PdfText {
            text: text?,
            outline,
        })
    })
}

/// The text that `pdftotext` reads.
fn text(bytes: Vec<u8>, place: &str, limit: Duration, context: &Context) -> Result<String, Error> {
    let mut blocks = Blocks::default();
    let call = aris_proc::command("pdftotext", context.cwd())
        .args(["-bbox-layout", "-enc", "UTF-8", "-", "-"])
        .stdin(bytes);
    let finished = match call.run_streamed(limit, &mut |piece| blocks.take(piece)) {
        Err(ProcError::Absent { .. }) => return Err(Error::NoPoppler { found: false }),
        finished => finished?,
    };
    let place = place.to_owned();
    match finished.end {
        End::Exited(0) => {}
        End::Exited(_) if finished.stderr.text().contains(USAGE) => {
            return Err(Error::NoPoppler { found: true });
        }
        End::Exited(_) => {
            return Err(match reason(&finished.stderr) {
                None => Error::Locked { place },
                Some(why) => Error::Pdf { place, why },
            });
        }
        End::TimedOut => {
            let limit = finished.deadline;
            return Err(Error::SlowPdf { place, limit });
        }
        End::Signalled(_) => {
            let why = String::from("pdftotext crashed on it");
            return Err(Error::Pdf { place, why });
        }
    }
    if blocks.is_long() {
        return Err(Error::LongPdf { place });
    }
    blocks.text().ok_or_else(|| Error::Pdf {
        place,
        why: String::from("pdftotext gives no page of it"),
    })
}

/// The outline that `pdftohtml` reads; `None` when it cannot be read, for whatever reason.
fn bookmarks(file: &Path, limit: Duration, cwd: &Path) -> Option<Vec<Bookmark>> {
    // The text of one page comes with it; at most so many bytes of both are kept.
    let call = aris_proc::command("pdftohtml", cwd)
        .args(["-xml", "-i", "-q", "-l", "1", "-enc", "UTF-8", "-stdout"])
        .arg(file)
        .capture_limit(LIMIT);
    let Finished { end, stdout, .. } = call.run(limit).ok()?;
    if end != End::Exited(0) || stdout.dropped > 0 {
        return None;
    }
    outline::bookmarks(&stdout.text())
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
