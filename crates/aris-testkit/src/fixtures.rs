//! Where the workspace and the fixtures outside it lie.

use std::path::{Path, PathBuf};

/// The workspace's root: the folder above `crates/`.
pub fn workspace_root() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest
        .ancestors()
        .nth(2)
        .expect("the crate lies in crates/ of the workspace")
}

/// A path below `../shared/fixtures`, which is not part of the checkout. When it is absent the reason is printed, and the
/// test leaves early:
///
/// ```no_run
/// let Some(corpus) = aris_testkit::shared("papers") else { return };
/// ```
pub fn shared(relative: &str) -> Option<PathBuf> {
    let path = workspace_root()
        .parent()?
        .join("shared/fixtures")
        .join(relative);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is absent", path.display());
    None
}
