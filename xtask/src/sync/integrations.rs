//! `skills/shared-references/integrations.toml`: read strictly, and written as `crates/aris-contract/src/integrations/table.rs`
//! and `skills/shared-references/integrations.md`.

use serde::Deserialize;

use crate::cargo::rustfmt;
use crate::fault::Fault;
use crate::sync::readme::cell;
use crate::sync::{Output, Plan, Stale, markers};
use crate::verify::{is_kebab, line_of};
use crate::workspace::Workspace;

/// Where the rows are written.
pub(crate) const TABLE: &str = "skills/shared-references/integrations.toml";

const TYPED: &str = "crates/aris-contract/src/integrations/table.rs";
const PAGE: &str = "skills/shared-references/integrations.md";
const BEGIN: &str = "<!-- integrations:begin -->";
const END: &str = "<!-- integrations:end -->";

/// Forms that are no schema.
const FORMS: [(&str, &str); 3] = [("json", "Json"), ("text", "Text"), ("png", "Png")];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    integration: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    title: String,
    caller: String,
    fires: Predicate,
    helper: String,
    artifacts: Vec<Artifact>,
    checklist: Vec<String>,
    verifier: Verifier,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Predicate {
    DirExists(String),
    FileExists(String),
    FileEquals {
        path: String,
        text: String,
    },
    EnvSet(String),
    EnvEquals {
        name: String,
        value: String,
    },
    ArgMatches(String),
    Files(Vec<String>),
    Says {
        files: Vec<String>,
        any: Vec<String>,
    },
    BranchChanges(Vec<String>),
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Artifact {
    path: String,
    form: String,
    #[serde(default)]
    expect: Vec<Expect>,
    hashed: Option<String>,
    covers: Option<Covers>,
    backfill: Step,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Covers {
    ArxivIds(Vec<String>),
    Folders(String),
    Inputs {
        files: Vec<String>,
        #[serde(default)]
        except: Vec<String>,
        when: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    pointer: String,
    is: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    helper: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    skill: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Verifier {
    helper: String,
    args: Vec<String>,
    role: Role,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Role {
    Gate,
    SkillGate,
    Diagnostic,
}

/// The typed table.
pub(crate) fn typed(workspace: &Workspace) -> Result<Plan, Fault> {
    let (text, rows) = read(workspace)?;
    let mut plan = Plan {
        problems: problems(workspace, &text, &rows),
        ..Plan::default()
    };
    if plan.problems.is_empty() {
        let rows: String = rows.iter().map(Row::rust).collect();
        let source = format!(
            "// Generated from {TABLE} by `cargo xtask sync`. Do not edit.\n\n\
             use super::{{Artifact, Covers, Expect, Form, Integration, Predicate, Role, Step, Verifier}};\n\n\
             pub(super) const INTEGRATIONS: &[Integration] = &[\n{rows}];\n"
        );
        plan.outputs.push(Output {
            path: TYPED.to_owned(),
            text: rustfmt(workspace, source)?,
            executable: false,
        });
    }
    Ok(plan)
}

/// The page for people.
pub(crate) fn page(workspace: &Workspace, plan: &mut Plan) -> Result<(), Fault> {
    let (_, rows) = read(workspace)?;
    let body: String = rows.iter().map(Row::markdown).collect();
    let body = format!(
        "\n| Integration | Predicate | Helper | Artifact | Checklist | Backfill | Verifier |\n|---|---|---|---|---|---|---|\n{body}\n"
    );
    let text = match aris_fs::read_optional(&workspace.at(PAGE), aris_fs::READ_LIMIT)? {
        None => Some(format!(
            "# Integrations\n\nWhere one skill relies on another, or on state that a project keeps. The table is generated from\n\
             `integrations.toml` by `cargo xtask sync`; text around it is written by hand. In a project, `contract_check status`\n\
             says which of them fire and what they left, `contract_check checklist NAME` shows the checklist.\n\n{BEGIN}\n{body}{END}\n"
        )),
        Some(bytes) => markers::replace(&String::from_utf8_lossy(&bytes), BEGIN, END, &body),
    };
    plan.marked(PAGE, text, BEGIN, END);
    Ok(())
}

fn read(workspace: &Workspace) -> Result<(String, Vec<Row>), Fault> {
    let text = aris_fs::read_text(&workspace.at(TABLE))?;
    let table: Table =
        toml_edit::de::from_str(&text).map_err(|error| Fault::new(format!("{TABLE}: {error}")))?;
    Ok((text, table.integration))
}

/// What no type can say: known helpers and schemas, paths that stay in the project, sorted names, no empty part.
fn problems(workspace: &Workspace, text: &str, rows: &[Row]) -> Vec<Stale> {
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
        row.fires.parts(&mut paths);
        for artifact in &row.artifacts {
            paths.push(&artifact.path);
            match &artifact.covers {
                Some(Covers::ArxivIds(files)) => paths.extend(files),
                Some(Covers::Folders(files)) => paths.push(files),
                Some(Covers::Inputs { files, when, .. }) => {
                    if artifact.hashed.is_none() || !when.starts_with('/') {
                        wrong(format!(
                            "covers of {} needs `hashed` and a pointer with /",
                            artifact.path
                        ));
                    }
                    paths.extend(files);
                }
                None => {}
            }
            match (&artifact.backfill.helper, &artifact.backfill.skill) {
                (Some(helper), None) => helpers.push(helper),
                (None, Some(skill))
                    if skill.starts_with('/') && artifact.backfill.args.is_empty() => {}
                _ => wrong(format!(
                    "backfill of {} is {{ helper, args }} or {{ skill = \"/…\" }}",
                    artifact.path
                )),
            }
            let known = FORMS.iter().any(|(form, _)| *form == artifact.form);
            let schema = format!(
                "schemas/{}",
                aris_contract::schema::file_name(&artifact.form)
            );
            if !known && !workspace.at(&schema).is_file() {
                wrong(format!(
                    "form {:?} is neither json, text, png nor a schema",
                    artifact.form
                ));
            }
            let pointers: Vec<&String> = (artifact.expect.iter())
                .map(|expect| &expect.pointer)
                .chain(&artifact.hashed)
                .collect();
            if pointers.iter().any(|pointer| !pointer.starts_with('/'))
                || (!pointers.is_empty() && matches!(artifact.form.as_str(), "text" | "png"))
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

impl Row {
    fn rust(&self) -> String {
        let Self {
            name,
            title,
            caller,
            fires,
            helper,
            artifacts,
            checklist,
            verifier,
        } = self;
        let artifacts: String = artifacts.iter().map(Artifact::rust).collect();
        let Verifier {
            helper: proof,
            args,
            role,
        } = verifier;
        // Debug of a string or a list of strings is a Rust literal.
        format!(
            "Integration {{ name: {name:?}, title: {title:?}, caller: {caller:?}, fires: {}, helper: {helper:?}, \
             artifacts: &[{artifacts}], checklist: &{checklist:?}, \
             verifier: Verifier {{ helper: {proof:?}, args: &{args:?}, role: Role::{role:?} }}, }},\n",
            fires.rust()
        )
    }

    fn markdown(&self) -> String {
        let join = |parts: Vec<String>| {
            let mut parts = parts;
            parts.dedup();
            parts.join("; ")
        };
        let leaves = join(
            self.artifacts
                .iter()
                .map(|artifact| format!("`{}`", artifact.path))
                .collect(),
        );
        let backfill = join(
            self.artifacts
                .iter()
                .map(|artifact| format!("`{}`", artifact.backfill.words()))
                .collect(),
        );
        let role = match self.verifier.role {
            Role::Gate => "gate",
            Role::SkillGate => "gate of its skill",
            Role::Diagnostic => "diagnostic",
        };
        let verifier = format!(
            "`{} {}` ({role})",
            self.verifier.helper,
            self.verifier.args.join(" ")
        );
        format!(
            "| {}: {} | {} | `{}` | {} | `contract_check checklist {}` | {} | {} |\n",
            self.name,
            cell(&self.title),
            cell(&self.fires.words()),
            self.helper,
            cell(&leaves),
            self.name,
            cell(&backfill),
            cell(&verifier)
        )
    }
}

impl Artifact {
    fn rust(&self) -> String {
        let form = FORMS
            .iter()
            .find(|(form, _)| *form == self.form)
            .map_or_else(
                || format!("Form::Schema({:?})", self.form),
                |(_, variant)| format!("Form::{variant}"),
            );
        let expect: Vec<String> = self
            .expect
            .iter()
            .map(|Expect { pointer, is }| format!("Expect {{ pointer: {pointer:?}, is: {is:?} }}"))
            .collect();
        let expect = expect.join(", ");
        let backfill = match &self.backfill {
            Step {
                skill: Some(skill), ..
            } => format!("Step::Skill({skill:?})"),
            Step { helper, args, .. } => {
                let helper = helper.as_deref().unwrap_or_default();
                format!("Step::Helper {{ helper: {helper:?}, args: &{args:?} }}")
            }
        };
        let covers = match &self.covers {
            Some(Covers::ArxivIds(files)) => format!("Some(Covers::ArxivIds(&{files:?}))"),
            Some(Covers::Folders(files)) => format!("Some(Covers::Folders({files:?}))"),
            Some(Covers::Inputs {
                files,
                except,
                when,
            }) => format!(
                "Some(Covers::Inputs {{ files: &{files:?}, except: &{except:?}, when: {when:?} }})"
            ),
            None => String::from("None"),
        };
        format!(
            "Artifact {{ path: {:?}, form: {form}, expect: &[{expect}], hashed: {:?}, covers: {covers}, backfill: {backfill} }},",
            self.path, self.hashed
        )
    }
}

/// Words of which one is enough.
fn either(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(" or ")
}

impl Step {
    fn words(&self) -> String {
        let helper = self.helper.iter().chain(&self.args);
        self.skill
            .clone()
            .unwrap_or_else(|| helper.map(String::as_str).collect::<Vec<_>>().join(" "))
    }
}

impl Predicate {
    fn rust(&self) -> String {
        let list = |parts: &[Self]| parts.iter().map(Self::rust).collect::<Vec<_>>().join(", ");
        match self {
            Self::DirExists(path) => format!("Predicate::DirExists({path:?})"),
            Self::FileExists(path) => format!("Predicate::FileExists({path:?})"),
            Self::FileEquals { path, text } => {
                format!("Predicate::FileEquals {{ path: {path:?}, text: {text:?} }}")
            }
            Self::EnvSet(name) => format!("Predicate::EnvSet({name:?})"),
            Self::EnvEquals { name, value } => {
                format!("Predicate::EnvEquals {{ name: {name:?}, value: {value:?} }}")
            }
            Self::ArgMatches(flag) => format!("Predicate::ArgMatches({flag:?})"),
            Self::Files(files) => format!("Predicate::Files(&{files:?})"),
            Self::Says { files, any } => {
                format!("Predicate::Says {{ files: &{files:?}, any: &{any:?} }}")
            }
            Self::BranchChanges(files) => format!("Predicate::BranchChanges(&{files:?})"),
            Self::All(parts) => format!("Predicate::All(&[{}])", list(parts)),
            Self::Any(parts) => format!("Predicate::Any(&[{}])", list(parts)),
            Self::Not(part) => format!("Predicate::Not(&{})", part.rust()),
        }
    }

    fn words(&self) -> String {
        let list = |parts: &[Self], word: &str| {
            parts.iter().map(Self::words).collect::<Vec<_>>().join(word)
        };
        match self {
            Self::DirExists(path) => format!("`{path}/` exists"),
            Self::FileExists(path) => format!("`{path}` exists"),
            Self::FileEquals { path, text } => format!("`{path}` says `{text}`"),
            Self::EnvSet(name) => format!("`{name}` is set"),
            Self::EnvEquals { name, value } => format!("`{name}` is `{value}`"),
            Self::ArgMatches(flag) => format!("the arguments hold `{flag}`"),
            Self::Files(files) => format!("there is {}", either(files)),
            Self::Says { files, any } => format!("{} has {}", either(files), either(any)),
            Self::BranchChanges(files) => {
                format!("the branch is on a remote and changes {}", either(files))
            }
            Self::All(parts) => list(parts, " and "),
            Self::Any(parts) => list(parts, " or "),
            Self::Not(part) => format!("not: {}", part.words()),
        }
    }

    /// Adds the paths and patterns it names.
    fn parts<'a>(&'a self, paths: &mut Vec<&'a String>) {
        match self {
            Self::DirExists(path) | Self::FileExists(path) | Self::FileEquals { path, .. } => {
                paths.push(path);
            }
            Self::Files(files) | Self::Says { files, .. } | Self::BranchChanges(files) => {
                paths.extend(files);
            }
            Self::EnvSet(_) | Self::EnvEquals { .. } | Self::ArgMatches(_) => {}
            Self::All(parts) | Self::Any(parts) => {
                for part in parts {
                    part.parts(paths);
                }
            }
            Self::Not(part) => part.parts(paths),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::tree::Tree;

    #[test]
    fn a_row_becomes_rust_and_a_line_of_the_page() {
        let tree = Tree::new();
        let plan = typed(&tree.workspace()).expect("read");
        assert_eq!(plan.problems, []);
        let text = &plan.outputs[0].text;
        for piece in [
            "Predicate::Any(&[",
            "Predicate::Not(&Predicate::EnvSet(\"X\"))",
            "form: Form::Schema(\"aris.tool.thing/v1\")",
            "role: Role::Gate",
        ] {
            assert!(text.contains(piece), "{piece}: {text}");
        }
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
                "{ args = [\"make\"] }",
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
