//! `validate`: reports the problems of a figure.

use aris_cli::{Context, Outcome};

use super::read;
use crate::cli::ValidateArgs;
use crate::error::Error;
use crate::report::Checked;

pub(crate) fn run(args: &ValidateArgs, context: &Context) -> Result<Outcome<Checked>, Error> {
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
        problems,
    };
    let found = !checked.problems.is_empty();
    Ok(Outcome::found(checked, found))
}
