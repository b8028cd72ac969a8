//! A line of a page with its place and size.

/// Largest size of raised characters, as a part of the line's size.
pub(crate) const RAISED: f64 = 0.9;

/// A line of a page. Lengths are in points.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) left: f64,
    pub(crate) right: f64,
    /// Distance from the page's upper edge.
    pub(crate) bottom: f64,
    /// Height of its longest word.
    pub(crate) size: f64,
    /// Height of its first word.
    pub(crate) first: f64,
    /// Whether it begins a block.
    pub(crate) begins: bool,
}
