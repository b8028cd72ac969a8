//! The destination of a result.

use std::ffi::OsString;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// The value of an `--output` that accepts `-` for standard output; any other value is a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sink(PathBuf);

impl Sink {
    /// The file; `None` for standard output.
    pub fn file(&self) -> Option<&Path> {
        Some(&*self.0).filter(|path| *path != Path::new("-"))
    }
}

impl From<OsString> for Sink {
    fn from(value: OsString) -> Self {
        Self(PathBuf::from(value))
    }
}

impl Deref for Sink {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}
