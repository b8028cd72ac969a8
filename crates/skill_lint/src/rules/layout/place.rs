//! Where relative paths lead.

/// A relative path from a directory (both with `/`, the root is empty), without `.` and `..`. The number says how many levels
/// above the root it leads; the path is then relative to there.
pub(crate) fn joined(directory: &str, path: &str) -> (usize, String) {
    let mut parts: Vec<&str> = Vec::new();
    let mut above = 0;
    for part in directory.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    above += 1;
                }
            }
            part => parts.push(part),
        }
    }
    (above, parts.join("/"))
}

/// Whether a path is a directory or lies below it; everything lies below the root.
pub(crate) fn lies_in(path: &str, directory: &str) -> bool {
    directory.is_empty()
        || path
            .strip_prefix(directory)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{joined, lies_in};

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
