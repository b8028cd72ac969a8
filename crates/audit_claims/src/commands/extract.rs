//! `extract`: the claims that the rules see in a document or a diff.

use std::collections::BTreeSet;
use std::path::PathBuf;

use aris_cli::Context;
use aris_review::Diff;
use aris_statements::disk::{Disk, DiskError};
use aris_statements::prose::Prose;
use aris_statements::statement::{claims, statements};

use crate::Error;
use crate::excerpts::excerpts;
use crate::report::Extracted;
use crate::source::ReportArgs;

/// Arguments of `extract`.
#[derive(Debug, clap::Args)]
pub(crate) struct ExtractArgs {
    /// A document, LaTeX or Markdown; what it includes is read, too
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present = "diff",
        conflicts_with = "diff"
    )]
    file: Option<PathBuf>,
    /// A diff: only sentences that it adds or changes
    #[arg(long, value_name = "FILE")]
    diff: Option<PathBuf>,
    #[command(flatten)]
    reports: ReportArgs,
}

pub(crate) fn run(args: &ExtractArgs, context: &Context) -> Result<Extracted, Error> {
    let mut out = Extracted::default();
    if let Some(file) = &args.file {
        add(&mut out, &Disk::new(context.cwd()).prose(file)?, None);
    } else if let Some(path) = &args.diff {
        let bytes = aris_fs::read(&context.absolute(path), aris_fs::READ_LIMIT)?;
        let reports = args.reports.reports();
        let diff = Diff::read(&bytes);
        let touched = reports.sections(&diff);
        for (excerpt, added) in excerpts(&diff, &touched) {
            let prose = Prose::read_excerpt(&excerpt).map_err(DiskError::Latex)?;
            add(&mut out, &prose, Some(&added));
        }
    }
    Ok(out)
}

/// Adds the claims of a document, or those with a line that a diff adds.
fn add(out: &mut Extracted, prose: &Prose, added: Option<&BTreeSet<usize>>) {
    let mut statements = statements(prose);
    if let Some(added) = added {
        statements.retain(|statement| {
            let sentence = &statement.sentence;
            let last = sentence.range.end.saturating_sub(1);
            let end = prose.place(sentence.passage, last).line.max(statement.line);
            added.range(statement.line..=end).next().is_some()
        });
    }
    out.sentences += statements.len();
    out.claims.extend(claims(prose, &statements));
    out.problems.extend(prose.problems.iter().cloned());
}
