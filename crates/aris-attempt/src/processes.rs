//! Processes: their identity, their descendants, and signals that reach no other process.

use std::collections::BTreeSet;
use std::path::Path;

use crate::format::ProcessId;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

/// Most bytes of `/proc/<pid>/stat`; with a name of a thousand bytes it is still shorter.
const STAT_LIMIT: u64 = 16 * 1024;

/// What `/proc/<pid>/stat` says of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    /// Its parent.
    pub(crate) parent: i32,
    /// When it started, in clock ticks after the boot.
    pub(crate) start_ticks: u64,
    /// Whether it has exited and its parent has not reaped it yet.
    pub(crate) over: bool,
}

/// A process. Its start time distinguishes it from a later one with the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Member {
    /// Its process id.
    pub(crate) pid: i32,
    /// When it started, in clock ticks after the boot.
    pub(crate) start_ticks: u64,
}

impl From<&ProcessId> for Member {
    fn from(process: &ProcessId) -> Self {
        Self {
            pid: process.pid,
            start_ticks: process.start_ticks,
        }
    }
}

impl Member {
    /// Whether this very process still runs.
    pub(crate) fn lives(self) -> bool {
        stat(self.pid).is_some_and(|stat| !stat.over && stat.start_ticks == self.start_ticks)
    }
}

/// Parses fields 3, 4 and 22 of `/proc/<pid>/stat`. The name, field 2, is in parentheses and may contain any characters, also `)` and
/// blanks.
///
/// **Source**: proc(5).
pub(crate) fn parse_stat(bytes: &[u8]) -> Option<Stat> {
    let end = bytes.iter().rposition(|byte| *byte == b')')?;
    let rest = str::from_utf8(bytes.get(end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    Some(Stat {
        over: matches!(fields.next()?, "Z" | "X"),
        parent: fields.next()?.parse().ok()?,
        start_ticks: fields.nth(17)?.parse().ok()?,
    })
}

/// The state of process `pid`; `None` if there is no such process, or no `/proc`.
pub(crate) fn stat(pid: i32) -> Option<Stat> {
    let path = format!("/proc/{pid}/stat");
    parse_stat(&aris_fs::read(Path::new(&path), STAT_LIMIT).ok()?)
}

/// Whether a process runs. A process that has exited and was not reaped yet does not.
pub fn runs(pid: i32) -> bool {
    stat(pid).is_some_and(|stat| !stat.over)
}

/// Whether a process has a handler for a signal. **Source**: proc(5), `SigCgt`: a mask in hex, bit 0 for signal 1.
pub(crate) fn handles(pid: i32, signal: i32) -> bool {
    let path = format!("/proc/{pid}/status");
    let bytes = aris_fs::read(Path::new(&path), STAT_LIMIT).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let mask = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let bit = u32::try_from(signal - 1).ok();
    let bit = bit.and_then(|bit| 1_u64.checked_shl(bit));
    mask.zip(bit).is_some_and(|(mask, bit)| mask & bit != 0)
}

/// The id of the current boot; empty if it cannot be read.
pub fn boot_id() -> String {
    let bytes = aris_fs::read(Path::new("/proc/sys/kernel/random/boot_id"), 128);
    let text = String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default();
    text.trim().to_owned()
}

/// The identity of process `pid`; `boot_id` is the current boot.
pub(crate) fn identity(pid: i32, boot_id: String) -> ProcessId {
    ProcessId {
        pid,
        boot_id,
        start_ticks: stat(pid).map_or(0, |stat| stat.start_ticks),
    }
}

/// The process id of this process.
pub(crate) fn own_pid() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}

/// The processes that have this file open, as far as this user may inspect them.
pub(crate) fn holders(path: &Path) -> Vec<Member> {
    let has = |pid: i32| {
        let files = aris_fs::list_sorted(Path::new(&format!("/proc/{pid}/fd")));
        let mut files = files.unwrap_or_default().into_iter();
        files.any(|file| file.path.read_link().is_ok_and(|target| target == path))
    };
    let mut holders: Vec<Member> = all().into_iter().map(|(member, _)| member).collect();
    holders.retain(|member| member.pid != own_pid() && has(member.pid));
    holders
}

/// All processes that have not exited, with their parents.
fn all() -> Vec<(Member, i32)> {
    let entries = aris_fs::list_sorted(Path::new("/proc")).unwrap_or_default();
    let numbers = entries.iter().filter_map(|entry| entry.name.to_str());
    let numbers = numbers.filter_map(|name| name.parse().ok());
    let living = |pid| {
        let stat = stat(pid).filter(|stat| !stat.over)?;
        let start_ticks = stat.start_ticks;
        Some((Member { pid, start_ticks }, stat.parent))
    };
    numbers.filter_map(living).collect()
}

/// All descendants of process `root` that have not exited, without `root` itself. A process that starts during this call may be missing, so
/// whoever ends a tree repeats the call until it is empty.
pub(crate) fn descendants(root: i32) -> Vec<Member> {
    let all = all();
    let mut family = BTreeSet::from([root]);
    loop {
        let before = family.len();
        for (member, parent) in &all {
            if family.contains(parent) {
                family.insert(member.pid);
            }
        }
        if family.len() == before {
            break;
        }
    }
    family.remove(&root);
    let all = all.into_iter().map(|(member, _)| member);
    all.filter(|member| family.contains(&member.pid)).collect()
}

/// Sends a signal to exactly this process, if it still exists.
pub(crate) fn send(member: Member, signal: Signal) -> bool {
    let Some(pid) = Pid::from_raw(member.pid) else {
        return false;
    };
    let same = || stat(member.pid).is_some_and(|stat| stat.start_ticks == member.start_ticks);
    match pidfd_open(pid, PidfdFlags::empty()) {
        // Checked after opening: from then on, the handle cannot refer to a later process.
        Ok(handle) => same() && pidfd_send_signal(&handle, signal).is_ok(),
        Err(Errno::SRCH) => false,
        // Before Linux 5.3, and under seccomp filters without this call, the process may change in the microseconds between check and
        // signal.
        Err(_) => same() && kill_process(pid, signal).is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let rest = "S 1 2 3 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 6 7";
        for name in ["sh", "a b", "a) S 9 9 9", "(", ")", ""] {
            let line = format!("42 ({name}) {rest}");
            assert_eq!(
                parse_stat(line.as_bytes()),
                Some(Stat {
                    parent: 1,
                    start_ticks: 12345,
                    over: false
                }),
                "{name}"
            );
        }
        for bad in ["", "42", "42 (sh", "42 (sh) S", "42 (sh) S x 2 3"] {
            assert_eq!(parse_stat(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn this_process_is_itself() {
        let own = stat(own_pid()).expect("a process");
        assert_eq!(
            own.parent,
            rustix::process::getppid()
                .expect("a parent")
                .as_raw_nonzero()
                .get()
        );
        assert!(!boot_id().is_empty());
        assert!(!send(
            Member {
                pid: own_pid(),
                start_ticks: own.start_ticks + 1
            },
            Signal::KILL
        ));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_the_parser_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            parse_stat(&bytes);
        }
    }
}
