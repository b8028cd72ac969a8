//! Files, or other work on a list, dealt out to all processors.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Most workers: more of them only wait for the same disk.
const WORKERS: usize = 16;

/// Gives each item to one of several workers, each with its own state; every worker sees its items in ascending order.
///
/// Gives the states of all workers, in no particular order: whoever adds them up sorts.
pub fn in_parallel<T: Sync, S: Send>(
    items: &[T],
    start: impl Fn() -> S + Sync,
    step: impl Fn(&mut S, usize, &T) + Sync,
) -> Vec<S> {
    let workers = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(WORKERS)
        .min(items.len().max(1));
    let next = AtomicUsize::new(0);
    let work = || {
        let mut state = start();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            match items.get(index) {
                Some(item) => step(&mut state, index, item),
                None => return state,
            }
        }
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
        let mut states = vec![work()];
        for other in others {
            match other.join() {
                Ok(state) => states.push(state),
                // A fault of our own must not become a smaller count.
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        states
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_seen_once() {
        let items: Vec<usize> = (0..1000).collect();
        let mut seen: Vec<usize> = in_parallel(&items, Vec::new, |seen, index, item| {
            assert_eq!(index, *item);
            seen.push(index);
        })
        .concat();
        seen.sort_unstable();
        assert_eq!(seen, items);
        assert_eq!(in_parallel(&[], || 0, |_, _, (): &()| {}), [0]);
    }
}
