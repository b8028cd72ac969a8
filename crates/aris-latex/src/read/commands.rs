//! What the reader knows about commands: the tables, and what each word of them does.

use super::{
    accents,
    reader::Reader,
    style,
    symbols::{OPERATORS, SYMBOLS, entries, functions, pairs},
    token::Token,
};
use crate::IncludeKind;

/// A known command.
#[derive(Clone, Copy)]
pub(crate) struct Cmd {
    pub(crate) act: Act,
    pub(crate) role: Role,
}

/// What a document's own definition of a command counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It replaces ours.
    Free,
    /// It does not: the reader depends on the command.
    Fixed,
    /// The same, and the command itself counts in a style file.
    Defines,
}

type Done = fn(&mut Reader<'_>, Token, &'static str);

/// What a command does. Those with a name of their own are looked for where they are not run.
#[derive(Clone, Copy)]
pub(crate) enum Act {
    /// Runs, with the word that the table has behind it.
    Do(Done, &'static str),
    /// Prints nothing and takes nothing.
    Nothing,
    /// Defined somewhere, in a way that says nothing of what it shows.
    Opaque,
    Space,
    ThinSpace,
    Symbol(&'static str),
    Operator(&'static str),
    Function(&'static str),
    Fraction,
    Footnote,
    FootnoteMark,
    RowEnd,
    Begin,
    End,
    BGroup,
    Include(IncludeKind),
    InputIf,
    EndInput,
    CsName,
    /// Sets the conditional of that name.
    SetSwitch(u32, bool),
    /// With what is tested, as the table names it; a switch that nobody knows tests nothing.
    If(&'static str),
    Else,
    Fi,
    NoValue,
    True,
}

impl Cmd {
    pub(crate) const OPAQUE: Self = Self::free(Act::Opaque);

    pub(crate) const fn free(act: Act) -> Self {
        Self {
            act,
            role: Role::Free,
        }
    }

    pub(crate) const fn fixed(act: Act) -> Self {
        Self {
            act,
            role: Role::Fixed,
        }
    }

    /// A length register: its value is dropped.
    pub(crate) fn register() -> Self {
        Self::free(Act::Do(|reader, _, _| reader.skip_glue(), ""))
    }

    /// Whether a document's own definition does not replace it.
    pub(crate) fn is_fixed(self) -> bool {
        self.role != Role::Free
    }
}

/// Every known command; a later one wins over an earlier one.
pub(crate) fn commands() -> impl Iterator<Item = (&'static str, Cmd)> {
    let symbols = pairs(SYMBOLS).map(|(name, text)| (name, Act::Symbol(text)));
    let operators = pairs(OPERATORS).map(|(name, text)| (name, Act::Operator(text)));
    let functions = functions().map(|name| (name, Act::Function(name)));
    let before = symbols.chain(operators).chain(functions);
    // `\G` is an accent of bibliographies, and papers mean a macro of their own.
    let accents = pairs(accents::MARKS).filter(|(name, _)| *name != "G");
    let accent: Done = |reader, token, name| reader.accent(token, name);
    let accents = accents.map(move |(name, _)| (name, Act::Do(accent, name)));
    let after = accents.chain([(" ", Act::Space)]);
    let free = |(name, act)| (name, Cmd::free(act));
    before.map(free).chain(listed()).chain(after.map(free))
}

/// The lists of `commands.txt`.
fn listed() -> impl Iterator<Item = (&'static str, Cmd)> {
    entries(include_str!("commands.txt")).filter_map(|(what, how, name)| {
        let (what, role) = match what.split_at_checked(1)? {
            ("=", what) => (what, Role::Fixed),
            ("+", what) => (what, Role::Defines),
            _ => (what, Role::Free),
        };
        let act = act(what, how)?;
        Some((name, Cmd { act, role }))
    })
}

/// What a word of `commands.txt` does.
fn act(what: &str, how: &'static str) -> Option<Act> {
    let done: Done = match what {
        "nothing" => return Some(Act::Nothing),
        "space" => return Some(Act::Space),
        "thin" => return Some(Act::ThinSpace),
        "fraction" => return Some(Act::Fraction),
        "footnote" => return Some(Act::Footnote),
        "mark" => return Some(Act::FootnoteMark),
        "rowend" => return Some(Act::RowEnd),
        "begin" => return Some(Act::Begin),
        "end" => return Some(Act::End),
        "open" => return Some(Act::BGroup),
        "input" => return Some(Act::Include(IncludeKind::Input)),
        "include" => return Some(Act::Include(IncludeKind::Include)),
        "subfile" => return Some(Act::Include(IncludeKind::Subfile)),
        "bibliography" => return Some(Act::Include(IncludeKind::Bibliography)),
        "graphics" => return Some(Act::Include(IncludeKind::Graphics)),
        "package" => return Some(Act::Include(IncludeKind::Package)),
        "loadclass" => return Some(Act::Include(IncludeKind::Class)),
        "inputif" => return Some(Act::InputIf),
        "endinput" => return Some(Act::EndInput),
        "csname" => return Some(Act::CsName),
        "if" => return Some(Act::If(how)),
        "else" => return Some(Act::Else),
        "fi" => return Some(Act::Fi),
        "none" => return Some(Act::NoValue),
        "true" => return Some(Act::True),
        // Text.
        "skip" => |reader, token, how| reader.skip_arguments(token, how),
        "doubtful" => |reader, token, how| {
            reader.skip_arguments(token, how);
            reader.doubtful_argument(token);
        },
        "replaced" => |reader, token, _| {
            let shown = reader.argument();
            reader.doubtful_argument(token);
            reader.unread_all(&shown);
        },
        "setbox" => |reader, token, _| reader.set_box(token),
        "foreach" => |reader, token, _| reader.for_each(token),
        "string" => |reader, _, _| reader.string(),
        "codes" => |reader, token, _| reader.change_code(token),
        "shortverb" => |reader, _, how| reader.short_verb(how == "end"),
        "newverb" => |reader, _, how| reader.new_verb(how),
        "expandafter" => |reader, _, _| reader.expand_after(),
        "each" => |reader, token, how| reader.each(token, how),
        "mode" => |reader, token, _| reader.beamer_mode(token),
        "first" => |reader, _, how| reader.first(how),
        "either" => |reader, token, how| reader.either(token, how),
        "hspace" => |reader, token, _| reader.horizontal_space(token),
        "xspace" => |reader, token, _| reader.x_space(token),
        "paragraph" => |reader, token, _| reader.blank_line(token),
        "declare" => |reader, _, how| reader.declare(style::named(how)),
        "font" => |reader, token, how| {
            reader.argument_group(token, super::reader::After::Nothing);
            reader.declare(style::named(how));
        },
        "superscript" => |reader, token, _| reader.script(token, true),
        "subscript" => |reader, token, _| reader.script(token, false),
        "and" => |reader, token, _| reader.write(token, ", "),
        "url" => |reader, _, _| reader.url(),
        "href" => |reader, _, _| reader.href(),
        "verb" => |reader, token, _| reader.verb(token, false),
        "inline" => |reader, token, _| reader.verb(token, true),
        "close" => |reader, token, _| reader.close_brace(token),
        // Blocks of their own.
        "heading" => |reader, token, how| reader.begin_heading(token, how.parse().unwrap_or(1)),
        "appendix" => |reader, _, _| reader.appendix |= !reader.preamble,
        "title" => |reader, token, _| reader.title(token),
        "front" => |reader, token, _| reader.front_matter(token),
        "keywords" => |reader, token, _| reader.front(token, crate::BlockKind::Keywords),
        "abstract" => |reader, token, _| reader.front(token, crate::BlockKind::Abstract),
        "caption" => |reader, token, _| reader.begin_caption(token, None),
        "captionof" => |reader, token, _| reader.caption_of(token),
        "subfloat" => |reader, token, _| reader.sub_float(token),
        "notetext" => |reader, token, _| reader.footnote_text(token),
        "item" => |reader, token, _| reader.item(token),
        "bibitem" => |reader, token, _| reader.bib_item(token),
        "theorem" => |reader, _, how| reader.new_theorem(how == "more"),
        "declaretheorem" => |reader, _, _| reader.declare_theorem(),
        // Citations, labels, files.
        "label" => |reader, _, _| reader.label(),
        "ref" => |reader, token, _| reader.reference(token, 1),
        "refrange" => |reader, token, _| reader.reference(token, 2),
        "cite" => |reader, token, how| {
            reader.skip_arguments(token, how);
            reader.cite(token);
        },
        "cites" => |reader, token, _| reader.cites(token),
        "nocite" => |reader, token, _| reader.nocite(token),
        "entryset" => |reader, token, _| reader.entry_set(token),
        "sources" => |reader, _, how| reader.own_sources(how),
        "import" => |reader, token, how| reader.import(token, how == "below"),
        "includeonly" => |reader, _, how| reader.include_only(how == "not"),
        "graphicspath" => |reader, _, _| reader.graphics_path(),
        "plot" => |reader, token, _| reader.plot_data(token),
        "class" => |reader, token, _| reader.document_class(token),
        "data" => |reader, token, how| reader.printed_file(token, IncludeKind::Data, how),
        "listing" => |reader, token, how| reader.printed_file(token, IncludeKind::Listing, how),
        // Definitions.
        "define" => |reader, _, how| reader.new_command(how == "keep"),
        "def" => |reader, _, _| reader.def(),
        "xparse" => |reader, _, how| reader.document_command(how == "keep"),
        "environment" => |reader, token, how| reader.new_environment(token, how != "xparse"),
        "listings" => |reader, token, how| reader.new_listing(token, how),
        "global" => |reader, _, _| reader.global(),
        "gdef" => |reader, _, _| reader.globally(Reader::def),
        "declareenv" => |reader, _, how| reader.declare_environment(how),
        "counter" => |reader, token, _| reader.declare_named(token, "the", "o"),
        "keyword" => |reader, token, how| reader.declare_named(token, "", how),
        "declares" => |reader, token, how| reader.declare_name(token, how),
        "changes" => |reader, token, how| reader.changed(token, how),
        "let" => |reader, _, _| reader.alias(),
        "newcite" => |reader, token, _| reader.new_cite(token),
        "newif" => |reader, _, _| reader.new_switch(),
        "newbool" => |reader, _, how| reader.new_named_switch(how),
        "setbool" => |reader, _, how| reader.set_named_switch(how),
        "unless" => |reader, _, _| reader.negated = true,
        "operator" => |reader, _, _| reader.math_operator(),
        "newunit" => |reader, _, _| reader.declare_unit(),
        "atbegin" => |reader, _, _| reader.at_begin(),
        "atend" => |reader, _, _| reader.at_end(),
        "at" => |reader, _, how| reader.letters.at = how == "on",
        "expl" => |reader, _, how| reader.letters.expl = how == "on",
        "namedef" => |reader, token, _| {
            reader.named_command(token);
            reader.def();
        },
        "nameuse" => |reader, token, _| reader.named_command(token),
        // Conditions.
        "ifnext" => |reader, _, _| reader.if_next(false),
        "ifstar" => |reader, _, _| reader.if_next(true),
        "ifblank" => |reader, token, _| reader.if_blank(token),
        "ifargument" => |reader, token, how| reader.if_argument(token, how),
        // Formulas and numbers.
        "maths" => |reader, token, _| reader.open_math(token),
        "display" => |reader, token, _| reader.begin_display(token, None),
        "endmaths" => |reader, token, _| reader.close_math(token),
        "mathpalette" => |reader, token, _| reader.math_palette(token),
        "delimiter" => |reader, _, _| reader.delimiter(),
        "root" => |reader, token, _| reader.root(token),
        "binomial" => |reader, token, _| reader.binomial(token),
        "number" => |reader, token, how| reader.si_numbers(token, how, false),
        "quantity" => |reader, token, how| reader.si_numbers(token, how, true),
        "unit" => |reader, token, _| reader.si_only_unit(token),
        "angle" => |reader, token, _| reader.si_angle(token),
        "sisetup" => |reader, token, _| reader.si_setup(token),
        // Tables.
        "multicolumn" => |reader, _, _| reader.multi_column(),
        "multirow" => |reader, token, _| reader.multi_row(token),
        "rule" => |reader, _, _| reader.rule(),
        "headend" => |reader, _, _| reader.head_end(),
        "tablehead" => |reader, token, _| reader.table_head(token),
        _ => return None,
    };
    Some(Act::Do(done, how))
}
