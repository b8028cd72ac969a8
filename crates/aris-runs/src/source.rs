//! The git work tree in which a run starts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_contract::hex::hex;
use aris_proc::Finished;
use sha2::{Digest as _, Sha256};

use crate::record::Source;

/// Time limit; git answers in milliseconds, or on a large tree over a network in seconds.
const DEADLINE: Duration = Duration::from_secs(20);
/// Largest patch that is stored, in bytes.
const PATCH: usize = 32 << 20;
/// Most names of each kind.
const NAMES: usize = 1_000;

/// The folder that contains `.git`, at or above `cwd`.
pub(crate) fn top(cwd: &Path) -> Option<&Path> {
    cwd.ancestors().find(|folder| folder.join(".git").exists())
}

/// Examines the work tree at `top`. `name` converts absolute paths to names. Takes no git lock and writes nothing.
pub(crate) fn look(top: &Path, name: impl Fn(&Path) -> String) -> (Source, Option<Vec<u8>>) {
    let mut source = Source::default();
    let status = "status --porcelain=v2 --branch -z --no-renames --untracked-files=all --ignore-submodules=none";
    let bytes = match git(top, &split(status)) {
        Ok(bytes) => bytes,
        Err(problem) => {
            source.problem = Some(problem);
            return (source, None);
        }
    };
    let path = |text: &str| name(&top.join(PathBuf::from(text)));
    let text = String::from_utf8_lossy(&bytes);
    for entry in text.split('\0') {
        // **Source**: git-status(1), "Porcelain Format Version 2".
        match entry.split_once(' ') {
            Some(("#", header)) => {
                let commit = header.strip_prefix("branch.oid ");
                if let Some(commit) = commit.filter(|oid| *oid != "(initial)") {
                    commit.clone_into(&mut source.commit);
                }
            }
            Some(("1", rest)) => source.changed.extend(rest.splitn(8, ' ').nth(7).map(path)),
            Some(("u", rest)) => source.changed.extend(rest.splitn(10, ' ').nth(9).map(path)),
            // A folder is another repository inside this one.
            Some(("?", rest)) if !rest.ends_with(aris_fs::SUFFIX) && !rest.ends_with('/') => {
                source.untracked.push(path(rest));
            }
            _ => {}
        }
    }
    let hidden = not_compared(top);
    source.changed.extend(hidden.iter().map(|file| name(file)));
    let mut patch = None;
    if !source.changed.is_empty() && !source.commit.is_empty() {
        let diff = "diff --binary --no-color --no-ext-diff --no-textconv --no-renames --ignore-submodules=none HEAD";
        match git(top, &split(diff)) {
            Ok(bytes) => {
                source.patch = Some(hex(&Sha256::digest(&bytes)));
                patch = Some(bytes);
            }
            Err(problem) => source.problem = Some(problem),
        }
    }
    for names in [&mut source.changed, &mut source.untracked] {
        if names.len() > NAMES {
            let left = names.len() - NAMES;
            names.truncate(NAMES);
            source.problem = Some(format!("{left} names of files are left out"));
        }
    }
    (source, patch)
}

/// Existing files marked `assume-unchanged` or `skip-worktree`, which git does not compare.
fn not_compared(top: &Path) -> Vec<PathBuf> {
    let Ok(bytes) = git(top, &["ls-files", "-v", "-z"]) else {
        return Vec::new();
    };
    // **Source**: git-ls-files(1), `-v` and `-t`.
    let text = String::from_utf8_lossy(&bytes);
    let marked = text.split_terminator('\0').filter_map(|line| {
        let (tag, name) = line.split_once(' ')?;
        (tag == "S" || tag.chars().all(char::is_lowercase)).then(|| top.join(name))
    });
    marked.filter(|file| file.exists()).collect()
}

/// The files that are not committed, or not in this state, in their repository; files outside of `top` are skipped.
pub(crate) fn not_committed(top: &Path, files: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut by_top: BTreeMap<PathBuf, Vec<&PathBuf>> = BTreeMap::new();
    for file in files {
        // A program behind a link does not belong to this tree.
        let real = file.canonicalize().unwrap_or_default();
        let real_top = top.canonicalize().unwrap_or_default();
        if let Some(own) = self::top(file).filter(|own| own.starts_with(top))
            && real.starts_with(real_top)
        {
            by_top.entry(own.to_path_buf()).or_default().push(file);
        }
    }
    let mut found = BTreeSet::new();
    for (own, files) in by_top {
        let ask = |first: &str| -> Option<BTreeSet<PathBuf>> {
            let names = files.iter().filter_map(|file| file.to_str());
            let args: Vec<&str> = first.split(' ').chain(["--"]).chain(names).collect();
            let bytes = git(&own, &args).ok()?;
            let text = String::from_utf8_lossy(&bytes);
            let names = text.split_terminator('\0');
            Some(names.map(|name| own.join(name)).collect())
        };
        // Without a commit there is nothing to compare with; the missing commit is recorded elsewhere.
        let (Some(held), Some(differ)) = (
            ask("ls-tree -r -z --name-only HEAD"),
            ask("diff -z --name-only --no-ext-diff HEAD"),
        ) else {
            if own != top {
                found.extend(files.into_iter().cloned());
            }
            continue;
        };
        let missing = files
            .into_iter()
            .filter(|file| !held.contains(*file) || own != top && differ.contains(*file));
        found.extend(missing.cloned());
    }
    found
}

/// Whether the repository that contains `project` has a commit; `None` outside of a repository. **Errors**: why that is unknown.
pub fn has_commit(project: &Path, commit: &str) -> Option<Result<bool, String>> {
    let top = top(project)?;
    let is_digest = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_digest {
        return Some(Ok(false));
    }
    match git(top, &["cat-file", "-e", &format!("{commit}^{{commit}}")]) {
        Ok(_) => Some(Ok(true)),
        Err(why) if why.contains("Not a valid object name") => Some(Ok(false)),
        Err(why) => Some(Err(why)),
    }
}

fn split(words: &str) -> Vec<&str> {
    words.split(' ').collect()
}

/// The output of a git command. **Errors**: in words.
fn git(top: &Path, args: &[&str]) -> Result<Vec<u8>, String> {
    let what = args.first().unwrap_or(&"");
    let command = aris_proc::command("git", top)
        .args(["-c", "core.fsmonitor=false", "-c", "core.quotePath=false"])
        .args(args)
        // A hook of another repository may have set these.
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .env_remove("GIT_PREFIX")
        .env("GIT_OPTIONAL_LOCKS", "0")
        // A partial clone would ask its server for missing objects.
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("LC_ALL", "C")
        .capture_limit(PATCH);
    let done = command.run(DEADLINE);
    let done: Finished = done.map_err(|error| format!("git {what}: {error}"))?;
    if !done.success() {
        let said = done.stderr.text();
        let first = said.lines().next().unwrap_or("failed");
        return Err(format!("git {what}: {first}"));
    }
    if done.stdout.dropped > 0 {
        return Err(format!("git {what}: more than {PATCH} bytes"));
    }
    Ok(done.stdout.bytes)
}
