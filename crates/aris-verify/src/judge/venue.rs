//! Compares the cited venue with the records.

use aris_contract::artifact::papers::{Kind, Paper};
use aris_paper::titles;
use aris_paper::venues::{self, VenueMatch};

use crate::reference::Reference;
use crate::report::{Field, FieldCheck, Finding, Match, Severity, source};
use crate::thresholds::SEEN;

/// Compares the venue with those of the records.
pub(super) fn compare(
    reference: &Reference,
    work: &[&Paper],
    findings: &mut Vec<Finding>,
) -> Option<FieldCheck> {
    if reference.venue.is_empty() {
        return None;
    }
    let first = work.first()?;
    let yours = reference.venue.as_str();
    let field = Field::new("venue", yours);
    if venues::is_preprint(yours) {
        // Citing the preprint is right even if a publication exists.
        let known = work.iter().any(|record| record.ids.arxiv.is_some());
        let verdict = if known { Match::Match } else { Match::Unknown };
        return Some(field.is(verdict, "", first));
    }
    let mut different = None;
    let mut unclear = false;
    for record in work {
        let Some(theirs) = published_in(record) else {
            continue;
        };
        match venues::compare(yours, theirs) {
            VenueMatch::Same => return Some(field.is(Match::Match, theirs, record)),
            // OpenAlex often names the repository of a copy.
            VenueMatch::Different if source(record) == "openalex" && !venues::is_known(theirs) => {}
            // Semantic Scholar names the conference instead of a workshop with its own name.
            VenueMatch::Different if source(record) == "semantic_scholar" && !is_venue(yours) => {
                unclear = true;
            }
            // A translated name cannot be compared.
            VenueMatch::Different if titles::script(yours) != titles::script(theirs) => {
                unclear = true;
            }
            VenueMatch::Different => different = different.or(Some((theirs, *record))),
            VenueMatch::Unknown => unclear = true,
        }
    }
    if let Some((theirs, record)) = different.filter(|_| !unclear) {
        let message = format!("{} has {theirs}", source(record));
        findings.push(Finding::new(
            "venue_differs",
            Severity::Doubt,
            "venue",
            message,
        ));
        return Some(field.is(Match::Differs, theirs, record));
    }
    findings.extend(preprint_only(reference, work));
    Some(field.is(Match::Unknown, "", first))
}

/// Where a record says that the work was published; preprint servers do not count.
fn published_in(record: &Paper) -> Option<&str> {
    let venue = record.venue.as_deref()?;
    let preprint = record.kind == Some(Kind::Preprint) || venues::is_preprint(venue);
    (!preprint).then_some(venue)
}

/// Whether the name is recognisable as a conference or a journal.
fn is_venue(name: &str) -> bool {
    venues::is_known(name) || venues::kind(name).is_some()
}

/// Whether a publication is cited that no record knows.
pub(super) fn is_open(reference: &Reference, work: &[&Paper]) -> bool {
    !reference.venue.is_empty()
        && !venues::is_preprint(&reference.venue)
        && work.iter().all(|record| published_in(record).is_none())
}

/// A finding if no source knows the cited publication. Sources learn of publications within two years; before that it is only a
/// note.
fn preprint_only(reference: &Reference, work: &[&Paper]) -> Option<Finding> {
    let mut sources: Vec<&str> = Vec::new();
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
    let message = format!("{} have it as a preprint alone", sources.join(" and "));
    let only = sources.len() >= 2 && is_venue(&reference.venue) && is_open(reference, work);
    only.then(|| Finding::new("preprint_only", Severity::doubt_if(old), "venue", message))
}
