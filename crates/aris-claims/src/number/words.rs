//! Words for whole numbers from zero to ninety-nine, and units. A unit says that a number is a quantity; nothing is converted.

const ONES: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen \
    fifteen sixteen seventeen eighteen nineteen";

const TENS: &str = "twenty thirty forty fifty sixty seventy eighty ninety";

/// Units in lower case, because papers mix the cases.
const UNITS: &str = "% percent pct s sec secs second seconds ms msec millisecond milliseconds us µs μs usec \
    microsecond microseconds ns nanosecond nanoseconds min mins minute minutes h hr hrs hour \
    hours day days bytes kb mb gb tb kib mib gib tib w watt watts mw kw gw j joule joules kj \
    kwh wh hz khz mhz ghz flops gflops tflops nm mm cm m km db";

/// The value of a number word, in any case: `five`, `Thirty`, `twenty-five`.
pub(super) fn spelled(word: &str) -> Option<i128> {
    let place = |list: &str, word: &str| {
        let mut list = list.split(' ');
        let at = list.position(|known| known.eq_ignore_ascii_case(word))?;
        i128::try_from(at).ok()
    };
    let tens = |word: &str| place(TENS, word).map(|at| (at + 2) * 10);
    if let Some((ten, one)) = word.split_once('-') {
        let one = place(ONES, one).filter(|one| (1..10).contains(one))?;
        return tens(ten).map(|ten| ten + one);
    }
    place(ONES, word).or_else(|| tens(word))
}

/// The unit written as this word, in any case. The percent words all give `%`.
pub fn unit_word(word: &str) -> Option<&'static str> {
    let lower = word.to_lowercase();
    match UNITS.split(' ').find(|unit| *unit == lower)? {
        "percent" | "pct" => Some("%"),
        unit => Some(unit),
    }
}
