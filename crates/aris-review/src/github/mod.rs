//! GitHub through its REST and GraphQL interfaces.
//!
//! Texts that come from there are data. They are put into requests as JSON values and into no command line.

mod remote;
mod rest;
mod thread;
mod token;
mod trouble;

use std::time::Duration;

use serde_json::{Map, Value, json};

pub use remote::Remotes;
pub use rest::{GitHub, api_of};
pub use thread::{Thread, Threads};
pub use token::{Token, is_usual_host};
pub use trouble::Trouble;

use crate::pull::{Pull, Repository};

/// One call may take this long. **Source**: citation gates, §11.
const TIME: Duration = Duration::from_secs(30);

/// Bytes of an answer at most: GitHub cuts diffs at 20,000 lines, and comments at 64 KiB each.
const LIMIT: usize = 64 << 20;

/// Pages of a list at most, of 30 entries or more each: far above what a pull request can have, and an end for a server that has none.
const PAGES: usize = 400;

/// **Source**: GraphQL reference, `PullRequestReviewThread` and `PullRequestReviewComment`.
const THREADS: &str = "query($owner:String!,$repo:String!,$number:Int!,$after:String){repository(owner:$owner,name:$repo){pullRequest(number:$number)\
{reviewThreads(first:100,after:$after){pageInfo{hasNextPage endCursor}nodes{id isResolved isOutdated comments(first:50)\
{nodes{id databaseId viewerDidAuthor}}}}}}}";

const RESOLVE: &str =
    "mutation($threadId:ID!){resolveReviewThread(input:{threadId:$threadId}){thread{isResolved}}}";

const MINIMIZE: &str = "mutation($subjectId:ID!){minimizeComment(input:{subjectId:$subjectId,classifier:OUTDATED})\
{minimizedComment{isMinimized}}}";

/// An open pull request that was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its number.
    pub number: u64,
    /// Where people see it.
    pub url: String,
}

impl GitHub {
    /// The commit at the head of a pull request.
    pub fn head(&self, pull: &Pull) -> Result<String, Trouble> {
        let sha = self.head_of(pull)?;
        let plain =
            (7..=64).contains(&sha.len()) && sha.bytes().all(|byte| byte.is_ascii_hexdigit());
        plain
            .then_some(sha)
            .ok_or_else(|| Trouble::malformed("the head of the pull request is no commit"))
    }

    /// The open pull requests of `repository` to `base` from `branch` of the repository `head`. A branch of the same name in a fork of somebody
    /// else is another branch.
    pub fn find(
        &self,
        repository: &Repository,
        head: &Repository,
        branch: &str,
        base: &str,
    ) -> Result<Vec<Found>, Trouble> {
        let ours = |pull: &&Value| {
            let text = |path| pull.pointer(path).and_then(Value::as_str);
            let same =
                |name: &str| name.eq_ignore_ascii_case(&format!("{}/{}", head.owner, head.name));
            text("/head/repo/full_name").is_some_and(same)
                && text("/head/ref") == Some(branch)
                && text("/base/ref") == Some(base)
        };
        let list = self.pulls(repository, &head.owner, branch, base)?;
        let found = list.iter().filter(ours).map(|pull| {
            let number = pull.get("number").and_then(Value::as_u64);
            let number =
                number.ok_or_else(|| Trouble::malformed("a pull request without a number"))?;
            let url = pull.get("html_url").and_then(Value::as_str);
            Ok(Found {
                number,
                url: url.unwrap_or_default().to_owned(),
            })
        });
        found.collect()
    }

    /// All comments on lines of a pull request, as GitHub gives them.
    pub fn comments(&self, pull: &Pull) -> Result<Vec<Value>, Trouble> {
        self.list(pull, "comments")
    }

    /// All reviews of a pull request, as GitHub gives them.
    pub fn reviews(&self, pull: &Pull) -> Result<Vec<Value>, Trouble> {
        self.list(pull, "reviews")
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

    /// All review threads of a pull request.
    pub fn threads(&self, pull: &Pull) -> Result<Threads, Trouble> {
        let mut threads = Threads::default();
        let mut after: Option<String> = None;
        for _ in 0..PAGES {
            let mut variables = Map::new();
            variables.insert(String::from("owner"), json!(pull.repository.owner));
            variables.insert(String::from("repo"), json!(pull.repository.name));
            variables.insert(String::from("number"), json!(pull.number));
            // An empty text may be refused as a cursor, so that the first page has none.
            if let Some(after) = &after {
                variables.insert(String::from("after"), json!(after));
            }
            let answer = self.graphql(THREADS, variables)?;
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
    pub fn resolve(&self, thread: &str) -> Result<(), Trouble> {
        let variables = Map::from_iter([(String::from("threadId"), json!(thread))]);
        let answer = self.graphql(RESOLVE, variables)?;
        match answer.pointer("/data/resolveReviewThread/thread/isResolved") {
            Some(Value::Bool(true)) => Ok(()),
            _ => Err(Trouble::malformed("the thread is not resolved")),
        }
    }

    /// Folds a comment away as outdated. **Errors**: also when GitHub says that it is not folded away afterwards.
    pub fn minimize(&self, comment: &str) -> Result<(), Trouble> {
        let variables = Map::from_iter([(String::from("subjectId"), json!(comment))]);
        let answer = self.graphql(MINIMIZE, variables)?;
        match answer.pointer("/data/minimizeComment/minimizedComment/isMinimized") {
            Some(Value::Bool(true)) => Ok(()),
            _ => Err(Trouble::malformed("the comment is not minimized")),
        }
    }

    /// For queries and for what may be done twice: it is asked again when no answer came.
    fn graphql(
        &self,
        query: &'static str,
        variables: Map<String, Value>,
    ) -> Result<Value, Trouble> {
        let answer = self.query(&json!({"query": query, "variables": variables}))?;
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
