//! Changes along an axis: "from 16 to 1024 nodes it gains a factor of 35.4".

use crate::claim::Kind;
use crate::decimal::Decimal;
use crate::delta::{Change, direction};
use crate::engine::Engine;
use crate::evidence::SlotKind;
use crate::judge::Judgement;
use crate::number::Number;
use crate::pair::Pair;
use crate::series::SeriesId;

/// Quantities of the context that are tried.
const TRIED: usize = 40;
/// Words between the two ends of the axis.
const BETWEEN: usize = 24;

impl Engine<'_> {
    /// Whether the change follows from the two ends of an axis that the sentence names as "from A to B"; only ever confirms.
    pub(crate) fn judge_axis_change(
        &self,
        passage: usize,
        number: &Number,
        change: &Change<'_>,
    ) -> Option<Judgement> {
        if !matches!(
            change.kind,
            Kind::Ratio | Kind::Difference | Kind::RelativeChange
        ) {
            return None;
        }
        let (from, to) = self.named_ends(passage, number)?;
        let relative = change.sentence.to_lowercase().contains("relative");
        let direction = direction(change);
        for scored in change.scored.iter().take(TRIED) {
            let Some((low, high)) = self.ends(scored.series, from, to) else {
                continue;
            };
            let pair = Pair {
                a: high,
                b: low,
                score: 0.0,
                clarity: 1.0,
            };
            if let Some((closeness, value, what)) = self.follows(change, pair, direction, relative)
            {
                return Some(self.follows_from(change, pair, closeness, value, what));
            }
        }
        None
    }

    /// The two axis values of the sentence that stand as "from A to B".
    fn named_ends(&self, passage: usize, number: &Number) -> Option<(Decimal, Decimal)> {
        let text = self.paper.passages.get(passage)?.text.as_str();
        let (sentence, inside) = self.sentence_of(passage, number)?;
        let inside: Vec<&Number> = inside.filter(|other| other.range != number.range).collect();
        inside.windows(2).find_map(|pair| {
            let [first, second] = pair else { return None };
            let before = text
                .get(sentence.start..first.range.start)?
                .trim_end()
                .to_lowercase();
            let between = text.get(first.end..second.range.start)?.trim();
            let stands = before.ends_with("from")
                && between.len() < BETWEEN
                && (between == "to" || between.ends_with(" to") || between.starts_with("to "));
            (stands && first.value != second.value).then_some((first.value, second.value))
        })
    }

    /// The quantity at both ends of its axis.
    fn ends(&self, id: SeriesId, from: Decimal, to: Decimal) -> Option<(SeriesId, SeriesId)> {
        let series = self
            .series(id)
            .filter(|series| !series.config && !series.axis)?;
        let (at, _) = series
            .slots
            .iter()
            .enumerate()
            .find(|(_, slot)| slot.kind == SlotKind::Axis)?;
        let own = Decimal::parse(self.label_text(series.slots.get(at)?.label))?;
        if own != from && own != to {
            return None;
        }
        let family = self.family(id, at);
        let of = |wanted: Decimal| {
            family.iter().copied().find(|other| {
                self.series(*other)
                    .and_then(|series| series.slots.get(at))
                    .and_then(|slot| Decimal::parse(self.label_text(slot.label)))
                    == Some(wanted)
            })
        };
        Some((of(from)?, of(to)?))
    }
}
