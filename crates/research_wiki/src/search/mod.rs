//! Full-text search over the pages.
//!
//! The pages are the truth. The [index](crate::wiki) is derived from them, and brought up to date before each answer; where it cannot be
//! kept it is made in memory, and the answer is the same.

pub mod document;
mod snippet;
pub mod words;

use std::path::Path;

use serde::Serialize;

use crate::error::Error;
use crate::wiki::{Found, Index, index_place};
use aris_wiki::node::Kind;

/// One page that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Hit {
    /// Name of the node.
    pub node: String,
    /// The page, relative to the wiki.
    pub path: String,
    /// Title.
    pub title: String,
    /// Year; 0 when unknown.
    pub year: u32,
    /// BM25; higher is better. Comparable within one answer only.
    pub score: f64,
    /// The line of the page that has most of the query.
    pub snippet: String,
}

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

/// The answer to a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Best first.
    pub hits: Vec<Hit>,
    /// How many pages were found, shown or not.
    pub total: usize,
    /// Which pages count as found.
    pub matched: Matched,
    /// Why the index could not be used, when it could not.
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

/// Searches the wiki at `root`, with the index that is kept there, or, where that is not wanted or cannot be, with one in memory.
///
/// **Errors**: no wiki, and what keeps the wiki's folders from being listed.
pub fn find(root: &Path, question: Question<'_>, keep: bool) -> Result<Answer, Error> {
    crate::wiki::check_root(root)?;
    let phrases = words::phrases(question.text);
    let mut answer = Answer {
        hits: Vec::new(),
        total: 0,
        matched: Matched::None,
        without_index: None,
    };
    if phrases.is_empty() {
        return Ok(answer);
    }
    let ask = |index: &Index| -> rusqlite::Result<_> {
        for (any, matched) in [(false, Matched::All), (true, Matched::Any)] {
            let (found, total) = index.find(&phrases, any, question.kind, question.limit)?;
            if total > 0 {
                return Ok((found, total, matched));
            }
        }
        Ok((Vec::new(), 0, Matched::None))
    };
    let in_memory = || -> Result<_, Error> { Ok(ask(&Index::in_memory(root)?)?) };
    let asked = if keep {
        Index::ask(root, &ask).or_else(|error| {
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
    let found;
    (found, answer.total, answer.matched) = asked?;
    let hit = |found: Found| Hit {
        snippet: snippet::of(&root.join(&found.path), &phrases),
        node: found.summary.node.to_owned(),
        path: found.path,
        title: found.summary.title.to_owned(),
        year: found.summary.year,
        score: found.score,
    };
    answer.hits = found.into_iter().map(hit).collect();
    Ok(answer)
}

#[cfg(test)]
mod tests;
