//! Every length, weight and limit of the layout and of the ways of edges and labels. Lengths are units of the canvas.
//!
//! A change is judged by the crossings, bends and overlaps that `cargo xtask figures` prints for the gallery and for generated figures.

use crate::geometry::Point;

// Boxes.

/// Width and height of a node without its own. **Source**: the reference's renderer.
pub(crate) const BOX: (f64, f64) = (120.0, 50.0);
/// Room between text and the middle of a border that is 2 wide.
pub(crate) const TEXT_ROOM: Point = Point::new(3.0, 1.5);
/// What a box that grows with its text has in addition.
pub(crate) const EASE: f64 = 8.0;
/// Radius of round corners.
pub(crate) const CORNER: f64 = 8.0;
/// Half the height of a cylinder's ends, and how far a document's wave goes.
pub(crate) const CAP: f64 = 6.0;
/// Radius of a person's head.
pub(crate) const HEAD: f64 = 11.0;

// Canvas and frames.

/// Width and height of a canvas without its own on which the file places the nodes. **Source**: the reference's renderer.
pub(crate) const CANVAS: (f64, f64) = (800.0, 400.0);
/// Room between what is drawn and the border of a canvas that a layout makes.
pub(crate) const MARGIN: f64 = 20.0;
/// Room between a group's frame and its nodes. **Source**: the reference's renderer.
pub(crate) const PADDING: f64 = 20.0;

/// Half of the border of a frame.
pub(crate) const FRAME_BORDER: f64 = 0.5;

// Arrows and lines.

/// Length and width of an arrow. **Unit**: the edge's thickness. **Source**: the reference's markers.
pub(crate) const ARROW: f64 = 8.0;
/// The most of an edge, or of its last piece, that its arrow takes.
pub(crate) const ARROW_SHARE: f64 = 0.8;
/// What an arrow needs beyond that, for the border of the box and because places are rounded.
pub(crate) const ARROW_EASE: f64 = 2.0;
/// What an arrow of the usual thickness, 2, needs.
pub(crate) const ARROW_ROOM: f64 = 2.0 * ARROW / ARROW_SHARE + ARROW_EASE;
/// How far from a corner a way with corners begins to turn.
pub(crate) const TURN: f64 = 8.0;
/// A corner no farther than this from where the edge begins or ends is that place: places are rounded.
pub(crate) const AT_OUTLINE: f64 = 2.0;
/// How far a curved edge's control point lies beside its middle. **Source**: the reference's renderer.
pub(crate) const BEND: f64 = 30.0;
/// Half the width of a loop above its node. **Source**: the reference's renderer.
pub(crate) const LOOP: f64 = 25.0;
/// How far a loop beside its node leads from it.
pub(crate) const LOOP_BESIDE: f64 = 30.0;

// Layers.

/// Room between neighbours in a layer, where the file says nothing.
pub(crate) const NODE_GAP: f64 = 30.0;
/// Room between layers, where the file says nothing.
pub(crate) const LAYER_GAP: f64 = 50.0;
/// The least room between edges that join the same two nodes.
pub(crate) const LANE: f64 = 18.0;
/// Room between the labels of such edges.
pub(crate) const LABEL_GAP: f64 = 6.0;
/// Room between two edges that pass a layer side by side.
pub(crate) const PASSING: f64 = 14.0;
/// Places along a way that all differ by less are one: a line that leans so little looks like a mistake.
pub(crate) const LEANS: f64 = 3.0;
/// A corner is left out when no other that is left out with it is farther than this from the line without it.
pub(crate) const STRAIGHT: f64 = 1.5;
/// How many corners in a row are left out.
pub(crate) const LEFT_OUT: usize = 16;

/// How strongly an edge from box to box pulls its ends in line, compared with one from a box to the stand-in of a long edge.
pub(crate) const PULL_BOXES: f64 = 40_000.0;
/// The same between two stand-ins.
pub(crate) const PULL_STAND_INS: f64 = 400.0;

/// Sweeps that order the boxes of layers. More change nothing in ordinary figures.
pub(crate) const ORDER_SWEEPS: usize = 12;
/// With more boxes and stand-ins than this, edges that lead back get no side of their own.
pub(crate) const ORDERED_TWICE: usize = 2_000;
/// Sweeps forth and back that place them; places move little after some. The last is forth: boxes stand under what leads to them.
pub(crate) const PLACE_SWEEPS: usize = 25;
/// Sweeps after them that move the stand-ins of long edges only.
pub(crate) const STRAIGHTEN_SWEEPS: usize = 30;

/// How many nodes without a place a figure may have.
pub(crate) const PLACED_NODES: usize = 5_000;
/// How many groups a figure with such nodes may have.
pub(crate) const PLACED_GROUPS: usize = 100;
/// How many stand-ins long edges may have in all; beyond that they run straight.
pub(crate) const STAND_INS: usize = 20_000;

// Ways round boxes.

/// How far a way keeps from the nodes that it goes round.
pub(crate) const CLEAR: f64 = 14.0;
/// What a corner of such a way costs. **Unit**: length.
pub(crate) const DETOUR_CORNER: f64 = 20.0;
/// In figures with more nodes, edges are led round nothing.
pub(crate) const DETOUR_NODES: usize = 120;

// Ways of right angles.

/// How near a way may come to a node that is none of its own.
pub(crate) const KEEP: f64 = 5.0;
/// Room between ways side by side.
pub(crate) const TRACK: f64 = 12.0;
/// Lines for ways are no nearer to each other than this.
pub(crate) const LINES: f64 = 6.0;
/// Ways nearer to each other than this are not told apart, as an arrow of one covers the other.
pub(crate) const SAME_LINE: f64 = 10.0;
/// What a corner costs. **Unit**: length; so are the others.
pub(crate) const SQUARE_CORNER: f64 = 40.0;
/// What it costs to cross another edge, or a frame.
pub(crate) const SQUARE_CROSSING: f64 = 30.0;
/// How many times as long a piece counts that lies on another edge.
pub(crate) const SQUARE_ON_EDGE: f64 = 10.0;
/// The same where the two share an end and look alike, so that they may lie on one line.
pub(crate) const SQUARE_SHARED: f64 = 0.9;
/// How many times as long a piece counts in a frame that holds neither end.
pub(crate) const SQUARE_STRANGE: f64 = 4.0;
/// How many points of the grid may be looked at for all edges together; beyond, ways have two corners at most.
pub(crate) const SQUARE_POINTS: usize = 1_000_000;
/// How many times each edge is led.
pub(crate) const SQUARE_ROUNDS: usize = 3;
/// What it costs to turn where an arrow needs room.
pub(crate) const SQUARE_IN_ARROW: f64 = 150.0;
/// What it costs to leave or reach a box beside the middle of its side.
pub(crate) const SQUARE_BESIDE: f64 = 24.0;
/// What it costs to leave or reach a box that the layout placed on a side that does not face another layer.
pub(crate) const SQUARE_ACROSS: f64 = 50.0;
/// Figures with more nodes have ways with two corners at most, that look at no other node.
pub(crate) const SQUARE_NODES: usize = 120;

// Labels.

/// Height of the plate that an edge's label stands on. **Unit**: the font size. **Source**: the reference's renderer, 16 for 11.
pub(crate) const PLATE: f64 = 16.0 / 11.0;
/// Room beside the text on a plate.
pub(crate) const PLATE_SIDE: f64 = 4.0;
/// How much farther from its line a label may stand where it has no room beside it.
pub(crate) const FARTHER: f64 = 10.0;
/// Of how many places along its line a label may hide how many.
pub(crate) const HIDDEN: (usize, u32) = (4, 19);
/// Where on its way a label is tried, as shares of the length: the middle, then ever farther from it.
pub(crate) const SHARES: [f64; 17] = [
    0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3, 0.7, 0.25, 0.75, 0.2, 0.8, 0.15, 0.85, 0.1, 0.9,
];
/// With more labels than this they stay where they are: each is held against all before it.
pub(crate) const LABELS: usize = 1_000;

/// With more pieces of edges than this, nobody counts crossings.
pub(crate) const CROSSED_PIECES: usize = 5_000;

// What only touches. Each is how far two things may lie on each other and count as apart.

/// An edge on a node.
pub(crate) const EDGE_TOUCH: f64 = 1.5;
/// Two edges that have no end in common, on one line, and an edge on the arrow of another.
pub(crate) const EDGE_ALONG: f64 = 4.0;
/// Lines nearer to each other than this are drawn as one.
pub(crate) const EDGE_APART: f64 = 0.5;
/// Lines that lean more against each other cross. **Unit**: rise by length.
pub(crate) const EDGE_LEANS: f64 = 0.05;
/// A label on anything but a frame's border.
pub(crate) const LABEL_TOUCH: f64 = 1.0;
/// Nodes and frames.
pub(crate) const NODE_TOUCH: f64 = 0.5;
