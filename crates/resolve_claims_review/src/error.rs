//! What can go wrong in this helper alone.

use std::path::Path;

use aris_contract::ErrorKind::{NotFound, Precondition, Unavailable, Usage, Validation};
use aris_review::Trouble;

/// Errors of `resolve_claims_review`: those of both gates.
pub use aris_gates::GateError as Error;

/// The configuration cannot be read.
pub(crate) fn config(path: &Path, what: &str) -> Error {
    let hint =
        "for example claims_review: {validation_command: make check, validation_timeout: 120}";
    Error::refused_at(
        path,
        Validation,
        format!("{}: {what}", path.display()),
        hint,
    )
}

/// The file is one of the branch under review, and the branch it goes to is not known.
pub(crate) fn no_base(path: &Path) -> Error {
    let message = format!(
        "{} is part of the repository, and the branch that the pull request goes to is not known here",
        path.display()
    );
    let hint = "run fetch of this helper first, which keeps the name of that branch, or git fetch the branch; or give what is to be run with --command and --command-timeout";
    Error::refused_at(path, Precondition, message, hint)
}

/// Another branch is checked out than the one whose review is settled.
pub(crate) fn other_branch(path: &Path, found: &str, wanted: &str) -> Error {
    let place = path.display();
    let message = format!("{place} has branch {found} checked out, and the review is of {wanted}");
    Error::refused_at(path, Precondition, message, &format!("git switch {wanted}"))
}

/// A file that an edit must not touch.
pub(crate) fn file(name: &str, why: &str) -> Error {
    let name = aris_review::one_line(name, 300);
    let hint = "name the edited files relative to the worktree, or leave the comment with --status skipped --reason";
    Error::refused(Usage, format!("{name} cannot be committed: {why}"), hint)
}

/// An edit that changed nothing.
pub(crate) fn unchanged(files: &[String]) -> Error {
    let message = format!("nothing has changed in {}", files.join(", "));
    let hint = "edit the files first, or say --status skipped --reason with the reason";
    Error::refused(Precondition, message, hint)
}

/// A comment that is in no classification.
pub(crate) fn no_entry(id: u64, path: &Path) -> Error {
    let message = format!("comment {id} is not in {}", path.display());
    Error::refused_at(path, NotFound, message, "take a number that plan lists")
}

/// A comment that no edit settles.
pub(crate) fn not_editable(id: u64, what: &str) -> Error {
    let message = format!("comment {id} is not settled by an edit: it is {what}");
    Error::refused(Usage, message, "only entries that plan lists are edited")
}

/// Several open pull requests come from one branch.
pub(crate) fn many_pulls(branch: &str, numbers: &[u64]) -> Error {
    let message = format!("several open pull requests come from {branch}: {numbers:?}");
    Error::refused(
        Precondition,
        message,
        "name the one that is meant with --pr",
    )
}

/// The branch of a pull request lies with somebody else.
pub(crate) fn fork(pull: &str, from: &str, ours: &str) -> Error {
    let message = format!("{pull} comes from {from}, and this worktree is of {ours}");
    let hint = "name your own pull request, or say --allow-fork where the comments on this one are yours to settle";
    Error::refused(Precondition, message, hint)
}

/// It is not clear which pull request is meant: `found` says how many there are.
pub(crate) fn which_pull(path: &Path, found: &str) -> Error {
    let message = format!(
        "{} holds {found} of classification_map_N.json",
        path.display()
    );
    let hint = "run fetch and merge first, or name the pull request with --pr";
    Error::refused_at(path, NotFound, message, hint)
}

/// The service that the pull request lies on was asked and did not say what there is to settle.
pub(crate) fn away(trouble: &Trouble) -> Error {
    let message = format!("the review is not resolved: {trouble}");
    let hint = "call again when it answers; where the token is not accepted, gh auth login or GH_TOKEN, and on GitLab GITLAB_TOKEN";
    Error::refused(Unavailable, message, hint)
}
