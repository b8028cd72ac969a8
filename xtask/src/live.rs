//! `cargo xtask live`: what only the network can answer. It opens no gate and closes none; it runs on a schedule.
//!
//! * known vulnerabilities and withdrawn versions among our dependencies (`cargo deny check advisories`);
//! * whether the public contract still has the helpers that our table promises, under the same names and policies;
//! * whether the linter still reads large public skills repositories without failing.
//!
//! Exit: 0 nothing new, 7 something did not answer, 10 something has changed, 1 a step failed. Silence is never "nothing new".

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use aris_contract::helpers;

use crate::cargo;
use crate::fault::Fault;
use crate::workspace::Workspace;

/// A clone of one commit of a large repository.
const CLONE: Duration = Duration::from_mins(5);

/// The exit code for an outside that did not answer.
const SILENT: u8 = 7;

/// The repository whose contract we keep.
const CONTRACT: &str = "wanshuiyin/Auto-claude-code-research-in-sleep";

/// Where its contract stands, below its root.
const CONTRACT_PAGE: &str = "skills/shared-references/integration-contract.md";

/// Large public repositories of skills.
const REPOSITORIES: [&str; 5] = [
    "anthropics/skills",
    "obra/superpowers",
    "openai/skills",
    "wshobson/agents",
    "0xDarkMatter/claude-mods",
];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where repositories are cloned from; OWNER/NAME.git is appended
    #[arg(long, value_name = "URL", default_value = "https://github.com")]
    from: String,
    /// Leave the dependencies out
    #[arg(long)]
    skip_advisories: bool,
}

/// What a step found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Current,
    Silent,
    Changed,
}

/// Runs all steps; a silent one does not keep the others from running.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<u8, Fault> {
    let mut worst = State::Current;
    let mut note = |what: &str, state: State, words: &str| {
        let word = match state {
            State::Current => "current",
            State::Silent => "no answer",
            State::Changed => "CHANGED",
        };
        println!(
            "{what}: {word}{}{words}",
            if words.is_empty() { "" } else { ": " }
        );
        worst = worst.max(state);
    };
    if !args.skip_advisories {
        let (state, words) = advisories(workspace)?;
        note("advisories", state, &words);
    }
    let folder = tempfile::tempdir().map_err(Fault::from_error)?;
    match clone(&args.from, CONTRACT, folder.path())? {
        None => note("contract", State::Silent, CONTRACT),
        Some(path) => {
            let (state, words) = contract(&path)?;
            note("contract", state, &words);
        }
    }
    for repository in REPOSITORIES {
        match clone(&args.from, repository, folder.path())? {
            None => note("lint", State::Silent, repository),
            Some(path) => {
                let (state, words) = lint(workspace, &path)?;
                note("lint", state, &format!("{repository}: {words}"));
            }
        }
    }
    Ok(match worst {
        State::Current => 0,
        State::Silent => SILENT,
        State::Changed => crate::FINDINGS,
    })
}

fn advisories(workspace: &Workspace) -> Result<(State, String), Fault> {
    let done = cargo::cargo(workspace)
        .args(["deny", "check", "advisories"])
        .run(CLONE)?;
    let said = done.stderr.text().into_owned();
    let line = |word: &str| {
        said.lines()
            .find(|line| line.contains(word))
            .map(str::to_owned)
    };
    Ok(if done.success() {
        (State::Current, String::new())
    } else if let Some(found) = line("error[") {
        (State::Changed, found)
    } else {
        let last = said.lines().last().unwrap_or_default().to_owned();
        (State::Silent, last)
    })
}

/// Clones the newest commit; `None` when the host does not answer.
fn clone(from: &str, repository: &str, into: &Path) -> Result<Option<std::path::PathBuf>, Fault> {
    let target = into.join(repository.replace('/', "+"));
    let done = aris_proc::command("git", into)
        .args(["clone", "--quiet", "--depth", "1", "--no-tags"])
        .arg(format!("{}/{repository}.git", from.trim_end_matches('/')))
        .arg(&target)
        .env("GIT_TERMINAL_PROMPT", "0")
        .run(CLONE);
    match done {
        Ok(done) if done.success() => Ok(Some(target)),
        Ok(_) | Err(aris_proc::ProcError::TimedOut { .. }) => Ok(None),
        Err(error) => Err(Fault::new(error.to_string())),
    }
}

/// Compares the contract's table of policies with ours.
fn contract(repository: &Path) -> Result<(State, String), Fault> {
    let Some(bytes) = aris_fs::read_optional(&repository.join(CONTRACT_PAGE), aris_fs::READ_LIMIT)?
    else {
        return Ok((State::Changed, format!("{CONTRACT_PAGE} is gone")));
    };
    let theirs = policies(&String::from_utf8_lossy(&bytes));
    if theirs.is_empty() {
        return Ok((
            State::Changed,
            format!("{CONTRACT_PAGE} has no table of policies any more"),
        ));
    }
    let mut changes = Vec::new();
    for (name, policy) in &theirs {
        let base = name.rsplit('/').next().unwrap_or(name);
        let row = helpers::contract().find(|row| {
            row.names()
                .iter()
                .any(|known| *known == base || known.rsplit('/').next() == Some(base))
        });
        match row {
            None => changes.push(format!("{name} is new (policy {policy})")),
            Some(row) if !letters(row).any(|letter| letter == policy) => changes.push(format!(
                "{name} has policy {policy} there and {} here",
                row.policy.letter()
            )),
            Some(_) => {}
        }
    }
    Ok(if changes.is_empty() {
        (State::Current, format!("{} helpers", theirs.len()))
    } else {
        (State::Changed, changes.join("; "))
    })
}

/// The policies that our table allows for a helper.
fn letters(row: &helpers::Helper) -> impl Iterator<Item = &'static str> {
    std::iter::once(row.policy)
        .chain(row.other_policies.iter().copied())
        .map(aris_contract::policy::Policy::letter)
}

/// Helpers and the first word of their policy, from the Markdown table whose header names both.
fn policies(page: &str) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    let mut column = None;
    for line in page.lines() {
        let cells: Vec<&str> = line
            .trim()
            .trim_matches('|')
            .split('|')
            .map(str::trim)
            .collect();
        if !line.trim_start().starts_with('|') {
            column = None;
            continue;
        }
        if let Some(at) = cells
            .iter()
            .position(|cell| cell.eq_ignore_ascii_case("policy"))
        {
            column = Some(at);
            continue;
        }
        let (Some(at), Some(first)) = (column, cells.first()) else {
            continue;
        };
        let policy = cells.get(at).copied().unwrap_or_default();
        let letter = policy
            .trim_start_matches(['*', '`'])
            .split(|character: char| !character.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default();
        if !matches!(letter, "A" | "B" | "C" | "D1" | "D2" | "E") {
            continue;
        }
        // Names stand in backticks, several in one cell.
        for name in first.split('`').skip(1).step_by(2) {
            let name = name.split_whitespace().next().unwrap_or_default();
            if name.contains('.') {
                found.insert((name.to_owned(), letter.to_owned()));
            }
        }
    }
    found
}

/// Lints a repository, statically. What it finds there is not ours to judge; that it can be read is.
fn lint(workspace: &Workspace, path: &Path) -> Result<(State, String), Fault> {
    let program = cargo::build(workspace, &["skill_lint"], "dev")?.join("skill_lint");
    let done = aris_proc::command(program, path)
        .args(["--profile", "all", "--fail-on", "never", "--no-config", "."])
        .run(CLONE)?;
    let state = if done.success() {
        State::Current
    } else {
        State::Changed
    };
    let said = done.stderr.text();
    Ok((state, said.lines().last().unwrap_or_default().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_table_is_found_among_others() {
        let page = "| Integration | Policy |\n|---|---|\n| no helper here | A |\n\ntext\n\n\
            | Helper | Policy | Why |\n|---|---|---|\n| `save_trace.sh` | **C** forensic | x |\n\
            | `a.py`, `tools/b.py` (both) | D1 / D2 | y |\n| `c.py` | see below | z |\n";
        let found = policies(page);
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [("a.py", "D1"), ("save_trace.sh", "C"), ("tools/b.py", "D1")]
                .map(|(name, policy)| (name.to_owned(), policy.to_owned()))
        );
    }
}
