//! One file for each command.

pub(crate) mod audit;
pub(crate) mod bind;
pub(crate) mod emit;
pub(crate) mod show;
pub(crate) mod suggest;
pub(crate) mod trace_back;

use std::path::Path;

use aris_contract::ErrorKind;

use crate::Error;

pub use audit::AuditReport;
pub use bind::BindReport;
pub use emit::EmitReport;
pub use show::ShowReport;
pub use suggest::SuggestReport;
pub use trace_back::TraceReport;

/// Writes a file that this program made, or that is not there; `what` it is, for messages, and how such a file begins.
pub(crate) fn write_own(
    path: &Path,
    what: &'static str,
    begins: &str,
    text: &str,
) -> Result<(), Error> {
    let failed = |error| Error::write(what, path, error);
    let head = match aris_fs::open(path) {
        Ok(file) => file.head(4096).map_err(failed)?,
        Err(error) if error.is_not_found() => Vec::new(),
        Err(error) => return Err(failed(error)),
    };
    let head = head.get(..begins.len()).unwrap_or(&head);
    if !head.is_empty() && !head.eq_ignore_ascii_case(begins.as_bytes()) {
        let message = "{} was not written by this program; it stays as it is";
        let hint = "name a new file, or move this one away";
        return Err(Error::about(ErrorKind::Usage, path, message, hint));
    }
    if aris_fs::holds(path, text.as_bytes()) {
        return Ok(());
    }
    aris_fs::write_atomic(path, text.as_bytes()).map_err(failed)
}
