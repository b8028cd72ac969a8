//! Checks an entry's DOIs: their form, examples from templates, and what prefix and suffix say about publisher, venue and year.

use aris_contract::ids::{Doi, DoiError};

use super::{Fact, FactKind, fact, publishers, venue_codes};
use crate::bib::{Field, Resolved};
use crate::titles::fold;

/// Beginnings of DOIs in the addresses of resolvers.
const RESOLVERS: [&str; 2] = ["doi.org/10.", "doi.acm.org/10."];

/// DOIs printed in publishers' templates.
///
/// **Source**: ACM's `acmart` samples
const EXAMPLES: [&str; 4] = [
    "10.1145/1122445.1122456",
    "10.1145/3290605.nnnnnnn",
    "10.1145/8888888.7777777",
    "10.1145/nnnnnnn.nnnnnnn",
];

/// Crossref's prefix for tests. ACM's library uses it to number works that were never registered.
const UNREGISTERED: &str = "10.5555";

/// arXiv's own prefix at `DataCite`: a preprint's DOI does not contradict a published one.
const ARXIV: &str = "10.48550";

pub(super) fn check(entry: &Resolved<'_>, found: &mut Vec<Fact>) {
    if let Some(field) = entry.field("doi") {
        match parse(&field.verbatim()) {
            Ok(doi) => judge(entry, field, &doi, found),
            Err(error) => found.push(fact(refusal(&error), field, error.to_string())),
        }
    }
    contradiction(entry, found);
}

/// The DOIs in the fields that identify the entry, without duplicates.
pub fn identifiers(entry: &Resolved<'_>) -> Vec<Doi> {
    super::each_once(identifying(entry))
}

fn identifying<'a>(entry: &Resolved<'a>) -> Vec<(&'a Field, Doi)> {
    let mut found = Vec::new();
    if let Some(field) = entry.field("doi")
        && let Ok(doi) = parse(&field.verbatim())
    {
        found.push((field, doi));
    }
    if let Some(field) = entry.field("url") {
        let address = field.verbatim();
        let folded = address.to_ascii_lowercase();
        let at = RESOLVERS
            .iter()
            .find_map(|resolver| Some(folded.find(resolver)? + resolver.len() - "10.".len()));
        if let Some(doi) = at.and_then(|at| Doi::parse(address.get(at..)?).ok()) {
            found.push((field, doi));
        }
    }
    found
}

/// Parses the DOI in a `doi` field. An address before it is ignored.
fn parse(text: &str) -> Result<Doi, DoiError> {
    let at = text.find("10.").unwrap_or(0);
    Doi::parse(text.get(at..).unwrap_or(text))
}

fn refusal(error: &DoiError) -> FactKind {
    match error {
        DoiError::Registrant(text) | DoiError::NoSuffix(text) => {
            if is_crossed_out(text) {
                FactKind::DoiPlaceholder
            } else {
                FactKind::DoiMalformed
            }
        }
        DoiError::Shape(_) | DoiError::Space(_) => FactKind::DoiNotADoi,
    }
}

fn judge(entry: &Resolved<'_>, field: &Field, doi: &Doi, found: &mut Vec<Fact>) {
    if is_crossed_out(doi.suffix()) || EXAMPLES.contains(&doi.folded()) {
        let message = format!("DOI {doi} is a template's example, not this work's");
        found.push(fact(FactKind::DoiPlaceholder, field, message));
        return;
    }
    if doi.prefix() == UNREGISTERED {
        let message = format!(
            "DOI {doi} is an internal number of the publisher and resolves nowhere; drop it"
        );
        found.push(fact(FactKind::DoiUnregistered, field, message));
        return;
    }
    let by_code = venue_codes::check(entry, field, doi, found);
    if !by_code {
        publishers::check(entry, field, doi, found);
    }
}

/// Whether letters take the place of digits: `xxxxxxx.xxxxxxx`, `nnnnnnn.nnnnnnn`, `10.XXXX/…`.
fn is_crossed_out(text: &str) -> bool {
    let letters = fold(text);
    let body = letters.strip_prefix("10.").unwrap_or(&letters);
    let filler = |part: &str| {
        part.len() >= 4 && (part.bytes().all(|b| b == b'x') || part.bytes().all(|b| b == b'n'))
    };
    body.split(['.', '/', '-', '_']).any(filler)
}

fn contradiction(entry: &Resolved<'_>, found: &mut Vec<Fact>) {
    let all = identifying(entry);
    let [(_, first), (field, other)] = all.as_slice() else {
        return;
    };
    // Unregistered numbers and preprints may occur beside the published DOI.
    let special = |doi: &Doi| matches!(doi.prefix(), UNREGISTERED | ARXIV);
    if first != other && !special(first) && !special(other) {
        let message = format!("`doi` says {first} and `{}` says {other}", field.name);
        found.push(fact(FactKind::DoisContradict, field, message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bib;
    use crate::facts::tests::kinds;

    #[test]
    fn shapes_examples_and_contradictions() {
        let cases: [(&str, &[&str]); 20] = [
            ("doi = {10.1145/3394486.3403088}", &[]),
            ("doi = {https://doi.org/10.1145/3394486.3403088}", &[]),
            ("doi = {http://doi.acm.org/10.1145/1137627.1137631}", &[]),
            (r"doi = {10.1007/978-3-030-58452-8\_13}", &[]),
            ("doi = {10.12/abc}", &["doi_malformed"]),
            ("doi = {10.1145}", &["doi_malformed"]),
            ("doi = {n/a}", &["doi_not_a_doi"]),
            ("doi = {10.1145/a b}", &["doi_not_a_doi"]),
            ("doi = {10.1145/nnnnnnn.nnnnnnn}", &["doi_placeholder"]),
            ("doi = {10.1145/1122445.1122456}", &["doi_placeholder"]),
            ("doi = {10.xxxx/xxxxx}", &["doi_placeholder"]),
            ("doi = {10.1109/XXXX.2023.XXXXXXX}", &["doi_placeholder"]),
            ("doi = {10.5555/3295222.3295349}", &["doi_unregistered"]),
            ("doi = {10.1145/1}, url = {https://doi.org/10.1145/1}", &[]),
            (
                "doi = {10.1145/1}, url = {https://dx.doi.org/10.1145/2}",
                &["dois_contradict"],
            ),
            (
                "doi = {10.1145/AB}, url = {https://doi.org/10.1145/ab}",
                &[],
            ),
            (
                "doi = {10.1145/1}, url = {https://doi.org/10.48550/arXiv.1706.03762}",
                &[],
            ),
            (
                "doi = {10.1145/1}, url = {https://example.org/10.1145/2}",
                &[],
            ),
            ("doi = {10.1002/nnn.123}", &[]),
            ("doi = {10.1000/matrixx}", &[]),
        ];
        for (fields, ids) in cases {
            assert_eq!(kinds(&format!("@misc{{k, {fields}}}")), ids, "{fields}");
        }
    }

    #[test]
    fn identifiers_are_listed_once() {
        let read = bib::read("@misc{k, doi = {10.1145/AB}, url = {https://doi.org/10.1145/ab}}");
        let index = bib::Index::new([&read]);
        assert_eq!(identifiers(&index.resolve(&read.entries[0])).len(), 1);
    }
}
