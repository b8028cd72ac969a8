//! `cargo xtask size`: lines of Rust in each crate, source and tests, compared with the last release.
//!
//! Empty lines and comments are not counted. A final `mod tests` in a file counts as tests, and so do files below `tests` and
//! `benches` and files called `tests.rs`.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::time::Duration;

use crate::fault::Fault;
use crate::workspace::Workspace;

/// Time limit of git; it reads a few thousand files.
const GIT: Duration = Duration::from_mins(1);

/// Limit for all sources of one revision, in bytes.
const SOURCES: usize = 256 << 20;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Commit or tag to compare with [default: the last tag, if there is one]
    #[arg(long)]
    rev: Option<String>,
}

/// Lines of source, and of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lines(i64, i64);

impl Lines {
    fn add(&mut self, Self(source, tests): Self) {
        self.0 += source;
        self.1 += tests;
    }
}

/// Prints a row for each crate, the largest first, and the sum.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<u8, Fault> {
    let mut now = BTreeMap::new();
    let names = git(workspace, &["ls-files", "-z", "*.rs"])?;
    for name in String::from_utf8_lossy(&names).split_terminator('\0') {
        // A removed file may still be in the index.
        if let Some(text) = aris_fs::read_optional(&workspace.at(name), aris_fs::READ_LIMIT)? {
            count(&mut now, name, &String::from_utf8_lossy(&text));
        }
    }
    let tag = || git(workspace, &["describe", "--tags", "--abbrev=0"]).ok();
    let tag = || Some(String::from_utf8_lossy(&tag()?).trim().to_owned());
    let rev = args.rev.clone().or_else(tag);
    let mut before = BTreeMap::new();
    if let Some(rev) = &rev {
        let bytes = git(workspace, &["archive", "--format=tar", rev])?;
        let mut archive = tar::Archive::new(bytes.as_slice());
        for entry in archive.entries().map_err(Fault::from_error)? {
            let mut entry = entry.map_err(Fault::from_error)?;
            let path = entry.path().map_err(Fault::from_error)?.into_owned();
            let mut text = String::new();
            if path.extension().is_some_and(|extension| extension == "rs")
                && entry.read_to_string(&mut text).is_ok()
            {
                count(&mut before, &path.to_string_lossy(), &text);
            }
        }
    }
    let mut crates: Vec<&String> = now.keys().chain(before.keys()).collect();
    let of = |lines: &BTreeMap<String, Lines>, name: &String| {
        lines.get(name).copied().unwrap_or_default()
    };
    crates.sort_by_key(|name| (-of(&now, name).0, *name));
    crates.dedup();
    let (mut all, mut past) = (Lines::default(), Lines::default());
    for name in crates {
        all.add(of(&now, name));
        past.add(of(&before, name));
        show(
            name,
            of(&now, name),
            rev.as_ref().map(|_| of(&before, name)),
        );
    }
    show("all", all, rev.as_ref().map(|_| past));
    println!(
        "beside {}",
        rev.as_deref()
            .unwrap_or("nothing: there is no tag; --rev REV names a commit")
    );
    Ok(0)
}

fn show(name: &str, Lines(source, tests): Lines, before: Option<Lines>) {
    let change = before.map_or_else(String::new, |before| {
        format!(
            " ({:+} source, {:+} tests)",
            source - before.0,
            tests - before.1
        )
    });
    println!("{source:7} source {tests:7} tests  {name}{change}");
}

/// Adds the lines of a file to those of its crate.
fn count(crates: &mut BTreeMap<String, Lines>, path: &str, text: &str) {
    let mut parts = path.strip_prefix("crates/").unwrap_or(path).split('/');
    let name = parts.next().unwrap_or_default().to_owned();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_tests =
        |pair: &[&str]| matches!(pair, ["#[cfg(test)]", next] if next.starts_with("mod tests {"));
    let mut end = lines.windows(2).position(is_tests).unwrap_or(lines.len());
    if path.contains("/tests")
        || path.starts_with("tests/")
        || path.contains("/benches/")
        || path.ends_with("tests.rs")
    {
        end = 0;
    }
    let code = |lines: &[&str]| {
        lines
            .iter()
            .filter(|line| !line.is_empty() && !line.starts_with("//"))
            .count()
    };
    let code = |lines: Option<&[&str]>| i64::try_from(lines.map_or(0, code)).unwrap_or(i64::MAX);
    let counted = Lines(code(lines.get(..end)), code(lines.get(end..)));
    crates.entry(name).or_default().add(counted);
}

fn git(workspace: &Workspace, args: &[&str]) -> Result<Vec<u8>, Fault> {
    let command = aris_proc::command("git", &workspace.root).args(args);
    let done = command.capture_limit(SOURCES).run(GIT)?;
    if done.success() {
        return Ok(done.stdout.bytes);
    }
    Err(Fault::new(format!(
        "git {}: {}",
        args.join(" "),
        done.stderr.text().trim_end()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_counts_where_it_stands() {
        let mut crates = BTreeMap::new();
        let text = "//! Doc.\n\nfn a() {\n    // why\n    b();\n}\n\n#[cfg(test)]\nmod tests {\n    fn c() {}\n}\n";
        count(&mut crates, "crates/one/src/lib.rs", text);
        assert_eq!(crates["one"], Lines(3, 4));
        count(&mut crates, "crates/one/tests/cli.rs", text);
        count(&mut crates, "xtask/src/dist/tests.rs", text);
        assert_eq!(
            (crates["one"], crates["xtask"]),
            (Lines(3, 11), Lines(0, 7))
        );
        count(
            &mut crates,
            "tests/flows/main.rs",
            "#[cfg(test)]\nmod tests;\nx\n",
        );
        assert_eq!(crates["tests"], Lines(0, 3));
    }
}
