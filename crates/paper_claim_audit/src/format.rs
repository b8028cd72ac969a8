//! The part of `printf` that writes one number, for LaTeX.
//!
//! `%[flags][width][.precision]conversion` with text around it. Conversions: `d` and `i` (whole number), `f`, `e` (as
//! `3.2\times 10^{-5}`), `g` and `s` (the shortest form). Flags: `+`, `0`, space and `'` or `,` for thousands separators.

use aris_claims::decimal::Decimal;

/// Digits after the point; a double has 17 significant ones.
const MOST_DIGITS: usize = 40;

/// A parsed format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Format {
    before: String,
    after: String,
    plus: bool,
    grouped: bool,
    pad: Option<(char, usize)>,
    precision: Option<usize>,
    conversion: char,
}

impl Format {
    /// The exact value as it is.
    pub(crate) fn plain() -> Self {
        Self {
            before: String::new(),
            after: String::new(),
            plus: false,
            grouped: false,
            pad: None,
            precision: None,
            conversion: 's',
        }
    }

    /// Reads a format. **Errors**: what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut format = Self::plain();
        let mut chars = text.chars().peekable();
        let mut found = false;
        while let Some(c) = chars.next() {
            let literal = if found {
                &mut format.after
            } else {
                &mut format.before
            };
            if c != '%' {
                literal.push(c);
                continue;
            }
            if chars.next_if_eq(&'%').is_some() {
                literal.push('%');
                continue;
            }
            if found {
                return Err(format!(
                    "format `{text}` has two conversions; a macro holds one number"
                ));
            }
            found = true;
            let mut zero = false;
            while let Some(flag) =
                chars.next_if(|c| matches!(c, '+' | '0' | ' ' | '\'' | ',' | '-'))
            {
                match flag {
                    '+' => format.plus = true,
                    '0' => zero = true,
                    '\'' | ',' => format.grouped = true,
                    _ => {}
                }
            }
            let mut number = || {
                let mut digits = String::new();
                while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                    digits.push(digit);
                }
                digits
            };
            if let Ok(width) = number().parse::<usize>() {
                format.pad = Some((if zero { '0' } else { ' ' }, width.min(MOST_DIGITS)));
            }
            if chars.next_if_eq(&'.').is_some() {
                let mut digits = String::new();
                while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                    digits.push(digit);
                }
                format.precision = Some(digits.parse().unwrap_or(0));
            }
            match chars.next() {
                Some(conversion @ ('d' | 'i' | 'f' | 'F' | 'e' | 'g' | 's')) => {
                    format.conversion = conversion;
                }
                _ => {
                    return Err(format!(
                        "format `{text}` is not known; write for example `%.1f`, `%d` or `%.2e`"
                    ));
                }
            }
            if format.precision.is_some_and(|digits| digits > MOST_DIGITS) {
                return Err(format!(
                    "format `{text}` asks for more than {MOST_DIGITS} digits"
                ));
            }
        }
        if found {
            Ok(format)
        } else {
            Err(format!("format `{text}` has no conversion such as `%.1f`"))
        }
    }

    /// Writes a number as LaTeX.
    pub(crate) fn write(&self, value: Decimal) -> String {
        let mut text = match self.conversion {
            'd' | 'i' => fixed(value, 0),
            'f' | 'F' => fixed(value, self.precision.unwrap_or(6)),
            'e' => {
                return format!(
                    "{}{}{}",
                    self.before,
                    power(value, self.precision.unwrap_or(6)),
                    self.after
                );
            }
            _ => shortest(value),
        };
        if self.grouped {
            text = grouped(&text);
        }
        if self.plus && !text.starts_with('-') {
            text.insert(0, '+');
        }
        if let Some((fill, width)) = self.pad {
            while text.chars().count() < width {
                let at = usize::from(fill == '0' && text.starts_with(['-', '+']));
                text.insert(at, fill);
            }
        }
        format!("{}{text}{}", self.before, self.after)
    }
}

/// With so many digits after the point, halves away from zero.
fn fixed(value: Decimal, digits: usize) -> String {
    let places = i32::try_from(digits).unwrap_or(0);
    let rounded = value.rounded_at(-places);
    let plain = plain(rounded);
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let whole = if rounded.is_zero() { "0" } else { whole };
    if digits == 0 {
        return whole.to_owned();
    }
    format!("{whole}.{fraction:0<digits$}")
}

/// Without a power of ten.
fn plain(value: Decimal) -> String {
    let text = value.to_string();
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return text;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = mantissa
        .strip_prefix('-')
        .map_or(("", mantissa), |rest| ("-", rest));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let point = 1 + exponent;
    let length = i32::try_from(digits.len()).unwrap_or(0);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    if point <= 0 {
        format!("{sign}0.{}{digits}", zeros(-point))
    } else {
        format!("{sign}{digits}{}", zeros(point - length))
    }
}

fn shortest(value: Decimal) -> String {
    let text = value.to_string();
    if text.contains('e') {
        power(value, 16).replace(".0000000000000000", "")
    } else {
        text
    }
}

/// `3.2\times 10^{-5}`
fn power(value: Decimal, digits: usize) -> String {
    let text = format!("{:.digits$e}", value.to_f64());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("\\ensuremath{{{mantissa}\\times 10^{{{exponent}}}}}")
}

/// `12345.6` as `12{,}345.6`.
fn grouped(text: &str) -> String {
    let (sign, digits) = text
        .strip_prefix('-')
        .map_or(("", text), |rest| ("-", rest));
    let (whole, rest) = digits
        .find('.')
        .map_or((digits, ""), |at| digits.split_at(at));
    let mut out = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push_str("{,}");
        }
        out.push(digit);
    }
    format!("{sign}{out}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_printf_and_latex_have_them() {
        for (format, value, expected) in [
            ("%.1f", "34.25", "34.3"),
            ("%.2f", "34", "34.00"),
            ("%.1f", "-0.04", "0.0"),
            ("%d", "6124.6", "6125"),
            ("%,d", "6125", "6{,}125"),
            ("%'d", "1234567", "1{,}234{,}567"),
            ("%+.1f", "2.31", "+2.3"),
            (
                "%.2e",
                "0.000000000000000888178",
                "\\ensuremath{8.88\\times 10^{-16}}",
            ),
            ("%.1f\\%%", "9.04", "9.0\\%"),
            ("%05.1f", "3.14", "003.1"),
            ("%s", "0.125", "0.125"),
            ("%.1f", "1e20", "100000000000000000000.0"),
        ] {
            let value = Decimal::parse(value).expect("a number");
            let written = Format::parse(format).map(|format| format.write(value));
            assert_eq!(written.as_deref(), Ok(expected), "{format}");
        }
        for format in ["", "x", "%", "%x", "%.1f %.1f", "%.99f"] {
            assert!(Format::parse(format).is_err(), "{format}");
        }
    }
}
