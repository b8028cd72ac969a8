//! The git worktree of a report.

use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_cli::Context;

use crate::error::Error;

/// The top of the git worktree at `path`.
pub(crate) fn worktree(path: &Path, context: &Context) -> Result<PathBuf, Error> {
    let path = context.absolute(path);
    let done = aris_proc::command("git", &path)
        .args(["rev-parse", "--show-toplevel"])
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .run(Duration::from_secs(30));
    match done {
        Ok(done) if done.success() => Ok(PathBuf::from(done.stdout.text().trim_end_matches('\n'))),
        _ => Err(Error::Worktree { path }),
    }
}
