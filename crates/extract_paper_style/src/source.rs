//! What `--source` names.

use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_contract::ids::ArxivId;
use serde::Serialize;

use crate::error::Error;
use crate::files::decode;
use crate::html;

/// A reference paper, by where it is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A folder or a file, and what it is.
    Local(SourceType, PathBuf),
    /// A paper of arXiv.
    Arxiv(ArxivId),
    /// An http or https address.
    Address(String),
}

/// The same, as manifests name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) enum SourceType {
    /// A folder with LaTeX sources.
    LocalDir,
    /// A LaTeX file.
    LocalTex,
    /// A PDF.
    LocalPdf,
    /// A saved HTML page.
    LocalHtml,
    /// A paper of arXiv.
    Arxiv,
    /// An http or https address.
    Http,
}

/// Bytes at the start of a file that show whether it is a PDF or an HTML page, whatever its name.
const HEAD: usize = 1024;

/// Fewest hexadecimal digits of an Overleaf project's identifier.
const OVERLEAF_ID: usize = 24;

impl Source {
    /// Reads the argument. What exists on disk wins over an identifier.
    pub(crate) fn parse(text: &str, context: &Context) -> Result<Self, Error> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Error::usage(
                String::from("--source is empty"),
                "name a folder, a .tex or .pdf file, an arXiv identifier or an address",
            ));
        }
        if is_overleaf(text) {
            return Err(Error::overleaf());
        }
        if let Some((scheme, _)) = text.split_once("://") {
            if let Ok(id) = ArxivId::parse(text) {
                return Ok(Self::Arxiv(id));
            }
            return if scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") {
                Ok(Self::Address(text.to_owned()))
            } else {
                Err(Error::usage(
                    format!("addresses that begin with {scheme}: are not read"),
                    "download the paper and name the file",
                ))
            };
        }
        let path = absolute(text, context);
        if path.is_dir() {
            return Ok(Self::Local(SourceType::LocalDir, path));
        }
        if path.exists() {
            let ending = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
            let head = head(&path);
            let kind = match ending.as_deref().and_then(|name| name.to_str()) {
                Some("pdf") => SourceType::LocalPdf,
                None | Some("tex" | "ltx" | "latex" | "txt") if is_pdf(&head) => {
                    SourceType::LocalPdf
                }
                Some("html" | "htm" | "xhtml") => SourceType::LocalHtml,
                Some(
                    other @ ("md" | "markdown" | "rst" | "org" | "adoc" | "typ" | "docx" | "odt"),
                ) => {
                    let hint = "convert it to HTML, as `pandoc --standalone -o paper.html` does, and name that file";
                    let why = format!("a file of the kind .{other} is not read");
                    return Err(Error::paper(&path.display().to_string(), &why, hint));
                }
                Some(other @ ("bib" | "bst" | "bbl" | "cls" | "sty")) => {
                    let why = format!("a file of the kind .{other} is no paper");
                    let hint = "name the root document, or its folder";
                    return Err(Error::paper(&path.display().to_string(), &why, hint));
                }
                None if html::is_page(&decode(&head)) => SourceType::LocalHtml,
                None | Some("tex" | "ltx" | "latex" | "txt") => SourceType::LocalTex,
                Some(other) => {
                    let why = format!("a file of the kind .{other} is no paper");
                    let hint = "name a .tex, .pdf or .html file, or a folder with LaTeX sources";
                    return Err(Error::paper(&path.display().to_string(), &why, hint));
                }
            };
            return Ok(Self::Local(kind, path));
        }
        match ArxivId::parse(text) {
            Ok(id) => return Ok(Self::Arxiv(id)),
            Err(error) if error.is_impossible() => {
                return Err(Error::usage(
                    error.to_string(),
                    "identifiers look like 2501.12345 or cs/0601001",
                ));
            }
            Err(_) => {}
        }
        if text.len() >= OVERLEAF_ID && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(Error::overleaf());
        }
        Err(Error::absent(
            format!(
                "{}: this is neither a file or folder that exists, nor an arXiv identifier, nor an address",
                path.display()
            ),
            "check the path; arXiv identifiers look like arxiv:2501.12345",
        ))
    }

    /// Its name in manifests.
    pub(crate) const fn kind(&self) -> SourceType {
        match self {
            Self::Local(kind, _) => *kind,
            Self::Arxiv(_) => SourceType::Arxiv,
            Self::Address(_) => SourceType::Http,
        }
    }
}

/// The first bytes of a file.
fn head(path: &Path) -> Vec<u8> {
    let head = aris_fs::open(path).and_then(|file| file.head(HEAD as u64));
    head.unwrap_or_default()
}

/// Whether these bytes are a PDF.
pub(crate) fn is_pdf(bytes: &[u8]) -> bool {
    let start = bytes.get(..bytes.len().min(HEAD)).unwrap_or_default();
    start.windows(5).any(|word| word == b"%PDF-")
}

/// A path as users write it, with `~/` for their home folder.
pub(crate) fn absolute(text: &str, context: &Context) -> PathBuf {
    match (text.strip_prefix("~/"), context.env("HOME")) {
        (Some(rest), Some(home)) => Path::new(home).join(rest),
        _ => aris_fs::lexical(&context.absolute(Path::new(text))),
    }
}

/// An address without query and fragment, because a query may hold a secret.
pub(crate) fn without_query(address: &str) -> &str {
    address.split(['?', '#']).next().unwrap_or(address)
}

/// Whether an address leads to Overleaf, whose projects are private.
pub(crate) fn is_overleaf(text: &str) -> bool {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default();
    let host = host.to_ascii_lowercase();
    host == "overleaf.com" || host.ends_with(".overleaf.com")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overleaf_is_recognised_however_it_is_written() {
        for address in [
            "https://www.overleaf.com/project/0123456789abcdef01234567",
            "https://overleaf.com/read/abc",
            "HTTP://GIT.Overleaf.com:443/x",
            "https://git:olp_x@git.overleaf.com/0123",
            "www.overleaf.com/project/1",
        ] {
            assert!(is_overleaf(address), "{address}");
        }
        for other in [
            "https://notoverleaf.com/x",
            "https://a.org/overleaf.com",
            "papers/overleaf",
        ] {
            assert!(!is_overleaf(other), "{other}");
        }
    }
}
