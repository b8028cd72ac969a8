//! The rules that check a document.
//!
//! A rule returns findings, or reports why it could not check something ([`NotChecked`]): a rule without data has not passed.

mod backing;
mod design;
mod numbers;
mod references;

use std::collections::BTreeSet;

use aris_paper::bib::BibFile;
use aris_paper::facts::Month;
use aris_review::{Finding, Severity};
use serde::Serialize;

use crate::observe::is_too_long;
use crate::papers::PapersCache;
use crate::plan::Plan;
use crate::prose::sentence::sentences;
use crate::prose::{Place, Prose};
use crate::results::Results;
use crate::statement::{Statement, statements};

pub use numbers::BoundNumber;

/// The data that a document is checked against; `None` when not given.
#[derive(Debug, Default)]
pub struct Sources<'a> {
    /// The bibliographies; of equal keys the first counts.
    pub bibliographies: Option<&'a [BibFile]>,
    /// The month against which dates are checked; later dates are in the future.
    pub now: Option<Month>,
    /// The numbers that `claims.toml` binds to data.
    pub bound: Option<&'a [BoundNumber]>,
    /// The raw results.
    pub results: Option<&'a [Results]>,
    /// Further columns of the results that name repetitions, beside the known ones and the plan's unit.
    pub repetition: &'a [String],
    /// The plan; without one the front matter of the documents is used.
    pub plan: Option<&'a Plan>,
    /// The results of `verify_papers` for the cited works.
    pub papers: Option<&'a PapersCache>,
    /// Names of the reading notes, without extension, in lower case.
    pub notes: Option<&'a [String]>,
}

/// A rule that could not look.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct NotChecked {
    /// The rule.
    pub rule: &'static str,
    /// Why.
    pub reason: String,
}

/// The result of a check.
#[derive(Debug, Default)]
pub struct Check {
    /// The findings, sorted by file, line, rule and message, without duplicates.
    pub findings: Vec<Finding>,
    /// The rules that could not check something, sorted.
    pub not_checked: Vec<NotChecked>,
    /// The statements of each document, in the order given.
    pub statements: Vec<Vec<Statement>>,
    /// Parts of the documents that were not checked: one line each, with its place.
    pub problems: Vec<String>,
    /// Citations of which no rule can say where they lead: the key, or the mark. A number in brackets may be none: it is one where a claim rests on it.
    pub unseen: Vec<(Place, String)>,
}

/// Checks documents that belong together: a citation in one counts for all.
pub fn check(documents: &[Prose], sources: &Sources<'_>) -> Check {
    let all: Vec<Vec<Statement>> = documents.iter().map(statements).collect();
    let mut out = Check::default();
    for (prose, statements) in documents.iter().zip(&all) {
        backing::check(prose, statements, &mut out);
        out.problems.extend(unread(prose, statements));
    }
    references::check(documents, &all, sources, &mut out);
    numbers::bound(sources.bound, &mut out);
    for (prose, statements) in documents.iter().zip(&all) {
        numbers::directions(prose, statements, &mut out);
    }
    match sources.results {
        Some(results) => {
            let results = (results, sources.repetition);
            design::check(documents, &all, sources.plan, results, &mut out);
        }
        None => {
            out.not_checked(design::RULES, "no results were given");
        }
    }
    // A finding in text that may not be typeset needs a person's decision.
    let doubtful: BTreeSet<Place> = documents.iter().flat_map(Prose::doubtful).collect();
    for finding in &mut out.findings {
        let line = finding.line.and_then(|line| usize::try_from(line).ok());
        let place = Place {
            file: finding.file.clone(),
            line: line.unwrap_or(0),
        };
        if doubtful.contains(&place) {
            finding.requires_decision = true;
            let doubt = "; whether this text is set is not known";
            finding.message.push_str(doubt);
        }
    }
    let key = |finding: &Finding| {
        let (file, rule) = (finding.file.clone(), finding.rule.clone());
        (file, finding.line, rule, finding.message.clone())
    };
    out.findings.sort_by_cached_key(key);
    out.findings.dedup_by_key(|finding| key(finding));
    out.not_checked.sort();
    out.not_checked.dedup();
    out.unseen.sort();
    out.unseen.dedup();
    out.statements = all;
    out
}

/// The parts of a document that were not checked.
fn unread(prose: &Prose, statements: &[Statement]) -> Vec<String> {
    let mut problems = prose.problems.clone();
    for sentence in sentences(prose).iter().filter(|one| is_too_long(one)) {
        let Place { file, line } = prose.place(sentence.passage, sentence.range.start);
        let length = sentence.range.len();
        problems.push(format!(
            "{file}:{line}: {length} bytes without the end of a sentence were not looked at"
        ));
    }
    if let (Some(file), true) = (prose.files.first(), statements.is_empty()) {
        problems.push(format!(
            "{file} holds no sentence: nothing in it was checked"
        ));
    }
    problems
}

/// The rules whose findings only a new experiment can resolve.
pub fn rerun_rules() -> &'static [&'static str] {
    &design::RULES
}

/// Dimensions of findings, as the claims gate names them.
const EXTERNAL: &str = "external";
const METHODOLOGICAL: &str = "methodological";
const COMPARATIVE: &str = "comparative";

/// Strategy for findings that only a new experiment can resolve.
const RERUN: &str = "rerun_required";

impl Check {
    fn add(
        &mut self,
        rule: &'static str,
        severity: Severity,
        dimension: &str,
        place: (&str, usize),
        message: String,
    ) -> &mut Finding {
        let (file, line) = place;
        let line = u32::try_from(line).ok().filter(|line| *line > 0);
        let finding = Finding::of_rule(rule, severity, dimension, (file, line), message);
        self.findings.push_mut(finding)
    }

    fn not_checked<const N: usize>(&mut self, rules: [&'static str; N], reason: &str) {
        self.not_checked.extend(rules.map(|rule| NotChecked {
            rule,
            reason: reason.to_owned(),
        }));
    }
}

/// Longest quotation of a sentence in a message, in characters.
const QUOTE: usize = 120;

/// The beginning of a sentence, in quotation marks, on one line.
fn quoted(text: &str) -> String {
    format!("\"{}\"", aris_review::one_line(text, QUOTE))
}
