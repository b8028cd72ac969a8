//! The diff of a pull request and the sections of reports in it.

use std::path::Path;

use aris_cli::Context;
use aris_gates::Folder;
use aris_review::{Claim, Diff, Forge, Pull, Section, Trouble, sections};

use crate::error::Error;

/// Files that are reports unless flags say otherwise. **Source**: citation gates, §4.3.
const REPORTS: [&str; 3] = ["research/**", "*.md", "*.tex"];

/// Which files are reports.
#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// Files that are reports; may be repeated; default: research/**, *.md, *.tex
    #[arg(long, value_name = "GLOB")]
    report_glob: Vec<String>,
}

impl ReportArgs {
    pub(crate) fn sections(&self, diff: &[u8]) -> Vec<Section> {
        let usual = || REPORTS.map(str::to_owned).to_vec();
        let globs = if self.report_glob.is_empty() {
            usual()
        } else {
            self.report_glob.clone()
        };
        sections(&Diff::read(diff), &globs)
    }
}

/// Gets the diff and keeps it. What the service did not do is in the inner result.
pub(crate) fn fetch(
    forge: &dyn Forge,
    pull: &Pull,
    folder: &Folder,
) -> Result<Result<Vec<u8>, Trouble>, Error> {
    let got = forge.reach().and_then(|_| forge.diff(pull));
    if let Ok(diff) = &got {
        folder.write(&format!("diff_{}.txt", pull.number), diff)?;
    }
    Ok(got)
}

/// The claims of an earlier step; none when there was none.
pub(crate) fn kept_claims(folder: &Folder, number: u64) -> Result<Vec<Claim>, Error> {
    let path = folder.at(&format!("claims_{number}.json"));
    if !path.exists() {
        return Ok(Vec::new());
    }
    Ok(aris_gates::read(&path, "run prepare or run again")?)
}

/// The diff of an earlier step, or of a file.
pub(crate) fn kept_diff(
    folder: &Folder,
    given: Option<&Path>,
    number: u64,
    context: &Context,
) -> Result<Option<Vec<u8>>, Error> {
    let limit = aris_fs::READ_LIMIT;
    Ok(match given {
        Some(path) => Some(aris_fs::read(&context.absolute(path), limit)?),
        None => aris_fs::read_optional(&folder.at(&format!("diff_{number}.txt")), limit)?,
    })
}
