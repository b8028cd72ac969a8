//! The command line.

use std::path::PathBuf;

use aris_contract::artifact::audit::Assurance;
use clap::Args;

/// Arguments of the gate.
#[derive(Clone, Debug, Args)]
pub struct Cli {
    /// Directory of the paper
    #[arg(value_name = "PAPER_DIR")]
    pub paper_dir: PathBuf,
    /// Root document relative to the paper directory [default: found by \documentclass]
    #[arg(long, value_name = "FILE")]
    pub root: Option<String>,
    /// How strict to be: draft or submission [default: what `.aris/assurance.txt` in the paper says, else draft]
    #[arg(long, value_name = "LEVEL", value_parser = assurance)]
    pub assurance: Option<Assurance>,
    /// Policy file; what it leaves out comes from the built-in policy
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// Where the report goes [default: `.aris/audit-verifier-report.json` in the paper]
    #[arg(long, value_name = "FILE")]
    pub json_out: Option<PathBuf>,
    /// Also write the report as one self-contained HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Also write an in-toto statement over every judged file of the paper
    #[arg(long, value_name = "FILE")]
    pub attest: Option<PathBuf>,
    /// OpenSSH key that signs the statement, and with it the heads of the chains; the signature goes beside it, with `.sig` added
    #[arg(long, value_name = "FILE", requires = "attest")]
    pub sign_key: Option<PathBuf>,
}

fn assurance(text: &str) -> Result<Assurance, String> {
    text.parse()
        .map_err(|error: aris_contract::artifact::audit::AssuranceError| error.to_string())
}
