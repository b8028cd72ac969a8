//! What was named where, added up.

use std::collections::BTreeMap;

use aris_contract::ids::ArxivId;

use crate::grammar::{Hit, Named};

/// Different identifiers that are counted: twenty-odd million exist, and a text that names a million of them is not one.
pub(crate) const IDS: usize = 1 << 20;

/// A line that names an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    /// Position of the file in the list of files.
    pub(crate) file: usize,
    /// Line, from 1.
    pub(crate) line: u64,
}

/// How often something is named, and where first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mentions {
    /// All mentions.
    pub(crate) count: u64,
    /// Whether a mention says that it is an identifier.
    pub(crate) announced: bool,
    /// The first lines, ascending.
    pub(crate) spots: Vec<Spot>,
}

/// All that was named.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Identifiers that can exist.
    pub(crate) ids: BTreeMap<ArxivId, Mentions>,
    /// Announced ones that cannot, by their text, with the reason.
    pub(crate) impossible: BTreeMap<String, (String, Mentions)>,
    /// Whether there were more than [`IDS`].
    pub(crate) overflow: bool,
}

impl Tally {
    /// Adds a hit in `file`. `line` is asked only for the first `places` of an identifier; files must come in ascending order.
    pub(crate) fn add(
        &mut self,
        file: usize,
        hit: Hit,
        line: &mut dyn FnMut() -> u64,
        places: usize,
    ) {
        let full = self.ids.len() + self.impossible.len() >= IDS;
        let mentions = match hit.id {
            Named::Id(id) if full && !self.ids.contains_key(&id) => None,
            Named::Id(id) => Some(self.ids.entry(id).or_default()),
            Named::Impossible { text, .. } if full && !self.impossible.contains_key(&text) => None,
            Named::Impossible { text, why } => {
                let entry = self.impossible.entry(text);
                Some(&mut entry.or_insert_with(|| (why, Mentions::default())).1)
            }
        };
        let Some(mentions) = mentions else {
            self.overflow = true;
            return;
        };
        mentions.count += 1;
        mentions.announced |= hit.announced;
        if mentions.spots.len() < places {
            let spot = Spot { file, line: line() };
            if mentions.spots.last() != Some(&spot) {
                mentions.spots.push(spot);
            }
        }
    }

    /// Adds what another worker found in other files.
    pub(crate) fn merge(&mut self, other: Self, places: usize) {
        for (id, mentions) in other.ids {
            self.ids.entry(id).or_default().merge(mentions, places);
        }
        for (text, (why, mentions)) in other.impossible {
            let entry = self.impossible.entry(text);
            let (_, mine) = entry.or_insert_with(|| (why, Mentions::default()));
            mine.merge(mentions, places);
        }
        self.overflow |= other.overflow || self.ids.len() + self.impossible.len() > IDS;
    }
}

impl Mentions {
    fn merge(&mut self, other: Self, places: usize) {
        self.count += other.count;
        self.announced |= other.announced;
        self.spots.extend(other.spots);
        self.spots.sort_unstable();
        self.spots.truncate(places);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(text: &str, announced: bool) -> Hit {
        Hit {
            id: Named::Id(ArxivId::parse(text).expect("identifier")),
            announced,
        }
    }

    #[test]
    fn the_first_places_are_kept_however_the_files_were_dealt_out() {
        let id = ArxivId::parse("2401.00001").expect("identifier");
        let (mut even, mut odd) = (Tally::default(), Tally::default());
        for file in 0..10 {
            let tally = if file % 2 == 0 { &mut even } else { &mut odd };
            tally.add(file, hit("2401.00001", file == 7), &mut || 1, 3);
            tally.add(file, hit("2401.00001", false), &mut || 1, 3);
        }
        even.merge(odd, 3);
        let mentions = &even.ids[&id];
        let files: Vec<usize> = mentions.spots.iter().map(|spot| spot.file).collect();
        assert_eq!(files, [0, 1, 2]);
        assert_eq!((mentions.count, mentions.announced), (20, true));
    }

    #[test]
    fn lines_are_counted_only_where_they_are_kept() {
        let mut tally = Tally::default();
        let mut asked = 0;
        for line in 1..=10 {
            tally.add(
                0,
                hit("2401.00001", false),
                &mut || {
                    asked += 1;
                    line
                },
                2,
            );
        }
        assert_eq!(asked, 2);
    }
}
