//! Formulas: shifts, operators, scripts, fractions, and the spaces that belong to numbers.

use super::{
    builtin::Cmd,
    reader::{After, GroupKind, Meaning, Reader},
    style,
    token::{Kind, Op, Token},
};
use crate::ProblemKind;

/// Groups that are searched for the maths they stand in.
const SEARCH: usize = 64;

impl Reader<'_> {
    pub(super) fn open_math(&mut self, token: Token) {
        self.open_group(GroupKind::Math, After::Nothing, token);
        self.style = self.style.set(style::MATH, 0);
        self.origin = self.writer.length();
    }

    /// Whether a formula opened by `$` or `\(` or `\[` is near.
    fn in_math_group(&self) -> Option<After> {
        let near = self
            .groups
            .iter()
            .rev()
            .take(SEARCH)
            .find(|group| group.kind != GroupKind::Brace)?;
        (near.kind == GroupKind::Math).then_some(near.after)
    }

    pub(super) fn close_math(&mut self, token: Token) {
        if self.in_math_group().is_some() {
            self.unwind(token, |kind| kind == GroupKind::Math);
            self.close_group(token);
        }
    }

    pub(super) fn math_shift(&mut self, token: Token) {
        if self.style.has(style::MATHS) {
            // Inside a group it begins and ends a formula in a box.
            let is_boxed = (self.groups.last()).is_some_and(|group| group.kind == GroupKind::Brace);
            match self.in_math_group().filter(|_| !is_boxed) {
                Some(After::Display) => {
                    let next = self.next();
                    if next.kind != Kind::Math {
                        self.unread(next);
                    }
                    self.close_math(token);
                }
                Some(_) => self.close_math(token),
                None => {}
            }
            return;
        }
        let next = self.next();
        if next.kind == Kind::Math {
            self.begin_display(token, None);
        } else {
            self.unread(next);
            self.open_math(token);
        }
    }

    pub(super) fn blank_line(&mut self, token: Token) {
        if self.style.has(style::MATH) && self.in_math_group() == Some(After::Nothing) {
            if let Some(group) = self
                .groups
                .iter()
                .rev()
                .find(|group| group.kind == GroupKind::Math)
            {
                let place = group.place;
                self.problem(ProblemKind::UnclosedMath, place, "maths is never closed");
            }
            self.unwind(token, |kind| kind == GroupKind::Math);
            self.close_group(token);
        }
        if self.style.has(style::DISPLAY) {
            self.space(token);
        } else {
            self.paragraph(token);
        }
    }

    pub(super) fn operator(&mut self, token: Token, text: &'static str) {
        // After an opening bracket or another sign it is a sign itself: `(\pm 0.02)`.
        let operand = self.writer.operator_waits()
            || !self
                .writer
                .text()
                .ends_with(['(', '[', '{', '=', ',', '<', '>']);
        if self.style.has(style::MATHS) && self.writer.length() > self.origin && operand {
            let source = self.source(token, false);
            self.writer.operator(text, source, self.style);
        } else {
            self.write(token, text);
        }
    }

    pub(super) fn function(&mut self, token: Token, text: &'static str) {
        if self.writer.text().ends_with(char::is_alphanumeric) && self.writer.length() > self.origin
        {
            self.space(token);
        }
        self.write(token, text);
        let next = self.peek();
        if matches!(next.kind, Kind::Name(_)) || self.text(next).starts_with(char::is_alphanumeric)
        {
            self.space(token);
        }
    }

    /// `\left(`, `\big|`, `\right.`
    pub(super) fn delimiter(&mut self, _token: Token) {
        let next = self.next_visible();
        if next.kind == Kind::Word && self.text(next).starts_with('.') {
            let (_, rest) = next.split(1);
            self.unread(rest);
        } else {
            self.unread(next);
        }
    }

    /// A superscript or subscript.
    pub(super) fn script(&mut self, token: Token, up: bool) {
        let (open, short) = if up { ("^{", "^") } else { ("_{", "_") };
        let next = self.next_visible();
        match next.kind {
            Kind::Begin => {
                let first = self.next();
                let second = if first.kind == Kind::Math {
                    Some(self.next())
                } else {
                    None
                };
                let sign = self.is_operator(second.unwrap_or(first), "±");
                let lone = self.is_operator(first, "∘") || self.is_ordinal(first);
                if let Some(second) = second {
                    self.unread(second);
                }
                if sign {
                    // `84.7_{\pm 0.3}`: how tables set the error small.
                    self.unread(first);
                    self.space(token);
                    self.open_group(GroupKind::Brace, After::Nothing, next);
                    return;
                }
                if lone && self.peek().kind == Kind::End {
                    self.next();
                    if first.kind == Kind::Word {
                        self.write_word(first);
                    } else {
                        self.write(token, "°");
                    }
                    return;
                }
                self.unread(first);
                self.write(token, open);
                self.open_group(GroupKind::Brace, After::Text("}"), next);
            }
            Kind::Word => {
                let width = self.text(next).chars().next().map_or(0, char::len_utf8);
                let (first, rest) = next.split(width);
                let joined = self.text(rest).starts_with(char::is_alphanumeric);
                self.write(token, if joined { open } else { short });
                self.write_word(first);
                if joined {
                    self.write(token, "}");
                }
                self.unread(rest);
            }
            Kind::Name(_) if up && self.is_operator(next, "∘") => self.write(token, "°"),
            Kind::Name(_) => {
                self.write(token, short);
                self.unread(next);
            }
            _ => self.unread(next),
        }
    }

    fn is_operator(&self, token: Token, sign: &str) -> bool {
        matches!(token.kind, Kind::Name(name)
            if matches!(self.meaning(name), Meaning::Known(Cmd::Operator(text) | Cmd::Symbol(text)) if text == sign))
    }

    fn is_ordinal(&self, token: Token) -> bool {
        token.kind == Kind::Word && matches!(self.text(token), "th" | "st" | "nd" | "rd")
    }

    /// Whether the next argument needs no brackets in `a/b`.
    pub(super) fn simple_group(&mut self) -> bool {
        let mut taken = [Token::new(Kind::Stop, 0, 0, 0); 6];
        let mut simple = false;
        for count in 1..=taken.len() {
            let token = self.next();
            if let Some(place) = taken.get_mut(count - 1) {
                *place = token;
            }
            match token.kind {
                Kind::Begin | Kind::Space if count <= 2 => {}
                Kind::End => {
                    simple = true;
                    break;
                }
                Kind::Word if taken.first().is_some_and(|first| first.kind == Kind::Word) => {
                    simple = true;
                    break;
                }
                Kind::Word if self.text(token).contains(['+', '-', '=', '/', '(']) => break,
                Kind::Word => {}
                Kind::Name(_) if !self.is_operator_any(token) => {}
                _ => break,
            }
        }
        // What was not taken is a stop, which is not put back.
        self.unread_all(&taken);
        simple
    }

    fn is_operator_any(&self, token: Token) -> bool {
        matches!(token.kind, Kind::Name(name) if matches!(self.meaning(name), Meaning::Known(Cmd::Operator(_) | Cmd::Frac)))
    }

    /// `1\,234` is one number; elsewhere a space.
    pub(super) fn thin_space(&mut self, token: Token) {
        let next = self.peek();
        let digits = self
            .text(next)
            .bytes()
            .take_while(u8::is_ascii_digit)
            .count();
        let number = self.writer.trailing_number();
        if next.kind == Kind::Word && digits == 3 && !number.is_empty() {
            if !number.contains('.') {
                self.write(token, ",");
            }
        } else {
            self.space(token);
        }
    }

    pub(super) fn x_space(&mut self, token: Token) {
        let next = self.peek();
        let spaced = match next.kind {
            Kind::Word => !self
                .text(next)
                .starts_with(['.', ',', '\'', '/', '?', ';', ':', '!', '-', ')', ']']),
            Kind::Math => true,
            Kind::Name(name) => !matches!(
                self.meaning(name),
                Meaning::Known(
                    Cmd::Footnote
                        | Cmd::FootnoteMark
                        | Cmd::Space
                        | Cmd::ThinSpace
                        | Cmd::Nothing
                        | Cmd::RowEnd
                )
            ),
            _ => false,
        };
        if spaced {
            self.space(token);
        }
    }

    pub(super) fn over(&mut self, token: Token, wrapped: bool) {
        if wrapped {
            self.write(token, ")");
        }
        self.unread(Self::op(token, Op::Over));
    }
}
