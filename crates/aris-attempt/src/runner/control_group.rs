//! Counts the processes of this control group that the kernel killed because memory ran out.

use std::path::{Path, PathBuf};

/// Most bytes of a control file; they have a few lines.
const LIMIT: u64 = 64 * 1024;

/// Mount points of the unified hierarchy: alone, or beside the old hierarchy.
const MOUNTS: [&str; 2] = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];

/// The value of the counter at some moment; `None` if there is no counter.
#[derive(Debug)]
pub(super) struct OomKills {
    counter: Option<(PathBuf, u64)>,
}

impl OomKills {
    /// Reads the counter of this process's group.
    pub(super) fn now() -> Self {
        let groups = aris_fs::read(Path::new("/proc/self/cgroup"), LIMIT);
        let counter = group(&groups.unwrap_or_default()).and_then(|group| {
            let events = Path::new(group.trim_start_matches('/')).join("memory.events");
            MOUNTS.iter().find_map(|mount| {
                let path = Path::new(mount).join(&events);
                let count = count(&aris_fs::read(&path, LIMIT).ok()?)?;
                Some((path, count))
            })
        });
        Self { counter }
    }

    /// Whether the counter rose since; `None`: there is no counter.
    pub(super) fn rose(&self) -> Option<bool> {
        let (path, before) = self.counter.as_ref()?;
        let now = count(&aris_fs::read(path, LIMIT).ok()?)?;
        Some(now > *before)
    }
}

/// The group in the unified hierarchy, from `/proc/self/cgroup`. **Source**: cgroups(7): `0::/path`.
fn group(bytes: &[u8]) -> Option<String> {
    let text = str::from_utf8(bytes).ok()?;
    let path = text.lines().find_map(|line| line.strip_prefix("0::"))?;
    Some(path.to_owned())
}

/// `oom_kill` of `memory.events`. **Source**: the kernel's admin guide, cgroup-v2.
fn count(bytes: &[u8]) -> Option<u64> {
    let text = str::from_utf8(bytes).ok()?;
    let mut lines = text.lines();
    let value = lines.find_map(|line| line.strip_prefix("oom_kill "))?;
    value.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_is_found_in_its_files() {
        assert_eq!(
            group(b"12:pids:/x\n0::/user.slice/a:b\n"),
            Some(String::from("/user.slice/a:b"))
        );
        assert_eq!(group(b"4:memory:/x\n"), None);
        assert_eq!(
            count(b"low 0\noom 3\noom_kill 2\noom_group_kill 0\n"),
            Some(2)
        );
        assert_eq!(count(b"oom 3\n"), None);
        assert_eq!(count(b"\xFF"), None);
    }

    #[test]
    fn a_rise_is_told_from_none_and_from_no_counter() {
        let folder = tempfile::tempdir().expect("temp");
        let path = folder.path().join("memory.events");
        aris_fs::write_unsynced(&path, b"oom_kill 2\n").expect("written");
        let of = |before| OomKills {
            counter: Some((path.clone(), before)),
        };
        assert_eq!(of(2).rose(), Some(false));
        assert_eq!(of(1).rose(), Some(true));
        assert_eq!(OomKills { counter: None }.rose(), None);
    }
}
