//! Flags. Names and defaults are those of the reference's script where it has them. `--json` is the envelope of all helpers; the script's
//! output for `--json` is `--compat`.

use aris_online::{FormArgs, OnlineArgs};

/// Arguments of `openalex_fetch`.
pub type Cli = aris_online::Commands<Command>;

/// What to do.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Search for works; each call uses up part of the daily budget at OpenAlex
    Search(Search),
    /// Look one work up; costs nothing of the budget
    Work(Work),
}

/// Arguments of `search`.
#[derive(Debug, clap::Args)]
pub struct Search {
    /// Words to search for
    pub query: String,
    /// Maximum number of results
    #[arg(long, alias = "max", value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub limit: u32,
    /// Year or years: `2023`, `2020-2023`, `2023-`
    #[arg(long, allow_hyphen_values = true, value_parser = aris_online::years)]
    pub year: Option<String>,
    /// Kind of work
    #[arg(long = "type", value_name = "TYPE", value_parser = ["article", "preprint", "book", "book-chapter", "dataset", "dissertation"])]
    pub kind: Option<String>,
    /// Only open-access works
    #[arg(long)]
    pub open_access: bool,
    /// Minimum number of citations
    #[arg(long, value_name = "N")]
    pub min_citations: Option<u32>,
    /// Order of the results
    #[arg(long, value_enum, default_value_t = Sort::Relevance)]
    pub sort: Sort,
    /// Form of the output
    #[command(flatten)]
    pub form: FormArgs,
    /// Network
    #[command(flatten)]
    pub online: OnlineArgs,
}

/// Orders of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Sort {
    /// Best fit first
    Relevance,
    /// Most cited first
    Citations,
    /// Newest first
    Date,
}

/// Arguments of `work`.
#[derive(Debug, clap::Args)]
pub struct Work {
    /// DOI, `OpenAlex` identifier (`W2741809807`), arXiv identifier, or `pmid:…`
    pub work_id: String,
    /// Form of the output
    #[command(flatten)]
    pub form: FormArgs,
    /// Network
    #[command(flatten)]
    pub online: OnlineArgs,
}
