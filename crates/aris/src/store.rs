//! The skills that this program carries, unpacked where installed projects can link to them.
//!
//! There is one such folder for each user, `$XDG_DATA_HOME/aris/source` (`~/.local/share/aris/source`), and it holds what the program
//! that was last asked carries: to install another version is to update all projects, as a `git pull` in a clone is. A folder in which
//! somebody edited a file is kept beside the new one.

use std::fs;
use std::path::{Path, PathBuf};

use aris_audit::Digest;
use aris_cli::Context;
use aris_contract::helpers;
use aris_fs::{EntryKind, FsError, Lock};

use crate::error::Error;

/// A file that the program carries.
pub(crate) struct File {
    /// Relative to the root of the source.
    pub(crate) path: &'static str,
    /// Whether it may be executed.
    is_program: bool,
    pub(crate) bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/tree.rs"));

/// Names the content, as `sha256sum` prints it. The installer takes a folder that holds it for a place that stays.
const SUMS: &str = ".aris-source";

/// The program itself is far smaller.
const LARGE: u64 = 1 << 30;

/// What a launcher looks for on this machine.
const TARGET: &str = env!("ARIS_TARGET");

/// The user's folder for what this program keeps.
pub(crate) fn location<'a>(env: impl Fn(&str) -> Option<&'a str>) -> Result<PathBuf, Error> {
    let absolute = |name| env(name).map(Path::new).filter(|path| path.is_absolute());
    let data = absolute("XDG_DATA_HOME").map(Path::to_owned);
    let home = || Some(absolute("HOME")?.join(".local/share"));
    let data = data.or_else(home).ok_or(Error::Homeless)?;
    Ok(data.join("aris"))
}

/// The folder of the source, with what this program carries in it.
pub(crate) fn place(context: &Context) -> Result<PathBuf, Error> {
    let folder = location(|name| context.env(name))?;
    aris_fs::create_dir(&folder)?;
    let source = folder.join("source");
    let program = std::env::current_exe().map_err(Error::Program)?;
    let program = aris_fs::read(&program, LARGE)?;
    let own = format!("bin/bin/aris-{TARGET}");
    let sums = sums(&own, &program);
    let _lock = Lock::acquire(&folder.join(".lock"))?;
    if aris_fs::holds(&source.join(SUMS), sums.as_bytes()) {
        return Ok(source);
    }
    let new = folder.join(".new");
    // What somebody left who had the lock and was killed.
    clear(&folder, &new)?;
    aris_fs::create_folder(&new)?;
    let whole = unpack(&new, &source, &own, &program)
        // Last: a folder without it is not finished.
        .and_then(|()| Ok(aris_fs::write_atomic(&new.join(SUMS), sums.as_bytes())?));
    if let Err(error) = whole {
        clear(&folder, &new)?;
        return Err(error);
    }
    if source.exists() {
        let is_edited = edited(&source)?;
        aris_fs::exchange(&new, &source)?;
        if let Some(path) = is_edited {
            let kept = folder.join(format!("kept-{}", context.now().as_second()));
            aris_fs::rename_new(&new, &kept)?;
            context.warn(&format!(
                "{path} in the folder of the last version was not as that version left it; the folder is now {}",
                kept.display()
            ));
        } else {
            aris_fs::remove_tree(&folder, &new)?;
        }
    } else {
        aris_fs::rename_new(&new, &source)?;
    }
    aris_fs::sync_dir(&folder)?;
    Ok(source)
}

/// Removes what is at `new`, if anything is.
fn clear(folder: &Path, new: &Path) -> Result<(), FsError> {
    match fs::symlink_metadata(new) {
        Ok(found) if found.is_dir() => aris_fs::remove_tree(folder, new),
        Ok(_) => aris_fs::remove_file(new),
        Err(_) => Ok(()),
    }
}

/// Writes everything below `new`, which is to become `source`.
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
        // One program under the name of each helper; a file system without such links gets a copy.
        let path = format!("skills/{}/scripts/bin/{}-{TARGET}", row.owner, row.name);
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

/// Digests of what is carried, and of the program.
fn sums(own: &str, program: &[u8]) -> String {
    let carried = FILES.iter().map(|file| (file.path, file.bytes));
    let line = |(path, bytes)| format!("{}  {path}\n", Digest::of(bytes).hex());
    carried.chain([(own, program)]).map(line).collect()
}

/// A file of the folder that is not what its digest says. One that is gone is no loss.
fn edited(source: &Path) -> Result<Option<String>, FsError> {
    let Some(sums) = aris_fs::read_optional(&source.join(SUMS), LARGE)? else {
        return Ok(Some(SUMS.to_owned()));
    };
    let sums = String::from_utf8_lossy(&sums).into_owned();
    for entry in aris_fs::walk_sorted(source, &mut |_| true)? {
        let Ok(path) = entry.path.strip_prefix(source) else {
            continue;
        };
        let path = path.to_string_lossy();
        if entry.kind != EntryKind::File
            || path == SUMS
            || path.starts_with("tools/")
            || path.contains("scripts/bin/")
        {
            continue;
        }
        let digest = Digest::of(&aris_fs::read(&entry.path, LARGE)?).hex();
        if !sums.contains(&format!("{digest}  {path}\n")) {
            return Ok(Some(path.into_owned()));
        }
    }
    Ok(None)
}
