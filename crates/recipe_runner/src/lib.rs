//! `recipe_runner`: a deterministic engine for recipes, pipelines that a YAML file describes as a graph of steps.
//!
//! # Usage
//!
//! ```text
//! recipe_runner validate FILE [DATA] [--compose [--set NAME=VALUE ...]] [--profile core|compat|strict] [--json]
//! recipe_runner graph    FILE [--compose [--set NAME=VALUE ...]] [--format json|mermaid|dot] [--json]
//! DATA: --manifest FILE  --tools FILE  --budgets FILE  --skills-dir DIR  --sub-recipes-dir DIR  --exempt FILE  --contracts DIR
//! ```
//!
//! # Exit codes
//!
//! | code | meaning |
//! |---|---|
//! | 0 | no finding of severity error |
//! | 2 | usage |
//! | 3 | the recipe is absent |
//! | 4 | the file is no recipe, or its sub-recipes cannot be put into it |
//! | 5 | a file cannot be read |
//! | 10 | at least one error finding |

mod cli;
mod commands;
mod data;
mod error;
mod load;
mod report;

use aris_cli::{Context, Example, Network, Outcome, Sample, Spec};
use aris_contract::ErrorKind;

pub use cli::Cli;
pub use commands::graph::GraphData;
pub use commands::validate::Validation;
pub use error::Error;
pub use report::Report;

use crate::cli::Command;

/// What the helper says about itself.
pub static SPEC: Spec = Spec {
    name: "recipe_runner",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Check a recipe, show where control can go in it, and run it step by step",
    input: "a recipe in YAML and its sub-recipes",
    output: "findings, a graph, or how far a run is",
    stderr: "notes and errors",
    examples: &[
        Example {
            command: "validate",
            line: "recipe_runner validate recipe.yaml",
            what: "report everything that is wrong with a recipe",
        },
        Example {
            command: "graph",
            line: "recipe_runner graph recipe.yaml --format mermaid",
            what: "draw the graph of a recipe",
        },
    ],
    signals: &[(10, "the recipe has at least one error")],
    ok: "the recipe has no error",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
    ],
    schemas: &[commands::validate::SCHEMA, commands::graph::SCHEMA],
    samples: &[Sample {
        args: &["validate", "no-such-recipe.yaml", "--json"],
        exit: &[3],
    }],
    network: Network::None,
};

/// Runs one subcommand.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Report>, Error> {
    match cli.command {
        Command::Validate(args) => Ok(wrap(
            commands::validate::run(&args, context)?,
            Report::Validation,
        )),
        Command::Graph(args) => Ok(wrap(commands::graph::run(&args, context)?, Report::Graph)),
    }
}

fn wrap<D>(outcome: Outcome<D>, report: fn(D) -> Report) -> Outcome<Report> {
    Outcome {
        data: report(outcome.data),
        signal: outcome.signal,
    }
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<Validation>(commands::validate::SCHEMA);
        check_schema::<GraphData>(commands::graph::SCHEMA);
    }
}
