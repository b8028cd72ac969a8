//! The diff of a pull request and the sections of reports in it.

use aris_review::{Diff, GitHub, Pull, Section, Trouble, sections};

use crate::error::Error;
use crate::folder::Folder;

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

/// Gets the diff and keeps it. What GitHub did not do is in the inner result.
pub(crate) fn fetch(
    github: &GitHub,
    pull: &Pull,
    folder: &Folder,
) -> Result<Result<Vec<u8>, Trouble>, Error> {
    let got = github.reach().and_then(|_| github.diff(pull));
    if let Ok(diff) = &got {
        folder.write(&format!("diff_{}.txt", pull.number), diff)?;
    }
    Ok(got)
}
