//! What can go wrong before a helper runs.

use std::io;

use aris_contract::{ErrorKind, Failure};
use thiserror::Error;

#[derive(Debug, Error)]
pub(crate) enum Error {
    #[error("there is no helper {name:?}")]
    Unknown {
        name: String,
        nearest: Option<&'static str>,
    },
    #[error("the manual page cannot be made")]
    Man(#[from] io::Error),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Unknown { .. } => ErrorKind::Usage,
            Self::Man(_) => ErrorKind::Internal,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown {
                nearest: Some(name),
                ..
            } => Some(format!("did you mean {name}? aris help lists all")),
            Self::Unknown { nearest: None, .. } => Some(String::from("aris help lists all")),
            Self::Man(_) => None,
        }
    }
}
