//! How many tasks of each wave run at once, so that all waves together keep to the queue's limit.
//!
//! A batch system bounds each wave by itself, if at all. So each wave gets a share of the limit, and what a wave no longer needs goes to those after it.

use std::collections::BTreeMap;

use super::super::{Cards, Manager};
use super::Cluster;

impl Manager<'_> {
    /// Attempts that the batch system has, or may have, by the wave they are in.
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

    /// How many more attempts the queue's limit lets run; `None`: as many as one likes.
    pub(super) fn share_left(&self, cluster: &Cluster) -> Option<u32> {
        let limit = self.queue.max_parallel()?;
        let used = self.open_by_wave(cluster).into_iter().map(|(token, open)| {
            let throttle = cluster.throttles.get(&token).copied();
            throttle.map_or(open, |most| most.min(open))
        });
        Some(limit.saturating_sub(used.sum()))
    }

    /// Tells the batch system the shares that have changed. A wave keeps one task at least, as long as it is there.
    pub(super) fn balance(&mut self, cluster: &mut Cluster) {
        if !cluster.engine.bounds_waves() || Cards::now() < cluster.next_tell {
            return;
        }
        let open = self.open_by_wave(cluster);
        cluster
            .throttles
            .retain(|token, _| open.contains_key(token));
        let limit = self.queue.max_parallel();
        if limit.is_none() && cluster.throttles.is_empty() {
            return;
        }
        let mut left = limit.unwrap_or(u32::MAX);
        let mut waves: Vec<(String, u32)> = open.into_iter().collect();
        // The number at the end of a token counts up.
        waves.sort_by_key(|(token, _)| (token.len(), token.clone()));
        for (token, open) in waves {
            let Some(number) = self.queue.submission(&token).map(str::to_owned) else {
                continue;
            };
            let share = open.min(left).max(1);
            left = left.saturating_sub(share);
            let told = cluster.throttles.get(&token).copied();
            // A share larger than what is open bounds nothing.
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
