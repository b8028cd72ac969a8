//! Conditionals: decided where the document itself decides, both branches read otherwise.

use super::{
    commands::Act,
    reader::{Branch, Meaning, Reader},
    style,
    token::{Kind, Token},
};
use crate::ProblemKind;

impl Reader<'_> {
    /// Whether an unknown name is a conditional of a class (`\ifCLASSINFOpdf`) rather than a command with
    /// arguments (`\ifstrempty{…}`).
    pub(super) fn is_unknown_conditional(&mut self, token: Token) -> bool {
        let Kind::Name(name) = token.kind else {
            return false;
        };
        let text = self.names.text(name);
        text.len() > 2
            && text.starts_with("if")
            && matches!(self.meaning(name), Meaning::Unknown)
            && self.peek().kind != Kind::Begin
    }

    /// A conditional, with the word that the table has for what it tests.
    pub(super) fn conditional(&mut self, tested: &str, token: Token) {
        let mut truth = None;
        match tested {
            "false" | "true" => truth = Some(tested == "true"),
            "maths" => truth = Some(self.style.has(style::MATHS)),
            "same" => truth = self.same(),
            "one" => drop(self.next_visible()),
            "csname" => {
                self.cs_name(token);
                self.next();
            }
            "lengths" => {
                self.skip_until_relation();
                self.skip_glue();
            }
            "numbers" => {
                self.skip_until_relation();
                self.skip_number();
            }
            "number" => self.skip_number(),
            _ => {}
        }
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

    /// Drops tokens to the matching `\fi`, or to `\else` when `stop_at_else`; whether it stopped at one.
    pub(super) fn skip_branch(&mut self, start: Token, stop_at_else: bool) -> bool {
        let mut depth = 0_usize;
        loop {
            let token = self.next();
            if token.kind == Kind::Stop {
                let message =
                    "the conditional has no `\\fi` in this file; what follows is not read";
                self.problem_at(ProblemKind::UnclosedConditional, start, message);
                return false;
            }
            match self.act(token) {
                Some(Act::If(_) | Act::Switch(_)) => depth += 1,
                Some(Act::Fi) if depth == 0 => return false,
                Some(Act::Fi) => depth -= 1,
                Some(Act::Else) if depth == 0 && stop_at_else => return true,
                None if self.is_unknown_conditional(token) => depth += 1,
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
                let ((a, rest_a), (b, rest_b)) = (self.split_letter(one), self.split_letter(two));
                let same = self.text(a) == self.text(b);
                // `\if ab`: both letters may stand in one word.
                self.unread_all(&[rest_a, rest_b]);
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
    pub(super) fn if_blank(&mut self) {
        let blank = self.name_argument().is_empty();
        self.choose(blank);
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
        let is_next = match next.kind {
            Kind::Word => !text.is_empty() && self.text(next).starts_with(text),
            Kind::Begin => matches!(self.act(wanted), Some(Act::BGroup)),
            _ => next.kind == wanted.kind,
        };
        if is_next && star {
            self.star();
        }
        self.unread_all(if is_next { &yes } else { &no });
    }

    /// Keeps one of the two arguments that follow.
    fn choose(&mut self, first: bool) {
        let (yes, no) = (self.argument(), self.argument());
        self.unread_all(if first { &yes } else { &no });
    }

    /// `\IfBooleanTF{#1}`, `\IfNoValueTF{#1}`, `\IfValueTF{#1}`
    pub(super) fn if_argument(&mut self, how: &str) {
        let argument = self.argument();
        let holds = |wanted: fn(&Act) -> bool| {
            let mut acts = argument.iter().filter_map(|token| self.act(*token));
            acts.any(|act| wanted(&act))
        };
        let chosen = match how {
            "true" => holds(|act| matches!(act, Act::True)),
            "none" => holds(|act| matches!(act, Act::NoValue)),
            _ => !holds(|act| matches!(act, Act::NoValue)),
        };
        self.choose(chosen);
    }

    /// `\iftoggle{name}{yes}{no}`: both where nobody knows which.
    pub(super) fn if_toggle(&mut self) {
        let name = self.name_argument();
        if let Some(value) = self.toggles.get(&name).copied() {
            self.choose(value);
        }
    }

    pub(super) fn set_toggle(&mut self, value: bool) {
        let name = self.name_argument();
        self.toggles.insert(name, value);
    }
}
