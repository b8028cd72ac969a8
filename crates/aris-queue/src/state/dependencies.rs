//! Dependencies: for each job, how many parents are not completed yet, and how many never will be.
//!
//! The graph has a node for each job and for the beginning and the end of each phase. Edges lead from a job to the jobs that need it, from
//! the jobs of a phase to its end, from there to the beginning of each phase after it, and from there to that phase's jobs. When a node's
//! view changes, only its children are updated.

use super::{Life, Outcome, Run};
use crate::manifest::{Manifest, OnDepFailure};

/// What a node's children see of it; if both are false, it is completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct View {
    /// It, or a part of it, may still complete.
    open: bool,
    /// It, or a part of it, failed or is blocked.
    failed: bool,
}

#[derive(Debug)]
struct Node {
    view: View,
    /// Number of parents that are not yet in the state that this node waits for.
    open: u32,
    /// Number of parents that never will be.
    failed: u32,
    /// The state that this node waits for in its parents; `None`: it only passes on their views.
    policy: Option<OnDepFailure>,
    children: Vec<u32>,
}

#[derive(Debug, Default)]
pub(crate) struct Dependencies {
    /// First the nodes of the jobs, then the beginning and the end of each phase.
    nodes: Vec<Node>,
    /// Jobs that are not final.
    pub(super) open_jobs: u32,
    pub(super) completed_jobs: u32,
}

impl View {
    /// The view of a child with this policy. A child with `run` only waits until the parent is over.
    fn for_policy(self, policy: Option<OnDepFailure>) -> Self {
        match policy {
            None => self,
            Some(OnDepFailure::Block) => Self {
                open: self.open || self.failed,
                failed: self.failed,
            },
            Some(OnDepFailure::Run) => Self {
                open: self.open,
                failed: false,
            },
        }
    }
}

impl Dependencies {
    pub(super) fn of(manifest: &Manifest) -> Self {
        let count = u32::try_from(manifest.jobs.len()).unwrap_or(u32::MAX);
        let is_empty = |phase: u32| {
            let phase = &manifest.phases[phase as usize];
            phase.first == phase.end
        };
        let node = |open, policy, children| Node {
            view: View {
                open,
                failed: false,
            },
            open: 0,
            failed: 0,
            policy,
            children,
        };
        let begin = |phase: u32| count + phase * 2;
        let end = |phase: u32| begin(phase) + 1;
        let mut nodes = Vec::new();
        for job in &manifest.jobs {
            let policy = manifest.phases[job.phase as usize].on_dep_failure;
            nodes.push(node(true, Some(policy), vec![end(job.phase)]));
        }
        for (at, phase) in (0..).zip(&manifest.phases) {
            // An empty phase is completed from the beginning.
            let waits = !phase.after.iter().all(|parent| is_empty(*parent));
            let jobs = (phase.first..phase.end).collect();
            nodes.push(node(waits, Some(phase.on_dep_failure), jobs));
            nodes.push(node(!is_empty(at), None, Vec::new()));
        }
        for (at, phase) in (0..).zip(&manifest.phases) {
            for parent in &phase.after {
                nodes[end(*parent) as usize].children.push(begin(at));
            }
        }
        for (child, job) in (0..).zip(&manifest.jobs) {
            for parent in &job.needs {
                nodes[*parent as usize].children.push(child);
            }
        }
        let waiting = nodes.iter().filter(|node| node.view.open);
        let waiting: Vec<u32> = waiting.flat_map(|node| node.children.clone()).collect();
        for child in waiting {
            nodes[child as usize].open += 1;
        }
        Self {
            nodes,
            open_jobs: count,
            completed_jobs: 0,
        }
    }

    pub(super) fn is_open(&self, job: u32) -> bool {
        self.nodes[job as usize].open > 0
    }

    pub(super) fn is_blocked(&self, job: u32) -> bool {
        self.nodes[job as usize].failed > 0
    }

    /// Updates a job after its life changed. Gives the jobs whose parents now look different.
    pub(super) fn set(&mut self, job: u32, runs: &[Run]) -> Vec<u32> {
        let mut touched = Vec::new();
        let mut changes = vec![job];
        while let Some(at) = changes.pop() {
            let run = runs.get(at as usize);
            let after = self.view(at, run.map(|run| run.life));
            let before = std::mem::replace(&mut self.nodes[at as usize].view, after);
            if before == after {
                continue;
            }
            if run.is_some() {
                let completed = |view: View| !view.open && !view.failed;
                adjust(&mut self.open_jobs, before.open, after.open);
                let (was, is) = (completed(before), completed(after));
                adjust(&mut self.completed_jobs, was, is);
            }
            let children = std::mem::take(&mut self.nodes[at as usize].children);
            for child in &children {
                let node = &mut self.nodes[*child as usize];
                let [before, after] = [before, after].map(|view| view.for_policy(node.policy));
                adjust(&mut node.open, before.open, after.open);
                adjust(&mut node.failed, before.failed, after.failed);
            }
            changes.extend(&children);
            let is_job = |child: &&u32| (**child as usize) < runs.len();
            touched.extend(children.iter().filter(is_job));
            self.nodes[at as usize].children = children;
        }
        touched
    }

    /// The current view of a node; `life` is given for jobs.
    fn view(&self, at: u32, life: Option<Life>) -> View {
        let node = &self.nodes[at as usize];
        let (open, failed) = match life {
            None => (node.open > 0, node.failed > 0),
            Some(Life::Over(outcome)) => (false, outcome != Outcome::Completed),
            Some(Life::Idle) if node.failed > 0 => (false, true),
            Some(_) => (true, false),
        };
        View { open, failed }
    }
}

fn adjust(count: &mut u32, before: bool, after: bool) {
    match (before, after) {
        (false, true) => *count += 1,
        (true, false) => *count -= 1,
        _ => {}
    }
}
