//! Checks an entry's arXiv identifiers against the numbering scheme, the calendar and each other.

use aris_contract::ids::{ArxivId, ArxivIdError, ArxivMention, arxiv_mentions};

use super::{Fact, FactKind, Month, fact, venue, year};
use crate::bib::{Field, Resolved};
use crate::titles::fold;

/// Fields that identify the entry's own work. A note may mention another paper.
const IDENTIFYING: [&str; 6] = [
    "eprint",
    "doi",
    "url",
    "journal",
    "journaltitle",
    "howpublished",
];

/// All fields whose identifiers are checked.
const JUDGED: [&str; 9] = [
    "eprint",
    "doi",
    "url",
    "journal",
    "journaltitle",
    "howpublished",
    "note",
    "booktitle",
    "number",
];

pub(super) fn check(entry: &Resolved<'_>, now: Month, found: &mut Vec<Fact>) {
    let mut seen: Vec<String> = Vec::new();
    for name in JUDGED {
        let Some(field) = entry.field(name) else {
            continue;
        };
        if has_placeholder(&field.text) {
            let message = format!(
                "`{}` holds a placeholder where an arXiv identifier belongs",
                field.text
            );
            found.push(fact(FactKind::ArxivIdPlaceholder, field, message));
        }
        for id in mentions(entry, field) {
            let text = match &id {
                Ok(id) => id.as_str().to_owned(),
                Err(error) => error.to_string(),
            };
            // The same identifier in `eprint` and `url` is one fact, not two.
            if seen.contains(&text) {
                continue;
            }
            seen.push(text);
            judge(entry, field, id, now, found);
        }
    }
    contradictions(entry, found);
}

/// The arXiv papers in the fields that identify the entry, without duplicates and versions.
pub fn identifiers(entry: &Resolved<'_>) -> Vec<ArxivId> {
    super::each_once(identifying(entry))
}

fn identifying<'a>(entry: &Resolved<'a>) -> Vec<(&'a Field, ArxivId)> {
    IDENTIFYING
        .into_iter()
        .filter_map(|name| entry.field(name))
        .flat_map(|field| {
            mentions(entry, field)
                .into_iter()
                .map(move |id| (field, id))
        })
        .filter_map(|(field, id)| Some((field, id.ok()?.without_version())))
        .collect()
}

/// The identifiers in a field. An `eprint` needs no `arXiv:` prefix, nor does DBLP's `journal = {CoRR}` with `volume =
/// {abs/…}`.
fn mentions(entry: &Resolved<'_>, field: &Field) -> Vec<Result<ArxivId, ArxivIdError>> {
    let text = field.verbatim();
    if field.name == "eprint" {
        let kind = ["archiveprefix", "eprinttype"]
            .into_iter()
            .find_map(|name| entry.text(name));
        let is_arxiv = kind.is_some_and(|kind| fold(kind) == "arxiv");
        let parsed = ArxivId::parse(&text);
        return match (&parsed, kind) {
            // An eprint of another archive, or an address without an identifier.
            (_, Some(_)) if !is_arxiv => Vec::new(),
            (Err(ArxivIdError::Shape(_)), None) => Vec::new(),
            // A subject class alone (`eprint = {cs.CL}` beside a URL), the word `arxiv` and a row of `x` are no identifiers.
            (Err(ArxivIdError::Shape(_)), _) if !text.bytes().any(|b| b.is_ascii_digit()) => {
                Vec::new()
            }
            _ => vec![parsed],
        };
    }
    let announced = |mention: ArxivMention| mention.id;
    let mut ids: Vec<_> = arxiv_mentions(&text).into_iter().map(announced).collect();
    if matches!(field.name.as_str(), "journal" | "journaltitle")
        && fold(&text) == "corr"
        && let Some(id) = entry.field("volume").map(Field::verbatim)
        && let Some(id) = id.strip_prefix("abs/")
    {
        ids.push(ArxivId::parse(id));
    }
    ids
}

fn judge(
    entry: &Resolved<'_>,
    field: &Field,
    id: Result<ArxivId, ArxivIdError>,
    now: Month,
    found: &mut Vec<Fact>,
) {
    let id = match id {
        Ok(id) => id,
        Err(error) => {
            let kind = if error.is_impossible() {
                FactKind::ArxivIdImpossible
            } else {
                FactKind::ArxivIdMalformed
            };
            found.push(fact(kind, field, error.to_string()));
            return;
        }
    };
    let (id_year, id_month) = id.year_month();
    if (Month {
        year: id_year,
        month: id_month,
    }) > now
    {
        let message = format!(
            "arXiv identifier {id} belongs to {id_year}-{id_month:02}, which has not come yet"
        );
        found.push(fact(FactKind::ArxivIdInFuture, field, message));
        return;
    }
    let Some((cited, year_field)) = year(entry) else {
        return;
    };
    if cited >= id_year || is_new_year(cited, id_year, id_month) {
        return;
    }
    let said = format!(
        "arXiv identifier {id} was assigned in {id_year}-{id_month:02}, after the cited year {cited}"
    );
    // A note may mention a later version elsewhere; a published work may have been deposited late; a submission may have been
    // held back over the end of the year.
    let held = id_year == cited + 1 && id_month <= 3;
    if held
        || is_published(entry) && !is_arxiv_record(entry, field, cited, id_year)
        || field.name == "note" && !is_arxiv_venue(entry)
    {
        let message = format!("{said}; right only if the paper was deposited late or held back");
        found.push(fact(FactKind::ArxivIdAfterPublication, year_field, message));
    } else {
        found.push(fact(FactKind::ArxivIdNewerThanYear, year_field, said));
    }
}

/// Papers submitted in the last days of a year, or held back by moderators, get a number in the next January, but arXiv's own
/// BibTeX gives the year of submission.
///
/// **Source**: <https://info.arxiv.org/help/availability.html>: identifiers belong to the month of the announcement
fn is_new_year(cited: u16, id_year: u16, id_month: u8) -> bool {
    id_year == cited + 1 && id_month == 1
}

/// Whether the entry describes arXiv's own record: it has arXiv's DOI, no other venue, and a year at least two before the
/// identifier's.
fn is_arxiv_record(entry: &Resolved<'_>, field: &Field, cited: u16, id_year: u16) -> bool {
    field.name == "doi" && venue(entry).is_none() && id_year >= cited + 2
}

/// Whether the entry names a place of publication other than arXiv.
fn is_published(entry: &Resolved<'_>) -> bool {
    // These types imply publication, even without the field that names the place.
    let by_kind = matches!(
        entry.entry.kind.as_str(),
        "book"
            | "conference"
            | "inbook"
            | "incollection"
            | "inproceedings"
            | "mastersthesis"
            | "phdthesis"
            | "proceedings"
            | "report"
            | "techreport"
            | "thesis"
    );
    by_kind
        || venue(entry).is_some() && !is_arxiv_venue(entry)
        || [
            "publisher",
            "school",
            "institution",
            "organization",
            "series",
            "eventtitle",
            "isbn",
            "issn",
        ]
        .into_iter()
        .filter_map(|name| entry.text(name))
        .any(|text| !fold(text).contains("arxiv"))
}

fn is_arxiv_venue(entry: &Resolved<'_>) -> bool {
    venue(entry).is_some_and(|field| {
        let text = fold(&field.text);
        text.contains("arxiv")
            || text.contains("preprint")
            || text == "corr"
            || text == "computing research repository"
    })
}

/// Whether the text has a placeholder: `arXiv:XXXX.XXXXX` or `arxiv.org/abs/xxxx.xxxxx`.
fn has_placeholder(text: &str) -> bool {
    let folded = text.to_ascii_lowercase();
    folded.contains("arxiv") && folded.contains("xxxx.xxxx")
}

fn contradictions(entry: &Resolved<'_>, found: &mut Vec<Fact>) {
    let ids = identifying(entry);
    let Some(((first_field, first), rest)) = ids.split_first() else {
        return;
    };
    if let Some((field, other)) = rest
        .iter()
        .find(|(field, other)| other != first && field.name != first_field.name)
    {
        let message = format!(
            "`{}` says {first} and `{}` says {other}",
            first_field.name, field.name
        );
        found.push(fact(FactKind::ArxivIdsContradict, field, message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bib;
    use crate::facts::tests::kinds;

    #[test]
    fn identifiers_against_scheme_calendar_and_each_other() {
        let cases: [(&str, &[&str]); 28] = [
            (
                "eprint = {1706.03762}, archiveprefix = {arXiv}, year = 2017",
                &[],
            ),
            ("eprint = {1706.03762}, year = 2023", &[]),
            (
                "eprint = {2413.00001}, archiveprefix = {arXiv}",
                &["arxiv_id_impossible"],
            ),
            (
                "journal = {arXiv preprint arXiv:9999.99999}",
                &["arxiv_id_impossible"],
            ),
            (
                "url = {https://arxiv.org/abs/1313.12345}",
                &["arxiv_id_impossible"],
            ),
            ("eprint = {cs.CL}, archiveprefix = {arXiv}", &[]),
            (
                "eprint = {12345}, archiveprefix = {arXiv}",
                &["arxiv_id_malformed"],
            ),
            ("eprint = {PMC12345}, eprinttype = {pubmed}", &[]),
            ("eprint = {https://jamanetwork.com/a/b}", &[]),
            (
                "journal = {arXiv preprint arXiv:2612.00001}, year = 2026",
                &["arxiv_id_in_future"],
            ),
            (
                "journal = {arXiv preprint arXiv:2611.00001}, year = 2026",
                &[],
            ),
            (
                "journal = {arXiv preprint arXiv:2401.12345}, year = 2021",
                &["arxiv_id_newer_than_year"],
            ),
            (
                "journal = {arXiv preprint arXiv:2401.00001}, year = 2023",
                &[],
            ),
            (
                "journal = {arXiv preprint arXiv:2402.00001}, year = 2023",
                &["arxiv_id_after_publication"],
            ),
            (
                "journal = {arXiv preprint arXiv:2404.00001}, year = 2023",
                &["arxiv_id_newer_than_year"],
            ),
            (
                "journal = {CoRR}, volume = {abs/2402.00001}, year = 2022",
                &["arxiv_id_newer_than_year"],
            ),
            (
                "eprint = {2402.00001}, archiveprefix = {arXiv}, year = 2021",
                &["arxiv_id_newer_than_year"],
            ),
            (
                "series = {LNCS}, eprint = {2402.00001}, year = 2021",
                &["arxiv_id_after_publication"],
            ),
            (
                "booktitle = {ICLR}, eprint = {2402.00001}, year = 2021",
                &["arxiv_id_after_publication"],
            ),
            (
                "journal = {Annals of Mathematics}, eprint = {1205.0001}, year = 2005",
                &["arxiv_id_after_publication"],
            ),
            (
                "school = {MIT}, eprint = {1205.0001}, year = 2005",
                &["arxiv_id_after_publication"],
            ),
            (
                "note = {extended in arXiv:2402.00001}, year = 2021",
                &["arxiv_id_after_publication"],
            ),
            (
                "journal = {arXiv preprint arXiv:XXXX.XXXXX}",
                &["arxiv_id_placeholder"],
            ),
            (
                "eprint = {1706.03762v2}, url = {https://arxiv.org/abs/1706.03762v5}",
                &[],
            ),
            (
                "eprint = {1706.03762}, url = {https://arxiv.org/abs/1810.04805}",
                &["arxiv_ids_contradict"],
            ),
            (
                "eprint = {1706.03762}, doi = {10.48550/arXiv.1810.04805}",
                &["arxiv_ids_contradict"],
            ),
            (
                "eprint = {1706.03762}, note = {see also arXiv:1810.04805}",
                &[],
            ),
            (
                "eprint = {math.GT/0309136}, url = {http://arxiv.org/abs/math/0309136}, year = 2003",
                &[],
            ),
        ];
        for (fields, ids) in cases {
            assert_eq!(kinds(&format!("@article{{k, {fields}}}")), ids, "{fields}");
        }
    }

    #[test]
    fn a_published_type_may_have_been_deposited_late() {
        let fields = "{k, title = {T}, eprint = {2402.00001}, year = 2021}";
        assert_eq!(
            kinds(&format!("@inproceedings{fields}")),
            ["arxiv_id_after_publication"]
        );
        assert_eq!(
            kinds(&format!("@misc{fields}")),
            ["arxiv_id_newer_than_year"]
        );
    }

    #[test]
    fn identifiers_are_listed_once() {
        let read = bib::read(
            "@misc{k, eprint={1706.03762v1}, url={https://arxiv.org/pdf/1706.03762v5}, note={arXiv:1810.04805}}",
        );
        let index = bib::Index::new([&read]);
        let found = identifiers(&index.resolve(&read.entries[0]));
        assert_eq!(
            found.iter().map(ArxivId::as_str).collect::<Vec<_>>(),
            ["1706.03762"]
        );
    }
}
