//! Finds numbers in a text, in one pass.

use super::units::{multiplier_word, unit_word};
use super::{Number, Sign, Style, spelled};
use crate::decimal::Decimal;

/// All numbers of a text in reading order; linear in its length.
pub fn scan(text: &str) -> Vec<Number> {
    let mut scanner = Scanner {
        text,
        bytes: text.as_bytes(),
        at: 0,
        found: Vec::new(),
    };
    scanner.run();
    scanner.found
}

struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    found: Vec<Number>,
}

impl Scanner<'_> {
    fn run(&mut self) {
        while self.at < self.bytes.len() {
            let byte = self.byte(self.at);
            if byte.is_ascii_digit()
                || (byte == b'.'
                    && self.byte(self.at + 1).is_ascii_digit()
                    && !self.digit_before(self.at))
            {
                self.digits();
            } else if byte.is_ascii_alphabetic() {
                self.word();
            } else {
                self.at += 1;
            }
        }
    }

    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn digit_before(&self, at: usize) -> bool {
        at.checked_sub(1)
            .is_some_and(|before| self.byte(before).is_ascii_digit())
    }

    fn rest(&self, at: usize) -> &str {
        self.text.get(at..).unwrap_or("")
    }

    fn char_before(&self, at: usize) -> Option<char> {
        self.text.get(..at)?.chars().next_back()
    }

    fn char_at(&self, at: usize) -> Option<char> {
        self.rest(at).chars().next()
    }

    /// A word: skipped with the digits inside it, unless it spells a number.
    fn word(&mut self) {
        let start = self.at;
        while self.byte(self.at).is_ascii_alphabetic() {
            self.at += 1;
        }
        let mut word = self.text.get(start..self.at).unwrap_or("");
        if self.byte(self.at) == b'-' && spelled::is_ten(word) {
            let (next, end) = self.word_at(self.at + 1);
            if spelled::value(next).is_some_and(|value| (1..10).contains(&value)) {
                self.at = end;
                word = self.text.get(start..end).unwrap_or("");
            }
        }
        let alone = !self
            .char_before(start)
            .is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-')
            && !self
                .char_at(self.at)
                .is_some_and(|c| c.is_alphanumeric() || c == '_');
        if let Some(value) = spelled::value(word).filter(|_| alone) {
            let range = start..self.at;
            let (unit, end) = self.unit(self.at);
            self.found.push(Number {
                end,
                value: Decimal::new(value, 0),
                last_digit: 0,
                sign: None,
                style: Style::Spelled,
                unit,
                uncertainty_of: None,
                range_from: None,
                embedded: false,
                times: false,
                multiplier: 0,
                range,
            });
        }
    }

    fn digits(&mut self) {
        let start = self.at;
        let (whole_end, whole) = self.whole_part(start);
        let mut digits = whole;
        let mut end = whole_end;
        let mut last_digit = 0_i32;
        if self.byte(end) == b'.' && self.byte(end + 1).is_ascii_digit() {
            digits.push('.');
            end += 1;
            while self.byte(end).is_ascii_digit() {
                digits.push(char::from(self.byte(end)));
                end += 1;
                last_digit -= 1;
            }
        }
        let mut embedded = self.joined_before(start);
        let mut style = Style::Digits;
        let mut power = 0_i32;
        if let Some((exponent_end, exponent)) = self.exponent(end) {
            (end, power, style) = (exponent_end, exponent, Style::Scientific);
        } else if let Some((exponent_end, exponent)) = self.own_exponent(&digits, end) {
            // `10^{-3}` alone: one significant digit.
            "1".clone_into(&mut digits);
            (end, power, style) = (exponent_end, exponent, Style::Scientific);
        }
        let multiplier = match style {
            Style::Digits => self.multiplier(end),
            Style::Scientific | Style::Spelled => None,
        };
        let after = multiplier.map_or(end, |(after, _)| after);
        embedded |= self.joined_after(after, style);
        let sign = if embedded {
            None
        } else {
            self.sign_before(start)
        };
        let range_start = match sign {
            Some((_, at)) => at,
            None => start,
        };
        self.at = end;
        let Some(value) = Decimal::parse(&digits) else {
            return;
        };
        let value = value.shift(power);
        let sign = sign.map(|(sign, _)| sign);
        let (unit, unit_end) = self.unit(after);
        let times = multiplier.is_none() && self.times_after(end);
        let number = Number {
            range: range_start..end,
            end: unit_end,
            value: if sign == Some(Sign::Minus) {
                value.negate()
            } else {
                value
            },
            last_digit: last_digit.saturating_add(power),
            sign,
            style,
            unit,
            uncertainty_of: self.after_plus_minus(start),
            range_from: self.after_dash(start),
            embedded,
            times,
            multiplier: multiplier.map_or(0, |(_, power)| power),
        };
        self.found.push(number);
    }

    /// Digits with thousands separators: `1,234`, `1 234` with a thin or no-break space.
    fn whole_part(&self, start: usize) -> (usize, String) {
        let mut digits = String::new();
        let mut at = start;
        while self.byte(at).is_ascii_digit() {
            digits.push(char::from(self.byte(at)));
            at += 1;
        }
        let leading = digits.len();
        if (1..=3).contains(&leading) && !digits.starts_with('0') {
            let separator = ["{,}", ",", "\u{2009}", "\u{202f}", "\u{a0}", "\\,", "'"]
                .into_iter()
                .find(|separator| {
                    self.rest(at).starts_with(separator) && self.group_at(at + separator.len())
                });
            if let Some(separator) = separator {
                while self.rest(at).starts_with(separator) && self.group_at(at + separator.len()) {
                    at += separator.len();
                    digits.push_str(self.text.get(at..at + 3).unwrap_or(""));
                    at += 3;
                }
            }
        }
        (at, digits)
    }

    /// Exactly three digits stand here.
    fn group_at(&self, at: usize) -> bool {
        (at..at + 3).all(|at| self.byte(at).is_ascii_digit()) && !self.byte(at + 3).is_ascii_digit()
    }

    /// `e-3`, `E+5`, `×10^{-3}`, `· 10^-3`, `x 10⁻³` after the digits.
    fn exponent(&self, end: usize) -> Option<(usize, i32)> {
        if matches!(self.byte(end), b'e' | b'E') {
            let (at, power) = self.integer(end + 1)?;
            return (!self.byte(at).is_ascii_alphanumeric()).then_some((at, power));
        }
        let mut at = self.skip_spaces(end);
        let sign = self.char_at(at)?;
        if !matches!(sign, '×' | '·' | '⋅' | 'x' | '*' | '∙') {
            return None;
        }
        at = self.skip_spaces(at + sign.len_utf8());
        if !self.rest(at).starts_with("10") {
            return None;
        }
        self.power(at + 2)
    }

    /// `10^{-3}` without a factor in front.
    fn own_exponent(&self, digits: &str, end: usize) -> Option<(usize, i32)> {
        if digits == "10" {
            self.power(end)
        } else {
            None
        }
    }

    /// `^{-3}`, `^-3`, `⁻³`.
    fn power(&self, at: usize) -> Option<(usize, i32)> {
        if self.byte(at) == b'^' {
            let braced = self.byte(at + 1) == b'{';
            let from = self.skip_spaces(at + 1 + usize::from(braced));
            let (end, power) = self.integer(from)?;
            if !braced {
                return Some((end, power));
            }
            let end = self.skip_spaces(end);
            return (self.byte(end) == b'}').then_some((end + 1, power));
        }
        let mut end = at;
        let mut digits = String::new();
        for c in self.rest(at).chars() {
            let plain = match c {
                '⁻' if digits.is_empty() => '-',
                '⁰' => '0',
                '¹' => '1',
                '²' => '2',
                '³' => '3',
                '⁴'..='⁹' => char::from_digit(u32::from(c) - u32::from('⁴') + 4, 10)?,
                _ => break,
            };
            digits.push(plain);
            end += c.len_utf8();
        }
        digits
            .parse()
            .ok()
            .filter(|power: &i32| power.abs() <= 400)
            .map(|power| (end, power))
    }

    fn integer(&self, start: usize) -> Option<(usize, i32)> {
        let mut at = start;
        let mut negative = false;
        match self.char_at(at)? {
            '-' | '−' | '–' => {
                negative = true;
                at += self.char_at(at)?.len_utf8();
            }
            '+' => at += 1,
            _ => {}
        }
        let from = at;
        while self.byte(at).is_ascii_digit() && at - from < 4 {
            at += 1;
        }
        let value: i32 = self.text.get(from..at)?.parse().ok()?;
        (value <= 400).then_some((at, if negative { -value } else { value }))
    }

    fn skip_spaces(&self, mut at: usize) -> usize {
        while let Some(c) = self
            .char_at(at)
            .filter(|c| matches!(c, ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}' | '\n'))
        {
            at += c.len_utf8();
        }
        at
    }

    /// `k`, `M`, `B` directly after the digits, or the words thousand, million, billion.
    fn multiplier(&self, end: usize) -> Option<(usize, i32)> {
        let power = match self.byte(end) {
            b'k' | b'K' => 3,
            b'M' => 6,
            b'B' => 9,
            b'T' => 12,
            _ => 0,
        };
        if power != 0
            && !self
                .char_at(end + 1)
                .is_some_and(|c| c.is_alphanumeric() || c == '_')
        {
            return Some((end + 1, power));
        }
        let at = self.skip_spaces(end);
        if matches!(self.byte(end), b' ' | b'-') || at > end {
            let at = if self.byte(end) == b'-' { end + 1 } else { at };
            let (word, after) = self.word_at(at);
            // One letter apart from the number is a multiplier only for M and B: `1.3 B parameters`.
            let apart = match word {
                "M" => Some(6),
                "B" => Some(9),
                _ => None,
            };
            if let Some(power) = apart {
                return Some((after, power));
            }
            if let Some(power) = multiplier_word(word) {
                return Some((after, power));
            }
        }
        None
    }

    fn word_at(&self, at: usize) -> (&str, usize) {
        let end = self
            .rest(at)
            .char_indices()
            .find(|(_, c)| !(c.is_alphabetic() || *c == 'µ' || *c == 'μ'))
            .map_or(self.text.len(), |(offset, _)| at + offset);
        (self.text.get(at..end).unwrap_or(""), end)
    }

    /// Percent sign or unit word after the number.
    fn unit(&self, end: usize) -> (Option<&'static str>, usize) {
        let mut at = self.skip_spaces(end);
        if self.byte(at) == b'\\' && self.byte(at + 1) == b'%' {
            at += 1;
        }
        if self.byte(at) == b'%' {
            return (Some("%"), at + 1);
        }
        if self.byte(at) == b'-' {
            at += 1;
        }
        let (word, after) = self.word_at(at);
        if word == "per" {
            let (next, next_end) = self.word_at(self.skip_spaces(after));
            if next == "cent" {
                return (Some("%"), next_end);
            }
        }
        let one_letter = word.chars().count() == 1;
        let unit = unit_word(word)
            // `3 m` and `2 w` are rarely metres and watts; `5 h` and `3 s` are times.
            .filter(|_| !one_letter || matches!(word, "s" | "h" | "W" | "J"));
        match unit {
            // A rate (`tokens/s` has its own words; `ms/step` is still milliseconds) keeps the first unit.
            Some(unit) => (Some(unit), after),
            None => (None, end),
        }
    }

    fn times_after(&self, end: usize) -> bool {
        let at = self.skip_spaces(end);
        let Some(c) = self.char_at(at) else {
            return false;
        };
        let after = self.skip_spaces(at + c.len_utf8());
        let number_follows = self.byte(after).is_ascii_digit();
        match c {
            '×' => !number_follows,
            'x' | 'X' => at == end && !self.char_at(at + 1).is_some_and(char::is_alphanumeric),
            _ => {
                let (word, _) = self.word_at(at);
                // "5-fold cross-validation" counts folds.
                let rest = self.rest(at).trim_start_matches('-');
                let validation = rest.strip_prefix("fold").is_some_and(|rest| {
                    rest.trim_start_matches(['-', ' ', '~'])
                        .to_lowercase()
                        .starts_with("cross")
                });
                let fold = !validation
                    && (self.rest(at).starts_with("-fold") || word == "fold" || word == "times");
                fold && !number_follows
            }
        }
    }

    /// Letters, `_`, or letter-hyphen directly before: part of a name.
    fn joined_before(&self, start: usize) -> bool {
        let Some(before) = self.char_before(start) else {
            return false;
        };
        if before.is_alphabetic() || matches!(before, '_' | '#' | '@' | '^' | '\\') {
            return true;
        }
        let prior = self.char_before(start - before.len_utf8());
        match before {
            // GPT-4, top-1, x^{-1}; but `1-3` is a range and ` -3` a sign.
            '-' | '‑' | '−' => {
                let earlier = self.text.get(..start - before.len_utf8()).unwrap_or("");
                let script = ["^{", "_{", "^", "_"]
                    .iter()
                    .any(|end| earlier.ends_with(end));
                script || before != '−' && prior.is_some_and(|c| c.is_alphabetic() || c == ')')
            }
            // 1.2.3
            '.' => prior.is_some_and(|c| c.is_ascii_digit() || c.is_alphabetic()),
            // x_{10}, x^{2}
            '{' => matches!(prior, Some('_' | '^')),
            // 12/2024, v1/2
            '/' | ':' => prior.is_some_and(char::is_alphabetic) && before == '/',
            _ => false,
        }
    }

    /// Letters directly after, another point group, an ordinal: part of a name.
    fn joined_after(&self, end: usize, style: Style) -> bool {
        let Some(after) = self.char_at(end) else {
            return false;
        };
        let next = self.char_at(end + after.len_utf8());
        if after == '.' {
            return next.is_some_and(|c| c.is_ascii_digit());
        }
        if after == '_' {
            return true;
        }
        if style == Style::Scientific || !after.is_alphabetic() {
            return false;
        }
        let (word, _) = self.word_at(end);
        let known = unit_word(word).is_some()
            || matches!(word, "x" | "X" | "pp" | "pt" | "pts" | "bp" | "k" | "K");
        !known
    }

    /// A sign directly before the number that is not a hyphen or a dash between two things.
    fn sign_before(&self, start: usize) -> Option<(Sign, usize)> {
        let before = self.char_before(start)?;
        let sign = match before {
            '+' => Sign::Plus,
            '-' | '−' | '–' => Sign::Minus,
            _ => return None,
        };
        let at = start - before.len_utf8();
        let free = match self.char_before(at) {
            None => true,
            Some(c) => !(c.is_alphanumeric() || matches!(c, ')' | ']' | '}' | '%')),
        };
        free.then_some((sign, at))
    }

    /// The previous number, when `±` stands between it and this one.
    fn after_plus_minus(&self, start: usize) -> Option<usize> {
        let (index, between) = self.between(start)?;
        let between = between.trim_matches(|c: char| {
            c.is_whitespace() || matches!(c, '%' | '$' | '\\' | '{' | '}' | '(')
        });
        matches!(between, "±" | "+/-" | "+-" | "pm").then_some(index)
    }

    /// The previous number, when a dash or "to" stands between it and this one.
    fn after_dash(&self, start: usize) -> Option<usize> {
        let (index, between) = self.between(start)?;
        let between = between.trim_matches(|c: char| c.is_whitespace() || c == '%');
        matches!(between, "-" | "–" | "--" | "—" | "to" | "‑").then_some(index)
    }

    fn between(&self, start: usize) -> Option<(usize, &str)> {
        let index = self.found.len().checked_sub(1)?;
        let previous = self.found.get(index)?;
        let between = self.text.get(previous.range.end..start)?;
        (between.len() <= 12).then_some((index, between))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> Vec<String> {
        scan(text)
            .iter()
            .map(|n| {
                let mut out = n.value.to_string();
                if n.last_digit != 0 {
                    out = format!("{out}@{}", n.last_digit);
                }
                if n.is_percent() {
                    out.push('%');
                } else if let Some(unit) = n.unit {
                    out = format!("{out} {unit}");
                }
                if n.embedded {
                    out.push('!');
                }
                if n.multiplier != 0 {
                    out = format!("{out}e{}", n.multiplier);
                }
                if n.times {
                    out.push('x');
                }
                if n.uncertainty_of.is_some() {
                    out.push('~');
                }
                if n.range_from.is_some() {
                    out.push('>');
                }
                out
            })
            .collect()
    }

    #[test]
    fn reads_numbers_like_a_reader() {
        for (text, expected) in [
            ("reaches 84.7% accuracy", vec!["84.7@-1%"]),
            ("84.70 ± 0.3 %", vec!["84.7@-2", "0.3@-1%~"]),
            ("84.7(3)%", vec!["84.7@-1", "3"]),
            (
                "1,234 images and 12,345,678 tokens",
                vec!["1234", "12345678"],
            ),
            ("1{,}234 of 1\u{2009}234", vec!["1234", "1234"]),
            ("in 2020, 300 people", vec!["2020", "300"]),
            ("lr 3e-4, wd 1E+05", vec!["0.0003@-4", "100000@5"]),
            (
                "1.2 × 10^{-3} and 10^{-3} and 10⁻⁵ and 5·10^4",
                vec!["0.0012@-4", "0.001@-3", "0.00001@-5", "50000@4"],
            ),
            (
                "1.3B parameters, 25M, 10k steps, 2.5 million, 3 billion",
                vec!["1.3@-1e9", "25e6", "10e3", "2.5@-1e6", "3e9"],
            ),
            (
                "ResNet-50 and GPT-4 and top-1 and F1 and x_1 and v2.1",
                vec!["50!", "4!", "1!", "1!", "1!", "2.1@-1!"],
            ),
            ("version 1.2.3", vec!["1.2@-1!", "3!"]),
            ("V_b)^{-1} and e^−2", vec!["1!", "2!"]),
            (
                "3.2× faster than 2x, 3-fold, 4 times",
                vec!["3.2@-1x", "2x", "3x", "4x"],
            ),
            (
                "0.1–0.3 and 3-5 and 2 to 4",
                vec!["0.1@-1", "0.3@-1>", "3", "5>", "2", "4>"],
            ),
            (
                "-2.3 and (+1.4) and −0.5",
                vec!["-2.3@-1", "1.4@-1", "-0.5@-1"],
            ),
            (
                "12.5 ms and 3 hours, 24GB",
                vec!["12.5@-1 ms", "3 hours", "24 gb"],
            ),
            ("five seeds, one of twelve", vec!["5", "1", "12"]),
            ("twenty-five or Thirty", vec!["25", "30"]),
            ("3×3 kernels", vec!["3", "3"]),
            (".5 and 0.5.", vec!["0.5@-1", "0.5@-1"]),
            ("3rd and 2D and 1st", vec!["3!", "2!", "1!"]),
            ("15 per cent or 15 percent", vec!["15%", "15%"]),
        ] {
            assert_eq!(show(text), expected, "{text}");
        }
    }

    #[test]
    fn intervals_cover_half_a_unit_inclusive() {
        let number = &scan("84.7")[0];
        let (low, high) = number.interval();
        assert_eq!(
            (low.to_string(), high.to_string()),
            ("84.65".to_owned(), "84.75".to_owned())
        );
    }
}
