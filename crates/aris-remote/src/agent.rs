//! The side on the server: reads one request, does it, answers.

use std::io::{Read, Write};
use std::path::Path;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;

use crate::message::{Answer, LIMIT, Request, framed};
use crate::{HOME, is_name};

/// Why a request was not served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// Standard input ended early, or cannot be read.
    #[error("the request cannot be read")]
    Read(#[source] std::io::Error),
    /// What came is no request.
    #[error("the request is malformed: {0}")]
    Malformed(String),
    /// The disk.
    #[error(transparent)]
    Disk(#[from] FsError),
    /// The answer cannot be written: the connection is gone.
    #[error("the answer cannot be written")]
    Write(#[source] std::io::Error),
}

impl Failure for AgentError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Read(_) | Self::Write(_) => ErrorKind::Unavailable,
            Self::Malformed(_) => ErrorKind::Validation,
            Self::Disk(error) => error.kind(),
        }
    }
}

/// Serves the one request that `input` holds: its files are written below `home`, then `call` is given the folder of the run, which may
/// not be there, and the arguments, and what it gives is printed. Doing the same request twice is doing it once, as far as files go;
/// `call` answers for the rest.
///
/// **Errors**: those of [`AgentError`]; nothing was called then, unless the answer could not be written.
pub fn serve(
    home: &Path,
    input: &mut dyn Read,
    output: &mut dyn Write,
    call: &mut dyn FnMut(&Path, &[String]) -> Answer,
) -> Result<(), AgentError> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(LIMIT).unwrap_or(u64::MAX);
    input
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(AgentError::Read)?;
    let request: Request =
        serde_json::from_slice(&bytes).map_err(|error| AgentError::Malformed(error.to_string()))?;
    let names = request.files.keys().chain([&request.folder]);
    if let Some(name) = names.into_iter().find(|name| !is_name(name)) {
        return Err(AgentError::Malformed(format!("{name:?} is no safe name")));
    }
    let folder = home.join(HOME).join("runs").join(&request.folder);
    if !request.files.is_empty() {
        aris_fs::create_dir(&folder)?;
    }
    for (name, text) in &request.files {
        let path = folder.join(name);
        if aris_fs::read_optional(&path, limit)?.as_deref() != Some(text.as_bytes()) {
            aris_fs::write_atomic(&path, text.as_bytes())?;
        }
    }
    let answer = if request.args.is_empty() {
        Answer::refused(0, "")
    } else {
        call(&folder, &request.args)
    };
    let bytes = framed(&request.nonce, &answer)
        .map_err(|error| AgentError::Malformed(error.to_string()))?;
    output
        .write_all(&bytes)
        .and_then(|()| output.flush())
        .map_err(AgentError::Write)
}
