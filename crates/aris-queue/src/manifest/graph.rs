//! Resolves names to indices: phases that depend on phases, jobs that need jobs, and, for `match`, jobs with the same parameters.

use std::collections::BTreeMap;

use super::file::Parent;
use super::{Job, Phase};
use crate::problem::{Place, Problem, Problems, problem, unknown_name};
use crate::tree::{Node, one_or_many};
use aris_yaml::typed::{self, Keys, Many};

/// Dependencies by name, as they were read.
#[derive(Default)]
pub(super) struct Links {
    /// One for each phase.
    pub(super) phases: Vec<PhaseLinks>,
    /// The place of each job in the file.
    pub(super) places: Vec<Place>,
    /// Index of a job, the ids that it needs, and the place of its `needs`.
    pub(super) needs: Vec<(usize, Vec<String>, Place)>,
}

/// `depends_on` of a phase.
pub(super) struct PhaseLinks {
    place: Place,
    after: Vec<(Parent, Place)>,
}

impl PhaseLinks {
    pub(super) fn at(node: &Node) -> Self {
        let (place, after) = (node.into(), Vec::new());
        Self { place, after }
    }

    /// Adds the parents that the node names.
    pub(super) fn add(&mut self, node: &Node, problems: &mut Problems) {
        for item in one_or_many(node) {
            let parent = match item.written() {
                Some(_) if item.is_null() => {
                    let message = "depends_on must be a text or a list of texts, not null";
                    problems.at(item, message, None);
                    None
                }
                Some(name) => Some(Parent {
                    phase: name.to_owned(),
                    same: Many::default(),
                }),
                None => {
                    let known = [typed::keys::<Parent>()];
                    typed::check_keys(item, &"depends_on", &known, problems);
                    typed::read(item, "depends_on", Keys::Known, problems)
                }
            };
            let parent = parent.map(|parent| (parent, item.into()));
            self.after.extend(parent);
        }
    }
}

pub(super) fn link(links: &Links, phases: &mut [Phase], jobs: &mut [Job], problems: &mut Problems) {
    let Some(ids) = unique_ids(links, jobs, problems) else {
        return;
    };
    let mut names = BTreeMap::new();
    for (at, (phase, own)) in (0..).zip(phases.iter().zip(&links.phases)) {
        if names.insert(phase.name.clone(), at).is_some() {
            let message = format!("a second phase {:?}", phase.name);
            problems.at(own.place, message, Some("rename one of the two"));
        }
    }
    for (at, phase_links) in links.phases.iter().enumerate() {
        for (parent, place) in &phase_links.after {
            let Some(found) = names.get(&parent.phase).copied() else {
                let known = names.keys().map(String::as_str);
                problems.push(unknown_name(*place, "phase", &parent.phase, known));
                continue;
            };
            let keys = &parent.same.0;
            if keys.is_empty() {
                phases[at].after.push(found);
            } else {
                phases[at].matched.push(found);
                let (child, parent_phase) = (&phases[at], &phases[found as usize]);
                for (job, problem) in matched(child, parent_phase, keys, jobs) {
                    problems.at(links.places[job], problem, Some(BOTH_NEED));
                }
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
                    // Looking for a similar id would take too long for more jobs than this.
                    let known = jobs.iter().filter(|_| ids.len() <= 10_000);
                    let known = known.map(|job| &*job.id);
                    problems.push(unknown_name(*place, "job", name, known));
                }
            }
        }
    }
    for job in jobs.iter_mut() {
        job.needs.sort_unstable();
        job.needs.dedup();
    }
    if problems.0.is_empty() {
        problems.0.extend(circle(links, phases, jobs));
    }
}

/// Index of each job by its id in lower case; `None`, with problems, if two are equal: on file systems that ignore case they would share
/// files.
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
            let line = links.places[first as usize].line;
            let message = format!("the id {:?} is taken by the job of line {line}", job.id);
            let hint = "give every job an id of its own; upper and lower case count as equal";
            problems.at(links.places[at as usize], message, Some(hint));
        }
    }
    unique.then_some(ids)
}

const BOTH_NEED: &str = "jobs of both phases need the params that `match` names; build_manifest writes them from the grid";

/// Makes each job of phase `child` depend on the jobs of `parent` with the same parameters. Gives the jobs without any, with a message for
/// each.
fn matched(
    child: &Phase,
    parent: &Phase,
    keys: &[String],
    jobs: &mut [Job],
) -> Vec<(usize, String)> {
    let of = |job: &Job| -> Option<Vec<Box<str>>> {
        let value = |key: &String| {
            let found = job.params.iter().find(|(name, _)| **name == **key)?;
            Some(found.1.clone())
        };
        keys.iter().map(value).collect()
    };
    let mut parents: BTreeMap<Vec<Box<str>>, Vec<u32>> = BTreeMap::new();
    for at in parent.first..parent.end {
        if let Some(cell) = of(&jobs[at as usize]) {
            parents.entry(cell).or_default().push(at);
        }
    }
    let mut alone = Vec::new();
    let (first, end) = (child.first as usize, child.end as usize);
    for (at, job) in jobs.iter_mut().enumerate().take(end).skip(first) {
        if let Some(found) = of(job).and_then(|cell| parents.get(&cell)) {
            job.needs.extend(found);
            continue;
        }
        let (phase, keys, id) = (&parent.name, keys.join(", "), &job.id);
        let message = format!(
            "phase {phase:?} has no job with the same {keys} as job {id:?}, which depends on it by `match`; give {id:?} or a job of that phase the missing `params`"
        );
        alone.push((at, message));
    }
    alone
}

/// Looks for a circle in the graph of phases and jobs: a phase ends after its jobs, and a job starts after the phases that its own depends
/// on. It does not recurse, because paths may be long.
fn circle(links: &Links, phases: &[Phase], jobs: &[Job]) -> Option<Problem> {
    // Nodes: jobs, then the end of each phase, then the beginning of each phase.
    let (count, begin) = (jobs.len(), jobs.len() + phases.len());
    let parents = |node: usize| -> Vec<usize> {
        if node < count {
            let needs = jobs[node].needs.iter().map(|at| *at as usize);
            needs.chain([begin + jobs[node].phase as usize]).collect()
        } else if node < begin {
            let phase = &phases[node - count];
            let jobs = phase.first as usize..phase.end as usize;
            jobs.chain([begin + node - count]).collect()
        } else {
            let after = phases[node - begin].after.iter();
            after.map(|at| count + *at as usize).collect()
        }
    };
    // The end of a phase needs no name: every circle through it also has its beginning or one of its jobs.
    let named = |node: usize| -> Option<(String, Place)> {
        if node < count {
            Some((format!("job {:?}", jobs[node].id), links.places[node]))
        } else {
            let at = node.checked_sub(begin)?;
            let name = format!("phase {:?}", phases[at].name);
            Some((name, links.phases[at].place))
        }
    };
    let total = begin + phases.len();
    let (mut seen, mut done) = (vec![false; total], vec![false; total]);
    for start in 0..total {
        let mut path = vec![(start, parents(start).into_iter())];
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        while let Some((node, above)) = path.last_mut() {
            let Some(parent) = above.next() else {
                done[*node] = true;
                path.pop();
                continue;
            };
            if !std::mem::replace(&mut seen[parent], true) {
                path.push((parent, parents(parent).into_iter()));
            } else if !done[parent] {
                let path = path.iter().map(|(node, _)| *node);
                let (_, place) = path.clone().find_map(named)?;
                let circle = path.skip_while(|node| *node != parent).filter_map(named);
                let circle: Vec<String> = circle.take(8).map(|(name, _)| name).collect();
                let message = format!("a circle of dependencies: {}", circle.join(" waits for "));
                let hint = "remove one of these dependencies";
                return Some(problem(place, message, Some(hint)));
            }
        }
    }
    None
}
