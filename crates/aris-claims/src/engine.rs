//! Paper and results side by side: mentions per sentence, label postings, and the paper's own method.

use crate::acronym::{acronyms, add_aliases};
use crate::own::{FULL, own_places};
use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::decimal::Decimal;
use crate::evidence::{Evidence, SlotKind};
use crate::lexicon::LabelId;
use crate::mention::{Mention, mentions};
use crate::number::{Number, scan};
use crate::passage::{Paper, PassageKind};
use crate::series::{Series, SeriesId};

/// A sentence with what it mentions.
#[derive(Debug)]
pub(crate) struct Sentence {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Places are bytes of the passage.
    pub(crate) mentions: Vec<Mention>,
}

/// A passage, analysed.
#[derive(Debug, Default)]
pub(crate) struct Analysed {
    pub(crate) numbers: Vec<Number>,
    pub(crate) sentences: Vec<Sentence>,
}

/// Everything the judges look at.
pub(crate) struct Engine<'a> {
    pub(crate) paper: &'a Paper,
    pub(crate) evidence: &'a Evidence,
    pub(crate) passages: Vec<Analysed>,
    pub(crate) sections: Vec<Vec<Mention>>,
    /// What a label tells: rare labels tell much.
    pub(crate) info: Vec<f64>,
    /// Series by label.
    pub(crate) postings: Vec<Vec<SeriesId>>,
    /// Scratch for sums over series: all zero between uses.
    pub(crate) sums: RefCell<Vec<f64>>,
    /// Sum of `info` over the labels of each series.
    pub(crate) total: Vec<f64>,
    /// Labels of the method that the paper proposes.
    pub(crate) own: Vec<LabelId>,
    /// Labels that stand where the own method's label stands in other values: the methods compared with.
    pub(crate) rivals: Vec<LabelId>,
    /// All labels of methods and variants: own, compared with, complete, and what stands in the same column as these.
    pub(crate) methods: std::collections::BTreeSet<LabelId>,
    /// Labels of the complete method in an ablation.
    pub(crate) full: Vec<LabelId>,
    /// Other wordings of labels that the paper defines: "expected calibration error" for `ece`.
    pub(crate) aliases: Vec<(LabelId, Vec<String>)>,
    /// Axis values with the names of their axes.
    pub(crate) axis_names: BTreeMap<LabelId, Vec<LabelId>>,
    /// Axis values in numerical order.
    axis_values: Vec<(Decimal, LabelId)>,
    /// Whether a label is what some series measures.
    pub(crate) measures: Vec<bool>,
    /// Whether the paper says somewhere that its numbers are means of runs.
    pub(crate) means_reported: bool,
}

impl<'a> Engine<'a> {
    pub(crate) fn new(paper: &'a Paper, evidence: &'a Evidence) -> Self {
        let lexicon = &evidence.lexicon;
        let count = evidence.series.len();
        let mut postings: Vec<Vec<SeriesId>> = vec![Vec::new(); lexicon.labels.len()];
        for (id, series) in (0..).zip(&evidence.series) {
            for label in &series.labels {
                if let Some(list) = postings.get_mut(index(*label)) {
                    list.push(id);
                }
            }
        }
        let info: Vec<f64> = lexicon
            .labels
            .iter()
            .zip(&postings)
            .map(|(label, list)| {
                let weight = label.weights.iter().copied().fold(0.0, f64::max);
                let generic = if weight < 0.35 && !label.words.is_empty() {
                    0.15
                } else {
                    1.0
                };
                (0.05 + (ratio(count + 1, list.len().max(1))).ln()) * generic
            })
            .collect();
        let total = evidence
            .series
            .iter()
            .map(|series| {
                series
                    .labels
                    .iter()
                    .map(|label| info.get(index(*label)).copied().unwrap_or(0.0))
                    .sum()
            })
            .collect();
        let mut axis_names: BTreeMap<LabelId, Vec<LabelId>> = BTreeMap::new();
        for slot in evidence
            .series
            .iter()
            .flat_map(|series| &series.slots)
            .filter(|slot| slot.kind == SlotKind::Axis)
        {
            let names = axis_names.entry(slot.label).or_default();
            if let Some(name) = slot.name.filter(|name| !names.contains(name)) {
                names.push(name);
            }
        }
        let mut axis_values: Vec<(Decimal, LabelId)> = axis_names
            .keys()
            .filter_map(|label| Some((Decimal::parse(&lexicon.label(*label)?.text)?, *label)))
            .collect();
        axis_values.sort_unstable();
        let mut engine = Self {
            axis_values,
            axis_names,
            measures: Vec::new(),
            paper,
            evidence,
            passages: Vec::new(),
            sections: Vec::new(),
            info,
            postings,
            total,
            sums: RefCell::new(vec![0.0; count]),
            own: Vec::new(),
            rivals: Vec::new(),
            methods: std::collections::BTreeSet::new(),
            aliases: Vec::new(),
            full: FULL.iter().filter_map(|name| lexicon.exact(name)).collect(),
            means_reported: false,
        };
        engine.aliases = acronyms(paper, evidence);
        let mut names = engine.own_names();
        engine.own = engine.own_labels(&names);
        for label in &engine.own {
            let compact = engine
                .evidence
                .lexicon
                .label(*label)
                .map(|label| label.compact.clone())
                .unwrap_or_default();
            if !names.contains(&compact) {
                names.push(compact);
            }
        }
        engine.rivals = engine.rival_labels();
        engine.methods = engine.method_labels();
        let mut measures = vec![false; lexicon.labels.len()];
        for label in evidence
            .series
            .iter()
            .filter_map(|series| engine.measure(series))
        {
            if let Some(flag) = measures.get_mut(index(label)) {
                *flag = true;
            }
        }
        engine.measures = measures;
        engine.analyse(&names);
        engine
    }

    pub(crate) fn series(&self, id: SeriesId) -> Option<&'a Series> {
        self.evidence.series.get(usize::try_from(id).ok()?)
    }

    /// What a series measures: the last key that is not the name of a method (`{"latency": {"ours": 3}}` measures latency).
    pub(crate) fn measure(&self, series: &Series) -> Option<LabelId> {
        // Only a method's name at the end needs a second look.
        if series
            .measure
            .is_some_and(|label| !self.methods.contains(&label))
        {
            return series.measure;
        }
        series
            .slots
            .iter()
            .rev()
            .filter(|slot| slot.kind == SlotKind::Key)
            .map(|slot| slot.label)
            .find(|label| !self.methods.contains(label))
            .or(series.measure)
    }

    pub(crate) fn label_text(&self, id: LabelId) -> &'a str {
        self.evidence
            .lexicon
            .label(id)
            .map_or("", |label| label.text.as_str())
    }

    pub(crate) fn info_of(&self, id: LabelId) -> f64 {
        self.info.get(index(id)).copied().unwrap_or(0.0)
    }

    /// Series that differ from this one only in one label: grouped by what is varied. Slots of different kinds count as
    /// different, the position in the path is the same.
    pub(crate) fn family(&self, id: SeriesId, slot: usize) -> Vec<SeriesId> {
        let Some(series) = self.series(id) else {
            return Vec::new();
        };
        let Some(own) = series.slots.get(slot) else {
            return Vec::new();
        };
        // Any label that stays the same narrows the search; take the rarest.
        let rarest = series
            .slots
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != slot)
            .map(|(_, slot)| slot.label)
            .min_by_key(|label| {
                self.postings
                    .get(index(*label))
                    .map_or(usize::MAX, Vec::len)
            });
        let all: Vec<SeriesId>;
        let pool: &[SeriesId] =
            if let Some(list) = rarest.and_then(|label| self.postings.get(index(label))) {
                list
            } else {
                all = (0..).take(self.evidence.series.len()).collect();
                &all
            };
        pool.iter()
            .copied()
            .filter(|other| {
                self.series(*other).is_some_and(|other| {
                    other.slots.len() == series.slots.len()
                        && other.count == series.count
                        && other
                            .slots
                            .iter()
                            .zip(&series.slots)
                            .enumerate()
                            .all(|(at, (a, b))| {
                                if at == slot {
                                    a.kind == own.kind && a.name == own.name
                                } else {
                                    a == b
                                }
                            })
                })
            })
            .collect()
    }

    /// The label of a value of an axis, however it is written: `1e-3` and `0.001`.
    pub(crate) fn axis_label(&self, value: Decimal) -> Option<LabelId> {
        let at = self
            .axis_values
            .partition_point(|(known, _)| *known < value);
        self.axis_values
            .get(at)
            .filter(|(known, _)| *known == value)
            .map(|(_, label)| *label)
    }

    pub(crate) fn analyse(&mut self, names: &[String]) {
        let lexicon = &self.evidence.lexicon;
        let own = self.own.clone();
        let aliases = std::mem::take(&mut self.aliases);
        let find = |text: &str, bare: bool| -> Vec<Mention> {
            let mut found = mentions(text, lexicon, bare);
            add_aliases(text, &aliases, &mut found);
            let alias: Vec<usize> = own_places(text, names);
            if !alias.is_empty() {
                for label in &own {
                    match found.iter_mut().find(|mention| mention.label == *label) {
                        Some(known) => {
                            known.strength = 1.0;
                            known.places.extend(&alias);
                            known.places.sort_unstable();
                            known.places.dedup();
                        }
                        None => found.push(Mention {
                            label: *label,
                            strength: 1.0,
                            places: alias.clone(),
                        }),
                    }
                }
            }
            found
        };
        let mut means = false;
        let mut passages = Vec::with_capacity(self.paper.passages.len());
        for passage in &self.paper.passages {
            let sentences = if passage.kind == PassageKind::Cell {
                let mut mentions = find(&passage.text, true);
                for number in scan(&passage.text).iter().filter(|number| !number.embedded) {
                    if let Some(label) = self.axis_label(number.value)
                        && !mentions
                            .iter()
                            .any(|mention| mention.label == label && mention.strength >= 1.0)
                    {
                        mentions.retain(|mention| mention.label != label);
                        mentions.push(Mention {
                            label,
                            strength: 1.0,
                            places: vec![number.range.start],
                        });
                    }
                }
                vec![Sentence {
                    start: 0,
                    end: passage.text.len(),
                    mentions,
                }]
            } else {
                passage
                    .sentences()
                    .into_iter()
                    .map(|range| {
                        let text = passage.text.get(range.clone()).unwrap_or("");
                        let mut mentions = find(text, false);
                        for mention in &mut mentions {
                            for place in &mut mention.places {
                                *place += range.start;
                            }
                        }
                        Sentence {
                            start: range.start,
                            end: range.end,
                            mentions,
                        }
                    })
                    .collect()
            };
            let lower = passage.text.to_lowercase();
            means |= [
                "averaged over",
                "mean over",
                "means over",
                "averages over",
                "average over",
                "mean of",
                "means of",
                "mean and standard",
                "mean ±",
            ]
            .iter()
            .any(|phrase| lower.contains(phrase));
            let numbers = if passage.kind == PassageKind::Other {
                Vec::new()
            } else {
                scan(&passage.text)
            };
            passages.push(Analysed { numbers, sentences });
        }
        self.passages = passages;
        self.sections = self
            .paper
            .sections
            .iter()
            .map(|title| find(title, false))
            .collect();
        self.means_reported = means;
    }
}

pub(crate) fn index(id: u32) -> usize {
    usize::try_from(id).unwrap_or(usize::MAX)
}

/// A quotient of two counts.
pub(crate) fn ratio(a: usize, b: usize) -> f64 {
    let float = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
    float(a) / float(b)
}
