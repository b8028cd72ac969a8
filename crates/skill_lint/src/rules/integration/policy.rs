//! The per-helper policy table: which helper has which policy, and who owns it.
//!
//! It stands in a folder `shared-references`: in the contract document or another page as a table whose first header cell begins
//! with `Helper` and that has a column `Policy`, or as `helpers.toml` with one `[[helper]]` per row. A table governs the skills of
//! the folder that `shared-references` lies in; the nearest one counts.
//!
//! **Source**: integration contract §2.

use super::resolver::last_part;
use super::table::Table;

/// A policy, as the letter in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Policy {
    Gate,
    SideEffect,
    Forensic,
    Cascade,
    Aggregate,
    Diagnostic,
}

const LETTERS: [(&str, Policy); 6] = [
    ("D1", Policy::Cascade),
    ("D2", Policy::Aggregate),
    ("A", Policy::Gate),
    ("B", Policy::SideEffect),
    ("C", Policy::Forensic),
    ("E", Policy::Diagnostic),
];

/// The policy that a cell begins with, emphasis aside.
pub(super) fn first_policy(cell: &str) -> Option<Policy> {
    let cell = cell.trim_start_matches(['*', '_', '`', ' ']);
    LETTERS.iter().find_map(|(letter, policy)| {
        let rest = cell.strip_prefix(letter)?;
        (!rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')).then_some(*policy)
    })
}

/// All policies that a cell names: the first, and others as words of their own (`D2 when …; D1 when …`). Only the two letters with
/// a digit are safe to find inside a sentence.
fn policies(cell: &str) -> Vec<Policy> {
    let mut found: Vec<Policy> = first_policy(cell).into_iter().collect();
    for word in cell.split(|c: char| !c.is_alphanumeric()) {
        if let Some((_, policy)) = LETTERS.iter().find(|(letter, _)| *letter == word)
            && matches!(policy, Policy::Cascade | Policy::Aggregate)
            && !found.contains(policy)
        {
            found.push(*policy);
        }
    }
    found
}

/// One helper of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// As the table has it, perhaps with folders: `experiment_queue/queue_manager.py`.
    pub(super) path: String,
    /// Other names of the same helper.
    pub(super) aliases: Vec<String>,
    /// The policies its cell names; empty when it begins with none.
    pub(super) policies: Vec<Policy>,
    /// Whether the table's own suite ships it.
    pub(super) shipped: bool,
    /// The skill that owns it, where the table says so.
    pub(super) owner: Option<String>,
    /// Place of the name: its line, and the byte in it or, in a [contract](super::contract::Contract), the column.
    pub(super) name_at: (usize, usize),
    /// Place of the policy, likewise.
    pub(super) policy_at: (usize, usize),
}

impl Row {
    /// Last part of the path.
    pub(super) fn name(&self) -> &str {
        last_part(&self.path)
    }

    /// Whether a block that looks for `helper` means this row. A name without a dot also stands for a path that starts with it: a
    /// folder of helpers, or a helper whose extension the block leaves out.
    pub(super) fn is_for(&self, helper: &str) -> bool {
        self.name() == helper
            || self.aliases.iter().any(|alias| alias == helper)
            || !helper.contains('.') && self.path.starts_with(helper)
    }
}

/// The rows of a policy table; `None` when the table is another one.
pub(super) fn rows(table: &Table<'_>) -> Option<Vec<Row>> {
    let title = table.title().to_ascii_lowercase();
    let policy = table.column("Policy")?;
    if !title.starts_with("helper") {
        return None;
    }
    let owner = table.column("Owner");
    let mut found = Vec::new();
    for (line, cells) in &table.rows {
        let Some(first) = cells.first() else {
            continue;
        };
        let cell = cells.get(policy);
        let owner = (owner.and_then(|at| cells.get(at)))
            .map(|cell| cell.text.trim_matches('`').to_owned())
            .filter(|owner| !owner.is_empty());
        for (byte, path) in names(first.text) {
            found.push(Row {
                path: path.to_owned(),
                aliases: Vec::new(),
                policies: cell.map_or_else(Vec::new, |cell| policies(cell.text)),
                shipped: true,
                owner: owner.clone(),
                name_at: (*line, first.byte + byte),
                policy_at: (*line, cell.map_or(first.byte, |cell| cell.byte)),
            });
        }
    }
    Some(found)
}

/// The helpers that a first column lists: the first word of each code span, not of those in parentheses, which name subcommands or
/// callers.
fn names(cell: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut opened: Option<usize> = None;
    for (at, c) in cell.char_indices() {
        match (c, opened) {
            ('`', Some(start)) => {
                opened = None;
                let span = cell.get(start..at).unwrap_or_default();
                let word = span.split_whitespace().next().unwrap_or_default();
                if depth == 0 && !word.is_empty() {
                    found.push((start, word));
                }
            }
            ('`', None) => opened = Some(at + 1),
            ('(', None) => depth += 1,
            (')', None) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::table::tables;
    use super::*;

    #[test]
    fn a_cell_begins_with_a_policy() {
        for (cell, expected) in [
            ("A (gate)", Some("A")),
            ("**D2** (aggregate)", Some("D2")),
            ("D1", Some("D1")),
            ("E, reported only", Some("E")),
            ("D", None),
            ("D3", None),
            ("Always", None),
            ("B1", None),
            ("", None),
            ("gate (A)", None),
        ] {
            assert_eq!(
                first_policy(cell),
                expected.map(|letter| LETTERS
                    .iter()
                    .find(|(of, _)| *of == letter)
                    .expect("a letter")
                    .1),
                "{cell}"
            );
        }
        let several = policies("D2 when many are asked; D1 when one is enough, see A");
        assert_eq!(several, [Policy::Aggregate, Policy::Cascade]);
    }

    #[test]
    fn rows_name_helpers_in_code_spans() {
        let lines = [
            (1, "| Helper (name) | Policy | Why |"),
            (2, "|---|---|---|"),
            (3, "| `a.py`, `q/b.py add` | D2 (x) | y |"),
            (4, "| `c.sh` (`one`, `two`) (in `/skill`) | gate | y |"),
            (5, "| plain | A | y |"),
        ];
        let tables = tables(lines.into_iter());
        let found = rows(&tables[0]).unwrap();
        let found: Vec<_> = (found.iter())
            .map(|row| {
                (
                    row.path.as_str(),
                    row.name(),
                    row.policies.len(),
                    row.name_at,
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("a.py", "a.py", 1, (3, 3)),
                ("q/b.py", "b.py", 1, (3, 11)),
                ("c.sh", "c.sh", 0, (4, 3)),
            ]
        );
        for other in ["| Skill | Policy |", "| Helper | Why |"] {
            let lines = [(1, other), (2, "|---|---|"), (3, "| `a` | A |")];
            assert_eq!(
                rows(&super::super::table::tables(lines.into_iter())[0]),
                None
            );
        }
    }

    #[test]
    fn blocks_mean_rows_by_last_part_alias_or_beginning() {
        let row = Row {
            path: "queue/manager.py".to_owned(),
            aliases: vec!["old.sh".to_owned()],
            policies: vec![],
            shipped: true,
            owner: None,
            name_at: (1, 0),
            policy_at: (1, 0),
        };
        for (helper, expected) in [
            ("manager.py", true),
            ("old.sh", true),
            ("queue", true),
            ("queue.py", false),
            ("manager", false),
            ("other.py", false),
        ] {
            assert_eq!(row.is_for(helper), expected, "{helper}");
        }
    }
}
