//! The tables of `assets/tables.txt`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The name of a row, and its entries.
type Row = (&'static str, Vec<&'static str>);

static TABLES: LazyLock<BTreeMap<&str, Vec<Row>>> =
    LazyLock::new(|| read(include_str!("../assets/tables.txt")));

/// Parses `[table]` lines, each followed by rows `name: entry, entry`. A line that begins with a blank continues the previous
/// row; `#` begins a comment line.
fn read(text: &'static str) -> BTreeMap<&'static str, Vec<Row>> {
    let mut tables: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
    let mut open = "";
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[') {
            open = name.trim_end_matches(']');
            continue;
        }
        let rows = tables.entry(open).or_default();
        let begun = line.split_once(':').filter(|_| !line.starts_with(' '));
        rows.extend(begun.map(|(name, _)| (name, Vec::new())));
        let entries = begun.map_or(line, |(_, entries)| entries).split(',');
        if let Some((_, row)) = rows.last_mut() {
            row.extend(entries.map(str::trim).filter(|entry| !entry.is_empty()));
        }
    }
    tables
}

/// The rows of a table.
pub(crate) fn table(name: &str) -> &'static [Row] {
    debug_assert!(TABLES.contains_key(name), "there is no table `{name}`");
    TABLES.get(name).map_or(&[], Vec::as_slice)
}

/// The entries of a row; none when the table does not have it.
pub(crate) fn row(name: &str, row: &str) -> &'static [&'static str] {
    let found = table(name).iter().find(|(known, _)| *known == row);
    found.map_or(&[], |(_, entries)| entries.as_slice())
}

/// A list of words.
pub(crate) fn words(list: &str) -> &'static [&'static str] {
    let words = row("words", list);
    debug_assert!(!words.is_empty(), "there is no list `{list}`");
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_are_read() {
        let counts: Vec<_> = TABLES
            .iter()
            .map(|(name, rows)| (*name, rows.len()))
            .collect();
        let expected = [
            ("", 0),
            ("publishers", 20),
            ("publishers by name", 34),
            ("publishers by whole name", 2),
            ("successions", 53),
            ("usual publishers", 9),
            ("venue codes", 13),
            ("venues", 71),
            ("words", 10),
        ];
        assert_eq!(counts, expected);
        let empty = |(_, entries): &&Row| entries.is_empty();
        assert_eq!(TABLES.values().flatten().find(empty), None);
        assert_eq!(words("nobody").len(), 41);
        assert!(words("no title").contains(&"title of the paper"));
    }

    #[test]
    fn publishers_have_one_name_each() {
        let owners = || table("publishers").iter().flat_map(|(_, owner)| owner);
        let named = ["by name", "by whole name"].map(|by| table(&format!("publishers {by}")));
        let named = named.into_iter().flatten();
        let others = ["successions", "usual publishers"]
            .map(table)
            .into_iter()
            .flatten();
        for publisher in named.chain(others).flat_map(|(_, publishers)| publishers) {
            assert!(owners().any(|owner| owner == publisher), "{publisher}");
        }
        for (owner, _) in table("usual publishers") {
            assert!(owners().any(|known| known == owner), "{owner}");
        }
    }
}
