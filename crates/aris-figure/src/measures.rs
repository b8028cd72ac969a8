//! Every length, weight and limit of the layout, the ways of edges and the labels. Lengths are units of the canvas.
//!
//! Changes are judged by the crossings, bends and overlaps that `cargo xtask figures` prints for the gallery and for generated
//! figures.

use crate::geometry::Point;

// Boxes.

/// Default width and height of a node. **Source**: the original renderer.
pub(crate) const BOX: (f64, f64) = (120.0, 50.0);
/// Room between text and the centre line of the border, which is 2 wide.
pub(crate) const TEXT_ROOM: Point = Point::new(3.0, 1.5);
/// Extra size of a box that grows with its text.
pub(crate) const EASE: f64 = 8.0;
/// Radius of round corners.
pub(crate) const CORNER: f64 = 8.0;
/// Half the height of a cylinder's ends; also the height of a document's wave.
pub(crate) const CAP: f64 = 6.0;
/// Radius of a person's head.
pub(crate) const HEAD: f64 = 11.0;

// Canvas and frames.

/// Default width and height of a canvas on which the file places the nodes. **Source**: the original renderer.
pub(crate) const CANVAS: (f64, f64) = (800.0, 400.0);
/// Room between the drawing and the border of a canvas that a layout makes.
pub(crate) const MARGIN: f64 = 20.0;
/// Room between a group's frame and its nodes. **Source**: the original renderer.
pub(crate) const PADDING: f64 = 20.0;

/// Half the width of a frame's border.
pub(crate) const FRAME_BORDER: f64 = 0.5;

// Arrows and lines.

/// Length and width of an arrow. **Unit**: the edge's thickness. **Source**: the original renderer's markers.
pub(crate) const ARROW: f64 = 8.0;
/// Largest share of an edge, or of its last piece, that its arrow takes.
pub(crate) const ARROW_SHARE: f64 = 0.8;
/// Extra room for an arrow, for the border of the box and because positions are rounded.
pub(crate) const ARROW_EASE: f64 = 2.0;
/// Room for an arrow of the default thickness, 2.
pub(crate) const ARROW_ROOM: f64 = 2.0 * ARROW / ARROW_SHARE + ARROW_EASE;
/// Distance from a corner at which a way begins to turn.
pub(crate) const TURN: f64 = 8.0;
/// A corner at most this far from an end of the edge counts as that end, because positions are rounded.
pub(crate) const AT_OUTLINE: f64 = 2.0;
/// Distance of a curved edge's control point from its middle. **Source**: the original renderer.
pub(crate) const BEND: f64 = 30.0;
/// Half the width of a loop above its node. **Source**: the original renderer.
pub(crate) const LOOP: f64 = 25.0;
/// How far a loop beside its node reaches.
pub(crate) const LOOP_BESIDE: f64 = 30.0;

// Layers.

/// Default room between neighbours in a layer.
pub(crate) const NODE_GAP: f64 = 30.0;
/// Default room between layers.
pub(crate) const LAYER_GAP: f64 = 50.0;
/// Least room between edges that join the same two nodes.
pub(crate) const LANE: f64 = 18.0;
/// Room between the labels of such edges.
pub(crate) const LABEL_GAP: f64 = 6.0;
/// Room between two edges that pass a layer side by side.
pub(crate) const PASSING: f64 = 14.0;
/// Positions along a way that differ by less are made equal: a line that leans so little looks like a mistake.
pub(crate) const LEANS: f64 = 3.0;
/// A corner is left out if it, and every other corner left out with it, is at most this far from the straight line.
pub(crate) const STRAIGHT: f64 = 1.5;
/// Most consecutive corners that are left out.
pub(crate) const LEFT_OUT: usize = 16;

/// How strongly an edge between boxes pulls its ends into line; 1 is an edge between a box and the stand-in of a long edge.
pub(crate) const PULL_BOXES: f64 = 40_000.0;
/// The same between two stand-ins.
pub(crate) const PULL_STAND_INS: f64 = 400.0;

/// Sweeps that order the boxes of layers. In ordinary figures more change nothing.
pub(crate) const ORDER_SWEEPS: usize = 12;
/// With more boxes and stand-ins than this, the order is not tried a second time with edges that lead back on one side.
pub(crate) const ORDERED_TWICE: usize = 2_000;
/// Sweeps that place the boxes, alternately forwards and backwards. The last one is forwards, so that boxes line up with what
/// leads to them.
pub(crate) const PLACE_SWEEPS: usize = 25;
/// Sweeps after these that move only the stand-ins of long edges.
pub(crate) const STRAIGHTEN_SWEEPS: usize = 30;

/// Most nodes without a position in a figure.
pub(crate) const PLACED_NODES: usize = 5_000;
/// Most groups in a figure with such nodes.
pub(crate) const PLACED_GROUPS: usize = 100;
/// Most stand-ins of all long edges together; further long edges run straight.
pub(crate) const STAND_INS: usize = 20_000;

// Ways round boxes.

/// Distance that a way keeps from the nodes that it passes.
pub(crate) const CLEAR: f64 = 14.0;
/// Cost of a corner of such a way. **Unit**: length.
pub(crate) const DETOUR_CORNER: f64 = 20.0;
/// Most nodes of a figure in which edges are led round nodes.
pub(crate) const DETOUR_NODES: usize = 120;

// Ways of right angles.

/// Least distance of a way from a node that is not one of its ends.
pub(crate) const KEEP: f64 = 5.0;
/// Room between ways side by side.
pub(crate) const TRACK: f64 = 12.0;
/// Least distance between lines for ways.
pub(crate) const LINES: f64 = 6.0;
/// Ways nearer than this count as being on the same line, because an arrow of one covers the other.
pub(crate) const SAME_LINE: f64 = 10.0;
/// Cost of a corner. **Unit**: length, as for the other costs.
pub(crate) const SQUARE_CORNER: f64 = 40.0;
/// Cost of crossing another edge or a frame.
pub(crate) const SQUARE_CROSSING: f64 = 30.0;
/// Factor for the length of a piece that lies on another edge.
pub(crate) const SQUARE_ON_EDGE: f64 = 10.0;
/// Factor for the length of a piece that lies on an edge with which it may share a line.
pub(crate) const SQUARE_SHARED: f64 = 0.9;
/// Factor for the length of a piece in a frame that holds neither end.
pub(crate) const SQUARE_STRANGE: f64 = 4.0;
/// Most points of the grid that are visited for all edges together; further edges get at most two corners.
pub(crate) const SQUARE_POINTS: usize = 1_000_000;
/// Most times that each edge is led.
pub(crate) const SQUARE_ROUNDS: usize = 3;
/// Cost of turning where an arrow needs room.
pub(crate) const SQUARE_IN_ARROW: f64 = 150.0;
/// Cost of leaving or reaching a box beside the middle of its side.
pub(crate) const SQUARE_BESIDE: f64 = 24.0;
/// Cost of leaving or reaching a laid-out box on a side that does not face another layer.
pub(crate) const SQUARE_ACROSS: f64 = 50.0;
/// Most nodes of a figure in which orthogonal edges avoid nodes; in larger ones they have at most two corners and ignore nodes.
pub(crate) const SQUARE_NODES: usize = 120;

// Labels.

/// Height of the plate behind an edge's label. **Unit**: the font size. **Source**: the original renderer, 16 for size 11.
pub(crate) const PLATE: f64 = 16.0 / 11.0;
/// Room beside the text on a plate.
pub(crate) const PLATE_SIDE: f64 = 4.0;
/// How much farther from its line a label may stand if there is no room beside it.
pub(crate) const FARTHER: f64 = 10.0;
/// How many of the points sampled along its line a label may hide, and how many are sampled.
pub(crate) const HIDDEN: (usize, u32) = (4, 19);
/// Positions at which a label is tried, as shares of its way's length: the middle first, then ever farther from it.
pub(crate) const SHARES: [f64; 17] = [
    0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3, 0.7, 0.25, 0.75, 0.2, 0.8, 0.15, 0.85, 0.1, 0.9,
];
/// Most labels that are moved: each is compared with all before it.
pub(crate) const LABELS: usize = 1_000;

/// Most pieces of edges for which crossings are counted.
pub(crate) const CROSSED_PIECES: usize = 5_000;

// Tolerances. Each is how far two things may overlap and still count as apart.

/// An edge and a node.
pub(crate) const EDGE_TOUCH: f64 = 1.5;
/// Two edges on one line without a common end; also an edge on the arrow of another.
pub(crate) const EDGE_ALONG: f64 = 4.0;
/// Lines with less room between their strokes look like one.
pub(crate) const EDGE_APART: f64 = 0.5;
/// Lines that differ more in slope cross. **Unit**: rise by length.
pub(crate) const EDGE_LEANS: f64 = 0.05;
/// A label and anything but a frame's border.
pub(crate) const LABEL_TOUCH: f64 = 1.0;
/// Nodes and frames.
pub(crate) const NODE_TOUCH: f64 = 0.5;
