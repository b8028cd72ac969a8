//! Whether two names belong to the same person, and which names are not persons.

use aris_contract::artifact::papers::Author;
use aris_paper::names::{self, Name, NameMatch};

use crate::thresholds::SHORT_NAME;

/// A name with one of these words is a group.
const GROUP_WORDS: [&str; 25] = [
    "ai",
    "association",
    "collaboration",
    "committee",
    "company",
    "consortium",
    "corporation",
    "developers",
    "foundation",
    "group",
    "inc",
    "initiative",
    "institute",
    "investigators",
    "laboratory",
    "ltd",
    "network",
    "organisation",
    "organization",
    "organizers",
    "project",
    "research",
    "study",
    "team",
    "university",
];

/// How well two names match as the same person. Tolerates marks that sources garble (`V'ertesi`) and family names of several words.
pub(super) fn grade(one: &Name, two: &Name) -> Option<NameMatch> {
    match names::compare(one, two) {
        sure if sure <= NameMatch::Swapped => Some(sure),
        NameMatch::OtherGiven if is_short_for(one, two) => Some(NameMatch::Swapped),
        _ if shares_parts(one, two) || is_garbled(one, two) => Some(NameMatch::Swapped),
        _ => None,
    }
}

/// Whether two names can be compared by letters: both are in the same script.
pub(super) fn is_comparable(one: &Name, two: &Name) -> bool {
    let latin = |name: &Name| {
        aris_paper::titles::fold(&name.last)
            .chars()
            .filter(|c| c.is_alphabetic())
            .all(|c| c.is_ascii())
    };
    latin(one) == latin(two)
}

/// Whether the letters of two names are equal without punctuation and the second letters of umlauts: `Schoelkopf` and `Scholkopf`,
/// `V'ertesi` and `Vértesi`.
fn is_garbled(one: &Name, two: &Name) -> bool {
    let plain = |text: &str| {
        let mut out: String = aris_paper::titles::fold(text)
            .chars()
            .filter(|c| c.is_alphanumeric())
            .collect();
        for (long, short) in [("ae", "a"), ("oe", "o"), ("ue", "u")] {
            out = out.replace(long, short);
        }
        out
    };
    let spelt = |name: &Name| Name {
        last: plain(&name.family()),
        first: name.first.clone(),
        ..Name::default()
    };
    !plain(&one.family()).is_empty()
        && names::compare(&spelt(one), &spelt(two)) <= NameMatch::FamilyOnly
}

/// Whether all words of one full name, including initials, match words of the other: `Mikaela Angelina Uy` and `M. Uy`.
fn shares_parts(one: &Name, two: &Name) -> bool {
    let (a, b) = (words(&one.display()), words(&two.display()));
    let (short, long) = if a.len() <= b.len() {
        (&a, &b)
    } else {
        (&b, &a)
    };
    let mut full = 0;
    let all = short.len() >= 2
        && short.iter().all(|word| {
            let initial = word.chars().count() == 1;
            full += usize::from(!initial);
            long.iter()
                .any(|other| other == word || initial && other.starts_with(word.as_str()))
        });
    all && full >= 1
}

/// Whether one given name is a short form of the other: `Steven Hoi` and `Steven C. H. Hoi`, `Alex Smith` and `Alexander Smith`. One
/// given name must begin with the other, so `Tom` and `Thomas` do not match.
fn is_short_for(one: &Name, two: &Name) -> bool {
    let first = |name: &Name| words(&name.first).into_iter().next().unwrap_or_default();
    let (a, b) = (first(one), first(two));
    a.len() >= SHORT_NAME && b.len() >= SHORT_NAME && (a.starts_with(&b) || b.starts_with(&a))
}

/// The words of a text, without accents and in lower case.
fn words(text: &str) -> Vec<String> {
    let folded = aris_paper::titles::fold(text);
    let words = folded.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

pub(super) fn people(list: &[Name]) -> Vec<Name> {
    list.iter()
        .filter(|name| !is_group(name))
        .cloned()
        .collect()
}

pub(super) fn is_group(name: &Name) -> bool {
    if name.corporate {
        return true;
    }
    let folded = aris_paper::titles::fold(&name.display());
    let words = words(&name.display());
    let single = name.first.is_empty() && name.von.is_empty() && name.jr.is_empty();
    // A single word is a family name or a company; the names of `OpenAI` and `DeepSeek-AI` show that they are companies.
    single && folded.ends_with("ai") && folded.len() > 4
        || words.len() >= 2
            && words
                .iter()
                .any(|word| GROUP_WORDS.contains(&word.as_str()))
}

pub(super) fn name(author: &Author) -> Name {
    match (&author.family, &author.given) {
        (Some(family), Some(given)) => names::parse(&format!(
            "{}, {}",
            family.replace(',', " "),
            given.replace(',', " ")
        )),
        _ => names::parse(&author.name),
    }
}
