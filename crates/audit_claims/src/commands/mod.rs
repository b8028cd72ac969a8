//! One file for each command.

pub(crate) mod check;
pub(crate) mod extract;
pub(crate) mod merge;
pub(crate) mod post;
pub(crate) mod prepare;
pub(crate) mod run;
pub(crate) mod verdict;

use std::path::Path;

use aris_cli::Context;
use aris_review::Findings;

use crate::Error;

/// Tells the user what to give when a list is invalid.
pub(crate) const HINT: &str = "give a list of findings, an object with one under \"findings\", or what audit_claims prints with --json";

/// Reads a list of findings.
pub(crate) fn findings(path: &Path, context: &Context) -> Result<Findings, Error> {
    let path = context.absolute(path);
    let bytes = aris_fs::read(&path, aris_fs::READ_LIMIT)?;
    Findings::read(&bytes).map_err(|wrong| Error::json(&path, &wrong, HINT))
}
