//! Errors of the file layer. Each names the path and the action.

use std::io;
use std::path::{Path, PathBuf};

use aris_contract::{ErrorKind, Failure};
use serde_json::{Map, Value};

/// The system refused an operation, or a helper must not touch what is at the path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FsError {
    /// The path does not exist.
    #[error("{} does not exist", path.display())]
    NotFound {
        /// The path.
        path: PathBuf,
    },
    /// The path is a directory, FIFO, socket or device where a regular file is needed.
    #[error("{} is {found}, not a regular file", path.display())]
    NotRegular {
        /// The path.
        path: PathBuf,
        /// What it is, with its article.
        found: &'static str,
    },
    /// The file is larger than the caller's limit.
    #[error("{} has more than {limit} bytes", path.display())]
    TooLarge {
        /// The path.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// The file is not UTF-8.
    #[error("{} is not UTF-8 (line {line}, byte {offset})", path.display())]
    NotUtf8 {
        /// The path.
        path: PathBuf,
        /// Line of the first bad byte, from 1.
        line: usize,
        /// Offset of the first bad byte.
        offset: usize,
    },
    /// The path leaves the directory it must stay in.
    #[error("{} leaves {}", path.display(), root.display())]
    Escapes {
        /// The path as given.
        path: PathBuf,
        /// The directory.
        root: PathBuf,
    },
    /// An output would replace a file that must stay.
    #[error("{} would be overwritten: {why}", path.display())]
    Taken {
        /// The file.
        path: PathBuf,
        /// Why it must stay.
        why: &'static str,
    },
    /// There is a file where a folder must be.
    #[error("{} is a file, not a folder", path.display())]
    NotFolder {
        /// The path.
        path: PathBuf,
    },
    /// Another process holds the lock and the caller did not want to wait.
    #[error("{} is locked by another process", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// A read failed.
    #[error("cannot {action} {}", path.display())]
    Read {
        /// The action, in the infinitive.
        action: &'static str,
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A write failed; the target is as it was before.
    #[error("cannot {action} {}", path.display())]
    Write {
        /// The action, in the infinitive.
        action: &'static str,
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl FsError {
    pub(crate) fn read(action: &'static str, path: &Path, source: io::Error) -> Self {
        if source.kind() == io::ErrorKind::NotADirectory && path.exists() {
            let path = path.to_path_buf();
            Self::NotFolder { path }
        } else if matches!(
            source.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        ) {
            Self::NotFound {
                path: path.to_path_buf(),
            }
        } else {
            Self::Read {
                action,
                path: path.to_path_buf(),
                source,
            }
        }
    }

    pub(crate) fn write(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Write {
            action,
            path: path.to_path_buf(),
            source,
        }
    }

    /// Turns [`FsError::NotRegular`] into [`FsError::Write`], for a program's own journal: what is in its place is not invalid
    /// input, it prevents the work.
    pub(crate) fn in_the_way(self, action: &'static str) -> Self {
        match self {
            Self::NotRegular { path, found } => {
                Self::write(action, &path, io::Error::other(format!("it is {found}")))
            }
            other => other,
        }
    }

    /// The path the error is about.
    pub fn path(&self) -> &Path {
        match self {
            Self::NotFound { path }
            | Self::NotRegular { path, .. }
            | Self::TooLarge { path, .. }
            | Self::NotUtf8 { path, .. }
            | Self::Escapes { path, .. }
            | Self::Taken { path, .. }
            | Self::NotFolder { path }
            | Self::Locked { path }
            | Self::Read { path, .. }
            | Self::Write { path, .. } => path,
        }
    }

    /// Whether there is nothing at the path.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }
}

aris_contract::told!(FsError);

impl Failure for FsError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotFound { .. } => ErrorKind::NotFound,
            Self::NotRegular { .. }
            | Self::NotFolder { .. }
            | Self::TooLarge { .. }
            | Self::NotUtf8 { .. } => ErrorKind::Validation,
            Self::Escapes { .. } | Self::Taken { .. } => ErrorKind::Usage,
            Self::Locked { .. } | Self::Read { .. } | Self::Write { .. } => ErrorKind::Precondition,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(String::from(match self {
            Self::NotFound { .. } => return None,
            Self::NotRegular { .. } => "name a regular file",
            Self::TooLarge { .. } => "name a smaller file, or split it",
            Self::NotUtf8 { .. } => "convert the file to UTF-8, for example with iconv",
            Self::Escapes { .. } => "name a path inside the directory",
            Self::Taken { .. } => {
                "give the output another name, or move this file away; nothing was changed"
            }
            Self::NotFolder { .. } => "name a folder",
            Self::Locked { .. } => "wait for the other process, or end it",
            Self::Read { .. } => "check the permissions of the file and of the folders above it",
            Self::Write { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                "the folder does not exist: make it, or name another one"
            }
            Self::Write { source, .. }
                if matches!(
                    source.kind(),
                    io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists
                ) =>
            {
                "a file is where a folder must be: move it away, or name another folder"
            }
            Self::Write { .. } => {
                "check permissions and free space; nothing at this path was changed"
            }
        }))
    }

    fn details(&self) -> Map<String, Value> {
        let mut details = Map::from_iter([(
            String::from("path"),
            Value::from(self.path().display().to_string()),
        )]);
        if let Self::NotUtf8 { line, .. } = self {
            details.insert(String::from("line"), Value::from(*line));
        }
        details
    }
}
