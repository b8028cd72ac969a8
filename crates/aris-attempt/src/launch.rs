//! Starting a runner.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
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
    /// Its arguments before the first attempt's folder.
    pub arguments: Vec<OsString>,
}

/// Creates the attempt's folder and writes what is to run.
///
/// Nothing is synced: the intention stands in the caller's journal, and an attempt that an earlier boot left without an exit record is
/// lost whatever else there is.
pub fn prepare(folder: &Path, spec: &Spec) -> Result<(), AttemptError> {
    aris_fs::create_dir(folder)?;
    let bytes = serde_json::to_vec(spec).map_err(|source| AttemptError::Record {
        path: folder.join(SPEC),
        source,
    })?;
    Ok(aris_fs::replace_unsynced(&folder.join(SPEC), &bytes)?)
}

/// A runner that this process started, and the line to it.
#[derive(Debug)]
pub(crate) struct Hand {
    pub(crate) child: Child,
    /// `None`: it is to leave when it is done.
    line: Option<OwnedFd>,
}

impl Hand {
    /// Starts a runner with its first attempt, as [`Watch::launch`](crate::Watch::launch) describes it.
    pub(crate) fn start(
        runner: &Runner,
        folder: &Path,
        leases: &[Lease],
    ) -> Result<Self, AttemptError> {
        let failed = || format!("start {}", runner.program.display());
        let folder = std::path::absolute(folder).map_err(AttemptError::system(failed()))?;
        let (near, far) = handoff::line()?;
        // It lies there when the runner looks.
        put(&near, &folder, leases)?;
        #[expect(
            clippy::disallowed_methods,
            reason = "a runner is to outlive this process; its deadline is its own"
        )]
        let child = Command::new(&runner.program)
            .args(&runner.arguments)
            .arg(&folder)
            .stdin(Stdio::from(far))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error: io::Error| AttemptError::system(failed())(error))?;
        Ok(Self {
            child,
            line: Some(near),
        })
    }

    /// Whether it has said that it has nothing to do. It says so once.
    pub(crate) fn is_done(&self) -> bool {
        self.line.as_ref().is_some_and(handoff::is_done)
    }

    /// Hands it an attempt; `false`: it is gone or cannot get it, and gets nothing now or later.
    pub(crate) fn give(&mut self, folder: &Path, leases: &[Lease]) -> bool {
        let given = self.line.as_ref().is_some_and(|line| {
            std::path::absolute(folder).is_ok_and(|folder| put(line, &folder, leases).is_ok())
        });
        if !given {
            self.dismiss();
        }
        given
    }

    /// It is to leave when it is done.
    pub(crate) fn dismiss(&mut self) {
        self.line = None;
    }
}

fn put(line: &OwnedFd, folder: &Path, leases: &[Lease]) -> Result<(), AttemptError> {
    let leases: Vec<_> = leases.iter().map(Lease::as_fd).collect();
    handoff::put(line, folder, &leases)
}
