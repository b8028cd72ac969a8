//! The diff of a pull request and the sections of reports in it.

use std::collections::BTreeSet;
use std::path::Path;

use aris_claims::bindings::FILE_NAME;
use aris_cli::Context;
use aris_contract::ErrorKind::Validation;
use aris_gates::{Folder, Worktree, goes_to, open};
use aris_review::{Claim, Diff, DiffFile, Finding, Forge, Gate, Pull, Reports};
use aris_statements::disk::inside;

use crate::Error;
use crate::agents::unseen;

/// Which files are reports.
#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// Files that are reports; may be repeated [default: research/**, *.md, *.markdown, *.tex, in upper or lower case]
    #[arg(long, value_name = "GLOB")]
    report_glob: Vec<String>,
}

impl ReportArgs {
    /// The globs.
    pub(crate) fn reports(&self) -> Reports {
        Reports::of(&self.report_glob)
    }
}

/// What a pull request changes.
pub(crate) struct Changes {
    /// The commit at its head.
    pub(crate) head: String,
    /// The whole diff. Where it does not show the text of a report, and this repository has the head, the report follows at the end as if
    /// it was new.
    pub(crate) diff: Vec<u8>,
}

/// Gets the diff and keeps it; `base` is the branch that the pull request has to go to. **Errors**: also a [`Trouble`](Error::Trouble) of the service, which blocks nobody.
pub(crate) fn fetch(
    forge: &dyn Forge,
    (pull, base): (&Pull, Option<&str>),
    reports: &Reports,
    worktree: Option<&Worktree>,
    folder: &Folder,
) -> Result<Changes, Error> {
    forge.reach()?;
    let record = forge.record(pull)?;
    open(pull, &record)?;
    if let Some(base) = base {
        goes_to(pull, &record, base)?;
    }
    let mut diff = forge.diff(pull, &record)?;
    let read = Diff::read(&diff);
    for hidden in reports.hidden(&read).iter().filter(|hidden| hidden.is_file) {
        let text = match worktree {
            Some(worktree) => worktree.text_at(&record.head, &hidden.path)?,
            None => None,
        };
        if let Some(text) = text {
            diff.extend(hidden.as_new(&text).into_bytes());
        }
    }
    folder.write(&format!("diff_{}.txt", pull.number), &diff)?;
    Ok(Changes {
        head: record.head,
        diff,
    })
}

/// The files that the rules read and that differ from those at the head of the pull request: files of the diff, bibliographies and
/// bindings. Where this repository does not have the head, only the lines that the diff shows are compared.
pub(crate) fn stale(
    worktree: &Worktree,
    diff: &Diff,
    head: &str,
) -> Result<BTreeSet<String>, Error> {
    let beside = |name: &str| {
        let ending = Path::new(name).extension().unwrap_or_default();
        ending.eq_ignore_ascii_case("bib") || name.ends_with(FILE_NAME)
    };
    let mut changed = worktree.changed_since(head)?.unwrap_or_default();
    changed.retain(|name| beside(name) || diff.file(name).is_some());
    let differs = |file: &&DiffFile| match inside(&worktree.path, &file.path) {
        Some(path) => {
            let bytes = aris_fs::read(&path, aris_fs::READ_LIMIT).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            let lines: Vec<&str> = text.lines().collect();
            file.lines.iter().any(|shown| {
                let at = usize::try_from(shown.number).ok();
                let line = at.and_then(|at| lines.get(at.checked_sub(1)?));
                line.is_none_or(|line| *line != shown.text.trim_end_matches('\r'))
            })
        }
        // A report that is not here is read from the diff; a bibliography is not, because the diff may show only a part of it.
        None => beside(&file.path) && !file.lines.is_empty(),
    };
    let shown = diff.files.iter().filter(differs);
    Ok(shown.map(|file| file.path.clone()).chain(changed).collect())
}

/// Findings about reports that nobody can look at, because the diff does not show their text, or because of their format.
pub(crate) fn not_shown(reports: &Reports, diff: &Diff, gate: Gate) -> Vec<Finding> {
    let hidden = reports.hidden(diff).into_iter();
    let dimension = gate.profile().dimensions[0];
    let open = hidden.map(|hidden| {
        let why = hidden.why;
        let why = format!("the diff does not show the text of this report: {why}");
        unseen((&hidden.path, None), dimension, &why)
    });
    let unread = reports.unread(diff).map(|path| {
        let why = "no program here reads documents of this format";
        unseen((path, None), dimension, why)
    });
    open.chain(unread).collect()
}

/// The diff in a file of the caller.
///
/// **Errors**: it is no unified diff, or no whole one: claims in it would be missed in silence.
pub(crate) fn given_diff(path: &Path, context: &Context) -> Result<Vec<u8>, Error> {
    let path = context.absolute(path);
    let mut bytes = aris_fs::read(&path, aris_fs::READ_LIMIT)?;
    // Shells strip the last line end.
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    let diff = Diff::read(&bytes);
    let is_empty = bytes.trim_ascii().is_empty();
    let none = (diff.size.files == 0 && !is_empty).then_some("no line of it names a file");
    let Some(why) = diff.fault.as_deref().or(none) else {
        return Ok(bytes);
    };
    let message = format!("{} is no whole unified diff: {why}", path.display());
    let hint = "make it with git diff --no-color --no-ext-diff, without --word-diff and --stat";
    Err(Error::refused_at(&path, Validation, message, hint))
}

/// The claims that an earlier step kept; empty when there was none.
pub(crate) fn kept_claims(folder: &Folder, number: u64) -> Result<Vec<Claim>, Error> {
    let path = folder.at(&format!("claims_{number}.json"));
    let kept = aris_gates::read_if_there(&path, "run prepare or run again")?;
    Ok(kept.unwrap_or_default())
}

/// The diff in the given file, else the one that an earlier step kept.
pub(crate) fn kept_diff(
    folder: &Folder,
    given: Option<&Path>,
    number: u64,
    context: &Context,
) -> Result<Option<Vec<u8>>, Error> {
    let kept = folder.at(&format!("diff_{number}.txt"));
    Ok(match given {
        Some(path) => Some(given_diff(path, context)?),
        None => aris_fs::read_optional(&kept, aris_fs::READ_LIMIT)?,
    })
}
