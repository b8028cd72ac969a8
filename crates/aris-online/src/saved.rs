//! Answers that somebody saved in a file.

use std::path::Path;

use aris_cli::Context;
use aris_fs::FsError;
use aris_sources::Response;
use jiff::Timestamp;

/// The answer in the file at `path`, of at most `limit` bytes. It counts as fetched when the file was last changed, so that reading
/// it again gives the same records.
///
/// **Errors**: the file is absent, not a plain file, too large or unreadable.
pub fn saved(context: &Context, path: &Path, limit: u64) -> Result<Response, FsError> {
    let file = aris_fs::open(path)?;
    let modified = file.metadata().modified().ok();
    Ok(Response {
        status: 200,
        media_type: String::new(),
        fetched_at: modified
            .and_then(|time| Timestamp::try_from(time).ok())
            .unwrap_or_else(|| context.now()),
        body: file.read_all(limit)?,
        cached: true,
        url: String::new(),
    })
}
