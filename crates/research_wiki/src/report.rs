//! The data products.

use std::io::{self, Write};

use aris_cli::{Context, Product, Style};
use serde::Serialize;

use aris_wiki::edges::Edge;

/// Schema id of [`Changed`].
pub(crate) const CHANGED: &str = "aris.research_wiki.changed/v1";
/// Schema id of [`Packed`].
pub(crate) const PACK: &str = "aris.research_wiki.pack/v1";
/// Schema id of [`Slug`].
pub(crate) const SLUG: &str = "aris.research_wiki.slug/v1";
/// Schema id of [`Stats`].
pub(crate) const STATS: &str = "aris.research_wiki.stats/v1";
/// Schema id of [`Shown`].
pub(crate) const PAGE: &str = "aris.research_wiki.page/v1";

/// What became of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Action {
    Created,
    Updated,
    Unchanged,
    Removed,
}

/// A page that a command was about.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Touched {
    pub(crate) node: String,
    /// Relative to the wiki.
    pub(crate) path: String,
    pub(crate) action: Action,
}

/// An edge that a command was about.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Drawn {
    pub(crate) from: String,
    pub(crate) to: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// Whether it is new.
    pub(crate) added: bool,
}

/// What a command changed.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Changed {
    pub(crate) wiki: String,
    pub(crate) pages: Vec<Touched>,
    pub(crate) edges: Vec<Drawn>,
    /// arXiv identifiers that arXiv does not know, and what is no identifier.
    pub(crate) unknown: Vec<String>,
    /// What was repaired, or stays as somebody wrote it.
    pub(crate) notes: Vec<String>,
    /// The lines for people; those of the reference where it has the command.
    #[serde(skip)]
    pub(crate) lines: Vec<String>,
}

impl Changed {
    /// Tells people and programs that something is not as they may think.
    pub(crate) fn warn(&mut self, context: &Context, note: String) {
        context.warn(&note);
        self.notes.push(note);
    }

    /// The lines for people.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut lines = self.lines.iter();
        lines.try_for_each(|line| writeln!(out, "{line}"))
    }
}

/// A query pack that was written.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Packed {
    pub(crate) path: String,
    /// Characters, not bytes.
    pub(crate) chars: usize,
    pub(crate) max_chars: usize,
    pub(crate) sections: Vec<PackedSection>,
}

/// A section of it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct PackedSection {
    pub(crate) title: String,
    pub(crate) budget: usize,
    pub(crate) chars: usize,
    pub(crate) lines: usize,
    /// Lines that did not fit.
    pub(crate) left_out: usize,
}

/// A slug.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Slug {
    pub(crate) slug: String,
}

/// How much there is of what.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Stats {
    pub(crate) wiki: String,
    pub(crate) papers: usize,
    pub(crate) ideas: usize,
    pub(crate) ideas_failed: usize,
    pub(crate) ideas_succeeded: usize,
    pub(crate) experiments: usize,
    pub(crate) claims: usize,
    pub(crate) claims_supported: usize,
    pub(crate) claims_invalidated: usize,
    pub(crate) edges: usize,
    /// Files among the pages that are none.
    pub(crate) unreadable: usize,
}

impl Stats {
    /// The numbers for people, in the reference's words.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (ideas, failed, succeeded) = (self.ideas, self.ideas_failed, self.ideas_succeeded);
        let (supported, invalidated) = (self.claims_supported, self.claims_invalidated);
        let lines = [
            String::from("📚 Research Wiki Stats"),
            format!("Papers:      {}", self.papers),
            format!("Ideas:       {ideas} ({failed} failed, {succeeded} succeeded)"),
            format!("Experiments: {}", self.experiments),
            format!(
                "Claims:      {} ({supported} supported, {invalidated} invalidated)",
                self.claims
            ),
            format!("Edges:       {}", self.edges),
            format!("Wiki root:   {}", self.wiki),
        ];
        writeln!(out, "{}", lines.join("\n"))
    }
}

/// One page with its edges.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Shown {
    pub(crate) node: String,
    pub(crate) path: String,
    pub(crate) title: String,
    /// The page as it is.
    pub(crate) text: String,
    pub(crate) edges: Vec<Edge>,
}

impl Product for Shown {
    fn schema(&self) -> &'static str {
        PAGE
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        writeln!(out, "{}", style.dim(&self.path))?;
        writeln!(out, "{}", self.text.trim_end())?;
        for edge in &self.edges {
            writeln!(out, "{} --{}--> {}", edge.from, edge.kind, edge.to)?;
        }
        Ok(())
    }
}
