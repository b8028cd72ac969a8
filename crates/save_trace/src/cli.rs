//! Flags. Names and defaults match the reference's script where it has them.

use std::ffi::OsString;
use std::path::PathBuf;

use aris_contract::artifact::Slug;
use aris_contract::artifact::trace::TraceMode;

/// Arguments of `save_trace`.
#[derive(Debug, clap::Args)]
pub struct Cli {
    /// Skill that made the call; becomes a folder name
    #[arg(long)]
    pub skill: Slug,
    /// Short label of the call, such as round-1-review; becomes part of file names
    #[arg(long)]
    pub purpose: Slug,
    /// Reviewer model
    #[arg(long, default_value = "")]
    pub model: String,
    /// The reviewer's conversation
    #[arg(long, value_name = "ID", default_value = "")]
    pub thread_id: String,
    /// The prompt as sent
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        conflicts_with = "prompt_file"
    )]
    pub prompt: Option<OsString>,
    /// File or pipe with the prompt as sent; - for standard input
    #[arg(long, value_name = "FILE")]
    pub prompt_file: Option<PathBuf>,
    /// The response as received
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        conflicts_with = "response_file"
    )]
    pub response: Option<OsString>,
    /// File or pipe with the response as received; - for standard input
    #[arg(long, value_name = "FILE")]
    pub response_file: Option<PathBuf>,
    /// Files the reviewer was given, hashed as they are now; may be repeated
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub files: Vec<String>,
    /// Tool the reviewer was called through
    #[arg(long, default_value = "mcp__codex__codex")]
    pub tool: String,
    /// The agent that ran the skill, such as claude-code
    #[arg(long, value_name = "NAME")]
    pub executor: Option<String>,
    /// Milliseconds the call took
    #[arg(long, value_name = "MS")]
    pub duration_ms: Option<u64>,
    /// How the call ended: ok, or one word for the failure, such as error; only ok can support an audit
    #[arg(long, default_value = "ok")]
    pub status: String,
    /// Configuration of the call, a JSON object
    #[arg(long, value_name = "JSON")]
    pub config: Option<String>,
    /// How much is kept.
    #[arg(
        long,
        value_name = "MODE",
        value_parser = |text: &str| text.parse::<TraceMode>(),
        help = "full, meta (lengths and digests only) or off [default: ARIS_TRACE_MODE, else full]"
    )]
    pub trace_mode: Option<TraceMode>,
    /// Run to add the record to, created when absent
    #[arg(long, value_name = "ID", conflicts_with = "new_run")]
    pub run_id: Option<Slug>,
    /// Start a new run instead of continuing the latest of the day
    #[arg(long)]
    pub new_run: bool,
    /// Project folder [default: the git top level, else the working directory]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
}
