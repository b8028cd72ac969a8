//! `details` of `PAPER_CLAIM_AUDIT.json`, and the verdict that follows from them: that of the first row that applies.
//!
//! | state | verdict | reason |
//! |---|---|---|
//! | there is no document, or an included source is missing | ERROR | id of the first finding |
//! | a bound number or statement differs from the data | FAIL | `claim_mismatch` |
//! | a binding has lost its place in the paper | FAIL | `binding_lost` |
//! | a binding's query gives no value | ERROR | `binding_error` |
//! | numbers, no bindings, no results | BLOCKED | `no_raw_evidence` |
//! | numbers that nothing binds or waives | WARN | `unbound_claims` |
//! | numbers of which it is not known whether they are printed | WARN | `undecided_text` |
//! | text that was not read, arithmetic that does not hold, a waiver that matches nothing | WARN | id of the first finding |
//! | no number looks like a result, and nothing is bound | `NOT_APPLICABLE` | `no_numeric_claims` |
//! | every number is bound or waived, and every binding holds | PASS | `all_numbers_match` |

use std::path::Path;

use aris_audit::{Obstacle, missing_sources};
use aris_contract::artifact::audit::Verdict;
use aris_contract::text::counted;
use aris_evidence::QueryError;
use aris_latex::{Document, Position, ProblemKind};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::paper::{Kind, Part};
use crate::project::{Options, Project};
use crate::report::{Audit, Coverage, Entry, FileUse, Note, Status};

/// Most problems that are listed.
const MOST_PROBLEMS: usize = 50;

/// Schema id of [`Details`].
pub const SCHEMA: &str = "aris.paper_claim_audit.details/v2";

/// `details` of the artifact.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Details {
    /// Schema id.
    pub schema: &'static str,
    /// The root document, relative to the paper folder; empty when there is none.
    pub root: String,
    /// The bindings, relative to the paper folder; none where there is no such file.
    pub claims_file: Option<String>,
    /// Number of entries in `claims`.
    pub total_claims: usize,
    /// Entries per status.
    pub counts: Map<String, Value>,
    /// Numbers that are bound, waived and neither.
    pub coverage: Coverage,
    /// Suggestions in the bindings that nobody confirmed.
    pub proposed: usize,
    /// What could not be read or was noticed beside the bindings.
    pub findings: Vec<Finding>,
    /// Every number and every bound statement, in reading order; lost bindings last.
    pub claims: Vec<Row>,
    /// The evidence, relative to the data root.
    pub result_files: Vec<String>,
    /// Whether that is every file of the result folders: neither the bindings nor a flag chose some or left some out.
    pub all_results: bool,
    /// `--results`, relative to the paper folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<String>,
    /// `--exclude`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
}

/// One number, or one bound statement.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Row {
    /// Id of the binding; for a cell `TABLE/ROW/COLUMN`; for the rest `FILE:LINE:COLUMN`.
    pub id: String,
    /// What is known of it.
    pub status: Status,
    /// The word of the older artifact for the same.
    pub reference_status: &'static str,
    /// Source file relative to the paper folder.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// Abstract, tables or text.
    pub part: Part,
    /// The text around it.
    pub text: String,
    /// The number as the paper shows it; null for a statement and for a lost binding.
    pub shown: Option<String>,
    /// The value that the data give.
    pub value: Option<String>,
    /// The query.
    pub query: Option<String>,
    /// The files that the query reads.
    pub evidence: Vec<FileUse>,
    /// Why it is listed, for a number that nothing binds.
    pub kind: Option<Kind>,
    /// Why it is waived.
    pub reason: Option<String>,
    /// Where the binding stands, `claims.toml:12`.
    pub binding: Option<String>,
    /// What is to be said of it; empty where nothing is.
    pub detail: String,
    /// `FILE:LINE`, as the older artifact has it.
    pub location: String,
    /// `shown`, or the text of a statement.
    pub paper_text: String,
    /// `shown`.
    pub paper_value: Option<String>,
    /// The first file of `evidence`.
    pub evidence_file: Option<String>,
    /// `value`.
    pub evidence_value: Option<String>,
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The paper cannot be audited as a whole.
    Block,
    /// The author wants to know.
    Warn,
}

/// Something beside the bindings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct Finding {
    /// File relative to the paper folder; empty when it is about none.
    pub file: String,
    /// From 1; 0 when the whole file is meant.
    pub line: usize,
    /// From 1; 0 when the whole file is meant.
    pub column: usize,
    /// What kind it is; stable.
    pub id: String,
    /// How much it weighs.
    pub severity: Severity,
    /// What stands there, shortened.
    pub quote: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub action: String,
}

impl From<Obstacle> for Finding {
    fn from(obstacle: Obstacle) -> Self {
        let position = obstacle.position.unwrap_or(Position {
            path: String::new(),
            line: 0,
            column: 0,
        });
        // LaTeX itself stops at a missing file, but the rest of the paper can still be audited.
        let blocks = obstacle.id != "source_missing";
        let (id, action) = (obstacle.id, obstacle.action);
        let mut finding = Self::new(id, position, obstacle.quote, obstacle.message, action);
        if blocks {
            finding.severity = Severity::Block;
        }
        finding
    }
}

impl Finding {
    /// A warning.
    pub fn new(id: &str, position: Position, quote: String, message: String, action: &str) -> Self {
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

    /// The finding for a note of the audit.
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

    /// The finding for data that cannot be read.
    fn unreadable(error: &QueryError) -> Self {
        let place = |number: u32| usize::try_from(number).unwrap_or(0);
        let position = Position {
            path: error.file.clone().unwrap_or_default(),
            line: place(error.line),
            column: place(error.column.max(1)),
        };
        let action =
            "repair the file, or leave it out with `exclude`; bindings that need it are errors";
        let (id, message) = ("evidence_unreadable", error.message.clone());
        Self::new(id, position, String::new(), message, action)
    }

    /// The place, as messages write it.
    pub fn place(&self) -> String {
        match (self.file.is_empty(), self.line) {
            (true, _) => String::from("the paper"),
            (false, 0) => self.file.clone(),
            (false, line) => format!("{}:{line}:{}", self.file, self.column),
        }
    }
}

impl Row {
    /// The row of an entry. `claims`: the name of the file with the bindings.
    pub fn new(entry: &Entry, claims: &str) -> Self {
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

    /// Why the number is listed or waived.
    pub fn why(&self) -> &str {
        let kind = self.kind.map_or("", Kind::word);
        self.reason.as_deref().unwrap_or(kind)
    }

    /// Whether somebody has to act on it.
    pub fn needs_attention(&self) -> bool {
        !self.status.holds()
            && !matches!(
                self.status,
                Status::Unbound | Status::Waived | Status::Undecided
            )
    }
}

impl Details {
    /// The result of [`Project::audit`] for a project.
    pub fn new(project: &Project, audit: &Audit) -> Self {
        let claims_name = project.claims_name();
        let mut findings = match &project.document {
            Ok(document) => {
                let missing = missing_sources(document).into_iter().map(Finding::from);
                missing.chain(unread(document)).collect()
            }
            Err(obstacle) => vec![Finding::from(obstacle.as_ref().clone())],
        };
        findings.extend(audit.notes.iter().map(Finding::note));
        findings.extend(project.unreadable.iter().map(Finding::unreadable));
        findings.sort();
        findings.dedup();
        let results = project.options.results.iter();
        let counts = Status::ALL.map(|status| (status.word().to_owned(), audit.count(status)));
        let counts = counts.into_iter().filter(|(_, count)| *count > 0);
        let root = project.document.as_ref();
        let root = root.map(|document| document.root.clone());
        let rows = audit.entries.iter();
        let rows = rows.map(|entry| Row::new(entry, &claims_name));
        Self {
            schema: SCHEMA,
            root: root.unwrap_or_default(),
            total_claims: audit.entries.len(),
            counts: counts.map(|(word, count)| (word, count.into())).collect(),
            coverage: audit.coverage,
            proposed: audit.proposed,
            findings,
            claims: rows.collect(),
            claims_file: project.has_claims.then_some(claims_name),
            result_files: project.evidence.clone(),
            all_results: project.claims.data.include.is_none()
                && project.claims.data.exclude.is_empty()
                && project.options.exclude.is_empty(),
            results: results.map(|path| project.files.name(path)).collect(),
            exclude: project.options.exclude.clone(),
        }
    }

    /// The options of an earlier audit, read back from the `details` of its artifact. `folder`: the paper folder.
    pub fn options(details: &Value, folder: &Path) -> Options {
        let text = |key: &str| details.get(key).and_then(Value::as_str);
        let list = |key: &str| {
            let items = details.get(key).and_then(Value::as_array);
            let texts = items.into_iter().flatten().filter_map(Value::as_str);
            texts.map(ToOwned::to_owned).collect::<Vec<_>>()
        };
        let path = |name: &str| aris_fs::lexical(&folder.join(name));
        let root = text("root").filter(|root| !root.is_empty());
        Options {
            claims: text("claims_file").map(path),
            root: root.map(ToOwned::to_owned),
            results: list("results").iter().map(|name| path(name)).collect(),
            exclude: list("exclude"),
        }
    }

    /// Number of entries with a status.
    fn count(&self, status: Status) -> u64 {
        let count = self.counts.get(status.word());
        count.and_then(Value::as_u64).unwrap_or(0)
    }

    /// Verdict and reason code.
    pub fn decide(&self) -> (Verdict, &str) {
        let any = |status| self.count(status) > 0;
        let noticed = self.findings.first().map(|finding| finding.id.as_str());
        let has_data = self.coverage.total().bound > 0 || !self.result_files.is_empty();
        if let Some(first) = self.obstacles().next() {
            (Verdict::Error, first.id.as_str())
        } else if any(Status::NumberMismatch) || any(Status::ScopeOverclaim) {
            (Verdict::Fail, "claim_mismatch")
        } else if any(Status::BindingLost) {
            (Verdict::Fail, "binding_lost")
        } else if any(Status::BindingError) {
            (Verdict::Error, "binding_error")
        } else if any(Status::Unbound) && !has_data {
            (Verdict::Blocked, "no_raw_evidence")
        } else if any(Status::Unbound) {
            (Verdict::Warn, "unbound_claims")
        } else if any(Status::Undecided) {
            (Verdict::Warn, "undecided_text")
        } else if let Some(id) = noticed {
            (Verdict::Warn, id)
        } else if self.total_claims == 0 {
            (Verdict::NotApplicable, "no_numeric_claims")
        } else {
            (Verdict::Pass, "all_numbers_match")
        }
    }

    /// One line for people.
    pub fn summary(&self) -> String {
        if let Some(first) = self.obstacles().next() {
            return format!("the paper cannot be audited as a whole: {}", first.message);
        }
        let coverage = &self.coverage;
        let unbound = counted(coverage.total().unbound, "number");
        let all = Status::ALL.map(|status| (self.count(status), status.word()));
        let all = all.iter().filter(|(count, _)| *count > 0);
        let mut all: Vec<String> = all.map(|(count, word)| format!("{count} {word}")).collect();
        let text = match self.decide() {
            (Verdict::NotApplicable, _) => {
                return String::from("the paper states no number that looks like a result");
            }
            (Verdict::Blocked, _) => {
                let todo = "put raw results under results/, or name them with --results";
                return format!("{unbound} and no result file: {todo}");
            }
            (_, "unbound_claims") if self.claims_file.is_none() => format!(
                "none of {unbound} is bound: {} in the abstract, {} in tables, {} in the text; begin with `paper_claim_audit suggest`",
                coverage.r#abstract.unbound, coverage.tables.unbound, coverage.text.unbound
            ),
            (_, reason) => {
                let first = self.findings.first().filter(|first| first.id == reason);
                all.extend(first.map(|first| first.message.clone()));
                let more = self.findings.len().saturating_sub(1);
                let more = Some(more).filter(|more| first.is_some() && *more > 0);
                all.extend(more.map(|more| counted(more, "more finding")));
                all.join(", ")
            }
        };
        match self.proposed {
            0 => text,
            proposed => format!("{text}; {proposed} proposed bindings are not confirmed"),
        }
    }

    /// The findings that prevent an audit of the paper as a whole.
    fn obstacles(&self) -> impl Iterator<Item = &Finding> {
        let findings = self.findings.iter();
        findings.filter(|finding| finding.severity == Severity::Block)
    }
}

/// Text of the paper that was not read, as findings.
fn unread(document: &Document) -> impl Iterator<Item = Finding> + '_ {
    // A missing file is reported at its `\input`. An extra brace or `\end` hides no text.
    let unseen = "look at the numbers there yourself; the audit did not see them";
    let told = move |kind: ProblemKind| match kind {
        ProblemKind::MissingInclude | ProblemKind::ExtraBrace | ProblemKind::ExtraEnd => None,
        ProblemKind::UnreadText(holds) => holds.numbers.then_some(("text_not_read", unseen)),
        ProblemKind::Undecided(holds) => holds.numbers.then_some((
            "undecided",
            "say in the paper which of it is set; until then its numbers are a question",
        )),
        ProblemKind::UnclosedGroup
        | ProblemKind::UnclosedEnvironment
        | ProblemKind::UnclosedMath
        | ProblemKind::UnclosedConditional
        | ProblemKind::IncludeCycle
        | ProblemKind::Expansion
        | ProblemKind::UndefinedMacro
        | ProblemKind::NoDocument => Some(("text_not_read", unseen)),
    };
    let problems = document.problems.iter();
    let problems = problems.filter_map(move |problem| Some((problem, told(problem.kind)?)));
    problems.take(MOST_PROBLEMS).map(|(problem, (id, action))| {
        let position = document.position(problem.place);
        let quote = document.quote(problem.place, 120);
        Finding::new(id, position, quote, problem.message.clone(), action)
    })
}
