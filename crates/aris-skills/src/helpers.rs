//! `helpers.toml`, the table of helpers: one `[[helper]]` for each. All readers use this module.
//!
//! Each reader has its own row type with the columns it needs, which also decides whether unknown columns are allowed. Names go
//! into paths and scripts, so they are checked here.

use std::collections::BTreeMap;

use aris_launch::is_plain;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The columns that are checked in each row.
#[derive(Debug, Deserialize)]
struct Names {
    /// Canonical name.
    name: String,
    /// The skill that owns it.
    owner: String,
    /// Other names, which may be paths.
    #[serde(default)]
    aliases: Vec<String>,
}

/// A fault of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

#[derive(Deserialize)]
struct Table<R> {
    #[serde(default = "Vec::new")]
    helper: Vec<R>,
}

/// The rows of a table, in its order.
///
/// **Errors**: malformed TOML; a name, owner or alias that is not a plain name; a name that two helpers have, or that would
/// have to be both a file and a folder.
pub fn rows<R: DeserializeOwned>(text: &[u8]) -> Result<Vec<R>, Problem> {
    let text = str::from_utf8(text).map_err(|error| Problem {
        line: line_of(text, error.valid_up_to()),
        reason: String::from("not UTF-8"),
    })?;
    let rows = table(text)?;
    check(text, &table(text)?)?;
    Ok(rows)
}

fn table<R: DeserializeOwned>(text: &str) -> Result<Vec<R>, Problem> {
    let table: Result<Table<R>, _> = toml_edit::de::from_str(text);
    table.map(|table| table.helper).map_err(|error| Problem {
        line: line_of(text.as_bytes(), error.span().map_or(0, |span| span.start)),
        reason: error.message().to_owned(),
    })
}

fn check(text: &str, rows: &[Names]) -> Result<(), Problem> {
    let mention =
        |is_there: &dyn Fn(&str) -> bool| text.lines().position(is_there).map_or(1, |at| at + 1);
    for row in rows {
        let (name, owner, aliases) = (&row.name, &row.owner, &row.aliases);
        let mut parts = aliases.iter().flat_map(|alias| alias.split('/'));
        if !is_plain(name) || !is_plain(owner) || !parts.all(is_plain) {
            let reason =
                format!("helper {name:?} has a name, an owner or an alias that is no plain name");
            let line = mention(&|line| line.starts_with("name") && line.contains(name));
            return Err(Problem { line, reason });
        }
    }
    match collision(rows) {
        Some((name, reason)) => {
            let quoted = format!("\"{name}\"");
            let line = mention(&|line| line.contains(&quoted));
            Err(Problem { line, reason })
        }
        None => Ok(()),
    }
}

/// Finds a name that two helpers have, or that would have to be both a file and a folder; and describes the fault.
fn collision(rows: &[Names]) -> Option<(&str, String)> {
    let mut owners = BTreeMap::new();
    for row in rows {
        for name in std::iter::once(&row.name).chain(&row.aliases) {
            if let Some(other) = owners.insert(name.as_str(), &row.name) {
                let reason = format!("{name:?} is a name of {other} and of {}", row.name);
                return Some((name, reason));
            }
        }
    }
    owners.keys().find_map(|name| {
        let slashes = name.match_indices('/');
        let mut folders = slashes.filter_map(|(at, _)| name.get(..at));
        let folder = folders.find(|folder| owners.contains_key(folder))?;
        let reason = format!("{folder:?} would be a file and, for {name:?}, a folder");
        Some((*name, reason))
    })
}

fn line_of(text: &[u8], at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rows_that_could_leave_their_folder_are_refused_with_their_line() {
        let good = b"[[helper]]\nname = \"a\"\nowner = \"o\"\naliases = [\"a.sh\", \"x/a.py\"]\npolicy = \"C\"\n";
        assert_eq!(rows::<Names>(good).expect("a table").len(), 1);
        for (row, line) in [
            ("name = \"../a\"\nowner = \"o\"", 2),
            ("name = \"a\"\nowner = \"o/..\"", 2),
            ("name = \"a\"\nowner = \"o\"\naliases = [\"../a\"]", 2),
            ("name = \"a\"\nowner = \"o\"\naliases = [\"/a\"]", 2),
            ("name = \"a\"\nowner = 3", 3),
            ("name = \"a\"\nowner = \"o\"\naliases = [\"a\"]", 2),
            ("name = \"a\"\nowner = \"o\"\naliases = [\n\"a/x\"]", 5),
            (
                "name = \"a\"\nowner = \"o\"\naliases = [\n\"x/y\", \"b\",\n\"x/y/z.py\"]",
                6,
            ),
            (
                "name = \"a\"\nowner = \"o\"\n[[helper]]\nname = \"b\"\nowner = \"o\"\naliases = [\"a\"]",
                2,
            ),
            ("name = \"a\nowner = 3", 2),
        ] {
            let text = format!("[[helper]]\n{row}\n");
            match rows::<Names>(text.as_bytes()) {
                Err(Problem { line: found, .. }) => assert_eq!(found, line, "{row}"),
                other => panic!("{row}: {other:?}"),
            }
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_table_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            rows::<Names>(&bytes).map(|_| ()).unwrap_or_default();
        }
    }
}
