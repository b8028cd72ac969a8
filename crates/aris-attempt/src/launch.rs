//! Starting a runner.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::error::AttemptError;
use crate::format::{SPEC, Spec};

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

/// A runner that comes up, and waits for [`Watch::begin`](crate::Watch::begin). Without that it claims nothing and goes.
#[derive(Debug)]
pub struct Waiting {
    pub(crate) child: Child,
    pub(crate) line: UnixStream,
}

impl Runner {
    /// Starts the runner of the attempt in `folder`, which need not be there yet.
    ///
    /// It leaves this process's session at once, and says nothing: what it has to say stands in the folder.
    ///
    /// **Errors**: the program cannot be started.
    pub fn start(&self, folder: &Path) -> Result<Waiting, AttemptError> {
        let failed = || AttemptError::system(format!("start {}", self.program.display()));
        let folder = std::path::absolute(folder).map_err(failed())?;
        let (line, far) = UnixStream::pair().map_err(failed())?;
        #[expect(
            clippy::disallowed_methods,
            reason = "a runner is to outlive this process; its deadline is its own"
        )]
        let child = Command::new(&self.program)
            .args(&self.arguments)
            .arg(&folder)
            .stdin(Stdio::from(OwnedFd::from(far)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed())?;
        Ok(Waiting { child, line })
    }
}
