//! Keeps traces out of the project's git history.

use std::path::Path;

use aris_fs::FsError;

/// The line that is added.
const LINE: &str = ".aris/traces/";

/// Adds `.aris/traces/` to the project's `.gitignore`, if it has one that says nothing about traces yet.
///
/// A line that un-ignores them (`!.aris/traces/`) is respected.
pub(crate) fn ignore_traces(project: &Path) -> Result<(), FsError> {
    let path = project.join(".gitignore");
    let Some(bytes) = aris_fs::read_optional(&path, aris_fs::READ_LIMIT)? else {
        return Ok(());
    };
    match with_line(&bytes) {
        Some(text) => aris_fs::write_atomic(&path, &text),
        None => Ok(()),
    }
}

fn with_line(text: &[u8]) -> Option<Vec<u8>> {
    let mentions = |line: &[u8]| {
        let line = line.strip_prefix(b"!").unwrap_or(line);
        let line = line.strip_prefix(b"/").unwrap_or(line);
        let line = line.strip_prefix(b"**/").unwrap_or(line);
        let line = line
            .strip_suffix(b"/**")
            .or_else(|| line.strip_suffix(b"/*"))
            .unwrap_or(line);
        let line = line.strip_suffix(b"/").unwrap_or(line);
        matches!(line, b".aris" | b".aris/traces" | b"*" | b".*")
    };
    if text
        .split(|byte| *byte == b'\n')
        .any(|line| mentions(line.trim_ascii()))
    {
        return None;
    }
    let ending: &[u8] = if text.windows(2).any(|pair| pair == b"\r\n") {
        b"\r\n"
    } else {
        b"\n"
    };
    let is_whole = text.is_empty() || text.ends_with(b"\n");
    let before = if is_whole { b"" } else { ending };
    Some([text, before, LINE.as_bytes(), ending].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_added_once_in_the_file_s_own_manner() {
        for (before, after) in [
            ("", Some(".aris/traces/\n")),
            ("target", Some("target\n.aris/traces/\n")),
            ("target\r\n", Some("target\r\n.aris/traces/\r\n")),
            (
                "# .aris/traces/ is kept\n",
                Some("# .aris/traces/ is kept\n.aris/traces/\n"),
            ),
            (".aris/traces/\n", None),
            ("/.aris/\n", None),
            ("**/.aris/traces/**\n", None),
            (".aris/traces/*\n", None),
            (".aris\r\n", None),
            ("!.aris/traces/\n", None),
        ] {
            assert_eq!(
                with_line(before.as_bytes()),
                after.map(|text| text.as_bytes().to_vec()),
                "{before:?}"
            );
            if let Some(after) = after {
                assert_eq!(with_line(after.as_bytes()), None);
            }
        }
    }
}
