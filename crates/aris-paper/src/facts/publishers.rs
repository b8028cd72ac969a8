//! Finds the publisher that owns a DOI's prefix, and whether the entry names another one.
//!
//! The table is small on purpose: common prefixes that belong to a single publisher. Without an entry in the table there is no
//! finding, neither for the prefix nor for the publisher's name. arXiv's 10.48550 is left out, because published papers are
//! often cited with the DOI of their preprint.
//!
//! **Source**: Crossref's prefix records, `https://api.crossref.org/prefixes/<prefix>`. A journal that changes its publisher
//! keeps its old DOIs, so such pairs are allowed.

use aris_contract::ids::Doi;

use super::{Fact, FactKind, fact, venue};
use crate::bib::{Field, Resolved};
use crate::tables::{row, table};
use crate::titles::normalise;

/// The publisher's name in messages.
type Publisher = &'static str;

/// Whether a journal moved from one of two publishers to the other.
fn is_succession(venue: &str, one: Publisher, other: Publisher) -> bool {
    let bare = venue.strip_prefix("the ").unwrap_or(venue);
    let publishers = row("successions", bare);
    publishers.contains(&one) && publishers.contains(&other)
}

/// Whether the entry's address shows this DOI on that publisher's site: the publisher took over the journal with its old
/// volumes.
fn is_shown_by(entry: &Resolved<'_>, doi: &Doi, publisher: Publisher) -> bool {
    let url = entry.text("url").unwrap_or_default().to_lowercase();
    url.contains(doi.folded()) && named_by(&normalise(&url)).contains(&publisher)
}

pub(super) fn check(entry: &Resolved<'_>, field: &Field, doi: &Doi, found: &mut Vec<Fact>) {
    let [owner] = row("publishers", doi.prefix()) else {
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
    // Joint venues (IEEE/ACM, ACM-SIAM) are published by either.
    named.dedup();
    let [only] = named.as_slice() else { return };
    if only == owner
        || row("usual publishers", owner).contains(only)
        || is_succession(&venue, owner, only)
        || is_shown_by(entry, doi, only)
    {
        return;
    }
    let message = format!("DOI {doi} belongs to {owner}, but the entry names {only}");
    found.push(fact(FactKind::DoiPublisherMismatch, field, message));
}

fn named(venue: &str) -> Vec<Publisher> {
    match row("publishers by whole name", venue) {
        [] => named_by(venue),
        publishers => publishers.to_vec(),
    }
}

fn named_by(text: &str) -> Vec<Publisher> {
    let padded = format!(" {text} ");
    let mut found: Vec<Publisher> = Vec::new();
    for (name, publishers) in table("publishers by name") {
        let new = publishers.iter().filter(|new| !found.contains(new));
        if padded.contains(&format!(" {name} ")) {
            found.extend(new.collect::<Vec<_>>());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::facts::tests::kinds;

    #[test]
    fn only_another_publisher_is_a_mismatch() {
        let cases: [(&str, &[&str]); 22] = [
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
            // It moved from MIT Press to Oxford, which gave new DOIs to the old volumes.
            (
                "journal = {The Quarterly Journal of Economics}, publisher = {MIT Press}, doi = {10.1093/qje/1}",
                &[],
            ),
            (
                "journal = {Systematic Biology}, publisher = {Oxford University Press}, doi = {10.1080/1}",
                &[],
            ),
            (
                "journal = {Quarterly Journal of Economics}, publisher = {Elsevier}, doi = {10.1093/qje/1}",
                &["doi_publisher_mismatch"],
            ),
            (
                "journal = {J. Foo}, publisher = {Wiley}, doi = {10.1007/s1-2}, url = {https://onlinelibrary.wiley.com/doi/10.1007/S1-2}",
                &[],
            ),
            (
                "journal = {J. Foo}, publisher = {Wiley}, doi = {10.1007/s1-2}, url = {https://onlinelibrary.wiley.com/doi/10.1002/x}",
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
