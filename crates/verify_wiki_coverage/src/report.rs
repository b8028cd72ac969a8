//! The data product, which is also the report file.

use std::io::{self, Write};
use std::path::Path;

use aris_cli::{Product, Style};
use aris_contract::integrations::{self, Step};
use aris_contract::text::{counted, shell_line};
use serde::Serialize;

/// Schema id of [`Report`].
pub(crate) const SCHEMA: &str = "aris.verify_wiki_coverage.coverage/v1";

/// Name of the report in the wiki, the same as the reference's.
pub(crate) const REPORT_NAME: &str = ".wiki-coverage-report.json";

/// Value of `tool` in our reports; the reference's reports have the same name with `.sh`.
pub(crate) const TOOL: &str = "verify_wiki_coverage";

/// Most identifiers listed in the text output, as in the reference.
const SHOWN: usize = 20;

/// What the project mentions and what the wiki has. The fields up to `missing_ids` are those of the reference.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    pub(crate) schema: &'static str,
    pub(crate) tool: &'static str,
    /// The wiki's folder, absolute.
    pub(crate) wiki_root: String,
    /// Paths that were scanned, as given.
    pub(crate) scanned_paths: Vec<String>,
    /// UTC; of the first run that found this.
    pub(crate) generated_at: String,
    /// Different arXiv papers that the scanned files mention.
    pub(crate) referenced_arxiv_ids: usize,
    /// Different arXiv papers that pages of the wiki are about.
    pub(crate) ingested_arxiv_ids: usize,
    /// Length of `missing_ids`.
    pub(crate) missing_from_wiki: usize,
    pub(crate) diagnostic_only: bool,
    /// Mentioned and not ingested, ascending, without version.
    pub(crate) missing_ids: Vec<String>,
    /// The same, each with its places.
    pub(crate) missing: Vec<Missing>,
    /// Announced as arXiv identifiers, but none can look like that.
    pub(crate) impossible: Vec<Impossible>,
    /// Whether everything was read. If not, papers may be mentioned or ingested that this report does not know.
    pub(crate) complete: bool,
    /// What could not be read, or not understood.
    pub(crate) unread: Vec<Unread>,
    /// Paths of --scan that do not exist.
    pub(crate) absent_paths: Vec<String>,
    /// Pages in the wiki's papers/.
    pub(crate) pages: usize,
    /// What was read.
    pub(crate) read: Read,
    /// Where this report was written.
    #[serde(skip)]
    #[cfg_attr(test, schemars(skip))]
    pub(crate) written_to: String,
    /// The wiki as it was given, for the suggestion.
    #[serde(skip)]
    #[cfg_attr(test, schemars(skip))]
    pub(crate) wiki_given: String,
}

/// A paper that is mentioned and has no page.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Missing {
    pub(crate) id: String,
    /// Whether a text says that it is an arXiv identifier. If not, it may be a number of another kind.
    pub(crate) announced: bool,
    /// All mentions.
    pub(crate) mentions: u64,
    /// The first lines that mention it, by path.
    pub(crate) places: Vec<Place>,
}

/// What is announced as an identifier and cannot be one.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Impossible {
    /// As written.
    pub(crate) id: String,
    pub(crate) why: String,
    /// All mentions.
    pub(crate) mentions: u64,
    /// The first lines that mention it, by path.
    pub(crate) places: Vec<Place>,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Place {
    pub(crate) path: String,
    /// From 1.
    pub(crate) line: u64,
}

/// What could not be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Unread {
    pub(crate) path: String,
    /// The line that could not be understood, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u64>,
    pub(crate) why: String,
}

impl Unread {
    pub(crate) fn new(path: &Path, why: impl Into<String>) -> Self {
        Self {
            path: path.display().to_string(),
            line: None,
            why: why.into(),
        }
    }
}

/// Counts of what was scanned.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Read {
    /// Text files that were read to their end.
    pub(crate) files: u64,
    /// Bytes of them.
    pub(crate) bytes: u64,
    /// Binary files, which were left out.
    pub(crate) binary: u64,
    /// Symbolic links below the scanned paths, which were not followed.
    pub(crate) links: u64,
    /// Pipes, sockets and devices, which were left out.
    pub(crate) special: u64,
}

impl Report {
    /// Whether something is missing, or might be.
    pub(crate) fn has_gaps(&self) -> bool {
        !self.missing.is_empty() || !self.complete
    }

    fn suggestion(&self) -> Option<String> {
        let row = integrations::all()
            .iter()
            .find(|row| row.verifier.helper == TOOL)?;
        let Step::Helper { helper, args } = &row.artifacts.first()?.backfill else {
            return None;
        };
        let ids: Vec<&str> = self
            .missing_ids
            .iter()
            .take(SHOWN)
            .map(String::as_str)
            .collect();
        let ids = ids.join(",");
        let words = args.iter().map(|arg| match arg.as_str() {
            "{arxiv_ids}" => ids.as_str(),
            arg if row.verifier.args.iter().any(|known| known == arg) => &self.wiki_given,
            arg => arg,
        });
        let words: Vec<&str> = std::iter::once(helper.as_str()).chain(words).collect();
        Some(shell_line(&words))
    }
}

/// The first place, and how many more mentions there are.
fn places(places: &[Place], mentions: u64) -> String {
    let Some(first) = places.first() else {
        return counted(mentions, "mention");
    };
    let more = match mentions {
        0 | 1 => String::new(),
        many => format!(" and {} more", many - 1),
    };
    format!("{}:{}{more}", first.path, first.line)
}

impl Product for Report {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        let title = style.bold("Research wiki coverage (diagnostic, not a gate)");
        writeln!(out, "{title}")?;
        let scanned = match self.scanned_paths.as_slice() {
            [] => String::from("nothing"),
            paths => paths.join(", "),
        };
        let id = "arXiv id";
        let referenced = counted(self.referenced_arxiv_ids, id);
        let files = counted(self.read.files, "file");
        writeln!(out, "  wiki:       {}", self.wiki_root)?;
        writeln!(out, "  scanned:    {scanned}")?;
        writeln!(out, "  referenced: {referenced} in {files} read")?;
        writeln!(
            out,
            "  ingested:   {}",
            counted(self.ingested_arxiv_ids, id)
        )?;
        writeln!(out, "  missing:    {}", self.missing_from_wiki)?;
        writeln!(out, "  report:     {}", self.written_to)?;
        part(out, "Missing from the wiki:", &self.missing, |missing| {
            let bare = if missing.announced {
                ""
            } else {
                " (a bare number)"
            };
            let places = places(&missing.places, missing.mentions);
            format!("{}  {places}{bare}", missing.id)
        })?;
        if !self.missing.is_empty()
            && let Some(suggestion) = self.suggestion()
        {
            writeln!(out, "\nTo ingest them: {suggestion}")?;
        }
        let title = style.bad("Announced as arXiv ids, and cannot be:");
        part(out, &title, &self.impossible, |impossible| {
            let places = places(&impossible.places, impossible.mentions);
            format!("{places}: {}", impossible.why)
        })?;
        let title = style.doubtful("Not read, so more may be mentioned or ingested:");
        part(out, &title, &self.unread, |unread| {
            let line = unread.line.map_or(String::new(), |line| format!(":{line}"));
            format!("{}{line}: {}", unread.path, unread.why)
        })
    }
}

/// A part of the text output: a title and a line for each of the first items; nothing if there are no items.
fn part<T>(
    out: &mut dyn Write,
    title: &str,
    items: &[T],
    line: impl Fn(&T) -> String,
) -> io::Result<()> {
    if items.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}")?;
    for item in items.iter().take(SHOWN) {
        writeln!(out, "  {}", line(item))?;
    }
    match items.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => writeln!(out, "  ... and {more} more in the report"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_current() {
        aris_testkit::check_schema::<Report>(SCHEMA);
    }
}
