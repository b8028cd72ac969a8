//! Compares the fields of a reference with the records of its work.

use aris_contract::artifact::papers::Paper;
use aris_contract::ids::{ArxivId, Doi};

use super::venue;
use crate::authors::{self, Agreement, Comparison};
use crate::reference::Reference;
use crate::report::{Field, FieldCheck, Finding, Match, Severity, source};
use crate::thresholds::{LATER, MISSING, SLIP, YEARS};
use crate::title::{self, Likeness};

/// Most names in a message.
const SHOWN: usize = 3;

/// Compares all fields and adds findings. Without records nothing is compared.
pub(super) fn fields(
    reference: &Reference,
    work: &[&Paper],
    findings: &mut Vec<Finding>,
) -> Vec<FieldCheck> {
    if work.is_empty() {
        return Vec::new();
    }
    let mut out = Vec::new();
    out.extend(titles(reference, work, findings));
    out.extend(people(reference, work, findings));
    out.extend(years(reference, work, findings));
    out.extend(venue::compare(reference, work, findings));
    out.extend(identifiers(reference, work));
    out
}

fn titles(
    reference: &Reference,
    work: &[&Paper],
    findings: &mut Vec<Finding>,
) -> Option<FieldCheck> {
    if reference.title.is_empty() {
        return None;
    }
    let (likeness, theirs, record) = work
        .iter()
        .filter(|record| !record.title.is_empty())
        .map(|record| (title::relate_any(&reference.title, record), *record))
        .map(|((likeness, theirs), record)| (likeness, theirs, record))
        .min_by_key(|(likeness, ..)| *likeness)?;
    if matches!(likeness, Likeness::Part | Likeness::Near) {
        let severity = Severity::doubt_if(likeness == Likeness::Near);
        let message = format!("{} has \u{201c}{theirs}\u{201d}", source(record));
        findings.push(Finding::new("title_differs", severity, "title", message));
    }
    let verdict = Match::of(likeness == Likeness::Same);
    Some(Field::new("title", &reference.title).is(verdict, theirs, record))
}

fn people(
    reference: &Reference,
    work: &[&Paper],
    findings: &mut Vec<Finding>,
) -> Option<FieldCheck> {
    if reference.authors.is_empty() {
        return None;
    }
    let yours: Vec<String> = reference
        .authors
        .iter()
        .map(aris_paper::names::Name::display)
        .collect();
    let field = Field::new("authors", yours.join(", "));
    let Some((found, record)) =
        authors::best(&reference.authors, reference.others, work.iter().copied())
    else {
        return Some(field.is(Match::Unknown, "", work.first()?));
    };
    let agreement = found.agreement();
    if let Some(found) = author_finding(&found, agreement, record) {
        findings.push(found);
    }
    let theirs: Vec<&str> = record
        .authors
        .iter()
        .map(|author| author.name.as_str())
        .collect();
    let verdict = Match::of(agreement == Agreement::Same);
    Some(field.is(verdict, theirs.join(", "), record))
}

fn author_finding(found: &Comparison, agreement: Agreement, record: &Paper) -> Option<Finding> {
    let source = source(record);
    let some = |names: &[String]| {
        let shown: Vec<&str> = names.iter().take(SHOWN).map(String::as_str).collect();
        let shown = shown.join(", ");
        match names.len().saturating_sub(SHOWN) {
            0 => shown,
            more => format!("{shown} and {more} more"),
        }
    };
    let (id, severity, message) = match agreement {
        Agreement::Same => return None,
        Agreement::Reordered => {
            // OpenAlex combines author lists from several places.
            let doubtful = found.other_first && source != "openalex";
            let first = if doubtful { ", and another first" } else { "" };
            let message = format!("{source} has the same authors in another order{first}");
            ("authors_reordered", Severity::doubt_if(doubtful), message)
        }
        Agreement::Missing => {
            let (missing, all) = (found.missing.len(), found.missing.len() + found.matched);
            let names = some(&found.missing);
            // Versions of a work differ by a name or two.
            let severity = Severity::doubt_if(missing * MISSING >= all);
            let message =
                format!("{missing} of {all} authors are left out without `and others`: {names}");
            ("authors_missing", severity, message)
        }
        Agreement::Partly => {
            let mut parts = Vec::new();
            if !found.invented.is_empty() {
                parts.push(format!("{source} does not have {}", some(&found.invented)));
            }
            for (yours, theirs) in found.other_given.iter().take(SHOWN) {
                parts.push(format!("{source} has {theirs}, not {yours}"));
            }
            // One wrong name of many may come from another version or a changed name. Somebody else in the place of an author is
            // neither.
            let wrong = found.invented.len() + found.other_given.len();
            let slip = found.replaced == 0 && wrong * SLIP < found.cited;
            let severity = Severity::doubt_if(!slip && !found.first_only);
            ("authors_differ", severity, parts.join("; "))
        }
        Agreement::Invented | Agreement::Disjoint => {
            let mut strangers = found.invented.clone();
            strangers.extend(found.other_given.iter().map(|(yours, _)| yours.clone()));
            let theirs = record.authors.iter().map(|author| author.name.clone());
            let theirs: Vec<String> = theirs.collect();
            let message = format!(
                "{} of {} cited authors ({}) are not the authors that {source} has: {}",
                strangers.len(),
                found.cited,
                some(&strangers),
                some(&theirs)
            );
            ("authors_invented", Severity::Error, message)
        }
    };
    Some(Finding::new(id, severity, "authors", message))
}

fn years(
    reference: &Reference,
    work: &[&Paper],
    findings: &mut Vec<Finding>,
) -> Option<FieldCheck> {
    let yours = reference.year?;
    let field = Field::new("year", yours.to_string());
    let nearest = work
        .iter()
        .flat_map(|record| {
            let years = record.year.iter().chain(&record.other_years);
            years.map(|year| (*year, *record))
        })
        .min_by_key(|(year, _)| year.abs_diff(yours));
    let Some((theirs, record)) = nearest else {
        return Some(field.is(Match::Unknown, "", work.first()?));
    };
    let apart = theirs.abs_diff(yours);
    if apart > 0 {
        // The work may have been published later than the records know.
        let later = yours > theirs && apart <= LATER && venue::is_open(reference, work);
        let severity = Severity::doubt_if(apart > YEARS && !later);
        let message = format!("{} has {theirs}, not {yours}", source(record));
        findings.push(Finding::new("year_differs", severity, "year", message));
    }
    Some(field.is(Match::of(apart == 0), theirs.to_string(), record))
}

/// Compares cited identifiers with those of the records. An identifier that leads to another work was reported before.
fn identifiers(reference: &Reference, work: &[&Paper]) -> Vec<FieldCheck> {
    let dois = reference.dois.iter().map(|doi| {
        // A preprint's arXiv DOI may be cited for a publication with its own DOI.
        let counts = |doi: &Doi| !doi.folded().starts_with("10.48550/");
        identifier("doi", doi, work, |record| record.ids.doi.clone(), counts)
    });
    let papers = reference.arxiv.iter().map(ArxivId::without_version);
    let papers = papers.map(|id| {
        let theirs = |record: &Paper| record.ids.arxiv.iter().cloned().collect();
        identifier("arxiv_id", &id, work, theirs, |_| true)
    });
    dois.chain(papers).flatten().collect()
}

/// Compares one identifier with those of the records. A different one is reported if it `counts`.
fn identifier<T: PartialEq + ToString>(
    name: &'static str,
    yours: &T,
    work: &[&Paper],
    theirs: impl Fn(&Paper) -> Vec<T>,
    counts: impl Fn(&T) -> bool,
) -> Option<FieldCheck> {
    let field = Field::new(name, yours.to_string());
    if let Some(record) = work.iter().find(|record| theirs(record).contains(yours)) {
        return Some(field.is(Match::Match, yours.to_string(), record));
    }
    let other = |record: &&&Paper| theirs(record).into_iter().find(&counts);
    match work
        .iter()
        .find_map(|record| Some((other(&record)?, record)))
    {
        Some((theirs, record)) => Some(field.is(Match::Differs, theirs.to_string(), record)),
        None => Some(field.is(Match::Unknown, "", work.first()?)),
    }
}
