//! The files of a project that match patterns. Part of the edge.
//!
//! `*` and `?` match within one component of a path; `**` matches any number of folders. Only the part of a pattern before its
//! first wildcard can name hidden files and folders.

use std::path::Path;

use aris_fs::{Entry, EntryKind, FsError};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Largest text that is searched for words, in bytes.
const TEXT_LIMIT: u64 = 16 << 20;

/// Paths below `root` that match, sorted, without duplicates. None for a missing folder.
pub(crate) fn matching(root: &Path, patterns: &[impl AsRef<str>]) -> Result<Vec<String>, FsError> {
    let mut found = Vec::new();
    for pattern in patterns {
        let pattern = pattern.as_ref();
        let (base, rest) = parts(pattern);
        let folder = root.join(&base);
        if rest.is_empty() || !folder.is_dir() {
            found.extend(folder.is_file().then_some(base));
            continue;
        }
        let wanted = set(&[pattern]);
        let depth = if rest.contains("**") {
            usize::MAX
        } else {
            rest.split('/').count()
        };
        let is_hidden = |entry: &Entry| entry.name.to_string_lossy().starts_with('.');
        let is_in_reach = |entry: &Entry| {
            let below = entry.path.strip_prefix(&folder).unwrap_or(&entry.path);
            below.components().count() < depth
        };
        for entry in aris_fs::walk_sorted(&folder, &mut |entry| {
            !is_hidden(entry) && is_in_reach(entry)
        })? {
            let path = aris_fs::display_relative(&entry.path, root);
            let is_file = match entry.kind {
                EntryKind::File => true,
                EntryKind::Link => entry.path.is_file(),
                _ => false,
            };
            if is_file && !is_hidden(&entry) && wanted.is_match(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// The texts of the matching files, with their paths. Invalid UTF-8 becomes replacement characters.
pub(crate) fn texts(
    root: &Path,
    patterns: &[impl AsRef<str>],
) -> Result<Vec<(String, String)>, FsError> {
    matching(root, patterns)?
        .into_iter()
        .map(|path| {
            let bytes = aris_fs::read(&root.join(&path), TEXT_LIMIT)?;
            Ok((path, String::from_utf8_lossy(&bytes).into_owned()))
        })
        .collect()
}

/// Whether one of the patterns matches `path`.
pub(crate) fn is_named(patterns: &[impl AsRef<str>], path: &str) -> bool {
    set(patterns).is_match(path)
}

/// The folders before the first component with a wildcard, and the rest.
fn parts(pattern: &str) -> (String, String) {
    let all: Vec<&str> = pattern.split('/').collect();
    let plain = all
        .iter()
        .take_while(|part| !part.contains(['*', '?']))
        .count();
    let (base, rest) = all.split_at(plain);
    (base.join("/"), rest.join("/"))
}

/// Compiles patterns of the table. An invalid one matches nothing; a test of the table would fail.
fn set(patterns: &[impl AsRef<str>]) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        if let Ok(glob) = GlobBuilder::new(pattern.as_ref())
            .literal_separator(true)
            .build()
        {
            set.add(glob);
        }
    }
    set.build().unwrap_or_else(|_| GlobSet::empty())
}

#[cfg(test)]
mod tests {
    use aris_testkit::Project;

    use super::*;

    #[test]
    fn patterns_name_files_in_folders_and_below_them() {
        let project = Project::bare();
        for path in [
            "a.bib",
            "p/m.tex",
            "p/s/t.tex",
            "p/.hidden/u.tex",
            "q/r/summary.md",
            "q/r/s/summary.md",
            ".x/y/z.json",
        ] {
            project.write(path, "");
        }
        for (patterns, expected) in [
            (&["p/**/*.tex"][..], &["p/m.tex", "p/s/t.tex"][..]),
            (&["*.bib", "p/*.tex"], &["a.bib", "p/m.tex"]),
            (&["q/*/summary.md"], &["q/r/summary.md"]),
            (&[".x/y/*.json"], &[".x/y/z.json"]),
            (
                &["a.bib", "absent.bib", "absent/*.x", "a.bib/*"],
                &["a.bib"],
            ),
        ] {
            assert_eq!(
                matching(project.path(), patterns).expect("read"),
                expected,
                "{patterns:?}"
            );
        }
        assert!(
            is_named(&["**/report.md"], "report.md")
                && is_named(&["**/report.md"], "a/b/report.md")
        );
        assert!(!is_named(&["*.md"], "a/b.md"));
    }
}
