//! BibTeX and biblatex files, read with the position of everything.
//!
//! [`read`] never fails: what cannot be understood becomes a [`Problem`], and the entry after it is read
//! as if nothing had happened. [`read_bytes`] refuses what is not UTF-8, because guessing an encoding
//! changes authors' names silently.
//!
//! Rules that surprise, and whose they are:
//!
//! * Text outside entries is comment, and `%` means nothing there (BibTeX). An entry behind `%` on its
//!   line is read all the same and marked [`Entry::commented`], since BibTeX sees it and biber does not.
//! * Of `@comment` only the word is skipped (BibTeX). An entry in `@comment{…}` is marked [`Entry::commented`], too: biber skips the whole.
//! * BibTeX ends with the first entry, or other use of `@`, that ends on the last line: it does not find what follows there; biber does.
//! * Braces are counted without regard to backslashes (BibTeX): `{\{}` is not balanced.
//! * Of two fields with one name the first counts (BibTeX); both are kept here.
//! * Keys are compared without regard to ASCII case when looking for duplicates (BibTeX).
//! * An entry takes over what it lacks from its `crossref` and `xdata` entries only on request:
//!   [`Index::resolve`].
//!
//! [`Field::value_span`] is a byte range of the text that was given, so that an editor can replace one value and
//! leave every other byte as it is.
//!
//! **Source**: O. Patashnik, `BibTeXing` (btxdoc) and *bibtex.web*; P. Lehman et al., *The biblatex
//! Package*, §2; <https://ctan.org/pkg/bibtex>, <https://ctan.org/pkg/biblatex>

pub mod check;
mod encoding;
mod inherit;
mod library;
mod reader;
mod required;
mod scan;
mod value;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

pub use encoding::{EncodingError, decode, read_bytes};
pub use inherit::{Index, Inherited, Resolved};
pub use library::{BibFile, Library, Loc, is_distributed};
pub use reader::{read, read_after};
pub use required::{Requirement, missing};

use crate::latex;

/// A place in the text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Byte offset.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A file of references as read.
#[derive(Debug, Clone, Default)]
pub struct Bibliography {
    /// Entries in file order, duplicates included.
    pub entries: Vec<Entry>,
    /// `@string` definitions: names in lower case, and their values with earlier macros resolved.
    pub macros: BTreeMap<String, String>,
    /// What is wrong, in file order.
    pub problems: Vec<Problem>,
}

/// One reference.
#[derive(Debug, Clone, Default)]
pub struct Entry {
    /// Entry type in lower case, without `@`.
    pub kind: String,
    /// Citation key as written.
    pub key: String,
    /// Fields in file order, repeated ones included.
    pub fields: Vec<Field>,
    /// Place of the `@`.
    pub place: Place,
    /// Place of the key.
    pub key_place: Place,
    /// A `%` stands before the entry on its line, or `@comment{` around it: comment for biber, not for BibTeX.
    pub commented: bool,
    /// The entry ends where it should; otherwise fields after the break are lost.
    pub complete: bool,
}

/// One `name = value` of an entry.
#[derive(Debug, Clone, Default)]
pub struct Field {
    /// Name in lower case.
    pub name: String,
    /// Value with macros and `#` resolved, outer brackets gone, LaTeX kept, white space runs as one blank.
    pub raw: String,
    /// Value as a reader sees it: LaTeX turned into Unicode, braces gone.
    pub text: String,
    /// Where the value stands, with brackets and `#`.
    pub value_span: Range<usize>,
    /// Place of the name.
    pub place: Place,
}

/// Something wrong in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What it is.
    pub kind: ProblemKind,
    /// Key of the entry it is in; empty outside entries or before the key.
    pub key: String,
    /// Where.
    pub place: Place,
    /// What was found and what to do, for people.
    pub message: String,
}

/// The kinds of problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", prefix = "bibtex_")]
pub enum ProblemKind {
    /// A byte order mark opens the file.
    ByteOrderMark,
    /// An entry type is not followed by `{` or `(`.
    NoBracket,
    /// An entry has no key.
    NoKey,
    /// A key holds white space or a character that citation commands cannot carry.
    BadKey,
    /// A field has no name or no `=`.
    BadField,
    /// A field has no value.
    NoValue,
    /// A value is a bare word that is neither number nor macro name.
    BareWord,
    /// A comma between two fields is missing.
    NoComma,
    /// A `%` comment stands inside an entry, where BibTeX knows none.
    CommentInEntry,
    /// A brace or quotation mark is never closed.
    Unclosed,
    /// The entry's own bracket is never closed.
    UnclosedEntry,
    /// A value runs over what looks like the beginning of another entry.
    SwallowedEntry,
    /// Text after an entry looks like lost fields.
    StrayText,
    /// An entry on the last line, behind another: BibTeX does not find it.
    LastLine,
    /// A macro is used and never defined before.
    UnknownMacro,
    /// A key was used before.
    DuplicateKey,
    /// A field name was used before in the same entry.
    DuplicateField,
}

impl ProblemKind {
    /// The stable name used in reports.
    pub fn id(self) -> &'static str {
        self.into()
    }

    /// Tells what makes BibTeX drop or misread something from what it merely mentions.
    pub fn is_error(self) -> bool {
        !matches!(
            self,
            Self::ByteOrderMark
                | Self::CommentInEntry
                | Self::StrayText
                | Self::LastLine
                | Self::UnknownMacro
                | Self::DuplicateField
        )
    }
}

impl Entry {
    /// The first field of this name (lower case) that holds something.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields
            .iter()
            .find(|field| field.name == name)
            .filter(|field| !field.is_empty())
    }

    /// The text of the first field of this name (lower case) that holds something.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.field(name).map(|field| field.text.as_str())
    }
}

impl Field {
    /// Tells whether there is nothing to read in it.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The value as an identifier or address: braces and LaTeX escapes gone, dashes and `~` kept.
    pub fn verbatim(&self) -> String {
        latex::verbatim(&self.raw)
    }
}

/// Reads the year out of a `year` or `date` value: the first four digits that stand alone.
///
/// `2009-03`, `2001/2003`, `c. 1998`, `{1998}` give a year, `in press` and `20156` give none.
pub fn year_of(text: &str) -> Option<u16> {
    text.split(|c: char| !c.is_ascii_digit())
        .find(|digits| digits.len() == 4)
        .and_then(|digits| digits.parse().ok())
}
