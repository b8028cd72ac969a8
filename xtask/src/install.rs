//! `cargo xtask install-skills`: puts the helpers' programs beside their launchers, and every name that skills use into `tools/`.
//!
//! All are hard links to one program: it is linked once, not once per helper, and occupies the disk once. A helper requested by name is
//! built on its own, which is much faster.

use std::path::{Path, PathBuf};

use crate::cargo;
use crate::fault::Fault;
use crate::workspace::{Row, Workspace};

/// The program that contains every helper.
pub(crate) const ARIS: &str = "aris";

/// Mode of a binary.
const EXECUTABLE: u32 = 0o755;

/// Limit for reading a binary; a stripped release binary is far smaller, a debug build may not be.
pub(crate) const LARGE: u64 = 256 << 20;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Profile to build with; the release profile strips
    #[arg(long, default_value = "release")]
    profile: String,
    /// Place what is in the target folder already
    #[arg(long)]
    skip_build: bool,
    /// Only this helper, as a program of its own; may be given several times
    #[arg(long, value_name = "NAME")]
    helper: Vec<String>,
}

/// Builds and installs every helper of the table; a row without a crate is an error.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<u8, Fault> {
    let triple = cargo::host_triple(workspace)?;
    let rows = chosen(workspace, &args.helper)?;
    let names = rows.iter().map(|row| row.name.as_str());
    let programs: Vec<&str> = if args.helper.is_empty() {
        vec![ARIS]
    } else {
        names.collect()
    };
    let to_build = if args.skip_build { &[][..] } else { &programs };
    let folder = cargo::build(workspace, to_build, &args.profile)?;
    let mut first: Option<(&str, PathBuf)> = None;
    for (at, row) in rows.into_iter().enumerate() {
        let program = programs.get(at).copied().unwrap_or(ARIS);
        let path = binary(&row.scripts(), &row.name, &triple);
        let placed = workspace.at(&path);
        match &first {
            Some((known, there)) if *known == program => link(there, &placed)?,
            _ => {
                let file = folder.join(format!("{program}{}", extension(&triple)));
                let bytes = aris_fs::read(&file, LARGE)?;
                write(workspace, &path, &bytes)?;
                println!("{path} ({} KB)", bytes.len().div_ceil(1000));
                first = Some((program, placed));
            }
        }
    }
    if args.helper.is_empty() {
        println!("the same under the names of all helpers");
    }
    // The path of this tree is compiled in, so that a shim that is copied into a project still finds it.
    let shims = shims(workspace, workspace.root.to_str());
    for (path, text) in &shims {
        write(workspace, path, text.as_bytes())?;
    }
    println!("tools/ ({} names)", shims.len());
    Ok(0)
}

/// Makes `path` a hard link to the file `there`, replacing an existing file. A copy on file systems without hard links.
fn link(there: &Path, path: &Path) -> Result<(), Fault> {
    if let Some(folder) = path.parent() {
        aris_fs::create_dir(folder)?;
    }
    aris_fs::remove_file(path)?;
    if std::fs::hard_link(there, path).is_err() {
        aris_fs::copy_atomic(there, path)?;
    }
    Ok(())
}

/// The rows of these helpers, or all rows if none is named.
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

/// `tools/<name>` for every name of every helper, so that `$ARIS_REPO/tools/<name>` exists in this tree. For `source` see
/// [`aris_launch::shim`]; it is `None` in a release, whose folder is unknown.
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

/// The file extension of programs on the system of `triple`.
pub(crate) fn extension(triple: &str) -> &'static str {
    if triple.contains("windows") {
        ".exe"
    } else {
        ""
    }
}

/// The path at which the launcher in the folder `scripts` looks for a target's program.
pub(crate) fn binary(scripts: &str, name: &str, triple: &str) -> String {
    format!("{scripts}/bin/{name}-{triple}{}", extension(triple))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    use super::*;
    use crate::tests::Tree;

    #[test]
    fn programs_go_beside_their_launchers_under_the_name_of_their_target() {
        let tree = Tree::new();
        tree.write("target/release/aris", "all of them");
        tree.write("target/release/tool", "one of them");
        tree.write("Cargo.toml", "[workspace]\nmembers = []\n");
        let workspace = tree.workspace();
        let mut args = Args {
            profile: String::from("release"),
            skip_build: true,
            helper: Vec::new(),
        };
        let triple = cargo::host_triple(&workspace).expect("a compiler");
        let path = workspace.at(&binary("skills/tool-skill/scripts", "tool", &triple));
        run(&workspace, &args).expect("placed");
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "all of them");
        let mode = std::fs::metadata(&path)
            .expect("there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o755);
        // A hard link, also in place of an existing file.
        let other = path.with_file_name("other");
        tree.write("skills/tool-skill/scripts/bin/other", "old");
        link(&path, &other).expect("linked");
        assert_eq!(std::fs::metadata(&other).expect("there").nlink(), 2);
        args.helper.push(String::from("tool"));
        run(&workspace, &args).expect("placed");
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "one of them");
        assert_eq!(
            std::fs::read_to_string(&other).expect("read"),
            "all of them"
        );
        std::fs::remove_file(tree.path().join("target/release/tool")).expect("removed");
        assert!(run(&workspace, &args).is_err());
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
