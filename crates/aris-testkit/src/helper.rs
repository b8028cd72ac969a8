//! A helper's binary, and one call of it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;

use crate::build;
use crate::run::Run;

/// Longest call, unless a test sets another deadline.
const DEADLINE: Duration = Duration::from_mins(1);

/// The variables of the test's own environment that a helper gets.
const KEPT: [&str; 3] = ["PATH", "LD_LIBRARY_PATH", "LLVM_PROFILE_FILE"];

/// A helper's binary.
#[derive(Clone, Debug)]
pub struct Helper {
    path: PathBuf,
    /// The folder of a copy. Removed with the last helper or call that uses it.
    folder: Option<Arc<TempDir>>,
}

impl Helper {
    /// The helper of this workspace called `name`: `target/<profile>/<name>`, built when absent or stale.
    pub fn named(name: &str) -> Self {
        Self {
            path: build::binary(name),
            folder: None,
        }
    }

    /// Any program, for instance `env!("CARGO_BIN_EXE_save_trace")`.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            folder: None,
        }
    }

    /// A copy in a temporary folder, for a program that examines the tree around it. The usual target folder is inside this
    /// workspace.
    ///
    /// `cp` writes the copy: the open file of a copy made by this process could be inherited by another child process (text
    /// file busy).
    #[must_use]
    pub fn outside_the_workspace(&self) -> Self {
        let folder = TempDir::with_prefix("aris helper ").expect("a temporary folder");
        let path = folder.path().join(self.path.file_name().expect("a name"));
        Self::at("/bin/cp")
            .call(folder.path())
            .args([&self.path, &path])
            .run()
            .expect_code(0);
        Self {
            path,
            folder: Some(Arc::new(folder)),
        }
    }

    /// Path of the binary.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Prepares a call in the working directory `cwd`.
    ///
    /// Environment: `PATH`, a C locale and no settings of this machine, so that a test gives the same result everywhere.
    pub fn call(&self, cwd: impl AsRef<Path>) -> Call {
        let mut command = aris_proc::command(&self.path, cwd)
            .env_clear()
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC");
        for name in KEPT {
            if let Some(value) = std::env::var_os(name) {
                command = command.env(name, value);
            }
        }
        Call {
            command,
            deadline: DEADLINE,
            _folder: self.folder.clone(),
        }
    }
}

/// A prepared call.
#[derive(Clone, Debug)]
#[must_use]
pub struct Call {
    command: aris_proc::Command,
    deadline: Duration,
    /// Keeps a copied program until the call has ended.
    _folder: Option<Arc<TempDir>>,
}

impl Call {
    /// Adds arguments.
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.command = self.command.args(args);
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.command = self.command.env(name, value);
        self
    }

    /// Passes bytes on stdin.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.command = self.command.stdin(bytes);
        self
    }

    /// Replaces the deadline of one minute.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Runs it. Panics when the program cannot be started or does not finish in time.
    pub fn run(self) -> Run {
        Run::of(self.command.run(self.deadline))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copied_program_stays_until_its_last_call_is_over() {
        let call = Helper::at("/bin/sh")
            .outside_the_workspace()
            .call("/")
            .args(["-c", "exit 7"]);
        assert_eq!(call.run().code(), 7);
        let copy = Helper::at("/bin/sh").outside_the_workspace();
        let path = copy.path().to_path_buf();
        assert!(path.is_file() && !path.starts_with(crate::workspace_root()));
        drop(copy);
        assert!(!path.exists());
    }
}
