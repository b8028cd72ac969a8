//! siunitx: numbers and units as they are printed.

use super::{
    args::Piece,
    reader::{Meaning, Reader},
    style,
    symbols::{PREFIXES, UNITS, pairs},
    token::{Kind, Token},
};

/// A unit as printed: `\milli\second` → `ms`, `\metre\per\second` → `m/s`, `m.s^{-1}` → `m s^{-1}`.
pub(super) fn unit(reader: &mut Reader<'_>, tokens: &[Token]) -> String {
    let mut out = String::new();
    let mut depth = 0;
    render(reader, tokens, &mut out, &mut depth);
    out.trim().to_owned()
}

fn render(reader: &mut Reader<'_>, tokens: &[Token], out: &mut String, depth: &mut u32) {
    // After a unit (not a prefix) another one is set off by a space.
    let mut boundary = false;
    let mut square = "";
    // Inside the braces of an exponent.
    let mut power = false;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Word => {
                boundary = false;
                out.push_str(&reader.text(*token).replace('.', " "));
            }
            Kind::Super => out.push('^'),
            Kind::Begin if out.ends_with('^') => {
                out.push('{');
                power = true;
            }
            Kind::End if power => {
                out.push('}');
                power = false;
            }
            Kind::Tie | Kind::Space if !out.is_empty() && !out.ends_with(' ') => out.push(' '),
            Kind::Name(name) => {
                let text = reader.names.text(name).to_owned();
                match text.as_str() {
                    "per" => {
                        out.push('/');
                        boundary = false;
                    }
                    "squared" => out.push_str("^{2}"),
                    "cubed" => out.push_str("^{3}"),
                    "square" => square = "^{2}",
                    "cubic" => square = "^{3}",
                    "tothe" | "raiseto" => out.push('^'),
                    "of" => {}
                    "cdot" => out.push('·'),
                    _ => {
                        let own = reader.units.get(&name).cloned();
                        let known = pairs(UNITS)
                            .enumerate()
                            .find(|(_, (unit, _))| *unit == text);
                        let shown = own.or_else(|| known.map(|(_, (_, text))| text.to_owned()));
                        if let Some(shown) = shown {
                            if boundary {
                                out.push(' ');
                            }
                            out.push_str(&shown);
                            boundary = known.is_none_or(|(at, _)| at >= PREFIXES);
                            if boundary {
                                out.push_str(std::mem::take(&mut square));
                            }
                        } else if let Meaning::Macro(body) = reader.meaning(name)
                            && *depth < 20
                            && reader.spend(body.body.len() + 1)
                        {
                            *depth += 1;
                            let inner = body.body.clone();
                            render(reader, &inner, out, depth);
                            *depth -= 1;
                        } else {
                            reader.undefined_in(tokens.get(at..=at).unwrap_or_default());
                            let shown = reader.flat(tokens.get(at..=at).unwrap_or_default());
                            out.push_str(&shown);
                        }
                    }
                }
            }
            _ => {}
        }
    }
}

/// A part of a printed number, and where in the input it stands.
type Part = (String, Option<usize>);

/// A number as printed, in parts; the uncertainty in brackets counts in the last digits.
fn number(input: &str, base: usize, parts: &mut Vec<Part>) {
    let mut rest = input;
    let mut base = base;
    while let Some((at, sign)) = rest.char_indices().find(|(_, c)| matches!(c, 'x' | '×')) {
        factor(rest.get(..at).unwrap_or(""), base, parts);
        parts.push((" × ".to_owned(), None));
        let width = at + sign.len_utf8();
        rest = rest.get(width..).unwrap_or("");
        base += width;
    }
    factor(rest, base, parts);
}

fn factor(input: &str, base: usize, parts: &mut Vec<Part>) {
    let split = input.find(['e', 'E', 'd', 'D']);
    let mantissa = input.get(..split.unwrap_or(input.len())).unwrap_or("");
    let exponent = split.and_then(|at| Some((at + 1, input.get(at + 1..)?)));
    let sign = ["(", "+-", "±"]
        .into_iter()
        .filter_map(|sign| Some((mantissa.find(sign)?, sign)))
        .min();
    let value = mantissa
        .get(..sign.map_or(mantissa.len(), |(at, _)| at))
        .unwrap_or("");
    let shown = leading(&clean(value));
    let error_of = |(at, sign): (usize, &str)| mantissa.get(at + sign.len()..).unwrap_or("");
    let sign = sign.filter(|sign| error_of(*sign).bytes().any(|b| b.is_ascii_digit()));
    if let Some((at, sign)) = sign {
        let from = at + sign.len();
        let error = mantissa.get(from..).unwrap_or("");
        let digits = clean(error.trim_end().trim_end_matches(')'));
        let error_shown = if sign == "(" {
            scaled(&shown, &digits)
        } else {
            leading(&digits)
        };
        if exponent.is_some() {
            parts.push(("(".to_owned(), None));
        }
        parts.push((shown, Some(base + blanks(value))));
        parts.push((" ± ".to_owned(), None));
        parts.push((error_shown, Some(base + from + blanks(error))));
        if exponent.is_some() {
            parts.push((")".to_owned(), None));
        }
    } else if !shown.is_empty() {
        parts.push((shown, Some(base + blanks(value))));
    }
    if let Some((from, exponent)) = exponent {
        let power = clean(exponent);
        parts.push((
            if value.trim().is_empty() {
                "10^{"
            } else {
                " × 10^{"
            }
            .to_owned(),
            None,
        ));
        parts.push((
            power.trim_start_matches('+').to_owned(),
            Some(base + from + blanks(exponent)),
        ));
        parts.push(("}".to_owned(), None));
    }
}

/// Without spaces, the decimal comma as a point.
fn clean(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && *c != '~')
        .map(|c| if c == ',' { '.' } else { c })
        .collect()
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

fn leading(value: &str) -> String {
    match value.strip_prefix('.') {
        Some(rest) => format!("0.{rest}"),
        None => value.to_owned(),
    }
}

/// `84.7(3)` is 84.7 ± 0.3: the error counts in the value's last digits unless it has a point.
fn scaled(value: &str, error: &str) -> String {
    let places = value.split_once('.').map_or(0, |(_, digits)| digits.len());
    if error.contains('.')
        || places == 0
        || !error.bytes().all(|b| b.is_ascii_digit())
        || error.is_empty()
    {
        return error.to_owned();
    }
    let padded = format!("{error:0>width$}", width = places + 1);
    let at = padded.len() - places;
    format!(
        "{}.{}",
        padded.get(..at).unwrap_or(""),
        padded.get(at..).unwrap_or("")
    )
}

/// The number of an S column's cell in parts; nothing when the cell holds no plain number.
pub(super) fn column_number(text: &str) -> Option<Vec<Part>> {
    let numeric = text
        .starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | '<' | '>'))
        && text.bytes().any(|b| b.is_ascii_digit())
        && text.len() < 64
        && text.chars().all(|c| {
            c.is_ascii_digit()
                || matches!(
                    c,
                    '.' | ',' | '(' | ')' | 'e' | 'E' | '+' | '-' | '±' | ' ' | '<' | '>'
                )
        });
    if !numeric {
        return None;
    }
    let mut parts = Vec::new();
    if text.contains(['(', 'e', 'E', '±']) || text.contains("+-") {
        number(text, 0, &mut parts);
    } else {
        parts.push((text.to_owned(), Some(0)));
    }
    Some(parts)
}

impl Reader<'_> {
    /// `[round-mode = places, …]`, `\sisetup{…}`: what rounds is said, because numbers are read as they are written.
    pub(super) fn si_rounding(&mut self, token: Token, options: &[Token]) {
        let text: String = self.raw(options).split_whitespace().collect();
        if text.contains("round-mode=") && !text.contains("round-mode=none") {
            let message =
                "siunitx rounds what is printed here; numbers are read as they are written";
            self.problem_at(crate::ProblemKind::UnreadText, token, message);
        }
    }

    fn si_options(&mut self, token: Token) {
        if let Some(options) = self.optional() {
            self.si_rounding(token, &options);
        }
    }

    fn si_pieces(&mut self) -> Vec<Piece> {
        let tokens = self.argument();
        self.undefined_in(&tokens);
        self.pieces(&tokens)
    }

    fn si_unit(&mut self) -> String {
        let tokens = self.argument();
        unit(self, &tokens)
    }

    fn write_unit(&mut self, token: Token, text: &str) {
        if text.is_empty() {
            return;
        }
        let old = self.style;
        if !text.starts_with(['°', '%', '′', '″']) || text == "°C" {
            self.space(token);
        }
        self.style = self.style.set(style::UNIT, 0);
        self.write(token, text);
        self.style = old;
    }

    /// Writes `text[range]` of the pieces' text as a number; each part keeps the place of its digits.
    fn write_number(&mut self, token: Token, pieces: &[Piece], range: std::ops::Range<usize>) {
        let whole: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        let mut parts = Vec::new();
        number(
            whole.get(range.clone()).unwrap_or(""),
            range.start,
            &mut parts,
        );
        let style = self.style.set(style::NUMBER, 0);
        let mut last = self.source(token, false);
        for (text, offset) in parts.into_iter().filter(|(text, _)| !text.is_empty()) {
            if let Some(offset) = offset {
                let mut start = 0;
                let found = pieces.iter().find(|piece| {
                    start += piece.text.len();
                    offset < start
                });
                if let Some(piece) = found {
                    let into = offset - (start - piece.text.len());
                    last = piece.source.after(into);
                    if piece
                        .text
                        .get(into..)
                        .is_none_or(|rest| !rest.starts_with(text.as_str()))
                    {
                        last = last.fixed();
                    }
                }
            }
            self.writer.write(&text, last, style);
            // What siunitx adds stands at the end of what it follows.
            last = last.after(text.len().saturating_sub(1)).fixed();
        }
    }

    fn write_all(&mut self, token: Token, pieces: &[Piece]) {
        let length = pieces.iter().map(|piece| piece.text.len()).sum();
        self.write_number(token, pieces, 0..length);
    }

    pub(super) fn si_number(&mut self, token: Token) {
        self.si_options(token);
        let pieces = self.si_pieces();
        self.write_all(token, &pieces);
    }

    pub(super) fn si_list(&mut self, token: Token, with_unit: bool) {
        self.si_options(token);
        let pieces = self.si_pieces();
        let unit = if with_unit {
            self.si_unit()
        } else {
            String::new()
        };
        let whole: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        let count = whole.split(';').count();
        let mut start = 0;
        for (at, item) in whole.split(';').enumerate() {
            if at > 0 {
                self.write(token, if at + 1 == count { " and " } else { ", " });
            }
            self.write_number(token, &pieces, start..start + item.len());
            self.write_unit(token, &unit);
            start += item.len() + 1;
        }
    }

    pub(super) fn si_range(&mut self, token: Token, with_unit: bool) {
        self.si_options(token);
        let (from, to) = (self.si_pieces(), self.si_pieces());
        let unit = if with_unit {
            self.si_unit()
        } else {
            String::new()
        };
        self.write_all(token, &from);
        self.write_unit(token, &unit);
        self.write(token, " to ");
        self.write_all(token, &to);
        self.write_unit(token, &unit);
    }

    /// `\qty{3.2}{\ms}`, `\SI{3.2}[pre]{\ms}`
    pub(super) fn si_quantity(&mut self, token: Token) {
        self.si_options(token);
        let pieces = self.si_pieces();
        self.si_options(token);
        let unit = self.si_unit();
        self.write_all(token, &pieces);
        self.write_unit(token, &unit);
    }

    pub(super) fn si_only_unit(&mut self, token: Token) {
        self.si_options(token);
        let unit = self.si_unit();
        let old = self.style;
        self.style = self.style.set(style::UNIT, 0);
        self.write(token, &unit);
        self.style = old;
    }

    /// `\ang{45}`, `\ang{1;2;3}`
    pub(super) fn si_angle(&mut self, token: Token) {
        self.si_options(token);
        let pieces = self.si_pieces();
        let whole: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        let mut start = 0;
        for (item, sign) in whole.split(';').zip(["°", "′", "″"]) {
            if !item.trim().is_empty() {
                self.write_number(token, &pieces, start..start + item.len());
                self.write(token, sign);
            }
            start += item.len() + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(input: &str) -> String {
        let mut parts = Vec::new();
        number(input, 0, &mut parts);
        parts.into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn numbers() {
        for (input, expected) in [
            ("1.2e-3", "1.2 × 10^{-3}"),
            ("1.2(3)", "1.2 ± 0.3"),
            ("84.73(12)", "84.73 ± 0.12"),
            ("84(3)", "84 ± 3"),
            ("1 234", "1234"),
            ("1,5", "1.5"),
            (".5", "0.5"),
            ("1 +- 0.2", "1 ± 0.2"),
            ("1.0(2)e5", "(1.0 ± 0.2) × 10^{5}"),
            ("e6", "10^{6}"),
            ("2 x 3", "2 × 3"),
            ("-3.5", "-3.5"),
            ("84.7(", "84.7"),
            ("84.7 ±", "84.7"),
            ("", ""),
        ] {
            assert_eq!(printed(input), expected, "{input}");
        }
        assert_eq!(column_number("Accuracy"), None);
        let joined = |parts: Vec<Part>| parts.into_iter().map(|(text, _)| text).collect::<String>();
        assert_eq!(
            column_number("84.7(3)").map(joined).as_deref(),
            Some("84.7 ± 0.3")
        );
        assert_eq!(pairs(UNITS).nth(PREFIXES), Some(("ampere", "A")));
    }
}
