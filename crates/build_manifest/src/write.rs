//! Writing the manifest: atomically, and never over a file that is something else.

use std::path::Path;

use aris_contract::ErrorKind;
use aris_contract::failure::Told;
use aris_fs::Form;
use aris_queue::grid::Plan;
use aris_queue::reserved;

/// Writes the manifest to `output` unless that already has this text; gives whether it was written.
pub(crate) fn manifest(
    plan: &Plan,
    text: &str,
    config: &Path,
    output: &Path,
) -> Result<bool, Told> {
    let base = config.parent().unwrap_or(Path::new("/"));
    let manifest = plan.manifest();
    if let Some(what) = manifest.and_then(|it| reserved::owner(output, it, base, false)) {
        let path = output.display().to_string();
        let message = format!("{path} is {what}");
        return Err(
            Told::new(ErrorKind::Usage, message, "give --output another name").with("path", path),
        );
    }
    aris_fs::check_output(output, Form::Json(&["phases"]), &[config])?;
    if aris_fs::holds(output, text.as_bytes()) {
        return Ok(false);
    }
    aris_fs::write_output(output, text.as_bytes())?;
    Ok(true)
}
