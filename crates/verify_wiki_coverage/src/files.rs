//! Finds, opens and reads the files below the paths to scan. The only file of this crate that reads the disk.
//!
//! A path given by the user is followed if it is a link. Links below it are not followed, so that the walk ends and stays inside; they
//! are reported as unread unless their target is scanned by itself. `.git` is skipped because it holds no text of the project, and
//! earlier reports of this helper because they are not evidence.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use aris_contract::Failure as _;
use aris_fs::{EntryKind, FsError};

use crate::report::{REPORT_NAME, Read, Unread};
use crate::scanner::Stream;
use crate::tally::Tally;

/// Bytes per read: most files fit, and the buffer stays within one processor's cache.
const BUFFER: usize = 256 << 10;

/// Largest file that is read, in bytes: 4 GiB. No person or reviewer writes a larger text.
const FILE_LIMIT: u64 = 4 << 30;

/// A NUL in this many first bytes makes a file binary. **Source**: git, `buffer_is_binary`.
const BINARY_HEAD: usize = 8000;

/// A file to scan.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Found {
    /// Real path.
    pub(crate) path: PathBuf,
    /// Path for messages: below the path that the user gave.
    pub(crate) shown: PathBuf,
}

/// The result of a walk.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// Sorted by path, without duplicates.
    pub(crate) found: Vec<Found>,
    /// Symbolic links, which are not followed.
    pub(crate) links: Vec<Found>,
    /// Pipes, sockets and devices, which are not read.
    pub(crate) special: u64,
    /// Folders that cannot be listed, and entries that are neither file nor folder.
    pub(crate) unread: Vec<Unread>,
}

/// The result of reading the files.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    /// The identifiers and their lines.
    pub(crate) tally: Tally,
    /// Counts of what was read.
    pub(crate) read: Read,
    /// Files that could not be read.
    pub(crate) unread: Vec<Unread>,
}

/// Finds the files below `roots`, (path for messages, real path), except the file `except`.
pub(crate) fn find(roots: &[(PathBuf, PathBuf)], except: &Path) -> Files {
    let mut files = Files::default();
    let mut found = BTreeSet::new();
    let mut scanned = Vec::new();
    for (shown, path) in roots {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        scanned.push(real.clone());
        if real.is_dir() {
            files.walk(shown, &real, except, &mut found);
        } else {
            found.insert(Found {
                path: real,
                shown: shown.clone(),
            });
        }
    }
    files.found = found.into_iter().collect();
    // Two roots may reach the same file.
    files.found.dedup_by(|next, first| next.path == first.path);
    for link in &files.links {
        let why = match link.path.canonicalize() {
            Ok(target) if scanned.iter().any(|root| target.starts_with(root)) => continue,
            Ok(_) => "is a link, which is not followed; give what it leads to with --scan, too",
            Err(_) => "is a link that leads nowhere",
        };
        files.unread.push(Unread::new(&link.shown, why));
    }
    files
}

impl Files {
    fn walk(&mut self, shown: &Path, real: &Path, except: &Path, found: &mut BTreeSet<Found>) {
        let mut folders = vec![(real.to_path_buf(), shown.to_path_buf())];
        while let Some((folder, shown)) = folders.pop() {
            let entries = match aris_fs::list_sorted(&folder) {
                Ok(entries) => entries,
                Err(error) => {
                    self.unread.push(unread(&shown, &error));
                    continue;
                }
            };
            for entry in entries {
                let shown = shown.join(&entry.name);
                match entry.kind {
                    EntryKind::Folder if entry.name == ".git" => {}
                    EntryKind::Folder => folders.push((entry.path, shown)),
                    EntryKind::File if entry.name == REPORT_NAME || entry.path == except => {}
                    EntryKind::File => {
                        found.insert(Found {
                            path: entry.path,
                            shown,
                        });
                    }
                    EntryKind::Link => self.links.push(Found {
                        path: entry.path,
                        shown,
                    }),
                    EntryKind::Special => {
                        self.special += 1;
                        let why = "is a pipe, a socket or a device";
                        self.unread.push(Unread::new(&shown, why));
                    }
                }
            }
        }
    }
}

/// Reads all files in parallel, and counts the identifiers, with the first `places` lines of each.
pub(crate) fn scan_all(files: &[Found], places: usize) -> Scanned {
    let workers = aris_fs::in_parallel(
        files,
        || (Scanned::default(), vec![0; BUFFER]),
        |(scanned, buffer), index, file| scanned.take(index, file, buffer, places),
    );
    let mut all = Scanned::default();
    for (scanned, _) in workers {
        all.tally.merge(scanned.tally, places);
        all.read.files += scanned.read.files;
        all.read.bytes += scanned.read.bytes;
        all.read.binary += scanned.read.binary;
        all.unread.extend(scanned.unread);
    }
    all.unread.sort();
    all
}

impl Scanned {
    fn take(&mut self, index: usize, file: &Found, buffer: &mut [u8], places: usize) {
        match self.read(index, &file.path, buffer, places) {
            Ok(Content::Text(bytes)) => {
                self.read.files += 1;
                self.read.bytes += bytes;
            }
            Ok(Content::Binary) => self.read.binary += 1,
            Ok(Content::Unusable(why)) => self.unread.push(Unread::new(&file.shown, why)),
            Err(error) => self.unread.push(unread(&file.shown, &error)),
        }
    }

    fn read(
        &mut self,
        index: usize,
        path: &Path,
        buffer: &mut [u8],
        places: usize,
    ) -> Result<Content, FsError> {
        let file = aris_fs::open(path)?;
        if file.metadata().len() > FILE_LIMIT {
            return Err(FsError::TooLarge {
                path: path.to_path_buf(),
                limit: FILE_LIMIT,
            });
        }
        let mut stream = Stream::default();
        let mut bytes = 0;
        let mut other = None;
        file.stream_while(buffer, |piece| {
            if bytes == 0 {
                other = not_text(piece);
            }
            if other.is_some() {
                return false;
            }
            bytes += piece.len() as u64;
            stream.feed(piece, |hit, line| self.tally.add(index, hit, line, places));
            bytes <= FILE_LIMIT
        })?;
        stream.finish(|hit, line| self.tally.add(index, hit, line, places));
        Ok(other.unwrap_or(Content::Text(bytes)))
    }
}

/// The content of a file.
enum Content {
    /// Text; its length in bytes.
    Text(u64),
    Binary,
    Unusable(&'static str),
}

/// Recognises content that is not UTF-8 text by its first bytes.
fn not_text(head: &[u8]) -> Option<Content> {
    let head = head.get(..BINARY_HEAD).unwrap_or(head);
    if head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF") {
        Some(Content::Unusable("UTF-16 text; save it as UTF-8"))
    } else if head.starts_with(b"%PDF-") || head.contains(&0) {
        Some(Content::Binary)
    } else {
        None
    }
}

/// The pages of the wiki, with paths for messages below `shown`.
pub(crate) fn pages(papers: &Path, shown: &Path) -> Result<Vec<Found>, FsError> {
    let page = |name: &OsStr| {
        !name.as_encoded_bytes().starts_with(b".")
            && Path::new(name).extension() == Some(OsStr::new("md"))
    };
    Ok(aris_fs::list_sorted(papers)?
        .into_iter()
        .filter(|entry| entry.kind != EntryKind::Folder && page(&entry.name))
        .map(|entry| Found {
            shown: shown.join(&entry.name),
            path: entry.path,
        })
        .collect())
}

/// The record of an error, with the path for messages.
pub(crate) fn unread(shown: &Path, error: &FsError) -> Unread {
    let why = match (error, std::error::Error::source(error)) {
        (FsError::NotFound { .. }, _) => String::from("does not exist"),
        (FsError::NotRegular { found, .. }, _) => format!("is {found}"),
        (FsError::TooLarge { limit, .. }, _) => format!("has more than {limit} bytes"),
        (_, Some(cause)) => cause.to_string(),
        (_, None) => error.kind().meaning().to_owned(),
    };
    Unread::new(shown, why)
}
