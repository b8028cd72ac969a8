//! `status`: which integrations apply to a project, and whether their artifacts are valid.

use std::io::{self, Write};
use std::path::Path;

use aris_cli::{Context, Outcome, Product, Style};
use aris_contract::Signal;
use aris_contract::helpers;
use aris_contract::integrations::{self, Integration, Role, Step};
use aris_contract::text::counted;
use aris_contract::text::shell_line;
use serde::Serialize;

use super::integration;
use crate::artifact::{self, Left, State};
use crate::cli::StatusArgs;
use crate::error::Error;
use crate::predicate::{Evidence, Truth, holds};
use crate::project::Project;
use crate::report::{last_column, word};

/// Schema id of [`Status`].
pub(crate) const SCHEMA: &str = "aris.contract_check.status/v1";

/// The integrations of one project.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Status {
    /// The project, absolute.
    project: String,
    /// The command that calls this program from the project.
    program: String,
    /// The integrations, sorted by name.
    integrations: Vec<Checked>,
    /// Number of integrations that apply.
    firing: usize,
    /// Number of integrations with gaps, plus those that could not be decided.
    gaps: usize,
    /// Number of load-bearing ones among them.
    broken: usize,
}

/// One integration in one project.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Checked {
    /// The integration.
    pub(crate) name: &'static str,
    /// Its state.
    pub(crate) state: Standing,
    /// Why the state is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// What its verifier decides.
    pub(crate) role: Role,
    /// The verifier, which this command does not run.
    pub(crate) verifier: String,
    /// Its artifacts; empty unless it applies.
    pub(crate) artifacts: Vec<Left>,
    /// The commands that create the missing artifacts. `contract_check backfill --set name=VALUE` fills in a `{name}`.
    pub(crate) backfill: Vec<String>,
}

/// State of an integration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Standing {
    /// It does not apply here.
    Idle,
    /// It applies, and all its artifacts exist and are valid.
    Complete,
    /// It applies, and an artifact is missing, not valid or reports no success.
    Gaps,
    /// Whether it applies cannot be decided.
    Undecided,
}

pub(crate) fn run(
    args: &StatusArgs,
    project: &Project,
    context: &Context,
) -> Result<Outcome<Status>, Error> {
    let named = args.names.iter().map(|name| integration(name));
    let named: Vec<&'static Integration> = named.collect::<Result<_, _>>()?;
    let evidence = Evidence {
        project,
        env: &|name| context.env(name),
        arguments: args.arguments.as_deref(),
    };
    let rows = integrations::all().iter();
    let rows = rows.filter(|row| named.is_empty() || named.contains(row));
    let checked = rows.map(|row| check(row, &project.root, &evidence));
    let checked: Vec<Checked> = checked.collect();
    let number = |fits: &dyn Fn(&Checked) -> bool| checked.iter().filter(|one| fits(one)).count();
    let gap = |one: &Checked| matches!(one.state, Standing::Gaps | Standing::Undecided);
    let status = Status {
        project: project.root.display().to_string(),
        program: call("contract_check", project),
        firing: number(&|one| matches!(one.state, Standing::Complete | Standing::Gaps)),
        gaps: number(&gap),
        broken: number(&|one| gap(one) && one.role == Role::Gate),
        integrations: checked,
    };
    let signal = match (status.broken, status.gaps) {
        (0, 0) => None,
        (0, _) => Some(Signal::FINDINGS),
        (_, _) => Some(Signal::BLOCK),
    };
    Ok(Outcome {
        data: status,
        signal,
    })
}

/// Checks one integration.
pub(crate) fn check(row: &'static Integration, root: &Path, evidence: &Evidence<'_>) -> Checked {
    let mut checked = Checked {
        name: &row.name,
        state: Standing::Idle,
        reason: None,
        role: row.verifier.role,
        verifier: format!(
            "{} {}",
            call(&row.verifier.helper, evidence.project),
            row.verifier.args.join(" ")
        ),
        artifacts: Vec::new(),
        backfill: Vec::new(),
    };
    match holds(&row.fires, evidence) {
        Truth::No => {}
        Truth::Unknown(why) => {
            checked.state = Standing::Undecided;
            checked.reason = Some(why);
        }
        Truth::Yes => {
            for artifact in &row.artifacts {
                let left = artifact::left(root, artifact);
                let step = words(&artifact.backfill, evidence.project);
                let is_whole = left.iter().all(|left| left.state == State::Valid);
                if !is_whole && !checked.backfill.contains(&step) {
                    checked.backfill.push(step);
                }
                checked.artifacts.extend(left);
            }
            checked.state = match checked.backfill.as_slice() {
                [] => Standing::Complete,
                _ => Standing::Gaps,
            };
        }
    }
    checked
}

fn words(step: &Step, project: &Project) -> String {
    match step {
        Step::Skill { skill } => skill.clone(),
        Step::Helper { helper, args } => format!("{} {}", call(helper, project), args.join(" ")),
    }
}

/// The command that calls a helper from the project's folder; only its name when the chain does not find it.
fn call(helper: &str, project: &Project) -> String {
    let Some(argv) = helpers::find(helper).and_then(|row| project.argv(row).ok()) else {
        return helper.to_owned();
    };
    let words = argv.iter().map(|word| {
        let near = word.strip_prefix(&project.root).unwrap_or(word);
        near.to_string_lossy().into_owned()
    });
    shell_line(&words.collect::<Vec<_>>())
}

impl Product for Status {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        for checked in &self.integrations {
            let state = match checked.state {
                Standing::Idle => "does not apply here",
                Standing::Complete => "complete: its files are there and valid",
                Standing::Gaps if checked.role == Role::Gate => "BROKEN (required for submission)",
                Standing::Gaps => "has gaps",
                Standing::Undecided => "cannot be decided",
            };
            writeln!(out, "{}\t{state}", checked.name)?;
            if let Some(why) = &checked.reason {
                writeln!(out, "  why\t{why}")?;
            }
            for left in &checked.artifacts {
                let (state, reason) = (word(left.state), last_column(left.reason.as_deref()));
                writeln!(out, "  {state}\t{}{reason}", left.path)?;
            }
            if checked.state == Standing::Gaps {
                let (program, steps) = (&self.program, checked.backfill.join("; "));
                writeln!(
                    out,
                    "  repair\t{program} backfill {}\t{steps}",
                    checked.name
                )?;
            }
            if matches!(checked.state, Standing::Gaps | Standing::Complete) {
                writeln!(out, "  verifier\t{}", checked.verifier)?;
            }
        }
        writeln!(
            out,
            "{}: {} apply here, {} incomplete or undecided ({} of these required for submission)",
            counted(self.integrations.len(), "integration"),
            self.firing,
            self.gaps,
            self.broken
        )
    }
}
