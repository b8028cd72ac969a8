//! The programs: built here for this machine, taken from a folder for others.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::cargo;
use crate::fault::Fault;
use crate::install::{LARGE, extension};
use crate::workspace::Workspace;

/// The multi-call binary, which is no row of the helper table.
pub(super) const ARIS: &str = "aris";

/// Programs of one target, by name without extension.
pub(super) type Programs = BTreeMap<String, Vec<u8>>;

/// What was built on this machine.
pub(super) struct Host {
    pub(super) triple: String,
    /// Where the programs lie.
    pub(super) folder: PathBuf,
}

/// Names of all programs of a release.
pub(super) fn names(workspace: &Workspace) -> Vec<&str> {
    let rows = workspace.rows.iter().map(|row| row.name.as_str());
    rows.chain([ARIS]).collect()
}

/// Builds for this machine: static where the toolchain can, so that one file serves every distribution.
pub(super) fn host(workspace: &Workspace) -> Result<Host, Fault> {
    let native = cargo::host_triple(workspace)?;
    let triple = match native
        .strip_suffix("-gnu")
        .map(|stem| format!("{stem}-musl"))
    {
        Some(musl) => {
            let missing = if !has_standard_library(workspace, &musl)? {
                Some(format!(
                    "the target {musl} is not installed (rustup target add {musl})"
                ))
            } else if !has_c_compiler(workspace, &musl)? {
                Some(format!(
                    "there is no C compiler for {musl} (Debian: musl-tools)"
                ))
            } else {
                None
            };
            match missing {
                None => musl,
                Some(why) => {
                    println!(
                        "note: {why}; the programs need the C library of this system or a newer one"
                    );
                    native
                }
            }
        }
        None => native,
    };
    println!("building for {triple}");
    let target = cargo::target_folder(workspace)?.join("dist-build");
    let mut command = cargo::cargo(workspace)
        .args([
            "build",
            "--release",
            "--locked",
            "--quiet",
            "--bins",
            "--target",
            &triple,
        ])
        .arg("--target-dir")
        .arg(&target)
        .env("CARGO_ENCODED_RUSTFLAGS", flags(workspace));
    for name in names(workspace) {
        command = command.args(["--package", name]);
    }
    let done = command.run(cargo::BUILD)?;
    if done.code()? != 0 {
        let problem = cargo::first_error(&done.stderr.text());
        return Err(Fault::new(format!(
            "the helpers do not build for {triple}: {problem}"
        )));
    }
    let folder = target.join(&triple).join("release");
    Ok(Host { triple, folder })
}

fn has_standard_library(workspace: &Workspace, triple: &str) -> Result<bool, Fault> {
    let done = cargo::tool(workspace, "RUSTC", "rustc")
        .args(["--print", "target-libdir", "--target", triple])
        .run(cargo::PRINT)?;
    let folder = done.stdout.text().trim().to_owned();
    Ok(done.success() && Path::new(&folder).is_dir())
}

/// `SQLite` and ring are C. The compiler is the one that their build scripts look for: `CC_<triple>`, else `musl-gcc`.
#[expect(
    clippy::disallowed_methods,
    reason = "xtask is no helper and has no Context"
)]
fn has_c_compiler(workspace: &Workspace, triple: &str) -> Result<bool, Fault> {
    let variable = format!("CC_{}", triple.replace('-', "_"));
    let compiler = std::env::var_os(variable).unwrap_or_else(|| OsString::from("musl-gcc"));
    let call = aris_proc::command(compiler, &workspace.root).arg("--version");
    match call.run(cargo::PRINT) {
        Ok(done) => Ok(done.success()),
        Err(aris_proc::ProcError::Absent { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Compiler flags, each after a separator: what stands in a program instead of this machine's folders.
#[expect(
    clippy::disallowed_methods,
    reason = "xtask is no helper and has no Context"
)]
fn flags(workspace: &Workspace) -> OsString {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let home = variable("CARGO_HOME").or_else(|| Some(variable("HOME")?.join(".cargo")));
    let mut flags = OsString::new();
    for (folder, name) in [(home, "/cargo"), (Some(workspace.root.clone()), "/aris")] {
        let Some(folder) = folder else { continue };
        if !flags.is_empty() {
            flags.push("\u{1f}");
        }
        flags.push("--remap-path-prefix=");
        flags.push(folder);
        flags.push("=");
        flags.push(name);
    }
    flags
}

/// The programs of this machine's target and of each folder in `given`; every one must be there.
pub(super) fn targets(
    workspace: &Workspace,
    host: &Host,
    given: Option<&Path>,
) -> Result<BTreeMap<String, Programs>, Fault> {
    let mut folders = BTreeMap::new();
    if let Some(given) = given {
        for entry in aris_fs::list_sorted(&workspace.root.join(given))? {
            let triple = entry.name.to_string_lossy().into_owned();
            if entry.kind != aris_fs::EntryKind::Folder || triple.split('-').count() < 3 {
                let path = entry.path.display();
                return Err(Fault::new(format!(
                    "{path} is not a folder named after a target"
                )));
            }
            folders.insert(triple, entry.path);
        }
    }
    folders.insert(host.triple.clone(), host.folder.clone());
    let mut targets = BTreeMap::new();
    for (triple, folder) in folders {
        let mut programs = Programs::new();
        for name in names(workspace) {
            let bytes =
                aris_fs::read(&folder.join(format!("{name}{}", extension(&triple))), LARGE)?;
            programs.insert(name.to_owned(), bytes);
        }
        targets.insert(triple, programs);
    }
    Ok(targets)
}
