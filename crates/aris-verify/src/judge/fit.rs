//! How well a record fits a reference.

use aris_contract::artifact::papers::Paper;
use aris_paper::titles;

use crate::authors::{self, Agreement, Comparison};
use crate::reference::Reference;
use crate::thresholds::SAME_PEOPLE;
use crate::title::{self, Likeness};

/// How well a record fits a reference, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// It is the cited work.
    Work,
    /// It has the title, but other authors.
    OtherPeople,
    /// It has the authors, but another title.
    OtherTitle,
    /// It has the main title, and nothing shows whose work it is.
    MainTitle,
    /// Its title and authors are in another script, so nothing shows which work it is.
    OtherScript,
    /// It is another work.
    Other,
}

/// How well the record behind a cited identifier fits.
pub(super) fn fit_of_id(reference: &Reference, record: &Paper) -> Fit {
    if reference.title.is_empty() || record.title.is_empty() {
        return Fit::Work;
    }
    let (likeness, nearest) = title::relate_any(&reference.title, record);
    match likeness {
        Likeness::Same | Likeness::Part | Likeness::Near => Fit::Work,
        // Whether one title is a translation of the other is unknown; only other authors show another work.
        Likeness::Other if titles::script(&reference.title) != titles::script(nearest) => {
            match compared(reference, record) {
                Some(found) if found.agreement() >= Agreement::Invented => Fit::Other,
                _ => Fit::OtherScript,
            }
        }
        Likeness::OtherNumbers | Likeness::Other if same_people(reference, record) => {
            Fit::OtherTitle
        }
        // Papers are renamed on publication, and long author lists are not compared name by name.
        Likeness::Other
            if title::is_similar(&reference.title, &record.title)
                && !other_people(reference, record) =>
        {
            Fit::OtherTitle
        }
        Likeness::OtherNumbers | Likeness::Other => Fit::Other,
    }
}

/// How well a record from a search fits.
pub(super) fn fit_of_title(reference: &Reference, record: &Paper) -> Fit {
    let (likeness, _) = title::relate_any(&reference.title, record);
    if let Some(least) = reference.title_overlap {
        let enough = title::overlap(&reference.title, &record.title) >= least;
        if !enough {
            // Such a record never proves that the work does not exist, whoever wrote it.
            return if likeness == Likeness::Part || is_other_subtitle(reference, record) {
                Fit::MainTitle
            } else {
                Fit::Other
            };
        }
        if likeness != Likeness::OtherNumbers && !other_people(reference, record) {
            return Fit::Work;
        }
    }
    if likeness > Likeness::Near {
        let near = likeness == Likeness::OtherNumbers
            || title::is_similar(&reference.title, &record.title);
        return if near && same_people(reference, record) {
            Fit::OtherTitle
        } else if is_other_subtitle(reference, record) {
            Fit::MainTitle
        } else {
            Fit::Other
        };
    }
    let agreement = compared(reference, record).map(|found| found.agreement());
    let apart = matches!(agreement, Some(Agreement::Invented | Agreement::Disjoint));
    let distinctive = title::is_distinctive(&reference.title);
    match likeness {
        // A short title is not distinctive, so without authors to compare the work may be another one.
        Likeness::Same
            if !apart && (agreement.is_some() || reference.authors.is_empty() || distinctive) =>
        {
            Fit::Work
        }
        Likeness::Same if apart && distinctive => Fit::OtherPeople,
        // A merely similar title needs matching authors.
        Likeness::Part | Likeness::Near if agreement.is_some() && !apart => Fit::Work,
        Likeness::Part | Likeness::Near
            if agreement.is_none() && reference.authors.is_empty() && distinctive =>
        {
            Fit::Work
        }
        Likeness::Part => Fit::MainTitle,
        _ => Fit::Other,
    }
}

/// Whether the record has the cited main title, authors and year but another subtitle: subtitles change between versions.
fn is_other_subtitle(reference: &Reference, record: &Paper) -> bool {
    title::is_other_subtitle(&reference.title, &record.title)
        && reference.year.is_some()
        && reference.year == record.year
        && same_people(reference, record)
}

/// Whether enough authors match that the record may be the cited work under another title.
fn same_people(reference: &Reference, record: &Paper) -> bool {
    compared(reference, record).is_some_and(|found| {
        found.agreement() < Agreement::Partly
            || found.agreement() == Agreement::Partly && found.matched * SAME_PEOPLE > found.cited
    })
}

/// Whether the record's authors contradict the reference.
fn other_people(reference: &Reference, record: &Paper) -> bool {
    compared(reference, record).is_some_and(|found| found.agreement() >= Agreement::Partly)
}

/// The comparison of the authors, if they can be compared.
fn compared(reference: &Reference, record: &Paper) -> Option<Comparison> {
    authors::compare(&reference.authors, reference.others, record)
}
