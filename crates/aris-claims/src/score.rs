//! How well a report agrees with hand-made labels: a confusion matrix, recall and precision on contradictions.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::report::{Claim, ClaimReport};

/// One line of a `labels.jsonl`.
#[derive(Debug, Clone, Deserialize)]
pub struct Label {
    /// Name of the label.
    pub id: String,
    /// Source file, `paper/…`.
    pub file: String,
    /// Line, 1-based.
    pub line: usize,
    /// The number as it stands in the source.
    pub text: String,
    /// Which occurrence of the text in the line, 1-based, counted as substrings without overlap.
    pub occurrence: usize,
    /// A status name, or `not_a_claim`.
    pub status: String,
}

/// A label that the report answers differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Miss {
    /// The label's name.
    pub id: String,
    /// The number.
    pub text: String,
    /// The labelled status.
    pub expected: String,
    /// The reported status; `not_a_claim` when nothing is reported there.
    pub reported: String,
    /// What the report says.
    pub detail: String,
}

/// Labels against report. Shape: counts by labelled, then reported status.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Confusion {
    /// Counts by labelled status, then by reported status.
    pub cells: BTreeMap<String, BTreeMap<String, usize>>,
    /// Every disagreement, in label order.
    pub misses: Vec<Miss>,
    /// Claims of digits that no label stands for: reported where nothing is to be reported.
    pub unlabelled: Vec<String>,
}

impl Confusion {
    /// Adds another paper's counts.
    pub fn add(&mut self, other: &Self) {
        for (expected, row) in &other.cells {
            for (reported, count) in row {
                *self
                    .cells
                    .entry(expected.clone())
                    .or_default()
                    .entry(reported.clone())
                    .or_default() += count;
            }
        }
        self.misses.extend(other.misses.iter().cloned());
        self.unlabelled.extend(other.unlabelled.iter().cloned());
    }

    /// The counts as a table: labelled statuses down, reported ones across, every line beginning with `| `; then one line
    /// that begins with `all: ` and gives recall, precision and accuracy with their counts.
    pub fn table(&self) -> String {
        let reported: BTreeSet<&str> = self
            .cells
            .values()
            .flat_map(|row| row.keys().map(String::as_str))
            .collect();
        let first = self
            .cells
            .keys()
            .map(String::len)
            .max()
            .unwrap_or(0)
            .max(LABELLED.len());
        let row = |head: String, cells: Vec<String>| format!("| {head} | {} |", cells.join(" | "));
        let mut lines = vec![
            row(
                format!("{LABELLED:first$}"),
                reported.iter().map(|name| (*name).to_owned()).collect(),
            ),
            row(
                "-".repeat(first),
                reported
                    .iter()
                    .map(|name| format!("{}:", "-".repeat(name.len().saturating_sub(1))))
                    .collect(),
            ),
        ];
        for (labelled, counts) in &self.cells {
            let cells = reported.iter().map(|name| {
                let shown = match counts.get(*name) {
                    None | Some(0) => String::from("·"),
                    Some(count) => count.to_string(),
                };
                format!("{shown:>width$}", width = name.len())
            });
            lines.push(row(format!("{labelled:first$}"), cells.collect()));
        }
        lines.push(format!("all: {}", self.summary()));
        lines.join("\n")
    }

    /// Recall, precision and accuracy with their counts, in one line.
    pub fn summary(&self) -> String {
        let part = |(right, of): (usize, usize)| {
            // Thousandths, rounded down: no figure looks better than it is.
            match (right * 1_000).checked_div(of) {
                Some(part) => format!("{}.{:03} ({right}/{of})", part / 1_000, part % 1_000),
                None => String::from("none (0/0)"),
            }
        };
        format!(
            "recall {}, precision {}, status {}",
            part(self.recall()),
            part(self.precision()),
            part(self.accuracy())
        )
    }

    fn total(&self, keep: impl Fn(&str, &str) -> bool) -> usize {
        self.cells
            .iter()
            .flat_map(|(expected, row)| {
                row.iter()
                    .map(move |(reported, count)| (expected, reported, count))
            })
            .filter(|(expected, reported, _)| keep(expected, reported))
            .map(|(.., count)| *count)
            .sum()
    }

    /// Labels in all.
    pub fn labels(&self) -> usize {
        self.total(|_, _| true)
    }

    /// Labelled contradictions, and those reported as a contradiction of whatever kind.
    pub fn recall(&self) -> (usize, usize) {
        (
            self.total(|expected, reported| mismatch(expected) && mismatch(reported)),
            self.total(|expected, _| mismatch(expected)),
        )
    }

    /// Reported contradictions that are labelled as one, and all reported ones.
    pub fn precision(&self) -> (usize, usize) {
        let right = self.total(|expected, reported| mismatch(expected) && mismatch(reported));
        (right, self.total(|_, reported| mismatch(reported)))
    }

    /// Labels whose status is the reported one, and all.
    pub fn accuracy(&self) -> (usize, usize) {
        (
            self.total(|expected, reported| expected == reported),
            self.labels(),
        )
    }
}

/// Head of the first column of [`Confusion::table`].
const LABELLED: &str = "labelled \\ reported";

fn mismatch(status: &str) -> bool {
    matches!(
        status,
        "number_mismatch"
            | "aggregation_mismatch"
            | "delta_error"
            | "config_mismatch"
            | "scope_overclaim"
    )
}

/// Reads labels; blank lines are skipped.
pub fn labels(text: &str) -> Result<Vec<Label>, serde_json::Error> {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(serde_json::from_str)
        .collect()
}

/// Compares labels with a report.
///
/// `line` gives the text of a source line by file (as the report names it) and number; label files are taken below `paper/`.
/// Several claims inside one label count by the worst of them.
pub fn score(
    labels: &[Label],
    report: &ClaimReport,
    line: &dyn Fn(&str, usize) -> String,
) -> Confusion {
    let mut confusion = Confusion::default();
    let mut used = vec![false; report.claims.len()];
    let mut by_line: BTreeMap<(&str, usize), Vec<(usize, &Claim)>> = BTreeMap::new();
    for (at, claim) in report.claims.iter().enumerate() {
        by_line
            .entry((claim.place.file.as_str(), claim.place.line))
            .or_default()
            .push((at, claim));
    }
    for label in labels {
        let file = label.file.strip_prefix("paper/").unwrap_or(&label.file);
        let source = line(file, label.line);
        let Some((start, end)) = columns(&source, label) else {
            continue;
        };
        let mut reported: Option<&Claim> = None;
        for (at, claim) in by_line
            .get(&(file, label.line))
            .map_or(&[][..], Vec::as_slice)
        {
            if (start..end).contains(&claim.place.column) {
                if let Some(flag) = used.get_mut(*at) {
                    *flag = true;
                }
                let worse = reported
                    .is_none_or(|known| !known.status.is_mismatch() && claim.status.is_mismatch());
                if worse {
                    reported = Some(claim);
                }
            }
        }
        let status = reported.map_or("not_a_claim", |claim| claim.status.name());
        *confusion
            .cells
            .entry(label.status.clone())
            .or_default()
            .entry(status.to_owned())
            .or_default() += 1;
        if status != label.status {
            confusion.misses.push(Miss {
                id: label.id.clone(),
                text: label.text.clone(),
                expected: label.status.clone(),
                reported: status.to_owned(),
                detail: reported
                    .map(|claim| claim.detail.clone())
                    .unwrap_or_default(),
            });
        }
    }
    for (claim, used) in report.claims.iter().zip(used) {
        if !used && claim.text.bytes().any(|b| b.is_ascii_digit()) {
            confusion.unlabelled.push(format!(
                "{} {} {}",
                claim.id,
                claim.text,
                claim.status.name()
            ));
        }
        // Words in front of a fault that no label knows would lower precision unseen.
        if !used && claim.status.is_mismatch() {
            *confusion
                .cells
                .entry("unlabelled".to_owned())
                .or_default()
                .entry(claim.status.name().to_owned())
                .or_default() += 1;
        }
    }
    confusion
}

/// Character columns that a label covers, 1-based, end excluded.
fn columns(source: &str, label: &Label) -> Option<(usize, usize)> {
    let (at, found) = source
        .match_indices(label.text.as_str())
        .nth(label.occurrence.checked_sub(1)?)?;
    let start = source.get(..at)?.chars().count() + 1;
    Some((start, start + found.chars().count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_row_for_each_label_and_a_summary() {
        let mut confusion = Confusion::default();
        for (labelled, reported, count) in [
            ("number_mismatch", "number_mismatch", 3),
            ("number_mismatch", "missing_evidence", 1),
            ("exact_match", "delta_error", 1),
        ] {
            confusion
                .cells
                .entry(labelled.to_owned())
                .or_default()
                .insert(reported.to_owned(), count);
        }
        let table = confusion.table();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 5);
        assert!(lines[..4].iter().all(|line| line.starts_with("| ")));
        let width = |line: &str| line.chars().count();
        assert!(lines[..4].iter().all(|line| width(line) == width(lines[0])));
        assert_eq!(
            lines[4],
            "all: recall 0.750 (3/4), precision 0.750 (3/4), status 0.600 (3/5)"
        );
        assert_eq!(
            Confusion::default().summary(),
            "recall none (0/0), precision none (0/0), status none (0/0)"
        );
    }

    #[test]
    fn occurrences_count_substrings() {
        let label = Label {
            id: String::new(),
            file: String::new(),
            line: 1,
            text: "5".to_owned(),
            occurrence: 2,
            status: String::new(),
        };
        assert_eq!(columns("4.5 over 5 runs", &label), Some((10, 11)));
        assert_eq!(
            columns(
                "é4.5",
                &Label {
                    occurrence: 1,
                    ..label.clone()
                }
            ),
            Some((4, 5))
        );
        assert_eq!(columns("4.5", &label), None);
    }
}
