//! Settings in prose: the name of a setting right before its value ("learning rate of 3e-4") or the thing that is counted
//! right behind it ("100 epochs") says which key of a configuration is meant, whatever else has that value.

use std::collections::BTreeSet;

use crate::aggregation::Aggregation;
use crate::context::{Scored, Weights};
use crate::engine::{Engine, Sentence, index};
use crate::evidence::SlotKind;
use crate::fit::{self, Shown};
use crate::judge::{Binding, Case, Judgement};
use crate::lexicon::LabelId;
use crate::number::Number;
use crate::report::Status;
use crate::series::{Facet, SeriesId, leaf};
use crate::units::Dimension;
use crate::words;

/// Words before the number that can name its setting, function words not counted.
const BEFORE: usize = 4;
/// Words behind the number that can name what is counted.
const BEHIND: usize = 2;
/// By how much the best setting must be named more fully than the next one before a value is called wrong.
const CLEARER: f64 = 0.15;
/// Part of its name that a setting needs before a percentage is called wrong by it.
const CLEAR_SHARE: f64 = 0.6;
/// The least part of a setting's name.
const LEAST: f64 = 0.35;

impl Engine<'_> {
    /// Judges a number by the setting beside it; `None`: there is no such setting, or it is not clear whose.
    pub(crate) fn judge_setting(
        &self,
        passage: usize,
        number: &Number,
        shown: &Shown,
        everywhere: bool,
        weights: &Weights,
    ) -> Option<Judgement> {
        let text = self.paper.passages.get(passage)?;
        let sentence = self
            .sentence_at(passage, number.range.start)
            .and_then(|at| {
                self.passages
                    .get(passage)
                    .and_then(|analysed| analysed.sentences.get(at))
            })?;
        let window = window(&text.text, sentence.start, sentence.end, number);
        let others = crate::claim::after_words(&text.text, number.end, 1)
            .iter()
            .any(|word| crate::count::is_other(word));
        // "Two blocks deeper" is a difference of settings.
        let compared = crate::claim::after_words(&text.text, number.end, 2)
            .iter()
            .any(|word| crate::vocabulary::COMPARATIVES.contains(&word.as_str()));
        if window.is_empty() || others || compared {
            return None;
        }
        // Settings with a word in the window, by how much of their name the sentence has.
        let mut settings: Vec<(f64, LabelId)> = Vec::new();
        for mention in &sentence.mentions {
            let words = self
                .evidence
                .lexicon
                .label(mention.label)
                .map_or(&[][..], |label| label.words.as_slice());
            let beside = mention.places.iter().any(|place| {
                window
                    .iter()
                    .any(|(start, end, _)| start <= place && place < end)
            }) || words
                .iter()
                .any(|word| window.iter().any(|(_, _, known)| known == word));
            if beside && mention.strength >= LEAST && self.is_setting(mention.label) {
                settings.push((mention.strength, mention.label));
            }
        }
        settings.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let named: BTreeSet<LabelId> = sentence
            .mentions
            .iter()
            .filter(|mention| mention.strength >= 0.5)
            .map(|mention| mention.label)
            .collect();
        let case = |scored: &'static [Scored]| Case {
            everywhere,
            ..Case::plain(
                *shown,
                Aggregation::default(),
                weights,
                scored,
                Binding::Text,
                &named,
            )
        };
        for (_, label) in &settings {
            let configured = self.configured(*label, &named, everywhere);
            let fitting = configured.iter().find_map(|id| {
                let series = self.series(*id)?;
                let hit = |facet| fit::hit(shown, series, facet, &self.evidence.leaves);
                let found = if series.stats.is_some() {
                    series
                        .members
                        .iter()
                        .find_map(|member| hit(Facet::Member(*member)))
                } else {
                    hit(Facet::Single)
                };
                found.map(|hit| (*id, hit))
            });
            if let Some((id, hit)) = fitting {
                let status = if hit.closeness == fit::Closeness::Exact {
                    Status::ExactMatch
                } else {
                    Status::RoundingOk
                };
                let judgement =
                    Judgement::new(status, self.kind_of(id), vec![Self::found(id, hit)], "");
                return Some(self.same_elsewhere(&case(&[]), id).unwrap_or(judgement));
            }
        }
        let (strength, label) = *settings.first()?;
        if shown.is_percent() && strength < CLEAR_SHARE || self.more_specific(label, sentence) {
            return None;
        }
        if let Some(id) = self.varied(label, shown) {
            let hit = fit::Hit {
                facet: Facet::Single,
                closeness: fit::Closeness::Exact,
                value: shown.value,
            };
            let mut found = Self::found(id, hit);
            found.derived = Some(String::from("a varied value"));
            return Some(Judgement::new(
                Status::ExactMatch,
                self.kind_of(id),
                vec![found],
                "",
            ));
        }
        let next = settings.get(1).map_or(0.0, |(strength, _)| *strength);
        if strength < next + CLEARER {
            return None;
        }
        let wrong = self
            .configured(label, &named, everywhere)
            .into_iter()
            .find(|id| {
                self.series(*id).is_some_and(|series| {
                    // A list of values is searched or swept; a number with a unit contradicts no bare count.
                    let physical = shown
                        .unit
                        .is_some_and(|unit| unit.dimension != Dimension::Percent)
                        && series.unit.is_none();
                    let raw = series
                        .headline(&self.evidence.leaves)
                        .filter(|_| series.stats.is_none() && !physical)
                        .map(|(_, value)| value);
                    raw.is_some_and(|raw| Self::plausible_setting(shown, series, raw))
                })
            })?;
        Some(self.mismatch(
            &case(&[]),
            Scored {
                series: wrong,
                score: 0.0,
                coverage: 1.0,
            },
        ))
    }

    /// A more specific measure than the setting is named: "the best epoch was 71".
    fn more_specific(&self, setting: LabelId, sentence: &Sentence) -> bool {
        sentence.mentions.iter().any(|mention| {
            mention.label != setting
                && mention.strength >= 0.9
                && self.share_word(setting, mention.label)
                && self
                    .measures
                    .get(index(mention.label))
                    .copied()
                    .unwrap_or(false)
                && !self.is_setting(mention.label)
        })
    }

    fn share_word(&self, a: LabelId, b: LabelId) -> bool {
        let words = |label| {
            self.evidence
                .lexicon
                .label(label)
                .map_or(&[][..], |label| label.words.as_slice())
        };
        words(a).iter().any(|word| words(b).contains(word))
    }

    /// Results that were taken at this value of the same name: "after 100 epochs", "with two GPUs".
    fn varied(&self, setting: LabelId, shown: &Shown) -> Option<SeriesId> {
        (0..)
            .zip(&self.evidence.series)
            .filter(|(_, series)| !series.config)
            .find_map(|(id, series)| {
                let named = self
                    .measure(series)
                    .is_some_and(|label| self.share_word(setting, label))
                    || series
                        .slots
                        .iter()
                        .filter_map(|slot| slot.name)
                        .any(|label| self.share_word(setting, label));
                let by_value = named && (series.axis || series.measure == Some(setting));
                let there = by_value
                    && series.members.iter().any(|at| {
                        leaf(&self.evidence.leaves, *at)
                            .is_some_and(|leaf| leaf.value == shown.value)
                    });
                there.then_some(id)
            })
    }

    /// A label that configurations have as a key.
    fn is_setting(&self, label: LabelId) -> bool {
        self.postings.get(index(label)).is_some_and(|list| {
            list.iter().any(|id| {
                self.series(*id).is_some_and(|series| {
                    series.config && !series.count && series.measure == Some(label)
                })
            })
        })
    }

    /// The configurations with this key: of the methods that the sentence names, else the paper's own, else the only one.
    fn configured(
        &self,
        label: LabelId,
        named: &BTreeSet<LabelId>,
        everywhere: bool,
    ) -> Vec<SeriesId> {
        let all: Vec<SeriesId> = self
            .postings
            .get(index(label))
            .map_or(&[][..], Vec::as_slice)
            .iter()
            .copied()
            .filter(|id| {
                self.series(*id).is_some_and(|series| {
                    series.config && !series.count && series.measure == Some(label)
                })
            })
            .collect();
        if everywhere
            && !named
                .iter()
                .all(|label| !self.own.contains(label) && self.methods.contains(label))
        {
            return all;
        }
        let of = |wanted: &dyn Fn(&LabelId) -> bool| -> Vec<SeriesId> {
            all.iter()
                .copied()
                .filter(|id| {
                    self.series(*id).is_some_and(|series| {
                        series.slots.iter().any(|slot| {
                            matches!(slot.kind, SlotKind::Path | SlotKind::Column)
                                && wanted(&slot.label)
                        })
                    })
                })
                .collect()
        };
        let spoken = of(&|label| self.methods.contains(label) && named.contains(label));
        if !spoken.is_empty() {
            return spoken;
        }
        let own = of(&|label| self.own.contains(label));
        if !own.is_empty() {
            return own;
        }
        let first = all
            .first()
            .and_then(|id| self.series(*id))
            .and_then(|series| series.headline(&self.evidence.leaves));
        let agree = all.iter().all(|id| {
            self.series(*id)
                .and_then(|series| series.headline(&self.evidence.leaves))
                .map(|(_, value)| value)
                == first.map(|(_, value)| value)
        });
        if agree { all } else { Vec::new() }
    }
}

/// The words directly around a number, up to another number or a mark that separates: start, end, canonical form.
fn window(text: &str, from: usize, to: usize, number: &Number) -> Vec<(usize, usize, String)> {
    let mut out = Vec::new();
    let before = text.get(from..number.range.start).unwrap_or("");
    let cut = before
        .rfind([',', ';', ':', '(', ')', '.'])
        .map_or(0, |at| at + 1);
    let digit = before
        .rfind(|c: char| c.is_ascii_digit())
        .map_or(0, |at| at + 1);
    let near = before.get(cut.max(digit)..).unwrap_or("");
    let offset = from + cut.max(digit);
    let tokens = words::words(near);
    out.extend(
        tokens
            .iter()
            .rev()
            .filter(|word| !words::is_stop(&word.text))
            .take(BEFORE)
            .map(|word| (offset + word.start, offset + word.end, word.text.clone())),
    );
    let after = text.get(number.end..to).unwrap_or("");
    let end = after
        .find([',', ';', ':', '(', ')', '.'])
        .unwrap_or(after.len());
    let digit = after
        .find(|c: char| c.is_ascii_digit())
        .unwrap_or(after.len());
    let near = after.get(..end.min(digit)).unwrap_or("");
    for word in words::words(near).into_iter().take(BEHIND + 1) {
        if word.text == "of" {
            continue;
        }
        if words::is_stop(&word.text) || word.text == "with" {
            break;
        }
        out.push((number.end + word.start, number.end + word.end, word.text));
    }
    out
}
