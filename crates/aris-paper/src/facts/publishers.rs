//! Which publisher a DOI prefix belongs to, and whether the entry names another one.
//!
//! The table is small on purpose: prefixes that one publisher owns and that are met often. A prefix that is not in
//! it says nothing, and an entry that names no publisher of the table says nothing either. arXiv's 10.48550 is left
//! out: published papers are often cited with the DOI of their preprint.
//!
//! **Source**: Crossref's prefix records, `https://api.crossref.org/prefixes/<prefix>`. A journal that changes its
//! publisher keeps its old DOIs, hence the pairs let pass below.

use aris_contract::ids::Doi;

use super::{Fact, FactKind, fact, venue};
use crate::bib::{Field, Resolved};
use crate::titles::normalise;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Publisher {
    Aaai,
    Aaas,
    Acl,
    Acm,
    Aps,
    Elsevier,
    Ieee,
    Ijcai,
    Joss,
    Mdpi,
    MitPress,
    Oup,
    Plos,
    Pnas,
    Siam,
    SpringerNature,
    TaylorFrancis,
    Wiley,
}

const PREFIXES: [(&str, Publisher); 20] = [
    ("10.1002", Publisher::Wiley),
    ("10.1007", Publisher::SpringerNature),
    ("10.1016", Publisher::Elsevier),
    ("10.1038", Publisher::SpringerNature),
    ("10.1073", Publisher::Pnas),
    ("10.1080", Publisher::TaylorFrancis),
    ("10.1093", Publisher::Oup),
    ("10.1103", Publisher::Aps),
    ("10.1109", Publisher::Ieee),
    ("10.1111", Publisher::Wiley),
    ("10.1126", Publisher::Aaas),
    ("10.1137", Publisher::Siam),
    ("10.1145", Publisher::Acm),
    ("10.1162", Publisher::MitPress),
    ("10.1371", Publisher::Plos),
    ("10.1609", Publisher::Aaai),
    ("10.18653", Publisher::Acl),
    ("10.21105", Publisher::Joss),
    ("10.24963", Publisher::Ijcai),
    ("10.3390", Publisher::Mdpi),
];

/// Words (normal form, whole words) in a venue or publisher field that name a publisher of the table.
const NAMES: [(&str, Publisher); 34] = [
    ("aaai", Publisher::Aaai),
    ("acl", Publisher::Acl),
    ("acm", Publisher::Acm),
    ("association for computational linguistics", Publisher::Acl),
    ("association for computing machinery", Publisher::Acm),
    ("elsevier", Publisher::Elsevier),
    ("emnlp", Publisher::Acl),
    ("ieee", Publisher::Ieee),
    ("ijcai", Publisher::Ijcai),
    (
        "institute of electrical and electronics engineers",
        Publisher::Ieee,
    ),
    ("journal of open source software", Publisher::Joss),
    (
        "lecture notes in computer science",
        Publisher::SpringerNature,
    ),
    ("mdpi", Publisher::Mdpi),
    ("mit press", Publisher::MitPress),
    ("naacl", Publisher::Acl),
    ("national academy of sciences", Publisher::Pnas),
    ("nature biotechnology", Publisher::SpringerNature),
    ("nature communications", Publisher::SpringerNature),
    ("nature machine intelligence", Publisher::SpringerNature),
    ("nature medicine", Publisher::SpringerNature),
    ("nature methods", Publisher::SpringerNature),
    ("nature physics", Publisher::SpringerNature),
    ("oxford university press", Publisher::Oup),
    ("physical review", Publisher::Aps),
    ("plos", Publisher::Plos),
    ("pnas", Publisher::Pnas),
    ("science advances", Publisher::Aaas),
    ("science robotics", Publisher::Aaas),
    ("scientific reports", Publisher::SpringerNature),
    ("siam", Publisher::Siam),
    (
        "society for industrial and applied mathematics",
        Publisher::Siam,
    ),
    ("springer", Publisher::SpringerNature),
    ("taylor and francis", Publisher::TaylorFrancis),
    ("wiley", Publisher::Wiley),
];

/// Whole venue names that name a publisher only when nothing else stands beside them.
const WHOLE_NAMES: [(&str, Publisher); 2] = [
    ("nature", Publisher::SpringerNature),
    ("science", Publisher::Aaas),
];

/// Journals that were handed from one publisher to another, in normal form, and these publishers: an article keeps the DOI of its time, or gets
/// the newer one, and either publisher is named rightly.
///
/// **Source**: Crossref, `https://api.crossref.org/journals/<ISSN>/works`, whose records of one journal carry the prefixes of all of them; the
/// announcements of the societies that own the journals.
const SUCCESSIONS: [(&str, &[Publisher]); 35] = {
    use Publisher::{Elsevier, MitPress, Oup, SpringerNature, TaylorFrancis, Wiley};
    [
        ("advances in nutrition", &[Oup, Elsevier]),
        ("american journal of clinical nutrition", &[Oup, Elsevier]),
        (
            "american journal of hypertension",
            &[Elsevier, SpringerNature, Oup],
        ),
        ("american journal of transplantation", &[Wiley, Elsevier]),
        ("annals of oncology", &[Oup, SpringerNature, Elsevier]),
        ("british journal of anaesthesia", &[Oup, Elsevier]),
        (
            "bulletin of mathematical biology",
            &[Elsevier, SpringerNature],
        ),
        ("cardiovascular research", &[Elsevier, Oup]),
        (
            "clinical pharmacology and therapeutics",
            &[Elsevier, SpringerNature, Wiley],
        ),
        ("cognitive science", &[Elsevier, TaylorFrancis, Wiley]),
        ("embo journal", &[Oup, SpringerNature, Wiley]),
        ("embo reports", &[Oup, SpringerNature, Wiley]),
        ("european heart journal", &[Elsevier, Oup]),
        ("european journal of heart failure", &[Elsevier, Oup, Wiley]),
        ("febs letters", &[Elsevier, Wiley]),
        ("fems microbiology ecology", &[Elsevier, Wiley, Oup]),
        ("fems microbiology letters", &[Elsevier, Wiley, Oup]),
        ("fems microbiology reviews", &[Elsevier, Wiley, Oup]),
        ("genetics in medicine", &[SpringerNature, Elsevier]),
        (
            "journal of investigative dermatology",
            &[Wiley, SpringerNature, Elsevier],
        ),
        ("journal of nutrition", &[Oup, Elsevier]),
        (
            "journal of the american medical informatics association",
            &[Elsevier, Oup],
        ),
        (
            "journal of the european economic association",
            &[MitPress, Wiley, Oup],
        ),
        ("journal of thrombosis and haemostasis", &[Wiley, Elsevier]),
        ("kidney international", &[Wiley, SpringerNature, Elsevier]),
        ("laboratory investigation", &[SpringerNature, Elsevier]),
        ("modern pathology", &[SpringerNature, Elsevier]),
        ("molecular plant", &[Oup, Elsevier]),
        ("molecular systems biology", &[SpringerNature, Wiley]),
        ("molecular therapy", &[SpringerNature, Elsevier]),
        ("mucosal immunology", &[SpringerNature, Elsevier]),
        ("neuropsychopharmacology", &[Elsevier, SpringerNature]),
        ("obesity", &[SpringerNature, Wiley]),
        ("poultry science", &[Oup, Elsevier]),
        ("quarterly journal of economics", &[MitPress, Oup]),
    ]
};

/// Whether a journal was handed from one of two publishers to the other.
fn is_succession(venue: &str, one: Publisher, other: Publisher) -> bool {
    let bare = venue.strip_prefix("the ").unwrap_or(venue);
    SUCCESSIONS.iter().any(|(name, publishers)| {
        *name == bare && publishers.contains(&one) && publishers.contains(&other)
    })
}

pub(super) fn check(entry: &Resolved<'_>, field: &Field, doi: &Doi, found: &mut Vec<Fact>) {
    let Ok(index) = PREFIXES.binary_search_by_key(&doi.prefix(), |row| row.0) else {
        return;
    };
    let Some((_, owner)) = PREFIXES.get(index) else {
        return;
    };
    let venue = venue(entry)
        .map(|field| normalise(&field.text))
        .unwrap_or_default();
    let mut named = named(&venue);
    named.extend(
        entry
            .text("publisher")
            .map(normalise)
            .iter()
            .flat_map(|text| named_by(text)),
    );
    // Joint venues (IEEE/ACM, ACM-SIAM) appear with either.
    named.dedup();
    let [only] = named.as_slice() else { return };
    if only == owner || is_usual(*owner, *only) || is_succession(&venue, *owner, *only) {
        return;
    }
    let message = format!(
        "DOI {doi} belongs to {}, but the entry names {}",
        owner.display(),
        only.display()
    );
    found.push(fact(FactKind::DoiPublisherMismatch, field, message));
}

fn named(venue: &str) -> Vec<Publisher> {
    match WHOLE_NAMES.iter().find(|row| row.0 == venue) {
        Some((_, publisher)) => vec![*publisher],
        None => named_by(venue),
    }
}

fn named_by(text: &str) -> Vec<Publisher> {
    let padded = format!(" {text} ");
    let mut found: Vec<Publisher> = Vec::new();
    for (name, publisher) in NAMES {
        if padded.contains(&format!(" {name} ")) && !found.contains(&publisher) {
            found.push(publisher);
        }
    }
    found
}

/// Pairs of owner and named publisher that occur rightly.
fn is_usual(owner: Publisher, named: Publisher) -> bool {
    matches!(
        (owner, named),
        // TACL and Computational Linguistics are the association's and appear with MIT Press.
        (Publisher::MitPress, Publisher::Acl)
            // Societies' proceedings in Springer's series, and their journals with large houses.
            | (Publisher::SpringerNature, Publisher::Ieee | Publisher::Acm | Publisher::Aaai)
            | (Publisher::Elsevier | Publisher::Wiley | Publisher::Oup, Publisher::Acm | Publisher::Ieee)
            // Conferences that the two societies hold in turn, cited with the other's name.
            | (Publisher::Acm, Publisher::Ieee)
            | (Publisher::Ieee, Publisher::Acm)
            // AAAI Press printed IJCAI's proceedings.
            | (Publisher::Ijcai, Publisher::Aaai)
            | (Publisher::Aaai, Publisher::Ijcai)
            // Wiley and Oxford have exchanged journals; old records keep the other's name.
            | (Publisher::Wiley, Publisher::Oup)
            | (Publisher::Oup, Publisher::Wiley)
    )
}

impl Publisher {
    fn display(self) -> &'static str {
        match self {
            Self::Aaai => "AAAI",
            Self::Aaas => "AAAS (Science)",
            Self::Acl => "ACL",
            Self::Acm => "ACM",
            Self::Aps => "the American Physical Society",
            Self::Elsevier => "Elsevier",
            Self::Ieee => "IEEE",
            Self::Ijcai => "IJCAI",
            Self::Joss => "the Journal of Open Source Software",
            Self::Mdpi => "MDPI",
            Self::MitPress => "MIT Press",
            Self::Oup => "Oxford University Press",
            Self::Plos => "PLOS",
            Self::Pnas => "PNAS",
            Self::Siam => "SIAM",
            Self::SpringerNature => "Springer Nature",
            Self::TaylorFrancis => "Taylor & Francis",
            Self::Wiley => "Wiley",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::tests::kinds;

    #[test]
    fn tables_are_sorted_for_the_search() {
        assert!(PREFIXES.is_sorted_by_key(|row| row.0));
        assert!(NAMES.is_sorted_by_key(|row| row.0));
    }

    #[test]
    fn only_another_publisher_is_a_mismatch() {
        let cases: [(&str, &[&str]); 19] = [
            ("journal = {Nature}, doi = {10.1038/nature14539}", &[]),
            (
                "journal = {Nature}, doi = {10.1126/science.1}",
                &["doi_publisher_mismatch"],
            ),
            (
                "journal = {Science}, doi = {10.1038/nature14539}",
                &["doi_publisher_mismatch"],
            ),
            (
                "journal = {Nature and Science of Sleep}, doi = {10.1016/j.x.1}",
                &[],
            ),
            (
                "journal = {IEEE Internet Computing}, doi = {10.1109/MIC.2008.67}",
                &[],
            ),
            ("journal = {IEEE Access}, doi = {10.1016/j.x.1}", &[]),
            (
                "journal = {Physical Review Letters}, doi = {10.1016/j.x.1}",
                &["doi_publisher_mismatch"],
            ),
            (
                "journal = {SIAM Review}, doi = {10.1145/1}",
                &["doi_publisher_mismatch"],
            ),
            (
                "booktitle = {ACM-SIAM Symposium on Discrete Algorithms}, doi = {10.1145/1}",
                &[],
            ),
            ("booktitle = {IEEE/ACM ICSE}, doi = {10.1145/1}", &[]),
            (
                "journal = {Transactions of the Association for Computational Linguistics}, doi = {10.1162/tacl.1}",
                &[],
            ),
            (
                "booktitle = {Proc. of ACL}, doi = {10.1016/j.x.1}",
                &["doi_publisher_mismatch"],
            ),
            (
                "journal = {Proc. of the National Academy of Sciences}, doi = {10.1073/pnas.1}",
                &[],
            ),
            (
                "journal = {J. Foo}, publisher = {Elsevier BV}, doi = {10.1007/s1-2}",
                &["doi_publisher_mismatch"],
            ),
            ("journal = {J. Foo}, doi = {10.1007/s1-2}", &[]),
            ("journal = {PLoS ONE}, doi = {10.31083/j.rcm.1}", &[]),
            // It went from MIT Press to Oxford, which gave new DOIs to the old volumes.
            (
                "journal = {The Quarterly Journal of Economics}, publisher = {MIT Press}, doi = {10.1093/qje/1}",
                &[],
            ),
            (
                "journal = {Quarterly Journal of Economics}, publisher = {Elsevier}, doi = {10.1093/qje/1}",
                &["doi_publisher_mismatch"],
            ),
            (
                "journal = {Clinical Pharmacology \\& Therapeutics}, publisher = {Nature, Springer}, doi = {10.1002/cpt.1}",
                &[],
            ),
        ];
        for (fields, ids) in cases {
            assert_eq!(kinds(&format!("@article{{k, {fields}}}")), ids, "{fields}");
        }
    }
}
