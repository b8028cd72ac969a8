//! The data products.

use std::collections::BTreeMap;
use std::io::{self, Write};

use aris_contract::text::counted;
use aris_review::{
    Classification, Decision, Entry, Profile, Repository, Severity, Tokens, one_line, place,
};
use serde::{Deserialize, Serialize};

use crate::folder::Fetched;

/// Schema id of [`Fetched`].
pub(crate) const GROUPS: &str = "aris.resolve_claims_review.groups/v1";
/// Schema id of [`Classified`].
pub(crate) const CLASSIFIED: &str = "aris.resolve_claims_review.classified/v1";
/// Schema id of [`Planned`].
pub(crate) const PLAN: &str = "aris.resolve_claims_review.plan/v1";
/// Schema id of [`Edit`].
pub(crate) const APPLIED: &str = "aris.resolve_claims_review.applied/v1";
/// Schema id of [`Validated`].
pub(crate) const VALIDATED: &str = "aris.resolve_claims_review.validated/v1";
/// Schema id of [`Finished`].
pub(crate) const FINISHED: &str = "aris.resolve_claims_review.finished/v1";
/// Schema id of [`Tokens`].
pub(crate) const OUTCOME: &str = "aris.resolve_claims_review.outcome/v1";

/// Longest message on a printed line, in characters.
const LINE: usize = 200;

/// What was decided about all comments.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Classified {
    pub(crate) pr: u64,
    /// The file with the classification.
    pub(crate) classification: String,
    /// The file with the analysis.
    pub(crate) analysis: String,
    pub(crate) counts: Counts,
    /// Groups whose answers are invalid: a person decides about their comments.
    pub(crate) failed: Vec<Failed>,
    /// The entries by number of the comment.
    pub(crate) entries: Classification,
}

/// A group whose answer is invalid.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Failed {
    pub(crate) group: String,
    pub(crate) request: String,
    pub(crate) error: String,
    pub(crate) comments: Vec<u64>,
}

/// How many comments there are of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct Counts {
    pub(crate) critical: usize,
    pub(crate) warning: usize,
    pub(crate) accept: usize,
    pub(crate) reject: usize,
    pub(crate) discuss: usize,
    /// Accepted comments by strategy; every strategy of the gate is there.
    pub(crate) strategies: BTreeMap<String, usize>,
}

impl Counts {
    pub(crate) fn of(profile: &Profile, map: &Classification) -> Self {
        let strategies = profile.strategies();
        let strategies = strategies.map(|strategy| (strategy.to_owned(), 0));
        let mut counts = Self {
            strategies: strategies.collect(),
            ..Self::default()
        };
        for entry in map.values() {
            match entry.severity() {
                Severity::Critical => counts.critical += 1,
                Severity::Warning | Severity::Info => counts.warning += 1,
            }
            match entry.verdict {
                Decision::Accept => counts.accept += 1,
                Decision::Reject => counts.reject += 1,
                Decision::Discuss => counts.discuss += 1,
            }
            if let Some(strategy) = &entry.fix_strategy {
                *counts.strategies.entry(strategy.clone()).or_default() += 1;
            }
        }
        counts
    }

    /// `add_citation: 1, …, rerun_required: 0 ESCALATED`, in the order of application.
    fn by_strategy(&self, profile: &Profile) -> String {
        let items = profile.strategies().map(|strategy| {
            let count = self.strategies.get(strategy).unwrap_or(&0);
            let escalates = Profile::escalates(strategy);
            let escalated = if escalates { " ESCALATED" } else { "" };
            format!("{strategy}: {count}{escalated}")
        });
        items.collect::<Vec<_>>().join(", ")
    }

    fn by_verdict(&self) -> String {
        let (accept, reject, discuss) = (self.accept, self.reject, self.discuss);
        format!("ACCEPT: {accept} | REJECT: {reject} | DISCUSS: {discuss}")
    }

    /// The analysis, a text that is kept before anything is edited.
    pub(crate) fn analysis(&self, profile: &Profile) -> String {
        let (verdicts, strategies) = (self.by_verdict(), self.by_strategy(profile));
        format!("Analysis complete (BEFORE any code changes)\n{verdicts}\n  ({strategies})\n")
    }
}

/// The edits to make, in their order.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Planned {
    pub(crate) work: Vec<Work>,
}

/// One edit.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Work {
    /// Number of the comment.
    pub(crate) id: u64,
    /// What was decided about it.
    pub(crate) entry: Entry,
}

/// What became of one edit.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Edit {
    comment_id: u64,
    applied: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Whether this call changed anything.
    changed: bool,
}

impl Edit {
    pub(crate) fn of(id: u64, entry: &Entry, changed: bool) -> Self {
        Self {
            comment_id: id,
            applied: entry.is_settled(),
            sha: entry.sha.clone(),
            reason: entry.reason.clone(),
            changed,
        }
    }
}

/// State of the validation.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::Display, schemars::JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
#[strum(serialize_all = "UPPERCASE")]
pub(crate) enum Validity {
    /// Nothing is configured: nothing ran.
    Skipped,
    /// The check passed.
    Pass,
    /// The check failed; edit and call again.
    Retry,
    /// The check failed, and no attempts are left.
    Fail,
}

/// One attempt at validation.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Validated {
    pub(crate) status: Validity,
    /// Attempts so far.
    pub(crate) attempts: u32,
    /// What the command exited with; none when it did not run or was ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<i32>,
    /// The end of its output.
    pub(crate) output: String,
}

/// What `finish` did on GitHub or GitLab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct Done {
    /// Threads that it settled.
    pub(crate) resolved: usize,
    /// Threads that it could not.
    pub(crate) resolve_failed: usize,
    /// Replies that it posted.
    pub(crate) replies: usize,
    /// Replies that it could not.
    pub(crate) replies_failed: usize,
    /// Replies and threads that were done before.
    pub(crate) already: usize,
    /// Threads of settled comments.
    pub(crate) threads: usize,
    /// Edited comments without a reply: their commits are not in the pull request, are not commits of apply, this is unknown, or the validation failed.
    pub(crate) held: usize,
    /// Comments of the last fetch that the classification does not name, those that could not be read among them; null when what was fetched is not in the output folder.
    pub(crate) unclassified: Option<usize>,
}

/// An escalated comment: its number, its strategy and its whole entry.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Escalation {
    pub(crate) comment_id: u64,
    pub(crate) strategy: String,
    #[serde(flatten)]
    pub(crate) entry: Entry,
}

/// A rejected comment, kept so that reviewers can learn from it.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Reject {
    pub(crate) comment_id: u64,
    pub(crate) path: String,
    pub(crate) line: Option<u32>,
    pub(crate) body: String,
    pub(crate) evidence: String,
    pub(crate) category: String,
    pub(crate) dimension: String,
    pub(crate) pr_number: u64,
    pub(crate) feature_branch: String,
}

/// How a review was settled.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Finished {
    pub(crate) pr: u64,
    #[serde(flatten)]
    pub(crate) tokens: Tokens,
    pub(crate) counts: Done,
    pub(crate) verdicts: Counts,
    pub(crate) validation: Validity,
    /// What did not work.
    pub(crate) warnings: Vec<String>,
    pub(crate) escalations: Vec<Escalation>,
    pub(crate) rejected: Vec<Reject>,
}

impl Finished {
    /// The report that is kept, Markdown.
    pub(crate) fn report(
        &self,
        branch: &str,
        repository: &Repository,
        profile: &Profile,
    ) -> String {
        let Counts {
            critical,
            warning,
            accept,
            reject,
            discuss,
            ..
        } = &self.verdicts;
        let Done {
            resolved,
            replies,
            replies_failed,
            threads,
            ..
        } = self.counts;
        format!(
            "# {}\n\nPR: {repository}#{} ({})\n\nFindings: {critical} critical, {warning} warning\n\nClassification: {accept} ACCEPT ({}), {reject} REJECT, {discuss} DISCUSS\n\n\
             Fixes applied: {}\n\nEscalations: {}\n\nValidation: {}\n\nThreads resolved: {resolved}/{threads}\n\nReplies: {replies} posted, {replies_failed} failed\n",
            profile.resolve,
            self.pr,
            one_line(branch, LINE),
            self.verdicts.by_strategy(profile),
            self.tokens.fixes_applied,
            self.escalations.len(),
            self.validation,
        )
    }
}

impl Planned {
    pub(crate) fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        self.work.iter().try_for_each(|work| {
            let strategy = work.entry.fix_strategy.as_deref().unwrap_or_default();
            writeln!(out, "{}\t{strategy}\t{}", work.id, of_entry(&work.entry))
        })
    }
}

impl Edit {
    pub(crate) fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        match (&self.sha, &self.reason) {
            (Some(sha), _) => {
                let before = if self.changed { "" } else { " before" };
                writeln!(out, "{} applied{before} in {sha}", self.comment_id)
            }
            (None, reason) => {
                let reason = one_line(reason.as_deref().unwrap_or_default(), LINE);
                writeln!(out, "{} skipped: {reason}", self.comment_id)
            }
        }
    }
}

impl Validated {
    pub(crate) fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        for line in self.output.lines() {
            writeln!(out, "{}", one_line(line, 1000))?;
        }
        let how = match (self.status, self.attempts) {
            (Validity::Skipped, _) => String::from("no command is configured"),
            (_, attempts) => format!("attempt {attempts}"),
        };
        writeln!(out, "validation = {} ({how})", self.status)
    }
}

impl Finished {
    pub(crate) fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        let done = self.counts;
        let resolved = counted(done.resolved, "thread");
        write!(
            out,
            "replies: {}, {} failed; ",
            done.replies, done.replies_failed
        )?;
        write!(out, "{resolved} resolved, {} failed; ", done.resolve_failed)?;
        let unclassified = done.unclassified.map(|count| count.to_string());
        writeln!(
            out,
            "replies and threads done by earlier calls: {}; edited and still open: {}; not classified: {}",
            done.already,
            done.held,
            unclassified.as_deref().unwrap_or("unknown")
        )?;
        write!(out, "{}", self.tokens.lines())
    }
}

fn of_entry(entry: &Entry) -> String {
    let place = place(&entry.path, entry.line);
    of_comment(&place, entry.severity(), &entry.said())
}

/// One line: the place of a comment, its severity and what it says.
fn of_comment(place: &str, severity: Severity, said: &str) -> String {
    let label = format!("[{severity}] ");
    let said = said.strip_prefix(&label).unwrap_or(said);
    format!("{place}\t{label}{}", one_line(said, LINE))
}

impl Fetched {
    pub(crate) fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.skipped {
            let reason = self.reason.as_deref().unwrap_or_default();
            writeln!(out, "skipped: {}", one_line(reason, LINE))?;
            return write!(out, "{}", Tokens::of([], 0).lines());
        }
        for (name, findings) in &self.groups {
            for finding in findings {
                let place = place(&finding.path, finding.line);
                let comment = of_comment(&place, finding.severity, &finding.body);
                writeln!(out, "{name}\t{}\t{comment}", finding.id)?;
            }
        }
        let skipped = self.skipped_counts;
        if let Some(why) = self.warnings.last().filter(|_| self.degraded) {
            writeln!(out, "degraded: {why}")?;
        }
        writeln!(
            out,
            "{} to settle; left out: {} info, {} resolved, replies: {}, {} untrusted, {} of the other gate, {} unreadable",
            self.groups.values().map(Vec::len).sum::<usize>(),
            skipped.info,
            skipped.resolved,
            skipped.replies,
            skipped.untrusted,
            skipped.foreign,
            skipped.unreadable
        )
    }
}

impl Classified {
    pub(crate) fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        for (id, entry) in &self.entries {
            let how = entry.fix_strategy.as_deref().or(entry.category.as_deref());
            let how = how.unwrap_or("for a person");
            writeln!(out, "{id}\t{}\t{how}\t{}", entry.verdict, of_entry(entry))?;
        }
        writeln!(out, "{}", self.counts.by_verdict())
    }
}
