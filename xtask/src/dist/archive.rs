//! A reproducible `.tar.gz`: its bytes depend only on the files in it and one time.

use std::io::Write as _;

use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use super::contents::Files;
use crate::fault::Fault;

/// An archive of `files` below a folder called `root`. All entries have the time `time`, in seconds since 1970.
pub(super) fn tar_gz(root: &str, files: &Files, time: u64) -> Result<Vec<u8>, Fault> {
    let mut archive = Builder::new(Vec::new());
    for (path, file) in files {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(file.mode());
        header.set_mtime(time);
        header.set_uid(0);
        header.set_gid(0);
        header.set_size(file.bytes.len() as u64);
        let name = format!("{root}/{path}");
        let appended = if let Some(link) = &file.link {
            // The link's target precedes it: the files are sorted, and `bin` is before `skills`.
            header.set_entry_type(EntryType::Link);
            archive.append_link(&mut header, name, format!("{root}/{link}"))
        } else {
            archive.append_data(&mut header, name, file.bytes.as_slice())
        };
        appended.map_err(|error| Fault::new(format!("{path}: {error}")))?;
    }
    let bytes = archive.into_inner().map_err(Fault::from_error)?;
    // The gzip header has no file name and no time.
    let mut packed = GzBuilder::new()
        .mtime(0)
        .write(Vec::new(), Compression::best());
    packed.write_all(&bytes).map_err(Fault::from_error)?;
    packed.finish().map_err(Fault::from_error)
}
