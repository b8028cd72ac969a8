//! Review threads: which comment began each, and which are resolved.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Trouble;

/// A review thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Thread {
    /// Number of the comment that began it.
    pub comment_id: u64,
    /// Its id at GitHub or GitLab.
    pub thread_id: String,
    /// Whether it is resolved.
    pub is_resolved: bool,
    /// Whether the lines that it is about were changed since.
    #[serde(default)]
    pub is_outdated: bool,
    /// Whether the logged-in user began it.
    #[serde(default)]
    pub is_ours: bool,
    /// Whether somebody else wrote in it, too.
    #[serde(default)]
    pub is_answered: bool,
}

impl Thread {
    /// Adds a page of GitHub's answer to `threads`; returns the cursor of the next page.
    pub(super) fn add_page(
        threads: &mut Vec<Self>,
        answer: &Value,
    ) -> Result<Option<String>, Trouble> {
        let wrong = || Trouble::malformed("the answer about review threads has another form");
        let list = answer.pointer("/data/repository/pullRequest/reviewThreads");
        let list = list.ok_or_else(wrong)?;
        let nodes = list.get("nodes").and_then(Value::as_array);
        for node in nodes.ok_or_else(wrong)? {
            let comment_id = node.pointer("/comments/nodes/0/databaseId");
            // A thread whose first comment was deleted has nothing to settle.
            let Some(comment_id) = comment_id.and_then(Value::as_u64) else {
                continue;
            };
            let id = node.get("id").and_then(Value::as_str);
            let is_resolved = node.get("isResolved").and_then(Value::as_bool);
            let comments = node.pointer("/comments/nodes").and_then(Value::as_array);
            let comments = comments.map(Vec::as_slice).unwrap_or_default();
            let ours = |comment: &Value| comment.get("viewerDidAuthor") == Some(&Value::Bool(true));
            let flag = |key: &str| node.get(key) == Some(&Value::Bool(true));
            threads.push(Self {
                comment_id,
                is_outdated: flag("isOutdated"),
                is_ours: comments.first().is_some_and(ours),
                is_answered: comments.iter().skip(1).any(|comment| !ours(comment)),
                thread_id: id.ok_or_else(wrong)?.to_owned(),
                is_resolved: is_resolved.ok_or_else(wrong)?,
            });
        }
        let info = list.get("pageInfo").ok_or_else(wrong)?;
        match info.get("hasNextPage").and_then(Value::as_bool) {
            Some(false) => Ok(None),
            Some(true) => {
                let cursor = info.get("endCursor").and_then(Value::as_str);
                let cursor = cursor.filter(|cursor| !cursor.is_empty());
                Ok(Some(cursor.ok_or_else(wrong)?.to_owned()))
            }
            None => Err(wrong()),
        }
    }
}
