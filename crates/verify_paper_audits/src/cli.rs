//! The command line.

use std::path::PathBuf;

use aris_contract::artifact::audit::Assurance;
use clap::{Args, Subcommand};

/// Arguments of the gate.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do; without one the paper is gated
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) gate: GateArgs,
}

/// What else the helper does.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Command {
    /// Print the prompt with which a reviewer makes an audit
    Prompt(PromptArgs),
    /// Write the artifact of an audit from the reviewer's kept answer
    Record(RecordArgs),
    /// List what earlier runs found and nobody has cleared
    Obligations(ObligationArgs),
    /// Compare a statement made by --attest with the files of a paper
    CheckStatement(CheckArgs),
}

/// Which paper.
#[derive(Clone, Debug, Args)]
pub(crate) struct PaperArgs {
    /// Folder of the paper [default: ./paper if it exists, else .]
    #[arg(value_name = "PAPER")]
    pub paper: Option<PathBuf>,
    /// Root document relative to the paper folder [default: found by \documentclass]
    #[arg(long, value_name = "FILE")]
    pub root: Option<String>,
    /// Policy file: `schema`, and the keys that differ from the built-in ones
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
}

/// Arguments of a run of the gate.
#[derive(Clone, Debug, Args)]
pub(crate) struct GateArgs {
    #[command(flatten)]
    pub paper: PaperArgs,
    /// How strict to be: draft or submission [default: what `.aris/assurance.txt` in the paper says, else draft]
    #[arg(long, value_name = "LEVEL", value_parser = assurance)]
    pub assurance: Option<Assurance>,
    /// Where the report goes [default: `.aris/audit-verifier-report.json` in the paper]
    #[arg(long, alias = "json-out", value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also write the report as one self-contained HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Also write an in-toto statement over every judged file of the paper
    #[arg(long, value_name = "FILE")]
    pub attest: Option<PathBuf>,
    /// OpenSSH key to sign the statement, which covers the last record of each trace; the signature goes beside it, with `.sig` added
    #[arg(long, value_name = "FILE", requires = "attest")]
    pub sign_key: Option<PathBuf>,
}

/// Arguments of `prompt`.
#[derive(Clone, Debug, Args)]
pub(crate) struct PromptArgs {
    #[command(flatten)]
    pub paper: PaperArgs,
    /// Skill of the audit, as the policy or the paper's manifest names it: proof-checker, kill-argument, …
    #[arg(long, value_name = "SKILL")]
    pub audit: String,
}

/// Arguments of `record`.
#[derive(Clone, Debug, Args)]
pub(crate) struct RecordArgs {
    #[command(flatten)]
    pub paper: PaperArgs,
    /// Skill of the audit, as the policy or the paper's manifest names it: proof-checker, kill-argument, …
    #[arg(long, value_name = "SKILL")]
    pub audit: String,
    /// Folder of the run that keeps the answer, as `save_trace` printed it [default: the latest run of the skill]
    #[arg(long, value_name = "DIR")]
    pub trace: Option<PathBuf>,
    /// The reviewer's thread [default: the one that answered last]
    #[arg(long, value_name = "ID")]
    pub thread_id: Option<String>,
    /// Summary of the audit, one line [default: reviewer, verdict and record]
    #[arg(long, value_name = "TEXT")]
    pub summary: Option<String>,
}

/// Arguments of `obligations`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ObligationArgs {
    /// Folder of the paper [default: ./paper if it exists, else .]
    #[arg(value_name = "PAPER")]
    pub paper: Option<PathBuf>,
}

/// Arguments of `check-statement`.
#[derive(Clone, Debug, Args)]
pub(crate) struct CheckArgs {
    /// The statement; its signature, FILE.sig, is checked where it is there
    #[arg(value_name = "FILE")]
    pub statement: PathBuf,
    /// Folder of the paper [default: ./paper if it exists, else .]
    #[arg(value_name = "PAPER")]
    pub paper: Option<PathBuf>,
    /// Keys that may sign, in the format of ssh-keygen's ALLOWED SIGNERS
    #[arg(long, value_name = "FILE", requires = "signer")]
    pub allowed_signers: Option<PathBuf>,
    /// Who must have signed, as that file names them
    #[arg(long, value_name = "NAME", requires = "allowed_signers")]
    pub signer: Option<String>,
}

fn assurance(text: &str) -> Result<Assurance, String> {
    text.parse()
        .map_err(|error: aris_contract::artifact::audit::AssuranceError| error.to_string())
}
