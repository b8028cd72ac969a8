//! Flags. They have the names that the original script had.

use std::path::PathBuf;

/// Arguments of `extract_paper_style`.
#[derive(Debug, clap::Args)]
pub struct Cli {
    /// The reference paper: a folder with LaTeX sources, a .tex or .pdf file, an arXiv identifier (arxiv:2501.12345), or an
    /// http(s) address; what exists on disk wins over an identifier
    #[arg(long, value_name = "SOURCE")]
    pub source: String,
    /// Folder that keeps the profiles [default: `ARIS_STYLE_REF_CACHE`, or aris-style-refs in the user's cache folder]
    #[arg(long, alias = "out", value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Measure again and write the files again; remote papers are downloaded again
    #[arg(long)]
    pub force: bool,
    /// Time for reading a PDF
    #[arg(long, value_name = "SECONDS", hide = true, default_value_t = 120)]
    pub pdf_seconds: u64,
    /// Use only the cache; what is not in it gives exit 7
    #[arg(long, conflicts_with = "refresh", display_order = 800)]
    pub offline: bool,
    /// Ask the source again, also where the cache has an answer
    #[arg(long, display_order = 801)]
    pub refresh: bool,
}
