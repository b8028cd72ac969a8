//! `apply`: commits an edit that settles a comment, or records why there is none.

use aris_cli::Context;
use aris_contract::ErrorKind::{NotFound, Precondition, Usage};
use aris_gates::{Folder, Worktree};
use aris_review::{Classification, Entry, Profile, one_line};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::edited::{checked, refused_file};
use crate::folder::{WorkArgs, groups, lock, map_path, pull, read, read_if_there};
use crate::report::Edit;

/// Longest description in the subject of a commit, in characters.
const SUBJECT: usize = 120;

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Status {
    /// Files were edited
    Applied,
    /// Nothing could be done
    Skipped,
}

/// Arguments of `apply`.
#[derive(Debug, clap::Args)]
pub(crate) struct ApplyArgs {
    /// Number of the comment
    #[arg(long, value_name = "N")]
    id: u64,
    /// What became of it
    #[arg(long)]
    status: Status,
    /// Why nothing could be done
    #[arg(long, value_name = "TEXT", required_if_eq("status", "skipped"))]
    reason: Option<String>,
    /// The edited files, relative to the worktree
    #[arg(long, value_name = "FILE", num_args = 1.., required_if_eq("status", "applied"))]
    files: Vec<String>,
    /// What was done, for the subject of the commit
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    #[command(flatten)]
    work: WorkArgs,
}

/// A commit that is about to be made, `applying_{pr}.json`: after a killed call, the next one recognizes the commit by it.
#[derive(Debug, Serialize, Deserialize)]
struct Intent {
    comment_id: u64,
    head: String,
    subject: String,
}

/// A line of `addressed_{pr}.jsonl`.
#[derive(Debug, Serialize, Deserialize)]
struct Addressed {
    comment_id: u64,
    thread_node_id: Option<String>,
    sha: String,
}

pub(crate) fn run(args: &ApplyArgs, context: &Context) -> Result<Edit, Error> {
    let folder = args
        .work
        .folder
        .folder(context, |profile| profile.resolve)?;
    let pr = pull(&folder, args.work.pr)?;
    let fetched = groups(&folder, pr)?.unwrap_or_default();
    let worktree = args.work.worktree(fetched.worktree.as_deref(), context)?;
    if let Some(wanted) = fetched.branch {
        on_branch(&worktree, &wanted)?;
    }
    let _lock = lock(&folder)?;
    recover(&folder, pr, &worktree)?;
    let path = map_path(&folder, pr);
    let map: Classification = read(&path)?;
    let entry = map.get(&args.id);
    let entry = entry.ok_or_else(|| {
        let message = format!("comment {} is not in {}", args.id, path.display());
        Error::refused_at(&path, NotFound, message, "take a number that plan lists")
    })?;
    if !entry.is_editable() {
        let strategy = entry.fix_strategy.clone();
        let what = strategy.unwrap_or_else(|| entry.verdict.to_string());
        let message = format!(
            "comment {} is not settled by an edit: it is {what}",
            args.id
        );
        let hint = "only entries that plan lists are edited";
        return Err(Error::refused(Usage, message, hint));
    }
    if let Some(sha) = &entry.sha
        && entry.is_settled()
        && worktree.has_line(sha, &line_of(args.id))?
    {
        if args.status == Status::Applied {
            return Ok(Edit::of(args.id, entry, false));
        }
        let message = format!("comment {} was settled by commit {sha}", args.id);
        let hint = "leave it as it is; nothing is recorded as skipped that was committed";
        return Err(Error::refused(Precondition, message, hint));
    }
    if args.status == Status::Skipped {
        let reason = one_line(args.reason.as_deref().unwrap_or_default(), 2000);
        if reason.trim().is_empty() {
            let hint = "say why nothing could be done: the reason becomes the reply";
            return Err(Error::refused(Usage, "--reason is empty".to_owned(), hint));
        }
        let entry = Entry {
            applied: Some(false),
            sha: None,
            reason: Some(reason),
            ..entry.clone()
        };
        return record(&folder, pr, args.id, entry);
    }
    let files = args.files.iter().map(|name| checked(&worktree.path, name));
    let files = files.collect::<Result<Vec<_>, _>>()?;
    // Checked before git looks at the files, because that would start the filter.
    if let Some(name) = worktree.filtered(&files)? {
        let why = "a filter of git would change it (.gitattributes), as for LFS";
        return Err(refused_file(&name, why));
    }
    if !worktree.differs(&files)? {
        let message = format!("nothing has changed in {}", files.join(", "));
        let hint = "edit the files first, or say --status skipped --reason with the reason";
        return Err(Error::refused(Precondition, message, hint));
    }
    let profile = args.work.folder.gate.profile();
    let subject = subject(profile, entry, args.description.as_deref());
    let intent = Intent {
        comment_id: args.id,
        head: worktree.head()?.unwrap_or_default(),
        subject: subject.clone(),
    };
    let intended = format!("applying_{pr}.json");
    folder.write_json(&intended, &intent)?;
    let sha = match worktree.commit(&subject, &line_of(args.id), &files) {
        Ok(sha) => sha,
        Err(error) => {
            aris_fs::remove_file(&folder.at(&intended))?;
            return Err(error);
        }
    };
    settled(&folder, pr, args.id, entry, sha)
}

/// The branch must be that of the review: nothing is committed elsewhere.
fn on_branch(worktree: &Worktree, wanted: &str) -> Result<(), Error> {
    let found = worktree.branch()?;
    if found == wanted {
        return Ok(());
    }
    let path = &worktree.path;
    let place = path.display();
    let message = format!("{place} has branch {found} checked out, and the review is of {wanted}");
    let hint = format!("git switch {wanted}");
    Err(Error::refused_at(path, Precondition, message, &hint))
}

/// `fix(scope): description [dimension]` on one line; without a description, the strategy and the path.
fn subject(profile: &Profile, entry: &Entry, description: Option<&str>) -> String {
    let usual = || {
        let strategy = entry.fix_strategy.as_deref().unwrap_or_default();
        format!("{} in {}", strategy.replace('_', " "), entry.path)
    };
    let description = description.map(|text| one_line(text, SUBJECT));
    let description = description.filter(|text| !text.is_empty());
    let description = description.unwrap_or_else(|| one_line(&usual(), SUBJECT));
    let (scope, about) = (profile.commit_scope, one_line(&entry.dimension, 40));
    format!("fix({scope}): {description} [{about}]")
}

/// The line in the message of a commit that says which comment it settles: `finish` takes no other commit for an edit.
pub(crate) fn line_of(id: u64) -> String {
    format!("Review-Comment: {id}")
}

/// Records a commit that a killed call made and did not record.
fn recover(folder: &Folder, pr: u64, worktree: &Worktree) -> Result<(), Error> {
    let path = folder.at(&format!("applying_{pr}.json"));
    let Some(intent) = read_if_there::<Intent>(&path)? else {
        return Ok(());
    };
    let made = worktree.parent_and_subject()? == Some((intent.head, intent.subject));
    let map: Classification = read(&map_path(folder, pr))?;
    match (made, map.get(&intent.comment_id), worktree.head()?) {
        (true, Some(entry), Some(sha)) if !entry.is_settled() => {
            settled(folder, pr, intent.comment_id, entry, sha)?;
        }
        _ => aris_fs::remove_file(&path)?,
    }
    Ok(())
}

/// Records a commit in the list of addressed comments, then in the classification, and removes the intent last.
fn settled(folder: &Folder, pr: u64, id: u64, entry: &Entry, sha: String) -> Result<Edit, Error> {
    let list = folder.at(&format!("addressed_{pr}.jsonl"));
    let line = Addressed {
        comment_id: id,
        thread_node_id: entry.thread_node_id.clone(),
        sha: sha.clone(),
    };
    let line = serde_json::to_string(&line).map_err(Error::written)?;
    let there = aris_fs::read_optional(&list, aris_fs::READ_LIMIT)?.unwrap_or_default();
    let there = String::from_utf8_lossy(&there);
    if !there.lines().any(|known| known == line) {
        aris_fs::append_line(&list, &line)?;
    }
    let entry = Entry {
        applied: Some(true),
        sha: Some(sha),
        reason: None,
        ..entry.clone()
    };
    let applied = record(folder, pr, id, entry)?;
    aris_fs::remove_file(&folder.at(&format!("applying_{pr}.json")))?;
    Ok(applied)
}

fn record(folder: &Folder, pr: u64, id: u64, entry: Entry) -> Result<Edit, Error> {
    let applied = Edit::of(id, &entry, true);
    let mut map: Classification = read(&map_path(folder, pr))?;
    map.insert(id, entry);
    folder.write_json(&format!("classification_map_{pr}.json"), &map)?;
    Ok(applied)
}
