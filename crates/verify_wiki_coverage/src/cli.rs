//! Flags. `--scan` is the reference's.

use std::path::PathBuf;

/// Arguments of `verify_wiki_coverage`.
#[derive(Debug, clap::Args)]
pub struct Cli {
    /// The wiki's folder, which holds papers/
    pub wiki_root: PathBuf,
    /// File or folder to scan instead of the usual places; may be repeated
    #[arg(long, value_name = "PATH")]
    pub scan: Vec<PathBuf>,
    /// Where the report goes [default: .wiki-coverage-report.json in the wiki]
    #[arg(long, alias = "json-out", value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Count only ids that the text announces (arXiv:..., an address, arXiv's DOI), not bare numbers
    #[arg(long)]
    pub announced: bool,
    /// Places to name for each id
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub places: u16,
    /// Exit with 10 when a paper is missing or something could not be read
    #[arg(long)]
    pub strict: bool,
}
