//! `arxiv_fetch`: searches arXiv, and downloads PDFs and sources.
//!
//! **Input**: a query or identifiers. **Output**: records as the reference's JSON, one a line (`--jsonl`), as a
//! bibliography (`--bibtex`) or in an envelope (`--json`); a downloaded file and its description.
//! **Exit**: 0 answered, also when nothing was found; 2 usage; 3 there is no such paper or file; 4 something that is not what it must be;
//! 5 the disk; 7 arXiv did not answer, which says nothing about any paper.

mod cli;
mod compat;
mod download;
mod report;

use aris_cli::{CommandSpec, Context, Outcome, Product, Sample, Spec};
use aris_contract::ids::ArxivId;
use aris_online::{Exits, Papers, exits, filled, indented};
use aris_sources::arxiv;
use aris_sources::hosts::ARXIV;

pub use aris_online::FetchError as Error;
pub use cli::{Cli, Command, Download, Search, Sort};
pub use report::File;

const LIST: &str =
    "the papers: by default a list as indented JSON, or an envelope, JSON Lines or BibTeX";
const FILE: &str = "one line of JSON about the file";
const ANSWERED: Exits = &exits("arXiv answered, also when nothing was found");
const THERE: Exits = &exits("the file exists");

/// The helper's description of itself.
pub static SPEC: Spec = Spec {
    name: "arxiv_fetch",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Search arXiv and download papers, at the pace that arXiv asks for",
    input: "a query or identifiers",
    output: "the papers: by default a list as indented JSON, or an envelope, JSON Lines or BibTeX; for download one line of JSON about the file",
    commands: &[
        CommandSpec::new("search", "a query or identifiers", LIST, ANSWERED),
        CommandSpec::new("download", "an identifier", FILE, THERE),
    ],
    examples: &[
        "arxiv_fetch search 'attention mechanism' --limit 10  # search by relevance",
        "arxiv_fetch search id:1706.03762 --format bibtex  # one paper as a BibTeX entry",
        "arxiv_fetch download 2301.07041 --output papers  # download a PDF (skipped if it exists)",
        "arxiv_fetch download 2301.07041 --source  # download the LaTeX source and unpack it into papers/2301.07041",
    ],
    ok: "arXiv has answered, also when nothing was found; the file exists",
    schemas: &[report::PAPERS, report::FILE],
    samples: &[Sample {
        args: &["--json", "download", "2413.00001"],
        exit: &[2],
    }],
    ..aris_online::SPEC
};

/// Runs the subcommand.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Box<dyn Product>>, Error> {
    Ok(match cli.command {
        Command::Search(args) => Outcome::done(search(&args, context)?).boxed(),
        Command::Download(args) => Outcome::done(download::run(&args, context)?).boxed(),
    })
}

/// The papers for words or identifiers.
fn search(args: &Search, context: &Context) -> Result<Papers, Error> {
    let query = args.query.trim();
    filled(query, "the query", "give words to search for")?;
    let ids = identifiers(query)?;
    let start = if ids.is_empty() { args.start } else { 0 };
    let sort = match args.sort {
        Sort::Relevance => "relevance",
        Sort::Updated => "lastUpdatedDate",
        Sort::Submitted => "submittedDate",
    };
    let found = aris_online::asking(context, &args.online, &[&ARXIV], SPEC.name, |client| {
        if ids.is_empty() {
            arxiv::search(client, query, start as usize, args.limit as usize, sort)
        } else {
            arxiv::answer_by_id(client, &ids)
        }
    })?;
    let plain = indented(&compat::list(&found));
    Ok(Papers::of(report::PAPERS, found, plain, args.form).with("start", start))
}

/// The identifiers of a query that consists only of identifiers; empty for words. After `id:` only identifiers are allowed.
fn identifiers(query: &str) -> Result<Vec<ArxivId>, Error> {
    let (list, must) = match query.strip_prefix("id:") {
        Some(list) => (list, true),
        None => (query, false),
    };
    let mut ids = Vec::new();
    for part in list.split(',').map(str::trim) {
        match ArxivId::parse(part) {
            Ok(id) if ids.contains(&id) => {}
            Ok(id) => ids.push(id),
            // `2413.00001` can only be an (impossible) identifier, and arXiv would answer with an error page.
            Err(error) if must || error.is_impossible() => {
                return Err(Error::usage(
                    error.to_string(),
                    "identifiers look like 2301.07041 or cs/0601001",
                ));
            }
            Err(_) => return Ok(Vec::new()),
        }
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use aris_contract::artifact::papers::Paper;
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<Vec<Paper>>(report::PAPERS);
        check_schema::<File>(report::FILE);
    }

    #[test]
    fn a_query_is_words_or_identifiers() {
        let ids = |query: &str| {
            identifiers(query).map(|ids| ids.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        for (query, wanted) in [
            ("attention", &[][..]),
            ("au:Vaswani AND ti:attention, please", &[]),
            ("1706.03762", &["1706.03762"]),
            ("id:1706.03762v2", &["1706.03762v2"]),
            ("id:1706.03762, cs/0601001", &["1706.03762", "cs/0601001"]),
            ("https://arxiv.org/abs/1706.03762", &["1706.03762"]),
        ] {
            assert_eq!(ids(query).expect("a query"), wanted, "{query}");
        }
        for bad in ["id:", "id:attention", "2413.00001"] {
            assert!(ids(bad).is_err(), "{bad}");
        }
    }
}
