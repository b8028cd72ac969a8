//! What is certain at a step, whichever way the run came there.

use std::collections::VecDeque;

use bit_set::BitSet;

/// An edge, with what is certain after it; the caller numbers what may be certain.
pub(super) struct Way {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) holds: Vec<usize>,
}

/// The ways that leave each step.
pub(super) fn leaving(steps: usize, ways: &[Way]) -> Vec<Vec<&Way>> {
    let mut leaving = vec![Vec::new(); steps];
    for way in ways {
        leaving[way.from].push(way);
    }
    leaving
}

/// What is certain before each step, on all paths from the first one; `None` for steps that cannot be reached.
pub(super) fn certain(leaving: &[Vec<&Way>]) -> Vec<Option<BitSet>> {
    let mut known: Vec<Option<BitSet>> = vec![None; leaving.len()];
    let Some(first) = known.first_mut() else {
        return known;
    };
    *first = Some(BitSet::new());
    let mut open = VecDeque::from([0]);
    let mut queued = vec![false; leaving.len()];
    while let Some(at) = open.pop_front() {
        queued[at] = false;
        for way in &leaving[at] {
            let Some(mut there) = known[at].clone() else {
                continue;
            };
            there.extend(way.holds.iter().copied());
            let before = known[way.to].as_ref().map(BitSet::len);
            match &mut known[way.to] {
                Some(known) => known.intersect_with(&there),
                unknown => *unknown = Some(there),
            }
            let changed = known[way.to].as_ref().map(BitSet::len) != before;
            if changed && !std::mem::replace(&mut queued[way.to], true) {
                open.push_back(way.to);
            }
        }
    }
    known
}
