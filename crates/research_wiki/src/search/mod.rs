//! Full-text search over the pages.
//!
//! The pages are the source of truth. The [index](crate::wiki) is derived from them and updated before each answer. Where it cannot be
//! stored, it is built in memory; the answer is the same.

pub mod document;
mod snippet;
pub mod words;

use std::io::{self, Write};
use std::path::Path;

use aris_cli::{Context, Product, Style};
use serde::Serialize;

use crate::cli::SearchArgs;
use crate::error::Error;
use crate::wiki::{Index, index_place};
use aris_wiki::node::Kind;

pub use crate::wiki::Hit;

/// Schema id of [`Searched`].
pub(crate) const SEARCH: &str = "aris.research_wiki.search/v1";

/// Which pages count as found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Matched {
    /// Those that have every word of the query.
    All,
    /// No page has every word: those that have at least one.
    Any,
    /// No page has any word.
    None,
}

/// The pages that were found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Searched {
    /// The wiki, as it was given.
    pub wiki: String,
    /// The words.
    pub query: String,
    /// Which pages count as found.
    pub matched: Matched,
    /// How many pages were found, shown or not.
    pub total: usize,
    /// Whether the index answered; without it all pages were read.
    pub index: bool,
    /// Best first.
    pub hits: Vec<Hit>,
    /// Why the index could not be used, when it could not.
    #[serde(skip)]
    pub without_index: Option<String>,
}

/// What is searched for.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Words.
    pub text: &'a str,
    /// Pages of this kind only.
    pub kind: Option<Kind>,
    /// Hits at most.
    pub limit: usize,
}

/// `search`
pub(crate) fn run(args: &SearchArgs, context: &Context) -> Result<Searched, Error> {
    let question = Question {
        text: &args.query.join(" "),
        kind: args.kind,
        limit: args.limit,
    };
    let mut found = find(&args.root.folder(context), question, !args.no_index)?;
    found.wiki = args.root.shown().display().to_string();
    if let Some(why) = &found.without_index {
        context.warn(&format!("{why}; all pages were read instead"));
    }
    match found.matched {
        Matched::All => {}
        Matched::Any => context.note("no page has all of these words; these have some of them"),
        Matched::None => context.note("no page has any of these words"),
    }
    Ok(found)
}

/// Searches the wiki at `root`: with the stored index if `keep`, else (or if it cannot be used) with one in memory.
///
/// **Errors**: `root` is no wiki, or its folders cannot be listed.
pub fn find(root: &Path, question: Question<'_>, keep: bool) -> Result<Searched, Error> {
    crate::wiki::check_root(root)?;
    let phrases = words::phrases(question.text);
    let mut answer = Searched {
        wiki: String::new(),
        query: question.text.to_owned(),
        matched: Matched::None,
        total: 0,
        index: keep,
        hits: Vec::new(),
        without_index: None,
    };
    if phrases.is_empty() {
        return Ok(answer);
    }
    let ask = |index: &Index| -> rusqlite::Result<_> {
        for (any, matched) in [(false, Matched::All), (true, Matched::Any)] {
            let (hits, total) = index.find(&phrases, any, question.kind, question.limit)?;
            if total > 0 {
                return Ok((hits, total, matched));
            }
        }
        Ok((Vec::new(), 0, Matched::None))
    };
    let in_memory = || -> Result<_, Error> { Ok(ask(&Index::in_memory(root)?)?) };
    let asked = if keep {
        Index::ask(root, &ask).or_else(|error| {
            answer.index = false;
            answer.without_index = Some(match error {
                Error::Index(error) => {
                    format!("the index {}: {error}", index_place(root).display())
                }
                other => other.to_string(),
            });
            in_memory()
        })
    } else {
        in_memory()
    };
    (answer.hits, answer.total, answer.matched) = asked?;
    for hit in &mut answer.hits {
        hit.snippet = snippet::of(&root.join(&hit.path), &phrases);
    }
    Ok(answer)
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

#[cfg(test)]
mod tests;
