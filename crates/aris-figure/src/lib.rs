//! Figures of papers: boxes, arrows and frames, described in JSON, are drawn as SVG, PNG and PDF, and checked.
//!
//! Pure: bytes in, bytes and problems out. It uses no disk, no clock and no fonts of the machine; the same figure gives the same
//! bytes everywhere. Lengths are units of the canvas, 96 to the inch. Data plots and pictures that are not made of boxes are out
//! of scope.
//!
//! Fields, drawing and defaults follow the original figure renderer, so that its figures look the same. Where its result would be
//! wrong, this crate differs: boxes without a size grow with their text, arrows have the colour of their edge and end on the
//! outline, greys are dark enough to be read, nested frames do not overlap, and labels hide nothing.

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
