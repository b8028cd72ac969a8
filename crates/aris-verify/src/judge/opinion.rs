//! Decides whether the answers are sufficient or another source is asked.

use super::fit::{Fit, fit_of_id, fit_of_title};
use super::{judge, records_of};
use crate::reference::Reference;
use crate::report::{Checked, Existence, Match, Severity};
use crate::sources::{Answer, Id};
use crate::thresholds::OPINIONS;

/// Whether the identifiers alone confirm a reference, so that its title need not be searched.
pub(crate) fn is_confirmed(reference: &Reference, ids: &[(Id, &[Answer])]) -> bool {
    let mut fits = ids
        .iter()
        .flat_map(|(_, said)| records_of(said))
        .map(|(_, record)| fit_of_id(reference, record))
        .peekable();
    fits.peek().is_some() && fits.all(|fit| fit == Fit::Work)
}

/// Whether the answers are sufficient; `found` is the number of answers to the title that have the work. Doubts about the description
/// require another opinion, and so does a venue that no record names.
pub(crate) fn is_settled(
    reference: &Reference,
    ids: &[(Id, &[Answer])],
    titles: &[Answer],
    found: usize,
) -> bool {
    match found {
        0 => false,
        1 => !wants_opinion(reference, ids, titles),
        _ => found >= OPINIONS || !is_doubtful(&judge(reference, ids, titles)),
    }
}

/// Whether the work is known and another record of it may help.
pub(crate) fn wants_opinion(
    reference: &Reference,
    ids: &[(Id, &[Answer])],
    titles: &[Answer],
) -> bool {
    let checked = judge(reference, ids, titles);
    let unnamed = checked
        .metadata
        .iter()
        .any(|field| field.field == "venue" && field.verdict == Match::Unknown);
    checked.existence == Existence::Exists && (unnamed || is_doubtful(&checked))
}

/// Whether records contradict the description.
fn is_doubtful(checked: &Checked) -> bool {
    checked.metadata.iter().any(|field| {
        let id = matches!(field.field.as_str(), "doi" | "arxiv_id");
        field.verdict == Match::Differs
            && !id
            && checked
                .findings
                .iter()
                .any(|finding| finding.field == field.field && finding.severity <= Severity::Doubt)
    })
}

/// Whether an answer to a title contains the work.
pub(crate) fn is_found(reference: &Reference, answer: &Answer) -> bool {
    records_of(std::slice::from_ref(answer))
        .any(|(_, record)| fit_of_title(reference, record) == Fit::Work)
}
