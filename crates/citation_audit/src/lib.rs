//! `citation_audit`: checks every citation of a paper against its bibliography; uses the network only on request.
//!
//! **Input**: the paper's folder: LaTeX from the root document through everything it includes, and the bibliographies it
//! names. **Output**: `CITATION_AUDIT.json` (verdict, digests of what was read, findings, a ledger of cited entries),
//! `CITATION_AUDIT.md` for people, and a trace; on stdout the findings in short. **Exit**: 0 audit written and nothing
//! found, 10 audit written with findings, 2 usage, 3 no such folder or root document, 5 the audit cannot be written.
//!
//! With `--live` (or `--offline`, from the cache) sources are asked whether the works exist and are described correctly. Without
//! an answer an entry is `inconclusive`, and the verdict is WARN at best. Errors are only what the files themselves prove: keys
//! that lead nowhere, one key for two works, impossible identifiers and dates, authors that are not persons.
//!
//! ```text
//! citation_audit paper
//! citation_audit paper --uncited --json
//! ```

mod cli;
mod details;
mod error;
mod existence;
mod ledger;
mod report;
mod uncited;

use std::path::Path;

use aris_audit::project::paper_folder;
use aris_audit::{Emission, PaperFiles};
use aris_citations::{Paper, Severity, capped, examine, question, sort, verdict};
use aris_cli::{Context, Network, Outcome, Sample, Spec};
use aris_contract::artifact::audit::Verdict;
use aris_contract::{ErrorKind, schema};
use aris_online::OnlineArgs;
use aris_paper::facts::Month;
use jiff::tz::TimeZone;

pub use cli::Cli;
pub use error::Error;
pub use report::Report;

use crate::details::{Counts, Details};

/// What the helper says about itself.
pub static SPEC: Spec = Spec {
    name: "citation_audit",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Check every citation of a paper against its bibliography and write CITATION_AUDIT.json",
    input: "the paper's LaTeX sources and the .bib files they name",
    output: "findings in short, the verdict, and the path of the artifact; with --json one envelope",
    stderr: "warnings, errors",
    commands: &[],
    examples: &[
        "citation_audit paper  # audit the paper in ./paper",
        "citation_audit paper --uncited --json  # also list entries that nothing cites, answer in JSON",
        "citation_audit paper --root supplement.tex --as-of 2026-05-01  # audit another root document, judging dates as on that day",
        "citation_audit paper --live --deadline 600  # also ask the sources whether the cited works exist",
    ],
    signals: &[(
        10,
        "audit written, with findings: the verdict is FAIL, BLOCKED or WARN",
    )],
    ok: "audit written, no findings: the verdict is PASS where --live or --offline confirmed every work, NOT_APPLICABLE where nothing is cited, else WARN",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
    ],
    schemas: &[report::SCHEMA, schema::id::AUDIT, details::SCHEMA],
    samples: &[Sample {
        args: &["--json", "no-such-paper"],
        exit: &[3],
    }],
    network: Network::Optional,
    deadline: Some(aris_cli::DEADLINE),
};

/// Audits the paper and writes the artifact, the report and the trace.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Report>, Error> {
    let folder =
        paper_folder(cli.paper.as_deref(), context.cwd()).map_err(|path| Error::Paper { path })?;
    // Links are resolved, so that the project and its traces are where the gate looks for them.
    let folder = folder.canonicalize().unwrap_or(folder);
    let day = cli
        .as_of
        .unwrap_or_else(|| context.now().to_zoned(TimeZone::UTC).date());
    let now = month(day)?;
    let mut files = PaperFiles::new(&folder);
    let root = cli.root.map(|root| in_folder(root, &folder, context));
    let document = files.document(root.as_deref());
    if let (Some(root), Err(obstacle)) = (&root, &document)
        && obstacle.id == "no_root_document"
    {
        let path = folder.join(root);
        return Err(Error::Root { path });
    }
    if let Some(choice) = (document.as_ref().ok()).and_then(|document| files.choice(&document.root))
    {
        context.warn(&choice);
    }
    let paper = Paper::read(&mut files, &document);
    let online = (cli.live || cli.offline).then(|| OnlineArgs::within(context, cli.offline, false));
    let (mut details, cites) = audit(context, &paper, cli.uncited, now, online.as_ref())?;
    if details.uncited_entries_status == Some("unavailable") {
        context.warn("which entries nothing cites is not known: the document or a bibliography is not fully read");
    }
    details.as_of = cli.as_of.map(|day| day.to_string());
    let (verdict, reason_code) = verdict::decide(&details.findings, cites, details.all_verified());
    let summary = summary(verdict, &details);
    let markdown = details.markdown(verdict.word(), reason_code, &summary);
    let emission = Emission {
        helper: SPEC.name,
        version: SPEC.version,
        skill: "citation-audit",
        stem: "CITATION_AUDIT",
        verdict,
        reason_code,
        summary: &summary,
        inputs: files.digests,
        details: &details,
        report: &markdown,
    };
    let emitted = aris_audit::emit(&folder, &emission, context.now())?;
    // The program ends soon. Freeing a book's text piece by piece would take a tenth of its time.
    std::mem::forget(paper);
    std::mem::forget(document);
    let found = details
        .findings
        .iter()
        .any(|finding| finding.severity != Severity::Info);
    let report = Report {
        verdict,
        reason_code,
        summary,
        artifact: emitted.artifact.display().to_string(),
        markdown: emitted.report.display().to_string(),
        trace_path: emitted.trace_path,
        unchanged: emitted.unchanged,
        total_entries: details.total_entries,
        counts: details.counts,
        findings: details.findings,
        uncited_entries: details.uncited_entries,
    };
    Ok(Outcome::found(report, found))
}

/// The root document's path relative to the paper folder. If it does not exist there, the name is tried relative to the working
/// directory.
fn in_folder(root: String, folder: &Path, context: &Context) -> String {
    if folder.join(&root).exists() {
        return root;
    }
    let named = context.absolute(Path::new(&root)).canonicalize().ok();
    let inside = named
        .as_deref()
        .and_then(|path| path.strip_prefix(folder).ok());
    inside.map_or(root, |path| path.to_string_lossy().into_owned())
}

/// The month of a day. **Errors**: a year before 1991 or after 9998.
fn month(day: jiff::civil::Date) -> Result<Month, Error> {
    match (u16::try_from(day.year()), u8::try_from(day.month())) {
        (Ok(year), Ok(month)) if (1991..=9998).contains(&year) => Ok(Month { year, month }),
        _ => Err(Error::AsOf { year: day.year() }),
    }
}

/// Examines the paper, on request with sources. Also returns whether anything is cited.
fn audit(
    context: &Context,
    paper: &Paper<'_>,
    uncited: bool,
    now: Month,
    online: Option<&OnlineArgs>,
) -> Result<(Details, bool), Error> {
    let mut examined = examine(paper, now);
    let mut findings = std::mem::take(&mut examined.findings);
    let (libraries, cited, locs) = (&examined.libraries, &examined.cited, &examined.entries);
    let whole = examined.whole;
    let answers = online
        .map(|online| existence::ask(context, libraries, locs, now, online))
        .transpose()?;
    if let Some(answers) = &answers {
        findings.append(&mut existence::findings(libraries, locs, answers));
        question(&mut findings, &libraries.whole, cited);
    }
    sort(&mut findings);
    let per_entry = ledger::rows(cited, libraries, &findings, answers.as_ref());
    let counts = Counts::of(&findings);
    let findings = capped(findings);
    let document = paper.document;
    let list = document.filter(|_| uncited).map(|document| {
        if whole {
            uncited::list(document, &libraries.whole, locs)
        } else {
            Vec::new()
        }
    });
    let details = Details {
        schema: details::SCHEMA,
        root: document
            .map(|document| document.root.clone())
            .unwrap_or_default(),
        bibliographies: paper
            .bibliographies
            .iter()
            .map(|file| file.path.clone())
            .collect(),
        as_of: None,
        look_ups: match online {
            None => "none",
            Some(online) if online.offline => "cache",
            Some(_) => "live",
        },
        total_entries: cited.len(),
        counts: Counts {
            citations: document.map_or(0, |document| document.citations.len()),
            bibliography_entries: libraries.whole.all().len(),
            existence_inconclusive: per_entry
                .iter()
                .filter(|row| row.existence == "inconclusive")
                .count(),
            ..counts
        },
        findings,
        per_entry,
        uncited_entries_status: list
            .as_ref()
            .map(|_| if whole { "ok" } else { "unavailable" }),
        uncited_entries: list,
    };
    Ok((details, examined.cites))
}

fn summary(verdict: Verdict, details: &Details) -> String {
    let Counts {
        block,
        fail,
        warn,
        question,
        ..
    } = details.counts;
    if verdict == Verdict::NotApplicable {
        return String::from("the document cites nothing");
    }
    if let (Verdict::Blocked, Some(first)) = (verdict, details.findings.first()) {
        return format!("the audit could not be done: {}", first.message);
    }
    let mut parts = vec![match details.total_entries {
        1 => String::from("1 cited key"),
        keys => format!("{keys} cited keys"),
    }];
    for (count, one, many) in [
        (fail, "error", "errors"),
        (block, "file not read", "files not read"),
        (warn, "doubt", "doubts"),
        (question, "question", "questions"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {}", if count == 1 { one } else { many }));
        }
    }
    let open = details.counts.existence_inconclusive;
    let existence = match (details.look_ups, open) {
        ("none", _) => String::from("existence of the works not checked (--live checks it)"),
        (_, 0) => String::from("every source that was needed has answered"),
        (_, open) => format!("existence of {open} not known"),
    };
    format!("{}; {existence}", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<Report>(report::SCHEMA);
        check_schema::<Details>(details::SCHEMA);
    }
}
