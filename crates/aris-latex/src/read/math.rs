//! Formulas: shifts, operators, scripts, fractions, and the spaces that belong to numbers.

use super::{After, Cmd, GroupKind, How, Kind, Reader, Token, style};

/// Characters after which a sign has no left operand.
const OPENING: [char; 7] = ['(', '[', '{', '=', ',', '<', '>'];

/// Most tokens of an operand that needs no brackets.
const SIMPLE: usize = 4;

impl Reader<'_> {
    pub(super) fn open_math(&mut self, token: Token) {
        self.open_group(GroupKind::Math, After::Nothing, token);
        self.begin_formula(style::MATH, 0);
    }

    /// Switches to maths; the formula's text begins here.
    pub(super) fn begin_formula(&mut self, set: u16, clear: u16) {
        self.style = self.style.set(set, clear);
        self.origin = self.writer.text().len();
    }

    /// How the innermost group other than braces ends, if it is a formula opened by `$`, `\(` or `\[`.
    fn in_math_group(&self) -> Option<After> {
        let near = self.near().find(|group| group.kind != GroupKind::Brace)?;
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
                    self.drop_kind(Kind::Math);
                    self.close_math(token);
                }
                Some(_) => self.close_math(token),
                None => {}
            }
            return;
        }
        if self.drop_kind(Kind::Math) {
            self.begin_display(token, None);
        } else {
            self.open_math(token);
        }
    }

    pub(super) fn blank_line(&mut self, token: Token) {
        if self.style.has(style::MATH) && self.in_math_group() == Some(After::Nothing) {
            self.unwind(token, |kind| kind == GroupKind::Math);
            self.abandon_group(token);
        }
        if self.style.has(style::DISPLAY) {
            self.space(token);
        } else {
            self.paragraph(token);
        }
    }

    pub(super) fn sign(&mut self, token: Token, text: How) {
        // After an opening bracket or another sign it is a sign itself: `(\pm 0.02)`.
        let opens = self.writer.text().ends_with(OPENING);
        let operand = self.writer.operator_waits() || !opens;
        if self.style.has(style::MATHS) && self.writer.text().len() > self.origin && operand {
            self.writer.operator(text, token.fixed(), self.style);
        } else {
            self.write(token, text);
        }
    }

    pub(super) fn function(&mut self, token: Token, text: How) {
        let text_before = self.writer.text();
        if text_before.len() > self.origin && text_before.ends_with(char::is_alphanumeric) {
            self.space(token);
        }
        self.write(token, text);
        let next = self.peek();
        if matches!(next.kind, Kind::Name(_)) || self.text(next).starts_with(char::is_alphanumeric)
        {
            self.space(token);
        }
    }

    /// `\frac{a}{b}` is written `a/b`, with a space after the whole number of a mixed fraction, `2 1/2`.
    pub(super) fn fraction(&mut self, token: Token, _: How) {
        let (over, under) = (self.argument(), self.argument());
        let before = self.writer.text();
        if before.ends_with(|last: char| last.is_ascii_digit()) {
            self.space(token);
        }
        self.unread_operand(token, &under);
        self.unread_text(token, "/");
        self.unread_operand(token, &over);
    }

    /// `√a`
    pub(super) fn root(&mut self, token: Token, _: How) {
        let argument = self.argument();
        self.unread_operand(token, &argument);
        self.write(token, "√");
    }

    /// Puts back an operand, in brackets unless it is letters and a number.
    fn unread_operand(&mut self, token: Token, argument: &[Token]) {
        let is_sign = matches!(argument, [only] if self.text(*only).len() == 1);
        let is_simple = argument.len() <= SIMPLE
            && argument.iter().all(|part| match part.kind {
                Kind::Word => is_sign || !self.text(*part).contains(['+', '-', '=', '/', '(']),
                Kind::Name(_) => !matches!(self.what(*part), "sign" | "fraction"),
                _ => false,
            });
        let (open, close) = if is_simple { ("", "") } else { ("(", ")") };
        self.unread_text(token, close);
        self.unread_group(token, argument);
        self.unread_text(token, open);
    }

    /// `\mathpalette\x{y}` is `\x\textstyle{y}`.
    pub(super) fn math_palette(&mut self, token: Token, _: How) {
        let (name, argument) = (self.argument(), self.argument());
        self.unread_group(token, &argument);
        let style = self.name_token("textstyle", token);
        self.unread(style);
        self.unread_all(&name);
    }

    /// A superscript or subscript.
    pub(super) fn script(&mut self, token: Token, up: bool) {
        let (open, short) = if up { ("^{", "^") } else { ("_{", "_") };
        let next = self.next_visible();
        match next.kind {
            Kind::Begin => {
                let first = self.next();
                let is_maths = first.kind == Kind::Math;
                let sign = if is_maths { self.peek() } else { first };
                let is_error = self.is_operator(sign, "±");
                let is_degree = self.is_operator(first, "∘");
                let is_ordinal = matches!(self.text(first), "th" | "st" | "nd" | "rd");
                if (is_degree || is_ordinal) && self.peek().kind == Kind::End {
                    self.next();
                    if is_degree {
                        self.write(token, "°");
                    } else {
                        self.write_word(first);
                    }
                    return;
                }
                self.unread(first);
                if is_error {
                    // `84.7_{\pm 0.3}`: how tables set the error small.
                    self.space(token);
                    self.open_group(GroupKind::Brace, After::Nothing, next);
                } else {
                    self.write(token, open);
                    self.open_group(GroupKind::Brace, After::Text("}"), next);
                }
            }
            Kind::Word => {
                let (first, rest) = self.split_letter(next);
                // A script without a base is a mark: `$^1$300`.
                let joined = self.text(rest).starts_with(char::is_alphanumeric)
                    || self.writer.text().len() == self.origin;
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
        (self.cmd(token).and_then(Cmd::prints)).is_some_and(|text| text == sign)
    }

    /// `1\,234` is one number; elsewhere a space.
    pub(super) fn thin_space(&mut self, token: Token, _: How) {
        let next = self.peek();
        let digits = self.text(next).bytes().take_while(u8::is_ascii_digit);
        let is_group = next.kind == Kind::Word && digits.count() == 3;
        let number = self.writer.trailing_number();
        if !is_group || number.is_empty() {
            self.space(token);
        } else if !number.contains('.') {
            self.write(token, ",");
        }
    }

    pub(super) fn x_space(&mut self, token: Token, _: How) {
        const UNSPACED: [&str; 6] = [
            "footnote",
            "mark",
            "space",
            "thin_space",
            "nothing",
            "line_end",
        ];
        const CLOSE: [char; 11] = ['.', ',', '\'', '/', '?', ';', ':', '!', '-', ')', ']'];
        let next = self.peek();
        let spaced = match next.kind {
            Kind::Word => !self.text(next).starts_with(CLOSE),
            Kind::Math => true,
            Kind::Name(_) => match self.cmd(next) {
                Some(cmd) if cmd.what == "symbol" => !cmd.how.starts_with(CLOSE),
                _ => !UNSPACED.contains(&self.what(next)),
            },
            _ => false,
        };
        if spaced {
            self.space(token);
        }
    }
}
