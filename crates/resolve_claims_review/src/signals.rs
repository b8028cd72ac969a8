//! Signals: findings of the rules about the commented reports that only a new experiment can settle.

use std::collections::BTreeSet;
use std::path::Path;

use aris_cli::Context;
use aris_gates::Held;
use aris_review::{Grouped, Signal};
use aris_statements::disk::{Disk, inside};
use aris_statements::rules::{check, rerun_rules};

/// The signals about the commented reports, and what could not be checked.
///
/// **Source**: citation gates, §8.6.
pub(crate) fn look<'a>(
    worktree: &Path,
    findings: impl IntoIterator<Item = &'a Grouped>,
    held: &Held<'_>,
    context: &Context,
) -> (Vec<Signal>, Vec<String>) {
    let disk = Disk::new(context.cwd());
    let paths = findings.into_iter().map(|finding| finding.path.as_str());
    let reports: BTreeSet<&str> = paths.filter(|path| is_report(path)).collect();
    let mut signals = Vec::new();
    let sources = held.sources();
    let mut not_checked: BTreeSet<String> = held.problems.iter().cloned().collect();
    for report in reports {
        let prose = match inside(worktree, report) {
            Some(path) => disk.prose(&path).map_err(|error| error.to_string()),
            None => Err(String::from("it is not in the worktree")),
        };
        let prose = match prose {
            Ok(prose) => prose,
            Err(why) => {
                not_checked.insert(format!("{report}: {why}"));
                continue;
            }
        };
        let found = check(&[prose], &sources);
        for not in found.not_checked {
            if rerun_rules().contains(&not.rule) {
                not_checked.insert(format!("{}: {}", not.rule, not.reason));
            }
        }
        for mut finding in found.findings {
            let path = Path::new(&finding.file).strip_prefix(worktree);
            if let Ok(path) = path {
                finding.file = path.display().to_string();
            }
            signals.extend(Signal::of(finding));
        }
    }
    (signals, not_checked.into_iter().collect())
}

fn is_report(path: &str) -> bool {
    let ending = Path::new(path).extension().unwrap_or_default();
    ["md", "markdown", "tex"]
        .iter()
        .any(|known| ending.eq_ignore_ascii_case(known))
}
