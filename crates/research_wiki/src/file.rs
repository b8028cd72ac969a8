//! Reading and adding to the files of a wiki that people and other programs write, too.

use std::path::Path;

use aris_fs::FsError;

/// The file's text; bytes that are not UTF-8 become U+FFFD. `None` when it is absent. For what is only looked at.
pub(crate) fn text_optional(path: &Path) -> Result<Option<String>, FsError> {
    let bytes = aris_fs::read_optional(path, aris_fs::READ_LIMIT)?;
    Ok(bytes.map(|bytes| match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }))
}

/// Appends lines, durably. A last line without line feed is somebody's: it gets its line feed first.
pub(crate) fn append(path: &Path, lines: &[String]) -> Result<(), FsError> {
    let old = aris_fs::read_optional(path, aris_fs::READ_LIMIT)?.unwrap_or_default();
    let open = old.last().is_some_and(|last| *last != b'\n');
    match lines {
        [] => Ok(()),
        [line] if !open => aris_fs::append_line(path, line),
        _ => {
            let mut all = old;
            if open {
                all.push(b'\n');
            }
            for line in lines {
                all.extend_from_slice(line.as_bytes());
                all.push(b'\n');
            }
            aris_fs::write_atomic(path, &all)
        }
    }
}

/// Replaces a file that can be made again, when its content changes.
pub(crate) fn refresh(path: &Path, content: &str) -> Result<bool, FsError> {
    // What cannot be read is replaced, or says so when it is written.
    let old = aris_fs::read_optional(path, aris_fs::READ_LIMIT).unwrap_or_default();
    if old.as_deref() == Some(content.as_bytes()) {
        return Ok(false);
    }
    aris_fs::replace_unsynced(path, content.as_bytes())?;
    Ok(true)
}
