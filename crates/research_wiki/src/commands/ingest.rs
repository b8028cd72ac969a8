//! `ingest_paper`.

use std::collections::BTreeMap;

use aris_cli::Context;
use aris_contract::Failure as _;
use aris_contract::ids::{ArxivId, Doi};
use aris_online::FetchError;
use aris_paper::bib;

use super::authors::authors;
use super::batch::Batch;
use super::items;
use crate::cli::IngestArgs;
use crate::error::Error;
use crate::metadata;
use crate::paper::{Description, Remarks};
use crate::report::{Action, Changed};
use crate::wiki::Wiki;
use aris_wiki::identity::Identity;
use aris_wiki::node::Kind;
use aris_wiki::page::one_line;
use aris_wiki::summary::Summary;

/// `ingest_paper`
pub(crate) fn run(args: &IngestArgs, context: &Context) -> Result<Changed, Error> {
    if let Some(path) = &args.bib {
        return import(args, path, context);
    }
    let folder = args.root.folder(context);
    let id = match args.arxiv_id.trim() {
        "" => None,
        text => Some(ArxivId::parse(text)?.without_version()),
    };
    let mut wiki = None;
    let mut description = Description::default();
    if let Some(id) = &id {
        let known = Wiki::open(&folder)?;
        let identity = Identity::new(Some(id.as_str()), None, "", "", 0);
        let there = Summary::find(known.of_kind(Kind::Paper), &identity).is_some();
        wiki = Some(known);
        id.as_str().clone_into(&mut description.arxiv);
        if !there || args.update_on_exist {
            description = describe(args, id, context)?;
        }
    } else if let Some(path) = &args.metadata {
        let papers = metadata::from_file(&context.absolute(path))?;
        let [paper] = papers.as_slice() else {
            return Err(Error::usage(
                format!("{} describes {} papers", path.display(), papers.len()),
                "say which one with --arxiv-id, or use sync",
            ));
        };
        description = Description::of(paper);
    } else if args.title.trim().is_empty() || authors(&args.authors)?.is_empty() || args.year == 0 {
        return Err(Error::usage(
            "a paper without --arxiv-id needs --title, --authors and --year",
            "give --arxiv-id, or all three",
        ));
    }
    overlay(&mut description, args)?;
    let remarks = Remarks {
        thesis: one_line(&args.thesis),
        tags: items(&args.tags),
    };
    let mut batch = Batch::open(&args.root, context, args.update_on_exist, wiki)?;
    batch.add(&description, &remarks)?;
    let (mut changed, rebuilt) = batch.finish(None)?;
    let mut pages = changed.pages.iter();
    if pages.any(|page| page.action != Action::Unchanged) {
        changed.lines.insert(0, rebuilt);
    }
    Ok(changed)
}

/// The description from arXiv or the metadata file. Without an answer, the command line must say enough, as with the reference.
fn describe(args: &IngestArgs, id: &ArxivId, context: &Context) -> Result<Description, Error> {
    let papers = if let Some(path) = &args.metadata {
        metadata::from_file(&context.absolute(path))?
    } else {
        let fetched = metadata::from_arxiv(context, &args.online, std::slice::from_ref(id))?;
        match fetched.stopped {
            Some(why) if args.title.trim().is_empty() => {
                let told = FetchError::told(
                    why.kind(),
                    format!("there is no description of {id}: {why}"),
                    "give --title, --authors and --year, or --metadata FILE: these need no network",
                );
                let details = why.details().into_iter();
                let told = details.fold(told, |told, (key, value)| told.with(&key, value));
                return Err(told.into());
            }
            Some(why) => {
                context.warn(&format!("{why}; the description is the caller's"));
                return Ok(Description {
                    arxiv: id.as_str().to_owned(),
                    ..Description::default()
                });
            }
            None => fetched.papers,
        }
    };
    let described = papers.iter().map(Description::of);
    let mut found = described.filter(|paper| paper.arxiv == id.as_str());
    found.next().ok_or_else(|| {
        if let Some(path) = &args.metadata {
            return Error::no_record(path, id.as_str());
        }
        let hint =
            "check the identifier; give --title, --authors and --year to ingest without arXiv";
        Error::absent(format!("arXiv has no paper {id}"), hint)
    })
}

/// Ingests every entry of a bibliography that has a title.
fn import(args: &IngestArgs, path: &std::path::Path, context: &Context) -> Result<Changed, Error> {
    let path = context.absolute(path);
    let hint = "the file holds entries of BibTeX in UTF-8, such as @article{key, title={...}, ...}";
    let wrong = |line: usize, why: String| Error::metadata(&path, line, &why, hint);
    let bytes = aris_fs::read_given(&path, aris_fs::READ_LIMIT)?;
    let read = bib::read_bytes(&bytes).map_err(|error| wrong(error.line(), error.to_string()))?;
    let index = bib::Index::new([&read]);
    let mut batch = Batch::open(&args.root, context, args.update_on_exist, None)?.for_many();
    // The BibTeX key of the first entry for each page.
    let mut keys = BTreeMap::new();
    for entry in &read.entries {
        let resolved = index.resolve(entry);
        let text = |name: &str| resolved.text(name).map(one_line).unwrap_or_default();
        let verbatim = |name: &str| {
            let field = resolved.field(name);
            field.map(bib::Field::verbatim).unwrap_or_default()
        };
        let title = text("title");
        if title.is_empty() {
            let note = format!("{}: {} has no title", entry.place.line, entry.key);
            batch.changed.warn(context, note);
            continue;
        }
        let venues = "journal journaltitle booktitle school institution publisher howpublished";
        let mut venues = venues.split(' ').map(text);
        let is_name = |text: &String| !text.is_empty() && !text.contains("://");
        let author = resolved
            .field("author")
            .or_else(|| resolved.field("editor"));
        let names = author.map(|field| aris_paper::names::parse_list(&field.raw).names);
        let names = names.iter().flatten().map(|name| one_line(&name.listed()));
        let years = [text("year"), text("date")];
        let year = years.iter().find_map(|text| bib::year_of(text));
        let announced = aris_contract::ids::arxiv_mentions(&verbatim("url"));
        let mut announced = announced.into_iter().filter_map(|found| found.id.ok());
        let eprint = ArxivId::parse(&verbatim("eprint")).ok();
        let arxiv = eprint.or_else(|| announced.next());
        let mut description = Description {
            arxiv: arxiv.map_or_else(String::new, |id| id.without_version().to_string()),
            doi: verbatim("doi"),
            title,
            authors: names.filter(|name| !name.is_empty()).collect(),
            year: year.map_or(0, u32::from),
            venue: venues.find(is_name).unwrap_or_default(),
            kind: aris_paper::records::kind(&entry.kind),
            summary: text("abstract"),
            ..Description::default()
        };
        settle_doi(&mut description);
        let remarks = Remarks {
            thesis: String::new(),
            tags: items(&args.tags),
        };
        let file = batch.add(&description, &remarks)?;
        if let Some(first) = keys.get(&file) {
            let (line, key) = (entry.place.line, &entry.key);
            let note = format!("{line}: {key} is the same paper as {first}: both are in {file}");
            batch.changed.warn(context, note);
        } else {
            keys.insert(file, &entry.key);
        }
    }
    if read.entries.is_empty() {
        return Err(wrong(1, String::from("it holds no entries")));
    }
    let file = args.bib.as_deref().unwrap_or(&path).display();
    for problem in &read.problems {
        let note = format!("{file}:{}: {}", problem.place.line, problem.message);
        batch.changed.warn(context, note);
    }
    Ok(batch.finish(None)?.0)
}

/// Overrides the description with what the command line says.
fn overlay(description: &mut Description, args: &IngestArgs) -> Result<(), Error> {
    let authors = authors(&args.authors)?;
    for (field, given) in [
        (&mut description.title, &args.title),
        (&mut description.venue, &args.venue),
        (&mut description.doi, &args.doi),
        (&mut description.s2, &args.s2),
    ] {
        if !given.trim().is_empty() {
            *field = one_line(given);
        }
    }
    if !authors.is_empty() {
        description.authors = authors;
    }
    if args.year > 0 {
        description.year = args.year;
    }
    settle_doi(description);
    Ok(())
}

fn settle_doi(description: &mut Description) {
    // arXiv's own DOI names the preprint; the field `doi` is for the published form.
    let preprint = Doi::parse(&description.doi)
        .ok()
        .and_then(|doi| doi.arxiv());
    if let Some(id) = preprint {
        description.doi.clear();
        if description.arxiv.is_empty() {
            id.as_str().clone_into(&mut description.arxiv);
        }
    }
}
