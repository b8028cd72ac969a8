//! Flags. Names and defaults are those of the reference's script where it has them.

use std::path::PathBuf;

use aris_online::{FormArgs, OnlineArgs};

/// Arguments of `semantic_scholar_fetch`.
pub type Cli = aris_online::Commands<Command>;

/// What to do.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Search by relevance
    Search(Search),
    /// Search all matching papers, sorted, page by page
    SearchBulk(SearchBulk),
    /// Look one paper up
    Paper(One),
    /// List the papers that cite a paper
    Citations(Neighbours),
    /// List the papers that a paper cites
    References(Neighbours),
    /// Find the one paper with a title
    Match(Match),
    /// Look many papers up in one request
    Batch(Batch),
}

/// Arguments of `search`.
#[derive(Debug, clap::Args)]
pub struct Search {
    /// Words to search for
    pub query: String,
    /// Maximum number of results
    #[arg(long, alias = "max", value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// Number of the first result, from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub offset: u32,
    /// What only is searched
    #[command(flatten)]
    pub filters: Filters,
    /// Output and network
    #[command(flatten)]
    pub common: Common,
}

/// Arguments of `search-bulk`.
#[derive(Debug, clap::Args)]
pub struct SearchBulk {
    /// Words to search for
    pub query: String,
    /// Maximum number of results
    #[arg(long, alias = "max", value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub limit: u32,
    /// Continue an earlier search: the token that it printed
    #[arg(long)]
    pub token: Option<String>,
    /// Order: `citationCount`, `publicationDate` or `paperId`, with `:desc` the other way round
    #[arg(long, value_parser = sort)]
    pub sort: Option<String>,
    /// What only is searched
    #[command(flatten)]
    pub filters: Filters,
    /// Output and network
    #[command(flatten)]
    pub common: Common,
}

/// Arguments of `paper`.
#[derive(Debug, clap::Args)]
pub struct One {
    /// Semantic Scholar's identifier, a DOI, an arXiv identifier, or a name with its kind: `CorpusId:…`, `ARXIV:…`, `PMID:…`, `ACL:…`
    pub id: String,
    /// Output and network
    #[command(flatten)]
    pub common: Common,
}

/// Arguments of `citations` and `references`.
#[derive(Debug, clap::Args)]
pub struct Neighbours {
    /// The paper, named as for `paper`
    pub id: String,
    /// Maximum number of results
    #[arg(long, alias = "max", value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub limit: u32,
    /// Number of the first result, from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub offset: u32,
    /// Output and network
    #[command(flatten)]
    pub common: Common,
}

/// Arguments of `match`.
#[derive(Debug, clap::Args)]
pub struct Match {
    /// The title
    pub title: String,
    /// Output and network
    #[command(flatten)]
    pub common: Common,
}

/// Arguments of `batch`.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("papers").required(true).multiple(true).args(["ids", "input"])))]
pub struct Batch {
    /// Papers, named as for `paper`
    #[arg(value_name = "IDS")]
    pub ids: Vec<String>,
    /// File with one name a line; - for standard input
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// Output and network
    #[command(flatten)]
    pub common: Common,
}

/// Output and network.
#[derive(Debug, clap::Args)]
pub struct Common {
    /// Fields to ask for, comma-separated
    #[arg(long, value_name = "LIST")]
    pub fields: Option<String>,
    /// Form of the output
    #[command(flatten)]
    pub form: FormArgs,
    /// Network
    #[command(flatten)]
    pub online: OnlineArgs,
}

/// What only is searched.
#[derive(Debug, Default, clap::Args)]
pub struct Filters {
    /// Fields of study, comma-separated: `Computer Science,Engineering`
    #[arg(long, value_name = "LIST")]
    pub fields_of_study: Option<String>,
    /// Exact names of venues, comma-separated
    #[arg(long, value_name = "LIST")]
    pub venue: Option<String>,
    /// Year or years: `2023`, `2020-2024`, `2020-`, `-2023`
    #[arg(long, allow_hyphen_values = true, value_parser = aris_online::years)]
    pub year: Option<String>,
    /// Minimum number of citations
    #[arg(long, value_name = "N")]
    pub min_citations: Option<u32>,
    /// Types of publication, comma-separated: `JournalArticle`, `Conference`, `Review` …
    #[arg(long, value_name = "LIST")]
    pub publication_types: Option<String>,
    /// Only papers with an open-access PDF
    #[arg(long)]
    pub open_access: bool,
}

/// Parses a sort order of Semantic Scholar. **Source**: its interface, "paper bulk search".
fn sort(text: &str) -> Result<String, String> {
    let (field, order) = text.split_once(':').unwrap_or((text, "asc"));
    if ["citationCount", "publicationDate", "paperId"].contains(&field)
        && ["asc", "desc"].contains(&order)
    {
        Ok(text.to_owned())
    } else {
        Err(String::from("it must look like citationCount:desc"))
    }
}

impl Filters {
    /// The filters that are set, with Semantic Scholar's names.
    pub(crate) fn named(&self) -> Vec<(&'static str, String)> {
        let open = self.open_access.then(String::new);
        let named = [
            ("fieldsOfStudy", self.fields_of_study.clone()),
            ("venue", self.venue.clone()),
            ("year", self.year.clone()),
            (
                "minCitationCount",
                self.min_citations.map(|count| count.to_string()),
            ),
            ("publicationTypes", self.publication_types.clone()),
            ("openAccessPdf", open),
        ];
        let set = named.into_iter();
        set.filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }
}
