//! Flags. Names and defaults are those of the reference's script where it has them.

use std::path::PathBuf;

use aris_cli::Sink;
use aris_online::OnlineArgs;

/// Arguments of `verify_papers`.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("what").args(["paper", "input", "arxiv_ids", "titles_file", "bib", "old_paper"])))]
#[command(
    override_usage = "verify_papers [OPTIONS] [PAPER|--input <FILE>|--arxiv-ids <IDS>|--titles-file <FILE>|--bib <FILE>]"
)]
pub struct Cli {
    /// Folder of a LaTeX paper, whose cited entries are checked [default: ./paper]
    #[arg(value_name = "PAPER")]
    pub paper: Option<PathBuf>,
    /// Root document relative to the paper folder [default: found by \documentclass]
    #[arg(long, value_name = "FILE", value_parser = aris_audit::root_name, conflicts_with_all = ["input", "arxiv_ids", "titles_file", "bib"])]
    pub root: Option<String>,
    /// JSON list of papers (id, `arxiv_id`, doi, title, authors, year, venue); - for standard input
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// arXiv identifiers, comma-separated
    #[arg(long, value_name = "IDS")]
    pub arxiv_ids: Option<String>,
    /// File with one title per line; - for standard input
    #[arg(long, value_name = "FILE")]
    pub titles_file: Option<PathBuf>,
    /// Every entry of a bibliography
    #[arg(long, value_name = "FILE")]
    pub bib: Option<PathBuf>,
    /// The older spelling of PAPER
    #[arg(long = "paper", value_name = "DIR", hide = true)]
    pub old_paper: Option<PathBuf>,
    /// File for the result; - for standard output [default: -]
    #[arg(long, value_name = "FILE")]
    pub output: Option<Sink>,
    /// Print each paper as a line of JSON as soon as its verdict is known, and the overall verdict on stderr
    #[arg(long)]
    pub jsonl: bool,
    /// Write corrected fields of the bibliography as a patch to this file; the bibliography itself stays as it is
    #[arg(long, value_name = "PATCH", conflicts_with_all = ["input", "arxiv_ids", "titles_file"])]
    pub fix_bib: Option<PathBuf>,
    /// arXiv papers in one request
    #[arg(long, value_name = "N", default_value_t = aris_verify::engine::ARXIV_BATCH)]
    pub arxiv_batch_size: usize,
    /// Warn when more than this share (0 to 1) of the papers is unverified
    #[arg(long, value_name = "RATIO", default_value_t = 0.2, value_parser = ratio)]
    pub hallucination_warn_threshold: f64,
    /// Do not answer from the cache; the same as --refresh
    #[arg(long, conflicts_with = "offline")]
    pub no_cache: bool,
    /// Accept a record found by its title if at least this share (0 to 1) of the title's words agrees and the authors do not conflict
    /// [default: a score over words, characters, numbers and authors]
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    pub s2_fuzzy_threshold: Option<f64>,
    /// Accepted for older skills: all helpers share one cache; none is the same as --refresh
    #[arg(long, hide = true, value_parser = ["project", "user", "none"])]
    pub cache_scope: Option<String>,
    /// Accepted for older skills: `ARIS_CACHE_DIR` says where the shared cache is
    #[arg(long, hide = true)]
    pub cache_dir: Option<PathBuf>,
    /// Accepted for older skills: records are kept 30 days, absences one
    #[arg(long, hide = true)]
    pub cache_ttl_days: Option<u32>,
    /// How the network is used
    #[command(flatten)]
    pub online: OnlineArgs,
}

impl Cli {
    /// The paper's folder, from either spelling of the argument.
    pub(crate) fn paper(&self) -> Option<&PathBuf> {
        self.paper.as_ref().or(self.old_paper.as_ref())
    }
}

fn ratio(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(ratio) if (0.0..=1.0).contains(&ratio) => Ok(ratio),
        _ => Err(String::from("it must be a number from 0 to 1")),
    }
}
