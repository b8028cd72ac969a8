//! Ready jobs, grouped by their needs: if one of a group does not fit, the others do not either.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::{Attempt, Terms};
use crate::manifest::{Job, Manifest};

/// What all jobs of a group need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    /// Index of the phase.
    pub phase: u32,
    /// Number of cards.
    pub gpus: u32,
    /// MiB of each card, for jobs that share.
    pub gpu_mem_mib: Option<u64>,
    /// CPUs; `None`: not counted.
    pub cpus: Option<u32>,
    /// MiB of main memory; `None`: not counted.
    pub mem_mib: Option<u64>,
}

impl Group {
    /// The group of a job.
    pub fn of(job: &Job) -> Self {
        Self::with(job, &Terms::of(job))
    }

    /// What a running attempt of the job uses.
    pub(super) fn taken(job: &Job, attempt: &Attempt) -> Self {
        let terms = attempt.terms.as_deref();
        terms.map_or_else(|| Self::of(job), |terms| Self::with(job, terms))
    }

    fn with(job: &Job, terms: &Terms) -> Self {
        Self {
            phase: job.phase,
            gpus: terms.gpus,
            gpu_mem_mib: terms.gpu_mem_mib,
            cpus: terms.cpus,
            mem_mib: terms.mem_mib,
        }
    }
}

/// Ready jobs: in each group by priority, then in the manifest's order.
#[derive(Debug, Default)]
pub(crate) struct Ready {
    groups: BTreeMap<Group, BTreeSet<(Reverse<i32>, u32)>>,
}

impl Ready {
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Each group with its jobs, best first.
    pub(crate) fn groups(
        &self,
    ) -> impl Iterator<Item = (Group, impl Iterator<Item = (Reverse<i32>, u32)> + '_)> + '_ {
        let groups = self.groups.iter();
        groups.map(|(group, jobs)| (*group, jobs.iter().copied()))
    }

    pub(super) fn insert(&mut self, job: u32, manifest: &Manifest) {
        let (group, key) = place(job, manifest);
        self.groups.entry(group).or_default().insert(key);
    }

    pub(super) fn remove(&mut self, job: u32, manifest: &Manifest) {
        let (group, key) = place(job, manifest);
        if let Some(jobs) = self.groups.get_mut(&group) {
            jobs.remove(&key);
            if jobs.is_empty() {
                self.groups.remove(&group);
            }
        }
    }
}

fn place(job: u32, manifest: &Manifest) -> (Group, (Reverse<i32>, u32)) {
    let spec = &manifest.jobs[job as usize];
    (Group::of(spec), (Reverse(spec.settings.priority), job))
}
