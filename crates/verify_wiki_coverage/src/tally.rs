//! Adds up the identifiers and where they occur.

use std::collections::BTreeMap;

use crate::grammar::{Hit, Named};

/// Most different identifiers. Some twenty million exist, but a file set that contains a million of them is not text.
pub(crate) const IDS: usize = 1 << 20;

/// A line that names an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    /// Index of the file in the list of files.
    pub(crate) file: usize,
    /// Line, from 1.
    pub(crate) line: u64,
}

/// How often an identifier occurs, and its first lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mentions {
    /// Number of mentions.
    pub(crate) count: u64,
    /// Whether a mention announces it.
    pub(crate) announced: bool,
    /// The first lines, in ascending order.
    pub(crate) spots: Vec<Spot>,
}

/// All identifiers found.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Valid identifiers, then impossible ones.
    pub(crate) named: BTreeMap<Named, Mentions>,
    /// Whether there were more than [`IDS`].
    pub(crate) overflow: bool,
}

impl Tally {
    /// Adds a hit in `file`. `line` is called only for the first `places` hits of an identifier; files must come in ascending
    /// order.
    pub(crate) fn add(
        &mut self,
        file: usize,
        hit: Hit,
        line: &mut dyn FnMut() -> u64,
        places: usize,
    ) {
        if self.named.len() >= IDS && !self.named.contains_key(&hit.id) {
            self.overflow = true;
            return;
        }
        let mentions = self.named.entry(hit.id).or_default();
        mentions.count += 1;
        mentions.announced |= hit.announced;
        if mentions.spots.len() < places {
            let spot = Spot { file, line: line() };
            if mentions.spots.last() != Some(&spot) {
                mentions.spots.push(spot);
            }
        }
    }

    /// Adds the results of another worker, from other files.
    pub(crate) fn merge(&mut self, other: Self, places: usize) {
        for (named, mentions) in other.named {
            self.named.entry(named).or_default().merge(mentions, places);
        }
        self.overflow |= other.overflow || self.named.len() > IDS;
    }

    /// Handles identifiers of later months than `now` (year, month): announced ones become impossible, bare ones are dropped.
    pub(crate) fn without_those_after(self, now: (u16, u8)) -> BTreeMap<Named, Mentions> {
        let known = self.named.into_iter();
        let known = known.filter_map(|(named, mentions)| match named {
            Named::Id(id) if id.year_month() > now => {
                let why =
                    format!("arXiv identifier `{id}` cannot exist: its month has not come yet");
                let text = id.to_string();
                let named = Named::Impossible { text, why };
                mentions.announced.then_some((named, mentions))
            }
            named => Some((named, mentions)),
        });
        known.collect()
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
    use aris_contract::ids::ArxivId;

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
        let mentions = &even.named[&Named::Id(id)];
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
