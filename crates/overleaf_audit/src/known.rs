//! Objects of git that were read before and are clean. An object's name says what it holds, so a verdict never grows old.

use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_contract::hex::hex;
use sha2::{Digest as _, Sha256};

/// First bytes of a file of verdicts; the number changes with the forms of tokens that are looked for.
const MAGIC: &[u8] = b"aris overleaf_audit clean 3\n";

/// Most bytes of such a file: some 12 million objects.
const LIMIT: u64 = 256 << 20;

/// The name of an object: 20 bytes, or 32.
pub(crate) type Id = Vec<u8>;

/// Verdicts of one repository.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Where they are kept; nowhere without a folder for caches.
    file: Option<PathBuf>,
    /// Sorted names of clean objects.
    clean: Vec<Id>,
}

impl Known {
    /// What is known of the repository at `repository`; nothing when `context` names no folder for caches, or the file is damaged.
    pub(crate) fn of(repository: &Path, context: &Context) -> Self {
        let Some(folder) = folder(context) else {
            return Self::default();
        };
        let digest = Sha256::digest(repository.as_os_str().as_encoded_bytes());
        let name = hex(digest.iter().take(16));
        let file = folder.join(format!("{name}.clean"));
        let clean = aris_fs::read_optional(&file, LIMIT)
            .ok()
            .flatten()
            .and_then(|bytes| read(&bytes));
        Self {
            file: Some(file),
            clean: clean.unwrap_or_default(),
        }
    }

    /// Whether an object is known to be clean.
    pub(crate) fn has(&self, id: &Id) -> bool {
        self.clean.binary_search(id).is_ok()
    }

    /// Keeps these verdicts instead. That they cannot be kept costs time, and nothing else.
    pub(crate) fn keep(&self, mut clean: Vec<Id>) {
        let (Some(file), Some(width)) = (&self.file, clean.first().map(Vec::len)) else {
            return;
        };
        clean.sort_unstable();
        clean.dedup();
        let body = clean.concat();
        let mut bytes = MAGIC.to_vec();
        bytes.push(u8::try_from(width).unwrap_or_default());
        bytes.extend_from_slice(&Sha256::digest(&body));
        bytes.extend_from_slice(&body);
        let kept = file
            .parent()
            .is_some_and(|folder| aris_fs::create_dir(folder).is_ok());
        if kept {
            aris_fs::write_atomic(file, &bytes).unwrap_or_default();
        }
    }
}

/// The names, when the file is whole.
fn read(bytes: &[u8]) -> Option<Vec<Id>> {
    let (width, rest) = bytes.strip_prefix(MAGIC)?.split_first()?;
    let (digest, body) = rest.split_at_checked(32)?;
    let width = usize::from(*width);
    let whole = width > 0 && body.len() % width == 0 && Sha256::digest(body).as_slice() == digest;
    whole.then(|| body.chunks(width).map(<[u8]>::to_vec).collect())
}

/// The folder of this helper among the caches of this user, as the other helpers choose it.
fn folder(context: &Context) -> Option<PathBuf> {
    let named = |name: &str| context.env(name).map(PathBuf::from);
    let absolute = |name: &str| named(name).filter(|path| path.is_absolute());
    let caches = named("ARIS_CACHE_DIR")
        .or_else(|| absolute("XDG_CACHE_HOME").map(|path| path.join("aris")))
        .or_else(|| absolute("HOME").map(|path| path.join(".cache/aris")))?;
    Some(context.absolute(&caches).join("overleaf_audit"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn known(ids: &[[u8; 4]]) -> Known {
        let mut clean: Vec<Id> = ids.iter().map(|id| id.to_vec()).collect();
        clean.sort_unstable();
        Known { file: None, clean }
    }

    proptest! {
        #[test]
        fn exactly_what_was_kept_is_known(ids in prop::collection::btree_set(any::<[u8; 4]>(), 0..60), other in any::<[u8; 4]>()) {
            let list: Vec<[u8; 4]> = ids.iter().copied().collect();
            let known = known(&list);
            for id in &list {
                prop_assert!(known.has(&id.to_vec()));
            }
            prop_assert_eq!(known.has(&other.to_vec()), ids.contains(&other));
            prop_assert!(!known.has(&vec![1, 2, 3]));
        }

        #[test]
        fn damaged_verdicts_count_for_nothing(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0_usize..120) {
            read(&bytes);
            let body = vec![7_u8; 60];
            let mut whole = MAGIC.to_vec();
            whole.push(20);
            whole.extend_from_slice(&Sha256::digest(&body));
            whole.extend_from_slice(&body);
            prop_assert_eq!(read(&whole), Some(vec![vec![7_u8; 20]; 3]));
            let cut = cut.min(whole.len() - 1);
            prop_assert_eq!(read(&whole[..cut]), None);
            whole[cut] ^= 1;
            prop_assert_eq!(read(&whole), None);
        }
    }
}
