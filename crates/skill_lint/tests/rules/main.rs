#![cfg(test)]

//! Every rule through the real program: one tree with a finding, and its place, and a similar tree without.
//!
//! The table must name every rule of the catalogue, so a rule that never fires in the program fails here.

mod author;
mod dynamic;
mod escapes;
mod frontmatter;
mod integration;
mod layout;
mod manifests;
mod own;
mod portability;
mod scripts;
mod security;

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;

use aris_testkit::{Helper, Project};

/// Files of a tree. A path that ends in `*` gets the execute bit, `path -> target` makes a link, and a path without a folder
/// goes into the skill `a`.
type Files = Vec<(&'static str, Vec<u8>)>;

/// One rule.
struct Case {
    rule: &'static str,
    /// Path, line and column of the first finding.
    at: &'static str,
    flags: &'static [&'static str],
    bad: Files,
    good: Files,
}

/// A case for a rule that needs no flags.
fn case(rule: &'static str, at: &'static str, bad: Files, good: Files) -> Case {
    Case {
        rule,
        at,
        flags: &[],
        bad,
        good,
    }
}

/// A tree of one skill with this SKILL.md and these files.
fn tree<const N: usize>(skill_md: impl AsRef<str>, files: [(&'static str, &str); N]) -> Files {
    let mut all = vec![("a/SKILL.md", skill_md.as_ref().as_bytes().to_vec())];
    all.extend(files.map(|(path, text)| (path, text.as_bytes().to_vec())));
    all
}

/// A tree without the skill `a`.
fn files<const N: usize>(files: [(&'static str, &str); N]) -> Files {
    files
        .map(|(path, text)| (path, text.as_bytes().to_vec()))
        .to_vec()
}

/// A SKILL.md without findings, with more frontmatter. Its body begins at line 5, plus one for each line of `more`.
fn page(more: &str, body: &str) -> String {
    format!(
        "---\nname: a\ndescription: Counts words. Use when words must be counted.\n{more}---\n{body}\n"
    )
}

/// The same with another name.
fn named(name: &str, body: &str) -> String {
    page("", body).replacen("name: a\n", &format!("name: {name}\n"), 1)
}

/// A SKILL.md with a body, which begins at line 5.
fn body(body: &str) -> String {
    page("", body)
}

fn project(files: &Files) -> Project {
    let project = Project::bare();
    for (path, bytes) in files {
        if let Some((path, target)) = path.split_once(" -> ") {
            let at = project.at(path);
            std::fs::create_dir_all(at.parent().expect("a folder")).expect("folders");
            symlink(target, at).expect("a link");
            continue;
        }
        let plain = path.trim_end_matches('*');
        project.write(plain, bytes);
        project.mode(plain, if *path == plain { 0o644 } else { 0o755 });
    }
    project
}

/// Places of the findings of `case.rule` by the program.
fn places(case: &Case, files: &Files) -> Vec<String> {
    let project = project(files);
    let run = Helper::at(env!("CARGO_BIN_EXE_skill_lint"))
        .call(project.path())
        .args([
            "--json",
            "--profile",
            "all",
            "--rule",
            case.rule,
            "--fail-on",
            "never",
            "--allow-empty",
        ])
        .args(case.flags)
        .args(["."])
        .run()
        .expect_code(0);
    let found = run.data();
    let found = found.as_array().expect("a list").iter();
    found
        .filter(|found| found["rule"] == case.rule)
        .map(|found| {
            let path = found["path"].as_str().expect("a path");
            format!("{path}:{}:{}", found["line"], found["col"])
        })
        .collect()
}

fn cases() -> Vec<Case> {
    let mut cases = frontmatter::cases();
    cases.extend(layout::cases());
    cases.extend(scripts::cases());
    cases.extend(dynamic::cases());
    cases.extend(security::cases());
    cases.extend(integration::cases());
    cases.extend(manifests::cases());
    cases.extend(portability::cases());
    cases.extend(own::cases());
    cases
}

/// Runs the cases of one family and reports all that fail.
fn check(cases: &[Case]) {
    let mut wrong = Vec::new();
    for case in cases {
        let (bad, good) = (places(case, &case.bad), places(case, &case.good));
        if bad.first().map(String::as_str) != Some(case.at) {
            wrong.push(format!("{}: {bad:?}, not {}", case.rule, case.at));
        }
        if !good.is_empty() {
            wrong.push(format!("{}: {good:?} in the good tree", case.rule));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_case() {
    let run = Helper::at(env!("CARGO_BIN_EXE_skill_lint"))
        .call(Project::bare().path())
        .args(["--list-rules", "--json"])
        .run()
        .expect_code(0);
    let rules = run.data();
    let rules: BTreeSet<&str> = (rules.as_array().expect("a list").iter())
        .map(|rule| rule["id"].as_str().expect("an id"))
        .collect();
    let cases = cases();
    let named: BTreeSet<&str> = cases.iter().map(|case| case.rule).collect();
    assert_eq!(named, rules);
}
