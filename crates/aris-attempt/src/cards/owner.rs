//! Whose processes are on the cards.

use std::collections::{BTreeMap, BTreeSet};

use super::{Process, Sample};
use crate::processes;

/// Deeper than processes nest; also ends a walk through numbers that are used again meanwhile.
const DEEPEST: usize = 1000;

/// Memory and processes of one sample by whom they belong to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// MiB on all cards together by the runner whose job uses them; a job whose memory is not told is missing. The most over all
    /// samples is a job's peak as far as it was seen.
    pub by_runner: BTreeMap<i32, u64>,
    /// Processes that descend from none of the runners, by card. One that ended since is among them: nobody can tell any more.
    pub foreign: BTreeMap<String, Vec<Process>>,
}

/// Sorts a sample's processes by the runners they descend from; `None` when the sample does not tell of processes.
///
/// `runners` are the process numbers of the [claims](crate::format::Claim) of this machine. Where the driver numbers processes otherwise
/// (containers), all of them are foreign.
pub fn used_by(sample: &Sample, runners: &BTreeSet<i32>) -> Option<Use> {
    let parent = |pid| processes::stat(pid).map(|stat| stat.parent);
    sorted(sample.processes.as_deref()?, runners, parent).into()
}

fn sorted(
    processes: &[Process],
    runners: &BTreeSet<i32>,
    parent: impl Fn(i32) -> Option<i32>,
) -> Use {
    let mut sorted = Use::default();
    for process in processes {
        let line =
            std::iter::successors(Some(process.pid), |pid| parent(*pid).filter(|up| *up > 0));
        let owner = line.take(DEEPEST).find(|pid| runners.contains(pid));
        match (owner, process.used) {
            (Some(runner), Some(used)) => {
                let sum = sorted.by_runner.entry(runner).or_default();
                *sum = sum.saturating_add(used);
            }
            (Some(_), None) => {}
            (None, _) => {
                let card = sorted.foreign.entry(process.uuid.clone()).or_default();
                card.push(process.clone());
            }
        }
    }
    sorted
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
        let sorted = sorted(&processes, &BTreeSet::from([10, 20]), |pid| {
            parents.get(&pid).copied()
        });
        assert_eq!(sorted.by_runner, BTreeMap::from([(10, 120)]));
        assert_eq!(sorted.foreign["A"], [process("A", 31, Some(7))]);
        assert_eq!(sorted.foreign["B"], [process("B", 99, Some(8))]);
    }

    #[test]
    fn a_sample_that_says_nothing_of_processes_gives_nothing() {
        assert_eq!(used_by(&Sample::default(), &BTreeSet::new()), None);
    }
}
