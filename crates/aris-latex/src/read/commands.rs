//! What the reader knows about commands: the tables, and what each word of them does.

use super::{After, GroupKind, Kind, Reader, Token, entries, names, style};
use crate::{BlockKind::Footnote, IncludeKind};

/// A known command.
#[derive(Clone, Copy)]
pub(crate) struct Cmd {
    /// What it does: a word of `commands.txt`, or one of those that the reader gives itself (`symbol`, `sign`, `function`, `accent`, `set`,
    /// `register`, `opaque`).
    pub(crate) what: &'static str,
    /// The word behind that: what it prints, what it tests, the arguments to drop.
    pub(crate) how: &'static str,
    /// The arguments to drop before.
    pub(crate) drops: &'static str,
    pub(crate) role: Role,
    pub(crate) run: Run,
    /// The conditional that it sets, and to what.
    pub(crate) sets: Option<(u32, bool)>,
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

/// Runs a command, with the word that the table has behind it.
pub(crate) type Run = fn(&mut Reader<'_>, Token, &'static str);

impl Cmd {
    pub(crate) fn new(what: &'static str, how: &'static str, role: Role) -> Self {
        Self {
            what,
            how,
            drops: "",
            role,
            run: run(what).unwrap_or(|_, _, _| {}),
            sets: None,
        }
    }

    pub(crate) fn free(what: &'static str, how: &'static str) -> Self {
        Self::new(what, how, Role::Free)
    }

    /// What a conditional decides, where that is known.
    pub(crate) fn truth(self) -> Option<bool> {
        let how = Some(self.how).filter(|_| self.what == "if");
        how?.parse().ok()
    }

    /// The text that it prints, where that is one and nothing else.
    pub(crate) fn prints(self) -> Option<&'static str> {
        matches!(self.what, "symbol" | "sign" | "function").then_some(self.how)
    }
}

/// Every known command; a later one wins over an earlier one.
pub(crate) fn commands() -> impl Iterator<Item = (&'static str, Cmd)> {
    let fixed = names().filter(|(what, ..)| matches!(*what, "symbol" | "sign" | "function"));
    let fixed = fixed.map(|(what, name, text)| (name, Cmd::free(what, text)));
    let listed = entries(include_str!("commands.txt")).map(|(what, how, name)| {
        let (what, role) = match what.split_at_checked(1) {
            Some(("=", what)) => (what, Role::Fixed),
            Some(("+", what)) => (what, Role::Defines),
            _ => (what, Role::Free),
        };
        let (how, drops) = how.split_once('/').unwrap_or((how, ""));
        let cmd = Cmd::new(what, how.trim_end(), role);
        (name, Cmd { drops, ..cmd })
    });
    // `\G` is an accent of bibliographies, and papers mean a macro of their own.
    let accents = names().filter(|(what, name, _)| *what == "accent" && *name != "G");
    let accents = accents.map(|(what, name, _)| (name, Cmd::free(what, name)));
    let space = (" ", Cmd::free("space", ""));
    fixed.chain(listed).chain(accents).chain([space])
}

/// What a word of `commands.txt` does.
fn run(what: &str) -> Option<Run> {
    Some(match what {
        "nothing" | "none" | "true" | "varies" => |_, _, _| {},
        // Text.
        "symbol" => |reader, token, text| reader.write(token, text),
        "sign" => |reader, token, text| reader.operator(token, text),
        "function" => |reader, token, text| reader.function(token, text),
        "jobname" => |reader, token, _| reader.write(token, &reader.job_name()),
        "char" => |reader, token, how| reader.character(token, how == "group"),
        "counted" => |reader, token, _| reader.write_reference(token),
        "numeral" => |reader, token, _| match reader.number() {
            Some(number) => reader.write(token, &number.to_string()),
            None => reader.write_reference(token),
        },
        "accent" => |reader, token, name| reader.accent(token, name),
        "space" => |reader, token, _| reader.space(token),
        "thin" => |reader, token, _| reader.thin_space(token),
        "opaque" => |reader, token, _| reader.unknown(token),
        "register" => |reader, _, _| reader.skip_glue(),
        "columntype" => |reader, _, _| reader.column_type(),
        "skip" => |reader, token, how| reader.skip_arguments(token, how),
        "doubtful" => |reader, token, _| reader.doubtful_argument(token),
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
        "hspace" => |reader, token, _| reader.horizontal_space(token),
        "xspace" => |reader, token, _| reader.x_space(token),
        "paragraph" => |reader, token, _| reader.blank_line(token),
        "declare" => |reader, _, how| reader.declare(style::named(how)),
        "font" => |reader, token, how| {
            reader.argument_group(token, After::Nothing);
            reader.declare(style::named(how));
        },
        "script" => |reader, token, how| reader.script(token, how == "up"),
        "and" => |reader, token, _| reader.write(token, ", "),
        "url" => |reader, _, _| reader.url(true),
        "href" => |reader, _, _| reader.url(false),
        "verb" => |reader, token, _| reader.verb(token, false),
        "inline" => |reader, token, _| reader.verb(token, true),
        "open" => |reader, token, _| reader.open_group(GroupKind::Brace, After::Nothing, token),
        "close" => |reader, token, _| reader.close_brace(token),
        "begin" => |reader, token, _| reader.begin_environment(token),
        "end" => |reader, token, _| reader.end_environment(token),
        // Blocks of their own.
        "heading" => |reader, token, how| reader.begin_heading(token, how.parse().unwrap_or(1)),
        "appendix" => |reader, _, _| reader.appendix |= !reader.preamble,
        "block" => |reader, token, kind| reader.front(token, kind),
        "front" => |reader, token, how| reader.front_matter(token, how),
        "caption" => |reader, token, _| reader.begin_caption(token, None),
        "captionof" => |reader, token, _| {
            let float = reader.name_argument();
            reader.begin_caption(token, Some(float));
        },
        "subfloat" => |reader, token, _| reader.sub_float(token),
        "footnote" => |reader, token, _| {
            reader.writer.footnote_mark();
            reader.block_argument(token, Footnote, After::Close);
        },
        "mark" => |reader, _, _| {
            if reader.peek().kind == Kind::Begin {
                drop(reader.argument());
            }
            reader.writer.footnote_mark();
        },
        "notetext" => |reader, token, _| reader.block_argument(token, Footnote, After::Close),
        "item" => |reader, token, _| reader.item(token),
        "bibitem" => |reader, token, _| reader.bib_item(token),
        "theorem" => |reader, _, how| reader.new_theorem(how == "more"),
        "declaretheorem" => |reader, _, _| reader.declare_theorem(),
        // Citations, labels, files.
        "label" => |reader, _, _| reader.label(),
        "ref" => |reader, token, how| reader.reference(token, how),
        "cite" => |reader, token, how| reader.cite(token, how),
        "cites" => |reader, token, _| reader.cites(token),
        "nocite" => |reader, token, _| reader.nocite(token),
        "entryset" => |reader, token, _| reader.entry_set(token),
        "input" => |reader, token, _| reader.include(token, IncludeKind::Input),
        "include" => |reader, token, _| reader.include(token, IncludeKind::Include),
        "subfile" => |reader, token, _| reader.include(token, IncludeKind::Subfile),
        "inputif" => |reader, token, _| reader.input_if_exists(token),
        "endinput" => |reader, token, _| reader.end_input(token),
        "bibliography" => |reader, _, _| reader.sources("whole"),
        "graphics" => |reader, token, _| reader.graphics(token),
        "package" => |reader, _, _| reader.packages(IncludeKind::Package),
        "loadclass" => |reader, _, _| reader.packages(IncludeKind::Class),
        "sources" => |reader, _, how| reader.sources(how),
        "import" => |reader, token, how| reader.import(token, how == "below"),
        "includeonly" => |reader, _, how| reader.include_only(how == "not"),
        "graphicspath" => |reader, _, _| {
            let tokens = reader.argument();
            reader.loading.graphics = reader.groups_of(&tokens);
        },
        "plot" => |reader, token, _| reader.plot_data(token),
        "class" => |reader, token, _| reader.document_class(token),
        "data" => |reader, token, how| reader.printed_file(token, IncludeKind::Data, how),
        "listing" => |reader, token, how| reader.printed_file(token, IncludeKind::Listing, how),
        // Definitions.
        "define" => |reader, _, how| reader.new_command(how),
        "def" => |reader, _, _| reader.def(),
        "environment" => |reader, token, how| reader.new_environment(token, how),
        "listings" => |reader, token, how| reader.new_listing(token, how),
        "global" => |reader, _, _| reader.global(),
        "gdef" => |reader, _, _| reader.globally(Reader::def),
        "declareenv" => |reader, _, how| reader.declare_environment(how),
        "counter" => |reader, token, _| reader.declare_named(token, "the", "o"),
        "keyword" => |reader, token, how| reader.declare_named(token, "", how),
        "declares" => |reader, token, how| reader.declare_name(token, how),
        "changes" => |reader, token, how| reader.changed(token, how),
        "read" => |reader, token, _| reader.read_line(token),
        "let" => |reader, _, how| reader.alias(how == "copy"),
        "newcite" => |reader, token, _| reader.new_cite(token),
        "newif" => |reader, _, _| reader.new_switch(),
        "newbool" => |reader, _, how| reader.new_named_switch(how),
        "setbool" => |reader, _, how| reader.set_named_switch(how),
        "unless" => |reader, _, _| reader.negated = true,
        "newunit" => |reader, _, _| reader.declare_unit(),
        "atbegin" => |reader, _, _| reader.at_begin(),
        "atend" => |reader, _, _| {
            let tokens = reader.argument();
            reader.end_hooks.extend(tokens);
        },
        "at" => |reader, _, how| reader.letters.at = how == "on",
        "expl" => |reader, _, how| reader.letters.expl = how == "on",
        "csname" => |reader, token, _| reader.cs_name(token),
        "namedef" => |reader, token, _| {
            reader.named_command(token);
            reader.def();
        },
        "nameuse" => |reader, token, _| reader.named_command(token),
        // Conditions.
        "if" => |reader, token, how| {
            let truth = reader.truth(how, token);
            reader.branch(truth, token);
        },
        "else" => |reader, token, _| reader.other_branch(token),
        "fi" => |reader, _, _| reader.end_branch(),
        "ifnext" => |reader, _, _| reader.if_next(),
        "ifstar" => |reader, _, _| reader.if_star(),
        "either" => |reader, token, how| {
            let truth = reader.truth(how, token);
            reader.choose(token, truth);
        },
        // Formulas and numbers.
        "maths" => |reader, token, _| reader.open_math(token),
        "display" => |reader, token, _| reader.begin_display(token, None),
        "endmaths" => |reader, token, _| reader.close_math(token),
        "mathpalette" => |reader, token, _| reader.math_palette(token),
        // `\left(`, `\big|`, `\right.`
        "delimiter" => |reader, _, _| {
            reader.drop_sign('.');
        },
        "fraction" => |reader, token, _| reader.fraction(token),
        "root" => |reader, token, _| reader.root(token),
        "binomial" => |reader, token, _| reader.argument_group(token, After::Text(" choose ")),
        "number" => |reader, token, how| reader.si_numbers(token, how, false),
        "quantity" => |reader, token, how| reader.si_numbers(token, how, true),
        "unit" => |reader, token, _| reader.si_only_unit(token),
        "angle" => |reader, token, _| reader.si_angle(token),
        "sisetup" => |reader, token, _| {
            let options = reader.argument();
            reader.si_rounding(token, &options);
        },
        // Tables.
        "multicolumn" => |reader, _, _| reader.multi_column(),
        "multirow" => |reader, token, _| reader.multi_row(token),
        "rowend" => |reader, token, _| reader.line_end(token),
        "rule" => |reader, _, _| reader.rule(),
        "headend" => |reader, _, _| reader.head_end(),
        "tablehead" => |reader, token, _| reader.table_head(token),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_of_the_table_is_known() {
        for (what, _, name) in entries(include_str!("commands.txt")) {
            let what = what.trim_start_matches(['=', '+']);
            assert!(run(what).is_some(), "{what}: {name}");
        }
    }
}
