//! The text and the outline of a PDF, as the programs of poppler read them: `pdftotext -bbox-layout` gives blocks, lines and words with
//! their places, `pdftohtml -xml` the outline. Both run in process groups of their own, with a deadline.

mod furniture;
pub(crate) mod headings;
mod layout;
mod line;
mod notes;
mod outline;
pub(crate) mod page;

use std::io::Write as _;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;
use std::time::Duration;

use aris_cli::Context;
use aris_contract::ErrorKind;
use aris_proc::{End, Finished, ProcError};

use crate::error::Error;
use layout::{Page, Pages};
use outline::Bookmark;

pub(crate) use outline::PdfOutline;

/// Most bytes of text of a PDF: a book of a thousand pages has three million.
pub(crate) const LIMIT: usize = 16 << 20;

/// What was read from a PDF.
pub(crate) struct PdfText {
    pub(crate) pages: Vec<Page>,
    /// The PDF's own outline; `None` if it could not be read.
    pub(crate) outline: Option<Vec<Bookmark>>,
}

/// What `pdftotext` prints for an unknown flag: Xpdf's program has the same name but no `-bbox-layout`.
const USAGE: &str = "Usage:";

const UNREAD: &str = "it cannot be read as a PDF";
const DAMAGED: &str = "open it in a viewer; if it is protected or damaged, name the LaTeX sources";

/// Most time for reading the outline; the text can be used without it.
const OUTLINE: Duration = Duration::from_secs(20);

/// Reads the PDF `bytes`; `file` is their path if they are on disk.
///
/// **Errors**: exit 4 if the PDF cannot be read; 5 without poppler; 6 if it takes longer than `limit`.
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
            // `pdftohtml` cannot read from a pipe.
            (None, copy) => {
                let mut file = tempfile::NamedTempFile::new().ok()?;
                file.write_all(&copy.unwrap_or_default()).ok()?;
                bookmarks(file.path(), time, cwd)
            }
        });
        let pages = pages(bytes, place, limit, context);
        let outline = beside.join().unwrap_or_else(|panic| resume_unwind(panic));
        pages.map(|pages| PdfText { pages, outline })
    })
}

/// The pages of text, read with `pdftotext`.
fn pages(
    bytes: Vec<u8>,
    place: &str,
    limit: Duration,
    context: &Context,
) -> Result<Vec<Page>, Error> {
    let mut pages = Pages::default();
    let call = aris_proc::command("pdftotext", context.cwd())
        .args(["-bbox-layout", "-enc", "UTF-8", "-", "-"])
        .stdin(bytes);
    let finished = match call.run_streamed(limit, &mut |piece| pages.take(piece)) {
        Err(ProcError::Absent { .. }) => return Err(Error::no_poppler("which is not installed")),
        finished => finished?,
    };
    let said = finished.stderr.text();
    let (why, hint) = match finished.end {
        End::Exited(0) if pages.is_long() => (
            format!("the PDF has more than {} MiB of text", LIMIT >> 20),
            "name one paper",
        ),
        End::Exited(0) if pages.read.is_empty() => {
            (format!("{UNREAD}: pdftotext gives no page of it"), DAMAGED)
        }
        End::Exited(0) if pages.read.iter().all(Vec::is_empty) => (
            String::from("the PDF holds no text, as a scan does"),
            "run a text recognition such as ocrmypdf on it, or name the paper's LaTeX sources or arXiv identifier",
        ),
        End::Exited(0) => return Ok(pages.read),
        End::Exited(_) if said.contains(USAGE) => {
            let why = "and the pdftotext that is installed is another program";
            return Err(Error::no_poppler(why));
        }
        End::Exited(_) if said.contains("password") => (
            String::from("the PDF asks for a password"),
            "save it without the password, or name the paper's LaTeX sources or arXiv identifier",
        ),
        End::Exited(_) => (format!("{UNREAD}: {}", complaint(&said)), DAMAGED),
        End::Signalled(_) => (format!("{UNREAD}: pdftotext crashed on it"), DAMAGED),
        End::TimedOut => {
            let time = limit.as_secs().max(1);
            let what = format!("{place}: reading the PDF takes longer than {time} s");
            let hint = "give it longer with --deadline; if it is no ordinary paper, name the LaTeX sources or arXiv identifier";
            return Err(Error::refused(ErrorKind::Timeout, what, hint));
        }
    };
    Err(Error::paper(place, &why, hint))
}

/// The first complaint of `pdftotext`.
fn complaint(said: &str) -> &str {
    let found = said.lines().find_map(|line| line.split_once("Error: "));
    let found = found.map(|(_, complaint)| complaint.trim());
    let found = found.or(said.lines().next());
    found.unwrap_or("no reason is given")
}

/// The outline, read with `pdftohtml`; `None` if that fails for any reason.
fn bookmarks(file: &Path, limit: Duration, cwd: &Path) -> Option<Vec<Bookmark>> {
    // The text of one page comes along. If both have more bytes than this, the outline counts as unread.
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
