//! `research_wiki`: what was read, tried and claimed in a project, kept from session to session as pages that people write, too.
//!
//! **Input**: a wiki (`papers/ ideas/ experiments/ claims/ graph/edges.jsonl index.md log.md gap_map.md query_pack.md`, the reference's
//! format), flags, and for descriptions of papers arXiv or a file. **Output**: changed pages and derived files; on stdout what was
//! changed, in the reference's words where it has the command. **Exit**: 0 done; 10 `lint` found something, or `sync` met identifiers
//! that do not exist; 2 usage; 3 no wiki, no page, no paper; 4 a page or file is not readable as what it must be; 5 the wiki cannot be
//! written; 7 arXiv did not answer.
//!
//! What a person wrote on a page stays. Programs write fields of the frontmatter, sections that are still empty, and the parts between
//! their own markers. Writers take turns; one that is killed leaves whole files, and the next one makes the derived files anew.
//!
//! As a library: [`wiki::Wiki`] is a wiki on the disk with the [`aris_wiki::summary::Summary`] of each page.

#![warn(missing_docs)]

mod cli;
mod commands;
mod connections;
mod error;
mod file;
mod gaps;
mod index;
mod lint;
mod metadata;
pub mod pack;
pub mod paper;
mod report;
pub mod search;
pub mod site;
pub mod slug;
mod source;
mod text;
pub mod wiki;

use aris_cli::{CommandSpec, Context, Example, Network, Outcome, Sample, Spec};
use aris_contract::ErrorKind;

pub use cli::Cli;
pub use error::Error;
pub use report::Report;

use cli::Command;
use commands::{
    doctor, edge, export, ingest, look, merge, rebuild, search as find, sync, update, upsert,
};
use report::Given;

/// What the helper says about itself.
pub static SPEC: Spec = Spec {
    name: "research_wiki",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Keep a wiki of papers, ideas, experiments and claims",
    input: "a wiki folder; descriptions of papers from arXiv, from a file (--metadata), or from flags",
    output: "what was changed; with --json pages, edges and notes as data",
    stderr: "notes, warnings, errors",
    commands: &[
        CommandSpec::new(
            "init",
            "the wiki's folder",
            "what was made",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "slug",
            "a title",
            "the name of the page",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "ingest-paper",
            "the wiki's folder; what describes the paper: flags, a file, or arXiv",
            "what was changed",
            &[(3, ""), (4, ""), (5, ""), (7, "")],
        ),
        CommandSpec::new(
            "sync",
            "the wiki's folder; identifiers, or files with identifiers",
            "what was changed",
            &[
                (3, ""),
                (4, ""),
                (5, ""),
                (7, ""),
                (10, "some identifiers do not exist"),
            ],
        ),
        CommandSpec::new(
            "add-edge",
            "the wiki's folder",
            "what was changed",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "remove-edge",
            "the wiki's folder",
            "what was changed",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "upsert-idea",
            "the wiki's folder",
            "what was changed",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "upsert-experiment",
            "the wiki's folder",
            "what was changed",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "upsert-claim",
            "the wiki's folder",
            "what was changed",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "set-status",
            "the wiki's folder",
            "what was changed",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "update",
            "the wiki's folder",
            "what was changed",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "query",
            "the wiki's folder",
            "the path of the query pack",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "rebuild-query-pack",
            "the wiki's folder",
            "the path of the query pack",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "rebuild-index",
            "the wiki's folder",
            "the path of the index",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "stats",
            "the wiki's folder",
            "how many pages and edges there are",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "show",
            "the wiki's folder",
            "the page with its edges",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "search",
            "the wiki's folder",
            "the pages found, best first",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "export",
            "the wiki's folder",
            "the export, or the path it was written to",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "lint",
            "the wiki's folder",
            "findings",
            &[
                (0, "no finding"),
                (3, ""),
                (4, ""),
                (5, ""),
                (10, "there are findings"),
            ],
        ),
        CommandSpec::new(
            "merge",
            "the wiki's folder",
            "what was changed",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "doctor",
            "the wiki's folder",
            "what was repaired",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "log",
            "the wiki's folder",
            "what was changed",
            &[(3, ""), (4, ""), (5, "")],
        ),
    ],
    examples: &[
        Example {
            command: "init",
            line: "research_wiki init research-wiki/",
            what: "create a wiki",
        },
        Example {
            command: "slug",
            line: "research_wiki slug 'Attention Is All You Need' --author Vaswani --year 2017",
            what: "the name of a paper's page",
        },
        Example {
            command: "ingest-paper",
            line: "research_wiki ingest-paper research-wiki/ --arxiv-id 1706.03762 --thesis 'Attention alone suffices.' --tags attention",
            what: "add a paper that is on arXiv",
        },
        Example {
            command: "ingest-paper",
            line: "research_wiki ingest-paper research-wiki/ --title 'Deep Learning' --authors 'Yann LeCun, Yoshua Bengio' --year 2015 --venue Nature --external-id-doi 10.1038/nature14539",
            what: "add a paper that is not on arXiv",
        },
        Example {
            command: "sync",
            line: "research_wiki sync research-wiki/ --arxiv-ids 2310.06770,1706.03762",
            what: "add many papers at once",
        },
        Example {
            command: "add-edge",
            line: "research_wiki add-edge research-wiki/ --from idea:001 --to gap:G2 --type addresses_gap --evidence 'section 3'",
            what: "say how two nodes hang together",
        },
        Example {
            command: "upsert-idea",
            line: "research_wiki upsert-idea research-wiki/ 001 --title 'Sparse heads' --based-on vaswani2017_attention_all_you --outcome negative --failure 'no gain beyond 1B'",
            what: "record an idea with its edges and what became of it",
        },
        Example {
            command: "upsert-experiment",
            line: "research_wiki upsert-experiment research-wiki/ E1 --idea 001 --verdict no --metrics '71.2 against 71.9' --invalidates C1",
            what: "record an experiment and which claim it disproves",
        },
        Example {
            command: "upsert-claim",
            line: "research_wiki upsert-claim research-wiki/ C1 --statement 'Sparse heads gain 2 points' --source results/run_1.json",
            what: "record a claim and what it rests on",
        },
        Example {
            command: "set-status",
            line: "research_wiki set-status research-wiki/ claim:C1 invalidated",
            what: "what is known of a claim now",
        },
        Example {
            command: "update",
            line: "research_wiki update research-wiki/ paper:vaswani2017_attention_all_you relevance core",
            what: "set a field of a page",
        },
        Example {
            command: "query",
            line: "research_wiki query research-wiki/ 'sparse attention'",
            what: "write the query pack about a topic",
        },
        Example {
            command: "rebuild-query-pack",
            line: "research_wiki rebuild-query-pack research-wiki/ --max-chars 4000",
            what: "write the query pack about the project's direction",
        },
        Example {
            command: "rebuild-index",
            line: "research_wiki rebuild-index research-wiki/",
            what: "write the index",
        },
        Example {
            command: "stats",
            line: "research_wiki stats research-wiki/",
            what: "how much there is of what",
        },
        Example {
            command: "show",
            line: "research_wiki show research-wiki/ claim:C1",
            what: "a page with its edges",
        },
        Example {
            command: "search",
            line: "research_wiki search research-wiki/ sparse attention --kind paper",
            what: "the pages that speak of something",
        },
        Example {
            command: "export",
            line: "research_wiki export research-wiki/ --html wiki-site/",
            what: "a web site that needs only a browser",
        },
        Example {
            command: "export",
            line: "research_wiki export research-wiki/ --bibtex --output references.bib",
            what: "the papers as a bibliography",
        },
        Example {
            command: "lint",
            line: "research_wiki lint research-wiki/ --report",
            what: "faults and what was forgotten, also as LINT_REPORT.md",
        },
        Example {
            command: "merge",
            line: "research_wiki merge research-wiki/ paper:lee2024_large_models paper:lee2025_large_models_learn",
            what: "make one page of two",
        },
        Example {
            command: "remove-edge",
            line: "research_wiki remove-edge research-wiki/ --from exp:E1 --to claim:C1 --type supports",
            what: "take an edge out of the graph",
        },
        Example {
            command: "ingest-paper",
            line: "research_wiki ingest-paper research-wiki/ --bib references.bib",
            what: "a page for each entry of a bibliography",
        },
        Example {
            command: "doctor",
            line: "research_wiki doctor research-wiki/",
            what: "repair what a program can",
        },
        Example {
            command: "log",
            line: "research_wiki log research-wiki/ 'idea-creator wrote 6 ideas'",
            what: "append a line to log.md",
        },
    ],
    signals: &[(
        10,
        "lint found something; sync: identifiers that do not exist",
    )],
    ok: "done",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
        ErrorKind::Unavailable,
    ],
    schemas: &[
        report::CHANGED,
        report::EXPORT,
        report::LINT,
        report::PACK,
        report::PAGE,
        report::SEARCH,
        report::SLUG,
        report::STATS,
    ],
    samples: &[
        Sample {
            args: &[
                "--json",
                "slug",
                "A Title of Some Words",
                "--author",
                "Lee",
                "--year",
                "2024",
            ],
            exit: &[0],
        },
        Sample {
            args: &["--json", "stats", "no-such-wiki"],
            exit: &[3],
        },
    ],
    network: Network::Optional,
    deadline: None,
};

/// Times that a command is tried when somebody saves a file while it changes that file.
const TRIES: u32 = 5;

/// Does what `cli` asks for.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Report>, Error> {
    for _ in 1..TRIES {
        match product(&cli, context) {
            Err(Error::ChangedMeanwhile { .. }) => {}
            other => return other,
        }
    }
    product(&cli, context)
}

fn product(cli: &Cli, context: &Context) -> Result<Outcome<Report>, Error> {
    let changed = |data| Report::of(Outcome::done(data), Given::Changed);
    Ok(match &cli.command {
        Command::Init(root) => changed(rebuild::init(root, context)?),
        Command::Slug(args) => Report::of(Outcome::done(look::slug_of(args)), Given::Slug),
        Command::IngestPaper(args) => changed(ingest::run(args, context)?),
        Command::Sync(args) => Report::of(sync::run(args, context)?, Given::Changed),
        Command::AddEdge(args) => changed(edge::run(args, context)?),
        Command::RemoveEdge(args) => changed(edge::remove(args, context)?),
        Command::UpsertIdea(args) => changed(upsert::idea(args, context)?),
        Command::UpsertExperiment(args) => changed(upsert::experiment(args, context)?),
        Command::UpsertClaim(args) => changed(upsert::claim(args, context)?),
        Command::SetStatus(args) => changed(update::status(args, context)?),
        Command::Update(args) => changed(update::field(args, context)?),
        Command::Query(args) => {
            let pack = rebuild::pack(&args.pack, Some(&args.topic), context)?;
            Report::of(Outcome::done(pack), Given::Packed)
        }
        Command::RebuildQueryPack(args) => {
            let pack = rebuild::pack(args, None, context)?;
            Report::of(Outcome::done(pack), Given::Packed)
        }
        Command::RebuildIndex(root) => changed(rebuild::index(root, context)?),
        Command::Stats(root) => {
            Report::of(Outcome::done(look::stats(root, context)?), Given::Stats)
        }
        Command::Show(args) => Report::of(Outcome::done(look::show(args, context)?), Given::Shown),
        Command::Search(args) => {
            Report::of(Outcome::done(find::run(args, context)?), Given::Searched)
        }
        Command::Export(args) => {
            let exported = Box::new(export::run(args, context)?);
            Report::of(Outcome::done(exported), Given::Exported)
        }
        Command::Lint(args) => Report::of(lint::run(args, context)?, Given::Lint),
        Command::Merge(args) => changed(merge::run(args, context)?),
        Command::Doctor(root) => changed(doctor::run(root, context)?),
        Command::Log(args) => changed(rebuild::log(args, context)?),
    })
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<report::Changed>(report::CHANGED);
        check_schema::<export::Exported>(report::EXPORT);
        check_schema::<find::Searched>(report::SEARCH);
        check_schema::<lint::Lint>(report::LINT);
        check_schema::<report::Packed>(report::PACK);
        check_schema::<report::Shown>(report::PAGE);
        check_schema::<report::Slug>(report::SLUG);
        check_schema::<report::Stats>(report::STATS);
    }
}
