//! `finish`: replies to every comment, closes every settled thread, and hands on what is left.
//!
//! A reply or thread that fails is a warning: the tokens do not depend on GitHub or GitLab.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_contract::text::counted;
use aris_gates::{Folder, FolderArgs, ForgeArgs, Worktree, open, pretty, turn};
use aris_review::{
    Classification, Decision, Entry, Forge, Profile, Pull, Remotes, Repository, Thread, Tokens,
    Trouble, answer, is_by, is_listed, one_line, place, quiet,
};
use serde_json::{Value, json};

use crate::Error;
use crate::commands::apply::line_of;
use crate::commands::validate::Attempts;
use crate::folder::{Fetched, groups, lock, read};
use crate::report::{Counts, Done, Escalation, Finished, Reject, Validity};

/// Longest evidence in a reply, in characters.
const EVIDENCE: usize = 4000;

/// Arguments of `finish`.
#[derive(Debug, clap::Args)]
pub(crate) struct FinishArgs {
    /// The repository
    #[arg(long, value_name = "OWNER/NAME")]
    repo: Repository,
    /// The pull request
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pr: u64,
    /// Its branch
    #[arg(long, value_name = "BRANCH")]
    branch: String,
    /// The classification, after apply
    #[arg(long, value_name = "FILE")]
    classification: PathBuf,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    forge: ForgeArgs,
}

pub(crate) fn run(args: &FinishArgs, context: &Context) -> Result<Finished, Error> {
    let map = read(&context.absolute(&args.classification))?;
    let profile = args.folder.gate.profile();
    let folder = args.folder.folder(context, |profile| profile.resolve)?;
    let _lock = lock(&folder)?;
    let escalations = escalations(&map);
    let rejected = rejected(args, &map);
    // Written before GitHub or GitLab is asked: other programs read these files, which do not depend on the answer.
    let name = format!("escalation_records_{}.json", args.pr);
    folder.write_json(&name, &escalations)?;
    if !rejected.is_empty() {
        folder.write_dated("reject_patterns", args.pr, "json", &pretty(&rejected)?)?;
    }
    let fetched = groups(&folder, args.pr)?;
    let worktree = fetched
        .as_ref()
        .and_then(|fetched| fetched.worktree.as_deref());
    let worktree = worktree.map_or(context.cwd(), Path::new);
    let pull = Pull {
        repository: args.repository(fetched.as_ref(), worktree),
        number: args.pr,
    };
    let forge = args.forge.way(context, worktree, &pull.repository)?;
    let validation = Attempts::read(&folder, args.pr)?.status;
    let validation = validation.unwrap_or(Validity::Skipped);
    let mut shown = Shown::of(&*forge, &pull, worktree)?;
    if let Validity::Retry | Validity::Fail = validation {
        // No reply may say that an edit addressed a comment while the report fails its check.
        let why = "the validation of the edits has failed; a person has to look";
        shown.head = Err(why.to_owned());
    }
    let _turn = turn(context, &pull, &folder)?;
    let (mut done, mut warnings) = settle(&*forge, &pull, profile, &map, &folder, &shown)?;
    match unclassified(fetched.as_ref(), &map) {
        Ok(count) => done.unclassified = Some(count),
        Err((count, why)) => {
            done.unclassified = count;
            warnings.push(why);
        }
    }
    for warning in &warnings {
        context.warn(warning);
    }
    let strategies = escalations.iter().map(|record| record.strategy.as_str());
    let fixed = map.iter().filter(|(id, entry)| {
        entry.is_settled() && shown.is_of(**id, entry.sha.as_deref()).is_ok()
    });
    let tokens = Tokens::of(strategies, fixed.count());
    let finished = Finished {
        pr: args.pr,
        tokens,
        counts: done,
        verdicts: Counts::of(profile, &map),
        validation,
        warnings,
        escalations,
        rejected,
    };
    let is_new = done.resolved + done.replies > 0;
    if is_new || folder.dated("report", args.pr)?.is_empty() {
        let text = finished.report(&args.branch, &args.repo, profile);
        folder.write_dated("report", args.pr, "md", text.as_bytes())?;
    }
    Ok(finished)
}

impl FinishArgs {
    /// The repository with the service and the host that `fetch` asked; where it asked about another one, those of a git remote.
    fn repository(&self, fetched: Option<&Fetched>, worktree: &Path) -> Repository {
        let named = |known: &Repository| {
            let name = |of: &Repository| format!("{}/{}", of.owner, of.name).to_lowercase();
            name(known) == name(&self.repo)
                && (self.repo.host.is_none() || known.is_beside(&self.repo))
        };
        let asked = fetched.and_then(|fetched| {
            let known = fetched.repository.as_ref()?.parse::<Repository>().ok()?;
            Some(Repository {
                kind: fetched.forge.or(known.kind),
                host: fetched.host.clone().or(known.host.clone()),
                ..known
            })
        });
        asked.filter(named).unwrap_or_else(|| {
            let remotes = Remotes::of(worktree, &self.branch);
            let mut remotes = remotes.base.into_iter().chain(remotes.head);
            remotes.find(named).unwrap_or_else(|| self.repo.clone())
        })
    }
}

/// How many comments wait although the classification does not name them: those that `fetch` listed, and those that it could not read.
///
/// **Errors**: what there is to say of them; without a number where nobody knows what was fetched.
fn unclassified(
    fetched: Option<&Fetched>,
    map: &Classification,
) -> Result<usize, (Option<usize>, String)> {
    let Some(fetched) = fetched else {
        let why = "what was fetched is not in the output folder: whether every comment has a classification is unknown";
        return Err((None, why.to_owned()));
    };
    let listed = fetched.groups.values().flatten();
    let left = listed.filter(|finding| !map.contains_key(&finding.id));
    let left: Vec<String> = left.map(|finding| finding.id.to_string()).collect();
    let unreadable = fetched.skipped_counts.unreadable;
    match (left.len() + unreadable, left.is_empty()) {
        (0, _) => Ok(0),
        (count, true) => {
            let comments = counted(unreadable, "comment");
            let why = format!("{comments} could not be read by fetch: a person has to look");
            Err((Some(count), why))
        }
        (count, false) => {
            let left = left.join(", ");
            let why =
                format!("without a classification and without a reply: {left}; call merge again");
            Err((Some(count), why))
        }
    }
}

fn escalations(map: &Classification) -> Vec<Escalation> {
    let escalated = map.iter().filter(|(_, entry)| entry.is_escalated());
    let record = |(id, entry): (&u64, &Entry)| {
        let strategy = entry.fix_strategy.as_deref();
        Escalation {
            comment_id: *id,
            strategy: strategy.unwrap_or(Profile::DESIGN).to_owned(),
            entry: entry.clone(),
        }
    };
    escalated.map(record).collect()
}

fn rejected(args: &FinishArgs, map: &Classification) -> Vec<Reject> {
    let entries = map.iter();
    let rejected = entries.filter(|(_, entry)| entry.verdict == Decision::Reject);
    let rejected = rejected.map(|(id, entry)| Reject {
        comment_id: *id,
        path: entry.path.clone(),
        line: entry.line,
        body: entry.body.clone(),
        evidence: entry.evidence.clone(),
        category: entry.category.clone().unwrap_or_default(),
        dimension: entry.dimension.clone(),
        pr_number: args.pr,
        feature_branch: args.branch.clone(),
    });
    rejected.collect()
}

/// The reply to a comment.
///
/// **Source**: citation gates, §6.6.
fn reply(profile: &Profile, entry: &Entry) -> String {
    let evidence = quiet(&entry.evidence, EVIDENCE);
    let message = quiet(&entry.said(), EVIDENCE);
    match (entry.verdict, entry.fix_strategy.as_deref()) {
        (Decision::Accept, Some(Profile::RERUN)) => {
            format!("[ESCALATION] Requires re-running experiment. {message}")
        }
        (Decision::Accept, _) if entry.is_escalated() => {
            format!("[ESCALATION] Fundamental design issue. {message}")
        }
        (Decision::Accept, _) if entry.is_settled() => {
            let sha = entry.sha.as_deref().unwrap_or("an earlier commit");
            format!("Addressed in {sha}: {evidence}")
        }
        (Decision::Accept, _) => {
            let reason = entry.reason.as_deref().unwrap_or("no edit was made");
            let reason = quiet(reason, EVIDENCE);
            format!("Investigated but could not apply: {reason}")
        }
        (Decision::Reject, _) => {
            let category = entry.category.as_deref().unwrap_or("rejected");
            let reply = profile.reject_reply.replace("{category}", category);
            reply.replace("{evidence}", &evidence)
        }
        (Decision::Discuss, _) => {
            format!("Valid observation — flagged for human judgment. {evidence}")
        }
    }
}

/// Replies and resolves, each once: skips what the pull request shows, and what an earlier call recorded in `finished_{pr}.jsonl`.
fn settle(
    forge: &dyn Forge,
    pull: &Pull,
    profile: &Profile,
    map: &Classification,
    folder: &Folder,
    shown: &Shown,
) -> Result<(Done, Vec<String>), Error> {
    let mut done = Done::default();
    let mut warnings = Vec::new();
    let in_reviews = map.keys().any(|id| is_listed(*id));
    let known = Known::of(forge, pull, folder, in_reviews, &mut warnings)?;
    let list = folder.at(&format!("finished_{}.jsonl", pull.number));
    // The first failure to get an answer; all later requests fail with it, because waiting for each would take half a minute.
    let mut away: Option<Trouble> = None;
    for (id, entry) in map {
        // The reply names the commit, so the pull request must contain it.
        if entry.is_settled()
            && let Err(why) = shown.holds(*id, entry.sha.as_deref())
        {
            done.held += 1;
            warnings.push(format!("comment {id} stays open: {why}"));
            continue;
        }
        let mut body = reply(profile, entry);
        if is_listed(*id) {
            let said = (
                &*place(&entry.path, entry.line),
                &*quiet(&entry.said(), EVIDENCE),
            );
            body = answer(profile, *id, said, &body, entry.is_settled());
        }
        let said = json!({"reply": id, "body": body}).to_string();
        if known.has_reply(*id, &body, &said) {
            done.already += 1;
        } else if !known.looked {
            done.replies_failed += 1;
        } else {
            let thread = entry.thread_node_id.as_deref();
            let send = || {
                if is_listed(*id) {
                    forge.review(pull, &json!({"body": body, "event": "COMMENT"}))
                } else {
                    forge.reply(pull, *id, thread, &body)
                }
            };
            match attempt(&mut away, send) {
                Ok(()) => {
                    done.replies += 1;
                    aris_fs::append_line(&list, &said)?;
                }
                Err(why) => {
                    done.replies_failed += 1;
                    warnings.push(format!("could not reply to comment {id}: {why}"));
                }
            }
        }
        // The thread may have been unknown when the comments were fetched.
        let thread = entry.thread_node_id.as_ref();
        let thread = thread.or_else(|| known.threads.get(id));
        let Some(thread) = thread.filter(|_| entry.is_settled()) else {
            continue;
        };
        done.threads += 1;
        let said = json!({"resolved": id, "thread": thread}).to_string();
        if known.is_resolved(thread, &said) {
            done.already += 1;
            continue;
        }
        match attempt(&mut away, || forge.resolve(pull, thread)) {
            Ok(()) => {
                done.resolved += 1;
                aris_fs::append_line(&list, &said)?;
            }
            Err(why) => {
                done.resolve_failed += 1;
                let thread = one_line(thread, 80);
                warnings.push(format!("could not resolve thread {thread}: {why}"));
            }
        }
    }
    Ok((done, warnings))
}

/// The head of the pull request, and the repository that says which commits this head contains.
struct Shown {
    head: Result<String, String>,
    worktree: Result<Worktree, Error>,
}

impl Shown {
    fn of(forge: &dyn Forge, pull: &Pull, worktree: &Path) -> Result<Self, Error> {
        let record = forge.record(pull);
        if let Ok(record) = &record {
            open(pull, record)?;
        }
        let head = record.map(|record| record.head);
        let why = |trouble| format!("which commits the pull request has is unknown: {trouble}");
        Ok(Self {
            head: head.map_err(why),
            worktree: Worktree::of(worktree),
        })
    }

    /// Whether a commit settles this comment, as its message says; gives both. Why not, or why nobody knows.
    fn is_of<'a>(
        &'a self,
        id: u64,
        sha: Option<&'a str>,
    ) -> Result<(&'a Worktree, &'a str), String> {
        let sha = sha.ok_or("its commit is unknown")?;
        let worktree = self.worktree.as_ref().map_err(ToString::to_string)?;
        match worktree.has_line(sha, &line_of(id)) {
            Ok(true) => Ok((worktree, sha)),
            Ok(false) => Err(format!(
                "apply made no commit {} for it here",
                one_line(sha, 40)
            )),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Checks that the pull request contains the commit that settles a comment.
    ///
    /// **Errors**: it does not, or that is unknown; the text says why.
    fn holds(&self, id: u64, sha: Option<&str>) -> Result<(), String> {
        let (worktree, sha) = self.is_of(id, sha)?;
        let head = self.head.as_ref().map_err(Clone::clone)?;
        match worktree.contains(head, sha) {
            Ok(Some(true)) => Ok(()),
            Ok(Some(false)) => Err(format!(
                "the pull request does not have commit {sha} yet; push the branch, then call finish again"
            )),
            Ok(None) => Err(format!(
                "the head of the pull request, {head}, is not in this repository; git fetch, then call finish again"
            )),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn attempt(
    away: &mut Option<Trouble>,
    call: impl FnOnce() -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    if let Some(trouble) = away {
        return Err(trouble.clone());
    }
    call().inspect_err(|trouble| {
        if trouble.is_away() || trouble.is_busy() {
            // A busy service may have done what it was asked; the next call sees that.
            *away = Some(trouble.clone());
        }
    })
}

/// What earlier calls have done.
#[derive(Default)]
struct Known {
    /// Our replies in the pull request, each with the comment that it answers; `None` for a text outside of threads.
    replies: BTreeSet<(Option<u64>, String)>,
    /// The thread that each comment began, by number of the comment.
    threads: BTreeMap<u64, String>,
    /// Threads that are resolved in the pull request.
    resolved: BTreeSet<String>,
    /// Lines of `finished_{pr}.jsonl`, which earlier calls wrote.
    lines: BTreeSet<String>,
    /// Whether the replies in the pull request could be read.
    looked: bool,
}

impl Known {
    fn of(
        forge: &dyn Forge,
        pull: &Pull,
        folder: &Folder,
        in_reviews: bool,
        warnings: &mut Vec<String>,
    ) -> Result<Self, Error> {
        let mut known = Self::default();
        let list = folder.at(&format!("finished_{}.jsonl", pull.number));
        let bytes = aris_fs::read_optional(&list, aris_fs::READ_LIMIT)?.unwrap_or_default();
        let lines = String::from_utf8_lossy(&bytes);
        known.lines = lines.lines().map(str::to_owned).collect();
        let login = match forge.reach() {
            Ok(login) => login,
            Err(trouble) => {
                warnings.push(format!("{} cannot be asked: {trouble}", forge.name()));
                return Ok(known);
            }
        };
        let reviews = if in_reviews {
            forge.reviews(pull)
        } else {
            Ok(Vec::new())
        };
        match forge.comments(pull).and_then(|comments| Ok((comments, reviews?))) {
            Ok((comments, reviews)) => {
                known.looked = true;
                let all = comments.iter().chain(&reviews);
                let own = |comment| own_reply(comment, login.as_deref());
                known.replies.extend(all.filter_map(own));
            }
            Err(trouble) => warnings.push(format!(
                "no reply was posted, because the comments that are there cannot be read; call finish again: {trouble}"
            )),
        }
        match forge.threads(pull) {
            Ok(threads) => {
                for Thread {
                    comment_id,
                    thread_id,
                    is_resolved,
                    ..
                } in threads
                {
                    if is_resolved {
                        known.resolved.insert(thread_id.clone());
                    }
                    known.threads.insert(comment_id, thread_id);
                }
            }
            Err(trouble) => {
                warnings.push(format!("which threads are settled is unknown: {trouble}"));
            }
        }
        Ok(known)
    }

    fn has_reply(&self, id: u64, body: &str, line: &str) -> bool {
        let parent = (!is_listed(id)).then_some(id);
        let there = (parent, body.trim().to_owned());
        self.lines.contains(line) || self.replies.contains(&there)
    }

    fn is_resolved(&self, thread: &str, line: &str) -> bool {
        self.lines.contains(line) || self.resolved.contains(thread)
    }
}

/// A reply, or a text outside of threads, if the logged-in user wrote it: a copy by somebody else is no reply of ours.
fn own_reply(comment: &Value, login: Option<&str>) -> Option<(Option<u64>, String)> {
    let parent = comment.get("in_reply_to_id").and_then(Value::as_u64);
    let body = comment.get("body")?.as_str()?;
    is_by(comment, login).then(|| (parent, body.trim().to_owned()))
}
