//! Paths as LaTeX writes them: '/'-separated, resolved textually.

/// Resolves `.`, `..` and doubled slashes; `..` beyond the top stays in front.
pub(crate) fn normalise(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.pop_if(|last| *last != "..").is_some() => {}
            other => parts.push(other),
        }
    }
    let top = if path.starts_with('/') { "/" } else { "" };
    [top, &parts.join("/")].concat()
}

/// `path` seen from `dir` (empty for the paper directory), normalised. An absolute path stays.
pub(crate) fn join(dir: &str, path: &str) -> String {
    if dir.is_empty() || path.starts_with('/') {
        normalise(path)
    } else {
        normalise(&format!("{dir}/{path}"))
    }
}

/// Everything before the last slash.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// Everything after the last slash.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Whether the file name has an extension.
pub(crate) fn has_extension(path: &str) -> bool {
    let parts = file_name(path).rsplit_once('.');
    parts.is_some_and(|(stem, ext)| !stem.is_empty() && !ext.is_empty())
}

/// The names TeX tries for `\input{name}`: with `.tex` first, then as written. The extension is compared case-sensitively.
pub(crate) fn tex_candidates(name: &str) -> Vec<String> {
    let mut names = vec![name.to_owned()];
    if name.strip_suffix(".tex").is_none() {
        names.insert(0, format!("{name}.tex"));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalises() {
        for (path, expected) in [
            ("a//b/./c", "a/b/c"),
            ("a/../b", "b"),
            ("../a", "../a"),
            ("a/../../b", "../b"),
            ("/a/b", "/a/b"),
            ("", ""),
        ] {
            assert_eq!(normalise(path), expected);
        }
        assert_eq!(join("sec", "../fig/a"), "fig/a");
    }
}
