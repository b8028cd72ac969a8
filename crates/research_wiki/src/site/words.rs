//! The search index of the exported site: postings by word, split into files that load quickly.

use std::collections::BTreeMap;

use serde_json::json;

use crate::search::document::WEIGHTS;
use crate::site::files::{Files, script};

/// A file of postings is closed when it has this many bytes.
const FILE: usize = 48 << 10;
/// Parameters of BM25, as in `SQLite`'s `bm25()`, which ranks the results of `search`.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Number of degrees for the weight of a word in a page; each is one character, `A` to `Z`.
const DEGREES: f64 = 26.0;

/// Postings of each term: (node, weighted number of occurrences).
#[derive(Debug, Default)]
pub(crate) struct Words {
    terms: BTreeMap<String, Vec<(usize, f64)>>,
    /// Number of words of each node.
    lengths: BTreeMap<usize, usize>,
}

impl Words {
    /// Adds the words of node `number`, in the parts that [`WEIGHTS`] names.
    pub(crate) fn add(&mut self, number: usize, columns: &[Vec<String>; 4]) {
        let length = columns.iter().map(Vec::len).sum();
        self.lengths.insert(number, length);
        for (words, weight) in columns.iter().zip(WEIGHTS) {
            for term in terms(words) {
                let places = self.terms.entry(term).or_default();
                match places.last_mut() {
                    Some((last, sum)) if *last == number => *sum += weight,
                    _ => places.push((number, weight)),
                }
            }
        }
    }

    /// Writes `words.js`, which names the first term of each file, and the files `w0.js`, `w1.js`, ….
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "numbers of pages are far below 2^52; degrees are between 0 and 26"
    )]
    pub(crate) fn write(self, files: &mut Files) {
        let pages = self.lengths.len();
        let average = self.lengths.values().sum::<usize>() as f64 / pages.max(1) as f64;
        let mut sorted: Vec<_> = self.terms.into_iter().collect();
        // Scripts compare strings by UTF-16.
        sorted.sort_by(|(one, _), (two, _)| one.encode_utf16().cmp(two.encode_utf16()));
        let (mut first, mut part, mut bytes) = (Vec::new(), Vec::new(), 0);
        let mut sorted = sorted.into_iter().peekable();
        while let Some((term, mut places)) = sorted.next() {
            places.sort_by_key(|(number, _)| *number);
            let mut postings = String::new();
            let mut before = 0;
            for (number, places) in places {
                let length = self.lengths.get(&number).copied().unwrap_or_default() as f64;
                let relative = 1.0 - B + B * length / average;
                let impact = places / (places + K1 * relative);
                let degree = (impact * DEGREES).clamp(0.0, DEGREES - 1.0) as u8;
                // Gaps are differences of node numbers. The browser starts at -1, so the first gap is the number plus 1.
                base36(&mut postings, number + 1 - before);
                postings.push(char::from(b'A' + degree));
                before = number + 1;
            }
            if part.is_empty() {
                first.push(term.clone());
            }
            bytes += term.len() + postings.len();
            part.extend([term, postings]);
            if bytes > FILE || sorted.peek().is_none() {
                script(files, &format!("w{}", first.len() - 1), &part);
                part.clear();
                bytes = 0;
            }
        }
        script(files, "words", &json!({"pages": pages, "first": first}));
    }
}

/// Appends a number as `Number.parseInt(…, 36)` reads it.
fn base36(out: &mut String, mut number: usize) {
    let mut digits = Vec::new();
    loop {
        let digit = u32::try_from(number % 36).unwrap_or_default();
        digits.push(std::char::from_digit(digit, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            break;
        }
    }
    out.extend(digits.iter().rev());
}

/// The words, and in scripts without spaces also the pairs of neighbouring words: the browser finds phrases there without word
/// positions.
fn terms(words: &[String]) -> impl Iterator<Item = String> {
    let pairs = words.windows(2).filter_map(|pair| match pair {
        [one, two] if is_single(one) && is_single(two) => Some(format!("{one}{two}")),
        _ => None,
    });
    words.iter().cloned().chain(pairs)
}

fn is_single(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(crate::search::words::is_single) && chars.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_browser_reads_them() {
        for (number, text) in [(0, "0"), (35, "z"), (36, "10"), (10_000, "7ps")] {
            let mut out = String::new();
            base36(&mut out, number);
            assert_eq!(out, text);
        }
    }

    #[test]
    fn pairs_stand_for_neighbours_without_space() {
        let words = crate::search::words::words("gpt注意 x");
        assert_eq!(
            terms(&words).collect::<Vec<_>>(),
            ["gpt", "注", "意", "x", "注意"]
        );
    }
}
