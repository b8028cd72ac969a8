//! Files of the worktree that evidence may quote, and the lines around a comment.

use std::path::Path;

use aris_fs::EntryKind;
use aris_review::{Files, Grouped};
use aris_statements::disk::inside;
use serde_json::{Value, json};

/// Lines before and after a comment's line. **Source**: citation gates, §9.
const AROUND: usize = 30;

/// Largest file that is read, in bytes; reports are far smaller.
const LIMIT: u64 = 4 << 20;

/// The lines around each comment whose file can be read: `id`, `first_line`, `lines`.
pub(crate) fn context(worktree: &Path, findings: &[Grouped]) -> Vec<Value> {
    let around = findings.iter().filter_map(|finding| {
        let text = text(worktree, &finding.path)?;
        let line = usize::try_from(finding.line?).ok()?;
        let first = line.saturating_sub(AROUND).max(1);
        let lines = text.lines().skip(first - 1);
        let lines: Vec<&str> = lines.take(line + AROUND + 1 - first).collect();
        Some(json!({"id": finding.id, "first_line": first, "lines": lines}))
    });
    around.collect()
}

/// The commented files and the bibliographies beside them.
pub(crate) fn files<'a>(worktree: &Path, findings: impl IntoIterator<Item = &'a Grouped>) -> Files {
    let mut files = Files::default();
    for finding in findings {
        if files.texts.contains_key(&finding.path) {
            continue;
        }
        let Some(text) = text(worktree, &finding.path) else {
            continue;
        };
        files.texts.insert(finding.path.clone(), text);
        let folder = Path::new(&finding.path).parent().unwrap_or(Path::new(""));
        let names = bibliographies(worktree, folder).into_iter();
        let read = names.filter_map(|name| Some((self::text(worktree, &name)?, name)));
        files.texts.extend(read.map(|(text, name)| (name, text)));
    }
    files
}

/// Paths of the `.bib` files in `folder`, that of a report, and at the top of the worktree.
fn bibliographies(worktree: &Path, folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for folder in [folder, Path::new("")] {
        let entries = aris_fs::list_sorted(&worktree.join(folder)).unwrap_or_default();
        for entry in entries {
            let path = folder.join(&entry.name);
            let is_bib = path.extension().is_some_and(|ending| ending == "bib");
            if entry.kind == EntryKind::File && is_bib {
                names.push(path.display().to_string());
            }
        }
    }
    names
}

/// A file of the worktree as text; `None` when it is absent, not UTF-8, larger than `LIMIT`, or outside of the worktree. The path comes
/// from a pull request: it must not lead out of the worktree, not even through a link.
fn text(worktree: &Path, path: &str) -> Option<String> {
    let path = inside(worktree, path)?;
    String::from_utf8(aris_fs::read(&path, LIMIT).ok()?).ok()
}
