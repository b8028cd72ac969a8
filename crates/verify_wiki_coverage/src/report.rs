//! The data product, which is also the report file.

use std::io::{self, Write};
use std::path::Path;

use aris_cli::{Product, Style};
use aris_contract::integrations::{self, Step};
use aris_contract::text::counted;
use serde::Serialize;

/// Schema id of [`Report`].
pub(crate) const SCHEMA: &str = "aris.verify_wiki_coverage.coverage/v1";

/// Name of the report in the wiki, as the reference's.
pub(crate) const REPORT_NAME: &str = ".wiki-coverage-report.json";

/// What `tool` says in our reports; those of the reference say the same with `.sh`.
pub(crate) const TOOL: &str = "verify_wiki_coverage";

/// Identifiers that are listed for people, as many as the reference lists.
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
            "{arxiv_ids}" => ids.clone(),
            arg if row.verifier.args.iter().any(|known| known == arg) => quoted(&self.wiki_given),
            arg => arg.to_owned(),
        });
        Some(format!("{helper} {}", words.collect::<Vec<_>>().join(" ")))
    }
}

/// `text` as one word of a shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
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
        let scanned = if self.scanned_paths.is_empty() {
            String::from("nothing")
        } else {
            self.scanned_paths.join(", ")
        };
        writeln!(
            out,
            "{}",
            style.bold("Research wiki coverage (diagnostic, not a gate)")
        )?;
        writeln!(out, "  wiki:       {}", self.wiki_root)?;
        writeln!(out, "  scanned:    {scanned}")?;
        writeln!(
            out,
            "  referenced: {} in {} read",
            counted(self.referenced_arxiv_ids, "arXiv id"),
            counted(
                usize::try_from(self.read.files).unwrap_or(usize::MAX),
                "file"
            )
        )?;
        writeln!(
            out,
            "  ingested:   {}",
            counted(self.ingested_arxiv_ids, "arXiv id")
        )?;
        writeln!(out, "  missing:    {}", self.missing_from_wiki)?;
        writeln!(out, "  report:     {}", self.written_to)?;
        if !self.missing.is_empty() {
            writeln!(out, "\nMissing from the wiki:")?;
            for missing in self.missing.iter().take(SHOWN) {
                let bare = if missing.announced {
                    ""
                } else {
                    " (a bare number)"
                };
                writeln!(
                    out,
                    "  {}  {}{bare}",
                    missing.id,
                    places(&missing.places, missing.mentions)
                )?;
            }
            more(out, self.missing.len())?;
            if let Some(suggestion) = self.suggestion() {
                writeln!(out, "\nTo ingest them: {suggestion}")?;
            }
        }
        if !self.impossible.is_empty() {
            writeln!(
                out,
                "\n{}",
                style.bad("Announced as arXiv ids, and cannot be:")
            )?;
            for impossible in self.impossible.iter().take(SHOWN) {
                let places = places(&impossible.places, impossible.mentions);
                writeln!(out, "  {places}: {}", impossible.why)?;
            }
            more(out, self.impossible.len())?;
        }
        if !self.unread.is_empty() {
            writeln!(
                out,
                "\n{}",
                style.doubtful("Not read, so more may be mentioned or ingested:")
            )?;
            for unread in self.unread.iter().take(SHOWN) {
                let line = unread.line.map_or(String::new(), |line| format!(":{line}"));
                writeln!(out, "  {}{line}: {}", unread.path, unread.why)?;
            }
            more(out, self.unread.len())?;
        }
        Ok(())
    }
}

fn more(out: &mut dyn Write, count: usize) -> io::Result<()> {
    match count.checked_sub(SHOWN) {
        None | Some(0) => Ok(()),
        Some(more) => writeln!(out, "  ... and {more} more in the report"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_current() {
        aris_testkit::check_schema::<Report>(SCHEMA);
    }

    #[test]
    fn words_of_a_shell() {
        assert_eq!(quoted("research-wiki/"), "research-wiki/");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
