//! Connections under way to one host in this process.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Counts the requests under way to each host.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    under_way: Mutex<BTreeMap<&'static str, usize>>,
    left: Condvar,
}

/// One request under way; dropped when it has ended.
#[derive(Debug)]
pub(crate) struct Permit<'a> {
    gate: &'a Gate,
    host: &'static str,
}

impl Gate {
    /// Waits until fewer than `limit` requests to `host` are under way. `None` when the deadline comes first.
    pub(crate) fn enter(
        &self,
        host: &'static str,
        limit: usize,
        deadline: Instant,
    ) -> Option<Permit<'_>> {
        let mut counts = self.counts();
        loop {
            let count = counts.entry(host).or_default();
            if *count < limit.max(1) {
                *count += 1;
                return Some(Permit { gate: self, host });
            }
            let time = deadline.saturating_duration_since(Instant::now());
            if time.is_zero() {
                return None;
            }
            counts = self
                .left
                .wait_timeout(counts, time)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    fn counts(&self) -> MutexGuard<'_, BTreeMap<&'static str, usize>> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if let Some(count) = self.gate.counts().get_mut(self.host) {
            *count = count.saturating_sub(1);
        }
        self.gate.left.notify_all();
    }
}
