//! `cargo xtask dist`: makes the release for users who do not build: for each target an archive, a Python wheel and an npm package; one
//! tree with the programs of all targets; digests, a bill of materials, a provenance statement, and recipes for package managers.
//!
//! The program that contains every helper is built for this machine; those for other targets come from `--binaries`. The same commit
//! gives the same bytes: entries are sorted, times are the commit's, owners are unset, and paths of the building machine are removed.

mod archive;
mod build;
mod contents;
mod licences;
mod packages;
mod trial;

use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_audit::Digest;

use crate::cargo;
use crate::fault::Fault;
use crate::install::ARIS;
use crate::workspace::Workspace;
use contents::Files;

/// Time limit of git; it only reads files.
const GIT: Duration = Duration::from_mins(1);

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where to put the archives and the tree [default: dist in the target folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Programs for other targets: a folder for each triple, with the program aris
    #[arg(long, value_name = "DIR")]
    binaries: Option<PathBuf>,
    /// Take the tree as it is, although it is not what is committed
    #[arg(long)]
    allow_dirty: bool,
    /// Install the wheel and the npm package for this machine in empty folders without a network, and run the demo from each
    #[arg(long)]
    r#try: bool,
}

/// Builds everything and writes it into the output folder.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<u8, Fault> {
    let time = commit_time(workspace, args.allow_dirty)?;
    let out = match &args.out {
        Some(folder) => workspace.root.join(folder),
        None => cargo::target_folder(workspace)?.join("dist"),
    };
    let host = build::host(workspace)?;
    let of_host = write(workspace, &host, args.binaries.as_deref(), &out, time)?;
    if args.r#try {
        trial::run(&out, &of_host)?;
    }
    Ok(0)
}

/// Writes everything for this machine's program and for those in `binaries`. Returns the packages for this machine.
fn write(
    workspace: &Workspace,
    host: &build::Host,
    binaries: Option<&Path>,
    out: &Path,
    time: u64,
) -> Result<Vec<String>, Fault> {
    let version = workspace.version()?;
    let targets = build::targets(workspace, host, binaries)?;
    let common = contents::common(workspace, host)?;

    aris_fs::create_dir(out)?;
    let mut made = Made {
        out,
        digests: Vec::new(),
    };
    let lock = aris_fs::read_text(&workspace.at("Cargo.lock"))?;
    let package_sums = licences::sums(&lock)?;
    let mut own_licences = Vec::new();
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        own_licences.push((name.to_owned(), aris_fs::read_text(&workspace.at(name))?));
    }
    let mut everything = common.clone();
    let (mut platforms, mut of_host) = (Vec::new(), Vec::new());
    for (triple, program) in &targets {
        let metadata = licences::metadata(workspace, triple)?;
        let licences = licences::text(&metadata, triple)?;
        let own = contents::of_target(workspace, triple, program, &licences);
        let mut files = common.clone();
        everything.extend(own.clone());
        files.extend(own);
        let name = format!("{ARIS}-{version}-{triple}");
        made.file(
            &format!("{name}.tar.gz"),
            &archive::tar_gz(&name, &files, time)?,
        )?;
        let bill = licences::bill_of_materials(&metadata, &version, &package_sums);
        made.file(&format!("{name}.cdx.json"), bill.as_bytes())?;
        let mut all = vec![(String::from("THIRD-PARTY.txt"), licences)];
        all.extend(own_licences.clone());
        let parts = packages::Parts {
            version: &version,
            triple,
            program,
            licences: &all,
            time,
        };
        let (wheel, bytes) = parts.wheel()?;
        made.file(&wheel, &bytes)?;
        let (platform, package, bytes) = parts.npm()?;
        made.file(&package, &bytes)?;
        platforms.push(platform);
        if *triple == host.triple {
            of_host = vec![wheel, package];
        }
    }
    let (front, bytes) = packages::npm_front(&version, &platforms, &own_licences, time)?;
    made.file(&front, &bytes)?;
    of_host.push(front);
    for (name, text) in packages::recipes(&version, &made.digests) {
        made.file(&name, text.as_bytes())?;
    }
    let commit = git(workspace, &["rev-parse", "HEAD"])?;
    let lock = Digest::of(lock.as_bytes());
    let rustc = cargo::tool(workspace, "RUSTC", "rustc")
        .arg("--version")
        .run(cargo::PRINT)?;
    let statement = packages::provenance(
        &made.digests,
        commit.trim(),
        &lock,
        rustc.stdout.text().trim(),
    );
    made.file("provenance.intoto.json", statement.as_bytes())?;
    let mut sums = String::new();
    for (name, digest) in &made.digests {
        sums.extend([digest, "  ", name, "\n"]);
    }
    aris_fs::write_atomic(&out.join("SHA256SUMS"), sums.as_bytes())?;
    let tree = format!("{ARIS}-{version}");
    place_tree(out, &tree, &everything)?;
    println!(
        "{tree}/ ({} files, {} targets)",
        everything.len(),
        targets.len()
    );
    println!("in {}", out.display());
    Ok(of_host)
}

/// The files written so far.
struct Made<'a> {
    out: &'a Path,
    /// Names and SHA-256 in hexadecimal, in the order of writing.
    digests: Vec<(String, String)>,
}

impl Made<'_> {
    fn file(&mut self, name: &str, bytes: &[u8]) -> Result<(), Fault> {
        aris_fs::write_atomic(&self.out.join(name), bytes)?;
        println!("{name} ({} KB)", bytes.len().div_ceil(1000));
        self.digests
            .push((name.to_owned(), Digest::of(bytes).hex()));
        Ok(())
    }
}

/// The output of a git command.
fn git(workspace: &Workspace, args: &[&str]) -> Result<String, Fault> {
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
}

/// Time of the checked-out commit, in seconds since 1970.
fn commit_time(workspace: &Workspace, allow_dirty: bool) -> Result<u64, Fault> {
    let changes = git(workspace, &["status", "--porcelain"])?;
    if let (Some(first), false) = (changes.lines().next(), allow_dirty) {
        return Err(Fault::new(format!(
            "the tree is not what is committed ({first}); commit, or build a trial with --allow-dirty"
        )));
    }
    let time = git(workspace, &["log", "-1", "--format=%ct"])?;
    time.trim()
        .parse()
        .map_err(|error| Fault::new(format!("git log gives no time: {error}: {time:?}")))
}

/// Writes the files as `out/name`, completely or not at all; replaces an existing folder.
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
        let linked = file.link.as_ref().map(|link| root.join(link));
        // The link's target exists already: the files are sorted, and `bin` is before `skills`.
        if linked.is_none_or(|linked| std::fs::hard_link(linked, &path).is_err()) {
            let bytes = file.link.as_ref().and_then(|link| files.get(link));
            let bytes = &bytes.unwrap_or(file).bytes;
            aris_fs::create_file(&path, bytes, file.mode())?;
        }
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
