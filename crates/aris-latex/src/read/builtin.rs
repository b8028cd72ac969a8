//! What the reader knows about commands: the type, and the tables that fill it.

use super::{
    accents::MARKS,
    commands::{GROUPS, listed},
    symbols::{FUNCTIONS, OPERATORS, SYMBOLS, pairs},
};
use crate::IncludeKind;

/// A known command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cmd {
    /// Prints nothing and takes nothing.
    Nothing,
    /// Drops what the letters name: `s` star, `o` [..], `m` {..}, `p` (..), `g` a length or number.
    Skip(&'static str),
    Space,
    ThinSpace,
    HSpace,
    Par,
    Symbol(&'static str),
    Operator(&'static str),
    Function(&'static str),
    Accent(&'static str),
    /// Declaration: bits to set, bits to clear.
    Declare(u16, u16),
    /// The same for one argument.
    Font(u16, u16),
    Script(bool),
    Heading(i8),
    Appendix,
    Title,
    Front,
    Keywords,
    Abstract,
    Caption,
    CaptionOf,
    SubFloat,
    Footnote,
    FootnoteMark,
    FootnoteText,
    Item,
    BibItem,
    And,
    Label,
    Ref,
    RefRange,
    Cite,
    Cites,
    CiteAlias,
    NoCite,
    Url,
    Href,
    Verb,
    Listing,
    Begin,
    End,
    BGroup,
    EGroup,
    Include(IncludeKind),
    InputIf,
    Import(bool),
    IncludeOnly,
    GraphicsPath,
    PlotData,
    NewCommand(bool),
    Def,
    DocumentCommand(bool),
    NewEnvironment,
    DocumentEnvironment,
    /// Declares an environment that prints its source; the arguments behind its name to drop.
    NewListing(&'static str),
    Let,
    NewIf,
    Operatorname,
    SiUnit,
    Switch(u32),
    SetSwitch(u32, bool),
    If(If),
    Else,
    Fi,
    BlankArg,
    Toggle,
    SetToggle(bool),
    StarArg,
    NoValueArg(bool),
    NoValue,
    True,
    ExcludeComment,
    IncludeComment,
    /// Runs its argument where the document begins.
    AtBegin,
    /// Runs its argument where the document ends.
    AtEnd,
    /// Shows one of two arguments, which is not known: both, apart. What is dropped before.
    Either(&'static str),
    /// Changes what a macro prints (`\apptocmd`, `\patchcmd`), which is reported and not followed. One letter for each argument with
    /// text behind the macro's name.
    Changes(&'static str),
    /// `\def` of a name without backslash.
    NameDef,
    /// The command of a name without backslash.
    NameUse,
    MathOpen(bool),
    MathClose(bool),
    Frac,
    Sqrt,
    Binom,
    Delimiter,
    Num,
    NumList,
    NumRange,
    Quantity,
    SiSetup,
    QuantityRange,
    QuantityList,
    Unit,
    Angle,
    MultiColumn,
    MultiRow,
    RowEnd,
    Rule,
    HeadEnd,
    TableHead,
    XSpace,
    AtLetter(bool),
    Expl(bool),
    EndInput,
    DocumentClass,
    Package(IncludeKind),
    /// Defined somewhere, in a way that says nothing of what it shows.
    Opaque,
    /// Declares a name; the arguments behind it to drop, or `g` when it is a register.
    Declares(&'static str),
    /// The same for a name without backslash: what is put in front of it, and the arguments behind it to drop.
    DeclaresNamed(&'static str, &'static str),
    /// The first of so many arguments.
    First(u8),
    /// Looks at what follows: a star, or the token that is named.
    IfNext(bool),
    /// `\mathpalette\x{y}` is `\x\textstyle{y}`.
    MathPalette,
    NewTheorem(bool),
    DeclareTheorem,
    CsName,
}

/// Forms of conditionals: what stands between the name and the first branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum If {
    False,
    True,
    Mode,
    Nothing,
    Same,
    One,
    CsName,
    /// Two lengths, or with `false` two numbers.
    Compare(bool),
    Number,
}

impl Cmd {
    /// Commands that a document's own definition does not replace: the reader depends on them.
    pub(crate) fn is_fixed(self) -> bool {
        !matches!(
            self,
            Self::Nothing
                | Self::Skip(_)
                | Self::Space
                | Self::Par
                | Self::ThinSpace
                | Self::HSpace
                | Self::Symbol(_)
                | Self::Operator(_)
                | Self::Function(_)
                | Self::Accent(_)
                | Self::Declare(..)
                | Self::Font(..)
                | Self::Script(_)
                | Self::Front
                | Self::Keywords
                | Self::And
                | Self::Num
                | Self::NumList
                | Self::NumRange
                | Self::Quantity
                | Self::QuantityRange
                | Self::QuantityList
                | Self::Unit
                | Self::Angle
                | Self::Frac
                | Self::Sqrt
                | Self::Binom
                | Self::XSpace
                | Self::Url
                | Self::PlotData
                | Self::Listing
                | Self::Opaque
        )
    }
}

impl Cmd {
    /// Commands that count in a style file.
    pub(crate) fn defines(self) -> bool {
        matches!(
            self,
            Self::NewCommand(_)
                | Self::Def
                | Self::NameDef
                | Self::DocumentCommand(_)
                | Self::NewEnvironment
                | Self::DocumentEnvironment
                | Self::NewListing(_)
                | Self::Let
                | Self::NewIf
                | Self::Operatorname
                | Self::SiUnit
                | Self::NewTheorem(_)
                | Self::DeclareTheorem
                | Self::AtLetter(_)
                | Self::Expl(_)
                | Self::Package(_)
                | Self::EndInput
                | Self::Declares(_)
                | Self::DeclaresNamed(..)
        )
    }
}

/// Every known command; a later one wins over an earlier one.
pub(crate) fn commands() -> impl Iterator<Item = (&'static str, Cmd)> {
    let symbols = pairs(SYMBOLS).map(|(name, text)| (name, Cmd::Symbol(text)));
    let operators = pairs(OPERATORS).map(|(name, text)| (name, Cmd::Operator(text)));
    let functions = FUNCTIONS.iter().map(|name| (*name, Cmd::Function(name)));
    let lists = GROUPS.iter().copied().chain(listed());
    let groups =
        lists.flat_map(|(names, cmd)| names.split_whitespace().map(move |name| (name, cmd)));
    // `\G` is an accent of bibliographies, and papers mean a macro of their own.
    let accents = MARKS.iter().filter(|(name, _)| *name != "G");
    let accents = accents.map(|(name, _)| (*name, Cmd::Accent(name)));
    let space = std::iter::once((" ", Cmd::Space));
    symbols
        .chain(operators)
        .chain(functions)
        .chain(groups)
        .chain(accents)
        .chain(space)
}
