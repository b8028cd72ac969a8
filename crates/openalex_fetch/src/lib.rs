//! `openalex_fetch`: searches OpenAlex, and looks works up.
//!
//! **Input**: a query, or the name of a work. **Output**: a text for people, the reference's JSON
//! (`--compat`), records one a line (`--jsonl`), a bibliography (`--bibtex`) or records in an envelope (`--json`).
//! **Exit**: 0 answered, also when nothing was found; 2 usage; 3 there is no such work or file; 4 an answer that is broken or refused;
//! 5 the disk, or a key that is missing or not valid; 7 OpenAlex did not answer, which says nothing about any work.

mod cli;
mod compat;

use aris_cli::{CommandSpec, Context, Outcome, Sample, Spec};
use aris_contract::ids::{ArxivId, Doi};
use aris_online::{Exits, FormArgs, OnlineArgs, Papers, exits, filled, indented};
use aris_sources::hosts::OPENALEX;
use aris_sources::{Answer, Client, openalex};
use serde_json::Value;

pub use aris_online::FetchError as Error;
pub use cli::{Cli, Command, Search, Sort, Work};

/// Schema id of the records.
const PAPERS: &str = "aris.openalex_fetch.papers/v1";

const LIST: &str = "the works: by default as text, or as JSON, JSON Lines or BibTeX";
const ANSWERED: Exits = &exits("OpenAlex answered, also when nothing was found");
const FOUND: Exits = &exits("the work was found");

/// The helper's description of itself.
pub static SPEC: Spec = Spec {
    name: "openalex_fetch",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Search OpenAlex, and look works up by DOI",
    input: "a query, or the name of a work",
    output: "the works: by default as text, or as JSON, JSON Lines or BibTeX",
    commands: &[
        CommandSpec::new("search", "words", LIST, ANSWERED),
        CommandSpec::new("work", "a DOI or another identifier", "the work", FOUND),
    ],
    examples: &[
        "openalex_fetch search 'diffusion models' --year 2023- --type article --sort citations --limit 20  # the most cited articles of some years",
        "openalex_fetch work 10.7717/peerj.4375 --compat  # one work by DOI, as JSON",
    ],
    ok: "OpenAlex has answered, also when nothing was found",
    schemas: &[PAPERS],
    samples: &[Sample {
        args: &["--json", "work", "not a name"],
        exit: &[2],
    }],
    ..aris_online::SPEC
};

/// Runs the subcommand.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Papers>, Error> {
    let papers = match cli.command {
        Command::Search(args) => {
            filled(&args.query, "the query", "")?;
            let found = ask(context, &args.online, |client| search(client, &args))?;
            many(found, args.form)
        }
        Command::Work(args) => {
            let name = name(&args.work_id)?;
            let found = ask(context, &args.online, |client| {
                openalex::by_name(client, &name)?.ok_or_else(|| {
                    let what = format!("OpenAlex has no work {:?}", args.work_id);
                    Error::absent(what, "look for its title with search")
                })
            })?;
            one(found, args.form)
        }
    };
    Ok(Outcome::done(papers))
}

/// The identifier of a work in the form that the interface accepts.
fn name(text: &str) -> Result<String, Error> {
    let text = text.trim();
    let id = text.rsplit('/').next().unwrap_or(text);
    let is_work = |id: &str| {
        id.strip_prefix(['W', 'w'])
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if is_work(id) && (id == text || text.contains("openalex.org/")) {
        return Ok(id.to_ascii_uppercase());
    }
    if let Ok(id) = ArxivId::parse(text) {
        return Ok(format!("doi:10.48550/arxiv.{}", id.without_version()));
    }
    if let Ok(doi) = Doi::parse(text) {
        return Ok(format!("doi:{}", doi.folded()));
    }
    match text.split_once(':') {
        Some(("pmid" | "mag" | "pmcid", rest)) if !rest.is_empty() => Ok(text.to_owned()),
        _ => Err(Error::usage(
            format!("{text:?} is no identifier of a work"),
            "give a DOI, W2741809807, or an arXiv identifier; for titles there is search",
        )),
    }
}

fn ask(
    context: &Context,
    online: &OnlineArgs,
    what: impl FnOnce(&Client) -> Result<Answer, Error>,
) -> Result<Answer, Error> {
    aris_online::asking(context, online, &[&OPENALEX], SPEC.name, what)
}

fn search(client: &Client, args: &Search) -> Result<Answer, Error> {
    let sort = match args.sort {
        Sort::Relevance => "relevance_score:desc",
        Sort::Citations => "cited_by_count:desc",
        Sort::Date => "publication_date:desc",
    };
    let year = args.year.iter();
    let kind = args.kind.iter();
    let least = args.min_citations.filter(|least| *least > 0);
    let mut filters: Vec<String> = year
        .map(|year| format!("publication_year:{year}"))
        .collect();
    filters.extend(kind.map(|kind| format!("type:{kind}")));
    filters.extend(args.open_access.then(|| String::from("is_oa:true")));
    filters.extend(least.map(|least| format!("cited_by_count:>{}", least - 1)));
    let count = args.limit as usize;
    let found = openalex::search(client, &args.query, &filters, Some(sort), count)?;
    Ok(found)
}

fn works(found: &Answer) -> Vec<Value> {
    let items = found.items.iter();
    items
        .filter_map(|(item, paper)| Some(compat::work(item, paper.as_ref()?)))
        .collect()
}

fn many(found: Answer, form: FormArgs) -> Papers {
    let works = works(&found);
    let plain = if form.compat {
        indented(&Value::Array(works))
    } else {
        compat::listed(&works)
    };
    Papers::of(PAPERS, found, plain, form)
}

fn one(found: Answer, form: FormArgs) -> Papers {
    let work = works(&found).into_iter().next().unwrap_or_default();
    let plain = if form.compat {
        indented(&work)
    } else {
        compat::single(&work)
    };
    Papers::of(PAPERS, found, plain, form)
}

#[cfg(test)]
mod tests {
    use aris_contract::artifact::papers::Paper;
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<Vec<Paper>>(PAPERS);
    }

    #[test]
    fn works_have_names() {
        for (text, wanted) in [
            ("W2741809807", "W2741809807"),
            ("https://openalex.org/W2741809807", "W2741809807"),
            ("10.7717/PeerJ.4375", "doi:10.7717/peerj.4375"),
            (
                "https://doi.org/10.7717/peerj.4375",
                "doi:10.7717/peerj.4375",
            ),
            ("2301.00001v2", "doi:10.48550/arxiv.2301.00001"),
            ("pmid:29456894", "pmid:29456894"),
        ] {
            assert_eq!(name(text).expect("a name"), wanted, "{text}");
        }
        for bad in ["", "Wonder", "attention", "../authors/A1", "2413.00001"] {
            assert!(name(bad).is_err(), "{bad}");
        }
    }
}
