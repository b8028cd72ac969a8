//! Full-text search over the pages.
//!
//! The pages are the truth. The index is derived from them, kept below the cache directory, and brought up to date before each answer;
//! where there can be none, all pages are read instead, and the answer is the same.

pub mod document;
mod index;
mod read;
pub mod scan;
mod snippet;
mod stamps;
pub mod words;

use std::path::Path;

use serde::Serialize;

use crate::error::Error;
use crate::node::Kind;
use document::Document;
use index::Index;
pub use index::IndexError;

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

/// Searches the wiki at `root`, with an index below the folder `cache` if one is given. `now`: seconds since 1970.
///
/// **Errors**: [`Error::NoWiki`], and what keeps the wiki's folders from being listed.
pub fn find(
    root: &Path,
    question: Question<'_>,
    cache: Option<&Path>,
    now: i64,
) -> Result<Answer, Error> {
    let phrases = words::phrases(question.text);
    let mut answer = Answer {
        hits: Vec::new(),
        total: 0,
        matched: Matched::None,
        without_index: None,
    };
    for (any, matched) in [(false, Matched::All), (true, Matched::Any)] {
        if phrases.is_empty() {
            break;
        }
        let indexed = match (cache, &answer.without_index) {
            (Some(cache), None) => {
                let asked = Index::of(root, cache, now).map_err(IndexError::from);
                match asked
                    .and_then(|index| index.find(&phrases, any, question.kind, question.limit))
                {
                    Ok(found) => Some(found),
                    Err(IndexError::Wiki(error)) => return Err(error),
                    Err(error) => {
                        answer.without_index = Some(error.to_string());
                        None
                    }
                }
            }
            _ => None,
        };
        (answer.hits, answer.total) = match indexed {
            Some(found) => found,
            None => scanned(root, &phrases, any, question, now)?,
        };
        if answer.total > 0 {
            answer.matched = matched;
            break;
        }
    }
    for hit in &mut answer.hits {
        hit.snippet = snippet::of(&root.join(&hit.path), &phrases);
    }
    Ok(answer)
}

fn scanned(
    root: &Path,
    phrases: &[words::Phrase],
    any: bool,
    question: Question<'_>,
    now: i64,
) -> Result<(Vec<Hit>, usize), Error> {
    let pages = stamps::stamps(root, now)?;
    let pages: Vec<_> = pages.iter().collect();
    let documents = pages
        .chunks(1024)
        .flat_map(|part| read::documents(root, part))
        .flatten();
    let mut ranked = scan::rank(documents, phrases, any);
    ranked.retain(|(document, _)| question.kind.is_none_or(|kind| kind == document.kind));
    let total = ranked.len();
    ranked.truncate(question.limit);
    let hit = |(document, score): (Document, f64)| Hit {
        node: document.node,
        path: document.path,
        title: document.title,
        year: document.year,
        score,
        snippet: String::new(),
    };
    Ok((ranked.into_iter().map(hit).collect(), total))
}

#[cfg(test)]
mod tests;
