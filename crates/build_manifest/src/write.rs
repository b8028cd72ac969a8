//! Writing the manifest: atomically, and never over a file that is something else.

use std::path::Path;

use aris_fs::{Form, FsError};

/// Writes the manifest to `output` unless that already has this text; gives whether it was written.
pub(crate) fn manifest(text: &str, config: &Path, output: &Path) -> Result<bool, FsError> {
    aris_fs::check_output(output, Form::Json(&["phases"]), &[config])?;
    if aris_fs::holds(output, text.as_bytes()) {
        return Ok(false);
    }
    aris_fs::write_output(output, text.as_bytes())?;
    Ok(true)
}
