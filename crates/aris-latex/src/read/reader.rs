//! The reader's state: where tokens come from, groups, and what is being written.

use std::{collections::BTreeMap, rc::Rc, sync::Arc};

use super::{
    builtin::{self, Cmd},
    lexer::{self, Cursor, Letters},
    names::Names,
    style::{self, Style},
    tables::Grid,
    token::{Kind, Op, Token, narrow},
    writer::{Flow, Lookup, Source, Writer},
};
use crate::{Document, IncludeKind, Loader, MarkKind, Place, Problem, ProblemKind};

/// Macro calls nested deeper than this end: real documents stay below ten.
pub(super) const MAX_EXPANSION_DEPTH: u32 = 100;
/// Tokens that expansion and argument scanning may handle besides [`WORK_PER_BYTE`] for each byte read.
const WORK_BASE: usize = 2_000_000;
const WORK_PER_BYTE: usize = 4;
/// Groups deeper than this are only counted.
const MAX_GROUPS: usize = 100_000;
/// Problems listed; more of them say nothing new.
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
    /// With the default, if there is one.
    Optional(Option<Rc<[Token]>>),
    Star,
}

/// A macro of the document.
#[derive(Debug)]
pub(super) struct Macro {
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Rc<[Token]>,
    pub(super) place: Place,
}

/// One macro call.
#[derive(Clone, Copy)]
pub(super) struct Expansion {
    pub(super) name: u32,
    pub(super) definition: Place,
    pub(super) call: Place,
    pub(super) depth: u32,
}

/// Where tokens come from below the token stack.
pub(super) enum Frame {
    File {
        file: u32,
        text: Arc<str>,
        cursor: Cursor,
        base: usize,
        kind: IncludeKind,
        /// Directories the import package looks in first.
        import: Option<String>,
        /// Has a `\documentclass` of its own (a subfile).
        own: bool,
        letters: Letters,
    },
    /// The tokens above `base` are looked at on their own.
    Barrier { base: usize },
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
    /// A numerator: the denominator follows.
    Over(bool),
    Table,
    Float,
    /// Alignment without cells of its own.
    Align,
    Paragraph,
    Display,
}

pub(super) struct Group {
    pub(super) kind: GroupKind,
    pub(super) after: After,
    pub(super) style: Style,
    pub(super) flow: Flow,
    pub(super) undo: usize,
    pub(super) origin: usize,
    pub(super) place: Place,
}

/// A float that is open.
pub(super) struct Float {
    pub(super) name: String,
    pub(super) first_table: usize,
    pub(super) caption: Option<usize>,
    pub(super) label: Option<String>,
}

/// An open conditional.
#[derive(Clone, Copy)]
pub(super) struct Branch {
    /// The first branch was taken, so that `\else` skips.
    pub(super) skip_else: bool,
    pub(super) place: Place,
}

/// What `&` and `\\` belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Alignment {
    Grid,
    /// A formula, or a tabular inside a cell.
    Inline,
}

pub(super) struct UserEnvironment {
    pub(super) begin: Rc<Macro>,
    pub(super) end: Rc<Macro>,
    pub(super) name: u32,
}

pub(super) struct Reader<'a> {
    pub(super) loader: &'a mut dyn Loader,
    pub(super) doc: Document,
    pub(super) names: Names,
    pub(super) writer: Writer,
    pub(super) meanings: Vec<Meaning>,
    pub(super) undo: Vec<(u32, Meaning)>,
    pub(super) stack: Vec<Token>,
    pub(super) frames: Vec<Frame>,
    pub(super) expansions: Vec<Expansion>,
    pub(super) groups: Vec<Group>,
    pub(super) overflow: usize,
    pub(super) open_environments: Vec<u32>,
    pub(super) style: Style,
    pub(super) origin: usize,
    pub(super) links: Vec<MarkKind>,
    pub(super) grids: Vec<Grid>,
    pub(super) alignments: Vec<Alignment>,
    pub(super) floats: Vec<Float>,
    pub(super) branches: Vec<Branch>,
    pub(super) switches: Vec<bool>,
    pub(super) toggles: BTreeMap<String, bool>,
    pub(super) environments: BTreeMap<u32, Rc<UserEnvironment>>,
    pub(super) excluded: Vec<u32>,
    pub(super) units: BTreeMap<u32, String>,
    pub(super) letters: Letters,
    pub(super) preamble: bool,
    pub(super) appendix: bool,
    pub(super) finished: bool,
    pub(super) work: usize,
    pub(super) exhausted: bool,
    pub(super) loading: super::include::Loading,
}

impl<'a> Reader<'a> {
    pub(super) fn new(loader: &'a mut dyn Loader) -> Self {
        let mut reader = Self {
            loader,
            doc: Document::default(),
            names: Names::new(),
            writer: Writer::new(),
            meanings: Vec::new(),
            undo: Vec::new(),
            stack: Vec::new(),
            frames: Vec::new(),
            // Number 0 is the document itself.
            expansions: vec![Expansion {
                name: 0,
                definition: Place { file: 0, offset: 0 },
                call: Place { file: 0, offset: 0 },
                depth: 0,
            }],
            groups: Vec::new(),
            overflow: 0,
            open_environments: Vec::new(),
            style: Style::default(),
            origin: usize::MAX,
            links: Vec::new(),
            grids: Vec::new(),
            alignments: Vec::new(),
            floats: Vec::new(),
            branches: Vec::new(),
            switches: Vec::new(),
            toggles: BTreeMap::new(),
            environments: BTreeMap::new(),
            excluded: Vec::new(),
            units: BTreeMap::new(),
            letters: Letters::default(),
            preamble: false,
            appendix: false,
            finished: false,
            work: 0,
            exhausted: false,
            loading: super::include::Loading::default(),
        };
        for (name, cmd) in builtin::commands() {
            let index = reader.names.intern(name);
            reader.set_meaning(index, Meaning::Known(cmd));
        }
        reader.undo.clear();
        reader
    }

    // --- meanings

    pub(super) fn meaning(&self, name: u32) -> Meaning {
        self.meanings
            .get(name as usize)
            .cloned()
            .unwrap_or_default()
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

    fn restore_meanings(&mut self, to: usize) {
        while self.undo.len() > to {
            if let Some((name, old)) = self.undo.pop()
                && let Some(slot) = self.meanings.get_mut(name as usize)
            {
                *slot = old;
            }
        }
    }

    // --- tokens

    pub(super) fn next(&mut self) -> Token {
        match self.frames.last_mut() {
            Some(Frame::File {
                base,
                text,
                file,
                cursor,
                ..
            }) => {
                if self.stack.len() > *base
                    && let Some(token) = self.stack.pop()
                {
                    return token;
                }
                lexer::next(text, *file, cursor, self.letters, &mut self.names)
            }
            Some(Frame::Barrier { base }) => {
                if self.stack.len() > *base
                    && let Some(token) = self.stack.pop()
                {
                    return token;
                }
                Token::new(Kind::Stop, 0, 0, 0)
            }
            None => Token::new(Kind::Stop, 0, 0, 0),
        }
    }

    /// A word with those that follow it on its line, when it comes straight from the file.
    pub(super) fn extend_line(&mut self, word: Token) -> Token {
        if let Some(Frame::File {
            base,
            text,
            cursor,
            file,
            ..
        }) = self.frames.last_mut()
            && self.stack.len() == *base
            && word.exp == 0
            && word.file == *file
            && (word.at + word.len) as usize == cursor.pos
        {
            let end = lexer::extend(text, cursor);
            return Token {
                len: narrow(end) - word.at,
                ..word
            };
        }
        word
    }

    pub(super) fn unread(&mut self, token: Token) {
        if token.kind != Kind::Stop {
            self.stack.push(token);
        }
    }

    /// Puts tokens back so that the first comes next.
    pub(super) fn unread_all(&mut self, tokens: &[Token]) {
        self.stack
            .extend(tokens.iter().rev().filter(|token| token.kind != Kind::Stop));
    }

    /// The next token without spaces before it.
    pub(super) fn next_visible(&mut self) -> Token {
        loop {
            let token = self.next();
            if token.kind != Kind::Space {
                return token;
            }
        }
    }

    pub(super) fn peek(&mut self) -> Token {
        let token = self.next();
        self.unread(token);
        token
    }

    /// Counts work; false when the budget is used up.
    pub(super) fn spend(&mut self, tokens: usize) -> bool {
        self.work += tokens;
        let budget = WORK_BASE + WORK_PER_BYTE * self.loading.bytes;
        if self.work > budget && !self.exhausted {
            self.exhausted = true;
            let place = self.here();
            self.problem(
                ProblemKind::Expansion,
                place,
                "macro expansion takes too long and is cut off".to_owned(),
            );
        }
        !self.exhausted
    }

    /// The position of the innermost file's cursor.
    pub(super) fn here(&self) -> Place {
        self.frames
            .iter()
            .rev()
            .find_map(|frame| match frame {
                Frame::File { file, cursor, .. } => Some(Place {
                    file: *file as usize,
                    offset: cursor.pos,
                }),
                Frame::Barrier { .. } => None,
            })
            .unwrap_or(Place { file: 0, offset: 0 })
    }

    /// The literal source of a token.
    pub(super) fn text(&self, token: Token) -> &str {
        let (from, to) = (token.at as usize, token.at as usize + token.len as usize);
        self.doc
            .files
            .get(token.file as usize)
            .and_then(|file| file.text.get(from..to))
            .unwrap_or("")
    }

    pub(super) fn literal(token: Token) -> Place {
        Place {
            file: token.file as usize,
            offset: token.at as usize,
        }
    }

    /// Where a token stands for the reader of the source: the call, when a macro produced it.
    pub(super) fn place(&self, token: Token) -> Place {
        if token.exp == 0 {
            return Self::literal(token);
        }
        self.expansions
            .get(token.exp as usize)
            .map_or_else(|| Self::literal(token), |exp| exp.call)
    }

    pub(super) fn source(&self, token: Token, copied: bool) -> Source {
        Source {
            place: self.place(token),
            copied: copied && token.exp == 0,
            exp: token.exp,
            literal: Self::literal(token),
        }
    }

    // --- writing

    pub(super) fn with_lookup<T>(&mut self, act: impl FnOnce(&mut Writer, &Lookup<'_>) -> T) -> T {
        let (expansions, names) = (&self.expansions, &self.names);
        let expanded = |exp: u32| {
            let Some(found) = expansions.get(exp as usize) else {
                return (String::new(), Place { file: 0, offset: 0 });
            };
            (names.text(found.name).to_owned(), found.definition)
        };
        act(
            &mut self.writer,
            &Lookup {
                expanded: &expanded,
                links: &self.links,
            },
        )
    }

    pub(super) fn paragraph(&mut self, token: Token) {
        let source = self.source(token, false);
        self.with_lookup(|writer, lookup| writer.paragraph(source, lookup));
    }

    pub(super) fn space(&mut self, token: Token) {
        let source = self.source(token, token.len == 1);
        self.writer.space(source, self.style);
    }

    pub(super) fn write(&mut self, token: Token, text: &str) {
        let source = self.source(token, false);
        self.writer.write(text, source, self.style);
    }

    pub(super) fn write_word(&mut self, token: Token) {
        let source = self.source(token, true);
        let (from, to) = (token.at as usize, token.at as usize + token.len as usize);
        let Some(text) = self
            .doc
            .files
            .get(token.file as usize)
            .and_then(|file| file.text.get(from..to))
        else {
            return;
        };
        if self.style.has(style::MATHS | style::CODE | style::URL) {
            self.writer.write(text, source, self.style);
        } else {
            self.writer.write_prose(text, source, self.style);
        }
    }

    pub(super) fn problem(&mut self, kind: ProblemKind, place: Place, message: String) {
        if self.doc.problems.len() < MAX_PROBLEMS {
            self.doc.problems.push(Problem {
                kind,
                place,
                message,
            });
        }
    }

    // --- groups

    pub(super) fn open_group(&mut self, kind: GroupKind, after: After, token: Token) {
        if self.groups.len() >= MAX_GROUPS && kind == GroupKind::Brace && after == After::Nothing {
            self.overflow += 1;
            return;
        }
        let place = self.place(token);
        self.groups.push(Group {
            kind,
            after,
            style: self.style,
            flow: self.writer.flow,
            undo: self.undo.len(),
            origin: self.origin,
            place,
        });
    }

    /// Ends the innermost group.
    pub(super) fn close_group(&mut self, token: Token) {
        let Some(group) = self.groups.pop() else {
            return;
        };
        match group.kind {
            GroupKind::Math => self.writer.flush_operator(false),
            GroupKind::Cell => self.end_cell(token),
            GroupKind::Brace | GroupKind::Environment(_) => {}
        }
        match group.after {
            After::Paragraph | After::Display => self.paragraph(token),
            After::Close => drop(self.with_lookup(Writer::close)),
            After::Heading(heading) => self.end_heading(heading),
            After::Caption => self.end_caption(),
            After::Text(text) => self.write(token, text),
            After::Over(wrapped) => self.over(token, wrapped),
            After::Nothing | After::Table | After::Float | After::Align => {}
        }
        self.restore_meanings(group.undo);
        self.style = group.style;
        self.writer.flow = group.flow;
        self.origin = group.origin;
        match group.after {
            After::Table => self.end_grid(token),
            After::Float => self.end_float(),
            After::Align | After::Display => drop(self.alignments.pop()),
            _ => {}
        }
        if let GroupKind::Environment(name) = group.kind {
            self.writer.leave();
            if let Some(count) = self.open_environments.get_mut(name as usize) {
                *count = count.saturating_sub(1);
            }
        }
    }

    /// Ends inner groups until `wanted` is innermost, reporting each.
    pub(super) fn unwind(&mut self, token: Token, wanted: impl Fn(GroupKind) -> bool) {
        self.overflow = 0;
        while let Some(group) = self.groups.last() {
            if wanted(group.kind) {
                return;
            }
            let (kind, place) = (group.kind, group.place);
            self.report_unclosed(kind, place);
            self.close_group(token);
        }
    }

    pub(super) fn report_unclosed(&mut self, kind: GroupKind, place: Place) {
        match kind {
            GroupKind::Brace => self.problem(
                ProblemKind::UnclosedGroup,
                place,
                "`{` is never closed".to_owned(),
            ),
            GroupKind::Math => self.problem(
                ProblemKind::UnclosedMath,
                place,
                "maths is never closed".to_owned(),
            ),
            GroupKind::Environment(name) => {
                let name = self.names.text(name).to_owned();
                self.problem(
                    ProblemKind::UnclosedEnvironment,
                    place,
                    format!("`\\begin{{{name}}}` has no `\\end{{{name}}}`"),
                );
            }
            GroupKind::Cell => {}
        }
    }

    /// A closing brace.
    pub(super) fn close_brace(&mut self, token: Token) {
        if self.overflow > 0 {
            self.overflow -= 1;
            return;
        }
        match self.groups.last().map(|group| group.kind) {
            Some(GroupKind::Brace) => self.close_group(token),
            // Maths left open inside a group ends with it.
            Some(GroupKind::Math)
                if self
                    .groups
                    .iter()
                    .rev()
                    .nth(1)
                    .is_some_and(|group| group.kind == GroupKind::Brace) =>
            {
                let place = self.place(token);
                self.problem(
                    ProblemKind::UnclosedMath,
                    place,
                    "maths is never closed".to_owned(),
                );
                self.close_group(token);
                self.close_group(token);
            }
            _ => {
                let place = self.place(token);
                self.problem(
                    ProblemKind::ExtraBrace,
                    place,
                    "`}` closes no group".to_owned(),
                );
            }
        }
    }

    pub(super) fn name_token(&mut self, name: &str, like: Token) -> Token {
        let name = self.names.intern(name);
        like.with(Kind::Name(name))
    }

    pub(super) fn op(like: Token, op: Op) -> Token {
        like.with(Kind::Op(op))
    }

    /// Number of the next link.
    pub(super) fn new_link(&mut self, kind: MarkKind) -> u32 {
        self.links.push(kind);
        narrow(self.links.len())
    }
}
