//! Environments.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use super::{
    lexer, path,
    reader::{After, Alignment, Frame, GroupKind, Reader, UserEnvironment},
    style::{self, Style},
    token::{Kind, Literal, Op, Token},
    writer::Flow,
};
use crate::{Environment, ProblemKind, Written};

/// A known environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Env {
    Document,
    /// A displayed formula; arguments to drop.
    Display(&'static str),
    /// A formula's part, with alignment.
    Inner(&'static str),
    Grid(GridForm),
    Float(&'static str),
    /// Read as bytes and dropped.
    Raw,
    /// The same, and not in the PDF either.
    Hidden,
    List(&'static str),
    Flow(Flow, &'static str),
    Bibliography,
    Appendix,
    /// Interpreted, nothing shown: pictures made by code.
    Mute,
    /// Nothing special; arguments to drop.
    Plain(&'static str),
    /// Like `Plain` with a title that is shown.
    Titled(&'static str),
    /// A frame of a presentation: `[options]{title}`.
    InlineMath,
}

/// How the arguments of a tabular go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GridForm {
    /// `[pos]{columns}`
    Plain,
    /// `{width}[pos]{columns}`
    Width,
    /// `to width {columns}`
    Tabu,
    /// `[pos]{columns}` with captions and heads of its own.
    Long,
    /// `[options]{keys}`, `colspec` among them.
    Keys,
    /// `{columns}[options]`
    Nice,
}

impl Env {
    /// Whether the document's own definition is ignored.
    pub(super) fn is_fixed(self) -> bool {
        matches!(
            self,
            Self::Document
                | Self::Grid(_)
                | Self::Float(_)
                | Self::Raw
                | Self::Hidden
                | Self::Display(_)
                | Self::Bibliography
        )
    }
}

/// The environment of a name, star dropped.
pub(super) fn lookup(name: &str) -> Option<Env> {
    static ALL: LazyLock<BTreeMap<&str, Env>> = LazyLock::new(|| listed().collect());
    let known = ALL.get(name);
    let known = known.or_else(|| ALL.get(name.trim_end_matches('*')));
    known.copied()
}

/// The lists of `environments.txt`: in each line what the environments are, the arguments to drop, and their names.
fn listed() -> impl Iterator<Item = (&'static str, Env)> {
    let lines = include_str!("environments.txt").lines();
    lines
        .filter_map(|line| line.split_once(':'))
        .filter_map(|(what, names)| {
            let (what, spec) = what.split_once(' ').unwrap_or((what, ""));
            let env = match what {
                "document" => Env::Document,
                "display" => Env::Display(spec),
                "maths" => Env::InlineMath,
                "inner" => Env::Inner(spec),
                "grid" => Env::Grid(GridForm::Plain),
                "wide" => Env::Grid(GridForm::Width),
                "tabu" => Env::Grid(GridForm::Tabu),
                "long" => Env::Grid(GridForm::Long),
                "keys" => Env::Grid(GridForm::Keys),
                "nice" => Env::Grid(GridForm::Nice),
                "float" => Env::Float(spec),
                "raw" => Env::Raw,
                "hidden" => Env::Hidden,
                "list" => Env::List(spec),
                "note" => Env::Flow(Flow::Note, spec),
                "abstract" => Env::Flow(Flow::Abstract, spec),
                "keywords" => Env::Flow(Flow::Keywords, spec),
                "front" => Env::Flow(Flow::Front, spec),
                "bibliography" => Env::Bibliography,
                "appendix" => Env::Appendix,
                "mute" => Env::Mute,
                "plain" => Env::Plain(spec),
                "titled" => Env::Titled(spec),
                _ => return None,
            };
            Some((names, env))
        })
        .flat_map(|(names, env)| names.split_whitespace().map(move |name| (name, env)))
}

impl Reader<'_> {
    /// The name in the next argument.
    pub(super) fn environment_name(&mut self) -> u32 {
        let tokens = self.argument();
        let name = self.flat(&tokens);
        self.names.intern(name.trim())
    }

    pub(super) fn begin_environment(&mut self, token: Token) {
        let index = self.environment_name();
        let special = self.special.get(&index).copied();
        if special.is_none()
            && let Some(user) = self.environments.get(&index).cloned()
        {
            let opens_maths = user.begin.body.iter().any(|part| part.kind == Kind::Math);
            if self.follows(&user) {
                self.enter(index, After::Nothing, token);
                self.expand_known(token, user.name, &user.begin);
            } else if opens_maths {
                self.arguments(&user.begin.parameters, token);
                self.begin_display(token, Some(index));
            } else {
                self.opaque(token, index, &user.begin);
                self.arguments(&user.begin.parameters, token);
                self.enter(index, After::Nothing, token);
            }
            return;
        }
        let known = special.or_else(|| lookup(self.names.text(index)));
        if self.preamble
            && !matches!(
                known,
                Some(Env::Document | Env::Raw | Env::Hidden | Env::Flow(..))
            )
        {
            self.enter(index, After::Nothing, token);
            return;
        }
        match known {
            Some(Env::Document) => self.begin_document(),
            Some(Env::Raw) => {
                let name = self.names.shared(index);
                self.unread_environment(&name, token);
                self.skip_raw(&name, token);
            }
            Some(Env::Hidden) => {
                let name = self.names.shared(index);
                if name.starts_with("filecontents") {
                    self.write_file(&name);
                }
                self.skip_raw(&name, token);
            }
            Some(Env::Display(spec)) => {
                self.skip_arguments(spec);
                self.begin_display(token, Some(index));
            }
            Some(Env::InlineMath) => {
                self.enter(index, After::Nothing, token);
                self.style = self.style.set(style::MATH, 0);
                self.origin = self.writer.length();
            }
            Some(Env::Inner(spec)) => {
                self.skip_arguments(spec);
                self.enter(index, After::Align, token);
                self.alignments.push(Alignment::Inline);
            }
            Some(Env::Grid(form)) => self.begin_grid(token, index, form),
            Some(Env::Float(spec)) => {
                self.skip_arguments(spec);
                self.paragraph(token);
                self.enter(index, After::Float, token);
                self.begin_float(index);
            }
            Some(Env::List(spec)) => {
                self.skip_arguments(spec);
                self.paragraph(token);
                self.enter(index, After::Paragraph, token);
                if self.writer.flow == Flow::Body {
                    self.writer.flow = Flow::List;
                }
            }
            Some(Env::Flow(flow, spec)) => {
                self.skip_arguments(spec);
                self.paragraph(token);
                self.enter(index, After::Paragraph, token);
                self.writer.flow = flow;
                if self.preamble {
                    self.style = self.style.set(0, style::MUTE);
                }
            }
            Some(Env::Bibliography) => {
                self.skip_arguments("m");
                self.paragraph(token);
                self.enter(index, After::Paragraph, token);
                self.writer.flow = Flow::BibItem;
            }
            Some(Env::Appendix) => {
                self.appendix = true;
                self.enter(index, After::Paragraph, token);
            }
            Some(Env::Mute) => {
                self.unread_environment(&self.names.shared(index), token);
                self.paragraph(token);
                self.enter(index, After::Paragraph, token);
                self.style = self.style.set(style::MUTE, 0);
            }
            Some(Env::Plain(spec)) => {
                self.skip_arguments(spec);
                self.paragraph(token);
                self.enter(index, After::Paragraph, token);
            }
            None if self.is_code(index) => {
                let name = self.names.shared(index);
                self.unread_environment(&name, token);
                self.skip_raw(&name, token);
            }
            Some(Env::Titled(_)) | None => {
                self.paragraph(token);
                let title = self.optional();
                self.enter(index, After::Paragraph, token);
                if let Some(tokens) = title
                    && known.is_some()
                {
                    self.unread(Self::op(token, Op::Text(Literal::CloseTitle)));
                    self.unread_all(&tokens);
                    self.unread(Self::op(token, Op::Text(Literal::OpenTitle)));
                }
            }
        }
    }

    /// Whether the code of an environment is run: that of a style file where all of it is understood, and opens no maths, which stands
    /// in boxes there.
    fn follows(&self, user: &UserEnvironment) -> bool {
        let code = || user.begin.body.iter().chain(user.end.body.iter());
        !user.begin.style
            || self.is_understood(code()) && !code().any(|part| part.kind == Kind::Math)
    }

    /// `\newminted[name]{language}{options}`, `\lstnewenvironment{name}…`: an environment that prints its source.
    pub(super) fn new_listing(&mut self, token: Token, spec: &str) {
        let options = self.optional();
        let tokens = self.argument();
        let mut name = self.flat(&tokens).trim().to_owned();
        if self.command_name(token) == "newminted" {
            name = match options {
                Some(given) => self.flat(&given).trim().to_owned(),
                None => name + "code",
            };
        }
        self.skip_arguments(spec);
        let name = self.names.intern(&name);
        self.special.insert(name, Env::Raw);
    }

    /// Whether what stands in an environment that nobody here defines cannot be LaTeX: braces or signs of maths do not fit.
    fn is_code(&mut self, index: u32) -> bool {
        /// Longer environments are text.
        const LONGEST: usize = 1 << 16;
        /// What may hold signs without a meaning: what it stands in is not judged.
        const WITHIN: [&str; 6] = ["erb", "lst", "mint", "\\url", "\\href", "\\path"];
        let end = format!("\\end{{{}}}", self.names.text(index));
        if !self.at_file() || self.judged > 4 * self.loading.bytes + LONGEST {
            return false;
        }
        let rest = self.rest_of_file();
        let rest = rest
            .get(..rest.floor_char_boundary(LONGEST))
            .unwrap_or(rest);
        let found = rest.find(&end);
        let body = rest.get(..found.unwrap_or(0)).unwrap_or("");
        let (mut depth, mut dollars, mut bytes) = (Some(0_usize), 0, body.bytes());
        while let Some(byte) = bytes.next() {
            match byte {
                b'\\' => drop(bytes.next()),
                b'%' => drop(bytes.find(|byte| *byte == b'\n')),
                b'{' => depth = depth.map(|depth| depth + 1),
                b'}' => depth = depth.and_then(|depth| depth.checked_sub(1)),
                b'$' => dollars += 1,
                _ => {}
            }
        }
        let fits = depth == Some(0) && dollars % 2 == 0;
        let is_plain = !WITHIN.iter().any(|within| body.contains(within));
        let length = found.unwrap_or(rest.len());
        self.judged += length;
        !fits && is_plain
    }

    pub(super) fn is_open(&self, name: &str) -> bool {
        let mut entered = self.entered.iter().rev();
        entered.any(|at| {
            let known = self.doc.environments.get(*at);
            known.is_some_and(|known| &*known.name == name)
        })
    }

    /// Opens an environment's group.
    pub(super) fn enter(&mut self, name: u32, after: After, token: Token) {
        self.open_group(GroupKind::Environment(name), after, token);
        let at = name as usize;
        if self.open_environments.len() <= at {
            self.open_environments.resize(at + 1, 0);
        }
        if let Some(count) = self.open_environments.get_mut(at) {
            *count += 1;
        }
        let name = self.names.shared(name);
        self.doc.environments.push(Environment {
            name: Arc::clone(&name),
            place: self.place(token),
            section: self.writer.section,
            outer: self.entered.last().copied(),
        });
        self.entered.push(self.doc.environments.len() - 1);
        self.writer.enter(name);
    }

    pub(super) fn end_environment(&mut self, token: Token) {
        let index = self.environment_name();
        if lookup(self.names.text(index)) == Some(Env::Document) {
            self.end_document(token);
            return;
        }
        let open = self
            .open_environments
            .get(name_index(index))
            .is_some_and(|count| *count > 0);
        if let Some(inner) = self.in_argument() {
            // What its code ends, it has begun elsewhere.
            let mut inner = self.groups.iter().rev().take(inner);
            if !inner.any(|group| group.kind == GroupKind::Environment(index)) {
                return;
            }
        }
        if !open {
            let (place, name) = (self.place(token), self.names.shared(index));
            self.problem(
                ProblemKind::ExtraEnd,
                place,
                format!("`\\end{{{name}}}` has no `\\begin{{{name}}}`"),
            );
            return;
        }
        let user = self.environments.get(&index).cloned();
        if let Some(user) = user.filter(|user| self.follows(user)) {
            self.unread(Self::op(token, Op::EndEnvironment(index)));
            self.expand_known(token, user.name, &user.end);
        } else {
            self.leave(index, token);
        }
    }

    /// Ends the innermost environment of a name, and what is open inside it.
    pub(super) fn leave(&mut self, index: u32, token: Token) {
        if self
            .open_environments
            .get(name_index(index))
            .is_some_and(|count| *count > 0)
        {
            self.unwind(token, |kind| kind == GroupKind::Environment(index));
            self.close_group(token);
        }
    }

    fn begin_document(&mut self) {
        if self.preamble {
            self.preamble = false;
            self.style = Style::default();
            let hooks = std::mem::take(&mut self.begin_hooks);
            self.unread_all(&hooks);
        }
    }

    pub(super) fn end_document(&mut self, token: Token) {
        if !self.end_hooks.is_empty() {
            let hooks = std::mem::take(&mut self.end_hooks);
            self.unread(Self::op(token, Op::EndDocument));
            self.unread_all(&hooks);
            return;
        }
        let own = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::File { own, .. } => Some(*own),
            Frame::Barrier { .. } => None,
        });
        if own == Some(true) && self.frames.len() > 1 {
            self.end_file(true);
        } else {
            self.finished = true;
        }
    }

    /// `\endinput`: nothing more of this file after the current line, which TeX has already read.
    pub(super) fn end_input(&mut self) {
        let Some(Frame::File { text, cursor, .. }) = self.frames.last() else {
            return;
        };
        if cursor.fresh {
            self.end_file(false);
            return;
        }
        let rest = text.get(cursor.pos..).unwrap_or("");
        let line_end = cursor.pos + rest.find('\n').unwrap_or(rest.len());
        let mut line = Vec::new();
        while let Some(Frame::File {
            text, file, cursor, ..
        }) = self.frames.last_mut()
            && cursor.pos < line_end
        {
            line.push(lexer::next(
                text,
                *file,
                cursor,
                self.letters,
                &mut self.names,
            ));
        }
        // Tokens put back before the file's own come first.
        let base = match self.frames.last() {
            Some(Frame::File { base, .. }) => *base,
            _ => return,
        };
        let before = self.stack.split_off(base.min(self.stack.len()));
        self.end_file(false);
        self.unread_all(&line);
        self.stack.extend(before);
    }

    /// Nothing more of this file; with `tokens`, nor of what was put back while reading it.
    fn end_file(&mut self, tokens: bool) {
        if let Some(Frame::File {
            text, cursor, base, ..
        }) = self.frames.last_mut()
        {
            cursor.pos = text.len();
            cursor.fresh = false;
            if tokens {
                self.stack.truncate(*base);
            }
        }
    }

    /// Starts a displayed formula: a block of its own in running text, part of the block elsewhere.
    pub(super) fn begin_display(&mut self, token: Token, environment: Option<u32>) {
        let running = !self.writer.fixed();
        if running {
            self.paragraph(token);
        } else {
            self.space(token);
        }
        match environment {
            Some(name) => self.enter(name, After::Display, token),
            None => self.open_group(GroupKind::Math, After::Display, token),
        }
        self.alignments.push(Alignment::Inline);
        self.style = self.style.set(style::DISPLAY, style::MATH);
        if running {
            self.writer.flow = Flow::Display;
        }
        self.origin = self.writer.length();
    }

    /// Drops a verbatim or comment environment up to its end.
    /// `\begin{filecontents}[options]{refs.bib}`: what follows up to the end is a file.
    fn write_file(&mut self, name: &str) {
        self.skip_optional();
        let tokens = self.argument();
        let path = path::normalise(self.flat(&tokens).trim());
        let Some(Frame::File {
            text, cursor, file, ..
        }) = self.frames.last()
        else {
            return;
        };
        let rest = text.get(cursor.pos..).unwrap_or("");
        if let Some(length) = rest.find(&format!("\\end{{{name}}}")) {
            let body = cursor.pos..cursor.pos + length;
            let file = *file as usize;
            self.doc.written.push(Written { path, file, body });
        }
    }

    pub(super) fn skip_raw(&mut self, name: &str, token: Token) {
        let end = format!("\\end{{{name}}}");
        let mut missing = false;
        match self.frames.last_mut() {
            Some(Frame::File {
                text, cursor, base, ..
            }) if self.stack.len() == *base => {
                if let Some(at) = text.get(cursor.pos..).and_then(|rest| rest.find(&end)) {
                    cursor.pos += at + end.len();
                } else {
                    cursor.pos = text.len();
                    missing = true;
                }
                cursor.fresh = false;
            }
            _ => {
                let name_end = self.names.intern("end");
                loop {
                    let token = self.next();
                    match token.kind {
                        Kind::Stop => {
                            missing = true;
                            break;
                        }
                        Kind::Name(found) if found == name_end => {
                            let tokens = self.argument();
                            if self.raw(&tokens) == name {
                                break;
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        if missing {
            self.problem_at(
                ProblemKind::UnclosedEnvironment,
                token,
                format!("`\\begin{{{name}}}` has no `{end}`; the rest of the file is not read"),
            );
        }
    }
}

fn name_index(name: u32) -> usize {
    name as usize
}
