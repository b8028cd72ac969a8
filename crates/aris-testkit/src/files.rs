//! The list of files for a diff, as GitHub's API returns it.

use serde_json::{Value, json};

/// The entries of the list of files for a diff. `patch` contains the hunks; it is missing where git shows none.
pub(crate) fn files(diff: &str) -> Vec<Value> {
    let mut files = Vec::new();
    for part in format!("\n{diff}").split("\ndiff --git ").skip(1) {
        let part = part.trim_end_matches('\n');
        let name = part
            .lines()
            .next()
            .and_then(|names| names.split(" b/").nth(1));
        let (header, hunks) = match part.split_once("\n@@ ") {
            Some((header, hunks)) => (header, Some(format!("@@ {hunks}"))),
            None => (part, None),
        };
        let lines = |mark: char| {
            let lines = hunks.iter().flat_map(|hunks| hunks.lines());
            lines.filter(|line| line.starts_with(mark)).count()
        };
        let status = if header.contains("\n--- /dev/null") || header.contains("\nnew file") {
            "added"
        } else if header.contains("\n+++ /dev/null") || header.contains("\ndeleted file") {
            "removed"
        } else {
            "modified"
        };
        let mut file = json!({"filename": name, "status": status, "additions": lines('+'), "deletions": lines('-')});
        if let Some(hunks) = hunks {
            file["patch"] = json!(hunks);
        }
        files.push(file);
    }
    files
}
