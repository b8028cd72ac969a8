//! Plain scalars that Python programs read otherwise than this program does.

use jiff::civil::DateTime;

use crate::problem::Problems;
use crate::tree::{Node, Value};

/// Warns of a plain scalar that YAML 1.1 reads otherwise. `name` is the key that it belongs to.
pub(crate) fn warn(name: &str, node: &Node, problems: &mut Problems) {
    if let Some(other) = other(node) {
        let text = node.written().unwrap_or_default();
        problems.warn(
            node,
            format!("{name}: {text} is the text {text:?} here, as written, and {other} in the YAML of Python programs (PyYAML, YAML 1.1); write it in quotes to keep it, or write {other}"),
        );
    }
}

/// The value, as Python prints it, that YAML 1.1 reads in a plain scalar where YAML 1.2 reads another; `None`: both read the same.
///
/// **Source**: the YAML 1.1 types `bool`, `int` and `float`, as the resolver of `PyYAML` 6 implements them: `y` and `n` are text, and an
/// exponent needs a sign and a decimal point before it.
fn other(node: &Node) -> Option<String> {
    let Value::Scalar { text, plain: true } = &node.value else {
        return None;
    };
    match text.as_str() {
        "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return Some(String::from("True")),
        "no" | "No" | "NO" | "off" | "Off" | "OFF" => return Some(String::from("False")),
        _ => {}
    }
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = unsigned.replace('_', "");
    let based = |digits: &str, base| i64::from_str_radix(digits, base).ok();
    if let Some(time) = time(text) {
        return (time != *text).then_some(time);
    }
    let number = if let Some(digits) = digits.strip_prefix("0x") {
        based(digits, 16)
    } else if let Some(digits) = digits.strip_prefix("0b") {
        based(digits, 2)
    } else if !unsigned.starts_with(|first: char| first.is_ascii_digit()) {
        None
    } else if digits.contains(':') {
        sixties(&digits)
    } else if digits.len() > 1 && digits.starts_with('0') {
        based(&digits, 8)
    } else if unsigned.contains('_') || text.starts_with('+') || digits == "0" {
        digits.parse().ok()
    } else {
        None
    };
    let signed = |number: i64| if sign == "-" { -number } else { number };
    let whole = number.map(|number| signed(number).to_string());
    // After a sign, YAML 1.1 requires a digit or `.inf`.
    let is_text = unsigned.len() < text.len()
        && unsigned.starts_with('.')
        && float(&digits).is_some_and(|one| one != "inf");
    let other = whole.or_else(|| Some(sign.to_owned() + &float(&digits).filter(|_| !is_text)?))?;
    (other != *text).then_some(other)
}

/// The value of an unsigned floating-point number of YAML 1.1, as Python prints it.
fn float(digits: &str) -> Option<String> {
    if matches!(digits, ".inf" | ".Inf" | ".INF") {
        return Some(String::from("inf"));
    }
    if matches!(digits, ".nan" | ".NaN" | ".NAN") {
        return Some(String::from("nan"));
    }
    if let Some((whole, fraction)) = digits.split_once('.').filter(|_| digits.contains(':')) {
        let fraction = format!("{}.{fraction}", sixties(whole)?);
        return fraction
            .parse::<f64>()
            .ok()
            .map(|number| format!("{number:?}"));
    }
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "+0"));
    let is_float = mantissa.contains('.') && exponent.starts_with(['+', '-']);
    let number: f64 = digits.parse().ok().filter(|_| is_float)?;
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e')?;
    let exponent: i32 = exponent.parse().ok()?;
    Some(if (-4..16).contains(&exponent) {
        format!("{number:?}")
    } else {
        format!("{digits}e{exponent:+03}")
    })
}

/// The value of a base-60 number such as `1:30`.
fn sixties(text: &str) -> Option<i64> {
    let mut parts = text.split(':').map(|part| part.parse::<i64>().ok());
    let first = parts.next()?.filter(|first| *first > 0);
    parts.try_fold(first?, |sum, part| {
        let part = part.filter(|part| (0..60).contains(part))?;
        sum.checked_mul(60)?.checked_add(part)
    })
}

/// The value of a date with a time.
fn time(text: &str) -> Option<String> {
    let (date, rest) = text.split_at_checked(10)?;
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let at = rest.find(['Z', '+', '-']).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at_checked(at)?;
    let clock = clock.trim_end();
    let moment: DateTime = format!("{date}T{clock}").parse().ok()?;
    let zone = match (zone, zone.len()) {
        ("", _) => String::new(),
        ("Z", _) => String::from("+00:00"),
        (_, 3) => format!("{zone}:00"),
        (_, 6) => zone.to_owned(),
        _ => return None,
    };
    let micros = match moment.subsec_nanosecond() / 1000 {
        0 => String::new(),
        micros => format!(".{micros:06}"),
    };
    let whole = moment.strftime("%Y-%m-%d %H:%M:%S");
    (clock.matches(':').count() == 2).then(|| format!("{whole}{micros}{zone}"))
}
