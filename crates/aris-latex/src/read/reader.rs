//! The reader's state: where tokens come from, groups, and what is being written.

use std::collections::{BTreeMap, BTreeSet};
use std::{rc::Rc, sync::Arc};

use super::{Cmd, Grid, Kind, Letters, Names, Style, Token, Writer, commands, entries, style};
use crate::{BlockKind, Document, Error, IncludeKind, Loader, Place, Problem, ProblemKind};

/// Macro calls nested deeper than this are not expanded: real documents stay below ten.
pub(super) const MAX_EXPANSION_DEPTH: u32 = 100;
/// Most problems that are listed.
const MAX_PROBLEMS: usize = 1_000;

/// What a name means at the moment.
#[derive(Clone, Default)]
pub(super) enum Meaning {
    #[default]
    Unknown,
    Known(Cmd),
    Macro(Rc<Macro>),
}

/// One parameter of a macro.
#[derive(Clone, Debug)]
pub(super) enum Parameter {
    Mandatory,
    /// Holds the default.
    Optional(Rc<[Token]>),
    Star,
    /// Everything up to this control sequence.
    Until(u32),
}

/// A macro of the document.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    /// `None` when the parameter text is not understood: calls are then not expanded.
    pub(super) parameters: Option<Vec<Parameter>>,
    pub(super) body: Rc<[Token]>,
    pub(super) place: Place,
    /// Defined in a style file: expanded only if everything in it is known.
    pub(super) style: bool,
    /// Number of the doubt in which it was defined, or 0.
    pub(super) doubt: u32,
}

/// One macro call.
#[derive(Default)]
pub(super) struct Expansion {
    pub(super) name: Arc<str>,
    pub(super) call: Place,
    pub(super) depth: u32,
}

/// A file that is being read.
pub(super) struct File {
    /// Index into the document's files.
    pub(super) number: u32,
    pub(super) text: Arc<str>,
    /// Where the next token begins.
    pub(super) pos: usize,
    /// At the beginning of a line: spaces are skipped, a line end is a blank line.
    pub(super) fresh: bool,
    /// Byte offset at which reading stops.
    pub(super) end: usize,
    pub(super) kind: IncludeKind,
    /// Directory of the import package, searched first.
    pub(super) import: Option<String>,
    /// Has a `\documentclass` of its own (a subfile).
    pub(super) own: bool,
    /// The letters of the file that includes it, restored at its end.
    pub(super) letters: Letters,
    /// Number of the doubt that ends with the file, or 0.
    pub(super) doubt: u32,
}

/// A source of tokens: the token stack above `base`, then the file. Without a file, only the tokens on the stack are processed.
pub(super) struct Frame {
    pub(super) base: usize,
    pub(super) file: Option<File>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum GroupKind {
    Brace,
    Environment(u32),
    Math,
    Cell,
}

/// What to do when a group ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum After {
    Nothing,
    /// Finish a block of its own.
    Close,
    Heading(usize),
    Caption,
    Text(&'static str),
    Table,
    Float,
    /// An alignment that makes no cells.
    Align,
    Paragraph,
    Display,
    /// An argument of an unknown command. It may be code, so groups in it need not balance.
    Argument,
}

pub(super) struct Group {
    pub(super) kind: GroupKind,
    pub(super) after: After,
    pub(super) style: Style,
    pub(super) flow: Option<&'static BlockKind>,
    pub(super) undo: usize,
    pub(super) origin: usize,
    pub(super) place: Place,
    /// Number of the doubt that ends with the group, or 0.
    pub(super) doubt: u32,
}

/// A float that is open.
#[derive(Default)]
pub(super) struct Float {
    pub(super) name: String,
    pub(super) first_table: usize,
    pub(super) caption: Option<usize>,
    pub(super) label: Option<String>,
}

/// An open conditional.
#[derive(Clone, Copy)]
pub(super) struct Branch {
    pub(super) place: Place,
    /// Number of the doubt about its text. 0 if the condition is decided: the first branch was taken, and `\else` skips the
    /// second.
    pub(super) doubt: u32,
}

/// What an environment is.
#[derive(Clone)]
pub(super) enum Env {
    /// Built in: its kind and the arguments to drop, from `environments.txt`.
    Known(&'static str, &'static str),
    /// Defined by the document: the code at its beginning and at its end.
    Own(Rc<Macro>, Rc<Macro>),
}

#[derive(Default)]
pub(super) struct Reader<'a> {
    /// Always `Some`; an `Option` so that the other fields can begin with their defaults.
    pub(super) loader: Option<&'a mut Loader<'a>>,
    pub(super) doc: Document,
    pub(super) names: Names,
    pub(super) writer: Writer,
    pub(super) meanings: Vec<Meaning>,
    pub(super) undo: Vec<(u32, Meaning)>,
    pub(super) stack: Vec<Token>,
    pub(super) frames: Vec<Frame>,
    pub(super) groups: Vec<Group>,
    pub(super) overflow: usize,
    /// How many environments of each name are open.
    pub(super) open: BTreeMap<u32, usize>,
    pub(super) style: Style,
    pub(super) origin: usize,
    /// What `&` and `\\` belong to: `Some` for a table, `None` for a formula or a tabular inside a cell.
    pub(super) alignments: Vec<Option<Grid>>,
    pub(super) floats: Vec<Float>,
    pub(super) branches: Vec<Branch>,
    /// Whether `\unless` negates the next condition.
    pub(super) negated: bool,
    /// Number of open style files; see `assets.rs`.
    pub(super) styles: usize,
    pub(super) environments: BTreeMap<u32, Env>,
    /// Environments of `environments.txt` that the document has not declared otherwise.
    pub(super) built_in: BTreeSet<u32>,
    /// Characters that begin and end inline code, `\MakeShortVerb`.
    pub(super) short_verbs: String,
    /// Whether beamer leaves out what stands outside frames.
    pub(super) frames_only: bool,
    /// What `\AtBeginDocument` keeps.
    pub(super) begin_hooks: Vec<Token>,
    /// What `\AtEndDocument` keeps.
    pub(super) end_hooks: Vec<Token>,
    pub(super) units: BTreeMap<u32, String>,
    pub(super) letters: Letters,
    pub(super) preamble: bool,
    pub(super) appendix: bool,
    pub(super) finished: bool,
    /// Why the document cannot be read.
    pub(super) failed: Option<Error>,
    pub(super) work: usize,
    pub(super) exhausted: bool,
    /// Bytes that were searched for undefined environments that are code, and for hidden ones; `may_judge` limits them.
    pub(super) judged: usize,
    /// Calls that were reported to expand without end.
    pub(super) endless: BTreeSet<Place>,
    pub(super) loading: super::include::Loading,
    pub(super) refs: super::refs::Refs,
    /// Column types that the document defines, by their letter.
    pub(super) column_types: BTreeMap<char, Vec<Token>>,
    /// Names that were already reported.
    pub(super) reported: BTreeSet<u32>,
    /// Names that are arguments of commands which are not followed: these may define them.
    pub(super) handled: BTreeSet<u32>,
    /// First uses of other undefined names: an installed package may define them.
    pub(super) installed_names: BTreeSet<Place>,
    /// End of the last environment that was searched for numbers.
    pub(super) searched: Option<Place>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(loader: &'a mut Loader<'a>) -> Self {
        let mut reader = Self {
            loader: Some(loader),
            origin: usize::MAX,
            ..Self::default()
        };
        reader.writer.expansions.push(Expansion::default());
        reader.ref_section(None);
        for (name, cmd) in commands::commands() {
            let index = reader.names.intern(name);
            reader.set_meaning(index, Meaning::Known(cmd));
        }
        for (what, arguments, names) in entries(include_str!("environments.txt")) {
            for name in names.split_whitespace() {
                let starred = [name, "*"].concat();
                let [name, starred] = [name, &starred].map(|name| reader.names.intern(name));
                let env = Env::Known(what, arguments);
                reader.built_in.extend([name, starred]);
                reader.environments.entry(starred).or_insert(env.clone());
                reader.environments.insert(name, env);
            }
        }
        reader
    }

    /// Makes an environment one of a built-in kind: a comment, a listing, a theorem.
    pub(super) fn set_environment(&mut self, name: u32, what: &'static str) {
        self.built_in.remove(&name);
        self.environments.insert(name, Env::Known(what, ""));
    }

    pub(super) fn meaning(&self, name: u32) -> Meaning {
        let meaning = self.meanings.get(name as usize);
        meaning.cloned().unwrap_or_default()
    }

    /// The built-in command that a token names.
    pub(super) fn cmd(&self, token: Token) -> Option<Cmd> {
        match self.meanings.get(token.name()? as usize) {
            Some(Meaning::Known(cmd)) => Some(*cmd),
            _ => None,
        }
    }

    /// Whether a token is a control sequence without a definition.
    pub(super) fn is_unknown(&self, token: Token) -> bool {
        matches!(token.kind, Kind::Name(name) if matches!(self.meaning(name), Meaning::Unknown))
    }

    /// The table word of a built-in command; empty for other tokens.
    pub(super) fn what(&self, token: Token) -> &'static str {
        self.cmd(token).map_or("", |cmd| cmd.what)
    }

    pub(super) fn set_meaning(&mut self, name: u32, meaning: Meaning) {
        let at = name as usize;
        if self.meanings.len() <= at {
            self.meanings.resize_with(at + 1, Meaning::default);
        }
        if let Some(slot) = self.meanings.get_mut(at) {
            let old = std::mem::replace(slot, meaning);
            if !self.groups.is_empty() {
                self.undo.push((name, old));
            }
        }
    }

    pub(super) fn restore_meanings(&mut self, to: usize) {
        for (name, old) in self.undo.drain(to.min(self.undo.len())..).rev() {
            if let Some(slot) = self.meanings.get_mut(name as usize) {
                *slot = old;
            }
        }
    }

    pub(super) fn paragraph(&mut self, token: Token) {
        self.writer.paragraph(token.fixed());
    }

    pub(super) fn space(&mut self, token: Token) {
        // A space in the source is copied; a command stands for one.
        let token = if token.len == 1 { token } else { token.fixed() };
        self.writer.space(token, self.style);
    }

    pub(super) fn write(&mut self, token: Token, text: &str) {
        self.write_as(self.style, token, text);
    }

    /// Writes in another style.
    pub(super) fn write_as(&mut self, style: Style, token: Token, text: &str) {
        self.writer.write(text, token.fixed(), style);
    }

    pub(super) fn write_word(&mut self, token: Token) {
        // A macro can print the same source text many times.
        if !self.is_straight(token) && !self.spend_bytes(token.len as usize) {
            return;
        }
        let text = token.of(&self.doc.files);
        if self.style.has(style::MATHS | style::CODE | style::URL) {
            self.writer.write(text, token, self.style);
        } else {
            self.writer.write_prose(text, token, self.style);
        }
    }

    pub(super) fn problem_at(&mut self, kind: ProblemKind, at: Token, message: impl Into<String>) {
        self.problem(kind, self.place(at), message);
    }

    pub(super) fn problem(&mut self, kind: ProblemKind, place: Place, message: impl Into<String>) {
        // Apparent problems in a style file mostly come from code that is not understood.
        let is_ours = self.styles == 0 || kind == ProblemKind::Expansion;
        if is_ours && self.doc.problems.len() < MAX_PROBLEMS {
            let message = message.into();
            self.doc.problems.push(Problem {
                kind,
                place,
                message,
            });
        }
    }
}
