//! Divides one queue among several servers.
//!
//! Jobs that depend on each other go to the same server, because the files that one of them writes are there.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use aris_contract::text::counted;
use aris_queue::manifest::Manifest;

use crate::error::Error;

/// Gives each job of the manifest the index of its server. `there` has, for each server, the ids of jobs that it already has; these stay
/// there. All other groups of jobs go to the server with the fewest jobs, large groups first.
///
/// **Errors**: jobs that depend on each other are already on two servers, or a server would get no job.
pub(super) fn divide(
    manifest: &Manifest,
    hosts: &[&str],
    there: &[BTreeSet<String>],
) -> Result<Vec<usize>, Error> {
    let mut server_of = vec![0; manifest.jobs.len()];
    let mut counts = vec![0; hosts.len()];
    let mut place = |group: &[usize], server: usize, counts: &mut [usize]| {
        counts[server] += group.len();
        for job in group {
            server_of[*job] = server;
        }
    };
    let groups = groups(manifest);
    let number = groups.len();
    let mut free = Vec::new();
    for group in groups {
        let id = |job: &usize| &*manifest.jobs[*job].id;
        let has = |server: &usize| group.iter().any(|job| there[*server].contains(id(job)));
        let homes: Vec<usize> = (0..hosts.len()).filter(has).collect();
        match homes.as_slice() {
            [] => free.push(group),
            [home] => place(&group, *home, &mut counts),
            [one, other, ..] => {
                let (id, one, other) = (id(&group[0]), hosts[*one], hosts[*other]);
                return Err(Error::precondition(format!(
                    "{id:?} and jobs that wait for each other with it are on {one} and on {other} already; only jobs of one server can \
                     wait for each other"
                )));
            }
        }
    }
    free.sort_by_key(|group| Reverse(group.len()));
    for group in free {
        let server = (0..hosts.len()).min_by_key(|server| counts[*server]);
        place(&group, server.unwrap_or(0), &mut counts);
    }
    let Some(idle) = counts.iter().position(|count| *count == 0) else {
        return Ok(server_of);
    };
    let (idle, jobs) = (hosts[idle], counted(manifest.jobs.len(), "job"));
    let groups = counted(number, "such group");
    let servers = counted(hosts.len(), "server");
    Err(Error::precondition(format!(
        "{idle} would get no job: jobs that wait for each other stay on one server, and {jobs} in {groups} are too few for {servers}; name \
         fewer servers, or tie single jobs with `match` in depends_on"
    )))
}

/// Groups of jobs such that no job depends on another group, ordered by their first job.
fn groups(manifest: &Manifest) -> Vec<Vec<usize>> {
    // Union-find: each job points to another one of its group, the first job of a group to itself.
    let mut above: Vec<usize> = (0..manifest.jobs.len()).collect();
    let first = |above: &mut [usize], mut job: usize| {
        while above[job] != job {
            above[job] = above[above[job]];
            job = above[job];
        }
        job
    };
    let mut join = |one: usize, other: usize| {
        let (one, other) = (first(&mut above, one), first(&mut above, other));
        above[one.max(other)] = one.min(other);
    };
    for (at, job) in manifest.jobs.iter().enumerate() {
        for need in &job.needs {
            join(at, *need as usize);
        }
    }
    for phase in &manifest.phases {
        for parent in &phase.after {
            let parent = &manifest.phases[*parent as usize];
            let parents = parent.first as usize..parent.end as usize;
            let children = phase.first as usize..phase.end as usize;
            if !parents.is_empty() && !children.is_empty() {
                for job in parents.chain(children.clone()) {
                    join(children.start, job);
                }
            }
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for job in 0..above.len() {
        groups.entry(first(&mut above, job)).or_default().push(job);
    }
    groups.into_values().collect()
}
