//! One file for each command.

pub(crate) mod audit;
pub(crate) mod bind;
pub(crate) mod emit;
pub(crate) mod show;
pub(crate) mod suggest;
pub(crate) mod trace_back;

use std::path::Path;

use aris_fs::Form;

use crate::Error;

/// Writes a file of this program or a new one. `what` names it in messages.
pub(crate) fn write_own(
    path: &Path,
    what: &'static str,
    form: Form<'_>,
    text: &str,
) -> Result<(), Error> {
    let failed = |error| Error::write(what, path, error);
    aris_fs::check_output(path, form, &[]).map_err(failed)?;
    aris_fs::write_changed(path, text.as_bytes()).map_err(failed)
}
