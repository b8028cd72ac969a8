//! Posts a review on GitHub or GitLab, and never twice.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use crate::anchor;
use crate::finding::Finding;
use crate::forge::{Forge, Trouble, Withdrawn};
use crate::listed;
use crate::marker::{self, Looked};
use crate::pull::Pull;
use crate::review::{Comment, Review, is_inline};
use crate::verdict::Event;

/// How a review was posted.
///
/// **Source**: citation gates, §5.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Posted {
    /// 0: one review with all comments; 1: a review, and each comment alone (always on GitLab); 2: a review whose text has all findings; 3:
    /// not everything was posted. Absent when nothing had to be posted.
    pub tier: Option<u8>,
    /// Comments on lines that this call posted.
    pub inline: usize,
    /// Comments that could not be posted.
    pub failed: usize,
    /// Comments that were there already, or whose findings are in the text of the last review.
    pub already: usize,
    /// Threads of findings that are gone, which were resolved; their comments are minimized where the lines were changed since.
    #[serde(default)]
    pub closed: usize,
    /// Approvals of earlier runs that were taken back, because the verdict is another now. An approval that was given by hand is not taken
    /// back.
    #[serde(default)]
    pub dismissed: usize,
    /// Why an earlier approval of ours still counts against the verdict: it could not be taken back, and no review outweighs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_stands: Option<String>,
    /// Set when the pull request is one's own, which nobody may approve or reject: the review is a plain comment then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_pr: Option<bool>,
    /// The other gate of this login that has not approved: of one login the latest review counts, so that the approval is a mere comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_by: Option<String>,
    /// What did not work.
    pub warnings: Vec<String>,
    /// Whether the service asks to wait.
    #[serde(skip)]
    later: bool,
}

/// Posts what is not there yet, and with `again` everything.
///
/// Failures are in the result; the verdict does not depend on them.
///
/// **Errors**: what is there cannot be read. Then nothing is posted, because it could be there already.
pub fn post(
    forge: &dyn Forge,
    pull: &Pull,
    review: &Review<'_>,
    again: bool,
) -> Result<Posted, Trouble> {
    let mut known = Known::of(forge, pull, review)?;
    if again {
        known = Known {
            approvals: known.approvals,
            held_by: known.held_by,
            ..Known::default()
        };
    }
    let findings = anchor::identified(review.findings.to_vec(), &known.lines);
    let held_by = known.held_by;
    let held_by = held_by.filter(|_| review.verdict.event() == Event::Approve);
    let review = &Review {
        held_by,
        findings: &findings,
        ..review.clone()
    };
    let mut posting = Posting {
        forge,
        pull,
        review,
        again,
        known,
        listed: BTreeSet::new(),
        cut: false,
        posted: Posted {
            held_by: held_by.map(str::to_owned),
            ..Posted::default()
        },
    };
    posting.send();
    let Posting {
        known, mut posted, ..
    } = posting;
    // The lock holds on this machine only, so another machine may have posted at the same time.
    if !again && posted.inline > 0 {
        let twice = Known::of(forge, pull, review).map_or(0, |there| there.twice);
        if twice > known.twice {
            posted.warn(format!(
                "{twice} findings are posted twice: somebody else posted at the same time"
            ));
        }
    }
    Ok(posted)
}

impl Posted {
    fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    /// Notes what did not work. When the service asks to wait, nothing more is sent.
    fn missed(&mut self, what: &str, trouble: &Trouble) {
        self.later |= trouble.is_busy();
        self.warn(format!("{what}: {trouble}"));
    }
}

/// A review that is being posted.
struct Posting<'a> {
    forge: &'a dyn Forge,
    pull: &'a Pull,
    review: &'a Review<'a>,
    again: bool,
    known: Known,
    /// Fingerprints of the findings with lines that are in the text of the last review, which says the same as this one.
    listed: BTreeSet<&'a str>,
    /// Whether a part of the findings was not taken.
    cut: bool,
    posted: Posted,
}

impl Posting<'_> {
    fn send(&mut self) {
        let review = self.review;
        let said = self.known.says(review);
        let mut there = self.known.findings.clone();
        let lines = review.findings.iter().filter(|finding| is_inline(finding));
        for finding in lines.filter(|_| said) {
            let print = &finding.fingerprint;
            if self.known.listed.contains(print) && !self.known.findings.contains(print) {
                self.listed.insert(print);
                there.extend(finding.parts().into_iter().map(|part| part.fingerprint));
            }
        }
        let comments = review.comments(&there);
        self.posted.already = review.comments(&BTreeSet::new()).len() - comments.len();
        self.close_gone();
        // An approval that cannot be taken back is outweighed only by a request for changes.
        let changes = (!self.take_back()).then_some(Event::RequestChanges);
        let event = changes.unwrap_or(review.event());
        if self.posted.later {
            self.stopped(comments.len());
            return;
        }
        if comments.is_empty() && said && event == review.event() {
            return;
        }
        if self.forge.takes_batches() {
            match self.send_whole(event, &comments, said) {
                Some(true) => {
                    self.posted.tier = Some(if self.cut { 3 } else { 0 });
                    self.posted.inline = comments.len();
                    return;
                }
                // The review may have been taken: sending it in pieces could post it twice.
                None => {
                    self.stopped(comments.len());
                    return;
                }
                Some(false) => {}
            }
        }
        let mut refused = self.one_by_one(&comments);
        if self.posted.later {
            self.stopped(refused.len());
            return;
        }
        let Posted {
            inline, already, ..
        } = self.posted;
        let none = inline + already == 0 && !comments.is_empty();
        refused.extend(&self.listed);
        let texts = review.texts(&refused, none);
        if let Err(trouble) = self.tell(event, &texts, &[]) {
            self.cut = true;
            let why = format!("the summary was not taken: {trouble}");
            self.posted.warn(why);
        }
        self.posted.tier = Some(if self.cut { 3 } else { 1 + u8::from(none) });
    }

    /// Sends everything as one review. Returns whether it was taken; `None` where that is unknown, or where nothing more may be sent.
    fn send_whole(&mut self, event: Event, comments: &[Comment], said: bool) -> Option<bool> {
        let texts = self.review.texts(&self.listed, false);
        let Err(trouble) = self.tell(event, &texts, comments) else {
            return Some(true);
        };
        let taken = if !trouble.is_doubtful() {
            Some(false)
        } else if self.again || trouble.is_away() {
            None
        } else {
            self.was_taken(said)
        };
        let what = match taken {
            Some(false) => "the review was not taken",
            Some(true) => "the review was taken, and the answer was",
            None => "whether the review was taken is unknown",
        };
        self.posted.missed(what, &trouble);
        taken.filter(|taken| *taken || !self.posted.later)
    }

    /// Notes that not everything was sent.
    fn stopped(&mut self, failed: usize) {
        self.posted.tier = Some(3);
        self.posted.failed = failed;
        if self.posted.later {
            let wait = "nothing more is sent now; call again later";
            self.posted.warn(wait.to_owned());
        }
    }

    /// Resolves the threads of our findings that are gone. A thread in which somebody else wrote stays open: it is a conversation.
    fn close_gone(&mut self) {
        let review = self.review;
        let there = review.findings.iter().flat_map(Finding::parts);
        let there: BTreeSet<String> = there.map(|part| part.fingerprint).collect();
        for open in &self.known.open {
            let is_there = |print: &String| there.contains(print);
            let Looked { rules, agents } = review.looked;
            let looked = (rules || !open.of_rules) && (agents || !open.of_agents);
            if open.findings.iter().any(is_there) || !looked || review.unreadable > 0 {
                continue;
            }
            if self.posted.later {
                return;
            }
            match self.forge.resolve(self.pull, &open.thread) {
                Ok(()) => self.posted.closed += 1,
                Err(trouble) => {
                    let what = "the thread of a finding that is gone was not closed";
                    self.posted.missed(what, &trouble);
                }
            }
            if open.outdated
                && !self.posted.later
                && let Some(id) = &open.comment
                && let Err(trouble) = self.forge.minimize(id)
            {
                let what = "the comment of a finding that is gone was not folded away";
                self.posted.missed(what, &trouble);
            }
        }
    }

    /// Takes back our approvals, unless the verdict is still an approval. Returns whether none of them counts any more.
    fn take_back(&mut self) -> bool {
        if self.review.verdict.event() == Event::Approve {
            return true;
        }
        let mut all = true;
        for id in &self.known.approvals {
            if self.posted.later {
                return false;
            }
            match self.forge.dismiss(self.pull, *id, &self.review.summary()) {
                Ok(()) => self.posted.dismissed += 1,
                Err(trouble) => {
                    all = false;
                    let what = format!(
                        "our earlier approval {id} was not taken back, changes are requested instead"
                    );
                    self.posted.missed(&what, &trouble);
                }
            }
        }
        match self.forge.withdraw(self.pull) {
            Ok(Withdrawn::Nothing) => {}
            Ok(Withdrawn::Ours) => self.posted.dismissed += 1,
            Ok(Withdrawn::ByHand) => {
                let why = "this login has approved it by hand: that approval stays, only its owner can take it back";
                self.posted.warn(why.to_owned());
            }
            Err(trouble) => {
                all = false;
                let why = format!("our earlier approval was not taken back: {trouble}");
                self.posted.warn(why.clone());
                self.posted.approval_stands = Some(why);
            }
        }
        all
    }

    /// Whether a review was taken although its request failed; `None` when that cannot be seen. Where a review of the same verdict and
    /// findings was there before, the new one is recognized by its comments.
    fn was_taken(&self, said: bool) -> Option<bool> {
        let review = self.review;
        // Of several texts the last one carries the mark, and it was not sent yet.
        if review.texts(&self.listed, false).len() > 1 {
            return None;
        }
        let there = Known::of(self.forge, self.pull, review).ok()?;
        let has_comments = || review.comments(&there.findings).is_empty();
        Some(there.says(review) && (!said || has_comments()))
    }

    /// Sends the first text as a review with these comments, and the other texts as comments of their own, but not those that an earlier
    /// call sent before it was stopped. The event is a plain comment when the pull request is one's own.
    ///
    /// **Errors**: the first text was not taken.
    fn tell(
        &mut self,
        event: Event,
        texts: &[String],
        comments: &[Comment],
    ) -> Result<(), Trouble> {
        let own = self.posted.own_pr.map(|_| Event::Comment);
        let event = own.unwrap_or(event);
        let Some((first, others)) = texts.split_first() else {
            return Ok(());
        };
        let (forge, pull, review) = (self.forge, self.pull, self.review);
        let send =
            |event, text: &str, comments| forge.review(pull, &review.json(event, text, comments));
        let parts = &self.known.parts;
        let is_there = |text: &str| parts.iter().any(|part| part.contains(text.trim()));
        if !comments.is_empty() || !is_there(first) {
            match send(event, first, comments) {
                Err(trouble) if trouble.is_own_pull() => {
                    self.posted.own_pr = Some(true);
                    send(Event::Comment, first, comments)?;
                }
                other => other?,
            }
        }
        let others = others.iter().filter(|text| !is_there(text));
        let mut others = others.map(|text| send(Event::Comment, text, &[]));
        if let Some(trouble) = others.find_map(Result::err) {
            self.cut = true;
            let why = format!("a part of the findings was not taken, call again: {trouble}");
            self.posted.warn(why);
        }
        Ok(())
    }

    /// Posts each comment alone; returns the fingerprints of those that were not taken.
    fn one_by_one<'c>(&mut self, comments: &'c [Comment]) -> BTreeSet<&'c str> {
        let mut refused = BTreeSet::new();
        if comments.is_empty() {
            return refused;
        }
        let posted = &mut self.posted;
        let prints = || comments.iter().map(|comment| comment.fingerprint.as_str());
        let place = match self.forge.place(self.pull) {
            Ok(place) => place,
            Err(trouble) => {
                posted.warn(format!("where comments can be put is unknown: {trouble}"));
                posted.failed = comments.len();
                return prints().collect();
            }
        };
        for (at, (print, comment)) in prints().zip(comments).enumerate() {
            let Err(trouble) = self.forge.comment(self.pull, &place, &comment.json) else {
                posted.inline += 1;
                continue;
            };
            refused.insert(print);
            posted.failed += 1;
            posted.missed(&format!("the comment {print} was not taken"), &trouble);
            if posted.later {
                refused.extend(prints().skip(at + 1));
                posted.failed = refused.len();
                break;
            }
        }
        refused
    }
}

/// What earlier runs have posted.
#[derive(Default)]
struct Known {
    /// Fingerprints of findings whose comments are in open threads.
    findings: BTreeSet<String>,
    /// The line of the comment of each; `None` where it was changed since.
    lines: BTreeMap<String, Option<u32>>,
    /// The digest of our latest review of this gate, and the state of the review now; the state is empty for a comment, which has none.
    last_review: Option<(String, String)>,
    /// Fingerprints of the findings in its texts.
    listed: BTreeSet<String>,
    /// Texts after it that belong to a review which is not complete.
    parts: Vec<String>,
    /// Numbers of the findings in its text that were settled since.
    settled: BTreeSet<u64>,
    /// Whether the latest opinion of this login, from any gate or by hand, requests changes.
    blocks: bool,
    /// Our comments in open threads in which nobody else wrote.
    open: Vec<OpenComment>,
    /// Numbers of our approvals that still count, of both gates: the latest review of a login counts.
    approvals: Vec<u64>,
    /// The other gate of this login whose latest review does not approve.
    held_by: Option<&'static str>,
    /// How many findings are in more than one open thread.
    twice: usize,
}

/// A comment of an earlier run whose thread is open.
struct OpenComment {
    thread: String,
    /// GitHub's node id of the comment.
    comment: Option<String>,
    findings: Vec<String>,
    of_rules: bool,
    of_agents: bool,
    /// Whether the lines were changed since.
    outdated: bool,
}

impl Known {
    /// Whether the latest review says the same as this one and still counts: nobody dismissed it, and no later approval lifted its block.
    fn says(&self, review: &Review<'_>) -> bool {
        let last = self.last_review.as_ref();
        last.is_some_and(|(digest, state)| {
            let stands = match state.as_str() {
                "DISMISSED" => false,
                "CHANGES_REQUESTED" if review.verdict.event() == Event::RequestChanges => {
                    self.blocks
                }
                _ => true,
            };
            // A finding that was settled and is found again is posted again.
            let parts = review.findings.iter().flat_map(Finding::parts);
            let mut numbers = parts.filter_map(|part| listed::number(&part.fingerprint));
            let settled = numbers.any(|number| self.settled.contains(&number));
            // That another gate is open by now is no news about this one.
            let plain = marker::digest(review.verdict, review.findings, false);
            let is_same =
                *digest == review.digest() || (review.held_by.is_some() && *digest == plain);
            is_same && stands && !settled
        })
    }

    /// Reads what is there.
    fn of(forge: &dyn Forge, pull: &Pull, review: &Review<'_>) -> Result<Self, Trouble> {
        let about = |what: &'static str| move |trouble: Trouble| trouble.about(what);
        let comments = forge.comments(pull);
        let comments = comments.map_err(about("the comments that are there"))?;
        let reviews = forge.reviews(pull);
        let reviews = reviews.map_err(about("the reviews that are there"))?;
        let has_mark = |comment: &Value| {
            let mut prints = marker::findings_in(review.profile, body(comment));
            prints.next().is_some()
        };
        // Threads matter only where a comment of ours may be in one.
        let threads = if comments.iter().any(has_mark) {
            let threads = forge.threads(pull);
            threads.map_err(about("the threads that are there"))?
        } else {
            Vec::new()
        };
        let mut known = Self::default();
        let mut latest = "";
        let thread = |comment: &Value| {
            let id = comment.get("id").and_then(Value::as_u64);
            threads.iter().find(|thread| Some(thread.comment_id) == id)
        };
        // Without a login, GitHub still says which threads the token began.
        let began = |entry: &Value| thread(entry).is_some_and(|thread| thread.is_ours);
        let is_ours = |entry: &Value| {
            marker::is_by(entry, review.login) || (review.login.is_none() && began(entry))
        };
        for entry in reviews.iter().filter(|entry| is_ours(entry)) {
            match text(entry, "state") {
                "APPROVED" => {
                    known.blocks = false;
                    let id = entry.get("id").and_then(Value::as_u64);
                    let ours = id.filter(|_| marker::is_marked_by_any(body(entry)));
                    known.approvals.extend(ours);
                }
                "CHANGES_REQUESTED" => {
                    known.blocks = true;
                    known.approvals.clear();
                }
                _ => {}
            }
        }
        let ours = reviews.iter().filter(|entry| is_ours(entry));
        known.held_by = marker::other_gate_open(review.profile, ours);
        let entries = reviews.iter().chain(&comments);
        for entry in entries.filter(|entry| is_ours(entry)) {
            let settled = marker::settled_in(review.profile, body(entry));
            known.settled.extend(settled);
            if marker::is_part(review.profile, body(entry)) {
                known.parts.push(body(entry).to_owned());
            }
            if let Some(digest) = marker::review_in(review.profile, body(entry)) {
                let mut keys = ["submitted_at", "created_at"].into_iter();
                let time = keys.find_map(|key| entry.get(key)?.as_str());
                let time = time.unwrap_or_default();
                if time >= latest {
                    latest = time;
                    known.settled.clear();
                    let mut texts = std::mem::take(&mut known.parts);
                    texts.push(body(entry).to_owned());
                    let prints = texts.iter();
                    let prints = prints.flat_map(|text| marker::findings_in(review.profile, text));
                    known.listed = prints.map(str::to_owned).collect();
                    let state = text(entry, "state").to_owned();
                    known.last_review = Some((digest.to_owned(), state));
                }
            }
        }
        for comment in comments.iter().filter(|comment| is_ours(comment)) {
            let thread = thread(comment);
            if thread.is_some_and(|thread| thread.is_resolved) {
                continue;
            }
            let prints = marker::findings_in(review.profile, body(comment));
            let findings: Vec<String> = prints.map(str::to_owned).collect();
            let outdated = thread.is_some_and(|thread| thread.is_outdated);
            let line = comment.get("line").and_then(Value::as_u64);
            let line = line.and_then(|line| line.try_into().ok());
            for print in &findings {
                let line = line.filter(|_| !outdated);
                known.lines.insert(print.clone(), line);
                known.twice += usize::from(!known.findings.insert(print.clone()));
            }
            known.findings.extend(review.named(body(comment)));
            if let Some(thread) = thread.filter(|thread| thread.is_ours && !thread.is_answered)
                && !findings.is_empty()
            {
                let id = comment.get("node_id").and_then(Value::as_str);
                known.open.push(OpenComment {
                    thread: thread.thread_id.clone(),
                    comment: id.map(str::to_owned),
                    findings,
                    of_rules: marker::is_of_rules(body(comment)),
                    of_agents: marker::is_of_agents(review.profile, body(comment)),
                    outdated,
                });
            }
        }
        Ok(known)
    }
}

fn body(entry: &Value) -> &str {
    text(entry, "body")
}

/// A text field of an entry; empty where it is absent or not a text.
fn text<'v>(entry: &'v Value, key: &str) -> &'v str {
    entry.get(key).and_then(Value::as_str).unwrap_or_default()
}
