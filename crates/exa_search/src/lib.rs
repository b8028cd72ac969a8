//! `exa_search`: searches the web through Exa, and brings the contents of pages.
//!
//! **Input**: a query or addresses. **Output**: results as the reference's JSON, records one a line
//! (`--jsonl`), a bibliography (`--bibtex`) or records in an envelope (`--json`). Contents are in the reference's form only.
//! **Exit**: 0 answered, also when nothing was found; 2 usage; 4 an answer that is broken or refused; 5 there
//! is no key or it is not valid, or the disk; 7 Exa did not answer.

mod body;
mod cli;
mod compat;

use aris_cli::{CommandSpec, Context, Outcome, Sample, Spec};
use aris_contract::ErrorKind;
use aris_online::{Exits, FormArgs, OnlineArgs, Papers, filled, indented};
use aris_sources::Answer;
use aris_sources::exa::{self, Endpoint};
use aris_sources::hosts::EXA;
use serde_json::{Value, json};

pub use aris_online::FetchError as Error;
pub use cli::{Cli, Command, Content, FindSimilar, GetContents, Search, Wanted};

/// Schema id of the records.
const PAPERS: &str = "aris.exa_search.papers/v1";

const PAGES: &str = "the pages: by default as indented JSON, or an envelope, JSON Lines or BibTeX";
const CONTENTS: &str = "the pages with their contents: by default as indented JSON, or an envelope, JSON Lines or BibTeX";
const ANSWERED: &str = "Exa answered, also when nothing was found";
const EXITS: Exits = &[(0, ANSWERED), (4, ""), (5, ""), (7, "")];

/// The helper's description of itself.
pub static SPEC: Spec = Spec {
    name: "exa_search",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Search the web through Exa, and get the contents of pages",
    input: "a query or addresses; the key in EXA_API_KEY",
    output: "the pages: by default as indented JSON, or an envelope, JSON Lines or BibTeX",
    commands: &[
        CommandSpec::new("search", "words; the key in EXA_API_KEY", PAGES, EXITS),
        CommandSpec::new(
            "find-similar",
            "an address; the key in EXA_API_KEY",
            PAGES,
            EXITS,
        ),
        CommandSpec::new(
            "get-contents",
            "addresses; the key in EXA_API_KEY",
            CONTENTS,
            EXITS,
        ),
    ],
    examples: &[
        "exa_search search 'semantic communication' --category 'research paper' --content text --max-chars 8000  # papers with their text",
        "exa_search find-similar https://arxiv.org/abs/2301.07041 --limit 5  # pages like a page",
        "exa_search get-contents https://example.com/a https://example.com/b  # the text of pages",
    ],
    ok: "Exa has answered, also when nothing was found",
    errors: &[
        ErrorKind::Validation,
        ErrorKind::Precondition,
        ErrorKind::Unavailable,
    ],
    schemas: &[PAPERS],
    samples: &[Sample {
        args: &["--json", "get-contents", "not an address"],
        exit: &[2],
    }],
    ..aris_online::SPEC
};

/// Runs the subcommand.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Papers>, Error> {
    let papers = match cli.command {
        Command::Search(args) => {
            filled(&args.query, "the query", "")?;
            let (body, wanted) = (body::search(&args), args.wanted);
            let found = ask(context, &wanted.online, Endpoint::Search, &body)?;
            let head = json!({
                "mode": "search",
                "query": args.query,
                "type": args.search_type,
            });
            product(found, head, wanted.content, wanted.form)
        }
        Command::FindSimilar(args) => {
            address(&args.url)?;
            let (body, wanted) = (body::find_similar(&args), args.wanted);
            let found = ask(context, &wanted.online, Endpoint::FindSimilar, &body)?;
            let head = json!({ "mode": "find-similar", "url": args.url });
            product(found, head, wanted.content, wanted.form)
        }
        Command::GetContents(args) => {
            for url in &args.urls {
                address(url)?;
            }
            let wanted = body::get_contents(&args);
            let found = ask(context, &args.online, Endpoint::Contents, &wanted)?;
            let without = args.urls.len().saturating_sub(found.items.len());
            if without > 0 {
                context.warn(&format!(
                    "Exa has no contents for {without} of {} pages",
                    args.urls.len()
                ));
            }
            let head = json!({ "mode": "get-contents" });
            product(found, head, args.content, args.form)
        }
    };
    Ok(Outcome::done(papers))
}

fn address(url: &str) -> Result<(), Error> {
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"));
    match rest {
        Some(rest) if !rest.is_empty() && !url.contains(char::is_whitespace) => Ok(()),
        _ => Err(Error::usage(
            format!("{url:?} is no http address"),
            "give an address that begins with https://",
        )),
    }
}

fn ask(
    context: &Context,
    online: &OnlineArgs,
    endpoint: Endpoint,
    wanted: &Value,
) -> Result<Answer, Error> {
    aris_online::asking(context, online, &[&EXA], SPEC.name, |client| {
        // Answers from the cache need no key.
        if !online.offline && client.settings.key(&EXA).is_none() {
            return Err(Error::told(
                ErrorKind::Precondition,
                "Exa answers only with a key, and EXA_API_KEY is not set",
                "get a key at exa.ai and export EXA_API_KEY",
            ));
        }
        Ok(exa::ask(client, endpoint, wanted)?)
    })
}

fn product(found: Answer, head: Value, content: Content, form: FormArgs) -> Papers {
    let data: Vec<Value> = found
        .items
        .iter()
        .map(|(item, _)| compat::result(item, content))
        .collect();
    let mut compat = head.as_object().cloned().unwrap_or_default();
    compat.insert(String::from("returned"), json!(data.len()));
    compat.insert(String::from("data"), Value::Array(data));
    Papers::of(PAPERS, found, indented(&Value::Object(compat)), form)
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
