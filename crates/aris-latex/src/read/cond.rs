//! Conditionals: decided where the document itself decides, both branches read otherwise.

use super::{
    builtin::{Cmd, If},
    reader::{Branch, Meaning, Reader},
    style,
    token::{Kind, Token},
};
use crate::ProblemKind;

impl Reader<'_> {
    /// Whether an unknown name is a conditional of a class (`\ifCLASSINFOpdf`) rather than a command with
    /// arguments (`\ifstrempty{…}`).
    pub(super) fn unknown_conditional(&mut self, name: u32) -> bool {
        let text = self.names.text(name);
        text.len() > 2 && text.starts_with("if") && self.peek().kind != Kind::Begin
    }

    pub(super) fn conditional(&mut self, form: If, token: Token) {
        let truth = match form {
            If::False => Some(false),
            If::True => Some(true),
            If::Mode => Some(self.style.has(style::MATHS)),
            If::Nothing => None,
            If::One => {
                let _tested = self.next_visible();
                None
            }
            If::Same => self.same(),
            If::CsName => {
                let end = self.names.intern("endcsname");
                loop {
                    let token = self.next();
                    if matches!(token.kind, Kind::Stop | Kind::Par) || token.kind == Kind::Name(end)
                    {
                        break;
                    }
                }
                None
            }
            If::Compare(lengths) => {
                self.skip_until_relation();
                if lengths {
                    self.skip_glue();
                } else {
                    self.skip_number();
                }
                None
            }
            If::Number => {
                self.skip_number();
                None
            }
        };
        self.branch(truth, token);
    }

    /// Takes the branch that `truth` names; both when nobody knows.
    pub(super) fn branch(&mut self, truth: Option<bool>, token: Token) {
        let place = self.place(token);
        if truth != Some(false) || self.skip_branch(token, true) {
            let skip_else = truth.is_some();
            self.branches.push(Branch { skip_else, place });
        }
    }

    pub(super) fn other_branch(&mut self, token: Token) {
        match self.branches.last() {
            Some(branch) if branch.skip_else => {
                self.skip_branch(token, false);
                self.branches.pop();
            }
            _ => self.space(token),
        }
    }

    pub(super) fn end_conditional(&mut self) {
        self.branches.pop();
    }

    /// Drops tokens to the matching `\fi`, or to `\else` when `stop_at_else`; whether it stopped at one.
    pub(super) fn skip_branch(&mut self, start: Token, stop_at_else: bool) -> bool {
        let mut depth = 0_usize;
        loop {
            let token = self.next();
            match token.kind {
                Kind::Stop => {
                    self.problem_at(
                        ProblemKind::UnclosedConditional,
                        start,
                        "the conditional has no `\\fi` in this file; what follows is not read",
                    );
                    return false;
                }
                Kind::Name(name) => match self.meaning(name) {
                    Meaning::Known(Cmd::If(_) | Cmd::Switch(_)) => depth += 1,
                    Meaning::Unknown if self.unknown_conditional(name) => depth += 1,
                    Meaning::Known(Cmd::Fi) if depth == 0 => return false,
                    Meaning::Known(Cmd::Fi) => depth -= 1,
                    Meaning::Known(Cmd::Else) if depth == 0 && stop_at_else => return true,
                    _ => {}
                },
                _ => {}
            }
        }
    }

    /// `\ifx` of two tokens, where their names alone decide.
    fn same(&mut self) -> Option<bool> {
        let (one, two) = (self.next_visible(), self.next_visible());
        match (one.kind, two.kind) {
            (Kind::Name(a), Kind::Name(b)) if a == b => Some(true),
            (Kind::Word, Kind::Word) => {
                let width = |reader: &Self, token| {
                    reader.text(token).chars().next().map_or(0, char::len_utf8)
                };
                let ((a, rest_a), (b, rest_b)) =
                    (one.split(width(self, one)), two.split(width(self, two)));
                let same = self.text(a) == self.text(b);
                // `\if ab`: both letters may stand in one word.
                for rest in [rest_b, rest_a] {
                    self.unread(rest);
                }
                (rest_a.len == 0).then_some(same)
            }
            (Kind::Name(_), Kind::Word) => {
                self.first_letter(two);
                Some(false)
            }
            (Kind::Word, Kind::Name(_)) => Some(false),
            (_, Kind::End | Kind::Stop | Kind::Par | Kind::Align) => {
                self.unread(two);
                None
            }
            _ => None,
        }
    }

    /// Drops a number: digits, a counter, `\value{x}`.
    fn skip_number(&mut self) {
        let token = self.next_visible();
        match token.kind {
            Kind::Word => {
                let digits = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+');
                let length = self.text(token).bytes().take_while(digits).count();
                self.unread(token.split(length).1);
            }
            Kind::Name(_) if self.command_name(token) == "value" => drop(self.argument()),
            Kind::Name(_) => {}
            _ => self.unread(token),
        }
    }

    /// Drops the left side of `\ifnum a < b` and the relation.
    fn skip_until_relation(&mut self) {
        for _ in 0..64 {
            let token = self.next();
            if matches!(token.kind, Kind::Stop | Kind::Par | Kind::Align) {
                self.unread(token);
                return;
            }
            if token.kind == Kind::Word
                && let Some(at) = self.text(token).find(['<', '>', '='])
            {
                let (_, rest) = token.split(at + 1);
                self.unread(rest);
                return;
            }
        }
    }

    /// `\ifblank{text}{yes}{no}`: the branch that does not apply is dropped.
    pub(super) fn blank_argument(&mut self) {
        let argument = self.argument();
        let blank = self.flat(&argument).trim().is_empty();
        self.choose(Some(blank));
    }

    /// `\@ifnextchar[{yes}{no}`, `\@ifstar{yes}{no}`
    pub(super) fn if_next(&mut self, star: bool) {
        let wanted = match self.next_visible() {
            first if star => {
                self.unread(first);
                first.with(Kind::Stop)
            }
            word if word.kind == Kind::Word => self.first_letter(word),
            other => other,
        };
        let (yes, no) = (self.argument(), self.argument());
        let next = self.peek_after_space();
        let text = if star { "*" } else { self.text(wanted) };
        let is_group = matches!(wanted.kind, Kind::Name(name) if matches!(self.meaning(name), Meaning::Known(Cmd::BGroup)));
        let is_next = match next.kind {
            Kind::Word => !text.is_empty() && self.text(next).starts_with(text),
            Kind::Begin => is_group,
            _ => next.kind == wanted.kind,
        };
        if is_next && star {
            self.star();
        }
        self.unread_all(if is_next { &yes } else { &no });
    }

    /// Keeps one of the two arguments that follow; both when nobody knows which.
    pub(super) fn choose(&mut self, first: Option<bool>) {
        let Some(first) = first else { return };
        let (yes, no) = (self.argument(), self.argument());
        let kept = if first { yes } else { no };
        self.unread_all(&kept);
    }

    /// `\IfBooleanTF{#1}`
    pub(super) fn star_argument(&mut self) {
        let argument = self.argument();
        let is_true = argument.iter().any(|token| {
            matches!(token.kind, Kind::Name(name) if matches!(self.meaning(name), Meaning::Known(Cmd::True)))
        });
        self.choose(Some(is_true));
    }

    /// `\IfNoValueTF{#1}` or, with `given`, `\IfValueTF`.
    pub(super) fn value_argument(&mut self, given: bool) {
        let argument = self.argument();
        let missing = argument.iter().any(|token| {
            matches!(token.kind, Kind::Name(name) if matches!(self.meaning(name), Meaning::Known(Cmd::NoValue)))
        });
        self.choose(Some(missing != given));
    }

    pub(super) fn toggle(&mut self) {
        let argument = self.argument();
        let name = self.flat(&argument);
        let value = self.toggles.get(name.trim()).copied();
        self.choose(value);
    }

    pub(super) fn set_toggle(&mut self, value: bool) {
        let argument = self.argument();
        let name = self.flat(&argument);
        self.toggles.insert(name.trim().to_owned(), value);
    }
}
