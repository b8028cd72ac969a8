//! Whole numbers written as words, from zero to ninety-nine.

const UNITS: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen \
    fifteen sixteen seventeen eighteen nineteen";

const TENS: &str = "twenty thirty forty fifty sixty seventy eighty ninety";

/// The value of a word, in any case: `five`, `Thirty`, `twenty-five`.
pub(super) fn value(word: &str) -> Option<i128> {
    let place = |list: &str, word: &str| {
        let at = list
            .split(' ')
            .position(|known| known.eq_ignore_ascii_case(word))?;
        i128::try_from(at).ok()
    };
    if let Some((ten, unit)) = word.split_once('-') {
        let unit = place(UNITS, unit).filter(|unit| (1..10).contains(unit))?;
        return Some((place(TENS, ten)? + 2) * 10 + unit);
    }
    place(UNITS, word).or_else(|| place(TENS, word).map(|at| (at + 2) * 10))
}

/// Whether a word is one of twenty, thirty, …, ninety.
pub(super) fn is_ten(word: &str) -> bool {
    TENS.split(' ')
        .any(|known| known.eq_ignore_ascii_case(word))
}
