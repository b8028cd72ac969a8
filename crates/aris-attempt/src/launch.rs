//! Starting a runner.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::format::{SPEC, Spec};

use crate::cards::lease::Lease;
use crate::error::AttemptError;
use crate::handoff;

/// The program that runs attempts: it calls [`runner::serve`](crate::runner::serve) with its last argument.
#[derive(Clone, Debug)]
pub struct Runner {
    /// The program, absolute.
    pub program: PathBuf,
    /// Its arguments before the attempt's folder.
    pub arguments: Vec<OsString>,
}

/// Creates the attempt's folder and writes what is to run.
///
/// Nothing is synced: the intention stands in the caller's journal, and an attempt that an earlier boot left without an exit record is
/// lost whatever else there is.
pub fn prepare(folder: &Path, spec: &Spec) -> Result<(), AttemptError> {
    aris_fs::create_dir(folder)?;
    let path = folder.join(SPEC);
    let bytes = serde_json::to_vec(spec).map_err(AttemptError::record(&path))?;
    Ok(aris_fs::replace_unsynced(&path, &bytes)?)
}

/// Starts the runner of a prepared attempt, as [`Watch::launch`](crate::Watch::launch) describes it.
pub(crate) fn start(
    runner: &Runner,
    folder: &Path,
    leases: &[Lease],
) -> Result<Child, AttemptError> {
    let failed = || format!("start {}", runner.program.display());
    let folder = std::path::absolute(folder).map_err(AttemptError::system(failed()))?;
    #[expect(
        clippy::disallowed_methods,
        reason = "a runner is to outlive this process; its deadline is its own"
    )]
    Command::new(&runner.program)
        .args(&runner.arguments)
        .arg(&folder)
        .stdin(Stdio::from(handoff::put(leases)?))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(AttemptError::system(failed()))
}
