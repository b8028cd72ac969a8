//! `backfill`: the commands that create the missing artifacts of an integration; prints or runs them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::PathBuf;

use aris_cli::{Context, Outcome, Product, Style};
use aris_contract::helpers;
use aris_contract::integrations::{Covers, Integration, Role, Step};
use aris_contract::text::shell_line;
use aris_proc::{End, Stdout};
use serde::Serialize;

use super::integration;
use super::status::{self, Standing};
use crate::artifact::{self, State};
use crate::cli::BackfillArgs;
use crate::error::Error;
use crate::predicate::Evidence;
use crate::project::Project;

/// Schema id of [`Backfill`].
pub(crate) const SCHEMA: &str = "aris.contract_check.backfill/v1";

/// The steps that repair one integration.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Backfill {
    /// The integration.
    name: &'static str,
    /// The project, absolute; the steps run there.
    project: String,
    /// State of the integration. With --run: after the steps.
    state: Standing,
    /// Why the state is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The steps, in this order.
    steps: Vec<Todo>,
}

/// One step.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Todo {
    /// What the step starts.
    kind: Kind,
    /// The command in shell syntax; for a skill the instruction to an agent.
    command: String,
    /// The command's arguments, program first; empty for a skill and for a helper that is not found.
    argv: Vec<String>,
    /// Values that `--set` must still provide.
    needs: Vec<String>,
    /// Its progress.
    state: Progress,
    /// Exit code, when it ran to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit: Option<i32>,
    /// Why it is not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum Kind {
    Helper,
    Skill,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum Progress {
    /// It has not been run.
    Open,
    /// It ran and exited with 0, or with 10 to 125: it did its work and reported findings.
    Done,
    /// It ran and exited with another code.
    Failed,
    /// Its helper was not found.
    NotFound,
}

pub(crate) fn run(
    args: &BackfillArgs,
    project: &Project,
    context: &Context,
) -> Result<Outcome<Backfill>, Error> {
    let row = integration(&args.name)?;
    let settings = settings(row, &args.settings, project)?;
    let evidence = Evidence {
        project,
        env: &|name| context.env(name),
        arguments: None,
    };
    let before = status::check(row, &project.root, &evidence);
    let steps = steps(row, before.state, project);
    let steps = steps.iter().map(|step| fill(step, &settings, project));
    let mut todo: Vec<Todo> = steps.collect();
    let mut backfill = Backfill {
        name: &row.name,
        project: project.root.display().to_string(),
        state: before.state,
        reason: before.reason,
        steps: Vec::new(),
    };
    if args.run {
        let missing: BTreeSet<String> = todo.iter().flat_map(|step| step.needs.clone()).collect();
        if !missing.is_empty() {
            return Err(Error::MissingSettings {
                integration: &row.name,
                missing: missing.into_iter().collect(),
            });
        }
        for step in &mut todo {
            make(step, args, project, context);
        }
        backfill.state = status::check(row, &project.root, &evidence).state;
    }
    let open = todo.iter().any(|step| step.state != Progress::Done);
    let left = open || !matches!(backfill.state, Standing::Idle | Standing::Complete);
    backfill.steps = todo;
    Ok(Outcome::found(backfill, left))
}

/// The steps, each only once: those for every artifact that is not valid, and at the end a gate's verifier.
fn steps(row: &Integration, state: Standing, project: &Project) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    if state == Standing::Idle {
        return steps;
    }
    for artifact in &row.artifacts {
        let left = artifact::left(&project.root, artifact);
        let whole = left.iter().all(|left| left.state == State::Valid);
        if !whole && !steps.contains(&artifact.backfill) {
            steps.push(artifact.backfill.clone());
        }
    }
    let verifier = Step::Helper {
        helper: row.verifier.helper.clone(),
        args: row.verifier.args.clone(),
    };
    // The gate's last result describes the artifacts before the repair; run it again.
    if row.verifier.role == Role::Gate && !steps.is_empty() {
        steps.retain(|step| *step != verifier);
        steps.push(verifier);
    }
    steps
}

/// The values of the placeholders. A name that no step uses is an error.
fn settings(
    row: &'static Integration,
    given: &[(String, String)],
    project: &Project,
) -> Result<BTreeMap<String, String>, Error> {
    let mut settings = BTreeMap::from([(String::from("project"), project.argument())]);
    for artifact in &row.artifacts {
        let missing = artifact::uncovered(&project.root, artifact).unwrap_or_default();
        if matches!(artifact.covers, Some(Covers::ArxivIds(_))) && !missing.is_empty() {
            settings.insert(String::from("arxiv_ids"), missing.join(","));
        }
    }
    let mut known = Vec::new();
    for artifact in &row.artifacts {
        if let Step::Helper { args, .. } = &artifact.backfill {
            for arg in args {
                filled(arg, &BTreeMap::new(), &mut known);
            }
        }
    }
    for (name, value) in given {
        if !known.contains(name) {
            return Err(Error::UnknownSetting {
                integration: &row.name,
                name: name.clone(),
                known,
            });
        }
        settings.insert(name.clone(), value.clone());
    }
    Ok(settings)
}

fn fill(step: &Step, settings: &BTreeMap<String, String>, project: &Project) -> Todo {
    let mut todo = Todo {
        kind: Kind::Helper,
        command: String::new(),
        argv: Vec::new(),
        needs: Vec::new(),
        state: Progress::Open,
        exit: None,
        reason: None,
    };
    let (helper, args) = match step {
        Step::Skill { skill } => {
            todo.kind = Kind::Skill;
            skill.clone_into(&mut todo.command);
            return todo;
        }
        Step::Helper { helper, args } => (helper, args),
    };
    let needs = &mut todo.needs;
    let args = args.iter().map(|arg| filled(arg, settings, needs));
    let args: Vec<String> = args.collect();
    let row = helpers::find(helper).ok_or_else(|| String::from("not in the helper table"));
    match row.and_then(|row| project.argv(row)) {
        Ok(argv) => {
            let argv = argv.iter().map(|word| word.to_string_lossy().into_owned());
            todo.argv = argv.chain(args).collect();
            todo.command = shell_line(&todo.argv);
        }
        Err(why) => {
            let words: Vec<String> = std::iter::once(helper.to_owned()).chain(args).collect();
            todo.command = shell_line(&words);
            todo.state = Progress::NotFound;
            todo.reason = Some(why);
        }
    }
    todo
}

/// `arg` with its `{name}` placeholders replaced; names without a value are added to `needs`.
fn filled(arg: &str, settings: &BTreeMap<String, String>, needs: &mut Vec<String>) -> String {
    let mut text = String::new();
    let mut rest = arg;
    while let Some((before, inner)) = rest.split_once('{')
        && let Some((name, after)) = inner.split_once('}')
    {
        text.push_str(before);
        if let Some(value) = settings.get(name) {
            text.push_str(value);
        } else {
            text.extend(["{", name, "}"]);
            if !needs.iter().any(|known| known == name) {
                needs.push(name.to_owned());
            }
        }
        rest = after;
    }
    text.push_str(rest);
    text
}

/// Runs one step. Its stdout goes to stderr, because stdout carries the report.
fn make(step: &mut Todo, args: &BackfillArgs, project: &Project, context: &Context) {
    let Some((program, rest)) = step.argv.split_first() else {
        return;
    };
    context.note(&format!("running {}", step.command));
    let command = aris_proc::command(PathBuf::from(program), &project.root).args(rest);
    let failed = |why: String| (Progress::Failed, None, Some(why));
    (step.state, step.exit, step.reason) = match command.run_attached(Stdout::Stderr, args.deadline)
    {
        Ok(End::Exited(code @ (0 | 10..=125))) => (Progress::Done, Some(code), None),
        Ok(End::Exited(code)) => (Progress::Failed, Some(code), None),
        Ok(End::Signalled(signal)) => failed(format!("ended by signal {signal}")),
        Ok(End::TimedOut) => failed(String::from("no end within the time it had")),
        Err(error) => failed(error.to_string()),
    };
}

impl Product for Backfill {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    /// A shell script: commands that can be run, and everything else as comments.
    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        match self.state {
            Standing::Idle => writeln!(out, "# {} does not apply here", self.name)?,
            Standing::Complete if self.steps.is_empty() => {
                writeln!(
                    out,
                    "# nothing to do: all files of {} are there and valid",
                    self.name
                )?;
            }
            Standing::Complete | Standing::Gaps => {}
            Standing::Undecided => {
                let reason = self.reason.as_deref().unwrap_or_default();
                writeln!(out, "# {} cannot be decided: {reason}", self.name)?;
            }
        }
        if !self.steps.is_empty() {
            writeln!(out, "cd {} || exit", shell_line(&[&self.project]))?;
        }
        for step in &self.steps {
            let Todo { command, needs, .. } = step;
            let reason = step.reason.as_deref().unwrap_or_default();
            match (step.state, step.kind) {
                (Progress::Done, _) => match step.exit {
                    None | Some(0) => writeln!(out, "# done: {command}")?,
                    Some(code) => {
                        let found = format!("it found something (exit code {code})");
                        writeln!(out, "# done, and {found}: {command}")?;
                    }
                },
                (Progress::Failed, _) => {
                    let exit = step.exit.map(|code| format!("exit code {code}"));
                    let exit = exit.unwrap_or_default();
                    writeln!(out, "# failed ({exit}{reason}): {command}")?;
                }
                (Progress::NotFound, _) => writeln!(out, "# not found ({reason}): {command}")?,
                (Progress::Open, Kind::Skill) => {
                    writeln!(out, "# a skill, for your agent: {command}")?;
                }
                (Progress::Open, Kind::Helper) if !needs.is_empty() => {
                    let sets = needs.join("=VALUE --set ");
                    writeln!(out, "# needs --set {sets}=VALUE: {command}")?;
                }
                (Progress::Open, Kind::Helper) => writeln!(out, "{command}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_once_and_missing_ones_are_named() {
        let settings = BTreeMap::from([(String::from("a"), String::from("{b}"))]);
        let mut needs = Vec::new();
        assert_eq!(
            filled("x{a}y{b}/{b}", &settings, &mut needs),
            "x{b}y{b}/{b}"
        );
        assert_eq!(needs, ["b"]);
        assert_eq!(
            filled("open { brace", &settings, &mut needs),
            "open { brace"
        );
    }
}
