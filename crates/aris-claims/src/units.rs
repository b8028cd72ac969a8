//! Units of measurement as papers write them after a number and as result files write them at the end of a key.
//!
//! Only what is needed to compare the two: a dimension and the power or factor to the base unit. Conversions are exact.

use serde::Serialize;

use crate::decimal::Decimal;

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// A ratio in hundredths; base: 1.
    Percent,
    /// Time; base: second.
    Time,
    /// Storage; base: byte (10³ and 2¹⁰ prefixes are kept apart).
    Bytes,
    /// Power; base: watt.
    Power,
    /// Energy; base: joule.
    Energy,
    /// Frequency; base: hertz.
    Frequency,
    /// Floating-point operations; base: 1 (per second or not: papers mix them).
    Flops,
    /// A bare multiplier: thousand, million, billion.
    Count,
    /// Length; base: metre.
    Length,
    /// A unit without conversions (decibel, tokens per second).
    Other,
}

impl Dimension {
    /// Whether a word (in canonical form) names what is measured in this dimension.
    pub(crate) fn is_named(self, word: &str) -> bool {
        match self {
            Self::Time => matches!(
                word,
                "time"
                    | "latency"
                    | "duration"
                    | "runtime"
                    | "elapsed"
                    | "delay"
                    | "wall"
                    | "second"
                    | "hour"
                    | "minut"
            ),
            Self::Bytes => matches!(
                word,
                "memory" | "ram" | "vram" | "storag" | "byte" | "footprint"
            ),
            Self::Power => matches!(word, "power" | "watt" | "load"),
            Self::Energy => matches!(word, "energy" | "consumption" | "joul"),
            Self::Frequency => matches!(word, "frequency" | "clock"),
            Self::Flops => matches!(word, "flop"),
            Self::Length => matches!(
                word,
                "length" | "distanc" | "resolution" | "spac" | "height" | "error"
            ),
            Self::Percent | Self::Count | Self::Other => false,
        }
    }
}

/// A unit: what it measures and how many base units it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Unit {
    /// What it measures.
    pub dimension: Dimension,
    /// Base units in one of it.
    pub factor: Decimal,
    /// How it is written, in lower case: the same letters are the same unit whatever their case.
    pub symbol: &'static str,
}

impl Unit {
    /// The percent sign.
    pub fn percent() -> Self {
        Self {
            dimension: Dimension::Percent,
            factor: Decimal::new(1, -2),
            symbol: "%",
        }
    }

    /// The factor that turns a value in `self` into a value in `other`; `None` for different dimensions.
    pub fn to(self, other: Self) -> Option<Decimal> {
        if self.symbol == other.symbol && !self.symbol.is_empty() {
            return Some(Decimal::ONE);
        }
        if self.dimension != other.dimension || self.dimension == Dimension::Other {
            return None;
        }
        self.factor.over(other.factor)
    }
}

/// Name, dimension, mantissa and exponent of the factor. Upper and lower case matter only for one-letter and byte units.
const UNITS: &[(&str, Dimension, i128, i32)] = &[
    ("%", Dimension::Percent, 1, -2),
    ("percent", Dimension::Percent, 1, -2),
    ("pct", Dimension::Percent, 1, -2),
    ("s", Dimension::Time, 1, 0),
    ("sec", Dimension::Time, 1, 0),
    ("secs", Dimension::Time, 1, 0),
    ("second", Dimension::Time, 1, 0),
    ("seconds", Dimension::Time, 1, 0),
    ("ms", Dimension::Time, 1, -3),
    ("msec", Dimension::Time, 1, -3),
    ("millisecond", Dimension::Time, 1, -3),
    ("milliseconds", Dimension::Time, 1, -3),
    ("us", Dimension::Time, 1, -6),
    ("µs", Dimension::Time, 1, -6),
    ("μs", Dimension::Time, 1, -6),
    ("usec", Dimension::Time, 1, -6),
    ("microsecond", Dimension::Time, 1, -6),
    ("microseconds", Dimension::Time, 1, -6),
    ("ns", Dimension::Time, 1, -9),
    ("nanosecond", Dimension::Time, 1, -9),
    ("nanoseconds", Dimension::Time, 1, -9),
    ("min", Dimension::Time, 60, 0),
    ("mins", Dimension::Time, 60, 0),
    ("minute", Dimension::Time, 60, 0),
    ("minutes", Dimension::Time, 60, 0),
    ("h", Dimension::Time, 3600, 0),
    ("hr", Dimension::Time, 3600, 0),
    ("hrs", Dimension::Time, 3600, 0),
    ("hour", Dimension::Time, 3600, 0),
    ("hours", Dimension::Time, 3600, 0),
    ("day", Dimension::Time, 86_400, 0),
    ("days", Dimension::Time, 86_400, 0),
    ("bytes", Dimension::Bytes, 1, 0),
    ("kb", Dimension::Bytes, 1, 3),
    ("mb", Dimension::Bytes, 1, 6),
    ("gb", Dimension::Bytes, 1, 9),
    ("tb", Dimension::Bytes, 1, 12),
    ("kib", Dimension::Bytes, 1024, 0),
    ("mib", Dimension::Bytes, 1_048_576, 0),
    ("gib", Dimension::Bytes, 1_073_741_824, 0),
    ("tib", Dimension::Bytes, 1_099_511_627_776, 0),
    ("w", Dimension::Power, 1, 0),
    ("watt", Dimension::Power, 1, 0),
    ("watts", Dimension::Power, 1, 0),
    ("mw", Dimension::Power, 1, 6),
    ("kw", Dimension::Power, 1, 3),
    ("gw", Dimension::Power, 1, 9),
    ("tw", Dimension::Power, 1, 12),
    ("j", Dimension::Energy, 1, 0),
    ("joule", Dimension::Energy, 1, 0),
    ("joules", Dimension::Energy, 1, 0),
    ("mj", Dimension::Energy, 1, 6),
    ("kj", Dimension::Energy, 1, 3),
    ("kwh", Dimension::Energy, 36, 5),
    ("wh", Dimension::Energy, 3600, 0),
    ("mwh", Dimension::Energy, 36, 8),
    ("gwh", Dimension::Energy, 36, 11),
    ("hz", Dimension::Frequency, 1, 0),
    ("khz", Dimension::Frequency, 1, 3),
    ("mhz", Dimension::Frequency, 1, 6),
    ("ghz", Dimension::Frequency, 1, 9),
    ("flops", Dimension::Flops, 1, 0),
    ("flop", Dimension::Flops, 1, 0),
    ("mflops", Dimension::Flops, 1, 6),
    ("mflop", Dimension::Flops, 1, 6),
    ("gflops", Dimension::Flops, 1, 9),
    ("gflop", Dimension::Flops, 1, 9),
    ("tflops", Dimension::Flops, 1, 12),
    ("tflop", Dimension::Flops, 1, 12),
    ("pflops", Dimension::Flops, 1, 15),
    ("pflop", Dimension::Flops, 1, 15),
    ("megaflops", Dimension::Flops, 1, 6),
    ("gigaflops", Dimension::Flops, 1, 9),
    ("teraflops", Dimension::Flops, 1, 12),
    ("petaflops", Dimension::Flops, 1, 15),
    ("exaflops", Dimension::Flops, 1, 18),
    ("thousand", Dimension::Count, 1, 3),
    ("million", Dimension::Count, 1, 6),
    ("millions", Dimension::Count, 1, 6),
    ("billion", Dimension::Count, 1, 9),
    ("billions", Dimension::Count, 1, 9),
    ("trillion", Dimension::Count, 1, 12),
    ("nm", Dimension::Length, 1, -9),
    ("mm", Dimension::Length, 1, -3),
    ("cm", Dimension::Length, 1, -2),
    ("m", Dimension::Length, 1, 0),
    ("km", Dimension::Length, 1, 3),
    ("metre", Dimension::Length, 1, 0),
    ("metres", Dimension::Length, 1, 0),
    ("meter", Dimension::Length, 1, 0),
    ("meters", Dimension::Length, 1, 0),
    ("db", Dimension::Other, 1, 0),
];

/// Key suffixes that count in multiples when the rest of the key names a count (`params_m` is in millions).
const COUNT_SUFFIXES: &[(&str, i32)] = &[
    ("k", 3),
    ("thousands", 3),
    ("m", 6),
    ("millions", 6),
    ("million", 6),
    ("b", 9),
    ("g", 9),
    ("billions", 9),
    ("billion", 9),
    ("t", 12),
];

/// The unit written as this word, in any case.
pub fn from_word(word: &str) -> Option<Unit> {
    // Case tells mega from milli; everywhere else papers and keys mix it.
    match word {
        "mW" => {
            return Some(Unit {
                dimension: Dimension::Power,
                factor: Decimal::new(1, -3),
                symbol: "milliwatt",
            });
        }
        "mJ" => {
            return Some(Unit {
                dimension: Dimension::Energy,
                factor: Decimal::new(1, -3),
                symbol: "millijoule",
            });
        }
        _ => {}
    }
    let lower = word.to_lowercase();
    UNITS
        .iter()
        .find(|(name, ..)| *name == lower)
        .map(|&(name, dimension, mantissa, exponent)| Unit {
            dimension,
            factor: Decimal::new(mantissa, exponent),
            symbol: name,
        })
}

/// The unit that the words of a key end with (`latency_ms`, `train_time_hours`, `params_m`), and the number of words it
/// takes.
///
/// One-letter suffixes are read only where the rest of the key agrees with them: `time_s` is seconds, `model_s` is a
/// size. Words arrive in lower case.
pub fn from_key(words: &[&str]) -> Option<(Unit, usize)> {
    let (last, rest) = words.split_last()?;
    if rest.is_empty() && last.chars().count() <= 2 {
        return None;
    }
    // `ms_per_megapixel` is a time, for something.
    if let [first, "per", .., end] = words
        && !matches!(*end, "s" | "sec" | "second" | "hour" | "h" | "min")
        && first.len() > 1
    {
        return from_word(first).map(|unit| (unit, 0));
    }
    // `images_per_s` is a rate, not a time.
    if rest.last() == Some(&"per") {
        return None;
    }
    let about = |names: &[&str]| {
        rest.iter()
            .any(|word| names.iter().any(|name| word.starts_with(name)))
    };
    if let Some((_, power)) = COUNT_SUFFIXES.iter().find(|(name, _)| name == last) {
        if about(&["flop", "mac"]) {
            return Some((
                Unit {
                    dimension: Dimension::Flops,
                    factor: Decimal::new(1, *power),
                    symbol: "",
                },
                1,
            ));
        }
        if about(&[
            "param", "token", "sample", "size", "weight", "count", "image", "step", "pair",
            "example",
        ]) {
            return Some((
                Unit {
                    dimension: Dimension::Count,
                    factor: Decimal::new(1, *power),
                    symbol: "",
                },
                1,
            ));
        }
    }
    if matches!(*last, "s" | "h" | "min" | "m" | "d")
        && !about(&[
            "time", "latenc", "duration", "wall", "runtime", "train", "elapsed", "delay", "gpu",
            "hour", "recover", "warm", "start", "token", "wait",
        ])
        && !rest.contains(&"p")
    {
        return None;
    }
    if matches!(*last, "w" | "j") && !about(&["power", "energy", "draw", "consum"]) {
        return None;
    }
    if *last == "m" && !about(&["dist", "err", "length", "height", "depth", "rmse", "mae"]) {
        return None;
    }
    from_word(last).map(|unit| (unit, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_convert_exactly() {
        for (from, to, factor) in [
            ("s", "ms", "1000"),
            ("ms", "s", "0.001"),
            ("hours", "min", "60"),
            ("kWh", "kJ", "3600"),
            ("GiB", "MiB", "1024"),
            ("GFLOPs", "TFLOPs", "0.001"),
        ] {
            let factor = Decimal::parse(factor);
            assert_eq!(
                from_word(from).unwrap().to(from_word(to).unwrap()),
                factor,
                "{from} to {to}"
            );
        }
        assert_eq!(from_word("ms").unwrap().to(from_word("GB").unwrap()), None);
        assert_eq!(
            from_word("dB").unwrap().to(from_word("dB").unwrap()),
            Some(Decimal::ONE)
        );
    }

    #[test]
    fn keys_need_agreement_for_short_suffixes() {
        let unit = |key: &str| {
            from_key(&key.split('_').collect::<Vec<_>>()).map(|(unit, _)| unit.dimension)
        };
        for (key, expected) in [
            ("latency_ms", Some(Dimension::Time)),
            ("wall_time_s", Some(Dimension::Time)),
            ("train_hours", Some(Dimension::Time)),
            ("model_s", None),
            ("images_per_s", None),
            ("params_m", Some(Dimension::Count)),
            ("peak_mem_gb", Some(Dimension::Bytes)),
            ("flops_g", Some(Dimension::Flops)),
            ("f_1", None),
            ("s", None),
            ("acc_pct", Some(Dimension::Percent)),
        ] {
            assert_eq!(unit(key), expected, "{key}");
        }
    }
}
