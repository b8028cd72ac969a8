//! Which runner's job uses how much memory of the cards.

use std::collections::{BTreeMap, BTreeSet};

use super::{Process, Sample};
use crate::processes;

/// Most ancestors that are looked at; this also ends a walk through process ids that are reused meanwhile.
const DEEPEST: usize = 1000;

/// MiB on all cards together, by the runner whose job uses them. A job whose memory is not reported is missing. The maximum over all
/// samples is a job's observed peak.
///
/// `runners` are the process ids of the [claims](crate::format::Claim) of this machine. Where the driver uses other process ids
/// (containers), no process is found to be a runner's.
pub fn used_by(sample: &Sample, runners: &BTreeSet<i32>) -> BTreeMap<i32, u64> {
    let parent = |pid| processes::stat(pid).map(|stat| stat.parent);
    summed(sample.processes.iter().flatten(), runners, parent)
}

fn summed<'a>(
    processes: impl Iterator<Item = &'a Process>,
    runners: &BTreeSet<i32>,
    parent: impl Fn(i32) -> Option<i32>,
) -> BTreeMap<i32, u64> {
    let mut sums: BTreeMap<i32, u64> = BTreeMap::new();
    for process in processes {
        let line =
            std::iter::successors(Some(process.pid), |pid| parent(*pid).filter(|up| *up > 0));
        let owner = line.take(DEEPEST).find(|pid| runners.contains(pid));
        if let Some((runner, used)) = owner.zip(process.used) {
            let sum = sums.entry(runner).or_default();
            *sum = sum.saturating_add(used);
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_belongs_to_the_runner_it_descends_from() {
        let process = |uuid: &str, pid, used| Process {
            uuid: String::from(uuid),
            pid,
            used,
        };
        let parents = BTreeMap::from([
            (12, 11),
            (11, 10),
            (10, 1),
            (22, 20),
            (20, 1),
            (31, 32),
            (32, 31),
        ]);
        let processes = [
            process("A", 12, Some(100)),
            process("B", 11, Some(20)),
            process("A", 22, None),
            process("A", 31, Some(7)),
            process("B", 99, Some(8)),
        ];
        let parent = |pid| parents.get(&pid).copied();
        let sums = summed(processes.iter(), &BTreeSet::from([10, 20]), parent);
        assert_eq!(sums, BTreeMap::from([(10, 120)]));
    }
}
