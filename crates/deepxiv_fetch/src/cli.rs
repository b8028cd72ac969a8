//! Flags. Names and defaults are those of the reference's script where it has them.

use aris_contract::ids::ArxivId;

/// Arguments of `deepxiv_fetch`.
#[derive(Debug, clap::Args)]
pub struct Cli {
    /// What to do
    #[command(subcommand)]
    pub command: Command,
    /// Exit with 6 when deepxiv has not answered after this many seconds
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub deadline: u64,
    /// Print the records of the papers, one a line, instead of `DeepXiv`'s answer
    #[arg(long, global = true)]
    pub jsonl: bool,
}

/// What to do.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Search papers
    Search(Search),
    /// Show a paper's metadata and summary
    PaperBrief(Paper),
    /// Show a paper's metadata and its sections
    PaperHead(Paper),
    /// Show one section of a paper
    PaperSection(Section),
    /// Show trending papers
    Trending(Trending),
    /// Search the web
    Wsearch(Wsearch),
    /// Show the record of a paper in Semantic Scholar
    Sc(Sc),
    /// Check that `DeepXiv` answers
    Health,
}

/// Arguments of `search`.
#[derive(Debug, clap::Args)]
pub struct Search {
    /// Words to search for
    pub query: String,
    /// Maximum number of results
    #[arg(long, alias = "max", value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// How to search
    #[arg(long, default_value = "hybrid", value_parser = ["bm25", "vector", "hybrid"])]
    pub mode: String,
    /// arXiv categories, comma-separated
    #[arg(long, value_name = "LIST")]
    pub categories: Option<String>,
    /// Minimum number of citations
    #[arg(long, value_name = "N")]
    pub min_citations: Option<u32>,
    /// Published on or after this date
    #[arg(long, value_name = "DATE")]
    pub date_from: Option<String>,
    /// Published on or before this date
    #[arg(long, value_name = "DATE")]
    pub date_to: Option<String>,
}

/// Arguments of `paper-brief` and `paper-head`.
#[derive(Debug, clap::Args)]
pub struct Paper {
    /// arXiv identifier
    #[arg(value_parser = |text: &str| ArxivId::parse(text))]
    pub arxiv_id: ArxivId,
}

/// Arguments of `paper-section`.
#[derive(Debug, clap::Args)]
pub struct Section {
    /// arXiv identifier
    #[arg(value_parser = |text: &str| ArxivId::parse(text))]
    pub arxiv_id: ArxivId,
    /// Name of the section, as `paper-head` shows it
    pub section_name: String,
}

/// Arguments of `trending`.
#[derive(Debug, clap::Args)]
pub struct Trending {
    /// Days to look back
    #[arg(long, default_value = "7", value_parser = ["7", "14", "30"])]
    pub days: String,
    /// Maximum number of results
    #[arg(long, alias = "max", value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
}

/// Arguments of `wsearch`.
#[derive(Debug, clap::Args)]
pub struct Wsearch {
    /// Words to search for
    pub query: String,
}

/// Arguments of `sc`.
#[derive(Debug, clap::Args)]
pub struct Sc {
    /// Semantic Scholar's identifier
    pub semantic_scholar_id: String,
}

impl Command {
    /// The command line for the program.
    pub(crate) fn call(&self) -> Vec<String> {
        let call = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let paper = |id: &ArxivId, what: &[&str]| -> Vec<String> {
            call(&[&["paper", id.as_str()], what, &["--format", "json"]].concat())
        };
        match self {
            Self::Search(args) => {
                let limit = args.limit.to_string();
                let least = args.min_citations.map(|least| least.to_string());
                let mut words = vec!["search", &args.query, "--limit", &limit];
                for (flag, value) in [
                    ("--mode", Some(args.mode.as_str())),
                    ("--format", Some("json")),
                    ("--categories", args.categories.as_deref()),
                    ("--min-citations", least.as_deref()),
                    ("--date-from", args.date_from.as_deref()),
                    ("--date-to", args.date_to.as_deref()),
                ] {
                    words.extend(value.into_iter().flat_map(|value| [flag, value]));
                }
                call(&words)
            }
            Self::PaperBrief(args) => paper(&args.arxiv_id, &["--brief"]),
            Self::PaperHead(args) => paper(&args.arxiv_id, &["--head"]),
            Self::PaperSection(args) => paper(&args.arxiv_id, &["--section", &args.section_name]),
            Self::Trending(args) => {
                let limit = args.limit.to_string();
                let last = ["--limit", &limit, "--output", "json"];
                call(&[&["trending", "--days", &args.days], &last[..]].concat())
            }
            Self::Wsearch(args) => call(&["wsearch", &args.query, "--output", "json"]),
            Self::Sc(args) => call(&["sc", &args.semantic_scholar_id, "--output", "json"]),
            Self::Health => call(&["health"]),
        }
    }

    /// The user's texts that the program could mistake for flags.
    pub(crate) fn words(&self) -> Vec<&str> {
        match self {
            Self::Search(args) => vec![&args.query],
            Self::Wsearch(args) => vec![&args.query],
            Self::PaperSection(args) => vec![&args.section_name],
            Self::Sc(args) => vec![&args.semantic_scholar_id],
            _ => Vec::new(),
        }
    }
}
