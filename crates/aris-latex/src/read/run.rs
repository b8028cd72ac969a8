//! The main loop, which runs tokens and commands, and groups: their begin, their end, and groups that are never closed.

use super::{After, Cmd, Env, Group, GroupKind, How, Kind, Meaning, Reader, Token, narrow, style};
use crate::{Place, ProblemKind};

/// Most groups that are searched for the one that a brace closes, or for the formula around.
const SEARCH: usize = 64;

/// Groups deeper than this are only counted.
const MAX_GROUPS: usize = 100_000;

pub(super) const UNCLOSED_GROUP: &str = "`{` is never closed";
const UNCLOSED_MATHS: &str = "maths is never closed";

impl Reader<'_> {
    pub(super) fn run(&mut self) {
        while !self.finished && self.failed.is_none() {
            let token = self.next();
            if self.styles > 0 && token.kind != Kind::Stop {
                self.read_style(token);
                continue;
            }
            match token.kind {
                Kind::Word if self.short_verbs.is_empty() => {
                    let words = self.words(token);
                    self.write_word(words);
                }
                Kind::Word => self.write_verbs(token),
                Kind::Space | Kind::Tie => self.space(token),
                Kind::Name(name) => match self.meaning(name) {
                    Meaning::Known(cmd) => self.command(token, cmd),
                    Meaning::Macro(body) => self.expand(token, name, &body),
                    Meaning::Unknown if self.is_unknown_conditional(token) => {
                        self.branch(None, token);
                    }
                    Meaning::Unknown if self.skip_hidden(name) => {}
                    Meaning::Unknown => {
                        self.undefined(token, name);
                        if self.preamble {
                            self.may_define_next(token);
                        }
                        self.unknown(token);
                    }
                },
                Kind::Par => self.blank_line(token),
                Kind::Begin => self.open_group(GroupKind::Brace, After::Nothing, token),
                Kind::End => self.close_brace(token),
                Kind::Math => self.math_shift(token),
                Kind::Align => self.next_cell(token),
                Kind::Hash | Kind::Param(_) => self.write(token, "#"),
                Kind::Super if self.style.has(style::MATHS) => self.script(token, true),
                Kind::Sub if self.style.has(style::MATHS) => self.script(token, false),
                // `^^25` is a percent sign.
                Kind::Super if self.peek().kind == Kind::Super => self.changes_reading(token),
                Kind::Super => self.write(token, "^"),
                Kind::Sub => self.write(token, "_"),
                Kind::Link(link) => self.style.link = link,
                Kind::EndEnvironment(name) => self.leave(name, token),
                Kind::Certain(number) => self.writer.doubts.leave(number),
                Kind::Stop => {
                    if !self.close_file(token) {
                        break;
                    }
                }
            }
        }
    }

    /// Ends everything that is open.
    pub(super) fn finish(&mut self) {
        let here = self.here();
        let end = Token::new(Kind::Stop, narrow(here.file), here.offset, 0);
        self.unwind(end, |_| false);
        while let Some(branch) = self.branches.pop() {
            let message = "the conditional has no `\\fi`";
            self.problem(ProblemKind::UnclosedConditional, branch.place, message);
        }
        self.paragraph(end);
        if self.preamble {
            let message = "there is no `\\begin{document}`";
            self.problem(ProblemKind::NoDocument, here, message);
        }
        self.settle_undefined();
        self.settle_bibliographies();
        self.list_doubts();
        self.doc.blocks = std::mem::take(&mut self.writer.blocks);
    }

    /// Handles what follows an unknown command: a star, options, and arguments, whose text is kept as doubtful.
    pub(super) fn unknown(&mut self, token: Token) {
        let next = self.next();
        let is_star = next.kind == Kind::Word && self.text(next) == "*";
        if !is_star || self.style.has(style::MATHS) {
            self.unread(next);
        }
        if next.kind == Kind::Word && self.text(next) == "[" && !self.style.has(style::MATHS) {
            // Options when an argument follows; otherwise text.
            if let Some(tokens) = self.optional() {
                if self.peek().kind == Kind::Begin {
                    let text = self.text_among(&tokens);
                    if text.is_empty() {
                        self.unread_argument(token, &tokens, false);
                    } else {
                        self.unread_group(token, &text);
                    }
                } else {
                    self.unread_between(next, "[", &tokens, "]");
                }
            }
        }
        self.unknown_argument(token);
    }

    /// Opens the next argument of an unknown command, if one follows.
    pub(super) fn unknown_argument(&mut self, token: Token) {
        let next = self.next();
        if next.kind == Kind::Begin {
            self.open_group(GroupKind::Brace, After::Argument, next);
            self.doubt_group(token, "");
        } else if next.kind == Kind::Space && self.peek().kind == Kind::Begin {
            self.space(next);
            self.unknown_argument(token);
        } else {
            self.unread(next);
        }
    }

    pub(super) fn command(&mut self, token: Token, cmd: Cmd) {
        if let Some((name, value)) = cmd.sets {
            return self.set_switch(name, Some(value));
        }
        if !cmd.drops.is_empty() {
            self.skip_arguments(token, cmd.drops);
        }
        (cmd.run)(self, token, cmd.how);
    }

    pub(super) fn declare(&mut self, (set, clear): (u16, u16)) {
        self.style = self.style.set(set, clear);
    }

    /// Keeps its argument until the document begins; in the text the argument stays in place as a group.
    pub(super) fn at_begin(&mut self, _: Token, _: How) {
        if self.preamble {
            let tokens = self.argument();
            self.begin_hooks.extend(tokens);
        }
    }

    /// Keeps the first of `count` arguments.
    pub(super) fn first(&mut self, _: Token, count: How) {
        let first = self.argument();
        for _ in 1..count.parse().unwrap_or(1) {
            drop(self.argument());
        }
        self.unread_all(&first);
    }

    pub(super) fn horizontal_space(&mut self, token: Token, _: How) {
        let length = self.argument();
        if !self.raw(&length).trim_start().starts_with('-') {
            self.space(token);
        }
    }

    pub(super) fn accent(&mut self, token: Token, accent: How) {
        // In `tabbing` these are tab stops.
        let tabbing = self.names.intern("tabbing");
        if matches!(accent, "=" | "`" | "'") && self.is_entered(tabbing) {
            return self.space(token);
        }
        let argument = self.argument();
        let base = self.flat(&argument);
        self.write(token, &super::symbols::apply(accent, &base));
    }

    /// `\char45`, `\char"2D`, `` \char`\% ``, and with a group `\symbol{45}`: a character by its number.
    pub(super) fn character(&mut self, token: Token, how: How) {
        let code = if how == "group" {
            let argument = self.argument();
            self.apart(&argument, Self::code)
        } else {
            self.code()
        };
        // Control characters and U+0080 to U+00A0 depend on the font.
        match code {
            Some(c) if c.is_ascii_graphic() || c > '\u{a0}' => self.write(token, &c.to_string()),
            _ => self.write_reference(token),
        }
    }

    pub(super) fn item(&mut self, token: Token, _: How) {
        self.paragraph(token);
        if let Some(label) = self.optional() {
            self.unread(token.with(Kind::Space));
            self.unread_all(&label);
        }
    }

    /// Turns an argument into the control sequence of that name.
    pub(super) fn named_command(&mut self, token: Token, _: How) {
        let kind = Kind::Name(self.named(""));
        self.unread(Token { kind, ..token });
    }

    /// `\csname input\endcsname` is `\input`; a name that contains commands is dropped.
    pub(super) fn cs_name(&mut self, token: Token) {
        /// Most tokens of a name.
        const MOST: usize = 256;
        let stop = Kind::Name(self.names.intern("endcsname"));
        let found = self.up_to(MOST, |_, token| match token.kind {
            Kind::Par => Some(false),
            kind => (kind == stop).then_some(true),
        });
        let Some((parts, mut end)) = found else {
            return;
        };
        if !parts.is_empty() && parts.iter().all(|part| part.kind == Kind::Word) {
            let kind = Kind::Name(self.names.intern(&self.raw(&parts)));
            end = Token { kind, ..token };
        }
        self.unread(end);
    }

    /// The next token, or the one that `\csname` makes, and whether `\csname` made it.
    pub(super) fn next_made(&mut self) -> (Token, bool) {
        let token = self.next_visible();
        if self.what(token) != "csname" {
            return (token, false);
        }
        self.cs_name(token);
        (self.next_visible(), true)
    }

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
            doubt: 0,
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
            After::Close => drop(self.writer.close()),
            After::Heading(heading) => self.end_heading(heading),
            After::Caption => {
                if let (Some(at), Some(float)) = (self.writer.close(), self.floats.last_mut()) {
                    float.caption.get_or_insert(at);
                }
            }
            After::Text(text) => self.write(token, text),
            After::Nothing | After::Table | After::Float | After::Align | After::Argument => {}
        }
        // The argument of a macro is not a group for TeX: definitions in it stay.
        if group.after != After::Argument {
            self.restore_meanings(group.undo);
        }
        self.writer.doubts.leave(group.doubt);
        self.style = group.style;
        self.writer.flow = group.flow;
        self.origin = group.origin;
        match group.after {
            After::Table => self.end_grid(),
            After::Float => self.end_float(),
            After::Align | After::Display => drop(self.alignments.pop()),
            After::Argument => {
                // The argument may be a length: no part of the number that follows.
                let next = self.peek();
                let is_digit = self.text(next).starts_with(|c: char| c.is_ascii_digit());
                if is_digit && !self.writer.trailing_number().is_empty() {
                    self.space(token.fixed());
                }
                let Place { file, offset } = group.place;
                self.unknown_argument(Token::new(Kind::Space, narrow(file), offset, 0));
            }
            _ => {}
        }
        if let GroupKind::Environment(name) = group.kind {
            self.writer.environments.pop();
            if let Some(Env::Known("sources" | "unit", _)) = self.environments.get(&name) {
                self.refs.section = 0;
            }
            if let Some(count) = self.open.get_mut(&name) {
                *count -= 1;
            }
        }
    }

    /// Ends inner groups until `wanted` is innermost, reporting each.
    pub(super) fn unwind(&mut self, token: Token, wanted: impl Fn(GroupKind) -> bool) {
        self.overflow = 0;
        while self.groups.last().is_some_and(|group| !wanted(group.kind)) {
            self.abandon_group(token);
        }
    }

    /// Ends the innermost group, which nothing closes, and reports it.
    pub(super) fn abandon_group(&mut self, token: Token) {
        let Some(&Group { kind, place, .. }) = self.groups.last() else {
            return;
        };
        let (problem, message) = match kind {
            GroupKind::Cell => return self.close_group(token),
            GroupKind::Brace => (ProblemKind::UnclosedGroup, UNCLOSED_GROUP.to_owned()),
            GroupKind::Math => (ProblemKind::UnclosedMath, UNCLOSED_MATHS.to_owned()),
            GroupKind::Environment(name) => {
                let name = self.names.text(name);
                let message = format!("`\\begin{{{name}}}` has no `\\end{{{name}}}`");
                (ProblemKind::UnclosedEnvironment, message)
            }
        };
        self.problem(problem, place, message);
        self.close_group(token);
    }

    /// A closing brace.
    pub(super) fn close_brace(&mut self, token: Token) {
        if self.overflow > 0 {
            self.overflow -= 1;
            return;
        }
        match self.groups.last().map(|group| group.kind) {
            Some(GroupKind::Brace) => self.close_group(token),
            Some(_) if let Some(inner) = self.in_argument() => {
                for _ in 0..=inner {
                    self.close_group(token);
                }
            }
            // Maths left open inside a group ends with it.
            Some(GroupKind::Math)
                if let Some(outer) = self.groups.iter().rev().nth(1)
                    && outer.kind == GroupKind::Brace =>
            {
                self.problem_at(ProblemKind::UnclosedMath, token, UNCLOSED_MATHS);
                self.close_group(token);
                self.close_group(token);
            }
            _ => self.problem_at(ProblemKind::ExtraBrace, token, "`}` closes no group"),
        }
    }

    /// The innermost [`SEARCH`] open groups, innermost first.
    pub(super) fn near(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().rev().take(SEARCH)
    }

    /// How many groups are open inside the innermost braced group, if that is the argument of an unknown command.
    pub(super) fn in_argument(&self) -> Option<usize> {
        let mut near = self.near().enumerate();
        let (inner, group) = near.find(|(_, group)| group.kind == GroupKind::Brace)?;
        (group.after == After::Argument).then_some(inner)
    }

    pub(super) fn name_token(&mut self, name: &str, like: Token) -> Token {
        let name = self.names.intern(name);
        like.with(Kind::Name(name))
    }
}
