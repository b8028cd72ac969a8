//! Groups: what opens, what closes, what was forgotten.

use super::{After, Group, GroupKind, Kind, Reader, Token, narrow};
use crate::{Place, ProblemKind};

/// Groups that are searched for the one that a brace closes, or for the maths that text stands in.
const SEARCH: usize = 64;

/// Groups deeper than this are only counted.
const MAX_GROUPS: usize = 100_000;

pub(super) const UNCLOSED_MATHS: &str = "maths is never closed";

impl Reader<'_> {
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
            flow: self.writer.flow.clone(),
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
        // The argument of a macro is no group to TeX: what it defines stays defined.
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
                let Place { file, offset } = group.place;
                self.unknown_argument(Token::new(Kind::Space, narrow(file), offset, 0));
            }
            _ => {}
        }
        if let GroupKind::Environment(name) = group.kind {
            self.writer.leave();
            self.entered.pop();
            if let Some(count) = self.open.get_mut(&name) {
                *count -= 1;
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

    fn report_unclosed(&mut self, kind: GroupKind, place: Place) {
        let (kind, message) = match kind {
            GroupKind::Cell => return,
            GroupKind::Brace => (ProblemKind::UnclosedGroup, "`{` is never closed".to_owned()),
            GroupKind::Math => (ProblemKind::UnclosedMath, UNCLOSED_MATHS.to_owned()),
            GroupKind::Environment(name) => {
                let name = self.names.text(name);
                let message = format!("`\\begin{{{name}}}` has no `\\end{{{name}}}`");
                (ProblemKind::UnclosedEnvironment, message)
            }
        };
        self.problem(kind, place, message);
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

    /// The open groups, innermost first, as far as they are searched.
    pub(super) fn near(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().rev().take(SEARCH)
    }

    /// How many groups are open inside the innermost group in braces, where that is the argument of a command that is not known.
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
