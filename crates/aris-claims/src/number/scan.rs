//! Finds numbers in a text, in one pass.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::words::{spelled, unit_word};
use super::{Number, Style};
use crate::decimal::Decimal;

/// A word, or a number without its sign. Blank: space, no-break and thin spaces, line end.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?x)
        (?<word> [A-Za-z]+ (?:-[A-Za-z]+)? )
        | 10 (?<own> \^\{[\ ]?[-−–+]?[0-9]{1,4}[\ ]?\} | \^[-−–+]?[0-9]{1,4} | ⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+ )
        | (?<mantissa>
            (?: (?<groups> [1-9][0-9]{0,2}
                (?: (?:,[0-9]{3})+ | (?:\{,\}[0-9]{3})+ | (?:\\,[0-9]{3})+ | (?:'[0-9]{3})+
                | (?:\u{2009}[0-9]{3})+ | (?:\u{202f}[0-9]{3})+ | (?:\u{a0}[0-9]{3})+ ) )
              | [0-9]+ )
            (?<fraction> \.[0-9]+ )?
            | (?<bare> \.[0-9]+ ) )
          (?: [eE] (?<e> [-−–+]?[0-9]{1,4} ) \b
            | [\ \u{a0}\u{2009}\u{202f}\n]* [×·⋅x*∙] [\ \u{a0}\u{2009}\u{202f}\n]* 10
              (?<power> \^\{[\ ]?[-−–+]?[0-9]{1,4}[\ ]?\} | \^[-−–+]?[0-9]{1,4} | ⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+ ) )?",
    )
});

/// Text before digits that are part of a name, an index, an exponent or a version: `GPT-4`, `x_{10}`, `x^{-1}`, `1.2.3`, `v1/2`.
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"(?:[\w--\d]|[#@^\\]|[_^]\{|[_^]\{?[-‑−]|[[\w--[\d_]])][-‑]|[\w--_]\.|[\w--[\d_]]/)$")
});

/// A multiplier: `1.3B`, `2.5 million`. After a blank, of the single letters only M and B count.
static MULTIPLIER: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"^(?:(?<letter>[kKMBT])|(?:-|[ \u{a0}\u{2009}\u{202f}\n]+)(?<word>[MB]|thousand|millions?|billions?|trillion))\b",
    )
});

/// A percent sign or a word that may be a unit.
static UNIT: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"^[ \u{a0}\u{2009}\u{202f}\n]*(?:\\?(?<sign>%)|-?(?<word>per[ \u{a0}]cent\b|[\w--[\d_]]+))",
    )
});

/// Text after a number that makes it a factor, unless another number follows.
static TIMES: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"^(?:[ \u{a0}\u{2009}\u{202f}]*×|[xX]\b|-fold\b|[ \u{a0}]+(?:fold|times)\b)")
});

/// Compiles a pattern of this crate.
pub(crate) fn compiled(pattern: &str) -> Regex {
    match Regex::new(pattern) {
        Ok(regex) => regex,
        Err(error) => unreachable!("a pattern of this crate: {error}"),
    }
}

/// All numbers of a text in reading order. Takes time linear in its length.
pub fn scan(text: &str) -> Vec<Number> {
    let mut found: Vec<Number> = Vec::new();
    let mut at = 0;
    while let Some(token) = TOKEN.captures_at(text, at) {
        let range = token.get_match().range();
        let before = slice(text, 0..range.start);
        let number = if let Some(word) = token.name("word") {
            at = range.end;
            word_number(text, word.as_str(), range.start)
        } else if token.name("bare").is_some() && before.ends_with(|c: char| c.is_ascii_digit()) {
            at = range.start + 1;
            None
        } else {
            let number = digits(text, &token, range.start);
            at = number.as_ref().map_or(range.end, |number| number.range.end);
            number
        };
        if let Some(mut number) = number {
            let last = found.last().map_or(0, |last| last.range.end);
            let between = slice(text, last..number.range.start);
            let is_uncertainty = !found.is_empty() && is_plus_minus(between);
            number.uncertainty_of = is_uncertainty.then(|| found.len() - 1);
            found.push(number);
        }
    }
    found
}

fn slice(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or("")
}

/// A number written as a word of its own: `five`, `five-fold`, `twenty-five`.
fn word_number(text: &str, word: &str, start: usize) -> Option<Number> {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    let (before, rest) = text.split_at_checked(start)?;
    let after = slice(rest, word.len()..rest.len());
    let whole = spelled(word).filter(|_| !after.starts_with(joins));
    let (value, length) = match (whole, word.split_once('-')) {
        (Some(value), _) => (value, word.len()),
        (None, Some((first, _))) => (spelled(first)?, first.len()),
        (None, None) => return None,
    };
    if before.ends_with(|c: char| joins(c) || c == '-') {
        return None;
    }
    let range = start..start + length;
    let (unit, unit_end) = unit(slice(rest, length..rest.len()));
    Some(Number {
        end: range.end + unit_end,
        value: Decimal::new(value, 0),
        last_digit: 0,
        has_minus: false,
        style: Style::Spelled,
        unit,
        multiplier: 0,
        uncertainty_of: None,
        embedded: false,
        times: false,
        range,
    })
}

fn digits(text: &str, token: &Captures<'_>, start: usize) -> Option<Number> {
    let before = slice(text, 0..start);
    let name = |name| token.name(name);
    let (mut end, mut mantissa) = (token.get_match().end(), "1");
    let mut written_power = name("own").or(name("e")).or(name("power"));
    if let Some(all) = name("mantissa") {
        mantissa = all.as_str();
        // `1,2345` is not one number with a thousands separator.
        let longer = |group: &regex::Match<'_>| {
            let next = slice(text, group.end()..text.len());
            next.starts_with(|c: char| c.is_ascii_digit())
        };
        if name("groups").is_some_and(|group| longer(&group)) {
            let first = mantissa.find(|c: char| !c.is_ascii_digit());
            mantissa = slice(mantissa, 0..first.unwrap_or(0));
            (end, written_power) = (start + mantissa.len(), None);
        }
    }
    let power = written_power.map_or(Some(0), |power| exponent(power.as_str()))?;
    let is_scientific = written_power.is_some();
    let after = slice(text, end..text.len());
    let multiplier = multiplier(after).filter(|_| !is_scientific);
    let (multiplier, multiplier_end) = multiplier.unwrap_or((0, 0));
    let rest = slice(after, multiplier_end..after.len());
    let embedded = NAME.is_match(slice(
        before,
        before.floor_char_boundary(start.saturating_sub(12))..start,
    )) || joined_after(rest, is_scientific);
    let sign = before.chars().next_back().filter(|_| !embedded);
    let sign = sign.filter(|sign| "+-−–".contains(*sign) && is_sign(before, *sign));
    let has_minus = sign.is_some_and(|sign| sign != '+');
    let plain = mantissa.chars();
    let plain: String = plain.filter(|c| c.is_ascii_digit() || *c == '.').collect();
    let decimals = plain.split_once('.');
    let decimals = decimals.map_or(0, |(_, decimals)| decimals.len());
    let value = Decimal::parse(&format!("{plain}e{power}"))?;
    let (unit, unit_end) = unit(rest);
    Some(Number {
        range: start - sign.map_or(0, char::len_utf8)..end,
        end: end + multiplier_end + unit_end,
        value: if has_minus { value.negate() } else { value },
        last_digit: power.saturating_sub(i32::try_from(decimals).ok()?),
        has_minus,
        style: if is_scientific {
            Style::Scientific
        } else {
            Style::Digits
        },
        unit,
        multiplier,
        uncertainty_of: None,
        embedded,
        times: multiplier == 0 && is_factor(after),
    })
}

/// `-3`, `^{-3}`, `⁻³`.
fn exponent(text: &str) -> Option<i32> {
    let plain = |c: char| match c {
        '−' | '–' | '⁻' => Some('-'),
        '-' | '0'..='9' => Some(c),
        _ => {
            let digit = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|known| known == c)?;
            char::from_digit(u32::try_from(digit).ok()?, 10)
        }
    };
    let text: String = text.chars().filter_map(plain).collect();
    text.parse().ok()
}

/// Whether the sign before a number is a sign and not a hyphen or dash between two things.
fn is_sign(before: &str, sign: char) -> bool {
    is_unary(before.strip_suffix(sign).unwrap_or(""))
}

/// Whether a sign after this text belongs to the number that follows it.
pub(crate) fn is_unary(earlier: &str) -> bool {
    !earlier.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | ']' | '}' | '%'))
}

/// Whether the number is part of a name: letters, an underscore, another dotted group or an ordinal ending follow directly.
fn joined_after(after: &str, is_scientific: bool) -> bool {
    let mut chars = after.chars();
    match chars.next() {
        Some('.') => chars.next().is_some_and(|c| c.is_ascii_digit()),
        Some('_') => true,
        Some(c) if c.is_alphabetic() && !is_scientific => {
            let word = after.split(|c: char| !c.is_alphabetic()).next();
            let word = word.unwrap_or("");
            let known = ["x", "X", "pp", "pt", "pts", "bp", "k", "K"];
            unit_word(word).is_none() && !known.contains(&word)
        }
        _ => false,
    }
}

/// The power of ten of a multiplier, and the byte offset of its end.
fn multiplier(after: &str) -> Option<(i32, usize)> {
    let found = MULTIPLIER.captures(after)?;
    let word = found.name("letter").or(found.name("word"))?;
    let power = match word.as_str() {
        "k" | "K" | "thousand" => 3,
        "M" | "million" | "millions" => 6,
        "T" | "trillion" => 12,
        _ => 9,
    };
    Some((power, word.end()))
}

/// The unit after a number, and the byte offset of its end. A rate keeps its first unit (`ms/step`).
fn unit(after: &str) -> (Option<&'static str>, usize) {
    let Some(found) = UNIT.captures(after) else {
        return (None, 0);
    };
    let word = found.name("word").map_or("%", |word| word.as_str());
    // `3 m` and `2 w` are rarely metres and watts; `5 h` and `3 s` are times.
    let rare = word.len() == 1 && !"%shWJ".contains(word);
    let is_percent = word.starts_with("per") && word.ends_with("cent");
    let unit = if is_percent {
        Some("%")
    } else {
        unit_word(word)
    };
    let unit = unit.filter(|_| !rare);
    (unit, unit.map_or(0, |_| found.get_match().end()))
}

/// Whether `×`, `x`, `-fold` or `times` follows, but no number after that. "5-fold cross-validation" counts folds and is no
/// factor.
fn is_factor(after: &str) -> bool {
    TIMES.find(after).is_some_and(|found| {
        let rest = slice(after, found.end()..after.len());
        let rest = rest.trim_start_matches(['-', ' ', '~']);
        let word = rest.get(..5);
        let crosses = word.is_some_and(|word| word.eq_ignore_ascii_case("cross"));
        !rest.starts_with(|c: char| c.is_ascii_digit()) && !crosses
    })
}

/// Whether the text between two numbers says that the second is the uncertainty of the first.
fn is_plus_minus(between: &str) -> bool {
    let markup = |c: char| c.is_whitespace() || "%$\\{}(".contains(c);
    between.len() <= 12 && matches!(between.trim_matches(markup), "±" | "+/-" | "+-" | "pm")
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
                vec!["0.1@-1", "0.3@-1", "3", "5", "2", "4"],
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
