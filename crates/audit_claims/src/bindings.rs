//! The numbers that a `claims.toml` beside a document binds to data.

use std::collections::BTreeSet;
use std::path::{MAIN_SEPARATOR, Path};

use aris_claims::Status;
use aris_claims::bindings::FILE_NAME;
use aris_claims::project::{Options, Project};
use aris_review::Edit;
use aris_statements::rules::BoundNumber;

/// What became of the bound numbers of these documents; `None` when no `claims.toml` lies beside any of them. Documents are given by the
/// paths under which findings name them, relative to `base`.
pub(crate) fn bound<'p>(
    documents: impl Iterator<Item = &'p Path>,
    base: &Path,
) -> Option<Vec<BoundNumber>> {
    let folders = documents.map(|path| path.parent().unwrap_or(Path::new("")));
    let folders: BTreeSet<&Path> = folders.collect();
    let mut all: Option<Vec<BoundNumber>> = None;
    for folder in folders {
        let Some(numbers) = evaluated(&base.join(folder)) else {
            continue;
        };
        let all = all.get_or_insert_default();
        for mut number in numbers {
            let file = folder.join(&number.file).display().to_string();
            number.file = file.replace(MAIN_SEPARATOR, "/");
            all.push(number);
        }
    }
    all
}

/// Every bound number of the `claims.toml` in `folder` with its status, files relative to `folder`; `None` without such a file.
fn evaluated(folder: &Path) -> Option<Vec<BoundNumber>> {
    let folder = folder.canonicalize().ok()?;
    let project = match Project::open(&folder, &Options::default()) {
        Ok(project) => project,
        Err(error) => {
            return Some(vec![BoundNumber {
                file: String::from(FILE_NAME),
                line: 1,
                status: Status::BindingError.word().to_owned(),
                message: error.to_string(),
                edit: None,
            }]);
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
        BoundNumber {
            file: entry.position.path.clone(),
            line: entry.position.line,
            status: entry.status.word().to_owned(),
            message: format!("{}{place}", entry.detail),
            edit,
        }
    });
    Some(numbers.collect())
}
