//! GitHub through its REST and GraphQL interfaces.

use std::path::Path;

use aris_http::{Host, HttpError, KeySent, Request};
use serde_json::{Value, json};

use super::wire::{MANNERS, PAGES, Times, Wire};
use super::{Counted, Forge, Place, Record, State, Thread, Token, Trouble, commit};
use crate::diff::{Diff, Size};
use crate::pull::{Pull, Repository};

/// **Source**: GitHub's REST documentation.
static GITHUB: Host = Host::new(
    "github",
    "https://api.github.com",
    "ARIS_GITHUB_API",
    MANNERS,
)
.key("GH_TOKEN", KeySent::Bearer);

/// Path of the REST interface on an enterprise server; GraphQL is beside it.
const ENTERPRISE: &str = "/api/v3";

/// **Source**: GraphQL reference, `PullRequestReviewThread` and `PullRequestReviewComment`.
const THREADS: &str = "query($owner:String!,$repo:String!,$number:Int!,$after:String){repository(owner:$owner,name:$repo){pullRequest(number:$number)\
{reviewThreads(first:100,after:$after){pageInfo{hasNextPage endCursor}nodes{id isResolved isOutdated comments(first:50)\
{nodes{id databaseId viewerDidAuthor}}}}}}}";

const RESOLVE: &str =
    "mutation($threadId:ID!){resolveReviewThread(input:{threadId:$threadId}){thread{isResolved}}}";

const MINIMIZE: &str = "mutation($subjectId:ID!){minimizeComment(input:{subjectId:$subjectId,classifier:OUTDATED})\
{minimizedComment{isMinimized}}}";

/// The base URL of a host's REST interface. **Source**: GitHub's REST documentation for github.com, for GHE.com and for Enterprise Server.
pub fn api_of(host: &str) -> String {
    let name = host.to_ascii_lowercase();
    match name.as_str() {
        "github.com" | "www.github.com" => String::from("https://api.github.com"),
        _ if name.ends_with(".ghe.com") => format!("https://api.{name}"),
        _ => format!("https://{name}{ENTERPRISE}"),
    }
}

/// A GitHub at one base URL.
#[derive(Debug)]
pub struct GitHub {
    wire: Wire,
}

impl GitHub {
    /// At `base`, with `token`.
    ///
    /// **Errors**: [`HttpError::Setting`].
    pub fn new(
        base: &str,
        token: Token,
        certificates: Option<&Path>,
        times: Times,
    ) -> Result<Self, HttpError> {
        let bare = base.trim().trim_end_matches('/');
        let beside = bare
            .strip_suffix(ENTERPRISE)
            .map_or_else(|| bare.to_owned(), |server| format!("{server}/api"));
        let wire = Wire::new(&GITHUB, (bare, &beside), token, certificates, times)?;
        Ok(Self { wire })
    }

    fn of_pull(&self, pull: &Pull) -> Request {
        place(self.wire.request(""), pull).accept("application/vnd.github+json")
    }

    fn post(&self, pull: &Pull, below: &[&str], body: &Value) -> Result<(), Trouble> {
        let request = place(self.wire.posted("", body), pull);
        self.wire.send_below(request, below)
    }
}

impl Forge for GitHub {
    fn name(&self) -> &'static str {
        "GitHub"
    }

    fn reach(&self) -> Result<Option<String>, Trouble> {
        self.wire.reach("login")
    }

    /// **Source**: REST, "Get a pull request".
    fn record(&self, pull: &Pull) -> Result<Record, Trouble> {
        let pull = self.wire.json(&self.of_pull(pull))?;
        let number = |key: &str| pull.get(key).and_then(Value::as_u64);
        let size = || {
            Some(Size {
                files: number("changed_files")?,
                additions: number("additions")?,
                deletions: number("deletions")?,
            })
        };
        let pull_text = |path| pull.pointer(path).and_then(Value::as_str);
        let merged = pull.get("merged") == Some(&Value::Bool(true));
        Ok(Record {
            head: commit(pull_text("/head/sha"))?,
            state: match pull_text("/state") {
                Some("open") => State::Open,
                Some("closed") if merged => State::Merged,
                Some("closed") => State::Closed,
                _ => return Err(Trouble::malformed("the pull request has no state")),
            },
            source: pull_text("/head/repo/full_name").map(str::to_owned),
            base: pull_text("/base/ref").map(str::to_owned),
            size: size().map_or(Counted::Unknown, Counted::Lines),
        })
    }

    /// **Source**: REST, "Get a pull request": diffs of more than 20,000 lines or 300 files are refused with 406. The list of files is used
    /// then.
    fn diff(&self, pull: &Pull, record: &Record) -> Result<Vec<u8>, Trouble> {
        let Counted::Lines(said) = record.size else {
            let why = "the pull request does not say how much it changes";
            return Err(Trouble::malformed(why));
        };
        let request = self.of_pull(pull).accept("application/vnd.github.diff");
        let trouble = match self.wire.send(&request) {
            Ok(answer) => match Diff::read(&answer.body).is_whole(said) {
                Ok(()) => return Ok(answer.body),
                Err(why) => Trouble::malformed(&why),
            },
            Err(trouble) if trouble.is_away() => return Err(trouble),
            Err(trouble) => trouble,
        };
        let files = self.wire.list(self.of_pull(pull).path("/files"));
        let listed = files.and_then(|files| listed(&files, said));
        let why = |other| format!("{trouble}; from the list of files: {other}");
        listed.map_err(|other| Trouble::malformed(&why(other)))
    }

    /// **Source**: REST, "List pull requests": `head` is `user:branch`.
    fn find(
        &self,
        repository: &Repository,
        head: &Repository,
        branch: &str,
        base: &str,
    ) -> Result<Vec<u64>, Trouble> {
        let name = format!("{}/{}", head.owner, head.name);
        let ours = |pull: &&Value| {
            let text = |path| pull.pointer(path).and_then(Value::as_str);
            text("/head/repo/full_name").is_some_and(|own| own.eq_ignore_ascii_case(&name))
                && text("/head/ref") == Some(branch)
                && text("/base/ref") == Some(base)
        };
        let request = of_repository(self.wire.request(""), repository)
            .path("/pulls")
            .query("head", &format!("{}:{branch}", head.owner))
            .query("base", base)
            .query("state", "open");
        let list = self.wire.list(request)?;
        let found = list.iter().filter(ours);
        found.map(|pull| number(pull, "number")).collect()
    }

    fn comments(&self, pull: &Pull) -> Result<Vec<Value>, Trouble> {
        self.wire.list(self.of_pull(pull).path("/comments"))
    }

    fn reviews(&self, pull: &Pull) -> Result<Vec<Value>, Trouble> {
        self.wire.list(self.of_pull(pull).path("/reviews"))
    }

    fn takes_batches(&self) -> bool {
        true
    }

    fn review(&self, pull: &Pull, review: &Value) -> Result<(), Trouble> {
        self.post(pull, &["reviews"], review)
    }

    /// **Source**: REST, "Dismiss a review for a pull request".
    fn dismiss(&self, pull: &Pull, review: u64, message: &str) -> Result<(), Trouble> {
        let body = json!({"message": message, "event": "DISMISS"});
        let request = place(self.wire.put("", &body), pull).path("/reviews");
        let request = request.segment(&review.to_string()).path("/dismissals");
        self.wire.send(&request).map(drop)
    }

    fn place(&self, pull: &Pull) -> Result<Place, Trouble> {
        Ok(Place {
            head: self.record(pull)?.head,
            ..Place::default()
        })
    }

    fn comment(&self, pull: &Pull, place: &Place, comment: &Value) -> Result<(), Trouble> {
        let mut comment = comment.clone();
        comment["commit_id"] = json!(place.head);
        self.post(pull, &["comments"], &comment)
    }

    fn reply(
        &self,
        pull: &Pull,
        comment: u64,
        _thread: Option<&str>,
        body: &str,
    ) -> Result<(), Trouble> {
        let id = comment.to_string();
        self.post(pull, &["comments", &id, "replies"], &json!({"body": body}))
    }

    fn threads(&self, pull: &Pull) -> Result<Vec<Thread>, Trouble> {
        let mut threads = Vec::new();
        let mut after: Option<String> = None;
        let Repository { owner, name, .. } = &pull.repository;
        for _ in 0..PAGES {
            let mut variables = json!({"owner": owner, "repo": name, "number": pull.number});
            // An empty text may be refused as a cursor, so the first page has none.
            if let Some(after) = &after {
                variables["after"] = json!(after);
            }
            let answer = self.wire.query(THREADS, &variables)?;
            let next = Thread::add_page(&mut threads, &answer)?;
            if next.is_none() {
                return Ok(threads);
            }
            if next == after {
                let why = "a page of threads that names itself the next";
                return Err(Trouble::malformed(why));
            }
            after = next;
        }
        let why = "more pages of threads than there can be";
        Err(Trouble::malformed(why))
    }

    fn resolve(&self, _pull: &Pull, thread: &str) -> Result<(), Trouble> {
        let answer = self.wire.query(RESOLVE, &json!({"threadId": thread}))?;
        let done = answer.pointer("/data/resolveReviewThread/thread/isResolved");
        confirmed(done, "the thread is not resolved")
    }

    fn minimize(&self, comment: &str) -> Result<(), Trouble> {
        let answer = self.wire.query(MINIMIZE, &json!({"subjectId": comment}))?;
        let done = answer.pointer("/data/minimizeComment/minimizedComment/isMinimized");
        confirmed(done, "the comment is not minimized")
    }
}

/// Checks that an answer confirms what was done. **Errors**: `else_why`.
fn confirmed(done: Option<&Value>, else_why: &str) -> Result<(), Trouble> {
    let done = done == Some(&Value::Bool(true));
    let done = done.then_some(());
    done.ok_or_else(|| Trouble::malformed(else_why))
}

/// The diff made of a list of files, if it is whole. A file whose text is not in the list counts as binary.
///
/// **Source**: REST, "List pull requests files": 3,000 files at most; `patch` is missing for binary and for large files.
fn listed(files: &[Value], said: Size) -> Result<Vec<u8>, Trouble> {
    let wrong = || Trouble::malformed("a file without name, status or counts");
    let mut all = Size::default();
    let mut diff = String::new();
    for file in files {
        let text = |key: &str| file.get(key).and_then(Value::as_str);
        let number = |key: &str| file.get(key).and_then(Value::as_u64).ok_or_else(wrong);
        let name = text("filename").ok_or_else(wrong)?;
        let status = text("status").ok_or_else(wrong)?;
        let old = text("previous_filename").unwrap_or(name);
        let is_odd = |name: &str| name.contains(['\n', '\r', '"']);
        if is_odd(name) || is_odd(old) {
            return Err(Trouble::malformed("a file with a name that fits no diff"));
        }
        let (additions, deletions) = (number("additions")?, number("deletions")?);
        let mut part = format!("diff --git a/{old} b/{name}\n");
        if status == "removed" {
            part.push_str("deleted file mode 100644\n");
        }
        if old != name {
            part.extend(["rename from ", old, "\nrename to ", name, "\n"]);
        }
        match text("patch") {
            Some(patch) => {
                let side = |path: String, absent: &str| match status {
                    status if status == absent => String::from("/dev/null"),
                    _ => path,
                };
                let before = side(format!("a/{old}"), "added");
                let after = side(format!("b/{name}"), "removed");
                part.extend(["--- ", &before, "\n+++ ", &after, "\n", patch, "\n"]);
                let size = Size {
                    files: 1,
                    additions,
                    deletions,
                };
                let whole = Diff::read(part.as_bytes()).is_whole(size);
                whole.map_err(|why| Trouble::malformed(&format!("{name}: {why}")))?;
            }
            None if status == "removed" || (status == "renamed" && additions + deletions == 0) => {}
            None => part.extend(["Binary files a/", old, " and b/", name, " differ\n"]),
        }
        diff.push_str(&part);
        all.files += 1;
        all.additions += additions;
        all.deletions += deletions;
    }
    if all == said {
        return Ok(diff.into_bytes());
    }
    let (named, files) = (all.files, said.files);
    let why = format!("it names {named} of {files} files, or their lines do not add up");
    Err(Trouble::malformed(&why))
}

/// The number of a pull request in a list.
pub(super) fn number(pull: &Value, key: &str) -> Result<u64, Trouble> {
    let number = pull.get(key).and_then(Value::as_u64);
    number.ok_or_else(|| Trouble::malformed("a pull request without a number"))
}

fn of_repository(request: Request, repository: &Repository) -> Request {
    let request = request.path("/repos").segment(&repository.owner);
    request.segment(&repository.name)
}

fn place(request: Request, pull: &Pull) -> Request {
    let request = of_repository(request, &pull.repository).path("/pulls");
    request.segment(&pull.number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_their_interfaces() {
        for (host, base) in [
            ("GitHub.com", "https://api.github.com"),
            ("acme.ghe.com", "https://api.acme.ghe.com"),
            ("ghe.example:8443", "https://ghe.example:8443/api/v3"),
        ] {
            assert_eq!(api_of(host), base);
        }
    }
}
