//! Distributes files or other items to all processors.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Most workers; more would only wait for the same disk.
const WORKERS: usize = 16;

/// Number of processors available to this process; 1 if unknown.
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Distributes the items to several workers, each with its own state; every worker gets its items in ascending order.
///
/// Returns the states of all workers in no particular order, so callers that combine them must sort.
pub fn in_parallel<T: Sync, S: Send>(
    items: &[T],
    start: impl Fn() -> S + Sync,
    step: impl Fn(&mut S, usize, &T) + Sync,
) -> Vec<S> {
    on(processors().min(WORKERS), items, start, step)
}

/// Applies `work` to all items, `at_once` of them at a time; returns the results in the order of the items.
///
/// For work that waits for a server or another program, `at_once` may be the number of items.
pub fn map_in_parallel<T: Sync, R: Send>(
    at_once: usize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let mut done = on(at_once, items, Vec::new, |done, index, item| {
        done.push((index, work(item)));
    })
    .into_iter()
    .flatten()
    .collect::<Vec<_>>();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

fn on<T: Sync, S: Send>(
    workers: usize,
    items: &[T],
    start: impl Fn() -> S + Sync,
    step: impl Fn(&mut S, usize, &T) + Sync,
) -> Vec<S> {
    let workers = workers.min(items.len());
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
                // A bug in our own code must not become a smaller result.
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

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
        for at_once in [0, 1, 7, 2000] {
            assert_eq!(map_in_parallel(at_once, &items, |item| item * 2), doubled);
        }
        assert_eq!(map_in_parallel(3, &[], |(): &()| ()), []);
    }

    #[test]
    fn as_many_are_done_at_once_as_asked_for() {
        let all = std::sync::Barrier::new(4);
        // Each call waits for the other three: with fewer workers the test would not end.
        map_in_parallel(4, &[(); 4], |()| all.wait());
    }

    #[test]
    #[should_panic(expected = "item 3")]
    fn a_fault_in_one_is_a_fault_of_all() {
        map_in_parallel(2, &[1, 2, 3, 4], |item| assert!(*item != 3, "item {item}"));
    }
}
