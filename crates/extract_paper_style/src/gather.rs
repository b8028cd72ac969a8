//! Reads the reference paper from disk or network, and measures it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use aris_audit::Digest;
use aris_cli::Context;
use aris_online::OnlineArgs;
use aris_sources::hosts::ARXIV_FILES;
use aris_sources::{Client, Doubt, Host, Request, Response, arxiv, unpack, web};

use crate::error::Error;
use crate::files::{Files, decode};
use crate::gathered::{FILE_LIMIT, Gathered};
use crate::html;
use crate::pdf::{self, page};
use crate::source::{Source, SourceType, is_overleaf, is_pdf, without_query};

/// arXiv's answers are kept for a month: a given version never changes, and the newest version seldom does.
const KEEP: Duration = Duration::from_hours(30 * 24);
const KEEP_ABSENCE: Duration = Duration::from_hours(24);

/// What reading a paper needs.
pub(crate) struct With<'a> {
    pub(crate) context: &'a Context,
    pub(crate) online: &'a OnlineArgs,
    /// Time for reading a PDF.
    pub(crate) pdf_time: Duration,
}

/// Reads and measures `source`.
pub(crate) fn gather(source: &Source, with: &With<'_>) -> Result<Gathered, Error> {
    match source {
        Source::Local(SourceType::LocalDir, folder) => {
            Files::walk(folder)?.chosen(folder.display().to_string())
        }
        Source::Local(kind, path) => {
            let bytes = aris_fs::read(path, FILE_LIMIT)?;
            let place = path.display().to_string();
            match kind {
                SourceType::LocalHtml => page(&bytes, place),
                SourceType::LocalPdf => pdf(bytes, Some(path), place, with),
                _ => latex(path, bytes, place),
            }
        }
        Source::Arxiv(id) => {
            let place = format!("arXiv:{id}");
            let request = arxiv::source(id).keep(KEEP, KEEP_ABSENCE);
            let absent = Error::absent(
                format!("arXiv has no source of {place}"),
                "check the identifier; a withdrawn paper has no source",
            );
            let is_own = arxiv::is_absence;
            let response = asked(&place, &request, &ARXIV_FILES, is_own, absent, with)?;
            archive(&response.body, place, with)
        }
        Source::Address(address) => {
            let (request, host) = web::page(address).map_err(|why| {
                Error::usage(
                    format!("the address is not asked: {why}"),
                    "give an address that begins with https:// and holds no password",
                )
            })?;
            let shown = without_query(address).to_owned();
            let absent = Error::absent(format!("{shown} does not exist"), "check the address");
            let response = asked(&shown, &request, host, |_| true, absent, with)?;
            if is_overleaf(&response.url) {
                return Err(Error::overleaf());
            }
            content(response, shown, with)
        }
    }
}

/// Asks a server. **Errors**: `absent` if the server has no such thing; `is_own` tells from the page of a 404 whether the server
/// itself wrote it.
fn asked(
    what: &str,
    request: &Request,
    host: &'static Host,
    is_own: fn(&[u8]) -> bool,
    absent: Error,
    with: &With<'_>,
) -> Result<Response, Error> {
    let ask = |client: &Client| {
        client.ask(request, |response| {
            if response.is_absence() && !is_own(&response.body) {
                let what = format!("{} with a page that is not its own", response.status);
                return Err(Doubt::NotAnAnswer(what));
            }
            Ok(response.clone())
        })
    };
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
        Err(absent)
    } else {
        let why = format!("the server answers with status {}", response.status);
        Err(Error::no_paper(what, &why))
    }
}

/// Measures an archive, or the PDF that arXiv sends in its place.
fn archive(bytes: &[u8], place: String, with: &With<'_>) -> Result<Gathered, Error> {
    let source = unpack::read(bytes, "paper").map_err(|why| Error::no_paper(&place, &why))?;
    if let [(path, content)] = source.files.as_slice()
        && path.extension().is_some_and(|ending| ending == "pdf")
    {
        return pdf(content.clone(), None, place, with);
    }
    let files = source.files.into_iter();
    let files = files.map(|(path, content)| (path.to_string_lossy().into_owned(), content));
    Files::of(None, files.collect()).chosen(place)
}

/// Measures a server's answer. Its kind is found from the content, not from its name.
fn content(response: Response, place: String, with: &With<'_>) -> Result<Gathered, Error> {
    let bytes = response.body;
    if is_pdf(&bytes) {
        return pdf(bytes, None, place, with);
    }
    if bytes.starts_with(&[0x1f, 0x8b]) || bytes.get(257..262) == Some(b"ustar") {
        return archive(&bytes, place, with);
    }
    let text = decode(&bytes);
    let marks = ["\\documentclass", "\\begin{document}", "\\section"];
    let is_latex = marks.iter().any(|mark| text.contains(mark));
    let is_page = response.media_type.contains("html") || html::is_page(&text);
    if !is_page && is_latex {
        let known = BTreeMap::from([(String::from("paper.tex"), bytes)]);
        return Files::of(None, known).measured("paper.tex", place);
    }
    if !is_page {
        let why = "it is neither a PDF nor an HTML page nor LaTeX";
        return Err(Error::no_paper(&place, why));
    }
    page(&bytes, place)
}

/// Measures a LaTeX file together with the files in its folder.
fn latex(path: &Path, bytes: Vec<u8>, place: String) -> Result<Gathered, Error> {
    let is_wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    if bytes.contains(&0) && !is_wide {
        return Err(Error::no_paper(&place, "it is neither LaTeX nor a PDF"));
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let known = BTreeMap::from([(name.clone().into_owned(), bytes)]);
    Files::of(Some(folder), known).measured(&name, place)
}

/// Measures an HTML page.
fn page(bytes: &[u8], place: String) -> Result<Gathered, Error> {
    let profile = html::profile(&decode(bytes));
    Gathered::of(place, Digest::of(bytes), profile).worth()
}

/// Measures a PDF; `file` is its path if it is on disk.
fn pdf(
    bytes: Vec<u8>,
    file: Option<&Path>,
    place: String,
    with: &With<'_>,
) -> Result<Gathered, Error> {
    let digest = Digest::of(&bytes);
    let read = pdf::read(bytes, file, &place, with.pdf_time, with.context)?;
    let (profile, outline) = page::profile(&read.pages, read.outline.as_deref());
    let gathered = Gathered {
        pdf_outline: Some(outline),
        ..Gathered::of(place, digest, profile)
    };
    gathered.worth()
}
