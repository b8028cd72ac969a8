//! The paper's own method and the methods it is compared with.

use crate::engine::{Engine, index};
use crate::evidence::SlotKind;
use crate::lexicon::LabelId;
use crate::passage::PassageKind;
use crate::words;

/// Labels of a result tree that call a method the paper's own.
pub(crate) const OWN: &[&str] = &[
    "ours",
    "our",
    "proposed",
    "ourmethod",
    "oursfull",
    "proposedmethod",
];

/// Labels of result trees for the complete method.
pub(crate) const FULL: &[&str] = &[
    "full",
    "fullmodel",
    "complete",
    "default",
    "fullmethod",
    "fullsystem",
];

impl Engine<'_> {
    /// The names that the paper gives its own method.
    pub(crate) fn own_names(&self) -> Vec<String> {
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

    pub(crate) fn own_labels(&self, names: &[String]) -> Vec<LabelId> {
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

    pub(crate) fn method_labels(&self) -> std::collections::BTreeSet<LabelId> {
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

    pub(crate) fn rival_labels(&self) -> Vec<LabelId> {
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
}

/// Where a text names the paper's own method: `our`, `ours`, `we`, or one of its names.
pub(crate) fn own_places(text: &str, names: &[String]) -> Vec<usize> {
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
