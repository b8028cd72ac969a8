//! `search`

use std::io::{self, Write};

use aris_cli::{Context, Product, Style};
use serde::Serialize;

use crate::cli::SearchArgs;
use crate::error::Error;
use crate::search::{self, Hit, Matched, Question};

/// Schema id of [`Searched`].
pub(crate) const SEARCH: &str = "aris.research_wiki.search/v1";

/// The pages that were found.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Searched {
    pub(crate) wiki: String,
    pub(crate) query: String,
    pub(crate) matched: Matched,
    /// How many pages were found, shown or not.
    pub(crate) total: usize,
    /// Whether the index answered; without it all pages were read.
    pub(crate) index: bool,
    /// Best first.
    pub(crate) hits: Vec<Hit>,
}

pub(crate) fn run(args: &SearchArgs, context: &Context) -> Result<Searched, Error> {
    let query = args.query.join(" ");
    let question = Question {
        text: &query,
        kind: args.kind,
        limit: args.limit,
    };
    let root = args.root.folder(context);
    let answer = search::find(&root, question, !args.no_index)?;
    if let Some(why) = &answer.without_index {
        context.warn(&format!("{why}; all pages were read instead"));
    }
    match answer.matched {
        Matched::All => {}
        Matched::Any => context.note("no page has all of these words; these have some of them"),
        Matched::None => context.note("no page has any of these words"),
    }
    Ok(Searched {
        wiki: args.root.shown().display().to_string(),
        query,
        matched: answer.matched,
        total: answer.total,
        index: !args.no_index && answer.without_index.is_none(),
        hits: answer.hits,
    })
}

impl Product for Searched {
    fn schema(&self) -> &'static str {
        SEARCH
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        for hit in &self.hits {
            let year = if hit.year > 0 {
                format!(" ({})", hit.year)
            } else {
                String::new()
            };
            writeln!(out, "{}  {}{year}", style.bold(&hit.node), hit.title)?;
            if !hit.snippet.is_empty() {
                writeln!(out, "    {}", style.dim(&hit.snippet))?;
            }
        }
        if self.total > self.hits.len() {
            writeln!(out, "{} of {} pages", self.hits.len(), self.total)?;
        }
        Ok(())
    }
}
