//! The submission gate: searches for reasons, provable by a program, not to submit a paper.
//!
//! It reads the audit artifacts of a paper directory, hashes every file that they say they examined, follows what the paper includes
//! today, reads the review traces behind the verdicts, and reports every contradiction with its place, its evidence and how to clear
//! it. It never says "accepted": a program can prove that something is wrong, but not that everything is right.
//!
//! # Usage
//!
//! ```text
//! verify_paper_audits [PAPER] [--assurance draft|submission] [--policy FILE] [--output FILE] [--html FILE]
//!                     [--attest FILE [--sign-key FILE]] [--json] [--quiet]
//! verify_paper_audits prompt [PAPER] --audit SKILL
//! verify_paper_audits record [PAPER] --audit SKILL [--trace DIR] [--thread-id ID]
//! verify_paper_audits obligations [PAPER]
//! ```
//!
//! # Input
//!
//! The paper directory with its artifacts (`PROOF_AUDIT.json`, `PAPER_CLAIM_AUDIT.json`, `CITATION_AUDIT.json`, optionally
//! `KILL_ARGUMENT.json` and what `.aris/audits.json` adds), `.aris/assurance.txt`, the traces, and the audited files.
//!
//! # Output
//!
//! The report, `.aris/audit-verifier-report.json` unless `--output` says otherwise, written atomically and also when the gate
//! blocks. A second run over the same state changes no byte: the report of the first stays with its time. stdout has the table of
//! the audits, what blocks and what clears it, or one envelope with `--json`. `.aris/audit-obligations.json` keeps what was found and is
//! not cleared.
//!
//! # Exit codes
//!
//! | code | meaning |
//! |---|---|
//! | 0 | no blocker found under the policy; at `draft` always |
//! | 1 | blocked at `submission`, or an internal error (then the envelope is an error envelope) |
//! | 2 | bad flag, unknown audit |
//! | 3 | the paper or the policy file does not exist; `record`: there is no kept answer |
//! | 4 | the policy file, `.aris/assurance.txt` or the list of obligations is invalid; `record`: the answer states no verdict |
//! | 5 | `record`: a file changed after the review; or an output cannot be written; nothing half-written remains |

mod artifact;
mod attest;
mod case;
mod check;
mod cli;
mod commands;
mod cover;
mod error;
mod finding;
mod gate;
mod guard;
mod html;
mod independence;
mod judged;
mod manifest;
mod measured;
mod obligations;
mod output;
mod paper;
mod places;
mod policy;
mod report;
mod reported;
mod sources;
mod table;
mod text;
mod trace;

use std::io::Write;

use aris_cli::{CommandSpec, Context, Network, Outcome, Sample, Shown, Spec};
use aris_contract::{ErrorKind, Signal, schema};

pub use attest::PREDICATE_SCHEMA;
pub use cli::Cli;
pub use error::Error;

use crate::check::SCHEMA as CHECK_SCHEMA;
use crate::cli::{Command, GateArgs};
use crate::judged::{PROMPT_SCHEMA, RECORD_SCHEMA};
use crate::obligations::SCHEMA as OBLIGATIONS_SCHEMA;
use crate::output::Outputs;
use aris_audit::ledger::Ledger;

/// Schema id of the report.
pub const SCHEMA: &str = schema::id::GATE_REPORT;

/// The helper's description of itself.
pub static SPEC: Spec = Spec {
    name: "verify_paper_audits",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Check the audits of a paper and block a submission that they do not support",
    input: "a paper folder with its audit artifacts, the files they hashed, and the review traces behind them",
    output: "a table of the audits, what blocks and what clears it; with --json one envelope; the report goes to a file",
    stderr: "warnings, errors; of prompt the commands to call next",
    commands: &[
        CommandSpec::new(
            "prompt",
            "the paper",
            "the prompt for a reviewer",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "record",
            "the paper and the kept answer of a reviewer",
            "the path of the artifact",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "obligations",
            "the paper",
            "findings of earlier runs that nobody has cleared",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "check-statement",
            "a statement and the paper",
            "each file that differs, and whether the signature is right",
            &[
                (0, "no file has changed since the statement"),
                (3, ""),
                (4, ""),
                (5, ""),
                (10, "a file has changed, or the signature is wrong"),
            ],
        ),
    ],
    examples: &[
        "verify_paper_audits paper --assurance submission  # gate a submission",
        "verify_paper_audits prompt paper --audit proof-checker > prompt.md  # write the prompt for a reviewer; the commands that save the answer are printed on stderr",
        "verify_paper_audits record paper --audit proof-checker --trace .aris/traces/proof-checker/2026-04-21_run01  # write PROOF_AUDIT.json from the kept answer",
        "verify_paper_audits obligations paper  # list findings of earlier runs that nobody has cleared",
        "verify_paper_audits paper --html paper/audit.html  # gate a draft, with a page for the browser",
        "verify_paper_audits paper --assurance submission --attest audit.intoto.json --sign-key ~/.ssh/id_ed25519  # gate, and sign what was judged",
        "verify_paper_audits check-statement audit.intoto.json paper  # compare a signed statement with the files, on any machine",
    ],
    signals: &[
        (1, "blocked: at least one blocking finding at submission"),
        (
            10,
            "check-statement: a file has changed, or the signature is wrong",
        ),
    ],
    ok: "nothing blocks under the policy; for a draft always",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
    ],
    schemas: &[
        SCHEMA,
        PROMPT_SCHEMA,
        RECORD_SCHEMA,
        OBLIGATIONS_SCHEMA,
        CHECK_SCHEMA,
        PREDICATE_SCHEMA,
        schema::id::POLICY,
        schema::id::PAPER_MANIFEST,
        schema::id::AUDIT,
    ],
    samples: &[Sample {
        args: &["--json", "assets/no-such-paper"],
        exit: &[3],
    }],
    network: Network::None,
    deadline: Some(aris_cli::DEADLINE),
};

/// Runs the command.
pub fn run(cli: Cli, context: &Context) -> Result<Shown, Error> {
    match &cli.command {
        None => gated(&cli.gate, context),
        Some(Command::Prompt(args)) => {
            let prompt = judged::prompt(args, context)?;
            for next in &prompt.next {
                context.note(&format!("then: {next}"));
            }
            let text = |it: &judged::Prompt, out: &mut dyn Write| write!(out, "{}", it.prompt);
            Ok(Outcome::done(prompt).shown(PROMPT_SCHEMA, text))
        }
        Some(Command::Record(args)) => Ok(Outcome::done(judged::record(args, context)?).boxed()),
        Some(Command::Obligations(args)) => {
            Ok(Outcome::done(obligations::list(args, context)?).boxed())
        }
        Some(Command::CheckStatement(args)) => {
            let checked = check::check(args, context)?;
            let found = checked.found();
            Ok(Outcome::found(checked, found).boxed())
        }
    }
}

/// Judges a paper and writes the report.
fn gated(args: &GateArgs, context: &Context) -> Result<Shown, Error> {
    let (paper, policy) = output::opened(&args.paper, context)?;
    let assurance = output::assurance(args, &paper.given)?;
    let root = args.paper.root.as_deref();
    if let Some(path) = root.map(|root| paper.given.join(root))
        && !path.is_file()
    {
        let message = format!("root document {} does not exist", path.display());
        let hint = "--root is relative to the paper directory";
        return Err(Error::new(ErrorKind::NotFound, message, hint));
    }
    if let Some(key) = args.sign_key.as_ref().map(|key| context.absolute(key))
        && !key.exists()
    {
        let message = format!("the signing key {} does not exist", key.display());
        let hint = "ssh-keygen makes one; nothing was written";
        return Err(Error::new(ErrorKind::NotFound, message, hint).at(&key));
    }
    let outputs = Outputs::new(args, &paper.given, context);
    let mut ledger = Ledger::default();
    let gate = gate::Gate {
        paper: &paper,
        root,
        policy: &policy,
        assurance,
        now: context.now(),
    };
    let (mut report, unkept) = gate::judge(gate, &mut ledger)?;
    if let Some(error) = unkept {
        context.warn(&error.to_string());
    }
    outputs.check(&paper, &ledger)?;
    outputs.write(&mut report, context)?;
    let signal = report.submission_blocking.then_some(Signal::BLOCK);
    let data = report;
    Ok(Outcome { data, signal }.boxed())
}

#[cfg(test)]
mod tests {
    use aris_contract::artifact::audit::Audit;
    use aris_testkit::check_schema;

    use super::*;
    use crate::attest::Predicate;
    use crate::check::Checked;
    use crate::judged::{Prompt, Recorded};
    use crate::manifest::Manifest;
    use crate::obligations::Obligations;
    use crate::policy::PolicyFile;
    use crate::report::Report;

    #[test]
    fn schemas_are_current() {
        check_schema::<Report>(SCHEMA);
        check_schema::<Prompt>(PROMPT_SCHEMA);
        check_schema::<Recorded>(RECORD_SCHEMA);
        check_schema::<Obligations>(OBLIGATIONS_SCHEMA);
        check_schema::<Checked>(CHECK_SCHEMA);
        check_schema::<Predicate>(PREDICATE_SCHEMA);
        check_schema::<PolicyFile>(schema::id::POLICY);
        check_schema::<Manifest>(schema::id::PAPER_MANIFEST);
        check_schema::<Audit>(schema::id::AUDIT);
    }
}
