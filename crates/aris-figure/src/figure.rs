//! A figure that can be drawn.

use std::fmt::Write as _;

use crate::check;
use crate::layout;
use crate::measures::{BOX, DETOUR_NODES, MARGIN, PLACED_GROUPS, PLACED_NODES, SQUARE_NODES};
use crate::notes::{At, Notes};
use crate::problem::{Code, Problem};
use crate::scene::Placed;
use crate::scene::{Scene, Size, size};
use crate::spec::{self, Edge, Spec};
use crate::svg::{self, Number};

/// Width of a column in print. **Unit**: millimetres. **Source**: common two-column layouts have 84 to 86.
pub const COLUMN_MM: f64 = 84.0;

/// A figure that can be drawn: read, sized and placed.
#[derive(Debug)]
pub struct Figure {
    text: String,
    spec: Spec,
    sizes: Vec<Size>,
    placed: Placed,
    /// The problems found while reading it.
    problems: Vec<Problem>,
}

impl Figure {
    /// Reads a figure from the bytes of its file.
    ///
    /// **Errors**: the reasons why it cannot be drawn, each a [`Code::Invalid`], in the order of the file.
    pub fn read(bytes: &[u8]) -> Result<Self, Vec<Problem>> {
        let notes = Notes::default();
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = match str::from_utf8(bytes) {
            Ok(text) => String::from(text),
            Err(error) => {
                let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
                let text = String::from_utf8_lossy(valid);
                let wide = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
                let message = if wide {
                    "the file is UTF-16"
                } else {
                    "this is not UTF-8"
                };
                let line = text.matches('\n').count();
                let column = text.chars().rev().take_while(|letter| *letter != '\n');
                let from_1 = |count| u32::try_from(count).unwrap_or(u32::MAX).saturating_add(1);
                let place = ((from_1(line), from_1(column.count())), String::new());
                notes.push(Code::Invalid, place, message, "save the file as UTF-8");
                return Err(notes.problems());
            }
        };
        let Some(spec) = spec::read(&text, &notes) else {
            return Err(invalid(&notes));
        };
        let free = spec.nodes.iter().filter(|node| node.centre.is_none());
        let (free, groups) = (free.count(), spec.groups.len());
        if free > PLACED_NODES || (free > 0 && groups > PLACED_GROUPS) {
            notes.push(
                Code::Invalid,
                spec.place.field(&["nodes"]),
                format!(
                    "{free} nodes in {groups} groups have no x and y, a layout takes {PLACED_NODES} in {PLACED_GROUPS}"
                ),
                "give them x and y",
            );
            return Err(invalid(&notes));
        }
        let sizes: Vec<Size> = spec.nodes.iter().map(size).collect();
        let mut placed = layout::place(&spec, &sizes);
        if placed.laid_out && spec.nodes.len() <= DETOUR_NODES {
            for (edge, points) in layout::detours(&Scene::new(&spec, &sizes, &placed)) {
                placed.points[edge] = points;
            }
        }
        let squared = if spec.edges.iter().any(Edge::is_squared) {
            layout::orthogonal(&Scene::new(&spec, &sizes, &placed))
        } else {
            layout::Squared::default()
        };
        for (edge, points) in squared.corners {
            placed.points[edge] = points;
        }
        if squared.plain > 0 {
            let count = spec.nodes.len();
            let why = if count > SQUARE_NODES {
                format!(
                    "the figure has {count} nodes, and they go round nodes in figures of up to {SQUARE_NODES}"
                )
            } else {
                String::from("there is no free way for them")
            };
            notes.push(
                Code::EdgeNotLed,
                spec.place.field(&["layout", "edges"]),
                format!("{} orthogonal edges go round nothing: {why}", squared.plain),
                "give them corners with \"points\", or draw the figure in parts",
            );
        }
        if placed.movable {
            // Labels may reach beyond the nodes that the layout placed.
            let bounds = Scene::new(&spec, &sizes, &placed).bounds();
            let shift = |canvas: Option<f64>, edge: f64| match canvas {
                None => (MARGIN - edge).ceil().max(0.0),
                Some(_) => 0.0,
            };
            placed.shift(
                shift(spec.canvas.width, bounds.left),
                shift(spec.canvas.height, bounds.top),
            );
        }
        Ok(Self {
            problems: notes.problems(),
            text,
            spec,
            sizes,
            placed,
        })
    }

    fn scene(&self) -> Scene<'_> {
        Scene::new(&self.spec, &self.sizes, &self.placed)
    }

    /// Its title, if it has one.
    pub fn title(&self) -> Option<&str> {
        self.spec.title.as_deref()
    }

    /// Width and height of its canvas, in units.
    pub fn canvas(&self) -> (f64, f64) {
        let scene = self.scene();
        (scene.width, scene.height)
    }

    /// The number of nodes and of edges.
    pub fn counts(&self) -> (usize, usize) {
        (self.spec.nodes.len(), self.spec.edges.len())
    }

    /// Whether the layout placed any node.
    pub fn is_laid_out(&self) -> bool {
        self.placed.laid_out
    }

    /// How many times its edges cross; `None` if there are too many to compare.
    pub fn crossings(&self) -> Option<usize> {
        check::crossings(&self.scene())
    }

    /// How many corners its edges have.
    pub fn bends(&self) -> usize {
        self.placed.points.iter().map(Vec::len).sum()
    }

    /// The figure as SVG.
    pub fn svg(&self) -> String {
        svg::write(&self.scene())
    }

    /// Its problems in the order of the file. With a printed width of `column_mm` millimetres, small text is reported, too.
    pub fn problems(&self, column_mm: impl Into<Option<f64>>) -> Vec<Problem> {
        let notes = Notes::default();
        check::check(&self.scene(), column_mm.into(), &notes);
        let mut problems = self.problems.clone();
        problems.extend(notes.problems());
        problems.sort_by_key(|problem| (problem.line, problem.column));
        problems
    }

    /// The file's text with the positions of the layout inserted; everything else is unchanged.
    pub fn placed_text(&self) -> String {
        let mut inserts: Vec<(At, String)> = Vec::new();
        if self.placed.laid_out {
            let (width, height) = self.canvas();
            let canvas = &self.spec.canvas;
            let sides = [
                ("width", canvas.width, width),
                ("height", canvas.height, height),
            ];
            let missing = sides.iter().filter(|(_, given, _)| given.is_none());
            let members: Vec<String> = missing
                .map(|(name, _, length)| format!("\"{name}\": {}", Number(*length)))
                .collect();
            let members = members.join(", ");
            if canvas.place.pointer.is_empty() {
                inserts.push((canvas.place.at, format!("\"canvas\": {{{members}}}")));
            } else if !members.is_empty() {
                inserts.push((canvas.place.at, members));
            }
        }
        let placed = self.placed.centres.iter().zip(&self.sizes);
        for (node, (centre, size)) in self.spec.nodes.iter().zip(placed) {
            if node.centre.is_none() {
                let (x, y) = (Number(centre.x), Number(centre.y));
                let mut members = format!("\"x\": {x}, \"y\": {y}");
                // A node with a position in the file does not grow, so its size is written, too.
                for (name, given, usual, size) in [
                    ("width", node.width, BOX.0, size.width),
                    ("height", node.height, BOX.1, size.height),
                ] {
                    if given.is_none() && size > usual {
                        // Writing to a String does not fail.
                        let _ = write!(members, ", \"{name}\": {}", Number(size));
                    }
                }
                inserts.push((node.place.at, members));
            }
        }
        for (edge, points) in self.spec.edges.iter().zip(&self.placed.points) {
            if edge.points.is_empty() && !points.is_empty() && !edge.place.has("points") {
                let points = svg::list(points);
                inserts.push((edge.place.at, format!("\"points\": [{points}]")));
            }
        }
        inserts.sort_by_key(|(at, _)| *at);
        let mut out = String::with_capacity(self.text.len() + 40 * inserts.len());
        let (mut here, mut done) = ((1, 1), 0);
        let letters = self.text.char_indices();
        // A byte order mark does not belong to the first line.
        let mut letters = letters
            .skip_while(|(_, letter)| *letter == '\u{feff}')
            .peekable();
        for (place, members) in inserts {
            while here < place
                && let Some((_, letter)) = letters.next()
            {
                here = match letter {
                    '\n' => (here.0 + 1, 1),
                    _ => (here.0, here.1 + 1),
                };
            }
            // After the opening brace, before the object's members.
            let start = letters.peek().map_or(self.text.len(), |(at, _)| at + 1);
            out.push_str(self.text.get(done..start).unwrap_or_default());
            out.push_str(&members);
            let rest = self.text.get(start..).unwrap_or_default();
            if !rest.trim_start().starts_with('}') {
                out.push_str(", ");
            }
            // A line break after the brace now comes after the inserted text.
            done = start;
        }
        out.push_str(self.text.get(done..).unwrap_or_default());
        out
    }
}

/// Only the reasons why the figure cannot be drawn: other problems do not matter then.
fn invalid(notes: &Notes) -> Vec<Problem> {
    let mut problems = notes.problems();
    problems.retain(|problem| problem.code == Code::Invalid);
    problems
}
