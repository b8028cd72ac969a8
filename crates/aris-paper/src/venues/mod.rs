//! Names of venues: whether two can mean the same venue, and the kind of a venue.

use aris_contract::artifact::papers::Kind;

use crate::{tables, titles};

/// Result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VenueMatch {
    /// The same venue.
    Same,
    /// Two different venues.
    Different,
    /// Cannot be decided.
    Unknown,
}

/// Whether the name means a preprint server.
pub fn is_preprint(name: &str) -> bool {
    let normal = format!(" {} ", titles::normalise(name));
    let mut words = tables::words("preprint servers").iter();
    words.any(|word| normal.contains(&format!(" {word} ")))
}

/// Whether the name is a venue of the table.
pub fn is_known(name: &str) -> bool {
    venues(&titles::normalise(name)).next().is_some()
}

/// Compares two names of venues.
pub fn compare(cited: &str, theirs: &str) -> VenueMatch {
    let (a, b) = (titles::normalise(cited), titles::normalise(theirs));
    if a.is_empty() || b.is_empty() {
        return VenueMatch::Unknown;
    }
    // A workshop or the findings of a conference have the conference's name, but are another venue.
    let beside = ["workshop", "workshops", "findings", "companion", "track"];
    if beside.iter().any(|word| has(&a, word) || has(&b, word)) {
        return VenueMatch::Unknown;
    }
    if a == b {
        return VenueMatch::Same;
    }
    let [codes_a, codes_b] = [&a, &b].map(|name| venues(name).collect::<Vec<_>>());
    if !codes_a.is_empty() && !codes_b.is_empty() {
        return if codes_a.iter().any(|code| codes_b.contains(code)) {
            VenueMatch::Same
        } else {
            VenueMatch::Different
        };
    }
    let (words_a, words_b) = (words(&a), words(&b));
    if words_a.is_empty() || words_b.is_empty() {
        return VenueMatch::Unknown;
    }
    let shared = words_a
        .iter()
        .filter(|one| words_b.iter().any(|two| begins(one, two)))
        .count();
    if shared * 2 >= words_a.len().min(words_b.len()) && shared > 0 {
        VenueMatch::Same
    } else if shared == 0 && !is_initials(&a, &b) && !is_initials(&b, &a) {
        VenueMatch::Different
    } else {
        VenueMatch::Unknown
    }
}

/// The kind of the papers of this venue, if the name shows it.
///
/// **Source**: words that occur in the names of proceedings and journals.
pub fn kind(name: &str) -> Option<Kind> {
    if is_preprint(name) {
        return Some(Kind::Preprint);
    }
    let normal = titles::normalise(name);
    let any = |list: &str| tables::words(list).iter().any(|word| has(&normal, word));
    match venues(&normal).next() {
        Some(venue) if venue.starts_with("journal ") => Some(Kind::Article),
        Some(_) => Some(Kind::Proceedings),
        // The Proceedings of the IEEE are a journal.
        None if has(&normal, "proceedings of the ieee") || has(&normal, "proc ieee") => {
            Some(Kind::Article)
        }
        None if any("journals") => Some(Kind::Article),
        None if any("meetings") => Some(Kind::Proceedings),
        None => None,
    }
}

/// The venues of the table that occur in a name.
fn venues(normal: &str) -> impl Iterator<Item = &'static str> {
    let all = tables::table("venues").iter();
    let named = all.filter(move |(_, names)| names.iter().any(|name| has(normal, name)));
    named.map(|(venue, _)| *venue)
}

fn has(normal: &str, words: &str) -> bool {
    format!(" {normal} ").contains(&format!(" {words} "))
}

fn words(normal: &str) -> Vec<&str> {
    let common = tables::words("common in venues");
    normal
        .split(' ')
        .filter(|word| {
            word.len() >= 3 && !common.contains(word) && !word.bytes().all(|b| b.is_ascii_digit())
        })
        .collect()
}

/// Whether one word is the beginning of the other, as in abbreviations.
fn begins(one: &str, two: &str) -> bool {
    let short = one.len().min(two.len());
    short >= 3 && (one.starts_with(two) || two.starts_with(one))
}

/// Whether one name contains the initials of the other: `PNAS`, `TPAMI`.
fn is_initials(short: &str, long: &str) -> bool {
    let initials: String = long
        .split(' ')
        .filter(|word| !matches!(*word, "of" | "the" | "and" | "on" | "for" | "in"))
        .filter_map(|word| word.chars().next())
        .collect();
    initials.chars().count() >= 3
        && short.split(' ').any(|word| {
            word.chars().count() >= 3 && (initials.contains(word) || word.contains(&initials))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn venues() {
        use VenueMatch::{Different, Same, Unknown};
        let cases = [
            ("CVPR", "Computer Vision and Pattern Recognition", Same),
            (
                "Proceedings of the 36th International Conference on Machine Learning",
                "ICML",
                Same,
            ),
            (
                "NeurIPS",
                "Advances in Neural Information Processing Systems 30",
                Same,
            ),
            ("ICML", "Neural Information Processing Systems", Different),
            (
                "IEEE Trans. Biomed. Eng.",
                "IEEE Transactions on Biomedical Engineering",
                Same,
            ),
            (
                "Mathematics of Control, Signals and Systems",
                "Math. Control. Signals Syst.",
                Same,
            ),
            (
                "PNAS",
                "Proceedings of the National Academy of Sciences",
                Same,
            ),
            (
                "JCTC",
                "Journal of Chemical Theory and Computation",
                Unknown,
            ),
            (
                "Journal of Impossible Reference Checking",
                "Neural Information Processing Systems",
                Different,
            ),
            ("ICCV Workshops", "CVPR", Unknown),
            (
                "International Conference on Computer Vision",
                "European Conference on Computer Vision",
                Different,
            ),
            ("", "ICML", Unknown),
        ];
        for (one, two, wanted) in cases {
            assert_eq!(compare(one, two), wanted, "{one} / {two}");
            assert_eq!(compare(two, one), wanted, "{two} / {one}");
        }
        assert!(is_preprint("arXiv preprint arXiv:1706.03762") && !is_preprint("Nature"));
    }

    #[test]
    fn what_a_venue_is() {
        for (name, wanted) in [
            ("NeurIPS", Some(Kind::Proceedings)),
            ("Proc. of the 3rd Workshop on X", Some(Kind::Proceedings)),
            ("Proceedings of the IEEE", Some(Kind::Article)),
            ("Journal of Machine Learning Research", Some(Kind::Article)),
            ("Trans. Assoc. Comput. Linguistics", Some(Kind::Article)),
            ("Nat. Rev. Genet.", Some(Kind::Article)),
            ("arXiv preprint arXiv:1706.03762", Some(Kind::Preprint)),
            ("Nature", None),
            ("", None),
        ] {
            assert_eq!(kind(name), wanted, "{name}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_name_makes_it_panic(one in "\\PC{0,60}", two in "\\PC{0,60}") {
            compare(&one, &two);
            kind(&one);
        }
    }
}
