//! Starting a runner.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::error::AttemptError;
use crate::format::{SPEC, Spec};
use crate::records;

/// How to start a runner: a program that calls [`runner::serve`](crate::runner::serve) with its last argument.
#[derive(Clone, Debug)]
pub struct Runner {
    /// The program, absolute.
    pub program: PathBuf,
    /// Its arguments before the attempt's folder.
    pub arguments: Vec<OsString>,
}

/// Creates the attempt's folder and writes its specification.
///
/// Nothing is synced: the caller's journal records that the attempt was begun, and an attempt of an earlier boot without an exit record is
/// lost in any case.
pub fn prepare(folder: &Path, spec: &Spec) -> Result<(), AttemptError> {
    aris_fs::create_dir(folder)?;
    let path = folder.join(SPEC);
    let bytes = serde_json::to_vec(spec).map_err(AttemptError::record(&path))?;
    Ok(aris_fs::replace_unsynced(&path, &bytes)?)
}

/// The log in the specification of an attempt; `None`: there is none.
pub fn log_of(folder: &Path) -> Option<PathBuf> {
    let spec: Option<Spec> = records::read_optional(&folder.join(SPEC)).ok()?;
    Some(spec?.log)
}

/// A runner that is starting up, and waits for [`Watch::begin`](crate::Watch::begin). If its connection ends before that, it claims nothing
/// and exits.
#[derive(Debug)]
pub struct Waiting {
    pub(crate) child: Child,
    pub(crate) line: UnixStream,
}

impl Runner {
    /// Starts the runner of the attempt in `folder`, which need not exist yet.
    ///
    /// The runner leaves this process's session at once. Its stdout and stderr are closed; its messages are in the folder.
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
