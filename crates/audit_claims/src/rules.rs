//! What the rules find in the reports that a pull request touches.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_paper::facts::Month;
use aris_review::{Claim, Diff, Finding, Section};
use aris_statements::disk::{Disk, DiskError, inside};
use aris_statements::papers::PapersCache;
use aris_statements::plan::Plan;
use aris_statements::prose::Prose;
use aris_statements::results::Results;
use aris_statements::rules::{Sources, check};
use aris_statements::statement::claims;
use jiff::tz::TimeZone;

use crate::Error;
use crate::agents::{sort, unseen};
use crate::bindings::bound;
use crate::excerpts::excerpts;

/// What reports are held against.
#[derive(Debug, clap::Args)]
pub(crate) struct RuleArgs {
    /// Raw results for the rules on samples and plans, a table or a folder of tables; may be repeated
    #[arg(long, value_name = "PATH")]
    results: Vec<PathBuf>,
    /// Column of the results that names repetitions, besides seed, run, fold, subject and the like; may be repeated
    #[arg(long, value_name = "NAME")]
    repetition: Vec<String>,
    /// What was planned, for the rules: JSON, YAML, or a text with front matter
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// What `verify_papers` wrote about the cited works, for the rules
    #[arg(long, value_name = "FILE")]
    papers_cache: Option<PathBuf>,
}

/// What was read of it.
pub(crate) struct Held {
    plan: Option<Plan>,
    pub(crate) results: Option<Vec<Results>>,
    papers: Option<PapersCache>,
}

impl RuleArgs {
    pub(crate) fn read(
        &self,
        disk: &Disk<'_>,
        problems: &mut Vec<String>,
    ) -> Result<Held, DiskError> {
        let plan = self.plan.as_deref().map(|path| disk.plan(path));
        let papers = self.papers_cache.as_deref().map(|path| disk.papers(path));
        Ok(Held {
            plan: plan.transpose()?,
            results: disk.results(&self.results, problems)?,
            papers: papers.transpose()?,
        })
    }
}

impl Held {
    pub(crate) fn sources<'a>(&'a self, args: &'a RuleArgs) -> Sources<'a> {
        Sources {
            results: self.results.as_deref(),
            repetition: &args.repetition,
            plan: self.plan.as_ref(),
            papers: self.papers.as_ref(),
            ..Sources::default()
        }
    }
}

/// What the rules saw.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    /// Claims in what the diff shows.
    pub(crate) claims: Vec<Claim>,
    /// Findings in what the diff shows, and those that have no line.
    pub(crate) findings: Vec<Finding>,
    /// Reports that could not be read.
    pub(crate) open: Vec<Finding>,
}

/// Reads the touched reports from the worktree, or, where one is not there or `stale`, as far as the diff shows it, and checks them.
pub(crate) fn look(
    (worktree, stale): (&Path, &BTreeSet<String>),
    sections: &[Section],
    diff: &Diff,
    args: &RuleArgs,
    context: &Context,
) -> Result<Looked, Error> {
    let disk = Disk::new(context.cwd());
    let mut looked = Looked::default();
    let mut read: Vec<(PathBuf, Prose)> = Vec::new();
    for (excerpt, _) in excerpts(diff, sections) {
        let file = excerpt.file.to_owned();
        let whole = inside(worktree, &file).filter(|_| !stale.contains(&file));
        let prose = match &whole {
            Some(path) => disk.prose(path),
            None => Prose::read_excerpt(&excerpt).map_err(DiskError::Latex),
        };
        match prose {
            Ok(prose) => read.push((whole.unwrap_or_else(|| PathBuf::from(&file)), prose)),
            // A report that cannot be read is not one without faults.
            Err(error) => {
                let section = sections.iter().find(|section| section.file == file);
                let line = section.and_then(|section| section.lines.first());
                let place = (file.as_str(), line.map(|line| line.line));
                let why = aris_review::one_line(&error.to_string(), 300);
                looked.open.push(unseen(place, "external", &why));
            }
        }
    }
    let mut problems = Vec::new();
    let bibliographies = disk.bibliographies(&[], &read, &mut problems)?;
    let folders = read.iter().map(|(path, _)| path.as_path());
    let bound = bound(folders, context.cwd());
    let documents: Vec<Prose> = read.into_iter().map(|(_, prose)| prose).collect();
    let held = args.read(&disk, &mut problems)?;
    for problem in &problems {
        context.warn(problem);
    }
    let sources = Sources {
        bibliographies: bibliographies.as_deref(),
        now: Some(month(context)),
        bound: bound.as_deref(),
        ..held.sources(args)
    };
    let found = check(&documents, &sources);
    let of_repository = |file: &str| {
        let path = Path::new(file).strip_prefix(worktree);
        path.map_or_else(|_| file.to_owned(), |path| path.display().to_string())
    };
    for (prose, statements) in documents.iter().zip(&found.statements) {
        for mut claim in claims(prose, statements) {
            claim.file = of_repository(&claim.file);
            if shows(diff, &claim.file, claim.line) {
                looked.claims.push(claim);
            }
        }
    }
    for mut finding in found.findings {
        finding.file = of_repository(&finding.file);
        if finding.line.is_none() || shows(diff, &finding.file, finding.line) {
            looked.findings.push(finding.identified());
        }
    }
    Ok(looked)
}

/// The month in which entries of bibliographies are judged.
pub(crate) fn month(context: &Context) -> Month {
    let today = context.now().to_zoned(TimeZone::UTC).date();
    Month {
        year: u16::try_from(today.year()).unwrap_or(u16::MAX - 1),
        month: u8::try_from(today.month()).unwrap_or(12),
    }
}

/// Whether the diff shows this line: what it does not show is not under review.
fn shows(diff: &Diff, file: &str, line: Option<u32>) -> bool {
    diff.file(file)
        .zip(line)
        .is_some_and(|(file, line)| file.has_line(line))
}

/// Agents and rules together: what one of them found counts. Where the rules see evidence and an agent sees none, a person decides.
///
/// **Source**: citation gates, §8.7.
pub(crate) fn united(mut agents: Vec<Finding>, rules: &Looked) -> Vec<Finding> {
    let place = |finding: &Finding| (finding.file.clone(), finding.line);
    let accused: BTreeSet<(String, Option<u32>)> = rules.findings.iter().map(place).collect();
    let claims = rules.claims.iter();
    let claims = claims.map(|claim| ((claim.file.clone(), claim.line), claim.cited));
    let cited: BTreeMap<(String, Option<u32>), bool> = claims.collect();
    for finding in &mut agents {
        let place = place(finding);
        if cited.get(&place) == Some(&true) && !accused.contains(&place) {
            finding.requires_decision = true;
        }
    }
    agents.extend(rules.findings.iter().cloned());
    agents
}

/// Claims of both, each place once; the agents' first.
pub(crate) fn joined(mut agents: Vec<Claim>, rules: &[Claim]) -> Vec<Claim> {
    let place = |claim: &Claim| (claim.file.clone(), claim.line);
    let known: BTreeSet<(String, Option<u32>)> = agents.iter().map(place).collect();
    let new = rules.iter().filter(|claim| !known.contains(&place(claim)));
    agents.extend(new.cloned());
    sort(&mut agents);
    agents
}
