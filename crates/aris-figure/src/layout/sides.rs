//! Moves ends of long edges to the long sides of boxes.

use std::collections::BTreeMap;

use super::layers::{Item, Link};
use crate::geometry::Point;
use crate::measures::{CORNER, LANE, TURN};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum End {
    From,
    To,
}

/// Corners beside boxes for long edges. If one edge ends at a box with an arrow and the next one without, the arrow would lie on
/// the other; the outer ones then meet the box on its long side.
pub(super) fn beside_boxes(
    items: &[Item],
    links: &[Link],
    ways: &[Vec<Point>],
    centres: &[Point],
) -> BTreeMap<(usize, End), Point> {
    let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (index, (link, way)) in links.iter().zip(ways).enumerate() {
        let ends = [
            (End::From, link.from, way.first(), link.arrows[0]),
            (End::To, link.to, way.last(), link.arrows[1]),
        ];
        for (end, item, corner, arrow) in ends {
            let Some(corner) = corner else { continue };
            let (along, across) = (corner.x - centres[item].x, corner.y - centres[item].y);
            let room = across.abs() - items[item].across / 2.0;
            if items[item].is_node && room > 0.0 {
                let side = (item, along > 0.0, across > 0.0);
                let end = (room, arrow, (index, end));
                groups.entry(side).or_default().push(end);
            }
        }
    }
    let mut sides = BTreeMap::new();
    for ((item, is_after, is_below), mut ends) in groups {
        ends.sort_by(|one, other| one.0.total_cmp(&other.0));
        let differs = |pair: &[(f64, f64, _)]| (pair[0].1 > 0.0) != (pair[1].1 > 0.0);
        let Some(inner) = ends.windows(2).position(differs) else {
            continue;
        };
        let half = items[item].along / 2.0 - CORNER;
        // Beyond the middle if there is no other room.
        let lanes: f64 = ends[inner + 1..].iter().skip(1).map(|_| LANE).sum();
        let first = LANE / 2.0;
        let mut beside = if lanes > 2.0 * half {
            first
        } else {
            first.min(half - lanes)
        };
        for (room, arrow, end) in ends.drain(inner + 1..).rev() {
            if room >= arrow + TURN && beside <= half {
                let along = if is_after { beside } else { -beside };
                let across = items[item].across / 2.0 + room;
                let across = if is_below { across } else { -across };
                sides.insert(end, centres[item] + (along, across));
            }
            beside += LANE;
        }
    }
    sides
}
