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
use aris_citations::{self as finding, Finding, Libraries, looked_up};

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
        let mut add = |id: &str, severity, field: &str, message: String| {
            let Some((id, action)) = looked_up(id) else {
                return;
            };
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
            );
        }
        for found in &checked.findings {
            let severity = match found.severity {
                Severity::Error => finding::Severity::Fail,
                Severity::Doubt => finding::Severity::Warn,
                Severity::Note => finding::Severity::Info,
            };
            add(&found.id, severity, &found.field, found.message.clone());
        }
    }
    out
}
