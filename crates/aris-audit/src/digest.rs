//! SHA-256 digests of bytes and of files.

use std::fmt;
use std::path::Path;

use aris_contract::hex::{hex, unhex};
use aris_fs::FsError;
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest. `Display` gives `sha256:<64 lower-case hex digits>`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest with these bytes, calculated elsewhere.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Parses `sha256:<hex>` or bare hex, 64 digits of either case; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.strip_prefix("sha256:").unwrap_or(text);
        unhex(hex.as_bytes())?.try_into().ok().map(Self)
    }

    /// The 64 hex digits without prefix.
    pub fn hex(&self) -> String {
        hex(&self.0)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// Bytes per read and thread: large enough to make the cost of system calls negligible, small enough for the second-level cache.
const BUFFER: usize = 256 << 10;

/// Digests of many files, in the order of `paths`, computed on all processors with bounded memory.
///
/// Each file is opened once. **Errors**: those of [`aris_fs::open`], one for each file that cannot be read.
pub fn digest_files<P: AsRef<Path> + Sync>(paths: &[P]) -> Vec<Result<Digest, FsError>> {
    let workers = aris_fs::in_parallel(
        paths,
        || (vec![0_u8; BUFFER], Vec::new()),
        |(buffer, done), at, path| done.push((at, digest_file(path.as_ref(), buffer))),
    );
    let mut done: Vec<_> = workers.into_iter().flat_map(|(_, done)| done).collect();
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, digest)| digest).collect()
}

pub(crate) fn digest_file(path: &Path, buffer: &mut [u8]) -> Result<Digest, FsError> {
    let mut hasher = Sha256::new();
    aris_fs::open(path)?.stream(buffer, |piece| hasher.update(piece))?;
    Ok(Digest(hasher.finalize().into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// **Source**: FIPS 180-4 examples (empty message and "abc").
    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn digests_are_those_of_the_standard_and_read_back() {
        assert_eq!(Digest::of(b"").hex(), EMPTY);
        assert_eq!(Digest::of(b"abc").to_string(), format!("sha256:{ABC}"));
        for text in [ABC.to_owned(), format!("sha256:{ABC}"), ABC.to_uppercase()] {
            assert_eq!(Digest::parse(&text), Some(Digest::of(b"abc")));
        }
        for bad in [
            "",
            "sha256:",
            ABC.trim_start_matches('b'),
            &format!("{ABC}0"),
            &ABC.replace('b', "g"),
            &format!("sha1:{ABC}"),
        ] {
            assert_eq!(Digest::parse(bad), None, "{bad}");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "tests prepare files directly")]
    fn files_keep_their_order_and_a_missing_one_is_an_error_of_its_own() {
        let temp = tempfile::tempdir().expect("temp");
        let mut paths: Vec<_> = (0..50).map(|n| temp.path().join(n.to_string())).collect();
        for (n, path) in paths.iter().enumerate() {
            std::fs::write(path, vec![7; n * 10_000]).expect("write");
        }
        paths.insert(20, temp.path().join("none"));
        let digests = digest_files(&paths);
        for (path, digest) in paths.iter().zip(&digests) {
            match digest {
                Ok(digest) => assert_eq!(*digest, Digest::of(&std::fs::read(path).expect("read"))),
                Err(error) => assert!(error.is_not_found() && path.ends_with("none")),
            }
        }
        assert_eq!(digests.len(), 51);
        assert!(digest_files::<&Path>(&[]).is_empty());
    }
}
