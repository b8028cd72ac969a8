//! Limits the concurrent connections of this process to one host.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

type Counts = BTreeMap<&'static str, usize>;

/// Counts the current requests to each host.
#[derive(Default)]
pub(crate) struct Gate {
    under_way: Mutex<Counts>,
    left: Condvar,
}

/// One current request; dropped when it has ended.
pub(crate) struct Permit<'a>(&'a Gate, &'static str);

impl Gate {
    /// Waits until fewer than `limit` requests to `host` are running. `None` when the deadline comes first.
    pub(crate) fn enter(
        &self,
        host: &'static str,
        limit: usize,
        deadline: Instant,
    ) -> Option<Permit<'_>> {
        let time = deadline.saturating_duration_since(Instant::now());
        let counts = self.under_way.lock();
        let counts = counts.unwrap_or_else(PoisonError::into_inner);
        let full = |counts: &mut Counts| *counts.entry(host).or_default() >= limit.max(1);
        let entered = self.left.wait_timeout_while(counts, time, full);
        let (mut counts, waited) = entered.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return None;
        }
        *counts.entry(host).or_default() += 1;
        Some(Permit(self, host))
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let counts = self.0.under_way.lock();
        let mut counts = counts.unwrap_or_else(PoisonError::into_inner);
        counts.entry(self.1).and_modify(|count| *count -= 1);
        self.0.left.notify_all();
    }
}
