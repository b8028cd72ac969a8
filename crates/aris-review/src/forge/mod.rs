//! The services that host pull requests: one trait, implemented for GitHub and GitLab.
//!
//! Texts from them are data. They go into requests as JSON values, and never into a command line.

mod discussion;
mod github;
mod gitlab;
mod plain;
mod remote;
mod thread;
mod token;
mod trouble;
mod wire;

use serde_json::Value;

pub use github::{GitHub, api_of};
pub use gitlab::GitLab;
pub use remote::Remotes;
pub use thread::Thread;
pub use token::Token;
pub use trouble::Trouble;

use crate::diff::Size;
use crate::pull::{Pull, Repository};

/// What a service says about a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The commit at its head.
    pub head: String,
    /// Whether it can still be merged.
    pub state: State,
    /// The repository of its branch, `owner/name`; `None` where it is gone or not visible.
    pub source: Option<String>,
    /// The branch that it goes to, where the service says so.
    pub base: Option<String>,
    /// How much it changes, as far as the service counts it.
    pub size: Counted,
}

/// Whether a pull request can still be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is open.
    Open,
    /// Somebody closed it.
    Closed,
    /// It was merged.
    Merged,
}

/// How much a pull request changes, as a service counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Files and lines, as GitHub does.
    Lines(Size),
    /// Files, as GitLab does.
    Files(u64),
    /// Neither, or the count is incomplete.
    Unknown,
}

/// What happened to the approval of this login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Withdrawn {
    /// There was none.
    Nothing,
    /// It was ours, and was taken back.
    Ours,
    /// It stays: a person gave it, or nothing says that we did.
    ByHand,
}

/// What a comment on a line refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The commit at the head of the pull request.
    pub head: String,
    /// What GitLab compares with: the commit that both branches have, and in `start` the one at the head of the target branch. Empty on
    /// GitHub.
    pub base: String,
    /// See `base`.
    pub start: String,
    /// The diff, where the position of a comment depends on it.
    pub diff: crate::Diff,
}

/// A service that hosts pull requests. Comments and reviews have the form of GitHub's REST interface, whichever service they come from.
pub trait Forge {
    /// Its name, for people.
    fn name(&self) -> &'static str;

    /// Checks that it answers and accepts the token; returns the login, if the token has one.
    ///
    /// **Errors**: a [`Trouble`] for which [`Trouble::is_away`] holds.
    fn reach(&self) -> Result<Option<String>, Trouble>;

    /// What it says about a pull request.
    fn record(&self, pull: &Pull) -> Result<Record, Trouble>;

    /// The diff of a pull request.
    ///
    /// **Errors**: also where the diff is not whole, compared with `record`: what is missing would not be looked at.
    fn diff(&self, pull: &Pull, record: &Record) -> Result<Vec<u8>, Trouble>;

    /// The numbers of the open pull requests of `repository` from `branch` of the repository `head` to `base`. A branch of the same name in
    /// another fork does not count.
    fn find(
        &self,
        repository: &Repository,
        head: &Repository,
        branch: &str,
        base: &str,
    ) -> Result<Vec<u64>, Trouble>;

    /// All comments on lines of a pull request, replies among them.
    fn comments(&self, pull: &Pull) -> Result<Vec<Value>, Trouble>;

    /// All reviews of a pull request.
    fn reviews(&self, pull: &Pull) -> Result<Vec<Value>, Trouble>;

    /// Whether a review can carry comments on lines.
    fn takes_batches(&self) -> bool;

    /// Submits a review: `body`, `event` and, where batches are taken, `comments`.
    fn review(&self, pull: &Pull, review: &Value) -> Result<(), Trouble>;

    /// Takes back our approval, which is the review of this number. Does nothing where approvals are not reviews, as on GitLab.
    fn dismiss(&self, _pull: &Pull, _review: u64, _message: &str) -> Result<(), Trouble> {
        Ok(())
    }

    /// Takes back our approval where it is not a review, as on GitLab. An approval that was given by hand stays.
    fn withdraw(&self, _pull: &Pull) -> Result<Withdrawn, Trouble> {
        Ok(Withdrawn::Nothing)
    }

    /// What comments on lines refer to.
    fn place(&self, pull: &Pull) -> Result<Place, Trouble>;

    /// Puts one comment on a line: `path`, `line`, `body`.
    fn comment(&self, pull: &Pull, place: &Place, comment: &Value) -> Result<(), Trouble>;

    /// Replies to a comment, in `thread` where that is known.
    fn reply(
        &self,
        pull: &Pull,
        comment: u64,
        thread: Option<&str>,
        body: &str,
    ) -> Result<(), Trouble>;

    /// All review threads of a pull request.
    fn threads(&self, pull: &Pull) -> Result<Vec<Thread>, Trouble>;

    /// Marks a thread as resolved. **Errors**: also when the answer does not confirm it.
    fn resolve(&self, pull: &Pull, thread: &str) -> Result<(), Trouble>;

    /// Folds a comment away as outdated; GitLab does so itself. **Errors**: also when the answer does not confirm it.
    fn minimize(&self, _comment: &str) -> Result<(), Trouble> {
        Ok(())
    }
}

/// Checks a commit that a service names: 7 to 64 hexadecimal digits.
fn commit(text: Option<&str>) -> Result<String, Trouble> {
    let plain = |sha: &&str| {
        (7..=64).contains(&sha.len()) && sha.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    text.filter(plain)
        .map(str::to_owned)
        .ok_or_else(|| Trouble::malformed("the head of the pull request is no commit"))
}
