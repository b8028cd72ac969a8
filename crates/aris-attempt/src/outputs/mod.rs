//! Files that an attempt should write: which exist, and which are new.
//!
//! This module deletes nothing and judges nothing; its counts go into the exit record.

mod pattern;
mod walk;

pub use pattern::Pattern;
pub use walk::{matches as files, would_match};

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::format::OutputSeen;
use aris_fs::EntryKind;

/// Identifies the version of a file: device, inode and size; the times of the last modification and of the last change of any kind, each in
/// seconds and nanoseconds. Programs such as `tar` and `cp -p` set the first time to an old one, and nobody can set the second.
type Fingerprint = ([u64; 3], [i64; 4]);

/// The paths that match a pattern, each with its files: the file itself, or, for a folder, all files below it.
type Matches = BTreeMap<PathBuf, BTreeMap<PathBuf, Fingerprint>>;

/// The declared outputs as they were before the start.
#[derive(Debug)]
pub struct Before<'a> {
    patterns: &'a [String],
    cwd: &'a Path,
    matches: Vec<Matches>,
}

impl<'a> Before<'a> {
    /// Records what matches now. Relative patterns are resolved against `cwd`.
    pub fn look(patterns: &'a [String], cwd: &'a Path) -> Self {
        let matches = patterns.iter().map(|pattern| matching(cwd, pattern));
        Self {
            patterns,
            cwd,
            matches: matches.collect(),
        }
    }

    /// Files that are new or have changed; for a folder, the files below it.
    pub fn fresh(&self) -> Vec<PathBuf> {
        let before = self.matches.iter().flat_map(BTreeMap::values).flatten();
        let before: BTreeMap<&PathBuf, &Fingerprint> = before.collect();
        let patterns = self.patterns.iter();
        let now = patterns.flat_map(|pattern| matching(self.cwd, pattern));
        let files = now.flat_map(|(_, files)| files);
        let fresh = files.filter(|(path, print)| before.get(path) != Some(&print));
        fresh.map(|(path, _)| path).collect()
    }

    /// The patterns for which no file is new or has changed.
    pub fn unwritten(&self) -> Vec<&'a str> {
        let seen = self.compare();
        let pairs = self.patterns.iter().zip(&seen);
        let unwritten = pairs.filter(|(_, seen)| seen.fresh == 0);
        unwritten.map(|(pattern, _)| pattern.as_str()).collect()
    }

    /// What matches now, compared with before: one entry for each pattern, in the same order.
    pub(crate) fn compare(&self) -> Vec<OutputSeen> {
        let pairs = self.patterns.iter().zip(&self.matches);
        let seen = pairs.map(|(pattern, before)| {
            let now = matching(self.cwd, pattern);
            let fresh = now.iter();
            let fresh = fresh.filter(|(path, files)| before.get(*path) != Some(files));
            OutputSeen {
                pattern: pattern.clone(),
                matches: now.len() as u64,
                fresh: fresh.count() as u64,
            }
        });
        seen.collect()
    }
}

fn matching(cwd: &Path, pattern: &str) -> Matches {
    let paths = walk::matches(cwd, pattern).into_iter();
    paths.map(|path| (path.clone(), files_of(path))).collect()
}

/// A file, or all files below a folder; links in it are not followed.
fn files_of(path: PathBuf) -> BTreeMap<PathBuf, Fingerprint> {
    let paths = if path.is_dir() {
        let mut entries = aris_fs::walk_sorted(&path, &mut |_| true).unwrap_or_default();
        entries.retain(|entry| entry.kind == EntryKind::File);
        entries.into_iter().map(|entry| entry.path).collect()
    } else {
        vec![path]
    };
    let files = paths.into_iter();
    files
        .filter_map(|path| Some((path.clone(), fingerprint(&path)?)))
        .collect()
}

/// The version of a file; for a link, of its target.
fn fingerprint(path: &Path) -> Option<Fingerprint> {
    let data = path.metadata().ok()?;
    let (modified, nanos) = (data.mtime(), data.mtime_nsec());
    let times = [modified, nanos, data.ctime(), data.ctime_nsec()];
    Some(([data.dev(), data.ino(), data.size()], times))
}

#[cfg(test)]
mod tests {
    #![expect(
        clippy::disallowed_methods,
        reason = "tests prepare and change files directly"
    )]

    use std::fs;

    use super::*;

    fn seen(before: &Before<'_>) -> Vec<(u64, u64)> {
        let seen = before.compare().into_iter();
        seen.map(|seen| (seen.matches, seen.fresh)).collect()
    }

    #[test]
    fn only_what_is_new_or_changed_is_fresh() {
        let folder = tempfile::tempdir().expect("temp");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("old.json"), "1").expect("write");
        fs::write(at("longer.json"), "1").expect("write");
        fs::write(at("replaced.json"), "1").expect("write");
        let patterns = [String::from("*.json"), String::from("none*")];
        let before = Before::look(&patterns, folder.path());
        assert_eq!(seen(&before), [(3, 0), (0, 0)]);
        fs::write(at("longer.json"), "12").expect("write");
        fs::write(at("new.json"), "1").expect("write");
        // A file with the same content that replaces the old one counts as new.
        fs::write(at("other"), "1").expect("write");
        fs::rename(at("other"), at("replaced.json")).expect("rename");
        assert_eq!(seen(&before), [(4, 3), (0, 0)]);
        fs::remove_file(at("old.json")).expect("remove");
        assert_eq!(seen(&before), [(3, 3), (0, 0)]);
    }

    #[test]
    fn a_folder_is_what_lies_in_it() {
        let folder = tempfile::tempdir().expect("temp");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("out/deep")).expect("folders");
        fs::write(at("out/old"), "1").expect("write");
        fs::write(at("out/deep/x"), "1").expect("write");
        let patterns = [String::from("out")];
        let before = Before::look(&patterns, folder.path());
        assert_eq!((seen(&before), before.fresh()), (vec![(1, 0)], vec![]));
        fs::write(at("out/deep/x"), "12").expect("write");
        assert_eq!(
            (seen(&before), before.fresh()),
            (vec![(1, 1)], vec![at("out/deep/x")])
        );
    }

    #[test]
    fn a_file_that_only_got_another_time_is_fresh() {
        let folder = tempfile::tempdir().expect("temp");
        let path = folder.path().join("x");
        fs::write(&path, "1").expect("write");
        let patterns = [path.display().to_string()];
        let before = Before::look(&patterns, Path::new("/"));
        aris_fs::set_modified(&path, std::time::UNIX_EPOCH).expect("set");
        assert_eq!(seen(&before), [(1, 1)]);
        // Other content of the same length with the old time, as `tar` and `cp -p` write it.
        let before = Before::look(&patterns, Path::new("/"));
        std::thread::park_timeout(std::time::Duration::from_millis(20));
        fs::write(&path, "2").expect("write");
        aris_fs::set_modified(&path, std::time::UNIX_EPOCH).expect("set");
        assert_eq!(seen(&before), [(1, 1)]);
    }
}
