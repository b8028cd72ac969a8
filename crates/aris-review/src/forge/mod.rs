//! The services that pull requests lie on: one trait, and GitHub and GitLab behind it.
//!
//! Texts that come from there are data. They are put into requests as JSON values and into no command line.

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
    /// The repository that its branch lies in, `owner/name`; none for one that is gone or that nobody here may see.
    pub source: Option<String>,
    /// The branch that it goes to, where the service says so.
    pub base: Option<String>,
    /// How much it changes, as far as the service counts it.
    pub size: Counted,
}

/// Whether a pull request can still be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It can.
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
    /// Neither, or not to the end.
    Unknown,
}

/// What became of the approval of this login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Withdrawn {
    /// There was none.
    Nothing,
    /// It was ours, and is taken back.
    Ours,
    /// It stays: a person gave it, or nothing says that it was us.
    ByHand,
}

/// The commits that a comment on a line is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The commit at the head of the pull request.
    pub head: String,
    /// Where GitLab compares from: the commit that both branches have, and the one that the branch goes to. Empty on GitHub.
    pub base: String,
    /// See `base`.
    pub start: String,
    /// What changes, where the position of a comment depends on it.
    pub diff: crate::Diff,
}

/// A service that pull requests lie on. Comments and reviews have the form of GitHub's REST interface, whatever service they come from.
pub trait Forge {
    /// Its name, for people.
    fn name(&self) -> &'static str;

    /// Whether it answers and knows who asks; the login when it says so.
    ///
    /// **Errors**: a [`Trouble`] for which [`Trouble::is_away`] holds.
    fn reach(&self) -> Result<Option<String>, Trouble>;

    /// What it says about a pull request.
    fn record(&self, pull: &Pull) -> Result<Record, Trouble>;

    /// The diff of a pull request.
    ///
    /// **Errors**: also where it is not whole, as `record` counts it: what is missing in it was not looked at.
    fn diff(&self, pull: &Pull, record: &Record) -> Result<Vec<u8>, Trouble>;

    /// The numbers of the open pull requests of `repository` to `base` from `branch` of the repository `head`. A branch of the same name in a fork of somebody
    /// else is another branch.
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

    /// Submits a review: `body`, `event` and, where it takes them, `comments`.
    fn review(&self, pull: &Pull, review: &Value) -> Result<(), Trouble>;

    /// Takes an approval of ours back, which is a review of this number. Where no review is an approval, as on GitLab, there is nothing to do.
    fn dismiss(&self, _pull: &Pull, _review: u64, _message: &str) -> Result<(), Trouble> {
        Ok(())
    }

    /// Takes our approval back where it is no review, as on GitLab; what this login approved by hand stays.
    fn withdraw(&self, _pull: &Pull) -> Result<Withdrawn, Trouble> {
        Ok(Withdrawn::Nothing)
    }

    /// What comments on lines need.
    fn place(&self, pull: &Pull) -> Result<Place, Trouble>;

    /// Puts one comment on a line: `path`, `line`, `body`.
    fn comment(&self, pull: &Pull, place: &Place, comment: &Value) -> Result<(), Trouble>;

    /// Replies to a comment, which began `thread` where that is known.
    fn reply(
        &self,
        pull: &Pull,
        comment: u64,
        thread: Option<&str>,
        body: &str,
    ) -> Result<(), Trouble>;

    /// All review threads of a pull request.
    fn threads(&self, pull: &Pull) -> Result<Vec<Thread>, Trouble>;

    /// Marks a thread as resolved. **Errors**: also when it is said not to be resolved afterwards.
    fn resolve(&self, pull: &Pull, thread: &str) -> Result<(), Trouble>;

    /// Folds a comment away as outdated; GitLab does so itself. **Errors**: also when it is said not to be folded away afterwards.
    fn minimize(&self, _comment: &str) -> Result<(), Trouble> {
        Ok(())
    }
}

/// A commit as a service names it.
fn commit(text: Option<&str>) -> Result<String, Trouble> {
    let plain = |sha: &&str| {
        (7..=64).contains(&sha.len()) && sha.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    text.filter(plain)
        .map(str::to_owned)
        .ok_or_else(|| Trouble::malformed("the head of the pull request is no commit"))
}
