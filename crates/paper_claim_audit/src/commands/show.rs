//! The paper as it was read, for co-authors.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use aris_cli::{Context, Outcome, Shown};
use aris_fs::Form;
use serde::Serialize;

use crate::SPEC;
use crate::cli::ShowArgs;
use crate::error::Error;
use crate::session;
use aris_claims::project::{Project, ProjectError};
use aris_claims::runs::Runs;
use aris_claims::{Audit, Details, Row};

/// Schema id of [`ShowReport`].
pub(crate) const SCHEMA: &str = "aris.paper_claim_audit.show/v1";

/// What `show` answers.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct ShowReport {
    /// The page, when one was asked for.
    pub(crate) html: Option<String>,
    /// The verdict that an audit would hold.
    pub(crate) verdict: String,
    /// One line for people.
    pub(crate) summary: String,
    /// Every number and every bound statement, in reading order.
    pub(crate) claims: Vec<Row>,
}

pub(crate) fn run(args: &ShowArgs, context: &Context) -> Result<Shown, Error> {
    let mut project = session::open(&args.paper, context)?;
    session::document(&project)?;
    let audit = project.audit();
    let details = Details::new(&project, &audit);
    let (verdict, reason) = details.decide();
    let summary = details.summary();
    let html: Option<PathBuf> = args.html.as_deref().map(|path| context.absolute(path));
    if let Some(path) = &html {
        let verdict = (verdict.word(), reason);
        write_page(path, &project, &audit, verdict, &summary, context)?;
    }
    let report = ShowReport {
        html: html.map(|path| path.display().to_string()),
        verdict: verdict.word().to_owned(),
        summary,
        claims: details.claims,
    };
    Ok(Outcome::done(report).shown(SCHEMA, ShowReport::render))
}

/// Writes the page of a paper. **Errors**: the paper has no document.
pub(crate) fn write_page(
    path: &Path,
    project: &Project,
    audit: &Audit,
    (verdict, reason): (&str, &str),
    summary: &str,
    context: &Context,
) -> Result<(), Error> {
    let runs = Runs::of(project, &audit.entries, context.now()).map_err(ProjectError::Read)?;
    let folder = project.files.folder.file_name().unwrap_or_default();
    let facts = crate::page::PageFacts {
        title: &folder.to_string_lossy(),
        verdict,
        reason,
        summary,
        claims_file: &project.claims_name(),
        runs: &runs,
        version: SPEC.version,
    };
    let page = crate::page::html(session::document(project)?, audit, &facts)?;
    super::write_own(path, "the page", Form::PAGE, &page)
}

impl ShowReport {
    /// Writes the text output.
    fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(path) = &self.html {
            return writeln!(out, "{}: {}\n{path}", self.verdict, self.summary);
        }
        for row in &self.claims {
            let shown = row.shown.as_deref().unwrap_or("-");
            let value = row.value.as_deref().unwrap_or("-");
            let (place, status) = (&row.location, row.status.word());
            writeln!(out, "{place}\t{status}\t{shown}\t{value}\t{}", row.id)?;
        }
        writeln!(out, "{}: {}", self.verdict, self.summary)
    }
}
