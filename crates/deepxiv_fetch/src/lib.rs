//! `deepxiv_fetch`: reads papers piece by piece through the installed program `deepxiv`.
//!
//! **Input**: a query, or a paper and what to show of it. **Output**: DeepXiv's answer as JSON, records one a
//! line (`--jsonl`), or both in an envelope (`--json`).
//! **Exit**: 0 answered; 2 usage; 5 `deepxiv` is not installed; 6 it did not end in
//! time; 7 it failed or printed no answer, which says nothing about any paper.

mod cli;

use std::io::{self, Write};
use std::time::Duration;

use aris_cli::{CommandSpec, Context, Outcome, Product, Sample, Spec, Style};
use aris_contract::ErrorKind;
use aris_contract::artifact::papers;
use aris_online::Exits;
use aris_sources::deepxiv;
use serde::Serialize;
use serde_json::{Value, json};

pub use aris_online::FetchError as Error;
pub use cli::{Cli, Command, Paper, Sc, Search, Section, Trending, Wsearch};

/// Schema id of [`Report`].
const ANSWER: &str = "aris.deepxiv_fetch.answer/v1";

const SECTION: &str = "an arXiv identifier and the name of a section";
const ANSWERS: &str = "DeepXiv's answer as indented JSON; with --format jsonl the records of its papers as JSON Lines";
const EXITS: Exits = &[(0, "DeepXiv answered"), (5, ""), (6, ""), (7, "")];

/// The helper's description of itself.
pub static SPEC: Spec = Spec {
    name: "deepxiv_fetch",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Read papers piece by piece through the installed program deepxiv",
    input: "a query, or a paper and what to show of it",
    output: "the answer of DeepXiv as JSON, or records one a line",
    stderr: "errors",
    commands: &[
        CommandSpec::new("search", "words", ANSWERS, EXITS),
        CommandSpec::new("paper-brief", "an arXiv identifier", ANSWERS, EXITS),
        CommandSpec::new("paper-head", "an arXiv identifier", ANSWERS, EXITS),
        CommandSpec::new("paper-section", SECTION, ANSWERS, EXITS),
        CommandSpec::new("trending", "nothing", ANSWERS, EXITS),
        CommandSpec::new("wsearch", "words", ANSWERS, EXITS),
        CommandSpec::new("sc", "an identifier of Semantic Scholar", ANSWERS, EXITS),
        CommandSpec::new("health", "nothing", ANSWERS, EXITS),
    ],
    examples: &[
        "deepxiv_fetch search 'agent memory' --limit 5 --date-from 2025-01-01  # search papers",
        "deepxiv_fetch paper-brief 2409.05591  # the summary of a paper",
        "deepxiv_fetch paper-head 2409.05591  # the sections of a paper",
        "deepxiv_fetch paper-section 2409.05591 Introduction  # one section",
        "deepxiv_fetch trending --days 14 --limit 5 --format jsonl  # records of trending papers, one a line",
        "deepxiv_fetch wsearch 'agent memory benchmark'  # search the web",
        "deepxiv_fetch sc 204e3073870fae3d05bcbc2f6a8e263d9b72e776  # the record of a paper in Semantic Scholar",
        "deepxiv_fetch health  # check that the service answers",
    ],
    ok: "DeepXiv has answered",
    errors: &[
        ErrorKind::Precondition,
        ErrorKind::Timeout,
        ErrorKind::Unavailable,
    ],
    schemas: &[ANSWER],
    samples: &[Sample {
        args: &["--json", "paper-brief", "2413.00001"],
        exit: &[2],
    }],
    ..aris_online::SPEC
};

/// The data product.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    /// What DeepXiv answered.
    pub answer: Value,
    /// Records of the papers in it; empty where the answer is a text or names none.
    pub papers: Vec<papers::Paper>,
    #[serde(skip)]
    #[cfg_attr(test, schemars(skip))]
    plain: Plain,
}

/// The output without `--json`.
#[derive(Clone, Copy, Debug, Default)]
enum Plain {
    /// The answer, indented.
    #[default]
    Answer,
    /// The text of a health check.
    Text,
    /// Records.
    Lines,
}

impl Product for Report {
    fn schema(&self) -> &'static str {
        ANSWER
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        match self.plain {
            Plain::Answer => writeln!(out, "{:#}", self.answer),
            Plain::Text => writeln!(
                out,
                "{}",
                self.answer["output"].as_str().unwrap_or_default()
            ),
            Plain::Lines => aris_online::jsonl(&self.papers, out),
        }
    }
}

/// Runs the subcommand.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Report>, Error> {
    for word in cli.command.words() {
        // The program parses its own flags; a query must not become one.
        if word.trim().is_empty() || word.starts_with('-') {
            return Err(Error::usage(
                format!("{word:?} cannot be searched for"),
                "give words that do not begin with a hyphen",
            ));
        }
    }
    let deadline = Duration::from_secs(cli.deadline);
    let call = cli.command.call();
    let answer = match cli.command {
        Command::Health => {
            json!({ "ok": true, "output": deepxiv::run(context.cwd(), &call, deadline)? })
        }
        _ => deepxiv::run_json(context.cwd(), &call, deadline)?,
    };
    // These commands return no papers.
    let papers = match cli.command {
        Command::Health | Command::PaperSection(_) | Command::Wsearch(_) => Vec::new(),
        _ => deepxiv::records(&answer, context.now()).unwrap_or_default(),
    };
    let plain = match cli.command {
        _ if cli.jsonl => Plain::Lines,
        Command::Health => Plain::Text,
        _ => Plain::Answer,
    };
    Ok(Outcome::done(Report {
        answer,
        papers,
        plain,
    }))
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<Report>(ANSWER);
    }
}
