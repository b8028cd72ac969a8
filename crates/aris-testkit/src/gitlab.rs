//! A GitLab on a loopback port, with one merge request, that records what is posted.
//!
//! Requests and answers follow GitLab's documentation, on the pages given here:
//! * <https://docs.gitlab.com/api/rest/authentication/>: `Authorization: Bearer` or `PRIVATE-TOKEN`, 401 without;
//!   <https://docs.gitlab.com/api/users/>: `username`.
//! * <https://docs.gitlab.com/api/rest/#namespaced-paths>: a project is named by its number, or by its path with `/` as `%2F`;
//!   `Link` with `rel="next"`.
//! * <https://docs.gitlab.com/api/merge_requests/>: `state` is opened, closed, locked or merged; `sha`; `author`; `changes_count`
//!   is a text, such as `1` or `1000+`; `source_project_id`, `target_project_id`; the list filters by `state`, `source_branch`,
//!   `target_branch`; `raw_diffs` is what git shows; `versions` begins with the latest.
//! * <https://docs.gitlab.com/api/discussions/>: a thread on a line has `position`; 201, and 400 where the line is no part of the
//!   diff. An added line has `new_line` alone, an unchanged one `old_line`, too. `PUT` with `resolved`; replies are `notes` of
//!   the thread.
//! * <https://docs.gitlab.com/api/notes/>: a note of its own is a thread with `individual_note`, and cannot be resolved; `PUT`
//!   changes its `body`.
//! * <https://docs.gitlab.com/api/merge_request_approvals/>: `approved_by`, newer ones also when (`approved_at`); `approve` takes
//!   the `sha`, 409 where it is another; 401 for who may not.
//! * <https://docs.gitlab.com/api/project_members/>: `members/all/:id` has `access_level` (30 is Developer), 404 for who is none.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::server::{Answer, Received, Server};

/// Numbers and paths of the merge request's project, and of a stranger's fork.
const PROJECTS: [(u64, &str); 2] = [(5, "g/sub/r"), (9, "stranger/r")];

/// The merge request and its state.
#[derive(Clone, Debug)]
pub struct Merge {
    /// Its branch.
    pub branch: String,
    /// Commit id of its head.
    pub head: String,
    /// Its diff, as git shows it.
    pub diff: String,
    /// The body of the answer to a request for the diff, if it differs from `diff`.
    pub served: Option<Vec<u8>>,
    /// `changes_count`, if it differs from the number of files in `diff`.
    pub count: Option<String>,
    /// `opened`, `closed`, `locked` or `merged`.
    pub state: &'static str,
    /// Number of the project with its branch: 5 is its own, 9 the stranger's.
    pub source: u64,
    /// Threads, as the list returns them.
    pub threads: Vec<Value>,
    /// Users who have approved it.
    pub approved: Vec<String>,
    /// Time of the approval, if the server reports it.
    pub approved_at: Option<String>,
    /// Whether the asking user is the author, who may not approve.
    pub own: bool,
    /// Whether the asking user may not approve for another reason.
    pub unnamed: bool,
    /// Whether an approval cannot be revoked.
    pub sticky: bool,
    /// Whether reading the list of threads fails.
    pub broken: bool,
    /// Entries per page.
    pub page: usize,
    /// Number of requests that changed something.
    pub writes: usize,
}

/// The server. The merge request is `g/sub/r!7`, from `branch` to `main`; the login is `me`, a Developer with number 1.
pub struct GitLab {
    server: Server,
    merge: Arc<Mutex<Merge>>,
}

impl GitLab {
    /// Starts with a merge request from `branch`.
    pub fn start(branch: &str, diff: &str) -> Self {
        let merge = Arc::new(Mutex::new(Merge {
            branch: branch.to_owned(),
            head: "a".repeat(40),
            diff: diff.to_owned(),
            served: None,
            count: None,
            state: "opened",
            source: 5,
            threads: Vec::new(),
            approved: Vec::new(),
            approved_at: None,
            own: false,
            unnamed: false,
            sticky: false,
            broken: false,
            page: 20,
            writes: 0,
        }));
        let inner = Arc::clone(&merge);
        let server = Server::start(move |received| {
            let mut merge = inner.lock().unwrap_or_else(PoisonError::into_inner);
            merge.answer(received)
        });
        Self { server, merge }
    }

    /// Its address.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// What was asked.
    pub fn log(&self) -> Vec<Received> {
        self.server.log()
    }

    /// Reads or changes the merge request.
    pub fn merge<T>(&self, look: impl FnOnce(&mut Merge) -> T) -> T {
        look(&mut self.merge.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Merge {
    /// Adds a thread on a line, by the user with this number. Returns the number of its note.
    pub fn comment(&mut self, path: &str, line: u64, body: &str, author: u64) -> u64 {
        let position = json!({"position_type": "text", "new_path": path, "new_line": line});
        let note = self.note(body, author, Some(position));
        let id = note["id"].as_u64().unwrap_or_default();
        self.thread(note, false);
        id
    }

    /// The bodies of all notes, by thread.
    pub fn bodies(&self) -> Vec<String> {
        let notes = self
            .threads
            .iter()
            .filter_map(|thread| thread["notes"].as_array());
        let bodies = notes.flatten().filter_map(|note| note["body"].as_str());
        bodies.map(str::to_owned).collect()
    }

    fn note(&self, body: &str, author: u64, position: Option<Value>) -> Value {
        let notes = self
            .threads
            .iter()
            .filter_map(|thread| thread["notes"].as_array());
        let id = 100 + notes.map(Vec::len).sum::<usize>();
        let name = if author == 1 {
            "me".to_owned()
        } else {
            format!("user{author}")
        };
        let mut note = json!({
            "id": id, "type": if position.is_some() { json!("DiffNote") } else { Value::Null }, "body": body, "system": false,
            "author": {"id": author, "username": name}, "created_at": format!("2026-01-01T00:00:{:02}.000Z", id % 60),
            "resolvable": position.is_some(),
        });
        if let Some(position) = position {
            note["position"] = position;
            note["resolved"] = json!(false);
        }
        note
    }

    fn thread(&mut self, note: Value, individual: bool) -> Value {
        let id = format!("{:040x}", self.threads.len() + 1);
        let thread = json!({"id": id, "individual_note": individual, "notes": [note]});
        self.threads.push(thread.clone());
        thread
    }

    fn answer(&mut self, received: &Received) -> Answer {
        let key = |name: &str| received.headers.contains_key(name);
        if !key("authorization") && !key("private-token") {
            return refusal(401, "401 Unauthorized");
        }
        let body: Value = serde_json::from_slice(&received.body).unwrap_or_default();
        let path = received.path().to_owned();
        let Some(path) = path.strip_prefix("/api/v4/") else {
            return refusal(404, "404 Not Found");
        };
        let parts: Vec<&str> = path.split('/').collect();
        let (project, rest) = match parts.as_slice() {
            ["user"] => return Answer::json(&json!({"id": 1, "username": "me"})),
            ["projects", project, rest @ ..] => (*project, rest),
            _ => return refusal(404, "404 Not Found"),
        };
        let known = PROJECTS.iter().find(|(id, name)| {
            project == id.to_string() || project.eq_ignore_ascii_case(&name.replace('/', "%2F"))
        });
        let Some((id, name)) = known else {
            return refusal(404, "404 Project Not Found");
        };
        match (received.method.as_str(), rest) {
            ("GET", []) => Answer::json(&json!({"id": id, "path_with_namespace": name})),
            ("GET", ["members", "all", user]) => match *user {
                "1" | "2" => Answer::json(&json!({"id": 1, "access_level": 30})),
                "3" => Answer::json(&json!({"id": 3, "access_level": 10})),
                _ => refusal(404, "404 Not found"),
            },
            ("GET", ["merge_requests"]) => {
                let wanted = |key: &str, value: &str| received.query(key).as_deref() == Some(value);
                let is_ours = wanted("state", "opened") && self.state == "opened";
                let is_ours = is_ours
                    && wanted("source_branch", &self.branch)
                    && wanted("target_branch", "main");
                Answer::json(&if is_ours {
                    json!([self.record()])
                } else {
                    json!([])
                })
            }
            (method, ["merge_requests", "7", rest @ ..]) if *id == 5 => {
                self.of_merge(method, rest, &body, received)
            }
            _ => refusal(404, "404 Not Found"),
        }
    }

    fn record(&self) -> Value {
        let files = self
            .diff
            .lines()
            .filter(|line| line.starts_with("diff --git "))
            .count();
        json!({
            "id": 70, "iid": 7, "state": self.state, "sha": self.head, "source_branch": self.branch, "target_branch": "main",
            "author": {"username": if self.own { "me" } else { "user2" }},
            "changes_count": self.count.clone().unwrap_or_else(|| files.to_string()),
            "source_project_id": self.source, "target_project_id": 5, "web_url": "https://gitlab.com/g/sub/r/-/merge_requests/7",
        })
    }

    fn of_merge(
        &mut self,
        method: &str,
        rest: &[&str],
        body: &Value,
        received: &Received,
    ) -> Answer {
        let text = body["body"].as_str().unwrap_or_default().to_owned();
        match (method, rest) {
            ("GET", []) => Answer::json(&self.record()),
            ("GET", ["raw_diffs"]) => {
                let served = self.served.clone();
                Answer::ok(
                    "text/plain",
                    served.unwrap_or_else(|| self.diff.clone().into_bytes()),
                )
            }
            ("GET", ["versions"]) => Answer::json(&json!([
                {"id": 2, "head_commit_sha": self.head, "base_commit_sha": "b".repeat(40), "start_commit_sha": "c".repeat(40)},
                {"id": 1, "head_commit_sha": "d".repeat(40), "base_commit_sha": "b".repeat(40), "start_commit_sha": "c".repeat(40)},
            ])),
            ("GET", ["discussions"]) if self.broken => {
                refusal(500, "500 Internal Server Error").header("retry-after", "0")
            }
            ("GET", ["discussions"]) => {
                let page: usize = received
                    .query("page")
                    .map_or(1, |page| page.parse().unwrap_or(1));
                let list: Vec<&Value> = self
                    .threads
                    .iter()
                    .skip((page - 1) * self.page)
                    .take(self.page)
                    .collect();
                let answer = Answer::json(&json!(list));
                if page * self.page >= self.threads.len() {
                    return answer;
                }
                let host = received.headers.get("host").cloned().unwrap_or_default();
                let path = received.path();
                answer.header(
                    "link",
                    &format!("<http://{host}{path}?page={}>; rel=\"next\"", page + 1),
                )
            }
            ("POST", ["discussions"]) => {
                if let Err(why) = self.fits(&body["position"]) {
                    return refusal(400, why);
                }
                self.writes += 1;
                let note = self.note(&text, 1, Some(body["position"].clone()));
                Answer::json(&self.thread(note, false)).with_status(201)
            }
            ("POST", ["notes"]) if !text.is_empty() => {
                self.writes += 1;
                let note = self.note(&text, 1, None);
                self.thread(note.clone(), true);
                Answer::json(&note).with_status(201)
            }
            ("POST", ["discussions", id, "notes"]) => {
                let note = self.note(&text, 1, None);
                let Some(thread) = self.threads.iter_mut().find(|thread| thread["id"] == *id)
                else {
                    return refusal(404, "404 Discussion Not Found");
                };
                if let Some(notes) = thread["notes"].as_array_mut() {
                    notes.push(note.clone());
                }
                self.writes += 1;
                Answer::json(&note).with_status(201)
            }
            ("PUT", ["notes", id]) => {
                let threads = self.threads.iter_mut();
                let notes = threads.filter_map(|thread| thread["notes"].as_array_mut());
                let id: Option<u64> = id.parse().ok();
                let note = notes.flatten().find(|note| note["id"].as_u64() == id);
                let Some(note) = note else {
                    return refusal(404, "404 Not found");
                };
                note["body"] = Value::from(text);
                self.writes += 1;
                Answer::json(note)
            }
            ("PUT", ["discussions", id]) => {
                let Some(thread) = self.threads.iter_mut().find(|thread| thread["id"] == *id)
                else {
                    return refusal(404, "404 Discussion Not Found");
                };
                for note in thread["notes"].as_array_mut().into_iter().flatten() {
                    if note["resolvable"] == true {
                        note["resolved"] = body["resolved"].clone();
                    }
                }
                self.writes += 1;
                Answer::json(thread)
            }
            ("GET", ["approvals"]) => {
                let by = self.approved.iter().map(
                    |name| json!({"user": {"username": name}, "approved_at": self.approved_at}),
                );
                Answer::json(&json!({"approved_by": by.collect::<Vec<_>>()}))
            }
            ("POST", ["approve"]) if self.own || self.unnamed => refusal(401, "401 Unauthorized"),
            ("POST", ["unapprove"]) if self.sticky => refusal(403, "403 Forbidden"),
            ("POST", ["approve"]) if body["sha"] != self.head => {
                refusal(409, "SHA does not match HEAD of source branch")
            }
            ("POST", [what @ ("approve" | "unapprove")]) => {
                self.writes += 1;
                self.approved.retain(|name| name != "me");
                if *what == "approve" {
                    self.approved.push("me".to_owned());
                }
                Answer::json(&json!({})).with_status(201)
            }
            _ => refusal(404, "404 Not Found"),
        }
    }

    /// Whether the diff has the position of a comment.
    fn fits(&self, position: &Value) -> Result<(), &'static str> {
        let text = |key: &str| position[key].as_str().unwrap_or_default();
        if (text("head_sha"), text("base_sha"), text("start_sha"))
            != (self.head.as_str(), &*"b".repeat(40), &*"c".repeat(40))
            || text("position_type") != "text"
            || text("old_path").is_empty()
        {
            return Err("400 Bad request - Note {:position=>[\"is incomplete\"]}");
        }
        let lines = new_lines(&self.diff);
        let line = position["new_line"].as_u64().unwrap_or_default();
        match lines.get(&(text("new_path").to_owned(), line)) {
            Some(old) if position.get("old_line").and_then(Value::as_u64) == *old => Ok(()),
            _ => Err(
                "400 Bad request - Note {:line_code=>[\"can't be blank\", \"must be a valid line code\"]}",
            ),
        }
    }
}

/// The lines of a diff by path and new number; unchanged lines also with their old number.
fn new_lines(diff: &str) -> BTreeMap<(String, u64), Option<u64>> {
    let mut lines = BTreeMap::new();
    let (mut path, mut old, mut new) = (String::new(), 0_u64, 0_u64);
    for line in diff.lines() {
        let start = |mark: char| {
            let range = line.split(' ').find_map(|word| word.strip_prefix(mark));
            let start = range.and_then(|range| range.split(',').next()?.parse().ok());
            start.unwrap_or(0)
        };
        if let Some(name) = line.strip_prefix("+++ b/") {
            name.clone_into(&mut path);
        } else if line.starts_with("@@ ") {
            (old, new) = (start('-'), start('+'));
        } else if line.starts_with('+') {
            lines.insert((path.clone(), new), None);
            new += 1;
        } else if line.starts_with('-') {
            old += 1;
        } else if line.starts_with(' ') {
            lines.insert((path.clone(), new), Some(old));
            (old, new) = (old + 1, new + 1);
        }
    }
    lines
}

fn refusal(status: u16, message: &str) -> Answer {
    Answer::json(&json!({"message": message})).with_status(status)
}
