//! The results for each reference.

use std::collections::BTreeMap;

use aris_contract::artifact::papers::Paper;
use serde::{Deserialize, Serialize};

/// The verdict over one reference, in the words that skills read.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A record of the work was found, and nothing that is wrong with the reference makes it another work.
    Verified,
    /// Every source that could answer did, and none confirmed the reference; or what it says is proved wrong.
    Unverified,
    /// A source did not answer, and no other confirmed the reference: ask again later.
    VerifyPending,
    /// There is nothing to ask for: no identifier and no title.
    Error,
}

/// Whether the work exists, whatever is wrong with its description.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Existence {
    /// A source has a record of it.
    Exists,
    /// Every applicable source has answered, and none has it.
    NotFound,
    /// Not known: a source did not answer, or no source lists works of this kind.
    Inconclusive,
}

impl Existence {
    /// The word for it in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Exists => "exists",
            Self::NotFound => "not_found",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// How sure a verification is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// An identifier leads to a work of this title.
    High,
    /// A work of this title was found, by people of these names where they are known.
    Medium,
    /// A work of this title was found, and the authors could not be compared.
    Low,
}

/// How much a finding weighs.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The reference is wrong, whoever is asked next.
    Error,
    /// Something to look at.
    Doubt,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// A doubt if `doubtful`, else a note.
    pub(crate) const fn doubt_if(doubtful: bool) -> Self {
        if doubtful { Self::Doubt } else { Self::Note }
    }
}

/// How a field compares with what the sources say.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// A source says the same.
    Match,
    /// The sources say something else.
    Differs,
    /// No source says anything that can be compared.
    Unknown,
}

impl Match {
    pub(crate) const fn of(is_same: bool) -> Self {
        if is_same { Self::Match } else { Self::Differs }
    }
}

/// One field beside what a source says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FieldCheck {
    /// `title`, `authors`, `year`, `venue`, `doi`, `arxiv_id`.
    pub field: String,
    /// How it compares.
    pub verdict: Match,
    /// What the reference says; empty when it says nothing.
    pub yours: String,
    /// What the source says; empty when it says nothing.
    pub theirs: String,
    /// The source; empty when there is none.
    pub source: String,
}

/// A field of a reference that is compared with records.
pub(crate) struct Field {
    name: &'static str,
    yours: String,
}

impl Field {
    pub(crate) fn new(name: &'static str, yours: impl Into<String>) -> Self {
        let yours = yours.into();
        Self { name, yours }
    }

    /// The check of the field against a record.
    pub(crate) fn is(
        self,
        verdict: Match,
        theirs: impl Into<String>,
        record: &Paper,
    ) -> FieldCheck {
        FieldCheck {
            field: self.name.to_owned(),
            verdict,
            yours: self.yours,
            theirs: theirs.into(),
            source: source(record).to_owned(),
        }
    }
}

/// The source of a record; empty if it names none.
pub(crate) fn source(record: &Paper) -> &'static str {
    let first = record.origins.first();
    first.map_or("", |origin| origin.source.word())
}

/// One thing that speaks against a reference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Finding {
    /// What kind it is; stable.
    pub id: String,
    /// How much it weighs.
    pub severity: Severity,
    /// The field it is about.
    pub field: String,
    /// What is wrong, for people.
    pub message: String,
}

impl Finding {
    pub(crate) fn new(id: &str, severity: Severity, field: &str, message: String) -> Self {
        Self {
            id: id.to_owned(),
            severity,
            field: field.to_owned(),
            message,
        }
    }
}

/// What a source did with a question.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It has a record, and the record fits.
    Found,
    /// It has a record of another work under the identifier.
    OtherWork,
    /// It has a record in another script under the identifier, which cannot be compared.
    Unclear,
    /// It has none.
    Absent,
    /// It did not answer.
    Silent,
}

/// One question and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Evidence {
    /// Who was asked.
    pub source: String,
    /// `arxiv:1706.03762`, `doi:10.1000/x`, `title`.
    pub asked: String,
    /// What it did.
    pub outcome: Outcome,
    /// The record's name there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// The record's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// RFC 3339, UTC: when it answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieved_at: Option<String>,
    /// Why there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// Everything about one reference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Checked {
    /// Its key or id.
    pub id: String,
    /// The verdict.
    pub status: Status,
    /// Who confirmed it: `arxiv`, `crossref`, `datacite`, `s2`, `openalex`, `dblp`, `s2_fallback_from_doi`.
    pub method: Option<String>,
    /// How sure that is.
    pub confidence: Option<Confidence>,
    /// Why it is not verified; the finding's id when a finding is the reason.
    pub reason: Option<String>,
    /// Identifiers of the work, as far as known: `arxiv_id`, `doi`, `s2_title`.
    pub identifiers: BTreeMap<String, String>,
    /// Whether the work exists.
    pub existence: Existence,
    /// Field by field.
    pub metadata: Vec<FieldCheck>,
    /// What speaks against it, heaviest first.
    pub findings: Vec<Finding>,
    /// A source says that the work was retracted or withdrawn.
    pub retracted: bool,
    /// Who was asked, in order.
    pub evidence: Vec<Evidence>,
    /// The work as the sources describe it, merged; `None` when no record fits.
    #[serde(skip)]
    #[schemars(skip)]
    pub record: Option<Box<Paper>>,
}

impl Checked {
    /// Whether there is a finding of this severity or worse.
    pub fn has(&self, severity: Severity) -> bool {
        self.findings
            .iter()
            .any(|finding| finding.severity <= severity)
    }

    /// The finding with this id.
    pub fn finding(&self, id: &str) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.id == id)
    }
}
