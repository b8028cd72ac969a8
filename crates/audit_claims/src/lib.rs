//! `audit_claims`: which claims of a research pull request lack evidence, and what verdict follows.
//!
//! **Input**: lists of findings. **Output**: findings without duplicates, the verdict; the last line of stdout is the token
//! `verdict = approved|changes_requested|needs_human`. **Exit**: 0 for every verdict (callers branch on the verdict), with
//! `--exit-signal` 10 for all but `approved`; 2 usage; 3 an input is absent; 4 an input is malformed; 5 an output cannot be written.

mod cli;
mod commands;
mod error;
mod report;

use aris_cli::{Context, Example, Network, Outcome, Sample, Spec};
use aris_contract::ErrorKind;

pub use cli::Cli;
pub use error::Error;
pub use report::{Judged, Merged, Report};

use cli::Command;
use commands::{merge, verdict};

/// What the helper says about itself.
pub static SPEC: Spec = Spec {
    name: "audit_claims",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Derive the verdict on a research pull request from findings about its claims",
    input: "lists of findings as JSON",
    output: "findings without duplicates, or the verdict with its token as the last line",
    stderr: "notes, warnings, errors",
    examples: &[
        Example {
            command: "merge",
            line: "audit_claims merge external.json comparative.json --out findings.json",
            what: "make one list of what several agents found",
        },
        Example {
            command: "verdict",
            line: "audit_claims verdict --findings findings.json",
            what: "what follows from the findings",
        },
    ],
    signals: &[(10, "with --exit-signal: the verdict is not approved")],
    ok: "done, whatever the verdict",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
    ],
    schemas: &[report::VERDICT, report::MERGED],
    samples: &[Sample {
        args: &["--json", "verdict", "--findings", "no-such-file.json"],
        exit: &[3],
    }],
    network: Network::None,
};

/// Does what `cli` asks for.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Report>, Error> {
    match &cli.command {
        Command::Merge(args) => Ok(Outcome::done(Report::Merged(merge::run(args, context)?))),
        Command::Verdict(args) => verdict::run(args, context),
    }
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<Judged>(report::VERDICT);
        check_schema::<Merged>(report::MERGED);
    }
}
