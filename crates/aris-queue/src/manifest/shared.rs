//! Jobs that declare the same output without waiting for each other: one may replace what the other wrote, so the file is no job's result.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::Manifest;

/// Among this many jobs with the same output, each is compared with every other; later ones only with their neighbours.
const COMPARED: usize = 100;
/// Most pairs in a manifest that are compared in addition to neighbours.
const PAIRS: usize = 100_000;

impl Manifest {
    /// Names two jobs that declare the same output while neither waits for the other; `None`: there are none. Where one waits for the
    /// other, it may continue the same file. Globs and folders (`out/`) are not compared: each job may have other files there.
    pub fn shared_output(&self) -> Option<String> {
        let mut writers: BTreeMap<PathBuf, Vec<u32>> = BTreeMap::new();
        for (at, job) in (0..).zip(&self.jobs) {
            let plain = |path: &&str| !path.contains(['*', '?', '[']) && !path.ends_with('/');
            for path in job.outputs.iter().map(|path| &**path).filter(plain) {
                let path = aris_fs::lexical(&self.cwd_of(job).join(path));
                let jobs = writers.entry(path).or_default();
                if jobs.last() != Some(&at) {
                    jobs.push(at);
                }
            }
        }
        let unordered = |two: &(u32, u32)| !self.waits(two.1, two.0) && !self.waits(two.0, two.1);
        let mut left = PAIRS;
        let id = |at: u32| &self.jobs[at as usize].id;
        writers.into_iter().find_map(|(path, jobs)| {
            let first = &jobs[..jobs.len().min(COMPARED)];
            let apart = (2..first.len()).flat_map(|by| first.iter().zip(&first[by..]));
            let apart: Vec<_> = apart.take(left).collect();
            left -= apart.len();
            let neighbours = jobs.iter().zip(jobs.iter().skip(1));
            let mut pairs = neighbours.chain(apart).map(|(one, other)| (*one, *other));
            let two = pairs.find(unordered)?;
            let others = match jobs.len() - 2 {
                0 => String::new(),
                more => format!(" ({more} more declare it)"),
            };
            Some(format!(
                "jobs {:?} and {:?} declare the same output {}{others}, and neither waits for the other: the file will hold what one of them wrote; give each a file of its own, or let one need the other",
                id(two.0),
                id(two.1),
                path.display()
            ))
        })
    }

    /// Whether `job` starts only after `other` is over.
    fn waits(&self, job: u32, other: u32) -> bool {
        let phase = |at: u32| self.jobs[at as usize].phase;
        let (mut open, mut seen, mut phases) = (vec![job], BTreeSet::new(), BTreeSet::new());
        while let Some(at) = open.pop() {
            let mut above = vec![phase(at)];
            while let Some(at) = above.pop() {
                for parent in &self.phases[at as usize].after {
                    if phases.insert(*parent) {
                        above.push(*parent);
                        let parent = &self.phases[*parent as usize];
                        open.extend(parent.first..parent.end);
                    }
                }
            }
            // Phases are few and usually decide, so their jobs need not be searched.
            let needs = &self.jobs[at as usize].needs;
            if phases.contains(&phase(other)) || needs.contains(&other) {
                return true;
            }
            open.extend(needs.iter().filter(|parent| seen.insert(**parent)));
        }
        false
    }
}
