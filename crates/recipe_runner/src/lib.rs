//! `recipe_runner`: a deterministic engine for recipes, pipelines that a YAML file describes as a graph of steps.
//!
//! # Usage
//!
//! ```text
//! recipe_runner validate FILE [DATA] [--compose [--set NAME=VALUE ...]] [--profile core|compat|strict] [--json]
//! recipe_runner graph    FILE [--compose [--set NAME=VALUE ...]] [--format json|mermaid|dot] [--json]
//! recipe_runner run      FILE [--inputs NAME=VALUE ...] [--state STATE] [--outcomes SCRIPT] [--exec cmd] [--agent COMMAND] [--json]
//! recipe_runner resume   --state STATE [--outcomes SCRIPT] [--exec cmd] [--agent COMMAND] [--accept-changed] [--json]
//! recipe_runner next     --state STATE [--json]
//! recipe_runner status   --state STATE [--json]
//! recipe_runner logs     --state STATE [--step NAME] [--follow] [--stderr] [--json]
//! recipe_runner timeline RUN [--html FILE] [--json]
//! recipe_runner cancel   --state STATE [--json]
//! recipe_runner --example
//! recipe_runner --schema
//! recipe_runner complete --state STATE --step NAME --status STATUS [--result JSON|TEXT|-] [--ticket TICKET] [--json]
//! DATA: --manifest FILE  --tools FILE  --budgets FILE  --skills-dir DIR  --sub-recipes-dir DIR  --exempt FILE  --rules FILE
//! ```
//!
//! # Input
//!
//! A recipe, its sub-recipes, and where outcomes come from: a script, or executors.
//!
//! # Output
//!
//! The state of a run is a journal, to which every transition adds a line. Beside it are `STATE.lock`, which names the process that uses
//! the run, and, with executors, `STATE.d` with a folder for each attempt: the request, both streams, and the outcome, which is there
//! before it is in the journal.
//!
//! # Exit codes
//!
//! | code | validate, graph | run, resume | next, complete |
//! |---|---|---|---|
//! | 0 | no error finding | ended at a stop step or at `done`; `resume` without outcomes and executors: said where | there is work, or the run is completed |
//! | 2 | usage | usage; an input is unknown, missing or not allowed | usage |
//! | 3 | the recipe is absent | recipe, script or state is absent | the state is absent |
//! | 4 | no recipe, or sub-recipes cannot be put into it | that; the recipe has errors, the state is malformed or edited, the recipe was changed | the same; the step is not at the cursor |
//! | 5 | a file cannot be read | somebody else uses the run; an unfinished run is in the way; a program is missing | somebody else uses the run |
//! | 10 | at least one error finding | escalated or halted | the same |
//! | 11 | | the next outcome must come from outside | |
//! | 12 | | too many steps | the same |
//! | 13 | | ended at a stop step with `failed: true` | the same |

mod agent;
mod attempt;
mod cache;
mod cli;
mod commands;
mod data;
mod drive;
mod error;
mod interrupt;
mod journal;
mod load;
mod report;
mod requests;
mod secret;
mod session;
mod store;

use aris_cli::{CommandSpec, Context, Network, Sample, Shown, Spec};
use aris_contract::ErrorKind;

pub use cli::Cli;
pub use error::Error;

use crate::cli::Command;
use crate::commands::{cancel, graph, logs, protocol, run, status, timeline, validate};

/// Schema id of recipes.
const RECIPE_SCHEMA: &str = "aris.recipe_runner.recipe/v1";

/// The hint when the command is missing.
const COMMANDS: &str = "one of validate, graph, run, resume, next, complete, status, logs, timeline, cancel; recipe_runner --example prints a recipe to begin with";

// What commands read, and exit codes with the meanings that differ from those of all helpers.
const RECIPE: &str = "a recipe and its sub-recipes";
const STATE: &str = "the state file of a run";
const COMPLETED: (u8, &str) = (0, "the run is completed");
const ABSENT: (u8, &str) = (3, "");
const INVALID: (u8, &str) = (4, "");
const BAD_RECIPE: (u8, &str) = (4, "an input is invalid, also a recipe that has errors");
const UNREADABLE: (u8, &str) = (5, "");
const BAD_END: (u8, &str) = (10, "the run escalated or halted");
const WAITS: (u8, &str) = (11, "the run waits for an outcome");
const TOO_MANY: (u8, &str) = (12, "the run had too many steps");
const FAILED: (u8, &str) = (13, "the run ended at a stop step with `failed: true`");
const FILES: &[(u8, &str)] = &[ABSENT, INVALID, UNREADABLE];
const STANDS: &[(u8, &str)] = &[
    ABSENT, INVALID, UNREADABLE, BAD_END, WAITS, TOO_MANY, FAILED,
];

/// What the helper says about itself.
pub static SPEC: Spec = Spec {
    name: "recipe_runner",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Check a recipe, show its graph, and run it step by step",
    input: "a recipe in YAML and its sub-recipes",
    output: "findings, a graph, or the progress of a run",
    stderr: "notes and errors",
    commands: &[
        CommandSpec::new(
            "validate",
            RECIPE,
            "findings",
            &[
                (0, "the recipe has no error"),
                ABSENT,
                INVALID,
                UNREADABLE,
                (10, "the recipe has errors"),
            ],
        ),
        CommandSpec::new(
            "graph",
            RECIPE,
            "its steps and the routes between them",
            FILES,
        ),
        CommandSpec::new(
            "run",
            "a recipe, its sub-recipes, and outcomes that are known",
            "one line for each step: number, step, event, status, route, next step; then the progress of the run",
            &[
                COMPLETED, ABSENT, BAD_RECIPE, UNREADABLE, BAD_END, WAITS, TOO_MANY, FAILED,
            ],
        ),
        CommandSpec::new(
            "resume",
            STATE,
            "the step to resume from; then as `run`",
            &[
                (
                    0,
                    "the run is completed; without --outcomes and executors also: the step to resume from is printed",
                ),
                ABSENT,
                BAD_RECIPE,
                UNREADABLE,
                BAD_END,
                WAITS,
                TOO_MANY,
                FAILED,
            ],
        ),
        CommandSpec::new(
            "next",
            STATE,
            "the step whose outcome is needed",
            &[ABSENT, INVALID, UNREADABLE, BAD_END, TOO_MANY, FAILED],
        ),
        CommandSpec::new("complete", STATE, "the next step", STANDS),
        CommandSpec::new(
            "status",
            STATE,
            "the progress of the run",
            &[
                ABSENT,
                INVALID,
                UNREADABLE,
                BAD_END,
                (11, "a step is waiting or running"),
                TOO_MANY,
                FAILED,
            ],
        ),
        CommandSpec::new("logs", STATE, "what the step printed", FILES),
        CommandSpec::new("timeline", STATE, "the path of the page", FILES),
        CommandSpec::new("cancel", STATE, "the step that was ended", STANDS),
    ],
    examples: &[
        "recipe_runner --example > recipe.yaml  # write a recipe that runs as it is",
        "recipe_runner validate recipe.yaml  # report everything that is wrong with a recipe",
        "recipe_runner graph recipe.yaml --format mermaid  # draw the graph of a recipe",
        "recipe_runner run recipe.yaml --inputs program='sleep 1' --state run.json --exec cmd --agent 'claude -p --output-format json'  # run a recipe until it ends, commands and agent steps",
        "recipe_runner resume --state run.json --exec cmd --agent 'claude -p --output-format json'  # continue it",
        "recipe_runner next --state run.json  # print the next step",
        "recipe_runner status --state run.json  # print the status, also while it is running",
        "recipe_runner logs --follow --state run.json  # follow the output of the running step",
        "recipe_runner timeline run.json --html run.html  # write a page with the times and costs of all steps",
        "recipe_runner cancel --state run.json  # end the running step",
        "recipe_runner complete --state run.json --step review --status success --result 'verdict = GO'  # record the outcome of a step",
    ],
    signals: &[
        (
            10,
            "validate: the recipe has errors; else the run escalated or halted",
        ),
        WAITS,
        TOO_MANY,
        FAILED,
    ],
    ok: "the recipe has no error, the run is completed, or what was asked is printed or recorded",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
    ],
    schemas: &[
        validate::SCHEMA,
        status::SCHEMA,
        logs::SCHEMA,
        cancel::SCHEMA,
        timeline::SCHEMA,
        report::EXAMPLE_SCHEMA,
        report::SCHEMA_SCHEMA,
        graph::SCHEMA,
        run::RUN_SCHEMA,
        run::RESUME_SCHEMA,
        protocol::NEXT_SCHEMA,
        protocol::COMPLETE_SCHEMA,
        aris_recipe::engine::state::STATE_SCHEMA,
        RECIPE_SCHEMA,
    ],
    samples: &[Sample {
        args: &["validate", "no-such-recipe.yaml", "--json"],
        exit: &[3],
    }],
    network: Network::None,
    deadline: None,
};

/// Runs one subcommand.
pub fn run(cli: Cli, context: &Context) -> Result<Shown, Error> {
    if let Some(folder) = cli.attempt {
        attempt::carry_out(&context.absolute(&folder))?;
        return Ok(report::attempt());
    }
    if let Some(folder) = cli.work {
        attempt::work(&context.absolute(&folder), context.clock())?;
        return Ok(report::attempt());
    }
    if cli.example {
        return Ok(report::example());
    }
    if cli.schema {
        return Ok(report::schema());
    }
    let no_command = || Error::input(String::from("a command is missing"), COMMANDS);
    match cli.command.ok_or_else(no_command)? {
        Command::Validate(args) => validate::run(&args, context),
        Command::Graph(args) => graph::run(&args, context),
        Command::Run(args) => run::run(&args, context),
        Command::Resume(args) => run::resume(&args, context),
        Command::Next(args) => protocol::next(&args, context),
        Command::Complete(args) => protocol::complete(&args, context),
        Command::Logs(args) => Ok(logs::run(&args, context)?.boxed()),
        Command::Timeline(args) => timeline::run(&args, context),
        Command::Cancel(args) => cancel::run(&args, context),
        Command::Status(args) => status::run(&args, context),
    }
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;
    use crate::commands::graph::GraphData;
    use crate::commands::protocol::{Completed, Next};
    use crate::commands::run::{Resumed, Run};
    use crate::commands::{
        cancel::Cancelled, logs::Log, status::Standing, timeline::Timeline, validate::Validation,
    };
    use crate::report::{FirstRecipe, RecipeSchema};

    #[test]
    fn schemas_are_current() {
        check_schema::<Validation>(validate::SCHEMA);
        check_schema::<GraphData>(graph::SCHEMA);
        check_schema::<Run>(run::RUN_SCHEMA);
        check_schema::<Resumed>(run::RESUME_SCHEMA);
        check_schema::<Next>(protocol::NEXT_SCHEMA);
        check_schema::<Completed>(protocol::COMPLETE_SCHEMA);
        check_schema::<Standing>(status::SCHEMA);
        check_schema::<Log>(logs::SCHEMA);
        check_schema::<Timeline>(timeline::SCHEMA);
        check_schema::<Cancelled>(cancel::SCHEMA);
        check_schema::<FirstRecipe>(report::EXAMPLE_SCHEMA);
        check_schema::<RecipeSchema>(report::SCHEMA_SCHEMA);
        check_schema::<aris_recipe::model::RecipeFile>(RECIPE_SCHEMA);
        check_schema::<aris_recipe::engine::State>(aris_recipe::engine::state::STATE_SCHEMA);
    }
}
