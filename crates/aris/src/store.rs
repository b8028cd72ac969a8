//! Unpacks the skills in this program into a folder to which installed projects can link.
//!
//! Each user has one such folder, `$XDG_DATA_HOME/aris/source` (`~/.local/share/aris/source`). It holds the files of the program
//! version that was used last: installing another version updates all projects, like `git pull` in a clone. Edited files are kept
//! beside the new folder.

use std::fs;
use std::path::{Path, PathBuf};

use aris_audit::Digest;
use aris_cli::Context;
use aris_contract::helpers::{self, Helper};
use aris_fs::{EntryKind, FsError, Lock};

use crate::error::Error;

/// A file in the program.
pub(crate) struct File {
    /// Path relative to the root of the source.
    pub(crate) path: &'static str,
    /// Whether it may be executed.
    is_program: bool,
    pub(crate) bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/tree.rs"));

/// Digests of the content, in the format of `sha256sum`. The installer treats a folder with this file as permanent.
const SUMS: &str = ".aris-source";

/// Most edited files named in a warning.
const NAMED: usize = 10;

/// Limit for reading the program itself, which is far smaller.
const LARGE: u64 = 1 << 30;

/// Target triple that the launchers use on this machine.
const TARGET: &str = env!("ARIS_TARGET");

/// The folder for this program's data of the user.
pub(crate) fn location<'a>(env: impl Fn(&str) -> Option<&'a str>) -> Result<PathBuf, Error> {
    let absolute = |name| env(name).map(Path::new).filter(|path| path.is_absolute());
    let data = absolute("XDG_DATA_HOME").map(Path::to_owned);
    let home = || Some(absolute("HOME")?.join(".local/share"));
    let data = data.or_else(home).ok_or(Error::Homeless)?;
    Ok(data.join("aris"))
}

/// The folder of the source, filled with the files of this program.
pub(crate) fn place(context: &Context) -> Result<PathBuf, Error> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the context has only variables that are text"
    )]
    let is_no_text =
        |name: &&str| std::env::var_os(name).is_some_and(|value| value.to_str().is_none());
    if let Some(name) = ["XDG_DATA_HOME", "HOME"].into_iter().find(is_no_text) {
        return Err(Error::NoText { name });
    }
    let folder = location(|name| context.env(name))?;
    let source = folder.join("source");
    let program = std::env::current_exe().map_err(Error::Program)?;
    let program = aris_fs::read(&program, LARGE)?;
    let own = format!("bin/bin/aris-{TARGET}");
    let sums = sums(&own, &program);
    let is_current =
        || aris_fs::holds(&source.join(SUMS), sums.as_bytes()) && is_whole(&source, &own, &program);
    // Checked before anything is written, so that a read-only folder works if it is up to date.
    if is_current() {
        return Ok(source);
    }
    aris_fs::create_dir(&folder)?;
    let _lock = Lock::acquire(&folder.join(".lock"))?;
    if is_current() {
        return Ok(source);
    }
    let new = folder.join(".new");
    // Remove the leftovers of a killed process.
    clear(&folder, &new)?;
    aris_fs::create_folder(&new)?;
    let whole = unpack(&new, &source, &own, &program)
        // Written last: a folder without this file is incomplete.
        .and_then(|()| Ok(aris_fs::write_atomic(&new.join(SUMS), sums.as_bytes())?));
    if let Err(error) = whole {
        clear(&folder, &new)?;
        return Err(error);
    }
    if source.exists() {
        // All projects that link to the folder use the new version from now on.
        let commit = aris_cli::COMMIT;
        context.note(&format!(
            "{} now holds the skills of aris {} ({commit})",
            source.display(),
            env!("CARGO_PKG_VERSION")
        ));
        let edited = edited(&source)?;
        aris_fs::exchange(&new, &source)?;
        keep(&folder, &new, edited, context)?;
    } else {
        aris_fs::rename_new(&new, &source)?;
    }
    aris_fs::sync_dir(&folder)?;
    Ok(source)
}

/// Whether no file is missing and the program is this one. Edited texts are allowed.
fn is_whole(source: &Path, own: &str, program: &[u8]) -> bool {
    let is_there = |path: &str| source.join(path).is_file();
    let is_program = |path: String| {
        let found = fs::metadata(source.join(path));
        found.is_ok_and(|found| found.len() == program.len() as u64)
    };
    FILES.iter().all(|file| is_there(file.path))
        && aris_fs::holds(&source.join(own), program)
        && helpers::all().iter().all(|row| {
            is_program(program_of(row))
                && row
                    .names()
                    .iter()
                    .all(|name| is_there(&format!("tools/{name}")))
        })
}

/// Path of the program under a helper's name, relative to the source.
fn program_of(row: &Helper) -> String {
    format!("skills/{}/scripts/bin/{}-{TARGET}", row.owner, row.name)
}

/// Keeps the edited files of the old folder, or the whole folder if they are unknown, and removes the rest.
fn keep(
    folder: &Path,
    old: &Path,
    edited: Option<Vec<PathBuf>>,
    context: &Context,
) -> Result<(), Error> {
    if edited.as_ref().is_some_and(Vec::is_empty) {
        return Ok(aris_fs::remove_tree(folder, old)?);
    }
    let name = format!("kept-{}", context.now().as_second());
    let names = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}-{number}")));
    let Some(kept) = names
        .map(|name| folder.join(name))
        .find(|path| path.symlink_metadata().is_err())
    else {
        return Ok(());
    };
    let Some(edited) = edited else {
        aris_fs::rename_new(old, &kept)?;
        context.warn(&format!(
            "the folder of the last version had no list of its files; it is now {}",
            kept.display()
        ));
        return Ok(());
    };
    for path in &edited {
        let target = kept.join(path);
        aris_fs::create_dir(target.parent().unwrap_or(&kept))?;
        aris_fs::rename_new(&old.join(path), &target)?;
    }
    aris_fs::remove_tree(folder, old)?;
    let named: Vec<String> = edited
        .iter()
        .take(NAMED)
        .map(|path| path.display().to_string())
        .collect();
    let more = edited.len().saturating_sub(NAMED);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    context.warn(&format!(
        "files of the last version that were not as it left them: {}{more}; they are now in {}",
        named.join(", "),
        kept.display()
    ));
    Ok(())
}

/// Removes `new` if it exists.
fn clear(folder: &Path, new: &Path) -> Result<(), FsError> {
    match fs::symlink_metadata(new) {
        Ok(found) if found.is_dir() => aris_fs::remove_tree(folder, new),
        Ok(_) => aris_fs::remove_file(new),
        Err(_) => Ok(()),
    }
}

/// Writes everything below `new`, which will become `source`.
fn unpack(new: &Path, source: &Path, own: &str, program: &[u8]) -> Result<(), Error> {
    let write = |path: &str, bytes: &[u8], mode: u32| -> Result<(), FsError> {
        let path = new.join(path);
        if let Some(folder) = path.parent() {
            aris_fs::create_dir(folder)?;
        }
        aris_fs::create_file(&path, bytes, mode)
    };
    for file in FILES {
        let mode = if file.is_program { 0o755 } else { 0o644 };
        write(file.path, file.bytes, mode)?;
    }
    write(own, program, 0o755)?;
    for row in helpers::all() {
        for name in row.names() {
            let shim = aris_launch::shim(&row.name, &row.owner, name, source.to_str());
            write(&format!("tools/{name}"), shim.as_bytes(), 0o755)?;
        }
        // A hard link for each helper; a copy on file systems without hard links.
        let path = program_of(row);
        let link = new.join(&path);
        if let Some(folder) = link.parent() {
            aris_fs::create_dir(folder)?;
        }
        if fs::hard_link(new.join(own), link).is_err() {
            write(&path, program, 0o755)?;
        }
    }
    Ok(())
}

/// Digests of all files and of the program.
fn sums(own: &str, program: &[u8]) -> String {
    let carried = FILES.iter().map(|file| (file.path, file.bytes));
    let line = |(path, bytes)| format!("{}  {path}\n", Digest::of(bytes).hex());
    carried.chain([(own, program)]).map(line).collect()
}

/// The files that differ from their digests; `None` if the folder has no digests. Missing files are not reported.
fn edited(source: &Path) -> Result<Option<Vec<PathBuf>>, FsError> {
    let Some(sums) = aris_fs::read_optional(&source.join(SUMS), LARGE)? else {
        return Ok(None);
    };
    let sums = String::from_utf8_lossy(&sums).into_owned();
    let mut edited = Vec::new();
    for entry in aris_fs::walk_sorted(source, &mut |_| true)? {
        let Ok(relative) = entry.path.strip_prefix(source) else {
            continue;
        };
        let path = relative.to_string_lossy();
        // Skip programs and their launchers; nobody edits them.
        if entry.kind != EntryKind::File
            || path == SUMS
            || ["tools/", "bin/"]
                .iter()
                .any(|start| path.starts_with(start))
            || path.contains("scripts/bin/")
        {
            continue;
        }
        let digest = Digest::of(&aris_fs::read(&entry.path, LARGE)?).hex();
        if !sums.contains(&format!("{digest}  {path}\n")) {
            edited.push(relative.to_owned());
        }
    }
    Ok(Some(edited))
}
