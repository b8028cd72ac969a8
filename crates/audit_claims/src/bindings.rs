//! The numbers that a `claims.toml` beside a document binds to data.

use std::collections::BTreeSet;
use std::path::Path;

use aris_claims::Status;
use aris_claims::bindings::FILE_NAME;
use aris_claims::project::{Options, Project};
use aris_review::Edit;
use aris_statements::disk::name;
use aris_statements::rules::BoundNumber;

/// The numbers that are bound in these documents, with their status; `None` when no `claims.toml` is beside any of them. Documents are
/// paths as findings name them, relative to `base`.
pub(crate) fn bound<'p>(
    documents: impl Iterator<Item = &'p Path>,
    base: &Path,
) -> Option<Vec<BoundNumber>> {
    let folders = documents.map(|path| path.parent().unwrap_or(Path::new("")));
    let folders: BTreeSet<&Path> = folders.collect();
    let mut all: Option<Vec<BoundNumber>> = None;
    for folder in folders {
        if let Some(numbers) = evaluated(folder, base) {
            let numbers = numbers.into_iter().map(|(number, _)| number);
            all.get_or_insert_default().extend(numbers);
        }
    }
    all
}

/// Every number that the `claims.toml` in `folder` binds, with its status and the files that its value is made of; `None` without a
/// `claims.toml`. The folder and all files are relative to `base`.
pub(crate) fn evaluated(folder: &Path, base: &Path) -> Option<Vec<(BoundNumber, Vec<String>)>> {
    let named = |file: &str| name(&folder.join(file));
    let base = base.canonicalize().ok()?;
    let within = base.join(folder).canonicalize().ok()?;
    let project = match Project::open(&within, &Options::default()) {
        Ok(project) => project,
        Err(error) => {
            let number = BoundNumber {
                file: named(FILE_NAME),
                line: 1,
                status: Status::BindingError.word().to_owned(),
                // The message is posted, where the path of the worktree is of no use.
                message: error
                    .to_string()
                    .replace(&format!("{}/", base.display()), ""),
                edit: None,
            };
            return Some(vec![(number, vec![named(FILE_NAME)])]);
        }
    };
    if !project.has_claims {
        return None;
    }
    let claims = project.claims_name();
    let audit = project.numbers();
    let bound = audit.entries.iter().filter(|entry| entry.query.is_some());
    let numbers = bound.map(|entry| {
        let place = entry.binding.map(|at| format!(" ({claims}:{})", at.line));
        let place = place.unwrap_or_default();
        let (shown, correct) = (entry.shown.as_deref(), entry.correction.as_deref());
        let edit = shown.zip(correct);
        let edit = edit.map(|(shown, correct)| Edit::new(shown, correct));
        let number = BoundNumber {
            file: named(&entry.position.path),
            line: entry.position.line,
            status: entry.status.word().to_owned(),
            message: format!("{}{place}", entry.detail),
            edit,
        };
        let evidence = entry.evidence.iter().filter_map(|file| {
            let path = aris_fs::lexical(&project.settings.root.join(&file.path));
            path.strip_prefix(&base).ok().map(name)
        });
        (number, evidence.chain([named(&claims)]).collect())
    });
    Some(numbers.collect())
}
