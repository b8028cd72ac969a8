//! What the file system says about the pages of a wiki: enough to know, without reading them, which have changed.

use std::fmt;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use aris_contract::hex::hex;
use aris_fs::EntryKind;
use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::node::Kind;

/// Seconds for which a page that has just changed is not trusted to stay as it is: a second change within the file system's clock tick,
/// or within the difference of two machines' clocks, would not show.
const SETTLES: i64 = 2;

/// A page's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamped {
    pub(crate) kind: Kind,
    pub(crate) file: String,
    /// Different when the file is.
    pub(crate) stamp: Stamp,
    /// Whether it changed so recently that its stamp proves nothing.
    pub(crate) fresh: bool,
}

/// Size, inode, and the times of the last changes of content and of file, in seconds and nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    numbers: [u64; 2],
    times: [i64; 4],
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self {
            numbers: [metadata.size(), metadata.ino()],
            times: [
                metadata.mtime(),
                metadata.mtime_nsec(),
                metadata.ctime(),
                metadata.ctime_nsec(),
            ],
        }
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [size, inode] = self.numbers;
        let [modified, after, changed, then] = self.times;
        write!(
            out,
            "{size:x} {inode:x} {modified:x}.{after:x} {changed:x}.{then:x}"
        )
    }
}

impl Stamped {
    pub(crate) fn path(&self) -> String {
        format!("{}/{}", self.kind.folder(), self.file)
    }
}

/// The pages of the wiki at `root`, by kind and name; `now` in seconds since 1970.
///
/// **Errors**: [`Error::NoWiki`]; a folder that cannot be listed. Files that cannot be looked at are left out.
pub(crate) fn stamps(root: &Path, now: i64) -> Result<Vec<Stamped>, Error> {
    if !root.join(Kind::Paper.folder()).is_dir() {
        return Err(Error::NoWiki {
            root: root.to_path_buf(),
        });
    }
    let mut found = Vec::new();
    for kind in Kind::ALL {
        let folder = root.join(kind.folder());
        if !folder.is_dir() {
            continue;
        }
        for (entry, metadata) in aris_fs::list_with_metadata(&folder)? {
            let page = |name: &&str| {
                name.strip_suffix(".md")
                    .is_some_and(|stem| !stem.starts_with('.'))
                    && entry.kind != EntryKind::Folder
            };
            let (Some(file), Some(metadata)) = (entry.name.to_str().filter(page), metadata) else {
                continue;
            };
            found.push(Stamped {
                kind,
                file: file.to_owned(),
                stamp: Stamp::of(&metadata),
                fresh: metadata.ctime() >= now - SETTLES,
            });
        }
    }
    Ok(found)
}

/// One value for all stamps; equal when no page was added, changed or removed. `None` while a page is too fresh to be sure.
pub(crate) fn digest(pages: &[Stamped]) -> Option<String> {
    let mut hash = Sha256::new();
    for page in pages {
        if page.fresh {
            return None;
        }
        for part in [page.kind.folder(), "/", &page.file, "\0"] {
            hash.update(part.as_bytes());
        }
        for number in page.stamp.numbers {
            hash.update(number.to_le_bytes());
        }
        for time in page.stamp.times {
            hash.update(time.to_le_bytes());
        }
    }
    Some(hex(&hash.finalize()))
}
