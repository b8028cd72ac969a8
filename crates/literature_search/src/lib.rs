//! `literature_search`: papers from several sources, each once.
//!
//! **Input**: words; for `merge` files with records. **Output**: a text for people, records one a line (`--jsonl`), a bibliography
//! (`--bibtex`), or with `--json` the papers, the sources that were used, and how each source fared.
//! **Exit**: 0 papers, or every source has answered and none has any; 2 usage; 3 a file does not exist; 4 a file holds no records;
//! 5 the disk; 7 no source had a paper and at least one did not answer: nothing follows.

mod cli;
mod report;
mod source;

use std::time::{Duration, Instant};

use aris_cli::{CommandSpec, Context, Outcome, Sample, Spec};
use aris_contract::ErrorKind;
use aris_contract::artifact::papers::{Paper, Source};
use aris_online::{Exits, OnlineArgs, Progress, filled, read_records};
use aris_paper::records;
use serde_json::json;

pub use aris_online::FetchError as Error;
pub use cli::{Ask, Cli, Command, Form, Merge};
pub use report::{Asked, Fate, Report};
use source::Question;

/// Largest file with records, in bytes.
const FILE_LIMIT: u64 = 256 << 20;

const LIST: &str = "the papers, as text, JSON, JSON Lines or BibTeX, and how each source answered";
const MERGED: &str = "the papers, as text, JSON, JSON Lines or BibTeX";
const FILES: &str = "files with records, as a helper prints them with --format jsonl or --json";
const SOME: &str = "there are papers, or every source answered and has none";
const SEARCHED: Exits = &[(0, SOME), (4, ""), (5, ""), (7, "no source answered")];

/// The helper's description of itself.
pub static SPEC: Spec = Spec {
    name: "literature_search",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Search several sources of papers, and show each paper once",
    input: "words; for merge files with records",
    output: "papers as text, as lines of JSON or as a bibliography; how each source fared",
    commands: &[
        CommandSpec::new("aggregate", "words", LIST, SEARCHED),
        CommandSpec::new("cascade", "words", LIST, SEARCHED),
        CommandSpec::new("merge", FILES, MERGED, &[(3, ""), (4, ""), (5, "")]),
    ],
    examples: &[
        "literature_search aggregate 'semantic communication' --limit 20  # a survey: what all sources have, merged and ranked",
        "literature_search cascade 'attention is all you need' --sources semantic_scholar,openalex,crossref --limit 1 --format bibtex  # one paper, from the first source that has it",
        "literature_search merge arxiv.jsonl openalex.jsonl --query 'diffusion models'  # records that fetchers printed before",
    ],
    ok: "there are papers, or every source has answered and none has any",
    schemas: &[report::SCHEMA],
    samples: &[
        Sample {
            args: &["--json", "merge", "absent.jsonl"],
            exit: &[3],
        },
        Sample {
            args: &["--json", "aggregate", "words", "--sources", "nowhere"],
            exit: &[2],
        },
    ],
    ..aris_online::SPEC
};

/// Runs the subcommand.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Report>, Error> {
    let report = match cli.command {
        Command::Aggregate(args) => {
            let asked = aggregate(&args, context)?;
            settled(args, asked)?
        }
        Command::Cascade(args) => {
            let asked = cascade(&args, context)?;
            settled(args, asked)?
        }
        Command::Merge(args) => merge(args, context)?,
    };
    Ok(Outcome::done(report))
}

type Answers = Vec<(Asked, Vec<Paper>)>;

/// Checks the query and returns the sources without repetition.
fn wanted(args: &Ask) -> Result<Vec<Source>, Error> {
    filled(&args.query, "the query", "give words to search for")?;
    let mut sources: Vec<Source> = Vec::new();
    for source in &args.sources {
        if !sources.contains(source) {
            sources.push(*source);
        }
    }
    Ok(sources)
}

/// Asks all sources at once; each host is asked at its own pace.
fn aggregate(args: &Ask, context: &Context) -> Result<Answers, Error> {
    let sources = wanted(args)?;
    let progress = Progress::new(context, Some(sources.len() as u64));
    let hosts = source::hosts(&sources);
    let client = aris_online::client(context, &args.online, &hosts, SPEC.name, &progress)?;
    let question = question(args, context, args.online.deadline());
    let answers = aris_fs::map_in_parallel(sources.len(), &sources, |source| {
        let answer = source::ask(&client, *source, &question);
        progress.step();
        answer
    });
    progress.finish();
    Ok(answers)
}

fn question<'a>(args: &'a Ask, context: &'a Context, deadline: Duration) -> Question<'a> {
    Question {
        words: args.query.trim(),
        count: args.per_source as usize,
        folder: context.cwd(),
        deadline,
        now: context.now(),
    }
}

/// Asks one source after another until one has results. A stalled source gets its share of the remaining time, not all of it.
fn cascade(args: &Ask, context: &Context) -> Result<Answers, Error> {
    let sources = wanted(args)?;
    let progress = Progress::new(context, Some(sources.len() as u64));
    let end = Instant::now() + args.online.deadline();
    let mut answers: Answers = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        let left = end.saturating_duration_since(Instant::now());
        let share = left / u32::try_from(sources.len() - at).unwrap_or(1);
        let online = OnlineArgs {
            deadline: Some(share.as_secs_f64()),
            ..args.online
        };
        let hosts = source::hosts(&[*source]);
        let client = aris_online::client(context, &online, &hosts, SPEC.name, &progress)?;
        let answer = source::ask(&client, *source, &question(args, context, share));
        progress.step();
        let done = answer.0.outcome == Fate::Contributed;
        answers.push(answer);
        if done {
            break;
        }
    }
    progress.finish();
    let others = sources.iter().skip(answers.len()).map(|source| Asked {
        source: *source,
        outcome: Fate::NotAsked,
        records: 0,
        why: None,
    });
    let others: Vec<Asked> = others.collect();
    answers.extend(others.into_iter().map(|asked| (asked, Vec::new())));
    Ok(answers)
}

/// The report of a search, or an error if the answers allow no conclusion.
fn settled(args: Ask, answers: Answers) -> Result<Report, Error> {
    let (asked, papers): (Vec<Asked>, Vec<Vec<Paper>>) = answers.into_iter().unzip();
    let papers: Vec<Paper> = papers.into_iter().flatten().collect();
    let silent = asked
        .iter()
        .any(|asked| matches!(asked.outcome, Fate::NotAnswered | Fate::CannotBeAsked));
    if papers.is_empty() && silent {
        let why = |asked: &Asked| Some(format!("{} ({})", asked.source, asked.why.as_ref()?));
        let why: Vec<String> = asked.iter().filter_map(why).collect();
        let what = format!(
            "no source found a paper, and these did not answer: {}",
            why.join("; ")
        );
        let hint = if args.online.offline {
            "run once without --offline"
        } else {
            "this says nothing about the papers; allow more time with --deadline, or name other --sources"
        };
        return Err(Error::told(ErrorKind::Unavailable, what, hint).with("sources", json!(asked)));
    }
    let records = papers.len();
    let mut papers = records::merge_all(papers);
    records::rank(&mut papers, &args.query);
    let found = papers.len();
    papers.truncate(args.limit as usize);
    Ok(Report {
        query: Some(args.query),
        papers,
        found,
        records,
        sources_used: asked
            .iter()
            .filter(|asked| asked.outcome == Fate::Contributed)
            .map(|asked| asked.source)
            .collect(),
        sources: asked,
        form: args.form,
    })
}

fn merge(args: Merge, context: &Context) -> Result<Report, Error> {
    let mut papers = Vec::new();
    for file in &args.files {
        let path = context.absolute(file);
        let bytes = aris_fs::read(&path, FILE_LIMIT)?;
        papers.extend(read_records(&path, &bytes).map_err(|(line, why)| {
            let what = format!("{}:{line}: {why}", file.display());
            let hint = "give what a fetcher prints with --format jsonl or --json";
            Error::told(ErrorKind::Validation, what, hint)
        })?);
    }
    let records = papers.len();
    let mut papers = records::merge_all(papers);
    if let Some(words) = &args.query {
        records::rank(&mut papers, words);
    }
    let mut used: Vec<Source> = papers
        .iter()
        .flat_map(|paper| paper.origins.iter().map(|origin| origin.source))
        .collect();
    used.sort_unstable();
    used.dedup();
    Ok(Report {
        query: args.query,
        found: papers.len(),
        papers,
        records,
        sources_used: used,
        sources: Vec::new(),
        form: args.form,
    })
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<Report>(report::SCHEMA);
    }
}
