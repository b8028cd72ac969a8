//! `build_manifest`: expands a few lines that describe grids of experiments into a queue's list of jobs.
//!
//! **Input**: a specification in YAML or JSON (`--config`): settings of the queue, and phases with a grid and a template each, or single
//! jobs; see [`aris_queue::grid`]. **Output**: a manifest for `queue_manager` (`--output`), one job per line; the same input gives the same
//! bytes. **Exit**: 0 the manifest is written, or was there already; 2 usage; 3 no such file; 4 the specification has mistakes, each with
//! line and column; 5 the manifest cannot be written, or another file is in its place.

mod cli;
mod report;
mod write;

use aris_cli::{Context, Network, Outcome, Sample, Spec};
use aris_contract::ErrorKind;
use aris_contract::failure::Told;
use aris_contract::hex::hex;
use aris_queue::grid::{MANY, Plan};
use aris_queue::manifest;
use aris_queue::problem::Invalid;
use sha2::{Digest as _, Sha256};

pub use cli::Cli;
pub use report::{Built, GridSchema, Report, Specification};

/// What the helper says about itself.
pub static SPEC: Spec = Spec {
    name: "build_manifest",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Expand grids of experiments into the list of jobs of a queue",
    input: "a specification in YAML or JSON",
    output: "the number of jobs of each phase; the manifest goes to --output",
    stderr: "warnings, errors with line and column",
    commands: &[],
    examples: &[
        "build_manifest --config grid.yaml --output manifest.json  # expand the grids of grid.yaml",
        "build_manifest --config grid.yaml --json  # check a specification and count its jobs, writing nothing",
        "build_manifest --example > grid.yaml  # write a grid that runs as it is",
    ],
    signals: &[],
    ok: "the manifest is written, or was there already",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
    ],
    schemas: &[
        report::SCHEMA,
        report::SPECIFICATION,
        report::GRID_SCHEMA,
        report::GRID,
    ],
    samples: &[Sample {
        args: &["--config", "no-such-file.yaml", "--json"],
        exit: &[3],
    }],
    network: Network::None,
    deadline: None,
};

/// A specification that runs as it is.
const EXAMPLE: &str = include_str!("../assets/example.yaml");

/// Expands the specification that `cli` names.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Report>, Told> {
    if cli.schema {
        return Ok(Outcome::done(Report::Schema(GridSchema::published())));
    }
    let Some(given) = cli.config else {
        let example = Specification { example: EXAMPLE };
        return Ok(Outcome::done(Report::Specification(example)));
    };
    let config = context.absolute(&given);
    let text = aris_fs::read_text(&config)?;
    let plan = manifest::tree(&text)
        .map_err(|problem| vec![problem])
        .and_then(|root| Plan::read(&root))
        .map_err(|problems| Invalid::new(&given, problems))?;
    for warning in plan.warnings() {
        context.warn(&format!("{}:{warning}", given.display()));
    }
    let phases = plan.phases().map(|(name, jobs)| report::Phase {
        name: name.to_owned(),
        jobs: jobs as u64,
    });
    let phases: Vec<report::Phase> = phases.collect();
    let jobs = phases.iter().map(|phase| phase.jobs).sum();
    if jobs > MANY {
        let what = format!("stands for {jobs} jobs; is that what you want?");
        context.warn(&format!("{} {what}", given.display()));
    }
    let text = plan.text();
    let written = match &cli.output {
        Some(output) => write::manifest(&plan, &text, &config, &context.absolute(output))?,
        None => false,
    };
    Ok(Outcome::done(Report::Built(Built {
        project: plan.project().to_owned(),
        phases,
        jobs,
        path: cli.output.map(|output| output.display().to_string()),
        digest: format!("sha256:{}", hex(&Sha256::digest(&text))),
        bytes: text.len() as u64,
        written,
    })))
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<Built>(report::SCHEMA);
        check_schema::<Specification>(report::SPECIFICATION);
        check_schema::<GridSchema>(report::GRID_SCHEMA);
    }
}
