//! siunitx: numbers and units as they are printed.

use std::sync::LazyLock;

use regex::Regex;

use super::{Flat, How, Kind, Meaning, Reader, Token, style, text_of};
use crate::{Holds, ProblemKind, root::compiled};

fn unit(reader: &mut Reader<'_>) -> String {
    let mut out = String::new();
    // After a unit (not a prefix) another one is set off by a space.
    let mut boundary = false;
    let mut square = "";
    loop {
        let token = reader.next();
        match token.kind {
            Kind::Stop => return out,
            Kind::Word => {
                boundary = false;
                out.push_str(&reader.text(token).replace('.', " "));
            }
            Kind::Super => out.push('^'),
            Kind::Begin if out.ends_with('^') => out.push('{'),
            // The braces of an exponent.
            Kind::End if out.rfind('{') > out.rfind('}') => out.push('}'),
            Kind::Tie | Kind::Space if !out.is_empty() && !out.ends_with(' ') => out.push(' '),
            Kind::Name(name) => {
                let text = reader.names.text(name);
                let own = reader.units.get(&name).cloned();
                let prefix = text_of("prefix", text);
                let known = prefix.or_else(|| text_of("unit", text));
                let shown = own.or_else(|| known.map(str::to_owned));
                match (text, shown) {
                    ("of", _) => {}
                    ("square", _) => square = "^{2}",
                    ("cubic", _) => square = "^{3}",
                    // Powers of the unit before, and separators.
                    (_, Some(shown)) if shown.starts_with(['^', '/', '·']) => {
                        boundary &= shown.starts_with('^');
                        out.push_str(&shown);
                    }
                    (_, Some(shown)) => {
                        if boundary {
                            out.push(' ');
                        }
                        out.push_str(&shown);
                        boundary = prefix.is_none();
                        if boundary {
                            out.push_str(std::mem::take(&mut square));
                        }
                    }
                    (_, None) => {
                        if let Meaning::Macro(body) = reader.meaning(name) {
                            reader.expand(token, name, &body);
                        } else {
                            reader.undefined_in(&[token]);
                            out.push_str(&reader.flat(&[token]));
                        }
                    }
                }
            }
            _ => {}
        }
    }
}

/// A part of a printed number, and its byte offset in the input; `None` for text that siunitx adds.
type Part = (String, Option<usize>);

/// A number as printed, in parts; the uncertainty in brackets counts in the last digits.
fn number(input: &str, base: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut start = 0;
    for item in input.split_inclusive(['x', '×']) {
        let plain = item.trim_end_matches(['x', '×']);
        factor(plain, base + start, &mut parts);
        if plain.len() < item.len() {
            parts.push((" × ".to_owned(), None));
        }
        start += item.len();
    }
    parts.retain(|(text, _)| !text.is_empty());
    parts
}

/// A value, the sign of an uncertainty, the uncertainty, an exponent.
static FACTOR: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"(?s)^([^eEdD]*?)(?:(\(|\+-|±)([^eEdD]*))?(?:[eEdD](.*))?$"));

fn factor(input: &str, base: usize, parts: &mut Vec<Part>) {
    let found = FACTOR.captures(input);
    let part = |number| found.as_ref().and_then(|found| found.get(number));
    let text = |number| part(number).map_or("", |part| part.as_str());
    let fixed = |text: &str| (text.to_owned(), None);
    // Offset of a part, after its leading blanks.
    let at = |number| {
        let blanks = text(number).len() - text(number).trim_start().len();
        Some(base + part(number)?.start() + blanks)
    };
    let exponent = part(4);
    let shown = leading(&clean(text(1)));
    parts.push((shown.clone(), at(1)));
    if text(3).contains(|c: char| c.is_ascii_digit()) {
        let digits = clean(text(3).trim_end().trim_end_matches(')'));
        let error = match text(2) {
            "(" => scaled(&shown, &digits),
            _ => leading(&digits),
        };
        parts.extend([fixed(" ± "), (error, at(3))]);
        if exponent.is_some() {
            parts.insert(parts.len() - 3, fixed("("));
            parts.push(fixed(")"));
        }
    }
    if let Some(exponent) = exponent {
        let is_power = text(1).trim().is_empty();
        let times = if is_power { "10^{" } else { " × 10^{" };
        let power = clean(exponent.as_str()).trim_start_matches('+').to_owned();
        parts.extend([fixed(times), (power, at(4)), fixed("}")]);
    }
}

/// Removes spaces; writes the decimal comma as a point.
fn clean(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && *c != '~')
        .map(|c| if c == ',' { '.' } else { c })
        .collect()
}

fn leading(value: &str) -> String {
    let zero = if value.starts_with('.') { "0" } else { "" };
    [zero, value].concat()
}

/// `84.7(3)` is 84.7 ± 0.3: the error counts in the value's last digits unless it has a point.
fn scaled(value: &str, error: &str) -> String {
    let places = value.split_once('.').map_or(0, |(_, digits)| digits.len());
    let is_whole = !error.is_empty() && error.bytes().all(|b| b.is_ascii_digit());
    if places == 0 || !is_whole {
        return error.to_owned();
    }
    let padded = format!("{error:0>width$}", width = places + 1);
    let (whole, digits) = padded.split_at(padded.len() - places);
    format!("{whole}.{digits}")
}

/// The number of an S column's cell in parts; `None` if the cell holds no plain number.
pub(super) fn column_number(text: &str) -> Option<Vec<Part>> {
    let begins = |c: char| c.is_ascii_digit() || "+-.<>".contains(c);
    let goes_on = |c: char| c.is_ascii_digit() || ".,()eE+-± <>".contains(c);
    let has_digit = text.contains(|c: char| c.is_ascii_digit());
    if !text.starts_with(begins) || !has_digit || text.len() >= 64 || !text.chars().all(goes_on) {
        return None;
    }
    let is_whole = !text.contains(['(', 'e', 'E', '±']) && !text.contains("+-");
    let whole = is_whole.then(|| vec![(text.to_owned(), Some(0))]);
    Some(whole.unwrap_or_else(|| number(text, 0)))
}

impl Reader<'_> {
    /// `[round-mode = places, …]`, `\sisetup{…}`: options that make siunitx print other numbers are reported, and numbers are
    /// doubtful up to the end of the group.
    pub(super) fn si_rounding(&mut self, token: Token, options: &[Token]) {
        let text: String = self.raw(options).split_whitespace().collect();
        let off = [
            ("round-mode", "none"),
            ("drop-exponent", "false"),
            ("evaluate-expression", "false"),
        ];
        let changes = |(key, off): (&str, &str)| {
            let mut values = text.split(key).skip(1);
            values.any(|value| !value.trim_start_matches('=').starts_with(off))
        };
        if off.into_iter().any(changes) {
            self.style = self.style.set(style::ROUNDED, 0);
            let message = "siunitx rounds what is printed here, or prints another number; numbers are read as they are written";
            self.problem_at(ProblemKind::UnreadText(Holds::NUMBERS), token, message);
        }
    }

    /// Begins the doubt about a number that siunitx may print differently, and returns its number; 0 if there is none.
    pub(super) fn rounding_doubt(&mut self, token: Token) -> u32 {
        if self.style.has(style::ROUNDED) {
            self.doubt(token, "")
        } else {
            0
        }
    }

    fn si_options(&mut self, token: Token) {
        let options = self.optional().unwrap_or_default();
        self.si_rounding(token, &options);
    }

    fn si_argument(&mut self) -> Flat {
        let tokens = self.argument();
        self.undefined_in(&tokens);
        self.flatten(&tokens)
    }

    /// A unit as printed: `\milli\second` → `ms`, `\metre\per\second` → `m/s`, `m.s^{-1}` → `m s^{-1}`.
    pub(super) fn si_unit(&mut self) -> String {
        let tokens = self.argument();
        self.apart(&tokens, unit).trim().to_owned()
    }

    fn write_unit(&mut self, token: Token, text: &str) {
        let is_sign = text.starts_with(['°', '%', '′', '″']) && text != "°C";
        if !text.is_empty() && !is_sign {
            self.space(token);
        }
        self.write_as(self.style.set(style::UNIT, 0), token, text);
    }

    /// Writes `input`, which begins at byte `base` of `flat`, as a number; each printed part has the place of its digits.
    fn write_number(&mut self, token: Token, flat: &Flat, input: &str, base: usize) {
        let style = self.style.set(style::NUMBER, 0);
        let doubt = self.rounding_doubt(token);
        let mut last = token.fixed();
        for (text, offset) in number(input, base) {
            last = match offset.and_then(|offset| flat.at(offset)) {
                Some((rest, from)) if rest.starts_with(&text) => from,
                Some((_, from)) => from.fixed(),
                // A closing bracket has the place of the part before it; text between two parts has the place just after the
                // first.
                None if text.starts_with([')', '}']) => last.fixed(),
                None => last.after(1).fixed(),
            };
            self.writer.write(&text, last, style);
            last = last.after(text.len().saturating_sub(1));
        }
        self.writer.doubts.leave(doubt);
    }

    /// `\num{1}`, `\qty{3.2}{\ms}`, `\SI{3.2}[pre]{\ms}`, and their forms for lists and ranges.
    pub(super) fn si_numbers(&mut self, token: Token, how: How) {
        let outer = self.style;
        self.si_options(token);
        let mut numbers = vec![self.si_argument()];
        if how.ends_with("range") {
            numbers.push(self.si_argument());
        }
        let mut unit = String::new();
        if how.starts_with("unit") {
            self.si_options(token);
            unit = self.si_unit();
        }
        for (number, flat) in numbers.iter().enumerate() {
            let count = flat.text.matches(';').count();
            let signs = if how.ends_with("list") { count } else { 0 };
            let mut start = 0;
            for (at, item) in flat.text.splitn(signs + 1, ';').enumerate() {
                if number > 0 {
                    self.write(token, " to ");
                } else if at > 0 {
                    self.write(token, if at == signs { " and " } else { ", " });
                }
                self.write_number(token, flat, item, start);
                self.write_unit(token, &unit);
                start += item.len() + 1;
            }
        }
        self.style = outer;
    }

    pub(super) fn si_only_unit(&mut self, token: Token, _: How) {
        drop(self.optional());
        let unit = self.si_unit();
        self.write_as(self.style.set(style::UNIT, 0), token, &unit);
    }

    /// `\ang{45}`, `\ang{1;2;3}`
    pub(super) fn si_angle(&mut self, token: Token, _: How) {
        let outer = self.style;
        self.si_options(token);
        let flat = self.si_argument();
        let mut start = 0;
        for (item, sign) in flat.text.split(';').zip(["°", "′", "″"]) {
            if !item.trim().is_empty() {
                self.write_number(token, &flat, item, start);
                self.write(token, sign);
            }
            start += item.len() + 1;
        }
        self.style = outer;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(input: &str) -> String {
        number(input, 0).into_iter().map(|(text, _)| text).collect()
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
        assert_eq!(text_of("prefix", "ampere"), None);
        assert_eq!(text_of("unit", "ampere"), Some("A"));
    }
}
