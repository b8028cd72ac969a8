//! Checks that the helper table is sorted and complete. Impossible and duplicate names are refused when it is read.

use crate::fault::Fault;
use crate::verify::{Add as _, Findings, is_kebab, line_of};
use crate::workspace::{TABLE, Workspace};

/// Longest brief, in characters. **Source**: the space that 80 columns leave beside the longest name in the list of helpers.
const BRIEF: usize = 54;

pub(crate) fn check(workspace: &Workspace) -> Result<Findings, Fault> {
    let text = aris_fs::read_text(&workspace.at(TABLE))?;
    let mut findings = Findings::default();
    let mut before = "";
    for row in &workspace.contract {
        let name = row.name.as_str();
        let line = line_of(&text, &format!("name = {name:?}"));
        let mut found = |message: String, hint: &str| findings.add(TABLE, line, message, hint);
        if name <= before {
            found(
                format!("{name} stands after {before}"),
                "sort the rows by name",
            );
        }
        before = name;
        if !is_snake(name) {
            found(
                format!("{name:?} is not snake_case"),
                "a helper's name is also its crate's and its binary's",
            );
        }
        if !is_kebab(&row.owner) {
            found(
                format!("owner {:?} is not kebab-case", row.owner),
                "the owner is a folder in skills",
            );
        }
        if !row.callers.contains(&row.owner) && row.owner != "shared-references" {
            found(
                format!("callers lack the owner {}", row.owner),
                "add the owner to the callers",
            );
        }
        if !row.callers.is_sorted_by(|a, b| a < b) {
            found(
                String::from("callers are not sorted, or one is given twice"),
                "sort them and drop duplicates",
            );
        }
        if row.other_policies.contains(&row.policy)
            || !row.other_policies.is_sorted_by(|a, b| a < b)
        {
            found(
                String::from("other_policies repeat a policy or are not sorted"),
                "list each further policy once, in the order of the alphabet",
            );
        }
        // Skills that call helpers which are not shipped belong to the reference.
        for caller in row.callers.iter().filter(|_| row.shipped) {
            if !workspace.at(&format!("skills/{caller}/SKILL.md")).is_file() {
                found(
                    format!("caller {caller} is not a skill"),
                    "add skills/<caller>/SKILL.md or remove the caller",
                );
            }
        }
        let letters = row.brief.chars().count();
        if row.shipped && !(1..=BRIEF).contains(&letters) {
            found(
                format!("brief has {letters} characters, not 1 to {BRIEF}"),
                "say what it does for a person; aris help shows it",
            );
        }
        for (column, value) in [("rationale", &row.rationale), ("fallback", &row.fallback)] {
            if value.trim().is_empty() {
                found(format!("{column} is empty"), "say it in one sentence");
            }
        }
    }
    if workspace.rows.is_empty() {
        findings.add(TABLE, 0, "has no rows", "add a [[helper]]");
    }
    Ok(findings)
}

fn is_snake(name: &str) -> bool {
    is_kebab(&name.replace('_', "-"))
        && !name.contains('-')
        && name.starts_with(|c: char| c.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Tree, assert_found};

    #[test]
    fn rows_are_sorted_complete_and_unambiguous() {
        let tree = Tree::new();
        assert_eq!(check(&tree.workspace()).expect("read"), []);
        tree.append(
            TABLE,
            "\n[[helper]]\nname = \"Bad-name\"\naliases = [\"a/b\"]\nowner = \"Owner\"\n\
             callers = [\"tool-skill\", \"nobody\"]\npolicy = \"A\"\nrationale = \" \"\nfallback = \"x\"\n",
        );
        let findings = check(&tree.workspace()).expect("read");
        for text in [
            "stands after tool",
            "not snake_case",
            "\"Owner\" is not kebab-case",
            "lack the owner",
            "not sorted",
            "nobody is not a skill",
            "rationale is empty",
            "brief has 0 characters",
        ] {
            assert_found(&findings, TABLE, 15, text);
        }
        assert_eq!(findings.len(), 8, "{findings:#?}");
        tree.write(TABLE, "");
        assert_found(
            &check(&tree.workspace()).expect("read"),
            TABLE,
            0,
            "has no rows",
        );
    }

    #[test]
    fn an_unknown_policy_or_column_or_a_wrong_name_is_refused_when_the_table_is_read() {
        let tree = Tree::new();
        tree.replace(TABLE, "policy = \"C\"", "policy = \"F\"");
        assert!(Workspace::load(&tree.path()).is_err());
        tree.replace(TABLE, "policy = \"F\"", "policy = \"C\"\nextra = 1");
        assert!(Workspace::load(&tree.path()).is_err());
        tree.replace(TABLE, "\nextra = 1", "");
        assert!(Workspace::load(&tree.path()).is_ok());
        for alias in ["tool", "a/../b"] {
            tree.replace(TABLE, "tool.sh", alias);
            assert!(Workspace::load(&tree.path()).is_err(), "{alias}");
            tree.replace(TABLE, &format!("\"{alias}\"]"), "\"tool.sh\"]");
        }
    }
}
