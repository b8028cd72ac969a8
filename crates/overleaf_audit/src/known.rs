//! Objects of git that were read before and are clean. An object's name says what it holds, so a verdict never grows old.

use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_contract::hex::hex;
use sha2::{Digest as _, Sha256};

/// First bytes of a file of verdicts; the number changes with the forms of tokens that are looked for.
const MAGIC: &str = "aris overleaf_audit clean 4\n";

/// Most bytes of such a file: some 12 million objects.
const LIMIT: u64 = 512 << 20;

/// Verdicts of one repository.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Where they are kept; nowhere without a folder for caches.
    file: Option<PathBuf>,
    /// Sorted names of clean objects.
    clean: Vec<String>,
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
        let kept = aris_fs::read_optional(&file, LIMIT).ok().flatten();
        let clean = kept.and_then(|bytes| read(&bytes)).unwrap_or_default();
        let file = Some(file);
        Self { file, clean }
    }

    /// Whether an object is known to be clean.
    pub(crate) fn has(&self, id: &String) -> bool {
        self.clean.binary_search(id).is_ok()
    }

    /// Keeps these verdicts instead. That they cannot be kept costs time, and nothing else.
    pub(crate) fn keep(&self, mut clean: Vec<String>) {
        clean.sort_unstable();
        clean.dedup();
        if let Some(file) = &self.file
            && let Some(folder) = file.parent()
            && aris_fs::create_dir(folder).is_ok()
        {
            aris_fs::write_atomic(file, written(&clean).as_bytes()).unwrap_or_default();
        }
    }
}

/// What a file of verdicts holds: a digest of the names, and the names.
fn written(clean: &[String]) -> String {
    let names = clean.join("\n");
    format!("{MAGIC}{}\n{names}", hex(&Sha256::digest(&names)))
}

/// The names, when the file is whole.
fn read(bytes: &[u8]) -> Option<Vec<String>> {
    let text = str::from_utf8(bytes).ok()?;
    let (_, names) = text.strip_prefix(MAGIC)?.split_once('\n')?;
    let clean: Vec<String> = names.lines().map(str::to_owned).collect();
    (written(&clean) == text).then_some(clean)
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

    proptest! {
        #[test]
        fn exactly_what_was_kept_is_known(ids in prop::collection::btree_set("[0-9a-f]{4}", 0..60), other in "[0-9a-f]{4}") {
            let clean: Vec<String> = ids.iter().cloned().collect();
            let known = Known { file: None, clean: read(written(&clean).as_bytes()).expect("whole") };
            prop_assert_eq!(&known.clean, &clean);
            prop_assert_eq!(known.has(&other), ids.contains(&other));
            prop_assert!(!known.has(&String::from("012")));
        }

        #[test]
        fn damaged_verdicts_count_for_nothing(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0_usize..120) {
            read(&bytes);
            let mut whole = written(&[String::from("07"), String::from("08")]).into_bytes();
            let cut = cut.min(whole.len() - 1);
            prop_assert_eq!(read(&whole[..cut]), None);
            whole[cut] ^= 1;
            prop_assert_eq!(read(&whole), None);
        }
    }
}
