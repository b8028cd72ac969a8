//! A GitHub on a loopback port, with one pull request, that records what is posted.
//!
//! Requests and answers follow GitHub's documentation:
//! * <https://docs.github.com/en/rest/pulls/pulls#list-pull-requests>: `head` is `user:ref-name` and filters by the owner of the
//!   head, `base` is a branch, `state` is open without a word; each entry has `head.ref`, `head.repo.full_name` (`null` for a
//!   fork that is gone), `base.ref`.
//! * <https://docs.github.com/en/rest/pulls/pulls#get-a-pull-request>: `state` is open or closed, `merged`, `changed_files`,
//!   `additions`, `deletions`; 406 where the diff is too large. `#list-pull-requests-files`: `filename`, `status`, `additions`,
//!   `deletions`, `patch` (the hunks).
//! * <https://docs.github.com/en/rest/pulls/reviews#create-a-review-for-a-pull-request>: 200, `event` in, `state` out; a review
//!   without an `event` is pending and nobody sees it; `body` must be there for `REQUEST_CHANGES` and `COMMENT`. `commit_id` is
//!   the latest commit where none is given. `#dismiss-a-review-for-a-pull-request`: PUT, 200, `message` must be there.
//! * <https://docs.github.com/en/rest/pulls/comments#create-a-review-comment-for-a-pull-request>: 201; `body`, `commit_id` and
//!   `path` must be there.
//! * <https://docs.github.com/en/rest/users/users#get-the-authenticated-user>: 401 without a token.
//! * <https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api>: `Link` with `rel="next"`.
//! * <https://docs.github.com/en/graphql/reference/objects#pullrequestreviewthread>, `#pullrequestreviewcomment`
//!   (`viewerDidAuthor`), <https://docs.github.com/en/graphql/reference/mutations#resolvereviewthread> and `#minimizecomment`:
//!   errors come with 200.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::files::files;
use crate::server::{Answer, Received, Server};

/// The pull request and its state.
#[derive(Clone, Debug)]
pub struct Pull {
    /// Its branch.
    pub branch: String,
    /// The branch it is to be merged into.
    pub base: String,
    /// Commit id of its head.
    pub head: String,
    /// Its diff, as git shows it. The counts of its record and the list of its files are computed from it.
    pub diff: String,
    /// The answer to a request for the diff, if it differs from `diff`: status and body.
    pub served: Option<(u16, Vec<u8>)>,
    /// `open` or `closed`.
    pub state: &'static str,
    /// The repository of its branch; `None` for a deleted fork.
    pub source: Option<&'static str>,
    /// Comments on lines, including replies.
    pub comments: Vec<Value>,
    /// Reviews.
    pub reviews: Vec<Value>,
    /// Comments whose threads are resolved.
    pub resolved: BTreeSet<u64>,
    /// Comments whose lines have changed since.
    pub outdated: BTreeSet<u64>,
    /// Comments that are minimized.
    pub minimized: BTreeSet<u64>,
    /// Other open pull requests: number, repository of their branch (`None` for a deleted fork), and branch.
    pub others: Vec<(u64, Option<&'static str>, &'static str)>,
    /// Entries per page.
    pub page: usize,
    /// Number of requests that changed something.
    pub writes: usize,
    /// Delay of each answer, in milliseconds.
    pub slow: u64,
    /// Requests that the server refuses.
    pub refused: Refused,
}

/// Requests that the server refuses or answers wrongly.
#[derive(Clone, Copy, Debug, Default)]
pub struct Refused {
    /// Every request gets 401.
    pub credentials: bool,
    /// Reviews with other events than COMMENT.
    pub own_pull: bool,
    /// Reviews with comments.
    pub batch: bool,
    /// All reviews.
    pub reviews: bool,
    /// The answer to a review: whether the review is stored, and the status.
    pub answer: Option<(bool, u16)>,
    /// Comments on lines, for one path or for all.
    pub comments: Option<&'static str>,
    /// Replies.
    pub replies: bool,
    /// Dismissals of reviews.
    pub dismissals: bool,
    /// The list of files.
    pub files: bool,
    /// Lists of comments or reviews from a certain page on: which list, the page, and the status.
    pub list: Option<(&'static str, usize, u16)>,
    /// GraphQL.
    pub graphql: bool,
    /// Resolutions.
    pub resolve: bool,
}

/// The server. The pull request is `o/r#7`, the login `me`.
pub struct Forge {
    server: Server,
    pull: Arc<Mutex<Pull>>,
}

impl Forge {
    /// Starts with a pull request from `branch` to `main`.
    pub fn start(branch: &str, diff: &str) -> Self {
        let pull = Arc::new(Mutex::new(Pull {
            branch: branch.to_owned(),
            base: String::from("main"),
            head: "a".repeat(40),
            diff: diff.to_owned(),
            served: None,
            state: "open",
            source: Some("o/r"),
            comments: Vec::new(),
            reviews: Vec::new(),
            resolved: BTreeSet::new(),
            outdated: BTreeSet::new(),
            minimized: BTreeSet::new(),
            others: Vec::new(),
            page: 100,
            writes: 0,
            slow: 0,
            refused: Refused::default(),
        }));
        let inner = Arc::clone(&pull);
        let server = Server::start(move |received| {
            let host = received.headers.get("host").cloned().unwrap_or_default();
            let slow = inner.lock().unwrap_or_else(PoisonError::into_inner).slow;
            std::thread::sleep(Duration::from_millis(slow));
            let mut pull = inner.lock().unwrap_or_else(PoisonError::into_inner);
            pull.answer(received, &host)
        });
        Self { server, pull }
    }

    /// Its base URL.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// What was asked.
    pub fn log(&self) -> Vec<Received> {
        self.server.log()
    }

    /// Reads or changes the pull request.
    pub fn pull<T>(&self, look: impl FnOnce(&mut Pull) -> T) -> T {
        look(&mut self.pull.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Pull {
    /// Adds a comment on a line, by somebody with this association. Returns its number.
    pub fn comment(&mut self, path: &str, line: u64, body: &str, association: &str) -> u64 {
        let id = 100 + self.comments.len() as u64;
        self.comments.push(json!({
            "id": id, "node_id": format!("C{id}"), "path": path, "line": line, "side": "RIGHT", "body": body, "diff_hunk": "@@ -1 +1 @@",
            "author_association": association, "user": {"login": "me"}, "created_at": self.time()
        }));
        id
    }

    fn time(&self) -> String {
        format!(
            "2026-01-01T00:00:{:02}Z",
            self.comments.len() + self.reviews.len()
        )
    }

    fn answer(&mut self, received: &Received, host: &str) -> Answer {
        if self.refused.credentials {
            return refusal(401, "Bad credentials");
        }
        if !received.headers.contains_key("authorization") {
            return refusal(401, "Requires authentication");
        }
        let body: Value = serde_json::from_slice(&received.body).unwrap_or_default();
        let path = received.path();
        let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        match (received.method.as_str(), parts.as_slice()) {
            ("GET", ["user"]) => Answer::json(&json!({"login": "me"})),
            ("GET", ["repos", "o", "r", "pulls"]) => {
                let own = (7, Some("o/r"), self.branch.as_str());
                let all = self.others.iter().copied().chain([own]);
                let wanted = |(_, repository, branch): &(u64, Option<&str>, &str)| {
                    let owner = repository.and_then(|name| name.split('/').next());
                    received.query("head") == Some(format!("{}:{branch}", owner.unwrap_or("ghost")))
                        && received.query("base").as_ref() == Some(&self.base)
                };
                let list = all.filter(wanted).map(|(number, repository, branch)| {
                    json!({
                        "number": number, "html_url": format!("https://github.com/o/r/pull/{number}"), "state": "open",
                        "head": {"ref": branch, "repo": repository.map(|name| json!({"full_name": name}))},
                        "base": {"ref": self.base, "repo": {"full_name": "o/r"}},
                    })
                });
                Answer::json(&Value::Array(list.collect()))
            }
            ("GET", ["repos", "o", "r", "pulls", "7"]) => {
                if received
                    .headers
                    .get("accept")
                    .is_some_and(|accept| accept.contains("diff"))
                {
                    match &self.served {
                        Some((200, body)) => Answer::ok("text/plain", body.clone()),
                        Some((status, _)) => refusal(*status, "the diff exceeded the maximum"),
                        None => Answer::ok("text/plain", self.diff.clone()),
                    }
                } else {
                    self.record(7, self.source, &self.branch)
                }
            }
            ("GET", ["repos", "o", "r", "pulls", number]) => {
                let other = self
                    .others
                    .iter()
                    .find(|other| other.0.to_string() == *number);
                match other {
                    Some((number, source, branch)) => self.record(*number, *source, branch),
                    None => refusal(404, "Not Found"),
                }
            }
            ("GET", ["repos", "o", "r", "pulls", number, "comments" | "reviews"])
                if self
                    .others
                    .iter()
                    .any(|other| other.0.to_string() == *number) =>
            {
                Answer::json(&json!([]))
            }
            ("GET", ["repos", "o", "r", "pulls", "7", "files"]) if !self.refused.files => {
                Answer::json(&Value::Array(files(&self.diff)))
            }
            (
                "GET",
                [
                    "repos",
                    "o",
                    "r",
                    "pulls",
                    "7",
                    what @ ("comments" | "reviews"),
                ],
            ) => {
                let list = if *what == "comments" {
                    &self.comments
                } else {
                    &self.reviews
                };
                let page: usize = received
                    .query("page")
                    .map_or(1, |page| page.parse().unwrap_or(1));
                match self.refused.list {
                    Some((which, from, 200)) if which == *what && page >= from => {
                        return Answer::json(&json!({"message": "no list"}));
                    }
                    Some((which, from, status)) if which == *what && page >= from => {
                        return refusal(status, "it does not work today")
                            .header("retry-after", "0");
                    }
                    _ => {}
                }
                let entries: Vec<&Value> = list
                    .iter()
                    .skip((page - 1) * self.page)
                    .take(self.page)
                    .collect();
                let answer = Answer::json(&json!(entries));
                if page * self.page < list.len() {
                    let next = format!("<http://{host}{path}?page={}>; rel=\"next\"", page + 1);
                    return answer.header("link", &next);
                }
                answer
            }
            ("POST", ["repos", "o", "r", "pulls", "7", "reviews"]) => self.review(&body),
            ("PUT", ["repos", "o", "r", "pulls", "7", "reviews", id, "dismissals"]) => {
                let id: Option<u64> = id.parse().ok();
                let wanted = |review: &&mut Value| review["id"].as_u64() == id;
                match self.reviews.iter_mut().find(wanted) {
                    _ if self.refused.dismissals => refusal(403, "Resource not accessible"),
                    None => refusal(404, "Not Found"),
                    Some(_) if body["message"].as_str().is_none_or(str::is_empty) => {
                        refusal(422, "message is missing")
                    }
                    Some(review) => {
                        self.writes += 1;
                        review["state"] = json!("DISMISSED");
                        Answer::json(review)
                    }
                }
            }
            ("POST", ["repos", "o", "r", "pulls", "7", "comments"]) => {
                let path = body["path"].as_str().unwrap_or_default();
                if self
                    .refused
                    .comments
                    .is_some_and(|refused| refused.is_empty() || refused == path)
                {
                    return refusal(
                        422,
                        "pull_request_review_thread.line must be part of the diff",
                    );
                }
                if body["commit_id"].as_str().map(str::len) != Some(40) {
                    return refusal(422, "commit_id is missing");
                }
                self.writes += 1;
                let line = body["line"].as_u64().unwrap_or_default();
                self.comment(
                    path,
                    line,
                    body["body"].as_str().unwrap_or_default(),
                    "OWNER",
                );
                Answer::json(&json!({})).with_status(201)
            }
            ("POST", ["repos", "o", "r", "pulls", "7", "comments", id, "replies"]) => {
                if self.refused.replies {
                    return refusal(403, "Resource not accessible");
                }
                self.writes += 1;
                let parent: u64 = id.parse().unwrap_or_default();
                let of_parent = self.comments.iter().find(|comment| comment["id"] == parent);
                let path = of_parent.and_then(|comment| comment["path"].as_str());
                let path = path.unwrap_or_default().to_owned();
                let text = body["body"].as_str().unwrap_or_default();
                let reply = self.comment(&path, 1, text, "OWNER");
                if let Some(comment) = self
                    .comments
                    .iter_mut()
                    .find(|comment| comment["id"] == reply)
                {
                    comment["in_reply_to_id"] = json!(parent);
                }
                Answer::json(&json!({})).with_status(201)
            }
            ("POST", ["graphql"]) => self.graphql(&body),
            _ => refusal(404, "Not Found"),
        }
    }

    /// The record of a pull request. All have the same diff and state.
    fn record(&self, number: u64, source: Option<&str>, branch: &str) -> Answer {
        let files = files(&self.diff);
        let sum = |key: &str| {
            files
                .iter()
                .filter_map(|file| file[key].as_u64())
                .sum::<u64>()
        };
        let source = source.map(|name| json!({"full_name": name}));
        Answer::json(&json!({
            "number": number, "state": self.state, "merged": false, "changed_files": files.len(),
            "additions": sum("additions"), "deletions": sum("deletions"),
            "head": {"sha": self.head, "ref": branch, "repo": source},
            "base": {"ref": self.base, "repo": {"full_name": "o/r"}},
        }))
    }

    fn review(&mut self, body: &Value) -> Answer {
        let comments = body["comments"].as_array().cloned().unwrap_or_default();
        if self.refused.reviews {
            return refusal(500, "it does not work today").header("retry-after", "0");
        }
        if let Some((false, status)) = self.refused.answer {
            return refusal(status, "not now").header("retry-after", "0");
        }
        if self.refused.own_pull && body["event"] != "COMMENT" {
            return refusal(
                422,
                "Review Can not request changes on your own pull request",
            );
        }
        if self.refused.batch && !comments.is_empty() {
            return refusal(422, "Line could not be resolved");
        }
        let state = match body["event"].as_str() {
            Some("APPROVE") => "APPROVED",
            Some("REQUEST_CHANGES") => "CHANGES_REQUESTED",
            Some("COMMENT") => "COMMENTED",
            None => "PENDING",
            Some(_) => return refusal(422, "event is not a review event"),
        };
        if state != "APPROVED" && body["body"].as_str().is_none_or(str::is_empty) {
            return refusal(422, "body is missing");
        }
        self.writes += 1;
        for comment in comments {
            let line = comment["line"].as_u64().unwrap_or_default();
            let text = |key: &str| comment[key].as_str().unwrap_or_default().to_owned();
            self.comment(&text("path"), line, &text("body"), "OWNER");
        }
        let time = self.time();
        let commit = body["commit_id"].as_str().unwrap_or(&self.head).to_owned();
        self.reviews.push(json!({
            "id": self.reviews.len(), "body": body["body"], "state": state, "author_association": "OWNER",
            "user": {"login": "me"}, "submitted_at": time, "commit_id": commit
        }));
        if let Some((_, status)) = self.refused.answer {
            return refusal(status, "not now").header("retry-after", "0");
        }
        Answer::json(&json!({}))
    }

    fn graphql(&mut self, body: &Value) -> Answer {
        if self.refused.graphql {
            return Answer::json(
                &json!({"data": null, "errors": [{"message": "Something went wrong"}]}),
            );
        }
        let query = body["query"].as_str().unwrap_or_default();
        if query.contains("resolveReviewThread") {
            let thread = body["variables"]["threadId"].as_str().unwrap_or_default();
            let id = thread.trim_start_matches('T').parse().ok();
            return match id.filter(|_| !self.refused.resolve) {
                Some(id) => {
                    self.writes += 1;
                    self.resolved.insert(id);
                    let thread = json!({"thread": {"isResolved": true}});
                    Answer::json(&json!({"data": {"resolveReviewThread": thread}}))
                }
                None => Answer::json(
                    &json!({"data": null, "errors": [{"message": "Could not resolve to a node"}]}),
                ),
            };
        }
        if query.contains("minimizeComment") {
            let comment = body["variables"]["subjectId"].as_str().unwrap_or_default();
            let Ok(id) = comment.trim_start_matches('C').parse() else {
                return Answer::json(
                    &json!({"data": null, "errors": [{"message": "Could not resolve to a node"}]}),
                );
            };
            self.writes += 1;
            self.minimized.insert(id);
            let comment = json!({"minimizedComment": {"isMinimized": true}});
            return Answer::json(&json!({"data": {"minimizeComment": comment}}));
        }
        let first: usize = body["variables"]["after"]
            .as_str()
            .map_or(0, |after| after.parse().unwrap_or(0));
        let threads: Vec<Value> = self
            .comments
            .iter()
            .filter(|comment| comment.get("in_reply_to_id").is_none())
            .map(|comment| {
                let id = comment["id"].as_u64().unwrap_or_default();
                let of_thread = self.comments.iter().filter(|one| one["id"] == id || one["in_reply_to_id"] == id);
                let nodes: Vec<Value> = of_thread
                    .map(|one| json!({"id": one["node_id"], "databaseId": one["id"], "viewerDidAuthor": one["user"]["login"] == "me"}))
                    .collect();
                json!({
                    "id": format!("T{id}"), "isResolved": self.resolved.contains(&id), "isOutdated": self.outdated.contains(&id),
                    "comments": {"nodes": nodes},
                })
            })
            .collect();
        let next = first + self.page;
        let nodes: Vec<&Value> = threads.iter().skip(first).take(self.page).collect();
        Answer::json(
            &json!({"data": {"repository": {"pullRequest": {"reviewThreads": {
                "pageInfo": {"hasNextPage": next < threads.len(), "endCursor": next.to_string()}, "nodes": nodes
            }}}}}),
        )
    }
}

fn refusal(status: u16, message: &str) -> Answer {
    Answer::json(&json!({"message": "Refused", "errors": [message]})).with_status(status)
}
