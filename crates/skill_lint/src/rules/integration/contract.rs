//! The contract of a tree: its policy tables, and the pages that explain it.

use std::collections::{BTreeMap, BTreeSet};

use aris_skills::markdown::Document;
use aris_skills::text::column;
use aris_skills::{Frontmatter, Text, Tree, names};
use toml_edit::{Item, TableLike, Value};

use super::policy::{self, Row};
use super::problem::Problem;
use super::resolver::last_part;
use super::table::{Table, tables};
use crate::config::Config;
use crate::finding::Sink;

/// The folder of pages and tables that several skills share.
const SHARED: &str = "shared-references";
const CONTRACT: &str = "integration-contract.md";
const HELPERS: &str = "helpers.toml";

/// Pages that show counter-examples on purpose.
const EXPLAINING: [&str; 2] = [CONTRACT, "wiki-helper-resolution.md"];

/// Whether a page explains the contract.
pub(super) fn is_explaining(path: &str, config: &Config) -> bool {
    config.contract.as_deref() == Some(path)
        || is_shared(path) && EXPLAINING.contains(&last_part(path))
}

/// Whether a file lies in a folder of shared pages.
pub(super) fn is_shared(path: &str) -> bool {
    path.split('/').rev().skip(1).any(|part| part == SHARED)
}

/// A shared page.
pub(super) struct SharedPage {
    pub(super) path: String,
    pub(super) text: Text,
    pub(super) document: Document,
    /// Position of the skill that it belongs to, if any.
    pub(super) skill: Option<usize>,
}

/// Reads the shared pages of a tree.
pub(super) fn shared_pages(tree: &Tree, config: &Config, sink: &mut Sink<'_>) -> Vec<SharedPage> {
    let mut pages = Vec::new();
    let is_page = |path: &str| {
        names::extension(path) == "md" && is_shared(path)
            || config.contract.as_deref() == Some(path)
    };
    for file in tree.files.iter().filter(|file| is_page(&file.path)) {
        match tree.text(&file.path) {
            Ok(text) => {
                let first = Frontmatter::of(&text).map_or(1, |found| found.last + 1);
                pages.push(SharedPage {
                    document: Document::parse(&text, first),
                    path: file.path.clone(),
                    text,
                    skill: file.skill,
                });
            }
            Err(error) => sink.skipped("SR501", &file.path, error.to_string()),
        }
    }
    pages
}

/// A policy table and the folder whose skills it governs.
pub(super) struct Contract {
    /// Files that its rows stand in, each row with the position of its file.
    pub(super) files: Vec<String>,
    pub(super) rows: Vec<(usize, Row)>,
}

impl Contract {
    /// The rows that a block looking for `helper` means.
    pub(super) fn rows_for(&self, helper: &str) -> Vec<&Row> {
        (self.rows.iter().map(|(_, row)| row))
            .filter(|row| row.is_for(helper))
            .collect()
    }
}

/// The contracts of a tree, by the folder that each governs.
pub(super) struct Contracts(BTreeMap<String, Contract>);

impl Contracts {
    /// Reads the policy tables. A table that is given in `helpers.toml` stands there alone: pages repeat it.
    pub(super) fn read(
        tree: &Tree,
        config: &Config,
        pages: &[SharedPage],
        sink: &mut Sink<'_>,
    ) -> Self {
        let mut found: BTreeMap<String, Contract> = BTreeMap::new();
        let mut add = |file: &str, text: &Text, rows: Vec<Row>| {
            let governed = config.contract.is_none().then(|| governed_by(file));
            let governed = governed.unwrap_or_default();
            let contract = found.entry(governed).or_insert_with(|| Contract {
                files: Vec::new(),
                rows: Vec::new(),
            });
            let at = contract.files.len();
            contract.files.push(file.to_owned());
            let to_column =
                |(line, byte): &mut (usize, usize)| *byte = column(text.line(*line), *byte);
            contract.rows.extend(rows.into_iter().map(|mut row| {
                to_column(&mut row.name_at);
                to_column(&mut row.policy_at);
                (at, row)
            }));
        };
        let counts = |path: &str| {
            (config.contract.as_deref())
                .is_none_or(|contract| folder_of(contract) == folder_of(path))
        };
        let mut by_file: BTreeSet<&str> = BTreeSet::new();
        for file in &tree.files {
            if last_part(&file.path) != HELPERS || !counts(&file.path) {
                continue;
            }
            let beside = config.contract.is_some() || is_shared(&file.path);
            if !beside {
                continue;
            }
            let text = tree.text(&file.path).map_err(|error| error.to_string());
            match text.and_then(|text| Ok((rows_of_toml(&text)?, text))) {
                Ok((rows, text)) => {
                    by_file.insert(folder_of(&file.path));
                    add(&file.path, &text, rows);
                }
                Err(reason) => sink.skipped("SR503", &file.path, reason),
            }
        }
        for page in pages.iter().filter(|page| counts(&page.path)) {
            if by_file.contains(folder_of(&page.path)) {
                continue;
            }
            let rows: Vec<Row> = (page.tables().iter())
                .filter_map(policy::rows)
                .flatten()
                .collect();
            if !rows.is_empty() {
                add(&page.path, &page.text, rows);
            }
        }
        Self(found)
    }

    /// The contract that governs a path: that of the nearest folder above it.
    pub(super) fn over(&self, path: &str) -> Option<&Contract> {
        let mut folder = path;
        loop {
            folder = folder_of(folder);
            if let Some(contract) = self.0.get(folder) {
                return Some(contract);
            }
            if folder.is_empty() {
                return None;
            }
        }
    }

    /// All contracts.
    pub(super) fn all(&self) -> impl Iterator<Item = &Contract> {
        self.0.values()
    }
}

impl SharedPage {
    /// Its tables outside fences.
    pub(super) fn tables(&self) -> Vec<Table<'_>> {
        let lines = self.text.lines_from(self.document.first_line);
        tables(lines.filter(|(number, _)| !self.document.in_fence(*number)))
    }
}

/// The folder of a path.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The folder that the shared folder of a file lies in.
fn governed_by(file: &str) -> String {
    let parts: Vec<&str> = file.split('/').collect();
    let shared = parts.iter().rposition(|part| *part == SHARED).unwrap_or(0);
    parts.get(..shared).unwrap_or_default().join("/")
}

/// The rows of a `helpers.toml`.
fn rows_of_toml(text: &Text) -> Result<Vec<Row>, String> {
    let toml = toml_edit::Document::parse(text.raw()).map_err(|error| {
        let place = error.span().map_or(1, |span| text.place(span.start).0);
        format!("line {place}: {}", error.message())
    })?;
    let mut rows = Vec::new();
    let helpers = toml.get("helper").and_then(Item::as_array_of_tables);
    for helper in helpers.into_iter().flatten() {
        let string = |key: &str| helper.get(key).and_then(Item::as_str).unwrap_or_default();
        let place = |key: &str| {
            let span = helper.get(key).and_then(Item::span).or(helper.span());
            let (line, _) = text.place(span.map_or(0, |span| span.start));
            let byte = helper.get(key).and_then(Item::span);
            (line, byte.map_or(0, |byte| byte.start - text.start(line)))
        };
        if string("name").is_empty() {
            continue;
        }
        rows.push(Row {
            path: string("name").to_owned(),
            aliases: strings(helper, "aliases"),
            policies: (policy::first_policy(string("policy")).into_iter())
                .chain(
                    (strings(helper, "other_policies").iter())
                        .filter_map(|other| policy::first_policy(other)),
                )
                .collect(),
            shipped: helper.get("shipped").and_then(Item::as_bool) != Some(false),
            owner: Some(string("owner").to_owned()).filter(|owner| !owner.is_empty()),
            name_at: place("name"),
            policy_at: place("policy"),
        });
    }
    Ok(rows)
}

fn strings(table: &dyn TableLike, key: &str) -> Vec<String> {
    let array = table.get(key).and_then(Item::as_array);
    (array.into_iter().flatten())
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// The parts that every row of the integration table fills. **Source**: integration contract §1–6.
const PARTS: [&str; 6] = [
    "Predicate",
    "Helper",
    "Artifact",
    "Checklist",
    "Backfill",
    "Verifier",
];

/// Rows of integration tables without content in one of the six parts (SR506).
pub(super) fn unfilled(page: &SharedPage) -> Vec<Problem> {
    const RULE: &str = "SR506";
    let mut problems = Vec::new();
    for table in page.tables() {
        if !table.title().eq_ignore_ascii_case("Integration") {
            continue;
        }
        for part in PARTS {
            let Some(column) = table.column(part) else {
                let message = format!("the integration table has no column `{part}`");
                problems.push(Problem::new(RULE, table.header.0, 1, message));
                continue;
            };
            for (line, cells) in &table.rows {
                let cell = cells.get(column);
                if cell.is_some_and(|cell| has_content(cell.text)) {
                    continue;
                }
                let name = cells.first().map_or("", |cell| cell.text);
                let message = format!("integration `{name}` has nothing under `{part}`");
                let byte = cell.map_or(0, |cell| cell.byte);
                problems.push(Problem::at(&page.text, RULE, *line, byte, message));
            }
        }
    }
    problems
}

fn has_content(cell: &str) -> bool {
    let text = cell.trim_matches(|c: char| c.is_whitespace() || "*_`~".contains(c));
    let empty = text.chars().all(|c| "-–—".contains(c));
    let words = ["n/a", "none", "tbd", "todo"];
    !empty && !words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_more_than_a_placeholder() {
        for (cell, expected) in [
            ("`a.json`", true),
            ("n/a (one step only)", true),
            ("none needed", true),
            ("", false),
            ("—", false),
            ("---", false),
            ("**N/A**", false),
            ("`none`", false),
            ("TBD", false),
            ("todo", false),
        ] {
            assert_eq!(has_content(cell), expected, "{cell}");
        }
    }

    #[test]
    fn a_helper_table_as_toml_has_places() {
        let text = Text::new(
            b"# x\n[[helper]]\nname = \"a\"\naliases = [\"a.sh\"]\nowner = \"o\"\npolicy = \"D1\"\n[[helper]]\nname = \"b\"\n",
        );
        let rows = rows_of_toml(&text).unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].name_at, rows[0].policy_at), ((3, 7), (6, 9)));
        assert_eq!(rows[0].aliases, ["a.sh"]);
        assert_eq!(rows[0].owner.as_deref(), Some("o"));
        assert_eq!((rows[1].policies.len(), rows[1].policy_at.0), (0, 7));
        let other = Text::new(b"[[helper]]\nname = \"a\"\nshipped = false\npolicy = \"D2\"\nother_policies = [\"D1\"]\n");
        let rows = rows_of_toml(&other).unwrap();
        assert_eq!((rows[0].shipped, rows[0].policies.len()), (false, 2));
        assert!(
            rows_of_toml(&Text::new(b"\nname = \n"))
                .unwrap_err()
                .starts_with("line 2: ")
        );
    }

    #[test]
    fn shared_folders_govern_what_lies_beside_them() {
        for (file, governed) in [
            ("skills/shared-references/helpers.toml", "skills"),
            ("shared-references/integration-contract.md", ""),
            ("skills/codex/shared-references/deep/x.md", "skills/codex"),
        ] {
            assert_eq!(governed_by(file), governed, "{file}");
            assert!(is_shared(file));
        }
        assert!(!is_shared("skills/shared-references.md"));
    }
}
