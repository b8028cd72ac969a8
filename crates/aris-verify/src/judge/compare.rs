//! The fields of a reference beside the records of its work.

use aris_contract::artifact::papers::{Kind, Paper};
use aris_paper::venues::{self, VenueMatch};

use crate::authors::{self, Agreement, Comparison};
use crate::reference::Reference;
use crate::report::{FieldCheck, Finding, Match, Severity};
use crate::title::{self, Likeness};

/// A preprint and its publication are often a year apart, and both years are cited.
const YEARS: u16 = 1;

/// Years from a preprint to its publication that nobody wonders at.
const LATER: u16 = 3;

/// Years after which sources know where a work appeared.
const SEEN: u16 = 2;

/// Names that a message lists.
const SHOWN: usize = 3;

/// Compares all fields and adds what speaks against the reference. Without records nothing is compared.
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
    out.extend(venues(reference, work, findings));
    out.extend(identifiers(reference, work));
    out
}

fn source(record: &Paper) -> String {
    record
        .origins
        .first()
        .map(|origin| origin.source.word().to_owned())
        .unwrap_or_default()
}

fn check(field: &str, verdict: Match, yours: String, theirs: String, record: &Paper) -> FieldCheck {
    FieldCheck {
        field: field.to_owned(),
        verdict,
        yours,
        theirs,
        source: source(record),
    }
}

fn finding(id: &str, severity: Severity, field: &str, message: String) -> Finding {
    Finding {
        id: id.to_owned(),
        severity,
        field: field.to_owned(),
        message,
    }
}

fn titles(
    reference: &Reference,
    work: &[&Paper],
    findings: &mut Vec<Finding>,
) -> Option<FieldCheck> {
    if reference.title.is_empty() {
        return None;
    }
    let (likeness, record) = work
        .iter()
        .filter(|record| !record.title.is_empty())
        .map(|record| (title::relate(&reference.title, &record.title), *record))
        .min_by_key(|(likeness, _)| *likeness)?;
    let verdict = match likeness {
        Likeness::Same => Match::Match,
        Likeness::Part | Likeness::Near | Likeness::OtherNumbers | Likeness::Other => {
            Match::Differs
        }
    };
    if matches!(likeness, Likeness::Part | Likeness::Near) {
        let severity = if likeness == Likeness::Near {
            Severity::Doubt
        } else {
            Severity::Note
        };
        findings.push(finding(
            "title_differs",
            severity,
            "title",
            format!("{} has \u{201c}{}\u{201d}", source(record), record.title),
        ));
    }
    Some(check(
        "title",
        verdict,
        reference.title.clone(),
        record.title.clone(),
        record,
    ))
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
    let yours = yours.join(", ");
    let Some((found, record)) =
        authors::best(&reference.authors, reference.others, work.iter().copied())
    else {
        let record = work.first()?;
        return Some(check(
            "authors",
            Match::Unknown,
            yours,
            String::new(),
            record,
        ));
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
    let verdict = if agreement == Agreement::Same {
        Match::Match
    } else {
        Match::Differs
    };
    Some(check("authors", verdict, yours, theirs.join(", "), record))
}

fn author_finding(found: &Comparison, agreement: Agreement, record: &Paper) -> Option<Finding> {
    let source = source(record);
    let some = |names: &[String]| {
        let shown: Vec<&str> = names.iter().take(SHOWN).map(String::as_str).collect();
        let more = names.len().saturating_sub(SHOWN);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!("{}{more}", shown.join(", "))
    };
    Some(match agreement {
        Agreement::Same => return None,
        // OpenAlex puts lists together from several places.
        Agreement::Reordered if found.other_first && source != "openalex" => finding(
            "authors_reordered",
            Severity::Doubt,
            "authors",
            format!("{source} has the same authors in another order, and another first"),
        ),
        Agreement::Reordered => finding(
            "authors_reordered",
            Severity::Note,
            "authors",
            format!("{source} has the same authors in another order"),
        ),
        Agreement::Missing => finding(
            "authors_missing",
            // Versions of a work differ by a name or two.
            if found.missing.len() * 3 < found.missing.len() + found.matched {
                Severity::Note
            } else {
                Severity::Doubt
            },
            "authors",
            format!(
                "{} of {} authors are left out without `and others`: {}",
                found.missing.len(),
                found.missing.len() + found.matched,
                some(&found.missing)
            ),
        ),
        Agreement::Partly => {
            let mut parts = Vec::new();
            if !found.invented.is_empty() {
                parts.push(format!("{source} does not have {}", some(&found.invented)));
            }
            for (yours, theirs) in found.other_given.iter().take(SHOWN) {
                parts.push(format!("{source} has {theirs}, not {yours}"));
            }
            // One name of many may be another version's, or one that somebody changed. A stranger in the place of an author is neither.
            let wrong = found.invented.len() + found.other_given.len();
            let slip = found.replaced == 0 && wrong * 5 < found.cited;
            let severity = if slip || found.first_only {
                Severity::Note
            } else {
                Severity::Doubt
            };
            finding("authors_differ", severity, "authors", parts.join("; "))
        }
        Agreement::Invented | Agreement::Disjoint => {
            let mut strangers = found.invented.clone();
            strangers.extend(found.other_given.iter().map(|(yours, _)| yours.clone()));
            let theirs: Vec<String> = record
                .authors
                .iter()
                .map(|author| author.name.clone())
                .collect();
            finding(
                "authors_invented",
                Severity::Error,
                "authors",
                format!(
                    "{} of {} cited authors ({}) are not the authors that {source} has: {}",
                    strangers.len(),
                    found.cited,
                    some(&strangers),
                    some(&theirs)
                ),
            )
        }
    })
}

fn years(
    reference: &Reference,
    work: &[&Paper],
    findings: &mut Vec<Finding>,
) -> Option<FieldCheck> {
    let yours = reference.year?;
    let nearest = work
        .iter()
        .filter_map(|record| Some((record.year?, *record)))
        .min_by_key(|(year, _)| year.abs_diff(yours));
    let Some((theirs, record)) = nearest else {
        let record = work.first()?;
        return Some(check(
            "year",
            Match::Unknown,
            yours.to_string(),
            String::new(),
            record,
        ));
    };
    let apart = theirs.abs_diff(yours);
    if apart > 0 {
        // The work may have appeared where the records do not see it yet.
        let later = yours > theirs && apart <= LATER && is_open(reference, work);
        let severity = if apart > YEARS && !later {
            Severity::Doubt
        } else {
            Severity::Note
        };
        findings.push(finding(
            "year_differs",
            severity,
            "year",
            format!("{} has {theirs}, not {yours}", source(record)),
        ));
    }
    let verdict = if apart == 0 {
        Match::Match
    } else {
        Match::Differs
    };
    Some(check(
        "year",
        verdict,
        yours.to_string(),
        theirs.to_string(),
        record,
    ))
}

fn venues(
    reference: &Reference,
    work: &[&Paper],
    findings: &mut Vec<Finding>,
) -> Option<FieldCheck> {
    if reference.venue.is_empty() {
        return None;
    }
    let first = work.first()?;
    let yours = reference.venue.clone();
    if venues::is_preprint(&yours) {
        // Citing the preprint is right whatever else there is.
        let known = work.iter().any(|record| record.ids.arxiv.is_some());
        let verdict = if known { Match::Match } else { Match::Unknown };
        return Some(check("venue", verdict, yours, String::new(), first));
    }
    let mut different = None;
    let mut unclear = false;
    for record in work {
        let Some(theirs) = published_in(record) else {
            continue;
        };
        match venues::compare(&yours, theirs) {
            VenueMatch::Same => {
                return Some(check(
                    "venue",
                    Match::Match,
                    yours,
                    theirs.to_owned(),
                    record,
                ));
            }
            // OpenAlex often names the repository that holds a copy.
            VenueMatch::Different if source(record) == "openalex" && !venues::is_known(theirs) => {}
            // Semantic Scholar names the conference for a workshop with a name of its own.
            VenueMatch::Different if source(record) == "semantic_scholar" && !is_venue(&yours) => {
                unclear = true;
            }
            VenueMatch::Different => different = different.or(Some((theirs, *record))),
            VenueMatch::Unknown => unclear = true,
        }
    }
    if let Some((theirs, record)) = different.filter(|_| !unclear) {
        findings.push(finding(
            "venue_differs",
            Severity::Doubt,
            "venue",
            format!("{} has {theirs}", source(record)),
        ));
        return Some(check(
            "venue",
            Match::Differs,
            yours,
            theirs.to_owned(),
            record,
        ));
    }
    findings.extend(preprint_only(reference, work));
    Some(check("venue", Match::Unknown, yours, String::new(), first))
}

/// Where a record says that the work was published; a preprint server publishes nothing.
fn published_in(record: &Paper) -> Option<&str> {
    let venue = record.venue.as_deref()?;
    let preprint = record.kind == Some(Kind::Preprint) || venues::is_preprint(venue);
    (!preprint).then_some(venue)
}

/// Whether a name says what it is: a conference or a journal.
fn is_venue(name: &str) -> bool {
    venues::is_known(name) || venues::kind(name).is_some()
}

/// Whether a publication is cited that no record knows.
pub(super) fn is_open(reference: &Reference, work: &[&Paper]) -> bool {
    !reference.venue.is_empty()
        && !venues::is_preprint(&reference.venue)
        && work.iter().all(|record| published_in(record).is_none())
}

/// A publication that nobody knows of. Sources learn of it within two years; before that nothing follows.
fn preprint_only(reference: &Reference, work: &[&Paper]) -> Option<Finding> {
    let mut sources: Vec<String> = Vec::new();
    for record in work {
        let arxiv = record.ids.arxiv.is_some() || record.kind == Some(Kind::Preprint);
        let source = source(record);
        if arxiv && !sources.contains(&source) {
            sources.push(source);
        }
    }
    let asked = work
        .iter()
        .flat_map(|record| &record.origins)
        .filter_map(|origin| origin.retrieved_at.get(..4)?.parse::<u16>().ok())
        .max()?;
    let old = reference.year.is_some_and(|year| year + SEEN <= asked);
    (sources.len() >= 2 && is_venue(&reference.venue) && is_open(reference, work)).then(|| {
        finding(
            "preprint_only",
            if old { Severity::Doubt } else { Severity::Note },
            "venue",
            format!("{} have it as a preprint alone", sources.join(" and ")),
        )
    })
}

/// Cited identifiers beside those of the records; one that leads elsewhere was told of before.
fn identifiers(reference: &Reference, work: &[&Paper]) -> Vec<FieldCheck> {
    let mut out = Vec::new();
    for doi in &reference.dois {
        let same = work.iter().find(|record| record.ids.doi.contains(doi));
        let other = work.iter().find_map(|record| {
            let theirs = record
                .ids
                .doi
                .iter()
                .find(|doi| !doi.folded().starts_with("10.48550/"))?;
            Some((theirs, record))
        });
        out.extend(match (same, other) {
            (Some(record), _) => Some(check(
                "doi",
                Match::Match,
                doi.to_string(),
                doi.to_string(),
                record,
            )),
            (None, Some((theirs, record))) => Some(check(
                "doi",
                Match::Differs,
                doi.to_string(),
                theirs.to_string(),
                record,
            )),
            (None, None) => work.first().map(|record| {
                check(
                    "doi",
                    Match::Unknown,
                    doi.to_string(),
                    String::new(),
                    record,
                )
            }),
        });
    }
    for id in &reference.arxiv {
        let bare = id.without_version();
        let same = work
            .iter()
            .find(|record| record.ids.arxiv.as_ref() == Some(&bare));
        let other = work
            .iter()
            .find_map(|record| Some((record.ids.arxiv.as_ref()?, record)));
        out.extend(match (same, other) {
            (Some(record), _) => Some(check(
                "arxiv_id",
                Match::Match,
                bare.to_string(),
                bare.to_string(),
                record,
            )),
            (None, Some((theirs, record))) => Some(check(
                "arxiv_id",
                Match::Differs,
                bare.to_string(),
                theirs.to_string(),
                record,
            )),
            (None, None) => work.first().map(|record| {
                check(
                    "arxiv_id",
                    Match::Unknown,
                    bare.to_string(),
                    String::new(),
                    record,
                )
            }),
        });
    }
    out
}
