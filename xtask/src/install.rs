//! `cargo xtask install-skills`: the helpers' binaries beside their launchers, and every name that skills know in `tools/`.

use std::path::Path;

use crate::cargo;
use crate::fault::Fault;
use crate::workspace::{Row, Workspace};

/// Mode of a binary.
const EXECUTABLE: u32 = 0o755;

/// A stripped release binary is far smaller; a debug build may not be.
pub(crate) const LARGE: u64 = 256 << 20;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Profile to build with; the release profile strips
    #[arg(long, default_value = "release")]
    profile: String,
    /// Place what is in the target folder already
    #[arg(long)]
    skip_build: bool,
    /// Only this helper; may be given several times
    #[arg(long, value_name = "NAME")]
    helper: Vec<String>,
}

impl Args {
    /// These helpers, built with this profile.
    pub(crate) fn of(profile: &str, helpers: &[&str]) -> Self {
        Self {
            profile: profile.to_owned(),
            skip_build: false,
            helper: helpers.iter().copied().map(String::from).collect(),
        }
    }
}

/// Builds and places every helper of the table that has a crate; a row without one is a fault.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<u8, Fault> {
    let triple = cargo::host_triple(workspace)?;
    let rows = chosen(workspace, &args.helper)?;
    let helpers: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    let to_build = if args.skip_build { &[][..] } else { &helpers };
    let folder = cargo::build(workspace, to_build, &args.profile)?;
    for row in rows {
        let (path, bytes) = place(workspace, row, &folder, &triple)?;
        println!("{path} ({} KB)", bytes.div_ceil(1000));
    }
    // One that is copied into a project by hand still finds this tree.
    let shims = shims(workspace, workspace.root.to_str());
    for (path, text) in &shims {
        write(workspace, path, text.as_bytes())?;
    }
    println!("tools/ ({} names)", shims.len());
    Ok(0)
}

/// The rows of these helpers, or all when none is named.
fn chosen<'a>(workspace: &'a Workspace, names: &[String]) -> Result<Vec<&'a Row>, Fault> {
    let row = |name: &String| {
        let unknown = || Fault::new(format!("{name} is not a helper that this tree builds"));
        workspace.row(name).ok_or_else(unknown)
    };
    if names.is_empty() {
        return Ok(workspace.rows.iter().collect());
    }
    names.iter().map(row).collect()
}

/// `tools/<name>` for every name of every helper, so that `$ARIS_REPO/tools/<name>` is found in this tree. `source`: see
/// [`aris_launch::shim`]; a release does not know where it will lie.
pub(crate) fn shims(workspace: &Workspace, source: Option<&str>) -> Vec<(String, String)> {
    let of_row = |row: &Row| -> Vec<(String, String)> {
        let shim = |name| aris_launch::shim(&row.name, &row.owner, name, source);
        row.names()
            .map(|name| (format!("tools/{name}"), shim(name)))
            .collect()
    };
    workspace.rows.iter().flat_map(of_row).collect()
}

fn write(workspace: &Workspace, path: &str, bytes: &[u8]) -> Result<(), Fault> {
    let target = workspace.at(path);
    if let Some(folder) = target.parent() {
        aris_fs::create_dir(folder)?;
    }
    Ok(aris_fs::write_atomic_with_mode(&target, bytes, EXECUTABLE)?)
}

/// What the name of a program ends in on the system of `triple`.
pub(crate) fn extension(triple: &str) -> &'static str {
    if triple.contains("windows") {
        ".exe"
    } else {
        ""
    }
}

/// Where the launcher in the folder `scripts` looks for the program of a target.
pub(crate) fn binary(scripts: &str, name: &str, triple: &str) -> String {
    format!("{scripts}/bin/{name}-{triple}{}", extension(triple))
}

/// Copies one binary to its place, atomically. Gives the path and the size.
fn place(
    workspace: &Workspace,
    row: &Row,
    folder: &Path,
    triple: &str,
) -> Result<(String, usize), Fault> {
    let extension = extension(triple);
    let path = binary(&row.scripts(), &row.name, triple);
    let bytes = aris_fs::read(&folder.join(format!("{}{extension}", row.name)), LARGE)?;
    write(workspace, &path, &bytes)?;
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

    #[test]
    fn helpers_are_chosen_by_name() {
        let workspace = Tree::new().workspace();
        let names = |names: &[&str]| {
            let names: Vec<String> = names.iter().copied().map(String::from).collect();
            chosen(&workspace, &names).map(|rows| rows.len())
        };
        assert_eq!(names(&[]).expect("all"), 1);
        assert_eq!(names(&["tool"]).expect("one"), 1);
        assert!(names(&["tool.sh"]).is_err());
    }

    #[test]
    fn every_name_of_a_helper_is_in_tools() {
        let shims = shims(&Tree::new().workspace(), None);
        let paths: Vec<&str> = shims.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["tools/tool", "tools/tool.sh"]);
    }
}
