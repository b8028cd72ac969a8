//! `cargo xtask install-skills`: the helpers' binaries, beside their launchers.

use std::path::Path;

use crate::cargo;
use crate::fault::Fault;
use crate::workspace::{Row, Workspace};

/// Mode of a binary.
const EXECUTABLE: u32 = 0o755;

/// A stripped release binary is far smaller; a debug build may not be.
const LARGE: u64 = 256 << 20;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Profile to build with; the release profile strips
    #[arg(long, default_value = "release")]
    profile: String,
    /// Place what is in the target folder already
    #[arg(long)]
    skip_build: bool,
}

impl Args {
    /// What users want: built and stripped.
    pub(crate) fn release() -> Self {
        Self {
            profile: String::from("release"),
            skip_build: false,
        }
    }
}

/// Builds and places every helper of the table that has a crate; a row without one is a fault.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<u8, Fault> {
    let triple = cargo::host_triple(workspace)?;
    let helpers: Vec<&str> = if args.skip_build {
        Vec::new()
    } else {
        workspace.rows.iter().map(|row| row.name.as_str()).collect()
    };
    let (folder, problem) = cargo::build(workspace, &helpers, &args.profile)?;
    if let Some(problem) = problem {
        return Err(Fault::new(format!("the helpers do not build: {problem}")));
    }
    for row in &workspace.rows {
        let (path, bytes) = place(workspace, row, &folder, &triple)?;
        println!("{path} ({} KB)", bytes.div_ceil(1000));
    }
    Ok(0)
}

/// Copies one binary to its place, atomically. Gives the path and the size.
fn place(
    workspace: &Workspace,
    row: &Row,
    folder: &Path,
    triple: &str,
) -> Result<(String, usize), Fault> {
    let extension = if triple.contains("windows") {
        ".exe"
    } else {
        ""
    };
    let path = format!("{}/bin/{}-{triple}{extension}", row.scripts(), row.name);
    let bytes = aris_fs::read(&folder.join(format!("{}{extension}", row.name)), LARGE)?;
    let target = workspace.at(&path);
    if let Some(folder) = target.parent() {
        aris_fs::create_dir(folder)?;
    }
    aris_fs::write_atomic_with_mode(&target, &bytes, EXECUTABLE)?;
    Ok((path, bytes.len()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::verify::tree::Tree;

    #[test]
    fn a_binary_goes_beside_its_launcher_under_the_name_of_its_target() {
        let tree = Tree::new();
        tree.write("target/release/tool", "binary");
        let workspace = tree.workspace();
        let folder = workspace.at("target/release");
        let (path, bytes) = place(
            &workspace,
            &workspace.rows[0],
            &folder,
            "x86_64-unknown-linux-gnu",
        )
        .expect("placed");
        assert_eq!(
            (path.as_str(), bytes),
            (
                "skills/tool-skill/scripts/bin/tool-x86_64-unknown-linux-gnu",
                6
            )
        );
        let mode = std::fs::metadata(workspace.at(&path))
            .expect("metadata")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o755);
        assert!(place(&workspace, &workspace.rows[0], Path::new("/nowhere"), "x").is_err());
    }
}
