//! `semantic_scholar_fetch`: searches Semantic Scholar, and follows citations.
//!
//! **Input**: a query, names of papers, a title. **Output**: papers as the reference's JSON, as records one a
//! line (`--jsonl`), as a bibliography (`--bibtex`) or records in an envelope (`--json`).
//! **Exit**: 0 answered, also when nothing was found; 2 usage; 3 there is no such paper or file; 4 an answer that is broken or refused;
//! 5 the disk, or a key that is not valid; 7 Semantic Scholar did not answer, which says nothing about any paper.

mod cli;
mod compat;
mod names;

use std::io::Read as _;

use aris_cli::{CommandSpec, Context, Outcome, Sample, Spec};
use aris_contract::ErrorKind;
use aris_online::{Exits, FormArgs, OnlineArgs, Papers, exits, filled, indented};
use aris_sources::hosts::SEMANTIC_SCHOLAR;
use aris_sources::semantic_scholar::{self, Part};
use aris_sources::{Answer, Client, HttpError};
use serde_json::{Value, json};

pub use aris_online::FetchError as Error;
pub use cli::{Batch, Cli, Command, Common, Filters, Match, Neighbours, One, Search, SearchBulk};

/// Schema id of the records.
const PAPERS: &str = "aris.semantic_scholar_fetch.papers/v1";

/// Fields of a search and of a single paper: those of the reference, plus the journal.
const FIELDS: &str = "paperId,title,abstract,year,venue,journal,publicationVenue,publicationTypes,publicationDate,url,openAccessPdf,authors,externalIds,citationCount,referenceCount,fieldsOfStudy,s2FieldsOfStudy,tldr";

/// Fields of a bulk search, which has no `tldr`.
const BULK_FIELDS: &str = "paperId,title,abstract,year,venue,publicationTypes,publicationDate,url,authors,externalIds,citationCount,referenceCount,fieldsOfStudy";

/// Largest list of names, in bytes.
const FILE_LIMIT: u64 = 32 << 20;

const LIST: &str =
    "the papers: by default a list as indented JSON, or an envelope, JSON Lines or BibTeX";
const IDS: &str = "identifiers, or a file with one on each line";
const ANSWERED: Exits = &exits("Semantic Scholar answered, also when nothing was found");
const FOUND: Exits = &exits("the paper was found");

/// The helper's description of itself.
pub static SPEC: Spec = Spec {
    name: "semantic_scholar_fetch",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Search Semantic Scholar, look papers up, follow citations",
    input: "a query, a title, or names of papers",
    output: "the papers: by default a list as indented JSON, or an envelope, JSON Lines or BibTeX",
    commands: &[
        CommandSpec::new("search", "words", LIST, ANSWERED),
        CommandSpec::new("search-bulk", "words", LIST, ANSWERED),
        CommandSpec::new("paper", "an identifier", "the paper", FOUND),
        CommandSpec::new("citations", "an identifier", LIST, ANSWERED),
        CommandSpec::new("references", "an identifier", LIST, ANSWERED),
        CommandSpec::new("match", "a title", "the paper", FOUND),
        CommandSpec::new("batch", IDS, LIST, ANSWERED),
    ],
    examples: &[
        "semantic_scholar_fetch search 'semantic communication' --limit 10 --publication-types JournalArticle --min-citations 10  # journal articles that are cited",
        "semantic_scholar_fetch search-bulk 'semantic communication' --limit 50 --sort citationCount:desc --year 2020-  # the most cited papers of some years",
        "semantic_scholar_fetch paper 10.1109/JSAC.2021.3126077  # one paper by DOI",
        "semantic_scholar_fetch citations ARXIV:1706.03762 --limit 20  # what cites a paper",
        "semantic_scholar_fetch references ARXIV:1706.03762 --format jsonl  # what a paper cites",
        "semantic_scholar_fetch match 'Attention is All you Need' --format bibtex  # the paper with a title, as a bibliography entry",
        "semantic_scholar_fetch batch --input ids.txt --format bibtex  # many papers in one request, as a bibliography",
    ],
    ok: "Semantic Scholar has answered, also when nothing was found",
    schemas: &[PAPERS],
    samples: &[Sample {
        args: &["--json", "paper", "not a name"],
        exit: &[2],
    }],
    ..aris_online::SPEC
};

/// Runs the subcommand.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Papers>, Error> {
    let papers = match cli.command {
        Command::Search(args) => {
            filled(&args.query, "the query", "")?;
            let part = part(args.offset, args.limit, &args.common, FIELDS);
            let found = ask(context, &args.common.online, |client| {
                let filters = args.filters.named();
                Ok(semantic_scholar::search(
                    client,
                    &args.query,
                    &filters,
                    part,
                )?)
            })?;
            let end = args.offset as usize + found.items.len();
            let compat = json!({
                "mode": "search",
                "total": found.total,
                "offset": args.offset,
                "next_offset": end,
                "data": data(&found),
            });
            product(found, &compat, args.common.form)
        }
        Command::SearchBulk(args) => {
            filled(&args.query, "the query", "")?;
            let part = part(0, args.limit, &args.common, BULK_FIELDS);
            let mut found = ask(context, &args.common.online, |client| {
                let filters = args.filters.named();
                let (sort, token) = (args.sort.as_deref(), args.token.as_deref());
                let query = &args.query;
                Ok(semantic_scholar::search_bulk(
                    client, query, &filters, sort, token, part,
                )?)
            })?;
            let beyond = found.items.len().saturating_sub(args.limit as usize);
            if beyond > 0 {
                context.note(&format!(
                    "{beyond} more results came and are left out; --limit {} shows them",
                    found.items.len()
                ));
                found.items.truncate(args.limit as usize);
            }
            let compat = json!({
                "mode": "search-bulk",
                "token": found.token,
                "returned": found.items.len(),
                "sort": args.sort,
                "data": data(&found),
            });
            product(found, &compat, args.common.form)
        }
        Command::Paper(args) => {
            let name = names::name(&args.id)?;
            single(context, &args.common, &args.id, |client, fields| {
                semantic_scholar::by_name(client, &name, fields)
            })?
        }
        Command::Match(args) => {
            filled(&args.title, "the title", "")?;
            single(context, &args.common, &args.title, |client, fields| {
                semantic_scholar::by_title(client, &args.title, fields)
            })?
        }
        Command::Citations(args) => neighbours(context, &args, false)?,
        Command::References(args) => neighbours(context, &args, true)?,
        Command::Batch(args) => batch(context, args)?,
    };
    Ok(Outcome::done(papers))
}

fn ask(
    context: &Context,
    online: &OnlineArgs,
    what: impl FnOnce(&Client) -> Result<Answer, Error>,
) -> Result<Answer, Error> {
    aris_online::asking(context, online, &[&SEMANTIC_SCHOLAR], SPEC.name, what)
}

/// The papers of an answer about a single paper.
fn single(
    context: &Context,
    common: &Common,
    wanted: &str,
    look: impl FnOnce(&Client, &str) -> Result<Option<Answer>, HttpError>,
) -> Result<Papers, Error> {
    let fields = common.fields.as_deref().unwrap_or(FIELDS);
    let found = ask(context, &common.online, |client| {
        look(client, fields)?.ok_or_else(|| absent(wanted))
    })?;
    let compat = data(&found).into_iter().next().unwrap_or_default();
    Ok(product(found, &compat, common.form))
}

/// The requested part of a list.
fn part<'a>(start: u32, count: u32, common: &'a Common, fields: &'a str) -> Part<'a> {
    Part {
        start: start as usize,
        count: count as usize,
        fields: common.fields.as_deref().unwrap_or(fields),
    }
}

fn data(found: &Answer) -> Vec<Value> {
    let items = found.items.iter();
    items.map(|(item, _)| compat::paper(item)).collect()
}

fn product(found: Answer, compat: &Value, form: FormArgs) -> Papers {
    Papers::of(PAPERS, found, indented(compat), form)
}

fn neighbours(context: &Context, args: &Neighbours, references: bool) -> Result<Papers, Error> {
    let name = names::name(&args.id)?;
    let part = part(args.offset, args.limit, &args.common, BULK_FIELDS);
    let found = ask(context, &args.common.online, |client| {
        let found = semantic_scholar::neighbours(client, &name, references, part)?;
        found.ok_or_else(|| absent(&args.id))
    })?;
    let withheld = found.withheld;
    if withheld {
        context.warn("the publisher does not allow Semantic Scholar to show this list: it is not empty, it is unknown");
    }
    let compat = json!({
        "mode": if references { "references" } else { "citations" },
        "id": args.id,
        "offset": args.offset,
        "next": found.next,
        "returned": found.items.len(),
        "withheld": withheld,
        "data": data(&found),
    });
    let papers = product(found, &compat, args.common.form);
    Ok(if withheld {
        papers.with("withheld", true)
    } else {
        papers
    })
}

fn batch(context: &Context, args: Batch) -> Result<Papers, Error> {
    let mut given = args.ids;
    let mut names: Vec<String> = given
        .iter()
        .map(|id| names::name(id))
        .collect::<Result<_, _>>()?;
    if let Some(path) = &args.input {
        let text = if path.as_os_str() == "-" {
            let mut text = String::new();
            std::io::stdin()
                .lock()
                .take(FILE_LIMIT)
                .read_to_string(&mut text)
                .map_err(|error| {
                    let what = format!("cannot read standard input: {error}");
                    Error::told(ErrorKind::Precondition, what, "")
                })?;
            text
        } else {
            aris_fs::read_text(&context.absolute(path))?
        };
        for (number, line) in (1..).zip(text.lines().map(str::trim)) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let name = names::name(line).map_err(|error| {
                let what = format!("{}:{number}: {error}", path.display());
                Error::told(ErrorKind::Validation, what, "correct the line")
                    .with("path", path.display().to_string())
                    .with("line", number)
            })?;
            names.push(name);
            given.push(line.to_owned());
        }
    }
    if given.is_empty() {
        return Err(Error::usage("the list of papers is empty", ""));
    }
    let fields = args.common.fields.as_deref().unwrap_or(FIELDS);
    let found = ask(context, &args.common.online, |client| {
        Ok(semantic_scholar::batch(client, &names, fields)?)
    })?;
    let missing: Vec<&String> = given
        .iter()
        .zip(&found.items)
        .filter_map(|(id, (item, _))| item.is_null().then_some(id))
        .collect();
    let compat = json!({
        "mode": "batch",
        "returned": found.items.len() - missing.len(),
        "missing": missing,
        "data": data(&found),
    });
    Ok(product(found, &compat, args.common.form).with("missing", json!(missing)))
}

fn absent(name: &str) -> Error {
    Error::absent(
        format!("Semantic Scholar has no paper {name:?}"),
        "look for it with match or search",
    )
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
}
