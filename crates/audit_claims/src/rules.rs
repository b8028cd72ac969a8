//! What the rules find in the reports that a pull request touches.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_gates::{Held, HeldArgs, Worktree};
use aris_paper::bib::BibFile;
use aris_paper::facts::Month;
use aris_review::{Claim, Diff, DiffFile, Finding, Reports};
use aris_statements::disk::{Disk, DiskError, inside};
use aris_statements::papers::PapersCache;
use aris_statements::prose::Prose;
use aris_statements::rules::{Check, NotChecked, Sources, check};
use aris_statements::statement::claims;
use jiff::tz::TimeZone;

use crate::Error;
use crate::agents::{sort, unseen};
use crate::excerpts::{Sentences, excerpts};
use crate::rests::{Beside, Resting, folder, unread};

/// What reports are held against.
#[derive(Debug, clap::Args)]
pub(crate) struct RuleArgs {
    #[command(flatten)]
    held: HeldArgs,
    /// What `verify_papers` wrote about the cited works, for the rules
    #[arg(long, value_name = "FILE")]
    papers_cache: Option<PathBuf>,
}

/// What was read of it.
pub(crate) type Given<'a> = (Held<'a>, Option<PapersCache>);

impl RuleArgs {
    /// Reads it all.
    pub(crate) fn read(&self, disk: &Disk<'_>) -> Result<Given<'_>, DiskError> {
        let held = self.held.read(disk)?;
        let papers = self.papers_cache.as_deref().map(|path| disk.papers(path));
        Ok((held, papers.transpose()?))
    }
}

/// What the rules found.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    /// Claims in what the diff shows.
    pub(crate) claims: Vec<Claim>,
    /// Findings in what the diff shows, and those that have no line.
    pub(crate) findings: Vec<Finding>,
    /// Reports that could not be read.
    pub(crate) open: Vec<Finding>,
    /// What else was not looked at.
    pub(crate) problems: Vec<String>,
    /// Rules that could not look.
    pub(crate) skipped: Vec<NotChecked>,
    /// Citations under review of which no rule can say where they lead: place and mark.
    pub(crate) unseen: BTreeSet<String>,
    /// Whether any report was read, or any number that the diff concerns.
    pub(crate) anything: bool,
}

/// Checks the touched reports, and the reports whose sources the diff touches. A touched report is read from the worktree; where it is
/// absent or `stale` there, only what the diff shows of it is read.
pub(crate) fn look(
    (tree, stale): (&Worktree, &BTreeSet<String>),
    reports: &Reports,
    diff: &Diff,
    (held, papers): &Given<'_>,
    context: &Context,
) -> Result<Looked, Error> {
    let worktree = tree.path.as_path();
    let disk = Disk::new(worktree);
    let mut looked = Looked::default();
    let mut resting = Resting::default();
    let mut read: Vec<(PathBuf, Prose)> = Vec::new();
    let mut files: BTreeMap<&str, (&DiffFile, Sentences)> = BTreeMap::new();
    // A file without lines is empty now.
    for file in reports.shown(diff).filter(|file| !file.lines.is_empty()) {
        let whole = inside(worktree, &file.path).filter(|_| !stale.contains(&file.path));
        match both(&disk, file, whole.as_deref()) {
            Ok([prose, before]) => {
                let before = Sentences::of(&before);
                resting.compare(&prose, &before);
                read.push((PathBuf::from(&file.path), prose));
                files.insert(&file.path, (file, before));
            }
            // A report that cannot be read must not count as one without faults.
            Err(error) => {
                let line = file.lines.iter().find(|line| line.old.is_none());
                let line = line.or(file.lines.first()).map(|line| line.number);
                let why = aris_review::one_line(&unread(worktree, &error), 300);
                looked
                    .open
                    .push(unseen((&file.path, line), "external", &why));
            }
        }
    }
    let beside = Beside::of(tree, reports, diff)?;
    let works = beside.works();
    let (read, open) = beside.citing(&works, read, &mut looked.problems);
    looked.open.extend(open);
    looked.open.extend(beside.unbound());
    for (_, prose) in &read {
        resting.cite(&works, prose);
    }
    let folders = read.iter().map(|(path, _)| folder(path)).collect();
    let numbers = beside.numbers(folders, &mut resting);
    looked.anything = !read.is_empty() || !numbers.is_empty();
    // Reports in one folder are one work: citations in another folder say nothing about it.
    let mut by_folder: BTreeMap<PathBuf, Vec<(PathBuf, Prose)>> = BTreeMap::new();
    for (path, prose) in read {
        by_folder
            .entry(folder(&path))
            .or_default()
            .push((path, prose));
    }
    looked.problems.extend(held.problems.iter().cloned());
    let mut problems = Vec::new();
    let mut checked: Vec<(Vec<Prose>, Check)> = Vec::new();
    for work in by_folder.into_values() {
        let bibliographies = disk.bibliographies(&[], &work, &mut looked.problems)?;
        let sources = Sources {
            bibliographies: bibliographies.as_deref(),
            now: Some(month(context)),
            papers: papers.as_ref(),
            ..held.sources()
        };
        let documents: Vec<Prose> = work.into_iter().map(|(_, prose)| prose).collect();
        let mut found = check(&documents, &sources);
        problems.append(&mut found.problems);
        checked.push((documents, found));
    }
    let sources = Sources {
        bound: Some(&numbers),
        ..Sources::default()
    };
    checked.push((Vec::new(), check(&[], &sources)));
    looked.problems.splice(0..0, problems);
    for problem in &looked.problems {
        context.warn(problem);
    }
    let all = checked
        .iter()
        .flat_map(|(documents, found)| documents.iter().zip(&found.statements));
    let mut new: BTreeMap<&str, BTreeMap<u32, u32>> = BTreeMap::new();
    for (prose, statements) in all.clone() {
        let path = prose
            .files
            .first()
            .and_then(|path| files.get(path.as_str()));
        if let Some((file, before)) = path {
            new.insert(&file.path, before.new_lines(file, prose, statements));
        }
    }
    // The line for a comment about a line under review. Under review are lines of new sentences, lines that the diff shows of a file that
    // it adds to, and lines that depend on what the diff changes.
    let line = |file: &str, line: u32| {
        if resting.sentence(file, line).is_some() {
            return Some(line);
        }
        let here = diff.file(file)?;
        let new = new.get(file).and_then(|lines| lines.get(&line).copied());
        new.or((here.grows() && here.has_line(line)).then_some(line))
    };
    let unseen = checked.iter().flat_map(|(_, found)| &found.unseen);
    let unseen = unseen.filter_map(|(place, mark)| {
        let at = line(&place.file, u32::try_from(place.line).ok()?)?;
        Some((&place.file, at, mark))
    });
    let unseen: Vec<_> = unseen.collect();
    if !unseen.is_empty() {
        let known = keys(tree)?;
        let unseen = unseen.iter().filter(|(_, _, mark)| !known.contains(*mark));
        let unseen = unseen.map(|(file, line, mark)| format!("{file}:{line} {mark}"));
        looked.unseen = unseen.collect();
    }
    let skipped = checked.iter().flat_map(|(_, found)| &found.not_checked);
    looked.skipped = skipped.cloned().collect();
    looked.skipped.sort();
    looked.skipped.dedup();
    for (prose, statements) in all {
        for mut claim in claims(prose, statements) {
            let at = claim.line.and_then(|at| line(&claim.file, at));
            if at.is_some() {
                claim.line = at;
                looked.claims.push(claim);
            }
        }
    }
    let mut kept = BTreeSet::new();
    for finding in all_findings(&checked, &resting) {
        let mut finding = finding.clone();
        let at = finding.line.and_then(|at| line(&finding.file, at));
        if finding.line.is_none() || at.is_some() {
            // Such a line cannot carry a comment, so the text of the review names the sentence.
            let sentence = finding
                .line
                .and_then(|at| resting.sentence(&finding.file, at));
            if let Some(sentence) = sentence.filter(|sentence| !sentence.is_empty()) {
                finding.message = format!("{} ({sentence:?})", finding.message);
            }
            finding.line = at;
            // A document, and another one that includes it, give the same findings.
            let what = (finding.file.clone(), at, finding.message.clone());
            if kept.insert(what) {
                looked.findings.push(finding.identified());
            }
        }
    }
    Ok(looked)
}

/// The keys of all works that files of the worktree list: a part of a document, or a text whose bibliography a project file names, asks for none itself.
fn keys(tree: &Worktree) -> Result<BTreeSet<String>, Error> {
    let mut keys = BTreeSet::new();
    for name in tree.tracked()? {
        let ending = Path::new(&name).extension().unwrap_or_default();
        let is = |wanted| ending.eq_ignore_ascii_case(wanted);
        let text = || aris_fs::read_text(&inside(&tree.path, &name)?).ok();
        if is("bib") {
            let text = text().unwrap_or_default();
            let entries = BibFile::read(name, &text, &[]).read.entries;
            keys.extend(entries.into_iter().map(|entry| entry.key));
        } else if is("tex") || is("bbl") {
            let text = text().unwrap_or_default();
            let items = text.split("\\bibitem").skip(1).filter_map(|item| {
                let (before, rest) = item.split_once('{')?;
                let is_item = before.is_empty() || before.starts_with('[');
                Some(rest.split_once('}')?.0).filter(|_| is_item)
            });
            keys.extend(items.map(str::to_owned));
        }
    }
    Ok(keys)
}

/// The findings of the rules, and those about sources that have changed; where a rule says that a source is missing, this is not repeated.
fn all_findings<'a>(checked: &'a [(Vec<Prose>, Check)], resting: &'a Resting) -> Vec<&'a Finding> {
    let mut all: Vec<&Finding> = checked
        .iter()
        .flat_map(|(_, found)| &found.findings)
        .collect();
    let is_missing = |finding: &&&Finding| {
        let rule = finding.rule.as_deref();
        matches!(rule, Some("cite-key-missing" | "citation-number-missing"))
    };
    let missing = all.iter().filter(is_missing);
    let missing: BTreeSet<_> = missing
        .map(|finding| (&finding.file, finding.line))
        .collect();
    let changed = resting.findings.iter();
    all.extend(changed.filter(|finding| !missing.contains(&(&finding.file, finding.line))));
    all
}

/// A report now and before: from the worktree where it is `whole` there, else what the diff shows of it.
fn both(disk: &Disk<'_>, file: &DiffFile, whole: Option<&Path>) -> Result<[Prose; 2], DiskError> {
    let [now, before] = match whole {
        Some(path) => {
            let name = Path::new(&file.path);
            let now = aris_fs::read_text(path)?;
            let before = file.text_before(&now);
            [now, before].map(|text| disk.prose_of(name, &text))
        }
        None => {
            excerpts(file).map(|excerpt| Prose::read_excerpt(&excerpt).map_err(DiskError::Latex))
        }
    };
    Ok([now?, before?])
}

/// The present month, to judge dates in bibliographies.
pub(crate) fn month(context: &Context) -> Month {
    let today = context.now().to_zoned(TimeZone::UTC).date();
    Month {
        year: u16::try_from(today.year()).unwrap_or(u16::MAX - 1),
        month: u8::try_from(today.month()).unwrap_or(12),
    }
}

/// The findings of agents and rules together. Where the rules see a citation and no fault, and an agent finds no evidence, a person
/// decides.
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

/// The claims of both, one for each line; an agent's claim is kept before that of the rules.
pub(crate) fn joined(mut agents: Vec<Claim>, rules: &[Claim]) -> Vec<Claim> {
    let place = |claim: &Claim| (claim.file.clone(), claim.line);
    let known: BTreeSet<(String, Option<u32>)> = agents.iter().map(place).collect();
    let new = rules.iter().filter(|claim| !known.contains(&place(claim)));
    agents.extend(new.cloned());
    sort(&mut agents);
    agents
}
