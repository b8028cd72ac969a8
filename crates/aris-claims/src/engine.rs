//! Paper and results side by side: mentions per sentence, label postings, and the paper's own method.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::decimal::Decimal;
use crate::evidence::{Evidence, SlotKind};
use crate::lexicon::LabelId;
use crate::mention::{Mention, mentions};
use crate::number::{Number, scan};
use crate::passage::{Paper, PassageKind};
use crate::series::{Series, SeriesId};
use crate::words;

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

/// Labels of a result tree that call a method the paper's own.
const OWN: &[&str] = &[
    "ours",
    "our",
    "proposed",
    "ourmethod",
    "oursfull",
    "proposedmethod",
];

/// Labels of result trees for the complete method.
const FULL: &[&str] = &[
    "full",
    "fullmodel",
    "complete",
    "default",
    "fullmethod",
    "fullsystem",
];

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

    /// The names that the paper gives its own method.
    fn own_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let mut add = |text: &str| {
            let compact = words::compact(text);
            let named = text.chars().any(char::is_uppercase) && compact.len() >= 2;
            if named && !names.contains(&compact) {
                names.push(compact);
            }
        };
        for passage in &self.paper.passages {
            let text = passage.text.as_str();
            match passage.kind {
                PassageKind::Title => {
                    if let Some((head, _)) = text.split_once(':')
                        && head.split_whitespace().count() <= 2
                    {
                        add(head.trim());
                    }
                }
                PassageKind::Cell => {
                    let lower = text.to_lowercase();
                    if let Some(at) = lower.find("(ours)").or_else(|| lower.find("(our")) {
                        add(text.get(..at).unwrap_or("").trim());
                    }
                }
                PassageKind::Abstract | PassageKind::Text => {
                    for verb in [
                        "present ",
                        "presents ",
                        "propose ",
                        "proposes ",
                        "introduce ",
                        "introduces ",
                        "describe ",
                        "describes ",
                        "develop ",
                        "develops ",
                        "called ",
                        "call it ",
                        "named ",
                        "dubbed ",
                        "termed ",
                    ] {
                        for (at, _) in text.match_indices(verb) {
                            let after = text.get(at + verb.len()..).unwrap_or("");
                            let name: String = after
                                .chars()
                                .take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '+'))
                                .collect();
                            // A name has a capital inside or is all capitals: `SparseGate`, `GSA`, or stands before a comma.
                            let rest = after.get(name.len()..).unwrap_or("");
                            let apart = rest.starts_with([',', '.', '(', ' ', '~']);
                            if apart
                                && name.chars().next().is_some_and(char::is_uppercase)
                                && name.chars().count() >= 3
                            {
                                add(&name);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        names
    }

    fn own_labels(&self, names: &[String]) -> Vec<LabelId> {
        let lexicon = &self.evidence.lexicon;
        let exact: Vec<LabelId> = OWN.iter().filter_map(|name| lexicon.exact(name)).collect();
        if !exact.is_empty() {
            return exact;
        }
        let mut own: Vec<LabelId> = Vec::new();
        for name in names {
            own.extend(lexicon.exact(name));
        }
        if own.is_empty() {
            own.extend(
                self.paper
                    .names
                    .iter()
                    .find_map(|name| lexicon.exact(&words::compact(name))),
            );
        }
        own.sort_unstable();
        own.dedup();
        own
    }

    fn method_labels(&self) -> std::collections::BTreeSet<LabelId> {
        let mut found: std::collections::BTreeSet<LabelId> = self
            .own
            .iter()
            .chain(&self.rivals)
            .chain(&self.full)
            .copied()
            .collect();
        for full in &self.full {
            for id in self
                .postings
                .get(index(*full))
                .map_or(&[][..], Vec::as_slice)
                .iter()
                .take(100)
            {
                let Some(series) = self.series(*id) else {
                    continue;
                };
                for at in series
                    .slots
                    .iter()
                    .enumerate()
                    .filter(|(_, slot)| slot.label == *full)
                    .map(|(at, _)| at)
                {
                    let name = series.slots.get(at).and_then(|slot| slot.name);
                    found.extend(
                        self.family(*id, at)
                            .iter()
                            .filter_map(|other| self.series(*other)?.slots.get(at))
                            .map(|slot| slot.label),
                    );
                    let column = self
                        .evidence
                        .series
                        .iter()
                        .flat_map(|series| &series.slots)
                        .filter(|slot| {
                            name.is_some() && slot.name == name && slot.kind == SlotKind::Column
                        });
                    found.extend(column.map(|slot| slot.label));
                }
            }
        }
        found
    }

    fn rival_labels(&self) -> Vec<LabelId> {
        let mut found: std::collections::BTreeSet<LabelId> = std::collections::BTreeSet::new();
        for own in &self.own {
            let list = self
                .postings
                .get(index(*own))
                .map_or(&[][..], Vec::as_slice);
            for id in list.iter().take(300) {
                let Some(series) = self.series(*id) else {
                    continue;
                };
                for slot in series
                    .slots
                    .iter()
                    .enumerate()
                    .filter(|(_, slot)| slot.label == *own)
                    .map(|(at, _)| at)
                {
                    found.extend(
                        self.family(*id, slot)
                            .iter()
                            .filter_map(|other| self.series(*other)?.slots.get(slot))
                            .map(|slot| slot.label),
                    );
                }
            }
        }
        // A path and a column often name the method twice, so that no single slot differs.
        for own in &self.own {
            let names: Vec<(SlotKind, Option<LabelId>)> = self
                .postings
                .get(index(*own))
                .map_or(&[][..], Vec::as_slice)
                .iter()
                .filter_map(|id| self.series(*id))
                .flat_map(|series| {
                    series
                        .slots
                        .iter()
                        .filter(|slot| slot.label == *own && slot.name.is_some())
                })
                .map(|slot| (slot.kind, slot.name))
                .collect();
            for slot in self.evidence.series.iter().flat_map(|series| &series.slots) {
                if slot.kind == SlotKind::Column && names.contains(&(slot.kind, slot.name)) {
                    found.insert(slot.label);
                }
            }
        }
        found
            .into_iter()
            .filter(|label| !self.own.contains(label))
            .collect()
    }

    fn analyse(&mut self, names: &[String]) {
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

/// Acronyms among the labels that the paper writes out: as many words in a row as letters, with these initials; two letters
/// need the acronym in brackets behind them.
fn acronyms(paper: &Paper, evidence: &Evidence) -> Vec<(LabelId, Vec<String>)> {
    let mut by_letters: BTreeMap<&str, Vec<LabelId>> = BTreeMap::new();
    for (id, label) in (0..).zip(&evidence.lexicon.labels) {
        for word in label.words.iter().filter(|word| {
            (2..=6).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_lowercase())
        }) {
            by_letters.entry(word).or_default().push(id);
        }
    }
    let mut found: Vec<(LabelId, Vec<String>)> = Vec::new();
    for passage in &paper.passages {
        let tokens = words::words(&passage.text);
        for start in 0..tokens.len() {
            let mut initials = String::new();
            for (length, token) in tokens.iter().skip(start).take(6).enumerate() {
                let next = passage.text.get(token.end..).unwrap_or("");
                let first_stop = length == 0 && words::is_stop(&token.text);
                if !token.raw.is_ascii()
                    || token.raw.bytes().any(|b| b.is_ascii_digit())
                    || first_stop
                {
                    break;
                }
                initials.extend(token.raw.chars().next());
                if words::is_stop(&token.text) {
                    continue;
                }
                let Some(labels) = by_letters.get(initials.as_str()) else {
                    continue;
                };
                let written = next.trim_start_matches([' ', '(', ':']).to_lowercase();
                let defined =
                    next.trim_start().starts_with('(') && written.starts_with(initials.as_str());
                let long = tokens
                    .iter()
                    .skip(start)
                    .take(length + 1)
                    .all(|token| token.raw.len() >= 3 || words::is_stop(&token.text));
                if length >= 1 && (defined || (initials.len() >= 3 && long)) {
                    let phrase: Vec<String> = tokens
                        .iter()
                        .skip(start)
                        .take(length + 1)
                        .map(|token| token.text.clone())
                        .collect();
                    for label in labels {
                        let rest = evidence.lexicon.label(*label).map(|label| {
                            label
                                .words
                                .iter()
                                .filter(|word| **word != initials)
                                .cloned()
                                .collect::<Vec<_>>()
                        });
                        let form: Vec<String> = phrase
                            .iter()
                            .cloned()
                            .chain(rest.unwrap_or_default())
                            .collect();
                        if !found
                            .iter()
                            .any(|(known, known_form)| known == label && *known_form == form)
                            && found.len() < 300
                        {
                            found.push((*label, form));
                        }
                    }
                }
            }
        }
    }
    // Rates are throughputs.
    for (id, label) in (0..).zip(&evidence.lexicon.labels) {
        if label.words.windows(2).any(|pair| {
            pair.first().is_some_and(|word| word == "per")
                && pair.get(1).is_some_and(|word| word == "second")
        }) {
            found.push((id, vec!["throughput".to_owned()]));
        }
    }
    found
}

/// The least part of a written-out acronym that mentions it: "calibration error" for "expected calibration error".
const LEAST_ALIAS: f64 = 0.6;

fn add_aliases(text: &str, aliases: &[(LabelId, Vec<String>)], found: &mut Vec<Mention>) {
    if aliases.is_empty() {
        return;
    }
    let tokens = words::words(text);
    for (label, form) in aliases {
        let Some(last) = form.last() else { continue };
        for (at, _) in tokens
            .iter()
            .enumerate()
            .filter(|(_, token)| token.text == *last)
        {
            let from = (at + 1).saturating_sub(form.len());
            let have = form
                .iter()
                .filter(|word| {
                    tokens
                        .get(from..=at)
                        .is_some_and(|window| window.iter().any(|token| token.text == **word))
                })
                .count();
            let share = ratio(have, form.len());
            let Some(place) = tokens
                .get(from)
                .map(|token| token.start)
                .filter(|_| share >= LEAST_ALIAS)
            else {
                continue;
            };
            match found.iter_mut().find(|mention| mention.label == *label) {
                Some(known) => {
                    known.strength = known.strength.max(share);
                    if !known.places.contains(&place) {
                        known.places.push(place);
                    }
                }
                None => found.push(Mention {
                    label: *label,
                    strength: share,
                    places: vec![place],
                }),
            }
        }
    }
}

/// Where a text names the paper's own method: `our`, `ours`, `we`, or one of its names.
fn own_places(text: &str, names: &[String]) -> Vec<usize> {
    let tokens = words::words(text);
    let mut places = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if matches!(token.raw.as_str(), "our" | "ours") {
            places.push(token.start);
            continue;
        }
        let mut joined = String::new();
        for next in tokens.iter().skip(at).take(4) {
            joined.push_str(&next.raw);
            if names.contains(&joined) {
                places.push(token.start);
                break;
            }
        }
    }
    places
}

pub(crate) fn index(id: u32) -> usize {
    usize::try_from(id).unwrap_or(usize::MAX)
}

/// A quotient of two counts.
pub(crate) fn ratio(a: usize, b: usize) -> f64 {
    let float = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
    float(a) / float(b)
}
