//! The manifest's file: whole or not at all, and never in the place of something else.

use std::path::Path;
use std::time::{Duration, Instant};

use aris_fs::{FsError, Part};
use aris_queue::grid::Plan;
use sha2::{Digest as _, Sha256};

use crate::error::Error;

/// Bytes in which a manifest says what it is: the reference writes its phases after seven short keys.
const HEAD: u64 = 64 << 10;

/// How long another writer of the same manifest is waited for: several times what the largest queue takes.
const WAIT: Duration = Duration::from_secs(30);

/// SHA-256 and length of what the plan writes.
pub(crate) fn digest(plan: &Plan) -> ([u8; 32], u64) {
    let (mut hash, mut bytes) = (Sha256::new(), 0_u64);
    let done: Result<(), std::convert::Infallible> = plan.write(|piece| {
        hash.update(piece);
        bytes += piece.len() as u64;
        Ok(())
    });
    match done {
        Ok(()) => (hash.finalize().into(), bytes),
        Err(never) => match never {},
    }
}

/// Writes the manifest to `output` unless it is there already; gives whether it was written.
pub(crate) fn manifest(
    plan: &Plan,
    config: &Path,
    output: &Path,
    digest: &[u8; 32],
    bytes: u64,
) -> Result<bool, Error> {
    // A link is written through.
    let target = std::fs::canonicalize(output).unwrap_or_else(|_| output.to_path_buf());
    if std::fs::canonicalize(config).is_ok_and(|config| config == target) {
        return Err(Error::Itself {
            path: output.to_path_buf(),
        });
    }
    match aris_fs::open(&target) {
        Ok(file) => {
            if file.metadata().len() == bytes && same(file, digest)? {
                return Ok(false);
            }
            replaceable(&target)?;
        }
        Err(error) if error.is_not_found() => {}
        Err(error) => return Err(error.into()),
    }
    let (Some(folder), Some(name)) = (target.parent(), target.file_name()) else {
        return Err(Error::InTheWay { path: target });
    };
    let mut part = Part::open(
        &folder.join(format!(".{}.part", name.display())),
        Instant::now() + WAIT,
    )?;
    let done = part
        .restart()
        .and_then(|()| plan.write(|piece| part.append(piece)));
    match done {
        Ok(()) => part.finish(&target)?,
        Err(error) => {
            // The first error says more than one of cleaning up.
            part.discard().unwrap_or_default();
            return Err(error.into());
        }
    }
    Ok(true)
}

fn same(file: aris_fs::Regular, digest: &[u8; 32]) -> Result<bool, FsError> {
    let mut hash = Sha256::new();
    file.stream(&mut vec![0; 256 << 10], |piece| hash.update(piece))?;
    let found: [u8; 32] = hash.finalize().into();
    Ok(found == *digest)
}

/// An empty file, and what looks like a manifest, may be replaced.
fn replaceable(path: &Path) -> Result<(), Error> {
    let head = aris_fs::open(path)?.head(HEAD)?;
    let holds = |text: &str| head.windows(text.len()).any(|part| part == text.as_bytes());
    let manifest = head.trim_ascii_start().starts_with(b"{") && holds("\"phases\"");
    if manifest || head.trim_ascii().is_empty() {
        Ok(())
    } else {
        Err(Error::InTheWay {
            path: path.to_path_buf(),
        })
    }
}
