//! Which files an edit may touch.

use std::path::{Component, Path};

use aris_contract::ErrorKind::Usage;

use crate::Error;

/// Names of folders that hold tests.
const TESTS: [&str; 4] = ["test", "tests", "__tests__", "testing"];

/// Extensions of text sources. A comment on a text is not settled in the other files of a research repository, such as data, programs and
/// pictures.
const TEXTS: [&str; 6] = ["md", "markdown", "tex", "bib", "rst", "txt"];

/// Texts that configure programs and agents.
const STEERING: [&str; 5] = [
    "claude.md",
    "agents.md",
    "gemini.md",
    "skill.md",
    "cmakelists.txt",
];

/// How a Git LFS pointer begins, which stands for a file that is stored elsewhere. **Source**: Git LFS specification, "The Pointer".
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Checks the name of a file, relative to the worktree, and returns it normalized.
///
/// Refused: names that lead out of the worktree or into git's own folder, names with control characters, hidden files, links on the way and
/// at the end, folders, tests, results of experiments, LFS pointers, files that are not text sources (`.md`, `.markdown`, `.tex`, `.bib`,
/// `.rst`, `.txt`), and texts that configure programs. An edit that settles a comment on a report needs none of these.
pub(crate) fn checked(worktree: &Path, name: &str) -> Result<String, Error> {
    let refused = |why: &str| Err(refused_file(name, why));
    let mut parts: Vec<&str> = Vec::new();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => parts.extend(part.to_str()),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return refused("it leads out of the worktree");
            }
        }
    }
    let Some((file, folders)) = parts.split_last() else {
        return refused("it names no file");
    };
    if name.chars().any(char::is_control) {
        return refused("its name holds control characters");
    }
    if parts.iter().any(|part| is_git(part)) {
        return refused("it belongs to git");
    }
    // Such as `.github`, `.gitmodules`, `.aris` and `.pre-commit-config.yaml`.
    if parts.iter().any(|part| part.starts_with('.')) {
        return refused("hidden files steer programs and services, and are no part of a report");
    }
    let below = |names: &[&str]| {
        let mut folders = folders.iter().map(|folder| folder.to_lowercase());
        folders.any(|folder| names.contains(&folder.as_str()))
    };
    if below(&TESTS) || is_test(file) {
        return refused("it is a test");
    }
    if below(&["results"]) {
        return refused("results come from experiments, and not from a review");
    }
    let lower = file.to_lowercase();
    let ending = lower.rsplit_once('.').map_or("", |(_, ending)| ending);
    if !TEXTS.contains(&ending) {
        return refused("only .md, .markdown, .tex, .bib, .rst and .txt are sources of a text");
    }
    let is_list = lower.starts_with("requirements") || lower.starts_with("constraints");
    if STEERING.contains(&lower.as_str()) || (is_list && ending == "txt") {
        return refused("it steers programs, and is no part of a report");
    }
    let mut path = worktree.to_path_buf();
    for part in &parts {
        path.push(part);
        match path.symlink_metadata() {
            Ok(found) if found.is_symlink() => return refused("there is a link on the way to it"),
            Ok(found) if path.ends_with(file) && found.is_dir() && parts.last() == Some(part) => {
                return refused("it is a folder");
            }
            // A file that the edit deleted is committed as deleted; git reports a name that never existed.
            _ => {}
        }
    }
    let head = aris_fs::open(&path).and_then(|file| file.head(POINTER.len() as u64));
    if head.is_ok_and(|head| head == POINTER) {
        return refused("it is a pointer of LFS, and the file lies elsewhere");
    }
    Ok(parts.join("/"))
}

/// Whether a name is `.git` on some file system: some ignore certain characters, others blanks and dots at the end, and `git~1` is a short
/// name for it.
fn is_git(part: &str) -> bool {
    let is_skipped = |letter: char| matches!(letter, '\u{200C}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{206A}'..='\u{206F}' | '\u{FEFF}');
    let plain = part.replace(is_skipped, "");
    let plain = plain.trim_end_matches([' ', '.']).to_lowercase();
    plain == ".git" || plain == "git~1"
}

fn is_test(file: &str) -> bool {
    let lower = file.to_lowercase();
    let stem = lower.split('.').next().unwrap_or_default();
    stem == "conftest"
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || lower.contains(".test.")
        || lower.contains(".spec.")
}

/// The error that an edit must not touch a file.
pub(crate) fn refused_file(name: &str, why: &str) -> Error {
    let name = aris_review::one_line(name, 300);
    let hint = "name the edited files relative to the worktree, or leave the comment with --status skipped --reason";
    Error::refused(Usage, format!("{name} cannot be committed: {why}"), hint)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests prepare files directly")]

    use super::*;

    #[test]
    fn only_plain_files_of_the_worktree_that_are_no_tests() {
        let folder = tempfile::tempdir().expect("temp");
        let root = folder.path();
        std::fs::create_dir_all(root.join("research/sub")).expect("folders");
        std::fs::write(root.join("research/r.md"), "x").expect("a file");
        std::os::unix::fs::symlink("/etc", root.join("etc")).expect("a link");
        std::os::unix::fs::symlink("r.md", root.join("research/l.md")).expect("a link");
        for (name, wanted) in [
            ("research/r.md", Some("research/r.md")),
            ("./research//r.md", Some("research/r.md")),
            ("research/gone.md", Some("research/gone.md")),
            ("-rf.md", Some("-rf.md")),
            (":(glob)**.md", Some(":(glob)**.md")),
            ("contest.md", Some("contest.md")),
            ("a.TEX", Some("a.TEX")),
            ("refs.bib", Some("refs.bib")),
            ("Makefile", None),
            ("src/analysis.py", None),
            ("results/run.json", None),
            ("research/Results/table.tex", None),
            ("CLAUDE.md", None),
            ("requirements-dev.txt", None),
            ("", None),
            (".", None),
            ("../x", None),
            ("research/../../x", None),
            ("research/../r.md", None),
            ("/etc/passwd", None),
            (".git/config", None),
            (".github/workflows/x.yml", None),
            (".gitmodules", None),
            (".aris/config.yaml", None),
            ("sub/.pre-commit-config.yaml", None),
            ("research/.GIT/hooks/x", None),
            ("git~1/config", None),
            (".git. /config", None),
            (".g\u{200C}it/config", None),
            ("etc/passwd", None),
            ("research/l.md", None),
            ("research/sub", None),
            ("tests/r.md", None),
            ("research/Tests/r.md", None),
            ("research/test_r.py", None),
            ("research/r_test.go", None),
            ("research/r.test.ts", None),
            ("conftest.py", None),
            ("a\nb", None),
        ] {
            assert_eq!(checked(root, name).ok().as_deref(), wanted, "{name:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_name_leads_out(name in "[a./\\\\~ :-]{0,20}") {
            let folder = tempfile::tempdir().expect("temp");
            if let Ok(clean) = checked(folder.path(), &name) {
                proptest::prop_assert!(!clean.split('/').any(|part| part == ".." || part.is_empty()));
                proptest::prop_assert!(!clean.starts_with('/'));
            }
        }
    }
}
