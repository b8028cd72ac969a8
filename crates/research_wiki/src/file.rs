//! Reads and extends files of a wiki that people and other programs write as well.

use std::path::Path;

use aris_fs::FsError;

/// The file's text; bytes that are not UTF-8 become U+FFFD. `None` when it is absent. Not for text that is written back.
pub(crate) fn text_optional(path: &Path) -> Result<Option<String>, FsError> {
    let bytes = aris_fs::read_optional(path, aris_fs::READ_LIMIT)?;
    Ok(bytes.map(|bytes| match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }))
}

/// Appends lines, durably and with a single write. If the last line lacks its line feed, that is added first.
pub(crate) fn append(path: &Path, lines: &[String]) -> Result<(), FsError> {
    if lines.is_empty() {
        return Ok(());
    }
    let last = match aris_fs::open(path) {
        Ok(file) => {
            let length = file.metadata().len();
            file.read_from(length.saturating_sub(1), 1)?
        }
        Err(error) if error.is_not_found() => Vec::new(),
        Err(error) => return Err(error),
    };
    let open = last.last().is_some_and(|last| *last != b'\n');
    let start = if open { "\n" } else { "" };
    aris_fs::append_text(path, &format!("{start}{}\n", lines.join("\n")))
}

/// Replaces a file of `length` bytes to which others append, if `same` says that it is unchanged. Bytes that others append to the old
/// file before it is replaced are appended to the new one. Returns whether the file was unchanged.
pub(crate) fn replace_and_follow(
    path: &Path,
    bytes: &[u8],
    length: u64,
    same: &dyn Fn() -> bool,
) -> Result<bool, FsError> {
    let old = match aris_fs::open(path) {
        Ok(file) => Some(file),
        Err(error) if error.is_not_found() => None,
        Err(error) => return Err(error),
    };
    if !aris_fs::write_atomic_if(path, bytes, same)? {
        return Ok(false);
    }
    if let Some(old) = old {
        let late = old.read_from(length, aris_fs::READ_LIMIT)?;
        let late = String::from_utf8_lossy(&late);
        if !late.is_empty() {
            aris_fs::append_text(path, &late)?;
        }
    }
    Ok(true)
}

/// Writes a derived file if its content changes. Returns whether it did.
pub(crate) fn refresh(path: &Path, content: &str) -> Result<bool, FsError> {
    // An unreadable file is replaced; if that fails, the write reports it.
    let old = aris_fs::read_optional(path, aris_fs::READ_LIMIT).unwrap_or_default();
    if old.as_deref() == Some(content.as_bytes()) {
        return Ok(false);
    }
    aris_fs::replace_unsynced(path, content.as_bytes())?;
    Ok(true)
}
