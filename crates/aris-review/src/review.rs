//! A review in the form of GitHub: which findings become comments on lines, and the text with the rest.

use std::collections::BTreeSet;

use aris_contract::text::counted;
use serde_json::{Value, json};

use crate::finding::{Finding, Severity};
use crate::marker::{self, Looked};
use crate::profile::Profile;
use crate::text::quiet;
use crate::verdict::{Event, Verdict};

/// Longest message in a comment, in characters.
const MESSAGE: usize = 4000;

/// Longest text of a review, in characters. GitHub accepts 65,536; the mark needs some room.
const BODY: usize = 64_000;

/// What is said about a pull request.
#[derive(Clone, Debug)]
pub struct Review<'a> {
    /// The gate.
    pub profile: &'static Profile,
    /// The verdict.
    pub verdict: Verdict,
    /// The findings, one for each place.
    pub findings: &'a [Finding],
    /// How many entries could not be read as findings.
    pub unreadable: usize,
    /// The logged-in user, when known.
    pub login: Option<&'a str>,
    /// The commit that was looked at, where known: the review is about this commit and about no later one.
    pub head: Option<&'a str>,
    /// Who has looked at everything: a finding that they do not find any more is gone.
    pub looked: Looked,
    /// The other gate under this login that has not approved: an approval would lift its block, and is a mere comment.
    pub held_by: Option<&'a str>,
    /// What nobody could look at, in words.
    pub unseen: Option<&'a str>,
}

/// A comment to post, and the fingerprint of its finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comment {
    pub(crate) fingerprint: String,
    pub(crate) json: Value,
}

impl Review<'_> {
    /// Comments on lines, each with the findings of its place that are not in `already`.
    pub(crate) fn comments(&self, already: &BTreeSet<String>) -> Vec<Comment> {
        let comments = self.findings.iter().filter_map(|finding| {
            let (mut new, listed) = self.divided(finding, false);
            new.retain(|part| !already.contains(&part.fingerprint));
            let body = self.comment_body(&new, listed.len())?;
            Some(Comment {
                fingerprint: finding.fingerprint.clone(),
                json: json!({"path": finding.file, "line": finding.line, "side": "RIGHT", "body": body}),
            })
        });
        comments.collect()
    }

    /// The findings of a place that its comment states, the gravest first, and those that the text of the review lists: what one comment
    /// cannot hold, and all where the line takes no comment.
    fn divided(&self, finding: &Finding, refused: bool) -> (Vec<Finding>, Vec<Finding>) {
        let mut stated = finding.parts();
        if refused || !is_inline(finding) {
            return (Vec::new(), stated);
        }
        stated.sort_by_key(|part| std::cmp::Reverse(part.severity));
        let mut length = 0;
        let fits = stated.iter().take_while(|part| {
            length += self.item(part).chars().count();
            length <= BODY
        });
        let listed = stated.split_off(fits.count());
        (stated, listed)
    }

    /// The text of a comment: label and message of each finding, one suggestion where it fits, and the mark of each; `None` without
    /// findings. The text of the review has `more` findings of this line.
    fn comment_body(&self, parts: &[Finding], more: usize) -> Option<String> {
        let labels = parts.iter().map(label);
        let mut body = labels.collect::<Vec<_>>().join("\n\nAlso ");
        if more > 0 {
            let more = counted(more, "more finding");
            body.extend(["\n\nThe text of the review has ", &more, " of this line."]);
        }
        let marks = parts
            .iter()
            .map(|part| marker::of_finding(self.profile, part));
        let mut marks: Vec<String> = marks.collect();
        marks.dedup();
        let marks = marks.join("\n");
        let suggestions = parts.iter().filter_map(|part| part.suggestion.as_ref());
        let mut blocks = suggestions.map(|suggestion| block(&suggestion.becomes));
        let length = |text: &str| text.chars().count();
        let room = BODY.saturating_sub(length(&body) + length(&marks));
        body.extend(blocks.next().filter(|block| length(block) <= room));
        (!parts.is_empty()).then(|| format!("{body}\n\n{marks}"))
    }

    /// Fingerprints of findings that a comment states and does not mark: in earlier versions a comment marked only one of its findings.
    pub(crate) fn named<'b>(&'b self, body: &'b str) -> impl Iterator<Item = String> + 'b {
        let marked = |print: &str| marker::findings_in(self.profile, body).any(|one| one == print);
        let shared = self
            .findings
            .iter()
            .filter(|finding| !finding.also.is_empty());
        let places = shared.map(Finding::parts);
        let here = places.filter(move |parts| parts.iter().any(|part| marked(&part.fingerprint)));
        let named = here.flatten().filter(|part| body.contains(&label(part)));
        named.map(|part| part.fingerprint)
    }

    /// The texts of the review: the summary, and every finding that no comment on a line states, also those whose comments were `refused`.
    /// With `none`, not a single comment was taken, and the summary says so. What is too long for GitHub becomes several texts; the mark in the
    /// last one says that the review is complete.
    pub(crate) fn texts(&self, refused: &BTreeSet<&str>, none: bool) -> Vec<String> {
        let mut text = self.summary();
        if none {
            text.insert_str(0, "DEGRADED: no comment could be put on a line. ");
        }
        let listed = self.findings.iter().flat_map(|finding| {
            let refused = refused.contains(finding.fingerprint.as_str());
            self.divided(finding, refused).1
        });
        let mut texts = Vec::new();
        let mut begins = true;
        for finding in listed {
            let item = self.item(&finding);
            if text.chars().count() + item.chars().count() > BODY {
                text.extend(["\n\n", &marker::of_part(self.profile)]);
                let next = String::from("The list of findings continues:\n");
                texts.push(std::mem::replace(&mut text, next));
            } else if begins {
                text.push('\n');
            }
            begins = false;
            text.push_str(&item);
        }
        let mark = marker::of_review(self.profile, &self.digest(), self.looked, self.verdict);
        text.extend(["\n\n", &mark]);
        texts.push(text);
        texts
    }

    /// A finding as a list item, with its mark on the next line; [`crate::listed`] reads it.
    fn item(&self, finding: &Finding) -> String {
        let line = finding
            .line
            .map_or(String::new(), |line| format!(":{line}"));
        let file = quiet(&finding.file, 300).replace('`', "'");
        let (label, mark) = (label(finding), marker::of_finding(self.profile, finding));
        format!("\n- `{file}{line}` {label}\n  {mark}")
    }

    /// The digest by which this review is recognized.
    pub(crate) fn digest(&self) -> String {
        marker::digest(self.verdict, self.findings, self.held_by.is_some())
    }

    /// The event that it is sent with.
    pub(crate) fn event(&self) -> Event {
        match self.verdict.event() {
            Event::Approve if self.held_by.is_some() => Event::Comment,
            event => event,
        }
    }

    /// A review with one of the texts. It names the commit: without one GitHub takes the latest commit, which nobody may have looked at.
    pub(crate) fn json(&self, event: Event, text: &str, comments: &[Comment]) -> Value {
        let mut json = json!({"body": text, "event": event});
        if let Some(head) = self.head {
            json["commit_id"] = head.into();
        }
        if !comments.is_empty() {
            let comments = comments.iter().map(|comment| comment.json.clone());
            json["comments"] = comments.collect();
        }
        json
    }

    /// One sentence about the verdict.
    pub fn summary(&self) -> String {
        let (profile, findings) = (self.profile, self.findings.iter());
        let text = match (self.verdict, self.login) {
            (Verdict::Approved, _) => match self.held_by {
                Some(gate) => format!(
                    "{}; no approval, because {gate}, the other gate of this login, has not approved",
                    profile.approved
                ),
                None => profile.approved.to_owned(),
            },
            (Verdict::ChangesRequested, _) => {
                let count = findings.filter(|finding| finding.is_actionable()).count();
                let [one, many] = profile.changes;
                format!("{count} {}", if count == 1 { one } else { many })
            }
            (Verdict::NeedsHuman, Some(login)) => format!("{} (@{login})", profile.human),
            (Verdict::NeedsHuman, None) => profile.human.to_owned(),
        };
        let text = match self.unreadable {
            0 => text,
            count => format!("{text}; {count} entries could not be read as findings"),
        };
        match self.unseen {
            Some(what) => format!("{text}; {}", quiet(what, MESSAGE)),
            None => text,
        }
    }
}

/// Whether a finding becomes a comment on its line.
pub(crate) fn is_inline(finding: &Finding) -> bool {
    finding.line.is_some() && (finding.requires_decision || finding.severity >= Severity::Warning)
}

/// The block that GitHub offers to commit: `line` replaces the line of the comment. Its fence is longer than any run of backticks in
/// `line`.
///
/// **Source**: GitHub, "Commenting on a pull request": suggestions are fenced blocks of the language `suggestion`.
fn block(line: &str) -> String {
    let ticks = line.split(|letter| letter != '`').map(str::len).max();
    let fence = "`".repeat(ticks.unwrap_or(0).max(2) + 1);
    format!("\n\n{fence}suggestion\n{line}\n{fence}")
}

/// The text about a finding.
fn label(finding: &Finding) -> String {
    labelled(finding.severity, &finding.dimension, &finding.message)
}

/// `[severity] dimension: message`.
fn labelled(severity: Severity, dimension: &str, message: &str) -> String {
    let message = quiet(message, MESSAGE);
    format!("[{severity}] {dimension}: {message}")
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
            head: None,
            looked: Looked::default(),
            held_by: None,
            unseen: None,
        }
    }

    /// The text of a review of which not one comment could be posted.
    fn degraded_body(review: &Review<'_>) -> String {
        let refused = review
            .findings
            .iter()
            .map(|finding| finding.fingerprint.as_str())
            .collect();
        review.texts(&refused, true).concat()
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
        let body = review.texts(&BTreeSet::new(), false).concat();
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
            review.texts(&BTreeSet::new(), false).concat(),
            degraded_body(&review),
        ] {
            assert!(!marker::findings_in(profile, &body).any(|print| print.starts_with("0000")));
            assert!(!body.lines().any(|line| line.starts_with("[info]")));
            assert!(!body.contains("@team"));
        }
    }

    #[test]
    fn texts_stay_within_what_github_takes_and_lose_nothing() {
        let findings: Vec<Finding> = (0..400)
            .map(|at| {
                finding(
                    None,
                    Severity::Warning,
                    &format!("{at}{}", "x".repeat(5000)),
                )
            })
            .collect();
        let all = findings.iter().map(|finding| finding.fingerprint.as_str());
        let texts = review(&findings).texts(&all.collect(), true);
        for text in &texts {
            assert!(text.chars().count() < 65_536, "{}", text.chars().count());
        }
        let all = texts.concat();
        assert!((0..400).all(|at| all.contains(&format!("external: {at}x"))));
        let profile = Gate::Claims.profile();
        let marked = texts
            .iter()
            .filter(|text| marker::review_in(profile, text).is_some());
        assert_eq!((marked.count(), texts.len() > 20), (1, true));
        assert!(marker::review_in(profile, &texts[texts.len() - 1]).is_some());
    }
}
