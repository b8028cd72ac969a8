//! Reads the reference paper, wherever it is: the only file that touches disk, network and programs on the way in.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aris_audit::Digest;
use aris_cli::Context;
use aris_fs::{EntryKind, FsError};
use aris_latex::{Document, IncludeOutcome, Loaded, find_root};
use aris_online::OnlineArgs;
use aris_sources::hosts::ARXIV_FILES;
use aris_sources::{Client, Host, Request, Response, arxiv, unpack, web};

use crate::error::Error;
use crate::pdf::headings::PdfOutline;
use crate::pdf::{self, PdfEngine, page};
use crate::profile::Profile;
use crate::source::{Source, is_overleaf};
use crate::{html, latex};

/// Bytes of one file that are accepted: ten times the size that arXiv takes without asking (50 MB).
const FILE_LIMIT: u64 = 512 << 20;

/// An answer of arXiv is kept for a month: a paper of a known version does not change, and a newest version seldom.
const KEEP: Duration = Duration::from_hours(30 * 24);
const KEEP_ABSENCE: Duration = Duration::from_hours(24);

/// A reference paper that was read.
pub(crate) struct Gathered {
    /// Absolute path or address.
    pub(crate) resolved: String,
    /// Digest of what was measured: of the file's bytes, or of the names and digests of several.
    pub(crate) digest: Digest,
    /// Number of files that were measured.
    pub(crate) files: usize,
    /// Names of files that the sources ask for and that are not there.
    pub(crate) missing: Vec<String>,
    /// What read it, when it is a PDF.
    pub(crate) pdf_engine: Option<PdfEngine>,
    /// What its headings come from, when it is a PDF.
    pub(crate) pdf_outline: Option<PdfOutline>,
    /// Pages that the engine gave up on.
    pub(crate) torn_pages: usize,
    pub(crate) profile: Profile,
}

impl Gathered {
    /// What is measured on one file that is no PDF.
    fn of(resolved: String, digest: Digest, profile: Profile) -> Self {
        Self {
            resolved,
            digest,
            files: 1,
            missing: Vec::new(),
            pdf_engine: None,
            pdf_outline: None,
            torn_pages: 0,
            profile,
        }
    }
}

/// What is used to read a paper.
pub(crate) struct With<'a> {
    pub(crate) context: &'a Context,
    pub(crate) online: &'a OnlineArgs,
    /// Time for reading a PDF.
    pub(crate) pdf_time: Duration,
}

/// Reads and measures `source`.
pub(crate) fn gather(source: &Source, with: &With<'_>) -> Result<Gathered, Error> {
    match source {
        Source::Folder(folder) => {
            let mut files = Files::on_disk(folder);
            let root = files.root()?;
            files.measured(&root, folder.display().to_string())
        }
        Source::Tex(path) => {
            let bytes = aris_fs::read(path, FILE_LIMIT)?;
            if bytes.starts_with(b"%PDF-") {
                return pdf(bytes, path.display().to_string(), with);
            }
            let folder = path.parent().unwrap_or(Path::new("/"));
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let place = path.display().to_string();
            if bytes.contains(&0)
                && !bytes.starts_with(&[0xff, 0xfe])
                && !bytes.starts_with(&[0xfe, 0xff])
            {
                let why = String::from("it is neither LaTeX nor a PDF");
                return Err(Error::NoPaper { place, why });
            }
            let mut files = Files::on_disk(folder);
            files.known.insert(name.clone().into_owned(), bytes);
            files.measured(&name, place)
        }
        Source::Pdf(path) => {
            let bytes = aris_fs::read(path, FILE_LIMIT)?;
            pdf(bytes, path.display().to_string(), with)
        }
        Source::Arxiv(id) => {
            let place = format!("arXiv:{id}");
            let request = arxiv::source(id).keep(KEEP, KEEP_ABSENCE);
            let response = asked(&place, &request, &ARXIV_FILES, with)?;
            archive(&response.body, place, with)
        }
        Source::Address(address) => {
            let (request, host) = web::page(address).map_err(|why| Error::Address { why })?;
            let shown = address
                .split(['?', '#'])
                .next()
                .unwrap_or(address)
                .to_owned();
            let response = asked(&shown, &request, host, with)?;
            if is_overleaf(&response.url) {
                return Err(Error::Overleaf);
            }
            content(response, shown, with)
        }
    }
}

/// Asks a server; an answer that there is no such thing is an error.
fn asked(
    what: &str,
    request: &Request,
    host: &'static Host,
    with: &With<'_>,
) -> Result<Response, Error> {
    let ask = |client: &Client| client.ask(request, |response| Ok(response.clone()));
    let response = aris_online::asking(
        with.context,
        with.online,
        &[host],
        "extract_paper_style",
        ask,
    )?;
    if response.is_success() {
        Ok(response)
    } else if response.is_absence() {
        let what = what.to_owned();
        Err(Error::NotThere { what })
    } else {
        let why = format!("the server answers with status {}", response.status);
        Err(Error::NoPaper {
            place: what.to_owned(),
            why,
        })
    }
}

/// What arXiv sends as a source.
fn archive(bytes: &[u8], place: String, with: &With<'_>) -> Result<Gathered, Error> {
    let source = unpack::read(bytes, "paper").map_err(|why| Error::NoPaper {
        place: place.clone(),
        why,
    })?;
    if let [(path, content)] = source.files.as_slice()
        && path.extension().is_some_and(|ending| ending == "pdf")
    {
        return pdf(content.clone(), place, with);
    }
    let mut files = Files {
        folder: None,
        known: BTreeMap::new(),
        digests: BTreeMap::new(),
    };
    for (path, content) in source.files {
        files
            .known
            .insert(path.to_string_lossy().into_owned(), content);
    }
    let root = files.chosen(&place)?;
    files.measured(&root, place)
}

/// What a server sends, by what it is rather than by what it is called.
fn content(response: Response, place: String, with: &With<'_>) -> Result<Gathered, Error> {
    let bytes = response.body;
    let start = bytes.get(..bytes.len().min(1024)).unwrap_or_default();
    if start.windows(5).any(|word| word == b"%PDF-") {
        return pdf(bytes, place, with);
    }
    if bytes.starts_with(&[0x1f, 0x8b]) || bytes.get(257..262) == Some(b"ustar") {
        return archive(&bytes, place, with);
    }
    let text = decode(&bytes);
    let digest = Digest::of(&bytes);
    let is_latex = ["\\documentclass", "\\begin{document}", "\\section"]
        .iter()
        .any(|mark| text.contains(mark));
    let is_page = response.media_type.contains("html") || text.trim_start().starts_with('<');
    if !is_page && is_latex {
        let known = BTreeMap::from([(String::from("paper.tex"), bytes)]);
        let files = Files {
            folder: None,
            known,
            digests: BTreeMap::new(),
        };
        return files.measured("paper.tex", place);
    }
    if !is_page {
        let why = String::from("it is neither a PDF nor an HTML page nor LaTeX");
        return Err(Error::NoPaper { place, why });
    }
    worth(Gathered::of(place, digest, html::profile(&text)))
}

/// A paper without a sentence is none: a page that asks to wait, a scan, an empty file.
fn worth(gathered: Gathered) -> Result<Gathered, Error> {
    if gathered.profile.sentences.is_none() {
        return Err(Error::NoPaper {
            place: gathered.resolved,
            why: String::from("no sentence is found in it, so there is no style to take over"),
        });
    }
    Ok(gathered)
}

fn pdf(bytes: Vec<u8>, place: String, with: &With<'_>) -> Result<Gathered, Error> {
    let digest = Digest::of(&bytes);
    let read = pdf::read(bytes, &place, with.pdf_time, with.context)?;
    if read.text.trim().is_empty() {
        return Err(Error::Scan { place });
    }
    let (profile, outline) = page::profile(&read.text, read.outline.as_deref());
    worth(Gathered {
        pdf_engine: Some(read.engine),
        pdf_outline: Some(outline),
        torn_pages: read.torn,
        ..Gathered::of(place, digest, profile)
    })
}

/// The files of a LaTeX paper: in a folder, in memory, or both.
struct Files<'a> {
    folder: Option<&'a Path>,
    /// Files that were read, by path.
    known: BTreeMap<String, Vec<u8>>,
    /// Digests of those that belong to the paper.
    digests: BTreeMap<String, Hashing>,
}

impl<'a> Files<'a> {
    fn on_disk(folder: &'a Path) -> Self {
        Self {
            folder: Some(folder),
            known: BTreeMap::new(),
            digests: BTreeMap::new(),
        }
    }

    /// The root document of the folder.
    fn root(&mut self) -> Result<String, Error> {
        let Some(folder) = self.folder else {
            return Ok(String::new());
        };
        let visible = |entry: &aris_fs::Entry| !entry.name.to_string_lossy().starts_with('.');
        for entry in aris_fs::walk_sorted(folder, &mut |entry| visible(entry))? {
            let is_file = matches!(entry.kind, EntryKind::File | EntryKind::Link);
            if is_file && entry.path.extension().is_some_and(|ending| ending == "tex") {
                let name = aris_fs::display_relative(&entry.path, folder);
                if let Some(bytes) = self.read(&name)? {
                    self.known.insert(name, bytes);
                }
            }
        }
        self.chosen(&folder.display().to_string())
    }

    /// The root document among the files in memory.
    fn chosen(&self, place: &str) -> Result<String, Error> {
        let texts: Vec<(&str, Cow<'_, str>)> = self
            .known
            .iter()
            .filter(|(name, _)| name.to_ascii_lowercase().ends_with(".tex"))
            .map(|(name, bytes)| (name.as_str(), decode(bytes)))
            .collect();
        // Plain TeX and LaTeX 2.09 have no `\documentclass`; a single file is the paper whatever is in it.
        if let [(only, _)] = texts.as_slice() {
            return Ok((*only).to_owned());
        }
        find_root(&texts).map_err(|source| Error::Root {
            place: place.to_owned(),
            source,
        })
    }

    /// A file of the folder; `None` when it is not there, or lies outside once links are followed.
    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, FsError> {
        let Some(folder) = self.folder else {
            return Ok(None);
        };
        let path = folder.join(name);
        let inside = match (path.canonicalize(), folder.canonicalize()) {
            (Ok(real), Ok(root)) => real.starts_with(root),
            _ => false,
        };
        if inside {
            aris_fs::read_optional(&path, FILE_LIMIT)
        } else {
            Ok(None)
        }
    }

    fn load(&mut self, name: &str) -> Loaded {
        let bytes = match self.known.remove(name) {
            Some(bytes) => bytes,
            None => match self.read(name) {
                Ok(Some(bytes)) => bytes,
                Ok(None) => return Loaded::Absent,
                Err(error) => return Loaded::Unreadable(error.to_string()),
            },
        };
        let (digest, text) = hashed(bytes);
        self.digests.insert(name.to_owned(), digest);
        text
    }

    /// Reads the document from its root and measures it.
    fn measured(mut self, root: &str, resolved: String) -> Result<Gathered, Error> {
        let mut load = |name: &str| self.load(name);
        let document = Document::read(root, &mut load)?;
        let missing = document
            .includes
            .iter()
            .filter(|include| {
                matches!(
                    include.outcome,
                    IncludeOutcome::Missing | IncludeOutcome::Unreadable(_)
                )
            })
            .map(|include| include.target.clone())
            .collect();
        let profile = latex::profile(&document);
        let digests = self.digests.into_iter();
        let digests: Vec<(String, Digest)> = digests
            .map(|(name, digest)| (name, digest.finish()))
            .collect();
        let digest = match digests.as_slice() {
            [(_, only)] => *only,
            several => {
                let lines = several.iter().fold(String::new(), |lines, (name, digest)| {
                    lines + &digest.hex() + "  " + name + "\n"
                });
                Digest::of(lines.as_bytes())
            }
        };
        // The program is about to end; to free a book's text piece by piece takes a tenth of the time that reading it took.
        std::mem::forget(document);
        worth(Gathered {
            files: digests.len(),
            missing,
            ..Gathered::of(resolved, digest, profile)
        })
    }
}

/// The digest of a file, perhaps still being made.
enum Hashing {
    Done(Digest),
    /// Beside the reading of the file.
    Beside(JoinHandle<Digest>),
}

impl Hashing {
    fn finish(self) -> Digest {
        match self {
            Self::Done(digest) => digest,
            Self::Beside(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
        }
    }
}

/// Bytes from which on a file is hashed by a thread of its own.
const LARGE: usize = 1 << 18;

/// The digest of a file, and its text.
fn hashed(bytes: Vec<u8>) -> (Hashing, Loaded) {
    if bytes.len() < LARGE || bytes.starts_with("\u{feff}".as_bytes()) {
        let digest = Hashing::Done(Digest::of(&bytes));
        return (digest, Loaded::Text(Arc::from(decode(&bytes))));
    }
    match String::from_utf8(bytes) {
        Ok(text) => {
            let text = Arc::new(text);
            let same = Arc::clone(&text);
            let digest = thread::spawn(move || Digest::of(same.as_bytes()));
            (Hashing::Beside(digest), Loaded::Whole(text))
        }
        Err(error) => {
            let bytes = error.as_bytes();
            let digest = Hashing::Done(Digest::of(bytes));
            (digest, Loaded::Text(Arc::from(decode(bytes))))
        }
    }
}

/// The text of a file: UTF-8 or UTF-16 with a mark; else Latin-1, in which every byte is a letter, as old papers are written.
fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let wide = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = rest.chunks_exact(2).filter_map(|pair| pair.try_into().ok());
        String::from_utf16_lossy(&units.map(unit).collect::<Vec<u16>>())
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => Cow::Owned(wide(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(wide(rest, u16::from_be_bytes)),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text.trim_start_matches('\u{feff}')),
            Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_is_hashed_and_read_as_a_small_one() {
        for part in [&b"caf\xe9 "[..], "café ".as_bytes(), b"plain text "] {
            for start in [&b""[..], b"\xef\xbb\xbf"] {
                let bytes = [start, &part.repeat(LARGE / 4)].concat();
                assert!(bytes.len() >= LARGE);
                let text = match hashed(bytes.clone()) {
                    (digest, Loaded::Text(text)) => {
                        assert_eq!(digest.finish(), Digest::of(&bytes));
                        text
                    }
                    (digest, Loaded::Whole(text)) => {
                        assert_eq!(digest.finish(), Digest::of(&bytes));
                        Arc::from(text.as_str())
                    }
                    (_, other) => panic!("{other:?}"),
                };
                assert!(*text == *decode(&bytes));
            }
        }
    }

    #[test]
    fn every_encoding_of_a_paper_is_read() {
        assert_eq!(decode("é".as_bytes()), "é");
        assert_eq!(decode(b"\xef\xbb\xbfa"), "a");
        assert_eq!(decode(b"caf\xe9"), "café");
        assert_eq!(decode(b"\xff\xfea\0b\0"), "ab");
        assert_eq!(decode(b"\xfe\xff\0a\0b\0"), "ab");
    }
}
