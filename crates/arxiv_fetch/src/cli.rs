//! Flags. Names and defaults are those of the reference's script where it has them.

use std::path::PathBuf;

use aris_contract::ids::ArxivId;
use aris_online::{FormArgs, OnlineArgs};

/// Arguments of `arxiv_fetch`.
pub type Cli = aris_online::Commands<Command>;

/// What to do.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Search arXiv, or look papers up by identifier
    Search(Search),
    /// Download a paper's PDF or source
    Download(Download),
}

/// Arguments of `search`.
#[derive(Debug, clap::Args)]
pub struct Search {
    /// Words or a query in arXiv's language (`au:Vaswani AND ti:attention`); an identifier, with or without `id:`; several
    /// identifiers, comma-separated
    pub query: String,
    /// Maximum number of results
    #[arg(long, alias = "max", value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=30_000))]
    pub limit: u32,
    /// Number of the first result, from 0
    #[arg(
        long = "offset",
        alias = "start",
        value_name = "N",
        default_value_t = 0
    )]
    pub start: u32,
    /// Order of the results, best or newest first
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
    /// Newest version first
    Updated,
    /// Newest paper first
    Submitted,
}

/// Arguments of `download`.
#[derive(Debug, clap::Args)]
pub struct Download {
    /// Identifier, `2301.07041` or `cs/0601001`; with a version (`v2`) that version, else the newest
    #[arg(value_parser = |text: &str| ArxivId::parse(text))]
    pub id: ArxivId,
    /// Folder to write to; created if absent
    #[arg(long, alias = "dir", value_name = "DIR", default_value = "papers")]
    pub output: PathBuf,
    /// Download the source and unpack it into a folder named after the paper
    #[arg(long)]
    pub source: bool,
    /// Taken for the sake of old calls; the pace between requests is kept without it
    #[arg(long, value_name = "SECONDS", hide = true)]
    pub delay: Option<f64>,
    /// Network
    #[command(flatten)]
    pub online: OnlineArgs,
}
