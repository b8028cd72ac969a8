//! The word lists of `assets/words.txt`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::feature::Feature;

type Lists = BTreeMap<&'static str, Vec<&'static str>>;

static LISTS: LazyLock<Lists> = LazyLock::new(|| read(include_str!("../assets/words.txt")));

/// Parses `[name]` lines, each followed by entries separated by commas; `#` begins a comment line.
fn read(text: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut lists: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut name = "";
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(opened) = line.strip_prefix('[') {
            name = opened.trim_end_matches(']');
            continue;
        }
        let entries = line.split(',').map(str::trim);
        let list = lists.entry(name).or_default();
        list.extend(entries.filter(|entry| !entry.is_empty()));
    }
    lists.remove("");
    lists
}

/// The entries of a list, sorted.
pub(crate) fn list(name: &str) -> &'static [&'static str] {
    debug_assert!(LISTS.contains_key(name), "words.txt has no list `{name}`");
    LISTS.get(name).map_or(&[], Vec::as_slice)
}

/// Whether a list contains this word.
pub(crate) fn is(name: &str, word: &str) -> bool {
    list(name).binary_search(&word).is_ok()
}

/// Whether the text begins with an entry of the list, followed by a blank or a comma.
pub(crate) fn opens(name: &str, text: &str) -> bool {
    list(name).iter().any(|entry| {
        text.strip_prefix(entry)
            .is_some_and(|rest| rest.starts_with([' ', ',']))
    })
}

/// Whether a word of the text is in a list.
pub(crate) fn has(name: &str, text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric())
        .any(|word| is(name, word))
}

/// Lengths of the shortest and longest stem at the beginning of a row, in bytes.
const STEMS: (usize, usize) = (3, 12);

/// Rows by their first word: the feature, and the row's other words.
type Rows = BTreeMap<&'static str, Vec<(Feature, Vec<&'static str>)>>;

/// The rows of all features, with whole first words and with stems (`improve*`).
static ROWS: LazyLock<(Rows, Rows)> = LazyLock::new(|| {
    let (mut whole, mut stems) = (Rows::new(), Rows::new());
    for feature in Feature::all() {
        for row in LISTS.get(feature.name()).into_iter().flatten() {
            let mut words = row.split(' ');
            let first = words.next().unwrap_or("");
            let rest = (feature, words.collect());
            match first.strip_suffix('*') {
                Some(stem) => stems.entry(stem).or_default().push(rest),
                None => whole.entry(first).or_default().push(rest),
            }
        }
    }
    (whole, stems)
});

/// The features whose rows match at the first of these words.
pub(crate) fn features<'w>(words: &'w [&'w str]) -> impl Iterator<Item = Feature> + 'w {
    let (whole, stems) = &*ROWS;
    let first = words.first().copied().unwrap_or("");
    let of_stems =
        (STEMS.0..=first.len().min(STEMS.1)).filter_map(move |end| stems.get(first.get(..end)?));
    let rows = whole.get(first).into_iter().chain(of_stems).flatten();
    rows.filter(move |(_, rest)| {
        rest.iter().enumerate().all(|(at, wanted)| {
            let word = words.get(at + 1).copied().unwrap_or("");
            match wanted.strip_suffix('*') {
                Some(stem) => word.starts_with(stem),
                None => word == *wanted,
            }
        })
    })
    .map(|(feature, _)| *feature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_hold_each_entry_once() {
        assert!(LISTS.len() > 40);
        for (name, entries) in LISTS.iter() {
            assert!(!entries.is_empty(), "{name}");
            for pair in entries.windows(2) {
                assert!(pair[0] < pair[1], "{name}: {pair:?}");
            }
        }
    }

    #[test]
    fn rows_of_features_are_words_as_sentences_give_them() {
        let mut rows = 0;
        for feature in Feature::all() {
            for row in LISTS.get(feature.name()).into_iter().flatten() {
                assert!(!row.contains('-') && *row == row.to_lowercase(), "{row}");
                let first = row.split(' ').next().unwrap();
                let length = first.strip_suffix('*').map(str::len);
                assert!(
                    length.is_none_or(|length| (STEMS.0..=STEMS.1).contains(&length)),
                    "{row}"
                );
                rows += 1;
            }
        }
        assert!(rows > 1_000);
    }

    #[test]
    fn stars_stand_for_endings() {
        let found = |words: &[&str]| features(words).collect::<Vec<Feature>>();
        assert_eq!(found(&["outperforms", "prior"]), [Feature::Comparison]);
        assert_eq!(found(&["previous", "studies"]), [Feature::Others]);
        assert_eq!(found(&["previous"]), []);
    }
}
