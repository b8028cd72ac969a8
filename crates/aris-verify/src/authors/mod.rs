//! The cited authors beside those of a record.

mod person;

use aris_contract::artifact::papers::{Paper, Source};
use aris_paper::names::{self, Name, NameMatch};

use crate::thresholds::{FEW, INVENTED};
use person::{grade, is_comparable, is_group, name, people};

/// What the comparison of two author lists gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Cited names that were compared.
    pub cited: usize,
    /// Cited names that are authors of the record.
    pub matched: usize,
    /// Cited names that share their family name with an author and not the given name, with that author.
    pub other_given: Vec<(String, String)>,
    /// Cited names that no author has.
    pub invented: Vec<String>,
    /// Authors whom the citation leaves out without saying so.
    pub missing: Vec<String>,
    /// The names stand in another order.
    pub reordered: bool,
    /// The first cited author is not the first author.
    pub other_first: bool,
    /// Every author of the record is cited: what is cited beside them may be what the record lacks.
    pub all_theirs: bool,
    /// Invented names in whose place the record has somebody else. Versions of a work differ by a name that came or went; a name in the place
    /// of another is no version.
    pub replaced: usize,
    /// Given names that differ, as those of profiles may: nothing follows from them where another record can be compared.
    pub forgiven: usize,
    /// The record names the first author alone, as many publishers once registered works.
    pub first_only: bool,
}

/// What a comparison means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// The same people.
    Same,
    /// The same people in another order.
    Reordered,
    /// Everybody who is named is an author; others are left out.
    Missing,
    /// Some names are not right: at most half of them.
    Partly,
    /// More than half of the names are not the record's.
    Invented,
    /// Nobody who is named is an author.
    Disjoint,
}

impl Comparison {
    /// What it means.
    pub fn agreement(&self) -> Agreement {
        let wrong = self.invented.len() + self.other_given.len();
        if self.matched == 0 && self.other_given.is_empty() {
            Agreement::Disjoint
        } else if wrong * INVENTED > self.cited && !self.all_theirs {
            // A family name that many people have is no agreement: "Y. Wang" is not "Meng Wang". One co-author with another given name
            // among few is a slip.
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

    /// How much is wrong, to choose among records of one work.
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

/// Compares with one record; `None` where one of the lists is empty or names a group, so that nothing follows.
pub fn compare(cited: &[Name], others: bool, record: &Paper) -> Option<Comparison> {
    let theirs: Vec<Name> = record.authors.iter().map(name).collect();
    let is_mixed = |list: &[Name]| list.iter().any(is_group);
    // A list that cannot be read is not guessed.
    if cited.is_empty() || theirs.is_empty() || cited.iter().any(|name| name.malformed) {
        return None;
    }
    if is_mixed(cited) || is_mixed(&theirs) {
        // A group beside people stands for some of them; a group alone stands for all.
        let (a, b) = (people(cited), people(&theirs));
        if a.is_empty() || b.is_empty() {
            return None;
        }
        let mut found = lists(&a, true, &b, true);
        // Who is behind the group is not known; where most are strangers, the group does not explain it.
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

/// Forgives other given names with the same first letter: `OpenAlex` shows the name of the profile that it believes the author's to be.
fn forgive(found: &mut Comparison) {
    let before = found.other_given.len();
    let first = |name: &str| name.chars().next();
    found
        .other_given
        .retain(|(yours, theirs)| first(yours) != first(theirs));
    found.forgiven = before - found.other_given.len();
    found.matched += found.forgiven;
}

/// Compares with the records of one work and takes the one that fits best: versions of a preprint have different authors.
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
    // The surest pairs first, so that one of two namesakes does not take the other's place.
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
            // Behind the end of a cut list stands anybody; between two of its names, nobody.
            None if cut
                && (at >= theirs.len()
                    || first_is_right && (!in_order || last_right < Some(at))) =>
            {
                found.cited -= 1;
            }
            // Another script, or signs that a source could not keep: not comparable.
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
            // Sources name some authors twice, and groups beside people.
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
