//! Efficiency of scaling: what is left of the ideal gain when the resources of an axis grow.
//!
//! Strong scaling: speed-up over growth of resources, (v₂/v₁)/(n₂/n₁) of a rate, (t₁/t₂)/(n₂/n₁) of a time. Weak scaling,
//! where the work grows as well: t₁/t₂ of a time, v₂/v₁ of a rate per resource.

use crate::claim::{Kind, before_words};
use crate::context::Scored;
use crate::decimal::Decimal;
use crate::engine::Engine;
use crate::evidence::SlotKind;
use crate::fit::{Approximate, Shown};
use crate::judge::{Found, Judgement};
use crate::number::Number;
use crate::parallel::{SoFar, status};
use crate::report::Status;
use crate::series::SeriesId;

/// How such a value is called in a report.
pub(crate) const DERIVED: &str = "scaling efficiency";

/// Words between "efficiency" and its number.
const NEAR: usize = 8;

/// An efficiency off by more than this factor is another quantity.
const PLAUSIBLE: (i128, i128) = (5, 20);

impl Engine<'_> {
    /// Judges a percentage that is called an efficiency where no result file has one.
    pub(crate) fn judge_efficiency(
        &self,
        passage: usize,
        number: &Number,
        judged: &SoFar,
    ) -> Option<Judgement> {
        let text = self.paper.passages.get(passage)?.text.as_str();
        let called = before_words(text, number.range.start, NEAR)
            .iter()
            .any(|word| word == "efficiency" || word == "efficiencies");
        let stored = self.evidence.lexicon.with_word("efficiency");
        if !called || !stored.is_empty() || !number.is_percent() {
            return None;
        }
        let (sentence, inside) = self.sentence_of(passage, number)?;
        let inside: Vec<&Number> = inside.collect();
        // "reaches 43.9 with an efficiency of 87%": the value just stated is the scaled one.
        let stated = inside
            .iter()
            .rev()
            .filter(|other| other.range.start < number.range.start)
            .find_map(|other| {
                let (.., known) = judged.get(&(passage, other.range.start))?;
                let found = known
                    .evidence
                    .first()
                    .filter(|found| known.status.is_match() && found.against.is_none())?;
                self.grown(found.series).map(|_| found.series)
            });
        let mut weights = self.text_weights(passage, number.range.start, number.range.end);
        // "84.7%, that of the reference 81.3%": methods named only behind the number have numbers of their own.
        for mention in &sentence.mentions {
            if self.methods.contains(&mention.label)
                && mention.places.iter().all(|place| *place >= number.end)
            {
                weights.remove(&mention.label);
            }
        }
        let scored: Vec<Scored> = self.score(&weights);
        let id = stated.or_else(|| {
            scored
                .iter()
                .map(|scored| scored.series)
                .find(|id| self.grown(*id).is_some())
        })?;
        let (_, line) = self.grown(id)?;
        let named: Vec<(Decimal, SeriesId)> = line
            .iter()
            .copied()
            .filter(|(value, _)| {
                inside
                    .iter()
                    .any(|other| other.value == *value && other.range != number.range)
            })
            .collect();
        let (first, last) = (*line.first()?, *line.last()?);
        let (from, to) = match (named.as_slice(), stated) {
            ([from, .., to], _) => (*from, *to),
            (_, Some(id)) => (first, *line.iter().find(|(_, other)| *other == id)?),
            ([one], None) if one.0 != first.0 => (first, *one),
            _ => (first, last),
        };
        let shown = Shown::new(number, None, Approximate::No);
        self.efficiency_of(shown, to.1, from.1, DERIVED, Kind::RelativeChange)
    }

    /// The axis along which a measured quantity was scaled, and the quantity at each of its values, in order.
    fn grown(&self, id: SeriesId) -> Option<(usize, Vec<(Decimal, SeriesId)>)> {
        let series = self
            .series(id)
            .filter(|series| !series.config && !series.axis && !series.spread)?;
        series
            .slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| slot.kind == SlotKind::Axis)
            .find_map(|(at, _)| {
                let mut line: Vec<(Decimal, SeriesId)> = self
                    .family(id, at)
                    .into_iter()
                    .filter_map(|other| {
                        let label = self.series(other)?.slots.get(at)?.label;
                        let value = Decimal::parse(self.label_text(label))?;
                        (value > Decimal::new(0, 0)).then_some((value, other))
                    })
                    .collect();
                line.sort_unstable();
                (line.len() >= 2).then_some((at, line))
            })
    }

    /// The efficiency between two points of one axis, compared with the number.
    pub(crate) fn efficiency_of(
        &self,
        shown: Shown,
        to: SeriesId,
        from: SeriesId,
        what: &str,
        kind: Kind,
    ) -> Option<Judgement> {
        let (at, line) = self.grown(to)?;
        let size = |id: SeriesId| {
            line.iter()
                .find(|(_, other)| *other == id)
                .map(|(value, _)| *value)
        };
        let (small, large) = (size(from)?, size(to)?);
        let series = self.series(to)?;
        let (low, high) = (self.headline(from)?, self.headline(to)?);
        let gain = if series.lower_is_better {
            low.over(high)?
        } else {
            high.over(low)?
        };
        let weak = series
            .labels
            .iter()
            .filter_map(|label| self.evidence.lexicon.label(*label))
            .any(|label| label.words.iter().any(|word| word == "weak"));
        // A total rate that grows with the machine is divided by that growth; so is a time of fixed work.
        let part = if weak && series.lower_is_better {
            gain
        } else {
            gain.over(large.over(small)?)?
        };
        let value = part.shift(2);
        let facet = |id| {
            self.series(id)
                .and_then(|series| series.headline(&self.evidence.leaves))
                .map(|(facet, _)| facet)
        };
        let found = Found {
            series: to,
            facet: facet(to)?,
            against: Some((from, facet(from)?)),
            derived: Some(what.to_owned()),
            value,
        };
        debug_assert!(series.slots.len() > at);
        if let Some(closeness) = shown.shows(value) {
            return Some(Judgement::new(status(closeness), kind, vec![found], ""));
        }
        let quotient = shown.value.over(value)?.abs();
        let plausible =
            Decimal::new(PLAUSIBLE.0, -1) <= quotient && quotient <= Decimal::new(PLAUSIBLE.1, -1);
        plausible.then(|| Judgement::new(Status::DeltaError, kind, vec![found], ""))
    }
}
