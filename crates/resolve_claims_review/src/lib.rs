//! `resolve_claims_review`: turns the comments of a research pull request into commits, replies with reasons, or a request to run an
//! experiment again.
//!
//! **Input**: comments of a pull request on GitHub or a merge request on GitLab, answers of agents, edits in a git worktree.
//! **Output**: commits, replies, closed threads, files in the output folder. `finish`, `outcome`, and a `fetch` that finds nothing end with
//! the tokens `needs_rerun`, `verdict` and `fixes_applied`.
//! **Exit**: 0 done, also when there is no pull request, repository or token; 2 usage, also a file that an edit must not touch; 3 an input
//! is absent; 4 an input is malformed; 5 not a git worktree, a pull request that is not open or comes from another repository, nothing to
//! commit, or an output cannot be written; 7 GitHub or GitLab did not say what there is to settle. `fetch` and `group` exit with 10 when
//! some comments cannot be read; `validate` exits with 10 when an edit and another call are needed, and with 1 when its third attempt has
//! failed.
//!
//! It commits only the files that `apply` names, in the worktree and on the branch of the review, and pushes nothing.

mod cli;
mod commands;
mod config;
mod edited;
mod folder;
mod quoted;
mod report;
mod signals;

use aris_cli::{CommandSpec, Context, Network, Outcome, Sample, Shown, Spec};
use aris_contract::ErrorKind;

/// Errors of `resolve_claims_review`: those of both gates.
pub use aris_gates::GateError as Error;
pub use cli::Cli;

use cli::Command;
use commands::{apply, fetch, finish, group, merge, outcome, plan, validate};
use folder::Fetched;
use report::{Classified, Edit, Finished, Planned};

const SETTLED: &str = "done; \"skipped\" in the output: no pull request, no repository or no token, so that no comment was read";

const UNREADABLE: (u8, &str) = (
    10,
    "some comments cannot be read (\"degraded\" in the output); the others are there",
);

const FILES: &[(u8, &str)] = &[(3, ""), (4, ""), (5, "")];

/// What the helper says about itself.
pub static SPEC: Spec = Spec {
    name: "resolve_claims_review",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Settle the review of a research pull request and decide whether to run it again",
    input: "comments of a pull request on GitHub or GitLab, answers of agents, edits in a git worktree",
    output: "what was found, decided or done; the tokens of a settled review as the last lines",
    stderr: "warnings, errors",
    commands: &[
        CommandSpec::new(
            "fetch",
            "a pull request and its git worktree",
            "the comments by group, and the paths of the requests to agents",
            &[(0, SETTLED), (3, ""), (4, ""), (5, ""), (7, ""), UNREADABLE],
        ),
        CommandSpec::new(
            "group",
            "comments as JSON",
            "the comments by group",
            &[(3, ""), (4, ""), (5, ""), UNREADABLE],
        ),
        CommandSpec::new("merge", "answers of agents", "one classification", FILES),
        CommandSpec::new("plan", "a classification", "what to edit, in order", FILES),
        CommandSpec::new(
            "apply",
            "an edit in the git worktree",
            "the commit, or the reason why there is none",
            FILES,
        ),
        CommandSpec::new(
            "validate",
            "the git worktree",
            "the result of the check",
            &[
                (0, "the check passed, or there is none (SKIPPED)"),
                (1, "the third attempt failed"),
                (3, ""),
                (4, ""),
                (5, ""),
                (10, "edit and call again"),
            ],
        ),
        CommandSpec::new(
            "finish",
            "a classification and what was applied",
            "the replies; the tokens are the last lines",
            FILES,
        ),
        CommandSpec::new(
            "outcome",
            "the escalations as JSON",
            "whether to run again; the token is the last line",
            FILES,
        ),
    ],
    examples: &[
        "resolve_claims_review fetch . main  # get the comments to settle and write the prompts for agents",
        "resolve_claims_review group --comments comments.json --threads threads.json  # sort comments of an earlier fetch",
        "resolve_claims_review merge --groups .aris/temp/resolve-claims-review/dimension_groups_7.json --agent-dir answers  # merge the answers of agents into one classification",
        "resolve_claims_review plan --classification .aris/temp/resolve-claims-review/classification_map_7.json  # list the comments that an edit settles",
        "resolve_claims_review apply --id 1234 --status applied --files research/report.md --description 'cite the data set'  # commit an edit that settles a comment",
        "resolve_claims_review apply --id 1235 --status skipped --reason 'the source is not public'  # record why a comment could not be settled",
        "resolve_claims_review validate --command 'make report' --command-timeout 300  # run the check of the report",
        "resolve_claims_review finish --repo owner/name --pr 7 --branch experiment --classification .aris/temp/resolve-claims-review/classification_map_7.json  # reply, close threads, write what is left",
        "resolve_claims_review outcome --escalations .aris/temp/resolve-claims-review/escalation_records_7.json --fixes-applied 2  # derive whether an experiment must be run again",
    ],
    signals: &[
        (1, "validate: the third attempt has failed"),
        (
            10,
            "fetch, group: some comments cannot be read; validate: edit and call again",
        ),
    ],
    ok: SETTLED,
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
        ErrorKind::Timeout,
        ErrorKind::Unavailable,
    ],
    schemas: &[
        report::GROUPS,
        report::APPLIED,
        report::CLASSIFIED,
        report::FINISHED,
        report::OUTCOME,
        report::PLAN,
        report::VALIDATED,
    ],
    samples: &[Sample {
        args: &["--json", "outcome", "--escalations", "no-such-file.json"],
        exit: &[3],
    }],
    network: Network::Optional,
    deadline: Some(aris_cli::DEADLINE),
};

/// Does what `cli` asks for.
pub fn run(cli: Cli, context: &Context) -> Result<Shown, Error> {
    Ok(match &cli.command {
        Command::Fetch(args) => groups(fetch::run(args, context)?),
        Command::Group(args) => groups(group::run(args, context)?),
        Command::Merge(args) => {
            Outcome::done(merge::run(args, context)?).shown(report::CLASSIFIED, Classified::render)
        }
        Command::Plan(args) => {
            Outcome::done(plan::run(args, context)?).shown(report::PLAN, Planned::render)
        }
        Command::Apply(args) => {
            Outcome::done(apply::run(args, context)?).shown(report::APPLIED, Edit::render)
        }
        Command::Validate(args) => validate::run(args, context)?,
        Command::Finish(args) => {
            Outcome::done(finish::run(args, context)?).shown(report::FINISHED, Finished::render)
        }
        Command::Outcome(args) => Outcome::done(outcome::run(args, context)?)
            .shown(report::OUTCOME, |tokens, out| {
                out.write_all(tokens.lines().as_bytes())
            }),
    })
}

fn groups(fetched: Fetched) -> Shown {
    let degraded = fetched.degraded;
    Outcome::found(fetched, degraded).shown(report::GROUPS, Fetched::render)
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;
    use crate::report::Validated;

    #[test]
    fn schemas_are_current() {
        check_schema::<Fetched>(report::GROUPS);
        check_schema::<Edit>(report::APPLIED);
        check_schema::<Classified>(report::CLASSIFIED);
        check_schema::<Finished>(report::FINISHED);
        check_schema::<aris_review::Tokens>(report::OUTCOME);
        check_schema::<Planned>(report::PLAN);
        check_schema::<Validated>(report::VALIDATED);
    }
}
