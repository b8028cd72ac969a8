//! Writing the manifest: atomically, and never over a file that is something else.

use std::path::Path;

use aris_contract::ErrorKind;
use aris_contract::failure::Told;

/// The first bytes of a file, in which `"phases"` must be for it to count as a manifest: in the reference's manifests seven short keys come
/// before it.
const HEAD: u64 = 64 << 10;

/// Writes the manifest to `output` unless that already has this text; gives whether it was written.
pub(crate) fn manifest(text: &str, config: &Path, output: &Path) -> Result<bool, Told> {
    // If `output` is a link, its target is written.
    let target = std::fs::canonicalize(output).unwrap_or_else(|_| output.to_path_buf());
    if std::fs::canonicalize(config).is_ok_and(|config| config == target) {
        return Err(taken(
            ErrorKind::Usage,
            output,
            "is the specification itself",
        ));
    }
    match aris_fs::open(&target) {
        Ok(file) => {
            let length = text.len() as u64;
            if file.metadata().len() == length && file.read_all(length)? == text.as_bytes() {
                return Ok(false);
            }
            replaceable(&target)?;
        }
        Err(error) if error.is_not_found() => {}
        Err(error) => return Err(error.into()),
    }
    aris_fs::write_output(&target, text.as_bytes())?;
    Ok(true)
}

/// Checks that a file may be replaced: it is empty, or looks like a manifest.
fn replaceable(path: &Path) -> Result<(), Told> {
    let head = aris_fs::open(path)?.head(HEAD)?;
    let holds = |text: &str| head.windows(text.len()).any(|part| part == text.as_bytes());
    let manifest = head.trim_ascii_start().starts_with(b"{") && holds("\"phases\"");
    if manifest || head.trim_ascii().is_empty() {
        Ok(())
    } else {
        let problem = "exists and is no manifest";
        Err(taken(ErrorKind::Precondition, path, problem))
    }
}

/// The error for a manifest that cannot be written to this path.
fn taken(kind: ErrorKind, path: &Path, problem: &str) -> Told {
    let path = path.display().to_string();
    let message = format!("{path} {problem}");
    Told::new(kind, message, "give --output another name").with("path", path)
}
