//! GitLab through its REST interface.
//!
//! **Source**: docs.gitlab.com: `api/discussions`, `api/notes`, `api/merge_requests`, `api/merge_request_approvals`, `api/project_members`,
//! `api/users`.

use std::collections::BTreeMap;
use std::path::Path;

use aris_http::{Host, HttpError, KeySent, Request};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::discussion::{Discussion, as_github};
use super::github::number;
use super::plain::plain;
use super::wire::{MANNERS, Times, Wire};
use super::{Counted, Forge, Place, Record, State, Thread, Token, Trouble, Withdrawn, commit};
use crate::diff::{Diff, Size};
use crate::marker;
use crate::pull::{Pull, Repository};

static GITLAB: Host = Host::new("gitlab", "https://gitlab.com", "ARIS_GITLAB_API", MANNERS)
    .key("GITLAB_TOKEN", KeySent::Bearer);

/// Path of the REST interface.
const REST: &str = "/api/v4";

/// The lowest access level of a member who may write: Developer. **Source**: `api/access_levels`.
const DEVELOPER: u64 = 30;

/// Beginning of a note that says that we approved.
const APPROVED: &str = "Approved: ";

/// Beginning of a note where this login had approved by hand before, and we agree.
const BY_HAND: &str = "Approved by hand before: ";

/// Beginning of a note about an approval of ours that was taken back.
const TAKEN_BACK: &str = "Approval taken back: ";

/// A GitLab at one base URL.
#[derive(Debug)]
pub struct GitLab {
    wire: Wire,
}

impl GitLab {
    /// At `base`, `https://host/api/v4`, with `token`.
    ///
    /// **Errors**: [`HttpError::Setting`].
    pub fn new(
        base: &str,
        token: Token,
        certificates: Option<&Path>,
        times: Times,
    ) -> Result<Self, HttpError> {
        let base = base.trim().trim_end_matches('/');
        let server = base.strip_suffix(REST).unwrap_or(base);
        let base = format!("{server}{REST}");
        let wire = Wire::new(&GITLAB, (&base, &base), token, certificates, times)?;
        Ok(Self { wire })
    }

    fn of_pull(&self, pull: &Pull) -> Request {
        place(self.wire.request(""), pull)
    }

    fn post(&self, pull: &Pull, below: &[&str], body: &Value) -> Result<(), Trouble> {
        let request = place(self.wire.posted("", body), pull);
        self.wire.send_below(request, below)
    }

    /// The threads of a merge request without those that GitLab writes itself; each has at least one note.
    fn discussions(&self, pull: &Pull) -> Result<Vec<Discussion>, Trouble> {
        let list = self.wire.list(self.of_pull(pull).path("/discussions"))?;
        let read: Result<Vec<Discussion>, Trouble> = list.iter().map(Discussion::read).collect();
        let by_people = |thread: &Discussion| {
            let first = thread.notes.first();
            first.is_some_and(|note| note.get("system") != Some(&Value::Bool(true)))
        };
        Ok(read?.into_iter().filter(by_people).collect())
    }

    /// Whether each author may write in the project, as GitHub's association, by the id of the author. Each author is asked about once.
    fn associations(
        &self,
        pull: &Pull,
        threads: &[Discussion],
    ) -> Result<BTreeMap<u64, &'static str>, Trouble> {
        let mut known = BTreeMap::new();
        let notes = threads.iter().flat_map(|thread| &thread.notes);
        for id in notes.filter_map(|note| note.pointer("/author/id")?.as_u64()) {
            if known.contains_key(&id) {
                continue;
            }
            let request = of_project(self.wire.request(""), &pull.repository)
                .path("/members/all")
                .segment(&id.to_string());
            let member = self.wire.json_if_there(&request)?;
            let level = member.and_then(|member| member.get("access_level")?.as_u64());
            let writes = level.is_some_and(|level| level >= DEVELOPER);
            known.insert(id, if writes { "MEMBER" } else { "NONE" });
        }
        Ok(known)
    }

    /// The id of a project; `None` where it is absent or not visible.
    fn project(&self, repository: &Repository) -> Result<Option<u64>, Trouble> {
        let request = of_project(self.wire.request(""), repository);
        let project = self.wire.json_if_there(&request)?;
        Ok(project.and_then(|project| project.get("id")?.as_u64()))
    }

    /// The path of a project; `None` where it is absent or not visible.
    fn path_of(&self, project: u64) -> Result<Option<String>, Trouble> {
        let request = self.wire.request("/projects").segment(&project.to_string());
        let project = self.wire.json_if_there(&request)?;
        let path = |project: Value| Some(project.get("path_with_namespace")?.as_str()?.to_owned());
        Ok(project.and_then(path))
    }

    /// The approval of the logged-in user.
    fn approval(&self, pull: &Pull) -> Result<Option<Value>, Trouble> {
        let login = self.reach()?;
        let state = self.wire.json(&self.of_pull(pull).path("/approvals"))?;
        let by = state.get("approved_by").and_then(Value::as_array);
        let ours = |by: &&Value| is_of(by, "/user/username", login.as_deref());
        Ok(by.and_then(|by| by.iter().find(ours)).cloned())
    }

    /// Our notes, of any gate, that say that we gave this approval; empty where a person gave it. We approve first, so the note is not
    /// older than the approval.
    fn notes_of(&self, pull: &Pull, approval: &Value) -> Result<Vec<Value>, Trouble> {
        let login = self.reach()?;
        let time = |entry: &Value, key| entry.get(key)?.as_str()?.parse::<Timestamp>().ok();
        let given = time(approval, "approved_at");
        let ours = |note: &Value| {
            let body = note["body"].as_str().unwrap_or_default();
            is_of(note, "/author/username", login.as_deref())
                && body.starts_with(APPROVED)
                && marker::is_marked_by_any(body)
                && (given.is_none() || time(note, "created_at") >= given)
        };
        let threads = self.discussions(pull)?.into_iter();
        let elsewhere = threads.filter(|thread| thread.position().is_none());
        let first = elsewhere.filter_map(|thread| thread.notes.into_iter().next());
        Ok(first.filter(ours).collect())
    }

    /// Takes an approval back that failed or whose note was not taken. A failure is ignored, because the first failure is already reported.
    fn take_approval_back(&self, pull: &Pull) {
        self.post(pull, &["unapprove"], &json!({}))
            .unwrap_or_default();
    }

    /// Approves the commit that was looked at, where it is known: GitLab refuses (409) when the branch has moved on.
    fn approve(&self, pull: &Pull, looked: Option<&str>) -> Result<(), Trouble> {
        let merge = self.wire.json(&self.of_pull(pull))?;
        let head = commit(looked.or_else(|| merge.get("sha")?.as_str()))?;
        match self.post(pull, &["approve"], &json!({"sha": head})) {
            // The token was accepted before, so 401 means that this login may not approve.
            Err(Trouble::Unauthenticated(_)) => {
                let is_own = is_of(&merge, "/author/username", self.reach()?.as_deref());
                Err(Trouble::refused(
                    None,
                    if is_own {
                        "approving was refused, as it is for your own pull request"
                    } else {
                        "this login or token may not approve it"
                    },
                ))
            }
            other => other,
        }
    }
}

impl Forge for GitLab {
    fn name(&self) -> &'static str {
        "GitLab"
    }

    fn reach(&self) -> Result<Option<String>, Trouble> {
        self.wire.reach("username")
    }

    /// **Source**: `api/merge_requests`, "Retrieve a merge request": `changes_count` is a text, and ends with `+` where there are more.
    fn record(&self, pull: &Pull) -> Result<Record, Trouble> {
        let merge = self.wire.json(&self.of_pull(pull))?;
        let text = |key: &str| merge.get(key).and_then(Value::as_str);
        let number = |key: &str| merge.get(key).and_then(Value::as_u64);
        let source = match (number("source_project_id"), number("target_project_id")) {
            (Some(source), target) if Some(source) == target => Some(full_name(&pull.repository)),
            (Some(source), _) => self.path_of(source)?,
            (None, _) => None,
        };
        Ok(Record {
            head: commit(text("sha"))?,
            state: match text("state") {
                Some("opened") => State::Open,
                Some("closed") => State::Closed,
                // Locked: it is being merged.
                Some("merged" | "locked") => State::Merged,
                _ => return Err(Trouble::malformed("the merge request has no state")),
            },
            source,
            base: text("target_branch").map(str::to_owned),
            size: match text("changes_count").map(str::parse) {
                Some(Ok(files)) => Counted::Files(files),
                Some(Err(_)) | None => Counted::Unknown,
            },
        })
    }

    /// The raw diff is that of git, and GitLab's limits do not cut it. Whether it is whole follows from the number of files, and from the
    /// hunks, which say how many lines they have.
    ///
    /// **Source**: `api/merge_requests`, "Show merge request raw diffs" (GitLab 17.9).
    fn diff(&self, pull: &Pull, record: &Record) -> Result<Vec<u8>, Trouble> {
        let Counted::Files(files) = record.size else {
            let why =
                "the merge request changes more files than GitLab counts, or does not say how many";
            return Err(Trouble::malformed(why));
        };
        let request = self.of_pull(pull).path("/raw_diffs").accept("text/plain");
        let body = self.wire.send(&request)?.body;
        let diff = Diff::read(&body);
        // GitLab does not say how many lines there are, so only the files are compared.
        let said = Size { files, ..diff.size };
        let whole = diff.is_whole(said);
        whole.map_err(|why| Trouble::malformed(&why))?;
        Ok(body)
    }

    fn find(
        &self,
        repository: &Repository,
        head: &Repository,
        branch: &str,
        base: &str,
    ) -> Result<Vec<u64>, Trouble> {
        let request = of_project(self.wire.request(""), repository)
            .path("/merge_requests")
            .query("state", "opened")
            .query("source_branch", branch)
            .query("target_branch", base);
        let list = self.wire.list(request)?;
        let name = |of: &Repository| full_name(of).to_lowercase();
        let is_here = name(head) == name(repository) || list.is_empty();
        let elsewhere = (!is_here).then(|| self.project(head)).transpose()?;
        let ours = |pull: &&Value| {
            let number = |key| pull.get(key).and_then(Value::as_u64);
            let text = |key| pull.get(key).and_then(Value::as_str);
            let project = elsewhere.unwrap_or_else(|| number("target_project_id"));
            project.is_some()
                && number("source_project_id") == project
                && text("source_branch") == Some(branch)
                && text("target_branch") == Some(base)
        };
        let found = list.iter().filter(ours);
        found.map(|pull| number(pull, "iid")).collect()
    }

    fn comments(&self, pull: &Pull) -> Result<Vec<Value>, Trouble> {
        let threads = self.discussions(pull)?;
        let associations = self.associations(pull, &threads)?;
        let mut comments = Vec::new();
        for thread in &threads {
            let Some(position) = thread.position() else {
                continue;
            };
            for (at, note) in thread.notes.iter().enumerate() {
                let mut comment = as_github(note, &associations);
                comment["path"] = position["new_path"].clone();
                comment["line"] = position["new_line"].clone();
                comment["side"] = json!("RIGHT");
                comment["created_at"] = note["created_at"].clone();
                if at > 0 {
                    comment["in_reply_to_id"] = json!(thread.first());
                }
                comments.push(comment);
            }
        }
        Ok(comments)
    }

    /// A note that says that we approved counts as dismissed where the approval is gone. By default GitLab removes approvals when commits
    /// are added.
    ///
    /// **Source**: GitLab, "Merge request approval settings": remove approvals when commits are added.
    fn reviews(&self, pull: &Pull) -> Result<Vec<Value>, Trouble> {
        let threads = self.discussions(pull)?;
        let associations = self.associations(pull, &threads)?;
        let elsewhere = threads.iter().filter(|thread| thread.position().is_none());
        let first: Vec<&Value> = elsewhere
            .filter_map(|thread| thread.notes.first())
            .collect();
        let says = |note: &Value| {
            let body = note["body"].as_str().unwrap_or_default();
            [APPROVED, BY_HAND, TAKEN_BACK]
                .iter()
                .any(|word| body.starts_with(word))
        };
        let approves = !first.iter().any(|note| says(note)) || self.approval(pull)?.is_some();
        let review = |note: &Value| {
            let mut review = as_github(note, &associations);
            let stands = approves || !says(note);
            review["state"] = json!(if stands { "COMMENTED" } else { "DISMISSED" });
            review["submitted_at"] = note["created_at"].clone();
            review
        };
        Ok(first.into_iter().map(review).collect())
    }

    fn takes_batches(&self) -> bool {
        false
    }

    /// Approves first, because a note alone would look as if all was done. An approval whose note fails is taken back, because nothing
    /// would say that it is ours.
    fn review(&self, pull: &Pull, review: &Value) -> Result<(), Trouble> {
        let commit = review["commit_id"].as_str();
        let mut approves = false;
        let verdict = match review["event"].as_str() {
            Some("APPROVE") => match self.approval(pull)? {
                None => {
                    // Without an answer the approval may have been given, and nothing would say that it is ours.
                    self.approve(pull, commit)
                        .inspect_err(|_| self.take_approval_back(pull))?;
                    approves = true;
                    APPROVED
                }
                Some(approval) if self.notes_of(pull, &approval)?.is_empty() => BY_HAND,
                Some(_) => APPROVED,
            },
            Some("REQUEST_CHANGES") => "Changes requested: ",
            _ => "",
        };
        let body = plain(review["body"].as_str().unwrap_or_default());
        let about = commit.map_or(String::new(), |commit| {
            format!("\n\nAbout commit {commit}.")
        });
        let note = json!({"body": format!("{verdict}{body}{about}")});
        self.post(pull, &["notes"], &note).inspect_err(|_| {
            if approves {
                self.take_approval_back(pull);
            }
        })
    }

    /// **Source**: `api/notes`, "Modify existing merge request note".
    fn withdraw(&self, pull: &Pull) -> Result<Withdrawn, Trouble> {
        let Some(approval) = self.approval(pull)? else {
            return Ok(Withdrawn::Nothing);
        };
        let notes = self.notes_of(pull, &approval)?;
        if notes.is_empty() {
            return Ok(Withdrawn::ByHand);
        }
        self.post(pull, &["unapprove"], &json!({}))?;
        for note in &notes {
            let body = note["body"].as_str().unwrap_or_default();
            let body = json!({"body": body.replacen(APPROVED, TAKEN_BACK, 1)});
            let request = place(self.wire.put("", &body), pull);
            // If this fails and GitLab does not say when approvals are given, a later approval by hand counts as ours.
            let below = ["notes", &note["id"].to_string()];
            self.wire.send_below(request, &below).unwrap_or_default();
        }
        Ok(Withdrawn::Ours)
    }

    fn place(&self, pull: &Pull) -> Result<Place, Trouble> {
        let versions = self.wire.json(&self.of_pull(pull).path("/versions"))?;
        let commit = |key| commit(versions.pointer(key).and_then(Value::as_str));
        Ok(Place {
            head: commit("/0/head_commit_sha")?,
            base: commit("/0/base_commit_sha")?,
            start: commit("/0/start_commit_sha")?,
            diff: Diff::read(&self.diff(pull, &self.record(pull)?)?),
        })
    }

    fn comment(&self, pull: &Pull, place: &Place, comment: &Value) -> Result<(), Trouble> {
        let path = comment["path"].as_str().unwrap_or_default();
        let file = place.diff.file(path);
        let mut lines = file.into_iter().flat_map(|file| &file.lines);
        let line = lines.find(|line| comment["line"] == line.number);
        let (Some(file), Some(line)) = (file, line) else {
            return Err(Trouble::refused(None, "the line is no part of the diff"));
        };
        let mut position = json!({
            "position_type": "text", "base_sha": place.base, "head_sha": place.head, "start_sha": place.start,
            "old_path": file.old_path, "new_path": file.path, "new_line": line.number,
        });
        // An unchanged line has both numbers, an added one only the new one.
        if let Some(old) = line.old {
            position["old_line"] = json!(old);
        }
        let body = plain(comment["body"].as_str().unwrap_or_default());
        let body = json!({"body": body, "position": position});
        self.post(pull, &["discussions"], &body)
    }

    fn reply(
        &self,
        pull: &Pull,
        comment: u64,
        thread: Option<&str>,
        body: &str,
    ) -> Result<(), Trouble> {
        let found = || -> Result<String, Trouble> {
            let mut threads = self.discussions(pull)?.into_iter();
            let found = threads.find(|one| one.first() == Some(comment));
            let gone = || Trouble::refused(Some(404), "the comment is not there any more");
            Ok(found.ok_or_else(gone)?.id)
        };
        let thread = thread.map_or_else(found, |thread| Ok(thread.to_owned()))?;
        let body = json!({"body": plain(body)});
        self.post(pull, &["discussions", &thread, "notes"], &body)
    }

    /// GitLab folds resolved threads itself, so no thread counts as outdated here.
    fn threads(&self, pull: &Pull) -> Result<Vec<Thread>, Trouble> {
        let login = self.reach()?;
        let ours = |note: &Value| is_of(note, "/author/username", login.as_deref());
        let on_lines = self.discussions(pull)?.into_iter();
        let threads = on_lines.filter(|thread| thread.position().is_some());
        let threads = threads.filter_map(|thread| {
            Some(Thread {
                comment_id: thread.first()?,
                is_resolved: thread.is_resolved(),
                is_outdated: false,
                is_ours: thread.notes.first().is_some_and(ours),
                is_answered: thread.notes.iter().skip(1).any(|note| !ours(note)),
                thread_id: thread.id,
            })
        });
        Ok(threads.collect())
    }

    /// **Source**: `api/discussions`, "Resolve a merge request thread".
    fn resolve(&self, pull: &Pull, thread: &str) -> Result<(), Trouble> {
        let body = json!({"resolved": true});
        let request = place(self.wire.put("", &body), pull).path("/discussions");
        let answer = self.wire.json(&request.segment(thread))?;
        let done = Discussion::read(&answer)?.is_resolved().then_some(());
        done.ok_or_else(|| Trouble::malformed("the thread is not resolved"))
    }
}

/// Whether the field at `path` is this login.
fn is_of(entry: &Value, path: &str, login: Option<&str>) -> bool {
    let name = entry.pointer(path).and_then(Value::as_str);
    name.is_some() && name == login
}

fn of_project(request: Request, repository: &Repository) -> Request {
    request.path("/projects").segment(&full_name(repository))
}

fn full_name(repository: &Repository) -> String {
    format!("{}/{}", repository.owner, repository.name)
}

fn place(request: Request, pull: &Pull) -> Request {
    let request = of_project(request, &pull.repository).path("/merge_requests");
    request.segment(&pull.number.to_string())
}
