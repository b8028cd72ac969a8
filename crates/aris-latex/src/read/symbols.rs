//! Control sequences that print one fixed text.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What a control sequence prints, where that is one fixed text: `α` for `alpha`.
pub fn symbol(name: &str) -> Option<&'static str> {
    static ALL: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
        let functions = functions().map(|name| (name, name));
        let tables = pairs(OPERATORS).chain(pairs(SYMBOLS));
        tables.chain(functions).collect()
    });
    ALL.get(name).copied()
}

/// The lines `WHAT [HOW]: NAMES` of a table, one entry for each name; those that begin with `#` are comments.
pub(super) fn entries(table: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let lines = lines.filter_map(|line| line.split_once(':'));
    lines.flat_map(|(what, names)| {
        let (what, how) = what.split_once(' ').unwrap_or((what, ""));
        names.split_whitespace().map(move |name| (what, how, name))
    })
}

/// The lines of a table: a name and what it prints.
pub(super) fn pairs(table: &str) -> impl Iterator<Item = (&str, &str)> {
    table.lines().filter_map(|line| line.split_once(' '))
}

/// Binary operators and relations: set off by spaces when they stand between two operands in maths.
pub(super) const OPERATORS: &str = include_str!("operators.txt");

/// Function names: spaced from letters and digits around them.
pub(super) fn functions() -> impl Iterator<Item = &'static str> {
    include_str!("functions.txt").split_whitespace()
}

/// Everything else.
pub(super) const SYMBOLS: &str = include_str!("symbols.txt");

/// Prefixes and units (siunitx manual, tables 1 to 6).
pub(super) const UNITS: &str = include_str!("units.txt");

/// The first entries of [`UNITS`] are prefixes.
pub(super) const PREFIXES: usize = 25;
