//! `lint`: what is wrong with a wiki, or looks forgotten.

mod graph;
mod pages;

use std::io::{self, Write};

use aris_cli::{Context, Outcome, Product, Style};
use aris_contract::text::counted;
use jiff::Timestamp;
use serde::Serialize;
use strum::EnumMessage;

use crate::cli::LintArgs;
use crate::error::Error;
use crate::file;
use crate::wiki::Wiki;
use aris_wiki::edges::Edges;

/// Schema id of [`Lint`].
pub(crate) const LINT: &str = "aris.research_wiki.lint/v1";

// The message of each variant says how to fix it.
/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, EnumMessage)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Rule {
    #[strum(message = "make it a regular file of UTF-8 text")]
    UnreadablePage,
    #[strum(message = "add node_id and title between two --- lines")]
    NoFrontmatter,
    #[strum(message = "close the bracket or the quote, or put the whole value in quotes")]
    BrokenField,
    #[strum(message = "remove the marker line, or put its counterpart back")]
    DamagedMarkers,
    #[strum(message = "give one of the pages another node_id")]
    DuplicateNode,
    #[strum(message = "research_wiki merge")]
    DuplicateIdentity,
    #[strum(message = "correct or remove the line")]
    BrokenEdge,
    #[strum(message = "research_wiki doctor")]
    RepeatedEdge,
    #[strum(message = "make the page, or name the gap in gap_map.md; or remove the line")]
    DanglingEdge,
    #[strum(message = "look at both experiments and set the claim's status")]
    Contradiction,
    #[strum(
        message = "check the claim against its source, then research_wiki upsert-claim --source"
    )]
    SourceChanged,
    #[strum(message = "name the source that the claim rests on now")]
    SourceMissing,
    #[strum(message = "test the claim, or set its status")]
    StaleClaim,
    #[strum(message = "test the idea, or archive it")]
    DeadIdea,
    #[strum(message = "research_wiki doctor")]
    DriftedConnections,
    #[strum(message = "research_wiki rebuild_index")]
    DriftedIndex,
    #[strum(message = "research_wiki add_edge")]
    Orphan,
    #[strum(message = "write what is known, or remove the empty sections")]
    SparsePage,
    #[strum(message = "research_wiki add_edge, if the papers are related")]
    MissingConnection,
}

impl Rule {
    /// Its name in the JSON, with spaces.
    fn word(self) -> String {
        let name = serde_json::to_value(self).unwrap_or_default();
        name.as_str().unwrap_or_default().replace('_', " ")
    }

    /// How to fix it.
    fn fix(self) -> &'static str {
        self.get_message().unwrap_or_default()
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Finding {
    pub(crate) rule: Rule,
    /// File relative to the wiki.
    pub(crate) path: String,
    /// Line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
    pub(crate) fix: String,
}

/// The findings of a wiki.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Lint {
    pub(crate) wiki: String,
    /// Pages that were looked at.
    pub(crate) pages: usize,
    pub(crate) findings: Vec<Finding>,
    /// Claims that say nothing about when they were made: whether they are stale cannot be decided.
    pub(crate) undated_claims: Vec<String>,
}

impl Finding {
    /// The file, with the line where one is known.
    fn place(&self) -> String {
        let line = self.line.map(|line| format!(":{line}"));
        format!("{}{}", self.path, line.unwrap_or_default())
    }
}

impl Lint {
    fn add(&mut self, rule: Rule, path: &str, message: impl Into<String>) {
        self.add_at(rule, path, None, message);
    }

    fn add_at(&mut self, rule: Rule, path: &str, line: Option<usize>, message: impl Into<String>) {
        self.findings.push(Finding {
            rule,
            path: path.to_owned(),
            line,
            message: message.into(),
            fix: rule.fix().to_owned(),
        });
    }

    /// The report as Markdown.
    fn markdown(&self) -> String {
        let mut out = format!(
            "# Lint Report\n\n{} pages, {} findings.\n",
            self.pages,
            self.findings.len()
        );
        let mut last = None;
        for finding in &self.findings {
            if last != Some(finding.rule) {
                last = Some(finding.rule);
                let (word, fix) = (finding.rule.word(), finding.rule.fix());
                out.extend(["\n## ", &word, "\n\nFix: ", fix, ".\n\n"]);
            }
            out.extend(["- `", &finding.place(), "`: ", &finding.message, "\n"]);
        }
        out
    }
}

impl Product for Lint {
    fn schema(&self) -> &'static str {
        LINT
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        for finding in &self.findings {
            let word = style.doubtful(&finding.rule.word());
            writeln!(out, "{}: {word}: {}", finding.place(), finding.message)?;
        }
        let findings = counted(self.findings.len(), "finding");
        writeln!(out, "{}, {findings}", counted(self.pages, "page"))
    }
}

/// `lint`
pub(crate) fn run(args: &LintArgs, context: &Context) -> Result<Outcome<Lint>, Error> {
    let folder = args.root.folder(context);
    let wiki = Wiki::open(&folder)?;
    let edges = wiki.edges()?;
    let mut lint = of(&wiki, &edges, context.now())?;
    lint.wiki = args.root.shown().display().to_string();
    if args.report {
        file::refresh(&folder.join("LINT_REPORT.md"), &lint.markdown())?;
    }
    let found = !lint.findings.is_empty();
    Ok(Outcome::found(lint, found))
}

/// The findings of a wiki, by rule, then by file.
fn of(wiki: &Wiki, edges: &Edges, now: Timestamp) -> Result<Lint, Error> {
    let mut lint = Lint {
        pages: wiki.pages().count(),
        ..Lint::default()
    };
    for problem in wiki.unreadable() {
        lint.add(Rule::UnreadablePage, &problem.path, problem.why.clone());
    }
    pages::check(wiki, edges, now, &mut lint);
    graph::check(wiki, edges, &mut lint)?;
    let index = file::text_optional(&wiki.root().join("index.md"))?;
    // An empty wiki's index is not checked.
    if lint.pages > 0 && index.as_deref() != Some(&crate::index::render(wiki)) {
        lint.add(
            Rule::DriftedIndex,
            "index.md",
            "it does not list the pages that there are",
        );
    }
    lint.findings.sort();
    Ok(lint)
}
