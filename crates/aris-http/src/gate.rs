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
        let time = deadline.saturating_duration_since(Instant::now());
        let full = |counts: &mut BTreeMap<_, usize>| {
            counts.get(host).is_some_and(|count| *count >= limit.max(1))
        };
        let entered = self.left.wait_timeout_while(self.counts(), time, full);
        let (mut counts, waited) = entered.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return None;
        }
        *counts.entry(host).or_default() += 1;
        Some(Permit { gate: self, host })
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
