//! The structure of the tree: one file per rule, one line per finding.

mod edges;
mod generated;
mod layout;
mod lint;
mod schemas;
mod table;

use crate::cargo::{self, Contracts};
use crate::fault::Fault;
use crate::workspace::Workspace;

/// A breach of a rule, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// Relative to the workspace's root.
    pub(crate) path: String,
    /// Line, from 1; 0 for the whole file.
    pub(crate) line: usize,
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl Finding {
    pub(crate) fn new(
        path: impl Into<String>,
        line: usize,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            path: path.into(),
            line,
            message: message.into(),
            hint: hint.into(),
        }
    }
}

/// The findings of a rule.
pub(crate) type Findings = Vec<Finding>;

pub(crate) trait Add {
    fn add(
        &mut self,
        path: impl Into<String>,
        line: usize,
        message: impl Into<String>,
        hint: impl Into<String>,
    );
}

impl Add for Findings {
    fn add(
        &mut self,
        path: impl Into<String>,
        line: usize,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.push(Finding::new(path, line, message, hint));
    }
}

type Rule = fn(&Workspace) -> Result<Vec<Finding>, Fault>;
type BuiltRule = fn(&Workspace, &Contracts) -> Result<Vec<Finding>, Fault>;

/// Rules that only read the tree.
const STATIC: [Rule; 3] = [layout::check, table::check, edges::check];

/// Rules that need the helpers' contracts.
const BUILT: [BuiltRule; 3] = [schemas::check, generated::check, lint::check];

/// Prints every finding; returns 10 if there is one.
pub(crate) fn run(workspace: &Workspace) -> Result<u8, Fault> {
    let mut findings = structure(workspace)?;
    let contracts = cargo::contracts(workspace)?;
    for rule in BUILT {
        findings.extend(rule(workspace, &contracts)?);
    }
    findings.sort();
    findings.dedup();
    for Finding {
        path,
        line,
        message,
        hint,
    } in &findings
    {
        println!("{path}:{}: {message} (hint: {hint})", (*line).max(1));
    }
    let rules = STATIC.len() + BUILT.len();
    match findings.len() {
        0 => println!("verify: {rules} rules, no findings"),
        count => println!("verify: {rules} rules, {count} findings"),
    }
    Ok(if findings.is_empty() {
        0
    } else {
        crate::FINDINGS
    })
}

/// Findings of the rules that only read the tree.
pub(crate) fn structure(workspace: &Workspace) -> Result<Vec<Finding>, Fault> {
    let mut findings = Vec::new();
    for rule in STATIC {
        findings.extend(rule(workspace)?);
    }
    Ok(findings)
}

/// Number of the first line, from 1, that contains `needle`; 0 if there is none.
pub(crate) fn line_of(text: &str, needle: &str) -> usize {
    text.lines()
        .position(|line| line.contains(needle))
        .map_or(0, |index| index + 1)
}

/// Whether `text` is `kebab-case`: lower-case letters and digits in groups joined by single hyphens.
pub(crate) fn is_kebab(text: &str) -> bool {
    text.split('-').all(|part| {
        !part.is_empty()
            && part
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_tree_breaks_no_rule() {
        assert_eq!(
            structure(&crate::tests::Tree::new().workspace()).expect("read"),
            []
        );
    }

    /// Applies the rules that need no build to this tree, so that most breaches show up in `cargo test`.
    #[test]
    fn this_tree_breaks_no_rule() {
        let workspace = Workspace::load(&crate::workspace::root()).expect("the helper table");
        assert_eq!(structure(&workspace).expect("read"), []);
    }

    #[test]
    fn kebab_case_has_single_hyphens_between_groups() {
        for good in ["a", "paper-writing", "a1-b2"] {
            assert!(is_kebab(good), "{good}");
        }
        for bad in ["", "-a", "a-", "a--b", "A-b", "a_b", "a b", "é"] {
            assert!(!is_kebab(bad), "{bad}");
        }
    }
}
