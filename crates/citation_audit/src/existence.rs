//! Asks sources whether the cited works exist.
//!
//! That no source has a work does not prove that it does not exist: it is a warning. If a source did not answer, the entry stays
//! inconclusive.

use std::collections::BTreeMap;

use aris_cli::Context;
use aris_online::{OnlineArgs, Progress};
use aris_paper::bib::Loc;
use aris_paper::facts::Month;
use aris_verify::sources::HOSTS;
use aris_verify::{Checked, Existence, Online, Options, Reference, Severity, Status, verify};

use crate::error::Error;
use aris_citations::{self as finding, Finding, Libraries};

/// The sources' answers for each cited entry.
pub(crate) type Answers = BTreeMap<Loc, Checked>;

/// Asks the sources about the cited entries.
pub(crate) fn ask(
    context: &Context,
    libraries: &Libraries<'_>,
    cited: &BTreeMap<Loc, usize>,
    now: Month,
    online: &OnlineArgs,
) -> Result<Answers, Error> {
    let known: Vec<(Loc, Reference)> = cited
        .iter()
        .filter_map(|(loc, number)| {
            let library = libraries.get(*number);
            let resolved = library.resolve(library.entry(*loc)?);
            Some((*loc, Reference::of(&resolved, now)))
        })
        .collect();
    let references: Vec<Reference> = known
        .iter()
        .map(|(_, reference)| reference.clone())
        .collect();
    let progress = Progress::new(context, Some(references.len() as u64));
    let client = aris_online::client(context, online, &HOSTS, "citation_audit", &progress)?;
    let checked = verify(
        &references,
        &Online::new(&client),
        &Options::default(),
        &mut |_| progress.step(),
    );
    progress.finish();
    Ok(known.into_iter().map(|(loc, _)| loc).zip(checked).collect())
}

/// The reason code for the existence column of the ledger.
pub(crate) fn reason(checked: &Checked) -> &'static str {
    match checked.existence {
        Existence::Exists => "source_has_it",
        Existence::NotFound => "no_source_has_it",
        Existence::Inconclusive if checked.status == Status::VerifyPending => "no_answer",
        Existence::Inconclusive => "not_listed",
    }
}

/// Findings from the sources' answers. Findings that need no source are made elsewhere.
pub(crate) fn findings(
    libraries: &Libraries<'_>,
    cited: &BTreeMap<Loc, usize>,
    answers: &Answers,
) -> Vec<Finding> {
    let mut out = Vec::new();
    for (loc, checked) in answers {
        let library = libraries.get(cited.get(loc).copied().unwrap_or(0));
        let Some(entry) = library.entry(*loc) else {
            continue;
        };
        let resolved = library.resolve(entry);
        let mut add = |id, severity, field: &str, message: String, action: &str| {
            let fields: &[&str] = match field {
                "authors" => &["author", "editor"],
                "venue" => &["journal", "journaltitle", "booktitle"],
                "arxiv_id" => &["eprint", "url", "journal", "note"],
                "doi" => &["doi", "url"],
                "year" => &["year", "date"],
                _ => &["title"],
            };
            let found = fields.iter().find_map(|name| resolved.field(name));
            let (file, place, quote) = match found {
                Some(field) => (
                    library.file_of(*loc, &resolved, &field.name),
                    field.place,
                    format!("{} = {{{}}}", field.name, field.text),
                ),
                None => (library.path(*loc), entry.key_place, String::new()),
            };
            out.push(
                Finding::new(id, severity, message, action)
                    .key(&entry.key)
                    .at(file, place.line, place.column)
                    .quote(quote.chars().take(finding::QUOTE).collect::<String>()),
            );
        };
        if checked.existence == Existence::NotFound {
            add(
                "work_not_found",
                finding::Severity::Warn,
                "title",
                String::from("every source has answered, and none has this work"),
                "look for the work by hand; replace or drop the entry if nobody has it",
            );
        }
        for found in &checked.findings {
            if let Some((id, action)) = known(&found.id) {
                let severity = match found.severity {
                    Severity::Error => finding::Severity::Fail,
                    Severity::Doubt => finding::Severity::Warn,
                    Severity::Note => finding::Severity::Info,
                };
                add(id, severity, &found.field, found.message.clone(), action);
            }
        }
    }
    out
}

/// The stable id of a source's finding and the advice for it; `None` for findings that the entry itself shows.
fn known(id: &str) -> Option<(&'static str, &'static str)> {
    const LOOK: &str = "look the work up and correct the entry";
    const RECORD: &str = "compare with the source and correct the entry";
    Some(match id {
        "identifier_of_other_work" => (
            "identifier_of_other_work",
            "find out which work is meant, and write its own identifier",
        ),
        "identifier_has_other_title" => (
            "identifier_has_other_title",
            "open the identifier; write the title that the work has now, or the identifier of the work that is meant",
        ),
        "arxiv_id_unknown" => ("arxiv_id_unknown", LOOK),
        "doi_unknown" => ("doi_unknown", LOOK),
        "title_of_other_people" => ("title_of_other_people", LOOK),
        "similar_title_of_same_people" => ("similar_title_of_same_people", LOOK),
        "authors_invented" => ("authors_invented", LOOK),
        "authors_differ" => ("authors_differ", RECORD),
        "authors_missing" => (
            "authors_missing",
            "name them, or end the list with `and others`",
        ),
        "authors_reordered" => ("authors_reordered", RECORD),
        "title_differs" => ("title_differs", RECORD),
        "year_differs" => ("year_differs", RECORD),
        "venue_differs" => ("venue_differs", RECORD),
        "preprint_only" => (
            "preprint_only",
            "cite the preprint, or name where it was published",
        ),
        "retracted" => (
            "retracted",
            "read why; cite the retraction with it, or drop the entry",
        ),
        _ => return None,
    })
}
