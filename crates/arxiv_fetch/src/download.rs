//! Downloads of a paper's PDF or source, complete or not at all.

use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_contract::ErrorKind;
use aris_contract::ids::ArxivId;
use aris_sources::hosts::ARXIV_FILES;
use aris_sources::{Downloaded, arxiv, unpack};

use crate::Error;
use crate::cli::Download;
use crate::report::File;

/// Largest source, in bytes; a larger one is not a paper.
const SOURCE_LIMIT: u64 = 512 << 20;

/// A kind of file: its name, the check of its first bytes, and the smallest size of a download in bytes.
type Kind = (&'static str, fn(&[u8]) -> bool, usize);

/// The smallest PDF has a header, a catalogue, one page, a table and a trailer.
const PDF: Kind = ("PDF", arxiv::is_pdf, 100);
const SOURCE: Kind = ("source", arxiv::is_source, 1);

/// Hint for a file that is in the way.
const ELSEWHERE: &str = "move it away, or name another --output";

/// Downloads the file that `args` names unless it exists.
pub(crate) fn run(args: &Download, context: &Context) -> Result<File, Error> {
    let name = args.id.to_string().replace('/', "_");
    let folder = context.absolute(&args.output);
    aris_fs::create_dir(&folder)?;
    let (ending, request, kind) = if args.source {
        ("source", arxiv::source(&args.id), SOURCE)
    } else {
        ("pdf", arxiv::pdf(&args.id), PDF)
    };
    let path = args.output.join(format!("{name}.{ending}"));
    let mut file = bring(args, context, path, &request, kind)?;
    if args.source {
        let target = args.output.join(&name);
        let (files, left_out) = unpacked(
            &context.absolute(Path::new(&file.path)),
            &context.absolute(&target),
            &name,
        )?;
        file.unpacked = Some(target.display().to_string());
        file.files = Some(files);
        file.left_out = left_out;
    }
    Ok(file)
}

/// Downloads the file to `path`, which is relative to the working directory as the user gave it.
fn bring(
    args: &Download,
    context: &Context,
    path: PathBuf,
    request: &aris_sources::Request,
    kind: Kind,
) -> Result<File, Error> {
    let (what, fits, least) = kind;
    let target = context.absolute(&path);
    if let Some(bytes) = present(&target, kind)? {
        return Ok(file(&args.id, &path, bytes, None));
    }
    let arrived = aris_online::asking(
        context,
        &args.online,
        &[&ARXIV_FILES],
        "arxiv_fetch",
        |client| {
            let fits = |start: &[u8], end: Option<&[u8]>| {
                start.len() >= least && fits(start) && end.is_none_or(|end| ends(what, end))
            };
            client.download(request, &target, fits, arxiv::is_absence)
        },
    )?;
    match arrived {
        Some(arrived) => Ok(file(&args.id, &path, arrived.bytes, Some(arrived))),
        None => Err(Error::absent(
            format!("arXiv has no {what} of {}", args.id),
            "search for the paper's title first",
        )),
    }
}

/// Whether the file's end is complete. **Source**: PDF Reference 1.7, appendix H.3, note 18: readers look for the mark in the last 1,024
/// bytes of a PDF.
fn ends(what: &str, end: &[u8]) -> bool {
    what != PDF.0 || end.windows(5).any(|part| part == b"%%EOF")
}

/// The size of the file if it exists. A file of another kind in its place is an error, because it belongs to the user.
fn present(target: &Path, (what, fits, _): Kind) -> Result<Option<u64>, Error> {
    let opened = match aris_fs::open(target) {
        Ok(opened) => opened,
        Err(error) if error.is_not_found() && target.is_symlink() => {
            let what = format!("{} is a dangling link", target.display());
            return Err(Error::told(ErrorKind::Precondition, what, ELSEWHERE));
        }
        Err(error) if error.is_not_found() => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let bytes = opened.metadata().len();
    if !fits(&opened.head(1024)?) {
        return Err(Error::told(
            ErrorKind::Validation,
            format!("{} exists and is not a {what}", target.display()),
            ELSEWHERE,
        ));
    }
    Ok(Some(bytes))
}

fn file(id: &ArxivId, path: &Path, bytes: u64, arrived: Option<Downloaded>) -> File {
    let skipped = arrived.is_none();
    File {
        id: id.to_string(),
        path: path.display().to_string(),
        size_kb: bytes / 1024,
        skipped,
        message: skipped.then(|| String::from("already exists, skipped")),
        resumed_bytes: arrived
            .as_ref()
            .map(|arrived| arrived.resumed)
            .filter(|bytes| *bytes > 0),
        sha256: arrived.map(|arrived| arrived.sha256),
        unpacked: None,
        files: None,
        left_out: Vec::new(),
    }
}

/// Unpacks `archive` into the folder `target`, which appears only when it is complete. Returns the number of files, and the skipped entries.
fn unpacked(archive: &Path, target: &Path, name: &str) -> Result<(usize, Vec<String>), Error> {
    let bytes = aris_fs::read(archive, SOURCE_LIMIT)?;
    let source = unpack::read(&bytes, name).map_err(|why| {
        Error::told(
            ErrorKind::Validation,
            format!("cannot unpack {}: {why}", archive.display()),
            "the archive is kept; look at it by hand",
        )
    })?;
    let count = source.files.len();
    // An existing folder was complete when it appeared, and the user may have edited it since.
    if target.is_dir() {
        return Ok((count, source.left_out));
    }
    let folder = target.parent().unwrap_or(Path::new("."));
    let half = folder.join(format!(".{name}.unpacking"));
    let _lock = aris_fs::Lock::acquire(&folder.join(format!(".{name}.unpacking.lock")))?;
    if half.is_dir() {
        aris_fs::remove_tree(folder, &half)?;
    }
    for (path, content) in &source.files {
        let path = aris_fs::join_inside(&half, path)?;
        aris_fs::create_dir(path.parent().unwrap_or(&half))?;
        aris_fs::write_unsynced(&path, content)?;
    }
    if !target.is_dir() {
        aris_fs::rename_new(&half, target)?;
    }
    Ok((count, source.left_out))
}
