//! Flags. Names and defaults are those of the reference's script where it has them.

use aris_online::{FormArgs, OnlineArgs};

/// Arguments of `exa_search`.
pub type Cli = aris_online::Commands<Command>;

/// What to do.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Search the web
    Search(Search),
    /// Find pages like a page
    FindSimilar(FindSimilar),
    /// Get the contents of pages
    GetContents(GetContents),
}

/// Arguments of `search`.
#[derive(Debug, clap::Args)]
pub struct Search {
    /// What to search for
    pub query: String,
    /// How to search
    #[arg(long = "type", value_name = "TYPE", default_value = "auto", value_parser = ["auto", "neural", "fast", "instant"])]
    pub search_type: String,
    /// Kind of page: `company`, `research paper`, `news`, `personal site`, `financial report`, `people`
    #[arg(long)]
    pub category: Option<String>,
    /// Phrases that a page must have, comma-separated
    #[arg(long, value_name = "LIST")]
    pub include_text: Option<String>,
    /// Phrases that no page may have, comma-separated
    #[arg(long, value_name = "LIST")]
    pub exclude_text: Option<String>,
    /// Country for which to search, two letters
    #[arg(long, value_name = "COUNTRY")]
    pub location: Option<String>,
    /// Filters and content options
    #[command(flatten)]
    pub wanted: Wanted,
}

/// Arguments of `find-similar`.
#[derive(Debug, clap::Args)]
pub struct FindSimilar {
    /// The page
    pub url: String,
    /// Filters and content options
    #[command(flatten)]
    pub wanted: Wanted,
}

/// Arguments of `get-contents`.
#[derive(Debug, clap::Args)]
pub struct GetContents {
    /// The pages
    #[arg(required = true)]
    pub urls: Vec<String>,
    /// What to get of each page
    #[arg(long, value_enum, default_value_t = Content::Text)]
    pub content: Content,
    /// Maximum number of characters of each page
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_chars: u32,
    /// Form of the output
    #[command(flatten)]
    pub form: FormArgs,
    /// Network
    #[command(flatten)]
    pub online: OnlineArgs,
}

/// Filters of the search, the number of results, and the text to show of each.
#[derive(Debug, clap::Args)]
pub struct Wanted {
    /// Maximum number of results
    #[arg(long, alias = "max", value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub limit: u32,
    /// What to get of each page
    #[arg(long, value_enum, default_value_t = Content::Highlights)]
    pub content: Content,
    /// Maximum number of characters of each page
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_chars: u32,
    /// Only these domains, comma-separated
    #[arg(long, value_name = "LIST")]
    pub include_domains: Option<String>,
    /// Not these domains, comma-separated
    #[arg(long, value_name = "LIST")]
    pub exclude_domains: Option<String>,
    /// Published on or after this date, `2025-01-01`
    #[arg(long = "date-from", alias = "start-date", value_name = "DATE")]
    pub start_date: Option<String>,
    /// Published on or before this date
    #[arg(long = "date-to", alias = "end-date", value_name = "DATE")]
    pub end_date: Option<String>,
    /// Form of the output
    #[command(flatten)]
    pub form: FormArgs,
    /// Network
    #[command(flatten)]
    pub online: OnlineArgs,
}

/// What to get of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Content {
    /// The passages that fit
    Highlights,
    /// The text
    Text,
    /// A summary written by Exa; costs more
    Summary,
    /// Nothing
    None,
}
