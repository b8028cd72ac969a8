//! Page ranges.

use super::{Fact, FactKind, fact};
use crate::bib::Resolved;

pub(super) fn check(entry: &Resolved<'_>, found: &mut Vec<Fact>) {
    let Some(field) = entry.field("pages") else {
        return;
    };
    for range in field.raw.split([',', ';']) {
        if let Some((first, last)) = reversed(range) {
            let message = format!("page {last} comes before page {first}");
            found.push(fact(FactKind::PagesReversed, field, message));
            return;
        }
    }
}

/// First and last page of a range that runs backwards. `1433--41` is short for 1433–1441 and does not.
fn reversed(range: &str) -> Option<(u64, u64)> {
    let parts: Vec<&str> = range
        .split(['-', '–', '—'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    let [first, last] = parts.as_slice() else {
        return None;
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(first) || !digits(last) || last.len() < first.len() {
        return None;
    }
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (last < first).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_numbers_are_compared() {
        let cases = [
            ("354--362", None),
            ("362--354", Some((362, 354))),
            ("362-354", Some((362, 354))),
            ("362–354", Some((362, 354))),
            ("1433--41", None),
            ("999--1001", None),
            ("217495:14--217495:1", None),
            ("436S--39S", None),
            ("xii--ix", None),
            ("14", None),
            ("1-2-3", None),
            ("99999999999999999999999--99999999999999999999998", None),
        ];
        for (range, wanted) in cases {
            assert_eq!(reversed(range), wanted, "{range}");
        }
    }
}
