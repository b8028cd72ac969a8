//! The commands that the reader knows: their tables, and the actions for the words in them.

use super::{After, GroupKind, Kind, Reader, Token, entries, names, style};
use crate::{BlockKind::Footnote, IncludeKind};

/// A known command.
#[derive(Clone, Copy)]
pub(crate) struct Cmd {
    /// The word for its action: one of `commands.txt`, or one that the reader itself assigns (`symbol`, `sign`, `function`,
    /// `accent`, `set`, `register`, `opaque`).
    pub(crate) what: &'static str,
    /// The parameter of that word.
    pub(crate) how: How,
    /// Arguments to drop before the command runs, as letters of `commands.txt`.
    pub(crate) drops: &'static str,
    pub(crate) role: Role,
    pub(crate) run: Run,
    /// For `\drafttrue` and its kind: the conditional that the command sets, and its value.
    pub(crate) sets: Option<(u32, bool)>,
}

/// Whether a document's own definition of a command replaces the built-in meaning.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It does.
    Free,
    /// It does not: the reader depends on the command.
    Fixed,
    /// It does not, and the command is also run in style files, because it defines something.
    Defines,
}

/// The parameter of a word in `commands.txt`: a text to print, a test, a name, arguments to drop.
pub(crate) type How = &'static str;

/// Runs a command.
pub(crate) type Run = fn(&mut Reader<'_>, Token, How);

impl Cmd {
    pub(crate) fn new(what: &'static str, how: How, role: Role) -> Self {
        Self {
            what,
            how,
            drops: "",
            role,
            run: run(what).unwrap_or(|_, _, _| {}),
            sets: None,
        }
    }

    pub(crate) fn free(what: &'static str, how: How) -> Self {
        Self::new(what, how, Role::Free)
    }

    /// The value of a conditional, if it is fixed.
    pub(crate) fn truth(self) -> Option<bool> {
        let how = Some(self.how).filter(|_| self.what == "if");
        how?.parse().ok()
    }

    /// The text that the command prints, if it prints one fixed text and does nothing else.
    pub(crate) fn prints(self) -> Option<&'static str> {
        matches!(self.what, "symbol" | "sign" | "function").then_some(self.how)
    }
}

/// Every known command; a later one wins over an earlier one.
pub(crate) fn commands() -> impl Iterator<Item = (&'static str, Cmd)> {
    let fixed = names().filter(|(what, ..)| matches!(*what, "symbol" | "sign" | "function"));
    let fixed = fixed.map(|(what, name, text)| (name, Cmd::free(what, text)));
    let listed = entries(include_str!("commands.txt")).flat_map(|(what, how, names)| {
        let (what, role) = match what.split_at_checked(1) {
            Some(("=", what)) => (what, Role::Fixed),
            Some(("+", what)) => (what, Role::Defines),
            _ => (what, Role::Free),
        };
        let (how, drops) = how.split_once('/').unwrap_or((how, ""));
        let cmd = Cmd::new(what, how.trim_end(), role);
        let cmd = Cmd { drops, ..cmd };
        names.split_whitespace().map(move |name| (name, cmd))
    });
    // `\G` is an accent only in bibliographies; in papers it is mostly a macro of the author.
    let accents = names().filter(|(what, name, _)| *what == "accent" && *name != "G");
    let accents = accents.map(|(what, name, _)| (name, Cmd::free(what, name)));
    let space = (" ", Cmd::free("space", ""));
    fixed.chain(listed).chain(accents).chain([space])
}

/// The action for a word of `commands.txt`.
fn run(what: &str) -> Option<Run> {
    Some(match what {
        "nothing" | "none" | "true" | "varies" => |_, _, _| {},
        // Text.
        "symbol" => |reader, token, text| reader.write(token, text),
        "jobname" => |reader, token, _| reader.write(token, &reader.job_name()),
        "counted" => |reader, token, _| reader.write_reference(token),
        "numeral" => |reader, token, _| match reader.number() {
            Some(number) => reader.write(token, &number.to_string()),
            None => reader.write_reference(token),
        },
        "space" => |reader, token, _| reader.space(token),
        "opaque" => |reader, token, _| reader.unknown(token),
        "register" => |reader, _, _| reader.skip_glue(),
        "skip" => |reader, token, how| reader.skip_arguments(token, how),
        "doubtful" => |reader, token, _| reader.doubtful_argument(token),
        "replaced" => |reader, token, _| {
            let shown = reader.argument();
            reader.doubtful_argument(token);
            reader.unread_all(&shown);
        },
        "paragraph" => |reader, token, _| reader.blank_line(token),
        "declare" => |reader, _, how| reader.declare(style::named(how)),
        "font" => |reader, token, how| {
            reader.argument_group(token, After::Nothing);
            reader.declare(style::named(how));
        },
        "script" => |reader, token, how| reader.script(token, how == "up"),
        "and" => |reader, token, _| reader.write(token, ", "),
        "open" => |reader, token, _| reader.open_group(GroupKind::Brace, After::Nothing, token),
        "close" => |reader, token, _| reader.close_brace(token),
        // Blocks of their own.
        "appendix" => |reader, _, _| reader.appendix |= !reader.preamble,
        "caption" => |reader, token, _| reader.begin_caption(token, None),
        "captionof" => |reader, token, _| {
            let float = reader.name_argument();
            reader.begin_caption(token, Some(float));
        },
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
        // Citations, labels, files.
        "input" => |reader, token, _| reader.include(token, IncludeKind::Input),
        "include" => |reader, token, _| reader.include(token, IncludeKind::Include),
        "subfile" => |reader, token, _| reader.include(token, IncludeKind::Subfile),
        "package" => |reader, _, _| reader.packages(IncludeKind::Package),
        "loadclass" => |reader, _, _| reader.packages(IncludeKind::Class),
        "graphicspath" => |reader, _, _| {
            let tokens = reader.argument();
            reader.loading.graphics = reader.groups_of(&tokens);
        },
        "data" => |reader, token, how| reader.printed_file(token, IncludeKind::Data, how),
        "listing" => |reader, token, how| reader.printed_file(token, IncludeKind::Listing, how),
        // Definitions.
        "gdef" => |reader, token, how| reader.globally(|reader| reader.def(token, how)),
        "counter" => |reader, token, _| reader.declare_named(token, "the", "o"),
        "keyword" => |reader, token, how| reader.declare_named(token, "", how),
        "unless" => |reader, _, _| reader.negated = true,
        "atend" => |reader, _, _| {
            let tokens = reader.argument();
            reader.end_hooks.extend(tokens);
        },
        "at" => |reader, _, how| reader.letters.at = how == "on",
        "expl" => |reader, _, how| reader.letters.expl = how == "on",
        "csname" => |reader, token, _| reader.cs_name(token),
        "namedef" => |reader, token, how| {
            reader.named_command(token, how);
            reader.def(token, how);
        },
        // Conditions.
        "if" => |reader, token, how| {
            let truth = reader.truth(how, token);
            reader.branch(truth, token);
        },
        "either" => |reader, token, how| {
            let truth = reader.truth(how, token);
            reader.choose(token, truth);
        },
        // Formulas and numbers.
        "maths" => |reader, token, _| reader.open_math(token),
        "display" => |reader, token, _| reader.begin_display(token, None),
        "endmaths" => |reader, token, _| reader.close_math(token),
        // `\left(`, `\big|`, `\right.`
        "delimiter" => |reader, _, _| {
            reader.drop_sign('.');
        },
        "binomial" => |reader, token, _| reader.argument_group(token, After::Text(" choose ")),
        "sisetup" => |reader, token, _| {
            let options = reader.argument();
            reader.si_rounding(token, &options);
        },
        _ => return method(what),
    })
}

/// For a word that names a method of the reader: the method gets the command's token and the word's parameter.
fn method(what: &str) -> Option<Run> {
    macro_rules! methods {
        ($($name:ident)*) => {
            match what {
                $(stringify!($name) => |reader, token, how| reader.$name(token, how),)*
                _ => return None,
            }
        };
    }
    Some(methods! {
        accent alias at_begin beamer_mode begin_environment begin_heading bib_item bibliography change_code
        changed character cite cites column_type declare_environment declare_name declare_theorem
        declare_unit def document_class each end_branch end_document end_environment end_input
        entry_set expand_after first for_each fraction front front_matter function global graphics
        head_end horizontal_space if_next if_star import include_only input_if_exists item label
        line_end math_palette multi_column multi_row named_command new_cite new_command
        new_environment new_listing new_named_switch new_switch new_theorem new_verb nocite
        other_branch plot_data put_bibliography read_line reference root rule set_box set_named_switch short_verb
        si_angle si_numbers si_only_unit sign small_picture sources string sub_float table_head thin_space units url
        verb x_space
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
