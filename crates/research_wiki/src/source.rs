//! The source of a claim: a file of the project, or lines of it, with a digest that reveals changes.

use std::path::Path;

use aris_contract::hex::hex;
use sha2::{Digest as _, Sha256};

use crate::error::Error;

/// A file, or lines of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// Relative to the project, which is the folder above the wiki.
    pub(crate) path: String,
    /// First and last line, from 1; `None` for the whole file.
    pub(crate) lines: Option<(usize, usize)>,
}

impl Source {
    /// Reads `FILE` or `FILE:FIRST-LAST`.
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let wrong = || {
            Error::usage(
                format!("{text:?} is no source"),
                "for example results/run.json or notes.md:10-20",
            )
        };
        let (path, lines) = match text.rsplit_once(':') {
            Some((path, span))
                if !span.is_empty() && span.bytes().all(|b| b.is_ascii_digit() || b == b'-') =>
            {
                (path, Some(span))
            }
            _ => (text, None),
        };
        let lines = lines.map(|span| Self::span(span).ok_or_else(wrong));
        if path.is_empty() {
            return Err(wrong());
        }
        Ok(Self {
            path: path.to_owned(),
            lines: lines.transpose()?,
        })
    }

    /// Parses `FIRST-LAST` or one number.
    pub(crate) fn span(text: &str) -> Option<(usize, usize)> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        (first > 0 && first <= last).then_some((first, last))
    }

    /// The lines as the frontmatter has them.
    pub(crate) fn shown_lines(&self) -> Option<String> {
        self.lines.map(|(first, last)| format!("{first}-{last}"))
    }

    /// SHA-256 of the file or the lines, in hexadecimal; `None` when the file does not have these lines.
    pub(crate) fn digest(&self, wiki: &Path) -> Result<Option<String>, Error> {
        let project = wiki.parent().unwrap_or(wiki);
        let path = aris_fs::join_inside(project, Path::new(&self.path))?;
        let bytes = aris_fs::read(&path, aris_fs::READ_LIMIT)?;
        let part = match self.lines {
            None => Some(bytes),
            Some((first, last)) => {
                let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
                lines.get(first - 1..last).map(<[&[u8]]>::concat)
            }
        };
        Ok(part.map(|part| hex(&Sha256::digest(&part))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_files_with_or_without_lines() {
        let of = |text| {
            Source::parse(text)
                .map(|source| (source.path, source.lines))
                .ok()
        };
        assert_eq!(of("a/b.json"), Some((String::from("a/b.json"), None)));
        assert_eq!(of("n.md:3"), Some((String::from("n.md"), Some((3, 3)))));
        assert_eq!(
            of("n.md:10-20"),
            Some((String::from("n.md"), Some((10, 20))))
        );
        for bad in ["", ":3", "n.md:0", "n.md:5-3", "n.md:-"] {
            assert_eq!(of(bad), None, "{bad}");
        }
    }
}
