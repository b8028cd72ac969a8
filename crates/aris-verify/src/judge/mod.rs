//! Makes a verdict from the answers.

mod compare;
mod fit;
mod opinion;
mod venue;

use std::collections::BTreeMap;

use aris_contract::artifact::papers::{Paper, Source};
use aris_contract::ids::{ArxivId, Doi};
use aris_paper::facts::FactKind;
use aris_paper::records;

use crate::authors;
use crate::reference::Reference;
use crate::report::{Checked, Confidence, Evidence, Existence, Finding, Outcome, Severity, Status};
use crate::sources::{Answer, Id};
use fit::{Fit, fit_of_id, fit_of_title};
pub(crate) use opinion::{is_confirmed, is_found, is_settled, wants_opinion};

fn records_of(said: &[Answer]) -> impl Iterator<Item = (Source, &Paper)> {
    said.iter().flat_map(|answer| {
        answer
            .said
            .iter()
            .flatten()
            .map(move |record| (answer.source, record))
    })
}

/// A cited identifier leads to a record in another script, which may be the cited work.
const OTHER_SCRIPT: &str = "identifier_in_other_script";

/// The facts about one reference.
#[derive(Default)]
struct Case<'a> {
    /// Records of the cited work; those found by identifiers first.
    work: Vec<&'a Paper>,
    /// Whether the best of them was found by an identifier.
    by_id: bool,
    evidence: Vec<Evidence>,
    findings: Vec<Finding>,
    /// Whether a DOI is unknown to all registries.
    unknown_doi: bool,
    silent: bool,
    /// A record whose main title is the cited one.
    main_title: Option<(Source, &'a Paper)>,
}

/// The verdict.
pub(crate) fn judge(reference: &Reference, ids: &[(Id, &[Answer])], titles: &[Answer]) -> Checked {
    let mut case = Case::default();
    for fact in &reference.facts {
        let severity = match fact.kind {
            kind if kind.proves_error() => Severity::Error,
            // A matter of style: the list itself says that it is cut.
            FactKind::LiteralEtAl => Severity::Note,
            _ => Severity::Doubt,
        };
        case.find(fact.kind.id(), severity, &fact.field, fact.message.clone());
    }
    // Titles first: a search may confirm that a cited identifier belongs to the work under a former title.
    case.titles(reference, titles);
    for (id, said) in ids {
        case.identifier(reference, id, said);
    }
    case.finish(reference)
}

impl<'a> Case<'a> {
    fn find(&mut self, id: &str, severity: Severity, field: &str, message: String) {
        let found = Finding::new(id, severity, field, message);
        self.findings.push(found);
    }

    fn witness(&mut self, source: Source, asked: &str, outcome: Outcome, record: Option<&Paper>) {
        let origin = record.and_then(|record| record.origins.first());
        self.evidence.push(Evidence {
            source: source.word().to_owned(),
            asked: asked.to_owned(),
            outcome,
            record: origin.map(|origin| origin.record.clone()),
            title: record.map(|record| record.title.clone()),
            retrieved_at: origin.map(|origin| origin.retrieved_at.clone()),
            detail: None,
        });
    }

    fn silence(&mut self, source: Source, asked: &str, why: &str) {
        self.witness(source, asked, Outcome::Silent, None);
        if let Some(last) = self.evidence.last_mut() {
            last.detail = Some(why.to_owned());
        }
    }

    fn titles(&mut self, reference: &Reference, titles: &'a [Answer]) {
        let mut other_people: Option<&Paper> = None;
        let mut other_title: Option<(Source, &Paper)> = None;
        for answer in titles {
            let records = match &answer.said {
                Ok(records) => records,
                Err(silence) => {
                    self.silence(answer.source, "title", &silence.why);
                    self.silent = true;
                    continue;
                }
            };
            let fits = records
                .iter()
                .map(|record| (fit_of_title(reference, record), record));
            let best = fits.min_by_key(|(fit, _)| *fit);
            let best = best.filter(|(fit, _)| *fit != Fit::Other);
            match best {
                Some((Fit::Work, record)) => self.work.push(record),
                Some((Fit::OtherPeople, record)) => other_people = other_people.or(Some(record)),
                Some((Fit::OtherTitle, record)) => {
                    other_title = other_title.or(Some((answer.source, record)));
                }
                Some((Fit::MainTitle, record)) => {
                    self.main_title = self.main_title.or(Some((answer.source, record)));
                }
                Some((Fit::OtherScript | Fit::Other, _)) | None => {}
            }
            let outcome = match best {
                Some((Fit::Work, _)) => Outcome::Found,
                Some(_) => Outcome::OtherWork,
                None => Outcome::Absent,
            };
            let record = best.map(|(_, record)| record);
            self.witness(answer.source, "title", outcome, record);
        }
        if !self.work.is_empty() {
            return;
        }
        if let Some((source, record)) = other_title {
            let title = &record.title;
            let message = format!("{source} has \u{201c}{title}\u{201d} by the same authors");
            let id = "similar_title_of_same_people";
            self.find(id, Severity::Doubt, "title", message);
        }
        match other_people {
            Some(record) if self.silent => {
                let names = record.authors.iter().take(3);
                let names: Vec<&str> = names.map(|author| author.name.as_str()).collect();
                let message = format!(
                    "a work of this title is by {}; whether the cited authors wrote one, a source that did not answer may know",
                    names.join(", ")
                );
                self.find("title_of_other_people", Severity::Doubt, "authors", message);
            }
            // All sources have answered, so the title belongs to these authors.
            Some(record) => self.work.push(record),
            None => {}
        }
    }

    fn identifier(&mut self, reference: &Reference, id: &Id, said: &'a [Answer]) {
        let label = id.label();
        let field = match id {
            Id::Arxiv(_) => "arxiv_id",
            Id::Doi(_) => "doi",
        };
        for answer in said {
            if let Err(silence) = &answer.said {
                self.silence(answer.source, &label, &silence.why);
            }
        }
        let Some((source, record)) = records_of(said).next() else {
            if said.iter().any(|answer| answer.said.is_err()) || said.is_empty() {
                self.silent = true;
                return;
            }
            for answer in said {
                self.witness(answer.source, &label, Outcome::Absent, None);
            }
            match id {
                Id::Arxiv(id) => {
                    let message = format!("arXiv has no paper {id}");
                    self.find("arxiv_id_unknown", Severity::Error, field, message);
                }
                Id::Doi(doi) => {
                    self.unknown_doi = true;
                    let message = format!("neither Crossref nor DataCite has the DOI {doi}");
                    self.find("doi_unknown", Severity::Doubt, field, message);
                }
            }
            return;
        };
        let fit = fit_of_id(reference, record);
        let renamed = fit != Fit::Work && self.is_known_as(id);
        if fit == Fit::Work || renamed {
            self.by_id = true;
            self.work.insert(0, record);
            self.witness(source, &label, Outcome::Found, Some(record));
            for (source, other) in records_of(said).skip(1) {
                if fit_of_id(reference, other) == Fit::Work {
                    self.work.push(other);
                    self.witness(source, &label, Outcome::Found, Some(other));
                }
            }
            return;
        }
        if fit == Fit::OtherScript {
            self.witness(source, &label, Outcome::Unclear, Some(record));
            let message = format!(
                "{label} is \u{201c}{}\u{201d}; whether that is the cited work cannot be told across scripts",
                record.title
            );
            self.find(OTHER_SCRIPT, Severity::Note, field, message);
            return;
        }
        self.witness(source, &label, Outcome::OtherWork, Some(record));
        let (finding, severity, remark) = if fit == Fit::OtherTitle {
            (
                "identifier_has_other_title",
                Severity::Doubt,
                "; the title may have changed, or another work of the same authors is meant",
            )
        } else {
            ("identifier_of_other_work", Severity::Error, "")
        };
        let message = format!("{label} is \u{201c}{}\u{201d}{remark}", record.title);
        self.find(finding, severity, field, message);
        if fit == Fit::OtherTitle && self.work.is_empty() {
            self.by_id = true;
            self.work.push(record);
        }
    }

    /// Whether a record found by the title has this identifier: then the work has, or had, both titles.
    fn is_known_as(&self, id: &Id) -> bool {
        let mut known = self.work.iter().map(|record| &record.ids);
        known.any(|ids| match id {
            Id::Arxiv(id) => ids.arxiv.as_ref().map(ArxivId::without_version).as_ref() == Some(id),
            Id::Doi(doi) => ids.doi.contains(doi),
        })
    }

    fn finish(mut self, reference: &Reference) -> Checked {
        let main_title = self
            .main_title
            .filter(|_| self.work.is_empty() && !self.silent);
        if let Some((source, record)) = main_title {
            let message = format!(
                "{source} has \u{201c}{}\u{201d}; whether that is the cited work, its authors or an identifier would say",
                record.title
            );
            self.find("main_title_matches", Severity::Doubt, "title", message);
        }
        let fields = compare::fields(reference, &self.work, &mut self.findings);
        let mut work = self.work.iter();
        let retracted = work.any(|record| record.retracted == Some(true));
        if retracted {
            let message = String::from("a source says that the work was retracted or withdrawn");
            self.find("retracted", Severity::Doubt, "title", message);
        }
        self.findings.sort_by_key(|finding| finding.severity);
        let other_script = self.findings.iter().any(|found| found.id == OTHER_SCRIPT);
        let existence = if !self.work.is_empty() {
            Existence::Exists
        } else if self.silent
            || other_script
            || main_title.is_some()
            || reference.is_empty()
            || !self.is_decided(reference)
        {
            Existence::Inconclusive
        } else {
            Existence::NotFound
        };
        // A finding that means another work, whatever its severity.
        let against = self.findings.iter().find(|finding| {
            finding.severity == Severity::Error || finding.id == "identifier_has_other_title"
        });
        let (status, reason) = match existence {
            _ if against.is_some() => (Status::Unverified, against.map(|found| &*found.id)),
            _ if reference.is_empty() => (Status::Error, Some("no_identifier_no_title")),
            Existence::Exists => (Status::Verified, None),
            Existence::NotFound => (Status::Unverified, Some("no_source_has_it")),
            Existence::Inconclusive if self.silent => {
                (Status::VerifyPending, Some("transient_api_failure"))
            }
            Existence::Inconclusive => {
                let reason = if main_title.is_some() {
                    "only_the_main_title_matches"
                } else if other_script {
                    OTHER_SCRIPT
                } else if self.unknown_doi {
                    "doi_at_no_known_registry"
                } else {
                    "not_listed_by_sources"
                };
                (Status::Unverified, Some(reason))
            }
        };
        let reason = reason.map(str::to_owned);
        let verified = status == Status::Verified;
        let method = verified.then(|| self.method(reference)).flatten();
        let confidence = verified.then(|| self.confidence(reference));
        let records = self.work.iter().copied().cloned();
        let record = records.reduce(records::merge).map(Box::new);
        Checked {
            id: reference.key.clone(),
            status,
            method,
            confidence,
            reason,
            identifiers: identifiers(reference, record.as_deref()),
            existence,
            metadata: fields,
            findings: self.findings,
            retracted,
            evidence: self.evidence,
            record,
        }
    }

    /// Whether all sources that list works of this kind have answered "no". Without a title only a registry that lists all its works
    /// can.
    fn is_decided(&self, reference: &Reference) -> bool {
        if reference.title.is_empty() {
            return !self.unknown_doi;
        }
        reference.listed_kind
    }

    fn method(&self, reference: &Reference) -> Option<String> {
        let source = self.work.first()?.origins.first()?.source;
        let word = match source {
            Source::SemanticScholar => "s2",
            other => other.word(),
        };
        let fallback = !self.by_id && !reference.dois.is_empty();
        Some(if fallback {
            format!("{word}_fallback_from_doi")
        } else {
            word.to_owned()
        })
    }

    fn confidence(&self, reference: &Reference) -> Confidence {
        let work = self.work.iter().copied();
        match authors::best(&reference.authors, reference.others, work) {
            _ if self.by_id => Confidence::High,
            Some(_) => Confidence::Medium,
            None => Confidence::Low,
        }
    }
}

/// The identifiers of the work: the record's, else the cited ones.
fn identifiers(reference: &Reference, record: Option<&Paper>) -> BTreeMap<String, String> {
    let arxiv = record.and_then(|record| record.ids.arxiv.as_ref());
    let doi = record.and_then(|record| record.ids.doi.first());
    let title = record.map(|record| record.title.as_str());
    let known = [
        (
            "arxiv_id",
            arxiv.or(reference.arxiv.first()).map(ArxivId::as_str),
        ),
        ("doi", doi.or(reference.dois.first()).map(Doi::as_str)),
        ("title", title),
        ("s2_title", title),
    ];
    let known = known.into_iter();
    known
        .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
        .collect()
}
