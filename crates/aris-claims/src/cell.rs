//! Numbers in tables: body cells by the alignment of the table, heads by what the results vary.

use std::collections::BTreeSet;

use crate::aggregation::{Aggregation, approximate};
use crate::claim::Kind;
use crate::delta::Change;
use crate::engine::Engine;
use crate::fit::Shown;
use crate::judge::{Binding, Case, Found, Judgement};
use crate::number::Number;
use crate::report::Status;
use crate::series::Facet;
use crate::table::Aligned;

impl Engine<'_> {
    /// Judges a number in the body of a table.
    pub(crate) fn judge_cell(
        &self,
        aligned: &Aligned,
        (row, column): (usize, usize),
        passage: usize,
        number: &Number,
        kind: Kind,
    ) -> Option<Judgement> {
        let text = self.paper.passages.get(passage)?.text.as_str();
        let (scored, both, weights) = self.cell_targets(aligned, row, column, passage);
        let unit = aligned
            .columns
            .get(column)
            .and_then(|head| head.unit)
            .or_else(|| aligned.rows.get(row).and_then(|head| head.unit));
        let shown = Shown::new(number, unit, approximate(text, number.range.start));
        let heads = aligned
            .columns
            .get(column)
            .map(|head| head.text.to_lowercase())
            .unwrap_or_default();
        let change_column = [
            "δ",
            "∆",
            "gain",
            "improv",
            "speedup",
            "speed-up",
            "diff",
            "rel.",
            "change",
            "reduction",
        ]
        .iter()
        .any(|word| heads.contains(word));
        if change_column || matches!(kind, Kind::Difference | Kind::RelativeChange | Kind::Ratio) {
            let kind = if number.times || heads.contains("speed") {
                Kind::Ratio
            } else if shown.is_percent() {
                Kind::RelativeChange
            } else {
                Kind::Difference
            };
            let mut weights = weights;
            for label in &self.full {
                crate::context::raise(&mut weights, *label, 0.6);
            }
            let scored = self.score(&weights);
            let change = Change {
                shown,
                kind,
                weights: &weights,
                scored: &scored,
                sentence: &heads,
                at: 0,
                end: 0,
                points: false,
                named: &BTreeSet::new(),
                stated: None,
            };
            return Some(self.judge_change(&change));
        }
        let mut aggregation = Self::cell_aggregation(aligned, row, column);
        if kind == Kind::Uncertainty {
            aggregation = Aggregation {
                spread: true,
                ..Aggregation::default()
            };
        }
        let binding = if both {
            Binding::Cell
        } else {
            Binding::LooseCell
        };
        let named = BTreeSet::new();
        let case = Case::plain(shown, aggregation, &weights, &scored, binding, &named);
        Some(
            self.judge(&case)
                .unwrap_or_else(|| Judgement::missing(Kind::Measurement)),
        )
    }

    /// A number that names a row or a column is a claim only when the results vary that number.
    pub(crate) fn judge_head_number(&self, passage: usize, number: &Number) -> Option<Judgement> {
        let digits = crate::words::compact(&number.value.to_string());
        let mentions = self.all_mentions(passage);
        let label = self.axis_label(number.value);
        let label = label.or_else(|| {
            // `24 h` for `h24`, `Context 168 h` for a key that holds the number.
            mentions
                .iter()
                .filter(|mention| mention.strength >= 0.5)
                .map(|mention| mention.label)
                .find(|label| {
                    self.evidence
                        .lexicon
                        .label(*label)
                        .is_some_and(|label| label.words.contains(&digits))
                })
        })?;
        let (id, _) = (0..)
            .zip(&self.evidence.series)
            .find(|(_, series)| series.labels.binary_search(&label).is_ok())?;
        let found = Found {
            series: id,
            facet: Facet::Single,
            against: None,
            derived: Some(format!("results for {}", self.label_text(label))),
            value: number.value,
        };
        Some(Judgement::new(
            Status::ExactMatch,
            Kind::Configuration,
            vec![found],
            "",
        ))
    }
}
