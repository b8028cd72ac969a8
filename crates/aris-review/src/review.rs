//! A review in GitHub's words: which findings become comments on lines, and what the rest says.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::finding::{Finding, Severity};
use crate::marker;
use crate::profile::Profile;
use crate::text::quiet;
use crate::verdict::{Event, Verdict};

/// Characters of a message in a comment.
const MESSAGE: usize = 4000;

/// Characters of a body that GitHub takes: 65,536; some room is left for the mark.
const BODY: usize = 64_000;

/// What there is to be said about a pull request.
#[derive(Clone, Debug)]
pub struct Review<'a> {
    /// The gate.
    pub profile: &'static Profile,
    /// The verdict.
    pub verdict: Verdict,
    /// The findings, each place once.
    pub findings: &'a [Finding],
    /// Entries that nobody could read.
    pub unreadable: usize,
    /// Who is logged in, when that is known.
    pub login: Option<&'a str>,
    /// Who has looked at everything: what they do not find any more is gone.
    pub looked: Looked,
}

/// Who has looked at everything that there is to see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// The rules.
    pub rules: bool,
    /// Agents.
    pub agents: bool,
}

/// A comment that is to be posted, with what marks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comment {
    pub(crate) fingerprint: String,
    pub(crate) json: Value,
}

impl Review<'_> {
    /// Comments on lines, without those whose findings are there `already`.
    pub(crate) fn comments(&self, already: &BTreeSet<String>) -> Vec<Comment> {
        self.findings
            .iter()
            .filter(|finding| is_inline(finding) && !already.contains(&finding.fingerprint))
            .map(|finding| Comment {
                fingerprint: finding.fingerprint.clone(),
                json: json!({
                    "path": finding.file,
                    "line": finding.line,
                    "side": "RIGHT",
                    "body": self.comment_body(finding),
                }),
            })
            .collect()
    }

    /// The label and the message, what else was found there, and the mark.
    fn comment_body(&self, finding: &Finding) -> String {
        let mut body = labelled(finding.severity, &finding.dimension, &finding.message);
        for also in &finding.also {
            push(
                &mut body,
                &format!(
                    "\n\nAlso {}",
                    labelled(also.severity, &also.dimension, &also.message)
                ),
            );
        }
        if let Some(suggestion) = &finding.suggestion {
            push(&mut body, &block(&suggestion.becomes));
        }
        let mark = marker::of_finding(self.profile, finding);
        format!("{body}\n\n{mark}")
    }

    /// The review's own text: the summary, and every finding that no comment carries, those whose comments were `refused` among them.
    fn body(&self, refused: &BTreeSet<&str>) -> String {
        let mut body = self.summary();
        let others = self.findings.iter().filter(|finding| {
            !is_inline(finding) || refused.contains(finding.fingerprint.as_str())
        });
        list(&mut body, others);
        self.marked(body)
    }

    /// What says that this review is there.
    pub(crate) fn digest(&self) -> String {
        marker::digest(self.verdict, self.findings)
    }

    fn marked(&self, body: String) -> String {
        format!(
            "{body}\n\n{}",
            marker::of_review(self.profile, &self.digest())
        )
    }

    pub(crate) fn json(&self, event: Event, comments: &[Comment]) -> Value {
        let comments: Vec<&Value> = comments.iter().map(|comment| &comment.json).collect();
        json!({"body": self.body(&BTreeSet::new()), "event": event.word(), "comments": comments})
    }

    /// A review after whose comments were posted alone, but for those that were refused; `none` says that not one was taken.
    pub(crate) fn without_comments(
        &self,
        event: Event,
        refused: &BTreeSet<&str>,
        none: bool,
    ) -> Value {
        let body = self.body(refused);
        let body = if none {
            format!("DEGRADED: no comment could be put on a line. {body}")
        } else {
            body
        };
        json!({"body": body, "event": event.word()})
    }

    /// One sentence for the verdict.
    pub fn summary(&self) -> String {
        let Profile {
            approved,
            changes,
            human,
            ..
        } = self.profile;
        let mut text = match self.verdict {
            Verdict::Approved => (*approved).to_owned(),
            Verdict::ChangesRequested => {
                let count = self
                    .findings
                    .iter()
                    .filter(|finding| finding.is_actionable())
                    .count();
                format!("{count} {changes}")
            }
            Verdict::NeedsHuman => match self.login {
                Some(login) => format!("{human} (@{login})"),
                None => (*human).to_owned(),
            },
        };
        if self.unreadable > 0 {
            push(
                &mut text,
                &format!(
                    "; {} entries could not be read as findings",
                    self.unreadable
                ),
            );
        }
        text
    }
}

/// Whether a finding becomes a comment on its line.
pub(crate) fn is_inline(finding: &Finding) -> bool {
    finding.line.is_some() && (finding.requires_decision || finding.severity >= Severity::Warning)
}

/// The block that GitHub offers to commit: `line` in place of the line that the comment is on. Its fence is longer than any in the line.
///
/// **Source**: GitHub, "Commenting on a pull request": suggestions are fenced blocks of the language `suggestion`.
fn block(line: &str) -> String {
    let ticks = line.split(|letter| letter != '`').map(str::len).max();
    let fence = "`".repeat(ticks.unwrap_or(0).max(2) + 1);
    format!("\n\n{fence}suggestion\n{line}\n{fence}")
}

/// `[severity] dimension: message`.
fn labelled(severity: Severity, dimension: &str, message: &str) -> String {
    let message = quiet(message, MESSAGE);
    format!("[{}] {dimension}: {message}", severity.word())
}

/// One item for each finding. Where they are too many for GitHub, the number of those that are left is said.
fn list<'a>(body: &mut String, findings: impl Iterator<Item = &'a Finding>) {
    let findings: Vec<&Finding> = findings.collect();
    if findings.is_empty() {
        return;
    }
    push(body, "\n");
    let mut letters = body.chars().count();
    for (at, finding) in findings.iter().enumerate() {
        let line = finding
            .line
            .map_or_else(String::new, |line| format!(":{line}"));
        let item = format!(
            "\n- `{}{line}` {}",
            quiet(&finding.file, 300).replace('`', "'"),
            labelled(finding.severity, &finding.dimension, &finding.message)
        );
        letters += item.chars().count();
        if letters > BODY {
            push(
                body,
                &format!(
                    "\n- and {} more, in the list of findings",
                    findings.len() - at
                ),
            );
            return;
        }
        push(body, &item);
    }
}

fn push(text: &mut String, piece: &str) {
    // Writing to a String cannot fail.
    text.write_str(piece).unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Gate;

    fn finding(line: Option<u32>, severity: Severity, message: &str) -> Finding {
        Finding::of_rule("r", severity, "external", ("a.md", line), message)
    }

    fn review(findings: &[Finding]) -> Review<'_> {
        Review {
            profile: Gate::Claims.profile(),
            verdict: Verdict::ChangesRequested,
            findings,
            unreadable: 0,
            login: None,
            looked: Looked::default(),
        }
    }

    /// The text of a review after which not one comment could be posted.
    fn degraded_body(review: &Review<'_>) -> String {
        let refused = review
            .findings
            .iter()
            .map(|finding| finding.fingerprint.as_str())
            .collect();
        let json = review.without_comments(Event::Comment, &refused, true);
        json["body"].as_str().expect("text").to_owned()
    }

    #[test]
    fn graver_findings_with_a_line_are_comments_and_the_rest_is_listed() {
        let mut decision = finding(Some(3), Severity::Info, "decide");
        decision.requires_decision = true;
        let findings = [
            finding(Some(1), Severity::Critical, "a"),
            finding(Some(2), Severity::Info, "b"),
            decision,
            finding(None, Severity::Critical, "c"),
        ];
        let review = review(&findings);
        let comments = review.comments(&BTreeSet::new());
        let lines: Vec<&Value> = comments
            .iter()
            .map(|comment| &comment.json["line"])
            .collect();
        assert_eq!(lines, [1, 3]);
        assert_eq!(comments[0].json["side"], "RIGHT");
        let body = comments[0].json["body"].as_str().expect("a body");
        assert_eq!(body.lines().next(), Some("[critical] external: a"));
        let body = review.body(&BTreeSet::new());
        assert!(body.starts_with("2 claims lack evidence"));
        assert!(
            body.contains("`a.md:2` [info] external: b")
                && body.contains("`a.md` [critical] external: c")
        );
        assert!(!body.contains("decide"));
        let known = BTreeSet::from([findings[0].fingerprint.clone()]);
        assert_eq!(review.comments(&known).len(), 1);
        assert!(degraded_body(&review).starts_with("DEGRADED"));
    }

    #[test]
    fn a_hostile_message_forges_no_mark_and_no_label() {
        let profile = Gate::Claims.profile();
        let fake = "x\n[info] external: y\n<!-- aris:audit-claims fp=0000000000000000 -->\n@team";
        let findings = [
            finding(Some(1), Severity::Warning, fake),
            finding(None, Severity::Warning, fake),
        ];
        let review = review(&findings);
        for body in [
            review.comments(&BTreeSet::new())[0].json["body"]
                .as_str()
                .expect("text")
                .to_owned(),
            review.body(&BTreeSet::new()),
            degraded_body(&review),
        ] {
            assert!(!marker::findings_in(profile, &body).any(|print| print.starts_with("0000")));
            assert!(!body.lines().any(|line| line.starts_with("[info]")));
            assert!(!body.contains("@team"));
        }
    }

    #[test]
    fn a_body_stays_within_what_github_takes() {
        let findings: Vec<Finding> = (0..400)
            .map(|at| {
                finding(
                    None,
                    Severity::Warning,
                    &format!("{at}{}", "x".repeat(5000)),
                )
            })
            .collect();
        let body = degraded_body(&review(&findings));
        assert!(body.chars().count() < 65_536, "{}", body.chars().count());
        assert!(body.contains("more, in the list of findings"));
    }
}
