//! `research_wiki`: keeps what a project has read, tried and claimed, across sessions, as pages that people may edit as well.
//!
//! **Input**: a wiki (`papers/ ideas/ experiments/ claims/ graph/edges.jsonl index.md log.md gap_map.md query_pack.md`, the reference's
//! format), flags, and for descriptions of papers arXiv or a file. **Output**: changed pages and derived files; on stdout what was
//! changed, in the reference's words where it has the command. **Exit**: 0 done; 10 `lint` found something, or `sync` met identifiers
//! that do not exist; 2 usage; 3 no wiki, no page, no paper; 4 a page or file is not readable as what it must be; 5 the wiki cannot be
//! written; 7 arXiv did not answer.
//!
//! What a person wrote on a page stays. Programs write fields of the frontmatter, sections that are still empty, and the parts between
//! their own markers. One writer at a time: a killed one leaves whole files, and the next one rebuilds the derived files.
//!
//! *The reference* is the original ARIS script `research_wiki.py`; its file formats, commands and messages are kept.
//!
//! As a library: [`wiki::Wiki`] is a wiki on the disk with the [`aris_wiki::summary::Summary`] of each page.

#![warn(missing_docs)]

mod blank;
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

use aris_cli::{CommandSpec, Context, Outcome, Sample, Shown, Spec};
use aris_online::Exits;

pub use cli::Cli;
pub use error::Error;

use cli::Command;
use commands::{doctor, edge, export, ingest, look, merge, rebuild, sync, update, upsert};
use report::{Changed, Packed, Stats};

const WIKI: &str = "the wiki's folder";
const CHANGED: &str = "what was changed";
const PACKED: &str = "one line: that query_pack.md was rebuilt, and its length";
const DONE: Exits = &[(3, ""), (4, ""), (5, "")];

/// The helper's description of itself.
pub static SPEC: Spec = Spec {
    name: "research_wiki",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Keep a wiki of papers, ideas, experiments and claims",
    input: "a wiki folder; descriptions of papers from arXiv, from a file (--metadata), or from flags",
    output: "what was changed; with --json pages, edges and notes as data",
    stderr: "notes, warnings, errors",
    commands: &[
        CommandSpec::new("init", WIKI, "what was made", DONE),
        CommandSpec::new("slug", "a title", "the name of the page", DONE),
        CommandSpec::new(
            "ingest-paper",
            "the wiki's folder; what describes the paper: flags, a file, or arXiv",
            CHANGED,
            &[(3, ""), (4, ""), (5, ""), (7, "")],
        ),
        CommandSpec::new(
            "sync",
            "the wiki's folder; identifiers, or files with identifiers",
            CHANGED,
            &[
                (3, ""),
                (4, ""),
                (5, ""),
                (7, ""),
                (10, "some identifiers do not exist"),
            ],
        ),
        CommandSpec::new("add-edge", WIKI, CHANGED, DONE),
        CommandSpec::new("remove-edge", WIKI, CHANGED, DONE),
        CommandSpec::new("upsert-idea", WIKI, CHANGED, DONE),
        CommandSpec::new("upsert-experiment", WIKI, CHANGED, DONE),
        CommandSpec::new("upsert-claim", WIKI, CHANGED, DONE),
        CommandSpec::new("set-status", WIKI, CHANGED, DONE),
        CommandSpec::new("update", WIKI, CHANGED, DONE),
        CommandSpec::new("query", WIKI, PACKED, DONE),
        CommandSpec::new("rebuild-query-pack", WIKI, PACKED, DONE),
        CommandSpec::new("rebuild-index", WIKI, "nothing", DONE),
        CommandSpec::new("stats", WIKI, "how many pages and edges there are", DONE),
        CommandSpec::new("show", WIKI, "the page with its edges", DONE),
        CommandSpec::new("search", WIKI, "the pages found, best first", DONE),
        CommandSpec::new(
            "export",
            WIKI,
            "the export, or the path it was written to",
            DONE,
        ),
        CommandSpec::new(
            "lint",
            WIKI,
            "findings",
            &[
                (0, "no finding"),
                (3, ""),
                (4, ""),
                (5, ""),
                (10, "there are findings"),
            ],
        ),
        CommandSpec::new("merge", WIKI, CHANGED, DONE),
        CommandSpec::new("doctor", WIKI, "what was repaired", DONE),
        CommandSpec::new("log", WIKI, "nothing", DONE),
    ],
    examples: &[
        "research_wiki init research-wiki/  # create a wiki",
        "research_wiki slug 'Attention Is All You Need' --author Vaswani --year 2017  # the name of a paper's page",
        "research_wiki ingest-paper research-wiki/ --arxiv-id 1706.03762 --thesis 'Attention alone suffices.' --tags attention  # add a paper that is on arXiv",
        "research_wiki ingest-paper research-wiki/ --title 'Deep Learning' --authors 'Yann LeCun, Yoshua Bengio' --year 2015 --venue Nature --external-id-doi 10.1038/nature14539  # add a paper that is not on arXiv",
        "research_wiki sync research-wiki/ --arxiv-ids 2310.06770,1706.03762  # add many papers at once",
        "research_wiki upsert-idea research-wiki/ 001 --title 'Sparse heads' --based-on vaswani2017_attention_all_you --outcome negative --failure 'no gain beyond 1B'  # record an idea with its edges and what became of it",
        "research_wiki upsert-claim research-wiki/ C1 --statement 'Sparse heads gain 2 points' --source results/run_1.json  # record a claim and what it rests on",
        "research_wiki upsert-experiment research-wiki/ E1 --idea 001 --verdict no --metrics '71.2 against 71.9' --invalidates C1  # record an experiment and which claim it disproves",
        "research_wiki add-edge research-wiki/ --from idea:001 --to gap:G2 --type addresses_gap --evidence 'section 3'  # link two nodes",
        "research_wiki set-status research-wiki/ claim:C1 invalidated  # set the status of a claim",
        "research_wiki update research-wiki/ paper:vaswani2017_attention_all_you relevance core  # set a field of a page",
        "research_wiki query research-wiki/ 'sparse attention'  # write the query pack about a topic",
        "research_wiki rebuild-query-pack research-wiki/ --max-chars 4000  # write the query pack about the project's direction",
        "research_wiki rebuild-index research-wiki/  # write the index",
        "research_wiki stats research-wiki/  # count pages and edges",
        "research_wiki show research-wiki/ claim:C1  # a page with its edges",
        "research_wiki search research-wiki/ sparse attention --kind paper  # search pages",
        "research_wiki export research-wiki/ --html wiki-site/  # a web site that needs only a browser",
        "research_wiki export research-wiki/ --format bibtex --output references.bib  # the papers as a bibliography",
        "research_wiki lint research-wiki/ --report  # report inconsistencies, also as LINT_REPORT.md",
        "research_wiki merge research-wiki/ paper:lee2024_large_models paper:lee2025_large_models_learn  # merge two pages",
        "research_wiki remove-edge research-wiki/ --from exp:E1 --to claim:C1 --type supports  # remove an edge",
        "research_wiki ingest-paper research-wiki/ --bib references.bib  # a page for each entry of a bibliography",
        "research_wiki doctor research-wiki/  # repair repeated edges, generated parts and interrupted merges",
        "research_wiki log research-wiki/ 'idea-creator wrote 6 ideas'  # append a line to log.md",
    ],
    signals: &[(
        10,
        "lint found something; sync: identifiers that do not exist",
    )],
    ok: "done",
    schemas: &[
        report::CHANGED,
        export::EXPORT,
        lint::LINT,
        report::PACK,
        report::PAGE,
        search::SEARCH,
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
    ..aris_online::SPEC
};

/// Attempts at a command when somebody saves a file that the command is changing.
const TRIES: u32 = 5;

/// Runs the subcommand.
pub fn run(cli: Cli, context: &Context) -> Result<Shown, Error> {
    for _ in 1..TRIES {
        match product(&cli, context) {
            Err(Error::ChangedMeanwhile { .. }) => {}
            other => return other,
        }
    }
    product(&cli, context)
}

fn product(cli: &Cli, context: &Context) -> Result<Shown, Error> {
    let changed = |data: Changed| Outcome::done(data).shown(report::CHANGED, Changed::write);
    let packed = |data: Packed| {
        Outcome::done(data).shown(report::PACK, |pack, out| {
            writeln!(out, "query_pack.md rebuilt: {} chars", pack.chars)
        })
    };
    Ok(match &cli.command {
        Command::Init(root) => changed(rebuild::init(root, context)?),
        Command::Slug(args) => Outcome::done(look::slug_of(args))
            .shown(report::SLUG, |data, out| writeln!(out, "{}", data.slug)),
        Command::IngestPaper(args) => changed(ingest::run(args, context)?),
        Command::Sync(args) => sync::run(args, context)?.shown(report::CHANGED, Changed::write),
        Command::AddEdge(args) => changed(edge::run(args, context)?),
        Command::RemoveEdge(args) => changed(edge::remove(args, context)?),
        Command::UpsertIdea(args) => changed(upsert::idea(args, context)?),
        Command::UpsertExperiment(args) => changed(upsert::experiment(args, context)?),
        Command::UpsertClaim(args) => changed(upsert::claim(args, context)?),
        Command::SetStatus(args) => changed(update::status(args, context)?),
        Command::Update(args) => changed(update::field(args, context)?),
        Command::Query(args) => packed(rebuild::pack(&args.pack, Some(&args.topic), context)?),
        Command::RebuildQueryPack(args) => packed(rebuild::pack(args, None, context)?),
        Command::RebuildIndex(root) => changed(rebuild::index(root, context)?),
        Command::Stats(root) => {
            Outcome::done(look::stats(root, context)?).shown(report::STATS, Stats::write)
        }
        Command::Show(args) => Outcome::done(look::show(args, context)?).boxed(),
        Command::Search(args) => Outcome::done(search::run(args, context)?).boxed(),
        Command::Export(args) => Outcome::done(export::run(args, context)?).boxed(),
        Command::Lint(args) => lint::run(args, context)?.boxed(),
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
        check_schema::<Changed>(report::CHANGED);
        check_schema::<export::Exported>(export::EXPORT);
        check_schema::<search::Searched>(search::SEARCH);
        check_schema::<lint::Lint>(lint::LINT);
        check_schema::<Packed>(report::PACK);
        check_schema::<report::Shown>(report::PAGE);
        check_schema::<report::Slug>(report::SLUG);
        check_schema::<Stats>(report::STATS);
    }
}
