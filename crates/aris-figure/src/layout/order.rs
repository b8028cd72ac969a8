//! The order of boxes in their layers, with as few crossings as barycentre sweeps find.

use crate::measures::{ORDER_SWEEPS, ORDERED_TWICE};

/// Boxes, and stand-ins for long edges in the layers between their ends.
pub(super) struct Graph {
    /// The room that each needs across. Items come first, then the stand-ins.
    pub(super) across: Vec<f64>,
    /// Whether each is a stand-in of an edge that leads back.
    pub(super) leads_back: Vec<bool>,
    pub(super) items: usize,
    pub(super) layer: Vec<usize>,
    pub(super) layers: Vec<Vec<usize>>,
    /// Neighbours in the layer before and in the layer after.
    pub(super) before: Vec<Vec<usize>>,
    pub(super) after: Vec<Vec<usize>>,
}

pub(super) fn order(graph: &mut Graph) {
    let start = graph.layers.clone();
    let least = sweep(graph);
    let is_large = graph.across.len() > ORDERED_TWICE;
    if least == (0, 0) || is_large || !graph.leads_back.contains(&true) {
        return;
    }
    // Try again, beginning with the edges that skip boxes on one side and those that lead back on the other.
    let best = std::mem::replace(&mut graph.layers, start);
    for layer in &mut graph.layers {
        layer.sort_by_key(|index| match graph.leads_back[*index] {
            false if *index >= graph.items => 0,
            false => 1,
            true => 2,
        });
    }
    if sweep(graph) >= least {
        graph.layers = best;
    }
}

/// Orders the layers, beginning with their present order. Returns how many edges cross, and how many touch.
fn sweep(graph: &mut Graph) -> (usize, usize) {
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
    (least, touching(graph))
}

/// How often an edge that skips boxes ends beside one that leads back, where the arrow of one would lie on the other.
fn touching(graph: &Graph) -> usize {
    let place = places(graph);
    let ends = graph.before[..graph.items]
        .iter()
        .chain(&graph.after[..graph.items]);
    ends.map(|ends| {
        let mut ends = ends.clone();
        ends.sort_by_key(|end| place[*end]);
        let touch = |pair: &&[usize]| {
            pair.iter().all(|end| *end >= graph.items)
                && graph.leads_back[pair[0]] != graph.leads_back[pair[1]]
        };
        ends.windows(2).filter(touch).count()
    })
    .sum()
}

/// The position of each box in its layer.
pub(super) fn places(graph: &Graph) -> Vec<usize> {
    let mut place = vec![0; graph.across.len()];
    for layer in &graph.layers {
        for (at, index) in layer.iter().enumerate() {
            place[*index] = at;
        }
    }
    place
}

/// Sorts a layer by the mean position of its neighbours in the layer `beside`; a box without neighbours keeps its position.
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

/// How many edges cross between neighbouring layers. **Source**: inversions counted with a Fenwick tree.
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
            // Edges seen so far that end at or before this position do not cross it.
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
