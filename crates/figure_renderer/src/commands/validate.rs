//! `validate`: what is wrong with a figure.

use aris_cli::{Context, Outcome};

use super::{lines, read};
use crate::cli::ValidateArgs;
use crate::error::Error;
use crate::report::{Checked, Given, ProblemRow};

pub(crate) fn run(args: &ValidateArgs, context: &Context) -> Result<Outcome<Given>, Error> {
    let figure = read(&args.spec, context)?;
    let column_mm = args.column.column_width;
    let problems = figure.problems(column_mm);
    let (nodes, edges) = figure.counts();
    let (width, height) = figure.canvas();
    let checked = Checked {
        path: args.spec.display().to_string(),
        nodes,
        edges,
        crossings: figure.crossings(),
        bends: figure.bends(),
        width,
        height,
        column_mm,
        problems: problems.iter().map(ProblemRow::of).collect(),
        lines: lines(&args.spec, &problems),
    };
    Ok(Outcome::found(
        Given::Checked(checked),
        !problems.is_empty(),
    ))
}
