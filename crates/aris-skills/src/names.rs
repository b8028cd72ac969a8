//! What a path within a skill says about its file. All paths are relative to the skill, with `/`.

/// The last part of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The folder of a path; empty at the top.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A file name without its last extension. The stem of `.env` is `.env`.
pub fn stem(path: &str) -> &str {
    let name = file_name(path);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// The last extension in lower case, without its dot; empty when there is none.
pub fn extension(path: &str) -> String {
    let name = file_name(path);
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension.to_ascii_lowercase(),
        _ => String::new(),
    }
}

/// Whether a path is below one of these top-level folders of the skill.
pub fn is_below(path: &str, folders: &[&str]) -> bool {
    path.split_once('/')
        .is_some_and(|(first, _)| folders.contains(&first))
}

/// An *instruction file*: a `.md` file that is `SKILL.md`, is below `references/` or `reference/`, or is at the skill root and
/// is not one of a project's usual files (`README`, `CHANGELOG`, `LICENSE`, `LICENCE`, `NOTICE`, `CONTRIBUTING`, `AGENTS`,
/// `CLAUDE`, and names that start with these).
pub fn is_instruction(path: &str) -> bool {
    const PAPERS: &str = "README CHANGELOG LICENSE LICENCE NOTICE CONTRIBUTING AGENTS CLAUDE";
    if extension(path) != "md" {
        return false;
    }
    if path.contains('/') {
        return is_below(path, &["references", "reference"]);
    }
    let upper = path.to_ascii_uppercase();
    path == "SKILL.md" || !PAPERS.split(' ').any(|name| upper.starts_with(name))
}

/// A *resource*: a file below `references/` or `assets/`, except paths with a component that starts with a dot, and names that
/// start with `readme license licence notice changelog`.
pub fn is_resource(path: &str) -> bool {
    const PAPERS: [&str; 5] = ["readme", "license", "licence", "notice", "changelog"];
    let lower = file_name(path).to_lowercase();
    is_below(path, &["references", "assets"])
        && !path.split('/').any(|part| part.starts_with('.'))
        && !PAPERS.iter().any(|name| lower.starts_with(name))
}

/// Whether a path is below `scripts/` or `bin/`.
pub fn is_program(path: &str) -> bool {
    is_below(path, &["scripts", "bin"])
}

/// Whether the path of a file under `scripts/` or `bin/` allows it to be an *entry point*: not hidden, not `__init__.py`, not
/// `test_*`, and no component below the first that starts with `_` or is a folder for libraries, tests or samples.
pub fn may_be_entry_point(path: &str) -> bool {
    const INNER: [&str; 6] = ["lib", "libs", "test", "tests", "fixtures", "templates"];
    let name = file_name(path);
    let mut inner = path.split('/').skip(1);
    is_program(path)
        && name != "__init__.py"
        && !name.starts_with("test_")
        && !path.split('/').any(|part| part.starts_with('.'))
        && !inner.any(|part| part.starts_with('_') || INNER.contains(&part))
}

/// Whether a path ends with these components.
pub fn has_end(path: &str, end: &str) -> bool {
    path.strip_suffix(end)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// A path below a folder; the empty folder is the top.
pub fn join(folder: &str, path: &str) -> String {
    if folder.is_empty() {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    }
}

/// Joins a relative path to a folder and resolves `.` and `..`; `None` when it leads above the top.
pub fn resolve(folder: &str, relative: &str) -> Option<String> {
    let (above, path) = joined(folder, relative);
    (above == 0).then_some(path)
}

/// The same for a path that may lead above the top: the number of levels above it, and the path from there.
pub fn joined(folder: &str, relative: &str) -> (usize, String) {
    let mut parts: Vec<&str> = Vec::new();
    let mut above = 0;
    for part in folder.split('/').chain(relative.split('/')) {
        match part {
            "" | "." => {}
            ".." => above += usize::from(parts.pop().is_none()),
            part => parts.push(part),
        }
    }
    (above, parts.join("/"))
}

/// Whether a path is a folder or is below it. Every path is below the top.
pub fn lies_in(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn instruction_files() {
        for (path, expected) in [
            ("SKILL.md", true),
            ("guide.md", true),
            ("GUIDE.MD", true),
            ("references/a/b.md", true),
            ("reference/x.md", true),
            ("README.md", false),
            ("Readme.zh.md", false),
            ("CLAUDE.local.md", false),
            ("assets/x.md", false),
            ("references/x.txt", false),
            ("docs/x.md", false),
        ] {
            assert_eq!(is_instruction(path), expected, "{path}");
        }
    }

    #[test]
    fn resources_and_entry_points() {
        for (path, expected) in [
            ("references/a.md", true),
            ("assets/x/y.png", true),
            ("assets/.hidden/y", false),
            ("assets/README.md", false),
            ("assets/license-mit.txt", false),
            ("reference/a.md", false),
            ("SKILL.md", false),
        ] {
            assert_eq!(is_resource(path), expected, "{path}");
        }
        for (path, expected) in [
            ("scripts/x.py", true),
            ("bin/x", true),
            ("scripts/sub/x.sh", true),
            ("scripts/lib/x.sh", false),
            ("scripts/_x.py", false),
            ("scripts/test_x.py", false),
            ("scripts/__init__.py", false),
            ("scripts/.x.sh", false),
            ("tools/x.sh", false),
            ("x.sh", false),
        ] {
            assert_eq!(may_be_entry_point(path), expected, "{path}");
        }
    }

    #[test]
    fn parts_of_paths() {
        assert_eq!(
            (stem("a/b.tar.gz"), extension("a/b.tar.GZ")),
            ("b.tar", String::from("gz"))
        );
        assert_eq!(
            (stem(".env"), extension(".env"), folder("x")),
            (".env", String::new(), "")
        );
        assert_eq!(resolve("a/b", "../c/./d").as_deref(), Some("a/c/d"));
        assert_eq!(resolve("a", "../../c"), None);
    }

    #[test]
    fn paths_are_joined_by_their_parts() {
        for (directory, path, expected) in [
            ("a/b", "../c.md", (0, "a/c.md")),
            ("a", "./b/", (0, "a/b")),
            ("", "../x/y", (1, "x/y")),
            ("a", "../../../x", (2, "x")),
            ("a", ".", (0, "a")),
        ] {
            let (above, joined) = joined(directory, path);
            assert_eq!((above, joined.as_str()), expected, "{directory} {path}");
        }
        assert!(lies_in("a/b", "a") && lies_in("a", "a") && lies_in("x", ""));
        assert!(!lies_in("ab", "a"));
    }

    proptest! {
        #[test]
        fn joined_paths_have_no_dots(path in "[a./]{0,40}") {
            let (_, path) = joined("a/b", &path);
            prop_assert!(path.split('/').all(|part| part != ".." && part != "."));
        }
    }
}
