//! The corpus: documents with their labels, bibliographies, results and plans.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use aris_latex::Loaded;
use aris_paper::bib::BibFile;
use aris_paper::facts::Month;
use aris_statements::papers::PapersCache;
use aris_statements::plan::Plan;
use aris_statements::prose::Prose;
use aris_statements::results::Results;
use aris_statements::rules::{Check, Sources, check};
use serde::Deserialize;

/// The month in which the corpus was written.
const NOW: Month = Month {
    year: 2026,
    month: 5,
};

/// One labelled sentence.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Label {
    pub(crate) line: usize,
    pub(crate) text: String,
    pub(crate) claim: bool,
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    pub(crate) cited: bool,
    pub(crate) evidence: String,
}

/// A document of the corpus, as text, so that tests can change it.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(crate) name: String,
    pub(crate) train: bool,
    pub(crate) clean: bool,
    pub(crate) file: String,
    pub(crate) text: String,
    pub(crate) labels: Vec<Label>,
    pub(crate) bibliography: Option<(String, String)>,
    pub(crate) results: Vec<(String, String)>,
    pub(crate) plan: Option<(String, String)>,
    pub(crate) papers: Option<String>,
}

#[derive(Deserialize)]
struct Index {
    documents: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    name: String,
    split: String,
    clean: bool,
    document: String,
    bibliography: Option<String>,
    results: Vec<String>,
    plan: Option<String>,
    labels: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/statements")
}

/// All documents, in the order of the index.
pub(crate) fn documents() -> Vec<Document> {
    let read = |path: PathBuf| {
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let index: Index = serde_json::from_str(&read(root().join("index.json"))).unwrap();
    index
        .documents
        .into_iter()
        .map(|row| {
            let folder = root().join(&row.name);
            let file = |name: &String| (name.clone(), read(folder.join(name)));
            let labels = read(folder.join(&row.labels));
            Document {
                train: row.split == "train",
                clean: row.clean,
                text: read(folder.join(&row.document)),
                labels: labels
                    .lines()
                    .map(|line| serde_json::from_str(line).unwrap())
                    .collect(),
                bibliography: row.bibliography.as_ref().map(file),
                results: row.results.iter().map(file).collect(),
                plan: row
                    .plan
                    .as_ref()
                    .filter(|plan| **plan != row.document)
                    .map(file),
                papers: None,
                name: row.name,
                file: row.document,
            }
        })
        .collect()
}

impl Document {
    pub(crate) fn prose(&self) -> Prose {
        Prose::read(&self.file, &self.text, &mut |_: &str| Loaded::Absent).unwrap()
    }

    fn results(&self) -> Vec<Results> {
        let files = self.results.iter().map(|(path, text)| Results {
            path: path.clone(),
            table: aris_evidence::read_table(path, text.as_bytes(), None).unwrap(),
        });
        files.collect()
    }

    /// The result of the rules.
    pub(crate) fn check(&self) -> Check {
        let prose = self.prose();
        let results = self.results();
        // As a user gives them with --repetition.
        let repetition = ["plot", "donor", "farm", "reader", "day", "week"].map(String::from);
        let bibliographies = self
            .bibliography
            .as_ref()
            .map(|(path, text)| vec![BibFile::read(path.clone(), text, &[])]);
        let plan = self
            .plan
            .as_ref()
            .map(|(path, text)| Plan::read(path, text).unwrap());
        let papers = self
            .papers
            .as_ref()
            .map(|text| PapersCache::read(text.as_bytes()).unwrap());
        let sources = Sources {
            bibliographies: bibliographies.as_deref(),
            now: Some(NOW),
            results: Some(&results),
            repetition: &repetition,
            plan: plan.as_ref(),
            papers: papers.as_ref(),
            ..Sources::default()
        };
        check(&[prose], &sources)
    }
}

/// The words of a text that markup does not change.
pub(crate) fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 1)
        .map(str::to_lowercase)
        .collect()
}
