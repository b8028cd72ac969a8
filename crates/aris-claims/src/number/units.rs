//! Units and multipliers as papers write them after a number. They say that a number is a quantity; nothing is converted.

/// Units in lower case; papers mix the cases.
const UNITS: &str = "% percent pct s sec secs second seconds ms msec millisecond milliseconds us µs μs usec \
    microsecond microseconds ns nanosecond nanoseconds min mins minute minutes h hr hrs hour \
    hours day days bytes kb mb gb tb kib mib gib tib w watt watts mw kw gw j joule joules kj \
    kwh wh hz khz mhz ghz flops gflops tflops nm mm cm m km db";

/// The unit written as this word, in any case; the percent words are all `%`.
pub fn unit_word(word: &str) -> Option<&'static str> {
    let lower = word.to_lowercase();
    let found = UNITS.split(' ').find(|unit| *unit == lower)?;
    Some(match found {
        "percent" | "pct" => "%",
        other => other,
    })
}

/// The power of ten that a word multiplies by.
pub(super) fn multiplier_word(word: &str) -> Option<i32> {
    Some(match word {
        "thousand" => 3,
        "million" | "millions" => 6,
        "billion" | "billions" => 9,
        "trillion" => 12,
        _ => return None,
    })
}
