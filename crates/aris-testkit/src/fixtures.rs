//! Paths of the workspace and of fixtures outside it.

use std::path::{Path, PathBuf};

use proptest::test_runner::{Config, RngSeed};

/// The workspace's root: the parent of `crates/`.
pub fn workspace_root() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest
        .ancestors()
        .nth(2)
        .expect("the crate lies in crates/ of the workspace")
}

/// A path below `../shared/fixtures`, which is not part of the checkout. When it is missing, prints the reason, and the test
/// returns early:
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

/// A number from an environment variable of the test run.
pub fn setting(name: &str, default: u64) -> u64 {
    let set = std::env::var(name).ok();
    set.map_or(default, |text| text.parse().expect("a number"))
}

/// Configuration of a slow property test: this many cases, the same in every run. `ARIS_STORIES` and `ARIS_SEED` change number
/// and seed.
pub fn stories(few: u32) -> Config {
    let cases = setting("ARIS_STORIES", few.into());
    let seed = setting("ARIS_SEED", 22);
    println!("ARIS_SEED={seed} ARIS_STORIES={cases}");
    Config {
        cases: cases.try_into().expect("a number of cases"),
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        max_shrink_iters: 200,
        ..Config::default()
    }
}
