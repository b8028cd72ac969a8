//! Positions across the layers: each box as near to the middle of its neighbours as order and room allow.

use super::order::Graph;
use crate::measures::{PASSING, PLACE_SWEEPS, PULL_BOXES, PULL_STAND_INS, STRAIGHTEN_SWEEPS};

/// Computes the position of every box and stand-in. `gap`: room between boxes; `beside`: most room between a box and a passing
/// edge.
pub(super) fn across(graph: &Graph, gap: f64, beside: f64) -> Vec<f64> {
    let mut place = vec![0.0; graph.across.len()];
    for layer in &graph.layers {
        let offsets = offsets(graph, layer, (gap, beside));
        let middle = offsets.last().copied().unwrap_or(0.0) / 2.0;
        for (index, offset) in layer.iter().zip(offsets) {
            place[*index] = offset - middle;
        }
    }
    let count = graph.layers.len();
    // Forwards, then backwards.
    let layers = |sweep: usize| {
        let back = !sweep.is_multiple_of(2);
        (0..count).map(move |step| if back { count - 1 - step } else { step })
    };
    for sweep in 0..PLACE_SWEEPS {
        for layer in layers(sweep) {
            settle(graph, layer, Sweep::All(sweep), (gap, beside), &mut place);
        }
    }
    for sweep in 0..STRAIGHTEN_SWEEPS {
        for layer in layers(sweep) {
            settle(graph, layer, Sweep::StandIns, (gap, beside), &mut place);
        }
    }
    place
}

#[derive(Clone, Copy)]
enum Sweep {
    /// Forwards if even, backwards if odd.
    All(usize),
    StandIns,
}

/// The smallest distance of each box in a layer from the first one.
fn offsets(graph: &Graph, layer: &[usize], (gap, beside): (f64, f64)) -> Vec<f64> {
    let mut at = 0.0;
    let mut before: Option<usize> = None;
    layer
        .iter()
        .map(|index| {
            if let Some(before) = before {
                let edges = usize::from(before >= graph.items) + usize::from(*index >= graph.items);
                let room = match edges {
                    0 => gap,
                    1 => gap.min(beside),
                    _ => PASSING,
                };
                at += f64::midpoint(graph.across[before], graph.across[*index]) + room;
            }
            before = Some(*index);
            at
        })
        .collect()
}

/// Moves the boxes of a layer towards their neighbours. **Source**: least squares under a fixed order, by pooling neighbours that
/// would swap.
fn settle(graph: &Graph, layer: usize, sweep: Sweep, gaps: (f64, f64), place: &mut [f64]) {
    let layer = &graph.layers[layer];
    let offsets = offsets(graph, layer, gaps);
    let nothing = Vec::new();
    // A pool of boxes: the sum of weighted wishes, the sum of weights, the number of boxes.
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (index, offset) in layer.iter().zip(&offsets) {
        let (before, after) = (&graph.before[*index], &graph.after[*index]);
        let passes = |index: usize| index >= graph.items;
        // Boxes look in one direction, so that chains become straight; stand-ins of long edges look in both.
        let (before, after) = match sweep {
            _ if passes(*index) || before.is_empty() || after.is_empty() => (before, after),
            Sweep::All(sweep) if sweep % 2 == 0 => (before, &nothing),
            Sweep::All(_) => (&nothing, after),
            Sweep::StandIns => (&nothing, &nothing),
        };
        let (mut sum, mut weight) = (0.0, 0.0);
        // A box lines up with neighbouring boxes; long edges count only if it has none.
        let has_boxes = before.iter().chain(after).any(|other| !passes(*other));
        for other in before.iter().chain(after) {
            if has_boxes && !passes(*index) && passes(*other) {
                continue;
            }
            // Straight edges between boxes have priority, then straight long edges.
            let pull = match (passes(*other), passes(*index)) {
                (true, true) => PULL_STAND_INS,
                (false, false) => PULL_BOXES,
                _ => 1.0,
            };
            sum += pull * place[*other];
            weight += pull;
        }
        if !passes(*index) && matches!(sweep, Sweep::StandIns) {
            // Practically fixed.
            (sum, weight) = (place[*index] * 1e6, 1e6);
        } else if weight == 0.0 {
            (sum, weight) = (place[*index] * 0.1, 0.1);
        }
        let mut pool = (sum - offset * weight, weight, 1);
        while let Some(last) = pools.last()
            && last.0 / last.1 >= pool.0 / pool.1
        {
            pool = (last.0 + pool.0, last.1 + pool.1, last.2 + pool.2);
            pools.pop();
        }
        pools.push(pool);
    }
    let starts = pools
        .iter()
        .flat_map(|(sum, weight, count)| std::iter::repeat_n(sum / weight, *count));
    for ((index, offset), start) in layer.iter().zip(&offsets).zip(starts) {
        place[*index] = start + offset;
    }
}
