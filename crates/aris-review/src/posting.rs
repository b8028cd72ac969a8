//! Putting a review on GitHub or GitLab, one way after the other, and never twice.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use crate::forge::{Forge, Threads, Trouble};
use crate::marker;
use crate::pull::Pull;
use crate::review::{Comment, Review};
use crate::verdict::Event;

/// How a review got to GitHub or GitLab.
///
/// **Source**: citation gates, §5.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Posted {
    /// 0 one review with all comments, 1 a review and each comment alone (always on GitLab), 2 a review whose text holds all findings, 3 not all of it; none
    /// when nothing had to be posted.
    pub tier: Option<u8>,
    /// Comments on lines that are there now because of this run.
    pub inline: usize,
    /// Comments that could not be posted.
    pub failed: usize,
    /// Comments that were there before.
    pub already: usize,
    /// Threads of findings that are gone and were closed; their comments are folded away where the lines were changed since.
    #[serde(default)]
    pub closed: usize,
    /// Approvals of earlier runs that were taken back, as the verdict is another now.
    #[serde(default)]
    pub dismissed: usize,
    /// Set when the pull request is one's own, which nobody may approve or reject: the review is a mere comment then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_pr: Option<bool>,
    /// What did not work.
    pub warnings: Vec<String>,
}

/// Posts what is not there yet. With `again`, what is there does not count.
///
/// Trouble is in the outcome: whatever happens here, the verdict stands.
///
/// **Errors**: what is there cannot be read. Then nothing was posted: it could be there already.
pub fn post(
    forge: &dyn Forge,
    pull: &Pull,
    review: &Review<'_>,
    again: bool,
) -> Result<Posted, Trouble> {
    let mut posted = Posted::default();
    let known = if again {
        Known::default()
    } else {
        Known::of(forge, pull, review)?
    };
    sent(forge, pull, review, (again, &known), &mut posted);
    // Who posts from another machine does not wait for us.
    if !again && posted.inline > 0 {
        let twice = Known::of(forge, pull, review).map_or(0, |there| there.twice);
        if twice > known.twice {
            posted.warnings.push(format!(
                "{twice} findings stand there twice: somebody else posted at the same time"
            ));
        }
    }
    Ok(posted)
}

fn sent(
    forge: &dyn Forge,
    pull: &Pull,
    review: &Review<'_>,
    (again, known): (bool, &Known),
    posted: &mut Posted,
) {
    let comments = review.comments(&known.findings);
    posted.already = review.comments(&BTreeSet::new()).len() - comments.len();
    let said = known.last_review.as_deref() == Some(review.digest().as_str());
    close_gone(forge, pull, review, known, posted);
    // Only a request for changes outweighs an approval that cannot be taken back.
    let event = if take_back(forge, pull, review, known, posted) {
        review.verdict.event()
    } else {
        Event::RequestChanges
    };
    if comments.is_empty() && said && event == review.verdict.event() {
        return;
    }
    let sent = forge.takes_batches().then(|| {
        let texts = review.texts(&BTreeSet::new(), false);
        told(forge, pull, review, event, (&texts, &comments), posted)
    });
    let taken = match sent.unwrap_or(Ok(())) {
        Ok(()) if !forge.takes_batches() => Some(false),
        Ok(()) => Some(true),
        Err(trouble) => {
            let taken = if !trouble.is_doubtful() {
                Some(false)
            } else if again || trouble.is_away() {
                None
            } else {
                was_taken(forge, pull, review, said)
            };
            let what = match taken {
                Some(false) => "the review was not taken",
                Some(true) => "the review was taken, and the answer was",
                None => "whether the review was taken is unknown",
            };
            posted.warnings.push(format!("{what}: {trouble}"));
            if trouble.is_busy() && taken == Some(false) {
                let wait = "nothing more is sent now; call again later".to_owned();
                posted.warnings.push(wait);
                None
            } else {
                taken
            }
        }
    };
    match taken {
        Some(true) => {
            posted.tier = Some(0);
            posted.inline = comments.len();
            return;
        }
        // Sending it in pieces could double it.
        None => {
            posted.tier = Some(3);
            posted.failed = comments.len();
            return;
        }
        Some(false) => {}
    }
    let refused = one_by_one(forge, pull, &comments, posted);
    let none = posted.inline == 0 && !comments.is_empty();
    posted.tier = Some(if none { 2 } else { 1 });
    // What the last review said already is not said again.
    if !(none && said) {
        let texts = review.texts(&refused, none);
        if let Err(trouble) = told(forge, pull, review, event, (&texts, &[]), posted) {
            posted.tier = Some(3);
            posted
                .warnings
                .push(format!("the summary was not taken: {trouble}"));
        }
    }
}

/// Closes the threads of our findings that nobody finds any more. One in which somebody else wrote stays: that is a conversation.
fn close_gone(
    forge: &dyn Forge,
    pull: &Pull,
    review: &Review<'_>,
    known: &Known,
    posted: &mut Posted,
) {
    let there: BTreeSet<&str> = review
        .findings
        .iter()
        .map(|finding| finding.fingerprint.as_str())
        .collect();
    for open in &known.open {
        let gone = !open
            .findings
            .iter()
            .any(|print| there.contains(print.as_str()));
        let looked = if open.of_rules {
            review.looked.rules
        } else {
            review.looked.agents
        };
        if !gone || !looked || review.unreadable > 0 {
            continue;
        }
        match forge.resolve(pull, &open.thread) {
            Ok(()) => posted.closed += 1,
            Err(trouble) => posted.warnings.push(format!(
                "the thread of a finding that is gone was not closed: {trouble}"
            )),
        }
        if open.outdated
            && let Some(Err(trouble)) = open.comment.as_ref().map(|id| forge.minimize(id))
        {
            posted.warnings.push(format!(
                "the comment of a finding that is gone was not folded away: {trouble}"
            ));
        }
    }
}

/// Takes back our approvals where the verdict is another now; gives whether none of them counts any more.
fn take_back(
    forge: &dyn Forge,
    pull: &Pull,
    review: &Review<'_>,
    known: &Known,
    posted: &mut Posted,
) -> bool {
    if review.verdict.event() == Event::Approve {
        return true;
    }
    let mut all = true;
    for id in &known.approvals {
        match forge.dismiss(pull, *id, &review.summary()) {
            Ok(()) => posted.dismissed += 1,
            Err(trouble) => {
                all = false;
                posted.warnings.push(format!(
                    "our earlier approval {id} was not taken back, changes are requested instead: {trouble}"
                ));
            }
        }
    }
    all
}

/// Whether a review is there although GitHub did not say so; none when that cannot be seen. Where one of the same words was there before,
/// the new one is known by its comments.
fn was_taken(forge: &dyn Forge, pull: &Pull, review: &Review<'_>, said: bool) -> Option<bool> {
    // Of several texts the last one carries the mark, and was not sent yet.
    if review.texts(&BTreeSet::new(), false).len() > 1 {
        return None;
    }
    let there = Known::of(forge, pull, review).ok()?;
    let is_there = there.last_review.as_deref() == Some(review.digest().as_str());
    Some(is_there && (!said || review.comments(&there.findings).is_empty()))
}

/// One review with these comments, as a mere comment when the pull request is one's own; what its first text does not hold follows in others.
///
/// **Errors**: the first one was not taken.
fn told(
    forge: &dyn Forge,
    pull: &Pull,
    review: &Review<'_>,
    event: Event,
    (texts, comments): (&[String], &[Comment]),
    posted: &mut Posted,
) -> Result<(), Trouble> {
    let event = if posted.own_pr == Some(true) {
        Event::Comment
    } else {
        event
    };
    let Some((first, others)) = texts.split_first() else {
        return Ok(());
    };
    let send =
        |event, text: &str, comments| forge.review(pull, &review.json(event, text, comments));
    match send(event, first, comments) {
        Err(trouble) if trouble.is_own_pull() => {
            posted.own_pr = Some(true);
            send(Event::Comment, first, comments)?;
        }
        other => other?,
    }
    // On GitLab any other event than an approval takes the approval back.
    let event = if event == Event::Approve && posted.own_pr.is_none() {
        event
    } else {
        Event::Comment
    };
    for text in others {
        if let Err(trouble) = send(event, text, &[]) {
            posted.warnings.push(format!(
                "a part of the findings was not taken, call again: {trouble}"
            ));
            break;
        }
    }
    Ok(())
}

/// Posts each comment alone; gives the fingerprints of those that were not taken.
fn one_by_one<'a>(
    forge: &dyn Forge,
    pull: &Pull,
    comments: &'a [Comment],
    posted: &mut Posted,
) -> BTreeSet<&'a str> {
    let all = || comments.iter().map(|comment| comment.fingerprint.as_str());
    if comments.is_empty() {
        return BTreeSet::new();
    }
    let place = match forge.place(pull) {
        Ok(place) => place,
        Err(trouble) => {
            posted
                .warnings
                .push(format!("where comments can be put is unknown: {trouble}"));
            posted.failed = comments.len();
            return all().collect();
        }
    };
    let mut refused = BTreeSet::new();
    for (at, comment) in comments.iter().enumerate() {
        match forge.comment(pull, &place, &comment.json) {
            Ok(()) => posted.inline += 1,
            Err(trouble) => {
                posted.failed += 1;
                refused.insert(comment.fingerprint.as_str());
                posted.warnings.push(format!(
                    "the comment {} was not taken: {trouble}",
                    comment.fingerprint
                ));
                if trouble.is_busy() {
                    let rest = comments.iter().skip(at + 1);
                    refused.extend(rest.map(|comment| comment.fingerprint.as_str()));
                    posted.failed = refused.len();
                    return refused;
                }
            }
        }
    }
    refused
}

/// What is there of earlier runs.
#[derive(Default)]
struct Known {
    /// Findings whose comments stand in open threads.
    findings: BTreeSet<String>,
    /// The digest of the latest review.
    last_review: Option<String>,
    /// Our comments in open threads in which nobody else wrote.
    open: Vec<OpenComment>,
    /// Our approvals that count.
    approvals: Vec<u64>,
    /// Findings that stand in more than one open thread.
    twice: usize,
}

/// A comment of an earlier run whose thread is open.
struct OpenComment {
    thread: String,
    /// GitHub's name of the comment.
    comment: Option<String>,
    findings: Vec<String>,
    of_rules: bool,
    /// Whether the lines were changed since.
    outdated: bool,
}

impl Known {
    /// Looks.
    fn of(forge: &dyn Forge, pull: &Pull, review: &Review<'_>) -> Result<Self, Trouble> {
        let comments = forge
            .comments(pull)
            .map_err(|trouble| trouble.about("the comments that are there"))?;
        let reviews = forge
            .reviews(pull)
            .map_err(|trouble| trouble.about("the reviews that are there"))?;
        let has_mark = |comment: &Value| {
            marker::findings_in(review.profile, body(comment))
                .next()
                .is_some()
        };
        // Only a comment of ours can be in a thread that is settled.
        let threads = if comments.iter().any(has_mark) {
            forge
                .threads(pull)
                .map_err(|trouble| trouble.about("the threads that are there"))?
        } else {
            Threads::default()
        };
        let mut known = Self::default();
        let mut latest = "";
        let thread = |comment: &Value| {
            let id = comment.get("id").and_then(Value::as_u64);
            id.and_then(|id| threads.of_comment(id))
        };
        let is_ours = |entry: &Value| match review.login {
            Some(login) => entry.pointer("/user/login").and_then(Value::as_str) == Some(login),
            // The token of a workflow or app has no user: GitHub says which threads it began, and nobody but bots is of the type `Bot`.
            None => {
                thread(entry).is_some_and(|thread| thread.is_ours)
                    || entry.pointer("/user/type").and_then(Value::as_str) == Some("Bot")
            }
        };
        for entry in reviews.iter().filter(|entry| is_ours(entry)) {
            match entry.get("state").and_then(Value::as_str) {
                Some("APPROVED") if marker::is_marked(review.profile, body(entry)) => {
                    known
                        .approvals
                        .extend(entry.get("id").and_then(Value::as_u64));
                }
                Some("CHANGES_REQUESTED") => known.approvals.clear(),
                _ => {}
            }
        }
        for entry in reviews.iter().chain(&comments) {
            if !is_ours(entry) {
                continue;
            }
            if let Some(digest) = marker::review_in(review.profile, body(entry)) {
                let time = ["submitted_at", "created_at"]
                    .iter()
                    .find_map(|key| entry.get(key).and_then(Value::as_str))
                    .unwrap_or_default();
                if time >= latest {
                    latest = time;
                    known.last_review = Some(digest.to_owned());
                }
            }
        }
        for comment in comments.iter().filter(|comment| is_ours(comment)) {
            let thread = thread(comment);
            if thread.is_some_and(|thread| thread.is_resolved) {
                continue;
            }
            let findings = marker::findings_in(review.profile, body(comment)).map(str::to_owned);
            let findings: Vec<String> = findings.collect();
            for print in &findings {
                known.twice += usize::from(!known.findings.insert(print.clone()));
            }
            if let Some(thread) = thread.filter(|thread| thread.is_ours && !thread.is_answered)
                && !findings.is_empty()
            {
                let id = comment.get("node_id").and_then(Value::as_str);
                known.open.push(OpenComment {
                    thread: thread.thread_id.clone(),
                    comment: id.map(str::to_owned),
                    findings,
                    of_rules: marker::is_of_rules(body(comment)),
                    outdated: thread.is_outdated,
                });
            }
        }
        Ok(known)
    }
}

fn body(entry: &Value) -> &str {
    entry
        .get("body")
        .and_then(Value::as_str)
        .unwrap_or_default()
}
