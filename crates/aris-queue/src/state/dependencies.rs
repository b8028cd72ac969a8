//! Who waits for whom: for each job how many of its parents are not through, and how many never will be.
//!
//! When a job changes, only its dependants are touched; a phase touches the jobs of phases after it once, when it is through.

use super::{Life, Run};
use crate::manifest::{Manifest, OnDepFailure};

/// What others have to expect of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prospect {
    /// It may still complete.
    Open,
    /// It is completed.
    Completed,
    /// It is over, or blocked, without being completed.
    Failed,
}

#[derive(Debug)]
pub(crate) struct Dependencies {
    prospects: Vec<Prospect>,
    /// Parents, jobs and phases, that are not yet as a child wants them.
    open: Vec<u32>,
    /// Parents that never will be.
    failed: Vec<u32>,
    /// Children of job j: `children[starts[j]..starts[j + 1]]`.
    children: Vec<u32>,
    starts: Vec<u32>,
    phases: Vec<PhaseState>,
    open_jobs: u32,
    completed_jobs: u32,
}

#[derive(Debug, Default)]
struct PhaseState {
    /// Jobs that may still complete.
    open: u32,
    /// Jobs that are over without being completed.
    failed: u32,
    /// Phases after this one.
    next: Vec<u32>,
}

/// What a child sees of a parent, job or phase.
#[derive(Clone, Copy, PartialEq)]
struct View {
    open: bool,
    failed: bool,
}

impl View {
    /// As a child with this policy sees it: with `run` it only wants the parent to be over.
    fn for_policy(self, policy: OnDepFailure) -> Self {
        match policy {
            OnDepFailure::Block => Self {
                open: self.open || self.failed,
                failed: self.failed,
            },
            OnDepFailure::Run => Self {
                open: self.open,
                failed: false,
            },
        }
    }
}

impl Dependencies {
    pub(super) fn of(manifest: &Manifest) -> Self {
        let count = manifest.jobs.len();
        let mut starts = vec![0_u32; count + 1];
        for job in &manifest.jobs {
            for parent in &job.needs {
                starts[*parent as usize + 1] += 1;
            }
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut children = vec![0; starts[count] as usize];
        let mut open = vec![0; count];
        for (child, job) in (0..).zip(&manifest.jobs) {
            for parent in &job.needs {
                let slot = &mut next[*parent as usize];
                children[*slot as usize] = child;
                *slot += 1;
            }
            open[child as usize] = u32::try_from(job.needs.len()).unwrap_or(u32::MAX);
        }
        let mut phases: Vec<PhaseState> = manifest
            .phases
            .iter()
            .map(|phase| PhaseState {
                open: phase.end - phase.first,
                ..PhaseState::default()
            })
            .collect();
        for (at, phase) in (0..).zip(&manifest.phases) {
            for parent in &phase.after {
                phases[*parent as usize].next.push(at);
                // An empty phase is through from the beginning.
                if phases[*parent as usize].open > 0 {
                    for job in phase.first..phase.end {
                        open[job as usize] += 1;
                    }
                }
            }
        }
        Self {
            prospects: vec![Prospect::Open; count],
            open,
            failed: vec![0; count],
            children,
            starts,
            phases,
            open_jobs: u32::try_from(count).unwrap_or(u32::MAX),
            completed_jobs: 0,
        }
    }

    pub(super) fn is_open(&self, job: u32) -> bool {
        self.open[job as usize] > 0
    }

    pub(super) fn is_blocked(&self, job: u32) -> bool {
        self.failed[job as usize] > 0
    }

    pub(super) fn open_jobs(&self) -> u32 {
        self.open_jobs
    }

    pub(super) fn completed_jobs(&self) -> u32 {
        self.completed_jobs
    }

    /// A job has another life. Gives the jobs whose parents look different now.
    pub(super) fn set(&mut self, job: u32, runs: &[Run], manifest: &Manifest) -> Vec<u32> {
        let mut touched = Vec::new();
        let mut changes = vec![job];
        while let Some(job) = changes.pop() {
            let prospect = self.prospect(job, runs[job as usize].life);
            let before = std::mem::replace(&mut self.prospects[job as usize], prospect);
            if before == prospect {
                continue;
            }
            self.count(before, prospect);
            let first = touched.len();
            for at in self.starts[job as usize]..self.starts[job as usize + 1] {
                let child = self.children[at as usize];
                self.child(child, view(before), view(prospect), manifest);
                touched.push(child);
            }
            self.phase(job, before, prospect, manifest, &mut touched);
            changes.extend(touched.iter().skip(first));
        }
        touched
    }

    fn prospect(&self, job: u32, life: Life) -> Prospect {
        match life {
            Life::Completed => Prospect::Completed,
            Life::Failed | Life::Cancelled | Life::Lost => Prospect::Failed,
            Life::Idle if self.is_blocked(job) => Prospect::Failed,
            _ => Prospect::Open,
        }
    }

    fn count(&mut self, before: Prospect, after: Prospect) {
        match before {
            Prospect::Open => self.open_jobs -= 1,
            Prospect::Completed => self.completed_jobs -= 1,
            Prospect::Failed => {}
        }
        match after {
            Prospect::Open => self.open_jobs += 1,
            Prospect::Completed => self.completed_jobs += 1,
            Prospect::Failed => {}
        }
    }

    fn child(&mut self, child: u32, before: View, after: View, manifest: &Manifest) {
        let policy = manifest
            .phase_of(child)
            .map_or(OnDepFailure::Block, |phase| phase.on_dep_failure);
        let (before, after) = (before.for_policy(policy), after.for_policy(policy));
        adjust(&mut self.open[child as usize], before.open, after.open);
        adjust(
            &mut self.failed[child as usize],
            before.failed,
            after.failed,
        );
    }

    /// Counts the change in the job's phase; when the phase looks different from outside, so it does for the jobs after it.
    fn phase(
        &mut self,
        job: u32,
        before: Prospect,
        after: Prospect,
        manifest: &Manifest,
        touched: &mut Vec<u32>,
    ) {
        let Some(at) = manifest
            .jobs
            .get(job as usize)
            .map(|job| job.phase as usize)
        else {
            return;
        };
        let phase = &mut self.phases[at];
        let look = |phase: &PhaseState| View {
            open: phase.open > 0,
            failed: phase.failed > 0,
        };
        let old = look(phase);
        adjust(
            &mut phase.open,
            before == Prospect::Open,
            after == Prospect::Open,
        );
        adjust(
            &mut phase.failed,
            before == Prospect::Failed,
            after == Prospect::Failed,
        );
        let new = look(phase);
        if old == new {
            return;
        }
        let next = std::mem::take(&mut self.phases[at].next);
        for phase in &next {
            let range = &manifest.phases[*phase as usize];
            for child in range.first..range.end {
                self.child(child, old, new, manifest);
                touched.push(child);
            }
        }
        self.phases[at].next = next;
    }
}

fn view(prospect: Prospect) -> View {
    View {
        open: prospect == Prospect::Open,
        failed: prospect == Prospect::Failed,
    }
}

fn adjust(count: &mut u32, before: bool, after: bool) {
    match (before, after) {
        (false, true) => *count += 1,
        (true, false) => *count -= 1,
        _ => {}
    }
}
