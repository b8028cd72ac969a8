//! GitHub, through the program `gh` or through its own interface.
//!
//! Texts that come from there are data. They are put into requests as JSON values and into no command line.

mod gh;
mod pages;
mod rest;
mod thread;
mod trouble;

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

pub use gh::Gh;
pub use rest::Rest;
pub use thread::{Thread, Threads};
pub use trouble::Trouble;

use crate::pull::{Pull, Repository};

/// One call may take this long. **Source**: citation gates, §11.
const TIME: Duration = Duration::from_secs(30);

/// Bytes of an answer at most: GitHub cuts diffs at 20,000 lines, and comments at 64 KiB each.
const LIMIT: usize = 64 << 20;

/// Pages of a list at most, of 30 entries or more each: far above what a pull request can have, and an end for a server that has none.
const PAGES: usize = 400;

const THREADS: &str = "query($owner:String!,$repo:String!,$number:Int!,$after:String){repository(owner:$owner,name:$repo){pullRequest(number:$number)\
{reviewThreads(first:100,after:$after){pageInfo{hasNextPage endCursor}nodes{id isResolved comments(first:1){nodes{databaseId}}}}}}}";

const RESOLVE: &str =
    "mutation($threadId:ID!){resolveReviewThread(input:{threadId:$threadId}){thread{isResolved}}}";

/// A way to GitHub.
#[derive(Debug)]
pub enum GitHub {
    /// The program `gh`.
    Gh(Gh),
    /// Its own interface.
    Rest(Rest),
}

/// A variable of a GraphQL query.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Variable<'a> {
    Text(&'a str),
    Number(u64),
}

impl Variable<'_> {
    fn json(self) -> Value {
        match self {
            Self::Text(text) => Value::from(text),
            Self::Number(number) => Value::from(number),
        }
    }
}

/// An open pull request that was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its number.
    pub number: u64,
    /// Where people see it.
    pub url: String,
}

impl GitHub {
    /// Through `gh`, which is looked up on `PATH` when it has no slash and runs in `folder`. `now` is the time, which dates in headers
    /// are compared with.
    pub fn through_gh(program: &str, folder: &Path, now: Timestamp) -> Self {
        Self::Gh(Gh::new(program, folder, now))
    }

    /// Whether it answers and knows who asks; the login when it says so.
    ///
    /// **Errors**: a [`Trouble`] for which [`Trouble::is_away`] holds.
    pub fn reach(&self) -> Result<Option<String>, Trouble> {
        match self {
            Self::Gh(gh) => gh.reach(),
            Self::Rest(rest) => rest.reach(),
        }
    }

    /// The diff of a pull request.
    pub fn diff(&self, pull: &Pull) -> Result<Vec<u8>, Trouble> {
        match self {
            Self::Gh(gh) => gh.diff(pull),
            Self::Rest(rest) => rest.diff(pull),
        }
    }

    /// The commit at the head of a pull request.
    pub fn head(&self, pull: &Pull) -> Result<String, Trouble> {
        let sha = match self {
            Self::Gh(gh) => gh.head(pull)?,
            Self::Rest(rest) => rest.head(pull)?,
        };
        let plain =
            (7..=64).contains(&sha.len()) && sha.bytes().all(|byte| byte.is_ascii_hexdigit());
        plain
            .then_some(sha)
            .ok_or_else(|| Trouble::malformed("the head of the pull request is no commit"))
    }

    /// The repository of a worktree.
    pub fn repository(&self, worktree: &Path) -> Result<Repository, Trouble> {
        match self {
            Self::Gh(gh) => gh.repository(worktree),
            Self::Rest(_) => of_remote(worktree),
        }
    }

    /// The open pull request from `branch` to `base`; none when there is none.
    pub fn find(
        &self,
        repository: &Repository,
        branch: &str,
        base: &str,
    ) -> Result<Option<Found>, Trouble> {
        let list = match self {
            Self::Gh(gh) => gh.find(repository, branch, base)?,
            Self::Rest(rest) => rest.find(repository, branch, base)?,
        };
        let Some(first) = list.first() else {
            return Ok(None);
        };
        let number = first.get("number").and_then(Value::as_u64);
        let url = first.get("url").or_else(|| first.get("html_url"));
        number
            .map(|number| {
                Some(Found {
                    number,
                    url: url.and_then(Value::as_str).unwrap_or_default().to_owned(),
                })
            })
            .ok_or_else(|| Trouble::malformed("a pull request without a number"))
    }

    /// All comments on lines of a pull request, as GitHub gives them.
    pub fn comments(&self, pull: &Pull) -> Result<Vec<Value>, Trouble> {
        self.list(pull, "comments")
    }

    /// All reviews of a pull request, as GitHub gives them.
    pub fn reviews(&self, pull: &Pull) -> Result<Vec<Value>, Trouble> {
        self.list(pull, "reviews")
    }

    fn list(&self, pull: &Pull, what: &'static str) -> Result<Vec<Value>, Trouble> {
        match self {
            Self::Gh(gh) => gh.list(pull, what),
            Self::Rest(rest) => rest.list(pull, what),
        }
    }

    /// Submits a review: `body`, `event` and `comments`.
    pub fn review(&self, pull: &Pull, review: &Value) -> Result<(), Trouble> {
        self.post(pull, &["reviews"], review)
    }

    /// Puts one comment on a line.
    pub fn comment(&self, pull: &Pull, comment: &Value) -> Result<(), Trouble> {
        self.post(pull, &["comments"], comment)
    }

    /// Replies to a comment.
    pub fn reply(&self, pull: &Pull, comment: u64, body: &str) -> Result<(), Trouble> {
        let id = comment.to_string();
        self.post(pull, &["comments", &id, "replies"], &json!({"body": body}))
    }

    fn post(&self, pull: &Pull, below: &[&str], body: &Value) -> Result<(), Trouble> {
        match self {
            Self::Gh(gh) => gh.post(pull, below, body),
            Self::Rest(rest) => rest.post(pull, below, body),
        }
    }

    /// All review threads of a pull request.
    pub fn threads(&self, pull: &Pull) -> Result<Threads, Trouble> {
        let mut threads = Threads::default();
        let mut after: Option<String> = None;
        for _ in 0..PAGES {
            let mut variables = vec![
                ("owner", Variable::Text(&pull.repository.owner)),
                ("repo", Variable::Text(&pull.repository.name)),
                ("number", Variable::Number(pull.number)),
            ];
            // An empty text may be refused as a cursor, so that the first page has none.
            if let Some(after) = &after {
                variables.push(("after", Variable::Text(after)));
            }
            let answer = self.graphql(Some(&pull.repository), THREADS, &variables)?;
            match threads.add_page(&answer)? {
                Some(next) if Some(&next) != after.as_ref() => after = Some(next),
                Some(_) => {
                    return Err(Trouble::malformed(
                        "a page of threads that names itself the next",
                    ));
                }
                None => return Ok(threads),
            }
        }
        Err(Trouble::malformed(
            "more pages of threads than there can be",
        ))
    }

    /// Marks a thread as resolved. **Errors**: also when GitHub says that it is not resolved afterwards.
    pub fn resolve(&self, repository: &Repository, thread: &str) -> Result<(), Trouble> {
        let answer = self.graphql(
            Some(repository),
            RESOLVE,
            &[("threadId", Variable::Text(thread))],
        )?;
        match answer.pointer("/data/resolveReviewThread/thread/isResolved") {
            Some(Value::Bool(true)) => Ok(()),
            _ => Err(Trouble::malformed("the thread is not resolved")),
        }
    }

    /// For queries and for what may be done twice: it is asked again when no answer came.
    fn graphql(
        &self,
        repository: Option<&Repository>,
        query: &'static str,
        variables: &[(&'static str, Variable<'_>)],
    ) -> Result<Value, Trouble> {
        let answer = match self {
            Self::Gh(gh) => gh.graphql(repository, query, variables)?,
            Self::Rest(rest) => rest.graphql(query, variables)?,
        };
        match answer.get("errors").and_then(Value::as_array) {
            Some(errors) if !errors.is_empty() => {
                let first = errors
                    .first()
                    .and_then(|error| error.get("message"))
                    .and_then(Value::as_str);
                Err(Trouble::refused(
                    None,
                    first.unwrap_or("an error without words"),
                ))
            }
            _ => Ok(answer),
        }
    }
}

/// The path of something of a pull request, with a slash in front.
fn pull_path(pull: &Pull, below: &[&str]) -> String {
    let Repository { owner, name, .. } = &pull.repository;
    let mut path = format!("/repos/{owner}/{name}/pulls/{}", pull.number);
    for part in below {
        path.push('/');
        path.push_str(part);
    }
    path
}

/// A repository from the address of a git remote.
fn of_remote(worktree: &Path) -> Result<Repository, Trouble> {
    let done = aris_proc::command("git", worktree)
        .args(["remote", "get-url", "origin"])
        .run(TIME)
        .map_err(|error| Trouble::refused(None, &error.to_string()))?;
    let text = done.stdout.text();
    let url = text.trim();
    let path = url.split_once("://").map_or_else(
        || url.split_once(':').map(|(_, path)| path),
        |(_, rest)| rest.split_once('/').map(|(_, path)| path),
    );
    path.map(|path| path.trim_end_matches('/').trim_end_matches(".git"))
        .and_then(|path| path.parse().ok())
        .ok_or_else(|| Trouble::refused(None, "the remote origin names no repository; give --repo"))
}
