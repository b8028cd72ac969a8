//! The contract of a tree: each helper's policy and owner, and the pages that explain it.
//!
//! The policy table is in a folder `shared-references`: either in a Markdown page, as a table whose first header cell begins
//! with `Helper` and that has a column `Policy`, or as `helpers.toml`. It applies to the skills below the parent folder of
//! `shared-references`. The nearest table applies.
//!
//! **Source**: integration contract §2.

use std::collections::{BTreeMap, BTreeSet};

use aris_skills::helpers::rows;
use aris_skills::markdown::Document;
use aris_skills::pattern::{Pattern, compiled};
use aris_skills::{Text, Tree, names};
use serde::Deserialize;
use serde_spanned::Spanned;

use super::table::{Cell, Table, tables};
use crate::config::Config;
use crate::finding::Sink;

/// Name of the folder with the pages and tables that several skills share.
const SHARED: &str = "shared-references";

/// Pages that contain counter-examples on purpose.
const EXPLAINING: [&str; 2] = ["integration-contract.md", "wiki-helper-resolution.md"];

/// Whether a page explains the contract.
pub(super) fn is_explaining(path: &str, config: &Config) -> bool {
    config.integration.contract.as_deref() == Some(path)
        || is_shared(path) && EXPLAINING.contains(&names::file_name(path))
}

/// Whether a file is below a folder of shared pages.
fn is_shared(path: &str) -> bool {
    names::folder(path).split('/').any(|part| part == SHARED)
}

/// A shared page.
pub(super) struct SharedPage {
    pub(super) path: String,
    pub(super) text: Text,
    pub(super) document: Document,
    /// Whether it belongs to a skill and was checked with it.
    pub(super) in_skill: bool,
}

/// Reads the shared pages of a tree.
pub(super) fn shared_pages(tree: &Tree, config: &Config, sink: &mut Sink<'_>) -> Vec<SharedPage> {
    let mut pages = Vec::new();
    let is_page = |path: &str| {
        names::extension(path) == "md" && is_shared(path)
            || config.integration.contract.as_deref() == Some(path)
    };
    for file in tree.files.iter().filter(|file| is_page(&file.path)) {
        match tree.text(&file.path) {
            Ok(text) => {
                pages.push(SharedPage {
                    document: Document::parse(&text),
                    path: file.path.clone(),
                    text,
                    in_skill: file.skill.is_some(),
                });
            }
            Err(error) => sink.skipped("SR501", &file.path, error.to_string()),
        }
    }
    pages
}

impl SharedPage {
    fn tables(&self) -> Vec<Table<'_>> {
        tables(self.text.raw(), self.text.start(self.document.first_line))
    }
}

/// One helper of a policy table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The file that contains the row.
    pub(super) file: String,
    /// The helper as the table writes it, perhaps with folders: `experiment_queue/queue_manager.py`.
    path: String,
    /// Other names of the helper.
    aliases: Vec<String>,
    /// The skill that owns it, where the table says so.
    pub(super) owner: Option<String>,
    /// Whether the policy begins with one of the policy letters.
    pub(super) has_policy: bool,
    /// Whether the suite that the table belongs to ships it.
    pub(super) shipped: bool,
    /// Line and column of the name and of the policy.
    pub(super) name_at: (usize, usize),
    pub(super) policy_at: (usize, usize),
}

impl Row {
    /// Last part of the path.
    pub(super) fn name(&self) -> &str {
        names::file_name(&self.path)
    }

    /// The helper's name, then its aliases.
    pub(super) fn names(&self) -> Vec<&str> {
        let others = self.aliases.iter().map(String::as_str);
        std::iter::once(self.name()).chain(others).collect()
    }

    /// Whether a block that looks for `helper` means this row. A name without a dot also matches a path that starts with it: a
    /// folder of helpers, or a helper whose extension the block leaves out.
    pub(super) fn is_for(&self, helper: &str) -> bool {
        self.names().contains(&helper) || !helper.contains('.') && self.path.starts_with(helper)
    }
}

/// The policy tables of a tree, by the folder that each applies to.
pub(super) struct Contracts(BTreeMap<String, Vec<Row>>);

impl Contracts {
    /// Reads the policy tables. Where a folder has a `helpers.toml`, only that counts: its pages repeat the table.
    pub(super) fn read(
        tree: &Tree,
        config: &Config,
        pages: &[SharedPage],
        sink: &mut Sink<'_>,
    ) -> Self {
        let mut found: BTreeMap<String, Vec<Row>> = BTreeMap::new();
        let mut add = |file: &str, rows: Vec<Row>| {
            let governs = if config.integration.contract.is_some() {
                ""
            } else {
                governed_by(file)
            };
            found.entry(governs.to_owned()).or_default().extend(rows);
        };
        let counts = |path: &str| match config.integration.contract.as_deref() {
            Some(contract) => names::folder(contract) == names::folder(path),
            None => is_shared(path),
        };
        let mut by_file: BTreeSet<&str> = BTreeSet::new();
        let tables = tree.files.iter().map(|file| file.path.as_str());
        for path in tables.filter(|path| names::file_name(path) == "helpers.toml" && counts(path)) {
            let text = tree.text(path).map_err(|error| error.to_string());
            match text.and_then(|text| rows_of_toml(path, &text)) {
                Ok(rows) => {
                    by_file.insert(names::folder(path));
                    add(path, rows);
                }
                Err(reason) => sink.skipped("SR503", path, reason),
            }
        }
        for page in pages.iter().filter(|page| counts(&page.path)) {
            if !by_file.contains(names::folder(&page.path)) {
                let tables = page.tables();
                let rows = tables.iter().flat_map(|table| rows_of_table(page, table));
                add(&page.path, rows.collect());
            }
        }
        found.retain(|_, rows| !rows.is_empty());
        Self(found)
    }

    /// The rows that apply to a path: those of the nearest folder above it.
    pub(super) fn over(&self, path: &str) -> &[Row] {
        let mut folder = path;
        while !folder.is_empty() {
            folder = names::folder(folder);
            if let Some(rows) = self.0.get(folder) {
                return rows;
            }
        }
        &[]
    }

    /// All rows.
    pub(super) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.0.values().flatten()
    }
}

/// The folder that a shared file's table applies to: the parent of its `shared-references`.
fn governed_by(file: &str) -> &str {
    let mut folder = names::folder(file);
    while !folder.is_empty() && names::file_name(folder) != SHARED {
        folder = names::folder(folder);
    }
    names::folder(folder)
}

/// Whether a policy begins with one of the policy letters, ignoring emphasis.
fn has_policy(cell: &str) -> bool {
    let cell = cell.trim_start_matches(['*', '_', '`', ' ']);
    (["A", "B", "C", "D1", "D2", "E"].iter()).any(|letter| {
        let rest = cell.strip_prefix(letter);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

/// A row of `helpers.toml`.
#[derive(Deserialize)]
struct Helper {
    name: Spanned<String>,
    owner: String,
    #[serde(default)]
    aliases: Vec<String>,
    policy: Option<Spanned<String>>,
    shipped: Option<bool>,
}

fn rows_of_toml(path: &str, text: &Text) -> Result<Vec<Row>, String> {
    let helpers = rows::<Helper>(text.raw().as_bytes())
        .map_err(|problem| format!("line {}: {}", problem.line, problem.reason))?;
    let row = |helper: Helper| {
        let name_at = text.place(helper.name.span().start);
        Row {
            file: path.to_owned(),
            has_policy: (helper.policy.as_ref()).is_some_and(|policy| has_policy(policy.as_ref())),
            policy_at: (helper.policy).map_or(name_at, |policy| text.place(policy.span().start)),
            path: helper.name.into_inner(),
            aliases: helper.aliases,
            owner: Some(helper.owner),
            shipped: helper.shipped != Some(false),
            name_at,
        }
    };
    Ok(helpers.into_iter().map(row).collect())
}

/// A part in parentheses, which lists subcommands or callers; or a code span, with its first word.
static NAME: Pattern = Pattern::new(|| compiled(r"\([^()]*\)|`\s*([^`\s]+)[^`]*`"));

/// The rows of a policy table; none when it is another kind of table.
fn rows_of_table(page: &SharedPage, table: &Table<'_>) -> Vec<Row> {
    let title = table.title().map_or("", |cell| cell.text).to_lowercase();
    let Some(policy) = table
        .column("Policy")
        .filter(|_| title.starts_with("helper"))
    else {
        return Vec::new();
    };
    let owner = table.column("Owner");
    let mut found = Vec::new();
    for cells in table.0.iter().skip(1) {
        let (Some(first), policy) = (cells.first(), cells.get(policy)) else {
            continue;
        };
        let owner = (owner.and_then(|at| cells.get(at)))
            .map(|cell| cell.text.trim_matches('`').to_owned())
            .filter(|owner| !owner.is_empty());
        let names = NAME
            .captures_iter(first.text)
            .filter_map(|name| name.get(1));
        found.extend(names.map(|name| Row {
            file: page.path.clone(),
            path: name.as_str().to_owned(),
            aliases: Vec::new(),
            owner: owner.clone(),
            has_policy: policy.is_some_and(|cell| has_policy(cell.text)),
            shipped: true,
            name_at: page.text.place(first.at + name.start()),
            policy_at: page.text.place(policy.unwrap_or(first).at),
        }));
    }
    found
}

/// The columns that every row of the integration table must fill. **Source**: integration contract §1–6.
const PARTS: &str = "Predicate Helper Artifact Checklist Backfill Verifier";

/// Reports rows of integration tables that leave one of the six columns empty (SR506).
pub(super) fn unfilled(page: &SharedPage, sink: &mut Sink<'_>) {
    let mut found = |at: usize, message: String| {
        sink.found("SR506", &page.path, page.text.place(at), message);
    };
    for table in page.tables() {
        let is_integration = |title: &&Cell<'_>| title.text.eq_ignore_ascii_case("Integration");
        let Some(title) = table.title().filter(is_integration) else {
            continue;
        };
        for part in PARTS.split(' ') {
            let Some(column) = table.column(part) else {
                found(
                    title.at,
                    format!("the integration table has no column `{part}`"),
                );
                continue;
            };
            for cells in table.0.iter().skip(1) {
                if let (Some(name), Some(cell)) = (cells.first(), cells.get(column))
                    && !has_content(cell.text)
                {
                    let message = format!("integration `{}` has nothing under `{part}`", name.text);
                    found(cell.at, message);
                }
            }
        }
    }
}

fn has_content(cell: &str) -> bool {
    let text = cell.trim_matches(|c: char| c.is_whitespace() || "*_`~".contains(c));
    let empty = text.chars().all(|c| "-–—".contains(c));
    let words = ["n/a", "none", "tbd", "todo"];
    !empty && !words.iter().any(|word| text.eq_ignore_ascii_case(word))
}
