//! The program that contains every helper: built for this machine, taken from a folder for other targets.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use aris_proc::{End, Stdout};

use crate::cargo;
use crate::fault::Fault;
use crate::install::{ARIS, LARGE, extension};
use crate::workspace::{Workspace, variable};

/// The programs built for this machine.
pub(super) struct Host {
    pub(super) triple: String,
    /// Their folder.
    pub(super) folder: PathBuf,
}

/// Builds for this machine: statically if the toolchain can, so that one file runs on every distribution.
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
    let command = cargo::cargo(workspace)
        .args([
            "build",
            "--release",
            "--locked",
            "--bins",
            "--package",
            ARIS,
            "--target",
            &triple,
        ])
        .arg("--target-dir")
        .arg(&target)
        .env("CARGO_ENCODED_RUSTFLAGS", flags(workspace, &target));
    // Show the output, because the build takes minutes.
    let end = command.run_attached(Stdout::Stderr, Some(cargo::BUILD))?;
    if end != End::Exited(0) {
        return Err(Fault::new(format!(
            "aris does not build for {triple}: why stands above"
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

/// Whether a C compiler is available: `SQLite` and ring are written in C. Their build scripts use `CC_<triple>`, else `musl-gcc`.
fn has_c_compiler(workspace: &Workspace, triple: &str) -> Result<bool, Fault> {
    let name = format!("CC_{}", triple.replace('-', "_"));
    let compiler = variable(&name).unwrap_or_else(|| "musl-gcc".into());
    let call = aris_proc::command(compiler, &workspace.root).arg("--version");
    match call.run(cargo::PRINT) {
        Ok(done) => Ok(done.success()),
        Err(aris_proc::ProcError::Absent { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Compiler flags, each after a separator: they replace this machine's folder names in the program.
fn flags(workspace: &Workspace, target: &Path) -> OsString {
    let home = variable("CARGO_HOME").or_else(|| Some(variable("HOME")?.join(".cargo")));
    let mut flags = OsString::new();
    // Of several matching prefixes the last one is used; the target folder may be below the workspace or elsewhere.
    for (folder, name) in [
        (home, "/cargo"),
        (Some(workspace.root.clone()), "/aris"),
        (Some(target.to_owned()), "/target"),
    ] {
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

/// The program for this machine's target, and for the target of each folder in `given`.
pub(super) fn targets(
    workspace: &Workspace,
    host: &Host,
    given: Option<&Path>,
) -> Result<BTreeMap<String, Vec<u8>>, Fault> {
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
        let file = folder.join(format!("{ARIS}{}", extension(&triple)));
        targets.insert(triple, aris_fs::read(&file, LARGE)?);
    }
    Ok(targets)
}
