//! Numbers written as words: one to twenty.

/// The value of a word from one to twenty, in any case.
pub(crate) fn value(word: &str) -> Option<i128> {
    const WORDS: [&str; 20] = [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    let at = WORDS
        .iter()
        .position(|known| known.eq_ignore_ascii_case(word))?;
    i128::try_from(at).ok().map(|at| at + 1)
}
