//! `check`: what the rules find in documents, without a pull request.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aris_cli::{Context, Outcome, Shown};
use aris_review::Finding;
use aris_statements::disk::Disk;
use aris_statements::prose::Prose;
use aris_statements::rules::{Sources, check};

use crate::Error;
use crate::bindings::bound;
use crate::formats::FormatArgs;
use crate::report::Checked;
use crate::rules::{RuleArgs, month};

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// A document, LaTeX or Markdown, with what it includes; may be repeated, and then they are read as one work
    #[arg(long, value_name = "FILE", required = true)]
    doc: Vec<PathBuf>,
    /// A bibliography [default: those that the documents name]
    #[arg(long, value_name = "FILE")]
    bib: Vec<PathBuf>,
    #[command(flatten)]
    rules: RuleArgs,
    /// Folder with a note for each work that was read
    #[arg(long, value_name = "DIR")]
    notes: Option<PathBuf>,
    /// Exit with 10 when something is found that is more than information
    #[arg(long)]
    exit_signal: bool,
    #[command(flatten)]
    form: FormatArgs,
}

pub(crate) fn run(args: &CheckArgs, context: &Context) -> Result<Shown, Error> {
    let disk = Disk::new(context.cwd());
    let mut read: Vec<(PathBuf, Prose)> = Vec::new();
    for path in &args.doc {
        let prose = disk.prose(path)?;
        // A file that an earlier document includes has been read with it.
        let known = prose.files.first().is_some_and(|file| {
            let mut earlier = read.iter().flat_map(|(_, prose)| &prose.files);
            earlier.any(|read| lexical(read) == lexical(file))
        });
        if !known {
            read.push((path.clone(), prose));
        }
    }
    let mut problems = Vec::new();
    let bibliographies = disk.bibliographies(&args.bib, &read, &mut problems)?;
    let documents: Vec<Prose> = read.into_iter().map(|(_, prose)| prose).collect();
    let (held, papers) = args.rules.read(&disk)?;
    problems.extend(held.problems.iter().cloned());
    let folders = args.doc.iter().map(PathBuf::as_path);
    let bound = bound(folders, context.cwd());
    let notes = args.notes.as_deref().map(|folder| disk.notes(folder));
    let notes = notes.transpose()?;
    let sources = Sources {
        bibliographies: bibliographies.as_deref(),
        now: Some(month(context)),
        bound: bound.as_deref(),
        notes: notes.as_deref(),
        papers: papers.as_ref(),
        ..held.sources()
    };
    let mut found = check(&documents, &sources);
    suggest(&mut found.findings, context);
    problems.splice(0..0, found.problems);
    let statements = found.statements.iter().flatten();
    let claims = statements.filter(|statement| statement.claim_type().is_some());
    let files = documents.iter().flat_map(|prose| prose.files.clone());
    let results = held.results.into_iter().flatten();
    let checked = Checked {
        documents: files.collect(),
        results: results.map(|file| file.path).collect(),
        sentences: found.statements.iter().map(Vec::len).sum(),
        claims: claims.count(),
        findings: found.findings,
        skipped: found.not_checked,
        problems,
    };
    let grave = args.exit_signal && checked.is_grave();
    Ok(args.form.shown(Outcome::found(checked, grave)))
}

/// Turns the edits of rules into suggestions about the present text of the lines.
fn suggest(findings: &mut [Finding], context: &Context) {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for finding in findings.iter_mut().filter(|finding| finding.edit.is_some()) {
        let lines = texts.entry(finding.file.clone()).or_insert_with(|| {
            let text = aris_fs::read_text(&context.absolute(Path::new(&finding.file)));
            let text = text.unwrap_or_default();
            text.lines().map(str::to_owned).collect()
        });
        let at = finding
            .line
            .and_then(|line| usize::try_from(line).ok()?.checked_sub(1));
        let line = at.and_then(|at| lines.get(at));
        finding.suggest(line.map(String::as_str));
    }
}

fn lexical(path: &str) -> PathBuf {
    aris_fs::lexical(Path::new(path))
}
