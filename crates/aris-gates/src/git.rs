//! Runs git in a worktree. It pushes nothing, takes file names literally and not as patterns, and disables hooks: a hook such as
//! pre-commit's runs code of the branch under review.

use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_contract::ErrorKind::Precondition;
use aris_fs::FsError;
use aris_proc::{Command, End, Finished};

use crate::error::GateError;

const TIME: Duration = Duration::from_mins(10);

/// Environment variables that point git at another repository, as inside a git hook; removed from git's environment.
const FOREIGN: [&str; 4] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
];

/// A git worktree.
#[derive(Clone, Debug)]
pub struct Worktree {
    /// Its top folder.
    pub path: PathBuf,
}

impl Worktree {
    /// The worktree that contains `folder`.
    ///
    /// **Errors**: the folder is absent, or in no git worktree.
    pub fn of(folder: &Path) -> Result<Self, GateError> {
        let path = folder.to_path_buf();
        if !folder.exists() {
            return Err(FsError::NotFound { path }.into());
        }
        let done = run(folder, &["rev-parse", "--show-toplevel"]).ok();
        let done = done.filter(Finished::success);
        let text = done.map(|done| done.stdout.text().into_owned());
        let top = text.unwrap_or_default();
        match top.trim_end_matches('\n') {
            "" => {
                let message = format!("{} is no git worktree", path.display());
                let hint = "name the folder that `git clone` or `git worktree add` made";
                Err(GateError::refused_at(&path, Precondition, message, hint))
            }
            top => Ok(Self { path: top.into() }),
        }
    }

    /// Paths of all files, links and submodules that git tracks, relative to the top folder.
    pub fn tracked(&self) -> Result<Vec<String>, GateError> {
        Ok(names(&self.done(&["ls-files", "-z"])?))
    }

    /// The branch that is checked out.
    ///
    /// **Errors**: HEAD is detached.
    pub fn branch(&self) -> Result<String, GateError> {
        let branch = self.line(&["symbolic-ref", "--short", "-q", "HEAD"])?;
        branch.ok_or_else(|| {
            let message = format!("no branch is checked out in {}", self.path.display());
            let hint = "check out the branch of the pull request";
            GateError::refused_at(&self.path, Precondition, message, hint)
        })
    }

    /// The commit that is checked out; `None` before the first commit.
    pub fn head(&self) -> Result<Option<String>, GateError> {
        self.line(&["rev-parse", "-q", "--verify", "HEAD"])
    }

    /// The text of a file in a commit; `None` where the commit or the file is absent, and for a file that is not UTF-8 or contains NUL.
    pub fn text_at(&self, commit: &str, path: &str) -> Result<Option<String>, GateError> {
        let name = format!("{commit}:{path}");
        let done = run(&self.path, &["cat-file", "blob", &name])?;
        let text = String::from_utf8(done.stdout.bytes).ok();
        Ok(text.filter(|text| done.end == End::Exited(0) && !text.contains('\0')))
    }

    /// Tracked files that differ between `commit` and the working tree, added and deleted ones too; `None` where this repository does not
    /// have the commit.
    pub fn changed_since(&self, commit: &str) -> Result<Option<Vec<String>>, GateError> {
        if !has(&self.path, commit)? {
            return Ok(None);
        }
        let fixed = ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff"];
        let said = self.done(&[&fixed[..], &["--no-textconv", commit, "--"]].concat())?;
        Ok(Some(names(&said)))
    }

    /// The first of `files` that a git filter (`filter=` in `.gitattributes`, as for LFS) changes on its way into a commit.
    pub fn filtered(&self, files: &[String]) -> Result<Option<String>, GateError> {
        let said = self.done(&with(&["check-attr", "-z", "filter", "--"], files))?;
        let said = String::from_utf8_lossy(&said);
        let parts: Vec<&str> = said.split('\0').collect();
        let mut parts = parts.chunks_exact(3);
        let filtered = parts.find(|part| !matches!(part[2], "unspecified" | "unset"));
        Ok(filtered.map(|part| part[0].to_owned()))
    }

    /// Whether `commit` is `head` or an ancestor of it; `None` when this repository does not have both.
    pub fn contains(&self, head: &str, commit: &str) -> Result<Option<bool>, GateError> {
        if !has(&self.path, commit)? || !has(&self.path, head)? {
            return Ok(None);
        }
        let done = run(&self.path, &["merge-base", "--is-ancestor", commit, head])?;
        Ok(Some(done.success()))
    }

    /// The parents (hashes, separated by blanks) and the subject of the commit that is checked out; `None` before the first commit.
    pub fn parent_and_subject(&self) -> Result<Option<(String, String)>, GateError> {
        let line = self.line(&["log", "-1", "--format=%P%x09%s"])?;
        Ok(line.and_then(|line| {
            let (parent, subject) = line.split_once('\t')?;
            Some((parent.to_owned(), subject.to_owned()))
        }))
    }

    /// Whether any of these files differs from the commit that is checked out; an untracked file does.
    pub fn differs(&self, files: &[String]) -> Result<bool, GateError> {
        let fixed = ["status", "--porcelain", "--untracked-files=all", "--"];
        Ok(!self.done(&with(&fixed, files))?.is_empty())
    }

    /// Whether the message of `commit` has this line; also no where the commit is not here.
    pub fn has_line(&self, commit: &str, line: &str) -> Result<bool, GateError> {
        let is_name = commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_name || !has(&self.path, commit)? {
            return Ok(false);
        }
        let said = self.done(&["log", "-1", "--format=%B", commit, "--"])?;
        let said = String::from_utf8_lossy(&said);
        Ok(said.lines().any(|one| one == line))
    }

    /// Commits these files as they are in the working tree, and nothing else that is staged; returns the new commit. `line` follows the subject.
    /// On failure the index is as before.
    pub fn commit(&self, subject: &str, line: &str, files: &[String]) -> Result<String, GateError> {
        let known = names(&self.done(&with(&["ls-files", "-z", "--"], files))?);
        let mut new = files.to_vec();
        new.retain(|file| !known.contains(file));
        // `git commit --only` refuses files that git does not know: announce them first.
        if !new.is_empty() {
            self.done(&with(&["add", "--intent-to-add", "--"], &new))?;
        }
        let [subject, line] = [subject, line].map(|text| format!("--message={text}"));
        let fixed = ["commit", "--quiet", "--only", &subject, &line, "--"];
        let arguments = with(&fixed, files);
        if let Err(error) = self.done(&arguments) {
            if !new.is_empty() {
                self.done(&with(&["rm", "--cached", "--quiet", "--"], &new))?;
            }
            return Err(error);
        }
        let failed = || failed("commit", "there is no commit afterwards");
        self.head()?.ok_or_else(failed)
    }

    /// The first line of a command's stdout; `None` when the command failed or wrote nothing.
    fn line(&self, arguments: &[&str]) -> Result<Option<String>, GateError> {
        let done = run(&self.path, arguments)?;
        let text = done.stdout.text();
        let line = text.lines().next().unwrap_or_default();
        Ok((done.success() && !line.is_empty()).then(|| line.to_owned()))
    }

    /// The stdout of a command.
    ///
    /// **Errors**: the command failed.
    fn done<A: AsRef<str>>(&self, arguments: &[A]) -> Result<Vec<u8>, GateError> {
        let done = run(&self.path, arguments)?;
        if done.success() {
            return Ok(done.stdout.bytes);
        }
        let said = format!("{} {}", done.stderr.text(), done.stdout.text());
        let what = arguments.first().map_or("", AsRef::as_ref);
        Err(failed(what, &aris_review::one_line(&said, 400)))
    }
}

/// The error that a git command failed.
fn failed(what: &str, said: &str) -> GateError {
    let hint = "put right what git says, then call again";
    GateError::refused(Precondition, format!("git {what}: {said}"), hint)
}

/// Where to read a file from. The branch under review can change every file that git tracks, so such a file is read from the base branch.
pub enum Kept {
    /// Git tracks the file neither here nor in the base branch: it is the user's own.
    Untracked,
    /// The content in the base branch; `None` where that branch has no such file.
    In(Option<Vec<u8>>),
    /// Git tracks the file, and the base branch is not known here.
    NoBase,
}

/// Where to read the file `path`, relative to `folder`. The base branch is `refs/remotes/origin/{base}`, else the local branch `base`.
pub fn kept(folder: &Path, path: &str, base: Option<&str>) -> Result<Kept, GateError> {
    let tracked = run(folder, &["ls-files", "--error-unmatch", "--", path])?.success();
    for place in ["refs/remotes/origin", "refs/heads"] {
        let Some(name) = base.map(|base| format!("{place}/{base}")) else {
            continue;
        };
        if !has(folder, &name)? {
            continue;
        }
        let shown = run(folder, &["show", &format!("{name}:./{path}")])?;
        // Read from the base even where the branch under review has deleted the file.
        return Ok(match (shown.success(), tracked) {
            (true, _) => Kept::In(Some(shown.stdout.bytes)),
            (false, true) => Kept::In(None),
            (false, false) => Kept::Untracked,
        });
    }
    Ok(if tracked {
        Kept::NoBase
    } else {
        Kept::Untracked
    })
}

/// Whether the repository of `folder` has a commit, given as hash or ref.
fn has(folder: &Path, commit: &str) -> Result<bool, GateError> {
    let commit = format!("{commit}^{{commit}}");
    let done = run(folder, &["rev-parse", "-q", "--verify", &commit])?;
    Ok(done.success() && !done.stdout.bytes.is_empty())
}

/// Splits names that each end in NUL.
fn names(said: &[u8]) -> Vec<String> {
    let said = String::from_utf8_lossy(said);
    let names = said.split('\0').filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

fn with(arguments: &[&str], files: &[String]) -> Vec<String> {
    let fixed = arguments.iter().map(|argument| (*argument).to_owned());
    fixed.chain(files.iter().cloned()).collect()
}

fn run<A: AsRef<str>>(folder: &Path, arguments: &[A]) -> Result<Finished, GateError> {
    let fixed = [
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "core.fsmonitor=false",
    ];
    let arguments = arguments.iter().map(AsRef::as_ref);
    let command = aris_proc::command("git", folder)
        .args(fixed)
        .args(arguments);
    let command = command.env("GIT_LITERAL_PATHSPECS", "1");
    let command = command.env("GIT_TERMINAL_PROMPT", "0");
    let command = FOREIGN.iter().fold(command, Command::env_remove);
    Ok(command.run(TIME)?)
}
