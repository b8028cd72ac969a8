//! The output of a run.

use std::io::{self, Write};

use aris_cli::{Product, Style};
use aris_contract::artifact::papers::{Paper, Source};
use aris_contract::text::counted;
use serde::Serialize;

use crate::cli::Form;

/// Schema id of [`Report`].
pub(crate) const SCHEMA: &str = "aris.literature_search.results/v1";

/// Most authors named in the text output.
const NAMED: usize = 3;

/// The data product.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    /// The words that were searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The papers, each once, best fit first.
    pub papers: Vec<Paper>,
    /// Papers there were before the list was cut.
    pub found: usize,
    /// Records that were merged into them.
    pub records: usize,
    /// Sources that gave a record.
    pub sources_used: Vec<Source>,
    /// How each source fared, in the order asked for.
    pub sources: Vec<Asked>,
    /// The form of the output.
    #[serde(skip)]
    #[cfg_attr(test, schemars(skip))]
    pub form: Form,
}

/// How one source fared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Asked {
    /// The source.
    pub source: Source,
    /// How it fared.
    pub outcome: Fate,
    /// Records it gave.
    pub records: usize,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// How a source fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It gave records.
    Contributed,
    /// It answered, and has nothing.
    Empty,
    /// It did not answer, which says nothing about the papers.
    NotAnswered,
    /// It cannot be asked here: no key, no program, a refusal.
    CannotBeAsked,
    /// An earlier source had something already.
    NotAsked,
}

impl Product for Report {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        if self.form.jsonl {
            return aris_online::jsonl(&self.papers, out);
        }
        if self.form.bibtex {
            return out.write_all(aris_online::bibliography(&self.papers).as_bytes());
        }
        for (number, paper) in self.papers.iter().enumerate() {
            writeln!(out, "{}. {}", number + 1, paper.title)?;
            let names: Vec<&str> = paper
                .authors
                .iter()
                .map(|author| author.name.as_str())
                .collect();
            let shown = names.get(..NAMED).unwrap_or(&names).join(", ");
            let more = if names.len() > NAMED || paper.authors_cut {
                " et al."
            } else {
                ""
            };
            let mut facts: Vec<String> = vec![format!("{shown}{more}")];
            facts.extend(paper.year.map(|year| year.to_string()));
            facts.extend(paper.venue.clone());
            facts.extend(paper.citation_count.map(|count| format!("cited {count}")));
            facts.retain(|fact| !fact.is_empty());
            writeln!(out, "   {}", facts.join(" | "))?;
            let mut ids: Vec<String> = Vec::new();
            ids.extend(paper.ids.arxiv.as_ref().map(|id| format!("arXiv:{id}")));
            ids.extend(
                paper
                    .ids
                    .doi
                    .iter()
                    .map(|doi| format!("doi:{}", doi.as_str())),
            );
            let mut sources: Vec<&str> = paper
                .origins
                .iter()
                .map(|origin| origin.source.word())
                .collect();
            sources.dedup();
            ids.push(format!("[{}]", sources.join(", ")));
            if paper.retracted == Some(true) {
                ids.push(String::from("RETRACTED"));
            }
            writeln!(out, "   {}", ids.join("  "))?;
        }
        let fates: Vec<String> = self.sources.iter().map(Asked::words).collect();
        writeln!(
            out,
            "{} of {} from {}{}{}",
            self.papers.len(),
            counted(self.found, "paper"),
            counted(self.records, "record"),
            if fates.is_empty() { "" } else { "; " },
            fates.join(", ")
        )
    }
}

impl Asked {
    fn words(&self) -> String {
        match self.outcome {
            Fate::Contributed => format!("{} {}", self.source, self.records),
            Fate::Empty => format!("{} has nothing", self.source),
            Fate::NotAnswered => format!("{} DID NOT ANSWER", self.source),
            Fate::CannotBeAsked => format!("{} cannot be asked", self.source),
            Fate::NotAsked => format!("{} not asked", self.source),
        }
    }
}
