//! Reads `skills/shared-references/integrations.toml` strictly and generates `crates/aris-contract/src/integrations/table.json`
//! and `skills/shared-references/integrations.md`.

use aris_contract::integrations::{Covers, Form, Integration, Predicate, Role, Step};
use serde::Deserialize;

use crate::fault::Fault;
use crate::sync::guide::cell;
use crate::sync::{Plan, Stale};
use crate::verify::{is_kebab, line_of};
use crate::workspace::Workspace;

/// The file with the rows.
pub(crate) const TABLE: &str = "skills/shared-references/integrations.toml";

const TYPED: &str = "crates/aris-contract/src/integrations/table.json";
const PAGE: &str = "skills/shared-references/integrations.md";
const MARKERS: (&str, &str) = ("<!-- integrations:begin -->", "<!-- integrations:end -->");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    integration: Vec<Integration>,
}

/// Generates the typed table.
pub(crate) fn typed(workspace: &Workspace) -> Result<Plan, Fault> {
    let (text, rows) = read(workspace)?;
    let mut plan = Plan {
        problems: problems(workspace, &text, &rows),
        ..Plan::default()
    };
    if plan.problems.is_empty() {
        plan.json(TYPED, &rows)?;
    }
    Ok(plan)
}

/// Generates the page for people.
pub(crate) fn page(workspace: &Workspace, plan: &mut Plan) -> Result<(), Fault> {
    let (_, rows) = read(workspace)?;
    let body: String = rows.iter().map(markdown).collect();
    let body = format!(
        "\n| Integration | Predicate | Helper | Artifact | Checklist | Backfill | Verifier |\n|---|---|---|---|---|---|---|\n{body}\n"
    );
    let head = "# Integrations\n\nWhere one skill relies on another, or on state that a project keeps. The table is generated from\n\
                `integrations.toml` by `cargo xtask sync`; text around it is written by hand. In a project, `contract_check status`\n\
                says which of them fire and what they left, `contract_check checklist NAME` shows the checklist.\n";
    plan.renew(workspace, PAGE, MARKERS, &body, Some(head))
}

fn read(workspace: &Workspace) -> Result<(String, Vec<Integration>), Fault> {
    let text = aris_fs::read_text(&workspace.at(TABLE))?;
    let table: Table =
        toml_edit::de::from_str(&text).map_err(|error| Fault::new(format!("{TABLE}: {error}")))?;
    Ok((text, table.integration))
}

/// Checks that types cannot express: known helpers and schemas, paths that stay in the project, sorted names, no empty part.
fn problems(workspace: &Workspace, text: &str, rows: &[Integration]) -> Vec<Stale> {
    let mut found = Vec::new();
    let mut before = "";
    for row in rows {
        let line = line_of(text, &format!("name = {:?}", row.name));
        let mut wrong = |what: String| found.push(Stale::new(TABLE, line, what));
        if row.name.as_str() <= before {
            wrong(format!("{} stands after {before}", row.name));
        }
        before = &row.name;
        if !is_kebab(&row.name) || !is_kebab(&row.caller) {
            wrong(String::from("name and caller are kebab-case"));
        }
        if row.artifacts.is_empty() || row.checklist.is_empty() || row.title.trim().is_empty() {
            wrong(String::from(
                "an integration has artifacts, a checklist and a title",
            ));
        }
        let mut helpers = vec![row.helper.as_str(), row.verifier.helper.as_str()];
        let mut paths = Vec::new();
        parts(&row.fires, &mut paths);
        for artifact in &row.artifacts {
            paths.push(&artifact.path);
            match &artifact.covers {
                Some(Covers::ArxivIds(files)) => paths.extend(files),
                Some(Covers::Folders(files)) => paths.push(files),
                Some(Covers::Inputs { files, when, .. }) => {
                    if artifact.hashed.is_none()
                        || when.as_ref().is_some_and(|when| !when.starts_with('/'))
                    {
                        wrong(format!(
                            "covers of {} needs `hashed` and a pointer with /",
                            artifact.path
                        ));
                    }
                    paths.extend(files);
                }
                None => {}
            }
            match &artifact.backfill {
                Step::Helper { helper, .. } => helpers.push(helper),
                Step::Skill { skill } if skill.starts_with('/') => {}
                Step::Skill { .. } => wrong(format!(
                    "backfill of {} names a skill without its slash",
                    artifact.path
                )),
            }
            if let Form::Schema(id) = &artifact.form {
                let schema = format!("schemas/{}", aris_contract::schema::file_name(id));
                if !workspace.at(&schema).is_file() {
                    wrong(format!(
                        "form {id:?} is neither json, text, png nor a schema"
                    ));
                }
            }
            let pointers: Vec<&String> = (artifact.expect.iter())
                .map(|expect| &expect.pointer)
                .chain(&artifact.hashed)
                .collect();
            if pointers.iter().any(|pointer| !pointer.starts_with('/'))
                || (!pointers.is_empty() && matches!(artifact.form, Form::Text | Form::Png))
            {
                wrong(format!(
                    "expect and hashed of {} need JSON and pointers with /",
                    artifact.path
                ));
            }
        }
        for helper in helpers {
            if !workspace.contract.iter().any(|row| row.name == helper) {
                wrong(format!("{helper} is not in the helper table"));
            }
        }
        for path in paths {
            let plain = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
            if !plain {
                wrong(format!("{path:?} is not a plain path in the project"));
            }
        }
    }
    found
}

/// A row of the table as Markdown.
fn markdown(row: &Integration) -> String {
    let join = |parts: Vec<String>| {
        let mut parts = parts;
        parts.dedup();
        parts.join("; ")
    };
    let leaves = join(
        row.artifacts
            .iter()
            .map(|artifact| format!("`{}`", artifact.path))
            .collect(),
    );
    let backfill = join(
        row.artifacts
            .iter()
            .map(|artifact| format!("`{}`", step_words(&artifact.backfill)))
            .collect(),
    );
    let role = match row.verifier.role {
        Role::Gate => "gate",
        Role::SkillGate => "gate of its skill",
        Role::Diagnostic => "diagnostic",
    };
    let verifier = format!(
        "`{} {}` ({role})",
        row.verifier.helper,
        row.verifier.args.join(" ")
    );
    format!(
        "| {}: {} | {} | `{}` | {} | `contract_check checklist {}` | {} | {} |\n",
        row.name,
        cell(&row.title),
        cell(&words(&row.fires)),
        row.helper,
        cell(&leaves),
        row.name,
        cell(&backfill),
        cell(&verifier)
    )
}

/// Alternatives, joined by "or".
fn either(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(" or ")
}

fn step_words(step: &Step) -> String {
    match step {
        Step::Skill { skill } => skill.clone(),
        Step::Helper { helper, args } => {
            let words = std::iter::once(helper).chain(args);
            words.map(String::as_str).collect::<Vec<_>>().join(" ")
        }
    }
}

/// A condition in words.
fn words(predicate: &Predicate) -> String {
    let list =
        |parts: &[Predicate], word: &str| parts.iter().map(words).collect::<Vec<_>>().join(word);
    match predicate {
        Predicate::DirExists(path) => format!("`{path}/` exists"),
        Predicate::FileExists(path) => format!("`{path}` exists"),
        Predicate::FileEquals { path, text } => format!("`{path}` says `{text}`"),
        Predicate::EnvSet(name) => format!("`{name}` is set"),
        Predicate::EnvEquals { name, value } => format!("`{name}` is `{value}`"),
        Predicate::ArgMatches(flag) => format!("the arguments hold `{flag}`"),
        Predicate::Files(files) => format!("there is {}", either(files)),
        Predicate::Says { files, any } => format!("{} has {}", either(files), either(any)),
        Predicate::BranchChanges(files) => {
            format!("the branch is on a remote and changes {}", either(files))
        }
        Predicate::All(parts) => list(parts, " and "),
        Predicate::Any(parts) => list(parts, " or "),
        Predicate::Not(part) => format!("not: {}", words(part)),
    }
}

/// Collects the paths and patterns that a condition names.
fn parts<'a>(predicate: &'a Predicate, paths: &mut Vec<&'a String>) {
    match predicate {
        Predicate::DirExists(path)
        | Predicate::FileExists(path)
        | Predicate::FileEquals { path, .. } => {
            paths.push(path);
        }
        Predicate::Files(files)
        | Predicate::Says { files, .. }
        | Predicate::BranchChanges(files) => {
            paths.extend(files);
        }
        Predicate::EnvSet(_) | Predicate::EnvEquals { .. } | Predicate::ArgMatches(_) => {}
        Predicate::All(inner) | Predicate::Any(inner) => {
            for part in inner {
                parts(part, paths);
            }
        }
        Predicate::Not(part) => parts(part, paths),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Tree;

    #[test]
    fn a_row_becomes_data_and_a_line_of_the_page() {
        let tree = Tree::new();
        let plan = typed(&tree.workspace()).expect("read");
        assert_eq!(plan.problems, []);
        let text = &plan.outputs[0].text;
        let table: serde_json::Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(table[0]["artifacts"][0]["form"], "aris.tool.thing/v1");
        assert_eq!(table[0]["fires"]["any"][1]["not"]["env_set"], "X");
        // The helpers read what was written.
        let read: Vec<Integration> = serde_json::from_str(text).expect("rows");
        assert_eq!(serde_json::to_value(read).expect("JSON"), table);
        let mut plan = Plan::default();
        page(&tree.workspace(), &mut plan).expect("read");
        let text = &plan.outputs[0].text;
        assert!(
            text.contains("| thing: A thing | `a b` says `x` or not: `X` is set | `tool` | `a/*.json` | `contract_check checklist thing` | `tool make` | `tool check` (gate) |"),
            "{text}"
        );
    }

    #[test]
    fn an_incomplete_row_is_named_with_its_line() {
        for (from, to, what) in [
            ("name = \"thing\"", "name = \"Thing\"", "kebab-case"),
            (
                "helper = \"tool\"\nart",
                "helper = \"saw\"\nart",
                "saw is not in the helper table",
            ),
            (
                "path = \"a/*.json\"",
                "path = \"a/../b\"",
                "is not a plain path",
            ),
            ("aris.tool.thing/v1", "aris.tool.other/v1", "neither json"),
            ("pointer = \"/a\"", "pointer = \"a\"", "pointers with /"),
            (
                "{ helper = \"tool\", args = [\"make\"] }",
                "{ skill = \"make\" }",
                "backfill of",
            ),
        ] {
            let tree = Tree::new();
            tree.replace(TABLE, from, to);
            let plan = typed(&tree.workspace()).expect("read");
            assert!(plan.outputs.is_empty(), "{what}");
            assert_eq!(
                (plan.problems.len(), plan.problems[0].line),
                (1, 2),
                "{what}: {:?}",
                plan.problems
            );
            assert!(plan.problems[0].what.contains(what), "{:?}", plan.problems);
        }
    }

    #[test]
    fn an_unknown_word_is_refused_with_line_and_column() {
        for (from, to) in [
            ("env_set", "moon_is_full"),
            ("title =", "titel ="),
            ("role = \"gate\"", "role = \"Gate\""),
            (
                "{ helper = \"tool\", args = [\"make\"] }",
                "{ args = [\"make\"] }",
            ),
            ("checklist = [\"look\"]", "checklist = [\"look\""),
        ] {
            let tree = Tree::new();
            tree.replace(TABLE, from, to);
            let fault = typed(&tree.workspace()).expect_err(to).to_string();
            assert!(
                fault.contains("line ") && fault.contains("column "),
                "{fault}"
            );
        }
    }
}
