//! One file for each command.

pub(crate) mod audit;
pub(crate) mod bind;
pub(crate) mod emit;
pub(crate) mod show;
pub(crate) mod suggest;
pub(crate) mod trace_back;

use std::path::Path;

use aris_claims::project::ProjectError;
use aris_contract::ErrorKind;

use crate::Error;

/// Writes a file of this program or a new one. `what` names it in messages; files of this program have `mark` near their beginning.
pub(crate) fn write_own(
    path: &Path,
    what: &'static str,
    mark: &str,
    text: &str,
) -> Result<(), Error> {
    let failed = |error| Error::write(what, path, error);
    if aris_fs::is_foreign(path, mark).map_err(failed)? {
        let message = "{} was not written by this program; it stays as it is";
        let hint = "name a new file, or move this one away";
        return Err(ProjectError::about(ErrorKind::Usage, path, message, hint).into());
    }
    if aris_fs::holds(path, text.as_bytes()) {
        return Ok(());
    }
    aris_fs::write_output(path, text.as_bytes()).map_err(failed)
}
