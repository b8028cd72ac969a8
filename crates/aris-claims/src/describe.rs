//! Judgements as sentences and references.

use std::collections::BTreeSet;

use crate::decimal::Decimal;
use crate::engine::Engine;
use crate::judge::{Found, Judgement};
use crate::number::Number;
use crate::report::{Reference, Status};
use crate::series::{Facet, SeriesId, leaf};
use crate::units::Dimension;

/// Powers of ten between results and paper: fractions and per cent, and the steps of units.
const SCALES: [i32; 6] = [2, -2, 3, -3, 6, -6];

/// How near, in powers of ten, a value of another scale must come: within 60 per cent.
const NEARBY: f64 = 0.2;

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
            Facet::HalfWidth => "95 % half-width",
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
    pub(crate) fn fix(text: &str, number: Option<&Number>, judgement: &Judgement) -> String {
        let value = judgement
            .evidence
            .first()
            .map(|found| match number {
                Some(number) if judgement.status != Status::ConfigMismatch => {
                    as_displayed(found.value, number)
                }
                _ => shorten(found.value),
            })
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
/// The value as the paper would print it: 0.8471 is "84.7" where the paper says 85.3.
///
/// The number keeps its digits and its scale. Another scale than the one in the results is taken only when it brings the
/// value near to what is printed; otherwise a correction would invent a unit.
fn as_displayed(value: Decimal, number: &Number) -> String {
    let far = |power: i32| {
        let ratio = value.shift(power).abs().to_f64() / number.value.abs().to_f64();
        if ratio > 0.0 && ratio.is_finite() {
            ratio.log10().abs()
        } else {
            f64::INFINITY
        }
    };
    let one = Decimal::new(15, -1);
    let percent = number
        .unit
        .is_some_and(|unit| unit.dimension == Dimension::Percent);
    // A fraction in the results is per cent in the paper only when the paper's number is none itself.
    let hundredfold = value.abs() <= one && (percent || number.value.abs() > one);
    let power = SCALES
        .into_iter()
        .filter(|power| *power != 2 || hundredfold)
        .filter(|power| far(*power) < NEARBY)
        .min_by(|a, b| far(*a).total_cmp(&far(*b)))
        .filter(|power| far(0) > far(*power) + 1.0)
        .unwrap_or(0);
    let scaled = value.shift(power);
    let rounded = scaled.rounded_at(number.last_digit);
    if rounded.is_zero() || rounded.abs() == number.value.abs() {
        return shorten(scaled);
    }
    // 1.0, not 1, where the paper says 3.0.
    let mut text = rounded.to_string();
    let digits = usize::try_from(-number.last_digit).unwrap_or(0);
    let written = text.split_once('.').map_or(0, |(_, part)| part.len());
    if written < digits && !text.contains('e') {
        if written == 0 {
            text.push('.');
        }
        text.extend(std::iter::repeat_n('0', digits - written));
    }
    text
}

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
    use crate::number::scan;

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

    #[test]
    fn corrections_are_printed_as_the_paper_prints() {
        let cases = [
            ("85.3\\%", "0.8471", "84.7"),
            ("3.0 points", "1.03467", "1.0"),
            // It rounds to what is printed: the digits that differ are shown.
            ("0.85", "84.71", "0.8471"),
            ("0.91", "84.71", "0.85"),
            ("3.2M", "3310000", "3300000"),
            ("182 ms", "0.2414", "241"),
            // Nothing near: no unit is invented.
            ("512", "4", "4"),
            ("0.3", "0.0042", "0.0042"),
        ];
        for (text, value, wanted) in cases {
            let number = scan(text).into_iter().next().unwrap();
            let value = Decimal::parse(value).unwrap();
            assert_eq!(as_displayed(value, &number), wanted, "{text}");
        }
    }
}
