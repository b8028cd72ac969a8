//! The command line. Commands and flags of the reference keep their names.

use std::path::PathBuf;

use aris_online::OnlineArgs;
use clap::{Args, Subcommand};

use crate::commands::update::{CLAIM, OUTCOME, STAGE, VERDICT};
use aris_wiki::node::Kind;

/// Arguments of `research_wiki`.
#[derive(Debug, Args)]
pub struct Cli {
    /// What to do
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create the folders and files of a wiki; existing files stay as they are
    Init(Root),
    /// Print the name that a paper's page gets
    Slug(SlugArgs),
    /// Add a page for one paper, or complete the one there is
    #[command(alias = "ingest_paper")]
    IngestPaper(Box<IngestArgs>),
    /// Add pages for many papers
    Sync(SyncArgs),
    /// Add a typed edge between two nodes
    #[command(alias = "add_edge")]
    AddEdge(AddEdgeArgs),
    /// Remove an edge
    #[command(alias = "remove_edge")]
    RemoveEdge(EdgeArgs),
    /// Create or change the page of an idea
    #[command(alias = "upsert_idea")]
    UpsertIdea(Box<IdeaArgs>),
    /// Create or change the page of an experiment
    #[command(alias = "upsert_experiment")]
    UpsertExperiment(Box<ExperimentArgs>),
    /// Create or change the page of a claim
    #[command(alias = "upsert_claim")]
    UpsertClaim(Box<ClaimArgs>),
    /// Set the status of a claim, the outcome or stage of an idea, the verdict of an experiment
    #[command(alias = "set_status")]
    SetStatus(StatusArgs),
    /// Set a field of a page's frontmatter
    Update(UpdateArgs),
    /// Write the query pack, a digest of pages for a prompt, about a topic
    Query(QueryArgs),
    /// Write the query pack about the project's direction
    #[command(alias = "rebuild_query_pack")]
    RebuildQueryPack(PackArgs),
    /// Write the index
    #[command(alias = "rebuild_index")]
    RebuildIndex(Root),
    /// Count pages and edges
    Stats(Root),
    /// Show one page with its edges
    Show(NodeArgs),
    /// Find pages by their words
    Search(SearchArgs),
    /// Write the wiki as a web site, a bibliography or a graph
    Export(ExportArgs),
    /// Report inconsistencies
    Lint(LintArgs),
    /// Merge two pages that describe the same thing
    Merge(MergeArgs),
    /// Repair what a program can repair: repeated edges, generated parts, interrupted merges
    Doctor(Root),
    /// Append a line to log.md
    Log(LogArgs),
}

/// A wiki.
#[derive(Debug, Args)]
pub(crate) struct Root {
    /// Folder of the wiki, such as research-wiki
    pub(crate) wiki_root: PathBuf,
}

/// Arguments of `slug`.
#[derive(Debug, Args)]
pub(crate) struct SlugArgs {
    /// Title of the paper
    pub(crate) title: String,
    /// Last name of the first author
    #[arg(long, default_value = "")]
    pub(crate) author: String,
    /// Year
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    pub(crate) year: u32,
}

/// Arguments of `ingest-paper`.
#[derive(Debug, Args)]
pub(crate) struct IngestArgs {
    #[command(flatten)]
    pub(crate) root: Root,
    /// arXiv identifier, such as 2501.12345; arXiv is asked for the rest
    #[arg(long, default_value = "", value_name = "ID")]
    pub(crate) arxiv_id: String,
    /// Title; required together with --authors and --year, unless --arxiv-id, --metadata or --bib is given
    #[arg(long, default_value = "")]
    pub(crate) title: String,
    /// Authors, such as "Alice Smith, Bob Jones", "Alice Smith and Bob Jones" or "Smith, Alice and Jones, Bob"
    #[arg(long, default_value = "")]
    pub(crate) authors: String,
    /// Year
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    pub(crate) year: u32,
    /// Journal, proceedings or archive
    #[arg(long, default_value = "")]
    pub(crate) venue: String,
    /// DOI
    #[arg(long = "external-id-doi", default_value = "", value_name = "DOI")]
    pub(crate) doi: String,
    /// Semantic Scholar's identifier
    #[arg(long = "external-id-s2", default_value = "", value_name = "ID")]
    pub(crate) s2: String,
    /// One line about what the paper shows
    #[arg(long, default_value = "")]
    pub(crate) thesis: String,
    /// Tags, comma-separated
    #[arg(long, default_value = "")]
    pub(crate) tags: String,
    /// Update the fields of an existing page instead of skipping it; sections that people wrote stay
    #[arg(long)]
    pub(crate) update_on_exist: bool,
    /// Take the description from this file of records instead of asking arXiv
    #[arg(long, value_name = "FILE")]
    pub(crate) metadata: Option<PathBuf>,
    /// Take every entry of this bibliography (BibTeX) that has a title
    #[arg(long, value_name = "FILE", conflicts_with_all = ["arxiv_id", "title", "authors", "year", "metadata"])]
    pub(crate) bib: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) online: OnlineArgs,
}

/// Arguments of `sync`.
#[derive(Debug, Args)]
pub(crate) struct SyncArgs {
    #[command(flatten)]
    pub(crate) root: Root,
    /// arXiv identifiers, comma-separated
    #[arg(long, default_value = "", value_name = "IDS")]
    pub(crate) arxiv_ids: String,
    /// File with one arXiv identifier on each line; # begins a comment
    #[arg(long, value_name = "FILE")]
    pub(crate) from_file: Option<PathBuf>,
    /// Folder whose text files are searched for arXiv identifiers; a heuristic, and named so in the log
    #[arg(long, value_name = "DIR")]
    pub(crate) from_traces: Option<PathBuf>,
    /// Update the fields of existing pages instead of skipping them; sections that people wrote stay
    #[arg(long)]
    pub(crate) update_on_exist: bool,
    /// Take the descriptions from this file of records instead of asking arXiv
    #[arg(long, value_name = "FILE")]
    pub(crate) metadata: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) online: OnlineArgs,
}

/// An edge.
#[derive(Debug, Args)]
pub(crate) struct EdgeArgs {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Node that the edge starts from
    #[arg(long, value_name = "NODE")]
    pub(crate) from: String,
    /// Node that it leads to
    #[arg(long, value_name = "NODE")]
    pub(crate) to: String,
    /// Type, such as extends, supports or invalidates
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: String,
}

/// Arguments of `add-edge`.
#[derive(Debug, Args)]
pub(crate) struct AddEdgeArgs {
    #[command(flatten)]
    pub(crate) edge: EdgeArgs,
    /// Why
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        allow_hyphen_values = true
    )]
    pub(crate) evidence: String,
    /// Add it although a page at one of its ends does not exist yet; for imports
    #[arg(long)]
    pub(crate) allow_missing: bool,
}

/// What the `upsert_` commands have in common.
#[derive(Debug, Args)]
pub(crate) struct UpsertArgs {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Identifier, with or without its kind: 001 or idea:001, E1 or exp:E1, C1 or claim:C1
    pub(crate) id: String,
    /// Title
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Tags, comma-separated, added to those there are
    #[arg(long, default_value = "")]
    pub(crate) tags: String,
    /// A field of the frontmatter; may be repeated
    #[arg(long = "set", value_name = "FIELD=VALUE", value_parser = pair)]
    pub(crate) settings: Vec<(String, String)>,
    /// Text for a section; may be repeated
    #[arg(long = "section", value_name = "HEADING=TEXT", value_parser = pair)]
    pub(crate) sections: Vec<(String, String)>,
    /// Replace also the text of sections in which somebody wrote something
    #[arg(long)]
    pub(crate) replace: bool,
    /// Add edges to pages that do not exist yet, too; for imports
    #[arg(long)]
    pub(crate) allow_missing: bool,
}

/// Arguments of `upsert-idea`.
#[derive(Debug, Args)]
pub(crate) struct IdeaArgs {
    #[command(flatten)]
    pub(crate) common: UpsertArgs,
    /// Stage
    #[arg(long, value_parser = STAGE)]
    pub(crate) stage: Option<String>,
    /// Outcome
    #[arg(long, value_parser = OUTCOME)]
    pub(crate) outcome: Option<String>,
    /// Papers that inspired it, comma-separated; edges are added
    #[arg(long, default_value = "", value_name = "NODES")]
    pub(crate) based_on: String,
    /// Gaps that it addresses, comma-separated; edges are added
    #[arg(long, default_value = "", value_name = "NODES")]
    pub(crate) target_gaps: String,
    /// Its statement
    #[arg(long)]
    pub(crate) hypothesis: Option<String>,
    /// How it would be tested
    #[arg(long)]
    pub(crate) method: Option<String>,
    /// Expected result
    #[arg(long)]
    pub(crate) expected: Option<String>,
    /// Actual result
    #[arg(long)]
    pub(crate) actual: Option<String>,
    /// Why it failed
    #[arg(long)]
    pub(crate) failure: Option<String>,
    /// What was learned
    #[arg(long)]
    pub(crate) lessons: Option<String>,
}

/// Arguments of `upsert-experiment`.
#[derive(Debug, Args)]
pub(crate) struct ExperimentArgs {
    #[command(flatten)]
    pub(crate) common: UpsertArgs,
    /// Idea that it tests; an edge is added
    #[arg(long, value_name = "NODE")]
    pub(crate) idea: Option<String>,
    /// Whether it confirms what it tests
    #[arg(long, value_parser = VERDICT)]
    pub(crate) verdict: Option<String>,
    /// high, medium or low
    #[arg(long, value_name = "LEVEL")]
    pub(crate) confidence: Option<String>,
    /// Day
    #[arg(long)]
    pub(crate) date: Option<String>,
    /// Machine
    #[arg(long)]
    pub(crate) hardware: Option<String>,
    /// How long it took
    #[arg(long)]
    pub(crate) duration: Option<String>,
    /// Results in a line
    #[arg(long)]
    pub(crate) metrics: Option<String>,
    /// Why the verdict
    #[arg(long)]
    pub(crate) reasoning: Option<String>,
    /// Claims and ideas that it confirms, comma-separated; edges are added
    #[arg(long, default_value = "", value_name = "NODES")]
    pub(crate) supports: String,
    /// Claims and ideas that it disproves, comma-separated; edges are added
    #[arg(long, default_value = "", value_name = "NODES")]
    pub(crate) invalidates: String,
}

/// Arguments of `upsert-claim`.
#[derive(Debug, Args)]
pub(crate) struct ClaimArgs {
    #[command(flatten)]
    pub(crate) common: UpsertArgs,
    /// What is known of it
    #[arg(long, value_parser = CLAIM)]
    pub(crate) status: Option<String>,
    /// Its statement
    #[arg(long)]
    pub(crate) statement: Option<String>,
    /// File that it rests on, relative to the project, with lines: results/run.json or notes.md:10-20; lint tells when it changes
    #[arg(long, value_name = "FILE[:LINES]")]
    pub(crate) source: Option<String>,
}

/// Arguments of `set-status`.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) node: NodeArgs,
    /// The new status
    pub(crate) status: String,
}

/// Arguments of `update`.
#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {
    #[command(flatten)]
    pub(crate) node: NodeArgs,
    /// Field, such as relevance
    pub(crate) field: String,
    /// Value; for a list, items, comma-separated
    #[arg(allow_hyphen_values = true)]
    pub(crate) value: String,
}

/// Arguments of `query`.
#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    #[command(flatten)]
    pub(crate) pack: PackArgs,
    /// What the pack is to be about
    pub(crate) topic: String,
}

/// Arguments of `rebuild-query-pack`.
#[derive(Debug, Args)]
pub(crate) struct PackArgs {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Maximum number of characters
    #[arg(long, value_name = "N", default_value_t = crate::pack::MAX_CHARS)]
    pub(crate) max_chars: usize,
}

/// A node of a wiki.
#[derive(Debug, Args)]
pub(crate) struct NodeArgs {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Node, such as claim:C1
    pub(crate) node: String,
}

/// Arguments of `search`.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Words; `spars` also finds sparse, and a word with a hyphen, such as self-attention, is searched as a phrase
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// Only papers, ideas, experiments or claims
    #[arg(long, value_name = "KIND", value_parser = kind)]
    pub(crate) kind: Option<Kind>,
    /// Maximum number of pages
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Read all pages instead of using the index; the answer is the same
    #[arg(long)]
    pub(crate) no_index: bool,
}

/// Arguments of `export`. Without a form: pages and edges as JSON.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Write a web site into this folder, which must be absent, empty, or an earlier export
    #[arg(long = "html", alias = "site", value_name = "DIR", conflicts_with_all = ["bibtex", "graphml", "output"])]
    pub(crate) site: Option<PathBuf>,
    /// Name of the site
    #[arg(long, default_value = "Research wiki", requires = "site")]
    pub(crate) title: String,
    /// Write the papers as BibTeX
    #[arg(long, conflicts_with = "graphml")]
    pub(crate) bibtex: bool,
    /// Write pages and edges as GraphML
    #[arg(long)]
    pub(crate) graphml: bool,
    /// File to write [default: -, standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<aris_cli::Sink>,
}

/// Arguments of `lint`.
#[derive(Debug, Args)]
pub(crate) struct LintArgs {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Also write the findings to a report in the wiki
    #[arg(long)]
    pub(crate) report: bool,
}

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Node that stays
    pub(crate) keep: String,
    /// Node that goes into it; its page is removed, what it says is not
    pub(crate) other: String,
}

/// Arguments of `log`.
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    #[command(flatten)]
    pub(crate) root: Root,
    /// What to write
    #[arg(allow_hyphen_values = true)]
    pub(crate) message: String,
}

fn kind(text: &str) -> Result<Kind, String> {
    let named =
        |kind: &Kind| text == kind.to_string() || text == kind.folder() || text == kind.prefix();
    let found = Kind::ALL.into_iter().find(named);
    found.ok_or_else(|| String::from("paper, idea, experiment or claim"))
}

fn pair(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .filter(|(name, _)| !name.trim().is_empty())
        .map(|(name, value)| (name.trim().to_owned(), value.to_owned()))
        .ok_or_else(|| String::from("not NAME=VALUE"))
}
