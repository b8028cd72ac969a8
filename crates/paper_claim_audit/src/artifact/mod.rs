//! `PAPER_CLAIM_AUDIT.json` and the report for people.

mod markdown;

use aris_audit::Obstacle;
use aris_claims::{Audit, Coverage, Entry, FileUse, Kind, Note, Part, Status};
use aris_evidence::QueryError;
use aris_latex::Position;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::session::Session;

/// Schema id of [`Details`].
pub(crate) const SCHEMA: &str = "aris.paper_claim_audit.details/v2";

/// `details` of the artifact.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Details {
    /// Schema id.
    pub(crate) schema: &'static str,
    /// The root document, relative to the paper folder; empty when there is none.
    pub(crate) root: String,
    /// The bindings, relative to the paper folder; none where there is no such file.
    pub(crate) claims_file: Option<String>,
    /// Number of entries in `claims`.
    pub(crate) total_claims: usize,
    /// Entries per status.
    pub(crate) counts: Map<String, Value>,
    /// Numbers that are bound, waived and neither.
    pub(crate) coverage: Coverage,
    /// Suggestions in the bindings that nobody confirmed.
    pub(crate) proposed: usize,
    /// What could not be read or was noticed beside the bindings.
    pub(crate) findings: Vec<Finding>,
    /// Every number and every bound statement, in reading order; lost bindings last.
    pub(crate) claims: Vec<Row>,
    /// The evidence, relative to the data root.
    pub(crate) result_files: Vec<String>,
}

/// One number, or one bound statement.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Row {
    /// Id of the binding; for a cell `TABLE/ROW/COLUMN`; for the rest `FILE:LINE:COLUMN`.
    pub(crate) id: String,
    /// What is known of it.
    #[cfg_attr(test, schemars(with = "String"))]
    pub(crate) status: Status,
    /// The word of the older artifact for the same.
    pub(crate) reference_status: &'static str,
    /// Source file relative to the paper folder.
    pub(crate) file: String,
    /// From 1.
    pub(crate) line: usize,
    /// From 1, in characters.
    pub(crate) column: usize,
    /// Abstract, tables or text.
    #[cfg_attr(test, schemars(with = "String"))]
    pub(crate) part: Part,
    /// The text around it.
    pub(crate) text: String,
    /// The number as the paper shows it; null for a statement and for a lost binding.
    pub(crate) shown: Option<String>,
    /// The value that the data give.
    pub(crate) value: Option<String>,
    /// The query.
    pub(crate) query: Option<String>,
    /// The files that the query reads.
    #[cfg_attr(test, schemars(with = "Vec<Value>"))]
    pub(crate) evidence: Vec<FileUse>,
    /// Why it is listed, for a number that nothing binds.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub(crate) kind: Option<Kind>,
    /// Why it is waived.
    pub(crate) reason: Option<String>,
    /// Where the binding stands, `claims.toml:12`.
    pub(crate) binding: Option<String>,
    /// What is to be said of it; empty where nothing is.
    pub(crate) detail: String,
    /// `FILE:LINE`, as the older artifact has it.
    pub(crate) location: String,
    /// `shown`, or the text of a statement.
    pub(crate) paper_text: String,
    /// `shown`.
    pub(crate) paper_value: Option<String>,
    /// The first file of `evidence`.
    pub(crate) evidence_file: Option<String>,
    /// `value`.
    pub(crate) evidence_value: Option<String>,
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    /// The paper cannot be audited as a whole.
    Block,
    /// The author wants to know.
    Warn,
}

/// Something beside the bindings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Finding {
    /// File relative to the paper folder; empty when it is about none.
    pub(crate) file: String,
    /// From 1; 0 when the whole file is meant.
    pub(crate) line: usize,
    /// From 1; 0 when the whole file is meant.
    pub(crate) column: usize,
    /// What kind it is; stable.
    pub(crate) id: String,
    /// How much it weighs.
    pub(crate) severity: Severity,
    /// What stands there, shortened.
    pub(crate) quote: String,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) action: String,
}

impl From<Obstacle> for Finding {
    fn from(obstacle: Obstacle) -> Self {
        let position = obstacle.position.unwrap_or(Position {
            path: String::new(),
            line: 0,
            column: 0,
        });
        // LaTeX itself stops at a file that is not there; the rest of the paper can be audited all the same.
        let blocks = obstacle.id != "source_missing";
        let severity = if blocks {
            Severity::Block
        } else {
            Severity::Warn
        };
        let message = obstacle.message;
        Self {
            severity,
            ..Self::new(
                obstacle.id,
                position,
                obstacle.quote,
                message,
                obstacle.action,
            )
        }
    }
}

impl Finding {
    /// A warning.
    pub(crate) fn new(
        id: &str,
        position: Position,
        quote: String,
        message: String,
        action: &str,
    ) -> Self {
        Self {
            file: position.path,
            line: position.line,
            column: position.column,
            id: id.to_owned(),
            severity: Severity::Warn,
            quote,
            message,
            action: action.to_owned(),
        }
    }

    /// A note of the audit.
    fn note(note: &Note) -> Self {
        let action = match note.id {
            "waiver_lost" => "correct or remove the waiver",
            "binding_without_data" => "let the query read the data, or waive the number",
            "data_file_lost" => {
                "correct its `path`, which is relative to the data root, or remove it"
            }
            _ => "check the arithmetic of the sentence or column",
        };
        let (position, quote) = (note.position.clone(), note.quote.clone());
        Self::new(note.id, position, quote, note.message.clone(), action)
    }

    /// Data that cannot be read.
    fn unreadable(error: &QueryError) -> Self {
        let place = |number: u32| usize::try_from(number).unwrap_or(0);
        let position = Position {
            path: error.file.clone().unwrap_or_default(),
            line: place(error.line),
            column: place(error.column),
        };
        let action =
            "repair the file, or leave it out with `exclude`; bindings that need it are errors";
        let (id, message) = ("evidence_unreadable", error.message.clone());
        Self::new(id, position, String::new(), message, action)
    }

    /// Where, as messages say it.
    pub(crate) fn place(&self) -> String {
        match (self.file.is_empty(), self.line) {
            (true, _) => String::from("the paper"),
            (false, 0) => self.file.clone(),
            (false, line) => format!("{}:{line}:{}", self.file, self.column),
        }
    }
}

impl Row {
    pub(crate) fn new(entry: &Entry, claims: &str) -> Self {
        let position = &entry.position;
        Self {
            id: entry.id.clone(),
            status: entry.status,
            reference_status: entry.status.reference_word(),
            file: position.path.clone(),
            line: position.line,
            column: position.column,
            part: entry.part,
            text: entry.text.clone(),
            shown: entry.shown.clone(),
            value: entry.value.clone(),
            query: entry.query.clone(),
            evidence: entry.evidence.clone(),
            kind: entry.kind,
            reason: entry.reason.clone(),
            binding: entry.binding.map(|at| format!("{claims}:{}", at.line)),
            detail: entry.detail.clone(),
            location: format!("{}:{}", position.path, position.line),
            paper_text: entry.shown.clone().unwrap_or_else(|| entry.text.clone()),
            paper_value: entry.shown.clone(),
            evidence_file: entry.evidence.first().map(|file| file.path.clone()),
            evidence_value: entry.value.clone(),
        }
    }

    /// Why it is listed or waived.
    fn why(&self) -> &str {
        let kind = self.kind.map_or("", Kind::word);
        self.reason.as_deref().unwrap_or(kind)
    }

    /// Whether somebody has to look at it.
    pub(crate) fn needs_attention(&self) -> bool {
        !self.status.holds() && !matches!(self.status, Status::Unbound | Status::Waived)
    }
}

impl Details {
    pub(crate) fn new(session: &Session, audit: &Audit) -> Self {
        let claims_name = session.claims_name();
        let mut findings = session.findings.clone();
        findings.extend(audit.notes.iter().map(Finding::note));
        findings.extend(session.unreadable.iter().map(Finding::unreadable));
        findings.sort();
        findings.dedup();
        let counts = Status::ALL.map(|status| (status.word().to_owned(), audit.count(status)));
        let counts = counts.into_iter().filter(|(_, count)| *count > 0);
        let root = session
            .document
            .as_ref()
            .map(|document| document.root.clone());
        let rows = audit
            .entries
            .iter()
            .map(|entry| Row::new(entry, &claims_name));
        Self {
            schema: SCHEMA,
            root: root.unwrap_or_default(),
            total_claims: audit.entries.len(),
            counts: counts.map(|(word, count)| (word, count.into())).collect(),
            coverage: audit.coverage,
            proposed: audit.proposed,
            findings,
            claims: rows.collect(),
            claims_file: session.has_claims.then_some(claims_name),
            result_files: session.evidence.clone(),
        }
    }

    /// The findings that keep the paper from being audited.
    pub(crate) fn obstacles(&self) -> impl Iterator<Item = &Finding> {
        let findings = self.findings.iter();
        findings.filter(|finding| finding.severity == Severity::Block)
    }
}
