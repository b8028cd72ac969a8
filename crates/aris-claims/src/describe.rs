//! Judgements as sentences and references.

use std::collections::BTreeSet;

use crate::decimal::Decimal;
use crate::engine::Engine;
use crate::judge::{Found, Judgement};
use crate::report::{Reference, Status};
use crate::series::{Facet, SeriesId, leaf};

impl Engine<'_> {
    /// The references of one value; two for a difference or a ratio.
    pub(crate) fn references(&self, found: &Found) -> Vec<Reference> {
        let Some((other, other_facet)) = found.against else {
            return self
                .reference(
                    found.series,
                    found.facet,
                    Some(found.value),
                    found.derived.clone(),
                )
                .into_iter()
                .collect();
        };
        let mut out: Vec<Reference> = Vec::new();
        out.extend(self.reference(found.series, found.facet, None, None));
        out.extend(self.reference(other, other_facet, None, None));
        out
    }

    fn reference(
        &self,
        id: SeriesId,
        facet: Facet,
        value: Option<Decimal>,
        derived: Option<String>,
    ) -> Option<Reference> {
        let series = self.series(id)?;
        let leaves = &self.evidence.leaves;
        let single = match facet {
            Facet::Single => series.finals.first().copied(),
            Facet::Member(at) => Some(at),
            Facet::Max => series.stats.as_ref().map(|stats| stats.max_at),
            Facet::Min => series.stats.as_ref().map(|stats| stats.min_at),
            _ => None,
        };
        let what = match facet {
            Facet::Mean => "mean",
            Facet::Median => "median",
            Facet::Max => "maximum",
            Facet::Min => "minimum",
            Facet::Std => "standard deviation",
            Facet::PopulationStd => "population standard deviation",
            Facet::StandardError => "standard error",
            Facet::Sum => "sum",
            _ => "",
        };
        let derived =
            derived.or_else(|| (!what.is_empty()).then(|| format!("{what} of {}", series.runs())));
        let value = value.or_else(|| series.value(facet, leaves))?;
        if let Some(leaf) = single.and_then(|at| leaf(leaves, at)) {
            return Some(Reference {
                path: self.evidence.path_of(leaf),
                line: leaf.line,
                value,
                derived,
            });
        }
        Some(Reference {
            path: self.pattern(id),
            line: 0,
            value,
            derived,
        })
    }

    /// The common path of a series, `*` where its members differ.
    pub(crate) fn pattern(&self, id: SeriesId) -> String {
        let Some(series) = self.series(id) else {
            return String::new();
        };
        let paths: BTreeSet<String> = series
            .finals
            .iter()
            .take(64)
            .filter_map(|at| leaf(&self.evidence.leaves, *at))
            .map(|leaf| self.evidence.path_of(leaf))
            .collect();
        let mut paths = paths.into_iter();
        let Some(first) = paths.next() else {
            return String::new();
        };
        paths.fold(first, |common, path| merge(&common, &path))
    }

    /// One sentence on what the results say.
    pub(crate) fn detail(&self, text: &str, judgement: &Judgement) -> String {
        let evidence: Vec<String> = judgement
            .evidence
            .iter()
            .map(|found| self.say(found))
            .collect();
        let first = evidence.first().cloned().unwrap_or_default();
        let alternative = judgement
            .alternatives
            .first()
            .map(|found| self.say(found))
            .unwrap_or_default();
        match judgement.status {
            Status::ExactMatch | Status::RoundingOk if judgement.reason.is_empty() => {
                format!("{text} is {first}")
            }
            Status::ExactMatch | Status::RoundingOk => format!("\"{text}\" {}", judgement.reason),
            Status::DeltaError if first.is_empty() => {
                format!("paper says {text}; {}", judgement.reason)
            }
            Status::AmbiguousMapping => format!(
                "{text} fits {first} and {alternative}; the text does not say which is meant"
            ),
            Status::MissingEvidence => format!("paper says {text}; {}", judgement.reason),
            Status::AggregationMismatch if !judgement.reason.is_empty() => {
                format!(
                    "paper says {text}, results say {first}; {} ({alternative})",
                    judgement.reason
                )
            }
            Status::ScopeOverclaim => format!(
                "paper says \"{text}\", but {}: {}",
                judgement.reason,
                evidence.join("; ")
            ),
            Status::ConfigMismatch => format!("paper says {text}, the configuration says {first}"),
            Status::DeltaError => format!("paper says {text}, the results give {first}"),
            Status::NumberMismatch | Status::AggregationMismatch => {
                format!("paper says {text}, results say {first}")
            }
        }
    }

    /// What to do about it.
    pub(crate) fn fix(text: &str, judgement: &Judgement) -> String {
        let value = judgement
            .evidence
            .first()
            .map(|found| shorten(found.value))
            .unwrap_or_default();
        match judgement.status {
            Status::ExactMatch | Status::RoundingOk => String::new(),
            Status::AmbiguousMapping => "name the method, dataset or metric in the sentence, or pin the claim in claims.toml".to_owned(),
            Status::MissingEvidence => "add the result file that holds this value, or remove the claim".to_owned(),
            Status::AggregationMismatch | Status::NumberMismatch => format!("replace {text} by {value}, or correct the result file"),
            Status::DeltaError => format!("replace {text} by {value}, or name the two values that are compared"),
            Status::ConfigMismatch => format!("replace {text} by {value}, or add the configuration that was really used"),
            Status::ScopeOverclaim => format!("drop \"{text}\" or name the exceptions"),
        }
    }

    fn say(&self, found: &Found) -> String {
        match &found.against {
            Some((other, _)) if found.derived.as_deref() == Some("comparison") => {
                format!(
                    "{} against {}",
                    self.say_series(found.series),
                    self.say_series(*other)
                )
            }
            Some((other, _)) => {
                let what = found.derived.clone().unwrap_or_default();
                format!(
                    "{} ({what} of {} and {})",
                    shorten(found.value),
                    self.say_series(found.series),
                    self.say_series(*other)
                )
            }
            None => {
                let reference = self.reference(
                    found.series,
                    found.facet,
                    Some(found.value),
                    found.derived.clone(),
                );
                match reference {
                    Some(Reference {
                        path,
                        derived: Some(derived),
                        ..
                    }) => format!("{} ({derived}: {path})", shorten(found.value)),
                    Some(Reference { path, .. }) => format!("{} ({path})", shorten(found.value)),
                    None => shorten(found.value),
                }
            }
        }
    }

    fn say_series(&self, id: SeriesId) -> String {
        let value = self
            .series(id)
            .and_then(|series| series.headline(&self.evidence.leaves))
            .map(|(_, value)| shorten(value));
        format!("{} in {}", value.unwrap_or_default(), self.pattern(id))
    }
}

/// At most six significant digits: enough to see the difference.
fn shorten(value: Decimal) -> String {
    let digits = i32::try_from(value.significant_digits()).unwrap_or(0);
    if digits <= 6 {
        value.to_string()
    } else {
        value
            .rounded_at(value.last_digit() + digits - 6)
            .to_string()
    }
}

/// Two paths with `*` where they differ: common beginning and end, cut at separators.
fn merge(a: &str, b: &str) -> String {
    let start = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let room = a.len().min(b.len()) - start;
    let end = a
        .bytes()
        .rev()
        .zip(b.bytes().rev())
        .take_while(|(x, y)| x == y)
        .count()
        .min(room);
    let head = a.get(..start).map_or("", |head| {
        head.trim_end_matches(|c: char| c.is_ascii_digit())
    });
    let tail = a.get(a.len() - end..).map_or("", |tail| {
        tail.trim_start_matches(|c: char| c.is_ascii_digit())
    });
    let star = if head.ends_with('*') || tail.starts_with('*') {
        ""
    } else {
        "*"
    };
    format!("{head}{star}{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_runs_share_a_pattern() {
        for (a, b, expected) in [
            (
                "r/seed_0.json#/acc",
                "r/seed_1.json#/acc",
                "r/seed_*.json#/acc",
            ),
            (
                "r/seed_9.json#/acc",
                "r/seed_10.json#/acc",
                "r/seed_*.json#/acc",
            ),
            (
                "r/seed_*.json#/acc",
                "r/seed_3.json#/acc",
                "r/seed_*.json#/acc",
            ),
            ("a", "a", "a*"),
        ] {
            assert_eq!(merge(a, b), expected);
        }
    }
}
