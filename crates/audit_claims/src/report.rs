//! The data products.

use std::collections::BTreeMap;
use std::io::{self, Write};

use aris_contract::text::counted;
use aris_review::{
    Buckets, Claim, Counts, Duplicate, Event, Finding, Findings, Gate, Looked, Merged, Posted,
    Pull, Rejected, Review, Severity, Verdict, judge, one_line, place,
};
use aris_statements::rules::NotChecked;
use serde::Serialize;

use crate::formats::Listed;

/// Schema id of [`Judged`].
pub(crate) const VERDICT: &str = "aris.audit_claims.verdict/v1";
/// Schema id of [`Prepared`].
pub(crate) const PREPARED: &str = "aris.audit_claims.prepared/v1";
/// Schema id of [`Merged`].
pub(crate) const MERGED: &str = "aris.audit_claims.merged/v1";

/// Schema id of [`Extracted`].
pub(crate) const EXTRACTED: &str = "aris.audit_claims.extracted/v1";
/// Schema id of [`Checked`].
pub(crate) const CHECKED: &str = "aris.audit_claims.checked/v1";

/// Longest message on a printed line, in characters.
const LINE: usize = 400;

/// Requests to agents that were written.
#[derive(Debug, Default, Serialize, schemars::JsonSchema)]
pub(crate) struct Prepared {
    /// Whether GitHub or GitLab could not be asked.
    pub(crate) degraded: bool,
    /// Why it could not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// The diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) diff: Option<String>,
    /// Sections of reports that the diff adds lines to.
    pub(crate) sections: usize,
    /// Reports whose text the diff does not show, so that nobody is asked about it.
    pub(crate) not_shown: Vec<String>,
    /// The requests, in the order in which they should be answered.
    pub(crate) requests: Vec<Asked>,
    /// The folder in which their answers are looked for.
    pub(crate) answers: String,
}

/// A request that was written.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Asked {
    /// Its name; the answer has the same one.
    pub(crate) id: String,
    /// Its file.
    pub(crate) path: String,
    /// Whether it is answered.
    pub(crate) answered: bool,
    /// Why its answer is invalid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
}

impl Prepared {
    pub(crate) fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(reason) = &self.reason {
            return writeln!(out, "degraded: {}", one_line(reason, LINE));
        }
        for file in &self.not_shown {
            writeln!(out, "not shown by the diff: {}", one_line(file, LINE))?;
        }
        for asked in &self.requests {
            let state = match (&asked.problem, asked.answered) {
                (Some(problem), _) => format!("answer does not hold: {}", one_line(problem, LINE)),
                (None, true) => String::from("answered"),
                (None, false) => String::from("open"),
            };
            writeln!(out, "{}: {state}", asked.path)?;
        }
        let sections = counted(self.sections, "section");
        writeln!(out, "{sections}, answers in {}", self.answers)
    }
}

/// The claims that the rules see.
#[derive(Debug, Default, Serialize, schemars::JsonSchema)]
pub(crate) struct Extracted {
    /// Sentences that were read.
    pub(crate) sentences: usize,
    /// The claims, by document, line.
    pub(crate) claims: Vec<Claim>,
    /// What could not be read of the documents.
    pub(crate) problems: Vec<String>,
}

impl Extracted {
    pub(crate) fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        for claim in &self.claims {
            let (place, kind) = (place(&claim.file, claim.line), claim.claim_type);
            let cited = if claim.cited { ", cited" } else { "" };
            let text = one_line(&claim.claim_text, LINE);
            writeln!(out, "{place}: {kind}{cited}: {text}")?;
        }
        problems(out, &self.problems)?;
        let (claims, sentences) = (self.claims.len(), self.sentences);
        writeln!(out, "{}", in_sentences(claims, sentences))
    }
}

/// What the rules find in documents.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Checked {
    /// The files that were read, included ones too.
    pub(crate) documents: Vec<String>,
    /// The result files that were read.
    pub(crate) results: Vec<String>,
    /// Sentences that were read.
    pub(crate) sentences: usize,
    /// Claims among them.
    pub(crate) claims: usize,
    /// The findings, by file, line, rule.
    pub(crate) findings: Vec<Finding>,
    /// Rules that could not look, which have not passed.
    pub(crate) skipped: Vec<NotChecked>,
    /// What could not be read of the documents.
    pub(crate) problems: Vec<String>,
}

impl Checked {
    /// Whether there is a finding that somebody has to fix or decide.
    pub(crate) fn is_grave(&self) -> bool {
        self.findings
            .iter()
            .any(|finding| finding.severity > Severity::Info || finding.requires_decision)
    }
}

impl Listed for Checked {
    const SCHEMA: &str = CHECKED;

    fn findings(&self) -> &[Finding] {
        &self.findings
    }

    fn open(&self) -> Vec<String> {
        self.problems.clone()
    }

    fn lines(&self, out: &mut dyn Write) -> io::Result<()> {
        lines(out, &self.all(), &[])?;
        skipped(out, &self.skipped)?;
        problems(out, &self.problems)?;
        let found = counted(self.findings.len(), "finding");
        let claims = in_sentences(self.claims, self.sentences);
        writeln!(out, "{found}, {claims}")
    }
}

/// One line for each reason for which rules could not look.
fn skipped(out: &mut dyn Write, skipped: &[NotChecked]) -> io::Result<()> {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for not in skipped {
        by_reason.entry(&not.reason).or_default().push(not.rule);
    }
    for (reason, rules) in by_reason {
        let reason = one_line(reason, LINE);
        writeln!(out, "not checked: {}: {reason}", rules.join(", "))?;
    }
    Ok(())
}

fn in_sentences(claims: usize, sentences: usize) -> String {
    let (claims, sentences) = (counted(claims, "claim"), counted(sentences, "sentence"));
    format!("{claims} in {sentences}")
}

/// One line for each thing that could not be read.
fn problems(out: &mut dyn Write, problems: &[String]) -> io::Result<()> {
    for problem in problems {
        writeln!(out, "problem: {}", one_line(problem, LINE))?;
    }
    Ok(())
}

/// One line for each entry that nobody could read as a finding.
fn unreadable(rejected: &[Rejected]) -> impl Iterator<Item = String> {
    let said = rejected.iter().filter(|entry| entry.unreadable);
    said.map(|entry| format!("entry {} is no finding: {}", entry.index, entry.reason))
}

impl Listed for Merged {
    const SCHEMA: &str = MERGED;

    fn findings(&self) -> &[Finding] {
        &self.findings
    }

    fn open(&self) -> Vec<String> {
        let problems = self.problems.iter().cloned();
        problems.chain(unreadable(&self.rejected)).collect()
    }

    fn lines(&self, out: &mut dyn Write) -> io::Result<()> {
        lines(out, &self.all(), &self.rejected)?;
        problems(out, &self.problems)
    }
}

/// The verdict and what it follows from.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Judged {
    pub(crate) verdict: Verdict,
    event: Event,
    /// Whether something was not looked at, or not posted.
    degraded: bool,
    /// What, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    counts: Counts,
    buckets: Buckets,
    pub(crate) findings: Vec<Finding>,
    duplicates: Vec<Duplicate>,
    rejected: Vec<Rejected>,
    /// Rules that could not look, which have not passed.
    pub(crate) skipped: Vec<NotChecked>,
    #[serde(skip)]
    pub(crate) unreadable: usize,
    /// How it was posted; absent when nothing had to be posted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) posted: Option<Posted>,
}

impl Judged {
    /// Derives the verdict.
    pub(crate) fn of(all: Findings) -> Self {
        let total = all.findings.len();
        let merged = Merged::of(all);
        let unreadable = merged.unreadable();
        let (verdict, buckets) = judge(&merged.findings, unreadable);
        let mut judged = Self {
            verdict,
            event: verdict.event(),
            degraded: false,
            reason: None,
            counts: buckets.counts(total),
            buckets,
            findings: merged.findings,
            duplicates: merged.duplicates,
            rejected: merged.rejected,
            skipped: Vec::new(),
            unreadable,
            posted: None,
        };
        if let Some(why) = merged.problems.first() {
            judged.degrade(why, Verdict::NeedsHuman);
        }
        judged
    }

    /// Notes that something was not looked at, or not posted. Only an approval changes: `verdict` takes its place.
    pub(crate) fn degrade(&mut self, reason: &str, verdict: Verdict) {
        self.degraded = true;
        let earlier = self.reason.take().map(|earlier| format!("{earlier}; "));
        self.reason = Some(format!("{}{reason}", earlier.unwrap_or_default()));
        if self.verdict == Verdict::Approved {
            self.verdict = verdict;
            self.event = verdict.event();
        }
    }

    pub(crate) fn is_approved(&self) -> bool {
        self.verdict == Verdict::Approved
    }

    /// The summary that is kept beside the findings, Markdown.
    pub(crate) fn summary(&self, gate: Gate, pull: &Pull) -> String {
        let review = Review {
            head: None,
            looked: Looked::default(),
            profile: gate.profile(),
            verdict: self.verdict,
            findings: &self.findings,
            unreadable: self.unreadable,
            login: None,
            held_by: self
                .posted
                .as_ref()
                .and_then(|posted| posted.held_by.as_deref()),
            unseen: None,
        };
        let mut said = self.posted.as_ref().map_or("not posted".to_owned(), words);
        if let Some(reason) = &self.reason {
            said.extend(["\n\ndegraded: ", &*one_line(reason, LINE)]);
        }
        let Pull { repository, number } = pull;
        let (gate, summary) = (review.profile.marker, review.summary());
        let mut text = format!(
            "# {gate} of {repository} #{number}\n\nverdict: {}\n\n{summary}\n\nposted: {said}\n",
            self.verdict
        );
        if !self.findings.is_empty() {
            text.push('\n');
        }
        for finding in self.all() {
            text.extend(["- ", &line(&finding), "\n"]);
        }
        text
    }
}

impl Listed for Judged {
    const SCHEMA: &str = VERDICT;

    fn findings(&self) -> &[Finding] {
        &self.findings
    }

    fn open(&self) -> Vec<String> {
        let away = self.reason.iter().map(|why| format!("degraded: {why}"));
        away.chain(unreadable(&self.rejected)).collect()
    }

    /// The findings, then the token, which is always the last line.
    fn lines(&self, out: &mut dyn Write) -> io::Result<()> {
        lines(out, &self.all(), &self.rejected)?;
        skipped(out, &self.skipped)?;
        if let Some(reason) = &self.reason {
            writeln!(out, "degraded: {}", one_line(reason, LINE))?;
        }
        if let Some(posted) = &self.posted {
            writeln!(out, "posted: {}", words(posted))?;
        }
        writeln!(out, "verdict = {}", self.verdict)
    }
}

/// What of a review was posted, and how.
fn words(posted: &Posted) -> String {
    let on_lines = format!("{} on lines", counted(posted.inline, "comment"));
    let words = match posted.tier {
        Some(0) => format!("one review, {on_lines}"),
        Some(1) if posted.inline + posted.failed == 0 => String::from("a review"),
        Some(1) if posted.failed == 0 => format!("a review, and {on_lines} one by one"),
        Some(1) => format!(
            "a review, and {on_lines} one by one; {} refused, and in its text instead",
            posted.failed
        ),
        Some(2) => {
            String::from("a review with all findings in its text; no comment on a line was taken")
        }
        Some(_) => format!("not all of it: {on_lines}"),
        None => String::from("nothing new"),
    };
    let mut words = match posted.already {
        0 => words,
        already => format!("{words}; {already} there already"),
    };
    if let Some(gate) = &posted.held_by {
        words.extend(["; no approval, because ", gate, " has not approved"]);
    }
    words
}

/// One line for each finding, and for each entry that is none.
fn lines(out: &mut dyn Write, findings: &[Finding], rejected: &[Rejected]) -> io::Result<()> {
    for finding in findings {
        writeln!(out, "{}", line(finding))?;
    }
    for entry in rejected {
        let reason = one_line(&entry.reason, LINE);
        writeln!(out, "entry {} is no finding: {reason}", entry.index)?;
    }
    Ok(())
}

/// A finding on one line.
fn line(finding: &Finding) -> String {
    let place = place(&finding.file, finding.line);
    let message = one_line(&finding.message, LINE);
    let (severity, dimension) = (finding.severity, &finding.dimension);
    format!("{place}: [{severity}] {dimension}: {message}")
}
