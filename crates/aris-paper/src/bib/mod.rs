//! BibTeX and biblatex files, read with all positions.
//!
//! [`read`] never fails: text it cannot parse becomes a [`Problem`], and reading continues with the next entry. [`read_bytes`]
//! refuses text that is not UTF-8, because guessing an encoding would silently change authors' names.
//!
//! Rules that may surprise, with the program they come from:
//!
//! * Text outside entries is a comment, and `%` has no meaning there (BibTeX). An entry after `%` on its
//!   line is read anyway and marked [`Entry::commented`], because BibTeX sees it and biber does not.
//! * `@comment` skips only the word itself (BibTeX). An entry in `@comment{…}` is marked [`Entry::commented`] too, because
//!   biber skips it.
//! * BibTeX stops after the first entry, or other use of `@`, that ends on the last line, and does not see anything after it;
//!   biber does.
//! * Braces are counted regardless of backslashes (BibTeX): `{\{}` is not balanced.
//! * Of two fields with the same name the first counts (BibTeX); both are kept here.
//! * Duplicate keys are found ignoring ASCII case (BibTeX).
//! * Fields are inherited from `crossref` and `xdata` entries only on request:
//!   [`Index::resolve`].
//!
//! [`Field::value_span`] is a byte range of the input, so that an editor can replace one value and leave every other byte
//! unchanged.
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

/// The content of a bibliography file.
#[derive(Debug, Clone, Default)]
pub struct Bibliography {
    /// Entries in file order, duplicates included.
    pub entries: Vec<Entry>,
    /// `@string` definitions: names in lower case, and their values with earlier macros resolved.
    pub macros: BTreeMap<String, String>,
    /// Problems, in file order.
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
    /// A comment for biber but not for BibTeX: `%` comes before the entry on its line, or `@comment{` around it.
    pub commented: bool,
    /// Whether the entry ends where it should. Otherwise fields after the break are lost.
    pub complete: bool,
}

/// One `name = value` of an entry.
#[derive(Debug, Clone, Default)]
pub struct Field {
    /// Name in lower case.
    pub name: String,
    /// Value with macros and `#` resolved, without outer brackets. LaTeX is kept; runs of white space are one blank.
    pub raw: String,
    /// Value as a reader sees it: LaTeX turned into Unicode, without braces.
    pub text: String,
    /// Byte range of the value, with brackets and `#`.
    pub value_span: Range<usize>,
    /// Place of the name.
    pub place: Place,
}

/// A problem in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Its kind.
    pub kind: ProblemKind,
    /// Key of the entry it is in; empty outside entries or before the key.
    pub key: String,
    /// Its place.
    pub place: Place,
    /// What was found and what to do; a message for people.
    pub message: String,
}

/// The kinds of problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", prefix = "bibtex_")]
pub enum ProblemKind {
    /// The file begins with a byte order mark.
    ByteOrderMark,
    /// An entry type is not followed by `{` or `(`.
    NoBracket,
    /// An entry has no key.
    NoKey,
    /// A key contains white space or a character that citation commands cannot contain.
    BadKey,
    /// A field has no name or no `=`.
    BadField,
    /// A field has no value.
    NoValue,
    /// A value is a bare word that is neither a number nor a macro name.
    BareWord,
    /// A comma between two fields is missing.
    NoComma,
    /// A `%` comment is inside an entry, where BibTeX has no comments.
    CommentInEntry,
    /// A brace or quotation mark is never closed.
    Unclosed,
    /// The entry's own bracket is never closed.
    UnclosedEntry,
    /// A value contains what looks like the beginning of another entry.
    SwallowedEntry,
    /// Text after an entry looks like lost fields.
    StrayText,
    /// An entry follows another one on the last line: BibTeX does not find it.
    LastLine,
    /// A macro is used without an earlier definition.
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

    /// Whether BibTeX drops or misreads something because of it. The other problems are warnings.
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
    /// The first non-empty field with this name (lower case).
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields
            .iter()
            .find(|field| field.name == name)
            .filter(|field| !field.is_empty())
    }

    /// The text of the first non-empty field with this name (lower case).
    pub fn text(&self, name: &str) -> Option<&str> {
        self.field(name).map(|field| field.text.as_str())
    }
}

impl Field {
    /// Whether the text is blank.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The value as an identifier or address: without braces and LaTeX escapes; dashes and `~` stay.
    pub fn verbatim(&self) -> String {
        latex::verbatim(&self.raw)
    }
}

/// The year in a `year` or `date` value: the first group of exactly four digits, or a value of three digits.
///
/// `2009-03`, `2001/2003`, `c. 1998`, `{1998}` and `947` give a year; `in press`, `350 BC`, `98` and `20156` do not.
pub fn year_of(text: &str) -> Option<u16> {
    let mut groups = text.split(|c: char| !c.is_ascii_digit());
    let early = Some(text.trim()).filter(|text| text.len() == 3);
    groups
        .find(|digits| digits.len() == 4)
        .or(early)?
        .parse()
        .ok()
}
