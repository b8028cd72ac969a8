//! Asks the sources, in this order, for as many references at a time as fit into one batch at arXiv:
//!
//! 1. arXiv papers, in one batch. At the same time each DOI: at Crossref, many of them in lists, and if Crossref has none, at
//!    DataCite. Where these do not answer, one batch at Semantic Scholar, which is also asked for a second opinion if a record
//!    contradicts the reference or names no venue.
//! 2. Titles, for references that no identifier has confirmed: one source after another until one has the work, or until two or three
//!    have it, for the same reasons.
//!
//! No question is asked twice, and references are handled concurrently, within the manners of each host.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc;

use aris_contract::artifact::papers::{Paper, Source};
use aris_contract::ids::{ArxivId, Doi};

use crate::judge;
use crate::reference::Reference;
use crate::report::Checked;
use crate::sources::{Answer, Id, Sources};

/// arXiv papers per request.
pub const ARXIV_BATCH: usize = aris_sources::arxiv::BATCH;

/// References handled together if few of them are arXiv papers, so that the first verdicts are known soon.
const TOGETHER: usize = 200;

/// Concurrent questions; each host has its own, smaller limit.
const AT_ONCE: usize = 6;

/// Sources that are asked for titles, the most reliable first. A work is "not found" only if all of them have answered.
///
/// **Source**: on 609 recorded references Semantic Scholar's match named the work whenever it answered, OpenAlex's first result in
/// three of four, Crossref's in six of ten, and DBLP had nothing for a third; none of them alone has them all.
pub const TITLE_SOURCES: [Source; 5] = [
    Source::SemanticScholar,
    Source::Openalex,
    Source::Crossref,
    Source::Arxiv,
    Source::Dblp,
];

/// Settings of a verification.
#[derive(Clone, Debug)]
pub struct Options {
    /// arXiv papers per request.
    pub arxiv_batch: usize,
    /// Sources that are asked for titles, in this order.
    pub title_sources: Vec<Source>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            arxiv_batch: ARXIV_BATCH,
            title_sources: TITLE_SOURCES.to_vec(),
        }
    }
}

type Answers = BTreeMap<Id, Vec<Answer>>;

/// Verifies references; the result is in their order. `done` is called with each verdict, in the same order, as soon as it and the
/// earlier ones are known.
pub fn verify(
    references: &[Reference],
    sources: &dyn Sources,
    options: &Options,
    done: &mut dyn FnMut(&Checked),
) -> Vec<Checked> {
    let batch = options.arxiv_batch.clamp(1, ARXIV_BATCH);
    let mut answers = Answers::new();
    let mut all = Vec::with_capacity(references.len());
    let mut rest = references;
    while !rest.is_empty() {
        let (group, later) = rest
            .split_at_checked(group(rest, batch))
            .unwrap_or((rest, &[]));
        rest = later;
        ask(group, sources, &mut answers);
        let answers = &answers;
        all.append(&mut parallel(
            group,
            |reference| one(reference, answers, sources, options),
            done,
        ));
    }
    all
}

/// How many of these references are handled together: as many as have arXiv papers for one batch.
fn group(references: &[Reference], batch: usize) -> usize {
    let mut ids = BTreeSet::new();
    references
        .iter()
        .take(TOGETHER.max(batch))
        .take_while(|reference| {
            ids.extend(reference.arxiv.iter().map(ArxivId::without_version));
            ids.len() <= batch
        })
        .count()
        .max(1)
}

/// Asks for the identifiers of these references that were not asked for before.
fn ask(references: &[Reference], sources: &dyn Sources, answers: &mut Answers) {
    let is_new = |id: &Id| !answers.contains_key(id);
    let arxiv_ids: BTreeSet<ArxivId> = references
        .iter()
        .flat_map(|reference| &reference.arxiv)
        .map(ArxivId::without_version)
        .filter(|id| is_new(&Id::Arxiv(id.clone())))
        .collect();
    let wanted: BTreeSet<Doi> = references
        .iter()
        .flat_map(|reference| reference.dois.iter().cloned())
        .filter(|doi| is_new(&Id::Doi(doi.clone())))
        .collect();
    let mut said = std::thread::scope(|scope| {
        let papers = scope.spawn(|| arxiv(arxiv_ids, sources));
        let mut said = dois(wanted, sources);
        match papers.join() {
            Ok(mut papers) => said.append(&mut papers),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        said
    });
    let doubted = references
        .iter()
        .map(|reference| (reference, known(reference, &said)))
        .filter(|(reference, ids)| judge::wants_opinion(reference, ids, &[]))
        .flat_map(|(_, ids)| ids.into_iter().map(|(id, _)| id));
    let silent = said
        .iter()
        .filter(|(_, said)| said.last().is_some_and(|answer| answer.said.is_err()))
        .map(|(id, _)| id.clone());
    let more: BTreeSet<Id> = doubted
        .chain(silent)
        .filter(|id| said.contains_key(id))
        .collect();
    ask_again(&mut said, more, sources);
    answers.append(&mut said);
}

/// The identifiers of a reference with the answers about them.
fn known<'a>(reference: &Reference, answers: &'a Answers) -> Vec<(Id, &'a [Answer])> {
    let arxiv = reference.arxiv.iter().map(ArxivId::without_version);
    let dois = reference.dois.iter().cloned().map(Id::Doi);
    let ids = arxiv.map(Id::Arxiv).chain(dois);
    ids.map(|id| {
        let said = answers.get(&id).map(Vec::as_slice).unwrap_or_default();
        (id, said)
    })
    .collect()
}

fn one(
    reference: &Reference,
    answers: &Answers,
    sources: &dyn Sources,
    options: &Options,
) -> Checked {
    let ids = known(reference, answers);
    let mut titles: Vec<Answer> = Vec::new();
    if !reference.title.is_empty() && !judge::is_confirmed(reference, &ids) {
        let mut found = 0;
        for source in &options.title_sources {
            let answer = Answer {
                source: *source,
                said: sources.title(*source, &reference.title),
            };
            found += usize::from(judge::is_found(reference, &answer));
            titles.push(answer);
            if judge::is_settled(reference, &ids, &titles, found) {
                break;
            }
        }
    }
    judge::judge(reference, &ids, &titles)
}

/// Asks arXiv. A single reference may name more papers than a batch holds.
fn arxiv(ids: BTreeSet<ArxivId>, sources: &dyn Sources) -> Answers {
    let (known, unknown): (Vec<_>, Vec<_>) = ids.into_iter().partition(|id| sources.knows(id));
    let mut answers = Answers::new();
    for chunk in known.chunks(ARXIV_BATCH).chain(unknown.chunks(ARXIV_BATCH)) {
        let said = sources.arxiv(chunk);
        for id in chunk {
            let is_it = |paper: &&Paper| paper.ids.arxiv.as_ref() == Some(id);
            let answer = Answer {
                source: Source::Arxiv,
                said: match &said {
                    Ok(papers) => Ok(papers.iter().filter(is_it).cloned().collect()),
                    Err(silence) => Err(silence.clone()),
                },
            };
            answers.insert(Id::Arxiv(id.clone()), vec![answer]);
        }
    }
    answers
}

fn dois(dois: BTreeSet<Doi>, sources: &dyn Sources) -> Answers {
    let dois: Vec<Doi> = dois.into_iter().collect();
    sources.prepare(&dois);
    let registries = |doi: &Doi| {
        let mut answers = Vec::new();
        for source in [Source::Crossref, Source::Datacite] {
            let said = sources
                .doi(source, doi)
                .map(|paper| paper.into_iter().collect::<Vec<_>>());
            let goes_on = matches!(&said, Ok(papers) if papers.is_empty());
            answers.push(Answer { source, said });
            if !goes_on {
                break;
            }
        }
        answers
    };
    let said = parallel(&dois, registries, &mut |_| ());
    dois.into_iter().map(Id::Doi).zip(said).collect()
}

/// Asks Semantic Scholar, in one batch, for papers that the other sources do not have or do not describe well enough. A missing paper
/// proves nothing, because it does not list all papers.
fn ask_again(answers: &mut Answers, ids: BTreeSet<Id>, sources: &dyn Sources) {
    if ids.is_empty() {
        return;
    }
    let names: Vec<String> = ids.iter().map(Id::name).collect();
    let Ok(found) = sources.batch(&names) else {
        return;
    };
    for (id, paper) in ids.iter().zip(found) {
        if let (Some(paper), Some(said)) = (paper, answers.get_mut(id)) {
            said.push(Answer {
                source: Source::SemanticScholar,
                said: Ok(vec![paper]),
            });
        }
    }
}

/// Applies `work` to all items on a few threads; `done` gets the results in the items' order, on the calling thread.
fn parallel<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync + Send,
    done: &mut dyn FnMut(&R),
) -> Vec<R> {
    let numbered: Vec<(usize, &T)> = items.iter().enumerate().collect();
    let (sender, receiver) = mpsc::channel();
    let mut results = Vec::with_capacity(items.len());
    std::thread::scope(|scope| {
        // The receiver is gone if the other end has panicked.
        scope.spawn(move || {
            aris_fs::map_in_parallel(AT_ONCE, &numbered, |(at, item)| {
                sender.send((*at, work(item))).is_ok()
            })
        });
        let mut early = BTreeMap::new();
        for (at, result) in receiver {
            early.insert(at, result);
            while let Some(result) = early.remove(&results.len()) {
                done(&result);
                results.push(result);
            }
        }
    });
    results
}
