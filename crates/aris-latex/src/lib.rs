//! LaTeX as an author sees it: visible text with its place in the sources, tables, headings, citations, labels
//! and the files a document asks for.
//!
//! ```
//! use aris_latex::{Document, Loaded};
//! let mut files = |path: &str| match path {
//!     "main.tex" => Loaded::Text(r"\begin{document}We reach $84.7 \pm 0.3$\,\%.\end{document}".into()),
//!     _ => Loaded::Absent,
//! };
//! let document = Document::read("main.tex", &mut files)?;
//! assert_eq!(document.blocks[0].text, "We reach 84.7 ± 0.3 %.");
//! assert_eq!(document.position(document.blocks[0].place(9)).column, 27);
//! # Ok::<(), aris_latex::Error>(())
//! ```
//!
//! The crate is pure: it reads no disk (a [`Loader`] hands out the files) and no clock. It never panics, takes
//! time linear in what it reads, and keeps every visible byte's place. What is wrong in the sources is listed in
//! [`Document::problems`]; only limits and a missing root document are an [`Error`].
//!
//! This is not TeX: category codes, boxes and most primitives are unknown. Packages are not run; the reader knows what their
//! commands print. Text in braced arguments of an unknown command is kept, so that a number cannot hide there, and marked as
//! doubtful: LaTeX may not print it.
#![warn(missing_docs)]

mod model;
mod path;
mod read;
mod root;

pub use model::block::{Block, BlockKind, Mark, MarkKind, Piece};
pub use model::document::{
    Document, Error, Holds, MAX_INCLUDE_DEPTH, MAX_INCLUDES, MAX_TOTAL_BYTES, Problem, ProblemKind,
};
pub use model::include::{Include, IncludeKind, IncludeOutcome, Loaded, Loader};
pub use model::parts::{
    Citation, Definition, Environment, Heading, Label, RefSection, Row, Table, Theorem, Written,
};
pub use model::place::{Place, Position, SourceFile};
pub use read::symbols::{accent, symbol};
pub use root::{Root, RootError, find_root, free_files};
