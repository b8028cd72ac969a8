//! The diff of a pull request and the sections of reports in it.

use std::path::Path;

use aris_cli::Context;
use aris_gates::{Folder, Worktree, open};
use aris_review::{Claim, Diff, Forge, Gate, Pull, Reports, Trouble};

use crate::agents::Open;
use crate::error::Error;

/// Which files are reports.
#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// Files that are reports; may be repeated; default: research/**, *.md, *.markdown, *.tex, in upper or lower case
    #[arg(long, value_name = "GLOB")]
    report_glob: Vec<String>,
}

impl ReportArgs {
    /// The globs.
    pub(crate) fn reports(&self) -> Reports {
        Reports {
            globs: self.report_glob.clone(),
        }
    }
}

/// What a pull request changes.
pub(crate) struct Changes {
    /// The commit at its head.
    pub(crate) head: String,
    /// The whole diff. Where it does not show the text of a report that is in a commit here, the text stands at its end, as if it was new.
    pub(crate) diff: Vec<u8>,
}

/// Gets the diff and keeps it. What the service did not do is in the inner result.
pub(crate) fn fetch(
    forge: &dyn Forge,
    pull: &Pull,
    reports: &Reports,
    worktree: Option<&Worktree>,
    folder: &Folder,
) -> Result<Result<Changes, Trouble>, Error> {
    let record = match forge.reach().and_then(|_| forge.record(pull)) {
        Ok(record) => record,
        Err(trouble) => return Ok(Err(trouble)),
    };
    open(pull, &record)?;
    let mut diff = match forge.diff(pull, &record) {
        Ok(diff) => diff,
        Err(trouble) => return Ok(Err(trouble)),
    };
    let read = Diff::read(&diff);
    for hidden in reports.hidden(&read).iter().filter(|hidden| hidden.is_file) {
        let text = match worktree {
            Some(worktree) => worktree.text_at(&record.head, &hidden.path)?,
            None => None,
        };
        if let Some(text) = text {
            diff.extend(hidden.as_new(&text).into_bytes());
        }
    }
    folder.write(&format!("diff_{}.txt", pull.number), &diff)?;
    Ok(Ok(Changes {
        head: record.head,
        diff,
    }))
}

/// Reports that nobody can look at, because the diff does not show their text.
pub(crate) fn unseen(reports: &Reports, diff: &Diff, gate: Gate) -> Vec<Open> {
    let dimension = gate.profile().dimensions.first().copied();
    let hidden = reports.hidden(diff).into_iter();
    hidden
        .map(|hidden| Open {
            file: hidden.path.clone(),
            line: None,
            dimension: dimension.unwrap_or_default(),
            why: format!(
                "the diff does not show the text of this report: {}",
                hidden.why
            ),
        })
        .collect()
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
