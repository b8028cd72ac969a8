//! Searches one source by words.

use std::path::Path;
use std::time::Duration;

use aris_contract::artifact::papers::{Paper, Source};
use aris_contract::{ErrorKind, Failure as _};
use aris_sources::semantic_scholar::Part;
use aris_sources::{
    Answer, Client, Host, arxiv, crossref, dblp, deepxiv, exa, hosts, openalex, semantic_scholar,
};
use jiff::Timestamp;

use crate::report::{Asked, Fate};

/// The search and its limits.
pub(crate) struct Question<'a> {
    pub(crate) words: &'a str,
    pub(crate) count: usize,
    pub(crate) folder: &'a Path,
    pub(crate) deadline: Duration,
    pub(crate) now: Timestamp,
}

/// The hosts of the sources that are asked over HTTP.
pub(crate) fn hosts(sources: &[Source]) -> Vec<&'static Host> {
    sources.iter().filter_map(|source| host(*source)).collect()
}

fn host(source: Source) -> Option<&'static Host> {
    Some(match source {
        Source::Arxiv => &hosts::ARXIV,
        Source::Crossref => &hosts::CROSSREF,
        Source::Datacite => &hosts::DATACITE,
        Source::Dblp => &hosts::DBLP,
        Source::Exa => &hosts::EXA,
        Source::Openalex => &hosts::OPENALEX,
        Source::SemanticScholar => &hosts::SEMANTIC_SCHOLAR,
        Source::Deepxiv => return None,
    })
}

/// Asks the source; returns the outcome and the papers.
pub(crate) fn ask(client: &Client, source: Source, question: &Question<'_>) -> (Asked, Vec<Paper>) {
    let (outcome, papers, why) = match records(client, source, question) {
        Ok(papers) if papers.is_empty() => (Fate::Empty, papers, None),
        Ok(papers) => (Fate::Contributed, papers, None),
        Err((kind, why)) => {
            let fate = match kind {
                ErrorKind::Unavailable | ErrorKind::Timeout => Fate::NotAnswered,
                _ => Fate::CannotBeAsked,
            };
            (fate, Vec::new(), Some(why))
        }
    };
    let asked = Asked {
        source,
        outcome,
        records: papers.len(),
        why,
    };
    (asked, papers)
}

fn records(
    client: &Client,
    source: Source,
    question: &Question<'_>,
) -> Result<Vec<Paper>, (ErrorKind, String)> {
    let Question { words, count, .. } = *question;
    let found = match source {
        Source::Arxiv => {
            arxiv::search(client, &in_all_fields(words), 0, count, "relevance").map(Answer::papers)
        }
        Source::Crossref => crossref::search(client, words, count),
        Source::Dblp => dblp::search(client, words, count),
        Source::Openalex => openalex::search(client, words, &[], None, count).map(Answer::papers),
        Source::SemanticScholar => {
            semantic_scholar::search(client, words, &[], Part::first(count)).map(Answer::papers)
        }
        Source::Exa if client.settings.key(&hosts::EXA).is_none() => {
            return Err((
                ErrorKind::Precondition,
                String::from("EXA_API_KEY is not set"),
            ));
        }
        Source::Exa => exa::papers(client, words, count).map(Answer::papers),
        Source::Deepxiv => {
            return deepxiv::search(
                question.folder,
                words,
                count,
                question.deadline,
                question.now,
            )
            .map_err(|error| (error.kind(), error.to_string()));
        }
        Source::Datacite => {
            return Err((
                ErrorKind::Precondition,
                String::from("it is not searched by words"),
            ));
        }
    };
    found.map_err(|error| (error.kind(), error.to_string()))
}

/// A query in arXiv's syntax that requires every word, in any field. Without field names arXiv accepts any of the words.
fn in_all_fields(words: &str) -> String {
    let terms: Vec<String> = words
        .split(|character: char| !character.is_alphanumeric() && character != '-')
        .map(|word| word.trim_matches('-'))
        .filter(|word| !word.is_empty())
        .map(|word| format!("all:{word}"))
        .collect();
    if terms.is_empty() {
        words.to_owned()
    } else {
        terms.join(" AND ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_wanted_and_none_is_an_operator() {
        for (words, wanted) in [
            ("attention mechanism", "all:attention AND all:mechanism"),
            (
                "chain-of-thought (prompting)",
                "all:chain-of-thought AND all:prompting",
            ),
            (
                "ti:x ANDNOT \"y\"",
                "all:ti AND all:x AND all:ANDNOT AND all:y",
            ),
            ("量子", "all:量子"),
            ("??", "??"),
        ] {
            assert_eq!(in_all_fields(words), wanted);
        }
    }
}
