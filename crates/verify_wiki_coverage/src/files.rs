//! The files below the paths to scan: found, opened and read. The edge to the disk.
//!
//! A path that was given is followed when it is a link; a link below it is not, so that the walk ends and stays inside: it counts as
//! unread unless what it leads to is scanned by its own name. What git keeps in `.git` is not text of the project, and earlier reports of
//! this helper are not evidence.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use aris_contract::Failure as _;
use aris_fs::{EntryKind, FsError};

use crate::report::{REPORT_NAME, Read, Unread};
use crate::scanner::Stream;
use crate::tally::Tally;

/// Bytes that one worker reads at once: most files at one stroke, and no more than its processor's own cache holds.
const BUFFER: usize = 256 << 10;

/// Bytes of a file that are read: 4 GiB. A larger one is not a text of people or of a reviewer.
const FILE_LIMIT: u64 = 4 << 30;

/// Bytes at the start of a file in which a NUL makes it binary. **Source**: git, `buffer_is_binary`.
const BINARY_HEAD: usize = 8000;

/// A file to scan.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Found {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// How it is shown: below the path that was given.
    pub(crate) shown: PathBuf,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// Ascending by path, none twice.
    pub(crate) found: Vec<Found>,
    /// Symbolic links, which are not followed.
    pub(crate) links: Vec<Found>,
    /// Pipes, sockets and devices, which are not read.
    pub(crate) special: u64,
    /// Folders that cannot be listed, and what is no file and no folder.
    pub(crate) unread: Vec<Unread>,
}

/// What reading brought.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    /// What is named where.
    pub(crate) tally: Tally,
    /// What was read.
    pub(crate) read: Read,
    /// What was not.
    pub(crate) unread: Vec<Unread>,
}

/// Finds the files below `roots`, each given as it is shown and where it is, without the file `except`.
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
    // One path that two roots reach is one file.
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

/// Reads all files, in parallel, and adds up what they name, with the first `places` lines of each identifier.
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

/// What a file holds.
enum Content {
    /// Text of this many bytes.
    Text(u64),
    Binary,
    Unusable(&'static str),
}

/// What is not text, by the first bytes of it.
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

/// A page of the wiki, by the place that is shown for it.
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

/// An error about a path, said of the path as it is shown.
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
