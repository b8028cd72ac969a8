//! `extract`: the claims that the rules see in a document or a diff.

use std::path::PathBuf;

use aris_cli::Context;
use aris_review::Diff;
use aris_statements::disk::{Disk, DiskError};
use aris_statements::prose::Prose;
use aris_statements::statement::{Statement, claims, statements};

use crate::Error;
use crate::excerpts::{Sentences, excerpts};
use crate::report::Extracted;
use crate::source::{ReportArgs, given_diff};

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
    if let Some(path) = &args.file {
        let prose = Disk::new(context.cwd()).prose(path)?;
        let all = statements(&prose);
        add(&mut out, &prose, &all);
    } else if let Some(path) = &args.diff {
        let diff = Diff::read(&given_diff(path, context)?);
        for file in args.reports.reports().shown(&diff) {
            let prose = excerpts(file).map(|excerpt| Prose::read_excerpt(&excerpt));
            let [now, before] = prose.map(|prose| prose.map_err(DiskError::Latex));
            let (now, before) = (now?, Sentences::of(&before?));
            let mut all = statements(&now);
            let new = before.new_lines(file, &now, &all);
            let line = |one: &Statement| u32::try_from(one.line).unwrap_or(u32::MAX);
            all.retain(|statement| new.contains_key(&line(statement)));
            add(&mut out, &now, &all);
        }
    }
    Ok(out)
}

/// Adds the claims among statements of a document.
fn add(out: &mut Extracted, prose: &Prose, statements: &[Statement]) {
    out.sentences += statements.len();
    out.claims.extend(claims(prose, statements));
    out.problems.extend(prose.problems.iter().cloned());
}
