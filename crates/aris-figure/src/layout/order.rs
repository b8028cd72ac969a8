//! The order of boxes in their layers: as few crossings as sweeps of barycentres find.

use crate::measures::ORDER_SWEEPS;

/// Boxes, and the places that long edges take in the layers between their ends.
pub(super) struct Graph {
    /// How much room each needs across. Stand-ins for edges come after the items.
    pub(super) across: Vec<f64>,
    pub(super) items: usize,
    pub(super) layer: Vec<usize>,
    pub(super) layers: Vec<Vec<usize>>,
    /// Neighbours in the layer before and in the layer after.
    pub(super) before: Vec<Vec<usize>>,
    pub(super) after: Vec<Vec<usize>>,
}

pub(super) fn order(graph: &mut Graph) {
    let mut best = graph.layers.clone();
    let mut least = crossings(graph);
    for sweep in 0..ORDER_SWEEPS {
        if least == 0 {
            break;
        }
        let count = graph.layers.len();
        for step in 1..count {
            let (layer, beside) = if sweep % 2 == 0 {
                (step, step - 1)
            } else {
                (count - 1 - step, count - step)
            };
            sort(graph, layer, beside);
        }
        let found = crossings(graph);
        if found < least {
            least = found;
            best.clone_from(&graph.layers);
        }
    }
    graph.layers = best;
}

/// Where each box stands in its layer.
fn places(graph: &Graph) -> Vec<usize> {
    let mut place = vec![0; graph.across.len()];
    for layer in &graph.layers {
        for (at, index) in layer.iter().enumerate() {
            place[*index] = at;
        }
    }
    place
}

/// Sorts a layer by the mean place of its neighbours in the layer beside; a box without neighbours keeps its place.
#[expect(clippy::cast_precision_loss, reason = "places in a layer")]
fn sort(graph: &mut Graph, layer: usize, beside: usize) {
    let place = places(graph);
    let mut keys: Vec<(f64, usize)> = graph.layers[layer]
        .iter()
        .enumerate()
        .map(|(at, index)| {
            let neighbours = if beside < layer {
                &graph.before[*index]
            } else {
                &graph.after[*index]
            };
            let sum: f64 = neighbours.iter().map(|other| place[*other] as f64).sum();
            let key = if neighbours.is_empty() {
                at as f64
            } else {
                sum / neighbours.len() as f64
            };
            (key, *index)
        })
        .collect();
    keys.sort_by(|one, two| one.0.total_cmp(&two.0));
    graph.layers[layer] = keys.into_iter().map(|(_, index)| index).collect();
}

/// How many edges cross, layer by layer. **Source**: inversions counted with a tree of sums.
fn crossings(graph: &Graph) -> usize {
    let place = places(graph);
    let mut total = 0;
    for layer in &graph.layers {
        let ends: Vec<usize> = layer
            .iter()
            .flat_map(|index| {
                let mut ends: Vec<usize> =
                    graph.after[*index].iter().map(|end| place[*end]).collect();
                ends.sort_unstable();
                ends
            })
            .collect();
        let size = ends.iter().max().map_or(0, |last| last + 1);
        let mut sums = vec![0_usize; size + 1];
        for (seen, end) in ends.iter().enumerate() {
            // Those seen so far that end at or before this place do not cross it.
            let mut at = end + 1;
            let mut below = 0;
            while at > 0 {
                below += sums[at];
                at -= at & at.wrapping_neg();
            }
            total += seen - below;
            let mut at = end + 1;
            while at <= size {
                sums[at] += 1;
                at += at & at.wrapping_neg();
            }
        }
    }
    total
}
