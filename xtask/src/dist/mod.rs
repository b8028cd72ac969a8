//! `cargo xtask dist`: what users who do not build get. For each target one archive, and one tree with the binaries of all.
//!
//! The helpers are built here for this machine; binaries for other targets come from `--binaries`. The same commit gives the same
//! bytes: entries are sorted, times are those of the commit, owners are nobody, and no path of the building machine gets in.

mod archive;
mod build;
mod contents;
mod licences;

use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_audit::Digest;

use crate::cargo;
use crate::fault::Fault;
use crate::workspace::Workspace;
use contents::Files;

/// git only looks at files.
const GIT: Duration = Duration::from_mins(1);

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where to put the archives and the tree [default: dist in the target folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Programs for other targets: a folder for each triple, with its programs
    #[arg(long, value_name = "DIR")]
    binaries: Option<PathBuf>,
    /// Take the tree as it is, although it is not what is committed
    #[arg(long)]
    allow_dirty: bool,
}

/// Builds everything and writes it below the output folder.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<u8, Fault> {
    let time = commit_time(workspace, args.allow_dirty)?;
    let version = workspace.version()?;
    let out = match &args.out {
        Some(folder) => workspace.root.join(folder),
        None => cargo::target_folder(workspace)?.join("dist"),
    };
    let host = build::host(workspace)?;
    let targets = build::targets(workspace, &host, args.binaries.as_deref())?;
    let common = contents::common(workspace, &host)?;

    aris_fs::create_dir(&out)?;
    let mut sums = String::new();
    let mut everything = common.clone();
    for (triple, programs) in &targets {
        let mut files = common.clone();
        let own = contents::of_target(workspace, triple, programs)?;
        everything.extend(own.clone());
        files.extend(own);
        let name = format!("aris-{version}-{triple}");
        let bytes = archive::tar_gz(&name, &files, time)?;
        let archive = format!("{name}.tar.gz");
        aris_fs::write_atomic(&out.join(&archive), &bytes)?;
        sums.extend([&Digest::of(&bytes).hex(), "  ", &archive, "\n"]);
        println!(
            "{archive} ({} files, {} KB)",
            files.len(),
            bytes.len().div_ceil(1000)
        );
    }
    aris_fs::write_atomic(&out.join("SHA256SUMS"), sums.as_bytes())?;
    let tree = format!("aris-{version}");
    place_tree(&out, &tree, &everything)?;
    println!(
        "{tree}/ ({} files, {} targets)",
        everything.len(),
        targets.len()
    );
    println!("in {}", out.display());
    Ok(0)
}

/// Seconds since 1970 of the commit that is checked out.
fn commit_time(workspace: &Workspace, allow_dirty: bool) -> Result<u64, Fault> {
    let git = |args: &[&str]| -> Result<String, Fault> {
        let done = aris_proc::command("git", &workspace.root)
            .args(args)
            .run(GIT)?;
        if !done.success() {
            return Err(Fault::new(format!(
                "git {}: {}",
                args.join(" "),
                done.stderr.text().trim_end()
            )));
        }
        Ok(done.stdout.text().into_owned())
    };
    let changes = git(&["status", "--porcelain"])?;
    if let (Some(first), false) = (changes.lines().next(), allow_dirty) {
        return Err(Fault::new(format!(
            "the tree is not what is committed ({first}); commit, or build a trial with --allow-dirty"
        )));
    }
    let time = git(&["log", "-1", "--format=%ct"])?;
    time.trim()
        .parse()
        .map_err(|error| Fault::new(format!("git log gives no time: {error}: {time:?}")))
}

/// Writes the files as `out/name`, in the place of what was there: whole or not at all.
fn place_tree(out: &Path, name: &str, files: &Files) -> Result<(), Fault> {
    let new = tempfile::Builder::new()
        .prefix(".new-")
        .tempdir_in(out)
        .map_err(|error| Fault::new(format!("{}: {error}", out.display())))?;
    let root = new.path().join(name);
    for (path, file) in files {
        let path = root.join(path);
        if let Some(folder) = path.parent() {
            aris_fs::create_dir(folder)?;
        }
        aris_fs::create_file(&path, &file.bytes, file.mode())?;
    }
    let place = out.join(name);
    if place.exists() {
        aris_fs::exchange(&root, &place)?;
    } else {
        aris_fs::rename_new(&root, &place)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
