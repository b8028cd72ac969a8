//! Refuses folders and files that the branch under review may have made: a branch can commit a configuration, answers of agents, or a link
//! that leads out of the worktree.

use std::path::{Path, PathBuf};

use aris_contract::ErrorKind;

use crate::error::GateError;
use crate::git::Worktree;

/// Refuses `path` where the branch under review has committed it or could have. The worktree is the one that contains `base`; outside of it
/// nothing is refused. Git must track nothing in a folder (`Part::Folder`), but may track a file itself (`Part::File`).
///
/// Links are refused whoever made them. Names are compared without regard to case, as some file systems do.
///
/// **Errors**: `path` is refused, or git failed.
pub fn own(base: &Path, path: &Path, part: Part) -> Result<(), GateError> {
    let Some(top) = base.ancestors().find(|folder| is_worktree(folder)) else {
        return Ok(());
    };
    let path = aris_fs::lexical(path);
    let Ok(inside) = path.strip_prefix(top) else {
        return Ok(());
    };
    let of_branch = |path: PathBuf, what| {
        let place = path.display();
        let message = format!("{place} {what}: nothing is read there and nothing is written");
        Err(GateError::refused_at(
            &path,
            ErrorKind::Precondition,
            message,
            HINT,
        ))
    };
    let mut at = top.to_path_buf();
    for part in inside {
        at.push(part);
        if at.is_symlink() {
            return of_branch(at, "is a link");
        }
    }
    let wanted = inside.to_string_lossy();
    let worktree = Worktree {
        path: top.to_path_buf(),
    };
    let lower = wanted.to_lowercase();
    for name in worktree.tracked()? {
        let there = name.to_lowercase();
        let hit = if there == lower {
            part == Part::Folder || name != wanted
        } else {
            let above = lower.strip_prefix(&there);
            let below = there.strip_prefix(&lower);
            above.is_some_and(|rest| rest.starts_with('/'))
                || (part == Part::Folder && below.is_some_and(|rest| rest.starts_with('/')))
        };
        if hit {
            return of_branch(top.join(name), "is committed in the branch");
        }
    }
    Ok(())
}

const HINT: &str = "answers of agents, files of the gates and configurations must not come with the pull request: take it out of the branch (git rm -r --cached), or name a folder outside of the worktree with --output";

/// What [`own`] checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A folder, with all that is in it.
    Folder,
    /// One file. Git may track it: the caller then reads it from the base branch.
    File,
}

/// Whether git takes a folder for the top of a worktree. **Source**: gitrepository-layout(5).
fn is_worktree(folder: &Path) -> bool {
    let git = folder.join(".git");
    git.is_file()
        || ["objects", "refs"]
            .iter()
            .all(|name| git.join(name).exists())
}
