//! Paths that match a pattern.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use aris_fs::{Entry, EntryKind};

use super::pattern::{Pattern, is_magic};

/// The paths that match, sorted and without duplicates, below `cwd` or, for an absolute pattern, anywhere. `**` matches any number of
/// folders and does not follow links. A pattern that is itself the name of something matches that, whatever characters it has. Folders that
/// cannot be listed match nothing. Only files, and folders that hold one, are matches; a broken link, a pipe and an empty folder are not. A
/// pattern that ends with `/` matches no file.
pub fn matches(cwd: &Path, text: &str) -> Vec<PathBuf> {
    let whole = cwd.join(text);
    let mut found = Vec::new();
    if !text.is_empty() && is_output(&whole) {
        found.push(whole.clone());
    }
    if !is_magic(text) {
        return found;
    }
    // In `cwd`, wildcards are ordinary characters.
    let root = if text.starts_with('/') {
        Path::new("/")
    } else {
        cwd
    };
    let components = text.split('/').filter(|component| !component.is_empty());
    let components: Vec<(&str, Option<Pattern>)> = components
        .map(|component| {
            let magic = is_magic(component).then(|| Pattern::of_files(component));
            (component, magic.flatten())
        })
        .collect();
    let mut open = vec![(root.to_path_buf(), 0)];
    while let Some((path, at)) = open.pop() {
        let Some((component, pattern)) = components.get(at) else {
            if is_output(&path) && (path.is_dir() || !text.ends_with('/')) {
                found.push(path);
            }
            continue;
        };
        if *component == "**" {
            let mut entries = aris_fs::list_sorted(&path).unwrap_or_default();
            let is_shown = |entry: &Entry| !entry.name.as_bytes().starts_with(b".");
            entries.retain(|entry| entry.kind == EntryKind::Folder && is_shown(entry));
            open.extend(entries.into_iter().map(|entry| (entry.path, at)));
            open.push((path, at + 1));
        } else if let Some(pattern) = pattern {
            let mut entries = aris_fs::list_sorted(&path).unwrap_or_default();
            entries.retain(|entry| pattern.matches(entry.name.as_bytes()));
            open.extend(entries.into_iter().map(|entry| (entry.path, at + 1)));
        } else {
            open.push((path.join(component), at + 1));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Whether a pattern would match a path if that existed; as [`matches()`]. All paths are without `..` and links.
pub fn would_match(cwd: &Path, text: &str, path: &Path) -> bool {
    if text.is_empty() || text.ends_with('/') && !path.is_dir() {
        return false;
    }
    if path == aris_fs::lexical(&cwd.join(text)) {
        return true;
    }
    let mut root = if text.starts_with('/') {
        Path::new("/")
    } else {
        cwd
    };
    let parts = text.split('/').filter(|part| !matches!(*part, "" | "."));
    let mut parts: Vec<&str> = parts.collect();
    while parts.first() == Some(&"..") {
        root = root.parent().unwrap_or(root);
        parts.remove(0);
    }
    let Ok(below) = path.strip_prefix(root) else {
        return false;
    };
    let names: Vec<&[u8]> = below.iter().map(OsStrExt::as_bytes).collect();
    is_magic(text) && fits(&parts, &names)
}

/// Whether these names, one after another, match all components.
fn fits(components: &[&str], names: &[&[u8]]) -> bool {
    let Some((component, others)) = components.split_first() else {
        return names.is_empty();
    };
    let Some((name, rest)) = names.split_first() else {
        return *component == "**" && fits(others, names);
    };
    if *component == "**" {
        return fits(others, names) || !name.starts_with(b".") && fits(components, rest);
    }
    let pattern = is_magic(component).then(|| Pattern::of_files(component));
    let is_same = match pattern.flatten() {
        Some(pattern) => pattern.matches(name),
        None => component.as_bytes() == *name,
    };
    is_same && fits(others, rest)
}

/// Whether it is a file, or a folder with one below it. A folder that cannot be listed counts as one; reading it fails later, with a
/// message.
fn is_output(path: &Path) -> bool {
    let below = || aris_fs::walk_sorted(path, &mut |_| true);
    let is_bare = || below().is_ok_and(|below| !below.iter().any(|entry| entry.path.is_file()));
    path.is_file() || path.is_dir() && !is_bare()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_find_files() {
        let folder = tempfile::tempdir().expect("temp");
        for name in [
            "out/a.json",
            "out/b.json",
            "out/deep/er/c.json",
            "out/.hidden/d.json",
            "out/run[1].json",
            "top.json",
        ] {
            let path = folder.path().join(name);
            aris_fs::create_dir(path.parent().expect("parent")).expect("folder");
            aris_fs::write_unsynced(&path, b"x").expect("write");
        }
        let root = folder.path().display().to_string();
        let absolute = format!("{root}/out/[ab].json");
        for (text, expected) in [
            ("out/a.json", vec!["out/a.json"]),
            (
                "out/*.json",
                vec!["out/a.json", "out/b.json", "out/run[1].json"],
            ),
            ("out/run[1].json", vec!["out/run[1].json"]),
            ("out/nothing", vec![]),
            ("", vec![]),
            ("*/a.json", vec!["out/a.json"]),
            ("./out//a.*", vec!["out/a.json"]),
            ("**/c.json", vec!["out/deep/er/c.json"]),
            (
                "**/*.json",
                vec![
                    "out/a.json",
                    "out/b.json",
                    "out/deep/er/c.json",
                    "out/run[1].json",
                    "top.json",
                ],
            ),
            (absolute.as_str(), vec!["out/a.json", "out/b.json"]),
            ("out/a.json/*", vec![]),
            ("out/*/", vec!["out/deep"]),
        ] {
            let found = matches(folder.path(), text);
            let found: Vec<String> = found
                .iter()
                .map(|path| {
                    let path = aris_fs::lexical(path);
                    path.strip_prefix(folder.path())
                        .expect("inside")
                        .display()
                        .to_string()
                })
                .collect();
            assert_eq!(found, expected, "{text}");
            // What matches would also match before it exists.
            for name in [
                "out/a.json",
                "out/deep",
                "out/deep/er/c.json",
                "out/.hidden/d.json",
                "top.json",
            ] {
                let found = would_match(folder.path(), text, &folder.path().join(name));
                assert_eq!(found, expected.contains(&name), "{text} {name}");
            }
        }
        let cwd = folder.path().join("out");
        assert!(would_match(
            &cwd,
            "../new/*.json",
            &folder.path().join("new/x.json")
        ));
    }
}
