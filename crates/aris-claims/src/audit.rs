//! All claims of a paper against all results.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::claim::{Class, Kind, class};
use crate::context::{Aggregation, Scored, Weights, approximate};
use crate::decimal::Decimal;
use crate::delta::Change;
use crate::engine::Engine;
use crate::evidence::{Evidence, SlotKind};
use crate::fit::{Approximate, Closeness, Shown};
use crate::judge::{Binding, Case, Found, Judgement};
use crate::number::{Number, Style};
use crate::passage::{Paper, PassageKind};
use crate::pins::{Aggregate, Pin, Pins, fits};
use crate::report::{Claim, ClaimPlace, ClaimReport, Status};
use crate::series::Facet;
use crate::table::{Aligned, is_header, numeric_cells};
use crate::units::Dimension;

/// What was judged at one place: the bytes, the displayed value, the judgement.
type Judged = (Range<usize>, Option<Decimal>, Judgement);

/// Maps a byte of a passage to its place in the sources and to the line there.
pub trait Locate {
    /// Place and source line of a byte of a passage.
    fn locate(&self, passage: usize, offset: usize) -> (ClaimPlace, String);
}

/// Judges every number of a paper; claims in reading order.
pub fn audit_paper(
    paper: &Paper,
    evidence: &Evidence,
    pins: &Pins,
    locate: &dyn Locate,
) -> ClaimReport {
    let engine = Engine::new(paper, evidence);
    let mut judged: BTreeMap<(usize, usize), Judged> = BTreeMap::new();
    let mut not_claims = 0_usize;
    let tables: Vec<Aligned> = paper.tables.iter().map(|grid| engine.align(grid)).collect();
    let mut in_table: BTreeMap<usize, (usize, usize, usize)> = BTreeMap::new();
    for (table, (grid, aligned)) in paper.tables.iter().zip(&tables).enumerate() {
        for (row, column, passage) in numeric_cells(&engine, grid, aligned) {
            in_table.insert(passage, (table, row, column));
        }
    }
    for (at, passage) in paper.passages.iter().enumerate() {
        let Some(analysed) = engine.passages.get(at) else {
            continue;
        };
        for (index, number) in analysed.numbers.iter().enumerate() {
            let found = match class(passage, &analysed.numbers, index) {
                Class::No(_) => None,
                Class::Strong(kind) => match in_table.get(&at) {
                    Some((table, row, column)) => tables.get(*table).and_then(|aligned| {
                        engine.judge_cell(aligned, (*row, *column), at, number, kind)
                    }),
                    None if passage.kind == PassageKind::Cell => {
                        engine.judge_head_number(at, number)
                    }
                    None => engine.judge_text(at, number, kind, false),
                },
                Class::Weak(kind) => match passage.kind {
                    PassageKind::Cell => engine.judge_head_number(at, number),
                    _ => engine.judge_text(at, number, kind, true),
                },
            };
            match found {
                Some(judgement) => {
                    judged.insert(
                        (at, number.range.start),
                        (number.range.clone(), Some(number.value), judgement),
                    );
                }
                None => not_claims += 1,
            }
        }
        for (range, judgement) in engine.judge_scopes(at) {
            judged.insert((at, range.start), (range, None, judgement));
        }
    }
    let mut report = ClaimReport {
        claims: Vec::new(),
        counts: BTreeMap::new(),
        not_claims,
        unused_pins: Vec::new(),
    };
    let mut used = BTreeSet::new();
    // Numbers that only a pin makes claims.
    if !pins.claims.is_empty() {
        for (at, analysed) in engine.passages.iter().enumerate() {
            for number in &analysed.numbers {
                judged.entry((at, number.range.start)).or_insert_with(|| {
                    (
                        number.range.clone(),
                        Some(number.value),
                        Judgement::new(
                            Status::MissingEvidence,
                            Kind::Measurement,
                            Vec::new(),
                            UNPINNED,
                        ),
                    )
                });
            }
        }
    }
    for ((passage, start), (range, value, mut judgement)) in judged {
        let text = paper
            .passages
            .get(passage)
            .and_then(|passage| passage.text.get(range))
            .unwrap_or("")
            .to_owned();
        let (place, quote) = locate.locate(passage, start);
        if let Some((at, pin)) = pins.find(&place.file, &text, &quote) {
            used.insert(at);
            let number = engine.passages.get(passage).and_then(|analysed| {
                analysed
                    .numbers
                    .iter()
                    .find(|number| number.range.start == start)
            });
            match (&pin.ignore, number) {
                (Some(_), _) => {
                    report.not_claims += 1;
                    continue;
                }
                (None, Some(number)) => judgement = engine.judge_pin(pin, number),
                (None, None) => {}
            }
        } else if judgement.reason == UNPINNED {
            continue;
        }
        report.claims.push(Claim {
            id: format!("{}:{}:{}", place.file, place.line, place.column),
            detail: engine.detail(&text, &judgement),
            fix: Engine::fix(&text, &judgement),
            place,
            quote,
            text,
            value,
            kind: judgement.kind,
            status: judgement.status,
            evidence: judgement
                .evidence
                .iter()
                .flat_map(|found| engine.references(found))
                .collect(),
            alternatives: judgement
                .alternatives
                .iter()
                .flat_map(|found| engine.references(found))
                .collect(),
        });
    }
    report.unused_pins = (0..pins.claims.len())
        .filter(|at| !used.contains(at))
        .filter_map(|at| pins.claims.get(at))
        .map(|pin| format!("{}: {}", pin.file, pin.text))
        .collect();
    report.count();
    report
}

/// Gain of a series that measures the noun behind a whole number.
const NOUN: f64 = 1.5;

/// Marks numbers that nothing but a pin would make claims.
const UNPINNED: &str = "not pinned";

impl Engine<'_> {
    /// Judges a number by what its author pinned.
    fn judge_pin(&self, pin: &Pin, number: &Number) -> Judgement {
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
                .map(|(facet, raw)| Found {
                    series: id,
                    facet,
                    against: None,
                    derived: None,
                    value: crate::fit::nearest(&shown, series, raw).unwrap_or(raw),
                })
                .into_iter()
                .collect();
            Judgement::new(status, kind, evidence, "")
        }
    }

    /// Judges a number in running text.
    fn judge_text(
        &self,
        passage: usize,
        number: &Number,
        kind: Kind,
        weak: bool,
    ) -> Option<Judgement> {
        let text = self.paper.passages.get(passage)?.text.as_str();
        let weights = self.text_weights(passage, number.range.start, number.range.end);
        let (sentence, offset) = self.sentence_text(passage, number.range.start);
        let at = number.range.start.saturating_sub(offset);
        let shown = Shown::new(number, None, approximate(text, number.range.start));
        let scored = self.score_for(&weights, shown.unit, false);
        if matches!(kind, Kind::Difference | Kind::RelativeChange | Kind::Ratio) {
            let mut weights = weights;
            self.name_rival(passage, number, &mut weights);
            // The unit of a relative change is not that of the measure.
            let measured = shown
                .unit
                .filter(|unit| kind == Kind::Difference && unit.dimension != Dimension::Percent);
            let scored = self.score_for(&weights, measured, true);
            let points = crate::claim::after_words(text, number.end, 3)
                .iter()
                .any(|word| word.starts_with("point") || word == "pp" || word == "pts");
            let named = self.named_in_sentence(passage, number);
            let change = Change {
                named: &named,
                shown,
                kind,
                weights: &weights,
                scored: &scored,
                sentence,
                at,
                end: number.end.saturating_sub(offset),
                points,
                stated: self.stated_pair(passage, number, kind),
            };
            let judged = self.judge_change(&change);
            // The results may hold the change itself: `speedup`, `prob_improvement`.
            if !judged.status.is_match()
                && let Some(own) =
                    self.judge_stored_change(passage, number, &shown, &weights, &scored)
            {
                return Some(own);
            }
            return Some(judged);
        }
        let other = crate::claim::after_words(text, number.end, 1);
        if weak && other.iter().any(|word| crate::count::is_other(word)) {
            return None;
        }
        if number.value.is_integer()
            && number.last_digit >= 0
            && number.unit.is_none()
            && let Some(judgement) = self.judge_count(text, number, &weights)
        {
            return Some(judgement);
        }
        let mut aggregation = Aggregation::read(sentence, Some(at));
        if kind == Kind::Uncertainty {
            aggregation = Aggregation {
                spread: true,
                ..Aggregation::default()
            };
        }
        let others = self.other_numbers(passage, number);
        aggregation.range = self.in_range(passage, number, sentence, at);
        let everywhere = says_everywhere(sentence, at);
        let noun = crate::claim::after_words(text, number.end, 3)
            .into_iter()
            .take_while(|word| {
                !matches!(
                    word.as_str(),
                    "and"
                        | "or"
                        | "of"
                        | "for"
                        | "on"
                        | "in"
                        | "with"
                        | "to"
                        | "at"
                        | "over"
                        | "per"
                        | "from"
                        | "is"
                        | "are"
                        | "than"
                )
            })
            .find(|word| {
                word.len() > 3
                    && word.ends_with('s')
                    && !word.ends_with("ss")
                    && !matches!(word.as_str(), "times" | "does" | "this" | "versus" | "less")
            })
            .map(|word| crate::words::stem(&word));
        let scored = self.with_noun(scored, noun.as_deref().filter(|_| weak));
        let named = self.named_in_sentence(passage, number);
        let rivalry = crate::context::speaks_of_rivals(sentence, at);
        let case = Case {
            shown,
            aggregation,
            weights: &weights,
            scored: &scored,
            binding: Binding::Text,
            sentence: &named,
            rivalry,
            goes_on: crate::context::goes_on(sentence),
            everywhere,
            noun,
            weak,
            others: &others,
        };
        if kind != Kind::Uncertainty
            && !aggregation.range
            && let Some(judgement) =
                self.judge_setting(passage, number, &shown, everywhere, &weights)
        {
            return Some(judgement);
        }
        let judged = self.judge(&case);
        if weak
            && judged
                .as_ref()
                .is_none_or(|judgement| !judgement.status.is_match())
            && let Some(judgement) = self.judge_cardinality(text, number, &weights)
        {
            return Some(judgement);
        }
        // A word such as "two" that contradicts nothing nearby is no claim.
        judged.filter(|judgement| {
            number.style != Style::Spelled || judgement.status != Status::NumberMismatch
        })
    }

    /// Judges a number in the body of a table.
    fn judge_cell(
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
        let case = Case {
            shown,
            aggregation,
            weights: &weights,
            scored: &scored,
            binding,
            sentence: &named,
            rivalry: false,
            goes_on: false,
            everywhere: false,
            noun: None,
            weak: false,
            others: &[],
        };
        Some(
            self.judge(&case)
                .unwrap_or_else(|| Judgement::missing(Kind::Measurement)),
        )
    }

    /// A number that names a row or a column is a claim only when the results vary that number.
    fn judge_head_number(&self, passage: usize, number: &Number) -> Option<Judgement> {
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

    /// Labels that the number's own sentence names for the most part.
    fn named_in_sentence(&self, passage: usize, number: &Number) -> BTreeSet<u32> {
        self.sentence_at(passage, number.range.start)
            .and_then(|at| {
                self.passages
                    .get(passage)
                    .and_then(|analysed| analysed.sentences.get(at))
            })
            .map(|sentence| {
                sentence
                    .mentions
                    .iter()
                    .filter(|mention| mention.strength >= 0.4)
                    .map(|mention| mention.label)
                    .collect()
            })
            .unwrap_or_default()
    }

    /// "3.7× faster than TFT", "over TFT it is 13.2": the method behind such a word is the other side, whatever else is named.
    pub(crate) fn name_rival(&self, passage: usize, number: &Number, weights: &mut Weights) {
        let Some(text) = self.paper.passages.get(passage) else {
            return;
        };
        let Some(sentence) = self
            .sentence_at(passage, number.range.start)
            .and_then(|at| {
                self.passages
                    .get(passage)
                    .and_then(|analysed| analysed.sentences.get(at))
            })
        else {
            return;
        };
        let (start, end) = (number.range.start, number.end);
        let after = text.text.get(end..sentence.end).unwrap_or("");
        let before = text.text.get(sentence.start..start).unwrap_or("");
        let digit_free = |from: usize, to: usize| {
            !text
                .text
                .get(from..to)
                .unwrap_or("")
                .bytes()
                .any(|b| b.is_ascii_digit())
        };
        let behind = [
            " than ",
            " over ",
            " below ",
            " above ",
            " relative to ",
            " compared to ",
            " compared with ",
            " ahead of ",
            " behind ",
            " against ",
            " versus ",
        ]
        .iter()
        .filter_map(|word| after.find(word).map(|at| end + at + word.len()))
        .filter(|at| at - end < 48)
        .min();
        let ahead = [
            "over ",
            "Over ",
            "against ",
            "Against ",
            "Compared to ",
            "Compared with ",
            "than ",
            "Relative to ",
        ]
        .iter()
        .filter_map(|word| {
            before
                .rfind(word)
                .map(|at| sentence.start + at + word.len())
        })
        .max();
        let mut named: Vec<u32> = Vec::new();
        for mention in &sentence.mentions {
            if !self.methods.contains(&mention.label)
                || self.own.contains(&mention.label)
                || mention.strength < 0.5
            {
                continue;
            }
            let near = mention.places.iter().any(|place| {
                let (place, is_behind) = (
                    *place,
                    behind.is_some_and(|from| {
                        from <= *place && *place < from + 24 && digit_free(end, from)
                    }),
                );
                is_behind
                    || ahead.is_some_and(|from| {
                        from <= place
                            && place < from + 24
                            && place < start
                            && start - from < 60
                            && (digit_free(place + 1, start)
                                || before.trim_start().starts_with("Over "))
                    })
            });
            if near {
                named.push(mention.label);
            }
        }
        if named.is_empty() {
            return;
        }
        for (label, weight) in weights.iter_mut() {
            if named.contains(label) {
                *weight = weight.max(1.0);
            } else if self.methods.contains(label)
                && !self.own.contains(label)
                && !self.full.contains(label)
            {
                *weight *= 0.5;
            }
        }
    }

    /// Puts series that measure the counted noun first: `100 epochs` is about epochs.
    fn with_noun(&self, mut scored: Vec<Scored>, noun: Option<&str>) -> Vec<Scored> {
        let Some(noun) = noun else { return scored };
        for candidate in &mut scored {
            let measure = self
                .series(candidate.series)
                .and_then(|series| self.measure(series))
                .and_then(|label| self.evidence.lexicon.label(label));
            if measure.is_some_and(|label| label.words.iter().any(|word| word == noun)) {
                candidate.score += NOUN;
            }
        }
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.series.cmp(&b.series)));
        scored
    }

    /// A change that a result file states itself, under a key such as `speedup` or `prob_improvement`.
    fn judge_stored_change(
        &self,
        passage: usize,
        number: &Number,
        shown: &Shown,
        weights: &Weights,
        scored: &[Scored],
    ) -> Option<Judgement> {
        const STORED: &[&str] = &[
            "speedup",
            "improvement",
            "gain",
            "reduction",
            "delta",
            "difference",
            "diff",
            "sav",
            "saving",
            "increas",
            "decreas",
            "drop",
            "change",
            "gap",
            "overhead",
        ];
        let stored: Vec<Scored> =
            scored
                .iter()
                .copied()
                .filter(|candidate| {
                    self.series(candidate.series).is_some_and(|series| {
                        series
                            .slots
                            .iter()
                            .filter(|slot| slot.kind == SlotKind::Key)
                            .any(|slot| {
                                weights
                                    .get(&slot.label)
                                    .is_some_and(|weight| *weight >= 0.5)
                                    && self.evidence.lexicon.label(slot.label).is_some_and(
                                        |label| {
                                            label
                                                .words
                                                .iter()
                                                .any(|word| STORED.contains(&word.as_str()))
                                        },
                                    )
                            })
                    })
                })
                .collect();
        let (sentence, offset) = self.sentence_text(passage, number.range.start);
        let aggregation =
            Aggregation::read(sentence, Some(number.range.start.saturating_sub(offset)));
        let named = self.named_in_sentence(passage, number);
        let case = Case {
            shown: *shown,
            aggregation,
            weights,
            scored: &stored,
            binding: Binding::Text,
            sentence: &named,
            rivalry: false,
            goes_on: false,
            everywhere: false,
            noun: None,
            weak: false,
            others: &[],
        };
        self.judge(&case)
            .filter(|judgement| judgement.status.is_match())
    }

    /// The two numbers of the sentence that stand as "from A to B" or "B instead of A" and are not the change itself.
    fn stated_pair(&self, passage: usize, number: &Number, kind: Kind) -> Option<(Shown, Shown)> {
        let analysed = self.passages.get(passage)?;
        let text = self.paper.passages.get(passage)?.text.as_str();
        let sentence = self
            .sentence_at(passage, number.range.start)
            .and_then(|at| analysed.sentences.get(at))?;
        let inside: Vec<&Number> = analysed
            .numbers
            .iter()
            .filter(|other| {
                sentence.start <= other.range.start
                    && other.range.start < sentence.end
                    && !other.embedded
            })
            .filter(|other| other.range != number.range && other.uncertainty_of.is_none())
            .collect();
        let mut best: Option<(usize, (Shown, Shown))> = None;
        for pair in inside.windows(2) {
            let [first, second] = pair else { continue };
            let between = text
                .get(first.end..second.range.start)?
                .trim()
                .to_lowercase();
            let before = text
                .get(sentence.start..first.range.start)?
                .trim_end()
                .to_lowercase();
            let forward = between.len() < 24
                && (between == "to" || between.starts_with("to ") || between.ends_with(" to"))
                && (before.ends_with("from") || before.contains("from "));
            let backward = between.len() < 24 && between.contains("instead of");
            if !(forward || backward) || first.times || second.times {
                continue;
            }
            let shown = |other: &Number| {
                Shown::new(
                    other,
                    second.unit.or(first.unit),
                    approximate(text, other.range.start),
                )
            };
            // "from four to six views" are settings, not values.
            let telling = |other: &Number| {
                other.style != Style::Spelled
                    && (other.last_digit < 0
                        || other.unit.is_some()
                        || other.value.significant_digits() >= 3)
            };
            let varied =
                |other: &Number| other.unit.is_none() && self.axis_label(other.value).is_some();
            if !telling(first) && !telling(second) || varied(first) && varied(second) {
                continue;
            }
            let ordered = if forward {
                (shown(first), shown(second))
            } else {
                (shown(second), shown(first))
            };
            // Only a pair right before or after the change belongs to it.
            // and no other statement stands between them.
            let gap = if second.end <= number.range.start {
                text.get(second.end..number.range.start)
            } else {
                text.get(number.range.end..first.range.start)
            };
            let gap = gap.unwrap_or("");
            if gap.contains(';')
                || gap.contains(" and ")
                || second.end > number.range.start && gap.contains(',')
            {
                continue;
            }
            let distance = if second.end <= number.range.start {
                number.range.start - second.end
            } else {
                first.range.start.saturating_sub(number.range.end)
            };
            let comparable = kind != Kind::Difference
                || number.unit.is_none()
                || number.unit.map(|unit| unit.dimension)
                    == ordered.0.unit.map(|unit| unit.dimension);
            if distance <= 60
                && comparable
                && best.as_ref().is_none_or(|(known, _)| distance < *known)
            {
                best = Some((distance, ordered));
            }
        }
        best.map(|(_, pair)| pair)
    }

    /// The number is an end of a range: "1.8–2.8", "between 1.8 and 2.8".
    fn in_range(&self, passage: usize, number: &Number, sentence: &str, at: usize) -> bool {
        let Some(analysed) = self.passages.get(passage) else {
            return false;
        };
        let index = analysed
            .numbers
            .iter()
            .position(|other| other.range == number.range);
        let ends = number.range_from.is_some()
            || index.is_some_and(|index| {
                analysed
                    .numbers
                    .get(index + 1)
                    .is_some_and(|next| next.range_from == Some(index))
            });
        let before = sentence.get(..at).unwrap_or("").to_lowercase();
        // "from 3.7 to 3.1" is a change.
        if before
            .rfind("from ")
            .is_some_and(|from| before.len() - from < 40)
            && !before.contains("rang")
        {
            return false;
        }
        let near = before
            .rfind("between ")
            .or_else(|| before.rfind("range"))
            .is_some_and(|from| {
                before.len() - from < 28 && !before.get(from..).unwrap_or("").contains(',')
            });
        ends || near
    }

    /// The other whole numbers of the sentence.
    fn other_numbers(&self, passage: usize, number: &Number) -> Vec<Decimal> {
        let Some(analysed) = self.passages.get(passage) else {
            return Vec::new();
        };
        let sentence = self
            .sentence_at(passage, number.range.start)
            .and_then(|at| analysed.sentences.get(at));
        let Some(sentence) = sentence else {
            return Vec::new();
        };
        analysed
            .numbers
            .iter()
            .filter(|other| {
                other.range != number.range
                    && sentence.start <= other.range.start
                    && other.range.start < sentence.end
            })
            .filter(|other| other.value.is_integer())
            .map(|other| other.value)
            .collect()
    }
}

/// The sentence speaks of several methods at once.
fn says_everywhere(sentence: &str, at: usize) -> bool {
    let from = sentence
        .get(..at)
        .and_then(|before| before.rfind(';'))
        .map_or(0, |at| at + 1);
    let to = sentence
        .get(at..)
        .and_then(|after| after.find(';'))
        .map_or(sentence.len(), |end| at + end);
    let clause = sentence.get(from..to).unwrap_or("");
    let before = sentence.get(from..at).unwrap_or("").to_lowercase();
    // "the same batch size of 256 and a learning rate of 5e-5": the same is the batch size only.
    let used_up = ["same ", "identical "].iter().any(|word| {
        before.rfind(word).is_some_and(|from| {
            before
                .get(from..)
                .unwrap_or("")
                .bytes()
                .any(|b| b.is_ascii_digit())
        })
    });
    let lower = format!(" {} ", clause.to_lowercase());
    let lower = if used_up {
        lower.replace(" same ", " ").replace(" identical", " ")
    } else {
        lower
    };
    [
        " same ",
        " identical",
        " all methods",
        " all models",
        " all baselines",
        " all systems",
        " all runs",
        " both ",
        " every method",
        " every model",
        " each method",
        " each model",
        " also use",
        " equally ",
        " likewise",
        " as well",
    ]
    .iter()
    .any(|phrase| lower.contains(phrase))
}

/// Whether a passage stands in the head of a table.
#[expect(dead_code, reason = "used by the next step")]
pub(crate) fn in_head(paper: &Paper, passage: usize) -> bool {
    paper
        .passages
        .get(passage)
        .and_then(|passage| passage.cell)
        .and_then(|cell| {
            paper
                .tables
                .get(cell.table)
                .map(|grid| is_header(grid, cell.row))
        })
        .unwrap_or(false)
}
