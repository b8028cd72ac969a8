//! How a study was repeated: independent units, and rows for each.
//!
//! Units are the distinct values of the repetition column (seed, run, subject, fold); several rows of one unit are
//! iterations and tell nothing about other units.

use std::collections::{BTreeMap, BTreeSet};

use crate::evidence::{Evidence, SlotKind};
use crate::series::student;

/// One quantity of one system, with its repetitions.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    /// What it is about: texts of columns and keys above the measure, in order.
    pub labels: Vec<String>,
    /// What is measured.
    pub measure: String,
    /// Names of the units, sorted.
    pub units: Vec<String>,
    /// Rows in all.
    pub rows: usize,
    /// Half of the 95 % confidence interval of the mean over units; none with fewer than two.
    pub unit_half_width: Option<f64>,
    /// The same as if every row were a unit of its own.
    pub row_half_width: Option<f64>,
}

/// The designs of all quantities that name their repetitions, in the order of the results.
pub fn designs(evidence: &Evidence) -> Vec<Design> {
    let mut out = Vec::new();
    for series in &evidence.series {
        if series.config || series.count || series.axis {
            continue;
        }
        let mut by_unit: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for member in &series.members {
            let Some(leaf) = crate::series::leaf(&evidence.leaves, *member) else {
                continue;
            };
            if !leaf.replicate.is_empty() {
                let values = by_unit.entry(&leaf.replicate).or_default();
                values.push(leaf.value.to_f64());
            }
        }
        if by_unit.is_empty() {
            continue;
        }
        let text = |label| {
            evidence
                .lexicon
                .label(label)
                .map_or_else(String::new, |label| label.words.join(" "))
        };
        let means: Vec<f64> = by_unit.values().map(|values| mean(values)).collect();
        let rows: Vec<f64> = by_unit.values().flatten().copied().collect();
        out.push(Design {
            labels: series
                .slots
                .iter()
                .filter(|slot| slot.kind != SlotKind::Path && Some(slot.label) != series.measure)
                .map(|slot| text(slot.label))
                .collect(),
            measure: series.measure.map_or_else(String::new, text),
            units: by_unit.keys().map(|unit| (*unit).to_owned()).collect(),
            rows: rows.len(),
            unit_half_width: half_width(&means),
            row_half_width: half_width(&rows),
        });
    }
    out
}

/// Distinct units of all designs together.
pub fn all_units(designs: &[Design]) -> BTreeSet<&str> {
    designs
        .iter()
        .flat_map(|design| design.units.iter().map(String::as_str))
        .collect()
}

/// Every name in the results: keys, columns, and texts of columns, in compact form.
pub fn names(evidence: &Evidence) -> BTreeSet<String> {
    let slots = evidence.leaves.iter().flat_map(|leaf| &leaf.slots);
    let texts: BTreeSet<&str> = slots
        .flat_map(|slot| [&*slot.text, &*slot.name])
        .filter(|text| !text.is_empty())
        .collect();
    texts.into_iter().map(compact).collect()
}

/// The form in which names are compared: letters and digits, in lower case.
pub fn compact(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The values that the results give for a threshold: those whose key or labels hold its name and the word.
pub fn thresholds(evidence: &Evidence, name: &str) -> Vec<f64> {
    let wanted = compact(name);
    let bare = wanted
        .strip_suffix("threshold")
        .unwrap_or(&wanted)
        .to_owned();
    let mut found: Vec<f64> = evidence
        .leaves
        .iter()
        .filter(|leaf| {
            let texts: Vec<String> = leaf.slots.iter().map(|slot| compact(&slot.text)).collect();
            texts.iter().any(|text| text.contains("threshold"))
                && texts.iter().any(|text| text.contains(&bare))
        })
        .map(|leaf| leaf.value.to_f64())
        .collect();
    found.sort_by(f64::total_cmp);
    found.dedup();
    found
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / count(values)
}

fn count(values: &[f64]) -> f64 {
    f64::from(u32::try_from(values.len()).unwrap_or(u32::MAX))
}

fn half_width(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let middle = mean(values);
    let squares: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
    let deviation = (squares / (count(values) - 1.0)).sqrt();
    Some(student(values.len() - 1) * deviation / count(values).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::EvidenceReader;

    #[test]
    fn rows_of_one_unit_are_no_units() {
        let mut reader = EvidenceReader::default();
        let csv = "system,seed,iteration,ms\na,1,1,10\na,1,2,12\na,2,1,14\na,2,2,16\n";
        reader.add("runs.csv", csv.as_bytes()).unwrap();
        let found = designs(&reader.finish());
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].units.len(), found[0].rows), (2, 4));
        let (units, rows) = (
            found[0].unit_half_width.unwrap(),
            found[0].row_half_width.unwrap(),
        );
        // Means 11 and 15: 12.706 · 2.828 / √2; four rows: 3.182 · 2.582 / 2.
        assert!((units - 25.41).abs() < 0.01 && (rows - 4.108).abs() < 0.01);
    }
}
