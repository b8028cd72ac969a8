//! Flags.

use std::path::PathBuf;

use aris_contract::artifact::papers::Source;
use aris_online::OnlineArgs;

/// Arguments of `literature_search`.
pub type Cli = aris_online::Commands<Command>;

/// What to do.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Ask all sources at once and merge their answers
    Aggregate(Ask),
    /// Ask one source after the other until one has results
    Cascade(Ask),
    /// Merge records of saved files; no network
    Merge(Merge),
}

/// Arguments of `aggregate` and `cascade`.
#[derive(Debug, clap::Args)]
pub struct Ask {
    /// Words to search for
    pub query: String,
    /// Sources, asked in the order given here, comma-separated: arxiv, crossref, dblp, deepxiv, exa, openalex, `semantic_scholar`
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = source,
        default_value = "arxiv,semantic_scholar,openalex,crossref,dblp"
    )]
    pub sources: Vec<Source>,
    /// Maximum number of papers
    #[arg(long, alias = "max", value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=5000))]
    pub limit: u32,
    /// Maximum number of records from each source
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub per_source: u32,
    /// Form of the output
    #[command(flatten)]
    pub form: Form,
    /// Network
    #[command(flatten)]
    pub online: OnlineArgs,
}

/// Arguments of `merge`.
#[derive(Debug, clap::Args)]
pub struct Merge {
    /// Files with records: lines of JSON, a list, or the envelope of a helper
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Words that decide the order; without them the order of the files stays
    #[arg(long, value_name = "WORDS")]
    pub query: Option<String>,
    /// Form of the output
    #[command(flatten)]
    pub form: Form,
}

/// Form of the output. `--json` goes before both.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Form {
    /// Print one record a line, as JSON
    #[arg(long, conflicts_with = "bibtex", display_order = 790)]
    pub jsonl: bool,
    /// Print a bibliography entry for each paper
    #[arg(long, display_order = 791)]
    pub bibtex: bool,
}

/// Sources that can be searched.
const SEARCHED: [Source; 7] = [
    Source::Arxiv,
    Source::Crossref,
    Source::Dblp,
    Source::Deepxiv,
    Source::Exa,
    Source::Openalex,
    Source::SemanticScholar,
];

fn source(text: &str) -> Result<Source, String> {
    let word = text.trim().replace('-', "_");
    SEARCHED
        .into_iter()
        .find(|source| source.word() == word)
        .ok_or_else(|| {
            let words = SEARCHED.map(Source::word).join(", ");
            format!("not a source that can be searched; there are {words}")
        })
}
