//! The files of a run, each opened once, so that the reported digest is that of the judged bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use aris_fs::FsError;
use serde::Serialize;

use crate::digest::{Digest, digest_file, digest_files};

/// What a file was in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Role {
    /// An audit artifact.
    Artifact,
    /// A file that an audit hashed.
    Input,
    /// A file that the paper includes.
    Source,
    /// A file of a review trace.
    Trace,
    /// The paper's manifest.
    Manifest,
}

/// Why a file has no digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoDigest {
    /// It does not exist.
    Gone,
    /// It is a FIFO, socket, device or folder; the text says which, with its article.
    NotRegular(&'static str),
    /// The system refused access, or the file is too large for its kind.
    Unreadable(String),
}

impl From<&FsError> for NoDigest {
    fn from(error: &FsError) -> Self {
        match error {
            FsError::NotFound { .. } => Self::Gone,
            FsError::NotRegular { found, .. } => Self::NotRegular(found),
            FsError::Read { source, .. } => Self::Unreadable(source.to_string()),
            other => Self::Unreadable(other.to_string()),
        }
    }
}

/// Identity, times and size of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp([i64; 6], u64);

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        let m = metadata;
        let numbers = [
            m.mtime(),
            m.mtime_nsec(),
            m.ctime(),
            m.ctime_nsec(),
            m.dev().cast_signed(),
            m.ino().cast_signed(),
        ];
        Self(numbers, m.size())
    }

    /// The current stamp of the file at a path; `None` when it does not exist.
    fn now(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().as_ref().map(Self::of)
    }
}

/// Files with their stamps.
#[derive(Debug)]
pub struct Stamps(Vec<(PathBuf, Stamp)>);

#[derive(Clone, Debug)]
struct Entry {
    digest: Result<Digest, NoDigest>,
    stamp: Option<Stamp>,
    roles: BTreeSet<Role>,
}

impl Entry {
    /// A file without roles.
    fn new(digest: Result<Digest, NoDigest>, stamp: Option<Stamp>) -> Self {
        let roles = BTreeSet::new();
        Self {
            digest,
            stamp,
            roles,
        }
    }
}

/// The files of a run by their real paths.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    files: BTreeMap<PathBuf, Entry>,
}

impl Ledger {
    /// Reads a file of at most `limit` bytes and stores the digest of these bytes. The file counts as judged once it has a role.
    ///
    /// The digest of the first reading is kept; a caller that needs the bytes again must keep them.
    pub fn open(&mut self, real: &Path, limit: u64) -> Result<(Vec<u8>, Digest), FsError> {
        let opened = aris_fs::open(real);
        let stamp = opened.as_ref().ok().map(|file| Stamp::of(file.metadata()));
        let bytes = opened.and_then(|file| file.read_all(limit));
        let read = bytes.map(|bytes| {
            let digest = Digest::of(&bytes);
            (bytes, digest)
        });
        let digest = read.as_ref().map(|(_, digest)| *digest);
        let entry = self.files.entry(real.to_path_buf());
        entry.or_insert_with(|| Entry::new(digest.map_err(NoDigest::from), stamp));
        read
    }

    /// Like [`Ledger::open`], with the error in the gate's form.
    pub fn read(&mut self, real: &Path, limit: u64) -> Result<Vec<u8>, NoDigest> {
        let read = self.open(real, limit);
        read.map(|(bytes, _)| bytes)
            .map_err(|error| NoDigest::from(&error))
    }

    /// Stamps of files that other code is about to read, for [`Ledger::adopt`].
    pub fn stamps(&self, files: impl Iterator<Item = PathBuf>) -> Stamps {
        let new = files.filter(|path| !self.files.contains_key(path));
        let stamped = new.filter_map(|path| {
            let stamp = Stamp::now(&path)?;
            Some((path, stamp))
        });
        Stamps(stamped.collect())
    }

    /// Takes over digests of files that other code has read since they were stamped.
    pub fn adopt(&mut self, stamps: Stamps, digest: impl Fn(&Path) -> Option<Digest>) {
        for (path, stamp) in stamps.0 {
            if let Some(digest) = digest(&path) {
                let entry = self.files.entry(path);
                entry.or_insert_with(|| Entry::new(Ok(digest), Some(stamp)));
            }
        }
    }

    /// Adds a role to a file that was read.
    pub fn mark(&mut self, real: &Path, role: Role) {
        if let Some(entry) = self.files.get_mut(real) {
            entry.roles.insert(role);
        }
    }

    /// Hashes the files that were not read yet, on all processors, and adds the role to all of them.
    pub fn hash(&mut self, files: &BTreeSet<PathBuf>, role: Role) {
        let new = files.iter().filter(|path| !self.files.contains_key(*path));
        let new: Vec<&PathBuf> = new.collect();
        // Taken before the files are opened, so that a change in between is noticed at the end.
        let stamps: Vec<Option<Stamp>> = new.iter().map(|path| Stamp::now(path)).collect();
        let digests = digests(&new, &stamps);
        for ((path, stamp), digest) in new.into_iter().zip(stamps).zip(digests) {
            let digest = digest.map_err(|error| NoDigest::from(&error));
            self.files.insert(path.clone(), Entry::new(digest, stamp));
        }
        for path in files {
            self.mark(path, role);
        }
    }

    /// The digest of a file of this run; `None` when the file was never read.
    pub fn digest(&self, real: &Path) -> Option<&Result<Digest, NoDigest>> {
        self.files.get(real).map(|entry| &entry.digest)
    }

    /// Whether a file can be a result, that is, contains a digit. A large file is assumed to.
    pub fn holds_digit(&self, real: &Path) -> bool {
        let entry = self.files.get(real);
        let is_large = |entry: &Entry| entry.stamp.is_none_or(|Stamp(_, size)| size > SMALL);
        entry.is_some_and(is_large)
            || aris_fs::open(real)
                .and_then(|file| file.read_all(SMALL))
                .is_ok_and(|bytes| bytes.iter().any(u8::is_ascii_digit))
    }

    /// All files with a role and a digest, by path.
    pub fn judged(&self) -> impl Iterator<Item = (&Path, Digest, &BTreeSet<Role>)> {
        self.files.iter().filter_map(|(path, entry)| {
            let digest = entry.digest.as_ref().ok();
            let digest = digest.filter(|_| !entry.roles.is_empty())?;
            Some((path.as_path(), *digest, &entry.roles))
        })
    }

    /// Whether a path is one of the run's files.
    pub fn contains(&self, real: &Path) -> bool {
        self.files.contains_key(real)
    }

    /// Files that have changed since they were judged.
    pub fn changed(&self) -> Vec<&Path> {
        let judged = self.files.iter();
        let judged = judged.filter(|(_, entry)| entry.digest.is_ok() && !entry.roles.is_empty());
        let changed = judged.filter(|(path, entry)| Stamp::now(path) != entry.stamp);
        changed.map(|(path, _)| path.as_path()).collect()
    }
}

/// Up to this number of small files is hashed on one thread: starting threads would take longer.
const FEW: usize = 64;
/// Largest small file, in bytes.
const SMALL: u64 = 64 << 10;

/// Digests in the order of `paths`: on one thread for a few small files, else on all processors.
fn digests(paths: &[&PathBuf], stamps: &[Option<Stamp>]) -> Vec<Result<Digest, FsError>> {
    let small = |stamp: &Option<Stamp>| stamp.is_none_or(|Stamp(_, size)| size <= SMALL);
    if paths.len() > FEW || !stamps.iter().all(small) {
        return digest_files(paths);
    }
    // The file may be larger than its stamp says, so it is streamed like any other.
    let mut buffer = [0_u8; 16 << 10];
    let digest = |path: &&PathBuf| digest_file(path, &mut buffer);
    paths.iter().map(digest).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

    use super::*;

    #[test]
    fn a_file_keeps_the_digest_of_its_first_reading_and_a_change_shows() {
        let temp = tempfile::tempdir().expect("temp");
        let (one, two) = (temp.path().join("one"), temp.path().join("two"));
        fs::write(&one, "old").expect("write");
        fs::write(&two, "two").expect("write");
        let mut ledger = Ledger::default();
        assert_eq!(ledger.read(&one, 100), Ok(b"old".to_vec()));
        ledger.mark(&one, Role::Source);
        fs::write(&one, "newer").expect("write");
        ledger.hash(
            &BTreeSet::from([one.clone(), two.clone(), temp.path().join("none")]),
            Role::Input,
        );
        assert_eq!(ledger.digest(&one), Some(&Ok(Digest::of(b"old"))));
        assert_eq!(ledger.digest(&two), Some(&Ok(Digest::of(b"two"))));
        assert_eq!(
            ledger.digest(&temp.path().join("none")),
            Some(&Err(NoDigest::Gone))
        );
        // Files without a role and unreadable files are not reported as changed.
        let unjudged = temp.path().join("unjudged");
        fs::write(&unjudged, "old").expect("write");
        assert_eq!(ledger.read(&unjudged, 100), Ok(b"old".to_vec()));
        fs::write(&unjudged, "newer").expect("write");
        fs::write(temp.path().join("none"), "new").expect("write");
        assert_eq!(ledger.changed(), [one.as_path()]);
        let roles: Vec<_> = ledger.judged().map(|(_, _, roles)| roles.len()).collect();
        assert_eq!(roles, [2, 1]);
    }

    #[test]
    fn what_is_no_regular_file_is_told_apart() {
        let temp = tempfile::tempdir().expect("temp");
        let mut ledger = Ledger::default();
        assert_eq!(
            ledger.read(temp.path(), 10),
            Err(NoDigest::NotRegular("a directory"))
        );
        let large = temp.path().join("large");
        fs::write(&large, "0123456789").expect("write");
        assert!(matches!(
            ledger.read(&large, 3),
            Err(NoDigest::Unreadable(_))
        ));
    }
}
