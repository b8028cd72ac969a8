//! `figure_renderer`: draws figures of papers, boxes and arrows described in JSON, as SVG, PDF and PNG, and reports their
//! problems.
//!
//! **Input**: a figure, a JSON file (`figure_renderer schema` shows its fields). **Output**: pictures beside it or at `--output`, their
//! paths on stdout; `validate` lists problems, each with line, column, JSON pointer and a fix; `layout` prints the figure with
//! positions
//! for nodes that have none.
//! **Exit**: 0 drawn, or nothing found; 10 `validate`, or `render --strict`, found problems; 2 usage; 3 the figure does not
//! exist; 4 the file is not a figure, or its picture would be too large; 5 a picture cannot be written, or changes cannot be
//! watched.
//!
//! The same figure gives the same bytes on every machine: text is measured and drawn with fonts that are part of the program.
//! An existing picture is replaced completely or not at all. The figure itself is replaced only by `layout`, if `--output` names
//! it.

mod cli;
mod commands;
mod error;
mod report;

use aris_cli::{CommandSpec, Context, Network, Outcome, Sample, Shown, Spec};
use aris_contract::ErrorKind;

pub use cli::Cli;
pub use error::Error;

use cli::Command;
use commands::schema::Fields;
use commands::{layout, render, schema, validate, watch};
use report::{Checked, LaidOut};

/// What the helper says about itself.
pub static SPEC: Spec = Spec {
    name: "figure_renderer",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Draw figures of boxes and arrows, described in JSON, as SVG, PDF and PNG",
    input: "a figure, a JSON file; figure_renderer schema shows its fields",
    output: "the paths of the pictures; for validate the problems, for schema the fields, for layout the figure",
    stderr: "warnings, errors; of render and watch the problems of the figure",
    commands: &[
        CommandSpec::new(
            "render",
            "a figure, a JSON file",
            "the paths of the pictures",
            &[
                (0, "the pictures are written"),
                (3, ""),
                (4, ""),
                (5, ""),
                (10, "with --strict: the figure has problems"),
            ],
        ),
        CommandSpec::new(
            "validate",
            "a figure, a JSON file",
            "the figure's problems",
            &[
                (0, "no problem"),
                (3, ""),
                (
                    4,
                    "the file is not a figure: JSON, fields, identifiers; the message names the first fault, --json all",
                ),
                (5, ""),
                (10, "the figure has problems"),
            ],
        ),
        CommandSpec::new(
            "schema",
            "nothing",
            "the fields of a figure; with --json their JSON Schema",
            &[],
        ),
        CommandSpec::new(
            "layout",
            "a figure, a JSON file",
            "the figure with the place of each node",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "watch",
            "a figure, a JSON file",
            "the paths of the pictures, each time that they are drawn",
            &[
                (3, ""),
                (4, ""),
                (5, ""),
                (10, "with --strict: the figure has problems"),
            ],
        ),
    ],
    examples: &[
        "figure_renderer render figures/specs/overview.json -o figures/overview.pdf  # draw a figure for LaTeX",
        "figure_renderer render overview.json --format svg,pdf --preview --strict  # draw three pictures beside the figure, exit 10 when it has problems",
        "figure_renderer validate overview.json --column-width 174  # check a figure for the width of two columns",
        "figure_renderer schema  # list the fields of a figure",
        "figure_renderer --example > figures/specs/overview.json  # write a figure that draws as it is",
        "figure_renderer layout sketch.json -o overview.json  # compute positions for nodes without x and y",
        "figure_renderer watch overview.json -o overview.png  # draw again after each change",
    ],
    signals: &[(
        10,
        "the figure has problems (validate, and render or watch with --strict)",
    )],
    ok: "drawn; for validate: no problem",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
    ],
    schemas: &[
        report::RENDERED,
        report::CHECKED,
        report::FIELDS,
        report::LAID_OUT,
        report::WATCHED,
    ],
    samples: &[
        Sample {
            args: &["--json", "schema"],
            exit: &[0],
        },
        Sample {
            args: &["--json", "validate", "no-such-figure.json"],
            exit: &[3],
        },
    ],
    network: Network::None,
    deadline: None,
};

/// Runs the subcommand of `cli`.
pub fn run(cli: Cli, context: &Context) -> Result<Shown, Error> {
    let fields =
        |example| Outcome::done(schema::run(example)).shown(report::FIELDS, Fields::render);
    if cli.example {
        return Ok(fields(true));
    }
    Ok(match &cli.command.ok_or(Error::NoCommand)? {
        Command::Render(args) => render::run(args, context)?.boxed(),
        Command::Validate(args) => {
            validate::run(args, context)?.shown(report::CHECKED, Checked::render)
        }
        Command::Schema => fields(false),
        Command::Layout(args) => {
            let laid_out = layout::run(args, context)?;
            Outcome::done(laid_out).shown(report::LAID_OUT, LaidOut::render)
        }
        // `watch` prints the paths itself, each time it draws.
        Command::Watch(args) => watch::run(args, context)?.shown(report::WATCHED, |_, _| Ok(())),
    })
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<report::Rendered>(report::RENDERED);
        check_schema::<Checked>(report::CHECKED);
        check_schema::<Fields>(report::FIELDS);
        check_schema::<LaidOut>(report::LAID_OUT);
        check_schema::<report::Watched>(report::WATCHED);
    }
}
