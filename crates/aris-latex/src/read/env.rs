//! Environments.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use super::{
    commands::Act,
    path,
    reader::{After, Alignment, GroupKind, Reader, UserEnvironment},
    style::{self, Style},
    symbols::entries,
    token::{Kind, Op, Token},
};
use crate::{BlockKind, Environment, ProblemKind, Written};

/// A known environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Env {
    Document,
    /// A displayed formula.
    Display,
    InlineMath,
    /// A formula's part, with alignment.
    Inner,
    Grid(GridForm),
    Float,
    /// Read as bytes and dropped.
    Raw,
    /// The same, and not in the PDF either.
    Hidden,
    List,
    /// Running text of a kind of its own.
    Flow(BlockKind),
    Appendix,
    /// Interpreted, nothing shown: pictures made by code.
    Mute,
    /// Nothing special.
    Plain,
    /// Like `Plain` with a title that is shown.
    Titled,
}

/// How the columns of a tabular are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GridForm {
    Plain,
    /// `to width {columns}`
    Tabu,
    /// With captions and heads of its own.
    Long,
    /// `{keys}`, `colspec` among them.
    Keys,
    /// `{columns}[options]`
    Nice,
}

impl Env {
    /// Whether the document's own definition is ignored.
    pub(super) fn is_fixed(&self) -> bool {
        matches!(
            self,
            Self::Document
                | Self::Grid(_)
                | Self::Float
                | Self::Raw
                | Self::Display
                | Self::Flow(BlockKind::BibItem)
        )
    }

    /// Whether it counts before the document begins.
    fn is_early(&self) -> bool {
        match self {
            Self::Document | Self::Raw | Self::Hidden => true,
            Self::Flow(flow) => *flow != BlockKind::BibItem,
            _ => false,
        }
    }
}

/// The environment of a name, star dropped, and the arguments of it to drop.
pub(super) fn lookup(name: &str) -> Option<(Env, &'static str)> {
    static ALL: LazyLock<BTreeMap<&str, (Env, &str)>> = LazyLock::new(|| {
        let all = entries(include_str!("environments.txt"));
        all.filter_map(|(what, arguments, name)| Some((name, (named(what)?, arguments))))
            .collect()
    });
    let known = ALL.get(name);
    let known = known.or_else(|| ALL.get(name.trim_end_matches('*')));
    known.cloned()
}

/// What a word of `environments.txt` means.
fn named(what: &str) -> Option<Env> {
    Some(match what {
        "document" => Env::Document,
        "display" => Env::Display,
        "maths" => Env::InlineMath,
        "inner" => Env::Inner,
        "grid" => Env::Grid(GridForm::Plain),
        "tabu" => Env::Grid(GridForm::Tabu),
        "long" => Env::Grid(GridForm::Long),
        "keys" => Env::Grid(GridForm::Keys),
        "nice" => Env::Grid(GridForm::Nice),
        "float" => Env::Float,
        "raw" => Env::Raw,
        "hidden" => Env::Hidden,
        "list" => Env::List,
        "note" => Env::Flow(BlockKind::Footnote),
        "abstract" => Env::Flow(BlockKind::Abstract),
        "keywords" => Env::Flow(BlockKind::Keywords),
        "front" => Env::Flow(BlockKind::FrontMatter),
        "bibliography" => Env::Flow(BlockKind::BibItem),
        "appendix" => Env::Appendix,
        "mute" => Env::Mute,
        "plain" => Env::Plain,
        "titled" => Env::Titled,
        _ => return None,
    })
}

impl Reader<'_> {
    /// The name in the next argument.
    pub(super) fn environment_name(&mut self) -> u32 {
        let name = self.name_argument();
        self.names.intern(&name)
    }

    pub(super) fn begin_environment(&mut self, token: Token) {
        let index = self.environment_name();
        let name = self.names.shared(index);
        let special = self.special.get(&index).cloned();
        if special.is_none()
            && let Some(user) = self.environments.get(&index).cloned()
        {
            return self.begin_own(token, index, &user);
        }
        let known = special.map(|env| (env, "")).or_else(|| lookup(&name));
        if self.preamble && !known.as_ref().is_some_and(|(env, _)| env.is_early()) {
            return self.enter(index, After::Nothing, token);
        }
        let (env, arguments) = match known {
            Some(known) => known,
            None if self.is_code(&name) => (Env::Raw, ""),
            None => (Env::Plain, "o"),
        };
        self.skip_arguments(arguments);
        match env {
            Env::Document => self.begin_document(),
            Env::Raw => {
                self.unread_environment(&name, token);
                self.skip_raw(&name, token);
            }
            Env::Hidden => {
                if name.starts_with("filecontents") {
                    self.write_file(&name);
                }
                self.skip_raw(&name, token);
            }
            Env::Display => self.begin_display(token, Some(index)),
            Env::InlineMath => {
                self.enter(index, After::Nothing, token);
                self.style = self.style.set(style::MATH, 0);
                self.origin = self.writer.length();
            }
            Env::Inner => {
                self.enter(index, After::Align, token);
                self.alignments.push(Alignment::Inline);
            }
            Env::Grid(form) => self.begin_grid(token, index, form),
            Env::Float => {
                self.paragraph(token);
                self.enter(index, After::Float, token);
                self.begin_float(index);
            }
            Env::List | Env::Flow(_) | Env::Appendix | Env::Mute | Env::Plain | Env::Titled => {
                self.begin_text(token, index, env);
            }
        }
    }

    fn begin_text(&mut self, token: Token, index: u32, env: Env) {
        if env == Env::Mute {
            self.unread_environment(&self.names.shared(index), token);
        }
        self.paragraph(token);
        let title = (env == Env::Titled).then(|| self.optional());
        self.enter(index, After::Paragraph, token);
        match env {
            Env::List if self.writer.flow == BlockKind::Paragraph => {
                self.writer.flow = BlockKind::ListItem;
            }
            Env::Flow(flow) => {
                self.writer.flow = flow;
                if self.preamble {
                    self.style = self.style.set(0, style::MUTE);
                }
            }
            Env::Appendix => self.appendix = true,
            Env::Mute => self.style = self.style.set(style::MUTE, 0),
            _ => {}
        }
        if let Some(tokens) = title.flatten() {
            self.unread_between(token, "(", &tokens, ") ");
        }
    }

    /// An environment that the document defines.
    fn begin_own(&mut self, token: Token, index: u32, user: &UserEnvironment) {
        if self.follows(user) {
            self.enter(index, After::Nothing, token);
            self.expand_known(token, index, &user.begin);
            return;
        }
        let opens_maths = user.begin.body.iter().any(|part| part.kind == Kind::Math);
        if !opens_maths {
            self.opaque(token, index, &user.begin);
        }
        self.arguments(&user.begin.parameters, token);
        if opens_maths {
            self.begin_display(token, Some(index));
        } else {
            self.enter(index, After::Nothing, token);
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
        let mut name = self.name_argument();
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
    fn is_code(&mut self, name: &str) -> bool {
        /// Longer environments are text.
        const LONGEST: usize = 1 << 16;
        /// What may hold signs without a meaning: what it stands in is not judged.
        const WITHIN: [&str; 6] = ["erb", "lst", "mint", "\\url", "\\href", "\\path"];
        let end = format!("\\end{{{name}}}");
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

    /// Opens an environment's group.
    pub(super) fn enter(&mut self, name: u32, after: After, token: Token) {
        self.open_group(GroupKind::Environment(name), after, token);
        *self.open.entry(name).or_default() += 1;
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
        if matches!(lookup(self.names.text(index)), Some((Env::Document, _))) {
            return self.end_document(token);
        }
        if let Some(inner) = self.in_argument() {
            // What its code ends, it has begun elsewhere.
            let mut inner = self.groups.iter().rev().take(inner);
            if !inner.any(|group| group.kind == GroupKind::Environment(index)) {
                return;
            }
        }
        if !self.is_entered(index) {
            let name = self.names.text(index);
            let message = format!("`\\end{{{name}}}` has no `\\begin{{{name}}}`");
            return self.problem_at(ProblemKind::ExtraEnd, token, message);
        }
        let user = self.environments.get(&index).cloned();
        if let Some(user) = user.filter(|user| self.follows(user)) {
            self.unread(Self::op(token, Op::EndEnvironment(index)));
            self.expand_known(token, index, &user.end);
        } else {
            self.leave(index, token);
        }
    }

    /// Ends the innermost environment of a name, and what is open inside it.
    pub(super) fn leave(&mut self, index: u32, token: Token) {
        if self.is_entered(index) {
            self.unwind(token, |kind| kind == GroupKind::Environment(index));
            self.close_group(token);
        }
    }

    /// Whether an environment of a name is open.
    pub(super) fn is_entered(&self, index: u32) -> bool {
        self.open.get(&index).is_some_and(|count| *count > 0)
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
        let is_part = self.frames.len() > 1;
        let frame = self.frames.last_mut().filter(|_| is_part);
        match frame.and_then(|frame| Some((frame.base, frame.file.as_mut()?))) {
            Some((base, file)) if file.own => {
                file.cursor.pos = file.end;
                self.stack.truncate(base);
            }
            _ => self.finished = true,
        }
    }

    /// `\endinput`: nothing more of this file after the current line, which TeX has already read.
    pub(super) fn end_input(&mut self) {
        if let Some(file) = self.file_mut() {
            let line = if file.cursor.fresh {
                Some(0)
            } else {
                file.rest().find('\n')
            };
            file.end = line.map_or(file.end, |length| file.cursor.pos + length);
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
            self.writer.flow = BlockKind::DisplayMath;
        }
        self.origin = self.writer.length();
    }

    /// `\begin{filecontents}[options]{refs.bib}`: what follows up to the end is a file.
    fn write_file(&mut self, name: &str) {
        self.skip_optional();
        let path = path::normalise(&self.name_argument());
        let here = self.here();
        let length = self.rest_of_file().find(&format!("\\end{{{name}}}"));
        if let Some(length) = length {
            self.doc.written.push(Written {
                path,
                file: here.file,
                body: here.offset..here.offset + length,
            });
        }
    }

    /// Drops a verbatim or comment environment up to its end.
    pub(super) fn skip_raw(&mut self, name: &str, token: Token) {
        let end = format!("\\end{{{name}}}");
        let is_found = if self.at_file() {
            let rest = self.rest_of_file();
            let found = rest.find(&end).map(|at| at + end.len());
            let length = found.unwrap_or(rest.len());
            if let Some(file) = self.file_mut() {
                file.skip(length);
            }
            found.is_some()
        } else {
            loop {
                let token = self.next();
                if token.kind == Kind::Stop {
                    break false;
                }
                if matches!(self.act(token), Some(Act::End)) {
                    let tokens = self.argument();
                    if self.raw(&tokens) == name {
                        break true;
                    }
                }
            }
        };
        if !is_found {
            let message =
                format!("`\\begin{{{name}}}` has no `{end}`; the rest of the file is not read");
            self.problem_at(ProblemKind::UnclosedEnvironment, token, message);
        }
    }
}
