//! Writes a scene as SVG. Numbers have at most two decimals and a point, in every locale.

use std::fmt::{self, Write as _};

use kurbo::{CubicBez, PathSeg};

use crate::colour::Colour;
use crate::geometry::{Outline, Point, Rect, Shape};
use crate::scene::{Arrow, Block, Frame, Line, Route, Scene};
use crate::spec::{Anchor, Dash};
use crate::text::{self, Run, Weight};

/// The default families. The first ones have the measured widths, so that a viewer shows what was measured; then one for Chinese.
const FAMILY: &str = "'Liberation Sans', Arial, Helvetica, 'Droid Sans Fallback', sans-serif";

/// A number with at most two decimals, without trailing zeros.
pub(crate) struct Number(pub(crate) f64);

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding 0 turns -0 into 0.
        write!(out, "{}", (self.0 * 100.0).round() / 100.0 + 0.0)
    }
}

/// Points as in a figure's file: `[x, y], [x, y]`.
pub(crate) fn list(points: &[Point]) -> String {
    let pair = |point: &Point| format!("[{}, {}]", Number(point.x), Number(point.y));
    points.iter().map(pair).collect::<Vec<_>>().join(", ")
}

/// A box as attributes of an element.
struct Sides(Rect);

impl fmt::Display for Sides {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (x, y) = (Number(self.0.left), Number(self.0.top));
        let (width, height) = (Number(self.0.width()), Number(self.0.height()));
        write!(
            out,
            "x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\""
        )
    }
}

/// Text escaped for use between tags or in double quotes.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => out.write_str("&amp;")?,
                '<' => out.write_str("&lt;")?,
                '>' => out.write_str("&gt;")?,
                '"' => out.write_str("&quot;")?,
                other => out.write_char(other)?,
            }
        }
        Ok(())
    }
}

/// Writes the scene; the same scene gives the same bytes.
pub(crate) fn write(scene: &Scene<'_>) -> String {
    let mut out = String::with_capacity(600 * (scene.blocks.len() + scene.routes.len()) + 1000);
    // Writing to a String does not fail.
    let _ = document(&mut out, scene);
    out
}

fn document(out: &mut String, scene: &Scene<'_>) -> fmt::Result {
    let (width, height) = (Number(scene.width), Number(scene.height));
    let style = &scene.spec.style;
    let family = style.font_family.as_deref().unwrap_or(FAMILY);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"{}\">",
        Escaped(family)
    )?;
    if let Some(title) = &scene.spec.title {
        writeln!(out, "  <title>{}</title>", Escaped(title))?;
    }
    let ground = style.background;
    writeln!(
        out,
        "  <rect width=\"{width}\" height=\"{height}\" fill=\"{ground}\"/>"
    )?;
    for group in &scene.order {
        if let Some(frame_of) = &scene.frames[*group] {
            let given = &scene.spec.groups[*group];
            frame(out, frame_of, given.fill, given.stroke)?;
        }
    }
    for (route_of, edge) in scene.routes.iter().zip(&scene.spec.edges) {
        route(out, route_of, edge.colour, edge.dash)?;
    }
    for (line_of, plate) in scene.routes.iter().filter_map(|route| route.label.as_ref()) {
        writeln!(
            out,
            "  <rect {} rx=\"3\" fill=\"{}\"/>",
            Sides(*plate),
            line_of.ground
        )?;
        line(out, line_of, "  ")?;
    }
    for (block_of, node) in scene.blocks.iter().zip(&scene.spec.nodes) {
        writeln!(
            out,
            "  <g data-node=\"{}\">",
            Escaped(&text::clean(&node.id))
        )?;
        block(out, block_of)?;
        writeln!(out, "  </g>")?;
    }
    for label in &scene.labels {
        line(out, label, "  ")?;
    }
    writeln!(out, "</svg>")
}

fn frame(out: &mut String, frame: &Frame, fill: Colour, stroke: Colour) -> fmt::Result {
    writeln!(
        out,
        "  <rect {} rx=\"8\" fill=\"{fill}\" stroke=\"{stroke}\"/>",
        Sides(frame.rect)
    )?;
    frame
        .label
        .iter()
        .try_for_each(|label| line(out, label, "  "))
}

fn pair(point: Point) -> String {
    format!("{} {}", Number(point.x), Number(point.y))
}

fn route(out: &mut String, route: &Route, colour: Colour, dash: Dash) -> fmt::Result {
    if !route.pieces.is_empty() {
        let mut path = format!("M{}", pair(route.start));
        for piece in &route.pieces {
            match piece {
                PathSeg::Line(line) => write!(path, " L{}", pair(line.p1))?,
                PathSeg::Quad(bend) => write!(path, " Q{} {}", pair(bend.p1), pair(bend.p2))?,
                PathSeg::Cubic(CubicBez { p1, p2, p3, .. }) => {
                    write!(path, " C{} {} {}", pair(*p1), pair(*p2), pair(*p3))?;
                }
            }
        }
        let dash = match dash {
            Dash::Solid => "",
            Dash::Dashed => " stroke-dasharray=\"8,4\"",
            Dash::Dotted => " stroke-dasharray=\"3,3\"",
        };
        writeln!(
            out,
            "  <path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{}\"{dash}/>",
            Number(route.thickness)
        )?;
    }
    let mut arrows = route.arrows.into_iter().flatten();
    arrows.try_for_each(|corners| arrow(out, corners, colour))
}

fn arrow(out: &mut String, corners: Arrow, colour: Colour) -> fmt::Result {
    let [tip, one, two] = corners.map(pair);
    writeln!(
        out,
        "  <path d=\"M{tip} L{one} L{two} Z\" fill=\"{colour}\"/>"
    )
}

fn block(out: &mut String, block: &Block) -> fmt::Result {
    let Outline {
        shape,
        centre,
        half,
    } = block.outline;
    let (bounds, cap) = (block.outline.bounds(), block.outline.cap());
    let (x, y) = (Number(centre.x), Number(centre.y));
    let (rx, ry) = (Number(half.x), Number(half.y));
    let path = |data: String| format!("path d=\"{data}\"");
    let drawn = match shape {
        Shape::Circle => format!("circle cx=\"{x}\" cy=\"{y}\" r=\"{rx}\""),
        Shape::Ellipse => format!("ellipse cx=\"{x}\" cy=\"{y}\" rx=\"{rx}\" ry=\"{ry}\""),
        Shape::Cylinder | Shape::Queue => {
            // Clockwise, from the first corner of the front end; the inner half of the front end comes last.
            let turned = shape == Shape::Queue;
            let turn = |x: f64, y: f64| if turned { (y, x) } else { (x, y) };
            let (x, y) = turn(half.x, half.y);
            let at = |x: f64, y: f64| pair(centre + if turned { (-y, x) } else { (x, y) });
            let arc = |to: &str| {
                let (x, y) = turn(x, cap);
                format!("A{} {} 0 0 1 {to}", Number(x), Number(y))
            };
            let (one, two) = (at(-x, cap - y), at(x, cap - y));
            let (three, four) = (at(x, y - cap), at(-x, y - cap));
            let (over, under, inner) = (arc(&two), arc(&four), arc(&one));
            path(format!("M{one} {over} L{three} {under} Z M{two} {inner}"))
        }
        Shape::Document => {
            let at = |x: f64, y: f64| pair(centre + (x * half.x, half.y + y * cap));
            let (left, right) = (at(-1.0, -1.0), at(1.0, -1.0));
            let (up, middle, down) = (at(0.5, -3.0), at(0.0, -1.0), at(-0.5, 1.0));
            let [one, two, ..] = bounds.corners().map(pair);
            path(format!(
                "M{left} L{one} L{two} L{right} Q{up} {middle} Q{down} {left} Z"
            ))
        }
        Shape::Person => {
            let (face, head) = (block.outline.face(), block.outline.head());
            let (body, corner) = (block.outline.body(), block.outline.corner());
            let (r, c) = (Number(head), Number(corner));
            let half = |over: f64| format!("a{r} {r} 0 0 1 {} 0", Number(over));
            let turn = |x: f64, y: f64| format!("a{c} {c} 0 0 1 {} {}", Number(x), Number(y));
            let (wide, high) = (body.width() - 2.0 * corner, body.height() - 2.0 * corner);
            path(format!(
                "M{} {} {} Z M{} h{} {} v{} {} h{} {} v{} {} Z",
                pair(face + (-head, 0.0)),
                half(2.0 * head),
                half(-2.0 * head),
                pair(Point::new(body.left + corner, body.top)),
                Number(wide),
                turn(corner, corner),
                Number(high),
                turn(-corner, corner),
                Number(-wide),
                turn(-corner, -corner),
                Number(-high),
                turn(corner, -corner),
            ))
        }
        Shape::Diamond => {
            let at = |x: f64, y: f64| pair(centre + (x * half.x, y * half.y));
            let (top, right) = (at(0.0, -1.0), at(1.0, 0.0));
            let (bottom, left) = (at(0.0, 1.0), at(-1.0, 0.0));
            path(format!("M{top} L{right} L{bottom} L{left} Z"))
        }
        Shape::Rect => format!("rect {}", Sides(bounds)),
        Shape::Rounded => {
            let corner = Number(block.outline.corner());
            format!("rect {} rx=\"{corner}\"", Sides(bounds))
        }
    };
    let (fill, stroke) = (block.fill, block.stroke);
    writeln!(
        out,
        "    <{drawn} fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"2\"/>"
    )?;
    block
        .lines
        .iter()
        .try_for_each(|text| line(out, text, "    "))
}

fn line(out: &mut String, line: &Line, indent: &str) -> fmt::Result {
    let anchor = match line.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let (runs, _) = text::runs(&line.text, line.size, line.weight);
    // Several runs and long texts are written in parts at their measured positions.
    if let [run] = runs.as_slice()
        && run.text.len() <= LONG
    {
        return text(out, line, (indent, line.base.x, *run), anchor);
    }
    for run in runs {
        let (mut x, mut rest) = (line.bounds.left + run.x, run.text);
        while let Some((part, more)) =
            rest.split_at_checked(rest.floor_char_boundary(LONG.min(rest.len())))
            && !part.is_empty()
        {
            // SVG viewers drop spaces at the beginning of an element, so the element begins after them.
            let shown = part.trim_start_matches(' ');
            let (blanks, _) = part.split_at(part.len() - shown.len());
            let begin = x + text::width(blanks, run.size, run.weight);
            text(out, line, (indent, begin, Run { text: shown, ..run }), "")?;
            x += text::width(part, run.size, run.weight);
            rest = more;
        }
    }
    Ok(())
}

/// Most bytes of text in one element. The time for PDF and PNG grows with the square of an element's length.
const LONG: usize = 1000;

fn text(
    out: &mut String,
    line: &Line,
    (indent, x, run): (&str, f64, Run<'_>),
    anchor: &str,
) -> fmt::Result {
    let weight = match run.weight {
        Weight::Regular => "",
        Weight::Bold => " font-weight=\"bold\"",
    };
    writeln!(
        out,
        "{indent}<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"{anchor}{weight}>{}</text>",
        Number(x),
        Number(line.base.y + run.down),
        Number(run.size),
        line.colour,
        Escaped(run.text)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_point_and_no_zeros_at_the_end() {
        for (number, text) in [
            (0.0, "0"),
            (-0.001, "0"),
            (12.0, "12"),
            (12.5, "12.5"),
            (-3.256, "-3.26"),
            (100.0, "100"),
            (1e6, "1000000"),
        ] {
            assert_eq!(Number(number).to_string(), text);
        }
    }

    #[test]
    fn text_cannot_leave_its_place() {
        let text = Escaped("a<b>&\"c\"'").to_string();
        assert_eq!(text, "a&lt;b&gt;&amp;&quot;c&quot;'");
    }
}
