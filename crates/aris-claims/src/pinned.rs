//! Numbers whose meaning the author has pinned.

use crate::claim::Kind;
use crate::engine::Engine;
use crate::fit::{Approximate, Closeness, Shown};
use crate::judge::{Found, Judgement};
use crate::number::Number;
use crate::pins::{Aggregate, Pin, fits};
use crate::report::Status;
use crate::series::Facet;

impl Engine<'_> {
    /// Judges a number by what its author pinned.
    pub(crate) fn judge_pin(&self, pin: &Pin, number: &Number) -> Judgement {
        let pattern = pin.evidence.as_deref().unwrap_or("");
        let leaves = &self.evidence.leaves;
        let found = (0..).zip(&self.evidence.series).find(|(id, series)| {
            self.pattern(*id) == pattern
                || series
                    .members
                    .iter()
                    .filter_map(|at| crate::series::leaf(leaves, *at))
                    .any(|leaf| fits(pattern, &self.evidence.path_of(leaf)))
        });
        let Some((id, series)) = found else {
            return Judgement::new(
                Status::MissingEvidence,
                Kind::Measurement,
                Vec::new(),
                format!("the pinned evidence {pattern} is not in the results"),
            );
        };
        let exact: Vec<u32> = series
            .members
            .iter()
            .copied()
            .filter(|at| {
                crate::series::leaf(leaves, *at)
                    .is_some_and(|leaf| fits(pattern, &self.evidence.path_of(leaf)))
            })
            .collect();
        let facets: Vec<Facet> = match (pin.aggregate, exact.as_slice()) {
            (None | Some(Aggregate::Value), [only]) => vec![Facet::Member(*only)],
            (None | Some(Aggregate::Mean), _) => vec![Facet::Mean, Facet::Single],
            (Some(Aggregate::Value), _) => vec![Facet::Single],
            (Some(Aggregate::Median), _) => vec![Facet::Median],
            (Some(Aggregate::Max), _) => vec![Facet::Max],
            (Some(Aggregate::Min), _) => vec![Facet::Min],
            (Some(Aggregate::Std), _) => vec![Facet::Std, Facet::PopulationStd],
            (Some(Aggregate::Sum), _) => vec![Facet::Sum],
            (Some(Aggregate::Count), _) => vec![Facet::Count],
        };
        let shown = Shown::new(number, None, Approximate::No);
        let kind = self.kind_of(id);
        if let Some(hit) = facets
            .iter()
            .find_map(|facet| crate::fit::hit(&shown, series, *facet, leaves))
        {
            let status = if hit.closeness == Closeness::Exact {
                Status::ExactMatch
            } else {
                Status::RoundingOk
            };
            Judgement::new(status, kind, vec![Self::found(id, hit)], "")
        } else {
            let status = if kind == Kind::Configuration {
                Status::ConfigMismatch
            } else {
                Status::NumberMismatch
            };
            let evidence: Vec<Found> = facets
                .iter()
                .find_map(|facet| series.value(*facet, leaves).map(|raw| (*facet, raw)))
                .map(|(facet, raw)| {
                    Found::of(
                        id,
                        facet,
                        crate::fit::nearest(&shown, series, raw).unwrap_or(raw),
                    )
                })
                .into_iter()
                .collect();
            Judgement::new(status, kind, evidence, "")
        }
    }
}
