//! Compares the cited authors with those of a record.

mod person;

use std::collections::BTreeSet;

use aris_contract::artifact::papers::{Paper, Source};
use aris_paper::names::{self, Name, NameMatch};
use aris_paper::titles;

use crate::thresholds::{FEW, INVENTED};
use person::{grade, is_comparable, is_group, name, people};

/// The result of comparing two author lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Number of cited names that were compared.
    pub cited: usize,
    /// Number of cited names that are authors of the record.
    pub matched: usize,
    /// Cited names with the family name of an author but another given name, each with that author.
    pub other_given: Vec<(String, String)>,
    /// Cited names that match no author.
    pub invented: Vec<String>,
    /// Authors whom the citation omits without saying so.
    pub missing: Vec<String>,
    /// Whether the order differs.
    pub reordered: bool,
    /// Whether the first cited author is not the first author.
    pub other_first: bool,
    /// Whether every author of the record is cited: then the record may lack the other cited names.
    pub all_theirs: bool,
    /// Number of invented names in whose place the record has somebody else. Versions of a work differ by added or removed names, not by one
    /// name in the place of another.
    pub replaced: usize,
    /// Number of given names that differ but may come from profiles: they do not count if another record can be compared.
    pub forgiven: usize,
    /// Whether the record names only the first author, as many publishers used to register works.
    pub first_only: bool,
}

/// The meaning of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// The same people.
    Same,
    /// The same people in another order.
    Reordered,
    /// All cited names are authors; some authors are omitted.
    Missing,
    /// At most half of the names are wrong.
    Partly,
    /// More than half of the names are not in the record.
    Invented,
    /// No cited name is an author.
    Disjoint,
}

impl Comparison {
    /// The meaning of the comparison.
    pub fn agreement(&self) -> Agreement {
        let wrong = self.invented.len() + self.other_given.len();
        if self.matched == 0 && self.other_given.is_empty() {
            Agreement::Disjoint
        } else if wrong * INVENTED > self.cited && !self.all_theirs {
            // A common family name proves nothing: "Y. Wang" is not "Meng Wang". But in a short list, another given name of one co-author
            // is a slip.
            if self.invented.is_empty() && self.cited <= FEW {
                Agreement::Partly
            } else {
                Agreement::Invented
            }
        } else if wrong > 0 {
            Agreement::Partly
        } else if !self.missing.is_empty() {
            Agreement::Missing
        } else if self.reordered {
            Agreement::Reordered
        } else {
            Agreement::Same
        }
    }

    /// How much is wrong, for choosing among the records of a work.
    fn weight(&self) -> (Agreement, usize) {
        (
            self.agreement(),
            self.invented.len() * 4
                + self.other_given.len() * 2
                + self.missing.len()
                + usize::from(self.reordered),
        )
    }
}

/// Compares with one record; `None` if the lists cannot be compared: one is empty, unreadable, or names a group without people.
pub fn compare(cited: &[Name], others: bool, record: &Paper) -> Option<Comparison> {
    let theirs: Vec<Name> = record.authors.iter().map(name).collect();
    let is_mixed = |list: &[Name]| list.iter().any(is_group);
    // An unreadable list is not guessed.
    if cited.is_empty() || theirs.is_empty() || cited.iter().any(|name| name.malformed) {
        return None;
    }
    // Names in two scripts are not compared: transliterations vary.
    let scripts = |list: &[Name]| -> BTreeSet<u32> {
        list.iter()
            .map(|name| titles::script(&name.display()))
            .collect()
    };
    if scripts(cited) != scripts(&theirs) {
        return None;
    }
    if is_mixed(cited) || is_mixed(&theirs) {
        // A group beside people stands for some of them, a group alone for all.
        let (a, b) = (people(cited), people(&theirs));
        if a.is_empty() || b.is_empty() {
            return None;
        }
        let mut found = lists(&a, true, &b, true);
        // The members of the group are unknown, so missing and invented names do not count; but if most names differ, the group does not
        // explain it.
        found.missing.clear();
        if found.agreement() < Agreement::Invented {
            found.invented.clear();
        }
        return (found.agreement() < Agreement::Invented).then_some(found);
    }
    let mut found = lists(cited, others, &theirs, record.authors_cut);
    let mut origins = record.origins.iter().map(|origin| origin.source);
    if !record.origins.is_empty() && origins.all(|source| source == Source::Openalex) {
        forgive(&mut found);
    }
    (found.cited > 0).then_some(found)
}

/// Ignores different given names with the same first letter: `OpenAlex` shows the name from the profile that it assigns to the author.
fn forgive(found: &mut Comparison) {
    let before = found.other_given.len();
    let first = |name: &str| name.chars().next();
    found
        .other_given
        .retain(|(yours, theirs)| first(yours) != first(theirs));
    found.forgiven = before - found.other_given.len();
    found.matched += found.forgiven;
}

/// Compares with all records of one work and returns the best match: versions of a preprint have different authors.
pub fn best<'a>(
    cited: &[Name],
    others: bool,
    records: impl Iterator<Item = &'a Paper>,
) -> Option<(Comparison, &'a Paper)> {
    records
        .filter_map(|record| Some((compare(cited, others, record)?, record)))
        .min_by_key(|(found, _)| (found.forgiven > 0, found.weight()))
}

fn lists(cited: &[Name], others: bool, theirs: &[Name], cut: bool) -> Comparison {
    let mut partner: Vec<Option<usize>> = vec![None; cited.len()];
    let mut taken = vec![false; theirs.len()];
    let mut pairs: Vec<(NameMatch, usize, usize)> = Vec::new();
    for (at, one) in cited.iter().enumerate() {
        for (place, two) in theirs.iter().enumerate() {
            pairs.extend(grade(one, two).map(|grade| (grade, at, place)));
        }
    }
    // The best matches first, so that one of two namesakes does not take the other's place.
    pairs.sort_unstable();
    for (_, at, place) in pairs {
        if let (Some(slot @ None), Some(taken @ false)) =
            (partner.get_mut(at), taken.get_mut(place))
        {
            *slot = Some(place);
            *taken = true;
        }
    }
    let mut found = Comparison {
        cited: cited.len(),
        ..Comparison::default()
    };
    let first_is_right = partner.first().is_some_and(Option::is_some);
    let in_order = partner.iter().flatten().is_sorted();
    let last_right = partner.iter().rposition(Option::is_some);
    for (at, (one, place)) in cited.iter().zip(&partner).enumerate() {
        if place.is_some() {
            found.matched += 1;
            continue;
        }
        let namesake = theirs.iter().enumerate().find(|(place, two)| {
            taken.get(*place) == Some(&false) && names::compare(one, two) == NameMatch::OtherGiven
        });
        match namesake {
            Some((place, two)) => {
                found.other_given.push((one.display(), two.display()));
                if let Some(slot) = taken.get_mut(place) {
                    *slot = true;
                }
            }
            // A name after the end of a cut list may be an author; a name between two of its names may not.
            None if cut
                && (at >= theirs.len()
                    || first_is_right && (!in_order || last_right < Some(at))) =>
            {
                found.cited -= 1;
            }
            // Another script, or characters that a source could not store: not comparable.
            None if theirs
                .iter()
                .zip(&taken)
                .any(|(two, taken)| !taken && !is_comparable(one, two)) =>
            {
                found.cited -= 1;
            }
            None => {
                found.invented.push(one.display());
                let before = partner.iter().take(at).rev().find_map(|place| *place);
                let after = partner.iter().skip(at).find_map(|place| *place);
                let from = before.map_or(0, |place| place + 1);
                let to = after.unwrap_or(theirs.len());
                let somebody = taken.iter().take(to).skip(from).any(|taken| !taken);
                found.replaced += usize::from(somebody);
            }
        }
    }
    if !others {
        found.missing = theirs
            .iter()
            .zip(&taken)
            .filter(|(_, taken)| !**taken)
            .map(|(two, _)| two)
            // Some sources name authors twice, or groups beside people.
            .filter(|two| {
                !is_group(two)
                    && cited
                        .iter()
                        .all(|one| is_comparable(one, two) && grade(one, two).is_none())
            })
            .map(Name::display)
            .collect();
    }
    found.reordered = !in_order;
    found.other_first = partner.first() != Some(&Some(0));
    found.all_theirs = !cut && taken.iter().all(|taken| *taken);
    found.first_only = found.all_theirs && theirs.len() == 1 && first_is_right;
    found
}

#[cfg(test)]
mod tests {
    use aris_contract::artifact::papers::Author;

    use super::*;

    fn check(cited: &str, theirs: &[&str]) -> Option<Agreement> {
        let list = names::parse_list(cited);
        let record = Paper {
            authors: theirs.iter().map(|name| Author::named(name)).collect(),
            ..Paper::default()
        };
        compare(&list.names, list.others, &record).map(|found| found.agreement())
    }

    #[test]
    fn lists_of_authors() {
        use Agreement::{Disjoint, Invented, Missing, Partly, Reordered, Same};
        let cases: [(&str, &[&str], Option<Agreement>); 17] = [
            (
                "A. Vaswani and N. Shazeer",
                &["Ashish Vaswani", "Noam Shazeer"],
                Some(Same),
            ),
            (
                "Vaswani, A. and others",
                &["Ashish Vaswani", "Noam Shazeer"],
                Some(Same),
            ),
            (
                "N. Shazeer and A. Vaswani",
                &["Ashish Vaswani", "Noam Shazeer"],
                Some(Reordered),
            ),
            (
                "Ashish Vaswani",
                &["Ashish Vaswani", "Noam Shazeer"],
                Some(Missing),
            ),
            (
                "L. van der Maaten and G. Hinton",
                &["Laurens Maaten", "Geoffrey E. Hinton"],
                Some(Same),
            ),
            ("Jürgen Müller", &["Juergen Mueller"], Some(Same)),
            (
                "Mikaela Angelina Uy and Leonidas Guibas",
                &["M. Uy", "Leonidas J. Guibas"],
                Some(Same),
            ),
            ("Yi Yang and Li Wei", &["Yang Yi", "Wei Li"], Some(Same)),
            ("Alexander Smirnov", &["Alex Smirnov"], Some(Same)),
            // One wrong given name among four is a slip.
            (
                "Jian He and Xiangyu Zhang and Shaoqing Ren and Jian Sun",
                &["Kaiming He", "Xiangyu Zhang", "Shaoqing Ren", "Jian Sun"],
                Some(Partly),
            ),
            (
                "Y. Deng and X. Chen and J. Zhao and Z. Wu",
                &["Yufan Liu", "Jiajiong Cao", "Bing Li", "Weiming Hu"],
                Some(Disjoint),
            ),
            (
                "H. Wang and X. Li and Q. Zhang",
                &["Hu Wang", "Yuanhong Chen", "Congbo Ma", "Jodie Avery"],
                Some(Invented),
            ),
            (
                "L. Zhou and Y. Zheng and T. Li and Y. Wang",
                &["Sijie Yan", "Yuanjun Xiong", "Meng Wang", "Wei Xia"],
                Some(Invented),
            ),
            ("{OpenAI}", &["Josh Achiam", "Steven Adler"], None),
            (
                "Gemini Team and Rohan Anil",
                &["Gemini Team", "Rohan Anil", "Sebastian Borgeaud"],
                Some(Same),
            ),
            ("Ada Lovelace", &[], None),
            (
                "Runjian Chen and Hang Zhang and Alex Wong",
                &["Runjian Chen", "Han Zhang", "Alex Wong"],
                Some(Same),
            ),
        ];
        for (cited, theirs, wanted) in cases {
            assert_eq!(check(cited, theirs), wanted, "{cited} / {theirs:?}");
        }
    }

    #[test]
    fn behind_the_end_of_a_cut_list_stands_anybody() {
        let list = names::parse_list("Ada Lovelace and Grace Hopper");
        let record = Paper {
            authors: vec![Author::named("Ada Lovelace")],
            authors_cut: true,
            ..Paper::default()
        };
        let found = compare(&list.names, false, &record).expect("compared");
        assert_eq!(found.agreement(), Agreement::Same);
    }
}
