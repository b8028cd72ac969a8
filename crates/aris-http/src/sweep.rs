//! The size of the cache: once a day the oldest answers go until it is small enough.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use aris_fs::{EntryKind, Lock};

/// Bytes of answers that are kept, unless somebody wants another number: 1 GiB, some hundred thousand answers.
pub(crate) const USUAL: u64 = 1 << 30;

/// How often the cache is looked through.
const EVERY: Duration = Duration::from_hours(24);

/// An answer that is younger may be in use.
const YOUNG: Duration = Duration::from_mins(10);

/// Removes the oldest answers below `folder` when they have more than `limit` bytes, until they have four fifths of it. Does nothing when
/// that was done within [`EVERY`], or another process does it now. What cannot be looked at or removed stays.
pub(crate) fn sweep(folder: &Path, limit: u64) -> Option<()> {
    // The file system's own clock: the probe was written when the folder was chosen.
    let modified = |path: &Path| std::fs::metadata(path).ok()?.modified().ok();
    let now = modified(&folder.join(".probe"))?;
    let age = |then: SystemTime| now.duration_since(then).unwrap_or_default();
    let done = folder.join(".swept");
    if modified(&done).is_some_and(|then| age(then) < EVERY) {
        return None;
    }
    let _lock = Lock::try_acquire(&folder.join(".sweep.lock")).ok()?;
    aris_fs::write_unsynced(&done, b"").ok()?;
    let entries = aris_fs::walk_sorted(&folder.join("http"), &mut |_| true).ok()?;
    let mut answers: Vec<(SystemTime, u64, PathBuf)> = entries
        .into_iter()
        .filter(|entry| entry.kind == EntryKind::File)
        .filter_map(|entry| {
            let metadata = std::fs::symlink_metadata(&entry.path).ok()?;
            Some((metadata.modified().ok()?, metadata.len(), entry.path))
        })
        .collect();
    let mut size: u64 = answers.iter().map(|(_, bytes, _)| bytes).sum();
    if size <= limit {
        return None;
    }
    answers.sort();
    for (then, bytes, path) in answers {
        if size <= limit / 5 * 4 || age(then) < YOUNG {
            break;
        }
        if aris_fs::remove_file(&path).is_ok() {
            size -= bytes;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests prepare files directly")]
    use std::fs::{self, File, FileTimes};

    use super::*;

    #[test]
    fn the_oldest_answers_go_and_only_once_a_day() {
        let temp = tempfile::tempdir().expect("temp");
        let folder = temp.path().join("http/v1/arxiv/ab");
        fs::create_dir_all(&folder).expect("folder");
        let probe = temp.path().join(".probe");
        fs::write(&probe, "x").expect("written");
        let now = fs::metadata(&probe)
            .and_then(|file| file.modified())
            .expect("time");
        let answer = |name: &str, days: u64| {
            let path = folder.join(name);
            fs::write(&path, [0; 1000]).expect("written");
            let times = FileTimes::new().set_modified(now - Duration::from_hours(24 * days));
            let file = File::options().append(true).open(&path).expect("open");
            file.set_times(times).expect("set");
        };
        for (name, days) in [("d", 0), ("a", 9), ("c", 1), ("b", 5)] {
            answer(name, days);
        }
        let left = || {
            let names = aris_fs::list_sorted(&folder).expect("listed");
            names
                .into_iter()
                .map(|entry| entry.name.to_string_lossy().into_owned())
                .collect::<String>()
        };
        assert_eq!(sweep(temp.path(), 4000), None);
        assert_eq!(left(), "abcd");
        fs::remove_file(temp.path().join(".swept")).expect("removed");
        assert_eq!(sweep(temp.path(), 3000), Some(()));
        assert_eq!(left(), "cd");
        answer("e", 20);
        answer("f", 20);
        assert_eq!(sweep(temp.path(), 3000), None);
        assert_eq!(left(), "cdef");
        // What has just come stays, however small the limit.
        fs::remove_file(temp.path().join(".swept")).expect("removed");
        assert_eq!(sweep(temp.path(), 10), Some(()));
        assert_eq!(left(), "d");
    }
}
