//! The CPUs and the memory that this program may use on this machine. A container or a batch system may limit both.

use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_queue::manifest::{Job, Manifest, Positive};
use aris_queue::schedule::Machine;

use crate::error::Error;
use crate::results::words::more;

/// Most bytes of the files read here.
const MOST_BYTES: u64 = 1 << 20;

pub(crate) fn machine() -> Machine {
    let limit = |path: PathBuf| text(&path)?.trim().parse::<u64>().ok();
    let total = text(Path::new("/proc/meminfo")).and_then(|text| total_kib(&text));
    let groups = text(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let limits = limits_of(&groups).into_iter().filter_map(limit);
    let bytes = limits.chain(total.map(|kib| kib << 10)).min();
    Machine {
        processors: u32::try_from(aris_fs::processors()).unwrap_or(u32::MAX),
        memory_mib: bytes.map(|bytes| bytes >> 20),
    }
}

/// The path of this program in the `PATH`.
pub(super) fn on_path(program: &str, context: &Context) -> Option<PathBuf> {
    aris_fs::on_path(program, context.env("PATH")?, context.cwd())
}

/// Refuses a queue with a job for which this machine is too small.
///
/// **Errors**: [`Error::precondition`] with the job, what it needs and what the machine has.
pub(super) fn check(manifest: &Manifest) -> Result<(), Error> {
    let here = machine();
    none_lacks(manifest, |job| {
        let (cpus, all) = (job.settings.cpus.map(Positive::get), here.processors);
        if let Some(cpus) = cpus.filter(|cpus| *cpus > all) {
            let text = format!("needs {cpus} processors, and {all} may be used here");
            return Some(text);
        }
        let (mem, all) = job.settings.mem_mib.zip(here.memory_mib)?;
        let text = || format!("needs {mem} MiB of main memory, and {all} MiB may be used here");
        (mem > all).then(text)
    })
}

/// The error for the first job that lacks something, with what it lacks and how many other jobs do. `lacks` says what a job lacks.
pub(super) fn none_lacks(
    manifest: &Manifest,
    lacks: impl Fn(&Job) -> Option<String>,
) -> Result<(), Error> {
    let jobs = manifest.jobs.iter();
    let mut lacking = jobs.filter_map(|job| Some((job, lacks(job)?)));
    let Some((job, why)) = lacking.next() else {
        return Ok(());
    };
    let more = more(lacking.count(), "more jobs cannot run");
    let text = format!("job {:?} {why}{more}", job.id);
    Err(Error::precondition(text))
}

fn text(path: &Path) -> Option<String> {
    let bytes = aris_fs::read_optional(path, MOST_BYTES).ok()??;
    String::from_utf8(bytes).ok()
}

/// Total memory in KiB. **Source**: `proc_meminfo(5)`.
fn total_kib(meminfo: &str) -> Option<u64> {
    let mut lines = meminfo.lines();
    let line = lines.find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Files that may have a memory limit for this program: of its control group and all groups above it, in both versions. **Source**:
/// `cgroups(7)`.
fn limits_of(groups: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let (root, file) = if controllers.is_empty() {
            ("/sys/fs/cgroup", "memory.max")
        } else if controllers.split(',').any(|name| name == "memory") {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        } else {
            continue;
        };
        let own = Path::new(path.trim_start_matches('/'));
        let groups = own.ancestors();
        files.extend(groups.map(|group| Path::new(root).join(group).join(file)));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_looked_for_in_all_groups_above() {
        let found = |groups| -> Vec<String> {
            let files = limits_of(groups);
            files
                .iter()
                .map(|file| file.display().to_string())
                .collect()
        };
        assert_eq!(
            found("0::/a/b\n"),
            [
                "/sys/fs/cgroup/a/b/memory.max",
                "/sys/fs/cgroup/a/memory.max",
                "/sys/fs/cgroup/memory.max"
            ]
        );
        assert_eq!(
            found("4:cpu,memory:/\n3:pids:/x\n"),
            ["/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        );
        assert_eq!(
            total_kib("MemTotal:       2048 kB\nMemFree: 1 kB\n"),
            Some(2048)
        );
    }
}
