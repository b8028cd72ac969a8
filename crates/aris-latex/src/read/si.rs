//! siunitx: numbers and units as they are printed.

use super::{
    reader::{Meaning, Reader},
    style,
    token::{Kind, Token},
};

/// Prefixes and units (siunitx manual, tables 1 to 6).
const UNITS: &[(&str, &str)] = &[
    ("yocto", "y"), ("zepto", "z"), ("atto", "a"), ("femto", "f"), ("pico", "p"), ("nano", "n"), ("micro", "µ"),
    ("milli", "m"), ("centi", "c"), ("deci", "d"), ("deca", "da"), ("hecto", "h"), ("kilo", "k"), ("mega", "M"),
    ("giga", "G"), ("tera", "T"), ("peta", "P"), ("exa", "E"), ("zetta", "Z"), ("yotta", "Y"), ("kibi", "Ki"),
    ("mebi", "Mi"), ("gibi", "Gi"), ("tebi", "Ti"), ("pebi", "Pi"), ("ampere", "A"), ("candela", "cd"),
    ("kelvin", "K"), ("kilogram", "kg"), ("gram", "g"), ("metre", "m"), ("meter", "m"), ("mole", "mol"),
    ("second", "s"), ("becquerel", "Bq"), ("degreeCelsius", "°C"), ("celsius", "°C"), ("coulomb", "C"),
    ("farad", "F"), ("gray", "Gy"), ("hertz", "Hz"), ("henry", "H"), ("joule", "J"), ("lumen", "lm"), ("katal", "kat"),
    ("lux", "lx"), ("newton", "N"), ("ohm", "Ω"), ("pascal", "Pa"), ("radian", "rad"), ("siemens", "S"),
    ("sievert", "Sv"), ("steradian", "sr"), ("tesla", "T"), ("volt", "V"), ("watt", "W"), ("weber", "Wb"), ("day", "d"),
    ("degree", "°"), ("hectare", "ha"), ("hour", "h"), ("litre", "L"), ("liter", "L"), ("minute", "min"),
    ("arcminute", "′"), ("arcsecond", "″"), ("tonne", "t"), ("percent", "%"), ("angstrom", "Å"), ("bar", "bar"),
    ("barn", "b"), ("bel", "B"), ("decibel", "dB"), ("dB", "dB"), ("electronvolt", "eV"), ("eV", "eV"), ("knot", "kn"),
    ("mmHg", "mmHg"), ("neper", "Np"), ("astronomicalunit", "au"), ("bit", "bit"), ("byte", "B"), ("dalton", "Da"),
    ("fs", "fs"), ("ps", "ps"), ("ns", "ns"), ("us", "µs"), ("ms", "ms"), ("s", "s"), ("fm", "fm"), ("pm", "pm"),
    ("nm", "nm"), ("um", "µm"), ("mm", "mm"), ("cm", "cm"), ("dm", "dm"), ("m", "m"), ("km", "km"), ("fg", "fg"),
    ("ng", "ng"), ("ug", "µg"), ("mg", "mg"), ("g", "g"), ("kg", "kg"), ("Hz", "Hz"), ("mHz", "mHz"), ("kHz", "kHz"),
    ("MHz", "MHz"), ("GHz", "GHz"), ("THz", "THz"), ("mV", "mV"), ("V", "V"), ("kV", "kV"), ("mA", "mA"), ("A", "A"), ("nJ", "nJ"),
    ("uJ", "µJ"), ("mJ", "mJ"), ("J", "J"), ("kJ", "kJ"), ("eV", "eV"), ("meV", "meV"), ("keV", "keV"), ("MeV", "MeV"), ("GeV", "GeV"),
    ("kWh", "kWh"), ("uW", "µW"), ("mW", "mW"), ("W", "W"), ("kW", "kW"), ("MW", "MW"), ("GW", "GW"), ("K", "K"), ("mol", "mol"), ("l", "L"),
    ("ml", "mL"), ("mL", "mL"), ("ul", "µL"), ("uL", "µL"), ("kibibyte", "KiB"), ("kN", "kN"), ("N", "N"), ("Pa", "Pa"), ("kPa", "kPa"), ("MPa", "MPa"), ("GPa", "GPa"),
];

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
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Word => {
                boundary = false;
                out.push_str(&reader.text(*token).replace('.', " "));
            }
            Kind::Super => out.push('^'),
            Kind::Begin if out.ends_with('^') => out.push('{'),
            Kind::End if out.rfind("^{").is_some_and(|open| !out.get(open..).unwrap_or("").contains('}')) => out.push('}'),
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
                        let known = UNITS.iter().position(|(unit, _)| *unit == text);
                        let shown = own.or_else(|| known.and_then(|at| UNITS.get(at)).map(|(_, s)| (*s).to_owned()));
                        if let Some(shown) = shown {
                            if boundary {
                                out.push(' ');
                            }
                            out.push_str(&shown);
                            boundary = known.is_none_or(|at| at >= PREFIXES);
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

/// The first entries of [`UNITS`] are prefixes.
const PREFIXES: usize = 25;

/// A number as printed; the uncertainty in brackets counts in the last digits.
pub(super) fn number(input: &str) -> String {
    let compact: String = input.chars().filter(|c| !c.is_whitespace() && *c != '~').collect();
    let compact = compact.replace("+-", "±").replace("\\pm", "±").replace('×', "x");
    if let Some((left, right)) = compact.split_once('x') {
        return format!("{} × {}", number(left), number(right));
    }
    let (mantissa, exponent) = match compact.find(['e', 'E', 'd', 'D']) {
        Some(at) => (compact.get(..at).unwrap_or(""), compact.get(at + 1..)),
        None => (compact.as_str(), None),
    };
    let mantissa = mantissa.replace(',', ".");
    let (value, error) = match (mantissa.split_once('('), mantissa.split_once('±')) {
        (Some((value, error)), _) => (value.to_owned(), Some(scaled(value, error.trim_end_matches(')')))),
        (None, Some((value, error))) => (value.to_owned(), Some(leading(error))),
        (None, None) => (mantissa.clone(), None),
    };
    let value = leading(&value);
    let shown = match (&error, exponent) {
        (Some(error), Some(_)) => format!("({value} ± {error})"),
        (Some(error), None) => format!("{value} ± {error}"),
        (None, _) => value,
    };
    match exponent {
        Some(exponent) if shown.is_empty() => format!("10^{{{}}}", exponent.trim_start_matches('+')),
        Some(exponent) => format!("{shown} × 10^{{{}}}", exponent.trim_start_matches('+')),
        None => shown,
    }
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
    if error.contains('.') || places == 0 || !error.bytes().all(|b| b.is_ascii_digit()) || error.is_empty() {
        return error.to_owned();
    }
    let padded = format!("{error:0>width$}", width = places + 1);
    let at = padded.len() - places;
    format!("{}.{}", padded.get(..at).unwrap_or(""), padded.get(at..).unwrap_or(""))
}

/// The number of an S column's cell, normalised; nothing when the cell holds no plain number.
pub(super) fn column_number(text: &str) -> Option<String> {
    let numeric = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | '<' | '>'))
        && text.bytes().any(|b| b.is_ascii_digit())
        && text.len() < 64
        && text.chars().all(|c| {
            c.is_ascii_digit() || matches!(c, '.' | ',' | '(' | ')' | 'e' | 'E' | '+' | '-' | '±' | ' ' | '<' | '>')
        });
    numeric.then(|| if text.contains(['(', 'e', 'E', '±']) || text.contains("+-") { number(text) } else { text.to_owned() })
}

impl Reader<'_> {
    fn si_text(&mut self) -> String {
        let tokens = self.argument();
        self.flat(&tokens)
    }

    fn si_unit(&mut self) -> String {
        let tokens = self.argument();
        unit(self, &tokens)
    }

    fn write_number(&mut self, token: Token, text: &str) {
        let old = self.style;
        self.style = self.style.set(style::NUMBER, 0);
        self.write(token, text);
        self.style = old;
    }

    fn write_unit(&mut self, token: Token, text: &str) {
        let old = self.style;
        if !text.starts_with(['°', '%', '′', '″']) || text == "°C" {
            self.space(token);
        }
        self.style = self.style.set(style::UNIT, 0);
        self.write(token, text);
        self.style = old;
    }

    /// Writes the number of an argument: a copy where nothing changes, so that its place is exact.
    fn write_si(&mut self, token: Token, tokens: &[Token], text: &str) {
        let shown = number(text);
        let at = tokens.iter().copied().find(|found| found.kind == Kind::Word).unwrap_or(token);
        let old = self.style;
        self.style = self.style.set(style::NUMBER, 0);
        if at.kind == Kind::Word && self.text(at) == shown {
            self.write_word(at);
        } else {
            // A macro call inside is where the number comes from.
            let origin = tokens.iter().copied().find(|found| found.kind != Kind::Space).unwrap_or(token);
            match origin.kind {
                Kind::Name(name) if matches!(self.meaning(name), Meaning::Macro(_)) && shown == text.trim() => {
                    self.unread(Self::op(token, super::token::Op::Link(old.link)));
                    self.style = old;
                    self.unread_all(tokens);
                    return;
                }
                _ => self.write(if origin.kind == Kind::Word { origin } else { token }, &shown),
            }
        }
        self.style = old;
    }

    pub(super) fn si_number(&mut self, token: Token) {
        drop(self.optional());
        let tokens = self.argument();
        let text = self.flat(&tokens);
        self.write_si(token, &tokens, &text);
    }

    pub(super) fn si_list(&mut self, token: Token, with_unit: bool) {
        drop(self.optional());
        let text = self.si_text();
        let unit = if with_unit { self.si_unit() } else { String::new() };
        let count = text.split(';').count();
        for (at, item) in text.split(';').enumerate() {
            if at > 0 {
                self.write(token, if at + 1 == count { " and " } else { ", " });
            }
            self.write_number(token, &number(item));
            if with_unit {
                self.write_unit(token, &unit);
            }
        }
    }

    pub(super) fn si_range(&mut self, token: Token, with_unit: bool) {
        drop(self.optional());
        let (from, to) = (self.si_text(), self.si_text());
        let unit = if with_unit { self.si_unit() } else { String::new() };
        self.write_number(token, &number(&from));
        if with_unit {
            self.write_unit(token, &unit);
        }
        self.write(token, " to ");
        self.write_number(token, &number(&to));
        if with_unit {
            self.write_unit(token, &unit);
        }
    }

    /// `\qty{3.2}{\ms}`, `\SI{3.2}[pre]{\ms}`
    pub(super) fn si_quantity(&mut self, token: Token) {
        drop(self.optional());
        let tokens = self.argument();
        let text = self.flat(&tokens);
        drop(self.optional());
        let unit = self.si_unit();
        let shown = number(&text);
        let origin = tokens.iter().copied().find(|found| found.kind != Kind::Space);
        let old = self.style;
        self.style = self.style.set(style::NUMBER, 0);
        match origin {
            Some(word) if word.kind == Kind::Word && self.text(word) == shown => self.write_word(word),
            Some(word) if word.kind == Kind::Word => self.write(word, &shown),
            Some(call) if shown == text.trim() => self.write_expanded(call, &tokens, &shown),
            _ => self.write(token, &shown),
        }
        self.style = old;
        self.write_unit(token, &unit);
    }

    /// Writes text that a macro call produced, so that its definition is known.
    fn write_expanded(&mut self, call: Token, tokens: &[Token], shown: &str) {
        let body = match (call.kind, tokens.len()) {
            (Kind::Name(name), _) => match self.meaning(name) {
                Meaning::Macro(body) => Some((name, body)),
                _ => None,
            },
            _ => None,
        };
        let Some((name, body)) = body else {
            self.write(call, shown);
            return;
        };
        let exp = super::token::narrow(self.expansions.len());
        self.expansions.push(super::reader::Expansion {
            name,
            definition: body.place,
            call: self.place(call),
            depth: 0,
        });
        let literal = body.body.first().copied().unwrap_or(call);
        self.write(Token { exp, ..literal }, shown);
    }

    pub(super) fn si_only_unit(&mut self, token: Token) {
        drop(self.optional());
        let unit = self.si_unit();
        let old = self.style;
        self.style = self.style.set(style::UNIT, 0);
        self.write(token, &unit);
        self.style = old;
    }

    /// `\ang{45}`, `\ang{1;2;3}`
    pub(super) fn si_angle(&mut self, token: Token) {
        drop(self.optional());
        let text = self.si_text();
        for (item, sign) in text.split(';').zip(["°", "′", "″"]) {
            if !item.trim().is_empty() {
                self.write_number(token, &number(item));
                self.write(token, sign);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("", ""),
        ] {
            assert_eq!(number(input), expected, "{input}");
        }
        assert_eq!(column_number("Accuracy"), None);
        assert_eq!(column_number("84.7(3)").as_deref(), Some("84.7 ± 0.3"));
        assert_eq!(UNITS[PREFIXES].0, "ampere");
    }
}
