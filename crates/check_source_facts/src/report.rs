//! The report.

use std::io::{self, Write};

use aris_cli::{Product, Style};
use aris_contract::artifact::papers::Source;
use serde::Serialize;

/// Schema id of [`Report`].
pub(crate) const SCHEMA: &str = "aris.check_source_facts.report/v1";

/// The checked facts.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    /// Whether the sources were asked.
    pub live: bool,
    /// All facts that were checked.
    pub facts: Vec<Checked>,
}

/// One fact, and whether it holds.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Checked {
    /// Its name, which is also that of its recording.
    pub name: &'static str,
    /// The source that it is about.
    pub source: Source,
    /// The fact, in words.
    pub what: &'static str,
    /// Where the source documents it.
    pub documented: &'static str,
    /// Whether it holds.
    pub outcome: Holds,
    /// The differing answer, or why there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Whether a fact holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Holds {
    /// The answer is as expected.
    Holds,
    /// The source answers differently.
    Drifted,
    /// The source did not answer.
    NotAnswered,
}

impl Checked {
    pub(crate) fn is_silent(&self) -> bool {
        self.outcome == Holds::NotAnswered
    }
}

impl Product for Report {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        for fact in &self.facts {
            let word = match fact.outcome {
                Holds::Holds => "holds",
                Holds::Drifted => "DRIFTED",
                Holds::NotAnswered => "no answer",
            };
            write!(out, "{word:<10} {}: {}", fact.name, fact.what)?;
            match &fact.why {
                Some(why) => writeln!(out, ": {why} (documented at {})", fact.documented)?,
                None => writeln!(out)?,
            }
        }
        Ok(())
    }
}
