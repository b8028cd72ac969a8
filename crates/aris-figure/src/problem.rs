//! What is wrong with a figure: where, what, and the way out.

use std::fmt;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// One problem of a figure, at a place in its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// Its kind.
    #[schemars(with = "String")]
    pub code: Code,
    /// Line of the file, from 1.
    pub line: usize,
    /// Column, in characters, from 1.
    pub column: usize,
    /// JSON pointer to the value.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub fix: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            code,
            line,
            column,
            pointer,
            message,
            fix,
        } = self;
        let space = if pointer.is_empty() { "" } else { " " };
        write!(
            out,
            "{line}:{column}: {}: {pointer}{space}{message}; {fix}",
            code.name()
        )
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// Kinds of problems.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code { $($(#[$doc])* $variant,)* }

        impl Code {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The word for it in reports.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

codes! {
    /// The file is not a figure: it cannot be drawn. All others are drawn.
    Invalid = "invalid",
    /// A value that is not understood; the default is drawn.
    BadValue = "bad_value",
    /// A field that does not exist.
    UnknownField = "unknown_field",
    /// A field that is there twice; the last is drawn.
    DuplicateField = "duplicate_field",
    /// A group names a node that is not there.
    UnknownNode = "unknown_node",
    /// Something that leaves no trace in the picture.
    NothingDrawn = "nothing_drawn",
    /// A character that the fonts of the program do not have.
    MissingGlyph = "missing_glyph",
    /// A formula with a command that is not known; it is drawn as it is written.
    Formula = "formula",
    /// A font that only some readers of the SVG have.
    OtherFont = "other_font",
    /// Text that is larger than its box.
    TextOverflow = "text_overflow",
    /// Something beyond the canvas.
    OutOfCanvas = "out_of_canvas",
    /// Two nodes on the same place.
    NodeOverlap = "node_overlap",
    /// An edge that runs under a node that it does not belong to.
    EdgeOverNode = "edge_over_node",
    /// Orthogonal edges that go round nothing.
    EdgeNotLed = "edge_not_led",
    /// Two edges on the same line.
    EdgeOverEdge = "edge_over_edge",
    /// An arrow under which another edge runs, so that it seems to be that edge's.
    ArrowOverEdge = "arrow_over_edge",
    /// An edge without room for its arrow.
    EdgeTooShort = "edge_too_short",
    /// A label on a node, an edge or a label.
    LabelOverlap = "label_overlap",
    /// A group's frame over a node or frame that is not in it.
    GroupOverlap = "group_overlap",
    /// Contrast below WCAG AA.
    LowContrast = "low_contrast",
    /// Text too small in print.
    SmallPrint = "small_print",
    /// Colours that carry a meaning and that not everybody can tell apart.
    ColoursCollapse = "colours_collapse",
}
