//! `paper_illustration_image2`: checks an illustration that an image model made: before it is made, when it is accepted, and
//! before the paper uses it.
//!
//! **Input**: a workspace; for `finalize` the accepted PNG. **Output**: JSON as the original script prints it; `finalize` writes
//! `figure_final.png`, `latex_include.tex` and `review_log.json` below `figures/ai_generated`. **Exit**: 0 success; 1 with a
//! success envelope: no image can be made now (`preflight`), or the image is not final (`verify`); 2 usage; 3 no such folder or
//! image; 4 the image cannot be used; 5 a disk error.

mod cli;
mod error;
mod finalize;
mod include;
mod picture;
mod preflight;
mod report;
mod verify;
mod workspace;

use aris_cli::{CommandSpec, Context, Network, Outcome, Sample, Shown, Spec};
use aris_contract::{ErrorKind, Signal, json};
use serde::Serialize;

use workspace::Workspace;

pub use cli::{Cli, Command, Finalize, Place, Preflight, Verify};
pub use error::Error;
pub use report::{FinalizeResult, PreflightResult, VerifyResult};

/// What the helper says about itself.
pub static SPEC: Spec = Spec {
    name: "paper_illustration_image2",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Check an illustration that an image model made, and make the accepted one final",
    input: "the project; for finalize the accepted PNG, a caption and a label",
    output: "the result as JSON; finalize writes figure_final.png, latex_include.tex and review_log.json",
    stderr: "errors",
    commands: &[
        CommandSpec::new(
            "preflight",
            "the installed program codex",
            "whether images can be made, as JSON",
            &[
                (0, "images can be made"),
                (1, "no image can be made now"),
                (3, ""),
                (5, ""),
            ],
        ),
        CommandSpec::new(
            "finalize",
            "the accepted PNG, a caption and a label",
            "the files that were written, as JSON",
            &[(0, "the image is final"), (3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "verify",
            "the final image, its LaTeX and its review log",
            "each check and its result, as JSON",
            &[
                (0, "everything fits together"),
                (1, "the image is not final"),
                (3, ""),
                (4, ""),
                (5, ""),
            ],
        ),
    ],
    examples: &[
        "paper_illustration_image2 preflight --project . --output figures/ai_generated/preflight.json  # ask whether images can be made",
        "paper_illustration_image2 finalize --project . --best-image figures/ai_generated/figure_v3.png --score 9 --caption 'Overview of the method.' --label fig:overview  # make the third version final",
        "paper_illustration_image2 verify --project .  # check that the final image is the accepted one",
    ],
    signals: &[(
        1,
        "no image can be made now (preflight), or the image is not final (verify)",
    )],
    ok: "images can be made; the image is final; everything fits together",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
    ],
    schemas: &[
        report::PREFLIGHT,
        report::FINALIZED,
        report::VERIFIED,
        report::REVIEW_LOG,
    ],
    samples: &[
        Sample {
            args: &["--json", "verify", "--project", "."],
            exit: &[1],
        },
        Sample {
            args: &["--json", "finalize", "--best-image", "absent.png"],
            exit: &[3],
        },
    ],
    network: Network::None,
    deadline: None,
};

/// Runs the subcommand of `cli`.
pub fn run(cli: Cli, context: &Context) -> Result<Shown, Error> {
    let (shown, place) = match &cli.command {
        Command::Preflight(args) => {
            let checked = preflight::run(args, context)?;
            (shown(report::PREFLIGHT, checked.ok, checked), &args.place)
        }
        Command::Finalize(args) => {
            let finalized = finalize::run(args, context)?;
            (shown(report::FINALIZED, true, finalized), &args.place)
        }
        Command::Verify(args) => {
            let verified = verify::run(args, context)?;
            (shown(report::VERIFIED, verified.ok, verified), &args.place)
        }
    };
    if let Some(path) = &place.output {
        let text = json::pretty(&shown.data)?;
        Workspace::of(place, context)?.write(path, &text, context)?;
    }
    Ok(shown)
}

/// A result with its signal: if it is not `ok`, the workflow stops. People get JSON, too, as from the original script.
fn shown<D: Serialize + 'static>(schema: &'static str, ok: bool, data: D) -> Shown {
    let signal = (!ok).then_some(Signal::BLOCK);
    Outcome { data, signal }.shown(schema, |data, out| out.write_all(&json::pretty(data)?))
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<PreflightResult>(report::PREFLIGHT);
        check_schema::<FinalizeResult>(report::FINALIZED);
        check_schema::<VerifyResult>(report::VERIFIED);
        check_schema::<report::ReviewLog>(report::REVIEW_LOG);
    }
}
