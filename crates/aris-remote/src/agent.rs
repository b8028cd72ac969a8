//! The part on the server: reads one request, carries it out, answers.

use std::fmt::Display;
use std::io::{self, Read, Write};
use std::path::Path;

use aris_contract::ErrorKind;
use aris_contract::failure::Told;

use crate::message::{Answer, LIMIT, Request, framed};
use crate::{is_name, runs};

/// Serves the one request in `input`. It writes the request's files into the run's folder below `home`, calls `call` with that folder,
/// which may not exist, and the arguments, and prints the answer. Writing the same files twice is harmless; `call` must make sure of the
/// same for itself.
///
/// **Errors**: there is no request, it cannot be read, or the disk or the connection fails. `call` was made only if it is the answer that
/// could not be written.
pub fn serve(
    home: &Path,
    input: &mut dyn Read,
    output: &mut dyn Write,
    call: &mut dyn FnMut(&Path, &[String]) -> Answer,
) -> Result<(), Told> {
    let broken = |what: &str, why: io::Error| {
        let message = format!("the {what}: {why}");
        Told::new(ErrorKind::Unavailable, message, "")
    };
    let malformed = |why: &dyn Display| {
        let message = format!("the request is malformed: {why}");
        Told::new(ErrorKind::Validation, message, "")
    };
    let mut bytes = Vec::new();
    let limit = u64::try_from(LIMIT).unwrap_or(u64::MAX);
    input
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| broken("request cannot be read", error))?;
    let request: Request = serde_json::from_slice(&bytes).map_err(|error| malformed(&error))?;
    let names = request.files.keys().chain([&request.folder]);
    if let Some(name) = names.into_iter().find(|name| !is_name(name)) {
        return Err(malformed(&format_args!("{name:?} is no safe name")));
    }
    let folder = runs(home).join(&request.folder);
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
    let bytes = framed(&request.nonce, &answer).map_err(|error| malformed(&error))?;
    output
        .write_all(&bytes)
        .and_then(|()| output.flush())
        .map_err(|error| broken("answer cannot be written", error))
}
