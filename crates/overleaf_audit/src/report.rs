//! The data product: where a token is. It never holds one.

use std::path::Path;

use serde::Serialize;

use crate::token::{Form, Token, masked};

/// Schema id of [`Report`].
pub(crate) const SCHEMA: &str = "aris.overleaf_audit.leaks/v1";

const GIT: &str = "take it out of git's settings (`git remote set-url`), reflogs and names (`git reflog expire`, `git branch -m`)";
const HISTORY: &str = "rewrite the history (git filter-repo), drop the reflogs and run `git gc --prune=now`, in every clone";
const HOME: &str = "keep it in the system's keychain instead, and take it out of the file";

/// What kind of place a token is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The content of a file.
    WorkingTree,
    /// The name of a file, folder or link, or the text of a link.
    FileName,
    /// What git keeps beside its objects: remotes and other settings, names of branches, reflogs, hooks, the last fetch.
    Git,
    /// An object of git, whether anything still refers to it or not.
    History,
    /// A file outside the folder in which programs of this user keep or log what they are given.
    Home,
}

impl Part {
    /// Its word, and the advice for it.
    pub(crate) const fn said(self) -> (&'static str, &'static str) {
        match self {
            Self::WorkingTree => ("working_tree", "take it out of the file"),
            Self::FileName => ("file_name", "rename it"),
            Self::Git => ("git", GIT),
            Self::History => ("history", HISTORY),
            Self::Home => ("home", HOME),
        }
    }
}

/// An object of git that holds a token.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Object {
    /// Its name, hexadecimal.
    pub id: String,
    /// `blob`, `tree`, `commit` or `tag`.
    pub kind: String,
    /// One path that it has, or had; masked.
    pub path: Option<String>,
    /// The last commit that brought or took it, abbreviated.
    pub commit: Option<String>,
    /// Whether a branch, tag, stash, reflog or the index leads to it.
    pub reachable: bool,
}

/// A token in a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Leak {
    /// What kind of place.
    pub part: Part,
    /// The file, or the folder of the repository; masked.
    pub place: String,
    /// Line, from 1, in a file of text.
    pub line: Option<u64>,
    /// Bytes before it, in a file or an object; with gzip, in what it unpacks to.
    pub byte: Option<u64>,
    /// The object, in the history.
    pub object: Option<Object>,
    /// How it is written.
    pub form: Form,
    /// Which token.
    pub token: Token,
}

impl Leak {
    pub(crate) fn new(part: Part, place: &Path, form: Form, token: Token) -> Self {
        Self {
            part,
            place: named(place),
            line: None,
            byte: None,
            object: None,
            form,
            token,
        }
    }

    /// Tokens in the home folder may be there on purpose: like the original script, this only warns about them.
    pub(crate) fn is_error(&self) -> bool {
        self.part != Part::Home
    }

    /// The message in one line, without the place.
    pub(crate) fn message(&self) -> String {
        let text = format!("Overleaf token {}{}", self.token, self.form.said());
        let Some(object) = &self.object else {
            return text;
        };
        let id = object.id.get(..12).unwrap_or(&object.id);
        let path = object.path.iter().map(|path| format!(" ({path})"));
        let (kind, path) = (&object.kind, path.collect::<String>());
        let since = match (&object.commit, object.reachable) {
            (Some(commit), _) => format!(", last in commit {commit}"),
            (None, false) => String::from(", which nothing refers to any more"),
            (None, true) => String::new(),
        };
        format!("{text} in {kind} {id}{path}{since}")
    }
}

/// What could not be looked at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Unseen {
    /// The file, folder or repository; masked.
    pub place: String,
    /// Why.
    pub why: String,
    /// What to do.
    pub hint: Option<String>,
}

impl Unseen {
    /// An empty hint counts as none.
    pub(crate) fn new(place: &Path, why: &str, hint: &str) -> Self {
        let hint = Some(hint).filter(|hint| !hint.is_empty());
        Self {
            place: named(place),
            why: masked(why),
            hint: hint.map(str::to_owned),
        }
    }

    /// The message in one line.
    pub(crate) fn said(&self) -> String {
        format!("{} was not looked at: {}", self.place, self.why)
    }
}

/// A path as it is shown, masked.
fn named(path: &Path) -> String {
    if path.as_os_str().is_empty() {
        return String::from(".");
    }
    masked(&path.display().to_string())
}

/// How much was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Looked {
    /// Files read.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Git repositories.
    pub repositories: usize,
    /// Objects of git.
    pub objects: usize,
    /// Those among them that an earlier run had read and found clean.
    pub known: usize,
}

/// What an audit found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    /// The folder; masked.
    pub root: String,
    /// Leaks in `leaks`, those in the home folder not counted.
    pub errors: usize,
    /// Sorted by part and place.
    pub leaks: Vec<Leak>,
    /// What could not be looked at. Not empty means that more may be leaked.
    pub unseen: Vec<Unseen>,
    /// How much was looked at.
    pub looked: Looked,
    /// Whether the form for people is SARIF.
    #[serde(skip)]
    #[cfg_attr(test, schemars(skip))]
    pub(crate) sarif: bool,
}

impl Report {
    /// Adds what another worker found.
    pub(crate) fn add(&mut self, more: Self) {
        self.leaks.extend(more.leaks);
        self.unseen.extend(more.unseen);
        self.looked.files += more.looked.files;
        self.looked.bytes += more.looked.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_current() {
        aris_testkit::check_schema::<Report>(SCHEMA);
    }
}
