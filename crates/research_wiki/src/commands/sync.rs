//! `sync`: many papers in one pass: the wiki is read once, arXiv is asked for 100 papers per request, derived files are rebuilt
//! once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use aris_cli::{Context, Outcome};
use aris_contract::ids::{ArxivId, arxiv_mentions};
use aris_contract::text::counted;
use aris_contract::{ErrorKind, Failure as _};
use aris_online::FetchError;

use super::batch::Batch;
use super::items;
use crate::cli::SyncArgs;
use crate::error::Error;
use crate::metadata::{self, Fetched};
use crate::paper::{Description, Remarks};
use crate::report::{Action, Changed};
use crate::wiki::Wiki;
use aris_wiki::identity::Identity;

/// Largest file that is searched, in bytes: 16 MiB. Larger files are data.
const SEARCHED: u64 = 16 << 20;

/// File name extensions of text files.
const TEXTS: [&str; 8] = ["md", "txt", "json", "jsonl", "log", "tex", "bib", "yaml"];

/// `sync`
pub(crate) fn run(args: &SyncArgs, context: &Context) -> Result<Outcome<Changed>, Error> {
    let mut changed = args.root.changed();
    let ids = wanted(args, context, &mut changed)?;
    let (searched, malformed) = (changed.notes.len(), changed.unknown.len());
    changed.lines.push(format!(
        "sync: {} unique arxiv id(s)",
        ids.len() + changed.unknown.len()
    ));
    let wiki = Wiki::open(&args.root.folder(context))?;
    let known = wiki.papers();
    let is_known = |id: &ArxivId| {
        known
            .find(&Identity::new(Some(id.as_str()), None, "", "", 0))
            .is_some()
    };
    let (there, missing): (Vec<ArxivId>, Vec<ArxivId>) = ids
        .iter()
        .cloned()
        .partition(|id| is_known(id) && !args.update_on_exist);
    let fetched = fetch(args, context, &missing, &mut changed)?;
    let there = there.iter().map(|id| Description {
        arxiv: id.as_str().to_owned(),
        ..Description::default()
    });
    let batch = Batch::open(&args.root, context, args.update_on_exist, Some(wiki))?;
    let mut batch = batch.for_many();
    batch.changed = changed;
    for description in there.chain(fetched.papers.iter().map(Description::of)) {
        batch.add(&description, &Remarks::default())?;
    }
    let guessed = (searched > 0)
        .then(|| format!("sync: {searched} ids came from searching traces (heuristic)"));
    let (mut changed, rebuilt) = batch.finish(guessed)?;
    changed.lines.push(rebuilt);
    let stopped = fetched.stopped.map(|why| {
        let hint = "run the same command again later; papers that are in the wiki are skipped";
        (why.kind(), why.to_string(), hint)
    });
    let unrecorded = args.metadata.as_ref().map(|path| {
        let hint = "add these records to the file, or leave --metadata out to ask arXiv";
        let why = format!("{} has no record; arXiv was not asked", path.display());
        (ErrorKind::Validation, why, hint)
    });
    if let Some((kind, why, hint)) = stopped.or(unrecorded)
        && !fetched.unanswered.is_empty()
    {
        let missing: Vec<&str> = fetched.unanswered.iter().map(ArxivId::as_str).collect();
        let pages = changed.pages.iter();
        let ingested = pages.filter(|page| page.action == Action::Created).count();
        let papers = counted(ingested + missing.len(), "new paper");
        let what = format!("{ingested} of {papers} added: {why}");
        let error = FetchError::told(kind, what, hint);
        let error = error.with("ingested", ingested);
        return Err(error.with("unanswered", missing).into());
    }
    // Malformed identifiers come first and were reported already; arXiv was not asked for them.
    for id in changed.unknown.iter().skip(malformed) {
        context.warn(&format!("{id}: no such paper"));
    }
    let unknown = !changed.unknown.is_empty();
    Ok(Outcome::found(changed, unknown))
}

/// The requested identifiers, each once. Text that is not an identifier goes to `changed.unknown`.
fn wanted(
    args: &SyncArgs,
    context: &Context,
    changed: &mut Changed,
) -> Result<Vec<ArxivId>, Error> {
    let mut named = items(&args.arxiv_ids);
    if let Some(path) = &args.from_file {
        let text = aris_fs::read_text(&context.absolute(path))?;
        let lines = text
            .lines()
            .map(|line| line.split('#').next().unwrap_or_default().trim());
        named.extend(lines.filter(|line| !line.is_empty()).map(str::to_owned));
    }
    if let Some(path) = &args.from_traces {
        let found = search(&context.absolute(path))?;
        for (id, place) in &found {
            let note = format!("{id} was found by searching {place} (heuristic)");
            context.note(&note);
            changed.notes.push(note);
        }
        named.extend(found.into_keys());
    }
    let mut seen = BTreeSet::new();
    let mut ids = Vec::new();
    for text in &named {
        match ArxivId::parse(text) {
            Ok(id) if seen.insert(id.as_str().to_owned()) => ids.push(id.without_version()),
            Ok(_) => {}
            Err(error) => {
                if seen.insert(text.clone()) {
                    context.warn(&error.to_string());
                    changed.unknown.push(text.clone());
                }
            }
        }
    }
    if named.is_empty() && args.metadata.is_none() && args.from_traces.is_none() {
        let empty = args.from_file.as_ref();
        let what = empty.map(|path| format!("{} names no arXiv identifier", path.display()));
        let what = what.unwrap_or_else(|| String::from("no arXiv identifiers"));
        let hint = "name them with --arxiv-ids, --from-file (one on each line) or --from-traces";
        return Err(Error::usage(what, hint));
    }
    Ok(ids)
}

/// Identifiers that text files below `folder` mention, each with the first file that does.
fn search(folder: &Path) -> Result<BTreeMap<String, String>, Error> {
    let mut found = BTreeMap::new();
    for entry in aris_fs::walk_sorted(folder, &mut |_| true)? {
        let extension = entry.path.extension().and_then(|end| end.to_str());
        if !extension.is_some_and(|end| TEXTS.contains(&end))
            || entry.kind != aris_fs::EntryKind::File
        {
            continue;
        }
        // The search is a heuristic: files that cannot be read are skipped.
        let Ok(bytes) = aris_fs::read(&entry.path, SEARCHED) else {
            continue;
        };
        let shown = aris_fs::display_relative(&entry.path, folder);
        for mention in arxiv_mentions(&String::from_utf8_lossy(&bytes)) {
            if let Ok(id) = mention.id {
                found
                    .entry(id.as_str().to_owned())
                    .or_insert_with(|| shown.clone());
            }
        }
    }
    Ok(found)
}

/// Descriptions of the missing papers. Reports those that arXiv does not have; what a file does not have is unanswered.
fn fetch(
    args: &SyncArgs,
    context: &Context,
    missing: &[ArxivId],
    changed: &mut Changed,
) -> Result<Fetched, Error> {
    let mut fetched = match &args.metadata {
        Some(path) => Fetched {
            papers: metadata::from_file(&context.absolute(path))?,
            ..Fetched::default()
        },
        None if missing.is_empty() => Fetched::default(),
        None => metadata::from_arxiv(context, &args.online, missing)?,
    };
    if missing.is_empty()
        && args.metadata.is_some()
        && args.arxiv_ids.is_empty()
        && args.from_file.is_none()
    {
        return Ok(fetched);
    }
    let wanted: BTreeSet<&str> = missing.iter().map(ArxivId::as_str).collect();
    let id = |paper: &aris_contract::artifact::papers::Paper| {
        paper.ids.arxiv.as_ref().map(|id| id.as_str().to_owned())
    };
    fetched
        .papers
        .retain(|paper| id(paper).is_some_and(|id| wanted.contains(id.as_str())));
    let have: BTreeSet<String> = fetched.papers.iter().filter_map(id).collect();
    let answered = missing.len() - fetched.unanswered.len();
    let unknown = missing.iter().take(answered);
    let unknown = unknown.filter(|id| !have.contains(id.as_str()));
    if let Some(path) = &args.metadata {
        fetched.unanswered = unknown.cloned().collect();
        for id in &fetched.unanswered {
            context.warn(&format!("{id}: {} has no record of it", path.display()));
        }
    } else {
        changed.unknown.extend(unknown.map(ToString::to_string));
    }
    Ok(fetched)
}
