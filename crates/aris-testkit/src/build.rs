//! Finds a helper's binary near the running test executable. Builds it when it is missing or older than its sources.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::fixtures::workspace_root;

/// Longest build. A cold build of one helper on two cores takes about a minute.
const BUILD_DEADLINE: Duration = Duration::from_mins(10);

static FOUND: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());

/// Path of the binary `name`.
pub(crate) fn binary(name: &str) -> PathBuf {
    // The lock is held during the build, because other tests of this process wait for the same binary.
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(path) = found.get(name) {
        return path.clone();
    }
    let path = profile_folder().join(name);
    if !path.is_file() || is_stale(&path) {
        build(name);
        assert!(
            path.is_file(),
            "cargo built {name} and left no {}",
            path.display()
        );
    }
    let kept = kept(&path, name);
    found.insert(name.to_owned(), kept.clone());
    kept
}

/// The binary under a second name. A parallel build may replace the binary, perhaps with other features, and must not change
/// the program that a running test uses.
///
/// A hard link and not a copy: a file that this process has written may still be open for writing in a child process of another
/// test, and then it cannot be started (text file busy).
fn kept(binary: &Path, name: &str) -> PathBuf {
    let metadata = fs::metadata(binary).expect("the binary is there");
    let folder = binary.with_file_name("aris-testkit");
    sweep(&folder);
    let folder = folder.join(format!(
        "{name}-{}-{}",
        metadata.ino(),
        metadata.mtime_nsec()
    ));
    fs::create_dir_all(&folder).expect("folder");
    let link = folder.join(name);
    match fs::hard_link(binary, &link) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            panic!("{}: {error}", link.display())
        }
        _ => link,
    }
}

/// Removes files that test runs kept more than a day ago.
fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let day = Duration::from_hours(24);
    for entry in entries.flatten() {
        let age = modified(&entry.path()).elapsed().unwrap_or_default();
        if age > day {
            fs::remove_dir_all(entry.path()).unwrap_or_default();
        }
    }
}

/// `target/<profile>`. Test executables are in its folder `deps`.
fn profile_folder() -> PathBuf {
    let executable = env::current_exe().expect("a test knows its own path");
    let folder = executable.parent().expect("an executable lies in a folder");
    if folder.ends_with("deps") {
        folder.parent().unwrap_or(folder).to_path_buf()
    } else {
        folder.to_path_buf()
    }
}

/// Whether a source of this binary is newer than the binary. `cargo build` writes the list of sources beside it; `cargo test`
/// does not, and then every source of the workspace counts.
fn is_stale(binary: &Path) -> bool {
    let built = modified(binary);
    let Ok(list) = fs::read_to_string(binary.with_extension("d")) else {
        return *NEWEST > built;
    };
    sources(&list)
        .iter()
        .any(|source| modified(Path::new(source)) > built)
}

/// The prerequisites of a make rule `target: a b\ c`.
fn sources(rule: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in rule.lines() {
        let Some((_, names)) = line.split_once(": ") else {
            continue;
        };
        let mut name = String::new();
        let mut characters = names.chars();
        while let Some(character) = characters.next() {
            match character {
                '\\' => name.extend(characters.next()),
                ' ' => found.push(std::mem::take(&mut name)),
                other => name.push(other),
            }
        }
        found.push(name);
    }
    found.retain(|name| !name.is_empty());
    found
}

/// Time of the last change to any file that helpers are built from.
static NEWEST: LazyLock<SystemTime> = LazyLock::new(|| {
    let root = workspace_root();
    let mut newest = modified(&root.join("Cargo.lock"));
    let mut open = vec![root.join("crates"), root.join("schemas")];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).expect("a folder of sources");
        for entry in entries.map(|entry| entry.expect("an entry")) {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path());
            } else {
                newest = newest.max(modified(&entry.path()));
            }
        }
    }
    newest
});

fn modified(path: &Path) -> SystemTime {
    fs::metadata(path)
        .and_then(|metadata| metadata.modified())
        .unwrap_or(SystemTime::UNIX_EPOCH)
}

fn build(name: &str) {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let folder = profile_folder();
    let target = folder
        .parent()
        .expect("the profile folder lies in the target folder");
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(other) => other,
    };
    let done = aris_proc::command(cargo, workspace_root())
        .args([
            "build",
            "--quiet",
            "--locked",
            // Build the whole workspace, so that its crates get the same features as with `cargo test --workspace`.
            "--workspace",
            "--bin",
            name,
            "--profile",
            profile,
        ])
        .arg("--target-dir")
        .arg(target)
        .run(BUILD_DEADLINE)
        .expect("cargo starts");
    assert!(
        done.success(),
        "cargo build of {name}: {:?}\n{}",
        done.end,
        done.stderr.text()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_binary_stays_when_another_takes_its_place() {
        let folder = tempfile::tempdir().expect("temp");
        let binary = folder.path().join("tool");
        fs::write(&binary, "one").expect("write");
        let first = kept(&binary, "tool");
        assert_eq!(kept(&binary, "tool"), first);
        fs::remove_file(&binary).expect("remove");
        fs::write(&binary, "two").expect("write");
        assert_eq!(fs::read(&first).expect("read"), b"one");
        assert_eq!(first.file_name(), binary.file_name());
    }

    #[test]
    fn a_make_rule_lists_its_sources() {
        assert_eq!(
            sources("/t/debug/x: /a/src/lib.rs /b\\ c/main.rs\n\n/a/src/lib.rs:\n"),
            ["/a/src/lib.rs", "/b c/main.rs"]
        );
        assert!(sources("").is_empty());
    }

    #[test]
    fn a_binary_older_than_a_source_is_stale() {
        let folder = tempfile::tempdir().expect("temp");
        let at = |name: &str| folder.path().join(name);
        for name in ["source.rs", "tool"] {
            fs::write(at(name), "aris").expect("write");
        }
        fs::write(
            at("tool.d"),
            format!("tool: {}\n", at("source.rs").display()),
        )
        .expect("write");
        let touch = |name: &str, second: u64| {
            let file = fs::File::options()
                .append(true)
                .open(at(name))
                .expect("open");
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(second))
                .expect("times");
        };
        touch("source.rs", 10);
        touch("tool", 20);
        assert!(!is_stale(&at("tool")));
        touch("source.rs", 30);
        assert!(is_stale(&at("tool")));
        // Without a list every source of the workspace counts.
        fs::remove_file(at("tool.d")).expect("remove");
        assert!(is_stale(&at("tool")));
        let now = SystemTime::now() + Duration::from_hours(1);
        let file = fs::File::options().append(true).open(at("tool"));
        file.expect("open").set_modified(now).expect("times");
        assert!(!is_stale(&at("tool")));
        fs::write(at("tool.d"), "no fault").expect("write");
    }
}
