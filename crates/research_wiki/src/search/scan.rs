//! The search without an index: every page is read, and ranked exactly as the index would rank it.

use crate::search::document::{Document, WEIGHTS};
use crate::search::words::Phrase;

/// BM25's saturation, as in `SQLite`'s FTS5.
const K1: f64 = 1.2;
/// BM25's weight of a document's length, as in `SQLite`'s FTS5.
const B: f64 = 0.75;
/// What a phrase counts at least that more than half of the pages have, as in `SQLite`'s FTS5.
const LEAST: f64 = 1e-6;

/// A page that has a phrase.
struct Found {
    document: Document,
    /// Weighted number of places of each phrase.
    places: Vec<f64>,
}

/// Ranks `documents` for `phrases`, best first: those that have all phrases, or with `any` at least one.
///
/// **Source**: `bm25()` of `SQLite`'s FTS5 with column weights: the sum over the phrases of `idf · f · (k1 + 1) / (f + k1 · (1 − b + b · D /
/// D̄))`, where `f` is the weighted number of places, `D` the page's words, `idf` is `ln((N − n + ½) / (n + ½))`, at least 10⁻⁶.
#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of pages and words are far below 2^52"
)]
pub fn rank(
    documents: impl Iterator<Item = Document>,
    phrases: &[Phrase],
    any: bool,
) -> Vec<(Document, f64)> {
    let (mut pages, mut length) = (0_usize, 0_usize);
    let mut having = vec![0_usize; phrases.len()];
    let mut found = Vec::new();
    for document in documents {
        pages += 1;
        length += document.length();
        let places: Vec<f64> = phrases
            .iter()
            .map(|phrase| weighted(&document, phrase))
            .collect();
        for (count, places) in having.iter_mut().zip(&places) {
            *count += usize::from(*places > 0.0);
        }
        if places.iter().any(|places| *places > 0.0) {
            found.push(Found { document, places });
        }
    }
    let average = length as f64 / pages.max(1) as f64;
    let weights: Vec<f64> = having
        .iter()
        .map(|count| {
            let (all, having) = (pages as f64, *count as f64);
            let idf = ((all - having + 0.5) / (having + 0.5)).ln();
            if idf <= 0.0 { LEAST } else { idf }
        })
        .collect();
    let mut ranked: Vec<(Document, f64)> = found
        .into_iter()
        .filter(|page| any || page.places.iter().all(|places| *places > 0.0))
        .map(|page| {
            let relative = 1.0 - B + B * page.document.length() as f64 / average;
            let score = page
                .places
                .iter()
                .zip(&weights)
                .map(|(places, idf)| idf * places * (K1 + 1.0) / (places + K1 * relative));
            let score = score.sum();
            (page.document, score)
        })
        .collect();
    ranked.sort_by(|(one, first), (two, second)| {
        second
            .total_cmp(first)
            .then_with(|| one.path.cmp(&two.path))
    });
    ranked
}

#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of words are far below 2^52"
)]
fn weighted(document: &Document, phrase: &Phrase) -> f64 {
    let columns = document.columns.iter().zip(WEIGHTS);
    columns
        .map(|(words, weight)| weight * phrase.count(words) as f64)
        .sum()
}
