//! Puts the commit of the checkout into the binary, for `--version`.
#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads its environment and the checkout directly"
)]

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-env-changed=ARIS_BUILD_COMMIT");
    let commit = env::var("ARIS_BUILD_COMMIT")
        .ok()
        .or_else(checked_out)
        .unwrap_or_else(|| String::from("unknown"));
    let short: String = commit.chars().take(12).collect();
    println!("cargo::rustc-env=ARIS_COMMIT={short}");
}

/// The commit that the repository's `.git` points to, read without running git.
fn checked_out() -> Option<String> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR")?);
    let dot_git = manifest
        .ancestors()
        .map(|folder| folder.join(".git"))
        .find(|path| path.exists())?;
    let git = if dot_git.is_dir() {
        dot_git
    } else {
        let text = fs::read_to_string(&dot_git).ok()?;
        dot_git.parent()?.join(text.strip_prefix("gitdir:")?.trim())
    };
    let head = read(&git.join("HEAD"))?;
    let Some(name) = head.strip_prefix("ref: ") else {
        return Some(head);
    };
    let common =
        read(&git.join("commondir")).map_or_else(|| git.clone(), |shared| git.join(shared));
    read(&common.join(name)).or_else(|| {
        let packed = read(&common.join("packed-refs"))?;
        packed
            .lines()
            .find_map(|line| line.strip_suffix(name).map(|hash| hash.trim().to_owned()))
    })
}

fn read(path: &Path) -> Option<String> {
    // A watched but absent file would make cargo run this script on every build.
    let text = fs::read_to_string(path).ok()?;
    println!("cargo::rerun-if-changed={}", path.display());
    Some(text.trim().to_owned())
}
