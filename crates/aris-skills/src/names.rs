//! What a path within a skill says about the file. All paths are relative to the skill, with `/`.

/// The last part of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The folder of a path; empty at the top.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A file name without its last extension; `.env` is a stem.
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

/// Whether a path lies below one of these folders at the top of the skill.
pub fn is_below(path: &str, folders: &[&str]) -> bool {
    path.split_once('/')
        .is_some_and(|(first, _)| folders.contains(&first))
}

/// An *instruction file*: `.md` that is `SKILL.md`, lies under `references/` or `reference/`, or lies at the skill root and is
/// not named like a project's own papers (`README`, `CHANGELOG`, `LICENSE`, `LICENCE`, `NOTICE`, `CONTRIBUTING`, `AGENTS`,
/// `CLAUDE`, and names that start so).
pub fn is_instruction(path: &str) -> bool {
    const PAPERS: [&str; 8] = [
        "README",
        "CHANGELOG",
        "LICENSE",
        "LICENCE",
        "NOTICE",
        "CONTRIBUTING",
        "AGENTS",
        "CLAUDE",
    ];
    if extension(path) != "md" {
        return false;
    }
    if path.contains('/') {
        return is_below(path, &["references", "reference"]);
    }
    let upper = path.to_ascii_uppercase();
    path == "SKILL.md" || !PAPERS.iter().any(|name| upper.starts_with(name))
}

/// A *resource*: a file under `references/` or `assets/`, except paths with a part that starts with a dot and names that start
/// with `readme license licence notice changelog`.
pub fn is_resource(path: &str) -> bool {
    const PAPERS: [&str; 5] = ["readme", "license", "licence", "notice", "changelog"];
    let lower = file_name(path).to_lowercase();
    is_below(path, &["references", "assets"])
        && !path.split('/').any(|part| part.starts_with('.'))
        && !PAPERS.iter().any(|name| lower.starts_with(name))
}

/// Whether a path lies under `scripts/` or `bin/`.
pub fn is_program(path: &str) -> bool {
    is_below(path, &["scripts", "bin"])
}

/// Whether the place of a file under `scripts/` or `bin/` lets it be an *entry point*: not hidden, not `__init__.py`, not
/// `test_*`, and no part below the first that starts with `_` or is a folder for libraries, tests or samples.
pub fn may_be_entry_point(path: &str) -> bool {
    const INNER: [&str; 6] = ["lib", "libs", "test", "tests", "fixtures", "templates"];
    let name = file_name(path);
    is_program(path)
        && name != "__init__.py"
        && !name.starts_with("test_")
        && !path.split('/').any(|part| part.starts_with('.'))
        && !path
            .split('/')
            .skip(1)
            .any(|part| part.starts_with('_') || INNER.contains(&part))
}

/// Joins a relative path to a folder and resolves `.` and `..`; `None` when it leaves the top.
pub fn resolve(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
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
}
