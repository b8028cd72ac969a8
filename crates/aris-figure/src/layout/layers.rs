//! One level of a layout: boxes in layers. Sizes and positions are given along the layers' direction and across it.

use std::collections::{BTreeMap, BTreeSet};

use super::coordinates;
use super::order::{Graph, order, places};
use super::sides::{End, beside_boxes};
use crate::geometry::{Point, direction, span};
use crate::measures::{
    ARROW_ROOM, CORNER, LABEL_GAP, LANE, LEANS, LEFT_OUT, STAND_INS, STRAIGHT, TRACK, TURN,
};
use crate::spec::Layout;

/// A box.
#[derive(Debug)]
pub(super) struct Item {
    /// Whether it is a node, at whose centre edges end, and not a group.
    pub(super) is_node: bool,
    pub(super) along: f64,
    pub(super) across: f64,
}

/// An edge between two different boxes.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Size of its label, along and across; 0 without one.
    pub(super) label: Point,
    /// The room that its arrows need at the start and at the end; 0 without an arrow.
    pub(super) arrows: [f64; 2],
    /// Index of the edge in the figure.
    pub(super) edge: usize,
    /// Whether it is neither curved nor has corners of its own.
    pub(super) is_straight: bool,
}

/// Start and end of an edge.
type Pair = (usize, usize);

#[derive(Debug, Default)]
pub(super) struct Flat {
    pub(super) along: f64,
    pub(super) across: f64,
    pub(super) centres: Vec<Point>,
    pub(super) points: Vec<(usize, Vec<Point>)>,
}

pub(super) fn layered(items: &[Item], links: &[Link], layout: Layout, beside: f64) -> Flat {
    if items.is_empty() {
        return Flat::default();
    }
    let mut pairs: Vec<Pair> = links.iter().map(|link| (link.from, link.to)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let forward = without_cycles(items.len(), &pairs);
    let layer = longest_paths(items.len(), &forward);
    let lanes = lanes(items, links);
    let (mut graph, chains) = graph(items, links, layer, (&pairs, &forward), &lanes);
    order(&mut graph);
    let across = coordinates::across(&graph, layout.node_gap, beside);

    // Along the layers: each is as thick as its thickest box, and the gaps have room for labels.
    let count = graph.layers.len();
    let mut thick = vec![0.0_f64; count];
    for (item, layer) in items.iter().zip(&graph.layer) {
        thick[*layer] = thick[*layer].max(item.along);
    }
    let gaps = gaps(&graph, links, &forward, &lanes, layout);
    let mut starts = Vec::with_capacity(count);
    let mut along = 0.0;
    for (thick, gap) in thick.iter().zip(&gaps) {
        starts.push(along);
        along += thick + gap;
    }
    let sides = across.iter().zip(&graph.across);
    let (low, high) = sides.fold((f64::MAX, f64::MIN), |(low, high), (at, size)| {
        (low.min(at - size / 2.0), high.max(at + size / 2.0))
    });
    let middle = |layer: usize| starts[layer] + thick[layer] / 2.0;
    let centres: Vec<Point> = (0..items.len())
        .map(|item| Point::new(middle(graph.layer[item]), across[item] - low))
        .collect();
    // Whether another box, or an edge that passes the layer, lies between a box and a position across.
    let place = places(&graph);
    let is_taken = |item: usize, to: f64| {
        let by = to - centres[item].y;
        let beside = if by > 0.0 {
            place[item].checked_add(1)
        } else {
            place[item].checked_sub(1)
        };
        let other = beside.and_then(|at| graph.layers[graph.layer[item]].get(at));
        other.is_some_and(|other| {
            (across[*other] - across[item]).abs() - graph.across[*other] / 2.0 < by.abs()
        })
    };
    // Whether the line from a box to `next` would run along its neighbours; for a long edge, only if something lies in its way.
    let steep = |item: usize, next: Point, is_long: bool| {
        let along = (next.x - centres[item].x).abs() * items[item].across;
        let across = (next.y - centres[item].y).abs() * items[item].along;
        let has_neighbours = graph.layers[graph.layer[item]].len() > 1;
        across > along && has_neighbours && (!is_long || is_taken(item, next.y))
    };
    // The point at which an edge to `next` leaves the layer of a box. It is the box's side if the layer has no room for an arrow
    // beyond it.
    let door = |item: usize, next: Point, beside: f64| {
        let centre = centres[item];
        let room = (items[item].across / 2.0 - CORNER).max(0.0);
        let (own, layer) = (items[item].along, thick[graph.layer[item]]);
        let half = if layer - own < 2.0 * ARROW_ROOM {
            own
        } else {
            layer
        } / 2.0;
        let half = half.copysign(next.x - centre.x);
        items[item]
            .is_node
            .then(|| centre + (half, beside.clamp(-room, room)))
    };
    // The same, with room for an arrow that would otherwise lie in the box because the edge runs along its side. It is beside the
    // middle, where straight edges begin and end.
    let port = |item: usize, door: Point, next: Point, arrow: f64| {
        let (along, across) = (next.x - door.x, next.y - door.y);
        let has_room = (door.x - centres[item].x).abs() >= items[item].along / 2.0 + arrow;
        if has_room || along.abs() * 2.0 > across.abs() {
            return door;
        }
        let beside = (items[item].across / 2.0 - CORNER).clamp(0.0, LANE);
        let beside = beside.copysign(across);
        let out = centres[item].x + (items[item].along / 2.0 + arrow).copysign(along);
        Point::new(out, door.y + beside)
    };
    let ways: Vec<Vec<Point>> = links
        .iter()
        .zip(&lanes)
        .map(|(link, lane)| {
            let chain = |from, to| chains.get(&(from, to));
            let (chain, back) = match (chain(link.from, link.to), chain(link.to, link.from)) {
                (Some(chain), _) => (chain.as_slice(), false),
                (None, Some(chain)) => (chain.as_slice(), true),
                (None, None) => (&[][..], false),
            };
            let places = chain.iter().map(|stand_in| across[*stand_in]).collect();
            let mut points: Vec<Point> = chain
                .iter()
                .zip(upright(places))
                .flat_map(|(stand_in, place)| {
                    let layer = graph.layer[*stand_in];
                    let across = place - low + lane.beside;
                    // Straight through the layer, so that the line does not cut a neighbour's corner.
                    [starts[layer], starts[layer] + thick[layer]]
                        .map(|along| Point::new(along, across))
                })
                .collect();
            if back {
                points.reverse();
            }
            points
        })
        .collect();
    let beside = beside_boxes(items, links, &ways, &centres);
    let points = links
        .iter()
        .zip(&lanes)
        .zip(ways)
        .enumerate()
        .filter_map(|(index, ((link, lane), mut points))| {
            let (from, to) = (centres[link.from], centres[link.to]);
            let ends = (
                *points.first().unwrap_or(&to),
                *points.last().unwrap_or(&from),
            );
            let is_long = !points.is_empty();
            let free = |end, item| {
                let at: &Point = beside.get(&(index, end))?;
                (!is_taken(item, at.y)).then_some(*at)
            };
            let (first, last) = (free(End::From, link.from), free(End::To, link.to));
            if first.is_some() || last.is_some() {
                points.splice(..0, first);
                points.extend(last);
            } else if steep(link.from, ends.0, is_long) || steep(link.to, ends.1, is_long) {
                // Long edges already run side by side.
                let beside = if is_long { 0.0 } else { lane.beside };
                let doors = (
                    door(link.from, ends.0, beside),
                    door(link.to, ends.1, beside),
                );
                let first = points.first().copied().or(doors.1).unwrap_or(to);
                let last = points.last().copied().or(doors.0).unwrap_or(from);
                let first = doors.0.map(|at| port(link.from, at, first, link.arrows[0]));
                let last = doors.1.map(|at| port(link.to, at, last, link.arrows[1]));
                points.splice(..0, first);
                points.extend(last);
            }
            if points.is_empty() && lane.beside != 0.0 {
                // Straight from side to side if the sides are long enough, else out to the lane and back.
                let length = (to.x - from.x).abs().max(1.0);
                let half = |item: usize| items[item].along / 2.0 / length;
                let share = |item: usize, arrow: f64| {
                    let room = ARROW_ROOM.max(arrow) * 1.5;
                    (half(item) + room / length).min(0.5)
                };
                let shares = if lane.is_outer {
                    vec![
                        share(link.from, link.arrows[0]),
                        1.0 - share(link.to, link.arrows[1]),
                    ]
                } else {
                    // Halfway between the two boxes.
                    vec![0.5 + (half(link.from) - half(link.to)) / 2.0]
                };
                let beside = |share| from.lerp(to, share) + (0.0, lane.beside);
                points.extend(shares.into_iter().map(beside));
            }
            let points = simplified(from, &points, to);
            (!points.is_empty()).then_some((link.edge, points))
        })
        .collect();
    Flat {
        along: along - gaps.last().copied().unwrap_or(0.0),
        across: high - low,
        centres,
        points,
    }
}

/// The gap after each layer: that of the file, or more if labels, arrows or turning edges need it.
fn gaps(
    graph: &Graph,
    links: &[Link],
    forward: &[Pair],
    lanes: &[Lane],
    layout: Layout,
) -> Vec<f64> {
    let count = graph.layers.len();
    // Room for arrows at the beginning and at the end of each gap.
    let least = if layout.is_orthogonal {
        ARROW_ROOM
    } else {
        0.0
    };
    let mut arrows = vec![(least, least); count];
    for link in links {
        let (one, two) = (graph.layer[link.from], graph.layer[link.to]);
        let [first, last] = if one < two {
            link.arrows
        } else {
            [link.arrows[1], link.arrows[0]]
        };
        let before = &mut arrows[one.min(two)].0;
        *before = before.max(first);
        let after = &mut arrows[one.max(two).saturating_sub(1)].1;
        *after = after.max(last);
    }
    let mut turns = vec![TURN; count];
    if layout.is_orthogonal {
        // Edges turn between layers; edges that share no box need separate lines.
        let mut ends = vec![(BTreeSet::new(), BTreeSet::new()); count];
        for (from, to) in forward {
            for (starts, stops) in &mut ends[graph.layer[*from]..graph.layer[*to]] {
                starts.insert(from);
                stops.insert(to);
            }
        }
        for (turn, (from, to)) in turns.iter_mut().zip(ends) {
            *turn = from.iter().zip(&to).skip(1).map(|_| TRACK).sum();
        }
    }
    let sides = arrows.iter().zip(turns);
    let mut gaps: Vec<f64> = sides
        .map(|((before, after), turn)| layout.layer_gap.max(before + after + turn))
        .collect();
    for (link, lane) in links.iter().zip(lanes) {
        let (one, two) = (graph.layer[link.from], graph.layer[link.to]);
        if one.abs_diff(two) != 1 {
            continue;
        }
        let arrow = link.arrows[0].max(link.arrows[1]);
        let needs = if lane.is_outer {
            link.label.x + 4.0 * ARROW_ROOM.max(arrow)
        } else if link.label.x > 0.0 {
            // The label, and on each side room for an arrow.
            link.label.x + 2.0 * ARROW_ROOM.max(arrow)
        } else if lane.beside != 0.0 {
            // A corner in the middle of the gap.
            2.0 * (arrow + TURN)
        } else {
            0.0
        };
        let gap = &mut gaps[one.min(two)];
        *gap = gap.max(needs);
    }
    gaps
}

/// Positions along a way; consecutive ones that hardly differ become equal.
fn upright(mut places: Vec<f64>) -> Vec<f64> {
    for run in places.chunk_by_mut(|one, other| (one - other).abs() < LEANS) {
        let (low, high) = span(run.iter().copied());
        if high - low < LEANS {
            run.fill(f64::midpoint(low, high));
        }
    }
    places
}

fn simplified(from: Point, points: &[Point], to: Point) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::with_capacity(points.len());
    let mut first_left_out = 0;
    for (index, point) in points.iter().enumerate() {
        let before = kept.last().copied().unwrap_or(from);
        let after = points.get(index + 1).copied().unwrap_or(to);
        let along = direction(before, after);
        let near = |point: &Point| {
            ((point.x - before.x) * along.y - (point.y - before.y) * along.x).abs() < STRAIGHT
        };
        let left_out = &points[first_left_out..=index];
        if left_out.len() > LEFT_OUT || !left_out.iter().all(near) {
            kept.push(*point);
            first_left_out = index + 1;
        }
    }
    kept
}

/// The pairs without cycles: some are reversed. Reverses the pairs that lead back in the order of the file if they are no more
/// than those that a depth-first search reverses, because people usually write things in their order.
fn without_cycles(count: usize, pairs: &[Pair]) -> Vec<Pair> {
    let searched = searched(count, pairs);
    let turned = |forward: &[Pair]| {
        let kept = pairs
            .iter()
            .filter(|pair| forward.binary_search(pair).is_ok());
        pairs.len() - kept.count()
    };
    // If nothing is reversed, there is no cycle.
    let least = turned(&searched);
    if least == 0 {
        return searched;
    }
    let mut written: Vec<Pair> = pairs
        .iter()
        .map(|(from, to)| (*from.min(to), *from.max(to)))
        .collect();
    written.sort_unstable();
    written.dedup();
    if turned(&written) <= least {
        written
    } else {
        searched
    }
}

/// Reverses the pairs that close a cycle in a search. **Source**: depth first, in the order of the file.
fn searched(count: usize, pairs: &[Pair]) -> Vec<Pair> {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut after = vec![Vec::new(); count];
    for (from, to) in pairs {
        after[*from].push(*to);
    }
    let mut has_source = vec![false; count];
    for (_, to) in pairs {
        has_source[*to] = true;
    }
    // Nodes without predecessors come first, then the order of the file.
    let mut roots: Vec<usize> = (0..count).collect();
    roots.sort_by_key(|node| (has_source[*node], *node));
    let mut state = vec![State::New; count];
    let mut forward = Vec::with_capacity(pairs.len());
    for root in roots {
        if state[root] != State::New {
            continue;
        }
        state[root] = State::Open;
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let node = *node;
            let Some(target) = after[node].get(*next).copied() else {
                state[node] = State::Done;
                stack.pop();
                continue;
            };
            *next += 1;
            if state[target] == State::Open {
                forward.push((target, node));
            } else {
                forward.push((node, target));
                if state[target] == State::New {
                    state[target] = State::Open;
                    stack.push((target, 0));
                }
            }
        }
    }
    forward.sort_unstable();
    forward.dedup();
    forward
}

/// The layer of each item: one more than its last predecessor's; items without predecessors come just before their first
/// successor.
fn longest_paths(count: usize, forward: &[Pair]) -> Vec<usize> {
    let mut after = vec![Vec::new(); count];
    let mut waiting = vec![0_usize; count];
    for (from, to) in forward {
        after[*from].push(*to);
        waiting[*to] += 1;
    }
    let sources: Vec<usize> = (0..count).filter(|node| waiting[*node] == 0).collect();
    let mut layer = vec![0; count];
    let mut ready = sources.clone();
    while let Some(node) = ready.pop() {
        for target in &after[node] {
            layer[*target] = layer[*target].max(layer[node] + 1);
            waiting[*target] -= 1;
            if waiting[*target] == 0 {
                ready.push(*target);
            }
        }
    }
    for source in sources {
        if let Some(first) = after[source].iter().map(|target| layer[*target]).min() {
            layer[source] = first - 1;
        }
    }
    layer
}

/// The lane of one of several edges between the same two boxes.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    /// Distance from the middle.
    beside: f64,
    /// The room that all lanes need across.
    room: f64,
    /// Whether it lies beyond the side of one of the boxes.
    is_outer: bool,
}

/// The lane of each link: side by side if several join the same two nodes.
fn lanes(items: &[Item], links: &[Link]) -> Vec<Lane> {
    let mut bundles: BTreeMap<Pair, Vec<usize>> = BTreeMap::new();
    for (index, link) in links.iter().enumerate() {
        let ends = (link.from.min(link.to), link.from.max(link.to));
        bundles.entry(ends).or_default().push(index);
    }
    let mut lanes = vec![Lane::default(); links.len()];
    for ((one, two), bundle) in bundles {
        let straight = bundle.iter().all(|link| links[*link].is_straight);
        if bundle.len() < 2 || !straight || !items[one].is_node || !items[two].is_node {
            continue;
        }
        let widest = bundle.iter().map(|link| links[*link].label.y);
        let widest = widest.fold(0.0, f64::max);
        let step = (widest + LABEL_GAP).max(LANE);
        let mut beside = -step * bundle[1..].iter().map(|_| 0.5).sum::<f64>();
        let room = widest - 2.0 * beside;
        let side = items[one].across.min(items[two].across) / 2.0 - CORNER;
        for link in bundle {
            let is_outer = beside.abs() >= side;
            lanes[link] = Lane {
                beside,
                room,
                is_outer,
            };
            beside += step;
        }
    }
    lanes
}

type Chains = BTreeMap<Pair, Vec<usize>>;

/// The graph with stand-ins wherever an edge passes a layer, and the stand-ins of each pair.
fn graph(
    items: &[Item],
    links: &[Link],
    layer: Vec<usize>,
    (pairs, forward): (&[Pair], &[Pair]),
    lanes: &[Lane],
) -> (Graph, Chains) {
    let mut room: BTreeMap<Pair, f64> = BTreeMap::new();
    for (link, lane) in links.iter().zip(lanes) {
        room.insert((link.from, link.to), lane.room);
        room.insert((link.to, link.from), lane.room);
    }
    let mut graph = Graph {
        across: room_across(items, links, lanes),
        leads_back: vec![false; items.len()],
        items: items.len(),
        layers: vec![Vec::new(); layer.iter().max().map_or(0, |last| last + 1)],
        before: vec![Vec::new(); items.len()],
        after: vec![Vec::new(); items.len()],
        layer,
    };
    let mut chains = Chains::new();
    for (from, to) in forward {
        let (first, last) = (graph.layer[*from], graph.layer[*to]);
        let leads_back = pairs.binary_search(&(*from, *to)).is_err();
        let mut here = *from;
        let mut chain = Vec::new();
        if graph.across.len() + last - first - 1 <= items.len() + STAND_INS {
            for layer in first + 1..last {
                let stand_in = graph.across.len();
                graph
                    .across
                    .push(room.get(&(*from, *to)).copied().unwrap_or(0.0));
                graph.leads_back.push(leads_back);
                graph.layer.push(layer);
                graph.before.push(vec![here]);
                graph.after.push(Vec::new());
                graph.after[here].push(stand_in);
                chain.push(stand_in);
                here = stand_in;
            }
            graph.after[here].push(*to);
            graph.before[*to].push(here);
        }
        if !chain.is_empty() {
            chains.insert((*from, *to), chain);
        }
    }
    for (index, layer) in graph.layer.iter().enumerate() {
        graph.layers[*layer].push(index);
    }
    (graph, chains)
}

/// The room that each item needs across: its size, and that of the labels of edges that fan out, which stand halfway.
fn room_across(items: &[Item], links: &[Link], lanes: &[Lane]) -> Vec<f64> {
    let mut room: Vec<f64> = items.iter().map(|item| item.across).collect();
    let (mut out, mut into) = (vec![0; items.len()], vec![0; items.len()]);
    for link in links {
        out[link.from] += 1;
        into[link.to] += 1;
    }
    for (link, lane) in links.iter().zip(lanes) {
        room[link.from] = room[link.from].max(lane.room);
        room[link.to] = room[link.to].max(lane.room);
        let fans = |count: i32| if count > 1 { 2.0 } else { 1.0 };
        let (from, to) = (&out[link.from], &into[link.to]);
        room[link.to] = room[link.to].max(link.label.y * fans(*from));
        room[link.from] = room[link.from].max(link.label.y * fans(*to));
    }
    room
}
