//! `audit_claims`: finds the claims of a research pull request that lack evidence, and derives the verdict.
//!
//! **Input**: a pull request on GitHub or a merge request on GitLab, answers of agents, lists of findings; for the rules, documents,
//! bibliographies, results and a plan.
//! **Output**: a review on GitHub or GitLab, files in the output folder; the last line of stdout is the token `verdict =
//! approved|changes_requested|needs_human`.
//! **Exit**: 0 for every verdict (callers branch on the verdict), with `--exit-signal` 10 for all but `approved`; 2 usage, also an address
//! that is not that of a pull request; 3 an input is absent; 4 an input is malformed; 5 not a git worktree, a pull request that is not
//! open, or an output cannot be written.
//!
//! An outage of GitHub or GitLab blocks nobody: the verdict is `approved` and `degraded` is true, unless something was found or
//! `--degraded-verdict needs_human` was given.

mod agents;
mod audit;
mod bindings;
mod cli;
mod commands;
mod excerpts;
mod formats;
mod report;
mod rests;
mod rules;
mod source;

use aris_cli::{CommandSpec, Context, Network, Outcome, Sample, Shown, Spec};
use aris_contract::ErrorKind;

/// Errors of `audit_claims`: those of both gates.
pub use aris_gates::GateError as Error;
pub use cli::Cli;

use cli::Command;
use commands::{check, extract, merge, post, prepare, run as whole, verdict};
use report::{Extracted, Prepared};

/// Exit codes of the commands that give no verdict.
const FILES: &[(u8, &str)] = &[(3, ""), (4, ""), (5, "")];
/// Exit codes of the commands that give a verdict.
const VERDICT_EXITS: &[(u8, &str)] = &[
    (
        0,
        "done, whatever the verdict; \"degraded\" in the output: not everything was looked at or posted",
    ),
    (3, ""),
    (4, ""),
    (5, ""),
    (10, "with --exit-signal: the verdict is not \"approved\""),
];

/// What the helper says about itself.
pub static SPEC: Spec = Spec {
    name: "audit_claims",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Derive the verdict on a research pull request from findings about its claims",
    input: "a pull request on GitHub or GitLab, answers of agents, lists of findings as JSON",
    output: "findings, or the verdict with its token as the last line",
    stderr: "notes, warnings, errors",
    commands: &[
        CommandSpec::new(
            "run",
            "a pull request and its git worktree",
            "findings and the verdict; its token is the last line",
            VERDICT_EXITS,
        ),
        CommandSpec::new(
            "prepare",
            "a pull request, or a diff in a file",
            "the paths of the requests to agents",
            FILES,
        ),
        CommandSpec::new("extract", "a document, or a diff", "the claims", FILES),
        CommandSpec::new(
            "check",
            "documents, a bibliography, results, a plan",
            "findings",
            &[
                (3, ""),
                (4, ""),
                (5, ""),
                (10, "with --exit-signal: there are findings"),
            ],
        ),
        CommandSpec::new(
            "merge",
            "lists of findings as JSON",
            "one list of findings",
            FILES,
        ),
        CommandSpec::new(
            "verdict",
            "a list of findings as JSON",
            "the verdict; its token is the last line",
            VERDICT_EXITS,
        ),
        CommandSpec::new(
            "post",
            "a list of findings as JSON",
            "the verdict and what was posted",
            VERDICT_EXITS,
        ),
    ],
    examples: &[
        "audit_claims prepare https://github.com/owner/name/pull/7  # save the diff and write the prompts for agents",
        "audit_claims run . main https://github.com/owner/name/pull/7 --agent-dir answers  # audit a pull request with rules and the answers of agents",
        "audit_claims run . main https://github.com/owner/name/pull/7 --engine rules --results results/  # audit a pull request with rules alone",
        "audit_claims post https://github.com/owner/name/pull/7 --findings findings.json  # post a review with the findings that are not posted yet",
        "audit_claims extract --file report.md  # list the claims of a report",
        "audit_claims check --doc paper.tex --bib refs.bib --results results  # check a paper with rules, without a pull request",
        "audit_claims merge external.json comparative.json -o findings.json  # merge the findings of several agents",
        "audit_claims verdict --findings findings.json  # derive the verdict from findings",
    ],
    signals: &[(10, "with --exit-signal: the verdict is not approved")],
    ok: "done, whatever the verdict; \"degraded\" in the output: not everything was looked at or posted",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
    ],
    schemas: &[
        report::VERDICT,
        report::MERGED,
        report::PREPARED,
        report::EXTRACTED,
        report::CHECKED,
        aris_review::REQUEST,
        aris_review::ANSWER,
    ],
    samples: &[Sample {
        args: &["--json", "verdict", "--findings", "no-such-file.json"],
        exit: &[3],
    }],
    network: Network::Optional,
    deadline: Some(aris_cli::DEADLINE),
};

/// Does what `cli` asks for.
pub fn run(cli: Cli, context: &Context) -> Result<Shown, Error> {
    match &cli.command {
        Command::Run(args) => whole::run(args, context),
        Command::Prepare(args) => {
            let prepared = Outcome::done(prepare::run(args, context)?);
            Ok(prepared.shown(report::PREPARED, Prepared::render))
        }
        Command::Post(args) => post::run(args, context),
        Command::Extract(args) => {
            let extracted = Outcome::done(extract::run(args, context)?);
            Ok(extracted.shown(report::EXTRACTED, Extracted::render))
        }
        Command::Check(args) => check::run(args, context),
        Command::Merge(args) => merge::run(args, context),
        Command::Verdict(args) => verdict::run(args, context),
    }
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;
    use crate::report::{Checked, Judged};

    #[test]
    fn schemas_are_current() {
        check_schema::<Judged>(report::VERDICT);
        check_schema::<aris_review::Merged>(report::MERGED);
        check_schema::<Prepared>(report::PREPARED);
        check_schema::<Extracted>(report::EXTRACTED);
        check_schema::<Checked>(report::CHECKED);
        check_schema::<aris_review::AgentRequest>(aris_review::REQUEST);
        check_schema::<aris_review::AgentAnswer>(aris_review::ANSWER);
    }
}
