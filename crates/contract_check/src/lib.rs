//! `contract_check`: checks from outside what skills promise each other: which integrations apply to a project, whether their
//! artifacts are valid, where each helper is found, and whether the installation is intact.
//!
//! **Input**: the project, the environment (`ARIS_REPO`, `CLAUDE_SKILL_DIR`, `PATH`), and the tables of helpers and integrations,
//! which are compiled in. **Output**: a report on stdout; with `run` the helper's own output. Writes nothing except the file of
//! `--record`; the programs that `backfill --run` and `run` start may write. `status` starts a helper where a predicate needs
//! one, and `doctor` starts the helpers' binaries with `--version`.
//!
//! **Exit**: 0 no findings. `status`: 10 gaps, or an integration that cannot be decided; 1 when one of those is load-bearing.
//! `backfill`: 10 steps are left to do. `resolve`: 10 not found. `doctor`: 10 faults. `run`, by policy: A the helper's own code
//! (1 when it is missing or timed out, 128 plus the number of a signal); B and E 0, with a warning; C 20, the caller writes the
//! record; D1 21, the caller tries its next source; D2 22, the caller records the source as skipped. All: 2 usage; 3 no project
//! folder; 5 the outcome cannot be recorded.
//!
//! It is a diagnostic for skills (policy E), although `status` and `run` may exit with 1: `status` by contract, and `run` on
//! behalf of helpers that are gates.

mod artifact;
mod cli;
mod commands;
mod doctor;
mod error;
mod files;
mod predicate;
mod project;
mod report;

use aris_cli::{CommandSpec, Context, Network, Outcome, Product, Sample, Spec};
use aris_contract::ErrorKind;

pub use cli::Cli;
pub use error::Error;

use cli::Command;
use commands::{backfill, checklist, resolve, run as run_helper, status};
use project::Project;

/// The helper's name, version and help.
pub static SPEC: Spec = Spec {
    name: "contract_check",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Check integrations between skills, the helpers they call, and the installation",
    input: "the project; ARIS_REPO, CLAUDE_SKILL_DIR and PATH; for run the helper's own input",
    output: "a report; for run the helper's own output (with --json that goes to stderr)",
    stderr: "warnings, errors, and what helpers write there",
    commands: &[
        CommandSpec::new(
            "status",
            "the project",
            "each integration: whether it applies here, and whether its files are there and valid",
            &[
                (0, "no gap"),
                (1, "an integration required for submission is broken"),
                (3, ""),
                (5, ""),
                (10, "there are gaps"),
            ],
        ),
        CommandSpec::new(
            "checklist",
            "the project",
            "the steps of the integration, each with an empty box to tick by hand",
            &[(0, "the checklist was printed"), (3, ""), (5, "")],
        ),
        CommandSpec::new(
            "backfill",
            "the project",
            "the commands that make what is missing; with --run what they did",
            &[
                (0, "nothing is missing"),
                (3, ""),
                (5, ""),
                (10, "something is missing"),
            ],
        ),
        CommandSpec::new(
            "resolve",
            "the project, the skill's folder, ARIS_REPO and PATH",
            "each place that was looked at, and what the policy asks for",
            &[
                (0, "the helper was found"),
                (3, ""),
                (5, ""),
                (10, "the helper was not found"),
            ],
        ),
        CommandSpec::new(
            "run",
            "the helper's own input",
            "the helper's own output; with --json it goes to stderr",
            &[
                (
                    0,
                    "the helper is done, or the policy lets the caller continue (C and D: also when the helper found something)",
                ),
                (1, "policy A: the helper was not found or did not finish"),
                (3, ""),
                (5, ""),
                (
                    10,
                    "to 125: the helper's own exit code (policies A, B and E); with policy A also 1 to 9",
                ),
                (20, "policy C: write the record directly"),
                (21, "policy D1: try the next source"),
                (22, "policy D2: record the source as skipped"),
            ],
        ),
        CommandSpec::new(
            "doctor",
            "the project, and the installed skills and helpers",
            "faults of the installation",
            &[(0, "no fault"), (3, ""), (5, ""), (10, "there are faults")],
        ),
    ],
    examples: &[
        "contract_check status  # which integrations apply here, and whether their files are valid",
        "contract_check checklist submission-audits  # the boxes to tick before a final report",
        "contract_check backfill research-wiki-ingest --set arxiv_ids=2501.12345,1706.03762 --run  # ingest what was missed",
        "contract_check resolve research_wiki.py --policy B  # where a helper is found, under any of its names",
        "contract_check run save_trace -- --skill s --purpose p --prompt-file p.md --response-file r.md  # run a helper and apply its policy",
        "contract_check doctor --json  # faults of the installation, as data",
    ],
    signals: &[
        (
            1,
            "an integration required for submission is broken (status); policy A: the helper was not found or did not finish (run)",
        ),
        (
            10,
            "status: gaps; backfill: something is missing; resolve: the helper was not found; doctor: faults; run: the helper's own code",
        ),
        (run_helper::OWED, "run, policy C: write the record directly"),
        (
            run_helper::NEXT_SOURCE,
            "run, policy D1: try the next source",
        ),
        (
            run_helper::SOURCE_SKIPPED,
            "run, policy D2: record the source as skipped",
        ),
    ],
    ok: "nothing found; run: done, or the policy lets the caller continue (policies C and D: also when the helper found something)",
    errors: &[ErrorKind::NotFound, ErrorKind::Precondition],
    schemas: &[
        status::SCHEMA,
        checklist::SCHEMA,
        backfill::SCHEMA,
        resolve::SCHEMA,
        run_helper::SCHEMA,
        doctor::SCHEMA,
    ],
    samples: &[
        Sample {
            args: &["--json", "status"],
            exit: &[0, 1, 10],
        },
        Sample {
            args: &["--json", "checklist", "submission-audits"],
            exit: &[0],
        },
        Sample {
            args: &["--json", "resolve", "../x"],
            exit: &[2],
        },
    ],
    network: Network::None,
    deadline: None,
};

/// Runs the command line.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Box<dyn Product>>, Error> {
    let project = Project::open(&cli, context)?;
    Ok(match &cli.command {
        Command::Status(args) => status::run(args, &project, context)?.boxed(),
        Command::Checklist(args) => checklist::run(args)?.boxed(),
        Command::Backfill(args) => backfill::run(args, &project, context)?.boxed(),
        Command::Resolve(args) => resolve::run(args, &project)?.boxed(),
        Command::Run(args) => run_helper::run(args, &project, context)?.boxed(),
        Command::Doctor => doctor::run(&project).boxed(),
    })
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<status::Status>(status::SCHEMA);
        check_schema::<checklist::Checklist>(checklist::SCHEMA);
        check_schema::<backfill::Backfill>(backfill::SCHEMA);
        check_schema::<resolve::Resolved>(resolve::SCHEMA);
        check_schema::<run_helper::Ran>(run_helper::SCHEMA);
        check_schema::<doctor::Doctor>(doctor::SCHEMA);
    }
}
