//! Reading the records of an attempt.

use std::path::Path;

use serde::de::DeserializeOwned;

use crate::error::AttemptError;

/// Most bytes of a record. It holds a command and its environment, which the system limits to far less.
const LIMIT: u64 = 64 * 1024 * 1024;

/// Reads a record that must be there.
///
/// **Errors**: [`AttemptError::Fs`], also if it is missing; [`AttemptError::Record`] if it cannot be parsed.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, AttemptError> {
    let bytes = aris_fs::read(path, LIMIT)?;
    serde_json::from_slice(&bytes).map_err(AttemptError::record(path))
}

/// Reads a record; `None` when there is none.
pub(crate) fn read_optional<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, AttemptError> {
    match read(path) {
        Ok(record) => Ok(Some(record)),
        Err(AttemptError::Fs(error)) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}
