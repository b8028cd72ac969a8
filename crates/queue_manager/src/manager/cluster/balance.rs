//! Shares the queue's limit among the waves, and ranks the waves by priority.
//!
//! A batch system limits the running tasks of each wave separately, if at all. So each wave gets a share of the queue's limit, and what a
//! wave no longer needs goes to the waves after it.

use std::collections::{BTreeMap, BTreeSet};

use aris_queue::state::Life;
use aris_slurm::{Wave, is_option};

use super::super::{Cards, Manager};
use super::{Cluster, class};

/// What each higher priority in the queue subtracts from Slurm's priority. **Source**: sbatch(1): the default of `--nice`.
const NICE: u32 = 100;
/// Most waves of one class that are submitted in one turn because their priorities differ; each is a separate call.
const BANDS: usize = 8;

impl Manager<'_> {
    /// Number of attempts that the batch system has, or may have, by the token of their wave.
    pub(super) fn open_by_wave(&self, cluster: &Cluster) -> BTreeMap<String, u32> {
        let mut open = BTreeMap::new();
        let tokens = self.queue.active().filter_map(|job| self.wave_of(job));
        for (token, _) in tokens {
            if self.queue.submission(token).is_some() || cluster.unclear.contains(token) {
                *open.entry(token.to_owned()).or_insert(0) += 1;
            }
        }
        open
    }

    /// Waves at the batch system with jobs that have not started: by token, the highest priority of those jobs, and the class.
    fn waiting(&self) -> BTreeMap<&str, (i32, Wave)> {
        let engine = self.queue.manifest().engine;
        let mut there = BTreeMap::new();
        for job in self.queue.active() {
            if self.queue.run(job).life != Life::Running
                && let Some((token, _)) = self.wave_of(job)
            {
                let job = self.queue.job(job);
                let priority = job.settings.priority;
                let new = || (priority, class(job, engine, &self.place().queue));
                let (best, _) = there.entry(token).or_insert_with(new);
                *best = priority.max(*best);
            }
        }
        there
    }

    /// Divides jobs, best first, into waves of one class, each with its highest priority. Slurm starts the tasks of one array in order, but
    /// ranks only whole arrays. So if several arrays compete, each has jobs of one priority, or of similar ones if there are many.
    pub(super) fn waves(&self, ready: Vec<(i32, Wave, u32)>) -> Vec<(i32, Wave, Vec<u32>)> {
        let one_class = ready.windows(2).all(|two| two[0].1 == two[1].1);
        let bands = if one_class && self.waiting().is_empty() {
            1
        } else {
            BANDS
        };
        let known: BTreeSet<i32> = ready.iter().map(|(priority, ..)| *priority).collect();
        let bands = bands.min(known.len());
        let band_of: BTreeMap<i32, usize> = known
            .iter()
            .enumerate()
            .map(|(at, priority)| (*priority, at * bands / known.len()))
            .collect();
        let mut waves: Vec<(i32, Wave, Vec<u32>)> = Vec::new();
        for (priority, class, job) in ready {
            let mut of_band = waves
                .iter_mut()
                .filter(|wave| band_of[&wave.0] == band_of[&priority]);
            match of_band.find(|wave| wave.1 == class) {
                Some((best, _, jobs)) => {
                    *best = priority.max(*best);
                    jobs.push(job);
                }
                None => waves.push((priority, class, vec![job])),
            }
        }
        waves
    }

    /// Ranks waves behind those with jobs of higher priority: new ones before they are submitted, and those that wait there already. A
    /// lower rank also puts a wave behind other people's jobs, so none is lowered where the order of submission is enough.
    pub(super) fn rank(&mut self, cluster: &mut Cluster, new: &mut [(i32, Wave, Vec<u32>)]) {
        let (queue, there) = (&self.queue, self.waiting());
        let known = there.values().map(|(priority, _)| *priority);
        let known: BTreeSet<i32> = known.chain(new.iter().map(|wave| wave.0)).collect();
        let enough = there.is_empty() && new.windows(2).all(|two| two[0].1 == two[1].1);
        let nice = |priority: i32, class: &Wave| {
            let own = |word: &String| is_option(word, "nice");
            if enough || class.options.extra().iter().any(own) {
                return 0;
            }
            let higher = known.iter().filter(|other| **other > priority).count();
            NICE.saturating_mul(u32::try_from(higher).unwrap_or(u32::MAX))
        };
        for (priority, wave, _) in new {
            wave.nice = nice(*priority, wave);
        }
        if Cards::now() < cluster.next_tell {
            return;
        }
        let told = there
            .into_iter()
            .try_for_each(|(token, (priority, class))| {
                let nice = nice(priority, &class);
                let told = cluster.nice.get(token).copied().unwrap_or(0);
                if let Some(number) = queue.submission(token).filter(|_| told != nice) {
                    cluster.engine.put_back(number, nice)?;
                    cluster.nice.insert(token.to_owned(), nice);
                }
                Ok(())
            });
        if let Err(error) = told {
            self.not_heard(cluster, &error);
            cluster.next_tell = cluster.next_ask;
        }
    }

    /// How many more attempts the queue's limit allows; `None`: no limit.
    pub(super) fn share_left(&self, cluster: &Cluster) -> Option<u32> {
        let limit = self.queue.max_parallel()?;
        let used = self.open_by_wave(cluster).into_iter().map(|(token, open)| {
            let throttle = cluster.throttles.get(&token).copied();
            throttle.map_or(open, |most| most.min(open))
        });
        Some(limit.saturating_sub(used.sum()))
    }

    /// Sends the shares that have changed to the batch system. A wave keeps at least one task for as long as it exists.
    pub(super) fn balance(&mut self, cluster: &mut Cluster) {
        if !cluster.engine.bounds_waves() || Cards::now() < cluster.next_tell {
            return;
        }
        let open = self.open_by_wave(cluster);
        cluster
            .throttles
            .retain(|token, _| open.contains_key(token));
        cluster.nice.retain(|token, _| open.contains_key(token));
        let limit = self.queue.max_parallel();
        if limit.is_none() && cluster.throttles.is_empty() {
            return;
        }
        let mut left = limit.unwrap_or(u32::MAX);
        let mut waves: Vec<(String, u32)> = open.into_iter().collect();
        // A token ends in a number that increases, so this is the order of submission.
        waves.sort_by_key(|(token, _)| (token.len(), token.clone()));
        for (token, open) in waves {
            let Some(number) = self.queue.submission(&token).map(str::to_owned) else {
                continue;
            };
            let share = open.min(left).max(1);
            left = left.saturating_sub(share);
            let told = cluster.throttles.get(&token).copied();
            // A share larger than the number of open tasks limits nothing.
            let same = told.is_some_and(|told| told.min(open) == share);
            if same || (told.is_none() && limit.is_none()) {
                continue;
            }
            match cluster.engine.throttle(&number, limit.map(|_| share)) {
                Ok(()) if limit.is_some() => {
                    cluster.throttles.insert(token, share);
                }
                Ok(()) => {
                    cluster.throttles.remove(&token);
                }
                Err(error) => {
                    self.not_heard(cluster, &error);
                    cluster.next_tell = cluster.next_ask;
                    return;
                }
            }
        }
    }
}
