//! Problems of a figure: the place, the reason and the fix.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use strum::{IntoStaticStr, VariantArray};

/// One problem of a figure, at a place in its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// Its kind.
    #[schemars(with = "String")]
    pub code: Code,
    /// Line of the file, from 1.
    pub line: u32,
    /// Column, in characters, from 1.
    pub column: u32,
    /// JSON pointer to the value.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub fix: String,
}

impl Problem {
    /// JSON pointer and message.
    pub fn what(&self) -> String {
        format!("{} {}", self.pointer, self.message)
            .trim_start()
            .to_owned()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column, code) = (self.line, self.column, self.code.name());
        write!(
            out,
            "{line}:{column}: {code}: {}; {}",
            self.what(),
            self.fix
        )
    }
}

/// Kinds of problems.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Code {
    /// The file is not a figure: it cannot be drawn. All others are drawn.
    Invalid,
    /// A value that is not understood; the default is drawn.
    BadValue,
    /// A field that does not exist.
    UnknownField,
    /// A field that is there twice; the last is drawn.
    DuplicateField,
    /// A group names a node that is not there.
    UnknownNode,
    /// Something that is not visible in the picture.
    NothingDrawn,
    /// A character that the fonts of the program do not have.
    MissingGlyph,
    /// A formula that cannot be converted; it is drawn as it is written.
    Formula,
    /// A font that only some readers of the SVG have.
    OtherFont,
    /// Text that is larger than its box.
    TextOverflow,
    /// Something beyond the canvas.
    OutOfCanvas,
    /// Two nodes that overlap.
    NodeOverlap,
    /// An edge that runs under a node that it does not belong to.
    EdgeOverNode,
    /// Orthogonal edges for which no way round nodes was found.
    EdgeNotLed,
    /// Two edges on the same line.
    EdgeOverEdge,
    /// An arrow under which another edge runs, so that it seems to be that edge's.
    ArrowOverEdge,
    /// An edge without room for its arrow.
    EdgeTooShort,
    /// A label on a node, an edge or a label.
    LabelOverlap,
    /// A group's frame over a node or frame that is not in it.
    GroupOverlap,
    /// Contrast below WCAG AA.
    LowContrast,
    /// Text too small in print.
    SmallPrint,
    /// Colours that carry a meaning and that not everybody can tell apart.
    ColoursCollapse,
}

impl Code {
    /// The word for it in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
