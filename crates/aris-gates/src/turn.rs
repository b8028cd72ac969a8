//! Calls on one machine that write into the same pull request take turns, whatever their output folders are.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use aris_cli::Context;
use aris_contract::ErrorKind;
use aris_fs::{FsError, Lock};
use aris_review::Pull;

use crate::error::GateError;
use crate::folder::Folder;

/// Longest wait for the lock; a review with many comments takes about a minute.
const PATIENCE: Duration = Duration::from_mins(3);

/// Waits until no other call on this machine writes into the pull request. The lock file is in `aris/pull-requests` below `XDG_STATE_HOME`,
/// or below `HOME/.local/state` where that is not set. Where this folder cannot be made, it is in the output folder.
///
/// **Errors**: another call still writes after three minutes.
pub fn turn(context: &Context, pull: &Pull, folder: &Folder) -> Result<Lock, GateError> {
    let absolute = |name| {
        let path = context.env(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let state = absolute("XDG_STATE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local/state")));
    let shared = state.map(|state| state.join("aris/pull-requests"));
    let shared = shared.filter(|place| aris_fs::create_dir(place).is_ok());
    let place = shared.unwrap_or_else(|| folder.path.clone());
    aris_fs::create_dir(&place)?;
    let (repository, number) = (&pull.repository, pull.number);
    let host = repository.host.as_deref().unwrap_or("github.com");
    let name = format!("{host}/{}/{}", repository.owner, repository.name);
    let name = name.to_lowercase().replace('/', "+");
    let path = place.join(format!("{name}+{number}.lock"));
    let pull = format!("{repository}#{number}");
    match Lock::try_acquire(&path) {
        Err(FsError::Locked { .. }) => {
            context.note(&format!("another call writes to {pull}; this one waits"));
        }
        other => return Ok(other?),
    }
    match Lock::acquire_before(&path, Instant::now() + PATIENCE) {
        Err(FsError::Locked { .. }) => {
            let message = format!("another call writes to {pull}");
            let hint = "call again when it is done";
            Err(GateError::refused(ErrorKind::Precondition, message, hint))
        }
        other => Ok(other?),
    }
}
