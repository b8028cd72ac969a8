//! Paths: joining below a root, comparing without touching the disk, probing for a helper.

use std::path::{Component, Path, PathBuf};

use aris_contract::resolve::Probe;

use crate::error::FsError;
use crate::read;

/// Joins an untrusted relative path below `root`: only plain components, no `..`, no absolute path.
///
/// Only the text is checked; callers that follow links afterwards must compare the real paths.
pub fn join_inside(root: &Path, relative: &Path) -> Result<PathBuf, FsError> {
    let plain = relative
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if plain
        && relative
            .components()
            .any(|part| matches!(part, Component::Normal(_)))
    {
        Ok(root.join(relative))
    } else {
        Err(FsError::Escapes {
            path: relative.to_path_buf(),
            root: root.to_path_buf(),
        })
    }
}

/// Removes `.` and resolves `..` in the text of a path, without looking at the disk. Leading `..` of a relative path stay.
pub fn lexical(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => match clean.components().next_back() {
                Some(Component::Normal(_)) => {
                    clean.pop();
                }
                Some(Component::RootDir | Component::Prefix(_)) => {}
                Some(Component::ParentDir | Component::CurDir) | None => clean.push(".."),
            },
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => clean.push(part),
        }
    }
    clean
}

/// The path with links resolved; for an absent file, with the links of its folder resolved. For telling whether two names mean
/// one file.
pub fn real(path: &Path) -> PathBuf {
    let in_folder = || {
        let folder = path.parent()?.canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    };
    let real = path.canonicalize().ok().or_else(in_folder);
    real.unwrap_or_else(|| lexical(path))
}

/// The program that a shell in `cwd` would start for this name, where `folders` is its `PATH`.
pub fn on_path(program: &str, folders: &str, cwd: &Path) -> Option<PathBuf> {
    let folders = folders.split(':').filter(|folder| !folder.is_empty());
    folders
        .map(|folder| cwd.join(folder).join(program))
        .find(|path| usable_helper(path) == Probe::Usable)
}

/// Checks that there is a folder at `path`.
///
/// **Errors**: [`FsError::NotFound`], [`FsError::NotFolder`].
pub fn need_folder(path: &Path) -> Result<(), FsError> {
    let path = path.to_path_buf();
    if path.is_dir() {
        Ok(())
    } else if path.exists() {
        Err(FsError::NotFolder { path })
    } else {
        Err(FsError::NotFound { path })
    }
}

/// The message for a path that should be a folder but is not.
pub fn no_folder(path: &Path) -> String {
    let why = if path.exists() {
        "is a file, not a folder"
    } else {
        "does not exist"
    };
    format!("{} {why}", path.display())
}

/// `path` relative to `base`, with `/`, for people and artifacts; `path` itself when it is not below `base`.
pub fn display_relative(path: &Path, base: &Path) -> String {
    let shown = path.strip_prefix(base).unwrap_or(path);
    shown
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
        .replace("//", "/")
}

/// Probes a candidate of the resolver chain.
///
/// A file must be regular, readable and not empty. Launchers are run by an interpreter (`sh X`), so the execute bit is not
/// needed; but an interpreter exits with 0 for an empty file, as if the step had been done.
pub fn probe(path: &Path) -> Probe {
    match read::open(path) {
        Ok(file) if file.metadata().len() == 0 => Probe::Unusable(String::from("is empty")),
        Ok(_) => Probe::Usable,
        // Includes paths below a file, where no folder of the chain can be.
        Err(_) if std::fs::symlink_metadata(path).is_err() => Probe::Absent,
        Err(error) if error.is_not_found() => Probe::Unusable(String::from("is a link to nothing")),
        Err(FsError::NotRegular { found, .. }) => Probe::Unusable(format!("is {found}")),
        Err(FsError::Read { source, .. }) => Probe::Unusable(source.to_string()),
        Err(other) => Probe::Unusable(other.to_string()),
    }
}

/// Like [`probe`], for a file that is started directly and needs its execute bit.
pub fn usable_helper(path: &Path) -> Probe {
    use std::os::unix::fs::PermissionsExt as _;
    match probe(path) {
        Probe::Usable => match std::fs::metadata(path) {
            Ok(metadata) if metadata.permissions().mode() & 0o111 == 0 => {
                Probe::Unusable(String::from("is not executable"))
            }
            _ => Probe::Usable,
        },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_stay_below_the_root() {
        let root = Path::new("/root");
        assert_eq!(
            join_inside(root, Path::new("a/./b")).expect("inside"),
            Path::new("/root/a/./b")
        );
        for bad in ["", ".", "..", "/etc/passwd", "a/../../b", "a/..", "../x"] {
            assert!(join_inside(root, Path::new(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn lexical_paths_have_no_detours() {
        for (path, expected) in [
            ("a/./b/../c", "a/c"),
            ("/a/../../b", "/b"),
            ("../x", "../x"),
            ("a/../../x", "../x"),
            ("./a//b/", "a/b"),
        ] {
            assert_eq!(lexical(Path::new(path)), Path::new(expected), "{path}");
        }
    }

    #[test]
    fn a_probe_tells_absent_from_unusable() {
        let folder = tempfile::tempdir().expect("temp");
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "x").expect("write");
        std::fs::write(at("empty"), "").expect("write");
        std::fs::create_dir(at("dir")).expect("dir");
        std::os::unix::fs::symlink(at("nothing"), at("dangling")).expect("link");
        assert_eq!(probe(&at("file")), Probe::Usable);
        assert_eq!(probe(&at("none")), Probe::Absent);
        assert_eq!(
            probe(&at("empty")),
            Probe::Unusable(String::from("is empty"))
        );
        assert_eq!(
            probe(&at("dir")),
            Probe::Unusable(String::from("is a directory"))
        );
        assert_eq!(
            probe(&at("dangling")),
            Probe::Unusable(String::from("is a link to nothing"))
        );
        assert_eq!(
            usable_helper(&at("file")),
            Probe::Unusable(String::from("is not executable"))
        );
    }
}
