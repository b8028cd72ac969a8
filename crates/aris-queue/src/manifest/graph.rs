//! Names made into indices: phases after phases, jobs after jobs, a student after the teacher of the same parameters.

use std::collections::BTreeMap;

use super::file::Parent;
use super::{Job, Phase};
use crate::problem::{Problem, Problems, nearest};
use crate::tree::Node;

/// Dependencies by name, as read.
#[derive(Default)]
pub(super) struct Links {
    /// One for each phase.
    pub(super) phases: Vec<PhaseLinks>,
    /// Place of each job.
    pub(super) places: Vec<(u32, u32)>,
    needs: Vec<(usize, Vec<String>, Place)>,
}

type Place = (u32, u32);

/// `depends_on` of a phase.
pub(super) struct PhaseLinks {
    place: Place,
    after: Vec<(String, Vec<String>, Place)>,
}

impl Links {
    pub(super) fn needs(&mut self, job: usize, names: Vec<String>, node: &Node) {
        self.needs.push((job, names, (node.line, node.column)));
    }
}

impl PhaseLinks {
    pub(super) fn at(node: &Node) -> Self {
        Self {
            place: (node.line, node.column),
            after: Vec::new(),
        }
    }

    /// Notes the parents that the node names.
    pub(super) fn add(&mut self, parents: Vec<Parent>, node: &Node) {
        let places = if node.is_list() {
            node.items()
        } else {
            std::slice::from_ref(node)
        };
        for (parent, node) in parents.into_iter().zip(places) {
            let place = (node.line, node.column);
            self.after.push((parent.phase, parent.same, place));
        }
    }
}

pub(super) fn link(links: &Links, phases: &mut [Phase], jobs: &mut [Job], problems: &mut Problems) {
    let Some(ids) = unique_ids(links, jobs, problems) else {
        return;
    };
    let names = unique_phases(links, phases, problems);
    for (at, phase_links) in links.phases.iter().enumerate() {
        for (name, keys, place) in &phase_links.after {
            let Some(parent) = names.get(name.as_str()).copied() else {
                let near = nearest(name, names.keys().map(String::as_str));
                problems.push(unknown("phase", name, near, *place));
                continue;
            };
            if keys.is_empty() {
                phases[at].after.push(parent);
            } else {
                phases[at].matched.push(parent);
                matched(at, parent as usize, keys, phases, jobs, links, problems);
            }
        }
        phases[at].after.sort_unstable();
        phases[at].after.dedup();
    }
    for (job, needed, place) in &links.needs {
        for name in needed {
            match ids.get(&name.to_lowercase()) {
                Some(parent) if jobs[*parent as usize].id.as_ref() == name => {
                    jobs[*job].needs.push(*parent);
                }
                _ => {
                    let near = (ids.len() <= 10_000)
                        .then(|| nearest(name, jobs.iter().map(|job| &*job.id)))
                        .flatten();
                    problems.push(unknown("job", name, near, *place));
                }
            }
        }
    }
    for job in jobs.iter_mut() {
        job.needs.sort_unstable();
        job.needs.dedup();
    }
    if problems.0.is_empty() {
        cycles(links, phases, jobs, problems);
    }
}

fn unknown(noun: &str, name: &str, near: Option<&str>, place: Place) -> Problem {
    Problem {
        line: place.0,
        column: place.1,
        message: format!("there is no {noun} {name:?}"),
        hint: near.map(|near| format!("did you mean {near:?}?")),
    }
}

/// Jobs by id in lower case: file systems that fold case would mix their files up. `None` when two collide.
fn unique_ids(
    links: &Links,
    jobs: &[Job],
    problems: &mut Problems,
) -> Option<BTreeMap<String, u32>> {
    let mut ids = BTreeMap::new();
    let mut unique = true;
    for (at, job) in (0..).zip(jobs) {
        if let Some(first) = ids.insert(job.id.to_lowercase(), at) {
            unique = false;
            let line = links.places.get(first as usize).map_or(0, |place| place.0);
            let (own_line, column) = links.places.get(at as usize).copied().unwrap_or_default();
            problems.push(Problem {
                line: own_line,
                column,
                message: format!("the id {:?} is taken by the job of line {line}", job.id),
                hint: Some(String::from(
                    "give every job an id of its own; upper and lower case count as equal",
                )),
            });
        }
    }
    unique.then_some(ids)
}

fn unique_phases(
    links: &Links,
    phases: &[Phase],
    problems: &mut Problems,
) -> BTreeMap<String, u32> {
    let mut names = BTreeMap::new();
    for (at, phase) in (0..).zip(phases) {
        if names.insert(phase.name.clone(), at).is_some() {
            let (line, column) = links.phases.get(at as usize).map_or((0, 0), |it| it.place);
            problems.push(Problem {
                line,
                column,
                message: format!("a second phase {:?}", phase.name),
                hint: Some(String::from("rename one of the two")),
            });
        }
    }
    names
}

/// Ties each job of phase `child` to the jobs of `parent` with the same parameters.
fn matched(
    child: usize,
    parent: usize,
    keys: &[String],
    phases: &[Phase],
    jobs: &mut [Job],
    links: &Links,
    problems: &mut Problems,
) {
    let of = |job: &Job| -> Option<Vec<Box<str>>> {
        keys.iter()
            .map(|key| {
                let found = job.params.iter().find(|(name, _)| **name == **key)?;
                Some(found.1.clone())
            })
            .collect()
    };
    let range = |phase: &Phase| phase.first as usize..phase.end as usize;
    let mut parents: BTreeMap<Vec<Box<str>>, Vec<u32>> = BTreeMap::new();
    for at in range(&phases[parent]) {
        if let Some(cell) = of(&jobs[at]) {
            parents
                .entry(cell)
                .or_default()
                .push(u32::try_from(at).unwrap_or(u32::MAX));
        }
    }
    for at in range(&phases[child]) {
        if let Some(found) = of(&jobs[at]).and_then(|cell| parents.get(&cell)) {
            jobs[at].needs.extend(found);
            continue;
        }
        let (line, column) = links.places.get(at).copied().unwrap_or_default();
        problems.push(Problem {
            line,
            column,
            message: format!(
                "the job {:?} has no job with the same {} in phase {:?}",
                jobs[at].id,
                keys.join(", "),
                phases[parent].name
            ),
            hint: Some(String::from(
                "both need these params; build_manifest writes them from the grid",
            )),
        });
    }
}

/// A phase is over when its jobs are, a job starts when its phase's parents are over: one graph of both, walked without
/// recursion.
fn cycles(links: &Links, phases: &[Phase], jobs: &[Job], problems: &mut Problems) {
    // Nodes: jobs, then the end of each phase, then the beginning of each phase.
    let (count, begin) = (jobs.len(), jobs.len() + phases.len());
    let parents = |node: usize| -> Vec<usize> {
        if node < count {
            let job = &jobs[node];
            let mut parents: Vec<usize> = job.needs.iter().map(|at| *at as usize).collect();
            parents.push(begin + job.phase as usize);
            parents
        } else if node < begin {
            let phase = &phases[node - count];
            let mut parents: Vec<usize> = (phase.first as usize..phase.end as usize).collect();
            parents.push(begin + node - count);
            parents
        } else {
            let phase = &phases[node - begin];
            phase.after.iter().map(|at| count + *at as usize).collect()
        }
    };
    let total = begin + phases.len();
    let mut mark = vec![0_u8; total];
    for start in 0..total {
        if mark[start] != 0 {
            continue;
        }
        let mut path = vec![(start, parents(start), 0)];
        mark[start] = 1;
        while let Some((node, next, at)) = path.last_mut() {
            let Some(parent) = next.get(*at).copied() else {
                mark[*node] = 2;
                path.pop();
                continue;
            };
            *at += 1;
            if mark[parent] == 1 {
                let names: Vec<String> = path
                    .iter()
                    .map(|(node, _, _)| *node)
                    .skip_while(|node| *node != parent)
                    .filter_map(|node| {
                        if node < count {
                            Some(format!("job {:?}", jobs[node].id))
                        } else if node >= begin {
                            Some(format!("phase {:?}", phases[node - begin].name))
                        } else {
                            None
                        }
                    })
                    .take(8)
                    .collect();
                let (line, column) =
                    path.iter()
                        .map(|(node, _, _)| *node)
                        .fold((0, 0), |found, node| {
                            if found != (0, 0) {
                                found
                            } else if node < count {
                                links.places.get(node).copied().unwrap_or_default()
                            } else if node >= begin {
                                links.phases.get(node - begin).map_or((0, 0), |it| it.place)
                            } else {
                                found
                            }
                        });
                problems.push(Problem {
                    line,
                    column,
                    message: format!("a circle of dependencies: {}", names.join(" waits for ")),
                    hint: Some(String::from("remove one of these dependencies")),
                });
                return;
            }
            if mark[parent] == 0 {
                mark[parent] = 1;
                let above = parents(parent);
                path.push((parent, above, 0));
            }
        }
    }
}
