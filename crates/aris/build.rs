//! Compiles the skills and their accompanying files into the program, together with the name of the target.
#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads its environment and the checkout directly"
)]

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The parts of the repository from which projects are installed, without build results and files generated for one machine.
const CARRIED: [&str; 8] = [
    ".agents",
    ".claude-plugin",
    ".codex-plugin",
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "schemas",
    "skills",
];

fn main() -> io::Result<()> {
    let variable = |name: &str| env::var_os(name).map(PathBuf::from).unwrap_or_default();
    let root = variable("CARGO_MANIFEST_DIR")
        .join("../..")
        .canonicalize()?;
    let mut files = Vec::new();
    for name in CARRIED {
        collect(&root.join(name), &mut files)?;
    }
    files.sort();
    let mut text = String::from("pub(crate) const FILES: &[File] = &[\n");
    for path in files {
        println!("cargo::rerun-if-changed={}", path.display());
        let relative = path.strip_prefix(&root).map_err(io::Error::other)?;
        let (Some(relative), Some(whole)) = (relative.to_str(), path.to_str()) else {
            return Err(io::Error::other(format!("{} is not UTF-8", path.display())));
        };
        let is_program = fs::metadata(&path)?.permissions().mode() & 0o100 != 0;
        writeln!(
            text,
            "    File {{ path: {relative:?}, is_program: {is_program}, bytes: include_bytes!({whole:?}) }},"
        )
        .map_err(io::Error::other)?;
    }
    text.push_str("];\n");
    fs::write(variable("OUT_DIR").join("tree.rs"), text)?;
    println!(
        "cargo::rustc-env=ARIS_TARGET={}",
        env::var("TARGET").map_err(io::Error::other)?
    );
    Ok(())
}

/// The files below `path`, without the built programs in `scripts/bin`.
///
/// cargo watches each file for changes. It cannot watch the folder `skills` for new files, because each build puts programs below
/// it. But a new skill also changes the plugin manifests, which are watched.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    if path.ends_with("scripts/bin") {
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        collect(&entry?.path(), files)?;
    }
    Ok(())
}
