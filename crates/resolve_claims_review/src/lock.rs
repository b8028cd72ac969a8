//! Writers of one output folder take turns.

use std::time::{Duration, Instant};

use aris_fs::Lock;
use aris_gates::Folder;

use crate::error::Error;

/// A commit with its hooks may take minutes.
const PATIENCE: Duration = Duration::from_mins(15);

/// Waits until nobody else changes what was decided.
pub(crate) fn take(folder: &Folder) -> Result<Lock, Error> {
    aris_fs::create_dir(&folder.path)?;
    Ok(Lock::acquire_before(
        &folder.at(".lock"),
        Instant::now() + PATIENCE,
    )?)
}
