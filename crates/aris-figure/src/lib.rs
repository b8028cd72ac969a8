//! Figures of papers: boxes, arrows and frames, described in JSON, drawn as SVG, PNG and PDF, and checked.
//!
//! Pure: bytes in, bytes and problems out. No disk, no clock, no fonts of the machine; the same figure gives the same bytes everywhere.
//! Lengths are units of the canvas, 96 to the inch. Not here: data plots, and pictures that are not made of boxes.
//!
//! What it reads, how it draws it and which defaults hold follow the figure renderer of the reference, so that its figures look the same.
//! Where they would be wrong it differs: boxes without a size grow with their text, arrows have the colour of their edge and end on the
//! outline, greys are dark enough to be read, frames in frames do not lie on each other, a label hides nothing.

#![warn(missing_docs)]

mod check;
mod colour;
mod figure;
mod formula;
mod geometry;
mod layout;
mod measures;
mod notes;
mod picture;
mod problem;
mod scene;
mod spec;
mod svg;
mod text;
mod tree;

pub use figure::{COLUMN_MM, Figure};
pub use picture::{PIXELS, PictureError, UNITS_PER_INCH, pdf, png};
pub use problem::{Code, Problem};
pub use spec::{field_table, json_schema};
