//! The part of `printf` that formats one number, for LaTeX.
//!
//! `%[flags][width][.precision]conversion` with text around it; `%%` is a percent sign. Conversions: `d` (whole number), `f`, `e` (as
//! `3.2\times 10^{-5}`), `g` and `s` (the exact value). Flags: `+`, `0`, and `,` for thousands separators.

use aris_claims::decimal::Decimal;

/// Most digits after the point; a double has 17 significant ones.
const MOST_DIGITS: usize = 40;

/// Replaces `%%` while a format is parsed. A TOML text cannot contain this character.
const PERCENT: &str = "\u{0}";

/// A number in the given format; without a format the exact value. **Errors**: what is wrong with the format.
pub(crate) fn formatted(value: &Decimal, format: Option<&str>) -> Result<String, String> {
    let format = format.unwrap_or("%s");
    let wrong = |why: &str| Err(format!("format `{format}` {why}"));
    let unknown =
        || format!("format `{format}` is not known; write for example `%.1f`, `%d` or `%.2e`");
    let text = format.replace("%%", PERCENT);
    let Some((before, rest)) = text.split_once('%') else {
        return wrong("has no conversion such as `%.1f`");
    };
    let at = rest.find(|c: char| c.is_ascii_alphabetic());
    let (how, rest) = rest.split_at_checked(at.unwrap_or(0)).ok_or_else(unknown)?;
    let (conversion, after) = rest.split_at_checked(1).ok_or_else(unknown)?;
    if after.contains('%') {
        return wrong("has two conversions; a macro holds one number");
    }
    let (head, precision) = how.split_once('.').unwrap_or((how, "6"));
    let width = head.trim_start_matches(['+', '0', ',', '\'', ' ', '-']);
    let flags = head.strip_suffix(width).unwrap_or("");
    let digits = |text: &str| match text {
        "" => Ok(0),
        text => text.parse::<usize>().ok().ok_or_else(unknown),
    };
    let (width, precision) = (digits(width)?.min(MOST_DIGITS), digits(precision)?);
    if precision > MOST_DIGITS {
        return wrong(&format!("asks for more than {MOST_DIGITS} digits"));
    }
    let mut number = match conversion {
        "d" | "i" => value.fixed(0),
        "f" | "F" => value.fixed(i64::try_from(precision).unwrap_or(0)),
        "e" => power(&format!("{:.precision$e}", value.to_f64())),
        "g" | "s" => power(&value.to_string()),
        _ => return Err(unknown()),
    };
    let signed = usize::from(number.starts_with('-'));
    if flags.contains([',', '\'']) {
        let mut at = number.find(['.', '\\']).unwrap_or(number.len());
        while at > signed + 3 {
            at -= 3;
            number.insert_str(at, "{,}");
        }
    }
    if flags.contains('+') && signed == 0 {
        number.insert(0, '+');
    }
    let missing = width.saturating_sub(number.len());
    if flags.contains('0') {
        let at = usize::from(number.starts_with(['+', '-']));
        number.insert_str(at, &"0".repeat(missing));
    } else {
        number.insert_str(0, &" ".repeat(missing));
    }
    Ok(format!("{before}{number}{after}").replace(PERCENT, "%"))
}

/// Turns `3.2e-5` into `3.2\times 10^{-5}`.
fn power(text: &str) -> String {
    text.split_once('e').map_or_else(
        || text.to_owned(),
        |(mantissa, power)| format!("\\ensuremath{{{mantissa}\\times 10^{{{power}}}}}"),
    )
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
            ("%g", "0.00000000123", "\\ensuremath{1.23\\times 10^{-9}}"),
            ("%,d", "-123456", "-123{,}456"),
            ("%%%d", "5", "%5"),
            ("%.1f", "1e20", "100000000000000000000.0"),
        ] {
            let value = Decimal::parse(value).expect("a number");
            let written = formatted(&value, Some(format));
            assert_eq!(written.as_deref(), Ok(expected), "{format}");
        }
        for format in ["", "x", "%", "%x", "%.1f %.1f", "%.99f", "%1x.1f", "%.1é"] {
            assert!(
                formatted(&Decimal::default(), Some(format)).is_err(),
                "{format}"
            );
        }
    }
}
