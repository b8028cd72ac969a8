//! The common shape of JSON and YAML: maps, lists, scalars with their line and column.

/// Nesting beyond this is refused: no result file needs it, and recursion stays within any stack.
pub(crate) const MAX_DEPTH: usize = 96;

/// A node with its place in the file, both 1-based; the column counts bytes (JSON) or characters (YAML).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) line: u32,
    pub(crate) value: Value,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Map(Vec<(String, Node)>),
    List(Vec<Node>),
    /// A plain scalar as written: number, boolean, null, or an unquoted YAML string.
    Plain(String),
    /// A quoted string.
    Text(String),
}

/// Why a file could not be read; lines and columns are 1-based.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Malformed {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: String,
}
